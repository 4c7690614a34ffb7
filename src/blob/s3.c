/*
 * Blobs in an S3 bucket:
 *
 *   <prefix>/ab/abcd…      the blob of that name
 *   <prefix>/installation  the mark of the installation that the blobs belong to
 *   <prefix>/snapshots/…   records, each under its name
 *
 * A put is one request, or several parts that become an object all at once: it is there whole or
 * not at all. Names are hashes, so putting twice does no harm, and no request needs a condition.
 * Every read is checked against the name before anybody is given it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/bell.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/file.h"
#include "base/pool.h"
#include "blob/cache.h"
#include "blob/driver.h"
#include "blob/s3_call.h"
#include "blob/s3_read.h"

enum {
	READ_TRIES = 3,
	WRITE_TRIES = 5,
	MISS_TRIES = 3, /* some servers do not know at once what was just put */
	MISS_MS = 150,
	HEAD_FROM = 256 << 10, /* from so many bytes on it is asked first whether they are there */
	PART_BYTES = 16 << 20,
	WHOLE_MAX = 64 << 20, /* longer ones are sent in parts */
	PARTS_MAX = 10000,
	BUSY_S = 60, /* how long a put waits for a removal of the same name to end */
	BUSY_NAP_MS = 100,
	LIST_KEYS = 1000,
	AT_ONCE = 8, /* blobs that are fetched for one who waits */
	READY_MS = 100,
	UPLOAD_ID_MAX = 1024,
};
#define MARK_KEY "installation"
#define RECORDS  "snapshots/"

struct s3 {
	struct kb_arena arena;
	struct kb_bucket bucket;
	struct kb_s3 *client;
	struct kb_blob_cache *cache; /* NULL: none */
	struct kb_blob_ledger ledger;
	int64_t part_bytes;
	bool is_sealed;
	struct kb_bell stop; /* of pauses */
	_Atomic int64_t sent, fetched, asked_us;
	atomic_bool is_there; /* when it was asked last */
};

static struct kb_sv key_of(const struct s3 *s3, struct kb_arena *arena, const char *name)
{
	return kb_arena_printf(arena, "%.*s%.2s/%.64s", KB_SV_ARG(s3->bucket.prefix), name, name);
}

/* A value of a query: what is not the same in an address and in a signature is encoded. */
static struct kb_sv encoded(struct kb_arena *arena, struct kb_sv text)
{
	char *out = kb_arena_bytes(arena, text.n * 3 + 1);
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')
		    || (c && strchr("-._~", c)))
			out[n++] = (char)c;
		else
			n += (size_t)snprintf(out + n, 4, "%%%02X", c);
	}
	out[n] = '\0';
	return kb_sv(out, n);
}

/* A call that has only an end. */
static bool ask(struct s3 *s3, const struct kb_s3_call *call, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_s3_answer answer;
	bool ok = kb_s3_ask(s3->client, &arena, call, &answer, err);

	kb_arena_fini(&arena);
	return ok;
}

/* ---- sending ---- */

static bool send_whole(struct s3 *s3, struct kb_sv key, struct kb_sv bytes, struct kb_err *err)
{
	return ask(s3,
	           &(struct kb_s3_call){ .method = "PUT",
	                                 .key = key,
	                                 .body = bytes,
	                                 .doing = "written",
	                                 .tries = WRITE_TRIES },
	           err);
}

struct parts {
	struct s3 *s3;
	struct kb_arena *arena;
	struct kb_sv key, bytes, id;
	int64_t part_bytes;
	struct kb_buf list; /* for the end: each part and what the server called it */
};

static bool parts_begin(struct parts *parts, struct kb_err *err)
{
	struct kb_s3_answer answer;

	if (!kb_s3_ask(parts->s3->client, parts->arena,
	               &(struct kb_s3_call){ .method = "POST",
	                                     .key = parts->key,
	                                     .query = KB_SV("uploads="),
	                                     .doing = "written",
	                                     .tries = WRITE_TRIES },
	               &answer, err))
		return false;
	parts->id = kb_s3_text(parts->arena, answer.body, "UploadId");
	if (!parts->id.n || parts->id.n > UPLOAD_ID_MAX)
		return kb_fail(err, KB_E_IO, "%.*s: its server begins no upload in parts",
		               KB_SV_ARG(parts->s3->bucket.shown));
	parts->id = encoded(parts->arena, parts->id);
	return true;
}

static bool parts_send(struct parts *parts, struct kb_err *err)
{
	kb_buf_str(&parts->list, "<CompleteMultipartUpload>");
	for (int64_t i = 0, at = 0; at < (int64_t)parts->bytes.n; i++, at += parts->part_bytes) {
		struct kb_s3_answer answer;

		if (!kb_s3_ask(parts->s3->client, parts->arena,
		               &(struct kb_s3_call){ .method = "PUT",
		                                     .key = parts->key,
		                                     .query = kb_arena_printf(parts->arena,
		                                                              "partNumber=%" PRId64
		                                                              "&uploadId=%s",
		                                                              i + 1, parts->id.p),
		                                     .body = kb_sv_sub(parts->bytes, (size_t)at,
		                                                       (size_t)parts->part_bytes),
		                                     .doing = "written",
		                                     .tries = WRITE_TRIES },
		               &answer, err))
			return false;
		kb_buf_printf(&parts->list,
		              "<Part><PartNumber>%" PRId64 "</PartNumber><ETag>%.*s</ETag></Part>",
		              i + 1, KB_SV_ARG(answer.etag));
	}
	kb_buf_str(&parts->list, "</CompleteMultipartUpload>");
	return true;
}

static bool head(struct s3 *s3, struct kb_sv key, int64_t *size, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_s3_answer answer;
	bool ok = kb_s3_ask(
	        s3->client, &arena,
	        &(struct kb_s3_call){
	                .method = "HEAD", .key = key, .doing = "read", .tries = READ_TRIES },
	        &answer, err);

	*size = ok ? answer.length : 0;
	kb_arena_fini(&arena);
	return ok;
}

/* An end whose answer was lost has happened: then a repeat knows no such upload. */
static bool parts_end(struct parts *parts, struct kb_err *err)
{
	struct kb_err why;
	int64_t size;

	if (ask(parts->s3,
	        &(struct kb_s3_call){
	                .method = "POST",
	                .key = parts->key,
	                .query = kb_arena_printf(parts->arena, "uploadId=%s", parts->id.p),
	                .body = kb_buf_view(&parts->list),
	                .doing = "written",
	                .tries = WRITE_TRIES },
	        &why))
		return true;
	if (why.code != KB_E_CANCELLED && head(parts->s3, parts->key, &size, NULL)
	    && size == (int64_t)parts->bytes.n)
		return true;
	return kb_fail(err, why.code == KB_E_NOT_FOUND ? KB_E_IO : why.code, "%s", why.msg);
}

/* What an upload that does not end has left costs money, and is nobody's. */
static void parts_abort(struct s3 *s3, struct kb_sv key, struct kb_sv query)
{
	struct kb_err err;

	if (!ask(s3,
	         &(struct kb_s3_call){ .method = "DELETE",
	                               .key = key,
	                               .query = query,
	                               .doing = "removed",
	                               .tries = 1 },
	         &err))
		return; /* tidying up comes to it later */
}

static bool send_parts(struct s3 *s3, struct kb_arena *arena, struct kb_sv key, struct kb_sv bytes,
                       struct kb_err *err)
{
	int64_t least = (int64_t)bytes.n / PARTS_MAX + 1;
	struct parts parts = { .s3 = s3, .arena = arena, .key = key, .bytes = bytes };
	bool ok;

	parts.part_bytes = KB_MAX(s3->part_bytes ? s3->part_bytes : PART_BYTES, least);
	if (!parts_begin(&parts, err))
		return false;
	kb_buf_init(&parts.list, SIZE_MAX);
	ok = parts_send(&parts, err) && parts_end(&parts, err);
	kb_buf_fini(&parts.list);
	if (!ok)
		parts_abort(s3, key, kb_arena_printf(arena, "uploadId=%s", parts.id.p));
	return ok;
}

/* Nobody removes the blob from here on, for longer than a commit that names it may take. */
static bool note(struct s3 *s3, const char *name, struct kb_sv bytes, bool *known,
                 struct kb_err *err)
{
	int64_t until = kb_clock_mono_us() + BUSY_S * KB_SECOND_US;
	struct kb_err why;

	*known = true;
	if (!s3->ledger.note)
		return true;
	while (!s3->ledger.note(s3->ledger.arg, name, bytes, known, &why)) {
		int64_t now = kb_clock_mono_us();

		/* The ledger is rows, so who removes the blob rings at no bell of ours. */
		if (why.code != KB_E_BUSY || now > until
		    || !kb_bell_rest(&s3->stop, now + BUSY_NAP_MS * 1000))
			return kb_fail(err, why.code, "%s", why.msg);
	}
	return true;
}

static bool s3_put_bytes(struct s3 *s3, const char *name, struct kb_sv bytes, struct kb_err *err)
{
	int64_t limit = s3->part_bytes ? s3->part_bytes : WHOLE_MAX, size;
	struct kb_arena arena = { 0 };
	struct kb_sv key = key_of(s3, &arena, name);
	bool known, ok = note(s3, name, bytes, &known, err);
	bool is_there = ok && known && bytes.n >= HEAD_FROM && head(s3, key, &size, NULL)
	                && size == (int64_t)bytes.n;

	if (ok && !is_there) {
		ok = (int64_t)bytes.n <= limit ? send_whole(s3, key, bytes, err)
		                               : send_parts(s3, &arena, key, bytes, err);
		if (ok)
			atomic_fetch_add(&s3->sent, (int64_t)bytes.n);
	}
	kb_arena_fini(&arena);
	return ok;
}

static bool s3_put(void *impl, const char *name, struct kb_sv bytes, struct kb_err *err)
{
	struct s3 *s3 = impl;

	if (!s3_put_bytes(s3, name, bytes, err))
		return false;
	if (s3->cache)
		kb_blob_cache_put(s3->cache, name, bytes);
	return true;
}

static bool map_file(const char *path, int64_t size, struct kb_sv *out, struct kb_err *err)
{
	int fd = kb_fault() ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	void *map = MAP_FAILED;

	*out = KB_SV("");
	if (fd >= 0 && size == 0) {
		kb_fd_close(&fd);
		return true;
	}
	if (fd >= 0)
		map = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED) {
		kb_fail_errno(err, "cannot read %s", path);
		kb_fd_close(&fd);
		return false;
	}
	kb_fd_close(&fd);
	*out = kb_sv(map, (size_t)size);
	return true;
}

static void unmap(struct kb_sv bytes)
{
	/* The map is ours; views are of what nobody writes. */
	if (bytes.n)
		munmap((void *)(uintptr_t)bytes.p, bytes.n);
}

static bool s3_take(void *impl, const char *name, const char *path, int64_t size,
                    struct kb_err *err)
{
	struct s3 *s3 = impl;
	struct kb_sv bytes;
	bool ok;

	if (!map_file(path, size, &bytes, err))
		return false;
	ok = s3_put_bytes(s3, name, bytes, err);
	if (ok && s3->cache && !kb_blob_cache_take(s3->cache, name, path))
		kb_blob_cache_put(s3->cache, name, bytes);
	unmap(bytes);
	if (ok && unlink(path) != 0 && errno != ENOENT)
		return kb_fail_errno(err, "cannot remove %s", path);
	return ok;
}

/* ---- reading ---- */

/* Takes an object's bytes: into a file, or only through the hash. */
struct reading {
	struct s3 *s3;
	const char *name;
	int fd; /* -1: nowhere */
	int64_t bytes;
	struct kb_hasher hasher;
	char hex[KB_HASH_HEX];
};

static bool reading_begin(void *arg, struct kb_err *err)
{
	struct reading *in = arg;

	in->bytes = 0;
	kb_hasher_init(&in->hasher);
	if (in->fd < 0 || (!kb_fault() && ftruncate(in->fd, 0) == 0))
		return true;
	return kb_fail_errno(err, "cannot write a blob");
}

static bool reading_take(void *arg, struct kb_sv bytes, struct kb_err *err)
{
	struct reading *in = arg;

	kb_hasher_add(&in->hasher, bytes.p, bytes.n);
	while (in->fd >= 0 && bytes.n) {
		ssize_t n = kb_fault() ? -1 : pwrite(in->fd, bytes.p, bytes.n, in->bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			kb_fail_errno(err, "cannot write a blob");
			err->code = KB_E_FULL; /* whatever it is: the disk is of no use */
			return false;
		}
		in->bytes += n;
		bytes = kb_sv_from(bytes, (size_t)n);
	}
	in->bytes += (int64_t)bytes.n;
	return true;
}

static bool reading_end(void *arg, struct kb_err *err)
{
	struct reading *in = arg;

	kb_hasher_hex(&in->hasher, in->hex);
	atomic_fetch_add(&in->s3->fetched, in->bytes);
	return in->s3->is_sealed || strcmp(in->hex, in->name) == 0
	       || kb_corrupt(err, "blob %s is damaged in %.*s: its bytes hash to %s", in->name,
	                     KB_SV_ARG(in->s3->bucket.shown), in->hex);
}

static bool read_object(struct reading *in, struct kb_err *err)
{
	const struct kb_s3_sink sink = { reading_begin, reading_take, reading_end, in };
	struct kb_arena arena = { 0 };
	struct kb_err why = { 0 };
	struct kb_s3_answer answer;
	bool ok = false;

	for (int attempt = 0; !ok && attempt < MISS_TRIES; attempt++) {
		if (attempt)
			(void)kb_bell_rest(&in->s3->stop,
			                   kb_clock_mono_us() + MISS_MS * 1000 * attempt);
		ok = kb_s3_ask(in->s3->client, &arena,
		               &(struct kb_s3_call){ .method = "GET",
		                                     .key = key_of(in->s3, &arena, in->name),
		                                     .doing = "read",
		                                     .tries = READ_TRIES,
		                                     .sink = &sink },
		               &answer, &why);
		if (!ok && why.code != KB_E_NOT_FOUND)
			break;
	}
	kb_arena_fini(&arena);
	if (!ok && why.code == KB_E_NOT_FOUND)
		return kb_fail(err, why.code, "there is no blob %s", in->name);
	return ok || kb_fail(err, why.code, "%s", why.msg);
}

static bool fetch(void *arg, const char *name, int fd, struct kb_err *err)
{
	struct reading in = { .s3 = arg, .name = name, .fd = fd };

	return read_object(&in, err);
}

/* Into memory, where no disk takes it. */
static bool get_without_disk(struct s3 *s3, const char *name, int *fd, int64_t *size,
                             struct kb_err *err)
{
	struct reading in = { .s3 = s3, .name = name };

	in.fd = kb_fault() ? -1 : memfd_create("blob", MFD_CLOEXEC);
	if (in.fd < 0)
		return kb_fail_errno(err, "cannot open blob %s", name);
	if (!read_object(&in, err)) {
		kb_fd_close(&in.fd);
		return false;
	}
	lseek(in.fd, 0, SEEK_SET);
	*fd = in.fd;
	*size = in.bytes;
	return true;
}

static bool s3_get(void *impl, const char *name, int *fd, int64_t *size, struct kb_err *err)
{
	struct s3 *s3 = impl;
	const struct kb_blob_source source = { fetch, s3 };
	struct kb_err why;

	if (!s3->cache)
		return get_without_disk(s3, name, fd, size, err);
	if (kb_blob_cache_get(s3->cache, name, &source, fd, size, &why))
		return true;
	if (why.code == KB_E_FULL)
		return get_without_disk(s3, name, fd, size, err);
	return kb_fail(err, why.code, "%s", why.msg);
}

static bool s3_stat(void *impl, const char *name, int64_t *size, struct kb_err *err)
{
	struct s3 *s3 = impl;
	struct kb_arena arena = { 0 };
	struct kb_err why;
	bool ok = head(s3, key_of(s3, &arena, name), size, &why);

	kb_arena_fini(&arena);
	if (!ok && why.code == KB_E_NOT_FOUND)
		return kb_fail(err, why.code, "there is no blob %s", name);
	return ok || kb_fail(err, why.code, "%s", why.msg);
}

/* What the bucket has, not a copy of it; a copy that somebody doubts goes. */
static bool s3_verify(void *impl, const char *name, struct kb_err *err)
{
	struct s3 *s3 = impl;
	struct reading in = { .s3 = s3, .name = name, .fd = -1 };

	if (s3->cache)
		kb_blob_cache_drop(s3->cache, name);
	return read_object(&in, err);
}

/* Names that several threads take in turn. */
struct prefetch {
	struct s3 *s3;
	const char *const *names;
	size_t count;
	_Atomic size_t next;
};

static void *prefetch_some(void *arg)
{
	struct prefetch *in = arg;
	size_t i;

	while ((i = atomic_fetch_add(&in->next, 1)) < in->count) {
		struct kb_err err;
		int64_t size;
		int fd;

		if (s3_get(in->s3, in->names[i], &fd, &size, &err))
			kb_fd_close(&fd);
	}
	return NULL;
}

/* The first bytes of each take as long as many of the others, so they are waited for together. */
static void s3_prefetch(void *impl, const char *const *names, size_t count)
{
	struct prefetch in = { .s3 = impl, .names = names, .count = count };
	pthread_t threads[AT_ONCE - 1];
	size_t started = 0;

	if (!in.s3->cache || count < 2)
		return;
	while (started < KB_MIN(count, (size_t)AT_ONCE) - 1
	       && kb_thread_try_start(&threads[started], "prefetch", prefetch_some, &in))
		started++;
	prefetch_some(&in);
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
}

static void s3_hold(void *impl, const char *name, bool hold)
{
	struct s3 *s3 = impl;

	if (s3->cache && hold)
		kb_blob_cache_hold(s3->cache, name);
	else if (s3->cache)
		kb_blob_cache_release(s3->cache, name);
}

/* ---- removing ---- */

/* An object that is gone already is removed well. */
static bool s3_remove(void *impl, const char *name, int64_t min_age_s, bool *removed,
                      struct kb_err *err)
{
	struct s3 *s3 = impl;
	struct kb_arena arena = { 0 };
	struct kb_err why = { 0 };

	KB_ASSERT(min_age_s == 0); /* the ledger knows ages */
	*removed = ask(s3,
	               &(struct kb_s3_call){ .method = "DELETE",
	                                     .key = key_of(s3, &arena, name),
	                                     .doing = "removed",
	                                     .tries = WRITE_TRIES },
	               &why);
	kb_arena_fini(&arena);
	if (s3->cache)
		kb_blob_cache_drop(s3->cache, name);
	return *removed || why.code == KB_E_NOT_FOUND || kb_fail(err, why.code, "%s", why.msg);
}

/* ---- listing ---- */

static int64_t age_of(struct kb_sv time_text)
{
	int64_t us;

	return kb_time_parse(time_text, &us)
	               ? KB_MAX(kb_clock_now_us(NULL) - us, INT64_C(0)) / KB_SECOND_US
	               : 0;
}

/* The name that a key of the bucket is the place of; false: of no blob. */
static bool name_in(const struct s3 *s3, struct kb_sv key, char name[KB_HASH_HEX])
{
	struct kb_sv rest = kb_sv_from(key, s3->bucket.prefix.n);

	if (!kb_sv_starts(key, s3->bucket.prefix) || rest.n != KB_HASH_HEX + 2 || rest.p[2] != '/')
		return false;
	snprintf(name, KB_HASH_HEX, "%.*s", KB_HASH_HEX - 1, rest.p + 3);
	return strspn(name, "0123456789abcdef") == KB_HASH_HEX - 1 && strncmp(name, rest.p, 2) == 0;
}

struct listing {
	bool (*fn)(void *arg, const char *name, int64_t size, int64_t age_s);
	void *arg;
	struct kb_sv token; /* of the next page; empty: there is none */
	bool stopped;
};

static bool list_page(struct s3 *s3, struct kb_arena *arena, struct listing *in, struct kb_err *err)
{
	struct kb_sv rest, object;
	struct kb_s3_answer answer;

	if (!kb_s3_ask(
	            s3->client, arena,
	            &(struct kb_s3_call){ .method = "GET",
	                                  .query = kb_arena_printf(
	                                          arena, "%s%s%slist-type=2&max-keys=%d&prefix=%s",
	                                          in->token.n ? "continuation-token=" : "",
	                                          in->token.n ? encoded(arena, in->token).p : "",
	                                          in->token.n ? "&" : "", LIST_KEYS,
	                                          encoded(arena, s3->bucket.prefix).p),
	                                  .doing = "listed",
	                                  .tries = READ_TRIES },
	            &answer, err))
		return false;
	rest = answer.body;
	while (!in->stopped && kb_s3_element(&rest, "Contents", &object)) {
		char name[KB_HASH_HEX];
		int64_t size;

		if (name_in(s3, kb_s3_text(arena, object, "Key"), name)
		    && kb_sv_to_int(kb_s3_text(arena, object, "Size"), 0, INT64_MAX, &size))
			in->stopped = !in->fn(in->arg, name, size,
			                      age_of(kb_s3_text(arena, object, "LastModified")));
	}
	in->token = kb_s3_text(arena, answer.body, "NextContinuationToken");
	return true;
}

static bool s3_each(void *impl,
                    bool (*fn)(void *arg, const char *name, int64_t size, int64_t age_s), void *arg,
                    struct kb_err *err)
{
	struct listing in = { .fn = fn, .arg = arg };
	char *token = NULL; /* outlives its page */
	bool ok;

	do {
		struct kb_arena arena = { 0 };

		ok = list_page(impl, &arena, &in, err);
		free(token);
		token = ok && in.token.n ? kb_xstrdup(in.token.p) : NULL;
		in.token = kb_sv_str(token);
		kb_arena_fini(&arena);
	} while (ok && token && !in.stopped);
	free(token);
	return ok;
}

/* Ends uploads in parts that never ended. There are few: one page is enough for each time. */
static bool s3_tidy(void *impl, int64_t min_age_s, struct kb_err *err)
{
	struct s3 *s3 = impl;
	struct kb_arena arena = { 0 };
	struct kb_sv rest, upload;
	struct kb_s3_answer answer;
	bool ok = kb_s3_ask(s3->client, &arena,
	                    &(struct kb_s3_call){
	                            .method = "GET",
	                            .query = kb_arena_printf(&arena, "prefix=%s&uploads=",
	                                                     encoded(&arena, s3->bucket.prefix).p),
	                            .doing = "listed",
	                            .tries = READ_TRIES },
	                    &answer, err);

	rest = answer.body;
	while (ok && kb_s3_element(&rest, "Upload", &upload)) {
		struct kb_sv key = kb_s3_text(&arena, upload, "Key");
		struct kb_sv id = kb_s3_text(&arena, upload, "UploadId");
		char name[KB_HASH_HEX];

		if (name_in(s3, key, name) && id.n
		    && age_of(kb_s3_text(&arena, upload, "Initiated")) >= min_age_s)
			parts_abort(s3, key,
			            kb_arena_printf(&arena, "uploadId=%s", encoded(&arena, id).p));
	}
	kb_arena_fini(&arena);
	return ok;
}

/* ---- whose they are ---- */

/* *out has no bytes where there is none, and one at least where there is. */
static bool read_beside(struct s3 *s3, struct kb_arena *arena, const char *key, bool is_hasty,
                        struct kb_sv *out, struct kb_err *err)
{
	struct kb_s3_answer answer;
	struct kb_err why;

	*out = KB_SV("");
	if (!kb_s3_ask(
	            s3->client, arena,
	            &(struct kb_s3_call){ .method = "GET",
	                                  .key = kb_arena_printf(arena, "%.*s%s",
	                                                         KB_SV_ARG(s3->bucket.prefix), key),
	                                  .doing = "read",
	                                  .tries = is_hasty ? 1 : READ_TRIES,
	                                  .is_hasty = is_hasty },
	            &answer, &why))
		return why.code == KB_E_NOT_FOUND || kb_fail(err, why.code, "%s", why.msg);
	*out = answer.body.n ? answer.body : KB_SV("\n");
	return true;
}

static bool read_mark(struct s3 *s3, struct kb_arena *arena, bool is_hasty, struct kb_sv *out,
                      struct kb_err *err)
{
	return read_beside(s3, arena, MARK_KEY, is_hasty, out, err);
}

static bool s3_mark(void *impl, char mark[KB_BLOB_MARK], struct kb_err *err)
{
	struct s3 *s3 = impl;
	struct kb_arena arena = { 0 };
	struct kb_sv text;
	bool ok = read_mark(s3, &arena, false, &text, err);

	mark[0] = '\0';
	if (ok && text.n) {
		snprintf(mark, KB_BLOB_MARK, "%.*s", KB_SV_ARG(text));
		ok = text.n == KB_BLOB_MARK && text.p[text.n - 1] == '\n'
		     && strspn(mark, "0123456789abcdef") == KB_BLOB_MARK - 1;
		if (!ok) {
			mark[0] = '\0';
			kb_corrupt(err, "the object %s of %.*s holds no mark of an installation",
			           MARK_KEY, KB_SV_ARG(s3->bucket.shown));
		}
	}
	kb_arena_fini(&arena);
	return ok;
}

static bool s3_set_mark(void *impl, const char *mark, struct kb_err *err)
{
	struct s3 *s3 = impl;
	struct kb_arena arena = { 0 };
	bool ok = send_whole(
	        s3, kb_arena_printf(&arena, "%.*s%s", KB_SV_ARG(s3->bucket.prefix), MARK_KEY),
	        kb_arena_printf(&arena, "%s\n", mark), err);

	kb_arena_fini(&arena);
	return ok;
}

/* ---- records ---- */

static struct kb_sv record_key(const struct s3 *s3, struct kb_arena *arena, const char *name)
{
	return kb_arena_printf(arena, "%.*s" RECORDS "%s", KB_SV_ARG(s3->bucket.prefix), name);
}

static bool s3_record_put(void *impl, const char *name, struct kb_sv bytes, struct kb_err *err)
{
	struct s3 *s3 = impl;
	struct kb_arena arena = { 0 };
	bool ok = send_whole(s3, record_key(s3, &arena, name), bytes, err);

	kb_arena_fini(&arena);
	return ok;
}

static bool s3_record_get(void *impl, struct kb_arena *arena, const char *name, struct kb_sv *out,
                          struct kb_err *err)
{
	const char *key = kb_arena_printf(arena, RECORDS "%s", name).p;

	return read_beside(impl, arena, key, false, out, err)
	       && (out->n || kb_fail(err, KB_E_NOT_FOUND, "there is no %s", key));
}

static bool s3_record_drop(void *impl, const char *name, struct kb_err *err)
{
	struct s3 *s3 = impl;
	struct kb_arena arena = { 0 };
	struct kb_err why;
	bool ok = ask(s3,
	              &(struct kb_s3_call){ .method = "DELETE",
	                                    .key = record_key(s3, &arena, name),
	                                    .doing = "removed",
	                                    .tries = WRITE_TRIES },
	              &why);

	kb_arena_fini(&arena);
	return ok || why.code == KB_E_NOT_FOUND || kb_fail(err, why.code, "%s", why.msg);
}

/* A page of the listing; *token becomes that of the next one, empty behind the last. */
static bool list_records(struct s3 *s3, struct kb_arena *arena, struct kb_sv *token,
                         struct kb_sv *page, struct kb_err *err)
{
	struct kb_sv prefix = record_key(s3, arena, "");
	struct kb_s3_answer answer;
	const struct kb_s3_call call = {
		.method = "GET",
		.query = kb_arena_printf(arena, "%s%s%slist-type=2&max-keys=%d&prefix=%s",
		                         token->n ? "continuation-token=" : "",
		                         token->n ? encoded(arena, *token).p : "",
		                         token->n ? "&" : "", LIST_KEYS, encoded(arena, prefix).p),
		.doing = "listed",
		.tries = READ_TRIES,
	};

	if (!kb_s3_ask(s3->client, arena, &call, &answer, err))
		return false;
	*page = answer.body;
	*token = kb_s3_text(arena, answer.body, "NextContinuationToken");
	return true;
}

static bool s3_records(void *impl, void (*fn)(void *arg, struct kb_sv name), void *arg,
                       struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	size_t prefix = record_key(impl, &arena, "").n;
	struct kb_sv token = KB_SV(""), page, object;
	bool ok;

	do {
		ok = list_records(impl, &arena, &token, &page, err);
		while (ok && kb_s3_element(&page, "Contents", &object))
			fn(arg, kb_sv_from(kb_s3_text(&arena, object, "Key"), prefix));
	} while (ok && token.n);
	kb_arena_fini(&arena);
	return ok;
}

/* ---- how it is doing ---- */

/* Asked anew, but some times a second at most, however often anybody wants to know: a request of
 * ours is paid for. Who asks meanwhile hears what was found last. */
static bool s3_ready(void *impl, struct kb_err *err)
{
	struct s3 *s3 = impl;
	struct kb_arena arena = { 0 };
	int64_t now = kb_clock_mono_us(), asked = atomic_load(&s3->asked_us);
	struct kb_sv text;

	if ((!asked || now - asked > READY_MS * INT64_C(1000))
	    && atomic_compare_exchange_strong(&s3->asked_us, &asked, now)) {
		atomic_store(&s3->is_there, read_mark(s3, &arena, true, &text, NULL));
		kb_arena_fini(&arena);
	}
	return atomic_load(&s3->is_there)
	       || kb_fail(err, KB_E_AWAY, "%.*s does not answer", KB_SV_ARG(s3->bucket.shown));
}

static void s3_stats(void *impl, struct kb_blobs_stats *out)
{
	struct s3 *s3 = impl;

	out->is_remote = true;
	out->sent_bytes = atomic_load(&s3->sent);
	out->fetched_bytes = atomic_load(&s3->fetched);
	kb_s3_stats(s3->client, &out->server);
	if (s3->cache)
		kb_blob_cache_stats(s3->cache, &out->cache);
}

/* ---- open and close ---- */

static void s3_close(void *impl)
{
	struct s3 *s3 = impl;

	kb_blob_cache_close(s3->cache);
	kb_s3_close(s3->client);
	kb_bell_fini(&s3->stop);
	kb_arena_fini(&s3->arena);
	free(s3);
}

static void s3_cancel(void *impl)
{
	struct s3 *s3 = impl;

	kb_bell_stop(&s3->stop);
	kb_s3_cancel(s3->client);
}

static void s3_set_ledger(void *impl, const struct kb_blob_ledger *ledger)
{
	struct s3 *s3 = impl;

	s3->ledger = *ledger;
}

void *kb_blob_s3_open(const struct kb_blobs_bucket *config, struct kb_err *err)
{
	struct s3 *s3 = kb_xcalloc(1, sizeof(*s3));
	bool ok = kb_bucket_check(&s3->arena, &config->options, &s3->bucket, err);

	KB_ASSERT(!config->is_sealed || !config->cache_dir);
	kb_bell_init(&s3->stop, NULL);
	s3->part_bytes = config->part_bytes;
	s3->is_sealed = config->is_sealed;
	atomic_store(&s3->is_there, true); /* until it is asked */
	ok = ok
	     && (s3->client = kb_s3_open(&s3->bucket, &config->patience, config->log, err)) != NULL
	     && (!config->cache_dir
	         || (s3->cache = kb_blob_cache_open(config->cache_dir, config->cache_bytes,
	                                            config->log, err)));
	if (ok)
		return s3;
	s3_close(s3);
	return NULL;
}

const struct kb_blob_driver kb_blob_s3 = {
	.close = s3_close,
	.put = s3_put,
	.take = s3_take,
	.get = s3_get,
	.stat = s3_stat,
	.verify = s3_verify,
	.remove = s3_remove,
	.each = s3_each,
	.tidy = s3_tidy,
	.mark = s3_mark,
	.set_mark = s3_set_mark,
	.record_put = s3_record_put,
	.record_get = s3_record_get,
	.record_drop = s3_record_drop,
	.records = s3_records,
	.prefetch = s3_prefetch,
	.hold = s3_hold,
	.cancel = s3_cancel,
	.set_ledger = s3_set_ledger,
	.ready = s3_ready,
	.stats = s3_stats,
};
