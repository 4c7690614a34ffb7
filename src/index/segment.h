/*
 * The segment file, version 1: how it lies on disk and how it is read. Private to this folder.
 *
 * The frame is that of every file of sections (base/container.h), its magic "KBSEG\r\n\x1a".
 *
 * Sections (KB_SEC_...):
 *
 *   STATS     u64 each: passages, pages, terms, text bytes, then the summed lengths of the three
 *             fields (decoded codes, see below) over all passages.
 *   PASSAGES  five columns after one another: run, ordinal, page_no, offset, lang. A column is one
 *             byte with its width (0, 1, 2 or 4 bytes a value; 0: all are zero), then the values.
 *             A run is a stretch of passages of one page; runs are numbered in passage order.
 *   RUNS      i64 page id of each run, then u32 first passage of each run, then u32 run numbers in
 *             the order of their page ids: the look-up from a page to its passages.
 *   LENGTHS   three byte columns (body, title, heading), a code a passage: how many terms of the
 *             field are indexed, exact to 50, then within 2 % (kb_length_table()).
 *   TERMS     the dictionary: terms in bytewise order, front-coded in blocks of 16. An entry is u8
 *             bytes shared with the term before (0 for a block's first), u8 further bytes, these
 *             bytes, varint df, varint bytes of its postings.
 *   TERM_BLOCKS  a row of two u64 for each block: its place in TERMS, the place in POSTINGS where
 *             its first term's list begins (the others follow without gaps).
 *   TERM_HASH u32 slots, a power of two of them: term number + 1 or 0, open addressing by the low
 *             bits of XXH3 of the term, linear probing. An exact look-up costs one slot and one
 *             block of 16.
 *   POSTINGS  the lists, postings.h.
 *   TEXT      stored text: zstd frames, each of some whole passages (about 16 KB before
 *             compression). A passage is varint title bytes + 1 and the title, or 0 for "as the
 *             passage before"; the same for the heading; varint text bytes and the text.
 *   TEXT_BLOCKS  a row for each frame: u32 first passage, u32 bytes before compression, u64 place
 *             in TEXT.
 *   WORDS, FORWARD, PIECES  what the second ranking step reads: forward.h.
 *   MARKS     items of lists, headings, code: line_marks.h. Older files have none.
 *
 * A reader trusts nothing: every place and length is checked against the map when it is used, every
 * passage number against the number of passages. A damaged file that passes the checks of opening
 * gives wrong results, at worst none; it never reads outside the map.
 */
#ifndef KB_INDEX_SEGMENT_H
#define KB_INDEX_SEGMENT_H

#include <stdatomic.h>

#include "base/container.h"
#include "index/index.h"

enum {
	KB_TERM_MAX = 240,         /* bytes; longer terms are cut, in documents and questions */
	KB_DICT_BLOCK = 16,        /* terms */
	KB_TEXT_BLOCK = 16 * 1024, /* bytes; a frame ends with the passage that reaches it */
};

/* One passage's title, heading and text together, and so what a frame may unpack to. */
#define KB_PASSAGE_MAX    KB_MIB(16)
#define KB_TEXT_FRAME_MAX (KB_PASSAGE_MAX + KB_TEXT_BLOCK + 64)
/* Passage numbers end below the mark of a used-up list. */
#define KB_PASSAGES_MAX (UINT32_MAX - 1)

enum kb_section_id {
	KB_SEC_STATS = 1,
	KB_SEC_PASSAGES,
	KB_SEC_RUNS,
	KB_SEC_LENGTHS,
	KB_SEC_TERMS,
	KB_SEC_TERM_BLOCKS,
	KB_SEC_TERM_HASH,
	KB_SEC_POSTINGS,
	KB_SEC_TEXT,
	KB_SEC_TEXT_BLOCKS,
	KB_SEC_WORDS,
	KB_SEC_WORD_BLOCKS,
	KB_SEC_FORWARD,
	KB_SEC_FORWARD_PLACES,
	KB_SEC_PIECES,
	KB_SEC_MARKS,
	KB_SEC_COUNT
};

enum kb_index_field { KB_FIELD_BODY, KB_FIELD_TITLE, KB_FIELD_HEADING, KB_FIELDS };

enum kb_column { KB_COL_RUN, KB_COL_ORDINAL, KB_COL_PAGE_NO, KB_COL_OFFSET, KB_COL_LANG, KB_COLS };

/* Values of one width; width 0 stands for zeros. */
struct kb_col {
	const uint8_t *p;
	unsigned width;
};

struct kb_segment {
	atomic_int count;
	struct kb_container file;
	struct kb_sv sections[KB_SEC_COUNT]; /* empty where there is none */

	uint32_t passages, runs, terms;
	uint64_t text_bytes;
	uint64_t length_sums[KB_FIELDS];
	uint32_t langs[KB_LANG_COUNT]; /* passages by language, from a sample */

	struct kb_col cols[KB_COLS];
	const uint8_t *run_pages, *run_firsts, *run_order;
	const uint8_t *lengths[KB_FIELDS];
	uint32_t dict_blocks, hash_mask, text_blocks;
};

extern const struct kb_form kb_segment_form;

/* LEB128 of at most 64 bits; NULL when it does not end before `end`. */
static inline const uint8_t *kb_get_varint(const uint8_t *p, const uint8_t *end, uint64_t *n)
{
	*n = 0;
	for (unsigned shift = 0; p < end && shift < 64; shift += 7) {
		*n |= (uint64_t)(*p & 127) << shift;
		if (*p++ < 128)
			return p;
	}
	return NULL;
}

static inline uint8_t *kb_put_varint(uint8_t *p, uint64_t n)
{
	for (; n > 127; n >>= 7)
		*p++ = (uint8_t)(n | 128);
	*p++ = (uint8_t)n;
	return p;
}

enum { KB_VARINT_MAX = 10 };

static inline uint32_t kb_col_get(const struct kb_col *col, uint32_t i)
{
	uint16_t n;

	switch (col->width) {
	case 0:
		return 0;
	case 1:
		return col->p[i];
	case 2:
		memcpy(&n, col->p + (size_t)i * sizeof(n), sizeof(n));
		return n;
	default:
		return kb_get32(col->p + (size_t)i * sizeof(uint32_t));
	}
}

/* Both are clipped to what the file has, so that a damaged column leads nowhere. */
static inline uint32_t kb_segment_run(const struct kb_segment *segment, uint32_t passage)
{
	return KB_MIN(kb_col_get(&segment->cols[KB_COL_RUN], passage), segment->runs - 1);
}

static inline int64_t kb_segment_page(const struct kb_segment *segment, uint32_t passage)
{
	uint32_t run = kb_segment_run(segment, passage);

	return (int64_t)kb_get64(segment->run_pages + (size_t)run * 8);
}

/* Ids of a damaged file may be anything: a sum wraps and then names no page. */
static inline int64_t kb_page_shifted(int64_t page_id, int64_t shift)
{
	return (int64_t)((uint64_t)page_id + (uint64_t)shift);
}

/* Adds passages by language, from a sample; those of the bit set `dead` (NULL: none) are left out.
 */
void kb_segment_langs(const struct kb_segment *segment, const uint64_t *dead,
                      uint32_t langs[KB_LANG_COUNT]);

/* A passage without its texts. */
void kb_segment_row(const struct kb_segment *segment, uint32_t passage, struct kb_passage *out);

/* Passages first .. end - 1 of a run. */
void kb_segment_run_range(const struct kb_segment *segment, uint32_t run, uint32_t *first,
                          uint32_t *end);
/* Place of the first entry of `run_order` whose page id is not below this one. */
uint32_t kb_segment_find_page(const struct kb_segment *segment, int64_t page_id);

/* The frame that holds a passage: its bytes, its size unpacked, its first passage and the first of
 * the next one. false when the file is damaged there. */
struct kb_text_block {
	struct kb_sv packed;
	size_t raw_bytes;
	uint32_t first, end;
};
bool kb_segment_text_block(const struct kb_segment *segment, uint32_t block,
                           struct kb_text_block *out);
uint32_t kb_segment_text_block_of(const struct kb_segment *segment, uint32_t passage);
/* Unpacks a frame into the arena. */
bool kb_text_unpack(struct kb_arena *arena, const struct kb_text_block *block, struct kb_sv *out,
                    struct kb_err *err) KB_MUST_CHECK;
/* Takes the next passage's title, heading and text from an unpacked frame; the three hold the
 * passage before on the way in. */
bool kb_text_next(const uint8_t **p, const uint8_t *end, struct kb_sv *title, struct kb_sv *heading,
                  struct kb_sv *text);

/* Lengths in a byte: table[code] is the length that stands for all near it. */
void kb_length_table(uint32_t table[256]);
uint8_t kb_length_code(const uint32_t table[256], uint32_t length);

#endif
