#include "upstream/rerank.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/utf8.h"

enum {
	TRIES = 2,
	ANSWER_BASE = 64 << 10,
	RESULT_BYTES = 2 * KB_RANKER_TEXT_BYTES * 6, /* some give the document back, all escaped */
	BODY_MAX = 4 << 20,
};

struct kb_ranker {
	struct kb_upstream *line;
	struct kb_reranker reranker;
	char model[KB_UPSTREAM_NAME_MAX + 1];
};

static bool wrong(struct kb_err *err, const char *what)
{
	return kb_fail(err, KB_E_UPSTREAM, "the rerank server's answer %s", what);
}

bool kb_rerank_read(struct kb_sv answer, size_t count, float *scores, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	json_t *root = kb_json_parse(&arena, answer, NULL), *results = kb_json_get(root, "results");
	bool *seen = KB_NEW_ARRAY(&arena, count, bool), ok = true;

	if (!root)
		ok = wrong(err, "is no JSON");
	else if (!json_is_array(results))
		ok = wrong(err, "has no list \"results\"");
	else if (json_array_size(results) != count)
		ok = kb_fail(err, KB_E_UPSTREAM, "the rerank server judged %zu of %zu passages",
		             json_array_size(results), count);
	for (size_t i = 0; ok && i < count; i++) {
		const json_t *item = json_array_get(results, i);
		const json_t *value = kb_json_get(item, "relevance_score");
		int64_t index = kb_json_int(item, "index", -1);

		if (index < 0 || (uint64_t)index >= count || seen[index]) {
			ok = wrong(err, "lacks the index of a result, or has one twice");
		} else if (!json_is_number(value) || !isfinite((float)json_number_value(value))) {
			ok = wrong(err, "holds a score that is no number");
		} else {
			seen[index] = true;
			scores[index] = (float)json_number_value(value);
		}
	}
	kb_arena_fini(&arena);
	return ok;
}

struct reading {
	size_t count;
	float *scores;
};

static bool read_answer(void *arg, struct kb_sv answer, struct kb_err *err)
{
	struct reading *reading = arg;

	return kb_rerank_read(answer, reading->count, reading->scores, err);
}

static void write_passage(struct kb_jw *jw, const struct kb_passage *p)
{
	struct kb_arena arena = { 0 };
	struct kb_sv text = kb_arena_printf(&arena, "%.*s%s%.*s%s%.*s", KB_SV_ARG(p->title),
	                                    p->title.n ? "\n" : "", KB_SV_ARG(p->heading),
	                                    p->heading.n ? "\n" : "", KB_SV_ARG(p->text));

	kb_jw_sv(jw, kb_utf8_cut(text, KB_RANKER_TEXT_BYTES));
	kb_arena_fini(&arena);
}

static bool score(void *arg, struct kb_sv question, const struct kb_passage *passages, size_t count,
                  float *scores)
{
	struct kb_ranker *ranker = arg;
	struct reading reading = { count, scores };
	struct kb_upstream_call call = { .deadline_us =
		                                 kb_clock_mono_us() + KB_RANKER_MS * INT64_C(1000),
		                         .tries = TRIES,
		                         .impatient = true, /* somebody waits for the answer */
		                         .answer_max = ANSWER_BASE + count * RESULT_BYTES,
		                         .read = read_answer,
		                         .arg = &reading };
	struct kb_upstream_ask body;
	struct kb_err err;

	kb_upstream_ask_begin(&body, ranker->model, BODY_MAX);
	kb_jw_key_sv(&body.jw, "query", question);
	kb_jw_key(&body.jw, "documents");
	kb_jw_array(&body.jw);
	for (size_t i = 0; i < count; i++)
		write_passage(&body.jw, &passages[i]);
	kb_jw_end(&body.jw);
	kb_jw_key_int(&body.jw, "top_n", (int64_t)count);
	return kb_upstream_ask_post(&body, ranker->line, &call, &err);
}

static void stats(void *arg, struct kb_health_stats *out)
{
	const struct kb_ranker *ranker = arg;

	kb_upstream_stats(ranker->line, out);
}

const struct kb_reranker *kb_ranker_reranker(const struct kb_ranker *ranker)
{
	return ranker ? &ranker->reranker : NULL;
}

struct kb_ranker *kb_ranker_open(const struct kb_ranker_config *config, struct kb_err *err)
{
	struct kb_ranker *ranker = kb_xcalloc(1, sizeof(*ranker));

	snprintf(ranker->model, sizeof(ranker->model), "%s", config->name);
	ranker->reranker = (struct kb_reranker){ .score = score,
		                                 .stats = stats,
		                                 .arg = ranker,
		                                 .top = KB_RANKER_TOP,
		                                 .weight = KB_RANKER_WEIGHT };
	ranker->line = kb_upstream_open(&(struct kb_upstream_config){ .name = "rerank",
	                                                              .what = "the rerank server",
	                                                              .url = config->url,
	                                                              .key = config->key,
	                                                              .log = config->log },
	                                err);
	if (ranker->line)
		return ranker;
	free(ranker);
	return NULL;
}

void kb_ranker_cancel(struct kb_ranker *ranker)
{
	if (ranker)
		kb_upstream_cancel(ranker->line);
}

void kb_ranker_close(struct kb_ranker *ranker)
{
	if (!ranker)
		return;
	kb_upstream_close(ranker->line);
	free(ranker);
}
