/* docent add: files, folders and addresses into an agent of a running service, and what became of
 * each. */
#include <errno.h>
#include <fts.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/add_answers.h"
#include "cli/add_wait.h"
#include "cli/cli.h"
#include "cli/sync_folder.h"
/* ---- what is to be added ---- */

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* The files of a folder, those of its folders too; hidden ones and links are not followed. */
static bool add_path(struct kb_adding *a, char *path, struct kb_err *err)
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
			kb_add_new(a, kb_sv_str(entry->fts_path), false);
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
	const struct kb_add_known *one = a, *two = b;
	int order = kb_sv_cmp(one->name, two->name);

	return order ? order : kb_sv_cmp(one->hash, two->hash);
}

/* One that could not be read may be sent again: it may be read this time. */
static void take_known(struct kb_adding *a, const json_t *row)
{
	const struct kb_add_known known = {
		kb_arena_sv(&a->arena, kb_json_sv(row, "filename", KB_SV(""))),
		kb_arena_sv(&a->arena, kb_json_sv(row, "content_hash", KB_SV(""))),
	};

	if (!known.hash.n || kb_json_int(row, "parent_id", 0)
	    || kb_sv_eq_str(kb_json_sv(row, "index_status", KB_SV("")), "failed"))
		return;
	KB_GROW(a->known, a->known_capacity, a->known_count + 1);
	a->known[a->known_count++] = known;
}

static bool learn_known(struct kb_adding *a, struct kb_err *err)
{
	bool more = true;

	for (int page = 1; more; page++) {
		struct kb_arena arena = { 0 };
		char path[KB_ADD_PATH_BYTES];
		const json_t *list, *rows;
		json_t *data;

		snprintf(path, sizeof(path), "/pages?limit=%d&order=asc&page=%d", KB_ADD_PAGE_ROWS,
		         page);
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

static bool has_files(const struct kb_adding *a)
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

static bool is_known(const struct kb_adding *a, const struct kb_add_item *item)
{
	char hash[KB_HASH_HEX];
	struct kb_add_known wanted = { .name = base_name(item->name) };

	if (item->is_address || !a->known_count || !kb_folder_hash(item->name.p, hash))
		return false;
	wanted.hash = kb_sv_str(hash);
	return bsearch(&wanted, a->known, a->known_count, sizeof(wanted), by_name_and_hash) != NULL;
}

static bool send_item(struct kb_adding *a, struct kb_add_item *item, struct kb_err *err)
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

/* What was added is found by words; whether by meaning too, where the service makes vectors. A
 * service that does not answer has all the same what it was given. */
static void say_how_found(struct kb_adding *a)
{
	struct kb_arena arena = { 0 };
	struct kb_err err;
	json_t *data = kb_remote_call(&a->remote, &arena, "/progress", NULL, &err);
	const struct kb_add_meaning *m = &a->meaning;
	char left[KB_TALLY_LEFT_CHARS] = "soon";

	if (data)
		kb_add_take_progress(a, data);
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

static bool add_all(struct kb_adding *a, struct kb_err *err)
{
	if ((a->wait && !kb_add_begin(a, err)) || (has_files(a) && !learn_known(a, err)))
		return false;
	a->tally.count = a->count;
	sent_of = (sig_atomic_t)a->count;
	line_is_open = a->tally.bar;
	signal(SIGINT, on_interrupt);
	kb_tally_show(&a->tally);
	for (size_t i = 0; i < a->count; i++, sent_now++) {
		struct kb_err why = { 0 };

		if (is_known(a, &a->items[i])) {
			kb_add_finish(a, &a->items[i], "known",
			              KB_SV("the agent has this file already"));
		} else if (!send_item(a, &a->items[i], &why)) {
			if (why.code == KB_E_UPSTREAM || why.code == KB_E_UNAUTHORIZED
			    || why.code == KB_E_FORBIDDEN) { /* the next one would fare no better */
				*err = why;
				return false;
			}
			kb_add_fail(a, &a->items[i], kb_sv_str(why.msg));
		} else if (!a->wait) {
			kb_add_finish(a, &a->items[i], "sent", KB_SV(""));
		}
	}
	return kb_add_wait(a, err);
}

int kb_cli_add(int argc, char **argv)
{
	static const char usage[] =
	        "usage: docent add --url URL --key KEY --agent ID [--no-wait] PATH|URL…\n"
	        "       docent add --url URL --key KEY --agent ID --answers TABLE";
	struct kb_adding a = { .wait = true, .tally.bar = isatty(STDOUT_FILENO) };
	struct kb_err err = { 0 };
	bool ok = true, given = false, open = false;
	const char *answers = NULL;

	if (kb_cli_help(argc, argv, usage))
		return 0;
	for (int i = 1; ok && i < argc; i++) {
		if (kb_remote_option(&a.remote, argc, argv, &i))
			continue;
		if (!strcmp(argv[i], "--answers") && i + 1 < argc) {
			answers = argv[++i];
			continue;
		}
		if (!strcmp(argv[i], "--no-wait")) {
			a.wait = false;
			continue;
		}
		if (argv[i][0] == '-' && argv[i][1])
			return kb_cli_fail(2, "%s", usage);
		given = true;
		if (is_address(argv[i]))
			kb_add_new(&a, kb_sv_str(argv[i]), true);
		else
			ok = add_path(&a, argv[i], &err);
	}
	if (ok && given == (answers != NULL))
		return kb_cli_fail(2, "%s", usage);
	ok = ok && (a.count || answers || kb_fail(&err, KB_E_NOT_FOUND, "there is no file in it"));
	open = ok && kb_remote_open(&a.remote, &err);
	ok = open
	     && (answers ? kb_cli_add_answers(&a.remote, answers, &a.tally, &err)
	                 : add_all(&a, &err));
	kb_tally_end(&a.tally);
	fflush(stdout);
	if (ok && !answers && a.wait && a.tally.failed < a.tally.count)
		say_how_found(&a);
	kb_remote_close(&a.remote);
	free(a.items);
	free(a.known);
	kb_arena_fini(&a.arena);
	if (!ok)
		return kb_cli_fail(!open && err.code == KB_E_INVALID ? 2 : 1, "%s", err.msg);
	return a.tally.failed ? 1 : 0;
}
