/* docent models check: asks each model of the catalogue one question and says what works. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "cli/cli.h"
#include "cli/models_check.h"
#include "upstream/embed.h"
#include "upstream/models.h"
#include "upstream/rerank.h"

enum { ANSWER_MAX = 1 << 20, CHECK_MS = 30000 };

struct check {
	const struct kb_model *model;
	struct kb_arena *arena;
	char note[100]; /* what was seen of one that works */
};

/* ---- one question a kind ---- */

static bool check_chat(struct check *c, struct kb_err *err)
{
	static const struct kb_chat_message question = {
		"user", KB_SV_INIT("Answer with the one word: ready")
	};
	struct kb_chat_ask ask = {
		.messages = &question, .message_count = 1, .max_tokens = 64, .stream = true
	};
	struct kb_chat_result result;
	struct kb_sv text;

	if (!kb_chat_whole(c->model->line, c->arena, &ask, ANSWER_MAX, &text, &result)) {
		*err = result.err;
		return false;
	}
	if (text.n == 0)
		return kb_fail(err, KB_E_UPSTREAM, "it answers without a text");
	snprintf(c->note, sizeof(c->note), "streams");
	return true;
}

static bool read_vector(void *arg, struct kb_sv answer, struct kb_err *err)
{
	struct check *c = arg;
	struct kb_embedded embedded;

	if (!kb_embed_read(c->arena, answer, 1, 0, &embedded, err))
		return false;
	snprintf(c->note, sizeof(c->note), "%u dimensions", embedded.dims);
	return true;
}

static bool read_judgement(void *arg, struct kb_sv answer, struct kb_err *err)
{
	struct check *c = arg;
	float scores[2];

	if (!kb_rerank_read(answer, 2, scores, err))
		return false;
	snprintf(c->note, sizeof(c->note), "%.3f and %.3f", (double)scores[0], (double)scores[1]);
	return true;
}

static bool read_moderation(void *arg, struct kb_sv answer, struct kb_err *err)
{
	struct check *c = arg;
	const json_t *root = kb_json_parse(c->arena, answer, NULL);
	const json_t *first = json_array_get(kb_json_get(root, "results"), 0);

	if (!json_is_boolean(kb_json_get(first, "flagged")))
		return kb_fail(err, KB_E_UPSTREAM, "its answer lacks results[0].flagged");
	snprintf(c->note, sizeof(c->note), "a harmless text is %s",
	         kb_json_bool(first, "flagged", false) ? "flagged" : "let through");
	return true;
}

/* body: a format of the model's name. */
static bool post(struct check *c, const char *path, const char *rest,
                 bool (*read)(void *arg, struct kb_sv answer, struct kb_err *err),
                 struct kb_err *err)
{
	struct kb_log silent;
	struct kb_upstream *line;
	struct kb_buf body;
	struct kb_jw jw;
	bool ok;

	kb_log_init(&silent, KB_LOG_OFF, KB_LOG_TEXT, STDERR_FILENO);
	line = kb_upstream_open(
	        &(struct kb_upstream_config){
	                .name = "check",
	                .what = "the server",
	                .url = kb_arena_printf(c->arena, "%.*s%s", KB_SV_ARG(c->model->url), path),
	                .key = c->model->key,
	                .log = &silent },
	        err);
	if (!line)
		return false;
	kb_buf_init(&body, ANSWER_MAX);
	kb_jw_init(&jw, &body);
	kb_jw_object(&jw);
	kb_jw_key_sv(&jw, "model", c->model->name);
	kb_buf_str(&body, rest);
	kb_jw_end(&jw);
	ok = kb_upstream_post(
	        line,
	        &(struct kb_upstream_call){ .body = kb_buf_view(&body),
	                                    .deadline_us = kb_clock_mono_us() + CHECK_MS * 1000,
	                                    .tries = 1,
	                                    .answer_max = ANSWER_MAX,
	                                    .read = read,
	                                    .arg = c },
	        err);
	kb_buf_fini(&body);
	kb_upstream_close(line);
	return ok;
}

static bool check_embeddings(struct check *c, struct kb_err *err)
{
	return post(c, "/embeddings", ",\"input\":[\"ready\"]", read_vector, err);
}

static bool check_rerank(struct check *c, struct kb_err *err)
{
	return post(c, "/rerank",
	            ",\"query\":\"cats\",\"documents\":[\"Cats sleep.\",\"Boats float.\"],"
	            "\"top_n\":2",
	            read_judgement, err);
}

static bool check_moderation(struct check *c, struct kb_err *err)
{
	return post(c, "/moderations", ",\"input\":\"ready\"", read_moderation, err);
}

static bool (*const checks[KB_MODEL_KINDS])(struct check *c, struct kb_err *err) = {
	[KB_MODEL_CHAT] = check_chat,
	[KB_MODEL_VISION] = check_chat,
	[KB_MODEL_EMBEDDINGS] = check_embeddings,
	[KB_MODEL_RERANK] = check_rerank,
	[KB_MODEL_MODERATION] = check_moderation,
};

/* ---- the table ---- */

/* What came of one; where nothing was asked it is fine. */
static bool check_model(const struct kb_model *model, kb_model_seen *seen, void *arg)
{
	struct kb_arena arena = { 0 };
	struct check c = { .model = model, .arena = &arena };
	int64_t start = kb_clock_mono_us();
	struct kb_err err = { 0 };
	struct kb_model_check found = { .id = model->id, .kind = kb_model_kind_name(model->kind) };

	if (!model->url.n) {
		found.state = KB_MODEL_NO_SERVER;
	} else if (!checks[model->kind]) {
		found.state = KB_MODEL_NOT_ASKED;
	} else {
		found.state = checks[model->kind](&c, &err) ? KB_MODEL_WORKS : KB_MODEL_FAILS;
		found.took_ms = (kb_clock_mono_us() - start) / 1000;
		found.note = found.state == KB_MODEL_WORKS ? c.note : err.msg;
	}
	seen(arg, &found);
	kb_arena_fini(&arena);
	return found.state != KB_MODEL_FAILS;
}

/* Servers that have options of their own, as models of the table. */
static bool add_own(struct kb_arena *arena, const struct kb_upstream_option *option,
                    enum kb_model_kind kind, struct kb_model *model, struct kb_err *err)
{
	*model = (struct kb_model){ .kind = kind,
		                    .id = kb_sv_str(option->name),
		                    .name = kb_sv_str(option->name),
		                    .key = option->key };
	return kb_upstream_check(arena, option, "", &model->url, err);
}

bool kb_models_check(struct kb_arena *arena, const struct kb_options *o, kb_model_seen *seen,
                     void *arg, bool *good, struct kb_err *err)
{
	struct kb_log log;
	struct kb_models_config config = { .list = o->models,
		                           .url = o->model_url,
		                           .name = o->model_name,
		                           .key = o->model_key,
		                           .log = &log };
	struct kb_model own[2];
	struct kb_models *models;
	const struct kb_model_set *set;

	*good = true;
	kb_log_init(&log, KB_LOG_OFF, KB_LOG_TEXT, STDERR_FILENO);
	if (!add_own(arena,
	             &(struct kb_upstream_option){ "embed", o->embed_url, o->embed_name,
	                                           o->embed_key },
	             KB_MODEL_EMBEDDINGS, &own[0], err)
	    || !add_own(arena,
	                &(struct kb_upstream_option){ "rerank", o->rerank_url, o->rerank_name,
	                                              o->rerank_key },
	                KB_MODEL_RERANK, &own[1], err))
		return false;
	models = kb_models_open(&config, err);
	if (!models)
		return false;
	set = kb_models_hold(models);
	for (size_t i = 0; i < set->count; i++)
		*good &= check_model(&set->v[i], seen, arg);
	for (size_t i = 0; i < KB_COUNTOF(own); i++)
		if (own[i].url.n)
			*good &= check_model(&own[i], seen, arg);
	kb_model_set_release(set);
	kb_models_close(models);
	return true;
}

static void print_row(struct kb_sv id, const char *kind, const char *time, const char *result)
{
	printf("%-24.*s %-13s %9s  %s\n", KB_SV_ARG(id), kind, time, result);
	fflush(stdout);
}

/* The heading stands above the first. */
static void print_model(void *arg, const struct kb_model_check *found)
{
	static const char *const states[] = { [KB_MODEL_NO_SERVER] = "no server",
		                              [KB_MODEL_NOT_ASKED] = "not asked",
		                              [KB_MODEL_WORKS] = "works: ",
		                              [KB_MODEL_FAILS] = "fails: " };
	char time[32] = "-", result[sizeof(((struct kb_err *)0)->msg) + 32];
	bool *headed = arg;

	if (!*headed)
		print_row(KB_SV("MODEL"), "KIND", "TIME", "RESULT");
	*headed = true;
	if (found->note)
		snprintf(time, sizeof(time), "%" PRId64 " ms", found->took_ms);
	snprintf(result, sizeof(result), "%s%s", states[found->state],
	         found->note ? found->note : "");
	print_row(found->id, found->kind, time, result);
}

int kb_cli_models(int argc, char **argv)
{
	static const char usage[] =
	        "usage: docent models check [OPTION]…, with the options of docent serve";
	struct kb_arena arena = { 0 };
	struct kb_options options;
	struct kb_err err;
	bool good, headed = false;
	int code;

	if (kb_cli_help(argc, argv, usage))
		return 0;
	if (argc < 2 || strcmp(argv[1], "check") != 0)
		return kb_cli_fail(2, "%s", usage);
	if (!kb_options_read(&arena, argc, argv, 2, &options, &err))
		code = kb_cli_fail(2, "%s", err.msg);
	else if (!kb_models_check(&arena, &options, print_model, &headed, &good, &err))
		code = kb_cli_fail(2, "%s", err.msg);
	else
		code = good ? 0 : 1;
	if (code == 0 && !headed)
		printf("no model is configured: give the options of docent serve (--models, "
		       "--model-url, --embed-url, --rerank-url)\n");
	kb_arena_fini(&arena);
	return code;
}
