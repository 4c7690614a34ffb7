/* docent add: files, folders and addresses into an agent of a running service, and what became of
 * each. */
#include <errno.h>
#include <fts.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/remote.h"
#include "cli/remote_events.h"
#include "cli/sync_folder.h"
#include "cli/tally.h"

enum {
	SHARE = 4, /* of the time, one part of so many at most goes to reading lists */
	AWAY_PAUSE_S = 2,
	PAGE_ROWS = 100, /* of one list of documents */
	PATH_BYTES = 128,
	/* Rows move from one page of a list to the next while it is read; what was not there so
	 * often is gone. */
	MISSED_MAX = 5,
};
#define IDLE_US (500 * INT64_C(1000)) /* between looks while nothing is in work */
#define LOOK_US (15 * KB_SECOND_US)   /* at most, whatever the service says */
#define AWAY_US (300 * KB_SECOND_US)  /* it may not be there for so long */

/* One thing to be added. */
struct item {
	struct kb_sv name; /* a path, or an address */
	bool is_address, done, failed, seen;
	int64_t id; /* of its page, or of its source; 0: not sent */
	int missed; /* looks at the list in which it was not */
};

/* A file that the agent has: by name and content. */
struct known {
	struct kb_sv name, hash;
};

struct adding {
	struct kb_remote remote;
	struct kb_arena arena; /* of the items, and of what is known */
	struct known *known;   /* sorted */
	size_t known_count, known_capacity;
	struct item *items;
	size_t count, capacity;
	struct kb_tally tally;
	bool wait;

	/* While it waits: what the service says, and when its lists were, or may be, read. */
	struct kb_tally_pace pace;
	int64_t finished_before; /* documents that were done with when the command began */
	int64_t sources;
	struct meaning {
		bool is_said;
		int64_t passages, ready, left_s; /* -1: it cannot be said */
	} meaning;                               /* how far passages are found by it */
	bool changed;
	int64_t looked_us, next_look_us; /* kb_clock_mono_us() */
};

/* ---- telling ---- */

static void finish(struct adding *a, struct item *item, const char *state, struct kb_sv reason)
{
	item->done = true;
	kb_tally_line(&a->tally, item->failed, state, item->name, reason);
}

static void fail(struct adding *a, struct item *item, struct kb_sv reason)
{
	item->failed = true;
	finish(a, item, "failed", reason);
}

/* ---- what is to be added ---- */

static void add_item(struct adding *a, struct kb_sv name, bool is_address)
{
	KB_GROW(a->items, a->capacity, a->count + 1);
	a->items[a->count++] =
	        (struct item){ .name = kb_arena_sv(&a->arena, name), .is_address = is_address };
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* The files of a folder, those of its folders too; hidden ones and links are not followed. */
static bool add_path(struct adding *a, char *path, struct kb_err *err)
{
	char *paths[] = { path, NULL };
	FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
	FTSENT *entry;
	bool ok = true;

	if (!tree)
		return kb_fail_errno(err, "%s", path);
	while (ok && (entry = fts_read(tree))) {
		bool hidden = entry->fts_level > 0 && entry->fts_name[0] == '.';

		if (hidden && entry->fts_info == FTS_D)
			fts_set(tree, entry, FTS_SKIP);
		else if (entry->fts_info == FTS_F && !hidden)
			add_item(a, kb_sv_str(entry->fts_path), false);
		else if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR
		         || entry->fts_info == FTS_NS)
			ok = kb_fail(err, KB_E_IO, "%s: %s", entry->fts_path,
			             strerror(entry->fts_errno));
	}
	fts_close(tree);
	return ok;
}

static bool is_address(const char *text)
{
	return !strncmp(text, "http://", 7) || !strncmp(text, "https://", 8);
}

/* ---- what the agent has already ---- */

static int by_name_and_hash(const void *a, const void *b)
{
	const struct known *one = a, *two = b;
	int order = kb_sv_cmp(one->name, two->name);

	return order ? order : kb_sv_cmp(one->hash, two->hash);
}

/* One that could not be read may be sent again: it may be read this time. */
static void take_known(struct adding *a, const json_t *row)
{
	const struct known known = {
		kb_arena_sv(&a->arena, kb_json_sv(row, "filename", KB_SV(""))),
		kb_arena_sv(&a->arena, kb_json_sv(row, "content_hash", KB_SV(""))),
	};

	if (!known.hash.n || kb_json_int(row, "parent_id", 0)
	    || kb_sv_eq_str(kb_json_sv(row, "index_status", KB_SV("")), "failed"))
		return;
	KB_GROW(a->known, a->known_capacity, a->known_count + 1);
	a->known[a->known_count++] = known;
}

static bool learn_known(struct adding *a, struct kb_err *err)
{
	bool more = true;

	for (int page = 1; more; page++) {
		struct kb_arena arena = { 0 };
		char path[PATH_BYTES];
		const json_t *list, *rows;
		json_t *data;

		snprintf(path, sizeof(path), "/pages?limit=%d&order=asc&page=%d", PAGE_ROWS, page);
		data = kb_remote_call(&a->remote, &arena, path, NULL, err);
		list = kb_json_get(data, "pages");
		rows = kb_json_get(list, "data");
		more = page < kb_json_int(list, "last_page", 0);
		for (size_t i = 0; i < json_array_size(rows); i++)
			take_known(a, json_array_get(rows, i));
		kb_arena_fini(&arena);
		if (!data)
			return false;
	}
	if (a->known_count)
		qsort(a->known, a->known_count, sizeof(*a->known), by_name_and_hash);
	return true;
}

static bool has_files(const struct adding *a)
{
	for (size_t i = 0; i < a->count; i++)
		if (!a->items[i].is_address)
			return true;
	return false;
}

/* ---- sending ---- */

static struct kb_sv base_name(struct kb_sv path)
{
	for (size_t i = path.n; i > 0; i--)
		if (path.p[i - 1] == '/')
			return kb_sv_from(path, i);
	return path;
}

static bool is_known(const struct adding *a, const struct item *item)
{
	char hash[KB_HASH_HEX];
	struct known wanted = { .name = base_name(item->name) };

	if (item->is_address || !a->known_count || !kb_folder_hash(item->name.p, hash))
		return false;
	wanted.hash = kb_sv_str(hash);
	return bsearch(&wanted, a->known, a->known_count, sizeof(wanted), by_name_and_hash) != NULL;
}

static bool send_item(struct adding *a, struct item *item, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	json_t *data;
	struct kb_buf body;
	struct kb_jw jw;

	if (item->is_address) {
		kb_buf_init(&body, SIZE_MAX);
		kb_jw_init(&jw, &body);
		kb_jw_object(&jw);
		kb_jw_key_sv(&jw, "sitemap_path", item->name);
		kb_jw_end(&jw);
		kb_buf_byte(&body, '\0');
		data = kb_remote_call(&a->remote, &arena, "/sources", body.p, err);
		kb_buf_fini(&body);
	} else {
		data = kb_remote_upload(&a->remote, &arena, item->name.p,
		                        &(struct kb_remote_file){ .name = base_name(item->name) },
		                        err);
	}
	item->id = kb_json_int(data, "id", 0);
	kb_arena_fini(&arena);
	return data != NULL;
}

/* ---- waiting ---- */

static struct item *find(struct adding *a, bool is_address, int64_t id)
{
	for (size_t i = 0; i < a->count; i++)
		if (!a->items[i].done && a->items[i].is_address == is_address
		    && a->items[i].id == id)
			return &a->items[i];
	return NULL;
}

static void judge(struct adding *a, struct item *item, struct kb_sv status, struct kb_sv reason)
{
	item->missed = 0;
	if (kb_sv_eq_str(status, "queued"))
		return;
	if (kb_sv_eq_str(status, "ok") && reason.n && !item->seen) {
		item->seen = true; /* parts of it may have come while the list was read */
		return;
	}
	if (kb_sv_eq_str(status, "ok"))
		finish(a, item, "ok", reason);
	else
		fail(a, item, reason.n ? reason : status);
}

static size_t waiting(const struct adding *a, bool is_address, int64_t *first)
{
	size_t n = 0;

	*first = 0;
	for (size_t i = 0; i < a->count; i++)
		if (!a->items[i].done && a->items[i].is_address == is_address) {
			*first = *first ? KB_MIN(*first, a->items[i].id) : a->items[i].id;
			n++;
		}
	return n;
}

/* Before a look at a list: whatever is not seen in it stays missed. */
static void miss_all(struct adding *a, bool is_address)
{
	for (size_t i = 0; i < a->count; i++) {
		struct item *item = &a->items[i];

		if (item->done || item->is_address != is_address)
			continue;
		if (item->missed++ >= MISSED_MAX)
			fail(a, item, KB_SV("it was deleted before it was read"));
	}
}

static const struct item *find_sent(const struct adding *a, int64_t id)
{
	for (size_t i = 0; i < a->count; i++)
		if (!a->items[i].is_address && a->items[i].id == id)
			return &a->items[i];
	return NULL;
}

/* A document that was found in one of ours is waited for, too. */
static void adopt_part(struct adding *a, const json_t *row)
{
	const struct item *parent = find_sent(a, kb_json_int(row, "parent_id", 0));
	int64_t id = kb_json_int(row, "id", 0);

	if (!parent || !parent->id || find_sent(a, id))
		return;
	add_item(a,
	         kb_arena_printf(&a->arena, "%.*s/%.*s", KB_SV_ARG(parent->name),
	                         KB_SV_ARG(kb_json_sv(row, "path", KB_SV("")))),
	         false);
	a->items[a->count - 1].id = id;
	a->tally.count = a->count;
}

/* Newest first, to the oldest that is waited for. */
static bool look_at_pages(struct adding *a, struct kb_err *err)
{
	bool more = true;
	int64_t first;

	miss_all(a, false);
	if (!waiting(a, false, &first))
		return true;
	for (int page = 1; more; page++) {
		struct kb_arena arena = { 0 };
		char path[PATH_BYTES];
		const json_t *rows, *row;
		json_t *data;
		size_t i;

		snprintf(path, sizeof(path), "/pages?limit=%d&page=%d", PAGE_ROWS, page);
		data = kb_remote_call(&a->remote, &arena, path, NULL, err);
		rows = kb_json_get(kb_json_get(data, "pages"), "data");
		more = json_array_size(rows) == PAGE_ROWS;
		json_array_foreach(rows, i, row)
		{
			int64_t id = kb_json_int(row, "id", 0);
			struct item *item;

			adopt_part(a, row);
			item = find(a, false, id);

			if (item)
				judge(a, item, kb_json_sv(row, "index_status", KB_SV("")),
				      kb_json_sv(row, "status_reason", KB_SV("")));
			more &= id > first;
		}
		kb_arena_fini(&arena);
		if (!data)
			return false;
	}
	return true;
}

static bool look_at_sources(struct adding *a, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	const json_t *rows, *row;
	json_t *data;
	int64_t first;
	size_t i;

	miss_all(a, true);
	if (!waiting(a, true, &first))
		return true;
	data = kb_remote_call(&a->remote, &arena, "/sources", NULL, err);
	rows = kb_json_get(data, "sitemaps");
	json_array_foreach(rows, i, row)
	{
		struct item *item = find(a, true, kb_json_int(row, "id", 0));

		if (item)
			judge(a, item, kb_json_sv(row, "sync_status", KB_SV("")),
			      kb_json_sv(row, "sync_reason", KB_SV("")));
	}
	kb_arena_fini(&arena);
	return data != NULL;
}

/* ---- the service's progress ---- */

static void take_progress(struct adding *a, const json_t *progress)
{
	const json_t *queued = kb_json_get(progress, "queued");

	if (!json_is_integer(queued))
		return; /* of an error; the next try says which */
	a->pace = (struct kb_tally_pace){
		.finished = kb_json_int(progress, "total", 0) - json_integer_value(queued)
		            - a->finished_before,
		.queued = json_integer_value(queued),
		.per_minute = kb_json_int(progress, "per_minute", -1),
		.left_s = kb_json_int(progress, "seconds_left", -1),
	};
	a->sources = kb_json_int(progress, "sources", 0);
	a->meaning = (struct meaning){
		.is_said = kb_json_get(progress, "meaning") != NULL,
		.passages = kb_json_int(kb_json_get(progress, "meaning"), "passages", 0),
		.ready = kb_json_int(kb_json_get(progress, "meaning"), "ready", 0),
		.left_s = kb_json_int(kb_json_get(progress, "meaning"), "seconds_left", -1),
	};
	a->changed = true;
}

static void on_progress(void *arg, const json_t *progress)
{
	struct adding *a = arg;

	take_progress(a, progress);
	a->tally.note = NULL;
	kb_tally_show(&a->tally);
}

/* Before anything is sent: what there is already. */
static bool begin(struct adding *a, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	json_t *data = kb_remote_call(&a->remote, &arena, "/progress", NULL, err);

	take_progress(a, data);
	a->finished_before = a->pace.finished;
	kb_arena_fini(&arena);
	return data != NULL;
}

/* Reads the lists when something has changed, or should have, and seldom enough that a long list
 * costs the service little. */
static bool look(void *arg, struct kb_err *err)
{
	struct adding *a = arg;
	int64_t now = kb_clock_mono_us();
	bool idle = a->pace.queued == 0 && a->sources == 0;

	if (now < a->next_look_us || !(a->changed || idle || now - a->looked_us > LOOK_US))
		return true;
	a->changed = false;
	if (!look_at_pages(a, err) || !look_at_sources(a, err))
		return false;
	a->looked_us = kb_clock_mono_us();
	a->next_look_us = a->looked_us + KB_MAX(IDLE_US, SHARE * (a->looked_us - now));
	return a->tally.done < a->count;
}

/* Until all is done, over any number of streams: each lasts some minutes, and the service may be
 * started anew meanwhile. */
static bool wait_for_all(struct adding *a, struct kb_err *err)
{
	const struct kb_remote_stream stream = { .event = on_progress, .tick = look, .arg = a };

	a->tally.pace = &a->pace;
	a->looked_us = kb_clock_mono_us();
	while (a->tally.done < a->count) {
		*err = (struct kb_err){ 0 };
		if (kb_remote_follow(&a->remote, "/progress", &stream, err))
			continue;
		if (err->code != KB_E_UPSTREAM || kb_clock_mono_us() - a->looked_us > AWAY_US)
			return false;
		a->tally.note = "waiting for the service";
		kb_tally_show(&a->tally);
		sleep(AWAY_PAUSE_S);
	}
	return true;
}

/* What was added is found by words; whether by meaning too, where the service makes vectors. A
 * service that does not answer has all the same what it was given. */
static void say_how_found(struct adding *a)
{
	struct kb_arena arena = { 0 };
	struct kb_err err;
	json_t *data = kb_remote_call(&a->remote, &arena, "/progress", NULL, &err);
	const struct meaning *m = &a->meaning;
	char left[KB_TALLY_LEFT_CHARS] = "soon";

	if (data)
		take_progress(a, data);
	kb_arena_fini(&arena);
	if (!data || !m->is_said || !m->passages)
		return;
	if (m->ready >= m->passages) {
		fprintf(stderr, "found by words and by meaning\n");
		return;
	}
	if (m->left_s >= 0)
		kb_tally_in(m->left_s, left);
	fprintf(stderr, "found by words now, by meaning %s\n", left);
}

/* How far it is, for who ends it by Ctrl-C. */
static volatile sig_atomic_t sent_now, sent_of, line_is_open;

static void say(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0) {
		/* Nowhere to say it. */
	}
}

static void say_number(int n)
{
	char text[12], *at = text + sizeof(text) - 1;

	*at = '\0';
	do
		*--at = (char)('0' + n % 10);
	while (n /= 10);
	say(at);
}

/* Then by the signal after all, so that who waits for us learns it. */
static void on_interrupt(int signal_no)
{
	say(line_is_open ? "\ndocent: interrupted; " : "docent: interrupted; ");
	say_number(sent_now);
	say(" of ");
	say_number(sent_of);
	say(" were sent, and what was sent is read\n");
	signal(signal_no, SIG_DFL);
	raise(signal_no);
}

static bool add_all(struct adding *a, struct kb_err *err)
{
	if ((a->wait && !begin(a, err)) || (has_files(a) && !learn_known(a, err)))
		return false;
	a->tally.count = a->count;
	sent_of = (sig_atomic_t)a->count;
	line_is_open = a->tally.bar;
	signal(SIGINT, on_interrupt);
	kb_tally_show(&a->tally);
	for (size_t i = 0; i < a->count; i++, sent_now++) {
		struct kb_err why = { 0 };

		if (is_known(a, &a->items[i])) {
			finish(a, &a->items[i], "known", KB_SV("the agent has this file already"));
		} else if (!send_item(a, &a->items[i], &why)) {
			if (why.code == KB_E_UPSTREAM || why.code == KB_E_UNAUTHORIZED
			    || why.code == KB_E_FORBIDDEN) { /* the next one would fare no better */
				*err = why;
				return false;
			}
			fail(a, &a->items[i], kb_sv_str(why.msg));
		} else if (!a->wait) {
			finish(a, &a->items[i], "sent", KB_SV(""));
		}
	}
	return wait_for_all(a, err);
}

int kb_cli_add(int argc, char **argv)
{
	static const char usage[] =
	        "usage: docent add --url URL --key KEY --agent ID [--no-wait] PATH|URL…";
	struct adding a = { .wait = true, .tally.bar = isatty(STDOUT_FILENO) };
	struct kb_err err = { 0 };
	bool ok = true, given = false, open = false;

	if (kb_cli_help(argc, argv, usage))
		return 0;
	for (int i = 1; ok && i < argc; i++) {
		if (kb_remote_option(&a.remote, argc, argv, &i))
			continue;
		if (!strcmp(argv[i], "--no-wait")) {
			a.wait = false;
			continue;
		}
		if (argv[i][0] == '-' && argv[i][1])
			return kb_cli_fail(2, "%s", usage);
		given = true;
		if (is_address(argv[i]))
			add_item(&a, kb_sv_str(argv[i]), true);
		else
			ok = add_path(&a, argv[i], &err);
	}
	if (ok && !given)
		return kb_cli_fail(2, "%s", usage);
	ok = ok && (a.count || kb_fail(&err, KB_E_NOT_FOUND, "there is no file in it"));
	open = ok && kb_remote_open(&a.remote, &err);
	ok = open && add_all(&a, &err);
	kb_tally_end(&a.tally);
	fflush(stdout);
	if (ok && a.wait && a.tally.failed < a.tally.count)
		say_how_found(&a);
	kb_remote_close(&a.remote);
	free(a.items);
	free(a.known);
	kb_arena_fini(&a.arena);
	if (!ok)
		return kb_cli_fail(!open && err.code == KB_E_INVALID ? 2 : 1, "%s", err.msg);
	return a.tally.failed ? 1 : 0;
}
