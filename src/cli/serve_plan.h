/* What the options of docent serve say, read and checked, before anything is opened (serve.c). */
#ifndef KB_CLI_SERVE_PLAN_H
#define KB_CLI_SERVE_PLAN_H

#include "backup/calendar.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "store/audit.h"
#include "store/secret_keys.h"

struct kb_serve_plan {
	struct kb_options options;
	enum kb_log_level log_level;
	enum kb_log_format log_format;
	int64_t threads, workers, ingest_threads, open_agents, open_agents_mb, trash_days,
	        deleted_days, audit_days, wrong_keys, stop_grace_s, host_pause_ms, model_context,
	        custom_depth;
	enum kb_audit_reads audit_reads;
	bool allow_plain_http, allow_unsandboxed, model_chores;
	char host[256];
	int64_t port;
	struct kb_sv embed_url, rerank_url; /* empty: none */
	struct kb_places places;
	struct kb_secret_keys *secret_keys; /* NULL: none */
	struct kb_calendar_config backups;  /* as far as options say */
};

/* KB_E_INVALID names the option. */
bool kb_serve_plan_read(struct kb_arena *arena, int argc, char **argv, struct kb_serve_plan *plan,
                        struct kb_err *err) KB_MUST_CHECK;

#endif
