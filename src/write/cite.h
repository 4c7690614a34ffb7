/*
 * From a model's text with markers (marker.h) to text with numbers that hold.
 *
 * Text goes in as it comes, in any cut, and flows on at once; only a marker waits until it is whole
 * and the run of markers it stands in has ended, and a blank or two before it. Each marker is
 * judged by what the sentence says before it (support.h): a source that supports it gets its
 * number, first use first, at most three in one place, the best first; else the marker goes, and
 * the blank before it. A marker before the full stop and one behind it belong to the same sentence;
 * one at the beginning of a line belongs to the sentence that follows, and its number stands at
 * that sentence's end. A sentence without any gets the number of the source that clearly supports
 * it. Ids that nobody gave, and numbers that the model wrote itself, go.
 *
 * A strict answer leaves sentence by sentence. A statement that no source supports, that the best
 * one denies, or that was made already, does not (waiting.h), nor does the fenced code behind it.
 *
 * Fenced code stays byte for byte. In code within a line and in indented code markers go and no
 * number is put. Any other bracket is the author's text.
 *
 * The places of sentences are given in the output itself: KB_CITE_BEGIN and KB_CITE_END stand
 * around each sentence, for whoever comes behind this to count its bytes by (reply.h). The input
 * has no control characters.
 *
 * What it gives lives in the arena. One thread at a time.
 */
#ifndef KB_WRITE_CITE_H
#define KB_WRITE_CITE_H

#include "answer/marker.h"
#include "write/support.h"

enum { KB_CITE_SOURCES = 3 };

/* A place that supports a sentence: bytes of the source's text. */
struct kb_cite_place {
	uint32_t start, bytes;
	float share; /* of the sentence's weight that stands there */
	uint8_t source;
	bool foreign; /* the source is in another language: only numbers were compared */
};

/* A sentence of the answer. Kept until its end, by many answers at once: small. */
struct kb_cite_sentence {
	uint32_t at, bytes;                           /* of the text; filled in by reply.h */
	struct kb_cite_place places[KB_CITE_SOURCES]; /* of the sources it names, the best first */
	uint8_t place_count;
	bool statement; /* it says something that wants support */
	bool supported; /* some source given says it, named or not */
};

struct kb_cite_result {
	struct kb_cite_sentence *sentences; /* these live as long as the kb_cite */
	size_t count;
	int64_t *pages; /* [n] is pages[n - 1] */
	size_t page_count;
	size_t statements, unsupported; /* of these sentences */
};

struct kb_cite_config {
	const struct kb_marker_ids *ids;
	const int64_t *pages; /* the document of each source; below 0: it has no number */
	struct kb_support *support;
	bool numbers; /* they stand in the text */
	bool strict;  /* nothing leaves that no source says */
	bool cited;   /* and nothing before the first citation */
	void (*emit)(void *arg, struct kb_sv text);
	void *arg;
};

struct kb_cite;
struct kb_cite *kb_cite_new(struct kb_arena *arena, const struct kb_cite_config *config);
/* The analyzer is the calling thread's. */
void kb_cite_feed(struct kb_cite *cite, struct kb_analyzer *analyzer, struct kb_sv text);
/* Whether nothing more is to be expected of it: it says the same again and again, or nothing of a
 * strict answer has left though much was said. */
bool kb_cite_is_lost(const struct kb_cite *cite);
void kb_cite_end(struct kb_cite *cite, struct kb_analyzer *analyzer, struct kb_cite_result *out);

#endif
