/*
 * The parsed document as JSON, or as bytes of our own, and back.
 *
 * JSON is what is kept for years and what people are shown: a member that is 0 or empty is left
 * out, so that most blocks have four, and one that is missing reads as 0, so that what an older
 * program wrote stays readable. Bytes are for the minutes between two readings of one document, by
 * the same program, and are those of the socket (protocol.h).
 */
#include <string.h>

#include "base/json.h"
#include "parse/protocol.h"

/* Names are in stored texts: they stay, whatever the enumerators are called. */
static const char *const block_types[] = {
	[KB_BLOCK_HEADING] = "heading", [KB_BLOCK_PARAGRAPH] = "paragraph",
	[KB_BLOCK_LIST] = "list",       [KB_BLOCK_TABLE] = "table",
	[KB_BLOCK_CODE] = "code",
};

struct kb_sv kb_block_path_after(struct kb_arena *arena, const struct kb_block *block)
{
	if (block->type != KB_BLOCK_HEADING)
		return block->heading;
	return block->heading.n ? kb_arena_printf(arena, "%.*s > %.*s", KB_SV_ARG(block->heading),
	                                          KB_SV_ARG(block->text))
	                        : block->text;
}

static const struct {
	const char *name;
	size_t offset;
} texts[] = {
	{ "format", offsetof(struct kb_parsed, format) },
	{ "title", offsetof(struct kb_parsed, title) },
	{ "lang", offsetof(struct kb_parsed, lang) },
	{ "description", offsetof(struct kb_parsed, description) },
	{ "image", offsetof(struct kb_parsed, image) },
};

/* For clients, who get both members always, one of them null: a moment is no page that could be
 * opened. In stored texts they are one number, as in the block. */
void kb_page_no_write(struct kb_jw *jw, uint32_t page_no)
{
	bool moment = kb_is_moment(page_no);

	kb_jw_key(jw, "page_no");
	if (page_no && !moment)
		kb_jw_int(jw, page_no);
	else
		kb_jw_null(jw);
	kb_jw_key(jw, "second");
	if (moment)
		kb_jw_int(jw, page_no - KB_MOMENT);
	else
		kb_jw_null(jw);
}

/* Six numbers a word in one flat list: a scanned page has hundreds of words, and an object each
 * would be twice as long. */
static void write_boxes(const struct kb_block *block, struct kb_jw *jw)
{
	kb_jw_key(jw, "boxes");
	kb_jw_array(jw);
	for (size_t i = 0; i < block->box_count; i++) {
		const struct kb_word_box *box = &block->boxes[i];

		kb_jw_int(jw, box->at);
		kb_jw_int(jw, box->n);
		kb_jw_int(jw, box->x0);
		kb_jw_int(jw, box->y0);
		kb_jw_int(jw, box->x1);
		kb_jw_int(jw, box->y1);
	}
	kb_jw_end(jw);
}

static void write_pictures(const struct kb_parsed *parsed, struct kb_jw *jw)
{
	kb_jw_key(jw, "pictures");
	kb_jw_array(jw);
	for (size_t i = 0; i < parsed->picture_count; i++) {
		kb_jw_object(jw);
		kb_jw_key_sv(jw, "url", parsed->pictures[i].url);
		kb_jw_key_sv(jw, "text", parsed->pictures[i].text);
		kb_jw_key_int(jw, "block", parsed->pictures[i].block);
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
}

void kb_parsed_write(const struct kb_parsed *parsed, struct kb_jw *jw)
{
	kb_jw_object(jw);
	for (size_t i = 0; i < KB_COUNTOF(texts); i++) {
		struct kb_sv text;

		memcpy(&text, (const char *)parsed + texts[i].offset, sizeof(text));
		kb_jw_key_sv(jw, texts[i].name, text);
	}
	if (parsed->dated_at)
		kb_jw_key_int(jw, "dated_at", parsed->dated_at);
	kb_jw_key_int(jw, "pages", parsed->pages);
	if (parsed->picture_count)
		write_pictures(parsed, jw);
	kb_jw_key(jw, "blocks");
	kb_jw_array(jw);
	for (size_t i = 0; i < parsed->block_count; i++) {
		const struct kb_block *block = &parsed->blocks[i];

		kb_jw_object(jw);
		kb_jw_key_str(jw, "type", block_types[block->type]);
		if (block->page_no)
			kb_jw_key_int(jw, "page", block->page_no);
		if (block->table)
			kb_jw_key_int(jw, "table", block->table);
		if (block->depth)
			kb_jw_key_int(jw, "depth", block->depth);
		if (block->number)
			kb_jw_key_int(jw, "number", block->number);
		if (block->picture)
			kb_jw_key_int(jw, "picture", block->picture);
		if (block->heading.n)
			kb_jw_key_sv(jw, "heading", block->heading);
		kb_jw_key_int(jw, "offset", block->offset);
		kb_jw_key_sv(jw, "text", block->text);
		if (block->box_count)
			write_boxes(block, jw);
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
	kb_jw_end(jw);
}

static bool read_boxes(struct kb_arena *arena, const json_t *json, struct kb_block *block)
{
	enum { NUMBERS = 6 };
	size_t count = json_array_size(json);
	struct kb_word_box *boxes;

	if (!json)
		return true;
	if (!json_is_array(json) || count % NUMBERS)
		return false;
	/* Whatever is out of range would be cut by the casts below, and mark another place. */
	block->box_count = count / NUMBERS;
	boxes = KB_NEW_ARRAY(arena, block->box_count + 1, struct kb_word_box);
	for (size_t i = 0; i < block->box_count; i++) {
		int64_t n[NUMBERS];

		for (size_t j = 0; j < NUMBERS; j++) {
			n[j] = json_integer_value(json_array_get(json, i * NUMBERS + j));
			if (n[j] < 0 || n[j] > (j < 2 ? (int64_t)UINT32_MAX : KB_BOX_UNITS))
				return false;
		}
		boxes[i] = (struct kb_word_box){ (uint32_t)n[0], (uint32_t)n[1], (uint16_t)n[2],
			                         (uint16_t)n[3], (uint16_t)n[4], (uint16_t)n[5] };
	}
	block->boxes = boxes;
	return true;
}

static bool read_block(struct kb_arena *arena, const json_t *json, struct kb_block *block)
{
	struct kb_sv type = kb_json_sv(json, "type", KB_SV(""));
	int64_t page = kb_json_int(json, "page", 0), table = kb_json_int(json, "table", 0);
	int64_t offset = kb_json_int(json, "offset", -1);
	int64_t picture = kb_json_int(json, "picture", 0);
	int64_t depth = kb_json_int(json, "depth", 0), number = kb_json_int(json, "number", 0);
	size_t i = 0;

	while (i < KB_COUNTOF(block_types) && !kb_sv_eq_str(type, block_types[i]))
		i++;
	/* A blob is checked against its name, not against this program: numbers of a newer one, or
	 * of a damaged writer, are refused rather than cut. */
	if (i == KB_COUNTOF(block_types) || page < 0 || page > UINT32_MAX || table < 0
	    || table > UINT32_MAX || offset < 0 || offset > UINT32_MAX || picture < 0
	    || picture > UINT32_MAX || depth < 0 || depth > KB_ITEM_DEPTH_MAX || number < 0
	    || number > KB_ITEM_NUMBER_MAX)
		return false;
	*block = (struct kb_block){ .type = (enum kb_block_type)i,
		                    .page_no = (uint32_t)page,
		                    .table = (uint32_t)table,
		                    .depth = (uint32_t)depth,
		                    .number = (uint32_t)number,
		                    .picture = (uint32_t)picture,
		                    .offset = (uint32_t)offset,
		                    .heading = kb_json_sv(json, "heading", KB_SV("")),
		                    .text = kb_json_sv(json, "text", KB_SV("")) };
	return read_boxes(arena, kb_json_get(json, "boxes"), block);
}

static bool read_pictures(struct kb_arena *arena, const json_t *json, struct kb_parsed *out)
{
	out->picture_count = json_array_size(json);
	out->pictures = KB_NEW_ARRAY(arena, out->picture_count + 1, struct kb_picture_link);
	for (size_t i = 0; i < out->picture_count; i++) {
		const json_t *picture = json_array_get(json, i);
		int64_t block = kb_json_int(picture, "block", -1);

		/* It stands before that block; before none: behind all. */
		if (block < 0 || block > (int64_t)out->block_count)
			return false;
		out->pictures[i] =
		        (struct kb_picture_link){ .url = kb_json_sv(picture, "url", KB_SV("")),
			                          .text = kb_json_sv(picture, "text", KB_SV("")),
			                          .block = (uint32_t)block };
	}
	return true;
}

bool kb_parsed_read(struct kb_arena *arena, struct kb_sv json, struct kb_parsed *out,
                    struct kb_err *err)
{
	json_t *root = kb_json_parse(arena, json, err);
	const json_t *blocks = kb_json_get(root, "blocks");
	int64_t pages = kb_json_int(root, "pages", 0);

	if (!root)
		return false;
	if (!json_is_array(blocks) || pages < 0 || pages > UINT32_MAX)
		return kb_fail(err, KB_E_INVALID, "the JSON is no parsed document");
	*out = (struct kb_parsed){ .pages = (uint32_t)pages,
		                   .dated_at = kb_json_int(root, "dated_at", 0),
		                   .block_count = json_array_size(blocks) };
	for (size_t i = 0; i < KB_COUNTOF(texts); i++) {
		struct kb_sv text = kb_json_sv(root, texts[i].name, KB_SV(""));

		memcpy((char *)out + texts[i].offset, &text, sizeof(text));
	}
	out->blocks = KB_NEW_ARRAY(arena, out->block_count + 1, struct kb_block);
	for (size_t i = 0; i < out->block_count; i++)
		if (!read_block(arena, json_array_get(blocks, i), &out->blocks[i]))
			return kb_fail(err, KB_E_INVALID,
			               "block %zu of the parsed document is malformed", i);
	if (!read_pictures(arena, kb_json_get(root, "pictures"), out))
		return kb_fail(err, KB_E_INVALID, "a picture of the parsed document is malformed");
	return true;
}

void kb_parsed_pack(const struct kb_parsed *parsed, struct kb_buf *out)
{
	kb_msg_put_result(out, parsed);
}

bool kb_parsed_unpack(struct kb_arena *arena, struct kb_sv bytes, struct kb_parsed *out,
                      struct kb_err *err)
{
	return kb_msg_get_result(arena, bytes, out, err);
}
