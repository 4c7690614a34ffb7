/*
 * Fits the tables of src/answer/weights.c to the shared question sets, and says what they are
 * worth.
 *
 *   fit_answers [--data DIR] eval                 cross-validated figures of every set
 *   fit_answers [--data DIR] write FILE           the same, then the tables fitted on everything
 *   fit_answers [--data DIR] predict SET FILE     answers for eval/score.py, each from tables that
 *                                                 were fitted without the question's article
 *   fit_answers [--data DIR] time                 what a selection costs with the built-in tables
 *
 * Everything that is printed of a question comes from tables fitted without its article (five
 * folds); the gate is fitted on such out-of-fold scores too, and judged in folds of its own.
 * Without the data it says so and ends well.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/select.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "fit_data.h"
#include "fit_model.h"

enum {
	FOLDS = 5,
	FOREIGN_EACH = 50, /* questions of each other set, asked of a pool */
	TIMED = 400,
	TIMED_PASSAGES = 10,
};

/* Shares of answerable questions, on the mean of the pools, that the gate may refuse. */
#define LENIENT .025
#define STRICT  .050

/* The pools. Those with `learn` teach the sentence tables; all teach the gate. */
static const struct {
	const char *name;
	bool learn;
	size_t every; /* of so many questions one is taken */
} pools[] = {
	{ "squad", true, 1 },       { "xquad", true, 2 },     { "cmrc2018", true, 2 },
	{ "drcd", true, 2 },        { "jaquad", true, 2 },    { "hotpotqa", true, 1 },
	{ "rgb-zh", true, 1 },      { "clapnq", false, 1 },   { "squad@2", false, 1 },
	{ "squad@9", false, 1 },    { "squad@15", false, 1 }, { "squad-1", false, 3 },
	{ "squad-4", false, 3 },    { "xquad-1", false, 3 },  { "xquad-4", false, 3 },
	{ "cmrc2018-1", false, 1 }, { "jaquad-1", false, 1 },
};

/* Where questions come from that the pools do not answer. */
static const char *const foreign[] = { "ir/med",    "ir/cisi", "ir/cranfield", "ir/scifact",
	                               "ir/nq-utd", "squad",   "xquad",        "cmrc2018",
	                               "drcd",      "jaquad",  "hotpotqa",     "clapnq" };

struct bench {
	const char *root;
	struct fit_set pools[KB_COUNTOF(pools)];
	bool have[KB_COUNTOF(pools)];
	struct fit_case **cases;
	struct kb_candidate **candidates; /* of each case; NULL for foreign ones */
	const struct fit_ask **asks;
	size_t count, capacity, candidate_capacity, ask_capacity;
	struct kb_arena arena;
	struct kb_analyzer *analyzer;
	int pool; /* being asked */
};

static void judge(struct bench *b, const struct fit_set *set, const struct fit_ask *ask,
                  const struct kb_candidate *candidates, struct fit_case *c)
{
	struct kb_arena scratch = { 0 };
	const struct fit_gold *gold = fit_gold_new(&scratch, ask);

	c->right = KB_NEW_ARRAY(&b->arena, c->features.row_count, uint8_t);
	c->doc = KB_NEW_ARRAY(&b->arena, c->features.row_count, uint8_t);
	for (size_t r = 0; r < c->features.row_count; r++) {
		const struct kb_feature_row *row = &c->features.rows[r];
		const struct kb_passage *p = &candidates[row->candidate].passage;

		for (size_t d = 0; d < ask->doc_count; d++)
			c->doc[r] |= (ask->docs[d] - set->docs) + 1 == p->page_id;
		if (fit_gold_in(&scratch, gold,
		                kb_sv_sub(p->text, row->start, row->end - row->start)))
			c->right[r] = c->doc[r] ? 3 : 2;
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
static void keep(struct bench *b, struct kb_features *f, struct kb_candidate **candidates, size_t n)
{
	f->rows = copy(b, f->rows, f->row_count * sizeof(*f->rows));
	f->passages = copy(b, f->passages, f->passage_count * sizeof(*f->passages));
	if (!candidates)
		return;
	*candidates = copy(b, *candidates, n * sizeof(**candidates));
	for (size_t i = 0; i < n; i++) {
		struct kb_passage *p = &(*candidates)[i].passage;

		p->text = b->pools[b->pool].docs[p->page_id - 1].text;
	}
}

static void ask_pool(struct bench *b, int pool, const struct fit_ask *ask, bool answerable)
{
	struct fit_set *set = &b->pools[b->pool = pool];
	struct fit_case *c = KB_NEW(&b->arena, struct fit_case);
	struct kb_evidence evidence = { .stats = fit_stats(set) };
	struct kb_arena scratch = { 0 };
	struct kb_candidate *candidates;
	struct kb_question q;
	size_t n;

	kb_question_read(b->analyzer, &scratch, set->snapshot,
	                 &(struct kb_utterance){ .text = ask->text }, &q);
	n = fit_search(set, &scratch, &q, KB_SELECT_ADVISED, &candidates);
	evidence.candidates = candidates;
	evidence.count = n;
	kb_features_compute(b->analyzer, &scratch, &q, &evidence, &c->features);
	keep(b, &c->features, answerable ? &candidates : NULL, n);
	c->group = answerable ? ask->group : kb_hash64(ask->id);
	c->lang = q.lang;
	c->set = pool;
	c->answerable = answerable;
	if (answerable)
		judge(b, set, ask, candidates, c);
	KB_GROW(b->cases, b->capacity, b->count + 1);
	KB_GROW(b->candidates, b->candidate_capacity, b->count + 1);
	KB_GROW(b->asks, b->ask_capacity, b->count + 1);
	b->candidates[b->count] = answerable ? candidates : NULL;
	b->asks[b->count] = ask;
	b->cases[b->count++] = c;
	kb_arena_fini(&scratch);
}

static bool same_root(const char *a, const char *b)
{
	size_t n = strcspn(a, "@:-");

	return n == strcspn(b, "@:-") && strncmp(a, b, n) == 0;
}

static void load(struct bench *b)
{
	for (size_t p = 0; p < KB_COUNTOF(pools); p++) {
		b->have[p] = fit_set_open(&b->pools[p], b->root, pools[p].name);
		for (size_t i = 0; b->have[p] && i < b->pools[p].ask_count; i += pools[p].every) {
			const struct fit_ask *ask = &b->pools[p].asks[i];

			if (fit_is_less(pools[p].name))
				ask_pool(b, (int)p, ask, false);
			else if (!ask->impossible && ask->answer_count > 0 && ask->doc_count > 0)
				ask_pool(b, (int)p, ask, true);
		}
	}
	for (size_t f = 0; f < KB_COUNTOF(foreign); f++) {
		struct fit_set *source = KB_NEW(&b->arena, struct fit_set);

		if (!fit_set_open(source, b->root, foreign[f]))
			continue;
		for (size_t p = 0; p < KB_COUNTOF(pools); p++) {
			double step = (double)source->ask_count / FOREIGN_EACH;

			if (!b->have[p] || fit_is_less(pools[p].name)
			    || same_root(pools[p].name, foreign[f]))
				continue;
			for (double i = 0; i < (double)source->ask_count; i += KB_MAX(step, 1.))
				ask_pool(b, (int)p, &source->asks[(size_t)i], false);
		}
	}
}

static int fold_of(const struct fit_case *c)
{
	return (int)((c->group >> 20) % FOLDS);
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

		if (!c->answerable || !pools[c->set].learn || fold_of(c) == without)
			continue;
		if (own == table || (table == KB_TABLE_WORDS && own == KB_TABLE_ENGLISH))
			out[n++] = c;
	}
	return n;
}

static void score_case(struct bench *b, const struct kb_weights *weights, struct fit_case *c)
{
	kb_score_rows(&b->arena, weights, &c->features, &c->z, &c->order);
	c->gated = c->features.row_count > 0;
	if (c->gated)
		kb_gate_features(&c->features, c->lang, c->z, c->order, c->gate);
}

/* Scores every case with tables that have not seen its article. */
static void score_out_of_fold(struct bench *b)
{
	struct fit_case **learn = kb_xcalloc(b->count + 1, sizeof(*learn));
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

/* Every pool weighs the same, its answerable questions as much as the foreign ones. */
static void weigh(struct bench *b)
{
	double sums[KB_COUNTOF(pools)][2] = { { 0 } };

	for (size_t i = 0; i < b->count; i++)
		sums[b->cases[i]->set][b->cases[i]->answerable]++;
	for (size_t i = 0; i < b->count; i++) {
		struct fit_case *c = b->cases[i];

		c->weight = (float)(1000 / sums[c->set][c->answerable]);
	}
}

static int by_value(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return x < y ? -1 : x > y;
}

/* The z below which `share` of the answerable questions lie, on the mean of the pools. */
static float quantile(const struct bench *b, const float *z, double share)
{
	double sum = 0, used = 0;
	float *own = kb_xcalloc(b->count + 1, sizeof(*own));

	for (size_t p = 0; p < KB_COUNTOF(pools); p++) {
		size_t n = 0;

		for (size_t i = 0; i < b->count; i++)
			if (b->cases[i]->set == (int)p && b->cases[i]->answerable)
				own[n++] = z[i];
		if (n == 0)
			continue;
		qsort(own, n, sizeof(*own), by_value);
		sum += (double)own[(size_t)(share * (double)n)];
		used++;
	}
	free(own);
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
	lenient = quantile(b, z, LENIENT);
	out->strict = quantile(b, z, STRICT) - lenient;
	out->bias -= lenient;
	for (size_t i = 0; i < b->count; i++)
		z[i] -= lenient;
	free(learn);
}

/* The selection kb_select() would give, from the case's out-of-fold scores. */
static void selection_of(struct kb_arena *arena, const struct fit_case *c, bool answered,
                         struct kb_selection *out)
{
	*out = (struct kb_selection){ .count = c->features.row_count, .answered = answered };
	out->sentences = KB_NEW_ARRAY(arena, out->count, struct kb_scored_sentence);
	for (size_t i = 0; i < out->count; i++) {
		const struct kb_feature_row *row = &c->features.rows[c->order[i]];

		out->sentences[i] =
		        (struct kb_scored_sentence){ row->candidate, row->start, row->end,
			                             c->z[c->order[i]], row->leans };
	}
}

struct figures {
	double n, first, three, doc, refused, refused_strict, gold, answered, precision, parts;
};

static void add_figures(struct bench *b, size_t i, const float *gate, float strict,
                        struct figures *f)
{
	const struct fit_case *c = b->cases[i];
	const struct fit_ask *ask = b->asks[i];
	const struct fit_set *set = &b->pools[c->set];
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
	kb_select_parts(&scratch, b->candidates[i], &selection, 0, &parts, &count);
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
	f->parts += (double)count;
	if (cited > 0) {
		f->answered++;
		f->precision += (double)right / (double)cited;
		f->gold += fit_gold_in(&scratch, fit_gold_new(&scratch, ask), text);
	}
	kb_arena_fini(&scratch);
}

static void report(struct bench *b, const float *gate, float strict)
{
	struct figures langs[KB_LANG_COUNT] = { 0 };

	printf("set         n     first three doc1  | answer: gold  cited right sentences | "
	       "refused "
	       "lenient strict | foreign refused lenient strict\n");
	for (size_t p = 0; p < KB_COUNTOF(pools); p++) {
		struct figures f = { 0 };
		double alien = 0, out = 0, out_strict = 0;

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
				alien++;
				out += gate[i] < 0;
				out_strict += gate[i] < strict;
			}
		}
		if (f.n == 0) {
			printf("%-10s articles taken out: refused %.3f, strictly %.3f (%.0f)\n",
			       pools[p].name, out / KB_MAX(alien, 1.),
			       out_strict / KB_MAX(alien, 1.), alien);
			continue;
		}
		printf("%-10s %5.0f  %.3f %.3f %.3f |         %.3f %.3f       %.2f      |  %.3f   "
		       "%.3f "
		       "        | %.3f %.3f (%.0f)\n",
		       pools[p].name, f.n, f.first / f.n, f.three / f.n, f.doc / f.n, f.gold / f.n,
		       f.precision / KB_MAX(f.answered, 1.), f.parts / KB_MAX(f.answered, 1.),
		       f.refused / f.n, f.refused_strict / f.n, out / KB_MAX(alien, 1.),
		       out_strict / KB_MAX(alien, 1.), alien);
	}
	for (int l = 0; l < KB_LANG_COUNT; l++)
		if (langs[l].n > 100)
			printf("xquad %s n %.0f first %.3f three %.3f doc1 %.3f refused %.3f\n",
			       kb_lang_code((enum kb_lang)l), langs[l].n,
			       langs[l].first / langs[l].n, langs[l].three / langs[l].n,
			       langs[l].doc / langs[l].n, langs[l].refused / langs[l].n);
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

static void table(struct kb_buf *buf, const char *name, const struct kb_weights *w)
{
	kb_buf_printf(buf, "\nconst struct kb_weights kb_weights_%s = {\n", name);
	numbers(buf, "mean", w->mean, KB_FEATURES);
	numbers(buf, "scale", w->scale, KB_FEATURES);
	numbers(buf, "linear", w->linear, KB_FEATURES);
	kb_buf_str(buf, "\t.hidden = {\n");
	for (int h = 0; h < KB_HIDDEN; h++) {
		kb_buf_str(buf, "\t\t{");
		for (int i = 0; i < KB_FEATURES; i++) {
			if (i % 12 == 0)
				kb_buf_str(buf, "\n\t\t\t");
			number(buf, w->hidden[h][i]);
		}
		kb_buf_str(buf, "\n\t\t},\n");
	}
	kb_buf_str(buf, "\t},\n");
	numbers(buf, "bias", w->bias, KB_HIDDEN);
	numbers(buf, "out", w->out, KB_HIDDEN);
	kb_buf_str(buf, "};\n");
}

static bool write_tables(struct bench *b, const struct kb_gate_weights *gate, const char *path,
                         struct kb_err *err)
{
	static const char *const names[KB_TABLES] = { "english", "words", "runs" };
	static const char *const gates[] = {
#define X(name) #name,
		KB_GATE_LIST(X)
#undef X
	};
	struct fit_case **learn = kb_xcalloc(b->count + 1, sizeof(*learn));
	struct kb_weights *w = kb_xcalloc(1, sizeof(*w));
	struct kb_buf buf;
	struct kb_sv out;
	bool ok;

	kb_buf_init(&buf, KB_MIB(4));
	kb_buf_str(
	        &buf,
	        "/* Written by bench/fit_answers.c; the order is that of the lists in features.h "
	        "and weights.h. */\n// clang-format off\n#include \"answer/weights.h\"\n");
	for (int t = 0; t < KB_TABLES; t++) {
		fit_weights(learn, lessons(b, (enum kb_table)t, -1, learn), w);
		table(&buf, names[t], w);
	}
	kb_buf_str(&buf, "\nconst struct kb_gate_weights kb_weights_gate = {\n\t.w = {\n");
	for (int i = 0; i < KB_GATE_FEATURES; i++) {
		kb_buf_printf(&buf, "\t\t[KB_G_%s] =", gates[i]);
		number(&buf, gate->w[i]);
		kb_buf_str(&buf, "\n");
	}
	kb_buf_str(&buf, "\t},\n\t.bias =");
	number(&buf, gate->bias);
	kb_buf_str(&buf, "\n\t.strict =");
	number(&buf, gate->strict);
	kb_buf_str(&buf, "\n};\n");
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
		kb_select_parts(&scratch, b->candidates[i], &selection, 0, &parts, &count);
		kb_jw_object(&jw);
		kb_jw_key_sv(&jw, "id", b->asks[i]->id);
		kb_jw_key(&jw, "citations");
		kb_jw_array(&jw);
		for (size_t k = 0; k < count; k++) {
			const struct kb_passage *p = &b->candidates[i][parts[k].candidate].passage;

			kb_jw_sv(&jw, b->pools[c->set].docs[p->page_id - 1].id);
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
			kb_jw_key_sv(&jw, "id", b->pools[c->set].docs[p->page_id - 1].id);
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

static void time_selection(struct bench *b)
{
	struct fit_set set;
	struct kb_evidence evidence;
	int64_t spent = 0, asked = 0;

	if (!fit_set_open(&set, b->root, pools[0].name))
		return;
	evidence.stats = fit_stats(&set);
	for (size_t i = 0; i < set.ask_count && asked < TIMED; i += 7, asked++) {
		struct kb_arena arena = { 0 };
		struct kb_candidate *candidates;
		struct kb_selection selection;
		struct kb_question q;
		size_t n;
		int64_t start;

		kb_question_read(b->analyzer, &arena, set.snapshot,
		                 &(struct kb_utterance){ .text = set.asks[i].text }, &q);
		n = fit_search(&set, &arena, &q, TIMED_PASSAGES, &candidates);
		evidence.candidates = candidates;
		evidence.count = n;
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
	if (strcmp(argv[0], "predict") == 0 && argc == 3) {
		FILE *file = fopen(argv[2], "w");

		if (file)
			predict(b, z, argv[1], file);
		ok = file && fclose(file) == 0;
		if (!ok)
			kb_fail_errno(err, "%s", argv[2]);
	} else {
		report(b, z, gate.strict);
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

	kb_crypto_init();
	argv++, argc--;
	if (argc >= 2 && strcmp(argv[0], "--data") == 0) {
		b.root = argv[1];
		argv += 2, argc -= 2;
	}
	if (argc == 0) {
		fprintf(stderr,
		        "usage: fit_answers [--data DIR] eval | write FILE | predict SET FILE "
		        "| time\n");
		return 2;
	}
	b.analyzer = kb_analyzer_new();
	if (strcmp(argv[0], "time") == 0) {
		time_selection(&b);
	} else if (!run(&b, argc, argv, &err)) {
		fprintf(stderr, "fit_answers: %s\n", err.msg);
		return 1;
	}
	return 0;
}
