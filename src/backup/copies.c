#include "backup/copies.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/pool.h"
#include "base/temp.h"

enum { HANDS = 6, PIECE = 256 << 10 };

/* The names that are copied, and how far the hands have come in them. */
struct slice {
	struct kb_copies *copies;
	const struct kb_sv *names;
	size_t count;
	bool *lost_ones; /* of each name; NULL: nobody asks */
	_Atomic size_t next;
	_Atomic bool failed;
	_Atomic int64_t copied, bytes, there, lost;
	pthread_mutex_t lock;
	struct kb_err err; /* of the first that failed */
};

/* ---- one blob ---- */

static bool copy_bytes(int from, int to, int64_t size, const char *path, struct kb_err *err)
{
	char *piece = kb_xmalloc(PIECE);
	bool ok = true;

	for (int64_t at = 0; ok && at < size;) {
		ssize_t n = pread(from, piece, PIECE, at);

		ok = n > 0
		     || (n == 0 ? kb_fail(err, KB_E_IO, "a blob has become shorter")
		                : kb_fail_errno(err, "cannot read a blob"));
		ok = ok && kb_fd_write_all(to, kb_sv(piece, (size_t)n), path, err);
		at += n;
	}
	free(piece);
	return ok;
}

/* A copy of the blob in a file of its own. */
static bool fetch(const struct kb_copies *in, const char *name, const char *path,
                  struct kb_err *err)
{
	int from, to;
	int64_t size;
	bool ok;

	if (!kb_blob_open(in->from, name, &from, &size, err))
		return false;
	to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	ok = to >= 0 ? copy_bytes(from, to, size, path, err)
	             : kb_fail_errno(err, "cannot create %s", path);
	kb_fd_close(&from);
	kb_fd_close(&to);
	return ok;
}

/* What it was put under is made of its bytes. */
static bool put(const struct kb_copies *in, const char *name, const char *path, int64_t *size,
                struct kb_err *err)
{
	struct kb_blob_name got;
	bool done;

	if (!kb_blob_take(in->to, path, &got, size, err))
		return false;
	if (strcmp(got.hex, name) == 0)
		return true;
	if (!kb_blob_remove(in->to, got.hex, 0, &done, err))
		return false;
	return kb_fail(err, KB_E_CORRUPT, "its bytes are others than its name says");
}

static bool copy(const struct kb_copies *in, const char *name, bool *there, int64_t *size,
                 struct kb_err *err)
{
	char path[KB_TEMP_PATH];
	bool ok;

	*there = kb_blob_stat(in->to, name, size, err);
	if (*there)
		return true;
	if (err->code != KB_E_NOT_FOUND)
		return false;
	kb_temp_path(path, in->temp, KB_TEMP_UPLOAD);
	ok = fetch(in, name, path, err) && put(in, name, path, size, err);
	unlink(path);
	return ok;
}

/* ---- many ---- */

static void keep_failure(struct slice *slice, const struct kb_err *err)
{
	pthread_mutex_lock(&slice->lock);
	if (!atomic_exchange(&slice->failed, true))
		slice->err = *err;
	pthread_mutex_unlock(&slice->lock);
}

static void *work(void *arg)
{
	struct slice *slice = arg;

	while (!atomic_load(&slice->failed)) {
		size_t i = atomic_fetch_add(&slice->next, 1);
		struct kb_err err = { 0 };
		int64_t size;
		bool there;

		if (i >= slice->count || kb_cancelled(slice->copies->cancel, NULL))
			break;
		if (copy(slice->copies, slice->names[i].p, &there, &size, &err)) {
			atomic_fetch_add(there ? &slice->there : &slice->copied, 1);
			atomic_fetch_add(&slice->bytes, there ? 0 : size);
		} else if (err.code == KB_E_NOT_FOUND || err.code == KB_E_CORRUPT) {
			if (slice->lost_ones)
				slice->lost_ones[i] = true;
			if (slice->copies->say)
				slice->copies->say(slice->copies->arg, slice->names[i].p, err.msg);
			atomic_fetch_add(&slice->lost, 1);
		} else {
			keep_failure(slice, &err);
		}
	}
	return NULL;
}

bool kb_copies_make(struct kb_copies *copies, const struct kb_sv *names, size_t count,
                    bool *lost_ones, struct kb_err *err)
{
	struct slice slice = {
		.copies = copies, .names = names, .count = count, .lost_ones = lost_ones
	};
	pthread_t hands[HANDS];
	int hand_count = (int)KB_MIN(count, (size_t)HANDS);

	pthread_mutex_init(&slice.lock, NULL);
	for (int i = 0; i < hand_count; i++)
		hands[i] = kb_thread_start("copy", work, &slice);
	for (int i = 0; i < hand_count; i++)
		pthread_join(hands[i], NULL);
	pthread_mutex_destroy(&slice.lock);
	copies->copied += slice.copied;
	copies->bytes += slice.bytes;
	copies->there += slice.there;
	copies->lost += slice.lost;
	if (slice.failed)
		*err = slice.err;
	return !slice.failed && !kb_cancelled(copies->cancel, err);
}
