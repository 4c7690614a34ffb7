#include "index/meaning_table.h"

#include <stdlib.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "base/arena.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "index/unicode.h"

enum {
	PART_LEAST = 4,   /* letters of a known word within another */
	LETTERS_MAX = 40, /* of a word that is cut; the rest of a longer one is left out */
	LETTER_BYTES = 4,
	/* Keys are hashes, so their first bits divide them evenly. */
	KEY_SHIFT = 17,
	KEY_BUCKETS = 1 << (32 - KEY_SHIFT),
};

static const char *const section_names[] = {
	[KB_MEAN_INFO] = "info",
	[KB_MEAN_KEYS] = "keys",
	[KB_MEAN_SCALES] = "scales",
	[KB_MEAN_ROWS] = "rows",
};
const struct kb_form kb_meaning_form = {
	.magic = "KBMEAN\r\n",
	.what = "table of meanings",
	.version = 1,
	.sections = KB_MEAN_COUNT,
	.names = section_names,
};

typedef void add_row(const int8_t *row, float scale, float *v);

struct kb_meaning {
	add_row *add; /* as this processor does it best */
	struct kb_container file;
	struct kb_meaning_head head;
	const char *keys, *scales;
	const int8_t *rows;
	uint32_t starts[KEY_BUCKETS + 1]; /* the first key of each bucket */
};

/* The same arithmetic in the same order, so the same figures. */
static void add_plain(const int8_t *row, float scale, float *v)
{
	for (int k = 0; k < KB_MEANING_DIMS; k++)
		v[k] += scale * (float)row[k];
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static void add_avx2(const int8_t *row, float scale, float *v)
{
	__m256 factor = _mm256_set1_ps(scale);

	for (int k = 0; k < KB_MEANING_DIMS; k += 8) {
		__m256i integers =
		        _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(row + k)));
		__m256 part = _mm256_mul_ps(factor, _mm256_cvtepi32_ps(integers));

		_mm256_storeu_ps(v + k, _mm256_add_ps(_mm256_loadu_ps(v + k), part));
	}
}
#endif

static add_row *best_add(void)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2"))
		return add_avx2;
#endif
	return add_plain;
}

static uint32_t key_at(const struct kb_meaning *meaning, uint32_t i)
{
	return kb_get32(meaning->keys + (size_t)i * sizeof(uint32_t));
}

static uint32_t find(const void *arg, uint32_t key)
{
	const struct kb_meaning *meaning = arg;
	uint32_t bucket = key >> KEY_SHIFT;

	for (uint32_t i = meaning->starts[bucket]; i < meaning->starts[bucket + 1]; i++)
		if (key_at(meaning, i) == key)
			return i;
	return KB_MEANING_NONE;
}

/* Where the keys of each bucket begin. false: they do not ascend. */
static bool sort_into_buckets(struct kb_meaning *meaning)
{
	uint32_t bucket = 0;

	for (uint32_t i = 0; i < meaning->head.words; i++) {
		uint32_t key = key_at(meaning, i);

		if (i && key <= key_at(meaning, i - 1))
			return false;
		while (bucket <= key >> KEY_SHIFT)
			meaning->starts[bucket++] = i;
	}
	while (bucket <= KEY_BUCKETS)
		meaning->starts[bucket++] = meaning->head.words;
	return true;
}

static bool take_sections(struct kb_meaning *meaning, const struct kb_sv *sections,
                          struct kb_err *err)
{
	struct kb_meaning_head *head = &meaning->head;
	size_t rows;

	if (sections[KB_MEAN_INFO].n != sizeof(*head))
		return kb_container_damaged(&meaning->file, KB_MEAN_INFO, err);
	memcpy(head, sections[KB_MEAN_INFO].p, sizeof(*head));
	if (head->dims != KB_MEANING_DIMS || !head->words || head->words > KB_MEANING_WORDS_MAX
	    || head->groups > KB_MEANING_GROUPS_MAX)
		return kb_container_damaged(&meaning->file, KB_MEAN_INFO, err);
	rows = (size_t)head->words + head->groups;
	if (sections[KB_MEAN_KEYS].n != head->words * sizeof(uint32_t))
		return kb_container_damaged(&meaning->file, KB_MEAN_KEYS, err);
	if (sections[KB_MEAN_SCALES].n != rows * sizeof(float))
		return kb_container_damaged(&meaning->file, KB_MEAN_SCALES, err);
	if (sections[KB_MEAN_ROWS].n != rows * KB_MEANING_DIMS)
		return kb_container_damaged(&meaning->file, KB_MEAN_ROWS, err);
	meaning->keys = sections[KB_MEAN_KEYS].p;
	meaning->scales = sections[KB_MEAN_SCALES].p;
	meaning->rows = (const int8_t *)sections[KB_MEAN_ROWS].p;
	if (!sort_into_buckets(meaning))
		return kb_container_damaged(&meaning->file, KB_MEAN_KEYS, err);
	for (size_t i = 0; i < rows; i++) {
		float scale;

		memcpy(&scale, meaning->scales + i * sizeof(scale), sizeof(scale));
		if (!(scale >= 0 && scale <= 1)) /* a greater one would drown all others */
			return kb_container_damaged(&meaning->file, KB_MEAN_SCALES, err);
	}
	return true;
}

struct kb_meaning *kb_meaning_open(const char *path, struct kb_err *err)
{
	struct kb_meaning *meaning = kb_xcalloc(1, sizeof(*meaning));
	struct kb_sv sections[KB_MEAN_COUNT];

	meaning->add = best_add();
	if (!kb_container_open(&meaning->file, &kb_meaning_form, path, true, sections, err)
	    || !take_sections(meaning, sections, err)) {
		kb_meaning_close(meaning);
		return NULL;
	}
	return meaning;
}

void kb_meaning_close(struct kb_meaning *meaning)
{
	if (!meaning)
		return;
	kb_container_close(&meaning->file);
	free(meaning);
}

void kb_meaning_info(const struct kb_meaning *meaning, struct kb_meaning_info *out)
{
	*out = (struct kb_meaning_info){ .words = meaning->head.words,
		                         .groups = meaning->head.groups,
		                         .bytes = (int64_t)meaning->file.map_bytes };
}

/* ---- rows ---- */

uint32_t kb_meaning_key(struct kb_sv word)
{
	return (uint32_t)(kb_hash64(word) >> 32);
}

void kb_meaning_words(const struct kb_meaning *meaning, struct kb_meaning_words *out)
{
	*out = (struct kb_meaning_words){ .find = find,
		                          .arg = meaning,
		                          .count = meaning->head.words,
		                          .groups = meaning->head.groups };
}

bool kb_meaning_is_single(struct kb_sv word)
{
	uint32_t cp;

	kb_utf8_decode(word, &cp);
	return cp != KB_UTF8_BAD && kb_char_kind(cp) == KB_CHAR_CJK;
}

uint32_t kb_meaning_pair(const struct kb_meaning_words *words, struct kb_sv a, struct kb_sv b)
{
	char bytes[2 * LETTER_BYTES];

	if (a.n + b.n > sizeof(bytes))
		return KB_MEANING_NONE;
	memcpy(bytes, a.p, a.n);
	memcpy(bytes + a.n, b.p, b.n);
	return words->find(words->arg, kb_meaning_key(kb_sv(bytes, a.n + b.n)));
}

/* Where the letters of a word begin, and its end. */
struct letters {
	size_t starts[LETTERS_MAX + 1], count;
};

/* false: there are digits in it. */
static bool spell(struct kb_sv word, struct letters *out)
{
	size_t at = 0;

	for (out->count = 0; at < word.n && out->count < LETTERS_MAX; out->count++) {
		uint32_t cp;

		out->starts[out->count] = at;
		at += kb_utf8_decode(kb_sv_from(word, at), &cp);
		if (cp == KB_UTF8_BAD || kb_char_kind(cp) != KB_CHAR_LETTER)
			return false;
	}
	out->starts[out->count] = at;
	return true;
}

static struct kb_sv part_of(struct kb_sv word, const struct letters *letters, size_t from,
                            size_t to)
{
	return kb_sv_sub(word, letters->starts[from], letters->starts[to] - letters->starts[from]);
}

struct rows {
	const struct kb_meaning_words *words;
	uint32_t *out;
	size_t count;
};

static void take(struct rows *rows, uint32_t row)
{
	if (rows->count < KB_MEANING_PIECES_MAX)
		rows->out[rows->count++] = row;
}

/* Letters that belong to no known word, in groups that do not overlap but for the last. */
static void take_groups(struct rows *rows, struct kb_sv word, const struct letters *letters,
                        size_t from, size_t to)
{
	if (!rows->words->groups || to < from + PART_LEAST)
		return;
	for (size_t i = from; i < to; i += PART_LEAST) {
		size_t start = KB_MIN(i, to - PART_LEAST);
		uint32_t key = kb_meaning_key(part_of(word, letters, start, start + PART_LEAST));

		take(rows, rows->words->count + key % rows->words->groups);
	}
}

size_t kb_meaning_rows(const struct kb_meaning_words *words, struct kb_sv word,
                       uint32_t out[KB_MEANING_PIECES_MAX])
{
	struct rows rows = { words, out, 0 };
	uint32_t whole = words->find(words->arg, kb_meaning_key(word));
	struct letters letters;
	size_t at = 0, unknown = 0;

	if (whole != KB_MEANING_NONE) {
		take(&rows, whole);
		return rows.count;
	}
	if (kb_meaning_is_single(word) || !spell(word, &letters))
		return 0;
	while (at + PART_LEAST <= letters.count) {
		uint32_t row = KB_MEANING_NONE;
		size_t end = letters.count;

		for (; end >= at + PART_LEAST; end--) {
			row = words->find(words->arg,
			                  kb_meaning_key(part_of(word, &letters, at, end)));
			if (row != KB_MEANING_NONE)
				break;
		}
		if (row == KB_MEANING_NONE) {
			at++;
			continue;
		}
		take_groups(&rows, word, &letters, unknown, at);
		take(&rows, row);
		at = unknown = end;
	}
	take_groups(&rows, word, &letters, unknown, letters.count);
	return rows.count;
}

void kb_meaning_add(const struct kb_meaning *meaning, uint32_t row, float v[KB_MEANING_DIMS])
{
	const int8_t *integers = meaning->rows + (size_t)row * KB_MEANING_DIMS;
	float scale;

	memcpy(&scale, meaning->scales + (size_t)row * sizeof(scale), sizeof(scale));
	meaning->add(integers, scale, v);
}
