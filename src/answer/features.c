/*
 * A row a sentence: what its own passage tells of it, then what needs the neighbours and the best
 * of all.
 */
#include "answer/features.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/asked.h"
#include "answer/wanted.h"

enum {
	START_WORDS = 6,
	NEAR = 3, /* words between the two of a pair in a passage */
};

#define K1 1.2f

/* Pairs of the question that stand near each other, by weight and how often. */
static float doc_pairs(const struct kb_asked *a, const struct kb_read_passage *p)
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

static float doc_place(const struct kb_read_passage *p)
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
static float sentence_bm25(const struct kb_asked *a, const struct kb_read_passage *p,
                           const struct kb_read_sentence *s, float mean)
{
	float norm = K1 * (.4f + .6f * (float)s->count / mean), sum = 0;
	int tf[KB_ASKED_TERMS] = { 0 };

	for (size_t i = 0; i < s->count; i++)
		if (p->tokens[s->first + i].term >= 0)
			tf[p->tokens[s->first + i].term]++;
	for (int t = 0; t < a->term_count; t++)
		sum += a->terms[t].weight * (K1 + 1) * (float)tf[t] / ((float)tf[t] + norm);
	return sum;
}

/* Pairs of the question in one sentence, the nearer the better. */
static float sentence_pairs(const struct kb_asked *a, const struct kb_read_token *v,
                            const struct kb_read_sentence *s)
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
static void order_features(const struct kb_asked *a, const struct kb_read_passage *p,
                           const struct kb_read_sentence *s, float *f)
{
	const struct kb_read_token *v = p->tokens + s->first;
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
		size_t last[KB_ASKED_TERMS];

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
	f[KB_F_START] = kb_asked_weight(a, start) / a->sum;
	f[KB_F_FUNCTION] = a->function_count ? (float)functions / (float)a->function_count : 0;
}

/* What of an answer a sentence has beyond the question's own words. */
struct fresh {
	bool year, digit, word, capital; /* word: a cue of the question's type */
	int words, capitals;
	size_t cue; /* the last that shows what the type asks for; SIZE_MAX: none */
	size_t gap; /* least words between such a one and a match; SIZE_MAX: none */
};

static bool is_fresh(const struct kb_read_token *token)
{
	return token->word < 0 && token->term < 0;
}

/* The first word of a sentence is a name only where the next begins like one too. */
static bool is_name(const struct kb_read_token *v, const struct kb_read_sentence *s, size_t i)
{
	return v[i].capital && is_fresh(&v[i]) && !v[i].function
	       && (i > 0 || (s->count > 1 && v[1].capital));
}

/* Is it of the kind that the question asks for? */
static bool shows(enum kb_question_type type, const struct kb_read_token *token, bool is_name)
{
	switch (type) {
	case KB_Q_WHEN:
		return token->year || token->cue;
	case KB_Q_NUM:
		return token->digit || token->cue;
	case KB_Q_WHO:
	case KB_Q_WHERE:
		return is_name || token->cue;
	case KB_Q_WHY:
		return token->cue;
	case KB_Q_OTHER:
	case KB_Q_TYPES:
		break;
	}
	return false;
}

static struct fresh look(enum kb_question_type type, const struct kb_read_token *v,
                         const struct kb_read_sentence *s)
{
	struct fresh out = { .gap = SIZE_MAX, .cue = SIZE_MAX };
	size_t match = SIZE_MAX;

	for (size_t i = 0; i < s->count; i++) {
		bool name = is_name(v, s, i);

		if (v[i].term >= 0 || v[i].like >= 0) {
			match = i;
			if (out.cue != SIZE_MAX)
				out.gap = KB_MIN(out.gap, i - out.cue - 1);
		}
		if (!is_fresh(&v[i]))
			continue;
		out.words += !v[i].function;
		out.capitals += name;
		out.year |= v[i].year;
		out.digit |= v[i].digit;
		out.word |= v[i].cue;
		out.capital |= name;
		if (shows(type, &v[i], name)) {
			out.cue = i;
			if (match != SIZE_MAX)
				out.gap = KB_MIN(out.gap, i - match - 1);
		}
	}
	return out;
}

/* Cues of more than one word, of languages that write none apart. */
static bool has_cue(const struct kb_asked *a, struct kb_sv text)
{
	struct kb_sv rest = a->cue_list, item;

	while (rest.n > 0 && kb_sv_split(&rest, ' ', &item))
		if (item.n > 0 && kb_sv_find(text, item) >= 0 && kb_sv_find(a->q->text, item) < 0)
			return true;
	return false;
}

/* A figure one or two words before what is counted. */
static bool counts_focus(const struct kb_asked *a, const struct kb_read_token *v,
                         const struct kb_read_sentence *s)
{
	for (size_t i = 0; a->focus >= 0 && i + 1 < s->count; i++)
		if ((v[i].digit || v[i].cue) && v[i].term < 0
		    && (v[i + 1].term == a->focus
		        || (i + 2 < s->count && v[i + 2].term == a->focus)))
			return true;
	return false;
}

/* A new name behind "by" or the like. */
static bool names_doer(const struct kb_read_token *v, const struct kb_read_sentence *s)
{
	for (size_t i = 0; i + 1 < s->count; i++)
		if (v[i].cue && v[i + 1].capital && v[i + 1].word < 0)
			return true;
	return false;
}

/* Figures of which a question has those of its own type; the others are 0. */
static void kind_features(const struct kb_asked *a, const struct kb_read_token *v,
                          const struct kb_read_sentence *s, const struct fresh *new, float *f)
{
	static const enum kb_answer_feature all[] = {
		KB_F_Q_WHEN,  KB_F_Q_NUM,    KB_F_Q_WHO,     KB_F_Q_WHERE,
		KB_F_Q_WHY,   KB_F_NUM_WORD, KB_F_NUM_DIGIT, KB_F_NUM_FOCUS,
		KB_F_WHO_CAP, KB_F_BY_CAP,   KB_F_WHEN_YEAR, KB_F_WHERE_CAP,
	};

	for (size_t i = 0; i < KB_COUNTOF(all); i++)
		f[all[i]] = 0;
	switch (a->q->type) {
	case KB_Q_WHEN:
		f[KB_F_Q_WHEN] = 1;
		f[KB_F_WHEN_YEAR] = new->year || (a->cue_list.n > 0 && new->digit);
		break;
	case KB_Q_NUM:
		f[KB_F_Q_NUM] = 1;
		f[KB_F_NUM_WORD] = new->word;
		f[KB_F_NUM_DIGIT] = new->digit;
		f[KB_F_NUM_FOCUS] = counts_focus(a, v, s);
		break;
	case KB_Q_WHO:
		f[KB_F_Q_WHO] = 1;
		f[KB_F_WHO_CAP] = new->capital;
		f[KB_F_BY_CAP] = names_doer(v, s);
		break;
	case KB_Q_WHERE:
		f[KB_F_Q_WHERE] = 1;
		f[KB_F_WHERE_CAP] = new->capital;
		break;
	case KB_Q_WHY:
		f[KB_F_Q_WHY] = 1;
		break;
	case KB_Q_OTHER:
	case KB_Q_TYPES:
		break;
	}
}

/* Cues of the question's type, numbers, names: what an answer would consist of. */
static void type_features(struct kb_asked *a, const struct kb_passage *from,
                          const struct kb_read_passage *p, const struct kb_read_sentence *s,
                          float *f)
{
	const struct kb_read_token *v = p->tokens + s->first;
	enum kb_question_type type = a->q->type;
	struct fresh new = look(type, v, s);
	bool hit;

	new.word = new.word || has_cue(a, kb_sv_sub(from->text, s->start, s->end - s->start));
	hit = new.cue != SIZE_MAX
	      || (a->cue_list.n > 0 && (new.word || (type == KB_Q_NUM && new.digit)));
	kind_features(a, v, s, &new, f);
	f[KB_F_TYPE_HIT] = type != KB_Q_OTHER && hit;
	f[KB_F_TYPE_MISS] = type != KB_Q_OTHER && !hit;
	f[KB_F_CUE_DIST] = new.gap != SIZE_MAX ? 1 / (1 + (float)new.gap / 3) : 0;
	f[KB_F_FRESH] = logf(1 + (float)new.words);
	f[KB_F_FRESH_CAP] = logf(1 + (float)new.capitals);
	f[KB_F_FRESH_NUM] = new.digit;
}

static float share_of(uint64_t set, uint64_t whole)
{
	return whole ? (float)__builtin_popcountll(set & whole) / (float)__builtin_popcountll(whole)
	             : 0;
}

static float heaviest(const struct kb_asked *a, uint64_t set)
{
	float most = 0;

	for (; set; set &= set - 1)
		most = KB_MAX(most, a->terms[__builtin_ctzll(set)].weight);
	return most;
}

static float local_of(const struct kb_asked *a, uint64_t set)
{
	float sum = 0;

	for (; set; set &= set - 1)
		sum += a->local[__builtin_ctzll(set)];
	return a->local_sum > 0 ? sum / a->local_sum : 0;
}

static float second_heaviest(const struct kb_asked *a, uint64_t set)
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

static uint64_t all_terms(const struct kb_asked *a)
{
	return a->term_count == KB_ASKED_TERMS ? ~UINT64_C(0) : (UINT64_C(1) << a->term_count) - 1;
}

static bool ends_asking(struct kb_sv text)
{
	return kb_sv_ends(text, KB_SV("?")) || kb_sv_ends(text, KB_SV("\uff1f"))
	       || kb_sv_ends(text, KB_SV("\u061f"));
}

/* Everything of a row that its own passage tells. */
static void row_features(struct kb_asked *a, const struct kb_passage *from,
                         const struct kb_read_passage *p, size_t i, float mean,
                         struct kb_feature_row *row)
{
	const struct kb_read_sentence *s = &p->sentences[i];
	uint64_t before = i > 0 ? p->sentences[i - 1].terms : 0;
	uint64_t after = i + 1 < p->count ? p->sentences[i + 1].terms : 0;
	uint64_t near = i > 1 ? p->sentences[i - 2].terms : 0;
	uint64_t have = s->terms | p->title;
	float *f = row->f, soft = 0, part = 0, grams = 0;
	int matched = 0;

	f[KB_F_COV] = kb_asked_weight(a, s->terms) / a->sum;
	f[KB_F_COV_TITLE] = kb_asked_weight(a, p->title & ~s->terms) / a->sum;
	f[KB_F_COV_PREV] = kb_asked_weight(a, before & ~have) / a->sum;
	f[KB_F_COV_NEXT] = kb_asked_weight(a, after & ~have) / a->sum;
	f[KB_F_COV_NEAR] = kb_asked_weight(a, near & ~have) / a->sum;
	f[KB_F_COV_REST] = kb_asked_weight(a, p->terms & ~(have | before | after | near)) / a->sum;
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
	f[KB_F_RAW] = kb_asked_weight(a, s->raw) / a->sum;
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
	f[KB_F_COV_OF_DOC] =
	        p->terms ? kb_asked_weight(a, s->terms) / kb_asked_weight(a, p->terms) : 0;
	f[KB_F_PLAIN] =
	        a->plain ? kb_asked_weight(a, s->terms & a->plain) / kb_asked_weight(a, a->plain)
	                 : 0;
	f[KB_F_PLAIN_DOC] =
	        a->plain ? kb_asked_weight(a, p->terms & a->plain) / kb_asked_weight(a, a->plain)
	                 : 0;
	f[KB_F_LOCAL] = local_of(a, s->terms);
	f[KB_F_LOCAL_DOC] = local_of(a, p->terms);
	f[KB_F_MISS] = heaviest(a, all_terms(a) & ~have) / a->heaviest;
	f[KB_F_MISS_NEXT] = second_heaviest(a, all_terms(a) & ~have) / a->heaviest;
	f[KB_F_NEAR_BOTH] = kb_asked_weight(a, have | before | after) / a->sum;
	f[KB_F_LAST] = a->last >= 0 && (s->terms >> a->last & 1);
	f[KB_F_PREV_ALL] = kb_asked_weight(a, before) / a->sum;
	f[KB_F_NEXT_ALL] = kb_asked_weight(a, after) / a->sum;
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

/* The candidates as the question reads them, with what the rows of one are compared with. */
struct reading {
	struct kb_asked *asked;
	const struct kb_candidate *candidates;
	struct kb_read_passage *passages; /* one a candidate */
	size_t count, rows;
	float mean; /* tokens of a sentence */
	const struct kb_nearness *nearness;
	enum kb_wanted wanted;
	struct {
		float cov, doc, local, bm25, soft, meant, kin;
	} best; /* of any; all but doc only of those that have their rows */
};

/* Reads the candidates word by word. */
static void read_passages(struct reading *r, struct kb_analyzer *analyzer, struct kb_arena *arena)
{
	struct kb_asked *a = r->asked;
	size_t tokens = 0;

	r->passages = KB_NEW_ARRAY(arena, r->count, struct kb_read_passage);
	for (size_t c = 0; c < r->count; c++) {
		struct kb_read_passage *p = &r->passages[c];

		kb_asked_read(analyzer, arena, a, &r->candidates[c].passage, p);
		r->rows += p->count;
		for (size_t i = 0; i < p->count; i++)
			tokens += p->sentences[i].count;
		r->best.doc = KB_MAX(r->best.doc, kb_asked_weight(a, p->terms) / a->sum);
	}
	r->mean = r->rows > 0 ? KB_MAX((float)tokens / (float)r->rows, 1.0f) : 1;
}

/* How many of the candidates hold each term makes its local weight. */
static void weigh_locally(const struct reading *r)
{
	struct kb_asked *a = r->asked;

	for (int t = 0; t < a->term_count; t++) {
		size_t holding = 0;

		for (size_t c = 0; c < r->count; c++)
			holding += r->passages[c].terms >> t & 1;
		a->local[t] = a->terms[t].weight
		              * logf(1 + ((float)r->count + .5f) / ((float)holding + .5f));
		a->local_sum += a->local[t];
	}
}

static size_t nearer_than(const struct reading *r, size_t c)
{
	size_t nearer = 0;

	for (size_t i = 0; i < r->count; i++)
		nearer += r->candidates[i].cosine > r->candidates[c].cosine;
	return nearer;
}

/* Whether the rows of a passage tell the kind of thing that the question names. */
static void wanted_features(enum kb_wanted wanted, const struct kb_passage *from,
                            struct kb_feature_row *rows, size_t count)
{
	bool any = kb_wanted_in(wanted, from->heading) || kb_wanted_in(wanted, from->title);

	for (size_t i = 0; i < count && wanted != KB_WANTED_NOTHING; i++) {
		bool hit = kb_wanted_in(
		        wanted, kb_sv_sub(from->text, rows[i].start, rows[i].end - rows[i].start));

		rows[i].f[KB_F_WANTED_HIT] = hit;
		rows[i].f[KB_F_WANTED_MISS] = !hit;
		any |= hit;
	}
	for (size_t i = 0; i < count; i++)
		rows[i].f[KB_F_WANTED_DOC] = wanted != KB_WANTED_NOTHING && !any;
}

/* What sentences, title and headings together have of each term. */
struct cover {
	float of[KB_ASKED_TERMS];
};

static void cover_title(const struct kb_asked *a, const struct kb_read_passage *p,
                        struct cover *out)
{
	for (int t = 0; t < a->term_count; t++)
		out->of[t] = KB_MAX(out->of[t], p->title >> t & 1 ? 1 : p->kin[t]);
}

static void cover_sentence(const struct kb_asked *a, const struct kb_read_sentence *s,
                           struct cover *out)
{
	for (int t = 0; t < a->term_count; t++)
		out->of[t] = KB_MAX(out->of[t], kb_asked_cover(s, t));
}

/* The question's own terms; where it has none, all. */
static uint64_t own_terms(const struct kb_asked *a)
{
	uint64_t all = all_terms(a), own = all & ~a->carried;

	return own ? own : all;
}

/* The heaviest of what is lacking. */
static float lacking(const struct kb_asked *a, const struct cover *cover)
{
	float most = 0;

	for (uint64_t set = own_terms(a); set; set &= set - 1) {
		int t = __builtin_ctzll(set);

		most = KB_MAX(most, a->terms[t].weight * (1 - cover->of[t]));
	}
	return most;
}

static float lacking_term(const struct kb_asked *a, const struct cover *cover, int term)
{
	return term >= 0 ? a->terms[term].weight * (1 - cover->of[term]) : 0;
}

/* A sentence with those beside it. */
static void block_of(const struct kb_asked *a, const struct kb_read_passage *p, size_t i,
                     struct kb_feature_row *row)
{
	struct cover cover = { 0 };
	float sum = 0, all = 0;

	cover_title(a, p, &cover);
	for (size_t k = i ? i - 1 : 0; k < p->count && k <= i + 1; k++)
		cover_sentence(a, &p->sentences[k], &cover);
	for (uint64_t set = own_terms(a); set; set &= set - 1) {
		int t = __builtin_ctzll(set);

		sum += a->terms[t].weight * cover.of[t];
		all += a->terms[t].weight;
	}
	row->block.cover = all > 0 ? sum / all : 0;
	row->block.miss = lacking(a, &cover);
	row->block.focus = lacking_term(a, &cover, a->focus);
	row->block.last = lacking_term(a, &cover, a->last);
}

/* Of words that are others than the question's. */
static void kin_features(const struct kb_asked *a, const struct kb_read_passage *p, size_t i,
                         float *f)
{
	const struct kb_read_sentence *s = &p->sentences[i];
	float sum = 0, miss = 0;

	for (int t = 0; t < a->term_count; t++) {
		float cover = kb_asked_cover(s, t);

		sum += a->terms[t].weight * (s->terms >> t & 1 ? 0 : cover);
		if (!(p->title >> t & 1))
			miss = KB_MAX(miss, a->terms[t].weight * (1 - KB_MAX(cover, p->kin[t])));
	}
	f[KB_F_KIN] = sum / a->sum;
	f[KB_F_KIN_BOTH] = f[KB_F_COV] + f[KB_F_KIN];
	f[KB_F_KIN_MISS] = miss / a->heaviest;
	f[KB_F_MEANT] = s->near;
}

/* What no sentence of the passages has. */
static void find_misses(const struct reading *r, struct kb_features *out)
{
	struct cover any = { 0 };

	for (size_t c = 0; c < r->count; c++) {
		const struct kb_read_passage *p = &r->passages[c];
		struct cover own = { 0 };

		cover_title(r->asked, p, &own);
		for (size_t i = 0; i < p->count; i++)
			cover_sentence(r->asked, &p->sentences[i], &own);
		out->passages[c].miss = lacking(r->asked, &own);
		for (int t = 0; t < r->asked->term_count; t++)
			any.of[t] = KB_MAX(any.of[t], own.of[t]);
	}
	out->miss = lacking(r->asked, &any);
}

/* Of the encoder's vectors of sentences, which their passages have understood. */
static float cosine_of(const struct kb_candidate *from, size_t sentence)
{
	return sentence < from->cosine_count ? from->cosines[sentence] : from->cosine;
}

static void sentence_cosines(const struct reading *r, size_t c, struct kb_feature_row *rows,
                             size_t count)
{
	const struct kb_candidate *from = &r->candidates[c];
	float tail = r->nearness->tail, best = -1;

	for (size_t i = 0; i < count; i++)
		best = KB_MAX(best, cosine_of(from, i));
	for (size_t i = 0; i < count; i++) {
		float own = cosine_of(from, i), beside = count > 1 ? -1 : own;

		if (i > 0)
			beside = KB_MAX(beside, cosine_of(from, i - 1));
		if (i + 1 < count)
			beside = KB_MAX(beside, cosine_of(from, i + 1));
		rows[i].f[KB_F_S_COSINE] = own - tail;
		rows[i].f[KB_F_S_COSINE_IN] = best - own;
		rows[i].f[KB_F_S_COSINE_OVER] = own - from->cosine;
		rows[i].f[KB_F_S_COSINE_NEXT] = beside - tail;
	}
}

/* The rows of candidate c with everything that its passage and the other candidates' scores tell;
 * raises the best. */
static void passage_rows(struct reading *r, size_t c, struct kb_feature_row *rows)
{
	struct kb_asked *a = r->asked;
	const struct kb_candidate *candidates = r->candidates;
	const struct kb_read_passage *p = &r->passages[c];
	const struct kb_passage *from = &candidates[c].passage;
	float pairs = doc_pairs(a, p), place = doc_place(p), best_cov = 0;
	const struct kb_nearness *near = r->nearness;
	float ideal = candidates[c].score / a->sum;
	float family = 0, scores = 0, other = 0, sum = 0;
	size_t words = 0, main_count = 0;

	for (size_t i = 0; i < p->count; i++)
		words += p->sentences[i].count;
	for (size_t i = 0; i < r->count; i++) {
		scores += candidates[i].score;
		if (i != c)
			other = KB_MAX(other, candidates[i].score);
		if (same_document(&candidates[i].passage, from))
			family += candidates[i].score;
	}
	family = scores > 0 ? family / scores : 0;
	for (size_t i = 0; i < p->count; i++) {
		struct kb_feature_row *row = &rows[i];
		float *f = row->f;

		row->candidate = (uint32_t)c;
		row_features(a, from, p, i, r->mean, row);
		row->leans = p->sentences[i].leans;
		row->near = p->sentences[i].near;
		block_of(a, p, i, row);
		kin_features(a, p, i, f);
		f[KB_F_PRONOUN] = row->leans;
		f[KB_F_LEAN_PREV] = row->leans ? f[KB_F_COV_PREV] : 0;
		f[KB_F_FAMILY] = family;
		f[KB_F_FAMILY_TOP] = same_document(&candidates[0].passage, from);
		f[KB_F_DOC_LENGTH] = logf(1 + (float)words);
		f[KB_F_DOC_REL] =
		        candidates[0].score > 0 ? candidates[c].score / candidates[0].score : 0;
		f[KB_F_DOC_IDEAL] = ideal;
		f[KB_F_DOC_RANK] = 1 / (1 + (float)c);
		if (near->known) {
			f[KB_F_COSINE] = candidates[c].cosine - near->tail;
			f[KB_F_COSINE_GAP] = near->best - candidates[c].cosine;
			f[KB_F_COSINE_RANK] = 1 / (1 + (float)nearer_than(r, c));
			f[KB_F_PLACE_ALL] = 1 / (1 + (float)candidates[c].place);
		}
		f[KB_F_DOC_COV] = kb_asked_weight(a, p->terms) / a->sum;
		f[KB_F_DOC_SOFT] = p->soft;
		f[KB_F_DOC_PAIRS] = pairs;
		f[KB_F_DOC_PLACE] = place;
		f[KB_F_DOC_GAP] = f[KB_F_DOC_COV] - r->best.doc;
		f[KB_F_DOC_MISS] = heaviest(a, ~p->terms & all_terms(a)) / a->heaviest;
		f[KB_F_COV_X_DOC] = f[KB_F_COV] * ideal;
		best_cov = KB_MAX(best_cov, f[KB_F_COV]);
		sum += f[KB_F_COV];
		main_count += p->sentences[i].terms >> a->main & 1;
	}
	wanted_features(r->wanted, from, rows, p->count);
	if (near->known)
		sentence_cosines(r, c, rows, p->count);
	for (size_t i = 0; i < p->count; i++) {
		float *f = rows[i].f;

		f[KB_F_DOC_BEST] = best_cov;
		f[KB_F_DOC_MEAN] = sum / (float)p->count;
		f[KB_F_DOC_MAIN] = logf(1 + (float)main_count);
		f[KB_F_DOC_LEAD] = other > 0 ? KB_MIN(candidates[c].score / other, 2.0f) : 2;
		r->best.local = KB_MAX(r->best.local, f[KB_F_LOCAL]);
		r->best.bm25 = KB_MAX(r->best.bm25, f[KB_F_S_BM25]);
		r->best.meant = KB_MAX(r->best.meant, f[KB_F_MEANT]);
		r->best.kin = KB_MAX(r->best.kin, f[KB_F_KIN_BOTH]);
	}
	r->best.soft = KB_MAX(r->best.soft, p->soft);
	r->best.cov = KB_MAX(r->best.cov, best_cov);
}

static int greater_first(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return x > y ? -1 : x < y;
}

/* Among the sentences of all passages. */
static void place_by_cosine(struct kb_arena *arena, struct kb_feature_row *rows, size_t count)
{
	float *sorted = KB_NEW_ARRAY(arena, count, float);

	for (size_t i = 0; i < count; i++)
		sorted[i] = rows[i].f[KB_F_S_COSINE];
	if (count)
		qsort(sorted, count, sizeof(*sorted), greater_first);
	for (size_t i = 0; i < count; i++) {
		float *f = rows[i].f;
		const float *at =
		        bsearch(&f[KB_F_S_COSINE], sorted, count, sizeof(*sorted), greater_first);

		while (at > sorted && at[-1] == *at)
			at--;
		f[KB_F_S_COSINE_GAP] = sorted[0] - f[KB_F_S_COSINE];
		f[KB_F_S_COSINE_RANK] = 1 / (1 + (float)(at - sorted));
	}
}

/* NULL: there is no table, or it knows no word of the question. */
static struct kb_asked_meaning *look_up(struct kb_arena *arena, const struct kb_meaning *meaning,
                                        const struct kb_asked *a)
{
	struct kb_asked_meaning *out;

	if (!meaning)
		return NULL;
	out = KB_NEW(arena, struct kb_asked_meaning);
	kb_meaning_sum_init(arena, meaning, &out->passage);
	if (!kb_meaning_question(meaning, &a->q->terms, &out->passage, &out->question))
		return NULL;
	kb_meaning_sum_init(arena, meaning, &out->sentence);
	kb_meaning_sum_init(arena, meaning, &out->title);
	out->terms = kb_arena_alloc(arena, (size_t)a->term_count * sizeof(*out->terms));
	for (int i = 0; i < a->term_count; i++)
		if (a->terms[i].number
		    || !kb_meaning_word(&out->question, a->terms[i].word, out->terms[i]))
			memset(out->terms[i], 0, sizeof(out->terms[i]));
	return out;
}

static float known_share(const struct kb_asked *a)
{
	const struct kb_meaning_words *words = &a->meaning->question.words;
	float known = 0;

	for (int i = 0; i < a->term_count; i++)
		if (words->find(words->arg, kb_meaning_key(a->terms[i].word)) != KB_MEANING_NONE)
			known += a->terms[i].weight;
	return known / a->sum;
}

void kb_features_compute(struct kb_analyzer *analyzer, struct kb_arena *arena,
                         const struct kb_question *question, const struct kb_evidence *evidence,
                         struct kb_features *out)
{
	struct kb_asked *a = KB_NEW(arena, struct kb_asked);
	struct reading r = { .asked = a,
		             .candidates = evidence->candidates,
		             .count = KB_MIN(evidence->count, (size_t)KB_SELECT_CANDIDATES),
		             .nearness = &evidence->nearness,
		             .wanted = kb_wanted_of(question->text) };
	size_t row = 0;

	*out = (struct kb_features){ .passages_known = (double)evidence->stats.passages };
	kb_asked_prepare(a, question, &evidence->stats, &out->unknown);
	if (a->term_count == 0 || !(a->sum > 0))
		return;
	a->meaning = look_up(arena, evidence->meaning, a);
	read_passages(&r, analyzer, arena);
	weigh_locally(&r);
	out->known = a->meaning ? known_share(a) : 0;
	out->rows = KB_NEW_ARRAY(arena, r.rows, struct kb_feature_row);
	out->passages = KB_NEW_ARRAY(arena, r.count, struct kb_gate_passage);
	for (size_t c = 0; c < r.count; c++) {
		passage_rows(&r, c, &out->rows[row]);
		row += r.passages[c].count;
		out->passages[c] = (struct kb_gate_passage){ .terms = r.passages[c].terms,
			                                     .title = r.passages[c].title,
			                                     .likes = r.passages[c].likes,
			                                     .score = r.candidates[c].score,
			                                     .soft = r.passages[c].soft,
			                                     .near = r.passages[c].near.all,
			                                     .near_title = r.passages[c].near.title,
			                                     .cosine = r.candidates[c].cosine };
	}
	find_misses(&r, out);
	if (r.nearness->known)
		place_by_cosine(arena, out->rows, r.rows);
	for (size_t i = 0; i < r.rows; i++) {
		float *f = out->rows[i].f;

		f[KB_F_COV_GAP] = f[KB_F_COV] - r.best.cov;
		f[KB_F_LOCAL_GAP] = f[KB_F_LOCAL] - r.best.local;
		f[KB_F_BM25_GAP] = f[KB_F_S_BM25] - r.best.bm25;
		f[KB_F_SOFT_GAP] = f[KB_F_DOC_SOFT] - r.best.soft;
		f[KB_F_MEANT_GAP] = f[KB_F_MEANT] - r.best.meant;
		f[KB_F_KIN_GAP] = f[KB_F_KIN_BOTH] - r.best.kin;
	}
	out->row_count = r.rows;
	out->passage_count = r.count;
	out->sum = a->sum;
	out->shape = question->shape;
	for (size_t c = 0; c < r.count; c++)
		out->sectioned += r.candidates[c].passage.heading.n > 0;
	out->sectioned /= (float)KB_MAX(r.count, (size_t)1);
	out->nearness = evidence->nearness;
	out->names = a->proper;
	out->subjects = a->subjects;
	out->numbers = a->numbers;
	out->carried = a->carried;
	out->term_count = (size_t)a->term_count;
	for (int i = 0; i < a->term_count; i++)
		out->weights[i] = a->terms[i].weight;
}
