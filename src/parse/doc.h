/*
 * A document under construction: every format writes its blocks through this.
 *
 * It cleans the text (clean.h), keeps the heading path, counts pages and tables, and holds the
 * limits on output. An error is sticky: a format appends freely and the caller asks once, with
 * kb_doc_done(). Text given to it may be anything; it need not outlive the call. One thread.
 */
#ifndef KB_PARSE_DOC_H
#define KB_PARSE_DOC_H

#include "base/buf.h"
#include "parse/parse.h"

enum {
	KB_DOC_LEVELS = 6,        /* of headings */
	KB_DOC_HEADING_MAX = 300, /* bytes of one heading within a path */
	KB_DOC_META_MAX = 2000,   /* bytes of title, description and image */
	KB_DOC_PICTURE_TEXT_MAX = 300,
	KB_DOC_BLOCKS_MAX = 2000000,
	KB_DOC_COLUMNS_MAX = 1024, /* of a table; what a reader gives beyond is left out */
};

struct kb_doc_block {
	enum kb_block_type type;
	uint32_t page_no, table, depth, number;
	size_t text, text_n; /* in `text` */
	size_t path, path_n; /* in `paths` */
	size_t box, box_n;   /* in `boxes` */
};

struct kb_doc {
	struct kb_arena *arena;
	struct kb_buf text;    /* of the blocks, one after the other */
	struct kb_buf paths;   /* the heading paths that were in use */
	struct kb_buf scratch; /* of the call in hand */
	struct kb_doc_block *blocks;
	size_t block_count, block_capacity;
	struct kb_word_box *boxes; /* of the blocks, one after the other */
	size_t box_count, box_capacity;
	struct kb_painted_page *painted;
	size_t painted_count, painted_capacity;
	struct kb_picture_link *pictures; /* their text is in the arena */
	size_t picture_count, picture_capacity;
	struct kb_sv tracks[KB_TRACKS_MAX]; /* in the arena */
	size_t track_count;
	struct kb_inset *insets; /* their names are in the arena */
	size_t inset_count, inset_capacity;
	bool wants_insets;
	struct kb_sv inset_folder; /* EPUB: of the chapter in hand */
	uint32_t page_no, pages, table, tables;
	size_t path, path_n;                 /* the path in use, in `paths` */
	struct kb_sv heading[KB_DOC_LEVELS]; /* in the arena; empty: no heading of this level */
	struct kb_sv columns[KB_DOC_COLUMNS_MAX]; /* names of the table in hand, in the arena */
	size_t column_count;
	uint32_t item_depth, item_number; /* of the item that the next LIST block begins */
	struct kb_sv format, title, lang, description, image; /* in the arena */
	int64_t dated_at; /* the latest date that it has; 0: none */
	bool too_many;
	struct kb_links *links;          /* NULL: nobody asks for them */
	const struct kb_part_sink *sink; /* NULL: nobody takes parts */
	struct kb_parts parts;
	size_t box_number; /* of the message in a box of mail; 0: it is alone */
};

void kb_doc_init(struct kb_doc *doc, struct kb_arena *arena, size_t output_max);
void kb_doc_fini(struct kb_doc *doc);

/* What follows stands on this page, from 1. */
void kb_doc_page(struct kb_doc *doc, uint32_t page_no);

/* What follows is said from this second of a recording on. */
void kb_doc_moment(struct kb_doc *doc, uint32_t second);

/* A heading block, and the path of all that follows. level from 1; deeper ones count as 6. */
void kb_doc_heading(struct kb_doc *doc, int level, struct kb_sv text);
/* The level of the deepest heading of the path; 0: there is none. */
int kb_doc_level(const struct kb_doc *doc);
/* Forgets the headings of this level and below: what follows stands under the one above. */
void kb_doc_heading_end(struct kb_doc *doc, int level);
/* All that follows stands under these texts, one a line, whatever their length; no block says them.
 */
void kb_doc_under(struct kb_doc *doc, struct kb_sv lines);
/* What is between two of them in the path: no text has two blanks in a row, whatever signs it has.
 */
#define KB_DOC_UNDER_NEXT "  > "
/* Whether a path was made so: it begins with a blank, which no heading does. */
static inline bool kb_doc_is_under(struct kb_sv path)
{
	return path.n && path.p[0] == ' ';
}
/* Forgets the headings: a new part begins. */
void kb_doc_unhead(struct kb_doc *doc);

/* A paragraph, list item or code; text without a word in it makes no block. */
bool kb_doc_says(struct kb_sv text); /* whether it has a word */
void kb_doc_add(struct kb_doc *doc, enum kb_block_type type, struct kb_sv text);

/* An item of a list begins with the LIST block that comes next, in so many lists (see kb_block):
 * what follows without a call belongs to it too. Depth 0: none begins. A format whose text keeps
 * the marks says nothing. */
void kb_doc_item(struct kb_doc *doc, int depth, int64_t number);

/* The lists that a reader is in, and where it is in each. A zeroed one is in none. */
struct kb_list_count {
	int depth;
	int64_t next[KB_ITEM_DEPTH_MAX]; /* number of its next item; below 0: they have none */
};
/* A list whose first item has that number; below 0: it has no numbers. */
void kb_list_enter(struct kb_list_count *lists, int64_t first);
void kb_list_leave(struct kb_list_count *lists);
/* An item of the innermost one; of no list, one with no number. */
void kb_list_item(struct kb_list_count *lists, struct kb_doc *doc);

/* Where the words of the block stand that was added last. Kept only if that block's text is `text`,
 * which they were measured in; else it was changed on the way. */
void kb_doc_boxes(struct kb_doc *doc, struct kb_sv text, const struct kb_word_box *boxes,
                  size_t count);
/* A page to be read by OCR, from the first to the last. */
void kb_doc_painted(struct kb_doc *doc, uint32_t page_no, uint32_t dpi);

/* A picture that stands here: within the block that comes next, or before it. */
void kb_doc_picture(struct kb_doc *doc, struct kb_sv url, struct kb_sv text);

/* Subtitles of a film that is played here. */
void kb_doc_track(struct kb_doc *doc, struct kb_sv url);

/* A picture that the document holds, and that stands here; of `inset` the name and the place. Where
 * nobody asks for them it is passed over, and so are kinds that are no dots, and one that was there
 * before. */
void kb_doc_inset(struct kb_doc *doc, const struct kb_inset *inset);

/* A table: begin, then rows. The first row given with `header` names the columns and makes no block
 * of its own unless no row follows. A row becomes "name: value; name: value". */
void kb_doc_table(struct kb_doc *doc);
void kb_doc_row(struct kb_doc *doc, const struct kb_sv *cells, size_t count, bool header);
void kb_doc_table_end(struct kb_doc *doc);

enum kb_doc_meta { KB_DOC_TITLE, KB_DOC_LANG, KB_DOC_DESCRIPTION, KB_DOC_IMAGE };
/* Sets it where it is still empty; text without a word is no value. LANG keeps the code alone. */
void kb_doc_meta(struct kb_doc *doc, enum kb_doc_meta which, struct kb_sv text);

/* When it was written or changed last, in its own words (base/date.h): the latest of what
 * it says counts, and what is no date says nothing. */
void kb_doc_dated(struct kb_doc *doc, struct kb_sv date);

/* True when nothing was added yet. */
bool kb_doc_is_empty(const struct kb_doc *doc);

/* The document; views point into it and its arena. KB_E_TOO_LARGE when it passed a limit. */
bool kb_doc_done(struct kb_doc *doc, struct kb_parsed *out, struct kb_err *err) KB_MUST_CHECK;

#endif
