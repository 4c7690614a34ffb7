/*
 * How often what is read holds the answer, for what people ask of documents as they upload them:
 * what a model is given, and what a person is shown where none is asked. No model is asked.
 *
 *   bench/natural_prompt [--data DIR] [--program FILE] [--meaning FILE] [--encoder FILE]
 * [--verbose]
 *
 * Each corpus is indexed as natural_search does it; each answerable question goes the way of an
 * answer up to the sources of the prompt (write/sources.h), at each context_depth. Printed: the
 * questions whose sources hold a phrase of the answer, beside those of which the search's first
 * passages, as many, do; how many tokens the sources have; where the gate closed; and how often
 * what is shown then, and the closest passages that would be shown for each question, hold a
 * phrase, beside those of which a passage of the search's first three does.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "answer/closest.h"
#include "answer/outcome.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "natural_data.h"
#include "write/sources.h"
#include "write/tokens.h"

static const struct {
	const char *name;
	enum kb_depth depth;
} depths[] = { { "compact", KB_DEPTH_COMPACT }, { "balanced", KB_DEPTH_BALANCED } };

struct tally {
	size_t questions, held[KB_COUNTOF(depths)], found[KB_COUNTOF(depths)];
	int64_t tokens[KB_COUNTOF(depths)];
	size_t closed, nothing;
	size_t said, near_closed, near,
	        three;  /* gold in the answer, the closest, the first three */
	size_t letters; /* of all that is closest */
};

struct bench {
	struct kb_answerer answerer;
	struct kb_analyzer *analyzer;
	struct kb_settings settings;
	bool verbose;
};

/* Whether the first `count` passages of the search hold a phrase. */
static bool is_found(struct kb_arena *arena, const struct n_question *asked,
                     const struct kb_steps *steps, size_t count)
{
	for (size_t i = 0; i < steps->v[0].candidate_count; i++) {
		size_t before = 0;

		for (size_t k = 0; k < steps->v[0].candidate_count; k++)
			before += steps->v[0].candidates[k].place < steps->v[0].candidates[i].place;
		if (before < count
		    && n_holds_phrase(arena, asked, steps->v[0].candidates[i].passage.text))
			return true;
	}
	return false;
}

static bool is_said(struct kb_arena *arena, const struct n_question *asked,
                    const struct kb_answer_step *step)
{
	struct kb_sv text = KB_SV("");

	for (size_t i = 0; i < step->part_count; i++) {
		const struct kb_answer_part *part = &step->parts[i];

		text = kb_arena_printf(
		        arena, "%.*s %.*s", KB_SV_ARG(text),
		        KB_SV_ARG(kb_sv_sub(step->candidates[part->candidate].passage.text,
		                            part->start, part->end - part->start)));
	}
	return n_holds_phrase(arena, asked, text);
}

/* What a person sees of it. */
static void look(const struct bench *bench, struct kb_arena *arena, const struct n_question *asked,
                 const struct kb_steps *steps, struct tally *tally)
{
	const struct kb_answer_step *step = &steps->v[0];
	enum kb_outcome outcome = kb_outcome_of(&step->selection, &step->named, step->verdict);
	struct kb_closest_list list;
	bool near = false, three = is_found(arena, asked, steps, KB_CLOSEST_MOST);

	kb_closest_find(arena, steps, &bench->settings, &list);
	for (size_t i = 0; i < list.count; i++) {
		near |= n_holds_phrase(arena, asked, list.v[i].excerpt);
		tally->letters += kb_utf8_count(list.v[i].excerpt);
	}
	tally->closed += outcome != KB_OUTCOME_ANSWER;
	tally->nothing += outcome == KB_OUTCOME_NOTHING;
	tally->said += outcome == KB_OUTCOME_ANSWER && is_said(arena, asked, step);
	tally->near += near;
	tally->near_closed += outcome != KB_OUTCOME_ANSWER && near;
	tally->three += three;
	if (!bench->verbose)
		return;
	printf("\t%s near %d three %d\n", kb_outcome_name(outcome), near, three);
	for (size_t i = 0; i < list.count; i++)
		printf("\t\t%.*s\n", KB_SV_ARG(list.v[i].excerpt));
}

static bool ask(struct bench *bench, const struct n_corpus *corpus, const struct n_question *asked,
                struct tally *tally, struct kb_err *err)
{
	tally->questions++;
	if (bench->verbose)
		printf("%.*s", KB_SV_ARG(asked->id));
	for (size_t d = 0; d < KB_COUNTOF(depths); d++) {
		struct kb_arena arena = { 0 };
		struct kb_settings settings = bench->settings;
		struct kb_context_limits limits;
		struct kb_answer_request request = { .settings = &settings,
			                             .prompt = asked->text,
			                             .turns = &asked->after,
			                             .turn_count = asked->after.n > 0 };
		struct kb_answer_job job = { &bench->answerer, bench->analyzer, &arena };
		struct kb_steps steps;
		struct kb_excerpt *sources;
		size_t count;
		bool held = false, found;

		settings.context_depth = kb_sv_str(depths[d].name);
		limits = kb_context_depth(&settings, 0);
		request.passages = limits.passages;
		if (!kb_steps_search(&job, &request, corpus->snapshot, &steps, err)) {
			kb_arena_fini(&arena);
			return false;
		}
		steps.searched = corpus->snapshot;
		kb_sources_build(&arena, &steps, &limits, &sources, &count);
		for (size_t i = 0; i < count; i++) {
			held |= n_holds_phrase(&arena, asked, sources[i].text);
			tally->tokens[d] += kb_tokens_count(sources[i].text);
		}
		found = is_found(&arena, asked, &steps, limits.passages);
		tally->held[d] += held;
		tally->found[d] += found;
		if (bench->verbose)
			printf("\t%d %d", held, found);
		if (!d)
			look(bench, &arena, asked, &steps, tally);
		kb_arena_fini(&arena);
	}
	if (bench->verbose)
		printf("\n");
	return true;
}

static void print(const char *name, const struct tally *tally)
{
	double all = (double)KB_MAX(tally->questions, (size_t)1);

	printf("| %s | %zu | %zu, %zu |", name, tally->questions, tally->closed, tally->nothing);
	printf(" %.3f | %zu | %.3f / %.3f / %zu |", (double)tally->said / all, tally->near_closed,
	       (double)tally->near / all, (double)tally->three / all,
	       (size_t)((double)tally->letters / all));
	for (size_t d = 0; d < KB_COUNTOF(depths); d++)
		printf(" %.3f / %.3f / %.0f |", (double)tally->held[d] / all,
		       (double)tally->found[d] / all, (double)tally->tokens[d] / all);
	printf("\n");
	fflush(stdout);
}

static void add(struct tally *all, const struct tally *own)
{
	all->questions += own->questions;
	all->closed += own->closed;
	all->nothing += own->nothing;
	all->said += own->said;
	all->near += own->near;
	all->near_closed += own->near_closed;
	all->three += own->three;
	all->letters += own->letters;
	for (size_t d = 0; d < KB_COUNTOF(depths); d++) {
		all->held[d] += own->held[d];
		all->found[d] += own->found[d];
		all->tokens[d] += own->tokens[d];
	}
}

static bool run(struct bench *bench, struct encoded *encoder, const char *data, const char *program,
                struct kb_err *err)
{
	struct tally all = { 0 };
	struct n_set set;
	bool ok = n_set_read(&set, data, err);

	printf("| corpus | questions | gate closed, nothing shown | answered with it | closest "
	       "instead, "
	       "with it | closest with it / first three / letters |");
	for (size_t d = 0; d < KB_COUNTOF(depths); d++)
		printf(" %s: in the prompt / in the search / tokens |", depths[d].name);
	printf("\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
	for (size_t i = 0; ok && i < set.corpus_count; i++) {
		struct n_corpus *corpus = &set.corpora[i];
		struct tally own = { 0 };

		ok = n_corpus_open(&set, corpus, program, encoder, err);
		for (size_t k = 0; ok && k < corpus->question_count; k++)
			if (corpus->questions[k].answerable && !corpus->questions[k].pair.n)
				ok = ask(bench, corpus, &corpus->questions[k], &own, err);
		print(kb_arena_str(&set.arena, corpus->name), &own);
		add(&all, &own);
		n_corpus_close(corpus);
	}
	print("all", &all);
	n_set_free(&set);
	return ok;
}

static int fail(const struct kb_err *err)
{
	fprintf(stderr, "bench/natural_prompt: %s\n", err->msg);
	return 1;
}

int main(int argc, char **argv)
{
	const char *data = "../shared/data/natural", *slash = strrchr(argv[0], '/');
	struct bench bench = { .analyzer = kb_analyzer_new() };
	struct kb_meaning *meaning = NULL;
	struct encoded *encoder = NULL;
	struct kb_err err = { 0 };
	char program[4096];

	kb_crypto_init();
	kb_settings_defaults(&bench.settings);
	snprintf(program, sizeof(program), "%.*s/../docent", (int)(slash ? slash - argv[0] : 1),
	         slash ? argv[0] : ".");
	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : NULL;

		if (!strcmp(argv[i], "--verbose")) {
			bench.verbose = true;
			continue;
		}
		if (!strcmp(argv[i], "--data") && value)
			data = value;
		else if (!strcmp(argv[i], "--program") && value)
			snprintf(program, sizeof(program), "%s", value);
		else if (!strcmp(argv[i], "--meaning") && value)
			meaning = kb_meaning_open(value, &err);
		else if (!strcmp(argv[i], "--encoder") && value)
			encoder = encoded_open(value, &err);
		else
			kb_fail(&err, KB_E_INVALID, "what is %s?", argv[i]);
		if (err.code != KB_OK)
			return fail(&err);
		i++;
	}
	if (access(data, R_OK) != 0) {
		printf("skipped: there are no data in %s\n", data);
		return 0;
	}
	bench.answerer.meaning = meaning;
	bench.answerer.vectorizer = encoded_vectorizer(encoder);
	if (!run(&bench, encoder, data, program, &err))
		return fail(&err);
	encoded_close(encoder);
	kb_meaning_close(meaning);
	kb_analyzer_free(bench.analyzer);
	return 0;
}
