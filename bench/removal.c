/*
 * What another write waits for while 100,000 pages are copied or go.
 *
 * One thread stores a small message again and again; meanwhile an agent of so many pages is copied,
 * its copy is deleted, its source is deleted, one thing after the other. The peer is the same rows
 * going in one transaction, as it was until 2026-11-22, and a quiet store.
 */
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "store/accounts.h"
#include "store/agent_new.h"
#include "store/agents.h"
#include "store/conversations.h"
#include "store/remove.h"
#include "store/segments.h"
#include "store/sources.h"

enum { PAGES = 100000, PAGES_AT_ONCE = 1000, WAITS_MAX = 1 << 20, QUIET_MS = 3000 };

struct bench {
	char dir[64];
	struct kb_store *store;
	struct kb_account account;
	struct kb_agent agent, other;
	struct kb_arena arena;
	struct kb_err err;
	_Atomic bool stop;
	int64_t *waits;
	size_t count;
};

static void need(const struct bench *bench, bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "bench removal: %s: %s\n", what, bench->err.msg);
	exit(1);
}

/* ---- the other writer ---- */

static void *write_on(void *arg)
{
	struct bench *bench = arg;
	struct kb_arena arena = { 0 };

	for (bench->count = 0; !bench->stop && bench->count < WAITS_MAX; bench->count++) {
		struct kb_message message = { .query = KB_SV("q"), .response = KB_SV("r") };
		struct kb_conversation conversation;
		int64_t began = kb_clock_mono_us();

		need(bench,
		     kb_store_message_add(bench->store, &arena,
		                          &(struct kb_session){ .agent_id = bench->other.id,
		                                                .id = KB_SV("s"),
		                                                .account_id = bench->account.id },
		                          &message, &conversation, &bench->err),
		     "message");
		bench->waits[bench->count] = kb_clock_mono_us() - began;
		kb_arena_reset(&arena);
	}
	kb_arena_fini(&arena);
	return NULL;
}

static int by_wait(const void *a, const void *b)
{
	const int64_t one = *(const int64_t *)a, two = *(const int64_t *)b;

	return (one > two) - (one < two);
}

/* Runs it beside the writer and prints what that waited. */
static void beside(struct bench *bench, const char *name, void (*run)(struct bench *bench))
{
	pthread_t thread;
	int64_t began;
	double seconds;

	bench->stop = false;
	pthread_create(&thread, NULL, write_on, bench);
	usleep(200 * 1000);
	began = kb_clock_mono_us();
	run(bench);
	seconds = (double)(kb_clock_mono_us() - began) / 1e6;
	bench->stop = true;
	pthread_join(thread, NULL);
	qsort(bench->waits, bench->count, sizeof(*bench->waits), by_wait);
	printf("  %-38s %6.2f s   %7zu writes, wait p50 %5.2f ms, p99 %6.2f ms, longest %7.2f ms\n",
	       name, seconds, bench->count, (double)bench->waits[bench->count / 2] / 1e3,
	       (double)bench->waits[bench->count - 1 - bench->count / 100] / 1e3,
	       (double)bench->waits[bench->count - 1] / 1e3);
}

/* ---- what is done ---- */

static void rest(struct bench *bench)
{
	(void)bench;
	usleep(QUIET_MS * 1000);
}

static void copy(struct bench *bench)
{
	struct kb_agent out;

	need(bench,
	     kb_store_agent_replicate(bench->store, &bench->arena,
	                              &(struct kb_agent_copy){ .account_id = bench->account.id,
	                                                       .id = bench->agent.id,
	                                                       .name = KB_SV("copy") },
	                              &out, &bench->err),
	     "copy");
	bench->agent = out;
}

/* As the remover's thread does (upkeep/remover.c). */
static void remove_rows(struct bench *bench)
{
	struct kb_removal removal = { 0 };

	do {
		need(bench, kb_store_remove_some(bench->store, &removal, &bench->err), "remove");
		usleep((useconds_t)KB_MAX(removal.took_us, INT64_C(1000)));
	} while (removal.left);
}

static void delete_agent(struct bench *bench)
{
	need(bench,
	     kb_store_agent_delete(bench->store, bench->account.id, bench->agent.id, &bench->err),
	     "delete");
	remove_rows(bench);
}

static void delete_source(struct bench *bench)
{
	struct kb_source source;

	need(bench,
	     kb_store_source_upload(bench->store, &bench->arena, bench->agent.id, &source,
	                            &bench->err)
	             && kb_store_source_delete(bench->store, bench->agent.id, source.id,
	                                       &bench->err),
	     "delete");
	remove_rows(bench);
}

/* The peer: all rows in one transaction, past the store's thread. */
static void delete_at_once(struct bench *bench)
{
	char path[100], text[1000];
	sqlite3 *handle;

	snprintf(path, sizeof(path), "%s/docent.db", bench->dir);
	snprintf(text, sizeof(text),
	         "PRAGMA busy_timeout = 60000; BEGIN IMMEDIATE; "
	         "DELETE FROM dead_pages WHERE agent_id = %" PRId64 "; "
	         "DELETE FROM pages WHERE agent_id = %" PRId64 "; COMMIT;",
	         bench->agent.id, bench->agent.id);
	need(bench,
	     sqlite3_open(path, &handle) == SQLITE_OK
	             && sqlite3_exec(handle, text, NULL, NULL, NULL) == SQLITE_OK,
	     "peer");
	sqlite3_close(handle);
}

/* ---- an agent of many pages ---- */

static void fill(struct bench *bench)
{
	struct kb_page_new *pages = KB_NEW_ARRAY(&bench->arena, PAGES_AT_ONCE, struct kb_page_new);
	struct kb_page_result *results =
	        KB_NEW_ARRAY(&bench->arena, PAGES_AT_ONCE, struct kb_page_result);
	struct kb_segment_new segment = { .blob = KB_SV("cc"), .bytes = 1, .passages = 1 };
	struct kb_err *err = &bench->err;

	for (int done = 0; done < PAGES; done += PAGES_AT_ONCE) {
		struct kb_arena arena = { 0 };
		struct kb_leases leases;
		int64_t first;

		for (int i = 0; i < PAGES_AT_ONCE; i++)
			pages[i] = (struct kb_page_new){
				.filename = kb_arena_printf(
				        &arena, "a document of some length %d.txt", done + i),
				.content_type = KB_SV("text/plain"),
				.blob = kb_arena_printf(&arena, "%064d", done + i),
				.is_ours = true,
				.size = 1000,
			};
		need(bench,
		     kb_store_pages_add(bench->store, bench->agent.id, pages, PAGES_AT_ONCE, &first,
		                        err)
		             && kb_store_pages_lease(
		                     bench->store, &arena,
		                     &(struct kb_lease_want){ .max = PAGES_AT_ONCE,
		                                              .lease_us = 60 * KB_SECOND_US },
		                     &leases, err),
		     "pages");
		for (size_t i = 0; i < leases.count; i++)
			results[i] = (struct kb_page_result){
				.page_id = leases.v[i].page.id,
				.epoch = leases.v[i].epoch,
				.crawl = KB_STATUS_OK,
				.index = KB_STATUS_OK,
				.text_blob = leases.v[i].page.blob,
				.title = leases.v[i].page.filename,
				.words = 100,
				.passages = 1,
			};
		need(bench,
		     kb_store_pages_finish(bench->store, bench->agent.id, results, leases.count,
		                           &segment, err),
		     "finish");
		kb_arena_fini(&arena);
	}
}

static void setup(struct bench *bench)
{
	struct kb_err *err = &bench->err;

	snprintf(bench->dir, sizeof(bench->dir), "%s/docent-bench-XXXXXX",
	         getenv("TMPDIR") ? getenv("TMPDIR") : "/var/tmp");
	need(bench, mkdtemp(bench->dir) != NULL, "directory");
	bench->store = kb_store_open(bench->dir, true, NULL, NULL, err);
	need(bench, bench->store, "open");
	need(bench,
	     kb_store_account_ensure(bench->store, &bench->arena, KB_SV("bench"), KB_SV(""),
	                             &bench->account, err),
	     "account");
	bench->agent = bench->other =
	        (struct kb_agent){ .account_id = bench->account.id, .name = KB_SV("bench") };
	need(bench,
	     kb_store_agent_create(bench->store, &bench->agent, err)
	             && kb_store_agent_create(bench->store, &bench->other, err),
	     "agent");
	bench->waits = malloc(WAITS_MAX * sizeof(*bench->waits));
	fill(bench);
}

int main(void)
{
	static const char *const files[] = { "docent.db", "docent.db-wal", "docent.db-shm",
		                             "docent.lock" };
	struct bench bench = { 0 };

	kb_crypto_init();
	setup(&bench);
	printf("another write beside %d pages\n", PAGES);
	beside(&bench, "nothing", rest);
	beside(&bench, "an agent is copied", copy);
	beside(&bench, "the copy is deleted", delete_agent);
	bench.agent.id = 1;
	beside(&bench, "copied again", copy);
	beside(&bench, "its source is deleted", delete_source);
	bench.agent.id = 1;
	beside(&bench, "one transaction: the pages alone", delete_at_once);
	kb_store_close(bench.store);
	for (size_t i = 0; i < KB_COUNTOF(files); i++) {
		char path[128];

		snprintf(path, sizeof(path), "%s/%s", bench.dir, files[i]);
		unlink(path);
	}
	rmdir(bench.dir);
	free(bench.waits);
	kb_arena_fini(&bench.arena);
	return 0;
}
