/*
 * Blobs in a bucket: what holds of every server, and what becomes of each way to misbehave.
 *
 * The server is our double in tests/api/lib/bucket.mjs, which does what the words of a bucket's
 * name say. With DOCENT_TEST_S3 (scripts/with-s3) what holds of every server is asked of that one.
 */
#include <fcntl.h>
#include <ftw.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/file.h"
#include "blob/blob.h"
#include "s3_double.h"

/* How many uploads in parts the double has open. */
static int open_uploads(void)
{
	static const char request[] = "GET /uploads HTTP/1.0\r\n\r\n";
	struct sockaddr_in at = { .sin_family = AF_INET,
		                  .sin_port = htons((uint16_t)kb_double.port),
		                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char answer[1000] = "";
	size_t n = 0;
	ssize_t got;

	if (connect(fd, (struct sockaddr *)&at, sizeof(at)) != 0
	    || write(fd, request, sizeof(request) - 1) < 0)
		abort();
	while (n < sizeof(answer) - 1 && (got = read(fd, answer + n, sizeof(answer) - 1 - n)) > 0)
		n += (size_t)got;
	close(fd);
	return atoi(strstr(answer, "\r\n\r\n") + 4);
}

/* ---- a bucket ---- */

struct world {
	struct kb_test *t;
	char dir[64], cache[80], where[120];
	struct kb_blobs_bucket config;
	struct kb_blobs *blobs;
	struct kb_arena arena;
	struct kb_err err;
};

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void reopen(struct world *w)
{
	kb_blobs_close(w->blobs);
	w->blobs = kb_blobs_open_bucket(&w->config, &w->err);
	CHECK(w->t, w->blobs != NULL);
	if (!w->blobs)
		abort();
}

/* A bucket of a server that someone else runs is made first. */
static void make_bucket(struct world *w)
{
	struct kb_bucket bucket;
	struct kb_s3_answer answer;
	struct kb_s3 *client;

	if (!kb_bucket_check(&w->arena, &w->config.options, &bucket, &w->err)
	    || !(client = kb_s3_open(&bucket, &w->config.patience, NULL, &w->err)))
		abort();
	CHECK(w->t, kb_s3_ask(client, &w->arena,
	                      &(struct kb_s3_call){ .method = "PUT", .doing = "made", .tries = 3 },
	                      &answer, &w->err));
	kb_s3_close(client);
}

static void open_on(struct world *w, struct kb_test *t, const char *bucket, bool cached,
                    const char *endpoint)
{
	const char *key_id = getenv("DOCENT_TEST_S3_KEY_ID");
	const char *secret = getenv("DOCENT_TEST_S3_SECRET");
	bool is_double = strcmp(endpoint, kb_double.url) == 0;

	*w = (struct world){ .t = t, .dir = "/tmp/docent-s3-XXXXXX" };
	if (!mkdtemp(w->dir))
		abort();
	snprintf(w->cache, sizeof(w->cache), "%s/cache", w->dir);
	snprintf(w->where, sizeof(w->where), "s3://%s/some/prefix", bucket);
	w->config = (struct kb_blobs_bucket){
		.options = { .where = w->where,
		             .endpoint = endpoint,
		             .key_id = is_double || !key_id ? "TESTKEY" : key_id,
		             .secret = is_double || !secret ? "testsecret" : secret },
		.patience = { .stall_ms = kb_test_patient(2500), .pause_ms = 20 },
		.cache_dir = cached ? w->cache : NULL,
		.cache_bytes = 1 << 20,
	};
	if (!is_double)
		make_bucket(w);
	reopen(w);
}

/* On whatever server there is, under a name of its own. */
static void open_any(struct world *w, struct kb_test *t, bool cached)
{
	const char *endpoint = getenv("DOCENT_TEST_S3");
	char bucket[32] = "test-";

	kb_random_text(bucket + 5, 12);
	for (char *p = bucket; *p; p++)
		*p = (char)(*p >= 'A' && *p <= 'Z' ? *p + 32 : *p);
	open_on(w, t, bucket, cached, endpoint ? endpoint : kb_double.url);
}

static void open_double(struct world *w, struct kb_test *t, const char *bucket, bool cached)
{
	open_on(w, t, bucket, cached, kb_double.url);
}

static void close_world(struct world *w)
{
	kb_blobs_close(w->blobs);
	kb_arena_fini(&w->arena);
	nftw(w->dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static struct kb_sv many_bytes(struct kb_arena *arena, size_t n)
{
	char *bytes = kb_arena_bytes(arena, n + 1);

	for (size_t i = 0; i < n; i++)
		bytes[i] = (char)(i * 2654435761u >> 13);
	return kb_sv(bytes, n);
}

static bool holds(struct world *w, const char *name, struct kb_sv want)
{
	struct kb_sv got;

	return kb_blob_read(w->blobs, &w->arena, name, KB_MIB(100), &got, &w->err)
	       && kb_sv_eq(got, want);
}

static bool count_one(void *arg, const char *name, int64_t size, int64_t age_s)
{
	int64_t *sum = arg;

	CHECK((struct kb_test *)(intptr_t)sum[2], strlen(name) == 64 && age_s < 3600);
	sum[0]++;
	sum[1] += size;
	return true;
}

/* ---- what holds of every server ---- */

/* A server of someone else's may take longer over its first bucket than readiness waits for. */
static bool ready_within(struct world *w, int seconds)
{
	int64_t until = kb_clock_mono_us() + kb_test_patient(seconds * 1000) * INT64_C(1000);

	while (!kb_blobs_ready(w->blobs, &w->err)) {
		if (kb_clock_mono_us() > until)
			return false;
		usleep(100 * 1000);
	}
	return true;
}

static void test_every_server(struct kb_test *t)
{
	static const char nothing[] =
	        "0000000000000000000000000000000000000000000000000000000000000000";
	int64_t size, sum[3] = { 0, 0, (int64_t)(intptr_t)t };
	struct kb_blob_name first, name;
	struct world w;
	bool done;
	int fd;

	open_any(&w, t, false);
	CHECK(t, kb_blobs_are_remote(w.blobs) && ready_within(&w, 20));
	CHECK(t, kb_blob_put(w.blobs, KB_SV("a text"), &first, &w.err));
	CHECK(t, kb_blob_put(w.blobs, KB_SV("a text"), &name, &w.err));
	CHECK_SV(t, kb_sv_str(name.hex), first.hex);
	CHECK(t, holds(&w, first.hex, KB_SV("a text")));
	CHECK(t, kb_blob_stat(w.blobs, first.hex, &size, &w.err) && size == 6);
	CHECK(t, kb_blob_verify(w.blobs, first.hex, &w.err));
	CHECK(t, kb_blob_put(w.blobs, KB_SV(""), &name, &w.err));
	CHECK(t, holds(&w, name.hex, KB_SV("")));
	for (int i = 0; i < 6; i++) {
		struct kb_sv text = kb_arena_printf(&w.arena, "text %d", i);

		CHECK(t, kb_blob_put(w.blobs, text, &name, &w.err));
	}
	CHECK(t, kb_blob_each(w.blobs, count_one, sum, &w.err));
	CHECK_INT(t, sum[0], 8);
	CHECK_INT(t, sum[1], 6 + 6 * 6);

	CHECK(t, !kb_blob_open(w.blobs, nothing, &fd, &size, &w.err));
	CHECK_INT(t, w.err.code, KB_E_NOT_FOUND);
	CHECK(t, !kb_blob_stat(w.blobs, nothing, &size, &w.err) && w.err.code == KB_E_NOT_FOUND);
	CHECK(t, !kb_blob_verify(w.blobs, nothing, &w.err) && w.err.code == KB_E_NOT_FOUND);
	CHECK(t, kb_blob_remove(w.blobs, first.hex, 0, &done, &w.err));
	CHECK(t, !kb_blob_open(w.blobs, first.hex, &fd, &size, &w.err));
	CHECK(t, kb_blob_remove(w.blobs, first.hex, 0, &done, &w.err));
	CHECK(t, kb_blobs_tidy(w.blobs, 0, &w.err));
	close_world(&w);
}

static void test_marks(struct kb_test *t)
{
	static const char mark[] = "00112233445566778899aabbccddeeff";
	char got[KB_BLOB_MARK];
	struct world w;

	open_any(&w, t, false);
	CHECK(t, kb_blobs_mark(w.blobs, got, &w.err) && got[0] == '\0');
	CHECK(t, kb_blobs_set_mark(w.blobs, mark, &w.err));
	reopen(&w);
	CHECK(t, kb_blobs_mark(w.blobs, got, &w.err));
	CHECK_SV(t, kb_sv_str(got), mark);
	close_world(&w);
}

static void write_file(const char *path, struct kb_sv bytes)
{
	struct kb_err err;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || !kb_fd_write_all(fd, bytes, path, &err))
		abort();
	close(fd);
}

/* 11 MB in parts of five, which is the least that servers take, and a short last one. */
static void test_parts(struct kb_test *t)
{
	struct kb_sv bytes;
	struct kb_blob_name name;
	struct world w;
	int64_t size;
	char path[100];

	open_any(&w, t, true);
	w.config.part_bytes = KB_MIB(5);
	reopen(&w);
	bytes = many_bytes(&w.arena, KB_MIB(11) + 17);
	snprintf(path, sizeof(path), "%s/upload", w.dir);
	write_file(path, bytes);
	CHECK(t, kb_blob_take(w.blobs, path, &name, &size, &w.err));
	CHECK_INT(t, size, bytes.n);
	CHECK(t, access(path, F_OK) != 0);
	CHECK(t, kb_blob_verify(w.blobs, name.hex, &w.err));
	CHECK(t, holds(&w, name.hex, bytes));
	/* Known to be there: it is not sent again. */
	CHECK(t, kb_blob_put(w.blobs, bytes, &name, &w.err));
	struct kb_blobs_stats stats;
	kb_blobs_stats(w.blobs, &stats);
	CHECK_INT(t, stats.sent_bytes, bytes.n);
	close_world(&w);
}

/* ---- the cache ---- */

static struct kb_blob_cache_stats cache_of(struct world *w)
{
	struct kb_blobs_stats stats;

	kb_blobs_stats(w->blobs, &stats);
	return stats.cache;
}

static void place_in_cache(struct world *w, const char *name, char path[200])
{
	snprintf(path, 200, "%s/%.2s/%s", w->cache, name, name);
}

static void test_cache(struct kb_test *t)
{
	struct kb_blob_name name;
	struct kb_blobs_stats stats;
	struct world w;
	char path[200];

	open_any(&w, t, true);
	CHECK(t, kb_blob_put(w.blobs, KB_SV("a text"), &name, &w.err));
	CHECK(t, holds(&w, name.hex, KB_SV("a text")));
	kb_blobs_stats(w.blobs, &stats);
	t->row = "what was put is there";
	CHECK_INT(t, stats.cache.hits, 1);
	CHECK_INT(t, stats.fetched_bytes, 0);

	t->row = "another life finds it and checks it";
	reopen(&w);
	CHECK(t, holds(&w, name.hex, KB_SV("a text")));
	CHECK_INT(t, cache_of(&w).misses, 0);

	t->row = "a damaged file is fetched anew";
	kb_blobs_close(w.blobs);
	w.blobs = NULL;
	place_in_cache(&w, name.hex, path);
	write_file(path, KB_SV("another"));
	reopen(&w);
	CHECK(t, holds(&w, name.hex, KB_SV("a text")));
	CHECK_INT(t, cache_of(&w).damaged, 1);
	CHECK_INT(t, cache_of(&w).misses, 1);

	t->row = "a lost file is fetched anew";
	unlink(path);
	CHECK(t, holds(&w, name.hex, KB_SV("a text")));
	CHECK_INT(t, cache_of(&w).misses, 2);

	t->row = "without a disk it is read directly";
	unlink(path);
	snprintf(path, sizeof(path), "%s/tmp", w.cache);
	rmdir(path);
	write_file(path, KB_SV("in the way"));
	CHECK(t, holds(&w, name.hex, KB_SV("a text")));
	CHECK(t, holds(&w, name.hex, KB_SV("a text")));
	CHECK_INT(t, cache_of(&w).failures, 2);
	CHECK_INT(t, cache_of(&w).blobs, 0);

	t->row = "two servers do not share a folder";
	CHECK(t, !kb_blobs_open_bucket(&w.config, &w.err) && w.err.code == KB_E_CONFLICT);
	t->row = NULL;
	close_world(&w);
}

static void test_cache_is_bounded(struct kb_test *t)
{
	enum { COUNT = 8, EACH = 200 << 10 };
	struct kb_blob_name names[COUNT];
	struct world w;
	int64_t size;
	int fd;

	open_double(&w, t, "bounded", true);
	for (int i = 0; i < COUNT; i++) {
		char *bytes = kb_arena_bytes(&w.arena, EACH);

		memset(bytes, 'a' + i, EACH);
		CHECK(t, kb_blob_put(w.blobs, kb_sv(bytes, EACH), &names[i], &w.err));
		if (i == 0)
			kb_blob_hold(w.blobs, names[0].hex);
	}
	CHECK_INT(t, cache_of(&w).blobs, 5); /* of 200 KiB in a MiB */
	CHECK_INT(t, cache_of(&w).evictions, 3);
	/* The one that is held stayed, though it was not used for longest. */
	CHECK(t, kb_blob_open(w.blobs, names[0].hex, &fd, &size, &w.err));
	kb_fd_close(&fd);
	CHECK_INT(t, cache_of(&w).misses, 0);
	kb_blob_release(w.blobs, names[0].hex);
	CHECK_INT(t, cache_of(&w).held, 0);
	/* Fetching one puts out another. */
	CHECK(t, kb_blob_open(w.blobs, names[1].hex, &fd, &size, &w.err));
	kb_fd_close(&fd);
	CHECK_INT(t, cache_of(&w).misses, 1);
	CHECK_INT(t, cache_of(&w).blobs, 5);
	close_world(&w);
}

struct asking {
	struct world *w;
	const char *name;
	bool ok;
};

static void *ask_for_it(void *arg)
{
	struct asking *in = arg;
	struct kb_err err;
	int64_t size;
	int fd;

	in->ok = kb_blob_open(in->w->blobs, in->name, &fd, &size, &err);
	kb_fd_close(&fd);
	return NULL;
}

static void test_fetched_once(struct kb_test *t)
{
	enum { THREADS = 8 };
	struct asking asking[THREADS];
	pthread_t threads[THREADS];
	struct kb_blob_name name;
	struct kb_blobs_stats stats;
	struct kb_sv bytes;
	struct world w;

	open_any(&w, t, true);
	bytes = many_bytes(&w.arena, 300000);
	CHECK(t, kb_blob_put(w.blobs, bytes, &name, &w.err));
	w.config.cache_dir = kb_arena_printf(&w.arena, "%s/other", w.dir).p;
	reopen(&w);
	for (int i = 0; i < THREADS; i++) {
		asking[i] = (struct asking){ &w, name.hex, false };
		if (pthread_create(&threads[i], NULL, ask_for_it, &asking[i]) != 0)
			abort();
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		CHECK(t, asking[i].ok);
	}
	kb_blobs_stats(w.blobs, &stats);
	CHECK_INT(t, stats.fetched_bytes, bytes.n);
	CHECK_INT(t, stats.cache.misses, 1);
	CHECK_INT(t, stats.server.requests, 1);
	close_world(&w);
}

static void test_prefetch(struct kb_test *t)
{
	enum { COUNT = 12 };
	struct kb_blob_name names[COUNT];
	const char *wanted[COUNT + 1];
	struct world w;

	open_any(&w, t, true);
	for (int i = 0; i < COUNT; i++) {
		CHECK(t, kb_blob_put(w.blobs, kb_arena_printf(&w.arena, "text %d", i), &names[i],
		                     &w.err));
		wanted[i] = names[i].hex;
	}
	wanted[COUNT] = "0000000000000000000000000000000000000000000000000000000000000000";
	w.config.cache_dir = kb_arena_printf(&w.arena, "%s/other", w.dir).p;
	reopen(&w);
	kb_blobs_prefetch(w.blobs, wanted, COUNT + 1); /* one is not there */
	CHECK_INT(t, cache_of(&w).misses, COUNT + 1);
	CHECK_INT(t, cache_of(&w).blobs, COUNT);
	for (int i = 0; i < COUNT; i++)
		CHECK(t, holds(&w, wanted[i], kb_arena_printf(&w.arena, "text %d", i)));
	CHECK_INT(t, cache_of(&w).misses, COUNT + 1);
	close_world(&w);
}

/* ---- servers that misbehave ---- */

static void test_faults(struct kb_test *t)
{
	static const struct {
		const char *name, *bucket;
		bool put, got;
		const char *says; /* of what failed first */
		enum kb_errc code;
	} rows[] = {
		// clang-format off
		{ "one that fails twice", "storm-2", true, true, NULL },
		{ "one that fails always", "storm", false, false, "its server has failed", KB_E_AWAY },
		{ "one that is asked too much", "slowdown-1", true, true, NULL },
		{ "connections that break", "reset-2", true, true, NULL },
		{ "connections that break always", "reset", false, false, "it ends the connection without an answer", KB_E_AWAY },
		{ "one that does not answer once", "freeze-1", true, true, NULL },
		{ "answers that are lost", "lost-1", true, true, NULL },
		{ "bodies that are cut", "cut-2", true, true, NULL },
		{ "bodies that are always cut", "cut", true, false, "ends too early", KB_E_AWAY },
		{ "a byte a while", "drip-1", true, true, NULL },
		{ "wrong bytes once", "wrong-1", true, true, NULL },
		{ "wrong bytes always", "wrong", true, false, "is damaged in the bucket", KB_E_CORRUPT },
		{ "one that knows late what it was given", "late-2", true, true, NULL },
		{ "no such bucket", "missing", false, false, "there is no such bucket", KB_E_IO },
		{ "a key that may not", "denied", false, false, "does not allow that anything is written", KB_E_IO },
		{ "clocks apart", "skewed", false, false, "too far apart (there it is", KB_E_IO },
		{ "another region", "elsewhere", false, false, "it is in another region (mars-1)", KB_E_IO },
		{ "another server", "redirect", false, false, "its server sends elsewhere", KB_E_IO },
		{ "a quota", "full", false, false, "its quota is used up", KB_E_IO },
		// clang-format on
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_err put_err = { 0 }, get_err = { 0 };
		struct kb_blob_name name;
		struct kb_sv got;
		struct world w;
		bool ok;

		t->row = rows[i].name;
		open_double(&w, t, rows[i].bucket, false);
		ok = kb_blob_put(w.blobs, KB_SV("some bytes"), &name, &put_err);
		CHECK_INT(t, ok, rows[i].put);
		ok = kb_blob_read(w.blobs, &w.arena, name.hex, 100, &got, &get_err);
		CHECK_INT(t, ok, rows[i].got);
		CHECK(t, !ok || kb_sv_eq_str(got, "some bytes"));
		if (rows[i].says) {
			const struct kb_err *first = rows[i].put ? &get_err : &put_err;

			CHECK_INT(t, first->code, rows[i].code);
			if (!strstr(first->msg, rows[i].says))
				CHECK_SV(t, kb_sv_str(first->msg), rows[i].says);
			CHECK(t, !strstr(first->msg, "secret of the"));
		}
		close_world(&w);
	}
	t->row = NULL;
}

static void test_wrong_keys(struct kb_test *t)
{
	static const struct {
		const char *name, *key_id, *secret, *says;
	} rows[] = {
		{ "an unknown key", "NOBODY", "testsecret",
		  "does not know the key of --s3-key-id" },
		{ "a wrong secret", "TESTKEY", "hush-hush", "--s3-secret is not the secret of" },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		char mark[KB_BLOB_MARK];
		struct world w;

		t->row = rows[i].name;
		open_any(&w, t, false);
		w.config.options.key_id = rows[i].key_id;
		w.config.options.secret = rows[i].secret;
		reopen(&w);
		CHECK(t, !kb_blobs_mark(w.blobs, mark, &w.err));
		if (!strstr(w.err.msg, rows[i].says))
			CHECK_SV(t, kb_sv_str(w.err.msg), rows[i].says);
		CHECK(t, !strstr(w.err.msg, "hush-hush") && !strstr(w.err.msg, "NOBODY"));
		close_world(&w);
	}
	t->row = NULL;
}

static void test_parts_that_fail(struct kb_test *t)
{
	static const struct {
		const char *name, *bucket;
		bool ok;
	} rows[] = {
		{ "each request fails once", "storm-1", true },
		{ "the answers are lost", "lost-1", true },
		{ "the end fails in a good answer", "broken-1", true },
		{ "the second part never goes", "half", false },
		{ "the end never comes", "broken", false },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_blob_name name;
		struct kb_sv bytes;
		struct world w;
		int before;
		bool ok;

		t->row = rows[i].name;
		open_double(&w, t, rows[i].bucket, false);
		w.config.part_bytes = 1000;
		reopen(&w);
		before = open_uploads();
		bytes = many_bytes(&w.arena, 2500);
		ok = kb_blob_put(w.blobs, bytes, &name, &w.err);
		CHECK_INT(t, ok, rows[i].ok);
		CHECK(t, !ok || holds(&w, name.hex, bytes));
		/* What began and did not end is taken away, at once or when it is tidied up: a
		 * server that failed so often is left alone first. */
		for (int64_t end = kb_clock_mono_us() + kb_test_patient(10000) * INT64_C(1000);
		     !kb_blobs_tidy(w.blobs, 0, &w.err) && kb_clock_mono_us() < end;)
			usleep(100000);
		CHECK_INT(t, open_uploads(), before);
		close_world(&w);
	}
	t->row = NULL;
}

static void test_left_alone(struct kb_test *t)
{
	struct kb_blobs_stats stats;
	char mark[KB_BLOB_MARK];
	struct world w;

	open_double(&w, t, "freeze", false);
	w.config.patience.stall_ms = 300;
	reopen(&w);
	CHECK(t, !kb_blobs_mark(w.blobs, mark, &w.err)); /* three tries */
	if (!strstr(w.err.msg, "does not answer in time"))
		CHECK_SV(t, kb_sv_str(w.err.msg), "… its server does not answer in time");
	/* Each further try that is let through makes the pause longer, so one comes into it. */
	do {
		CHECK(t, !kb_blobs_mark(w.blobs, mark, &w.err) && w.err.code == KB_E_AWAY);
		kb_blobs_stats(w.blobs, &stats);
	} while (!stats.server.kept_back);
	CHECK(t, stats.server.requests >= KB_BREAKER_FAILURES);
	kb_blobs_cancel(w.blobs);
	CHECK(t, !kb_blobs_mark(w.blobs, mark, &w.err) && w.err.code == KB_E_CANCELLED);
	close_world(&w);
}

/* ---- the ledger ---- */

struct ledger {
	int calls, busy;
	bool known;
	char name[KB_HASH_HEX];
};

static bool note(void *arg, const char *name, struct kb_sv bytes, bool *known, struct kb_err *err)
{
	struct ledger *in = arg;

	(void)bytes;
	snprintf(in->name, sizeof(in->name), "%s", name);
	*known = in->known;
	if (in->calls++ < in->busy)
		return kb_fail(err, KB_E_BUSY, "it is being removed");
	return true;
}

static void test_ledger(struct kb_test *t)
{
	struct ledger ledger = { .busy = 2 };
	struct kb_blob_name name;
	struct kb_blobs_stats stats;
	struct kb_sv bytes;
	struct world w;

	open_any(&w, t, false);
	kb_blobs_set_ledger(w.blobs, &(struct kb_blob_ledger){ note, &ledger });
	bytes = many_bytes(&w.arena, 300000);
	CHECK(t, kb_blob_put(w.blobs, bytes, &name, &w.err));
	CHECK_SV(t, kb_sv_str(ledger.name), name.hex);
	CHECK_INT(t, ledger.calls, 3);
	/* A name that was not noted is not asked for; one that was is, before it is sent again. */
	CHECK(t, kb_blob_put(w.blobs, bytes, &name, &w.err));
	kb_blobs_stats(w.blobs, &stats);
	CHECK_INT(t, stats.server.requests, 2);
	ledger.known = true;
	CHECK(t, kb_blob_put(w.blobs, bytes, &name, &w.err));
	kb_blobs_stats(w.blobs, &stats);
	CHECK_INT(t, stats.sent_bytes, 2 * bytes.n);
	close_world(&w);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "what holds of every server", test_every_server },
		{ "marks", test_marks },
		{ "long blobs go in parts", test_parts },
		{ "the cache", test_cache },
		{ "the cache is bounded, and keeps what is held", test_cache_is_bounded },
		{ "a blob is fetched once for all", test_fetched_once },
		{ "several blobs are fetched at once", test_prefetch },
		{ "servers that misbehave", test_faults },
		{ "wrong keys", test_wrong_keys },
		{ "parts that fail leave nothing", test_parts_that_fail },
		{ "a server that keeps failing is left alone", test_left_alone },
		{ "the ledger is told first", test_ledger },
	};
	int code;

	if (!kb_double_start()) {
		printf("skipped: the blobs in a bucket: node is not installed\n0 passed, %d "
		       "failed\n",
		       getenv("DOCENT_NO_SKIPS") ? 1 : 0);
		return getenv("DOCENT_NO_SKIPS") != NULL;
	}
	code = kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
	kb_double_stop();
	return code;
}
