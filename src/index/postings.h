/*
 * Postings: which passages hold a term, and how often in which field. Private to this folder.
 *
 * A list of fewer than 128 postings is a run of "small" postings: varint (gap * 4 + kind), gap
 * being the passage number minus the one before minus 1 (the first: the number itself). Kind 0:
 * once in the body; 1: a varint of the body follows, in no other field; 2: three varints follow
 * (body, title, heading).
 *
 * A longer list is
 *
 *   directory   16 bytes for each block of 128 postings: u32 last passage, u32 place of its data,
 *               u32 place of its maxima (both from the start of the list), u8 width of the gaps,
 *               u8 width of the body counts (+ 64: one less than the count is stored), u8 width of
 *               the title counts, u8 width of the heading counts
 *   maxima      of the whole list, then of each block: u8 number of pairs of body, title, heading,
 *               then the pairs (u8 count, 255 for "255 or more"; u8 length code). Only pairs that
 *               no other pair of the block beats in both count and shortness are kept: whatever k1
 *               and b are, the best contribution of a field comes from one of them.
 *   data        of each block: the four packed arrays (bitpack.h). A last block of fewer than 128
 *               postings is a run of small postings, its widths are 0.
 *
 * Counts of fields stay apart because BM25F weighs each by its own length. Pairs are taken field by
 * field: for postings of one field (nearly all) the bound is exact, else it may lie above.
 */
#ifndef KB_INDEX_POSTINGS_H
#define KB_INDEX_POSTINGS_H

#include "base/buf.h"
#include "index/bitpack.h"
#include "index/segment.h"

#define KB_DOC_END UINT32_MAX

struct kb_posting {
	uint32_t doc, tf[KB_FIELDS];
};

enum { KB_SMALL_POSTING_MAX = 4 * KB_VARINT_MAX };

/* One small posting; `before` is UINT32_MAX for the first. Returns the end. */
uint8_t *kb_small_posting_put(uint8_t *p, uint32_t before, const struct kb_posting *posting);
/* Reads up to max of them from p; *used are the bytes taken. Returns how many were whole. */
size_t kb_small_postings_get(const uint8_t *p, size_t n, uint32_t before, struct kb_posting *out,
                             size_t max, size_t *used);

/* Appends the list of `count` postings, ascending. lengths: the three code columns. */
void kb_postings_encode(const struct kb_posting *v, size_t count,
                        const uint8_t *const lengths[KB_FIELDS], struct kb_buf *out);
/* Reads a list of `df` postings from number `first` on, which begins a block; what is damaged is
 * left out. Returns how many there are. */
size_t kb_postings_decode(struct kb_sv list, uint32_t df, uint32_t first, struct kb_posting *out);
/* How many of a list's postings stand in full blocks. */
static inline uint32_t kb_postings_packed(uint32_t df)
{
	return df - df % KB_BLOCK;
}
/* Appends a list of what stands in full blocks of another one, copied as it is, and of `count`
 * postings after that. false: the other list is damaged. */
bool kb_postings_extend(struct kb_sv list, uint32_t df, const struct kb_posting *v, size_t count,
                        const uint8_t *const lengths[KB_FIELDS], struct kb_buf *out);

/* Pairs of one block or list; the best contribution of a field is that of one of them. */
struct kb_maxima {
	const uint8_t *pairs[KB_FIELDS]; /* count, length code */
	uint8_t n[KB_FIELDS];
};

/*
 * A reader's place in a list. The block in hand is unpacked in docs[]; counts are unpacked when
 * somebody asks. A passage number of a damaged list may be anything: users compare it with what
 * they may touch.
 */
struct kb_cursor {
	struct kb_sv list;
	uint32_t df, blocks;
	uint32_t block;    /* in hand; = blocks: none */
	uint32_t count;    /* postings in docs[] */
	uint32_t at;       /* place in docs[] */
	bool counts_ready; /* tf[] belongs to docs[] */
	bool body_only;    /* no posting of the block has a count of another field */
	uint32_t tf_limit; /* with tf[]: body counts are below it */
	uint32_t docs[KB_BLOCK];
	uint32_t tf[KB_FIELDS][KB_BLOCK];
};

/* Stands at the first posting. */
void kb_cursor_init(struct kb_cursor *cursor, struct kb_sv list, uint32_t df);
/* The passage at hand, KB_DOC_END after the last. */
static inline uint32_t kb_cursor_doc(const struct kb_cursor *cursor)
{
	return cursor->at < cursor->count ? cursor->docs[cursor->at] : KB_DOC_END;
}
/* Goes forward to the first posting of `doc` or later, and returns its passage. */
uint32_t kb_cursor_seek(struct kb_cursor *cursor, uint32_t doc);
/* The first block, from block `from` on, that ends at `doc` or later, by the directory alone; the
 * number of blocks if there is none. Of a list without a directory that is `from`. */
uint32_t kb_cursor_find_block(const struct kb_cursor *cursor, uint32_t from, uint32_t doc);
/* Stands at the first posting of a block, before the one in hand or after it; of a list without a
 * directory that is block 0. */
void kb_cursor_go(struct kb_cursor *cursor, uint32_t block);
/* Unpacks the next block; the cursor is at its end when there is none. */
void kb_cursor_next_block(struct kb_cursor *cursor);
/* Fills tf[] for the block in hand. */
void kb_cursor_load_counts(struct kb_cursor *cursor);
static inline void kb_cursor_counts(struct kb_cursor *cursor)
{
	if (!cursor->counts_ready)
		kb_cursor_load_counts(cursor);
}

/* Of a list with a directory (df >= KB_BLOCK): the maxima of a block, or of the list. false:
 * damage, the bound is then unknown. */
enum { KB_WHOLE_LIST = -1 };
bool kb_cursor_maxima(const struct kb_cursor *cursor, int64_t block, struct kb_maxima *out);
/* Last passage of a block according to the directory. */
uint32_t kb_cursor_block_last(const struct kb_cursor *cursor, uint32_t block);

#endif
