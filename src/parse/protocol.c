/*
 * Bodies to bytes and back, and their way through the socket.
 *
 * Fields have no names and bodies no version: both ends are the same program. A field that one end
 * puts and the other does not get is found by finish(), since then bytes are left or missing.
 */
#include "parse/protocol.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "parse/clean.h"

#define MAGIC UINT32_C(0x3150424b) /* "KBP1" */

enum {
	SAME_HEADING = 1, /* block flags: the path is that of the block before */
	HAS_BOXES = 2,    /* the places of its words follow its text */
	BEGINS_ITEM = 4,  /* of a list: depth and number follow its text */
	BLOCK_HEAD_BYTES = 14,
	WANT_LIST = 1, /* flags of a request */
	WANT_LINKS = 2,
	WANT_DRAWING = 4,
	WANT_PARTS = 8,
	IS_PART = 16,
	WANT_INSETS = 32,
	LOOK_AT_INSETS = 64,
	FIRST = 1, /* flags of a piece */
	LAST = 2,
	SPOILT = 4,
	NOINDEX = 1, /* of a page's links */
	NOFOLLOW = 2,
	MORE = 4,
	BOX_BYTES = 16,
	PAINTED_BYTES = 8,
	ENTRY_BYTES = 17, /* of an address, without its texts */
	IS_LIST = 1,      /* entry flag */
	ASK_MS = 20,      /* between questions whether anybody still waits */
	WAIT_MAX_MS = 1000000,
	DAMAGED = 1, /* list flags */
	CUT = 2,
};

size_t kb_msg_result_max(size_t output_max)
{
	return output_max * 6 + KB_MIB(2) + (size_t)KB_LINKS_MAX * (KB_LINK_BYTES_MAX + 4);
}

/* ---- reading fields
 *
 * Every one is checked. A failure is sticky: a reader that failed gives zeros and empty texts, so
 * that a body is read without a branch after each field and asked once, at its end. What has to be
 * asked before that is a count that memory is taken by: it is held against a limit or against the
 * bytes that are left, so that a few bytes of a child cannot make the server take much memory.
 */

struct reader {
	struct kb_sv rest;
	bool bad;
};

static uint32_t get_u32(struct reader *r)
{
	const unsigned char *p = (const unsigned char *)r->rest.p;

	if (r->bad || r->rest.n < 4) {
		r->bad = true;
		return 0;
	}
	r->rest = kb_sv_from(r->rest, 4);
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t get_u32_up_to(struct reader *r, uint32_t max)
{
	uint32_t n = get_u32(r);

	if (n > max) {
		r->bad = true;
		return 0;
	}
	return n;
}

/* As kb_buf_u64() writes it, up to the year 250000. */
static int64_t get_time(struct reader *r)
{
	uint64_t low = get_u32(r), high = get_u32_up_to(r, INT32_MAX);

	return (int64_t)(high << 32 | low);
}

static uint8_t get_u8(struct reader *r)
{
	uint8_t byte;

	if (r->bad || !r->rest.n) {
		r->bad = true;
		return 0;
	}
	byte = (uint8_t)r->rest.p[0];
	r->rest = kb_sv_from(r->rest, 1);
	return byte;
}

static struct kb_sv get_bytes(struct reader *r, size_t max)
{
	uint32_t n = get_u32(r);
	struct kb_sv bytes;

	if (r->bad || n > max || n > r->rest.n) {
		r->bad = true;
		return KB_SV("");
	}
	bytes = kb_sv_sub(r->rest, 0, n);
	r->rest = kb_sv_from(r->rest, n);
	return bytes;
}

/* Text that a child says it has cleaned. One that is not clean is not cleaned here but refused: the
 * child cleans by the same rules (clean.h), so it no longer does what it was written for. */
static struct kb_sv get_text(struct reader *r, size_t max, bool lines)
{
	struct kb_sv text = get_bytes(r, max);

	if (!kb_clean_is(text, lines)) {
		r->bad = true;
		return KB_SV("");
	}
	return text;
}

static bool finish(struct reader *r, const char *what, struct kb_err *err)
{
	if (r->bad || r->rest.n)
		return kb_fail(err, KB_E_INVALID, "the parser sent a malformed %s", what);
	return true;
}

static void put_bytes(struct kb_buf *out, struct kb_sv bytes, size_t max)
{
	bytes = kb_utf8_cut(bytes, max);
	kb_buf_u32(out, (uint32_t)bytes.n);
	kb_buf_sv(out, bytes);
}

static uint16_t get_u16(struct reader *r)
{
	unsigned low = get_u8(r);

	return (uint16_t)(low | (unsigned)get_u8(r) << 8);
}

/* Of a page's side. */
static uint16_t get_share(struct reader *r)
{
	uint16_t n = get_u16(r);

	r->bad |= n > KB_BOX_UNITS;
	return n;
}

static void put_u16(struct kb_buf *out, uint16_t n)
{
	kb_buf_byte(out, (char)(n & 0xff));
	kb_buf_byte(out, (char)(n >> 8));
}

static void put_inset(struct kb_buf *out, const struct kb_inset *inset)
{
	put_bytes(out, inset->name, KB_INSET_NAME_MAX);
	kb_buf_u64(out, inset->hash);
	kb_buf_u32(out, inset->block);
	kb_buf_u32(out, inset->page_no);
	put_u16(out, inset->width);
	put_u16(out, inset->height);
	put_u16(out, inset->x0);
	put_u16(out, inset->y0);
	put_u16(out, inset->x1);
	put_u16(out, inset->y1);
}

static void get_inset(struct reader *r, struct kb_inset *inset)
{
	uint64_t low;

	inset->name = get_bytes(r, KB_INSET_NAME_MAX);
	low = get_u32(r);
	inset->hash = (uint64_t)get_u32(r) << 32 | low;
	inset->block = get_u32_up_to(r, KB_MSG_BLOCKS_MAX);
	inset->page_no = get_u32_up_to(r, KB_MSG_PAGES_MAX);
	inset->width = get_u16(r);
	inset->height = get_u16(r);
	inset->x0 = get_share(r);
	inset->y0 = get_share(r);
	inset->x1 = get_share(r);
	inset->y1 = get_share(r);
	r->bad |= inset->x0 > inset->x1 || inset->y0 > inset->y1;
}

/* ---- bodies */

void kb_msg_put_hello(struct kb_buf *out, const struct kb_msg_hello *hello)
{
	kb_buf_u32(out, hello->layers);
	put_bytes(out, hello->problem, KB_MSG_SENTENCE_MAX);
}

bool kb_msg_get_hello(struct kb_sv body, struct kb_msg_hello *hello, struct kb_err *err)
{
	struct reader r = { .rest = body };

	hello->layers = get_u32(&r);
	hello->problem = get_text(&r, KB_MSG_SENTENCE_MAX, false);
	return finish(&r, "greeting", err);
}

void kb_msg_put_request(struct kb_buf *out, const struct kb_msg_request *request)
{
	kb_buf_u32(out, request->timeout_ms);
	kb_buf_byte(out,
	            (char)((request->is_sitemap ? WANT_LIST : 0) | (request->links ? WANT_LINKS : 0)
	                   | (request->wants_drawing ? WANT_DRAWING : 0)
	                   | (request->wants_parts ? WANT_PARTS : 0)
	                   | (request->is_part ? IS_PART : 0)
	                   | (request->wants_insets ? WANT_INSETS : 0)
	                   | (request->look.insets ? LOOK_AT_INSETS : 0)));
	put_bytes(out, request->filename, KB_MSG_HINT_MAX);
	put_bytes(out, request->content_type, KB_MSG_HINT_MAX);
	put_bytes(out, request->url, KB_MSG_HINT_MAX);
	kb_buf_byte(out, request->wants_painted);
	kb_buf_u32(out, request->painted.page_no);
	kb_buf_u32(out, request->painted.dpi);
	put_bytes(out, request->models, KB_MSG_MODELS_MAX);
	kb_buf_u32(out, request->look.page_no);
	kb_buf_u32(out, request->look.width);
	kb_buf_u32(out, request->look.height);
	kb_buf_u32(out, request->look.side);
	put_inset(out, &request->look.inset);
	put_bytes(out, request->password, KB_PASSWORD_MAX);
}

bool kb_msg_get_request(struct kb_sv body, struct kb_msg_request *request, struct kb_err *err)
{
	struct reader r = { .rest = body };
	uint8_t wants;

	request->timeout_ms = get_u32(&r);
	wants = get_u8(&r);
	request->is_sitemap = wants & WANT_LIST;
	request->links = wants & WANT_LINKS;
	request->wants_drawing = wants & WANT_DRAWING;
	request->wants_parts = wants & WANT_PARTS;
	request->is_part = wants & IS_PART;
	request->wants_insets = wants & WANT_INSETS;
	request->look.insets = wants & LOOK_AT_INSETS;
	request->filename = get_bytes(&r, KB_MSG_HINT_MAX);
	request->content_type = get_bytes(&r, KB_MSG_HINT_MAX);
	request->url = get_bytes(&r, KB_MSG_HINT_MAX);
	request->wants_painted = get_u8(&r) == 1;
	request->painted.page_no = get_u32_up_to(&r, KB_MSG_PAGES_MAX);
	request->painted.dpi = get_u32_up_to(&r, KB_MSG_DPI_MAX);
	request->models = get_bytes(&r, KB_MSG_MODELS_MAX);
	request->look.page_no = get_u32_up_to(&r, KB_MSG_PAGES_MAX);
	request->look.width = get_u32_up_to(&r, KB_MSG_SIDE_MAX);
	request->look.height = get_u32_up_to(&r, KB_MSG_SIDE_MAX);
	request->look.side = get_u32_up_to(&r, KB_DRAWING_SIDE_MAX);
	get_inset(&r, &request->look.inset);
	request->password = get_bytes(&r, KB_PASSWORD_MAX);
	return finish(&r, "request", err);
}

void kb_msg_put_error(struct kb_buf *out, const struct kb_err *problem)
{
	kb_buf_u32(out, (uint32_t)problem->code);
	put_bytes(out, kb_sv_str(problem->msg), KB_MSG_SENTENCE_MAX);
}

/* The codes a child may speak of: what is wrong with the document, not with the server. By any
 * other one a document could make the server believe that a service is out or a key is wrong, and
 * wait or stop instead of leaving the document aside. */
static bool is_document_fault(uint32_t code)
{
	return code == KB_E_INVALID || code == KB_E_TOO_LARGE || code == KB_E_UNSUPPORTED
	       || code == KB_E_TIMEOUT || code == KB_E_IO
	       || code == KB_E_NOT_FOUND; /* a page of a picture */
}

bool kb_msg_get_error(struct kb_sv body, struct kb_err *problem, struct kb_err *err)
{
	struct reader r = { .rest = body };
	uint32_t code = get_u32(&r);
	struct kb_sv sentence = get_text(&r, KB_MSG_SENTENCE_MAX, false);

	if (!finish(&r, "error", err))
		return false;
	if (!is_document_fault(code) || !sentence.n)
		return kb_fail(err, KB_E_INVALID, "the parser sent a malformed error");
	kb_fail(problem, (enum kb_errc)code, "%.*s", KB_SV_ARG(sentence));
	return true;
}

static void put_links(struct kb_buf *out, const struct kb_links *links)
{
	kb_buf_byte(out, (char)((links->noindex ? NOINDEX : 0) | (links->nofollow ? NOFOLLOW : 0)
	                        | (links->cut ? MORE : 0)));
	put_bytes(out, links->canonical, KB_LINK_BYTES_MAX);
	put_bytes(out, links->refresh, KB_LINK_BYTES_MAX);
	kb_buf_u32(out, (uint32_t)links->count);
	for (size_t i = 0; i < links->count; i++)
		put_bytes(out, links->v[i], KB_LINK_BYTES_MAX);
}

static void get_links(struct kb_arena *arena, struct reader *r, struct kb_links *out)
{
	uint8_t flags = get_u8(r);

	*out = (struct kb_links){ .noindex = flags & NOINDEX,
		                  .nofollow = flags & NOFOLLOW,
		                  .cut = flags & MORE };
	out->canonical = get_text(r, KB_LINK_BYTES_MAX, false);
	out->refresh = get_text(r, KB_LINK_BYTES_MAX, false);
	out->count = get_u32_up_to(r, KB_LINKS_MAX);
	if (r->bad)
		out->count = 0;
	out->v = KB_NEW_ARRAY(arena, out->count + 1, struct kb_sv);
	for (size_t i = 0; i < out->count; i++)
		out->v[i] = get_text(r, KB_LINK_BYTES_MAX, false);
}

static void put_pictures(struct kb_buf *out, const struct kb_parsed *parsed)
{
	kb_buf_u32(out, (uint32_t)parsed->picture_count);
	for (size_t i = 0; i < parsed->picture_count; i++) {
		put_bytes(out, parsed->pictures[i].url, KB_LINK_BYTES_MAX);
		put_bytes(out, parsed->pictures[i].text, KB_MSG_META_MAX);
		kb_buf_u32(out, parsed->pictures[i].block);
	}
}

static void get_pictures(struct kb_arena *arena, struct reader *r, struct kb_parsed *parsed)
{
	size_t count = get_u32_up_to(r, KB_PICTURES_MAX);

	parsed->picture_count = r->bad ? 0 : count;
	parsed->pictures = KB_NEW_ARRAY(arena, parsed->picture_count + 1, struct kb_picture_link);
	for (size_t i = 0; i < parsed->picture_count; i++) {
		struct kb_picture_link *picture = &parsed->pictures[i];

		picture->url = get_text(r, KB_LINK_BYTES_MAX, false);
		picture->text = get_text(r, KB_MSG_META_MAX, false);
		picture->block = get_u32_up_to(r, (uint32_t)parsed->block_count);
	}
}

static void put_tracks(struct kb_buf *out, const struct kb_parsed *parsed)
{
	kb_buf_u32(out, (uint32_t)parsed->track_count);
	for (size_t i = 0; i < parsed->track_count; i++)
		put_bytes(out, parsed->tracks[i], KB_LINK_BYTES_MAX);
}

static void get_tracks(struct kb_arena *arena, struct reader *r, struct kb_parsed *parsed)
{
	size_t count = get_u32_up_to(r, KB_TRACKS_MAX);

	parsed->track_count = r->bad ? 0 : count;
	parsed->tracks = KB_NEW_ARRAY(arena, parsed->track_count + 1, struct kb_sv);
	for (size_t i = 0; i < parsed->track_count; i++)
		parsed->tracks[i] = get_text(r, KB_LINK_BYTES_MAX, false);
}

static void put_insets(struct kb_buf *out, const struct kb_parsed *parsed)
{
	kb_buf_u32(out, (uint32_t)parsed->inset_count);
	for (size_t i = 0; i < parsed->inset_count; i++)
		put_inset(out, &parsed->insets[i]);
}

/* In the order in which they stand between the blocks. */
static void get_insets(struct kb_arena *arena, struct reader *r, struct kb_parsed *parsed)
{
	uint32_t count = get_u32_up_to(r, KB_INSETS_MAX), before = 0;

	parsed->inset_count = r->bad ? 0 : count;
	parsed->insets = KB_NEW_ARRAY(arena, parsed->inset_count + 1, struct kb_inset);
	for (size_t i = 0; i < parsed->inset_count; i++) {
		struct kb_inset *inset = &parsed->insets[i];

		get_inset(r, inset);
		r->bad |= inset->block < before || inset->block > parsed->block_count
		          || inset->page_no > parsed->pages;
		before = inset->block;
	}
}

static void put_boxes(struct kb_buf *out, const struct kb_block *block)
{
	kb_buf_u32(out, (uint32_t)block->box_count);
	for (size_t i = 0; i < block->box_count; i++) {
		const struct kb_word_box *box = &block->boxes[i];

		kb_buf_u32(out, box->at);
		kb_buf_u32(out, box->n);
		put_u16(out, box->x0);
		put_u16(out, box->y0);
		put_u16(out, box->x1);
		put_u16(out, box->y1);
	}
}

/* They go through the text from its beginning to its end: who uses them need not ask again whether
 * a place lies within its text, or in another. */
static void get_boxes(struct kb_arena *arena, struct reader *r, struct kb_block *block)
{
	uint32_t count = get_u32(r);
	struct kb_word_box *boxes;
	size_t end = 0;

	if (r->bad || count > r->rest.n / BOX_BYTES) {
		r->bad = true;
		return;
	}
	boxes = KB_NEW_ARRAY(arena, count + 1, struct kb_word_box);
	for (uint32_t i = 0; i < count && !r->bad; i++) {
		struct kb_word_box *box = &boxes[i];

		box->at = get_u32(r);
		box->n = get_u32(r);
		box->x0 = get_share(r);
		box->y0 = get_share(r);
		box->x1 = get_share(r);
		box->y1 = get_share(r);
		r->bad |= box->at < end || (size_t)box->at + box->n > block->text.n;
		end = (size_t)box->at + box->n;
	}
	block->boxes = boxes;
	block->box_count = count;
}

static void put_painted(struct kb_buf *out, const struct kb_parsed *parsed)
{
	kb_buf_u32(out, (uint32_t)parsed->painted_count);
	for (size_t i = 0; i < parsed->painted_count; i++) {
		kb_buf_u32(out, parsed->painted[i].page_no);
		kb_buf_u32(out, parsed->painted[i].dpi);
	}
}

static void get_painted(struct kb_arena *arena, struct reader *r, struct kb_parsed *parsed)
{
	uint32_t count = get_u32_up_to(r, parsed->pages), before = 0;

	if (r->bad || count > r->rest.n / PAINTED_BYTES) {
		r->bad = true;
		return;
	}
	parsed->painted = KB_NEW_ARRAY(arena, count + 1, struct kb_painted_page);
	parsed->painted_count = count;
	for (uint32_t i = 0; i < count; i++) {
		struct kb_painted_page *page = &parsed->painted[i];

		page->page_no = get_u32_up_to(r, parsed->pages);
		page->dpi = get_u32_up_to(r, KB_MSG_DPI_MAX);
		r->bad |= page->page_no <= before;
		before = page->page_no;
	}
}

void kb_msg_put_result(struct kb_buf *out, const struct kb_parsed *parsed)
{
	struct kb_sv heading = KB_SV("");

	put_bytes(out, parsed->format, KB_MSG_META_MAX);
	put_bytes(out, parsed->title, KB_MSG_META_MAX);
	put_bytes(out, parsed->lang, KB_MSG_META_MAX);
	put_bytes(out, parsed->description, KB_MSG_META_MAX);
	put_bytes(out, parsed->image, KB_MSG_META_MAX);
	kb_buf_u64(out, (uint64_t)parsed->dated_at);
	kb_buf_u32(out, parsed->pages);
	put_painted(out, parsed);
	kb_buf_u32(out, (uint32_t)parsed->block_count);
	for (size_t i = 0; i < parsed->block_count; i++) {
		const struct kb_block *block = &parsed->blocks[i];
		bool same = i && kb_sv_eq(block->heading, heading);

		kb_buf_byte(out, (char)block->type);
		kb_buf_byte(out,
		            (char)((same ? SAME_HEADING : 0) | (block->box_count ? HAS_BOXES : 0)
		                   | (block->depth ? BEGINS_ITEM : 0)));
		kb_buf_u32(out, block->page_no);
		kb_buf_u32(out, block->table);
		if (!same)
			put_bytes(out, block->heading, KB_MSG_HEADING_MAX);
		heading = block->heading;
		put_bytes(out, block->text, SIZE_MAX);
		if (block->depth) {
			kb_buf_u32(out, block->depth);
			kb_buf_u32(out, block->number);
		}
		if (block->box_count)
			put_boxes(out, block);
	}
	put_links(out, &parsed->links);
	put_pictures(out, parsed);
	put_tracks(out, parsed);
	put_insets(out, parsed);
	kb_buf_u32(out, parsed->parts.taken);
	kb_buf_u32(out, parsed->parts.locked);
	kb_buf_u32(out, parsed->parts.damaged);
}

bool kb_msg_get_result(struct kb_arena *arena, struct kb_sv body, struct kb_parsed *parsed,
                       struct kb_err *err)
{
	struct reader r = { .rest = body };
	struct kb_sv heading = KB_SV("");
	size_t offset = 0;

	*parsed = (struct kb_parsed){ .format = get_text(&r, KB_MSG_META_MAX, false) };
	parsed->title = get_text(&r, KB_MSG_META_MAX, false);
	parsed->lang = get_text(&r, KB_MSG_META_MAX, false);
	parsed->description = get_text(&r, KB_MSG_META_MAX, false);
	parsed->image = get_text(&r, KB_MSG_META_MAX, false);
	parsed->dated_at = get_time(&r);
	parsed->pages = get_u32_up_to(&r, KB_MSG_PAGES_MAX);
	get_painted(arena, &r, parsed);
	parsed->block_count = get_u32_up_to(&r, KB_MSG_BLOCKS_MAX);
	/* No more blocks than the bytes that came can hold. */
	if (r.bad || parsed->block_count > r.rest.n / BLOCK_HEAD_BYTES)
		return kb_fail(err, KB_E_INVALID, "the parser sent a malformed result");
	parsed->blocks = KB_NEW_ARRAY(arena, parsed->block_count + 1, struct kb_block);
	for (size_t i = 0; i < parsed->block_count && !r.bad; i++) {
		struct kb_block *block = &parsed->blocks[i];
		uint8_t type = get_u8(&r), flags = get_u8(&r);

		if (type > KB_BLOCK_CODE || (flags & ~(SAME_HEADING | HAS_BOXES | BEGINS_ITEM))
		    || (!i && flags & SAME_HEADING))
			r.bad = true;
		block->type = (enum kb_block_type)type;
		block->page_no = get_u32(&r);
		r.bad |= block->page_no > parsed->pages && !kb_is_moment(block->page_no);
		block->table = get_u32_up_to(&r, KB_MSG_BLOCKS_MAX);
		if (!(flags & SAME_HEADING))
			heading = get_text(&r, KB_MSG_HEADING_MAX, false);
		block->heading = heading;
		block->text = get_text(&r, SIZE_MAX, type == KB_BLOCK_CODE);
		if (flags & BEGINS_ITEM) {
			block->depth = get_u32_up_to(&r, KB_ITEM_DEPTH_MAX);
			block->number = get_u32_up_to(&r, KB_ITEM_NUMBER_MAX);
		}
		if (flags & HAS_BOXES)
			get_boxes(arena, &r, block);
		if (offset > UINT32_MAX)
			r.bad = true;
		block->offset = (uint32_t)offset;
		offset += block->text.n + 1;
	}
	get_links(arena, &r, &parsed->links);
	get_pictures(arena, &r, parsed);
	get_tracks(arena, &r, parsed);
	get_insets(arena, &r, parsed);
	parsed->parts.taken = get_u32_up_to(&r, KB_PARTS_MAX);
	parsed->parts.locked = get_u32_up_to(&r, KB_PARTS_MAX);
	parsed->parts.damaged = get_u32_up_to(&r, KB_PARTS_MAX);
	return finish(&r, "result", err);
}

void kb_msg_put_part(struct kb_buf *out, const struct kb_part_piece *piece)
{
	kb_buf_byte(out, (char)((piece->first ? FIRST : 0) | (piece->last ? LAST : 0)
	                        | (piece->spoilt ? SPOILT : 0)));
	put_bytes(out, piece->first ? piece->path : KB_SV(""), KB_PART_PATH_MAX);
	kb_buf_u32(out, (uint32_t)piece->bytes.n);
	kb_buf_sv(out, piece->bytes);
}

bool kb_msg_get_part(struct kb_sv body, struct kb_part_piece *piece, struct kb_err *err)
{
	struct reader r = { .rest = body };
	uint8_t flags = get_u8(&r);

	*piece = (struct kb_part_piece){ .first = flags & FIRST,
		                         .last = flags & LAST,
		                         .spoilt = flags & SPOILT };
	piece->path = get_bytes(&r, KB_PART_PATH_MAX);
	piece->bytes = get_bytes(&r, KB_MSG_PIECE_MAX);
	return finish(&r, "part", err);
}

void kb_msg_put_list(struct kb_buf *out, const struct kb_sitemap *list)
{
	kb_buf_byte(out, (char)list->kind);
	kb_buf_byte(out, (char)((list->damaged ? DAMAGED : 0) | (list->cut ? CUT : 0)));
	kb_buf_u32(out, (uint32_t)list->count);
	for (size_t i = 0; i < list->count; i++) {
		const struct kb_sitemap_entry *entry = &list->entries[i];

		kb_buf_byte(out, entry->is_list ? IS_LIST : 0);
		kb_buf_u64(out, (uint64_t)entry->modified_at);
		put_bytes(out, entry->url, KB_SITEMAP_URL_MAX);
		put_bytes(out, entry->image, KB_SITEMAP_URL_MAX);
	}
}

bool kb_msg_get_list(struct kb_arena *arena, struct kb_sv body, struct kb_sitemap *list,
                     struct kb_err *err)
{
	struct reader r = { .rest = body };
	uint8_t kind = get_u8(&r), flags = get_u8(&r);

	*list = (struct kb_sitemap){ .count = get_u32_up_to(&r, KB_SITEMAP_URLS_MAX) };
	if (r.bad || kind >= KB_SITEMAP_KINDS || (flags & ~(DAMAGED | CUT))
	    || list->count > r.rest.n / ENTRY_BYTES)
		return kb_fail(err, KB_E_INVALID, "the parser sent a malformed list");
	list->kind = (enum kb_sitemap_kind)kind;
	list->damaged = flags & DAMAGED;
	list->cut = flags & CUT;
	list->entries = KB_NEW_ARRAY(arena, list->count + 1, struct kb_sitemap_entry);
	for (size_t i = 0; i < list->count && !r.bad; i++) {
		struct kb_sitemap_entry *entry = &list->entries[i];
		entry->is_list = get_u8(&r) & IS_LIST;
		entry->modified_at = get_time(&r);
		entry->url = get_text(&r, KB_SITEMAP_URL_MAX, false);
		entry->image = get_text(&r, KB_SITEMAP_URL_MAX, false);
	}
	return finish(&r, "list", err);
}

/* ---- the head */

static void put_u32(unsigned char *p, uint32_t n)
{
	for (int i = 0; i < 4; i++)
		p[i] = (unsigned char)(n >> 8 * i);
}

void kb_msg_head(unsigned char out[KB_MSG_HEAD_BYTES], enum kb_msg_type type, size_t body)
{
	put_u32(out, MAGIC);
	put_u32(out + 4, (uint32_t)type);
	put_u32(out + 8, (uint32_t)body);
}

static size_t body_max(enum kb_msg_type type, size_t result_max)
{
	if (type == KB_MSG_RESULT || type == KB_MSG_LIST)
		return result_max;
	if (type == KB_MSG_PART)
		return KB_MSG_PART_MAX;
	return type == KB_MSG_DRAWING ? KB_DRAWING_BYTES_MAX : KB_MSG_SMALL_MAX;
}

bool kb_msg_check_head(const unsigned char head[KB_MSG_HEAD_BYTES], size_t result_max,
                       enum kb_msg_type *type, size_t *body, struct kb_err *err)
{
	struct reader r = { .rest = { (const char *)head, KB_MSG_HEAD_BYTES } };
	uint32_t magic = get_u32(&r), kind = get_u32(&r), length = get_u32(&r);

	if (magic != MAGIC || kind < KB_MSG_HELLO || kind >= KB_MSG_TYPES)
		return kb_fail(err, KB_E_INVALID, "the parser sent garbage");
	if (length > body_max((enum kb_msg_type)kind, result_max))
		return kb_fail(err, KB_E_INVALID,
		               "the parser sent a message of %u bytes, over its limit", length);
	*type = (enum kb_msg_type)kind;
	*body = length;
	return true;
}

/* ---- the socket */

static bool wait_for(int fd, short events, int64_t deadline_us, const struct kb_cancel *cancel,
                     struct kb_err *err)
{
	for (;;) {
		struct pollfd p = { .fd = fd, .events = events };
		int64_t left = deadline_us ? deadline_us - kb_clock_mono_us() : INT64_MAX;
		int64_t most_ms = cancel ? ASK_MS : WAIT_MAX_MS;
		int ready;

		if (kb_cancelled(cancel, err))
			return false;

		if (left <= 0)
			return kb_fail(err, KB_E_TIMEOUT, "the parser did not answer in time");
		ready = poll(&p, 1, (int)KB_MIN(left / 1000 + 1, most_ms));
		if (ready > 0)
			return true;
		if (ready < 0 && errno != EINTR)
			return kb_fail_errno(err, "waiting for the parser");
	}
}

bool kb_msg_send(int fd, enum kb_msg_type type, struct kb_sv body, int pass, int64_t deadline_us,
                 struct kb_err *err)
{
	unsigned char head[KB_MSG_HEAD_BYTES];
	size_t sent = 0;
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { 0 };

	kb_msg_head(head, type, body.n);
	while (sent < sizeof(head) + body.n) {
		struct iovec pieces[2] = {
			{ head + KB_MIN(sent, sizeof(head)),
			  sizeof(head) - KB_MIN(sent, sizeof(head)) },
			{ (void *)(uintptr_t)(body.p
			                      + (sent > sizeof(head) ? sent - sizeof(head) : 0)),
			  body.n - (sent > sizeof(head) ? sent - sizeof(head) : 0) },
		};
		struct msghdr msg = { .msg_iov = pieces, .msg_iovlen = 2 };
		ssize_t n;

		if (pass >= 0) {
			struct cmsghdr *c;

			msg.msg_control = control.bytes;
			msg.msg_controllen = sizeof(control.bytes);
			c = CMSG_FIRSTHDR(&msg);
			c->cmsg_level = SOL_SOCKET;
			c->cmsg_type = SCM_RIGHTS;
			c->cmsg_len = CMSG_LEN(sizeof(int));
			memcpy(CMSG_DATA(c), &pass, sizeof(int));
		}
		n = sendmsg(fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n >= 0) {
			sent += (size_t)n;
			pass = -1;
		} else if (errno == EAGAIN) {
			if (!wait_for(fd, POLLOUT, deadline_us, NULL, err))
				return false;
		} else if (errno != EINTR) {
			return kb_fail_errno(err, "sending to the parser");
		}
	}
	return true;
}

/* Keeps the first descriptor that came, closes every other one. */
static void take_descriptors(struct msghdr *msg, int *passed)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		size_t count;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < count; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
			if (passed && *passed < 0)
				*passed = fd;
			else
				close(fd);
		}
	}
}

static bool receive_all(int fd, char *to, size_t n, int *passed,
                        const struct kb_msg_awaited *awaited, struct kb_err *err)
{
	while (n) {
		union {
			struct cmsghdr align;
			char bytes[CMSG_SPACE(4 * sizeof(int))];
		} control;
		struct iovec piece = { to, n };
		struct msghdr msg = { .msg_iov = &piece,
			              .msg_iovlen = 1,
			              .msg_control = control.bytes,
			              .msg_controllen = sizeof(control.bytes) };
		ssize_t got = recvmsg(fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

		if (got > 0) {
			take_descriptors(&msg, passed);
			to += got;
			n -= (size_t)got;
		} else if (got == 0) {
			return kb_fail(err, KB_E_IO, "the parser ended");
		} else if (errno == EAGAIN) {
			if (!wait_for(fd, POLLIN, awaited->deadline_us, awaited->cancel, err))
				return false;
		} else if (errno != EINTR) {
			return kb_fail(err, KB_E_IO, "the parser ended");
		}
	}
	return true;
}

bool kb_msg_receive(int fd, struct kb_arena *arena, const struct kb_msg_awaited *awaited,
                    struct kb_msg *out, struct kb_err *err)
{
	int *passed = awaited->descriptor ? &out->passed : NULL;
	unsigned char head[KB_MSG_HEAD_BYTES];
	size_t n = 0;
	char *bytes;

	*out = (struct kb_msg){ .passed = -1 };
	if (!receive_all(fd, (char *)head, sizeof(head), passed, awaited, err)
	    || !kb_msg_check_head(head, awaited->result_max, &out->type, &n, err))
		return false;
	if (out->type == KB_MSG_PART && awaited->pieces)
		arena = awaited->pieces;
	/* Not touched before it is filled: a false length costs address space only. */
	bytes = kb_arena_bytes(arena, n + 1);
	if (!receive_all(fd, bytes, n, passed, awaited, err))
		return false;
	out->body = kb_sv(bytes, n);
	return true;
}
