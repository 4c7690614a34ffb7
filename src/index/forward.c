#include "index/forward.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/utf8.h"
#include "index/bytes.h"
#include "index/unicode.h"

enum {
	WORD_ROW = 5, /* bytes before the word itself */
	PIECES_HEAD = 24,
	PIECE_ROW = 8,
	TABLE_FIRST = 1 << 12,
	STREAM_PART = 512, /* bytes of a stream that are written at a time */
	POOL_MOST =
	        4 << 20, /* pieces of words that a merge keeps; others are made again each time */
	LONG_RUN = 330,  /* bytes, some 110 characters: then a blank ends a sentence of Thai */
};

#define NONE UINT32_MAX

struct word {
	uint64_t prefix; /* first eight bytes: most comparisons end there */
	const char *text;
	uint32_t n, term;
	uint32_t count;
	uint32_t first_piece, piece_count; /* in piece_pool */
	uint32_t last_passage;
};

struct piece {
	uint32_t df, last_passage;
};

struct piece_row { /* as in the file */
	uint32_t hash, df;
};

/* Open addressing. */
struct table {
	struct slot {
		uint32_t hash, number; /* + 1; 0: free */
	} * slots;
	size_t count, size;
};

struct kb_forward_builder {
	struct kb_arena strings;
	struct word *words;
	size_t word_capacity;
	struct piece *pieces;
	uint32_t *piece_hashes;
	size_t piece_capacity, piece_hash_capacity;
	struct table word_table, piece_table;
	uint32_t *hinted; /* KB_WORD_HINTS: number + 1 of the word that came with a hint last */
	uint32_t *piece_pool;
	size_t pool_count, pool_capacity;
	bool counting;         /* streams and ends stay empty */
	struct kb_buf streams; /* as in the file, but with our own numbers */
	uint64_t *ends;        /* of each passage's stream */
	size_t end_capacity;
	uint32_t passages;
	unsigned field; /* of the element in hand, counted by field ends */
	uint64_t body_pieces, title_pieces;
	/* While streams are written. */
	struct kb_builder *builder;
	uint32_t *file_numbers; /* of each word */
	uint64_t *places, at;
	uint32_t written; /* passages */
};

/* ---- letter pieces ----
 *
 * Only the second step reads pieces. As terms of the dictionary they were worth the same and
 * doubled the postings, so a file has but their document frequencies, and passages have words.
 */

/* Files have hashes of pieces and no pieces: another factor or another cut needs new segments. */
static const uint32_t piece_factor = UINT32_C(0x9e3779b1);

static inline uint32_t piece_of(const uint32_t *chars, size_t n)
{
	uint32_t h = 0;

	for (size_t k = 0; k < n; k++)
		h = h * piece_factor + chars[k] + 1;
	return kb_piece_mix(h);
}

size_t kb_word_pieces(struct kb_sv word, uint32_t out[KB_WORD_PIECES_MAX])
{
	uint32_t chars[KB_WORD_PIECES_MAX + KB_PIECE_CHARS];
	size_t n = 0, count = 0;

	chars[n++] = '_';
	for (size_t i = 0; i < word.n && n < KB_WORD_PIECES_MAX;) {
		if ((unsigned char)word.p[i] < 0x80)
			chars[n++] = (unsigned char)word.p[i++];
		else
			i += kb_utf8_decode(kb_sv_from(word, i), &chars[n++]);
	}
	chars[n++] = '_';
	if (n < KB_PIECE_CHARS)
		out[count++] = piece_of(chars, n);
	for (size_t i = 0; i + KB_PIECE_CHARS <= n; i++)
		out[count++] = piece_of(chars + i, KB_PIECE_CHARS);
	return count;
}

/* ---- places and ends of sentences ---- */

static enum kb_char_kind first_kind(struct kb_sv text, size_t *bytes)
{
	uint32_t cp;

	*bytes = kb_utf8_decode(text, &cp);
	return cp == KB_UTF8_BAD ? KB_CHAR_BREAK : kb_char_kind(cp);
}

enum kb_place_kind kb_place_kind(const struct kb_term *term)
{
	size_t first;

	if (term->flags & KB_TERM_CJK && first_kind(term->word, &first) == KB_CHAR_CJK) {
		if (term->word.n > first)
			return KB_PLACE_NONE;
	} else if (term->flags & KB_TERM_PIECE) {
		return KB_PLACE_NONE;
	}
	return term->flags & (KB_TERM_STOP | KB_TERM_FUNCTION) ? KB_PLACE_GAP : KB_PLACE_WORD;
}

static bool is_sea(const struct kb_term *term)
{
	size_t first;

	return term->flags & KB_TERM_CJK && first_kind(term->word, &first) == KB_CHAR_SEA;
}

/* Whether a sentence that began at byte `since` ends between two terms that follow one another. A
 * full stop needs a blank after it, or numbers and addresses would end sentences, and no small
 * letter after that, or abbreviations would. */
static bool sentence_between(struct kb_sv text, size_t since, const struct kb_term *a,
                             const struct kb_term *b)
{
	/* Beside '.', '!' and '?': ideographic and fullwidth stops, danda, Arabic mark, ellipsis.
	 */
	static const struct kb_sv stops[] = { KB_SV_INIT("\u3002"), KB_SV_INIT("\uff01"),
		                              KB_SV_INIT("\uff1f"), KB_SV_INIT("\u0964"),
		                              KB_SV_INIT("\u061f"), KB_SV_INIT("\u2026") };

	for (size_t i = a->end; i < b->start && i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];
		bool blank = i + 1 < b->start && (unsigned char)text.p[i + 1] <= ' ';

		if (c <= ' ' && b->start - since > LONG_RUN && is_sea(b))
			return true;
		if (c == '\n' || ((c == '!' || c == '?') && blank))
			return true;
		if (c == '.' && blank && !(text.p[b->start] >= 'a' && text.p[b->start] <= 'z'))
			return true;
		if (c < 0x80)
			continue;
		for (size_t k = 0; k < KB_COUNTOF(stops); k++)
			if (kb_sv_starts(kb_sv_from(text, i), stops[k]))
				return true;
	}
	return false;
}

/* ---- words and pieces by number ----
 *
 * A slot has the hash beside the number: a table grows without looking at what its numbers stand
 * for, and the bytes of a word are compared only where all 32 bits agree.
 */

static void init_table(struct table *table)
{
	table->size = TABLE_FIRST;
	table->slots = kb_xcalloc(table->size, sizeof(*table->slots));
}

static void put_slot(struct slot *slots, size_t size, struct slot slot)
{
	size_t at = slot.hash & (size - 1);

	while (slots[at].number)
		at = (at + 1) & (size - 1);
	slots[at] = slot;
}

/* Gives the next number to what has this hash. */
static void add_slot(struct table *table, uint32_t hash)
{
	if (table->count * 2 >= table->size) {
		struct slot *old = table->slots;

		table->slots = kb_xcalloc(table->size * 2, sizeof(*old));
		for (size_t i = 0; i < table->size; i++)
			if (old[i].number)
				put_slot(table->slots, table->size * 2, old[i]);
		table->size *= 2;
		free(old);
	}
	put_slot(table->slots, table->size, (struct slot){ hash, (uint32_t)++table->count });
}

/* ---- the builder ----
 *
 * Words are numbered as they come; their numbers in the file follow from their frequencies, which
 * are known at the end. A writer keeps the streams under its own numbers until then. A merge
 * counts, reads the segments once more and writes: to keep its streams took as much memory as they
 * have, and was no faster.
 */

struct kb_forward_builder *kb_forward_new(void)
{
	struct kb_forward_builder *forward = kb_xcalloc(1, sizeof(*forward));

	kb_buf_init(&forward->streams, KB_GIB(256));
	forward->hinted = kb_xcalloc(KB_WORD_HINTS, sizeof(*forward->hinted));
	init_table(&forward->word_table);
	init_table(&forward->piece_table);
	return forward;
}

struct kb_forward_builder *kb_forward_new_counting(void)
{
	struct kb_forward_builder *forward = kb_forward_new();

	forward->counting = true;
	return forward;
}

void kb_forward_free(struct kb_forward_builder *forward)
{
	if (!forward)
		return;
	kb_arena_fini(&forward->strings);
	kb_buf_fini(&forward->streams);
	free(forward->words);
	free(forward->pieces);
	free(forward->piece_hashes);
	free(forward->word_table.slots);
	free(forward->piece_table.slots);
	free(forward->hinted);
	free(forward->piece_pool);
	free(forward->ends);
	free(forward->file_numbers);
	free(forward->places);
	free(forward);
}

size_t kb_forward_memory(const struct kb_forward_builder *forward)
{
	return forward->strings.total + forward->word_capacity * sizeof(struct word)
	       + forward->piece_capacity * sizeof(struct piece)
	       + (forward->piece_hash_capacity + forward->pool_capacity) * sizeof(uint32_t)
	       + (forward->word_table.size + forward->piece_table.size) * sizeof(struct slot)
	       + forward->streams.capacity + forward->end_capacity * sizeof(uint64_t);
}

static uint32_t intern_piece(struct kb_forward_builder *forward, uint32_t hash)
{
	struct table *table = &forward->piece_table;
	size_t slot = hash & (table->size - 1);

	for (; table->slots[slot].number; slot = (slot + 1) & (table->size - 1))
		if (table->slots[slot].hash == hash)
			return table->slots[slot].number - 1;
	KB_GROW(forward->pieces, forward->piece_capacity, table->count + 1);
	KB_GROW(forward->piece_hashes, forward->piece_hash_capacity, table->count + 1);
	forward->pieces[table->count] = (struct piece){ .last_passage = NONE };
	forward->piece_hashes[table->count] = hash;
	add_slot(table, hash);
	return (uint32_t)table->count - 1;
}

static bool has_pieces(struct kb_sv word)
{
	size_t bytes;

	return first_kind(word, &bytes) != KB_CHAR_CJK;
}

static void add_pieces(struct kb_forward_builder *forward, struct word *word)
{
	uint32_t hashes[KB_WORD_PIECES_MAX];
	size_t count;

	word->first_piece = (uint32_t)forward->pool_count;
	if (!has_pieces(kb_sv(word->text, word->n)))
		return;
	count = kb_word_pieces(kb_sv(word->text, word->n), hashes);
	word->piece_count = (uint32_t)count;
	if (forward->counting && forward->pool_count > POOL_MOST) {
		word->first_piece = NONE;
		return;
	}
	KB_GROW(forward->piece_pool, forward->pool_capacity, forward->pool_count + count);
	for (size_t i = 0; i < count; i++)
		forward->piece_pool[forward->pool_count++] = intern_piece(forward, hashes[i]);
}

static bool is_word(const struct word *word, struct kb_sv text, uint64_t prefix, uint32_t term)
{
	return word->prefix == prefix && word->n == text.n && word->term == term
	       && (text.n <= sizeof(prefix) || kb_same_bytes(word->text, text.p, text.n));
}

static uint32_t intern_word(struct kb_forward_builder *forward, struct kb_sv text, uint64_t prefix,
                            uint32_t term)
{
	struct table *table = &forward->word_table;
	uint32_t hash = (uint32_t)kb_hash64(text);
	size_t slot = hash & (table->size - 1);
	struct word *word;

	for (; table->slots[slot].number; slot = (slot + 1) & (table->size - 1))
		if (table->slots[slot].hash == hash
		    && is_word(&forward->words[table->slots[slot].number - 1], text, prefix, term))
			return table->slots[slot].number - 1;
	KB_GROW(forward->words, forward->word_capacity, table->count + 1);
	word = &forward->words[table->count];
	*word = (struct word){ .text = forward->counting ? text.p
		                                         : kb_arena_sv(&forward->strings, text).p,
		               .n = (uint32_t)text.n,
		               .term = term,
		               .prefix = prefix,
		               .last_passage = NONE };
	add_pieces(forward, word);
	add_slot(table, hash);
	return (uint32_t)table->count - 1;
}

uint32_t kb_forward_word(struct kb_forward_builder *forward, struct kb_sv text, uint32_t term)
{
	text = kb_term_key(text);
	return intern_word(forward, text, kb_prefix64(text.p, text.n), term);
}

/* ---- counting ----
 *
 * Document frequencies without a set for each passage: a word and a piece remember the last passage
 * that had them. The pieces of a word that the passage has had already are not looked at again.
 */

static void count_piece(struct kb_forward_builder *forward, uint32_t number)
{
	struct piece *piece = &forward->pieces[number];

	piece->df += piece->last_passage != forward->passages;
	piece->last_passage = forward->passages;
}

void kb_forward_add(struct kb_forward_builder *forward, uint64_t value)
{
	struct kb_buf *streams = &forward->streams;
	struct word *word;
	uint8_t *end;

	if (!forward->counting) {
		if (streams->capacity - streams->n < KB_VARINT_MAX
		    && !kb_buf_room(streams, KB_VARINT_MAX))
			return;
		end = kb_put_varint((uint8_t *)streams->p + streams->n, value);
		streams->n = (size_t)(end - (uint8_t *)streams->p);
	}
	if (value < KB_FWD_WORD) {
		forward->field += value == KB_FWD_FIELD;
		return;
	}
	word = &forward->words[value - KB_FWD_WORD];
	word->count++;
	if (forward->field < 2) /* title, heading, body */
		forward->title_pieces += word->piece_count;
	else
		forward->body_pieces += word->piece_count;
	if (word->last_passage == forward->passages)
		return;
	word->last_passage = forward->passages;
	if (word->first_piece == NONE) {
		uint32_t hashes[KB_WORD_PIECES_MAX] = { 0 };

		kb_word_pieces(kb_sv(word->text, word->n), hashes);
		for (uint32_t i = 0; i < word->piece_count; i++)
			count_piece(forward, intern_piece(forward, hashes[i]));
		return;
	}
	for (uint32_t i = 0; i < word->piece_count; i++)
		count_piece(forward, forward->piece_pool[word->first_piece + i]);
}

static void put_gap(struct kb_forward_builder *forward, uint32_t *gap)
{
	while (*gap) {
		uint32_t n = KB_MIN(*gap, (uint32_t)KB_FWD_GAP_MAX);

		kb_forward_add(forward, KB_FWD_GAP + n - 1);
		*gap -= n;
	}
}

/* ---- from terms to a sequence ----
 *
 * The analysis has looked every word up already, so its hint is tried before the word is hashed a
 * second time: it tells which word came with it last, and is right nearly always. The bytes are
 * compared, so a wrong hint costs a look-up and nothing else.
 */

/* Asks at once for the memory that counting the words will touch. */
static void prepare(struct kb_forward_builder *forward, const struct kb_terms *terms)
{
	for (size_t i = 0; i < terms->count; i++) {
		uint32_t word = forward->hinted[terms->v[i].hint];

		if (word)
			__builtin_prefetch(&forward->words[word - 1]);
	}
}

static uint32_t number_of(struct kb_forward_builder *forward, const struct kb_term *term,
                          uint32_t term_number)
{
	struct kb_sv text = { term->word.p, KB_MIN(term->word.n, (size_t)KB_TERM_MAX) };
	uint64_t prefix = kb_prefix64(text.p, text.n);
	uint32_t guessed = forward->hinted[term->hint], number;

	if (guessed && is_word(&forward->words[guessed - 1], text, prefix, term_number))
		return guessed - 1;
	number = intern_word(forward, text, prefix, term_number);
	if (term->hint)
		forward->hinted[term->hint] = number + 1;
	return number;
}

/* What is nearly always so, without a call. */
static inline enum kb_place_kind place_kind(const struct kb_term *term)
{
	if (term->flags & (KB_TERM_CJK | KB_TERM_PIECE))
		return kb_place_kind(term);
	return term->flags & (KB_TERM_STOP | KB_TERM_FUNCTION) ? KB_PLACE_GAP : KB_PLACE_WORD;
}

/* A single blank before a word of letters ends no sentence. */
static inline bool is_one_blank(struct kb_sv text, const struct kb_term *a, const struct kb_term *b)
{
	return b->start - a->end == 1 && text.p[a->end] == ' ' && !(b->flags & KB_TERM_CJK);
}

void kb_forward_field(struct kb_forward_builder *forward, struct kb_sv text,
                      const struct kb_terms *terms, const uint32_t *numbers)
{
	const struct kb_term *before = NULL;
	uint32_t gap = 0;
	size_t since = 0;

	prepare(forward, terms);
	for (size_t i = 0; i < terms->count; i++) {
		const struct kb_term *term = &terms->v[i];
		enum kb_place_kind kind = place_kind(term);

		if (kind == KB_PLACE_NONE)
			continue;
		if (before && !is_one_blank(text, before, term)
		    && sentence_between(text, since, before, term)) {
			put_gap(forward, &gap);
			kb_forward_add(forward, KB_FWD_SENTENCE);
			since = term->start;
		}
		before = term;
		if (kind == KB_PLACE_GAP) {
			gap++;
			continue;
		}
		put_gap(forward, &gap);
		kb_forward_add(forward,
		               (uint64_t)KB_FWD_WORD + number_of(forward, term, numbers[i]));
	}
	put_gap(forward, &gap);
}

void kb_forward_end_passage(struct kb_forward_builder *forward)
{
	if (!forward->counting) {
		KB_GROW(forward->ends, forward->end_capacity, forward->passages + (size_t)1);
		forward->ends[forward->passages] = forward->streams.n;
	}
	forward->passages++;
	forward->field = 0;
}

/* ---- writing ----
 *
 * The order is settled down to the last byte (frequency, bytes, term), so that a merge writes the
 * same file as a build of the same passages.
 */

/* What most comparisons need, side by side: frequent before rare, then the first bytes of the word,
 * as one number. */
struct sort_key {
	uint64_t order;
	const struct word *word;
};

static struct sort_key sort_key(const struct word *word)
{
	return (struct sort_key){
		(uint64_t)~word->count << 32 | __builtin_bswap64(word->prefix) >> 32, word
	};
}

static int by_frequency(const void *a, const void *b)
{
	const struct sort_key *x = a, *y = b;
	int order;

	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	order = kb_sv_cmp(kb_sv(x->word->text, x->word->n), kb_sv(y->word->text, y->word->n));
	if (order)
		return order;
	return x->word->term < y->word->term ? -1 : x->word->term > y->word->term;
}

/* Writes WORDS; number[] tells each word's number in the file. */
static void put_words(struct kb_forward_builder *forward, uint32_t *number,
                      struct kb_builder *builder)
{
	size_t count = forward->word_table.count, used = 0;
	struct sort_key *order = kb_xmalloc(count * sizeof(*order));
	uint32_t place;

	for (size_t i = 0; i < count; i++)
		if (forward->words[i].count)
			order[used++] = sort_key(&forward->words[i]);
	if (used)
		qsort(order, used, sizeof(*order), by_frequency);
	kb_builder_section(builder, KB_SEC_WORDS);
	place = (uint32_t)(used * sizeof(place));
	for (size_t i = 0; i < used; i++) {
		number[order[i].word - forward->words] = (uint32_t)i;
		kb_builder_add(builder, &place, sizeof(place));
		place += WORD_ROW + order[i].word->n;
	}
	for (size_t i = 0; i < used; i++) {
		const struct word *word = order[i].word;
		uint8_t n = (uint8_t)word->n;

		kb_builder_add(builder, &word->term, sizeof(word->term));
		kb_builder_add(builder, &n, sizeof(n));
		kb_builder_add(builder, word->text, n);
	}
	free(order);
}

void kb_forward_write(struct kb_forward_builder *forward, const uint8_t *p, size_t n)
{
	kb_builder_add(forward->builder, p, n);
	forward->at += n;
}

void kb_forward_write_end(struct kb_forward_builder *forward)
{
	KB_ASSERT(forward->written < forward->passages);
	forward->places[++forward->written] = forward->at;
}

uint32_t kb_forward_number(const struct kb_forward_builder *forward, uint32_t word)
{
	return forward->file_numbers[word];
}

static void put_places(const struct kb_forward_builder *forward)
{
	uint8_t width = forward->at > UINT32_MAX ? 8 : 4;

	kb_builder_put(forward->builder, KB_SEC_FORWARD_PLACES, &width, 1);
	for (uint32_t i = 0; i <= forward->passages; i++)
		kb_builder_add(forward->builder, &forward->places[i], width);
}

/* Turns our own numbers into those of the file. */
static void put_streams(struct kb_forward_builder *forward)
{
	const uint8_t *p = (const uint8_t *)forward->streams.p;

	for (uint32_t i = 0; i < forward->passages; i++) {
		const uint8_t *end = (const uint8_t *)forward->streams.p + forward->ends[i];

		while (p && p < end) {
			uint8_t bytes[STREAM_PART + KB_VARINT_MAX], *to = bytes;
			uint64_t value;

			while (p && p < end && to < bytes + STREAM_PART) {
				p = kb_get_varint(p, end, &value);
				if (value >= KB_FWD_WORD)
					value = forward->file_numbers[value - KB_FWD_WORD]
					        + (uint64_t)KB_FWD_WORD;
				to = kb_put_varint(to, value);
			}
			kb_forward_write(forward, bytes, (size_t)(to - bytes));
		}
		kb_forward_write_end(forward);
	}
}

static int by_hash(const void *a, const void *b)
{
	const struct piece_row *x = a, *y = b;

	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

static void put_pieces(struct kb_forward_builder *forward, struct kb_builder *builder)
{
	size_t all = forward->pieces ? forward->piece_table.count : 0;
	struct piece_row *rows = kb_xmalloc(all * sizeof(*rows));
	uint64_t count = 0;

	for (size_t i = 0; i < all; i++)
		if (forward->pieces[i].df)
			rows[count++] = (struct piece_row){ forward->piece_hashes[i],
				                            forward->pieces[i].df };
	if (count)
		qsort(rows, count, sizeof(*rows), by_hash);
	kb_builder_put(builder, KB_SEC_PIECES, &forward->body_pieces, 8);
	kb_builder_add(builder, &forward->title_pieces, 8);
	kb_builder_add(builder, &count, 8);
	kb_builder_add(builder, rows, count * sizeof(*rows));
	free(rows);
}

void kb_forward_begin(struct kb_forward_builder *forward, struct kb_builder *builder)
{
	size_t words = forward->word_table.count;

	forward->builder = builder;
	forward->file_numbers = kb_xmalloc(words * sizeof(*forward->file_numbers));
	forward->places = kb_xcalloc(forward->passages + (size_t)1, sizeof(*forward->places));
	put_words(forward, forward->file_numbers, builder);
	kb_builder_section(builder, KB_SEC_FORWARD);
}

void kb_forward_end(struct kb_forward_builder *forward)
{
	KB_ASSERT(forward->written == forward->passages);
	put_places(forward);
	put_pieces(forward, forward->builder);
}

void kb_forward_put(struct kb_forward_builder *forward, const uint32_t *term_map,
                    struct kb_builder *builder)
{
	for (size_t i = 0; i < forward->word_table.count; i++)
		forward->words[i].term = term_map[forward->words[i].term];
	kb_forward_begin(forward, builder);
	put_streams(forward);
	kb_forward_end(forward);
}

/* ---- reading ----
 *
 * Nothing was checked when the segment was opened: each look-up compares its place with its
 * section, and what does not fit is as if it were not there.
 */

struct kb_sv kb_forward_stream(const struct kb_segment *segment, uint32_t passage)
{
	struct kb_sv places = segment->sections[KB_SEC_FORWARD_PLACES];
	struct kb_sv streams = segment->sections[KB_SEC_FORWARD];
	size_t width = places.n ? (unsigned char)places.p[0] : 0;
	uint64_t first, end;
	const char *row;

	if ((width != 4 && width != 8) || (places.n - 1) / width <= segment->passages)
		return kb_sv(NULL, 0);
	row = places.p + 1 + passage * width;
	first = width == 4 ? kb_get32(row) : kb_get64(row);
	end = width == 4 ? kb_get32(row + width) : kb_get64(row + width);
	if (first > end || end > streams.n)
		return kb_sv(NULL, 0);
	return kb_sv(streams.p + first, end - first);
}

uint32_t kb_forward_words(const struct kb_segment *segment)
{
	struct kb_sv words = segment->sections[KB_SEC_WORDS];

	return words.n < 4 ? 0 : (uint32_t)(KB_MIN(kb_get32(words.p), words.n) / 4);
}

bool kb_forward_word_at(const struct kb_segment *segment, uint32_t number, struct kb_sv *word,
                        uint32_t *term)
{
	struct kb_sv words = segment->sections[KB_SEC_WORDS];
	uint32_t place;
	const char *row;

	if (number >= kb_forward_words(segment))
		return false;
	place = kb_get32(words.p + (size_t)number * 4);
	if (place > words.n || words.n - place < WORD_ROW)
		return false;
	row = words.p + place;
	*term = kb_get32(row);
	*word = kb_sv(row + WORD_ROW, (unsigned char)row[4]);
	return word->n <= words.n - place - WORD_ROW;
}

struct kb_piece_sums kb_piece_sums(const struct kb_segment *segment)
{
	struct kb_sv pieces = segment->sections[KB_SEC_PIECES];

	if (pieces.n < PIECES_HEAD)
		return (struct kb_piece_sums){ 0 };
	return (struct kb_piece_sums){ kb_get64(pieces.p), kb_get64(pieces.p + 8) };
}

uint32_t kb_piece_df(const struct kb_segment *segment, uint32_t piece)
{
	struct kb_sv pieces = segment->sections[KB_SEC_PIECES];
	size_t low = 0, high, count;
	const char *rows;

	if (pieces.n < PIECES_HEAD)
		return 0;
	rows = pieces.p + PIECES_HEAD;
	high = count = (pieces.n - PIECES_HEAD) / PIECE_ROW;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (kb_get32(rows + middle * PIECE_ROW) < piece)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == count || kb_get32(rows + low * PIECE_ROW) != piece)
		return 0;
	return kb_get32(rows + low * PIECE_ROW + 4);
}
