#include "cli/serve_plan.h"

#include <string.h>

#include "cli/backup_place.h"
#include "upstream/client.h"

/* What --backup and its like say. */
static bool read_backups(struct kb_arena *arena, struct kb_serve_plan *plan, struct kb_err *err)
{
	const struct kb_options *o = &plan->options;
	struct kb_calendar_config *out = &plan->backups;

	if (!kb_span_read(kb_sv_str(o->backup_every), &out->every_us))
		return kb_fail(err, KB_E_INVALID,
		               "--backup-every is %s; it must be like 15m, 6h or 1d",
		               o->backup_every);
	if (strcmp(o->backup_drill, "none") != 0
	    && !kb_span_read(kb_sv_str(o->backup_drill), &out->drill_us))
		return kb_fail(err, KB_E_INVALID,
		               "--backup-drill is %s; it must be like 12h or 1d, or none",
		               o->backup_drill);
	if (!kb_keep_read(kb_sv_str(o->backup_keep), &out->keep, err))
		return false;
	return !o->backup || kb_backup_where(arena, o->backup, o, &out->where, err);
}

bool kb_serve_plan_read(struct kb_arena *arena, int argc, char **argv, struct kb_serve_plan *plan,
                        struct kb_err *err)
{
	struct kb_options *o = &plan->options;

	if (!kb_options_read(arena, argc, argv, 1, o, err)
	    || !kb_option_listen(o->listen, plan->host, sizeof(plan->host), &plan->port, err)
	    || !kb_option_int("--threads", o->threads, 0, 64, &plan->threads, err)
	    || !kb_option_int("--workers", o->workers, 1, 1024, &plan->workers, err)
	    || !kb_option_int("--ingest-threads", o->ingest_threads, 1, 64, &plan->ingest_threads,
	                      err)
	    || !kb_option_int("--open-agents", o->open_agents, 1, 1000000, &plan->open_agents, err)
	    || !kb_option_int("--open-agents-memory", o->open_agents_memory, 1, 1 << 20,
	                      &plan->open_agents_mb, err)
	    || !kb_option_int("--deleted-days", o->deleted_days, 0, 3650, &plan->deleted_days, err)
	    || !kb_option_int("--audit-days", o->audit_days, 0, 36500, &plan->audit_days, err)
	    || !kb_option_int("--wrong-keys", o->wrong_keys, 0, 1000000000, &plan->wrong_keys, err)
	    || !kb_option_int("--trash-days", o->trash_days, 0, 3650, &plan->trash_days, err)
	    || !kb_option_int("--host-pause", o->host_pause_ms, 0, 60000, &plan->host_pause_ms, err)
	    || !kb_option_int("--stop-grace", o->stop_grace_s, 0, 3600, &plan->stop_grace_s, err)
	    || !kb_option_int("--model-context", o->model_context, 256, 100000000,
	                      &plan->model_context, err)
	    || !kb_option_int("--custom-depth", o->custom_depth, 100, 1000000, &plan->custom_depth,
	                      err)
	    || !kb_option_flag("--model-chores", o->model_chores, &plan->model_chores, err)
	    || !kb_option_flag("--allow-plain-http", o->allow_plain_http, &plan->allow_plain_http,
	                       err)
	    || !kb_option_flag("--allow-unsandboxed-parsing", o->allow_unsandboxed_parsing,
	                       &plan->allow_unsandboxed, err))
		return false;
	if (!kb_upstream_check(arena,
	                       &(struct kb_upstream_option){ "embed", o->embed_url, o->embed_name,
	                                                     o->embed_key },
	                       "/embeddings", &plan->embed_url, err)
	    || !kb_upstream_check(arena,
	                          &(struct kb_upstream_option){ "rerank", o->rerank_url,
	                                                        o->rerank_name, o->rerank_key },
	                          "/rerank", &plan->rerank_url, err))
		return false;
	if (!kb_log_parse(o->log, &plan->log_level, &plan->log_format))
		return kb_fail(err, KB_E_INVALID,
		               "--log is %s; it must be debug, info, warn, error or off, perhaps "
		               "with ,json",
		               o->log);
	if (!o->tls_cert != !o->tls_key)
		return kb_fail(err, KB_E_INVALID, "--tls-cert and --tls-key go together");
	if (!kb_audit_reads_parse(kb_sv_str(o->audit_reads), &plan->audit_reads))
		return kb_fail(
		        err, KB_E_INVALID,
		        "--audit-reads is %s; it must be none, exports, conversations or all",
		        o->audit_reads);
	if (o->secrets_key_file) {
		plan->secret_keys = KB_NEW(arena, struct kb_secret_keys);
		if (!kb_secret_keys_read(arena, o->secrets_key_file, plan->secret_keys, err))
			return false;
	}
	return kb_options_places(o, &plan->places, err) && read_backups(arena, plan, err);
}
