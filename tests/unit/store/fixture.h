/*
 * A store in a directory of its own, and short words for filling it. With DOCENT_TEST_POSTGRES (see
 * scripts/with-postgres) it is a database of its own there, and the directory stays empty.
 */
#ifndef KB_STORE_FIXTURE_H
#define KB_STORE_FIXTURE_H

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "store/accounts.h"
#include "store/agent_new.h"
#include "store/agents.h"
#include "store/conversations.h"
#include "store/errands.h"
#include "store/hosts.h"
#include "store/remove.h"
#include "store/segments.h"
#include "store/sources.h"
#include "test.h"

struct fixture {
	struct kb_test *t;
	char dir[64], at[256];
	bool in_postgres;
	struct kb_clock clock;
	struct kb_store *store;
	struct kb_arena arena;
	struct kb_err err;
	struct kb_account account;
};

/* Ends the program when something fails that no test is about. */
#define NEED(f, call)                                                                              \
	((call) ? (void)0                                                                          \
	        : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, (f)->err.msg), abort()))

/* Where PostgreSQL listens; NULL: the tests are about SQLite. */
static inline const char *fixture_postgres(void)
{
	return getenv("DOCENT_TEST_POSTGRES");
}

/* Makes the fixture's database there, or drops it. */
static inline void fixture_database(struct fixture *f, const char *how, const char *rest)
{
	char command[300];

	snprintf(command, sizeof(command),
	         "psql -h '%s' -U docent -d postgres -qc '%s \"%s\"%s' >/dev/null",
	         fixture_postgres(), how, strrchr(f->dir, '/') + 1, rest);
	if (system(command) != 0)
		abort();
}

/* A directory of its own, with nothing in it. */
static inline void fixture_folder(struct fixture *f)
{
	snprintf(f->dir, sizeof(f->dir), "%s/docent-store-XXXXXX",
	         access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	if (!mkdtemp(f->dir))
		abort();
	snprintf(f->at, sizeof(f->at), "%s", f->dir);
	f->in_postgres = fixture_postgres();
	if (f->in_postgres)
		snprintf(f->at, sizeof(f->at), "postgresql://docent@/%s?host=%s",
		         strrchr(f->dir, '/') + 1, fixture_postgres());
}

/* A place for a store that makes its tables itself. */
static inline void fixture_place(struct fixture *f)
{
	fixture_folder(f);
	if (fixture_postgres())
		fixture_database(f, "CREATE DATABASE", "");
}

static inline void fixture_open(struct fixture *f)
{
	f->store = kb_store_open(f->at, true, &f->clock, NULL, &f->err);
	NEED(f, f->store);
}

static inline void fixture_remove(struct fixture *f)
{
	static const char *const files[] = { "docent.db", "docent.db-wal", "docent.db-shm",
		                             "docent.lock" };

	for (size_t i = 0; i < KB_COUNTOF(files); i++) {
		char path[128];

		snprintf(path, sizeof(path), "%s/%s", f->dir, files[i]);
		unlink(path);
	}
	rmdir(f->dir);
	if (f->in_postgres)
		fixture_database(f, "DROP DATABASE", " WITH (FORCE)");
}

/* A store with all tables and no row, of which the program's fixtures are copies: to make the
 * tables takes longer than most tests. */
static struct fixture fixture_tables;
static pid_t fixture_tables_of;

static inline void fixture_tables_remove(void)
{
	if (fixture_tables_of == getpid()) /* no child that a test has started */
		fixture_remove(&fixture_tables);
}

static inline void fixture_tables_make(struct kb_clock *clock)
{
	struct fixture *tables = &fixture_tables;

	fixture_place(tables);
	tables->store = kb_store_open(tables->at, true, clock, NULL, &tables->err);
	NEED(tables, tables->store);
	kb_store_close(tables->store);
	fixture_tables_of = getpid();
	atexit(fixture_tables_remove);
}

/* A place for a store whose tables are made. */
static inline void fixture_copy(struct fixture *f)
{
	enum { FILE_MAX = 16 << 20 };
	char from[96], to[96];
	struct kb_sv bytes;

	if (!fixture_tables_of)
		fixture_tables_make(&f->clock);
	if (fixture_tables.in_postgres != (fixture_postgres() != NULL)) {
		fixture_place(f); /* a program of both kinds */
		return;
	}
	fixture_folder(f);
	if (f->in_postgres) {
		snprintf(from, sizeof(from), " TEMPLATE \"%s\"",
		         strrchr(fixture_tables.dir, '/') + 1);
		fixture_database(f, "CREATE DATABASE", from);
		return;
	}
	snprintf(from, sizeof(from), "%s/docent.db", fixture_tables.dir);
	snprintf(to, sizeof(to), "%s/docent.db", f->dir);
	NEED(f, kb_file_read(&f->arena, from, FILE_MAX, &bytes, &f->err)
	                && kb_file_replace(to, bytes, &f->err));
}

static inline void fixture_init(struct fixture *f, struct kb_test *t)
{
	*f = (struct fixture){ .t = t };
	fixture_copy(f);
	fixture_open(f);
	NEED(f, kb_store_account_ensure(f->store, &f->arena, KB_SV("one"), KB_SV(""), &f->account,
	                                &f->err));
}

static inline void fixture_reopen(struct fixture *f)
{
	kb_store_close(f->store);
	fixture_open(f);
}

static inline void fixture_say(void *arg, const char *finding)
{
	struct kb_test *t = arg;

	kb_test_fail(t, __FILE__, __LINE__, finding);
}

/* kb_store_verify() finds nothing. */
static inline void fixture_sound(struct fixture *f)
{
	int64_t findings = 0;

	CHECK(f->t, kb_store_verify(f->store, fixture_say, f->t, &findings, &f->err));
	CHECK_INT(f->t, findings, 0);
}

/* Removes the rows of what was deleted, two at a time: nothing is wrong after any slice. */
static inline void fixture_remove_rows(struct fixture *f)
{
	struct kb_removal removal = { 0 };

	do {
		removal.slice = 2;
		NEED(f, kb_store_remove_some(f->store, &removal, &f->err));
		fixture_sound(f);
	} while (removal.left && !f->t->failed);
}

static inline void fixture_fini(struct fixture *f)
{
	fixture_sound(f);
	kb_store_close(f->store);
	kb_arena_fini(&f->arena);
	fixture_remove(f);
}

static inline struct kb_agent fixture_agent_of(struct fixture *f, int64_t account_id,
                                               const char *name)
{
	struct kb_agent agent = {
		.account_id = account_id,
		.name = kb_sv_str(name),
		.type = KB_SV("SITEMAP"),
		.options = KB_SV("{\"is_ocr_enabled\":1}"),
		.settings = KB_SV("{}"),
	};

	NEED(f, kb_store_agent_create(f->store, &agent, &f->err));
	return agent;
}

static inline struct kb_agent fixture_agent(struct fixture *f, const char *name)
{
	return fixture_agent_of(f, f->account.id, name);
}

/* Adds `count` uploads and gives the first id. */
static inline int64_t fixture_pages(struct fixture *f, int64_t agent_id, size_t count)
{
	struct kb_page_new *pages = KB_NEW_ARRAY(&f->arena, count, struct kb_page_new);
	int64_t first;

	for (size_t i = 0; i < count; i++)
		pages[i] = (struct kb_page_new){
			.filename = kb_arena_printf(&f->arena, "file %zu.txt", i),
			.content_type = KB_SV("text/plain"),
			.blob = KB_SV("aa"),
			.is_ours = true,
			.size = 100,
		};
	NEED(f, kb_store_pages_add(f->store, agent_id, pages, count, &first, &f->err));
	return first;
}

static inline struct kb_page_result fixture_result(const struct kb_lease *lease)
{
	return (struct kb_page_result){
		.page_id = lease->page.id,
		.epoch = lease->epoch,
		.crawl = KB_STATUS_OK,
		.index = KB_STATUS_OK,
		.text_blob = KB_SV("bb"),
		.title = KB_SV("A title"),
		.words = 10,
		.passages = 2,
	};
}

static const struct kb_segment_new fixture_segment = {
	.blob = KB_SV_INIT("cc"),
	.bytes = 1000,
	.passages = 2,
	.pages = 1,
};

/* Leases up to max pages and finishes them all as OK in one segment. Gives how many. */
static inline size_t fixture_index(struct fixture *f, size_t max)
{
	struct kb_page_result *results;
	struct kb_leases leases;

	NEED(f, kb_store_pages_lease(
	                f->store, &f->arena,
	                &(struct kb_lease_want){ .max = max, .lease_us = 60 * KB_SECOND_US },
	                &leases, &f->err));
	if (leases.count == 0)
		return 0;
	results = KB_NEW_ARRAY(&f->arena, leases.count, struct kb_page_result);
	for (size_t i = 0; i < leases.count; i++)
		results[i] = fixture_result(&leases.v[i]);
	NEED(f, kb_store_pages_finish(f->store, leases.v[0].page.agent_id, results, leases.count,
	                              &fixture_segment, &f->err));
	return leases.count;
}

static inline struct kb_message fixture_say_to(struct fixture *f, int64_t agent_id,
                                               const char *session, const char *prompt)
{
	struct kb_conversation conversation;
	struct kb_message message = {
		.query = kb_sv_str(prompt),
		.response = KB_SV("An answer."),
		.answered = true,
		.source = KB_SV("api"),
	};

	NEED(f, kb_store_message_add(f->store, &f->arena,
	                             &(struct kb_session){ .agent_id = agent_id,
	                                                   .id = kb_sv_str(session),
	                                                   .account_id = f->account.id },
	                             &message, &conversation, &f->err));
	return message;
}

/* Leases the next page of the host, and gives the host back at once; false where there is none. */
static inline bool fixture_visit(struct fixture *f, const char *host, int64_t lease_us,
                                 struct kb_lease *out)
{
	struct kb_errand_lease lease;

	NEED(f, kb_store_errand_lease(f->store, &f->arena, kb_sv_str(host), lease_us, &lease,
	                              &f->err));
	*out = lease.page;
	if (!lease.page.page.id)
		return false;
	NEED(f, kb_store_host_leave(f->store, &lease.hold, 0, KB_HOST_ANSWERED, &f->err));
	return true;
}

#endif
