/*
 * One pass over each passage's terms, a row a sentence, then what needs the neighbours and the best
 * of all.
 */
#include "answer/features.h"

#include <math.h>
#include <string.h>

#include "answer/cues.h"
#include "base/hash.h"
#include "index/sentence.h"

enum {
	TERMS = 64,  /* content terms of a question; the mask's bits */
	WORDS = 64,  /* different words of the question, function words included */
	SLOTS = 256, /* of a table of the question's words */
	GRAMS = 64,  /* pieces */
	START_WORDS = 6,
	PREFIX = 5,     /* characters */
	PART_MIN = 4,   /* bytes of a common part that count */
	PART_WORD = 48, /* bytes of a word that are compared */
	MEMO = 4096,    /* words whose common parts are remembered */
	NEAR = 3,       /* words between the two of a pair in a passage */
};

#define PART_SHARE 0.6f /* of the longer word, from which a common part counts */
#define K1         1.2f
#define SEARCH_TOP                                                                                 \
	2.2f /* what a term may add to the search score at most, of its idf: k1 + 1 over 1 */

struct term {
	struct kb_sv stem, word;
	float weight;
	uint64_t grams; /* set of hashed threes of bytes */
	bool capital, number;
};

struct table {
	uint64_t hash[SLOTS];
	int16_t value[SLOTS];
};

struct memo {
	uint64_t hash;
	int16_t term; /* -1: none */
	float share;
};

struct pair {
	int a, b; /* words or terms */
	float weight;
};

/* The question made ready. */
struct asked {
	const struct kb_question *q;
	struct term terms[TERMS];
	int term_count;
	float sum, heaviest;
	struct table stems; /* stem to term */
	struct table forms; /* unstemmed word to term */
	struct table words; /* stem of any word, function words too, to its number */
	int word_count;
	float word_weight[WORDS];
	bool word_function[WORDS];
	int function_count;
	uint8_t next[WORDS][WORDS]; /* 1 + pair number where b follows a in the question */
	int pair_count;
	struct pair pairs[TERMS]; /* content terms that are neighbours without function words */
	int near_count;
	struct pair beside[TERMS]; /* that stand side by side */
	int beside_count;
	struct table grams;
	float gram_weight[GRAMS];
	int gram_count;
	float gram_sum;
	uint64_t names, numbers;
	uint64_t plain;                /* terms without a capital */
	float local[TERMS], local_sum; /* weights by how few of the candidates hold them */
	int main;                      /* the heaviest term */
	int last;                      /* content term of the question, or -1 */
	int focus;                     /* term after the question word, or -1 */
	struct kb_sv cue_words;        /* of the type */
	struct kb_sv cue_list;         /* the same, in languages without blanks */
	struct memo memo[MEMO];
};

/* A word of a passage. */
struct token {
	int16_t term; /* content term or -1 */
	int16_t word; /* any word of the question or -1 */
	int16_t like; /* term with a common part, or -1 */
	float share;  /* of that part */
	bool raw, soft, capital, digit, year, cue, function;
};

static void put(struct table *table, struct kb_sv key, int value)
{
	uint64_t hash = kb_hash64(key) | 1;
	size_t i = hash >> 56;

	static_assert(SLOTS == 256, "the upper 8 bits of the hash choose the slot");
	for (size_t n = 0; n < SLOTS; n++, i = (i + 1) % SLOTS) {
		if (table->hash[i] == hash)
			return;
		if (table->hash[i] == 0) {
			table->hash[i] = hash;
			table->value[i] = (int16_t)value;
			return;
		}
	}
}

static int find(const struct table *table, uint64_t hash)
{
	size_t i = (hash | 1) >> 56;

	for (; table->hash[i] != 0; i = (i + 1) % SLOTS)
		if (table->hash[i] == (hash | 1))
			return table->value[i];
	return -1;
}

static float idf(const struct kb_answer_stats *stats, struct kb_sv term)
{
	double n = (double)stats->passages;
	double df = (double)KB_MIN(stats->df(stats->arg, term), stats->passages);

	return (float)log(1 + (n - df + .5) / (df + .5));
}

/* A set of the word's threes of bytes. */
static uint64_t grams_of(struct kb_sv word)
{
	uint64_t set = 0;

	for (size_t i = 0; i + 3 <= word.n; i++) {
		const unsigned char *p = (const unsigned char *)word.p + i;

		set |= UINT64_C(1) << ((p[0] * 37u + p[1] * 11u + p[2] * 5u) % 64);
	}
	return set;
}

static bool is_cjk(const struct kb_term *t)
{
	return t->flags & KB_TERM_CJK;
}

static bool is_function(const struct kb_term *t)
{
	return t->flags & (KB_TERM_FUNCTION | KB_TERM_STOP);
}

static int add_term(struct asked *a, const struct kb_term *t, float weight)
{
	int known = find(&a->stems, kb_hash64(t->term));
	struct term *term;

	if (known >= 0 || a->term_count == TERMS || !(weight > 0))
		return known;
	term = &a->terms[a->term_count];
	*term = (struct term){ .stem = t->term,
		               .word = t->word,
		               .weight = weight,
		               .capital = t->flags & KB_TERM_CAPITAL,
		               .number = t->flags & KB_TERM_NUMBER };
	if (!is_cjk(t))
		term->grams = grams_of(t->word);
	put(&a->stems, t->term, a->term_count);
	put(&a->forms, t->word, a->term_count);
	a->sum += weight;
	if (weight > a->heaviest) {
		a->heaviest = weight;
		a->main = a->term_count;
	}
	return a->term_count++;
}

/* A character that its neighbours, being function words, leave without a pair. */
static bool is_lone_character(const struct kb_terms *terms, size_t i)
{
	const struct kb_term *t = &terms->v[i];

	if (!is_cjk(t) || !(t->flags & KB_TERM_PIECE) || is_function(t))
		return false;
	for (size_t k = i < 3 ? 0 : i - 3; k < terms->count && k < i + 3; k++) {
		const struct kb_term *other = &terms->v[k];

		if (is_cjk(other) && !(other->flags & KB_TERM_PIECE) && !is_function(other)
		    && other->start <= t->start && other->end >= t->end)
			return false;
	}
	return true;
}

static void prepare_terms(struct asked *a, const struct kb_answer_stats *stats, float *unknown)
{
	const struct kb_terms *terms = &a->q->terms;
	enum kb_lang lang = a->q->lang;
	bool thai = lang == KB_LANG_TH || lang == KB_LANG_LO || lang == KB_LANG_KM
	            || lang == KB_LANG_MY;

	for (int pass = 0; pass < 2 && a->term_count == 0; pass++)
		for (size_t i = 0; i < terms->count; i++) {
			const struct kb_term *t = &terms->v[i];
			bool content = !is_function(t) && !(t->flags & KB_TERM_PIECE);

			/* A question of function words alone is taken at its word. */
			if (pass == 1)
				content = !(t->flags & (KB_TERM_STOP | KB_TERM_PIECE));
			if (content || (!thai && is_lone_character(terms, i)))
				add_term(a, t, idf(stats, t->term));
		}
	for (size_t i = 0; i < a->q->carried_count; i++) {
		const struct kb_query_term *c = &a->q->carried[i];
		struct kb_term t = { .term = c->term, .word = c->term };

		add_term(a, &t, c->weight * idf(stats, c->term));
	}
	for (int i = 0; i < a->term_count; i++) {
		if (!a->terms[i].capital)
			a->plain |= UINT64_C(1) << i;
		if (stats->df(stats->arg, a->terms[i].stem) == 0)
			*unknown += a->terms[i].weight;
		if (a->terms[i].number)
			a->numbers |= UINT64_C(1) << i;
	}
	if (a->sum > 0)
		*unknown /= a->sum;
	for (size_t i = 0; i < terms->count; i++) {
		const struct kb_term *t = &terms->v[i];
		float weight;

		if (!is_cjk(t) || !(t->flags & KB_TERM_PIECE) || is_function(t)
		    || a->gram_count == GRAMS || find(&a->grams, kb_hash64(t->term)) >= 0)
			continue;
		weight = idf(stats, t->term);
		put(&a->grams, t->term, a->gram_count);
		a->gram_weight[a->gram_count++] = weight;
		a->gram_sum += weight;
	}
}

static void prepare_words(struct asked *a)
{
	const struct kb_terms *terms = &a->q->terms;
	int before = -1, content_before = -1, last = -1;
	bool asked_word = false, first = true;

	a->focus = a->last = -1;
	for (size_t i = 0; i < terms->count; i++) {
		const struct kb_term *t = &terms->v[i];
		int word, term;

		if (t->flags & KB_TERM_PIECE)
			continue;
		word = find(&a->words, kb_hash64(t->term));
		term = find(&a->stems, kb_hash64(t->term));
		if (word < 0 && a->word_count < WORDS) {
			word = a->word_count++;
			put(&a->words, t->term, word);
			a->word_function[word] = is_function(t);
			a->function_count += is_function(t);
			a->word_weight[word] = term >= 0 ? a->terms[term].weight : 0;
		}
		if (word >= 0 && before >= 0 && !a->next[before][word] && a->pair_count < 64)
			a->next[before][word] = (uint8_t)(++a->pair_count);
		if (term >= 0 && !is_function(t)) {
			float w = a->terms[term].weight;

			if (last >= 0 && last != term && a->near_count < TERMS)
				a->pairs[a->near_count++] =
				        (struct pair){ last, term,
					               (w + a->terms[last].weight) / 2 };
			if (content_before >= 0 && content_before != term
			    && a->beside_count < TERMS)
				a->beside[a->beside_count++] =
				        (struct pair){ content_before, term,
					               (w + a->terms[content_before].weight) / 2 };
			if (!first && t->flags & KB_TERM_CAPITAL)
				a->names |= UINT64_C(1) << term;
			if (asked_word && a->focus < 0)
				a->focus = term;
			last = content_before = term;
			a->last = term;
		} else {
			content_before = -1;
			/* The question word is a function word that is no stop word. */
			if (t->flags & KB_TERM_FUNCTION && !(t->flags & KB_TERM_STOP))
				asked_word = true;
		}
		before = word;
		first = false;
	}
}

/* Length of the longest part two words have in common. */
static size_t common_part(struct kb_sv a, struct kb_sv b)
{
	uint8_t row[PART_WORD + 1] = { 0 };
	size_t best = 0;

	a.n = KB_MIN(a.n, (size_t)PART_WORD);
	b.n = KB_MIN(b.n, (size_t)PART_WORD);
	for (size_t i = 0; i < a.n; i++)
		for (size_t k = b.n; k > 0; k--) {
			row[k] = a.p[i] == b.p[k - 1] ? (uint8_t)(row[k - 1] + 1) : 0;
			best = KB_MAX(best, (size_t)row[k]);
		}
	return best;
}

/* The content term most like the word, by their longest common part. */
static void find_like(struct asked *a, struct kb_sv word, uint64_t hash, struct token *token)
{
	struct memo *memo = &a->memo[hash % MEMO];
	uint64_t grams;

	if (memo->hash != hash) {
		*memo = (struct memo){ .hash = hash, .term = -1 };
		grams = word.n >= PART_MIN ? grams_of(word) : 0;
		for (int i = 0; i < a->term_count; i++) {
			const struct term *term = &a->terms[i];
			int both = __builtin_popcountll(grams & term->grams);
			float share;

			float least = PART_SHARE * (float)KB_MAX(word.n, term->word.n);

			/* A common part of n bytes has n - 2 threes; a few may fall together. */
			if (term->number || both < 2 || (float)KB_MIN(word.n, term->word.n) < least
			    || (float)(both + 4) < least)
				continue;
			share = (float)common_part(word, term->word)
			        / (float)KB_MAX(word.n, term->word.n);
			if (share >= PART_SHARE && share > memo->share) {
				memo->share = share;
				memo->term = (int16_t)i;
			}
		}
	}
	token->like = memo->term;
	token->share = memo->share;
}

/* The term that the word's first five characters begin, as a bit set of terms. */
static bool same_prefix(struct kb_sv a, struct kb_sv b)
{
	size_t chars = 0, i = 0;

	for (; i < a.n && i < b.n; i++) {
		if (((unsigned char)a.p[i] & 0xc0) != 0x80 && chars++ == PREFIX)
			return true;
		if (a.p[i] != b.p[i])
			return false;
	}
	return chars >= PREFIX && (i < a.n ? ((unsigned char)a.p[i] & 0xc0) != 0x80 : true);
}

static bool is_year(struct kb_sv word)
{
	if (word.n != 4)
		return false;
	for (size_t i = 0; i < 4; i++)
		if (word.p[i] < '0' || word.p[i] > '9')
			return false;
	return word.p[0] == '1' || (word.p[0] == '2' && word.p[1] <= '1');
}

/* Sums over one sentence. */
struct sentence {
	uint32_t start, end; /* bytes */
	size_t first, count; /* tokens */
	uint64_t terms, raw, soft;
	float like[TERMS]; /* best share of a common part */
	uint64_t likes;
	uint64_t grams;
	bool leans; /* begins with a pronoun */
};

struct passage {
	struct token *tokens;
	struct sentence *sentences;
	size_t count;
	uint64_t title, terms;
	float soft;
};

static float weight_of(const struct asked *a, uint64_t set)
{
	float sum = 0;

	for (; set; set &= set - 1)
		sum += a->terms[__builtin_ctzll(set)].weight;
	return sum;
}

static void read_token(struct asked *a, const struct kb_term *t, struct token *token,
                       struct sentence *s)
{
	uint64_t stem = kb_hash64(t->term), form = stem;

	if (t->word.n != t->term.n)
		form = kb_hash64(t->word);
	*token = (struct token){ .term = (int16_t)find(&a->stems, stem),
		                 .word = (int16_t)find(&a->words, stem),
		                 .like = -1,
		                 .capital = t->flags & KB_TERM_CAPITAL,
		                 .digit = t->flags & KB_TERM_NUMBER,
		                 .function = is_function(t) };
	token->year = token->digit && is_year(t->word);
	if (token->term >= 0)
		s->terms |= UINT64_C(1) << token->term;
	token->raw = token->term >= 0 && find(&a->forms, form) == token->term;
	if (token->raw)
		s->raw |= UINT64_C(1) << token->term;
	if (token->word < 0 && a->q->type != KB_Q_OTHER && !is_cjk(t))
		token->cue = kb_cue_in(a->cue_words, t->word);
	if (token->term >= 0 || is_cjk(t) || token->function)
		return;
	find_like(a, t->word, form, token);
	if (token->like >= 0) {
		s->like[token->like] = KB_MAX(s->like[token->like], token->share);
		s->likes |= UINT64_C(1) << token->like;
		if (same_prefix(a->terms[token->like].word, t->word))
			s->soft |= UINT64_C(1) << token->like;
	}
}

static void read_passage(struct kb_analyzer *analyzer, struct kb_arena *arena, struct asked *a,
                         const struct kb_passage *from, struct passage *out)
{
	struct kb_sentence *ranges;
	struct kb_terms terms;
	size_t s = 0, tokens = 0;

	kb_sentences(arena, from->text, &ranges, &out->count);
	kb_analyze(analyzer, arena, a->q->lang, from->text, &terms);
	out->sentences = KB_NEW_ARRAY(arena, out->count, struct sentence);
	out->tokens = KB_NEW_ARRAY(arena, terms.count, struct token);
	for (size_t i = 0; i < out->count; i++) {
		out->sentences[i].start = ranges[i].start;
		out->sentences[i].end = ranges[i].end;
	}
	for (size_t i = 0; i < terms.count; i++) {
		const struct kb_term *t = &terms.v[i];
		struct sentence *sentence;

		while (s < out->count && t->start >= ranges[s].end) {
			s++;
			if (s < out->count)
				out->sentences[s].first = tokens;
		}
		if (s == out->count)
			break;
		sentence = &out->sentences[s];
		if (t->flags & KB_TERM_PIECE) {
			uint64_t hash = kb_hash64(t->term);
			int term = find(&a->stems, hash), gram = find(&a->grams, hash);

			if (term >= 0)
				sentence->terms |= UINT64_C(1) << term;
			if (gram >= 0)
				sentence->grams |= UINT64_C(1) << gram;
			continue;
		}
		if (sentence->count == 0)
			sentence->leans = kb_pronoun_word(a->q->lang, t->word);
		read_token(a, t, &out->tokens[tokens++], sentence);
		sentence->count++;
	}
	for (int field = 0; field < 2; field++) {
		kb_analyze(analyzer, arena, a->q->lang, field ? from->heading : from->title,
		           &terms);
		for (size_t i = 0; i < terms.count; i++) {
			int term = find(&a->stems, kb_hash64(terms.v[i].term));

			if (term >= 0)
				out->title |= UINT64_C(1) << term;
		}
	}
	out->terms = out->title;
	for (size_t i = 0; i < out->count; i++)
		out->terms |= out->sentences[i].terms;
	out->soft = weight_of(a, out->terms);
	for (int t = 0; t < a->term_count; t++) {
		float best = 0;

		if (out->terms >> t & 1)
			continue;
		for (size_t i = 0; i < out->count; i++)
			best = KB_MAX(best, out->sentences[i].like[t]);
		out->soft += best * a->terms[t].weight;
	}
	out->soft /= a->sum > 0 ? a->sum : 1;
}

/* Pairs of the question that stand near each other, by weight and how often. */
static float doc_pairs(const struct asked *a, const struct passage *p)
{
	float sum = 0, all = 0;
	size_t count = 0;

	for (size_t i = 0; i < p->count; i++)
		count = KB_MAX(count, p->sentences[i].first + p->sentences[i].count);
	for (int k = 0; k < a->near_count; k++) {
		int found = 0;

		all += a->pairs[k].weight;
		if (!(p->terms >> a->pairs[k].a & 1) || !(p->terms >> a->pairs[k].b & 1))
			continue;
		for (size_t i = 0; i < count; i++)
			if (p->tokens[i].term == a->pairs[k].a)
				for (size_t n = 1; n <= NEAR && i + n < count; n++)
					found += p->tokens[i + n].term == a->pairs[k].b;
		sum += a->pairs[k].weight * (float)found / (float)(found + 1);
	}
	return all > 0 ? sum / all : 0;
}

static float doc_place(const struct passage *p)
{
	if (p->title)
		return 1;
	for (size_t i = 0; i < p->count; i++)
		for (size_t k = 0; k < p->sentences[i].count; k++)
			if (p->tokens[p->sentences[i].first + k].term >= 0)
				return 1 / (1 + logf(1 + (float)(p->sentences[i].first + k)));
	return 0;
}

/* BM25 of the sentence, lengths against the mean of all. */
static float sentence_bm25(const struct asked *a, const struct passage *p, const struct sentence *s,
                           float mean)
{
	float norm = K1 * (.4f + .6f * (float)s->count / mean), sum = 0;
	int tf[TERMS] = { 0 };

	for (size_t i = 0; i < s->count; i++)
		if (p->tokens[s->first + i].term >= 0)
			tf[p->tokens[s->first + i].term]++;
	for (int t = 0; t < a->term_count; t++)
		sum += a->terms[t].weight * (K1 + 1) * (float)tf[t] / ((float)tf[t] + norm);
	return sum;
}

/* Pairs of the question in one sentence, the nearer the better. */
static float sentence_pairs(const struct asked *a, const struct token *v, const struct sentence *s)
{
	float sum = 0, all = 0;

	for (int k = 0; k < a->near_count; k++) {
		size_t left = SIZE_MAX, right = SIZE_MAX, best = SIZE_MAX;

		all += a->pairs[k].weight;
		if (!(s->terms >> a->pairs[k].a & 1) || !(s->terms >> a->pairs[k].b & 1))
			continue;
		for (size_t i = 0; i < s->count; i++) {
			if (v[i].term == a->pairs[k].a)
				left = i;
			else if (v[i].term == a->pairs[k].b)
				right = i;
			else
				continue;
			if (left != SIZE_MAX && right != SIZE_MAX)
				best = KB_MIN(best, left < right ? right - left : left - right + 1);
		}
		if (best != SIZE_MAX)
			sum += a->pairs[k].weight / (1 + (float)(best - 1) / 2);
	}
	return all > 0 ? sum / all : 0;
}

/* Adjacent pairs, the heaviest run, the nearest stretch, the first words. */
static void order_features(const struct asked *a, const struct passage *p, const struct sentence *s,
                           float *f)
{
	const struct token *v = p->tokens + s->first;
	uint64_t pairs = 0, words = 0;
	uint64_t start = 0, seen;
	float run = 0, best_run = 0, beside = 0, all = 0;
	int functions = 0, distinct = __builtin_popcountll(s->terms);
	size_t shortest = 0;

	for (size_t i = 0; i < s->count; i++) {
		if (i < START_WORDS && v[i].term >= 0)
			start |= UINT64_C(1) << v[i].term;
		if (v[i].word < 0) {
			run = 0;
			continue;
		}
		words |= UINT64_C(1) << v[i].word;
		if (i > 0 && v[i - 1].word >= 0 && a->next[v[i - 1].word][v[i].word])
			pairs |= UINT64_C(1) << (a->next[v[i - 1].word][v[i].word] - 1);
		run += a->word_weight[v[i].word];
		best_run = KB_MAX(best_run, run);
	}
	for (int k = 0; k < a->beside_count; k++) {
		all += a->beside[k].weight;
		if ((s->terms >> a->beside[k].a & 1) && (s->terms >> a->beside[k].b & 1))
			for (size_t i = 0; i + 1 < s->count; i++)
				if (v[i].term == a->beside[k].a
				    && v[i + 1].term == a->beside[k].b) {
					beside += a->beside[k].weight;
					break;
				}
	}
	/* The shortest stretch that holds every matched term: for each end, the latest starts. */
	if (distinct > 1) {
		size_t last[TERMS];

		seen = 0;
		for (size_t i = 0; i < s->count; i++) {
			size_t from = i;

			if (v[i].term < 0)
				continue;
			last[v[i].term] = i;
			seen |= UINT64_C(1) << v[i].term;
			if (__builtin_popcountll(seen) < distinct)
				continue;
			for (uint64_t set = seen; set; set &= set - 1)
				from = KB_MIN(from, last[__builtin_ctzll(set)]);
			if (shortest == 0 || i - from + 1 < shortest)
				shortest = i - from + 1;
		}
	}
	f[KB_F_S_NEAR] = sentence_pairs(a, v, s);
	for (int w = 0; w < a->word_count; w++)
		functions += a->word_function[w] && (words >> w & 1);
	f[KB_F_PAIRS_ALL] =
	        a->pair_count ? (float)__builtin_popcountll(pairs) / (float)a->pair_count : 0;
	f[KB_F_PAIRS] = all > 0 ? beside / all : 0;
	f[KB_F_RUN] = best_run / a->sum;
	f[KB_F_PROX] = shortest > 0 ? (float)(distinct - 1) / (float)shortest * f[KB_F_COV] : 0;
	f[KB_F_START] = weight_of(a, start) / a->sum;
	f[KB_F_FUNCTION] = a->function_count ? (float)functions / (float)a->function_count : 0;
}

/* Cues of the question's type, numbers, names: what an answer would consist of. */
static void type_features(struct asked *a, const struct kb_passage *from, const struct passage *p,
                          const struct sentence *s, float *f)
{
	const struct token *v = p->tokens + s->first;
	enum kb_question_type type = a->q->type;
	bool year = false, digit = false, word = false, capital = false, hit;
	int fresh = 0, fresh_capitals = 0;
	size_t gap = SIZE_MAX, match = SIZE_MAX, cue = SIZE_MAX;
	struct kb_sv rest = a->cue_list, item;
	struct kb_sv text = kb_sv_sub(from->text, s->start, s->end - s->start);

	for (size_t i = 0; i < s->count; i++) {
		bool new = v[i].word < 0 && v[i].term < 0;
		bool named = v[i].capital && new && !v[i].function
		             && (i > 0 || (s->count > 1 && v[1].capital));
		bool shows = (type == KB_Q_WHEN && (v[i].year || v[i].cue))
		             || (type == KB_Q_NUM && (v[i].digit || v[i].cue))
		             || ((type == KB_Q_WHO || type == KB_Q_WHERE) && (named || v[i].cue))
		             || (type == KB_Q_WHY && v[i].cue);

		if (v[i].term >= 0 || v[i].like >= 0) {
			match = i;
			if (cue != SIZE_MAX)
				gap = KB_MIN(gap, i - cue - 1);
		}
		if (!new)
			continue;
		fresh += !v[i].function;
		fresh_capitals += named;
		year |= v[i].year;
		digit |= v[i].digit;
		word |= v[i].cue;
		capital |= named;
		if (shows) {
			cue = i;
			if (match != SIZE_MAX)
				gap = KB_MIN(gap, i - match - 1);
		}
	}
	while (!word && rest.n > 0 && kb_sv_split(&rest, ' ', &item))
		word = item.n > 0 && kb_sv_find(text, item) >= 0
		       && kb_sv_find(a->q->text, item) < 0;
	hit = cue != SIZE_MAX || (a->cue_list.n > 0 && (word || (type == KB_Q_NUM && digit)));
	f[KB_F_NUM_FOCUS] = f[KB_F_BY_CAP] = 0;
	for (size_t i = 0; i + 1 < s->count; i++) {
		if (type == KB_Q_NUM && (v[i].digit || v[i].cue) && v[i].term < 0 && a->focus >= 0
		    && (v[i + 1].term == a->focus
		        || (i + 2 < s->count && v[i + 2].term == a->focus)))
			f[KB_F_NUM_FOCUS] = 1;
		if (type == KB_Q_WHO && v[i].cue && v[i + 1].capital && v[i + 1].word < 0)
			f[KB_F_BY_CAP] = 1;
	}
	f[KB_F_TYPE_HIT] = type != KB_Q_OTHER && hit;
	f[KB_F_TYPE_MISS] = type != KB_Q_OTHER && !hit;
	f[KB_F_WHEN_YEAR] = type == KB_Q_WHEN && (year || (a->cue_list.n > 0 && digit));
	f[KB_F_NUM_WORD] = type == KB_Q_NUM && word;
	f[KB_F_NUM_DIGIT] = type == KB_Q_NUM && digit;
	f[KB_F_WHO_CAP] = type == KB_Q_WHO && capital;
	f[KB_F_WHERE_CAP] = type == KB_Q_WHERE && capital;
	f[KB_F_CUE_DIST] = gap != SIZE_MAX ? 1 / (1 + (float)gap / 3) : 0;
	f[KB_F_FRESH] = logf(1 + (float)fresh);
	f[KB_F_FRESH_CAP] = logf(1 + (float)fresh_capitals);
	f[KB_F_FRESH_NUM] = digit;
	f[KB_F_Q_WHEN] = type == KB_Q_WHEN;
	f[KB_F_Q_NUM] = type == KB_Q_NUM;
	f[KB_F_Q_WHO] = type == KB_Q_WHO;
	f[KB_F_Q_WHERE] = type == KB_Q_WHERE;
	f[KB_F_Q_WHY] = type == KB_Q_WHY;
}

static float share_of(uint64_t set, uint64_t whole)
{
	return whole ? (float)__builtin_popcountll(set & whole) / (float)__builtin_popcountll(whole)
	             : 0;
}

static float heaviest(const struct asked *a, uint64_t set)
{
	float most = 0;

	for (; set; set &= set - 1)
		most = KB_MAX(most, a->terms[__builtin_ctzll(set)].weight);
	return most;
}

static float local_of(const struct asked *a, uint64_t set)
{
	float sum = 0;

	for (; set; set &= set - 1)
		sum += a->local[__builtin_ctzll(set)];
	return a->local_sum > 0 ? sum / a->local_sum : 0;
}

static float second_heaviest(const struct asked *a, uint64_t set)
{
	float most = 0, second = 0;

	for (; set; set &= set - 1) {
		float w = a->terms[__builtin_ctzll(set)].weight;

		if (w > most) {
			second = most;
			most = w;
		} else {
			second = KB_MAX(second, w);
		}
	}
	return second;
}

static uint64_t all_terms(const struct asked *a)
{
	return a->term_count == TERMS ? ~UINT64_C(0) : (UINT64_C(1) << a->term_count) - 1;
}

static bool ends_asking(struct kb_sv text)
{
	return kb_sv_ends(text, KB_SV("?")) || kb_sv_ends(text, KB_SV("\uff1f"))
	       || kb_sv_ends(text, KB_SV("\u061f"));
}

/* Everything of a row that its own passage tells. */
static void row_features(struct asked *a, const struct kb_passage *from, const struct passage *p,
                         size_t i, float mean, struct kb_feature_row *row)
{
	const struct sentence *s = &p->sentences[i];
	uint64_t before = i > 0 ? p->sentences[i - 1].terms : 0;
	uint64_t after = i + 1 < p->count ? p->sentences[i + 1].terms : 0;
	uint64_t near = i > 1 ? p->sentences[i - 2].terms : 0;
	uint64_t have = s->terms | p->title;
	float *f = row->f, soft = 0, part = 0, grams = 0;
	int matched = 0;

	f[KB_F_COV] = weight_of(a, s->terms) / a->sum;
	f[KB_F_COV_TITLE] = weight_of(a, p->title & ~s->terms) / a->sum;
	f[KB_F_COV_PREV] = weight_of(a, before & ~have) / a->sum;
	f[KB_F_COV_NEXT] = weight_of(a, after & ~have) / a->sum;
	f[KB_F_COV_NEAR] = weight_of(a, near & ~have) / a->sum;
	f[KB_F_COV_REST] = weight_of(a, p->terms & ~(have | before | after | near)) / a->sum;
	for (uint64_t set = s->likes & ~s->terms; set; set &= set - 1) {
		int t = __builtin_ctzll(set);

		part += s->like[t] * a->terms[t].weight;
		if (s->soft >> t & 1)
			soft += a->terms[t].weight;
	}
	for (uint64_t set = s->grams; set; set &= set - 1)
		grams += a->gram_weight[__builtin_ctzll(set)];
	for (size_t k = 0; k < s->count; k++)
		matched += p->tokens[s->first + k].term >= 0;
	f[KB_F_SOFT] = soft / a->sum;
	f[KB_F_SOFT_PART] = part / a->sum;
	f[KB_F_RAW] = weight_of(a, s->raw) / a->sum;
	f[KB_F_GRAM] = a->gram_sum > 0 ? grams / a->gram_sum : 0;
	f[KB_F_MAX_IDF] = heaviest(a, s->terms) / a->heaviest;
	f[KB_F_S_BM25] = sentence_bm25(a, p, s, mean) / a->sum;
	f[KB_F_S_DENSE] = s->count ? (float)matched / (float)s->count : 0;
	f[KB_F_CAP_CTX] = share_of(p->terms, a->names);
	f[KB_F_CAP] = share_of(s->terms, a->names);
	f[KB_F_NUMBER] = share_of(s->terms, a->numbers);
	f[KB_F_NUMBER_CTX] = share_of(~p->terms, a->numbers);
	f[KB_F_FOCUS] = a->focus >= 0 && (s->terms >> a->focus & 1);
	f[KB_F_FOCUS_DOC] = a->focus >= 0 && (p->terms >> a->focus & 1);
	f[KB_F_LENGTH] = logf(1 + (float)s->count);
	f[KB_F_PLACE] = p->count > 1 ? (float)i / (float)(p->count - 1) : 0;
	f[KB_F_FIRST] = i == 0;
	f[KB_F_QUESTION] = ends_asking(kb_sv_sub(from->text, s->start, s->end - s->start));
	f[KB_F_Q_LENGTH] = logf(1 + (float)a->term_count);
	f[KB_F_COV_OF_DOC] = p->terms ? weight_of(a, s->terms) / weight_of(a, p->terms) : 0;
	f[KB_F_PLAIN] = a->plain ? weight_of(a, s->terms & a->plain) / weight_of(a, a->plain) : 0;
	f[KB_F_PLAIN_DOC] =
	        a->plain ? weight_of(a, p->terms & a->plain) / weight_of(a, a->plain) : 0;
	f[KB_F_LOCAL] = local_of(a, s->terms);
	f[KB_F_LOCAL_DOC] = local_of(a, p->terms);
	f[KB_F_MISS] = heaviest(a, all_terms(a) & ~have) / a->heaviest;
	f[KB_F_MISS_NEXT] = second_heaviest(a, all_terms(a) & ~have) / a->heaviest;
	f[KB_F_NEAR_BOTH] = weight_of(a, have | before | after) / a->sum;
	f[KB_F_LAST] = a->last >= 0 && (s->terms >> a->last & 1);
	f[KB_F_PREV_ALL] = weight_of(a, before) / a->sum;
	f[KB_F_NEXT_ALL] = weight_of(a, after) / a->sum;
	order_features(a, p, s, f);
	type_features(a, from, p, s, f);
	row->start = s->start;
	row->end = s->end;
	row->terms = s->terms;
	row->first = i == 0;
	row->last = i + 1 == p->count;
}

float kb_features_weight(const struct kb_features *features, uint64_t terms)
{
	float sum = 0;

	for (; terms; terms &= terms - 1)
		sum += features->weights[__builtin_ctzll(terms)];
	return sum;
}

/* Passages of one page, or of pages of one title. */
static bool same_document(const struct kb_passage *a, const struct kb_passage *b)
{
	return a->page_id == b->page_id || (a->title.n > 0 && kb_sv_eq(a->title, b->title));
}

void kb_features_compute(struct kb_analyzer *analyzer, struct kb_arena *arena,
                         const struct kb_question *question, const struct kb_candidate *candidates,
                         size_t count, const struct kb_answer_stats *stats, struct kb_features *out)
{
	struct asked *a = KB_NEW(arena, struct asked);
	struct passage *passages;
	size_t rows = 0, tokens = 0, r = 0;
	float best_cov = 0, best_doc = 0, best_local = 0, best_bm25 = 0, best_soft = 0, mean;

	count = KB_MIN(count, (size_t)KB_SELECT_CANDIDATES);
	*out = (struct kb_features){ .passages_known = (double)stats->passages };
	a->q = question;
	a->cue_words = kb_cue_words(question->lang, question->type);
	a->cue_list = kb_cue_list(question->lang, question->type);
	prepare_terms(a, stats, &out->unknown);
	if (a->term_count == 0 || !(a->sum > 0))
		return;
	prepare_words(a);
	passages = KB_NEW_ARRAY(arena, count, struct passage);
	for (size_t c = 0; c < count; c++) {
		struct passage *p = &passages[c];

		read_passage(analyzer, arena, a, &candidates[c].passage, p);
		rows += p->count;
		for (size_t i = 0; i < p->count; i++)
			tokens += p->sentences[i].count;
		best_doc = KB_MAX(best_doc, weight_of(a, p->terms) / a->sum);
	}
	for (int t = 0; t < a->term_count; t++) {
		size_t holding = 0;

		for (size_t c = 0; c < count; c++)
			holding += passages[c].terms >> t & 1;
		a->local[t] = a->terms[t].weight
		              * logf(1 + ((float)count + .5f) / ((float)holding + .5f));
		a->local_sum += a->local[t];
	}
	mean = rows > 0 ? KB_MAX((float)tokens / (float)rows, 1.0f) : 1;
	out->rows = KB_NEW_ARRAY(arena, rows, struct kb_feature_row);
	out->passages = KB_NEW_ARRAY(arena, count, struct kb_gate_passage);
	for (size_t c = 0; c < count; c++) {
		const struct passage *p = &passages[c];
		const struct kb_passage *from = &candidates[c].passage;
		float pairs = doc_pairs(a, p), place = doc_place(p), best = 0;
		float ideal = candidates[c].score / a->sum;
		float family = 0, scores = 0, other = 0, sum = 0;
		size_t first = r, words = 0, main_count = 0;

		for (size_t i = 0; i < p->count; i++)
			words += p->sentences[i].count;
		for (size_t i = 0; i < count; i++) {
			scores += candidates[i].score;
			if (i != c)
				other = KB_MAX(other, candidates[i].score);
			if (same_document(&candidates[i].passage, from))
				family += candidates[i].score;
		}
		family = scores > 0 ? family / scores : 0;
		for (size_t i = 0; i < p->count; i++, r++) {
			struct kb_feature_row *row = &out->rows[r];
			float *f = row->f;

			row->candidate = (uint32_t)c;
			row_features(a, from, p, i, mean, row);
			row->leans = p->sentences[i].leans;
			f[KB_F_PRONOUN] = row->leans;
			f[KB_F_LEAN_PREV] = row->leans ? f[KB_F_COV_PREV] : 0;
			f[KB_F_FAMILY] = family;
			f[KB_F_FAMILY_TOP] = same_document(&candidates[0].passage, from);
			f[KB_F_DOC_LENGTH] = logf(1 + (float)words);
			f[KB_F_DOC_REL] = candidates[0].score > 0
			                          ? candidates[c].score / candidates[0].score
			                          : 0;
			f[KB_F_DOC_IDEAL] = ideal;
			f[KB_F_DOC_RANK] = 1 / (1 + (float)c);
			f[KB_F_DOC_COV] = weight_of(a, p->terms) / a->sum;
			f[KB_F_DOC_SOFT] = p->soft;
			f[KB_F_DOC_PAIRS] = pairs;
			f[KB_F_DOC_PLACE] = place;
			f[KB_F_DOC_GAP] = f[KB_F_DOC_COV] - best_doc;
			f[KB_F_DOC_MISS] =
			        heaviest(a,
			                 ~p->terms
			                         & (a->term_count == TERMS
			                                    ? ~UINT64_C(0)
			                                    : (UINT64_C(1) << a->term_count) - 1))
			        / a->heaviest;
			f[KB_F_COV_X_DOC] = f[KB_F_COV] * ideal;
			best = KB_MAX(best, f[KB_F_COV]);
			sum += f[KB_F_COV];
			main_count += p->sentences[i].terms >> a->main & 1;
		}
		for (size_t i = first; i < r; i++) {
			float *f = out->rows[i].f;

			f[KB_F_DOC_BEST] = best;
			f[KB_F_DOC_MEAN] = sum / (float)(r - first);
			f[KB_F_DOC_MAIN] = logf(1 + (float)main_count);
			f[KB_F_DOC_LEAD] =
			        other > 0 ? KB_MIN(candidates[c].score / other, 2.0f) : 2;
			best_local = KB_MAX(best_local, f[KB_F_LOCAL]);
			best_bm25 = KB_MAX(best_bm25, f[KB_F_S_BM25]);
		}
		best_soft = KB_MAX(best_soft, p->soft);
		best_cov = KB_MAX(best_cov, best);
		out->passages[c] =
		        (struct kb_gate_passage){ p->terms, candidates[c].score, p->soft };
	}
	for (size_t i = 0; i < rows; i++) {
		float *f = out->rows[i].f;

		f[KB_F_COV_GAP] = f[KB_F_COV] - best_cov;
		f[KB_F_LOCAL_GAP] = f[KB_F_LOCAL] - best_local;
		f[KB_F_BM25_GAP] = f[KB_F_S_BM25] - best_bm25;
		f[KB_F_SOFT_GAP] = f[KB_F_DOC_SOFT] - best_soft;
	}
	out->row_count = rows;
	out->passage_count = count;
	out->sum = a->sum;
	out->names = a->names;
	out->numbers = a->numbers;
	out->term_count = (size_t)a->term_count;
	for (int i = 0; i < a->term_count; i++)
		out->weights[i] = a->terms[i].weight;
}
