/*
 * Building a segment from passages in one pass.
 *
 * A hash table maps each term to its postings so far, which grow as small postings (postings.h) in
 * chained chunks of one pool; stored text is packed as it comes. Finish sorts the terms and writes
 * the file. Memory grows with the postings, the packed text and the different words: about .6 of
 * the text. kb_segment_writer_memory() tells it to who has a limit.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "index/bytes.h"
#include "index/codes.h"
#include "index/forward.h"
#include "index/line_marks.h"

enum {
	POOL_BLOCK = 1 << 20,
	CHUNK_FIRST = 16, /* bytes with the link to the next chunk; doubles up to the largest */
	CHUNK_LARGEST = 1024,
	CHUNK_LINK = 4,
	POOL_UNIT = 4, /* chunk places count these, so that 16 GB can be named */
	TABLE_FIRST = 1 << 12,
	TERM_BLOCK = 1 << 10, /* terms */
	AHEAD = 8,            /* terms whose memory is asked for before it is their turn */
};

struct term {
	uint64_t prefix; /* first eight bytes, for comparing and sorting */
	const char *text;
	uint32_t n;
	uint32_t now[KB_FIELDS]; /* counts in the passage in hand */
	uint32_t df, last_doc;
	uint32_t bytes;      /* of the postings */
	uint32_t head, tail; /* chunks */
	uint16_t used, size; /* of the tail, in bytes */
};
static_assert(sizeof(struct term) <= 64, "a term is a line of the processor's cache");

struct kb_segment_writer {
	struct kb_analyzer *analyzer;
	struct kb_arena scratch; /* of one passage */
	struct kb_arena strings; /* the terms' bytes */
	union term_line {
		struct term term;
		_Alignas(64) char bytes[64];
	} * *terms; /* blocks of TERM_BLOCK, in the order they came */
	size_t term_count, block_count, block_capacity;
	struct slot {
		uint32_t hash, term; /* number + 1; 0: free */
	} * table;
	size_t slots;
	char **pool; /* blocks of POOL_BLOCK bytes */
	size_t pool_count, pool_capacity, pool_used;
	uint32_t *touched; /* terms of the passage in hand */
	size_t touched_count, touched_capacity;
	struct kb_columns columns;
	struct kb_text_builder text;
	struct kb_line_marks_builder marks;
	struct kb_forward_builder *forward;
	uint32_t *numbers; /* of the field in hand: of each term of the analysis */
	size_t number_capacity;
	uint32_t *hinted; /* KB_WORD_HINTS: number + 1 of the term that came with a hint last */
	size_t passage_max;
	bool too_large; /* a passage was */
	bool passing;
};

static void begin(struct kb_segment_writer *writer)
{
	writer->slots = TABLE_FIRST;
	writer->table = kb_xcalloc(writer->slots, sizeof(*writer->table));
	writer->hinted = kb_xcalloc(KB_WORD_HINTS, sizeof(*writer->hinted));
	writer->pool_used = POOL_BLOCK; /* so that the first chunk takes a block */
	kb_columns_init(&writer->columns);
	kb_text_builder_init(&writer->text);
	kb_line_marks_init(&writer->marks);
	writer->forward = kb_forward_new();
}

static void end(struct kb_segment_writer *writer)
{
	struct kb_analyzer *analyzer = writer->analyzer;

	kb_arena_fini(&writer->scratch);
	kb_arena_fini(&writer->strings);
	for (size_t i = 0; i < writer->pool_count; i++)
		free(writer->pool[i]);
	free(writer->pool);
	for (size_t i = 0; i < writer->block_count; i++)
		free(writer->terms[i]);
	free(writer->terms);
	free(writer->table);
	free(writer->touched);
	kb_columns_fini(&writer->columns);
	kb_text_builder_fini(&writer->text);
	kb_line_marks_fini(&writer->marks);
	kb_forward_free(writer->forward);
	free(writer->numbers);
	free(writer->hinted);
	*writer = (struct kb_segment_writer){ .analyzer = analyzer,
		                              .passage_max = writer->passage_max };
}

struct kb_segment_writer *kb_segment_writer_new(void)
{
	struct kb_segment_writer *writer = kb_xcalloc(1, sizeof(*writer));

	writer->analyzer = kb_analyzer_new();
	writer->passage_max = KB_PASSAGE_MAX;
	begin(writer);
	return writer;
}

void kb_segment_writer_passing(struct kb_segment_writer *writer)
{
	writer->passing = true;
}

void kb_segment_writer_limit(struct kb_segment_writer *writer, size_t passage_max)
{
	writer->passage_max = KB_MIN(passage_max, KB_PASSAGE_MAX);
}

size_t kb_segment_writer_memory(const struct kb_segment_writer *writer)
{
	const struct kb_columns *columns = &writer->columns;
	size_t passages = 0;

	for (int c = 0; c < KB_COLS; c++)
		passages += columns->capacity[c] * sizeof(uint32_t);
	for (int f = 0; f < KB_FIELDS; f++)
		passages += columns->length_capacity[f];
	passages += columns->run_page_capacity * sizeof(int64_t)
	            + columns->run_first_capacity * sizeof(uint32_t);
	return passages + writer->strings.total
	       + writer->block_count * TERM_BLOCK * sizeof(union term_line)
	       + writer->slots * sizeof(struct slot) + writer->pool_count * (size_t)POOL_BLOCK
	       + writer->text.packed.capacity + writer->text.blocks.capacity
	       + writer->marks.rows.capacity + writer->marks.bytes.capacity
	       + kb_forward_memory(writer->forward);
}

void kb_segment_writer_free(struct kb_segment_writer *writer)
{
	if (!writer)
		return;
	end(writer);
	kb_analyzer_free(writer->analyzer);
	free(writer);
}

static struct term *term_at(const struct kb_segment_writer *writer, uint32_t number)
{
	return &writer->terms[number / TERM_BLOCK][number % TERM_BLOCK].term;
}

static char *chunk_at(const struct kb_segment_writer *writer, uint32_t place)
{
	size_t byte = (size_t)place * POOL_UNIT;

	return writer->pool[byte / POOL_BLOCK] + byte % POOL_BLOCK;
}

static uint32_t new_chunk(struct kb_segment_writer *writer, uint32_t size)
{
	size_t place;

	if (writer->pool_used + size > POOL_BLOCK) {
		KB_GROW(writer->pool, writer->pool_capacity, writer->pool_count + 1);
		writer->pool[writer->pool_count++] = kb_xmalloc(POOL_BLOCK);
		writer->pool_used = 0;
	}
	place = (writer->pool_count - 1) * (size_t)POOL_BLOCK + writer->pool_used;
	writer->pool_used += size;
	KB_ASSERT(place / POOL_UNIT < UINT32_MAX);
	return (uint32_t)(place / POOL_UNIT);
}

/* Appends bytes to a term's chain. Where there is room for eight they are copied as one word,
 * whatever n is (p has that many: a small posting's buffer is larger): what is too much is
 * overwritten by the next posting, and a copy of a length that is known needs no branch. */
static void append(struct kb_segment_writer *writer, struct term *term, const uint8_t *p, size_t n)
{
	term->bytes += (uint32_t)n;
	if (n <= 8 && term->size - term->used >= 8) { /* nearly always */
		memcpy(chunk_at(writer, term->tail) + term->used, p, 8);
		term->used = (uint16_t)(term->used + n);
		return;
	}
	while (n) {
		size_t room = KB_MIN(n, (size_t)(term->size - term->used));

		if (!room) {
			uint16_t size = (uint16_t)KB_MIN(KB_MAX(term->size * 2, CHUNK_FIRST),
			                                 CHUNK_LARGEST);
			uint32_t chunk = new_chunk(writer, size);

			if (term->size)
				memcpy(chunk_at(writer, term->tail), &chunk, CHUNK_LINK);
			else
				term->head = chunk;
			term->tail = chunk;
			term->used = CHUNK_LINK;
			term->size = size;
			continue;
		}
		memcpy(chunk_at(writer, term->tail) + term->used, p, room);
		term->used = (uint16_t)(term->used + room);
		p += room;
		n -= room;
	}
}

/* The term's postings in one piece. A chunk does not store its size: chunks have the sizes that
 * append() gave them, in the same order. */
static const uint8_t *collect(const struct kb_segment_writer *writer, const struct term *term,
                              struct kb_buf *out)
{
	uint32_t place = term->head, size = CHUNK_FIRST, left = term->bytes;

	kb_buf_clear(out);
	while (left) {
		const char *chunk = chunk_at(writer, place);
		uint32_t n = KB_MIN(left, size - CHUNK_LINK);

		kb_buf_add(out, chunk + CHUNK_LINK, n);
		left -= n;
		if (left)
			memcpy(&place, chunk, CHUNK_LINK);
		size = KB_MIN(size * 2, (uint32_t)CHUNK_LARGEST);
	}
	return (const uint8_t *)out->p;
}

static void rehash(struct kb_segment_writer *writer)
{
	struct slot *old = writer->table;
	size_t old_slots = writer->slots;

	writer->slots *= 2;
	writer->table = kb_xcalloc(writer->slots, sizeof(*writer->table));
	for (size_t i = 0; i < old_slots; i++) {
		size_t slot = old[i].hash & (writer->slots - 1);

		if (!old[i].term)
			continue;
		while (writer->table[slot].term)
			slot = (slot + 1) & (writer->slots - 1);
		writer->table[slot] = old[i];
	}
	free(old);
}

static uint32_t hash_of(struct kb_sv text)
{
	return (uint32_t)kb_hash64(text);
}

/* Compares as the text does: the first byte, which the processor takes for the least, becomes the
 * most significant one. */
static uint64_t prefix_of(struct kb_sv text)
{
	return __builtin_bswap64(kb_prefix64(text.p, text.n));
}

static bool is_term(const struct term *term, struct kb_sv text, uint64_t prefix)
{
	return term->prefix == prefix && term->n == text.n
	       && (text.n <= sizeof(prefix) || kb_same_bytes(term->text, text.p, text.n));
}

static struct term *new_term(struct kb_segment_writer *writer)
{
	if (writer->term_count == writer->block_count * TERM_BLOCK) {
		union term_line *block = aligned_alloc(sizeof(*block), TERM_BLOCK * sizeof(*block));

		KB_ASSERT(block != NULL && writer->term_count < UINT32_MAX - TERM_BLOCK);
		KB_GROW(writer->terms, writer->block_capacity, writer->block_count + 1);
		writer->terms[writer->block_count++] = block;
	}
	return term_at(writer, (uint32_t)writer->term_count);
}

static uint32_t intern(struct kb_segment_writer *writer, struct kb_sv text, uint64_t prefix,
                       uint32_t hash)
{
	size_t slot = hash & (writer->slots - 1);
	struct term *term;

	for (; writer->table[slot].term; slot = (slot + 1) & (writer->slots - 1))
		if (writer->table[slot].hash == hash
		    && is_term(term_at(writer, writer->table[slot].term - 1), text, prefix))
			return writer->table[slot].term - 1;
	term = new_term(writer);
	*term = (struct term){ .text = kb_arena_sv(&writer->strings, text).p,
		               .n = (uint32_t)text.n,
		               .prefix = prefix,
		               .last_doc = UINT32_MAX };
	writer->table[slot] = (struct slot){ hash, (uint32_t)++writer->term_count };
	if (writer->term_count * 3 > writer->slots * 2)
		rehash(writer);
	return (uint32_t)writer->term_count - 1;
}

/* Guesses the terms' numbers by their hints, and asks at once for the memory that counting them
 * will touch: there are far more terms than the caches hold, and one wait after another took half
 * of the time. A wrong guess costs a look-up. */
static void guess(struct kb_segment_writer *writer, const struct kb_terms *terms)
{
	KB_GROW(writer->numbers, writer->number_capacity, terms->count);
	for (size_t i = 0; i < terms->count; i++) {
		uint32_t term = writer->hinted[terms->v[i].hint];

		writer->numbers[i] = term;
		if (term)
			__builtin_prefetch(term_at(writer, term - 1));
	}
}

/* The number of the analysis' term i. */
static uint32_t number_of(struct kb_segment_writer *writer, const struct kb_term *term,
                          uint32_t guessed)
{
	struct kb_sv text = { term->term.p, KB_MIN(term->term.n, (size_t)KB_TERM_MAX) };
	uint64_t prefix = prefix_of(text);
	uint32_t number;

	if (guessed && is_term(term_at(writer, guessed - 1), text, prefix))
		return guessed - 1;
	number = intern(writer, text, prefix, hash_of(text));
	if (term->hint)
		writer->hinted[term->hint] = number + 1;
	return number;
}

static void count_term(struct kb_segment_writer *writer, enum kb_index_field field, uint32_t number)
{
	struct term *term = term_at(writer, number);

	if (!(term->now[KB_FIELD_BODY] | term->now[KB_FIELD_TITLE] | term->now[KB_FIELD_HEADING])) {
		KB_GROW(writer->touched, writer->touched_capacity, writer->touched_count + 1);
		writer->touched[writer->touched_count++] = number;
	}
	term->now[field]++;
}

/* Codes as wholes take no part in a field's length: who does not ask for them sees the same scores
 * as without them. */
static void add_codes(struct kb_segment_writer *writer, enum kb_index_field field,
                      struct kb_sv text)
{
	struct kb_code *codes;
	uint32_t *hashes;
	size_t count;

	kb_codes(&writer->scratch, text, false, &codes, &count);
	hashes = KB_NEW_ARRAY(&writer->scratch, count, uint32_t);
	for (size_t i = 0; i < count; i++) {
		hashes[i] = hash_of(kb_term_key(codes[i].term));
		__builtin_prefetch(&writer->table[hashes[i] & (writer->slots - 1)]);
	}
	for (size_t i = 0; i < count; i++) {
		struct kb_sv key = kb_term_key(codes[i].term);

		count_term(writer, field, intern(writer, key, prefix_of(key), hashes[i]));
	}
}

/* Counts a field's terms and adds its sequence of words; returns how many terms there are. */
static uint32_t add_field(struct kb_segment_writer *writer, enum kb_index_field field,
                          enum kb_lang lang, struct kb_sv text)
{
	struct kb_terms terms;
	uint32_t length = 0;

	if (!text.n)
		return 0;
	kb_analyze_passing(writer->analyzer, lang, text, &terms);
	guess(writer, &terms);
	for (size_t i = 0; i < terms.count; i++) {
		uint32_t number;

		if (terms.v[i].flags & KB_TERM_STOP)
			continue;
		length++;
		number = number_of(writer, &terms.v[i], writer->numbers[i]);
		writer->numbers[i] = number;
		count_term(writer, field, number);
	}
	add_codes(writer, field, text);
	kb_forward_field(writer->forward, text, &terms, writer->numbers);
	return length;
}

/* As codes do, these words take no part in a length: a passage is no worse found by its text for
 * them. */
static void add_names(struct kb_segment_writer *writer, enum kb_lang lang, struct kb_sv names)
{
	struct kb_terms terms;

	if (!names.n)
		return;
	kb_analyze_passing(writer->analyzer, lang, names, &terms);
	for (size_t i = 0; i < terms.count; i++)
		if (!(terms.v[i].flags & KB_TERM_STOP))
			count_term(writer, KB_FIELD_BODY, number_of(writer, &terms.v[i], 0));
}

void kb_segment_writer_add(struct kb_segment_writer *writer, const struct kb_passage *passage)
{
	static const enum kb_index_field order[KB_FIELDS] = { KB_FIELD_TITLE, KB_FIELD_HEADING,
		                                              KB_FIELD_BODY };
	const struct kb_sv texts[KB_FIELDS] = { passage->text, passage->title, passage->heading };
	size_t max = writer->passage_max;
	uint32_t doc = writer->columns.passages;
	uint8_t codes[KB_FIELDS];

	if (texts[0].n > max || texts[1].n > max - texts[0].n
	    || texts[2].n > max - texts[0].n - texts[1].n) {
		writer->too_large = true;
		return;
	}
	for (int i = 0; i < KB_FIELDS; i++) {
		enum kb_index_field f = order[i];
		uint32_t length = add_field(writer, f, passage->lang, texts[f]);

		codes[f] = kb_length_code(writer->columns.length_table, length);
		if (f != KB_FIELD_BODY)
			kb_forward_add(writer->forward, KB_FWD_FIELD);
	}
	kb_forward_end_passage(writer->forward);
	add_names(writer, passage->lang, passage->names);
	for (size_t i = 0; i < writer->touched_count; i++) {
		struct term *term = term_at(writer, writer->touched[i]);
		struct kb_posting posting = { .doc = doc };
		uint8_t bytes[KB_SMALL_POSTING_MAX];

		if (i + AHEAD < writer->touched_count) {
			const struct term *later = term_at(writer, writer->touched[i + AHEAD]);

			if (later->size)
				__builtin_prefetch(chunk_at(writer, later->tail) + later->used, 1);
		}

		memcpy(posting.tf, term->now, sizeof(posting.tf));
		append(writer, term, bytes,
		       (size_t)(kb_small_posting_put(bytes, term->last_doc, &posting) - bytes));
		term->last_doc = doc;
		term->df++;
		memset(term->now, 0, sizeof(term->now));
	}
	writer->touched_count = 0;
	kb_columns_add(&writer->columns, passage, codes);
	writer->columns.text_bytes += texts[0].n + texts[1].n + texts[2].n;
	kb_text_add(&writer->text, passage->title, passage->heading, passage->text);
	kb_line_marks_add(&writer->marks, doc, passage);
	kb_arena_reset(&writer->scratch);
}

/* What most comparisons need, side by side. */
struct sort_key {
	uint64_t prefix;
	const struct term *term;
	uint32_t number;
};

static int by_text(const void *a, const void *b)
{
	const struct sort_key *x = a, *y = b;

	if (x->prefix != y->prefix)
		return x->prefix < y->prefix ? -1 : 1;
	return kb_sv_cmp(kb_sv(x->term->text, x->term->n), kb_sv(y->term->text, y->term->n));
}

static struct sort_key *sort_terms(const struct kb_segment_writer *writer)
{
	struct sort_key *keys = kb_xmalloc(writer->term_count * sizeof(*keys));

	for (uint32_t i = 0; i < writer->term_count; i++) {
		const struct term *term = term_at(writer, i);

		keys[i] = (struct sort_key){ term->prefix, term, i };
	}
	if (writer->term_count)
		qsort(keys, writer->term_count, sizeof(*keys), by_text);
	return keys;
}

/* Writes dictionary and postings. */
static void put_terms(struct kb_segment_writer *writer, const struct sort_key *order,
                      struct kb_builder *builder)
{
	const uint8_t *const lengths[KB_FIELDS] = { writer->columns.lengths[0],
		                                    writer->columns.lengths[1],
		                                    writer->columns.lengths[2] };
	struct kb_dict_builder dict;
	struct kb_posting *v = NULL;
	size_t capacity = 0;
	struct kb_buf chain, list;

	kb_dict_builder_init(&dict);
	kb_buf_init(&chain, KB_GIB(4));
	kb_buf_init(&list, KB_GIB(4));
	kb_builder_section(builder, KB_SEC_POSTINGS);
	for (size_t i = 0; i < writer->term_count; i++) {
		const struct term *term = order[i].term;
		const uint8_t *bytes = collect(writer, term, &chain);
		struct kb_sv text = kb_sv(term->text, term->n);
		size_t used;

		/* Most terms: a list without whole blocks is written in the file as a chain is. */
		if (term->df < KB_BLOCK) {
			kb_builder_add(builder, bytes, chain.n);
			kb_dict_add(&dict, text, term->df, chain.n);
			continue;
		}
		KB_GROW(v, capacity, term->df);
		kb_small_postings_get(bytes, chain.n, UINT32_MAX, v, term->df, &used);
		kb_buf_clear(&list);
		kb_postings_encode(v, term->df, lengths, &list);
		kb_builder_add(builder, list.p, list.n);
		kb_dict_add(&dict, text, term->df, list.n);
	}
	free(v);
	kb_buf_fini(&chain);
	kb_buf_clear(&list);
	kb_dict_put(&dict, builder);
	kb_buf_fini(&list);
	kb_dict_builder_fini(&dict);
}

/* Writes the sequences. */
static void put_forward(struct kb_segment_writer *writer, const struct sort_key *order,
                        struct kb_builder *builder)
{
	uint32_t *map = kb_xmalloc(writer->term_count * sizeof(*map));

	for (size_t i = 0; i < writer->term_count; i++)
		map[order[i].number] = (uint32_t)i;
	kb_forward_put(writer->forward, map, builder);
	free(map);
}

bool kb_segment_writer_finish(struct kb_segment_writer *writer, const char *path,
                              struct kb_segment_info *info, struct kb_err *err)
{
	struct kb_builder *builder = kb_builder_new(&kb_segment_form, path);
	struct sort_key *order = sort_terms(writer);
	int64_t bytes = 0;
	bool ok;

	if (writer->passing)
		kb_builder_passing(builder);
	put_terms(writer, order, builder);
	put_forward(writer, order, builder);
	free(order);
	ok = kb_text_put(&writer->text, builder, err)
	     && kb_line_marks_put(&writer->marks, builder, err);
	kb_columns_put(&writer->columns, (uint32_t)writer->term_count, builder);
	if (writer->too_large)
		ok = kb_fail(err, KB_E_TOO_LARGE, "a passage is larger than %zu bytes",
		             writer->passage_max);
	ok = ok && kb_builder_finish(builder, &bytes, err);
	kb_builder_free(builder);
	if (ok && info)
		*info = (struct kb_segment_info){
			.bytes = bytes,
			.passages = writer->columns.passages,
			.pages = writer->columns.runs,
			.terms = (int64_t)writer->term_count,
			.text_bytes = (int64_t)writer->columns.text_bytes,
		};
	end(writer);
	begin(writer);
	return ok;
}
