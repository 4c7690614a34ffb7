/*
 * The text of a page of HTML on its way into blocks (html.c): it gathers until a border comes, and
 * is filed then.
 */
#ifndef KB_PARSE_HTML_WRITER_H
#define KB_PARSE_HTML_WRITER_H

#include "out/url.h"
#include "parse/format.h"
#include "parse/html_tree.h"

/* How the text in hand will be filed when the next border comes. */
struct kb_html_writer {
	struct kb_doc *doc;
	const struct kb_html_tree *tree;
	struct kb_buf text;
	int heading; /* its level, or 0 */
	int fold;    /* the level of a question's heading in the fold we are in; 0: in none */
	int lists;   /* list items we are in */
	struct kb_list_count counts;
	int pre;      /* preformatted elements we are in */
	int breaks;   /* line breaks since the last text */
	uint8_t skip; /* flags of nodes that are left out */
	struct kb_url base;
	bool has_base; /* else only whole addresses lead anywhere */
};

void kb_html_flush(struct kb_html_writer *w);
bool kb_html_is_blank(struct kb_sv text);
void kb_html_add_text(struct kb_html_writer *w, struct kb_sv text);
/* The text of a subtree in one line, for a cell or a caption. */
void kb_html_gather(const struct kb_html_writer *w, uint32_t from, uint32_t end,
                    struct kb_buf *out);

/* ---- html_table.c: tables of data, and lists of terms, which are pairs ---- */

/* A table with a header, or with several short cells a row, holds data; any other one lays out the
 * page, and its cells are read as text. */
bool kb_html_is_table(const struct kb_html_writer *w, uint32_t table);
void kb_html_write_table(struct kb_html_writer *w, uint32_t table);
/* Terms with a short value each, and nothing that has blocks of its own. */
bool kb_html_is_pairs(const struct kb_html_writer *w, uint32_t list);
/* Each value behind its term. */
void kb_html_write_pairs(struct kb_html_writer *w, uint32_t list);

#endif
