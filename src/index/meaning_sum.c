#include "index/meaning_sum.h"

#include <math.h>

#include "base/utf8.h"
#include "index/forward.h"

enum { LANES = 16 };

float kb_meaning_dot(const float a[KB_MEANING_DIMS], const float b[KB_MEANING_DIMS])
{
	float sums[LANES] = { 0 }, sum = 0;

	/* Side by side, so that one need not wait for the other. */
	for (int k = 0; k < KB_MEANING_DIMS; k += LANES)
		for (int i = 0; i < LANES; i++)
			sums[i] += a[k + i] * b[k + i];
	for (int i = 0; i < LANES; i++)
		sum += sums[i];
	return sum;
}

/* false: it is of length 0. */
static bool make_unit(float v[KB_MEANING_DIMS])
{
	float square = kb_meaning_dot(v, v);

	for (int k = 0; square > 0 && k < KB_MEANING_DIMS; k++)
		v[k] /= sqrtf(square);
	return square > 0;
}

void kb_meaning_sum_init(struct kb_arena *arena, const struct kb_meaning *meaning,
                         struct kb_meaning_sum *sum)
{
	struct kb_meaning_words words;

	kb_meaning_words(meaning, &words);
	*sum = (struct kb_meaning_sum){
		.seen = KB_NEW_ARRAY(arena, (size_t)words.count + words.groups, uint32_t)
	};
}

void kb_meaning_sum_begin(struct kb_meaning_sum *sum)
{
	memset(sum->v, 0, sizeof(sum->v));
	sum->text++;
	sum->rows = 0;
	sum->before = KB_SV("");
}

void kb_meaning_sum_row(const struct kb_meaning *meaning, struct kb_meaning_sum *sum, uint32_t row)
{
	if (row == KB_MEANING_NONE || sum->seen[row] == sum->text)
		return;
	sum->seen[row] = sum->text;
	sum->rows++;
	kb_meaning_add(meaning, row, sum->v);
}

static void add(const struct kb_meaning *meaning, struct kb_meaning_sum *own,
                struct kb_meaning_sum *whole, uint32_t row)
{
	kb_meaning_sum_row(meaning, own, row);
	if (whole)
		kb_meaning_sum_row(meaning, whole, row);
}

void kb_meaning_sum_term(const struct kb_meaning_question *question, const struct kb_term *term,
                         struct kb_meaning_sum *own, struct kb_meaning_sum *whole)
{
	enum kb_place_kind kind = kb_place_kind(term);
	bool single = kind == KB_PLACE_WORD && kb_meaning_is_single(term->word);
	uint32_t rows[KB_MEANING_PIECES_MAX];
	size_t n;

	if (kind == KB_PLACE_NONE)
		return;
	n = kind == KB_PLACE_WORD ? kb_meaning_rows(&question->words, term->word, rows) : 0;
	for (size_t i = 0; i < n; i++)
		add(question->meaning, own, whole, rows[i]);
	if (single && own->before.n)
		add(question->meaning, own, whole,
		    kb_meaning_pair(&question->words, own->before, term->word));
	own->before = single ? term->word : KB_SV("");
}

bool kb_meaning_question(const struct kb_meaning *meaning, const struct kb_terms *terms,
                         struct kb_meaning_sum *sum, struct kb_meaning_question *question)
{
	*question = (struct kb_meaning_question){ .meaning = meaning };
	kb_meaning_words(meaning, &question->words);
	kb_meaning_sum_begin(sum);
	for (size_t i = 0; i < terms->count; i++) {
		kb_meaning_sum_term(question, &terms->v[i], sum, NULL);
		question->length += kb_place_kind(&terms->v[i]) == KB_PLACE_WORD;
	}
	memcpy(question->v, sum->v, sizeof(question->v));
	return make_unit(question->v);
}

bool kb_meaning_word(const struct kb_meaning_question *question, struct kb_sv word,
                     float v[KB_MEANING_DIMS])
{
	uint32_t rows[KB_MEANING_PIECES_MAX], cp;
	size_t first = kb_utf8_decode(word, &cp), n;
	struct kb_sv a = kb_sv_sub(word, 0, first), b = kb_sv_from(word, first);

	if (b.n && kb_meaning_is_single(a) && kb_meaning_is_single(b)) {
		rows[0] = kb_meaning_pair(&question->words, a, b);
		n = rows[0] != KB_MEANING_NONE;
	} else {
		n = kb_meaning_rows(&question->words, word, rows);
	}
	memset(v, 0, KB_MEANING_DIMS * sizeof(*v));
	for (size_t i = 0; i < n; i++)
		kb_meaning_add(question->meaning, rows[i], v);
	return make_unit(v);
}

float kb_meaning_near(const struct kb_meaning_question *question, const struct kb_meaning_sum *sum)
{
	float square = kb_meaning_dot(sum->v, sum->v);

	return square > 0 ? kb_meaning_dot(sum->v, question->v) / sqrtf(square) : 0;
}
