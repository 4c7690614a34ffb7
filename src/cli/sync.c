/* docent sync: an agent's documents like the files of a folder, once or whenever it changes. What
 * the service has is asked of it each time, so that any number of runs, from any machine, agree. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "cli/cli.h"
#include "cli/sync_plan.h"

enum {
	POLL_FIRST_MS = 300, /* doubled up to POLL_MAX_MS */
	POLL_MAX_MS = 3000,
	AWAY_S = 5, /* between tries while the service, or the folder, cannot be reached */
};

/* ---- doing it ---- */

static void wait_for(struct kb_syncing *s, struct kb_sv path)
{
	if (!s->wait) {
		kb_tally_line(&s->tally, false, "sent", path, KB_SV(""));
		return;
	}
	KB_GROW(s->sent, s->sent_capacity, s->sent_count + 1);
	s->sent[s->sent_count++] = path;
}

static bool send_file(struct kb_syncing *s, const struct kb_folder_file *file, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_remote_file as = { .name = file->path,
		                     .path = kb_sync_path(s, file),
		                     .url = kb_sync_link(s, file) };
	json_t *page = NULL;

	if (!kb_utf8_valid(file->path))
		kb_fail(err, KB_E_INVALID, "its name is not spelt in UTF-8");
	else
		page = kb_remote_upload(&s->remote, &arena, file->file, &as, err);
	if (page)
		wait_for(s, file->path);
	kb_arena_fini(&arena);
	return page != NULL;
}

/* Tells the service that the document has that path, and its address. */
static bool put_path(struct kb_syncing *s, const struct kb_sync_step *step, bool *waits,
                     struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_sv link = kb_sync_link(s, step->file);
	char path[KB_SYNC_QUERY_BYTES];
	struct kb_buf body;
	struct kb_jw jw;
	json_t *page;

	snprintf(path, sizeof(path), "/pages/%" PRId64 "/path", step->doc->id);
	kb_buf_init(&body, SIZE_MAX);
	kb_jw_init(&jw, &body);
	kb_jw_object(&jw);
	kb_jw_key_sv(&jw, "path", kb_sync_path(s, step->file));
	if (link.n)
		kb_jw_key_sv(&jw, "url", link);
	kb_jw_end(&jw);
	kb_buf_byte(&body, '\0');
	page = kb_remote_send(&s->remote, &arena, "PUT", path, body.p, err);
	*waits = kb_sv_eq_str(kb_json_sv(page, "index_status", KB_SV("")), "queued");
	kb_buf_fini(&body);
	kb_arena_fini(&arena);
	return page != NULL;
}

/* A document that cannot move, because its original is not kept, comes anew. */
static bool move_doc(struct kb_syncing *s, const struct kb_sync_step *step, struct kb_err *err)
{
	bool waits;

	if (put_path(s, step, &waits, err)) {
		if (waits)
			wait_for(s, step->file->path);
		else
			kb_tally_line(&s->tally, false, step->act == KB_SYNC_MOVE ? "moved" : "ok",
			              step->file->path, KB_SV(""));
		return true;
	}
	if (err->code != KB_E_INVALID && err->code != KB_E_NOT_FOUND)
		return false;
	step->doc->stays = step->act == KB_SYNC_LINK;
	return send_file(s, step->file, err);
}

static bool take_step(struct kb_syncing *s, const struct kb_sync_step *step, struct kb_err *err)
{
	switch (step->act) {
	case KB_SYNC_AWAIT:
		wait_for(s, step->file->path);
		return true;
	case KB_SYNC_LINK:
	case KB_SYNC_MOVE:
		return move_doc(s, step, err);
	case KB_SYNC_SEND:
		return send_file(s, step->file, err);
	default:
		return true;
	}
}

static bool drop(struct kb_syncing *s, const struct kb_sync_doc *doc, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	char path[KB_SYNC_QUERY_BYTES];
	bool ok;

	snprintf(path, sizeof(path), "/pages/%" PRId64, doc->id);
	ok = kb_remote_send(&s->remote, &arena, "DELETE", path, "", err)
	     || err->code == KB_E_NOT_FOUND;
	kb_arena_fini(&arena);
	if (ok)
		kb_tally_line(&s->tally, false, "deleted", kb_sv_from(doc->path, s->prefix.n),
		              KB_SV(""));
	return ok;
}

/* False: the next one would fare no better. */
static bool went_on(struct kb_syncing *s, struct kb_sv name, const struct kb_err *err)
{
	if (err->code == KB_E_UPSTREAM)
		return false;
	kb_tally_line(&s->tally, true, "failed", name, kb_sv_str(err->msg));
	return true;
}

static bool take_steps(struct kb_syncing *s, const struct kb_sync_step *steps, struct kb_err *err)
{
	for (size_t i = 0; i < s->folder.count; i++)
		if (!take_step(s, &steps[i], err) && !went_on(s, steps[i].file->path, err))
			return false;
	for (size_t i = 0; s->removes && i < s->gone_count; i++)
		if (!s->gone[i]->stays && !drop(s, s->gone[i], err)
		    && !went_on(s, kb_sv_from(s->gone[i]->path, s->prefix.n), err))
			return false;
	return true;
}

static size_t count_steps(const struct kb_syncing *s, const struct kb_sync_step *steps)
{
	size_t n = 0;

	for (size_t i = 0; i < s->folder.count; i++)
		n += steps[i].act != KB_SYNC_NOTHING;
	for (size_t i = 0; s->removes && i < s->gone_count; i++)
		n += !s->gone[i]->stays;
	return n;
}

/* ---- waiting ---- */

static struct kb_sync_doc *doc_of(struct kb_syncing *s, struct kb_sv path)
{
	return kb_sync_find(
	        s, kb_arena_printf(&s->list, "%.*s%.*s", KB_SV_ARG(s->prefix), KB_SV_ARG(path)));
}

static void judge(struct kb_syncing *s, struct kb_sv path)
{
	const struct kb_sync_doc *doc = doc_of(s, path);

	if (!doc)
		kb_tally_line(&s->tally, true, "failed", path,
		              KB_SV("it was deleted before it was read"));
	else if (kb_sync_has_failed(doc))
		kb_tally_line(&s->tally, true, "failed", path,
		              doc->reason.n ? doc->reason : doc->status);
	else
		kb_tally_line(&s->tally, false, "ok", path, doc->reason);
}

static bool waits(struct kb_syncing *s, struct kb_sv path)
{
	const struct kb_sync_doc *doc = doc_of(s, path);

	return doc && kb_sv_eq_str(doc->status, "queued");
}

/* Those of s->sent that s->docs does not have in the queue go to its front. How many that are. */
static size_t part_read(struct kb_syncing *s)
{
	size_t read = 0;

	for (size_t i = 0; i < s->sent_count; i++)
		if (!waits(s, s->sent[i])) {
			struct kb_sv swapped = s->sent[read];

			s->sent[read++] = s->sent[i];
			s->sent[i] = swapped;
		}
	return read;
}

static bool wait_for_sent(struct kb_syncing *s, struct kb_err *err)
{
	int64_t pause_ms = POLL_FIRST_MS;

	while (s->sent_count) {
		size_t read;

		if (!kb_sync_list(s, "queued", err))
			return false;
		read = part_read(s);
		/* What left the queue meanwhile moved others past us in its list: the whole list
		 * says which of them wait still. */
		if (read && !kb_sync_list(s, "all", err))
			return false;
		if (read)
			read = part_read(s);
		for (size_t i = 0; i < read; i++)
			judge(s, s->sent[i]);
		s->sent_count -= read;
		memmove(s->sent, s->sent + read, s->sent_count * sizeof(*s->sent));
		if (s->sent_count)
			usleep((useconds_t)pause_ms * 1000);
		pause_ms = KB_MIN(pause_ms * 2, (int64_t)POLL_MAX_MS);
	}
	return true;
}

/* ---- the command ---- */

static bool run_once(struct kb_syncing *s, struct kb_err *err)
{
	struct kb_sync_step *steps;
	bool ok;

	s->tally = (struct kb_tally){ .bar = s->tally.bar };
	s->sent_count = 0;
	if (!kb_folder_read(&s->folder, err) || !kb_sync_list(s, "all", err))
		return false;
	/* A folder that is not mounted looks like this, too. */
	if (s->removes && !s->folder.count && s->doc_count)
		return kb_fail(err, KB_E_IO,
		               "there is no file to mirror in %s, so nothing is deleted",
		               s->folder.dir);
	steps = kb_sync_plan(s);
	s->tally.count = count_steps(s, steps);
	if (s->tally.count)
		kb_tally_show(&s->tally);
	ok = take_steps(s, steps, err) && wait_for_sent(s, err);
	kb_tally_end(&s->tally);
	return ok;
}

/* Ends only where nothing can be watched, or the service wants none of it. */
static bool run_on(struct kb_syncing *s, struct kb_err *err)
{
	for (;;) {
		bool ok = run_once(s, err);

		kb_arena_reset(&s->arena);
		if (!ok && (s->folder.inotify < 0 || kb_remote_is_final(err)))
			return false;
		if (!ok) {
			kb_cli_fail(1, "%s; trying again in %d s", err->msg, AWAY_S);
			sleep(AWAY_S);
		} else if (!kb_folder_wait(&s->folder, err)) {
			return false;
		}
	}
}

static const char usage[] =
        "usage: docent sync --url URL --key KEY --agent ID [--watch] [--include GLOB]… [--delete] "
        "[--no-wait] [--prefix NAME] [--base-url URL] DIR";

static bool read_flag(struct kb_syncing *s, int argc, char **argv, int *i)
{
	const struct {
		const char *name;
		bool *flag, value;
	} flags[] = { { "--watch", &s->folder.watch, true },
		      { "--delete", &s->removes, true },
		      { "--no-wait", &s->wait, false } };
	const struct {
		const char *name;
		struct kb_sv *text;
	} texts[] = { { "--prefix", &s->prefix }, { "--base-url", &s->base } };
	const char *name = argv[*i];

	if (kb_remote_option(&s->remote, argc, argv, i))
		return true;
	for (size_t f = 0; f < KB_COUNTOF(flags); f++)
		if (!strcmp(name, flags[f].name)) {
			*flags[f].flag = flags[f].value;
			return true;
		}
	for (size_t t = 0; t < KB_COUNTOF(texts); t++)
		if (strcmp(name, texts[t].name) == 0 && *i + 1 < argc) {
			*texts[t].text = kb_sv_str(argv[++*i]);
			return true;
		}
	if (strcmp(name, "--include") != 0 || *i + 1 >= argc)
		return false;
	s->folder.globs[s->folder.glob_count++] = argv[++*i];
	return true;
}

static bool read_options(struct kb_syncing *s, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (read_flag(s, argc, argv, &i))
			continue;
		if (argv[i][0] == '-' || s->folder.dir)
			return false;
		s->folder.dir = argv[i];
	}
	return s->folder.dir != NULL;
}

int kb_cli_sync(int argc, char **argv)
{
	struct kb_syncing s = { .wait = true,
		                .folder.inotify = -1,
		                .tally.bar = isatty(STDOUT_FILENO) };
	struct kb_arena arena = { 0 };
	struct kb_err err = { 0 };
	int code = 2;

	if (kb_cli_help(argc, argv, usage))
		return 0;
	s.folder.globs = KB_NEW_ARRAY(&arena, (size_t)argc, const char *);
	if (!read_options(&s, argc, argv)) {
		kb_cli_fail(2, "%s", usage);
		goto out;
	}
	if (s.prefix.n && !kb_sv_ends(s.prefix, KB_SV("/")))
		s.prefix = kb_arena_printf(&arena, "%.*s/", KB_SV_ARG(s.prefix));
	if (kb_remote_open(&s.remote, &err)
	    && (s.folder.watch ? run_on(&s, &err) : run_once(&s, &err)))
		code = s.tally.failed ? 1 : 0;
	else
		code = kb_cli_fail(err.code == KB_E_INVALID ? 2 : 1, "%s", err.msg);
out:
	kb_remote_close(&s.remote);
	kb_folder_close(&s.folder);
	free(s.docs);
	free(s.sent);
	kb_arena_fini(&s.arena);
	kb_arena_fini(&s.list);
	kb_arena_fini(&arena);
	return code;
}
