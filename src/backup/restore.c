#include "backup/restore.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crew.h"
#include "base/file.h"
#include "base/temp.h"

enum { HANDS = 6 };

struct fetching {
	struct kb_blobs *place;
	const struct kb_backup_record *record;
	struct kb_piece_list pieces; /* of the list `list` */
	size_t list;
	const char *path;
	int fd;
	pthread_mutex_t lock;
	_Atomic bool failed;
	struct kb_err err;
};

static bool write_at(const struct fetching *in, struct kb_sv bytes, int64_t at, struct kb_err *err)
{
	for (size_t done = 0; done < bytes.n;) {
		ssize_t n = pwrite(in->fd, bytes.p + done, bytes.n - done, at + (int64_t)done);

		if (n <= 0)
			return kb_fail_errno(err, "cannot write %s", in->path);
		done += (size_t)n;
	}
	return true;
}

static bool fetch_piece(const struct fetching *in, struct kb_arena *arena, size_t i,
                        struct kb_err *err)
{
	enum { PACKED_MAX = 2 * KB_PIECE_BYTES };
	int64_t at = ((int64_t)in->list * KB_PIECES_LIST + (int64_t)i) * KB_PIECE_BYTES;
	size_t n = (size_t)KB_MIN((int64_t)KB_PIECE_BYTES, in->record->bytes - at);
	char name[KB_HASH_HEX], hash[KB_HASH_HEX], got[KB_HASH_HEX];
	struct kb_sv packed, bytes;

	kb_hex(in->pieces.v[i].name, KB_HASH_BYTES, name);
	kb_hex(in->pieces.v[i].hash, KB_HASH_BYTES, hash);
	if (!kb_blob_read(in->place, arena, name, PACKED_MAX, &packed, err)
	    || !kb_piece_unpack(arena, packed, n, &bytes, err))
		return false;
	kb_hash_hex(bytes, got);
	if (strcmp(got, hash) != 0)
		return kb_fail(err, KB_E_CORRUPT, "a piece of the database is not what it was");
	return write_at(in, bytes, at, err);
}

static void fetch_task(void *arg, size_t i)
{
	struct fetching *in = arg;
	struct kb_arena arena = { 0 };
	struct kb_err err;

	if (!in->failed && !fetch_piece(in, &arena, i, &err)) {
		pthread_mutex_lock(&in->lock);
		in->failed = true;
		in->err = err;
		pthread_mutex_unlock(&in->lock);
	}
	kb_arena_fini(&arena);
}

static bool fetch_list(struct fetching *in, struct kb_hasher *hasher,
                       const struct kb_cancel *cancel, struct kb_err *err)
{
	struct kb_crew crew = {
		.name = "pieces", .threads = HANDS, .task = fetch_task, .arg = in, .cancel = cancel
	};
	struct kb_arena arena = { 0 };
	bool ok = kb_backup_pieces(in->place, &arena, in->record, in->list, &in->pieces, err);

	for (size_t i = 0; ok && i < in->pieces.count; i++)
		kb_hasher_add(hasher, in->pieces.v[i].hash, KB_HASH_BYTES);
	ok = ok && kb_crew_run(&crew, 0, in->pieces.count, err)
	     && (!in->failed || kb_fail(err, in->err.code, "%s", in->err.msg));
	kb_arena_fini(&arena);
	return ok;
}

static bool fetch_all(struct fetching *in, const struct kb_cancel *cancel, struct kb_err *err)
{
	struct kb_hasher hasher;
	char hash[KB_HASH_HEX];

	kb_hasher_init(&hasher);
	for (in->list = 0; in->list < in->record->list_count; in->list++)
		if (!fetch_list(in, &hasher, cancel, err))
			return false;
	kb_hasher_hex(&hasher, hash);
	if (strcmp(hash, in->record->hash) != 0)
		return kb_fail(err, KB_E_CORRUPT, "the database is not what it was");
	return fsync(in->fd) == 0 || kb_fail_errno(err, "cannot sync %s", in->path);
}

bool kb_backup_fetch(struct kb_blobs *place, const struct kb_backup_record *record,
                     const char *directory, const struct kb_cancel *cancel, struct kb_err *err)
{
	char part[KB_TEMP_PATH], whole[KB_TEMP_PATH];
	struct fetching in = { .place = place, .record = record, .path = part };
	struct stat st;
	bool ok;

	snprintf(part, sizeof(part), "%s/docent.db.part", directory);
	snprintf(whole, sizeof(whole), "%s/docent.db", directory);
	if (stat(whole, &st) == 0)
		return true;
	in.fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (in.fd < 0)
		return kb_fail_errno(err, "cannot create %s", part);
	pthread_mutex_init(&in.lock, NULL);
	ok = fetch_all(&in, cancel, err);
	pthread_mutex_destroy(&in.lock);
	kb_fd_close(&in.fd);
	if (ok && rename(part, whole) != 0)
		ok = kb_fail_errno(err, "cannot rename %s", part);
	if (!ok)
		unlink(part);
	return ok && kb_path_sync(directory, err);
}
