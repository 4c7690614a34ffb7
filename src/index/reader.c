/* Opening a segment: the bounds of everything in its sections. And its passages one by one. */
#include <stdlib.h>
#include <zstd.h>

#include "index/segment.h"

enum {
	STATS_BYTES = (4 + KB_FIELDS) * 8,
	TERM_ROW = 16,
	TEXT_ROW = 16,
	LANG_SAMPLE = 1024,    /* passages whose language is looked at */
	RUN_BYTES = 8 + 4 + 4, /* of one run in RUNS */
};

static const char *const section_names[KB_SEC_COUNT] = {
	[KB_SEC_STATS] = "stats",         [KB_SEC_PASSAGES] = "passages",
	[KB_SEC_RUNS] = "runs",           [KB_SEC_LENGTHS] = "lengths",
	[KB_SEC_TERMS] = "terms",         [KB_SEC_TERM_BLOCKS] = "term_blocks",
	[KB_SEC_TERM_HASH] = "term_hash", [KB_SEC_POSTINGS] = "postings",
	[KB_SEC_TEXT] = "text",           [KB_SEC_TEXT_BLOCKS] = "text_blocks",
	[KB_SEC_WORDS] = "words",         [KB_SEC_WORD_BLOCKS] = "word_blocks",
	[KB_SEC_FORWARD] = "forward",     [KB_SEC_FORWARD_PLACES] = "forward_places",
	[KB_SEC_PIECES] = "pieces",       [KB_SEC_MARKS] = "lists",
};

const struct kb_form kb_segment_form = {
	.magic = "KBSEG\r\n\x1a",
	.what = "segment",
	.version = 1,
	.sections = KB_SEC_COUNT,
	.names = section_names,
};

/* ---- lengths in a byte ----
 *
 * With 256 lengths BM25F has a table of its constants for each field (scoring.h) and divides by no
 * length while it searches.
 */

void kb_length_table(uint32_t table[256])
{
	uint32_t n = 0;

	for (int code = 0; code < 256; code++) {
		table[code] = n;
		n += KB_MAX(n / 25, UINT32_C(1));
	}
}

uint8_t kb_length_code(const uint32_t table[256], uint32_t length)
{
	unsigned low = 0, high = 255;

	while (low < high) {
		unsigned middle = (low + high + 1) / 2;

		if (table[middle] <= length)
			low = middle;
		else
			high = middle - 1;
	}
	if (low < 255 && table[low + 1] - length < length - table[low])
		low++;
	return (uint8_t)low;
}

/* ---- opening ----
 *
 * Opening compares sizes, and reads of the sections the statistics and a sample of the languages.
 * What stands in the others is checked by whoever reads it there.
 */

static bool damaged(struct kb_err *err, const struct kb_segment *segment, enum kb_section_id id)
{
	return kb_container_damaged(&segment->file, id, err);
}

void kb_segment_passing(struct kb_segment *segment)
{
	segment->file.passing = true;
}

bool kb_segment_verify(const struct kb_segment *segment, struct kb_err *err)
{
	return kb_container_verify(&segment->file, err);
}

static bool read_stats(struct kb_segment *segment, struct kb_err *err)
{
	struct kb_sv stats = segment->sections[KB_SEC_STATS];

	if (stats.n < STATS_BYTES || kb_get64(stats.p) >= KB_PASSAGES_MAX
	    || kb_get64(stats.p + 8) > kb_get64(stats.p) || kb_get64(stats.p + 16) >= UINT32_MAX)
		return damaged(err, segment, KB_SEC_STATS);
	segment->passages = (uint32_t)kb_get64(stats.p);
	segment->runs = (uint32_t)kb_get64(stats.p + 8);
	segment->terms = (uint32_t)kb_get64(stats.p + 16);
	segment->text_bytes = kb_get64(stats.p + 24);
	for (int f = 0; f < KB_FIELDS; f++)
		segment->length_sums[f] = kb_get64(stats.p + 32 + 8 * f);
	if (segment->passages && !segment->runs)
		return damaged(err, segment, KB_SEC_STATS);
	return true;
}

/* What share of the passages is in which language: counting all would read the whole column. */
void kb_segment_langs(const struct kb_segment *segment, const uint64_t *dead,
                      uint32_t langs[KB_LANG_COUNT])
{
	uint32_t stride = segment->passages / LANG_SAMPLE + 1;

	for (uint32_t i = 0; i < segment->passages; i += stride) {
		uint32_t lang = kb_col_get(&segment->cols[KB_COL_LANG], i);

		if (lang < KB_LANG_COUNT && !(dead && dead[i / 64] >> i % 64 & 1))
			langs[lang] += KB_MIN(stride, segment->passages - i);
	}
}

static bool read_passages(struct kb_segment *segment, struct kb_err *err)
{
	struct kb_sv rest = segment->sections[KB_SEC_PASSAGES];
	struct kb_sv runs = segment->sections[KB_SEC_RUNS];
	struct kb_sv lengths = segment->sections[KB_SEC_LENGTHS];

	for (int c = 0; c < KB_COLS; c++) {
		struct kb_col *col = &segment->cols[c];
		unsigned width = rest.n ? (unsigned char)rest.p[0] : 0;

		if (!rest.n || width > sizeof(uint32_t) || width == 3
		    || (uint64_t)segment->passages * width > rest.n - 1)
			return damaged(err, segment, KB_SEC_PASSAGES);
		col->width = width;
		col->p = (const uint8_t *)rest.p + 1;
		rest = kb_sv_from(rest, 1 + (size_t)segment->passages * width);
	}
	if (runs.n / RUN_BYTES < segment->runs)
		return damaged(err, segment, KB_SEC_RUNS);
	segment->run_pages = (const uint8_t *)runs.p;
	segment->run_firsts = segment->run_pages + (size_t)segment->runs * 8;
	segment->run_order = segment->run_firsts + (size_t)segment->runs * 4;
	if (lengths.n / KB_FIELDS < segment->passages)
		return damaged(err, segment, KB_SEC_LENGTHS);
	for (size_t f = 0; f < KB_FIELDS; f++)
		segment->lengths[f] = (const uint8_t *)lengths.p + f * segment->passages;
	kb_segment_langs(segment, NULL, segment->langs);
	return true;
}

static bool read_dictionary(struct kb_segment *segment, struct kb_err *err)
{
	size_t slots = segment->sections[KB_SEC_TERM_HASH].n / sizeof(uint32_t);

	segment->dict_blocks = (segment->terms + KB_DICT_BLOCK - 1) / KB_DICT_BLOCK;
	if (segment->sections[KB_SEC_TERM_BLOCKS].n / TERM_ROW < segment->dict_blocks)
		return damaged(err, segment, KB_SEC_TERM_BLOCKS);
	if (!slots || (slots & (slots - 1)) || slots > UINT32_MAX)
		return damaged(err, segment, KB_SEC_TERM_HASH);
	segment->hash_mask = (uint32_t)(slots - 1);
	return true;
}

static bool read_text(struct kb_segment *segment, struct kb_err *err)
{
	size_t blocks = segment->sections[KB_SEC_TEXT_BLOCKS].n / TEXT_ROW;

	if (blocks > segment->passages || (segment->passages && !blocks))
		return damaged(err, segment, KB_SEC_TEXT_BLOCKS);
	segment->text_blocks = (uint32_t)blocks;
	return true;
}

struct kb_segment *kb_segment_open(const char *path, bool verify, struct kb_err *err)
{
	struct kb_segment *segment = kb_xcalloc(1, sizeof(*segment));

	atomic_init(&segment->count, 1);
	if (kb_container_open(&segment->file, &kb_segment_form, path, verify, segment->sections,
	                      err)
	    && read_stats(segment, err) && read_passages(segment, err)
	    && read_dictionary(segment, err) && read_text(segment, err))
		return segment;
	kb_segment_release(segment);
	return NULL;
}

/* ---- a segment and its passages ---- */

struct kb_segment *kb_segment_hold(struct kb_segment *segment)
{
	atomic_fetch_add(&segment->count, 1);
	return segment;
}

void kb_segment_release(struct kb_segment *segment)
{
	if (!segment || atomic_fetch_sub(&segment->count, 1) > 1)
		return;
	kb_container_close(&segment->file);
	free(segment);
}

void kb_segment_info(const struct kb_segment *segment, struct kb_segment_info *info)
{
	*info = (struct kb_segment_info){ .bytes = (int64_t)segment->file.map_bytes,
		                          .passages = segment->passages,
		                          .pages = segment->runs,
		                          .terms = segment->terms,
		                          .text_bytes = (int64_t)segment->text_bytes };
}

size_t kb_segment_sections(const struct kb_segment *segment, struct kb_section_info *out,
                           size_t max)
{
	struct kb_container_section rows[KB_CONTAINER_SECTIONS_MAX];
	size_t count = kb_container_sections(&segment->file, rows, KB_MIN(max, KB_COUNTOF(rows)));

	for (size_t i = 0; i < count && i < max; i++)
		out[i] = (struct kb_section_info){ rows[i].name, (int64_t)rows[i].bytes };
	return count;
}

void kb_segment_row(const struct kb_segment *segment, uint32_t passage, struct kb_passage *out)
{
	const struct kb_col *cols = segment->cols;
	uint32_t lang = kb_col_get(&cols[KB_COL_LANG], passage);

	*out = (struct kb_passage){
		.page_id = kb_segment_page(segment, passage),
		.ordinal = kb_col_get(&cols[KB_COL_ORDINAL], passage),
		.page_no = kb_col_get(&cols[KB_COL_PAGE_NO], passage),
		.offset = kb_col_get(&cols[KB_COL_OFFSET], passage),
		.lang = lang < KB_LANG_COUNT ? (enum kb_lang)lang : KB_LANG_NONE,
	};
}

void kb_segment_run_range(const struct kb_segment *segment, uint32_t run, uint32_t *first,
                          uint32_t *end)
{
	*first = KB_MIN(kb_get32(segment->run_firsts + (size_t)run * 4), segment->passages);
	*end = run + 1 < segment->runs ? KB_MIN(
	               kb_get32(segment->run_firsts + (size_t)(run + 1) * 4), segment->passages)
	                               : segment->passages;
}

uint32_t kb_segment_find_page(const struct kb_segment *segment, int64_t page_id)
{
	uint32_t low = 0, high = segment->runs;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		uint32_t run = KB_MIN(kb_get32(segment->run_order + (size_t)middle * 4),
		                      segment->runs - 1);

		if ((int64_t)kb_get64(segment->run_pages + (size_t)run * 8) < page_id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- stored text ---- */

static const char *text_row(const struct kb_segment *segment, uint32_t block)
{
	return segment->sections[KB_SEC_TEXT_BLOCKS].p + (size_t)block * TEXT_ROW;
}

bool kb_segment_text_block(const struct kb_segment *segment, uint32_t block,
                           struct kb_text_block *out)
{
	struct kb_sv text = segment->sections[KB_SEC_TEXT];
	bool last = block + 1 == segment->text_blocks;
	uint64_t place = kb_get64(text_row(segment, block) + 8);
	uint64_t end = last ? text.n : kb_get64(text_row(segment, block + 1) + 8);

	out->first = kb_get32(text_row(segment, block));
	out->end = last ? segment->passages : kb_get32(text_row(segment, block + 1));
	out->raw_bytes = kb_get32(text_row(segment, block) + 4);
	if (place > end || end > text.n || out->first >= out->end || out->end > segment->passages
	    || out->raw_bytes > KB_TEXT_FRAME_MAX)
		return false;
	out->packed = kb_sv(text.p + place, end - place);
	return true;
}

uint32_t kb_segment_text_block_of(const struct kb_segment *segment, uint32_t passage)
{
	uint32_t low = 0, high = segment->text_blocks;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (kb_get32(text_row(segment, middle)) <= passage)
			low = middle;
		else
			high = middle;
	}
	return low;
}

bool kb_text_unpack(struct kb_arena *arena, const struct kb_text_block *block, struct kb_sv *out,
                    struct kb_err *err)
{
	char *raw = kb_arena_bytes(arena, block->raw_bytes);
	size_t n = ZSTD_decompress(raw, block->raw_bytes, block->packed.p, block->packed.n);

	if (ZSTD_isError(n) || n != block->raw_bytes)
		return kb_corrupt(err, "section text is damaged at passage %u", block->first);
	*out = kb_sv(raw, n);
	return true;
}

/* Reads `n` bytes as a view. */
static const uint8_t *take(const uint8_t *p, const uint8_t *end, uint64_t n, struct kb_sv *out)
{
	if (n > (size_t)(end - p))
		return NULL;
	*out = kb_sv((const char *)p, n);
	return p + n;
}

bool kb_text_next(const uint8_t **place, const uint8_t *end, struct kb_sv *title,
                  struct kb_sv *heading, struct kb_sv *text)
{
	const uint8_t *p = *place;
	uint64_t n;

	if (!(p = kb_get_varint(p, end, &n)) || (n && !(p = take(p, end, n - 1, title))))
		return false;
	if (!(p = kb_get_varint(p, end, &n)) || (n && !(p = take(p, end, n - 1, heading))))
		return false;
	if (!(p = kb_get_varint(p, end, &n)) || !(p = take(p, end, n, text)))
		return false;
	*place = p;
	return true;
}

/* ---- any of this library ---- */

bool kb_index_made(struct kb_sv head)
{
	static const char *const magics[] = { "KBSEG\r\n\x1a", "KBVEC\r\n\x1a", "KBFAC\r\n\x1a" };

	for (size_t i = 0; head.n >= KB_INDEX_HEAD && i < KB_COUNTOF(magics); i++)
		if (memcmp(head.p, magics[i], KB_INDEX_HEAD) == 0)
			return true;
	return false;
}
