#include "upstream/transcribe.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/size.h"

enum {
	TRIES = 2,
	ANSWER_MAX = 64 << 20,
	NAME_MAX_BYTES = 100,
	FORM_BYTES = 4096, /* of a request beside the recording */
	READ_BYTES = 256 << 10,
	HEX = 32,
	DAY_S = 86400,
	DAYS = 365, /* more than that is nonsense */
};

struct kb_transcriber {
	struct kb_upstream *line;
	char model[KB_UPSTREAM_NAME_MAX + 1];
	char boundary[HEX + 1]; /* by chance: no recording holds it */
};

/* ---- the answer ---- */

static uint32_t second_of(const json_t *start)
{
	double second = json_is_number(start) ? json_number_value(start) : 0;

	return second > 0 && second < DAY_S * DAYS ? (uint32_t)second : 0;
}

static bool is_text(const json_t *value)
{
	return json_is_string(value);
}

bool kb_speech_read(struct kb_arena *arena, struct kb_sv answer, struct kb_speech *out,
                    struct kb_err *err)
{
	const json_t *root = kb_json_parse(arena, answer, NULL), *segment;
	const json_t *segments = kb_json_get(root, "segments");
	size_t i, count = KB_MIN(json_array_size(segments), (size_t)KB_SPOKEN_MAX);

	*out = (struct kb_speech){ .lang = kb_json_sv(root, "language", KB_SV("")) };
	if (!count && !is_text(kb_json_get(root, "text")))
		return kb_fail(err, KB_E_UPSTREAM,
		               "the transcription server's answer lacks \"segments\" and \"text\"");
	out->v = KB_NEW_ARRAY(arena, count + 1, struct kb_spoken);
	json_array_foreach(segments, i, segment)
	{
		if (i < count && is_text(kb_json_get(segment, "text")))
			out->v[out->count++] = (struct kb_spoken){
				.second = second_of(kb_json_get(segment, "start")),
				.text = kb_json_sv(segment, "text", KB_SV("")),
			};
	}
	if (!count)
		out->v[out->count++].text = kb_json_sv(root, "text", KB_SV(""));
	return true;
}

/* ---- the request ---- */

static void add_field(const struct kb_transcriber *transcriber, struct kb_buf *body,
                      const char *name, const char *value)
{
	kb_buf_printf(body, "--%s\r\nContent-Disposition: form-data; name=\"%s\"\r\n\r\n%s\r\n",
	              transcriber->boundary, name, value);
}

/* Letters, digits and what parts them: the rest of a name could end the field. */
static void add_name(struct kb_buf *body, struct kb_sv name)
{
	name = kb_sv_from(name, name.n > NAME_MAX_BYTES ? name.n - NAME_MAX_BYTES : 0);
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];
		bool safe = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
		            || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';

		kb_buf_byte(body, safe ? c : '_');
	}
	if (!name.n)
		kb_buf_str(body, "recording");
}

static bool add_file(struct kb_buf *body, const struct kb_recording *recording, struct kb_err *err)
{
	char *piece = kb_xmalloc(READ_BYTES);
	off_t at = 0;
	ssize_t n;

	while ((n = pread(recording->fd, piece, READ_BYTES, at)) > 0) {
		kb_buf_add(body, piece, (size_t)n);
		at += n;
	}
	free(piece);
	return n == 0 || kb_fail_errno(err, "the recording cannot be read");
}

static bool make_body(const struct kb_transcriber *transcriber,
                      const struct kb_recording *recording, struct kb_buf *body, struct kb_err *err)
{
	add_field(transcriber, body, "model", transcriber->model);
	add_field(transcriber, body, "response_format", "verbose_json");
	kb_buf_printf(body, "--%s\r\nContent-Disposition: form-data; name=\"file\"; filename=\"",
	              transcriber->boundary);
	add_name(body, recording->filename);
	kb_buf_str(body, "\"\r\nContent-Type: application/octet-stream\r\n\r\n");
	if (!add_file(body, recording, err))
		return false;
	kb_buf_printf(body, "\r\n--%s--\r\n", transcriber->boundary);
	return true;
}

struct reading {
	struct kb_arena *arena;
	struct kb_speech *out;
};

static bool read_answer(void *arg, struct kb_sv answer, struct kb_err *err)
{
	struct reading *reading = arg;

	return kb_speech_read(reading->arena, answer, reading->out, err);
}

bool kb_transcribe(struct kb_transcriber *transcriber, struct kb_arena *arena,
                   const struct kb_recording *recording, struct kb_speech *out, struct kb_err *err)
{
	struct reading reading = { arena, out };
	struct kb_upstream_call call = {
		.deadline_us = kb_clock_mono_us() + recording->wait_ms * INT64_C(1000),
		.tries = TRIES,
		.answer_max = ANSWER_MAX,
		.cancel = recording->cancel,
		.read = read_answer,
		.arg = &reading,
	};
	char size[KB_SIZE_TEXT], most[KB_SIZE_TEXT];
	struct kb_buf body;
	bool ok;

	if (recording->size > KB_RECORDING_MAX)
		return kb_fail(
		        err, KB_E_TOO_LARGE, "the recording is %s; at most %s are transcribed",
		        kb_size_text(size, recording->size), kb_size_text(most, KB_RECORDING_MAX));
	kb_buf_init(&body, KB_RECORDING_MAX + FORM_BYTES);
	ok = make_body(transcriber, recording, &body, err) && kb_buf_done(&body, &call.body, err)
	     && kb_upstream_post(transcriber->line, &call, err);
	kb_buf_fini(&body);
	return ok;
}

/* ---- open and close ---- */

struct kb_transcriber *kb_transcriber_open(const struct kb_transcriber_config *config,
                                           struct kb_err *err)
{
	struct kb_transcriber *transcriber = kb_xcalloc(1, sizeof(*transcriber));
	unsigned char chance[HEX / 2];
	char type[100];

	kb_random(chance, sizeof(chance));
	for (size_t i = 0; i < sizeof(chance); i++)
		snprintf(transcriber->boundary + 2 * i, 3, "%02x", chance[i]);
	snprintf(type, sizeof(type), "multipart/form-data; boundary=%s", transcriber->boundary);
	snprintf(transcriber->model, sizeof(transcriber->model), "%s", config->name);
	transcriber->line =
	        kb_upstream_open(&(struct kb_upstream_config){ .name = "transcription",
	                                                       .what = "the transcription server",
	                                                       .url = config->url,
	                                                       .key = config->key,
	                                                       .content_type = type,
	                                                       .log = config->log },
	                         err);
	if (transcriber->line)
		return transcriber;
	free(transcriber);
	return NULL;
}

void kb_transcriber_cancel(struct kb_transcriber *transcriber)
{
	if (transcriber)
		kb_upstream_cancel(transcriber->line);
}

void kb_transcriber_close(struct kb_transcriber *transcriber)
{
	if (!transcriber)
		return;
	kb_upstream_close(transcriber->line);
	free(transcriber);
}

void kb_transcriber_stats(struct kb_transcriber *transcriber, struct kb_health_stats *out)
{
	kb_upstream_stats(transcriber->line, out);
}
