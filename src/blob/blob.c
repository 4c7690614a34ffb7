/* Blobs above their driver: names are checked here, and bytes against names. */
#include "blob/blob.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/file.h"
#include "blob/driver.h"

enum { CHUNK = 128 * 1024 };

struct kb_blobs *kb_blobs_new(const struct kb_blob_driver *driver, void *impl)
{
	struct kb_blobs *blobs;

	if (!impl)
		return NULL;
	blobs = kb_xcalloc(1, sizeof(*blobs));
	*blobs = (struct kb_blobs){ driver, impl };
	return blobs;
}

struct kb_blobs *kb_blobs_open(const char *where, struct kb_err *err)
{
	return kb_blobs_new(&kb_blob_directory, kb_blob_directory_open(where, err));
}

struct kb_blobs *kb_blobs_open_bucket(const struct kb_blobs_bucket *config, struct kb_err *err)
{
	return kb_blobs_new(&kb_blob_s3, kb_blob_s3_open(config, err));
}

void kb_blobs_set_ledger(struct kb_blobs *blobs, const struct kb_blob_ledger *ledger)
{
	if (blobs->driver->set_ledger)
		blobs->driver->set_ledger(blobs->impl, ledger);
}

struct kb_blobs *kb_blobs_within(struct kb_blobs *blobs)
{
	return blobs->driver->within ? blobs->driver->within(blobs->impl) : blobs;
}

void kb_blob_name_within(struct kb_blobs *blobs, const char *name, char out[KB_HASH_HEX])
{
	if (blobs->driver->name_within)
		blobs->driver->name_within(blobs->impl, name, out);
	else
		snprintf(out, KB_HASH_HEX, "%s", name);
}

bool kb_blobs_are_remote(const struct kb_blobs *blobs)
{
	if (blobs->driver->within)
		return kb_blobs_are_remote(blobs->driver->within(blobs->impl));
	return blobs->driver == &kb_blob_s3;
}

bool kb_blob_blame(const struct kb_blobs *blobs, struct kb_err *err)
{
	if (err->code == KB_E_IO && kb_blobs_are_remote(blobs))
		err->code = KB_E_AWAY;
	return false;
}

void kb_blobs_cancel(struct kb_blobs *blobs)
{
	if (blobs && blobs->driver->cancel)
		blobs->driver->cancel(blobs->impl);
}

void kb_blobs_close(struct kb_blobs *blobs)
{
	if (!blobs)
		return;
	blobs->driver->close(blobs->impl);
	free(blobs);
}

static bool check_name(const char *name, struct kb_err *err)
{
	if (strlen(name) == KB_HASH_HEX - 1 && strspn(name, "0123456789abcdef") == KB_HASH_HEX - 1)
		return true;
	return kb_fail(err, KB_E_NOT_FOUND, "this is no name of a blob");
}

/* ---- writing ---- */

bool kb_blob_put(struct kb_blobs *blobs, struct kb_sv bytes, struct kb_blob_name *name,
                 struct kb_err *err)
{
	kb_hash_hex(bytes, name->hex);
	return blobs->driver->put(blobs->impl, name->hex, bytes, err);
}

/* Hashes what is left of a descriptor. */
static bool hash_fd(int fd, const char *what, char hex[KB_HASH_HEX], int64_t *size,
                    struct kb_err *err)
{
	char *chunk = kb_xmalloc(CHUNK);
	struct kb_hasher hasher;
	ssize_t n;

	kb_hasher_init(&hasher);
	*size = 0;
	while ((n = kb_fault() ? -1 : read(fd, chunk, CHUNK)) > 0) {
		kb_hasher_add(&hasher, chunk, (size_t)n);
		*size += n;
	}
	free(chunk);
	if (n < 0)
		return kb_fail_errno(err, "cannot read %s", what);
	kb_hasher_hex(&hasher, hex);
	return true;
}

bool kb_blob_take(struct kb_blobs *blobs, const char *path, struct kb_blob_name *name,
                  int64_t *size, struct kb_err *err)
{
	int fd = kb_fault() ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	bool ok;

	if (fd < 0)
		return kb_fail_errno(err, "cannot open %s", path);
	ok = hash_fd(fd, path, name->hex, size, err);
	kb_fd_close(&fd);
	return ok && blobs->driver->take(blobs->impl, name->hex, path, *size, err);
}

/* ---- reading ---- */

bool kb_blob_open(struct kb_blobs *blobs, const char *name, int *fd, int64_t *size,
                  struct kb_err *err)
{
	*fd = -1;
	return check_name(name, err) && blobs->driver->get(blobs->impl, name, fd, size, err);
}

bool kb_blob_stat(struct kb_blobs *blobs, const char *name, int64_t *size, struct kb_err *err)
{
	*size = 0;
	return check_name(name, err) && blobs->driver->stat(blobs->impl, name, size, err);
}

void kb_blobs_prefetch(struct kb_blobs *blobs, const char *const *names, size_t count)
{
	if (blobs->driver->prefetch)
		blobs->driver->prefetch(blobs->impl, names, count);
}

void kb_blob_hold(struct kb_blobs *blobs, const char *name)
{
	if (blobs->driver->hold)
		blobs->driver->hold(blobs->impl, name, true);
}

void kb_blob_release(struct kb_blobs *blobs, const char *name)
{
	if (blobs->driver->hold)
		blobs->driver->hold(blobs->impl, name, false);
}

static bool check_hash(const char *name, const char *hex, struct kb_err *err)
{
	return strcmp(name, hex) == 0
	       || kb_corrupt(err, "blob %s is damaged: its bytes hash to %s", name, hex);
}

bool kb_blob_read(struct kb_blobs *blobs, struct kb_arena *arena, const char *name, size_t max,
                  struct kb_sv *out, struct kb_err *err)
{
	char hex[KB_HASH_HEX];
	int64_t size;
	int fd;
	bool ok;

	if (!kb_blob_open(blobs, name, &fd, &size, err))
		return false;
	if ((uint64_t)size > max) {
		kb_fd_close(&fd);
		return kb_fail(err, KB_E_TOO_LARGE,
		               "blob %s has %" PRId64 " bytes, the limit is %zu", name, size, max);
	}
	ok = kb_fd_read_all(arena, fd, (size_t)size, out, err);
	kb_fd_close(&fd);
	if (!ok)
		return false;
	kb_hash_hex(*out, hex);
	return check_hash(name, hex, err);
}

bool kb_blob_verify(struct kb_blobs *blobs, const char *name, struct kb_err *err)
{
	char hex[KB_HASH_HEX];
	int64_t size;
	int fd;
	bool ok;

	if (blobs->driver->verify)
		return check_name(name, err) && blobs->driver->verify(blobs->impl, name, err);
	if (!kb_blob_open(blobs, name, &fd, &size, err))
		return false;
	ok = hash_fd(fd, name, hex, &size, err);
	kb_fd_close(&fd);
	return ok && check_hash(name, hex, err);
}

bool kb_blob_drop_damaged(struct kb_blobs *blobs, const char *name, struct kb_err *err)
{
	struct kb_err found;
	bool removed;

	if (kb_blob_verify(blobs, name, &found) || found.code == KB_E_NOT_FOUND)
		return true;
	if (found.code == KB_E_CORRUPT)
		return blobs->driver->remove(blobs->impl, name, 0, &removed, err);
	if (err)
		*err = found;
	return false;
}

/* ---- all of them ---- */

bool kb_blob_each(struct kb_blobs *blobs,
                  bool (*fn)(void *arg, const char *name, int64_t size, int64_t age_s), void *arg,
                  struct kb_err *err)
{
	return blobs->driver->each(blobs->impl, fn, arg, err);
}

bool kb_blob_remove(struct kb_blobs *blobs, const char *name, int64_t min_age_s, bool *done,
                    struct kb_err *err)
{
	*done = false;
	return check_name(name, err)
	       && blobs->driver->remove(blobs->impl, name, min_age_s, done, err);
}

bool kb_blob_discard(struct kb_blobs *blobs, const char *name, int64_t min_age_s, bool *done,
                     struct kb_err *err)
{
	*done = false;
	return check_name(name, err)
	       && blobs->driver->discard(blobs->impl, name, min_age_s, done, err);
}

struct emptying {
	struct kb_blobs *blobs;
	const struct kb_trash_rule *rule;
	struct kb_trash *out;
	bool ok;
	struct kb_err *err;
};

static bool empty_one(void *arg, const char *name, int64_t size, int64_t age_s)
{
	struct emptying *in = arg;
	const struct kb_blobs *blobs = in->blobs;

	(void)size;
	if (kb_cancelled(in->rule->cancel, in->err)) {
		in->ok = false;
	} else if (in->rule->wanted(in->rule->arg, name)) {
		in->ok = blobs->driver->recall(blobs->impl, name, in->err);
		in->out->recalled += in->ok;
	} else if (age_s >= in->rule->min_age_s) {
		in->ok = blobs->driver->purge(blobs->impl, name, in->err);
		in->out->removed += in->ok;
	} else {
		in->out->kept++;
	}
	return in->ok;
}

bool kb_blobs_empty_trash(struct kb_blobs *blobs, const struct kb_trash_rule *rule,
                          struct kb_trash *out, struct kb_err *err)
{
	struct emptying in = { blobs, rule, out, true, err };

	*out = (struct kb_trash){ 0 };
	return blobs->driver->each_discarded(blobs->impl, empty_one, &in, err) && in.ok;
}

bool kb_blobs_tidy(struct kb_blobs *blobs, int64_t min_age_s, struct kb_err *err)
{
	return blobs->driver->tidy(blobs->impl, min_age_s, err);
}

/* ---- whose they are ---- */

bool kb_blobs_mark(struct kb_blobs *blobs, char mark[KB_BLOB_MARK], struct kb_err *err)
{
	return blobs->driver->mark(blobs->impl, mark, err);
}

bool kb_blobs_set_mark(struct kb_blobs *blobs, const char *mark, struct kb_err *err)
{
	KB_ASSERT(strlen(mark) == KB_BLOB_MARK - 1);
	return blobs->driver->set_mark(blobs->impl, mark, err);
}

/* ---- records ---- */

static bool is_record_name(struct kb_sv name)
{
	bool ok = name.n >= 1 && name.n <= KB_BLOB_RECORD && name.p[0] != '.';

	for (size_t i = 0; ok && i < name.n; i++)
		ok = (name.p[i] >= '0' && name.p[i] <= '9')
		     || ((name.p[i] | 32) >= 'a' && (name.p[i] | 32) <= 'z') || name.p[i] == '-'
		     || name.p[i] == '.';
	return ok;
}

bool kb_blobs_record_put(struct kb_blobs *blobs, const char *name, struct kb_sv bytes,
                         struct kb_err *err)
{
	KB_ASSERT(is_record_name(kb_sv_str(name)) && bytes.n <= KB_BLOB_RECORD_BYTES);
	return blobs->driver->record_put(blobs->impl, name, bytes, err);
}

bool kb_blobs_record_get(struct kb_blobs *blobs, struct kb_arena *arena, const char *name,
                         struct kb_sv *out, struct kb_err *err)
{
	if (!is_record_name(kb_sv_str(name)))
		return kb_fail(err, KB_E_NOT_FOUND, "there is no record of that name");
	return blobs->driver->record_get(blobs->impl, arena, name, out, err);
}

bool kb_blobs_record_drop(struct kb_blobs *blobs, const char *name, struct kb_err *err)
{
	KB_ASSERT(is_record_name(kb_sv_str(name)));
	return blobs->driver->record_drop(blobs->impl, name, err);
}

static int by_text(const void *a, const void *b)
{
	return kb_sv_cmp(*(const struct kb_sv *)a, *(const struct kb_sv *)b);
}

struct records {
	struct kb_arena *arena;
	struct kb_sv *v;
	size_t count, capacity;
};

static void collect(void *arg, struct kb_sv name)
{
	struct records *in = arg;

	if (!is_record_name(name))
		return;
	KB_GROW(in->v, in->capacity, in->count + 1);
	in->v[in->count++] = kb_arena_sv(in->arena, name);
}

bool kb_blobs_records(struct kb_blobs *blobs, struct kb_arena *arena, struct kb_blob_records *out,
                      struct kb_err *err)
{
	struct records in = { .arena = arena };
	bool ok = blobs->driver->records(blobs->impl, collect, &in, err);

	*out = (struct kb_blob_records){ 0 };
	if (ok && in.count) {
		qsort(in.v, in.count, sizeof(*in.v), by_text);
		out->v = kb_arena_copy(arena, in.v, in.count * sizeof(*in.v));
		out->count = in.count;
	}
	free(in.v);
	return ok;
}

/* ---- how they are doing ---- */

bool kb_blobs_ready(struct kb_blobs *blobs, struct kb_err *err)
{
	return !blobs->driver->ready || blobs->driver->ready(blobs->impl, err);
}

void kb_blobs_stats(struct kb_blobs *blobs, struct kb_blobs_stats *out)
{
	*out = (struct kb_blobs_stats){ 0 };
	if (blobs->driver->stats)
		blobs->driver->stats(blobs->impl, out);
}
