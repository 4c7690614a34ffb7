#include "backup/calendar.h"

#include <stdlib.h>

#include "backup/drill.h"
#include "base/bell.h"
#include "base/pool.h"
#include "store/backups.h"

enum { NICE = 10 };
#define LOOK_US     (10 * KB_SECOND_US)
#define LOOK_MIN_US (KB_SECOND_US / 4)

struct kb_calendar {
	struct kb_calendar_config config;
	struct kb_bell bell;
	struct kb_cancel cancel;
	pthread_t thread;
};

static bool is_stopped(void *arg)
{
	return kb_bell_is_stopped(arg);
}

static void say_blob(void *arg, const char *name, const char *why)
{
	const struct kb_calendar *c = arg;

	kb_warn(c->config.log, "blob not in the backup name=%s error=%s", name, why);
}

static void say_finding(void *arg, const char *finding)
{
	const struct kb_calendar *c = arg;

	kb_error_log(c->config.log, "backup drill found finding=%s", finding);
}

static void make(struct kb_calendar *c)
{
	int64_t start = kb_clock_mono_us();
	struct kb_backup_made made;
	struct kb_err err = { 0 };
	struct kb_backup_task task = {
		.store_at = c->config.store_at,
		.blobs = c->config.blobs,
		.where = &c->config.where,
		.temp_dir = c->config.temp_dir,
		.every_us = c->config.every_us,
		.planned_us = c->config.every_us,
		.keep = &c->config.keep,
		.say = say_blob,
		.arg = c,
		.clock = c->config.clock,
		.log = c->config.log,
		.cancel = &c->cancel,
	};

	if (!kb_backup_make(&task, &made, &err)) {
		if (!is_stopped(&c->bell))
			kb_error_log(c->config.log, "backup failed to=%s error=%s",
			             c->config.where.shown, err.msg);
	} else if (made.made) {
		kb_info(c->config.log,
		        "backup made id=%s to=%s blobs=%" PRId64 " missing=%" PRId64
		        " sent_bytes=%" PRId64 " kept=%" PRId64 " dropped=%" PRId64
		        " took_ms=%" PRId64,
		        made.id, c->config.where.shown, made.blobs, made.missing, made.new_bytes,
		        made.kept, made.dropped, (kb_clock_mono_us() - start) / 1000);
	}
}

static bool run_drill(struct kb_calendar *c, struct kb_drill *drill, struct kb_err *err)
{
	drill->place = kb_backup_open(&c->config.where, c->config.log, err);
	return drill->place && kb_drill_run(drill, err);
}

static void drill(struct kb_calendar *c)
{
	/* Its questions are no lines of this service's log. */
	struct kb_drill drill = {
		.temp_dir = c->config.temp_dir, .say = say_finding, .arg = c, .cancel = &c->cancel
	};
	struct kb_arena arena = { 0 };
	struct kb_sv failure = KB_SV("");
	struct kb_err err = { 0 };
	bool taken, ok;

	if (!kb_store_drill_take(c->config.store, c->config.drill_us, &taken, &err) || !taken)
		return;
	ok = run_drill(c, &drill, &err);
	kb_blobs_close(drill.place);
	if (is_stopped(&c->bell))
		return;
	if (!ok)
		failure = kb_sv_str(err.msg[0] ? err.msg : "it failed");
	else if (drill.findings)
		failure = kb_arena_printf(&arena, "%" PRId64 " findings", drill.findings);
	if (failure.n)
		kb_error_log(c->config.log, "backup does not come back id=%s error=%.*s", drill.id,
		             KB_SV_ARG(failure));
	else
		kb_info(c->config.log,
		        "backup comes back id=%s blobs=%" PRId64 " agents=%" PRId64
		        " asked=%" PRId64,
		        drill.id, drill.blobs, drill.agents, drill.asked);
	if (!kb_store_drill_done(c->config.store, failure, &err))
		kb_warn(c->config.log, "the outcome of a drill is not noted error=%s", err.msg);
	kb_arena_fini(&arena);
}

static void look(struct kb_calendar *c)
{
	struct kb_arena arena = { 0 };
	int64_t now = kb_clock_now_us(c->config.clock);
	struct kb_backups state;
	struct kb_err err;

	if (!kb_store_backups(c->config.store, &arena, &state, &err))
		kb_warn(c->config.log, "cannot look whether a backup is due error=%s", err.msg);
	else if (kb_backup_is_due(state.tried_at, c->config.every_us, now))
		make(c);
	else if (c->config.drill_us && state.last_at
	         && kb_backup_is_due(state.drill_tried_at, c->config.drill_us, now))
		drill(c);
	kb_arena_fini(&arena);
}

static void *work(void *arg)
{
	struct kb_calendar *c = arg;
	int64_t pause = KB_MIN(LOOK_US, KB_MAX(c->config.every_us / 4, LOOK_MIN_US));
	uint64_t heard = 0;

	kb_thread_set_nice(NICE);
	while (kb_bell_wait(&c->bell, &heard, kb_clock_steady_us(c->config.clock) + pause))
		look(c);
	return NULL;
}

struct kb_calendar *kb_calendar_start(const struct kb_calendar_config *config)
{
	struct kb_calendar *c = kb_xcalloc(1, sizeof(*c));

	c->config = *config;
	kb_bell_init(&c->bell, config->clock);
	c->cancel = (struct kb_cancel){ is_stopped, &c->bell };
	c->thread = kb_thread_start("backups", work, c);
	return c;
}

void kb_calendar_stop(struct kb_calendar *c)
{
	if (!c)
		return;
	kb_bell_stop(&c->bell);
	pthread_join(c->thread, NULL);
	kb_bell_fini(&c->bell);
	free(c);
}
