/*
 * Markers: how a model names the sources it leans on.
 *
 * Each source of a prompt has an id of three characters, a consonant, a digit and a consonant,
 * drawn anew for each answer: no word, code or footnote looks like that, and none can be carried
 * over from an earlier turn. The model is asked to write [k3f] behind what it takes from a source.
 *
 * Pure but for the drawing; any thread.
 */
#ifndef KB_ANSWER_MARKER_H
#define KB_ANSWER_MARKER_H

#include "base/arena.h"
#include "base/buf.h"

/* Around each sentence on its way through the steps behind the model. */
#define KB_CITE_BEGIN '\x1e'
#define KB_CITE_END   '\x1f'

enum {
	KB_MARKER_IDS = 64,   /* of one answer */
	KB_MARKER_ID = 3,     /* characters */
	KB_MARKER_BYTES = 48, /* of a marker with all its ids */
	KB_MARKER_GROUP = 8,  /* ids in one pair of brackets */
};

struct kb_marker_ids {
	char (*v)[KB_MARKER_ID + 1];
	size_t count;
};

/* count different ones, at most KB_MARKER_IDS, in the arena. */
void kb_marker_draw(struct kb_marker_ids *ids, struct kb_arena *arena, size_t count);
/* In either case; SIZE_MAX: none of them. */
size_t kb_marker_find(const struct kb_marker_ids *ids, struct kb_sv id);

/* What stands between brackets. */
struct kb_marker {
	size_t sources[KB_MARKER_GROUP]; /* the known ids, in order */
	size_t count;
	bool invented; /* there are others of that form */
	bool note;     /* it has the sign of a footnote: ^ */
};

/* Whether the text between brackets is made of ids alone: "k3f", "K3F, p9z", "source k3f", "^k3f",
 * "k3f†L1". */
bool kb_marker_read(const struct kb_marker_ids *ids, struct kb_sv inside, struct kb_marker *out);
/* Whether it may become such a text with more behind it. */
bool kb_marker_begins(struct kb_sv inside);

struct kb_marker_source {
	const char *id, *prefer; /* prefer: the id of another, or NULL */
	struct kb_sv title, date, text;
};
/* <source id="k3f" title="…" date="…" prefer="p9z">…</source> and a line end, for a prompt; without
 * what is empty. Whatever the title and the text hold, no reader takes them for another source or
 * for the end of this one. */
void kb_marker_source(struct kb_buf *buf, const struct kb_marker_source *source);
/* Text of somebody else's in a prompt: each line begins with "> ", so that none is a heading, and
 * nothing in it is the beginning or end of a source. */
void kb_marker_quoted(struct kb_buf *buf, struct kb_sv text);

#endif
