/*
 * The last look at what a model says: no link, picture or address leaves that leads to a place
 * which neither the sources nor the owner name (places.h).
 *
 * Text goes in as it comes, in any cut, and comes out with little delay: what may become a link, a
 * tag, a definition or an address is held back until it is one, at most KB_OUTGUARD_HELD bytes.
 * Links and pictures to other places leave their label, definitions and tags nothing, bare
 * addresses nothing. Known ones leave as they are, without a title.
 *
 * Code is not exempt, since readers differ in what is code. What leads elsewhere in it, or could be
 * made to run, is parted by a blank, "] (https://…)" and "< img …>", so that it reads on and is no
 * link or tag even where it is no code; bare addresses go as anywhere. The rest of it stays byte
 * for byte: a[0](b), List<String>, <div id="x">.
 *
 * Two layers. The first takes constructs apart, so that what is left reads well. The second stands
 * before the output and lets no byte pass that would complete such a construct by any other way,
 * for instance where the first has removed what stood between two halves. Readers differ in what
 * they take for Markdown; the second layer asks for less than any of them.
 *
 * Two control bytes, KB_CITE_BEGIN and KB_CITE_END of marker.h, pass through in their place among
 * the text and are no part of it. A citation's number never becomes a link.
 *
 * Plain functions without memory of their own. One thread at a time.
 */
#ifndef KB_ANSWER_GUARD_H
#define KB_ANSWER_GUARD_H

#include "answer/places.h"

enum { KB_OUTGUARD_HELD = 1024, KB_OUTGUARD_OUT = 256, KB_OUTGUARD_TAIL = 16 };

struct kb_outguard {
	const struct kb_named *places; /* NULL: nothing is named */
	void (*emit)(void *arg, struct kb_sv text);
	void *arg;

	char *held;
	size_t n, held_max; /* max: there is room for so many, on the heap */
	bool ended;
	unsigned depth; /* of labels within labels */
	char marks[8];  /* control bytes that wait behind what is held */
	size_t mark_n;
	char swallow; /* drop up to this byte or the end of the line; ' ': the address */

	/* Of the input: where it is in its line. */
	bool inside_line; /* not at its first byte */
	bool lead;        /* nothing but what may stand before a paragraph */
	bool escaped;     /* behind a backslash that counts */
	bool code;        /* all of it is code */
	bool quoted;      /* nothing is dropped: addresses that everybody sees may stay */
	bool carriage;    /* behind a carriage return, which was a line end */
	char fence;       /* the byte it is made of; 0: none is open */
	size_t fence_length, fence_run;
	bool fence_only; /* the line has nothing but blanks and such bytes */

	/* Of the output. */
	char out[KB_OUTGUARD_OUT];
	size_t out_n;
	char last;
	char tail[KB_OUTGUARD_TAIL]; /* the last bytes without backslashes, newest last */
	size_t unescaped;            /* bytes since the last backslash */
	bool seam;                   /* something was dropped behind the last byte */
	bool out_lead;               /* as `lead` */
	bool bracketed;  /* a bracket began a line: what follows may become a definition */
	bool at_address; /* right behind one that may stay */
	bool run_on;     /* behind one, and no blank yet */
	bool at_end;     /* behind one that must end there, and signs that may belong to it */
	bool slashes;    /* behind two of them and what may be a host */
};

/* kb_outguard_fini() gives its memory back. */
void kb_outguard_init(struct kb_outguard *guard, const struct kb_named *places,
                      void (*emit)(void *arg, struct kb_sv text), void *arg);
/* Valid UTF-8, cut anywhere. */
void kb_outguard_feed(struct kb_outguard *guard, struct kb_sv text);
/* Nothing more comes: gives out what is held. */
void kb_outguard_end(struct kb_outguard *guard);
void kb_outguard_fini(struct kb_outguard *guard);

/* For tests: the same for a whole text. */
struct kb_sv kb_outguard_text(struct kb_arena *arena, const struct kb_named *places,
                              struct kb_sv text);

/* A document's own words, shown as they are: but for blanks that are put in, nothing changes. No
 * reader finds a link, picture or tag in it that leads elsewhere; bare addresses stay, since all
 * can see where they lead. */
struct kb_sv kb_outguard_quote(struct kb_arena *arena, struct kb_sv text);

#endif
