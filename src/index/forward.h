/*
 * Passages as sequences of words: what the second ranking step (rerank.h) reads. Private to this
 * folder.
 *
 * That step looks at neighbours, sentences, first places and letter pieces of 200 passages. Their
 * stored text would have to be unpacked and analysed again (milliseconds); positions in postings
 * would need a search in each list for each passage, and know nothing of unstemmed words, of which
 * the pieces are made. So each passage has its words in order, as numbers: read front to back, one
 * short read a passage.
 *
 *   WORDS           u32 place of each word's row in what follows (from the start of the section),
 *                   then the rows: u32 term number, u8 bytes, the unstemmed word. Words are
 *                   numbered by falling frequency, so that frequent ones have short numbers; equal
 *                   ones by their bytes, then by their term.
 *   FORWARD         a stream for each passage, of varints: 0 ends a sentence; 1 goes on to
 *                   the next field (title, heading, body); 2 to 9 stand for 1 to 8 words that only
 *                   take up places (stop and function words); from 10 on: word number + 10.
 *   FORWARD_PLACES  u8 width (4 or 8), then the place of each passage's stream, and the end.
 *   PIECES          u64 each: pieces in bodies, pieces in titles and headings, number of different
 *                   pieces; then rows sorted by the first: u32 hash of the piece, u32 number of
 *                   passages that hold it.
 *
 * A piece is four characters in a row of "_word_", or the whole of it where it is shorter. Its hash
 * is h = 0; h = h * 0x9e3779b1 + c + 1 for its characters c, mixed by kb_piece_mix(). Chinese,
 * Japanese and Korean have no pieces, their pairs are terms already; the words of such a passage
 * are its characters.
 */
#ifndef KB_INDEX_FORWARD_H
#define KB_INDEX_FORWARD_H

#include "index/build.h"

enum {
	KB_FWD_SENTENCE = 0,
	KB_FWD_FIELD = 1,
	KB_FWD_GAP = 2, /* of one place; up to KB_FWD_GAP + KB_FWD_GAP_MAX - 1 */
	KB_FWD_GAP_MAX = 8,
	KB_FWD_WORD = KB_FWD_GAP + KB_FWD_GAP_MAX,
	KB_PIECE_CHARS = 4,
	KB_WORD_PIECES_MAX = 256,
};

static inline uint32_t kb_piece_mix(uint32_t h)
{
	h ^= h >> 16;
	h *= UINT32_C(0x85ebca6b);
	return h ^ h >> 13;
}

/* Hashes of the pieces of a word, in order; returns how many. */
size_t kb_word_pieces(struct kb_sv word, uint32_t out[KB_WORD_PIECES_MAX]);

/* The part of an analysis that makes up the sequence: one term a place. */
enum kb_place_kind {
	KB_PLACE_NONE, /* no place of its own: a piece, a pair */
	KB_PLACE_GAP,  /* takes up a place */
	KB_PLACE_WORD,
};
enum kb_place_kind kb_place_kind(const struct kb_term *term);

struct kb_forward_builder;
struct kb_forward_builder *kb_forward_new(void);
void kb_forward_free(struct kb_forward_builder *forward);
size_t kb_forward_memory(const struct kb_forward_builder *forward); /* bytes taken so far */
/* The number of a word, for kb_forward_add(). `term` is a number of the caller's. */
uint32_t kb_forward_word(struct kb_forward_builder *forward, struct kb_sv word, uint32_t term);
/* The next element of the passage in hand: below KB_FWD_WORD as in the stream, or KB_FWD_WORD + a
 * number of kb_forward_word(). */
void kb_forward_add(struct kb_forward_builder *forward, uint64_t value);
/* Adds a field's sequence. numbers[i]: the caller's number of terms->v[i].term, where that is a
 * KB_PLACE_WORD. */
void kb_forward_field(struct kb_forward_builder *forward, struct kb_sv text,
                      const struct kb_terms *terms, const uint32_t *numbers);
void kb_forward_end_passage(struct kb_forward_builder *forward);
/* Writes the four sections. term_map: from the caller's term numbers to the dictionary's. */
void kb_forward_put(struct kb_forward_builder *forward, const uint32_t *term_map,
                    struct kb_builder *builder);

/* The same without streams in memory, for who can read them twice and has the words' bytes as long
 * as this: kb_forward_add() only counts until kb_forward_begin() has written the words; then each
 * element is written, under the number that kb_forward_number() gives, and each passage ended once
 * more. */
struct kb_forward_builder *kb_forward_new_counting(void);
void kb_forward_begin(struct kb_forward_builder *forward, struct kb_builder *builder);
uint32_t kb_forward_number(const struct kb_forward_builder *forward, uint32_t word);
void kb_forward_write(struct kb_forward_builder *forward, const uint8_t *p, size_t n);
void kb_forward_write_end(struct kb_forward_builder *forward);
void kb_forward_end(struct kb_forward_builder *forward);

/* A passage's stream; empty where the file is damaged or has none. */
struct kb_sv kb_forward_stream(const struct kb_segment *segment, uint32_t passage);
/* A word by its number; false where the file is damaged. */
bool kb_forward_word_at(const struct kb_segment *segment, uint32_t number, struct kb_sv *word,
                        uint32_t *term);
uint32_t kb_forward_words(const struct kb_segment *segment);

/* Statistics of pieces; zeros where there are none. */
struct kb_piece_sums {
	uint64_t body, title;
};
struct kb_piece_sums kb_piece_sums(const struct kb_segment *segment);
uint32_t kb_piece_df(const struct kb_segment *segment, uint32_t piece);

#endif
