/*
 * Running heads and feet: lines at the outer edge of a page that come again on other pages. One
 * rule for whoever reads pages, by text layer or by OCR.
 *
 * Text that is lost is worse than a foot that is kept. So a line comes again only with all its
 * figures, but for one that counts the pages: "Page 3 of 9", "- 12 -", "Handbook | 7". "Amount due:
 * 412.50" at the foot of one invoice and "Amount due: 198.00" at that of the next both stay, and
 * so do "Invoice 101" and "Invoice 102".
 *
 * One thread at a time.
 */
#ifndef KB_PARSE_RUNNING_H
#define KB_PARSE_RUNNING_H

#include "base/arena.h"
#include "base/sv.h"

struct kb_edge_line {
	struct kb_sv text;
	void *what; /* the caller's line */
	uint32_t page;
	float at; /* its distance from the edge, as a share of the page's height */
	bool top;
	bool runs; /* it is a head or a foot; kb_running_find() says so */
};

struct kb_running {
	struct kb_edge_line *lines; /* those that may be */
	size_t count, capacity;
};

/* A line between these shares of the page's height, from its top; one that is far from both edges,
 * or high, is passed over. Pages come one after the other, their lines in any order. The text stays
 * the caller's until kb_running_fini(). */
void kb_running_add(struct kb_running *running, uint32_t page, void *what, struct kb_sv text,
                    float from, float to);
/* Marks what repeats, in a document of so many pages. */
void kb_running_find(struct kb_running *running, size_t pages);
void kb_running_fini(struct kb_running *running);

#endif
