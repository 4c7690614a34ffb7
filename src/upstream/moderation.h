/*
 * Whether a prompt may be answered, by a moderation model (POST {url}/moderations, the OpenAI
 * format: `{model, input}`, answered with `results[].flagged`).
 *
 * Calls block, for KB_MODERATION_MS at most; any thread but a loop's.
 */
#ifndef KB_UPSTREAM_MODERATION_H
#define KB_UPSTREAM_MODERATION_H

#include "upstream/client.h"

enum { KB_MODERATION_MS = 5000 };

struct kb_moderator;

struct kb_moderator_config {
	struct kb_sv url; /* with "/moderations" */
	const char *name, *key;
	const struct kb_log *log;
};
/* Copies the name and the key. */
struct kb_moderator *kb_moderator_open(const struct kb_moderator_config *config,
                                       struct kb_err *err) KB_MUST_CHECK;
void kb_moderator_cancel(struct kb_moderator *moderator); /* see kb_upstream_cancel() */
void kb_moderator_close(struct kb_moderator *moderator);  /* NULL is fine */
void kb_moderator_stats(struct kb_moderator *moderator, struct kb_health_stats *out);

/* False with KB_E_UPSTREAM, KB_E_TIMEOUT, KB_E_CANCELLED, or KB_E_INVALID: it does not say. */
bool kb_moderator_flags(struct kb_moderator *moderator, struct kb_sv text, bool *flagged,
                        struct kb_err *err) KB_MUST_CHECK;

/* Reads an answer: flagged where any of its results is. KB_E_UPSTREAM: it is none. Pure. */
bool kb_moderation_read(struct kb_sv answer, bool *flagged, struct kb_err *err) KB_MUST_CHECK;

#endif
