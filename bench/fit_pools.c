#include "fit_pools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "fit_natural.h"
#include "fit_plain.h"

enum { FOREIGN_EACH = 50 }; /* questions of each other set, asked of a pool */

const struct pool pools[POOLS] = {
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
	{ "natural~", 0, 1, SWAPPED, 0, 1.5f, 1 },
	{ "of 1", 0, 1, SMALL, 1, 1, 1 },
	{ "of 2", 0, 1, SMALL, 2, 1, 1 },
	{ "of 5", 0, 1, SMALL, 5, 1, 1 },
	{ "of 13", 0, 1, SMALL, 13, 1, 1 },
	{ "of 20", 0, 1, SMALL, 20, 1, 1 },
	{ "de of 3", 0, 1, SMALL, 3, .5f, 1, "xquad:de" },
	{ "es of 3", 0, 1, SMALL, 3, .5f, 1, "xquad:es" },
	{ "zh of 3", 0, 1, SMALL, 3, .5f, 1, "xquad:zh" },
	{ "cmrc of 3", 0, 1, SMALL, 3, .5f, 1, "cmrc2018" },
	{ "jaquad of 3", 0, 1, SMALL, 3, .5f, 1, "jaquad" },
	{ "of 60", 0, 1, LARGER, 60, 1, 1 },
	{ "of 300", 0, 1, LARGER, 300, 1, 1 },
	{ "plain 1", 0, 1, PLAIN, 1, 1, 1 },
	{ "plain 2", 0, 1, PLAIN, 2, 1, 1 },
	{ "plain 8", 0, 1, PLAIN, 8, 1, 1 },
	{ "asked 1", 1, 1, ASKED, 1, 2, 1 },
	{ "asked 3", 3, 1, ASKED, 3, 2, 1 },
	{ "asked 10", 4, 1, ASKED, 10, 4, 1 },
	// clang-format on
};

const char *const foreign[FOREIGN] = { "ir/med",    "ir/cisi", "ir/cranfield", "ir/scifact",
	                               "ir/nq-utd", "squad",   "xquad",        "cmrc2018",
	                               "drcd",      "jaquad",  "hotpotqa",     "clapnq" };

enum { SMALL_AGENTS = 60, SMALL_OWN = 8, SMALL_FAR = 8, SMALL_NEAR = 4, NATURAL_FAR = 5 };
enum { ASKED_AGENTS = 60, ASKED_OWN = 10, ASKED_STEP = 53 };
enum { LARGER_AGENTS = 12, LARGER_OWN = 30, LARGER_FAR = 5, LARGER_NEAR = 15 };

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
		p->title = kb_arena_sv(&b->arena, p->title);
		p->marks = copy(b, p->marks, p->mark_count * sizeof(*p->marks));
		p->text = set->squeezed ? kb_arena_sv(&b->arena, p->text)
		                        : set->docs[p->page_id - 1].text;
	}
}

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

bool fit_same_root(const char *a, const char *b)
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
	for (size_t f = 0; f < (size_t)FOREIGN; f++) {
		double step = (double)sources[f].ask_count / FOREIGN_EACH;

		if (less || fit_same_root(name, foreign[f]))
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
		for (size_t f = 0; f < (size_t)FOREIGN; f++)
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

static void load_small(struct bench *b, int pool, const struct fit_set *source)
{
	size_t count = pools[pool].documents;

	for (size_t k = 0; k < SMALL_AGENTS; k++) {
		struct fit_set *set = KB_NEW(&b->arena, struct fit_set);
		size_t from = k * source->doc_count / SMALL_AGENTS, far = 0, near = 0;
		uint64_t group;

		if (!fit_set_small(set, source, from, count) || set->ask_count == 0)
			continue;
		group = set->asks[0].group;
		if (!pools[pool].source) /* those are English */
			ask_strange(b, pool, set, k);
		for (size_t i = 0; i < SMALL_OWN && i < set->ask_count; i++)
			ask_pool(b, pool, set,
			         &set->asks[i * set->ask_count
			                    / KB_MIN(set->ask_count, (size_t)SMALL_OWN)],
			         OWN);
		for (size_t i = 0; i < source->ask_count && (far < SMALL_FAR || near < SMALL_NEAR);
		     i++) {
			const struct fit_ask *ask =
			        &source->asks[(i * 7919 + k * 13) % source->ask_count];
			bool related = ask->group == group;

			if (ask->doc_count != 1
			    || (ask->docs[0] >= source->docs + from
			        && ask->docs[0] < source->docs + from + count))
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

static void load_small_of(struct bench *b, int pool, const struct fit_set *squad)
{
	struct fit_set *other = KB_NEW(&b->arena, struct fit_set);

	if (!pools[pool].source)
		load_small(b, pool, squad);
	else if (fit_set_open(other, b->root, pools[pool].source))
		load_small(b, pool, other);
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
		for (size_t f = 0; f < (size_t)FOREIGN; f++)
			for (size_t i = 0; i < LARGER_FAR && sources[f].ask_count
			                   && !fit_same_root("squad", foreign[f]);
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

/* Agents of a few documents of a repository, with what people asked of it, and of others. */
static void load_asked(struct bench *b, int pool)
{
	size_t all = fit_asked_count(b->asked), agents = 0;

	for (size_t k = 0; k < all && agents < ASKED_AGENTS; k++) {
		struct fit_set *set = KB_NEW(&b->arena, struct fit_set);
		size_t own = 0;

		if (!fit_asked_open(set, b->asked, k * ASKED_STEP, pools[pool].documents))
			continue;
		agents++;
		for (size_t i = 0; i < set->ask_count; i++) {
			const struct fit_ask *ask = &set->asks[i];

			if (ask->impossible)
				ask_pool(b, pool, set, ask, NEAR);
			else if (own++ < ASKED_OWN)
				ask_pool(b, pool, set, ask, OWN);
		}
		ask_strange(b, pool, set, k);
	}
}

void fit_pools_load(struct bench *b)
{
	struct fit_set *sources = KB_NEW_ARRAY(&b->arena, (size_t)FOREIGN, struct fit_set);
	struct fit_set *squad = KB_NEW(&b->arena, struct fit_set);

	/* Of these only the questions are wanted. */
	fit_use_encoder(NULL);
	for (size_t f = 0; f < (size_t)FOREIGN; f++)
		if (!fit_set_open(&sources[f], b->root, foreign[f]))
			sources[f] = (struct fit_set){ 0 };
	fit_use_encoder(b->encoder);
	for (size_t p = 0; p < (size_t)POOLS; p++)
		if (pools[p].kind == WHOLE)
			load_whole(b, (int)p, sources);
	for (size_t p = 0; p < (size_t)POOLS; p++)
		if (pools[p].kind == PLAIN)
			load_plain(b, (int)p);
	load_natural(b, sources);
	b->asked = b->encoder ? fit_asked_read(b->root) : NULL;
	for (size_t p = 0; p < (size_t)POOLS; p++)
		if (pools[p].kind == ASKED && b->asked)
			load_asked(b, (int)p);
	if (fit_set_open(squad, b->root, "squad"))
		for (size_t p = 0; p < (size_t)POOLS; p++) {
			if (pools[p].kind == SMALL)
				load_small_of(b, (int)p, squad);
			if (pools[p].kind == LARGER)
				load_larger(b, (int)p, squad, sources);
		}
}
