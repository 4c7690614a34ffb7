/* docent serve: opens the parts in order, wires them, runs until told to stop, closes in reverse.
 */
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/api.h"
#include "api/embeddings.h"
#include "api/follow.h"
#include "api/gateway.h"
#include "api/guesses.h"
#include "api/ready.h"
#include "api/slots.h"
#include "api/timings.h"
#include "api/watch.h"
#include "backup/calendar.h"
#include "base/file.h"
#include "base/notify.h"
#include "base/temp.h"
#include "cli/backup_place.h"
#include "cli/cli.h"
#include "cli/encoding.h"
#include "cli/models_mark.h"
#include "cli/options.h"
#include "cli/serve_plan.h"
#include "crawl/browser.h"
#include "crawl/films.h"
#include "crawl/follow.h"
#include "crawl/scripts.h"
#include "index/meaning.h"
#include "store/secrets.h"
#include "store/signins.h"
#include "ui/ui.h"
#include "upkeep/installation.h"
#include "upkeep/sweep_bucket.h"
#include "upstream/embed.h"
#include "upstream/moderation.h"
#include "upstream/rerank.h"
#include "upstream/transcribe.h"

enum {
	QUEUED_REQUESTS_MAX = 4096,
	PARSER_WARM = 2,
	/* Of what a model is writing when the service stops: some take minutes, and what has come
	 * is stored. */
	WRITING_GRACE_MS = 1000,
};

bool kb_cli_help(int argc, char **argv, const char *usage)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0)
			return puts(usage) >= 0;
	return false;
}

int kb_cli_fail(int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "docent: ");
	vfprintf(stderr, fmt, ap);
	fprintf(stderr, "\n");
	va_end(ap);
	return code;
}

/* As if the operator had stopped it. */
static void stop_serving(void *arg)
{
	(void)arg;
	kill(getpid(), SIGTERM);
}

/* Two doors stay shut until the operator opens them: strangers before there is a key, and keys over
 * plain HTTP. */
static bool may_listen(const struct kb_serve_plan *plan, struct kb_store *store, struct kb_err *err)
{
	int64_t keys;

	if (strcmp(plan->host, "localhost") == 0 || kb_is_loopback(plan->host))
		return true;
	if (!kb_store_key_count(store, &keys, err))
		return false;
	if (keys == 0)
		return kb_fail(err, KB_E_INVALID,
		               "%s is not loopback and no key exists yet; make one first: docent "
		               "key create --data %s%s%s",
		               plan->options.listen, plan->options.data,
		               plan->options.store ? " --store " : "",
		               kb_store_is_address(plan->places.store) ? "postgresql://…"
		               : plan->options.store                   ? plan->options.store
		                                                       : "");
	if (!plan->options.tls_cert && !plan->allow_plain_http)
		return kb_fail(
		        err, KB_E_INVALID,
		        "%s is not loopback and would carry keys over plain HTTP; give --tls-cert "
		        "and "
		        "--tls-key, or say --allow-plain-http behind a proxy that speaks TLS",
		        plan->options.listen);
	return true;
}

/* The allocator reserves 64 MB of addresses for each of many arenas: where addresses are limited,
 * two of them do. */
static void fit_address_space(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		mallopt(M_ARENA_MAX, 2);
}

/* Each connection is a descriptor. */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* The files inside are their owner's alone; the names of the directory may be read, or worse, files
 * put in their place. A directory that somebody made may be shared for a reason: its mode stays. */
static void warn_if_open(const struct kb_log *log, const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0 && st.st_mode & (S_IRWXG | S_IRWXO))
		kb_warn(log, "directory is open to other users path=%s mode=%03o wanted=700", path,
		        (unsigned)(st.st_mode & 0777));
}

static struct kb_sv describe(const struct kb_api *api, struct kb_arena *arena)
{
	struct kb_buf buf;
	struct kb_jw jw;
	struct kb_sv text;

	kb_buf_init(&buf, 4 << 20);
	kb_api_jw(api, &jw, &buf);
	kb_openapi_write(&jw);
	KB_ASSERT(!buf.failed);
	text = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return text;
}

static bool plan_limits(void *arg, const struct kb_agent *agent, struct kb_ingest_limits *out,
                        struct kb_err *err)
{
	struct kb_api *api = arg;
	struct kb_arena arena = { 0 };
	struct kb_account account;
	bool ok = kb_store_account_get(api->store, &arena, agent->account_id, &account, err);

	if (ok) {
		const struct kb_plan *plan = kb_plans_get(&api->plans, account.plan);

		*out = (struct kb_ingest_limits){ plan->pages_per_agent, plan->words };
	}
	kb_arena_fini(&arena);
	return ok;
}

static bool keep_days(void *arg, const struct kb_agent *agent, int64_t *days, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_settings settings;
	bool ok = kb_settings_read(&arena, agent->settings, &settings, err);

	(void)arg;
	if (ok)
		*days = kb_settings_keep_days(&settings);
	kb_arena_fini(&arena);
	return ok;
}

/* The tokens of the account's month. */
static bool may_spend(void *arg, const struct kb_agent *agent, bool *may, struct kb_err *err)
{
	struct kb_api *api = arg;
	struct kb_arena arena = { 0 };
	struct kb_account account;
	struct kb_month_use used;
	bool ok = kb_store_account_get(api->store, &arena, agent->account_id, &account, err)
	          && kb_store_used_this_month(api->store, agent->account_id, &used, err);

	if (ok) {
		const struct kb_plan *plan = kb_plans_get(&api->plans, account.plan);

		*may = !plan->tokens_per_month || used.model_tokens < plan->tokens_per_month;
	}
	kb_arena_fini(&arena);
	return ok;
}

static struct kb_sweep_limits sweep_limits(const struct kb_serve_plan *plan)
{
	struct kb_sweep_limits limits = kb_sweep_usual();

	limits.trash_s = plan->trash_days * 24 * 3600;
	return limits;
}

/* The parts of one service, in the order in which they are opened; close_all() goes the other way
 * and takes what was not opened yet as well. */
struct service {
	const struct kb_serve_plan *plan;
	struct kb_arena *arena;
	struct kb_clock clock;
	struct kb_log log;
	struct kb_api api;
	struct kb_models *chore_models; /* NULL: none */
	struct kb_encoding *encoding;   /* NULL: none, or a server has its place */
	struct kb_embedder *embedder;   /* NULL: no such server is configured */
	struct kb_ranker *ranker;       /* the same */
	struct kb_guard proxies;
	struct kb_gateway gateway;
	struct kb_block_list *blocked;
	struct kb_meaning *meaning;
	struct kb_fetcher *fetcher;
	struct kb_browser *browser;
	struct kb_films *films;
	struct kb_parser *parser;
	struct kb_crawler_config crawler; /* ingestion goes by it, too */
	struct kb_calendar *backups;      /* NULL: none are made */
};

/* An error of what an option says, with its name. */
static bool fail_option(struct service *s, const char *flag, struct kb_err *err)
{
	return kb_fail(err, KB_E_INVALID, "%s: %s", flag,
	               kb_arena_str(s->arena, kb_sv_str(err->msg)));
}

/* One that the operator names must be there and whole. */
static bool open_meaning(struct service *s, struct kb_err *err)
{
	const char *named = s->plan->options.meaning;
	char path[PATH_MAX];

	if (named ? strcmp(named, "none") == 0
	          : !kb_installed_file("meaning.kbm", path, sizeof(path)))
		return true;
	s->meaning = kb_meaning_open(named ? named : path, err);
	if (!s->meaning)
		return fail_option(s, "--meaning", err);
	return true;
}

/* Who signs people in; it is asked with the first of them. */
static bool open_provider(struct service *s, struct kb_err *err)
{
	const struct kb_options *o = &s->plan->options;

	if (!o->oidc_issuer)
		return true;
	s->api.oidc =
	        kb_oidc_open(&(struct kb_oidc_config){ .issuer = o->oidc_issuer,
	                                               .client_id = o->oidc_client_id,
	                                               .secret_file = o->oidc_client_secret_file,
	                                               .scope = o->oidc_scope,
	                                               .groups_claim = o->oidc_groups_claim,
	                                               .directory_claim = o->oidc_directory_claim,
	                                               .fetcher = s->fetcher,
	                                               .temp_dir = s->plan->places.temp,
	                                               .clock = &s->clock,
	                                               .log = &s->log },
	                     err);
	return s->api.oidc != NULL;
}

/* What options hold beyond a word or a number, and the files that they name. */
static bool read_options(struct service *s, struct kb_err *err)
{
	const struct kb_options *o = &s->plan->options;
	struct kb_api *api = &s->api;

	if (!kb_plans_read(s->arena, o->plans, o->rate_limit, &api->plans, err)
	    || !kb_api_aliases(s->arena, o->field_alias, o->value_alias, &api->aliases, err))
		return false;
	if (!kb_sv_to_int(kb_sv_str(o->public_daily), 0, INT64_MAX, &api->public_daily))
		return kb_fail(err, KB_E_INVALID, "--public-daily must be a number of questions");
	if (!kb_sv_to_int(kb_sv_str(o->public_address), 1, INT32_MAX, &api->public_address))
		return kb_fail(
		        err, KB_E_INVALID,
		        "--public-address must be a number of questions a minute, 1 or more");
	if (o->block_list) {
		s->blocked = kb_block_list_read(o->block_list, err);
		if (!s->blocked)
			return false;
		kb_info(&s->log, "block list read phrases=%zu", kb_block_list_count(s->blocked));
	}
	if (!open_meaning(s, err))
		return false;
	s->fetcher = kb_fetcher_new(o->fetch_allow, NULL, s->plan->places.temp, err);
	if (!s->fetcher)
		return fail_option(s, "--fetch-allow", err);
	if (!kb_browser_new(o->chromium, s->fetcher, &s->browser, err))
		return fail_option(s, "--chromium", err);
	if (!kb_films_new(o->yt_dlp, o->video_hosts, s->fetcher, &s->films, err))
		return fail_option(s, "--yt-dlp", err);
	s->gateway = (struct kb_gateway){ .subject = o->sign_in_header,
		                          .name = o->sign_in_name_header,
		                          .groups = o->sign_in_groups_header,
		                          .roles = o->roles };
	if (!kb_gateway_open(s->arena, &s->gateway,
	                     &(struct kb_gateway_beside){ .proxies = o->trusted_proxies != NULL,
	                                                  .provider = o->oidc_issuer != NULL },
	                     err)
	    || !open_provider(s, err))
		return false;
	return kb_guard_read(s->arena, o->trusted_proxies, &s->proxies, err)
	       || fail_option(s, "--trusted-proxies", err);
}

/* A server of the options, or else the catalogue's first of its kind. */
struct endpoint {
	struct kb_sv url; /* empty: none */
	const char *name, *key;
};

static void find_endpoint(struct service *s, enum kb_model_kind kind, const char *path,
                          struct endpoint *out)
{
	const struct kb_model_set *set = kb_models_hold(s->api.models);
	const struct kb_model *model = kb_model_of_kind(set, kind);

	if (!out->url.n && model) {
		out->url = kb_arena_printf(s->arena, "%.*s%s", KB_SV_ARG(model->url), path);
		out->name = kb_arena_str(s->arena, model->name);
		out->key = model->key ? kb_arena_str(s->arena, kb_sv_str(model->key)) : NULL;
	}
	kb_model_set_release(set);
}

/* The operator's model servers; none of them is asked yet. */
static bool open_models(struct service *s, struct kb_err *err)
{
	const struct kb_options *o = &s->plan->options;
	struct kb_api *api = &s->api;
	struct endpoint embed = { s->plan->embed_url, o->embed_name, o->embed_key },
	                rerank = { s->plan->rerank_url, o->rerank_name, o->rerank_key },
	                moderation = { 0 }, transcription = { 0 };

	api->models = kb_models_open(&(struct kb_models_config){ .list = o->models,
	                                                         .url = o->model_url,
	                                                         .name = o->model_name,
	                                                         .key = o->model_key,
	                                                         .context = s->plan->model_context,
	                                                         .log = api->log },
	                             err);
	if (!api->models)
		return false;
	find_endpoint(s, KB_MODEL_EMBEDDINGS, "/embeddings", &embed);
	find_endpoint(s, KB_MODEL_RERANK, "/rerank", &rerank);
	find_endpoint(s, KB_MODEL_MODERATION, "/moderations", &moderation);
	find_endpoint(s, KB_MODEL_TRANSCRIPTION, "/audio/transcriptions", &transcription);
	if (transcription.url.n
	    && !(api->transcriber = kb_transcriber_open(
	                 &(struct kb_transcriber_config){ transcription.url, transcription.name,
	                                                  transcription.key, api->log },
	                 err)))
		return false;
	if (moderation.url.n
	    && !(api->moderator = kb_moderator_open(
	                 &(struct kb_moderator_config){ moderation.url, moderation.name,
	                                                moderation.key, api->log },
	                 err)))
		return false;
	if (embed.url.n
	    && !(s->embedder = kb_embedder_open(
	                 &(struct kb_embedder_config){ embed.url, embed.name, embed.key, api->log },
	                 err)))
		return false;
	if (rerank.url.n
	    && !(s->ranker = kb_ranker_open(&(struct kb_ranker_config){ rerank.url, rerank.name,
	                                                                rerank.key, api->log },
	                                    err)))
		return false;
	if (!s->embedder && !kb_encoding_open(s->plan->options.encoder, &s->log, &s->encoding, err))
		return fail_option(s, "--encoder", err);
	api->encoder = s->encoding;
	api->encoder_is_refused = kb_encoding_is_refused;
	api->vectorizer = s->embedder ? kb_embedder_vectorizer(s->embedder)
	                              : kb_encoding_vectorizer(s->encoding);
	api->reranker = kb_ranker_reranker(s->ranker);
	return true;
}

/* Lines of several nodes are read together. */
static void name_in_log(void *arg, const char *name)
{
	struct service *s = arg;

	s->log.context = kb_arena_printf(s->arena, "node=%s", name).p;
}

/* The store and the blobs, which belong together. */
static bool open_data(struct service *s, struct kb_err *err)
{
	const struct kb_serve_plan *plan = s->plan;
	struct kb_api *api = &s->api;
	struct kb_installed data = { .blobs_at = plan->places.blobs };

	data.store_at = kb_arena_str(s->arena, kb_store_place(s->arena, plan->places.store));
	data.blobs = api->blobs = kb_places_blobs(&plan->places, true, api->log, err);
	if (!data.blobs)
		return false;
	if (!kb_store_exists(plan->places.store) && !kb_installation_begin(&data, err))
		return false;
	data.store = api->store = kb_store_open_as(
	        &(struct kb_store_config){ .at = plan->places.store,
	                                   .use = KB_STORE_NODE,
	                                   .node = plan->options.node,
	                                   .home = plan->options.data,
	                                   .replaced = stop_serving,
	                                   .joined = name_in_log,
	                                   .joined_arg = s,
	                                   .clock = api->clock,
	                                   .log = api->log,
	                                   .secret_keys = plan->secret_keys,
	                                   .keep_deleted_us =
	                                           plan->deleted_days * 24 * 3600 * KB_SECOND_US },
	        err);
	if (!data.store)
		return false;
	kb_sweep_keep_ledger(data.blobs, data.store);
	return kb_installation_join(&data, err);
}

/* What needs a secret whose key is not there fails by name, and all else goes on: a key that is
 * lost must not end the service. */
static void warn_of_secrets(struct service *s)
{
	struct kb_secrets_row *rows;
	struct kb_err err;
	size_t count;

	if (!kb_store_secrets_list(s->api.store, s->arena, &rows, &count, &err)) {
		kb_warn(&s->log, "secrets not looked at error=%s", err.msg);
		return;
	}
	for (size_t i = 0; i < count; i++)
		if (!rows[i].opens)
			kb_warn(&s->log,
			        "%s do not open: --secrets-key-file names no file of their key "
			        "key=%.*s count=%" PRId64,
			        rows[i].what, KB_SV_ARG(rows[i].key), rows[i].count);
		else if (!rows[i].key.n && s->plan->secret_keys)
			kb_warn(&s->log,
			        "%s are readable in the database: docent secrets rotate seals "
			        "them count=%" PRId64,
			        rows[i].what, rows[i].count);
}

/* The blobs are asked whose they are before a store would be made; then the store, whose lock keeps
 * a second server out. */
static bool open_places(struct service *s, struct kb_err *err)
{
	const struct kb_serve_plan *plan = s->plan;

	if (!open_data(s, err) || !may_listen(plan, s->api.store, err))
		return false;
	warn_of_secrets(s);
	warn_if_open(&s->log, plan->options.data);
	if (plan->options.store && !kb_store_is_address(plan->options.store))
		warn_if_open(&s->log, plan->places.store);
	if (plan->options.blob && !plan->places.in_bucket)
		warn_if_open(&s->log, plan->places.blobs);
	return true;
}

static bool open_parser(struct service *s, struct kb_err *err)
{
	struct kb_parser_config config;

	kb_parser_config_init(&config);
	config.warm_children = PARSER_WARM;
	config.allow_unsandboxed = s->plan->allow_unsandboxed;
	config.log = &s->log;
	s->parser = s->api.parser = kb_parser_open(&config, err);
	if (!s->parser)
		return false;
	s->api.views = kb_views_new(&(struct kb_views_config){
	        .store = s->api.store, .blobs = s->api.blobs, .parser = s->parser });
	s->api.pictures = kb_pictures_new(&(struct kb_pictures_config){ .store = s->api.store,
	                                                                .blobs = s->api.blobs,
	                                                                .fetcher = s->fetcher,
	                                                                .parser = s->parser,
	                                                                .clock = &s->clock });
	return true;
}

static void pages_came(void *ingest)
{
	kb_ingest_wake(ingest);
}

/* The models that do chores; NULL where none could. */
static struct kb_models *chore_models(struct service *s)
{
	const struct kb_model *choices[KB_MODEL_CHOICES_MAX];
	const struct kb_model_set *set = kb_models_hold(s->api.models);
	bool any = s->plan->model_chores
	           && kb_model_choose(set, KB_SV(""), KB_CAPABILITY_FASTEST, choices);

	kb_model_set_release(set);
	if (any)
		kb_store_chores_wanted(s->api.store);
	return any ? s->api.models : NULL;
}

static int64_t models_mark(void *arg)
{
	const struct service *s = arg;

	return kb_models_mark(&s->plan->options, s->api.models,
	                      s->embedder ? NULL : s->api.vectorizer);
}

/* Reading documents, fetching them, and upkeep. */
static void start_background(struct service *s)
{
	const struct kb_serve_plan *plan = s->plan;
	struct kb_api *api = &s->api;
	struct kb_err err;

	/* What an earlier life was writing when it was killed. Nobody else writes here: the store
	 * is open for this process alone. */
	if (!kb_temp_clean(plan->places.temp, KB_TEMP_ALL, &err))
		kb_warn(&s->log, "temporary files are left error=%s", err.msg);
	s->crawler = (struct kb_crawler_config){
		.store = api->store,
		.blobs = api->blobs,
		.parser = s->parser,
		.fetcher = s->fetcher,
		.browser = s->browser,
		.films = s->films,
		.log = &s->log,
		.clock = &s->clock,
		.limits = plan_limits,
		.limits_arg = api,
		.woken = pages_came,
		.pause_ms = plan->host_pause_ms,
	};
	api->ingest = kb_ingest_start(&(struct kb_ingest_config){
	        .store = api->store,
	        .blobs = api->blobs,
	        .catalog = api->catalog,
	        .parser = s->parser,
	        .transcriber = api->transcriber,
	        .models = api->models,
	        .pictures = api->pictures,
	        .may_spend = may_spend,
	        .may_spend_arg = api,
	        .log = &s->log,
	        .clock = &s->clock,
	        .temp_dir = plan->places.temp,
	        .threads = (int)plan->ingest_threads,
	        .limits = plan_limits,
	        .limits_arg = api,
	        .follow = kb_crawler_follow,
	        .follow_arg = &s->crawler,
	        .scripts = kb_crawler_scripts,
	        .scripts_arg = &s->crawler,
	});
	api->upkeep = kb_upkeep_start(&(struct kb_upkeep_config){
	        .store = api->store,
	        .blobs = api->blobs,
	        .catalog = api->catalog,
	        .log = &s->log,
	        .clock = &s->clock,
	        .temp_dir = plan->places.temp,
	        .keep_days = keep_days,
	        .audit_days = plan->audit_days,
	        .audit_log = plan->options.audit_log,
	        .sweep = sweep_limits(plan),
	        .vectorizer = api->vectorizer,
	        .answerer = api->answerer,
	        .models = s->chore_models,
	        .models_mark = models_mark,
	        .models_mark_arg = s,
	        .may_spend = may_spend,
	        .may_spend_arg = api,
	        .requeued = pages_came,
	        .requeued_arg = api->ingest,
	});
	s->crawler.woken_arg = api->ingest;
	api->crawler = kb_crawler_start(&s->crawler);
}

static void start_backups(struct service *s)
{
	struct kb_calendar_config config = s->plan->backups;

	if (!s->plan->options.backup)
		return;
	config.store = s->api.store;
	config.store_at = s->plan->places.store;
	config.blobs = s->api.blobs;
	config.temp_dir = s->plan->places.temp;
	config.where.cache_dir =
	        kb_arena_printf(s->arena, "%s/drill-cache", s->plan->places.temp).p;
	config.where.scratch = config.temp_dir;
	config.clock = &s->clock;
	config.log = &s->log;
	s->backups = kb_calendar_start(&config);
}

/* What answers and what indexes; nothing here can fail. */
static void start_work(struct service *s)
{
	const struct kb_serve_plan *plan = s->plan;
	struct kb_api *api = &s->api;

	/* Before anything is stored. */
	s->chore_models = chore_models(s);
	api->audit_reads = plan->audit_reads;
	api->rates = kb_rates_new();
	api->guesses = kb_guesses_new(plan->wrong_keys);
	api->timings = KB_NEW(s->arena, struct kb_timings);
	api->slots = kb_slots_new();
	api->readies = kb_readies_new();
	api->embeddings = kb_embeddings_new();
	api->catalog = kb_catalog_open(
	        api->store, api->blobs,
	        &(struct kb_catalog_limits){ .agents = (size_t)plan->open_agents,
	                                     .heap_bytes = plan->open_agents_mb * KB_MIB(1) },
	        &s->log);
	api->answerer = kb_answerer_open(api->store, api->catalog, &s->log);
	kb_answerer_block(api->answerer, s->blocked);
	kb_answerer_models(api->answerer, api->vectorizer, api->reranker);
	api->writer =
	        kb_writer_open(&(struct kb_writer_config){ .answerer = api->answerer,
	                                                   .models = api->models,
	                                                   .moderator = api->moderator,
	                                                   .clock = &s->clock,
	                                                   .log = &s->log,
	                                                   .custom_depth = plan->custom_depth });
	api->followers = kb_followers_open(api->store, &s->clock, &s->log);
	api->watchers = kb_watchers_open(&s->log);
	kb_answerer_means(api->answerer, s->meaning);
	api->temp_dir = plan->places.temp;
	api->notes = kb_notes_start(api->store, &s->log);
	start_background(s);
	start_backups(s);
	api->workers = kb_pool_open("worker", (int)plan->workers, QUEUED_REQUESTS_MAX);
	api->openapi = describe(api, s->arena);
	api->public_url = plan->options.public_url;
	api->fetcher = s->fetcher;
	api->metrics_token = plan->options.metrics_token;
	api->gateway = s->gateway;
	api->data = plan->options.data;
}

static void log_meaning(const struct service *s)
{
	struct kb_meaning_info info;

	if (!s->meaning)
		return;
	kb_meaning_info(s->meaning, &info);
	kb_info(&s->log, "table of meanings open words=%u bytes=%" PRId64, info.words, info.bytes);
}

/* Who starts the service at a terminal gets a link to the dashboard, once there is a key. A log
 * gets none: it has other readers. */
static void print_link(struct service *s, const char *url)
{
	char secret[KB_SIGN_IN_TEXT];
	struct kb_err err;
	int64_t key;

	if (kb_ui_file_count == 0 || !isatty(STDERR_FILENO)
	    || !kb_store_key_first(s->api.store, &key, &err)
	    || !kb_store_link_create(s->api.store, key, secret, &err))
		return;
	fprintf(stderr, "open %s/login#%s (signs one browser in, once, within 15 minutes)\n", url,
	        secret);
}

/* Said whatever the log leaves out; where every line is an object, as one. */
static void say_listening(const struct service *s, const char *url)
{
	struct kb_log always = s->log;

	always.level = KB_LOG_INFO;
	if (s->log.format == KB_LOG_JSON)
		kb_info(&always, "listening on %s", url);
	else
		fprintf(stderr, "listening on %s\n", url);
}

/* The door last. */
static bool open_door(struct service *s, struct kb_err *err)
{
	const struct kb_serve_plan *plan = s->plan;
	struct kb_server_config net;
	char url[300];

	kb_server_config_init(&net);
	net.proxies = s->proxies;
	net.host = plan->host;
	net.port = (int)plan->port;
	net.loops = (int)plan->threads;
	net.routes = kb_api_net_routes(s->arena, &net.route_count);
	net.workers = s->api.workers;
	net.log = &s->log;
	net.app = &s->api;
	net.temp_dir = plan->places.temp;
	net.refuse = kb_api_refuse;
	net.admit = kb_api_admit;
	net.decorate = kb_api_decorate;
	net.owner_holds = kb_api_owner_holds;
	net.hurry = kb_api_hurry;
	net.tls_cert = plan->options.tls_cert;
	net.tls_key = plan->options.tls_key;
	s->api.server = kb_server_start(&net, err);
	if (!s->api.server)
		return false;
	snprintf(url, sizeof(url), "%s://%s%s%s:%d", net.tls_cert ? "https" : "http",
	         strchr(plan->host, ':') ? "[" : "", plan->host[0] ? plan->host : "0.0.0.0",
	         strchr(plan->host, ':') ? "]" : "", kb_server_port(s->api.server));
	say_listening(s, url);
	print_link(s, plan->options.public_url ? plan->options.public_url : url);
	kb_info(&s->log, "parser confined by=%s", kb_parser_sandbox(s->parser));
	log_meaning(s);
	return true;
}

static bool open_all(struct service *s, struct kb_err *err)
{
	if (!read_options(s, err) || !open_places(s, err) || !open_parser(s, err)
	    || !open_models(s, err))
		return false;
	start_work(s);
	return open_door(s, err);
}

static void close_all(struct service *s)
{
	struct kb_api *api = &s->api;

	kb_models_cancel(api->models, KB_MIN(s->plan->stop_grace_s * 1000, WRITING_GRACE_MS));
	kb_followers_stop(api->followers, s->plan->stop_grace_s * 1000);
	kb_watchers_stop(api->watchers);
	kb_oidc_cancel(api->oidc);
	if (api->server)
		kb_server_stop(api->server, (int)s->plan->stop_grace_s * 1000);
	kb_pool_close(api->workers);
	kb_followers_close(api->followers);
	kb_watchers_close(api->watchers);
	kb_writer_close(api->writer);
	kb_fetcher_cancel(s->fetcher); /* or ingestion would wait for other people's servers */
	kb_blobs_cancel(api->blobs);
	kb_embedder_cancel(s->embedder);
	kb_encoding_cancel(s->encoding);
	kb_transcriber_cancel(api->transcriber);
	kb_ranker_cancel(s->ranker);
	kb_calendar_stop(s->backups);
	kb_crawler_stop(api->crawler);
	kb_upkeep_stop(api->upkeep);
	kb_ingest_stop(api->ingest); /* the two before wake it */
	kb_notes_stop(api->notes);
	kb_answerer_close(api->answerer);
	kb_embedder_close(s->embedder);
	kb_encoding_close(s->encoding);
	kb_ranker_close(s->ranker);
	kb_moderator_close(api->moderator);
	kb_transcriber_close(api->transcriber);
	kb_models_close(api->models);
	kb_catalog_close(api->catalog);
	kb_views_free(api->views);
	kb_pictures_free(api->pictures);
	kb_parser_close(s->parser);
	kb_films_free(s->films);
	kb_browser_free(s->browser);
	kb_oidc_close(api->oidc);
	kb_fetcher_free(s->fetcher);
	kb_blobs_close(api->blobs);
	kb_store_close(api->store);
	kb_slots_free(api->slots);
	kb_rates_free(api->rates);
	kb_guesses_free(api->guesses);
	kb_readies_free(api->readies);
	kb_embeddings_free(api->embeddings);
	kb_meaning_close(s->meaning);
	kb_block_list_free(s->blocked);
}

/* What is read again, beside the model catalogue. */
static const char *also_read(const struct service *s)
{
	bool certificate = s->plan->options.tls_cert;

	if (s->blocked)
		return certificate ? ", certificate and block list" : " and block list";
	return certificate ? " and certificate" : "";
}

/* The block list, the certificate and the model catalogue: all are taken, or none. */
static void reload(struct service *s)
{
	struct kb_block_list *blocked = NULL;
	const char *also = also_read(s);
	struct kb_err err;
	bool ok;

	kb_notify_reloading();
	if (s->blocked)
		blocked = kb_block_list_read(s->plan->options.block_list, &err);
	ok = (!s->blocked || blocked) && kb_server_tls_read(s->api.server, &err)
	     && kb_models_reload(s->api.models, &err);
	kb_server_tls_settle(s->api.server, ok);
	if (ok && blocked)
		kb_block_list_take(s->blocked, blocked);
	else
		kb_block_list_free(blocked);
	if (ok)
		kb_info(&s->log, "model catalogue%s read again", also);
	else
		kb_warn(&s->log, "model catalogue%s %s as it was error=%s", also,
		        *also ? "stay" : "stays", err.msg);
	kb_notify("READY=1");
}

/* The next signal, or 0 after that time; us 0: however long it takes. */
static int next_signal(const sigset_t *signals, int64_t us)
{
	const struct timespec wait = { .tv_sec = us / KB_SECOND_US,
		                       .tv_nsec = us % KB_SECOND_US * 1000 };
	int signal = us ? sigtimedwait(signals, NULL, &wait) : sigwaitinfo(signals, NULL);

	return signal > 0 ? signal : 0;
}

/* Waits until SIGTERM or SIGINT. The signals are blocked in every thread. Whoever watches hears of
 * the service three times in the time that it gives, as long as this thread and the loops turn. */
static void wait_for_stop(struct service *s, const sigset_t *signals)
{
	enum { TIMES = 3 };
	int64_t watch_us = kb_notify_watchdog_us() / TIMES;
	int64_t next_us = kb_clock_mono_us() + watch_us;
	int signal = 0;

	while (signal == 0 || signal == SIGHUP) {
		int64_t left_us = watch_us ? KB_MAX(next_us - kb_clock_mono_us(), (int64_t)1) : 0;

		signal = next_signal(signals, left_us);
		if (signal == SIGHUP)
			reload(s);
		if (watch_us && kb_clock_mono_us() >= next_us) {
			if (kb_server_turns(s->api.server))
				kb_notify("WATCHDOG=1");
			next_us = kb_clock_mono_us() + watch_us;
		}
	}
}

static bool serve(const struct kb_serve_plan *plan, const sigset_t *signals, struct kb_arena *arena,
                  struct kb_err *err)
{
	struct service s = { .plan = plan, .arena = arena };
	bool ok;

	kb_log_init(&s.log, plan->log_level, plan->log_format, STDERR_FILENO);
	s.api.clock = &s.clock;
	s.api.log = &s.log;
	s.api.started_us = kb_clock_mono_us();
	fit_address_space();
	raise_descriptor_limit();
	if (!kb_dir_make(plan->options.data, err) || !kb_dir_make(plan->places.temp, err))
		return false;
	ok = open_all(&s, err);
	if (ok) {
		kb_notify("READY=1");
		wait_for_stop(&s, signals);
		kb_notify("STOPPING=1");
		kb_info(&s.log, "stopping");
	}
	close_all(&s);
	return ok;
}

bool kb_serve_would(struct kb_arena *arena, int argc, char **argv, struct kb_store *store,
                    struct kb_err *err)
{
	struct kb_serve_plan plan = { 0 };
	struct service s = { .plan = &plan, .arena = arena };
	bool ok;

	if (!kb_serve_plan_read(arena, argc, argv, &plan, err))
		return false;
	kb_log_init(&s.log, KB_LOG_OFF, plan.log_format, STDERR_FILENO);
	s.api.log = &s.log;
	ok = store ? may_listen(&plan, store, err) : read_options(&s, err);
	kb_films_free(s.films);
	kb_browser_free(s.browser);
	kb_oidc_close(s.api.oidc);
	kb_fetcher_free(s.fetcher);
	kb_meaning_close(s.meaning);
	kb_block_list_free(s.blocked);
	return ok;
}

int kb_cli_serve(int argc, char **argv)
{
	struct kb_arena arena = { 0 };
	struct kb_serve_plan plan = { 0 };
	struct kb_err err = { 0 };
	sigset_t signals;
	int code = 0;

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "--help=markdown") == 0) {
			if (strcmp(argv[i], "--help") == 0)
				printf("usage: docent serve [OPTION]…\n\n");
			kb_options_help(strcmp(argv[i], "--help") != 0);
			return 0;
		}
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	if (!kb_serve_plan_read(&arena, argc, argv, &plan, &err))
		code = kb_cli_fail(2, "%s", err.msg);
	else if (!serve(&plan, &signals, &arena, &err))
		code = kb_cli_fail(1, "%s", err.msg);
	kb_arena_fini(&arena);
	return code;
}
