#include "blob/sealed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/file.h"
#include "blob/driver.h"

enum {
	PLAIN = KB_SEAL_PIECE,
	SEALED = KB_SEAL_PIECE + KB_SEAL_MORE,
	LABEL = 8 + KB_BLOB_RECORD + 1,
	/* Kept records are as long as the place takes. */
	RECORD_MORE = KB_SEAL_HEAD + (KB_BLOB_RECORD_BYTES / KB_SEAL_PIECE + 1) * KB_SEAL_MORE,
};

struct sealed {
	struct kb_blobs *within;
	struct kb_seal_keys keys;
	char *scratch; /* NULL: none */
};

/* What the bytes are, and under which name they are kept. */
static struct kb_sv label_of(char label[LABEL], const char *what, const char *name)
{
	snprintf(label, LABEL, "%s:%s", what, name);
	return kb_sv_str(label);
}

static bool damaged(const char *name, struct kb_err *err)
{
	char why[sizeof(err->msg)];

	snprintf(why, sizeof(why), "%s", err->msg);
	return kb_corrupt(err, "blob %s is damaged: %.200s", name, why);
}

/* ---- files ---- */

static bool read_piece(int fd, char *piece, size_t n, const char *what, struct kb_err *err)
{
	for (size_t done = 0; done < n;) {
		ssize_t got = kb_fault() ? -1 : read(fd, piece + done, n - done);

		if (got < 0)
			return kb_fail_errno(err, "cannot read %s", what);
		if (got == 0)
			return kb_fail(err, KB_E_CORRUPT, "%s has become shorter", what);
		done += (size_t)got;
	}
	return true;
}

struct sealing {
	const struct sealed *in;
	int from, to;
	int64_t size;
	const char *path; /* from */
};

static bool seal_file(const struct sealing *of, struct kb_sv label, struct kb_err *err)
{
	unsigned char *out = kb_xmalloc(SEALED);
	char *piece = kb_xmalloc(PLAIN);
	int64_t left = of->size;
	struct kb_seal seal;
	bool ok;

	kb_seal_begin(&seal, &of->in->keys, label, out);
	ok = kb_fd_write_all(of->to, kb_sv((const char *)out, KB_SEAL_HEAD), of->path, err);
	do {
		size_t n = (size_t)KB_MIN(left, (int64_t)PLAIN);

		left -= (int64_t)n;
		ok = ok && read_piece(of->from, piece, n, of->path, err);
		if (ok) {
			kb_seal_piece(&seal, kb_sv(piece, n), !left, out);
			ok = kb_fd_write_all(of->to, kb_sv((const char *)out, n + KB_SEAL_MORE),
			                     of->path, err);
		}
	} while (ok && left);
	free(piece);
	free(out);
	return ok;
}

/* Who takes what was sealed: a file, or the hash alone. */
struct taker {
	int fd; /* -1: no file */
	struct kb_hasher hasher;
};

static bool take_piece(struct taker *taker, struct kb_sv piece, struct kb_err *err)
{
	kb_hasher_add(&taker->hasher, piece.p, piece.n);
	return taker->fd < 0 || kb_fd_write_all(taker->fd, piece, "a blob", err);
}

static bool unseal_pieces(const struct sealed *in, struct kb_sv label, int from, int64_t sealed,
                          struct taker *taker, struct kb_err *err)
{
	char *piece = kb_xmalloc(SEALED);
	unsigned char *out = kb_xmalloc(PLAIN);
	int64_t left = sealed - KB_SEAL_HEAD;
	struct kb_seal seal;
	bool ok = read_piece(from, piece, KB_SEAL_HEAD, "a sealed blob", err)
	          && kb_unseal_begin(&seal, &in->keys, label, (const unsigned char *)piece, err);

	while (ok && left) {
		size_t n = (size_t)KB_MIN(left, (int64_t)SEALED);

		left -= (int64_t)n;
		ok = read_piece(from, piece, n, "a sealed blob", err)
		     && kb_unseal_piece(&seal, kb_sv(piece, n), !left, out, err)
		     && take_piece(taker, kb_sv((const char *)out, n - KB_SEAL_MORE), err);
	}
	free(out);
	free(piece);
	return ok;
}

/* Unseals a blob, whose bytes are those of its name. */
static bool unseal_blob(const struct sealed *in, const char *name, struct taker *taker,
                        int64_t *plain, struct kb_err *err)
{
	char kept[KB_HASH_HEX], hex[KB_HASH_HEX], label[LABEL];
	int64_t sealed;
	int from;
	bool ok;

	kb_seal_name(&in->keys, name, kept);
	if (!in->within->driver->get(in->within->impl, kept, &from, &sealed, err))
		return err && err->code == KB_E_NOT_FOUND
		               ? kb_fail(err, KB_E_NOT_FOUND, "there is no blob %s", name)
		               : false;
	kb_hasher_init(&taker->hasher);
	ok = (kb_sealed_plain(sealed, plain)
	      || kb_fail(err, KB_E_CORRUPT, "its sealed bytes were cut"))
	     && unseal_pieces(in, label_of(label, "blob", name), from, sealed, taker, err);
	kb_fd_close(&from);
	if (!ok)
		return err && err->code == KB_E_CORRUPT ? damaged(name, err) : false;
	kb_hasher_hex(&taker->hasher, hex);
	return strcmp(hex, name) == 0
	       || kb_corrupt(err, "blob %s is damaged: its bytes hash to %s", name, hex);
}

/* ---- the driver ---- */

static void sealed_close(void *impl)
{
	struct sealed *in = impl;

	kb_blobs_close(in->within);
	free(in->scratch);
	explicit_bzero(in, sizeof(*in));
	free(in);
}

static bool sealed_put(void *impl, const char *name, struct kb_sv bytes, struct kb_err *err)
{
	const struct sealed *in = impl;
	struct kb_arena arena = { 0 };
	char kept[KB_HASH_HEX], label[LABEL];
	struct kb_sv sealed = kb_seal(&arena, &in->keys, label_of(label, "blob", name), bytes);
	bool ok;

	kb_seal_name(&in->keys, name, kept);
	ok = in->within->driver->put(in->within->impl, kept, sealed, err);
	kb_arena_fini(&arena);
	return ok;
}

/* Beside the file, which is where the place can take it from. */
static bool sealed_take(void *impl, const char *name, const char *path, int64_t size,
                        struct kb_err *err)
{
	const struct sealed *in = impl;
	struct kb_arena arena = { 0 };
	const char *beside = kb_arena_printf(&arena, "%s.sealed", path).p;
	char kept[KB_HASH_HEX], label[LABEL];
	struct sealing of = { .in = in, .size = size, .path = path, .to = -1 };
	bool ok;

	of.from = kb_fault() ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (of.from >= 0)
		of.to = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	ok = (of.to >= 0 || kb_fail_errno(err, "cannot seal %s", path))
	     && seal_file(&of, label_of(label, "blob", name), err);
	kb_fd_close(&of.from);
	kb_fd_close(&of.to);
	kb_seal_name(&in->keys, name, kept);
	ok = ok
	     && in->within->driver->take(in->within->impl, kept, beside, kb_sealed_size(size), err);
	if (!ok)
		unlink(beside);
	else if (unlink(path) != 0)
		ok = kb_fail_errno(err, "cannot remove %s", path);
	kb_arena_fini(&arena);
	return ok;
}

/* In memory where there is no folder, or its file system has no files without a name. */
static int open_nameless(const char *folder)
{
	int fd = folder ? open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : -1;

	if (kb_fault()) {
		kb_fd_close(&fd);
		errno = EIO;
		return -1;
	}
	return fd >= 0 ? fd : memfd_create("blob", MFD_CLOEXEC);
}

static bool sealed_get(void *impl, const char *name, int *fd, int64_t *size, struct kb_err *err)
{
	const struct sealed *in = impl;
	struct taker taker = { .fd = open_nameless(in->scratch) };

	if (taker.fd < 0)
		return kb_fail_errno(err, "cannot open blob %s", name);
	if (!unseal_blob(in, name, &taker, size, err)) {
		kb_fd_close(&taker.fd);
		return false;
	}
	lseek(taker.fd, 0, SEEK_SET);
	*fd = taker.fd;
	return true;
}

static bool sealed_verify(void *impl, const char *name, struct kb_err *err)
{
	struct taker taker = { .fd = -1 };
	int64_t size;

	return unseal_blob(impl, name, &taker, &size, err);
}

static bool sealed_stat(void *impl, const char *name, int64_t *size, struct kb_err *err)
{
	const struct sealed *in = impl;
	char kept[KB_HASH_HEX];
	int64_t sealed;

	kb_seal_name(&in->keys, name, kept);
	return in->within->driver->stat(in->within->impl, kept, &sealed, err)
	       && (kb_sealed_plain(sealed, size)
	           || kb_corrupt(err, "blob %s is damaged: its sealed bytes were cut", name));
}

static bool sealed_remove(void *impl, const char *name, int64_t min_age_s, bool *removed,
                          struct kb_err *err)
{
	const struct sealed *in = impl;
	char kept[KB_HASH_HEX];

	kb_seal_name(&in->keys, name, kept);
	return in->within->driver->remove(in->within->impl, kept, min_age_s, removed, err);
}

static bool sealed_tidy(void *impl, int64_t min_age_s, struct kb_err *err)
{
	return kb_blobs_tidy(((const struct sealed *)impl)->within, min_age_s, err);
}

static bool sealed_mark(void *impl, char *mark, struct kb_err *err)
{
	return kb_blobs_mark(((const struct sealed *)impl)->within, mark, err);
}

static bool sealed_set_mark(void *impl, const char *mark, struct kb_err *err)
{
	return kb_blobs_set_mark(((const struct sealed *)impl)->within, mark, err);
}

static bool sealed_record_put(void *impl, const char *name, struct kb_sv bytes, struct kb_err *err)
{
	const struct sealed *in = impl;
	struct kb_arena arena = { 0 };
	char label[LABEL];
	bool ok = bytes.n + RECORD_MORE <= KB_BLOB_RECORD_BYTES
	                  ? kb_blobs_record_put(in->within, name,
	                                        kb_seal(&arena, &in->keys,
	                                                label_of(label, "record", name), bytes),
	                                        err)
	                  : kb_fail(err, KB_E_TOO_LARGE,
	                            "a sealed record has %zu bytes, the limit is %d", bytes.n,
	                            KB_BLOB_RECORD_BYTES - RECORD_MORE);

	kb_arena_fini(&arena);
	return ok;
}

static bool sealed_record_get(void *impl, struct kb_arena *arena, const char *name,
                              struct kb_sv *out, struct kb_err *err)
{
	const struct sealed *in = impl;
	char label[LABEL];
	struct kb_sv sealed;

	return kb_blobs_record_get(in->within, arena, name, &sealed, err)
	       && kb_unseal(arena, &in->keys, label_of(label, "record", name), sealed, out, err);
}

static bool sealed_record_drop(void *impl, const char *name, struct kb_err *err)
{
	return kb_blobs_record_drop(((const struct sealed *)impl)->within, name, err);
}

static bool sealed_records(void *impl, void (*fn)(void *arg, struct kb_sv name), void *arg,
                           struct kb_err *err)
{
	struct kb_blobs *within = ((const struct sealed *)impl)->within;

	return within->driver->records(within->impl, fn, arg, err);
}

static void sealed_cancel(void *impl)
{
	kb_blobs_cancel(((const struct sealed *)impl)->within);
}

static struct kb_blobs *sealed_within(void *impl)
{
	return ((const struct sealed *)impl)->within;
}

static void sealed_name_within(void *impl, const char *name, char *out)
{
	kb_seal_name(&((const struct sealed *)impl)->keys, name, out);
}

/* Names cannot be told from those that are kept. */
static bool sealed_each(void *impl,
                        bool (*fn)(void *arg, const char *name, int64_t size, int64_t age_s),
                        void *arg, struct kb_err *err)
{
	(void)impl;
	(void)fn;
	(void)arg;
	return kb_fail(err, KB_E_UNSUPPORTED, "sealed blobs have no names to list");
}

static const struct kb_blob_driver driver = {
	.close = sealed_close,
	.put = sealed_put,
	.take = sealed_take,
	.get = sealed_get,
	.stat = sealed_stat,
	.verify = sealed_verify,
	.remove = sealed_remove,
	.each = sealed_each,
	.tidy = sealed_tidy,
	.mark = sealed_mark,
	.set_mark = sealed_set_mark,
	.record_put = sealed_record_put,
	.record_get = sealed_record_get,
	.record_drop = sealed_record_drop,
	.records = sealed_records,
	.cancel = sealed_cancel,
	.within = sealed_within,
	.name_within = sealed_name_within,
};

struct kb_blobs *kb_blobs_seal(struct kb_blobs *within, const struct kb_seal_keys *keys,
                               const char *scratch)
{
	struct sealed *in = kb_xcalloc(1, sizeof(*in));

	in->within = within;
	in->keys = *keys;
	in->scratch = scratch ? kb_xstrdup(scratch) : NULL;
	return kb_blobs_new(&driver, in);
}
