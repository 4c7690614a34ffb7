/*
 * What is said in a recording, by a transcription model (POST {url}/audio/transcriptions, the
 * OpenAI format: a form with `file`, `model` and `response_format=verbose_json`, answered with
 * `segments[]` of `start` and `text`, or with a `text` alone).
 *
 * Recordings go as they are: the server knows their formats. Calls block, for as long as the caller
 * gives them; any thread but a loop's.
 */
#ifndef KB_UPSTREAM_TRANSCRIBE_H
#define KB_UPSTREAM_TRANSCRIBE_H

#include "upstream/client.h"

enum {
	KB_RECORDING_MAX = 200 << 20, /* bytes */
	KB_SPOKEN_MAX = 100000,       /* pieces of one recording */
};

/* A piece of what is said. */
struct kb_spoken {
	uint32_t second; /* at which it begins */
	struct kb_sv text;
};
struct kb_speech {
	struct kb_sv lang; /* as the server names it; empty: it does not say */
	struct kb_spoken *v;
	size_t count;
};

struct kb_transcriber;

struct kb_transcriber_config {
	struct kb_sv url; /* with "/audio/transcriptions" */
	const char *name, *key;
	const struct kb_log *log;
};
/* Copies the name and the key. */
struct kb_transcriber *kb_transcriber_open(const struct kb_transcriber_config *config,
                                           struct kb_err *err) KB_MUST_CHECK;
void kb_transcriber_cancel(struct kb_transcriber *transcriber); /* see kb_upstream_cancel() */
void kb_transcriber_close(struct kb_transcriber *transcriber);  /* NULL is fine */
void kb_transcriber_stats(struct kb_transcriber *transcriber, struct kb_health_stats *out);

struct kb_recording {
	int fd; /* read from its start to its end */
	int64_t size;
	struct kb_sv filename; /* by which servers tell formats */
	int64_t wait_ms;
	const struct kb_cancel *cancel; /* asked now and then; may be NULL */
};
/* KB_E_TOO_LARGE: over KB_RECORDING_MAX. KB_E_INVALID: the server refuses this recording.
 * KB_E_UPSTREAM, KB_E_TIMEOUT: it failed. KB_E_CANCELLED. */
bool kb_transcribe(struct kb_transcriber *transcriber, struct kb_arena *arena,
                   const struct kb_recording *recording, struct kb_speech *out,
                   struct kb_err *err) KB_MUST_CHECK;

/* Reads an answer. KB_E_UPSTREAM: it is none. Pure but for the arena. */
bool kb_speech_read(struct kb_arena *arena, struct kb_sv answer, struct kb_speech *out,
                    struct kb_err *err) KB_MUST_CHECK;

#endif
