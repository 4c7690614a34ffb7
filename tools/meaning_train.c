/*
 * Learns the table of word vectors (src/index/meaning.h) from pairs of texts that belong together:
 *
 *   build/tools/meaning_train [--words N] [--groups N] [--rounds N] [--caps N] PAIRS.tsv OUT
 *
 * PAIRS.tsv is what tools/meaning_pairs.mjs prints. Both texts of a pair are cut into words as the
 * index cuts them, function words left out. A text's vector is the sum of its words' rows, to
 * length 1. Rows are moved so that, among the pairs of a batch, each left text is nearest to its
 * own right text and the other way round: softmax over cosines times SCALE, Adagrad with one sum a
 * row. In half of the pairs, most words that both sides have are dropped on the left: what words
 * themselves can do, the search does already. A batch is of one source and language, or the two
 * would be told apart by these.
 *
 * Two threads change the rows without locks, so two runs give tables that differ a little.
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "index/analysis.h"
#include "index/build.h"
#include "index/forward.h"
#include "index/meaning_table.h"

enum {
	DIMS = KB_MEANING_DIMS,
	BATCH = 512,
	BATCH_LEAST = 64,
	SIDE_MAX = 160, /* rows of a text */
	THREADS = 2,
	SOURCES_MAX = 256,
};
#define SCALE      12.0f
#define RATE_FIRST .05f
#define RATE_LAST  .01f
#define DROPPED    .75f /* of the words on both sides, in half of the pairs */

struct text {
	size_t first;
	uint32_t count;
};

struct pair {
	uint16_t source; /* and language */
	uint16_t weight; /* % */
	struct text sides[2];
};

struct source {
	struct kb_sv name;
	enum kb_lang lang;
	size_t count, kept;
};

struct word {
	uint32_t key, count;
	uint8_t lang;
};

struct training {
	uint32_t words, groups, rounds, cap;
	struct kb_arena arena;
	struct source sources[SOURCES_MAX];
	size_t source_count;
	struct pair *pairs;
	size_t pair_count, pair_capacity;
	uint32_t *rows; /* of all texts */
	size_t row_count, row_capacity;
	struct word *table; /* open addressing while words are counted; then sorted by key */
	size_t slots, filled;
	float *w;    /* (words + groups) x DIMS */
	float *sums; /* of squared gradients, by row */
};

static uint64_t roll(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

static float chance(uint64_t *state)
{
	return (float)(roll(state) % 1000003) / 1000003.0f;
}

/* ---- words ---- */

/* Of the languages of the sources, in percent of the table. */
static const struct {
	enum kb_lang lang;
	uint32_t share;
} shares[] = {
	{ KB_LANG_EN, 58 }, { KB_LANG_DE, 12 }, { KB_LANG_FR, 8 }, { KB_LANG_ZH, 8 },
	{ KB_LANG_ES, 4 },  { KB_LANG_JA, 3 },  { KB_LANG_IT, 3 }, { KB_LANG_PT, 1 },
	{ KB_LANG_NL, 1 },  { KB_LANG_RU, 1 },  { KB_LANG_PL, 1 },
};

static struct word *slot_of(struct training *t, uint32_t key, uint8_t lang)
{
	size_t slot = (key ^ lang * UINT32_C(0x9e3779b1)) & (t->slots - 1);

	while (t->table[slot].count && (t->table[slot].key != key || t->table[slot].lang != lang))
		slot = (slot + 1) & (t->slots - 1);
	return &t->table[slot];
}

static void count_word(struct training *t, uint32_t key, uint8_t lang)
{
	struct word *word;

	if (t->filled * 2 >= t->slots) {
		struct word *old = t->table;
		size_t slots = t->slots;

		t->slots = slots ? slots * 2 : 1 << 16;
		t->table = kb_xcalloc(t->slots, sizeof(*t->table));
		for (size_t i = 0; i < slots; i++)
			if (old[i].count)
				*slot_of(t, old[i].key, old[i].lang) = old[i];
		free(old);
	}
	word = slot_of(t, key, lang);
	t->filled += !word->count;
	word->key = key;
	word->lang = lang;
	word->count++;
}

static int by_count(const void *a, const void *b)
{
	const struct word *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->key < y->key ? -1 : x->key > y->key;
}

static int by_key(const void *a, const void *b)
{
	const struct word *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/* The most frequent of each language, as many as its share. */
static void choose_words(struct training *t)
{
	struct word *chosen = kb_xcalloc(t->filled, sizeof(*chosen));
	size_t count = 0, kept = 0, all = 0;

	for (size_t i = 0; i < t->slots; i++)
		if (t->table[i].count)
			t->table[all++] = t->table[i];
	qsort(t->table, all, sizeof(*t->table), by_count);
	for (size_t s = 0; s < KB_COUNTOF(shares); s++) {
		size_t most = (size_t)t->words * shares[s].share / 100;

		for (size_t i = 0; i < all && most; i++)
			if (t->table[i].lang == shares[s].lang && t->table[i].count >= 3) {
				chosen[count++] = t->table[i];
				most--;
			}
	}
	qsort(chosen, count, sizeof(*chosen), by_key);
	for (size_t i = 0; i < count; i++) {
		if (kept && chosen[kept - 1].key == chosen[i].key)
			chosen[kept - 1].count += chosen[i].count;
		else
			chosen[kept++] = chosen[i];
	}
	free(t->table);
	t->table = chosen;
	t->words = (uint32_t)kept;
}

static uint32_t find(const void *arg, uint32_t key)
{
	const struct training *t = arg;
	const struct word wanted = { .key = key };
	const struct word *found = bsearch(&wanted, t->table, t->words, sizeof(wanted), by_key);

	return found ? (uint32_t)(found - t->table) : KB_MEANING_NONE;
}

/* ---- reading ---- */

typedef void visit(struct training *t, struct kb_sv word, struct kb_sv before, uint8_t lang);

static void count_visited(struct training *t, struct kb_sv word, struct kb_sv before, uint8_t lang)
{
	char bytes[8];

	count_word(t, kb_meaning_key(word), lang);
	if (before.n && before.n + word.n <= sizeof(bytes)) {
		memcpy(bytes, before.p, before.n);
		memcpy(bytes + before.n, word.p, word.n);
		count_word(t, kb_meaning_key(kb_sv(bytes, before.n + word.n)), lang);
	}
}

static void add_row(struct training *t, size_t first, uint32_t row)
{
	if (row == KB_MEANING_NONE || t->row_count - first >= SIDE_MAX)
		return;
	for (size_t i = first; i < t->row_count; i++)
		if (t->rows[i] == row)
			return;
	KB_GROW(t->rows, t->row_capacity, t->row_count + 1);
	t->rows[t->row_count++] = row;
}

static size_t first_row; /* of the text in hand */

static void take_visited(struct training *t, struct kb_sv word, struct kb_sv before, uint8_t lang)
{
	const struct kb_meaning_words words = { find, t, t->words, t->groups };
	uint32_t rows[KB_MEANING_PIECES_MAX];
	size_t n = kb_meaning_rows(&words, word, rows);

	(void)lang;
	for (size_t i = 0; i < n; i++)
		add_row(t, first_row, rows[i]);
	if (before.n)
		add_row(t, first_row, kb_meaning_pair(&words, before, word));
}

static void read_text(struct training *t, struct kb_analyzer *analyzer, enum kb_lang lang,
                      struct kb_sv text, visit *fn)
{
	struct kb_sv before = { 0 };
	struct kb_terms terms;

	kb_analyze_passing(analyzer, lang, text, &terms);
	for (size_t i = 0; i < terms.count; i++) {
		struct kb_sv word = terms.v[i].word;

		switch (kb_place_kind(&terms.v[i])) {
		case KB_PLACE_WORD:
			fn(t, word, kb_meaning_is_single(word) ? before : KB_SV(""), (uint8_t)lang);
			before = kb_meaning_is_single(word) ? word : KB_SV("");
			break;
		case KB_PLACE_GAP:
			before = KB_SV("");
			break;
		case KB_PLACE_NONE:
			break;
		}
	}
}

static size_t source_of(struct training *t, struct kb_sv name, enum kb_lang lang)
{
	for (size_t i = 0; i < t->source_count; i++)
		if (t->sources[i].lang == lang && kb_sv_eq(t->sources[i].name, name))
			return i;
	KB_ASSERT(t->source_count < SOURCES_MAX);
	t->sources[t->source_count] =
	        (struct source){ .name = kb_arena_sv(&t->arena, name), .lang = lang };
	return t->source_count++;
}

/* One line; false: it is none. */
static bool split_line(struct kb_sv line, struct kb_sv fields[5])
{
	for (size_t i = 0; i < 5; i++)
		if (!kb_sv_split(&line, '\t', &fields[i]))
			return false;
	return fields[4].n > 0;
}

static void take_pair(struct training *t, struct kb_analyzer *analyzer, size_t source,
                      struct kb_sv fields[5])
{
	struct pair pair = { .source = (uint16_t)source };
	int64_t weight = 100;

	if (!kb_sv_to_int(fields[2], 1, 1000, &weight))
		return;
	pair.weight = (uint16_t)weight;
	for (size_t side = 0; side < 2; side++) {
		first_row = t->row_count;
		read_text(t, analyzer, t->sources[source].lang, fields[3 + side], take_visited);
		pair.sides[side].first = first_row;
		pair.sides[side].count = (uint32_t)(t->row_count - first_row);
		if (!pair.sides[side].count)
			return;
	}
	KB_GROW(t->pairs, t->pair_capacity, t->pair_count + 1);
	t->pairs[t->pair_count++] = pair;
}

/* Whether the next pair of the source is one of `cap` that stand evenly among all. */
static bool is_kept(struct source *source, size_t cap)
{
	size_t most = KB_MIN(cap, source->count), before = source->kept++;

	return before * most / source->count != source->kept * most / source->count;
}

/* Twice over the file: words are counted, then texts are kept as rows. A source and language with
 * more than `cap` pairs is thinned evenly. */
static bool read_pairs(struct training *t, const char *path, bool counting, struct kb_err *err)
{
	struct kb_analyzer *analyzer = kb_analyzer_new();
	FILE *file = fopen(path, "r");
	size_t capacity = 0;
	char *line = NULL;
	ssize_t n;

	if (!file)
		return kb_fail_errno(err, "cannot open %s", path);
	while ((n = getline(&line, &capacity, file)) > 0) {
		struct kb_sv fields[5];
		struct source *source;
		size_t s;

		if (!split_line(kb_sv_trim(kb_sv(line, (size_t)n)), fields))
			continue;
		s = source_of(t, fields[0], kb_lang_from_code(fields[1]));
		source = &t->sources[s];
		if (counting) {
			source->count++;
			read_text(t, analyzer, source->lang, fields[3], count_visited);
			read_text(t, analyzer, source->lang, fields[4], count_visited);
		} else if (is_kept(source, t->cap)) {
			take_pair(t, analyzer, s, fields);
		}
	}
	free(line);
	fclose(file);
	kb_analyzer_free(analyzer);
	return true;
}

/* ---- learning ---- */

struct side {
	float v[BATCH][DIMS], gradients[BATCH][DIMS], lengths[BATCH];
	uint32_t rows[BATCH][SIDE_MAX], counts[BATCH];
};

struct batch {
	const struct pair *const *pairs;
	size_t count;
};

struct worker {
	struct training *t;
	const struct batch *batches;
	size_t count, step; /* batches first, first + step, … */
	size_t first;
	float rate_first, rate_last;
	uint64_t state;
	struct side *sides[2];
	float (*s)[BATCH];
	double loss;
	size_t seen;
};

static bool has_row(const uint32_t *rows, uint32_t count, uint32_t row)
{
	for (uint32_t i = 0; i < count; i++)
		if (rows[i] == row)
			return true;
	return false;
}

/* The texts' rows, some of the left one's dropped, and their sums to length 1. */
static void place(struct worker *w, const struct pair *pair, size_t i)
{
	const struct training *t = w->t;
	const struct text *right = &pair->sides[1];
	bool drops = chance(&w->state) < .5f;

	for (size_t s = 0; s < 2; s++) {
		const struct text *text = &pair->sides[s];
		struct side *side = w->sides[s];
		uint32_t n = 0;
		float length = 0;

		for (uint32_t k = 0; k < text->count; k++) {
			uint32_t row = t->rows[text->first + k];

			if (s == 0 && drops && has_row(t->rows + right->first, right->count, row)
			    && chance(&w->state) < DROPPED)
				continue;
			side->rows[i][n++] = row;
		}
		if (!n)
			side->rows[i][n++] = t->rows[text->first];
		side->counts[i] = n;
		memset(side->v[i], 0, sizeof(side->v[i]));
		for (uint32_t k = 0; k < n; k++) {
			const float *row = t->w + (size_t)side->rows[i][k] * DIMS;

			for (int d = 0; d < DIMS; d++)
				side->v[i][d] += row[d];
		}
		for (int d = 0; d < DIMS; d++)
			length += side->v[i][d] * side->v[i][d];
		side->lengths[i] = sqrtf(length) + 1e-9f;
		for (int d = 0; d < DIMS; d++)
			side->v[i][d] /= side->lengths[i];
	}
}

/* Moves the rows of text i against its gradient, which is taken through the normalisation. */
static void move(struct worker *w, struct side *side, size_t i, float rate)
{
	struct training *t = w->t;
	float along = 0, square = 0, *g = side->gradients[i];

	for (int d = 0; d < DIMS; d++)
		along += g[d] * side->v[i][d];
	for (int d = 0; d < DIMS; d++) {
		g[d] = (g[d] - along * side->v[i][d]) / side->lengths[i];
		square += g[d] * g[d];
	}
	for (uint32_t k = 0; k < side->counts[i]; k++) {
		uint32_t row = side->rows[i][k];
		float *to = t->w + (size_t)row * DIMS, step;

		t->sums[row] += square / DIMS;
		step = rate / sqrtf(t->sums[row] + 1e-12f);
		for (int d = 0; d < DIMS; d++)
			to[d] -= step * g[d];
	}
}

static void softmax_rows(struct worker *w, size_t n)
{
	float columns[BATCH] = { 0 };

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++) {
			/* |cosine| <= 1, so nothing overflows. */
			w->s[i][k] = expf(SCALE * (w->s[i][k] - 1));
			columns[k] += w->s[i][k];
		}
	for (size_t i = 0; i < n; i++) {
		float row = 0;

		for (size_t k = 0; k < n; k++)
			row += w->s[i][k];
		w->loss -= (double)(logf(w->s[i][i] / row) + logf(w->s[i][i] / columns[i])) / 2;
		for (size_t k = 0; k < n; k++)
			w->s[i][k] = w->s[i][k] * (1 / row + 1 / columns[k]) / 2 - (i == k);
	}
}

static void learn_batch(struct worker *w, const struct batch *batch, float rate)
{
	struct side *left = w->sides[0], *right = w->sides[1];
	size_t n = batch->count;

	for (size_t i = 0; i < n; i++)
		place(w, batch->pairs[i], i);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++) {
			float sum = 0;

			for (int d = 0; d < DIMS; d++)
				sum += left->v[i][d] * right->v[k][d];
			w->s[i][k] = sum;
		}
	softmax_rows(w, n);
	memset(left->gradients, 0, n * sizeof(left->gradients[0]));
	memset(right->gradients, 0, n * sizeof(right->gradients[0]));
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++) {
			float s = SCALE * w->s[i][k];

			for (int d = 0; d < DIMS; d++) {
				left->gradients[i][d] += s * right->v[k][d];
				right->gradients[k][d] += s * left->v[i][d];
			}
		}
	for (size_t i = 0; i < n; i++) {
		move(w, left, i, rate);
		move(w, right, i, rate);
	}
	w->seen += n;
}

static void *work(void *arg)
{
	struct worker *w = arg;

	for (size_t i = w->first; i < w->count; i += w->step) {
		float done = (float)i / (float)w->count;

		learn_batch(w, &w->batches[i],
		            w->rate_first + (w->rate_last - w->rate_first) * done);
	}
	return NULL;
}

static int by_source(const void *a, const void *b)
{
	const struct pair *const *x = a, *const *y = b;

	return (*x)->source < (*y)->source ? -1 : (*x)->source > (*y)->source;
}

/* Each pair as often as its weight says, in chance order within its source, and the batches in
 * chance order. */
static struct batch *make_batches(const struct training *t, uint64_t *state,
                                  const struct pair ***order, size_t *count)
{
	struct batch *batches;
	const struct pair **all;
	size_t n = 0, capacity = 0;

	*order = NULL;
	for (size_t i = 0; i < t->pair_count; i++)
		for (uint32_t left = t->pairs[i].weight; left;) {
			uint32_t part = KB_MIN(left, 100u);

			left -= part;
			if (part < 100 && roll(state) % 100 >= part)
				continue;
			KB_GROW(*order, capacity, n + 1);
			(*order)[n++] = &t->pairs[i];
		}
	all = *order;
	for (size_t i = n; i > 1; i--) {
		size_t k = roll(state) % i;
		const struct pair *other = all[k];

		all[k] = all[i - 1];
		all[i - 1] = other;
	}
	qsort(all, n, sizeof(*all), by_source);
	batches = kb_xcalloc(n / BATCH_LEAST + SOURCES_MAX, sizeof(*batches));
	*count = 0;
	for (size_t i = 0; i < n;) {
		size_t end = i;

		while (end < n && end < i + BATCH && all[end]->source == all[i]->source)
			end++;
		if (end - i >= BATCH_LEAST)
			batches[(*count)++] = (struct batch){ all + i, end - i };
		i = end;
	}
	for (size_t i = *count; i > 1; i--) {
		size_t k = roll(state) % i;
		struct batch other = batches[k];

		batches[k] = batches[i - 1];
		batches[i - 1] = other;
	}
	return batches;
}

static void learn(struct training *t)
{
	struct worker workers[THREADS];
	uint64_t state = 1;

	for (size_t i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){ .t = t, .first = i, .step = THREADS, .state = i + 7 };
		for (size_t s = 0; s < 2; s++)
			workers[i].sides[s] = kb_xcalloc(1, sizeof(struct side));
		workers[i].s = kb_xcalloc(BATCH, sizeof(*workers[i].s));
	}
	for (uint32_t round = 0; round < t->rounds; round++) {
		float step = (RATE_FIRST - RATE_LAST) / (float)t->rounds;
		const struct pair **order;
		size_t count, seen = 0;
		struct batch *batches = make_batches(t, &state, &order, &count);
		pthread_t threads[THREADS];
		double loss = 0;

		for (size_t i = 0; i < THREADS; i++) {
			struct worker *w = &workers[i];

			w->batches = batches;
			w->count = count;
			w->rate_first = RATE_FIRST - step * (float)round;
			w->rate_last = w->rate_first - step;
			w->loss = 0;
			w->seen = 0;
			pthread_create(&threads[i], NULL, work, w);
		}
		for (size_t i = 0; i < THREADS; i++) {
			pthread_join(threads[i], NULL);
			loss += workers[i].loss;
			seen += workers[i].seen;
		}
		printf("round %u: %zu pairs in %zu batches, loss %.4f\n", round + 1, seen, count,
		       loss / (double)seen);
		fflush(stdout);
		free(batches);
		free(order);
	}
	for (size_t i = 0; i < THREADS; i++) {
		free(workers[i].sides[0]);
		free(workers[i].sides[1]);
		free(workers[i].s);
	}
}

/* A direction by chance, longer for rarer words. */
static void begin(struct training *t)
{
	size_t rows = (size_t)t->words + t->groups;
	uint64_t state = 42;

	t->w = kb_xcalloc(rows * DIMS, sizeof(*t->w));
	t->sums = kb_xcalloc(rows, sizeof(*t->sums));
	for (size_t i = 0; i < rows; i++) {
		float rarity =
		        i < t->words
		                ? logf(1 + (float)t->pair_count / ((float)t->table[i].count + 1))
		                : 3;
		float length = 0, *row = t->w + i * DIMS;

		for (int d = 0; d < DIMS; d++) {
			row[d] = chance(&state) + chance(&state) + chance(&state) - 1.5f;
			length += row[d] * row[d];
		}
		for (int d = 0; d < DIMS; d++)
			row[d] *= .1f * (1 + rarity) / sqrtf(length);
	}
}

/* ---- the file ---- */

static bool write_table(const struct training *t, const char *path, struct kb_err *err)
{
	struct kb_builder *builder = kb_builder_new(&kb_meaning_form, path);
	struct kb_meaning_head head = { .dims = DIMS, .words = t->words, .groups = t->groups };
	size_t rows = (size_t)t->words + t->groups;
	float *scales = kb_xcalloc(rows, sizeof(*scales));
	int64_t bytes;
	bool ok;

	for (size_t i = 0; i < rows; i++) {
		for (int d = 0; d < DIMS; d++)
			scales[i] = KB_MAX(scales[i], fabsf(t->w[i * DIMS + (size_t)d]));
		scales[i] = KB_MIN(scales[i] / 127, 1.0f);
	}
	kb_builder_put(builder, KB_MEAN_INFO, &head, sizeof(head));
	kb_builder_section(builder, KB_MEAN_KEYS);
	for (uint32_t i = 0; i < t->words; i++)
		kb_builder_add(builder, &t->table[i].key, sizeof(uint32_t));
	kb_builder_put(builder, KB_MEAN_SCALES, scales, rows * sizeof(*scales));
	kb_builder_section(builder, KB_MEAN_ROWS);
	for (size_t i = 0; i < rows; i++) {
		int8_t packed[DIMS];

		for (int d = 0; d < DIMS; d++)
			packed[d] = scales[i] > 0
			                    ? (int8_t)lrintf(t->w[i * DIMS + (size_t)d] / scales[i])
			                    : 0;
		kb_builder_add(builder, packed, sizeof(packed));
	}
	ok = kb_builder_finish(builder, &bytes, err);
	if (ok)
		printf("%u words, %u groups, %" PRId64 " bytes\n", t->words, t->groups, bytes);
	kb_builder_free(builder);
	free(scales);
	return ok;
}

static bool run(struct training *t, const char *pairs, const char *out, struct kb_err *err)
{
	if (!read_pairs(t, pairs, true, err))
		return false;
	choose_words(t);
	if (!read_pairs(t, pairs, false, err))
		return false;
	for (size_t i = 0; i < t->source_count; i++)
		printf("%.*s %s: %zu\n", KB_SV_ARG(t->sources[i].name),
		       kb_lang_code(t->sources[i].lang), t->sources[i].count);
	printf("%zu pairs, %zu rows in texts\n", t->pair_count, t->row_count);
	begin(t);
	learn(t);
	return write_table(t, out, err);
}

int main(int argc, char **argv)
{
	struct training t = { .words = 30000, .groups = 6000, .rounds = 4, .cap = 250000 };
	const struct {
		const char *name;
		uint32_t *value;
	} options[] = { { "--words", &t.words },
		        { "--groups", &t.groups },
		        { "--rounds", &t.rounds },
		        { "--cap", &t.cap } };
	struct kb_err err = { 0 };
	int i = 1;

	kb_crypto_init();
	for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
		int64_t value = 0;
		size_t k = 0;

		while (k < KB_COUNTOF(options) && strcmp(options[k].name, argv[i]) != 0)
			k++;
		if (k == KB_COUNTOF(options)
		    || !kb_sv_to_int(kb_sv_str(argv[i + 1]), 1, 10000000, &value)) {
			fprintf(stderr, "meaning_train: what is %s %s?\n", argv[i], argv[i + 1]);
			return 2;
		}
		*options[k].value = (uint32_t)value;
	}
	if (argc - i != 2) {
		fprintf(stderr, "usage: meaning_train [--words N] [--groups N] [--rounds N] "
		                "[--cap N] PAIRS.tsv OUT\n");
		return 2;
	}
	if (!run(&t, argv[i], argv[i + 1], &err)) {
		fprintf(stderr, "meaning_train: %s\n", err.msg);
		return 1;
	}
	return 0;
}
