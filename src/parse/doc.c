/* The builder of a parsed document. */
#include "parse/doc.h"

#include <stdlib.h>
#include <string.h>

#include "base/date.h"
#include "base/utf8.h"
#include "parse/clean.h"

static const struct kb_sv path_separator = KB_SV_INIT(" > ");

void kb_doc_init(struct kb_doc *doc, struct kb_arena *arena, size_t output_max)
{
	memset(doc, 0, sizeof(*doc));
	doc->arena = arena;
	kb_buf_init(&doc->text, output_max);
	kb_buf_init(&doc->paths, output_max);
	kb_buf_init(&doc->scratch, output_max);
}

void kb_doc_fini(struct kb_doc *doc)
{
	kb_buf_fini(&doc->text);
	kb_buf_fini(&doc->paths);
	kb_buf_fini(&doc->scratch);
	free(doc->blocks);
	free(doc->boxes);
	free(doc->painted);
	free(doc->pictures);
	free(doc->insets);
	doc->blocks = NULL;
	doc->boxes = NULL;
	doc->painted = NULL;
	doc->pictures = NULL;
	doc->insets = NULL;
}

/* The text cleaned, in the scratch buffer, at the end of what is there. */
static struct kb_sv cleaned(struct kb_doc *doc, struct kb_sv text, enum kb_clean_mode mode)
{
	size_t start = doc->scratch.n;

	kb_clean(&doc->scratch, text, mode);
	doc->text.failed |= doc->scratch.failed;
	return kb_sv_from(kb_buf_view(&doc->scratch), start);
}

/* Anything but blanks and the marks of an empty list item. */
bool kb_doc_says(struct kb_sv text)
{
	for (size_t i = 0; i < text.n; i++)
		if (!strchr(" \n.-*|_=", text.p[i]))
			return true;
	return false;
}

/* Places in buffers are kept as numbers until kb_doc_done(): buffers move while they grow. */
static void push(struct kb_doc *doc, enum kb_block_type type, struct kb_sv text)
{
	struct kb_doc_block *block;
	bool begins = type == KB_BLOCK_LIST;

	if (!kb_doc_says(text))
		return;
	if (doc->block_count == KB_DOC_BLOCKS_MAX) {
		doc->too_many = true;
		return;
	}
	KB_GROW(doc->blocks, doc->block_capacity, doc->block_count + 1);
	block = &doc->blocks[doc->block_count];
	*block = (struct kb_doc_block){ .type = type,
		                        .page_no = doc->page_no,
		                        .table = type == KB_BLOCK_TABLE ? doc->table : 0,
		                        .depth = begins ? doc->item_depth : 0,
		                        .number = begins ? doc->item_number : 0,
		                        .text = doc->text.n,
		                        .text_n = text.n,
		                        .path = doc->path,
		                        .path_n = doc->path_n };
	if (begins)
		kb_doc_item(doc, 0, 0);
	kb_buf_sv(&doc->text, text);
	if (!doc->text.failed)
		doc->block_count++;
}

void kb_doc_page(struct kb_doc *doc, uint32_t page_no)
{
	doc->page_no = page_no;
	doc->pages = KB_MAX(doc->pages, page_no);
}

void kb_doc_moment(struct kb_doc *doc, uint32_t second)
{
	doc->page_no = KB_MOMENT + KB_MIN(second, KB_MOMENT - 1);
}

static void write_path(struct kb_doc *doc)
{
	doc->path = doc->paths.n;
	for (int i = 0; i < KB_DOC_LEVELS; i++) {
		if (!doc->heading[i].n)
			continue;
		if (doc->paths.n > doc->path)
			kb_buf_sv(&doc->paths, path_separator);
		kb_buf_sv(&doc->paths, doc->heading[i]);
	}
	doc->path_n = doc->paths.n - doc->path;
}

void kb_doc_heading(struct kb_doc *doc, int level, struct kb_sv text)
{
	struct kb_sv clean;

	kb_buf_clear(&doc->scratch);
	clean = cleaned(doc, text, KB_CLEAN_LINE);
	if (!kb_doc_says(clean))
		return;
	level = KB_MAX(1, KB_MIN(level, KB_DOC_LEVELS));
	for (int i = level - 1; i < KB_DOC_LEVELS; i++)
		doc->heading[i] = (struct kb_sv){ NULL, 0 };
	/* The heading's own block stands under what is above it. */
	write_path(doc);
	push(doc, KB_BLOCK_HEADING, clean);
	doc->heading[level - 1] = kb_arena_sv(doc->arena, kb_utf8_cut(clean, KB_DOC_HEADING_MAX));
	write_path(doc);
}

void kb_doc_under(struct kb_doc *doc, struct kb_sv lines)
{
	struct kb_sv line;

	doc->path = doc->paths.n;
	while (lines.p && kb_sv_split(&lines, '\n', &line)) {
		kb_buf_clear(&doc->scratch);
		line = cleaned(doc, line, KB_CLEAN_LINE);
		if (!kb_doc_says(line))
			continue;
		kb_buf_str(&doc->paths, doc->paths.n > doc->path ? KB_DOC_UNDER_NEXT : " ");
		kb_buf_sv(&doc->paths, line);
	}
	doc->path_n = doc->paths.n - doc->path;
}

int kb_doc_level(const struct kb_doc *doc)
{
	int level = KB_DOC_LEVELS;

	while (level && !doc->heading[level - 1].n)
		level--;
	return level;
}

void kb_doc_heading_end(struct kb_doc *doc, int level)
{
	for (int i = KB_DOC_LEVELS; i > 0 && i >= level; i--)
		doc->heading[i - 1] = (struct kb_sv){ NULL, 0 };
	write_path(doc);
}

void kb_doc_unhead(struct kb_doc *doc)
{
	memset(doc->heading, 0, sizeof(doc->heading));
	doc->path_n = 0;
}

void kb_doc_add(struct kb_doc *doc, enum kb_block_type type, struct kb_sv text)
{
	kb_buf_clear(&doc->scratch);
	push(doc, type, cleaned(doc, text, type == KB_BLOCK_CODE ? KB_CLEAN_CODE : KB_CLEAN_LINE));
}

void kb_doc_item(struct kb_doc *doc, int depth, int64_t number)
{
	doc->item_depth = (uint32_t)KB_MIN(KB_MAX(depth, 0), (int)KB_ITEM_DEPTH_MAX);
	doc->item_number = number > 0 && number <= KB_ITEM_NUMBER_MAX ? (uint32_t)number : 0;
}

void kb_list_enter(struct kb_list_count *lists, int64_t first)
{
	if (lists->depth++ < KB_ITEM_DEPTH_MAX)
		lists->next[lists->depth - 1] = first;
}

void kb_list_leave(struct kb_list_count *lists)
{
	lists->depth -= lists->depth > 0;
}

void kb_list_item(struct kb_list_count *lists, struct kb_doc *doc)
{
	int64_t number = -1;

	if (lists->depth > 0 && lists->depth <= KB_ITEM_DEPTH_MAX
	    && lists->next[lists->depth - 1] >= 0)
		number = lists->next[lists->depth - 1]++;
	kb_doc_item(doc, KB_MAX(lists->depth, 1), number);
}

void kb_doc_boxes(struct kb_doc *doc, struct kb_sv text, const struct kb_word_box *boxes,
                  size_t count)
{
	struct kb_doc_block *last = doc->block_count ? &doc->blocks[doc->block_count - 1] : NULL;

	if (!last || last->box_n || !count
	    || !kb_sv_eq(kb_sv_sub(kb_buf_view(&doc->text), last->text, last->text_n), text))
		return;
	KB_GROW(doc->boxes, doc->box_capacity, doc->box_count + count);
	memcpy(doc->boxes + doc->box_count, boxes, count * sizeof(*boxes));
	last->box = doc->box_count;
	last->box_n = count;
	doc->box_count += count;
}

void kb_doc_painted(struct kb_doc *doc, uint32_t page_no, uint32_t dpi)
{
	KB_GROW(doc->painted, doc->painted_capacity, doc->painted_count + 1);
	doc->painted[doc->painted_count++] =
	        (struct kb_painted_page){ .page_no = page_no, .dpi = dpi };
	doc->pages = KB_MAX(doc->pages, page_no);
}

void kb_doc_picture(struct kb_doc *doc, struct kb_sv url, struct kb_sv text)
{
	if (doc->picture_count == KB_PICTURES_MAX)
		return;
	for (size_t i = 0; i < doc->picture_count; i++)
		if (kb_sv_eq(doc->pictures[i].url, url)) /* an ornament, or drawn twice */
			return;
	KB_GROW(doc->pictures, doc->picture_capacity, doc->picture_count + 1);
	kb_buf_clear(&doc->scratch);
	text = kb_utf8_cut(cleaned(doc, text, KB_CLEAN_LINE), KB_DOC_PICTURE_TEXT_MAX);
	doc->pictures[doc->picture_count++] =
	        (struct kb_picture_link){ .url = kb_arena_sv(doc->arena, url),
		                          .text = kb_arena_sv(doc->arena, text),
		                          .block = (uint32_t)doc->block_count };
}

void kb_doc_track(struct kb_doc *doc, struct kb_sv url)
{
	for (size_t i = 0; i < doc->track_count; i++)
		if (kb_sv_eq(doc->tracks[i], url))
			return;
	if (doc->track_count < KB_TRACKS_MAX)
		doc->tracks[doc->track_count++] = kb_arena_sv(doc->arena, url);
}

/* By the name of the part: drawings of lines have no dots to be shown. */
static bool is_dotted(struct kb_sv name)
{
	static const char *const ends[] = { ".png", ".jpg", ".jpeg", ".gif",
		                            ".bmp", ".tif", ".tiff", ".webp" };

	for (size_t i = 0; i < KB_COUNTOF(ends); i++) {
		struct kb_sv end = kb_sv_str(ends[i]);

		if (name.n > end.n && kb_sv_ieq(kb_sv_from(name, name.n - end.n), end))
			return true;
	}
	return false;
}

void kb_doc_inset(struct kb_doc *doc, const struct kb_inset *inset)
{
	struct kb_inset *kept;

	if (!doc->wants_insets || doc->inset_count == KB_INSETS_MAX
	    || (inset->name.n && (inset->name.n > KB_INSET_NAME_MAX || !is_dotted(inset->name))))
		return;
	for (size_t i = 0; inset->name.n && i < doc->inset_count; i++)
		if (kb_sv_eq(doc->insets[i].name, inset->name))
			return;
	KB_GROW(doc->insets, doc->inset_capacity, doc->inset_count + 1);
	kept = &doc->insets[doc->inset_count++];
	*kept = *inset;
	kept->name = kb_arena_sv(doc->arena, inset->name);
	kept->block = (uint32_t)doc->block_count;
	kept->page_no = doc->page_no;
}

/* ---- tables */

void kb_doc_table(struct kb_doc *doc)
{
	doc->table = ++doc->tables;
	doc->column_count = 0;
}

void kb_doc_table_end(struct kb_doc *doc)
{
	/* A table of nothing but its header is a row after all. */
	if (doc->column_count
	    && (!doc->block_count || doc->blocks[doc->block_count - 1].table != doc->table)) {
		struct kb_sv names[KB_DOC_COLUMNS_MAX];
		size_t count = doc->column_count;

		memcpy(names, doc->columns, count * sizeof(names[0]));
		doc->column_count = 0;
		kb_doc_row(doc, names, count, false);
	}
	doc->column_count = 0;
	doc->table = 0;
}

static void name_columns(struct kb_doc *doc, const struct kb_sv *cells, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		kb_buf_clear(&doc->scratch);
		doc->columns[i] =
		        kb_arena_sv(doc->arena, kb_utf8_cut(cleaned(doc, cells[i], KB_CLEAN_LINE),
		                                            KB_DOC_HEADING_MAX));
		/* "name:" and "name" are the same name. */
		while (doc->columns[i].n && doc->columns[i].p[doc->columns[i].n - 1] == ':')
			doc->columns[i].n--;
	}
	doc->column_count = count;
}

void kb_doc_row(struct kb_doc *doc, const struct kb_sv *cells, size_t count, bool header)
{
	struct kb_buf row;

	count = KB_MIN(count, (size_t)KB_DOC_COLUMNS_MAX);
	if (header && !doc->column_count && count) {
		name_columns(doc, cells, count);
		return;
	}
	kb_buf_init(&row, doc->text.max);
	for (size_t i = 0; i < count; i++) {
		struct kb_sv value;

		kb_buf_clear(&doc->scratch);
		value = cleaned(doc, cells[i], KB_CLEAN_LINE);
		if (!value.n)
			continue;
		if (row.n)
			kb_buf_str(&row, "; ");
		/* A cell that says its column's name (a head that comes again) says it once. */
		if (i < doc->column_count && doc->columns[i].n
		    && !kb_sv_eq(doc->columns[i], value)) {
			kb_buf_sv(&row, doc->columns[i]);
			kb_buf_str(&row, ": ");
		}
		kb_buf_sv(&row, value);
	}
	doc->text.failed |= row.failed;
	push(doc, KB_BLOCK_TABLE, kb_buf_view(&row));
	kb_buf_fini(&row);
}

/* ---- what stands beside the text */

/* "en", "en-GB", "deu": the language alone, which is all that is asked for. */
static struct kb_sv lang_code(struct kb_sv text)
{
	size_t n = 0;

	while (n < text.n
	       && ((text.p[n] >= 'a' && text.p[n] <= 'z')
	           || (text.p[n] >= 'A' && text.p[n] <= 'Z')))
		n++;
	if (n < 2 || n > 3 || (n < text.n && text.p[n] != '-' && text.p[n] != '_'))
		n = 0;
	return kb_sv_sub(text, 0, n);
}

void kb_doc_meta(struct kb_doc *doc, enum kb_doc_meta which, struct kb_sv text)
{
	struct kb_sv *slot = which == KB_DOC_TITLE         ? &doc->title
	                     : which == KB_DOC_LANG        ? &doc->lang
	                     : which == KB_DOC_DESCRIPTION ? &doc->description
	                                                   : &doc->image;

	if (slot->n)
		return;
	kb_buf_clear(&doc->scratch);
	text = kb_utf8_cut(cleaned(doc, text, KB_CLEAN_LINE), KB_DOC_META_MAX);
	if (which == KB_DOC_LANG)
		text = lang_code(text);
	if (!kb_doc_says(text))
		return;
	*slot = kb_arena_sv(doc->arena, text);
	if (which == KB_DOC_LANG)
		for (char *p = kb_arena_str(doc->arena, *slot), *q = p; *q; q++) {
			*q = (char)(*q | 0x20);
			slot->p = p;
		}
}

void kb_doc_dated(struct kb_doc *doc, struct kb_sv date)
{
	doc->dated_at = KB_MAX(doc->dated_at, kb_date_read(date));
}

bool kb_doc_is_empty(const struct kb_doc *doc)
{
	return !doc->block_count;
}

bool kb_doc_done(struct kb_doc *doc, struct kb_parsed *out, struct kb_err *err)
{
	struct kb_sv text = kb_buf_view(&doc->text), paths = kb_buf_view(&doc->paths);
	size_t offset = 0;

	if (doc->text.failed || doc->paths.failed)
		return kb_fail(err, KB_E_TOO_LARGE, "the document holds more than %zu MB of text",
		               doc->text.max >> 20);
	if (doc->too_many)
		return kb_fail(err, KB_E_TOO_LARGE, "the document has more than %d paragraphs",
		               KB_DOC_BLOCKS_MAX);
	*out = (struct kb_parsed){ .format = doc->format,
		                   .title = doc->title,
		                   .lang = doc->lang,
		                   .description = doc->description,
		                   .image = doc->image,
		                   .dated_at = doc->dated_at,
		                   .block_count = doc->block_count,
		                   .pages = doc->pages,
		                   .painted = doc->painted,
		                   .painted_count = doc->painted_count,
		                   .pictures = doc->pictures,
		                   .picture_count = doc->picture_count,
		                   .tracks = doc->tracks,
		                   .track_count = doc->track_count,
		                   .insets = doc->insets,
		                   .inset_count = doc->inset_count,
		                   .parts = doc->parts };
	if (doc->links)
		out->links = *doc->links;
	out->blocks = KB_NEW_ARRAY(doc->arena, doc->block_count + 1, struct kb_block);
	for (size_t i = 0; i < doc->block_count; i++) {
		const struct kb_doc_block *from = &doc->blocks[i];

		out->blocks[i] = (struct kb_block){
			.depth = from->depth,
			.number = from->number,
			.type = from->type,
			.page_no = from->page_no,
			.table = from->table,
			.offset = (uint32_t)offset,
			.heading = kb_sv_sub(paths, from->path, from->path_n),
			.text = kb_sv_sub(text, from->text, from->text_n),
			.boxes = from->box_n ? doc->boxes + from->box : NULL,
			.box_count = from->box_n,
		};
		offset += from->text_n + 1;
	}
	return true;
}
