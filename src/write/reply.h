/*
 * The way of a model's text to the reader: bytes in, in any cut; text out, with citations that hold
 * and nothing that leads away.
 *
 *   bytes -> UTF-8 mended, control characters dropped -> dialect.h -> cite.h -> guard.h -> emit
 *
 * The same bytes give the same text however they are cut. What is held back on the way is bounded,
 * and so is what an answer in the making takes: about 5 KB beside the sources as the check reads
 * them (support.h).
 *
 * One thread at a time; everything lives in the arena.
 */
#ifndef KB_WRITE_REPLY_H
#define KB_WRITE_REPLY_H

#include "answer/guard.h"
#include "write/cite.h"
#include "write/dialect.h"

struct kb_reply_config {
	const struct kb_marker_ids *ids; /* of the sources given, in their order */
	const int64_t *pages;            /* their documents; below 0: one without a number */
	struct kb_support *support;      /* made of the same sources */
	const struct kb_named *places;
	bool numbers;       /* [n] stands in the text; the list of documents is made either way */
	bool strict, cited; /* of cite.h */
	void (*emit)(void *arg, struct kb_sv text);
	void *arg;
};

struct kb_reply;
/* What config names outlives the reply. */
struct kb_reply *kb_reply_new(struct kb_arena *arena, const struct kb_reply_config *config);
void kb_reply_feed(struct kb_reply *reply, struct kb_analyzer *analyzer, struct kb_sv bytes);
/* Nothing more comes. Sentences have their places in all that was emitted. */
void kb_reply_end(struct kb_reply *reply, struct kb_analyzer *analyzer, struct kb_cite_result *out);

/* How its text began, whatever has become of that. */
struct kb_sv kb_reply_beginning(const struct kb_reply *reply);
/* See kb_cite_is_lost(); also where the model has ended its turn and goes on. */
bool kb_reply_is_lost(const struct kb_reply *reply);

#endif
