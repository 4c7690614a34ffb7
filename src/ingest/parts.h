/*
 * The documents within a document, as a parser child sends them: each becomes a blob, and a page to
 * be. Internal to ingest; one thread.
 *
 * What comes from the child is not to be trusted: names are cleaned, sizes and numbers are counted
 * again. A failure leaves blobs that nothing names, for the sweep.
 */
#ifndef KB_INGEST_PARTS_H
#define KB_INGEST_PARTS_H

#include "ingest/config.h"
#include "parse/parse.h"
#include "store/pages.h"

struct kb_parts_taken {
	const struct kb_ingest_config *config;
	struct kb_arena *arena;    /* of what the pages name */
	struct kb_page_new *pages; /* by path; the heap's, of whoever takes them */
	size_t count, capacity;
	struct kb_err err; /* why no more is taken; code KB_OK: nothing is wrong */

	char *path; /* the temporary file in hand; NULL: none */
	struct kb_sv name;
	int fd;        /* -1: none */
	int64_t bytes; /* of all */
};

/* A kb_part_sink. */
bool kb_parts_take(void *arg, const struct kb_part_piece *piece);
/* Gives each a path of its own; lets go of what is in hand. */
void kb_parts_end(struct kb_parts_taken *parts);

#endif
