/* What survives: kill -9, faults in every step, a full disk, damaged files. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/fault.h"
#include "base/file.h"
#include "fixture.h"
#include "store/agent_new.h"

/* ---- kill -9 ---- */

enum {
	ROUNDS = KB_TEST_UNDER_SANITIZER ? 4 : 30,
	WRITERS = 4,
	/* Of the faults while a directory is made or opened, each so many-th: every migration of
	 * all there are is one, and a sanitizer sees the same code between two of them. */
	STRIDE = KB_TEST_UNDER_SANITIZER ? 13 : 1,
};

struct writer {
	struct fixture *f;
	int64_t agent_id;
	int fd, number;
};

/* One line for each acknowledged record: "m <session> <id>" or "a <agent> <first page>". */
static void *write_for_ever(void *arg)
{
	struct writer *w = arg;
	struct kb_arena arena = { 0 };
	struct kb_err err;

	for (int i = 0;; i++) {
		struct kb_sv session = kb_arena_printf(&arena, "s%d", w->number);
		struct kb_conversation conversation;
		struct kb_message message = { .query = session, .response = KB_SV("yes") };
		struct kb_agent agent = { .account_id = w->f->account.id, .name = KB_SV("new") };
		struct kb_page_new pages[3] = { 0 };
		struct kb_sv line;
		int64_t first;

		if (i % 8 == 7) {
			NEED(w->f,
			     kb_store_agent_create_with_pages(
			             w->f->store, &agent,
			             &(struct kb_agent_start){ .pages = pages, .page_count = 3 },
			             &first, &err));
			line = kb_arena_printf(&arena, "a %" PRId64 " %" PRId64 "\n", agent.id,
			                       first);
		} else {
			NEED(w->f, kb_store_message_add(
			                   w->f->store, &arena,
			                   &(struct kb_session){ .agent_id = w->agent_id,
			                                         .id = session,
			                                         .account_id = w->f->account.id },
			                   &message, &conversation, &err));
			line = kb_arena_printf(&arena, "m %s %" PRId64 "\n", session.p, message.id);
		}
		if (write(w->fd, line.p, line.n) != (ssize_t)line.n)
			abort();
		kb_arena_reset(&arena);
	}
	return NULL;
}

static void child(struct fixture *f, int64_t agent_id, int fd)
{
	struct writer writers[WRITERS];
	pthread_t threads[WRITERS];

	fixture_open(f);
	for (int i = 0; i < WRITERS; i++) {
		writers[i] = (struct writer){ f, agent_id, fd, i };
		pthread_create(&threads[i], NULL, write_for_ever, &writers[i]);
	}
	pause();
}

static void check_line(struct fixture *f, int64_t agent_id, const char *line)
{
	struct kb_test *t = f->t;
	struct kb_message message;
	struct kb_agent agent;
	struct kb_page page;
	char session[16];
	long long a, b;

	if (sscanf(line, "m %15s %lld", session, &a) == 2) {
		CHECK(t, kb_store_message_get(f->store, &f->arena,
		                              &(struct kb_session){ .agent_id = agent_id,
		                                                    .id = kb_sv_str(session) },
		                              a, &message, &f->err));
		CHECK_SV(t, message.query, session);
	} else if (sscanf(line, "a %lld %lld", &a, &b) == 2) {
		CHECK(t,
		      kb_store_agent_get(f->store, &f->arena, f->account.id, a, &agent, &f->err));
		for (int i = 0; i < 3; i++)
			CHECK(t, kb_store_page_get(f->store, &f->arena, a, b + i, &page, &f->err));
	} else {
		kb_test_fail(t, __FILE__, __LINE__, "a line that says nothing");
	}
}

/* What the child has said so far. */
enum { LINES_MAX = 20000 };
struct lines {
	char text[LINES_MAX][64];
	size_t count;
};

/* Whole lines only: the last one may be cut. */
static void read_lines(FILE *in, struct lines *lines, size_t more)
{
	while (more-- && lines->count < LINES_MAX
	       && fgets(lines->text[lines->count], sizeof(lines->text[0]), in))
		lines->count += strchr(lines->text[lines->count], '\n') != NULL;
}

/* Starts a child, kills it after so many of its lines and so long, and reads what it had said. */
static void kill_one(struct fixture *f, int64_t agent_id, size_t after_lines, useconds_t after_us,
                     struct lines *lines)
{
	FILE *in;
	pid_t pid;
	int fds[2];

	if (pipe(fds) != 0)
		abort();
	pid = fork();
	if (pid == 0)
		child(f, agent_id, fds[1]);
	close(fds[1]);
	in = fdopen(fds[0], "r");
	read_lines(in, lines, after_lines);
	usleep(after_us);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	read_lines(in, lines, LINES_MAX);
	fclose(in);
}

static void test_kill(struct kb_test *t)
{
	struct lines *lines = kb_xcalloc(1, sizeof(*lines));
	uint64_t random = 88172645463325252;
	struct kb_agent agent;
	struct fixture f;
	size_t checked = 0;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	for (int round = 0; round < ROUNDS && !t->failed; round++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		kb_store_close(f.store);
		lines->count = 0;
		/* Somewhere in its start, or after some writes. */
		kill_one(&f, agent.id, round % 3 ? 1 + random % 30 : 0,
		         (useconds_t)(random % 10000), lines);
		fixture_open(&f);
		for (size_t i = 0; i < lines->count; i++)
			check_line(&f, agent.id, lines->text[i]);
		checked += lines->count;
		fixture_sound(&f);
	}
	CHECK(t, checked > (size_t)ROUNDS * 6);
	free(lines);
	fixture_fini(&f);
}

/* ---- faults ---- */

/* A bit of everything; each call may fail, and then must have changed nothing. Returns false when
 * any failed. */
static bool scenario(struct fixture *f, int64_t agent_id, int64_t *messages, int64_t *pages)
{
	struct kb_store *store = f->store;
	struct kb_arena *arena = &f->arena;
	struct kb_conversation conversation;
	struct kb_message message = { .query = KB_SV("hello") };
	struct kb_message_list history;
	struct kb_page_new page = { .filename = KB_SV("x"), .is_ours = true, .size = 5 };
	struct kb_page_filter filter = { .list = { 1, 10, true }, .search = KB_SV("x*"), -1, -1 };
	struct kb_page_result result;
	struct kb_index_state state;
	struct kb_agent agent;
	struct kb_leases leases;
	struct kb_page_list found;
	struct kb_key key;
	char text[KB_KEY_TEXT];
	int64_t id, first;
	bool ok = true, one;

	one = kb_store_message_add(store, arena,
	                           &(struct kb_session){ .agent_id = agent_id,
	                                                 .id = KB_SV("s"),
	                                                 .account_id = f->account.id },
	                           &message, &conversation, &f->err);
	*messages += one;
	ok &= one;
	one = kb_store_pages_add(store, agent_id, &page, 1, &first, &f->err);
	*pages += one;
	ok &= one;
	one = kb_store_pages_lease(store, arena,
	                           &(struct kb_lease_want){ .max = 9, .lease_us = KB_SECOND_US },
	                           &leases, &f->err);
	ok &= one;
	if (one && leases.count) {
		result = fixture_result(&leases.v[0]);
		ok &= kb_store_pages_finish(store, agent_id, &result, 1, &fixture_segment, &f->err);
	}
	one = kb_store_index_state(store, arena, agent_id, &state, &f->err);
	ok &= one;
	if (one && state.segment_count > 1) {
		id = state.segments[0].id;
		ok &= kb_store_segments_merge(store, agent_id,
		                              &(struct kb_merged){ .version = state.version,
		                                                   .old_ids = &id,
		                                                   .old_count = 1,
		                                                   .segment = fixture_segment },
		                              &f->err);
	}
	ok &= kb_store_page_list(store, arena, agent_id, &filter, &found, &f->err);
	ok &= kb_store_message_history(
	        store, arena, &(struct kb_session){ .agent_id = agent_id, .id = KB_SV("s") },
	        &(struct kb_history_want){ .since = 0, .limit = 5 }, &history, &f->err);
	one = kb_store_key_create(store,
	                          &(struct kb_key_new){ f->account.id, 0, KB_SV(""), &agent_id, 1 },
	                          text, &f->err);
	ok &= one;
	if (one)
		ok &= kb_store_key_check(store, arena, kb_sv_str(text), &key, &f->err);
	agent = (struct kb_agent){ .account_id = f->account.id, .name = KB_SV("whole") };
	one = kb_store_agent_create_with_pages(
	        store, &agent, &(struct kb_agent_start){ .pages = &page, .page_count = 1 }, &first,
	        &f->err);
	ok &= one;
	if (one) {
		ok &= kb_store_page_requeue(store, agent.id, first, &f->err);
		ok &= kb_store_page_delete(store, agent.id, first, &f->err);
		ok &= kb_store_agent_delete(store, f->account.id, agent.id, &f->err);
	}
	return ok;
}

static void test_faults(struct kb_test *t)
{
	int64_t messages = 0, pages = 0;
	struct kb_agent_stats stats;
	struct kb_agent agent;
	struct fixture f;
	int n;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	for (n = 1; !t->failed; n++) {
		bool ok, fired;

		kb_fault_arm(n);
		ok = scenario(&f, agent.id, &messages, &pages);
		fired = kb_fault_disarm();
		CHECK(t, ok || fired);
		NEED(&f, kb_store_agent_stats(f.store, agent.id, &stats, &f.err));
		CHECK_INT(t, stats.queries, messages);
		CHECK_INT(t, stats.pages_found, pages);
		if (n % 8 == 0 || !fired)
			fixture_sound(&f);
		kb_clock_advance(&f.clock, 2 * KB_SECOND_US);
		if (!fired)
			break;
	}
	CHECK(t, n > 100);
	fixture_fini(&f);
}

static void test_open_faults(struct kb_test *t)
{
	for (int from_nothing = 0; from_nothing < 2; from_nothing++) {
		struct fixture f;
		int n;

		t->row = from_nothing ? "a new directory" : "one that is there";
		fixture_init(&f, t);
		kb_store_close(f.store);
		for (n = 1;; n += STRIDE) {
			bool fired;

			if (from_nothing)
				fixture_remove(&f);
			kb_fault_arm(n);
			f.store = kb_store_open(f.dir, true, NULL, NULL, &f.err);
			fired = kb_fault_disarm();
			CHECK(t, f.store || fired);
			kb_store_close(f.store);
			if (!fired)
				break;
		}
		CHECK(t, n > (from_nothing ? 20 : 10));
		fixture_open(&f);
		fixture_fini(&f);
	}
	t->row = NULL;
}

/* ---- full disk ---- */

/* Writes until it cannot, and says with what error that was. */
static enum kb_errc fill(struct fixture *f, int64_t agent_id, int64_t *written)
{
	char *text = kb_xmalloc(KB_KIB(20));

	memset(text, 'x', KB_KIB(20));
	for (int i = 0; i < 500; i++) {
		struct kb_conversation conversation;
		struct kb_message message = { .query = kb_sv(text, KB_KIB(20)) };

		if (!kb_store_message_add(f->store, &f->arena,
		                          &(struct kb_session){ .agent_id = agent_id,
		                                                .id = KB_SV("s"),
		                                                .account_id = f->account.id },
		                          &message, &conversation, &f->err))
			break;
		++*written;
		f->err.code = KB_OK;
		kb_arena_reset(&f->arena);
	}
	free(text);
	return f->err.code;
}

static int64_t messages_of(struct fixture *f, int64_t agent_id)
{
	struct kb_transcript said;

	NEED(f,
	     kb_store_message_list(f->store, &f->arena,
	                           &(struct kb_session){ .agent_id = agent_id, .id = KB_SV("s") },
	                           &(struct kb_list){ .limit = 1 }, &said, &f->err));
	return said.messages.total;
}

/* In a child: room for little, then for more. */
static int full_disk(const char *dir, bool (*limit)(const char *dir, bool small),
                     enum kb_errc expected)
{
	struct kb_test t = { .name = "full disk" };
	struct fixture f = { .t = &t };
	struct kb_agent agent;
	int64_t written = 0;

	snprintf(f.dir, sizeof(f.dir), "%s", dir);
	snprintf(f.at, sizeof(f.at), "%s", dir);
	if (!limit(dir, true))
		return 77;
	fixture_open(&f);
	NEED(&f, kb_store_account_ensure(f.store, &f.arena, KB_SV("one"), KB_SV(""), &f.account,
	                                 &f.err));
	agent = fixture_agent(&f, "a");
	for (int i = 0; i < 3; i++) {
		CHECK_INT(&t, fill(&f, agent.id, &written), expected);
		CHECK_INT(&t, messages_of(&f, agent.id), written);
	}
	CHECK(&t, written > 5);
	CHECK(&t, limit(dir, false));
	f.err.code = KB_OK;
	CHECK_INT(&t, fill(&f, agent.id, &written), KB_OK);
	CHECK_INT(&t, messages_of(&f, agent.id), written);
	fixture_sound(&f);
	fixture_reopen(&f);
	CHECK_INT(&t, messages_of(&f, agent.id), written);
	fixture_fini(&f);
	return t.failed ? 1 : 0;
}

static bool limit_mount(const char *dir, bool small)
{
	unsigned long flags = small ? 0 : MS_REMOUNT;

	if (small
	    && (unshare(CLONE_NEWNS) != 0
	        || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0))
		return false;
	return mount("none", dir, "tmpfs", flags, small ? "size=4m" : "size=200m") == 0;
}

static bool limit_file_size(const char *dir, bool small)
{
	struct rlimit limit;

	(void)dir;
	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = small ? KB_KIB(4000) : limit.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	return setrlimit(RLIMIT_FSIZE, &limit) == 0;
}

static void in_child(struct kb_test *t, bool (*limit)(const char *dir, bool small),
                     enum kb_errc expected)
{
	char dir[] = "/tmp/docent-full-XXXXXX";
	int status;
	pid_t pid;

	CHECK(t, mkdtemp(dir) != NULL);
	pid = fork();
	if (pid == 0)
		_exit(full_disk(dir, limit, expected));
	CHECK(t, waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		kb_test_skip(t, "no right to mount a small disk");
	else
		CHECK_INT(t, WEXITSTATUS(status), 0);
	rmdir(dir);
}

static void test_full_mount(struct kb_test *t)
{
	in_child(t, limit_mount, KB_E_FULL);
}

static void test_full_limit(struct kb_test *t)
{
	in_child(t, limit_file_size, KB_E_IO);
}

/* ---- damage ---- */

static void overwrite(struct fixture *f, const char *name, off_t at, size_t n)
{
	char path[128], junk[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	fd = open(path, O_WRONLY);
	memset(junk, 0x5a, sizeof(junk));
	if (fd < 0 || pwrite(fd, junk, KB_MIN(n, sizeof(junk)), at) < 0)
		abort();
	close(fd);
}

static void test_damage(struct kb_test *t)
{
	static const struct {
		const char *name;
		off_t at;
		size_t n;
	} rows[] = {
		{ "the header", 0, 100 },
		{ "the schema's page", 100, 3900 },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct fixture f;

		t->row = rows[i].name;
		fixture_init(&f, t);
		kb_store_close(f.store);
		overwrite(&f, "docent.db", rows[i].at, rows[i].n);
		f.store = kb_store_open(f.dir, true, NULL, NULL, &f.err);
		CHECK(t, !f.store);
		CHECK_INT(t, f.err.code, KB_E_CORRUPT);
		kb_arena_fini(&f.arena);
		fixture_remove(&f);
	}
	t->row = NULL;
}

static void count_finding(void *arg, const char *finding)
{
	(void)finding;
	++*(int *)arg;
}

/* The page of the file that holds the text. */
static off_t page_with(struct fixture *f, const char *text)
{
	struct kb_arena arena = { 0 };
	struct kb_sv bytes;
	char path[128];
	ptrdiff_t at;

	snprintf(path, sizeof(path), "%s/docent.db", f->dir);
	NEED(f, kb_file_read(&arena, path, KB_MIB(50), &bytes, &f->err));
	at = kb_sv_find(bytes, kb_sv_str(text));
	kb_arena_fini(&arena);
	if (at < 0)
		abort();
	return (off_t)at / 4096 * 4096;
}

static void test_verify_sees_damage(struct kb_test *t)
{
	struct kb_message_list history;
	struct kb_agent agent;
	struct fixture f;
	int64_t findings = 0;
	int said = 0;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	for (int i = 0; i < 100; i++)
		fixture_say_to(&f, agent.id, "s", "a text that is easily found again");
	kb_store_close(f.store);
	overwrite(&f, "docent.db", page_with(&f, "easily found"), 4096);
	fixture_open(&f);
	CHECK(t, !kb_store_message_history(
	                 f.store, &f.arena,
	                 &(struct kb_session){ .agent_id = agent.id, .id = KB_SV("s") },
	                 &(struct kb_history_want){ .since = 0, .limit = 1000 }, &history, &f.err));
	CHECK_INT(t, f.err.code, KB_E_CORRUPT);
	CHECK(t,
	      !kb_store_verify(f.store, count_finding, &said, &findings, &f.err) || findings > 0);
	CHECK_INT(t, said, findings);
	kb_store_close(f.store);
	kb_arena_fini(&f.arena);
	fixture_remove(&f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "what was acknowledged survives kill -9", test_kill },
		{ "each step may fail and the store stays sound", test_faults },
		/* From here on it is about SQLite's files. */
		{ "each step of opening may fail", test_open_faults },
		{ "a full disk is an error and passes", test_full_mount },
		{ "a file that cannot grow is an error and passes", test_full_limit },
		{ "a damaged database is refused", test_damage },
		{ "verify sees a damaged page", test_verify_sees_damage },
	};
	return kb_test_main(argc, argv, cases, fixture_postgres() ? 2 : KB_COUNTOF(cases));
}
