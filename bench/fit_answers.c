/*
 * Fits the tables of src/answer/weights.c to the shared question sets, and says what they are
 * worth.
 *
 *   fit_answers [--data DIR] eval                 cross-validated figures of every set
 *   fit_answers [--data DIR] write FILE           the same, then the tables fitted on everything
 *   fit_answers [--data DIR] predict SET FILE     answers for eval/score.py, each from tables that
 *                                                 were fitted without the question's article
 *   fit_answers [--data DIR] show POOL            what becomes of each question of a pool
 *   fit_answers [--data DIR] time                 what a selection costs with the built-in tables
 *
 * Behind --data, --meaning FILE does the same with a table of meanings; of what is then written
 * there is the gate alone (weights_meant.c). Behind that, --encoder FILE does it with the encoder,
 * and all is written (weights_near.c).
 *
 * Everything that is printed of a question comes from tables fitted without its article (five
 * folds); the gate is fitted on such out-of-fold scores too, and judged in folds of its own.
 * Without the data it says so and ends well.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/parts.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/utf8.h"
#include "fit_data.h"
#include "fit_model.h"
#include "fit_natural.h"
#include "fit_plain.h"
#include "parse/parse.h"

enum {
	FOLDS = 5,
	MOST_LESSONS = 8,
	FOREIGN_EACH = 50, /* questions of each other set, asked of a pool */
	TIMED = 400,
	TIMED_PASSAGES = 10,
};

/* Shares of foreign questions, on the mean of the pools, that the gate may answer. With the encoder
 * these are less: it opens for many questions in other words, and what is refused is shown as what
 * comes closest. */
#define LENIENT      .012
#define STRICT       .005
#define LENIENT_NEAR .005
#define STRICT_NEAR  .003

/* The pools. Those with `lessons` teach the sentence tables; all teach the gate. */
enum pool_kind {
	WHOLE,   /* a set, or what is left of it */
	NATURAL, /* the natural questions' corpora, each by itself */
	AGAIN,   /* the same in the field's words */
	SWAPPED, /* with another subject */
	SMALL,   /* agents of a few documents of squad, */
	LARGER,  /* and of more, asked what other sets ask too */
	PLAIN,   /* of a few made-up documents */
};
static const struct pool {
	const char *name;
	size_t lessons; /* how often the sentence tables learn from it */
	size_t every;   /* of so many questions one is taken */
	enum pool_kind kind;
	size_t documents; /* of a small agent */
	float weight;     /* in the gate's fit */
	float shut;       /* of its questions without an answer against the others */
} pools[] = {
	// clang-format off
	{ "squad", 1, 1, WHOLE, 0, 1, 1 },
	{ "xquad", 1, 2, WHOLE, 0, 2, .6f },
	{ "cmrc2018", 1, 2, WHOLE, 0, 1, 1 },
	{ "drcd", 1, 2, WHOLE, 0, 1, 1 },
	{ "jaquad", 1, 2, WHOLE, 0, 1, 1 },
	{ "hotpotqa", 1, 1, WHOLE, 0, 1, 1 },
	{ "rgb-zh", 1, 1, WHOLE, 0, 1, 1 },
	{ "clapnq", 0, 1, WHOLE, 0, 1, 1 },
	{ "mtrag", 0, 1, WHOLE, 0, 1, 3 },
	{ "squad@2", 0, 1, WHOLE, 0, .5f, 1 },
	{ "squad@9", 0, 1, WHOLE, 0, .5f, 1 },
	{ "squad@15", 0, 1, WHOLE, 0, .5f, 1 },
	{ "squad-1", 0, 3, WHOLE, 0, 1, 1 },
	{ "squad-4", 0, 3, WHOLE, 0, 1, 1 },
	{ "xquad-1", 0, 3, WHOLE, 0, 1, 1 },
	{ "xquad-4", 0, 3, WHOLE, 0, 1, 1 },
	{ "cmrc2018-1", 0, 1, WHOLE, 0, 1, 1 },
	{ "jaquad-1", 0, 1, WHOLE, 0, 1, 1 },
	{ "natural", 8, 1, NATURAL, 0, 4, 3.5f },
	{ "natural+", 4, 1, AGAIN, 0, 2, 1 },
	{ "natural~", 0, 1, SWAPPED, 0, 3, 1 },
	{ "of 1", 0, 1, SMALL, 1, 1, 1 },
	{ "of 2", 0, 1, SMALL, 2, 1, 1 },
	{ "of 5", 0, 1, SMALL, 5, 1, 1 },
	{ "of 13", 0, 1, SMALL, 13, 1, 1 },
	{ "of 20", 0, 1, SMALL, 20, 1, 1 },
	{ "of 60", 0, 1, LARGER, 60, 1, 1 },
	{ "of 300", 0, 1, LARGER, 300, 1, 1 },
	{ "plain 1", 0, 1, PLAIN, 1, 1, 1 },
	{ "plain 2", 0, 1, PLAIN, 2, 1, 1 },
	{ "plain 8", 0, 1, PLAIN, 8, 1, 1 },
	// clang-format on
};
enum { SMALL_AGENTS = 60, SMALL_OWN = 8, SMALL_FAR = 8, SMALL_NEAR = 4, NATURAL_FAR = 5 };
enum { LARGER_AGENTS = 12, LARGER_OWN = 30, LARGER_FAR = 5, LARGER_NEAR = 15 };

/* Where questions come from that the pools do not answer. */
static const char *const foreign[] = { "ir/med",    "ir/cisi", "ir/cranfield", "ir/scifact",
	                               "ir/nq-utd", "squad",   "xquad",        "cmrc2018",
	                               "drcd",      "jaquad",  "hotpotqa",     "clapnq" };

struct bench {
	const char *root;
	bool have[KB_COUNTOF(pools)];
	struct fit_case **cases;
	struct kb_candidate **candidates; /* of each case; NULL for foreign ones */
	const struct fit_ask **asks;
	size_t count, capacity, candidate_capacity, ask_capacity;
	struct n_set natural; /* the sets of its corpora keep views into it */
	struct kb_arena arena;
	struct kb_analyzer *analyzer;
	struct kb_meaning *meaning; /* NULL: none */
	struct encoded *encoder;    /* NULL: none */
};

/* A row is right where it holds the gold, or where it and the next hold it together. */
static void judge(struct bench *b, const struct fit_set *set, const struct fit_ask *ask,
                  const struct kb_candidate *candidates, struct fit_case *c)
{
	struct kb_arena scratch = { 0 };
	const struct fit_gold *gold = fit_gold_new(&scratch, set, ask);
	const struct kb_feature_row *rows = c->features.rows;
	size_t count = c->features.row_count;

	c->right = KB_NEW_ARRAY(&b->arena, count, uint8_t);
	c->doc = KB_NEW_ARRAY(&b->arena, count, uint8_t);
	for (size_t r = 0; r < count; r++) {
		const struct kb_passage *p = &candidates[rows[r].candidate].passage;

		for (size_t d = 0; d < ask->doc_count; d++)
			c->doc[r] |= (ask->docs[d] - set->docs) + 1 == p->page_id;
		if (fit_gold_in(&scratch, gold,
		                kb_sv_sub(p->text, rows[r].start, rows[r].end - rows[r].start)))
			c->right[r] = c->doc[r] ? 3 : 2;
		if (set->squeezed && !c->right[r] && r && !c->right[r - 1]
		    && rows[r - 1].candidate == rows[r].candidate
		    && fit_gold_in(
		            &scratch, gold,
		            kb_sv_sub(p->text, rows[r - 1].start, rows[r].end - rows[r - 1].start)))
			c->right[r] = c->right[r - 1] = c->doc[r] ? 3 : 2;
	}
	kb_arena_fini(&scratch);
}

static void *copy(struct bench *b, const void *from, size_t n)
{
	void *to = kb_arena_alloc(&b->arena, n);

	if (n > 0)
		memcpy(to, from, n);
	return to;
}

/* Moves what is needed later out of the scratch arena: the rows, and the texts of candidates. */
static void keep(struct bench *b, const struct fit_set *set, struct kb_features *f,
                 struct kb_candidate **candidates, size_t n)
{
	f->rows = copy(b, f->rows, f->row_count * sizeof(*f->rows));
	f->passages = copy(b, f->passages, f->passage_count * sizeof(*f->passages));
	if (!candidates)
		return;
	*candidates = copy(b, *candidates, n * sizeof(**candidates));
	for (size_t i = 0; i < n; i++) {
		struct kb_passage *p = &(*candidates)[i].passage;

		p->heading = kb_arena_sv(&b->arena, p->heading);
		p->text = set->squeezed ? kb_arena_sv(&b->arena, p->text)
		                        : set->docs[p->page_id - 1].text;
	}
}

/* What a question is to the pool that it is asked of. */
enum relation { OWN, NEAR, FAR };

static void ask_pool(struct bench *b, int pool, struct fit_set *set, const struct fit_ask *ask,
                     enum relation relation)
{
	struct fit_case *c = KB_NEW(&b->arena, struct fit_case);
	struct kb_evidence evidence = { .stats = fit_stats(set) };
	struct kb_arena scratch = { 0 };
	struct kb_candidate *candidates;
	bool answerable = relation == OWN;
	struct kb_question q;

	kb_question_read(b->analyzer, &scratch, set->snapshot,
	                 &(struct kb_utterance){ .text = ask->text,
	                                         .turns = ask->history,
	                                         .turn_count = ask->history_count },
	                 &q);
	fit_search(set, &scratch, &q, KB_SELECT_ADVISED, &evidence);
	candidates =
	        kb_arena_copy(&scratch, evidence.candidates, evidence.count * sizeof(*candidates));
	kb_features_compute(b->analyzer, &scratch, &q, &evidence, &c->features);
	keep(b, set, &c->features, answerable ? &candidates : NULL, evidence.count);
	c->group = answerable || set->squeezed ? ask->group : kb_hash64(ask->id);
	c->lang = q.lang;
	c->shape = q.shape;
	c->set = pool;
	c->from = set;
	c->answerable = answerable;
	c->far = relation == FAR;
	if (answerable)
		judge(b, set, ask, candidates, c);
	KB_GROW(b->cases, b->capacity, b->count + 1);
	KB_GROW(b->candidates, b->candidate_capacity, b->count + 1);
	KB_GROW(b->asks, b->ask_capacity, b->count + 1);
	b->candidates[b->count] = answerable ? candidates : NULL;
	b->asks[b->count] = ask;
	b->cases[b->count++] = c;
	b->have[pool] = true;
	kb_arena_fini(&scratch);
}

static bool same_root(const char *a, const char *b)
{
	size_t n = strcspn(a, "@:-");

	return n == strcspn(b, "@:-") && strncmp(a, b, n) == 0;
}

static bool has_answer(const struct fit_ask *ask)
{
	return !ask->impossible && ask->doc_count > 0;
}

static void load_whole(struct bench *b, int pool, struct fit_set *sources)
{
	struct fit_set *set = KB_NEW(&b->arena, struct fit_set);
	const char *name = pools[pool].name;
	bool less = fit_is_less(name), turns = strcmp(name, "mtrag") == 0;

	if (!fit_set_open(set, b->root, name))
		return;
	for (size_t i = 0; i < set->ask_count; i += pools[pool].every) {
		const struct fit_ask *ask = &set->asks[i];

		if (less || (turns && ask->impossible))
			ask_pool(b, pool, set, ask, NEAR);
		else if (has_answer(ask) && (turns || ask->answer_count > 0))
			ask_pool(b, pool, set, ask, OWN);
	}
	for (size_t f = 0; f < KB_COUNTOF(foreign); f++) {
		double step = (double)sources[f].ask_count / FOREIGN_EACH;

		if (less || same_root(name, foreign[f]))
			continue;
		for (double i = 0; i < (double)sources[f].ask_count; i += KB_MAX(step, 1.))
			ask_pool(b, pool, set, &sources[f].asks[(size_t)i], FAR);
	}
}

/* Short questions on subjects that no set treats, of the kind that small agents are tried with. */
static const char *const strange[] = {
	"Where is the ice rink?",
	"How much does the piano cost?",
	"Where does the giraffe live?",
	"When does the bakery open?",
	"Who owns the vineyard?",
	"How long does the ferry take?",
	"What does the giraffe eat?",
	"How heavy is the tractor?",
	"How long is the guarantee of the toaster?",
	"What colour is the umbrella?",
	"How many strings does the harp have?",
	"Can I bring my parrot?",
	"How do I knit a scarf?",
	"Who won the tennis final?",
	"When was the opera house built?",
	"What is the price of the sofa?",
	"Is breakfast included?",
	"How do I renew my library card?",
	"How fast is the sailing boat?",
	"What is error QX-7731?",
	"Do you sell gift vouchers?",
	"Where can I park my caravan?",
	"What is the capital of Mongolia?",
	"How old is the oak?",
	"Which wine goes with salmon?",
	"Is there a swimming pool?",
	"When is the next concert?",
	"How do I bake rye bread?",
	"What does the lamp weigh?",
	"How often must the aquarium be cleaned?",
};
/* What stands in for the subject of a question that was answerable. */
static const char *const strangers[] = { "giraffe", "piano",   "umbrella", "vineyard",
	                                 "harp",    "toaster", "caravan",  "parrot",
	                                 "sofa",    "tractor", "ferry",    "aquarium" };
enum { SWAP_TERMS = 5, SMALL_SWAPS = 4, SMALL_STRANGE = 10, NATURAL_STRANGE = 15, SMALL_TURNS = 4 };

static struct fit_ask *made_up(struct bench *b, const char *source, struct kb_sv text)
{
	struct fit_ask *ask = KB_NEW(&b->arena, struct fit_ask);

	*ask = (struct fit_ask){ .id = text, .text = text, .source = source, .impossible = true };
	ask->group = kb_hash64(text);
	return ask;
}

/* The question with another subject in the place of the rarest word that the set knows. */
static const struct fit_ask *swapped(struct bench *b, const struct fit_set *set,
                                     const struct fit_ask *ask, size_t n)
{
	struct kb_arena scratch = { 0 };
	const struct kb_term *rarest = NULL;
	const struct fit_ask *out = NULL;
	struct kb_terms terms;
	size_t content = 0;
	int64_t least = INT64_MAX;

	kb_analyze(b->analyzer, &scratch, KB_LANG_EN, ask->text, &terms);
	for (size_t i = 0; i < terms.count; i++) {
		const struct kb_term *t = &terms.v[i];
		int64_t df = kb_snapshot_df(set->snapshot, t->term);

		if (t->flags & (KB_TERM_STOP | KB_TERM_FUNCTION | KB_TERM_PIECE))
			continue;
		content++;
		if (df > 0 && df < least && !(t->flags & KB_TERM_NUMBER)) {
			least = df;
			rarest = t;
		}
	}
	if (rarest && content <= SWAP_TERMS) {
		struct fit_ask *made =
		        made_up(b, "swapped",
		                kb_arena_printf(&b->arena, "%.*s%s%.*s",
		                                KB_SV_ARG(kb_sv_sub(ask->text, 0, rarest->start)),
		                                strangers[n % KB_COUNTOF(strangers)],
		                                KB_SV_ARG(kb_sv_from(ask->text, rarest->end))));

		made->group = ask->group;
		out = made;
	}
	kb_arena_fini(&scratch);
	return out;
}

/* A strange question behind one that the agent answers, leaning on it. */
static const struct fit_ask *behind(struct bench *b, const struct fit_ask *before, size_t n)
{
	struct kb_sv text = kb_sv_str(strange[n % KB_COUNTOF(strange)]);
	struct fit_ask *ask =
	        made_up(b, "turns", kb_arena_printf(&b->arena, "And %.*s", KB_SV_ARG(text)));

	ask->history = KB_NEW(&b->arena, struct kb_sv);
	ask->history[ask->history_count++] = before->text;
	return ask;
}

/* The made-up questions of a small agent. */
static void ask_strange(struct bench *b, int pool, struct fit_set *set, size_t k)
{
	size_t swaps = 0;

	for (size_t i = 0; i < set->ask_count && swaps < SMALL_SWAPS; i++) {
		const struct fit_ask *ask = swapped(b, set, &set->asks[i], k + i);

		if (!ask)
			continue;
		ask_pool(b, pool, set, ask, NEAR);
		swaps++;
	}
	for (size_t i = 0; i < SMALL_STRANGE; i++)
		ask_pool(b, pool, set,
		         made_up(b, "strange",
		                 kb_sv_str(strange[(k * 7 + i) % KB_COUNTOF(strange)])),
		         FAR);
	for (size_t i = 0; i < SMALL_TURNS; i++)
		ask_pool(b, pool, set, behind(b, &set->asks[i % set->ask_count], k * 11 + i), FAR);
}

static int pool_of(enum pool_kind kind)
{
	int p = 0;

	while (pools[p].kind != kind)
		p++;
	return p;
}

static void load_natural(struct bench *b, struct fit_set *sources)
{
	int own = pool_of(NATURAL), again = pool_of(AGAIN);
	const char *folder = kb_arena_printf(&b->arena, "%s/natural", b->root).p;
	struct kb_err err = { 0 };

	if (!n_set_read(&b->natural, folder, &err)) {
		fprintf(stderr, "natural: %s\n", err.msg);
		return;
	}
	for (size_t k = 0; k < b->natural.corpus_count; k++) {
		struct fit_set *set = KB_NEW(&b->arena, struct fit_set);

		if (!fit_natural_open(set, &b->natural, k, &err)) {
			fprintf(stderr, "natural: %s\n", err.msg);
			return;
		}
		for (size_t i = 0; i < set->ask_count; i++) {
			const struct fit_ask *ask = &set->asks[i];

			ask_pool(b, ask->again ? again : own, set, ask,
			         !ask->impossible ? OWN
			         : ask->foreign   ? FAR
			                          : NEAR);
		}
		for (size_t i = 0; i < set->ask_count; i++) {
			const struct fit_ask *ask = swapped(b, set, &set->asks[i], i + k);

			if (ask && !set->asks[i].impossible)
				ask_pool(b, pool_of(SWAPPED), set, ask, NEAR);
		}
		for (size_t f = 0; f < KB_COUNTOF(foreign); f++)
			for (size_t i = 0; i < NATURAL_FAR && sources[f].ask_count; i++)
				ask_pool(b, own, set,
				         &sources[f].asks[(k * 7919 + i * 104729)
				                          % sources[f].ask_count],
				         FAR);
		for (size_t i = 0; i < NATURAL_STRANGE; i++)
			ask_pool(b, own, set,
			         made_up(b, "strange",
			                 kb_sv_str(strange[(k * 7 + i) % KB_COUNTOF(strange)])),
			         FAR);
	}
}

static void load_small(struct bench *b, int pool, const struct fit_set *squad)
{
	size_t count = pools[pool].documents;

	for (size_t k = 0; k < SMALL_AGENTS; k++) {
		struct fit_set *set = KB_NEW(&b->arena, struct fit_set);
		size_t from = k * squad->doc_count / SMALL_AGENTS, far = 0, near = 0;
		uint64_t group;

		if (!fit_set_small(set, squad, from, count) || set->ask_count == 0)
			continue;
		group = set->asks[0].group;
		ask_strange(b, pool, set, k);
		for (size_t i = 0; i < SMALL_OWN && i < set->ask_count; i++)
			ask_pool(b, pool, set,
			         &set->asks[i * set->ask_count
			                    / KB_MIN(set->ask_count, (size_t)SMALL_OWN)],
			         OWN);
		for (size_t i = 0; i < squad->ask_count && (far < SMALL_FAR || near < SMALL_NEAR);
		     i++) {
			const struct fit_ask *ask =
			        &squad->asks[(i * 7919 + k * 13) % squad->ask_count];
			bool related = ask->group == group;

			if (ask->doc_count != 1
			    || (ask->docs[0] >= squad->docs + from
			        && ask->docs[0] < squad->docs + from + count))
				continue;
			if (related && near < SMALL_NEAR) {
				ask_pool(b, pool, set, ask, NEAR);
				near++;
			} else if (!related && far < SMALL_FAR) {
				ask_pool(b, pool, set, ask, FAR);
				far++;
			}
		}
	}
}

/* Whether the ask is of none of the set's passages, and of an article that the set has (or not).
 * Articles lie one behind the other: only the first and the last of a set have more passages. */
static bool is_beside(const struct fit_ask *ask, const struct fit_set *set,
                      const struct fit_doc *first, bool related)
{
	bool of_first = ask->group == set->asks[0].group;
	bool of_last = ask->group == set->asks[set->ask_count - 1].group;

	return ask->doc_count == 1
	       && (ask->docs[0] < first || ask->docs[0] >= first + set->doc_count)
	       && related == (of_first || of_last);
}

static void load_larger(struct bench *b, int pool, const struct fit_set *squad,
                        const struct fit_set *sources)
{
	size_t count = pools[pool].documents;

	for (size_t k = 0; k < LARGER_AGENTS; k++) {
		struct fit_set *set = KB_NEW(&b->arena, struct fit_set);
		size_t from = k * (squad->doc_count - count) / LARGER_AGENTS, near = 0, far = 0;

		if (!fit_set_small(set, squad, from, count) || set->ask_count == 0)
			continue;
		ask_strange(b, pool, set, k);
		for (size_t i = 0; i < LARGER_OWN; i++)
			ask_pool(b, pool, set, &set->asks[i * set->ask_count / LARGER_OWN], OWN);
		for (size_t i = 0; i < squad->ask_count && near < LARGER_NEAR; i++) {
			const struct fit_ask *ask =
			        &squad->asks[(i * 7919 + k * 13) % squad->ask_count];

			if (is_beside(ask, set, squad->docs + from, true))
				near++, ask_pool(b, pool, set, ask, NEAR);
			else if (far < LARGER_FAR * 4
			         && is_beside(ask, set, squad->docs + from, false))
				far++, ask_pool(b, pool, set, ask, FAR);
		}
		for (size_t f = 0; f < KB_COUNTOF(foreign); f++)
			for (size_t i = 0; i < LARGER_FAR && sources[f].ask_count
			                   && !same_root("squad", foreign[f]);
			     i++)
				ask_pool(b, pool, set,
				         &sources[f].asks[(k * 7919 + i * 104729)
				                          % sources[f].ask_count],
				         FAR);
	}
}

/* A few made-up documents, their own questions, those of the others and the strange ones. */
static void load_plain(struct bench *b, int pool)
{
	size_t count = pools[pool].documents;
	struct fit_set *all = KB_NEW(&b->arena, struct fit_set);

	fit_plain_open(all, 0, FIT_PLAIN_DOCS);
	for (size_t from = 0; from + count <= FIT_PLAIN_DOCS; from += count) {
		struct fit_set *set = KB_NEW(&b->arena, struct fit_set);

		fit_plain_open(set, from, count);
		/* What "it" is, only an agent of one document tells. */
		for (size_t i = 0; i < set->ask_count; i++)
			if (count == 1 || kb_sv_find(set->asks[i].text, KB_SV(" it")) < 0)
				ask_pool(b, pool, set, &set->asks[i], OWN);
		for (size_t i = 0; i < all->ask_count; i++) {
			const struct fit_ask *ask = &all->asks[i];
			size_t doc = (size_t)(ask->docs[0] - all->docs);

			if ((doc < from || doc >= from + count)
			    && kb_sv_find(ask->text, KB_SV(" it")) < 0)
				ask_pool(b, pool, set, ask, NEAR);
		}
		ask_strange(b, pool, set, from);
	}
}

static void load(struct bench *b)
{
	struct fit_set *sources = KB_NEW_ARRAY(&b->arena, KB_COUNTOF(foreign), struct fit_set);
	struct fit_set *squad = KB_NEW(&b->arena, struct fit_set);

	for (size_t f = 0; f < KB_COUNTOF(foreign); f++)
		if (!fit_set_open(&sources[f], b->root, foreign[f]))
			sources[f] = (struct fit_set){ 0 };
	for (size_t p = 0; p < KB_COUNTOF(pools); p++)
		if (pools[p].kind == WHOLE)
			load_whole(b, (int)p, sources);
	for (size_t p = 0; p < KB_COUNTOF(pools); p++)
		if (pools[p].kind == PLAIN)
			load_plain(b, (int)p);
	load_natural(b, sources);
	if (fit_set_open(squad, b->root, "squad"))
		for (size_t p = 0; p < KB_COUNTOF(pools); p++) {
			if (pools[p].kind == SMALL)
				load_small(b, (int)p, squad);
			if (pools[p].kind == LARGER)
				load_larger(b, (int)p, squad, sources);
		}
}

static int fold_of(const struct fit_case *c)
{
	return (int)((c->group >> 20) % FOLDS);
}

/* Without an encoder the natural questions teach nothing: their words are not those of the answers.
 */
static size_t lessons_of(const struct bench *b, const struct fit_case *c)
{
	const struct pool *pool = &pools[c->set];

	return b->encoder || pool->kind == WHOLE ? pool->lessons : 0;
}

/* What a table learns from: English and the other languages of words from squad's questions, which
 * are the most and the hardest; runs from their own. */
static size_t lessons(const struct bench *b, enum kb_table table, int without,
                      struct fit_case **out)
{
	size_t n = 0;

	for (size_t i = 0; i < b->count; i++) {
		struct fit_case *c = b->cases[i];
		enum kb_table own = kb_table_of(c->lang);

		if (!c->answerable || fold_of(c) == without)
			continue;
		if (own == table || (table == KB_TABLE_WORDS && own == KB_TABLE_ENGLISH))
			for (size_t k = 0; k < lessons_of(b, c); k++)
				out[n++] = c;
	}
	return n;
}

static void score_case(struct bench *b, const struct kb_weights *weights, struct fit_case *c)
{
	kb_score_rows(&b->arena, weights, &c->features, &c->z, &c->order);
	c->gated = c->features.row_count > 0;
	if (c->gated)
		kb_gate_features(&c->features, c->z, c->order, c->gate);
}

/* Scores every case with tables that have not seen its article. */
static void score_out_of_fold(struct bench *b)
{
	struct fit_case **learn = kb_xcalloc(MOST_LESSONS * b->count + 1, sizeof(*learn));
	struct kb_weights *weights = kb_xcalloc(1, sizeof(*weights));

	for (int fold = 0; fold < FOLDS; fold++)
		for (int table = 0; table < KB_TABLES; table++) {
			size_t n = lessons(b, (enum kb_table)table, fold, learn);

			if (n == 0)
				continue;
			fit_weights(learn, n, weights);
			for (size_t i = 0; i < b->count; i++)
				if (fold_of(b->cases[i]) == fold
				    && (int)kb_table_of(b->cases[i]->lang) == table)
					score_case(b, weights, b->cases[i]);
		}
	free(weights);
	free(learn);
}

/* The pools weigh as their table says; the answerable questions of one as much as the others, and
 * of these those of its own field as much as those of others. */
static void weigh(struct bench *b)
{
	double sums[KB_COUNTOF(pools)][3] = { { 0 } };

	for (size_t i = 0; i < b->count; i++) {
		const struct fit_case *c = b->cases[i];

		sums[c->set][c->answerable ? OWN : c->far ? FAR : NEAR]++;
	}
	for (size_t i = 0; i < b->count; i++) {
		struct fit_case *c = b->cases[i];
		const double *own = sums[c->set];
		double all = 1000 * (double)pools[c->set].weight;

		if (c->answerable) {
			c->weight = (float)(all / own[OWN]);
			continue;
		}
		all *= (double)pools[c->set].shut;
		if (own[FAR] > 0 && own[NEAR] > 0)
			c->weight = (float)(all / 2 / own[c->far ? FAR : NEAR]);
		else
			c->weight = (float)(all / own[c->far ? FAR : NEAR]);
	}
}

static int falling(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return x > y ? -1 : x < y;
}

/* The z above which `share` of the foreign questions lie, on the mean of the pools. */
static float threshold(const struct bench *b, const float *z, double share)
{
	double sum = 0, used = 0;
	float *far = kb_xcalloc(b->count + 1, sizeof(*far));

	for (size_t p = 0; p < KB_COUNTOF(pools); p++) {
		size_t n = 0;

		for (size_t i = 0; i < b->count; i++)
			if (b->cases[i]->set == (int)p && b->cases[i]->far)
				far[n++] = z[i];
		if (n == 0)
			continue;
		qsort(far, n, sizeof(*far), falling);
		sum += (double)far[(size_t)(share * (double)n)];
		used++;
	}
	free(far);
	return used > 0 ? (float)(sum / used) : 0;
}

/* Fits the gate on out-of-fold scores; z holds each case's gate_z from a gate that has not seen it.
 */
static void fit_gates(struct bench *b, float *z, struct kb_gate_weights *out)
{
	struct fit_case **learn = kb_xcalloc(b->count + 1, sizeof(*learn));
	float lenient;

	for (int fold = 0; fold < FOLDS; fold++) {
		struct kb_gate_weights gate;
		size_t n = 0;

		for (size_t i = 0; i < b->count; i++)
			if (fold_of(b->cases[i]) != fold)
				learn[n++] = b->cases[i];
		fit_gate(learn, n, &gate);
		for (size_t i = 0; i < b->count; i++)
			if (fold_of(b->cases[i]) == fold)
				z[i] = b->cases[i]->gated ? fit_gate_z(&gate, b->cases[i]) : -99;
	}
	fit_gate(b->cases, b->count, out);
	lenient = threshold(b, z, b->encoder ? LENIENT_NEAR : LENIENT);
	out->strict = threshold(b, z, b->encoder ? STRICT_NEAR : STRICT) - lenient;
	out->bias -= lenient;
	for (size_t i = 0; i < b->count; i++)
		z[i] -= lenient;
	free(learn);
}

/* The selection kb_select() would give, from the case's out-of-fold scores. */
static void selection_of(struct kb_arena *arena, const struct fit_case *c, bool answered,
                         struct kb_selection *out)
{
	*out = (struct kb_selection){ .shape = c->shape,
		                      .count = c->features.row_count,
		                      .answered = answered };
	out->sentences = KB_NEW_ARRAY(arena, out->count, struct kb_scored_sentence);
	for (size_t i = 0; i < out->count; i++) {
		const struct kb_feature_row *row = &c->features.rows[c->order[i]];

		out->sentences[i] =
		        (struct kb_scored_sentence){ row->candidate, row->start, row->end,
			                             c->z[c->order[i]], row->leans };
	}
}

struct figures {
	double n, first, three, doc, refused, refused_strict, gold, answered, precision, length;
};

static void add_figures(struct bench *b, size_t i, const float *gate, float strict,
                        struct figures *f)
{
	const struct fit_case *c = b->cases[i];
	const struct fit_ask *ask = b->asks[i];
	const struct fit_set *set = c->from;
	struct kb_arena scratch = { 0 };
	struct kb_selection selection;
	struct kb_answer_part *parts;
	struct kb_sv text = KB_SV("");
	size_t count, cited = 0, right = 0;
	bool three = false;

	f->n++;
	f->refused += gate[i] < 0;
	f->refused_strict += gate[i] < strict;
	for (size_t k = 0; c->gated && k < KB_MIN(c->features.row_count, (size_t)3); k++)
		three |= c->right[c->order[k]] != 0;
	f->three += three;
	if (c->gated) {
		f->first += c->right[c->order[0]] != 0;
		f->doc += c->doc[c->order[0]];
	}
	selection_of(&scratch, c, c->gated && gate[i] >= 0, &selection);
	kb_answer_parts(&scratch, b->candidates[i], &selection, &parts, &count);
	for (size_t k = 0; k < count; k++) {
		const struct kb_passage *p = &b->candidates[i][parts[k].candidate].passage;
		bool known = false;

		text = kb_arena_printf(&scratch, "%.*s %.*s", KB_SV_ARG(text),
		                       KB_SV_ARG(kb_sv_sub(p->text, parts[k].start,
		                                           parts[k].end - parts[k].start)));
		for (size_t j = 0; j < k; j++)
			known |= parts[j].candidate == parts[k].candidate;
		if (known)
			continue;
		cited++;
		for (size_t d = 0; d < ask->doc_count; d++)
			right += (ask->docs[d] - set->docs) + 1 == p->page_id;
	}
	if (cited > 0) {
		f->length += (double)kb_utf8_count(text);
		f->answered++;
		f->precision += (double)right / (double)cited;
		f->gold += fit_gold_in(&scratch, fit_gold_new(&scratch, set, ask), text);
	}
	kb_arena_fini(&scratch);
}

/* Shares of one pool, or of one language of it. */
static void print_figures(const char *name, const struct figures *f)
{
	printf("%-10s %5.0f  %.3f %.3f %.3f | %.3f %.3f %4.0f | %.3f %.3f", name, f->n,
	       f->first / f->n, f->three / f->n, f->doc / f->n, f->gold / f->n,
	       f->precision / KB_MAX(f->answered, 1.), f->length / KB_MAX(f->answered, 1.),
	       f->refused / f->n, f->refused_strict / f->n);
}

static void report(struct bench *b, const float *gate, float strict)
{
	struct figures langs[KB_LANG_COUNT] = { 0 };

	printf("                  sentences         | answers           | refused     | answered "
	       "though far; near\n"
	       "set            n  first three doc1  | gold  cited chars | lenient     | lenient, "
	       "strict (questions)\n");
	for (size_t p = 0; p < KB_COUNTOF(pools); p++) {
		double n[2] = { 0 }, in[2] = { 0 }, in_strict[2] = { 0 };
		struct figures f = { 0 };

		if (!b->have[p])
			continue;
		for (size_t i = 0; i < b->count; i++) {
			const struct fit_case *c = b->cases[i];

			if (c->set != (int)p)
				continue;
			if (c->answerable) {
				add_figures(b, i, gate, strict, &f);
				if (same_root(pools[p].name, "xquad"))
					add_figures(b, i, gate, strict, &langs[c->lang]);
			} else {
				n[!c->far]++;
				in[!c->far] += gate[i] >= 0;
				in_strict[!c->far] += gate[i] >= strict;
			}
		}
		if (f.n > 0)
			print_figures(pools[p].name, &f);
		else
			printf("%-67s", pools[p].name);
		for (int k = 0; k < 2; k++)
			if (n[k] > 0)
				printf(" |%s %.3f %.3f (%.0f)", k ? " near" : "", in[k] / n[k],
				       in_strict[k] / n[k], n[k]);
		printf("\n");
	}
	for (int l = 0; l < KB_LANG_COUNT; l++)
		if (langs[l].n > 100) {
			print_figures(kb_lang_code((enum kb_lang)l), &langs[l]);
			printf("\n");
		}
}

/* What other thresholds would give. */
static void report_thresholds(const struct bench *b, const float *gate)
{
	printf("threshold:        ");
	for (int k = -3; k <= 8; k++)
		printf("  %-17.2f", k * .25);
	printf("\n");
	for (size_t p = 0; p < KB_COUNTOF(pools); p++) {
		printf("%-16s", pools[p].name);
		for (int k = -3; k <= 8; k++) {
			double n[3] = { 0 }, in[3] = { 0 };

			for (size_t i = 0; i < b->count; i++) {
				const struct fit_case *c = b->cases[i];
				int of = c->answerable ? OWN : c->far ? FAR : NEAR;

				if (c->set != (int)p)
					continue;
				n[of]++;
				in[of] += (double)gate[i] >= k * .25;
			}
			printf("  %.2f", n[OWN] > 0 ? 1 - in[OWN] / n[OWN] : 0);
			printf(" %.3f %.2f ", n[FAR] > 0 ? in[FAR] / n[FAR] : 0,
			       n[NEAR] > 0 ? in[NEAR] / n[NEAR] : 0);
		}
		printf("\n");
	}
}

/* Of the first pool's foreign questions, by source: the share refused. */
static void report_foreign(const struct bench *b, const float *gate)
{
	printf("foreign questions on %s, refused:", pools[0].name);
	for (size_t f = 0; f < KB_COUNTOF(foreign); f++) {
		double n = 0, out = 0;

		for (size_t i = 0; i < b->count; i++) {
			const struct fit_case *c = b->cases[i];

			if (c->set != 0 || c->answerable
			    || strcmp(b->asks[i]->source, foreign[f]) != 0)
				continue;
			n++;
			out += gate[i] < 0;
		}
		if (n > 0)
			printf(" %s %.2f", foreign[f], out / n);
	}
	printf("\n");
}

/* -------------------------------------------------------------------------- output */

static void number(struct kb_buf *buf, float v)
{
	char text[32];

	snprintf(text, sizeof(text), "%.5g", (double)v);
	kb_buf_printf(buf, " %s%sf,", text, strpbrk(text, ".e") ? "" : ".0");
}

static void numbers(struct kb_buf *buf, const char *name, const float *v, size_t n)
{
	kb_buf_printf(buf, "\t.%s = {", name);
	for (size_t i = 0; i < n; i++) {
		if (i % 12 == 0)
			kb_buf_str(buf, "\n\t\t");
		number(buf, v[i]);
	}
	kb_buf_str(buf, "\n\t},\n");
}

static void rows(struct kb_buf *buf, const float *v, size_t count, size_t n)
{
	kb_buf_str(buf, "\t.hidden = {\n");
	for (size_t h = 0; h < count; h++) {
		kb_buf_str(buf, "\t\t{");
		for (size_t i = 0; i < n; i++) {
			if (i % 12 == 0)
				kb_buf_str(buf, "\n\t\t\t");
			number(buf, v[h * n + i]);
		}
		kb_buf_str(buf, "\n\t\t},\n");
	}
	kb_buf_str(buf, "\t},\n");
}

static void gate_table(struct kb_buf *buf, const char *name, const struct kb_gate_weights *w)
{
	kb_buf_printf(buf, "\nconst struct kb_gate_weights kb_weights_%s = {\n", name);
	numbers(buf, "mean", w->mean, KB_GATE_FEATURES);
	numbers(buf, "scale", w->scale, KB_GATE_FEATURES);
	numbers(buf, "linear", w->linear, KB_GATE_FEATURES);
	rows(buf, w->hidden[0], KB_GATE_HIDDEN, KB_GATE_FEATURES);
	numbers(buf, "hidden_bias", w->hidden_bias, KB_GATE_HIDDEN);
	numbers(buf, "out", w->out, KB_GATE_HIDDEN);
	kb_buf_str(buf, "\t.bias =");
	number(buf, w->bias);
	kb_buf_str(buf, "\n\t.strict =");
	number(buf, w->strict);
	kb_buf_str(buf, "\n};\n");
}

static void table(struct kb_buf *buf, const char *name, const struct kb_weights *w)
{
	kb_buf_printf(buf, "\nconst struct kb_weights kb_weights_%s = {\n", name);
	numbers(buf, "mean", w->mean, KB_FEATURES);
	numbers(buf, "scale", w->scale, KB_FEATURES);
	numbers(buf, "linear", w->linear, KB_FEATURES);
	rows(buf, w->hidden[0], KB_HIDDEN, KB_FEATURES);
	numbers(buf, "bias", w->bias, KB_HIDDEN);
	numbers(buf, "out", w->out, KB_HIDDEN);
	kb_buf_str(buf, "};\n");
}

static bool write_tables(struct bench *b, const struct kb_gate_weights *gate, const char *path,
                         struct kb_err *err)
{
	static const char *const names[2][KB_TABLES] = {
		{ "english", "words", "runs" },
		{ "english_near", "words_near", "runs_near" },
	};
	struct fit_case **learn = kb_xcalloc(MOST_LESSONS * b->count + 1, sizeof(*learn));
	struct kb_weights *w = kb_xcalloc(1, sizeof(*w));
	struct kb_buf buf;
	struct kb_sv out;
	bool ok;

	kb_buf_init(&buf, KB_MIB(4));
	kb_buf_str(
	        &buf,
	        "/* Written by bench/fit_answers.c; the order is that of the lists in features.h "
	        "and weights.h. */\n// clang-format off\n#include \"answer/weights.h\"\n");
	for (int t = 0; t < KB_TABLES && (!b->meaning || b->encoder); t++) {
		fit_weights(learn, lessons(b, (enum kb_table)t, -1, learn), w);
		table(&buf, names[b->encoder != NULL][t], w);
	}
	gate_table(&buf, b->encoder ? "gate_near" : b->meaning ? "gate_meant" : "gate", gate);
	ok = kb_buf_done(&buf, &out, err) && kb_file_replace(path, out, err);
	kb_buf_fini(&buf);
	free(w);
	free(learn);
	return ok;
}

static void predict(struct bench *b, const float *gate, const char *set, FILE *file)
{
	for (size_t i = 0; i < b->count; i++) {
		const struct fit_case *c = b->cases[i];
		struct kb_arena scratch = { 0 };
		struct kb_selection selection;
		struct kb_answer_part *parts;
		struct kb_sv answer = KB_SV("");
		struct kb_buf buf;
		struct kb_jw jw;
		size_t count;

		if (!c->answerable || strcmp(pools[c->set].name, set) != 0)
			continue;
		kb_buf_init(&buf, KB_MIB(1));
		kb_jw_init(&jw, &buf);
		selection_of(&scratch, c, c->gated && gate[i] >= 0, &selection);
		kb_answer_parts(&scratch, b->candidates[i], &selection, &parts, &count);
		kb_jw_object(&jw);
		kb_jw_key_sv(&jw, "id", b->asks[i]->id);
		kb_jw_key(&jw, "citations");
		kb_jw_array(&jw);
		for (size_t k = 0; k < count; k++) {
			const struct kb_passage *p = &b->candidates[i][parts[k].candidate].passage;

			kb_jw_sv(&jw, c->from->docs[p->page_id - 1].id);
			answer = kb_arena_printf(
			        &scratch, "%.*s%s%.*s", KB_SV_ARG(answer), k ? " " : "",
			        KB_SV_ARG(kb_sv_sub(p->text, parts[k].start,
			                            parts[k].end - parts[k].start)));
		}
		kb_jw_end(&jw);
		kb_jw_key_sv(&jw, "answer", answer);
		kb_jw_key(&jw, "passages");
		kb_jw_array(&jw);
		for (size_t k = 0; k < KB_MIN(selection.count, (size_t)3); k++) {
			const struct kb_scored_sentence *s = &selection.sentences[k];
			const struct kb_passage *p = &b->candidates[i][s->candidate].passage;

			kb_jw_object(&jw);
			kb_jw_key_sv(&jw, "id", c->from->docs[p->page_id - 1].id);
			kb_jw_key_sv(&jw, "text", kb_sv_sub(p->text, s->start, s->end - s->start));
			kb_jw_end(&jw);
		}
		kb_jw_end(&jw);
		kb_jw_end(&jw);
		fwrite(buf.p, 1, buf.n, file);
		fputc('\n', file);
		kb_buf_fini(&buf);
		kb_arena_fini(&scratch);
	}
}

/* Of each question of a pool what became of it: refused, right, the place among the candidates of
 * the first passage that holds the gold, and the answer. */
static void show(struct bench *b, const float *gate, const char *set, FILE *file)
{
	for (size_t i = 0; i < b->count; i++) {
		const struct fit_case *c = b->cases[i];
		struct kb_arena scratch = { 0 };
		struct kb_selection selection;
		struct kb_answer_part *parts;
		size_t count, place = 0;
		struct kb_sv answer = KB_SV("");
		const struct fit_gold *gold;

		if (strcmp(pools[c->set].name, set) != 0 || !c->answerable) {
			if (strcmp(pools[c->set].name, set) == 0 && !c->far)
				fprintf(file, "%6.2f NEAR  %.*s\n", (double)gate[i],
				        KB_SV_ARG(b->asks[i]->text));
			continue;
		}
		gold = fit_gold_new(&scratch, c->from, b->asks[i]);
		selection_of(&scratch, c, c->gated, &selection);
		kb_answer_parts(&scratch, b->candidates[i], &selection, &parts, &count);
		for (size_t k = 0; k < count; k++)
			answer = kb_arena_printf(
			        &scratch, "%.*s %.*s", KB_SV_ARG(answer),
			        KB_SV_ARG(
			                kb_sv_sub(b->candidates[i][parts[k].candidate].passage.text,
			                          parts[k].start, parts[k].end - parts[k].start)));
		for (size_t r = 0; r < c->features.row_count && !place; r++)
			if (c->right[r])
				place = c->features.rows[r].candidate + 1;
		fprintf(file, "%6.2f %s %s %2zu %.*s\n\t%.*s\n", (double)gate[i],
		        fit_gold_in(&scratch, gold, answer) ? "right" : "wrong",
		        c->shape == KB_SHAPE_SECTION ? "section" : "fact   ", place,
		        KB_SV_ARG(b->asks[i]->text), KB_SV_ARG(answer));
		kb_arena_fini(&scratch);
	}
}

static void time_selection(struct bench *b)
{
	struct fit_set set;
	struct kb_evidence evidence = { 0 };
	int64_t spent = 0, asked = 0;

	if (!fit_set_open(&set, b->root, pools[0].name))
		return;
	evidence.stats = fit_stats(&set);
	for (size_t i = 0; i < set.ask_count && asked < TIMED; i += 7, asked++) {
		struct kb_arena arena = { 0 };
		struct kb_selection selection;
		struct kb_question q;
		int64_t start;

		kb_question_read(b->analyzer, &arena, set.snapshot,
		                 &(struct kb_utterance){ .text = set.asks[i].text }, &q);
		fit_search(&set, &arena, &q, TIMED_PASSAGES, &evidence);
		start = kb_clock_mono_us();
		kb_select(b->analyzer, &arena, &q, &evidence, KB_GATE_LENIENT, &selection);
		spent += kb_clock_mono_us() - start;
		kb_arena_fini(&arena);
	}
	printf("a selection from %d passages takes %.3f ms (mean of %" PRId64 ")\n", TIMED_PASSAGES,
	       (double)spent / 1e3 / (double)KB_MAX(asked, 1), asked);
	fit_set_close(&set);
}

static bool run(struct bench *b, int argc, char **argv, struct kb_err *err)
{
	struct kb_gate_weights gate = { 0 };
	float *z;
	bool ok = true;

	load(b);
	if (b->count == 0) {
		printf("no question sets under %s: nothing to fit\n", b->root);
		return true;
	}
	z = kb_xcalloc(b->count, sizeof(*z));
	score_out_of_fold(b);
	weigh(b);
	fit_gates(b, z, &gate);
	if (strcmp(argv[0], "show") == 0 && argc == 2) {
		show(b, z, argv[1], stdout);
	} else if (strcmp(argv[0], "predict") == 0 && argc == 3) {
		FILE *file = fopen(argv[2], "w");

		if (file)
			predict(b, z, argv[1], file);
		ok = file && fclose(file) == 0;
		if (!ok)
			kb_fail_errno(err, "%s", argv[2]);
	} else {
		report(b, z, gate.strict);
		report_thresholds(b, z);
		report_foreign(b, z);
		if (strcmp(argv[0], "write") == 0 && argc == 2)
			ok = write_tables(b, &gate, argv[1], err);
	}
	free(z);
	return ok;
}

int main(int argc, char **argv)
{
	struct bench b = { .root = "../shared/data" };
	struct kb_err err = { 0 };
	bool ok = true;

	if (argc > 1 && strcmp(argv[1], "parse-worker") == 0)
		return kb_parse_worker_main(argc - 1, argv + 1);
	kb_crypto_init();
	argv++, argc--;
	if (argc >= 2 && strcmp(argv[0], "--data") == 0) {
		b.root = argv[1];
		argv += 2, argc -= 2;
	}
	if (argc >= 2 && strcmp(argv[0], "--meaning") == 0) {
		b.meaning = kb_meaning_open(argv[1], &err);
		if (!b.meaning) {
			fprintf(stderr, "fit_answers: %s\n", err.msg);
			return 1;
		}
		fit_use_meaning(b.meaning);
		argv += 2, argc -= 2;
	}
	if (argc >= 2 && strcmp(argv[0], "--encoder") == 0) {
		b.encoder = encoded_open(argv[1], &err);
		if (!b.encoder) {
			fprintf(stderr, "fit_answers: %s\n", err.msg);
			return 1;
		}
		fit_use_encoder(b.encoder);
		argv += 2, argc -= 2;
	}
	if (argc == 0) {
		fprintf(stderr, "usage: fit_answers [--data DIR] [--meaning FILE] [--encoder FILE] "
		                "eval | write "
		                "FILE | predict SET FILE "
		                "| show POOL "
		                "| time\n");
		return 2;
	}
	b.analyzer = kb_analyzer_new();
	if (strcmp(argv[0], "time") == 0) {
		time_selection(&b);
	} else if (!run(&b, argc, argv, &err)) {
		fprintf(stderr, "fit_answers: %s\n", err.msg);
		ok = false;
	}
	n_set_free(&b.natural);
	encoded_close(b.encoder);
	kb_meaning_close(b.meaning);
	return ok ? 0 : 1;
}
