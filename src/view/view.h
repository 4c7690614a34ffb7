/*
 * A page of a document to look at: its picture, and where its words stand.
 *
 * Both are made when somebody first looks, by a parser child, from the original that is kept. They
 * are blobs under the content they were made of (store/views.h): any node makes them, twice is no
 * harm, and lost ones are made again. Only a PDF has such pages.
 *
 * A few pages are made at a time; of those who come while many wait already each is told so at once
 * (KB_E_BUSY). Any worker may call; a call blocks while a page is made, which takes tens of
 * milliseconds and is given up after some seconds.
 */
#ifndef KB_VIEW_VIEW_H
#define KB_VIEW_VIEW_H

#include "blob/blob.h"
#include "parse/parse.h"
#include "store/pages.h"

struct kb_views;

struct kb_views_config {
	struct kb_store *store;
	struct kb_blobs *blobs;
	struct kb_parser *parser;
};

struct kb_views *kb_views_new(const struct kb_views_config *config);
void kb_views_free(struct kb_views *views); /* no call is in progress */

/* Which page of which document, and for whom: the account's parser child makes it. */
struct kb_view_wish {
	const struct kb_page *page;
	int64_t account_id;
	uint32_t page_no; /* from 1 */
};

struct kb_picture {
	struct kb_sv blob; /* a JPEG */
	uint32_t width, height;
};

/* Whether the document has pages to look at: what was read of it says that it is a PDF, and the
 * original is kept. */
bool kb_view_has_pages(const struct kb_page *page, const struct kb_parsed *text);

/* KB_E_NOT_FOUND with a sentence where there is no such page, or no original, or no PDF. */
bool kb_view_picture(struct kb_views *views, struct kb_arena *arena,
                     const struct kb_view_wish *wish, struct kb_picture *out,
                     struct kb_err *err) KB_MUST_CHECK;

/* The words of the page, a block a line, each with its place on the picture. `text` is what was
 * read of the whole document: a page that was read by OCR has its words there. */
bool kb_view_words(struct kb_views *views, struct kb_arena *arena, const struct kb_view_wish *wish,
                   const struct kb_parsed *text, struct kb_parsed *out,
                   struct kb_err *err) KB_MUST_CHECK;

#endif
