#include "index/factor_rows.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "index/forward.h"
#include "index/unicode.h"

enum { CJK_BYTES = 32 }; /* of one character and its marks; longer ones make no pairs */

static bool is_cjk(struct kb_sv word)
{
	uint32_t cp;

	kb_utf8_decode(word, &cp);
	return cp != KB_UTF8_BAD && kb_char_kind(cp) == KB_CHAR_CJK;
}

void kb_rows_init(struct kb_factor_rows *rows, const struct kb_segment *segment,
                  uint32_t (*find)(void *arg, uint64_t key), void *arg,
                  void (*term)(void *arg, uint64_t key, uint32_t df))
{
	uint64_t *keys = kb_xcalloc(segment->terms, sizeof(*keys));
	struct kb_dict_iter iter;
	bool damaged = false;

	*rows = (struct kb_factor_rows){ .segment = segment, .find = find, .arg = arg };
	rows->word_count = kb_forward_words(segment);
	rows->words = kb_xcalloc(rows->word_count, sizeof(*rows->words));
	kb_dict_iter_init(&iter, segment);
	while (kb_dict_iter_next(&iter, &damaged)) {
		if (iter.entry.number >= segment->terms)
			break;
		keys[iter.entry.number] = kb_row_key(iter.term);
		if (term)
			term(arg, keys[iter.entry.number], iter.entry.df);
	}
	for (uint32_t i = 0; i < rows->word_count; i++) {
		struct kb_row_word *word = &rows->words[i];
		struct kb_sv text;
		uint32_t number;

		word->id = KB_ROW_NONE;
		if (!kb_forward_word_at(segment, i, &text, &number) || !text.n
		    || number >= segment->terms)
			continue;
		word->cjk = text.n <= CJK_BYTES && is_cjk(text);
		word->id = find(arg, keys[number]);
	}
	free(keys);
}

void kb_rows_fini(struct kb_factor_rows *rows)
{
	free(rows->words);
	free(rows->terms);
	free(rows->slots);
	*rows = (struct kb_factor_rows){ 0 };
}

static void count(struct kb_factor_rows *rows, uint32_t id, unsigned field)
{
	size_t slot = id * UINT32_C(0x9e3779b1) & (rows->slot_count - 1);

	if (id == KB_ROW_NONE)
		return;
	while (rows->slots[slot] && rows->terms[rows->slots[slot] - 1].id != id)
		slot = (slot + 1) & (rows->slot_count - 1);
	if (!rows->slots[slot]) {
		KB_GROW(rows->terms, rows->capacity, rows->count + 1);
		rows->terms[rows->count++] = (struct kb_row_term){ .id = id };
		rows->slots[slot] = (uint32_t)rows->count;
	}
	rows->terms[rows->slots[slot] - 1].tf[field]++;
}

static void count_pair(struct kb_factor_rows *rows, uint32_t a, uint32_t b, unsigned field)
{
	char text[2 * CJK_BYTES];
	struct kb_sv x, y;
	uint32_t term;

	if (!kb_forward_word_at(rows->segment, a, &x, &term)
	    || !kb_forward_word_at(rows->segment, b, &y, &term))
		return;
	memcpy(text, x.p, x.n);
	memcpy(text + x.n, y.p, y.n);
	count(rows, rows->find(rows->arg, kb_row_key(kb_sv(text, x.n + y.n))), field);
}

void kb_rows_read(struct kb_factor_rows *rows, uint32_t passage)
{
	/* The stream's fields in their order. */
	static const uint8_t fields[] = { KB_FIELD_TITLE, KB_FIELD_HEADING, KB_FIELD_BODY };
	struct kb_sv stream = kb_forward_stream(rows->segment, passage);
	const uint8_t *p = (const uint8_t *)stream.p, *end = p + stream.n;
	uint32_t before = KB_ROW_NONE; /* the CJK character just passed */
	unsigned field = 0;

	/* A byte gives at most a character and its pair. */
	rows->slot_count = 16;
	while (rows->slot_count < 4 * stream.n)
		rows->slot_count *= 2;
	KB_GROW(rows->slots, rows->slot_capacity, rows->slot_count);
	memset(rows->slots, 0, rows->slot_count * sizeof(*rows->slots));
	rows->count = 0;
	while (p && p < end) {
		uint64_t value;
		uint32_t word;

		p = kb_get_varint(p, end, &value);
		if (value == KB_FWD_FIELD && field + 1 < KB_COUNTOF(fields))
			field++;
		word = value < KB_FWD_WORD ? KB_ROW_NONE : (uint32_t)(value - KB_FWD_WORD);
		if (word >= rows->word_count) {
			before = KB_ROW_NONE;
			continue;
		}
		count(rows, rows->words[word].id, fields[field]);
		if (!rows->words[word].cjk) {
			before = KB_ROW_NONE;
			continue;
		}
		if (before != KB_ROW_NONE)
			count_pair(rows, before, word, fields[field]);
		before = word;
	}
}
