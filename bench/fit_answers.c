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
#include "fit_outcomes.h"
#include "parse/parse.h"

enum {
	FOLDS = 5,
	MOST_LESSONS = 8,
	TIMED = 400,
	TIMED_PASSAGES = 10,
};

/* Shares of foreign questions, on the mean of the pools, that the gate may answer. With the encoder
 * these are less: it opens for many questions in other words, and what is refused is shown as what
 * comes closest. */
#define LENIENT      .012
#define STRICT       .005
#define LENIENT_NEAR .003
#define STRICT_NEAR  .002

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
	double sums[POOLS][3] = { { 0 } };

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

	for (size_t p = 0; p < (size_t)POOLS; p++) {
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

/* Fits the gate on out-of-fold scores; z holds each case's gate_z from a gate that has not seen it,
 * less the threshold, which is *lenient_z. */
static void fit_gates(struct bench *b, float *z, struct kb_gate_weights *out, float *lenient_z)
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
	*lenient_z = lenient;
	free(learn);
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
	fit_selection(&scratch, c, c->gated && gate[i] >= 0, &selection);
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
	for (size_t p = 0; p < (size_t)POOLS; p++) {
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
				if (fit_same_root(pools[p].name, "xquad"))
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
	for (size_t p = 0; p < (size_t)POOLS; p++) {
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
	for (size_t f = 0; f < (size_t)FOREIGN; f++) {
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
		fit_selection(&scratch, c, c->gated && gate[i] >= 0, &selection);
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
		fit_selection(&scratch, c, c->gated, &selection);
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
	float *z, lenient;
	bool ok = true;

	fit_pools_load(b);
	if (b->count == 0) {
		printf("no question sets under %s: nothing to fit\n", b->root);
		return true;
	}
	z = kb_xcalloc(b->count, sizeof(*z));
	score_out_of_fold(b);
	weigh(b);
	fit_gates(b, z, &gate, &lenient);
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
		fit_report_reliability(b, z, lenient);
		fit_report_outcomes(b, z);
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
	fit_asked_free(b.asked);
	encoded_close(b.encoder);
	kb_meaning_close(b.meaning);
	return ok ? 0 : 1;
}
