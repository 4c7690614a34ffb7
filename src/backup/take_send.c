/* What a backup copies: the database in pieces, and the blobs that it names. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backup/take_own.h"
#include "base/crew.h"
#include "base/file.h"
#include "store/move.h"

enum { HANDS = 4 }; /* that compress and send pieces */

/* ---- the database ---- */

struct pieces {
	struct kb_making *making;
	int fd;
	size_t list, count;
	struct kb_piece_list base; /* of the same list, as far as there is one */
	struct kb_piece v[KB_PIECES_LIST];
	pthread_mutex_t lock;
	_Atomic bool failed;
	struct kb_err err;
};

static bool send_piece(struct pieces *in, struct kb_arena *arena, size_t i, struct kb_err *err)
{
	int64_t at = ((int64_t)in->list * KB_PIECES_LIST + (int64_t)i) * KB_PIECE_BYTES;
	size_t n = (size_t)KB_MIN((int64_t)KB_PIECE_BYTES, in->making->record.bytes - at);
	char *bytes = kb_arena_bytes(arena, n);
	char hex[KB_HASH_HEX];
	struct kb_blob_name name;
	struct kb_sv packed;

	if (pread(in->fd, bytes, n, at) != (ssize_t)n)
		return kb_fail_errno(err, "cannot read the copy of the database");
	kb_hash_hex(kb_sv(bytes, n), hex);
	kb_unhex(kb_sv_str(hex), in->v[i].hash);
	if (i < in->base.count && memcmp(in->base.v[i].hash, in->v[i].hash, KB_HASH_BYTES) == 0) {
		in->v[i] = in->base.v[i];
		return true;
	}
	if (!kb_piece_pack(arena, kb_sv(bytes, n), &packed, err)
	    || !kb_blob_put(in->making->place, packed, &name, err))
		return false;
	atomic_fetch_add(&in->making->new_bytes, (int64_t)packed.n);
	kb_unhex(kb_sv_str(name.hex), in->v[i].name);
	return true;
}

static void send_task(void *arg, size_t i)
{
	struct pieces *in = arg;
	struct kb_arena arena = { 0 };
	struct kb_err err;

	if (!in->failed && !send_piece(in, &arena, i, &err)) {
		pthread_mutex_lock(&in->lock);
		in->failed = true;
		in->err = err;
		pthread_mutex_unlock(&in->lock);
	}
	kb_arena_fini(&arena);
}

/* What the place has already under that name is not sent again. */
static bool put_list(struct kb_making *m, struct kb_sv bytes, struct kb_sv known,
                     struct kb_sv *name, struct kb_err *err)
{
	struct kb_blob_name got;
	char hex[KB_HASH_HEX];

	kb_hash_hex(bytes, hex);
	*name = kb_arena_sv(&m->arena, kb_sv_str(hex));
	if (m->has_base && kb_sv_eq(known, *name))
		return true;
	atomic_fetch_add(&m->new_bytes, (int64_t)bytes.n);
	return kb_blob_put(m->place, bytes, &got, err);
}

static bool send_list(struct kb_making *m, struct pieces *in, struct kb_hasher *hasher,
                      struct kb_err *err)
{
	struct kb_crew crew = { .name = "pieces",
		                .threads = HANDS,
		                .task = send_task,
		                .arg = in,
		                .cancel = &m->cancel };
	struct kb_arena arena = { 0 };
	bool is_known = m->has_base && in->list < m->base.list_count;
	struct kb_sv known = is_known ? m->base.lists[in->list] : KB_SV("");
	struct kb_err why;
	bool ok;

	in->count = kb_pieces_in_list(m->record.bytes, in->list);
	in->base.count = 0;
	/* A list of the base that cannot be read spares nothing. */
	if (is_known && !kb_backup_pieces(m->place, &arena, &m->base, in->list, &in->base, &why))
		in->base.count = 0;
	ok = kb_crew_run(&crew, 0, in->count, err)
	     && (!in->failed || kb_fail(err, in->err.code, "%s", in->err.msg));
	for (size_t i = 0; ok && i < in->count; i++)
		kb_hasher_add(hasher, in->v[i].hash, KB_HASH_BYTES);
	ok = ok
	     && put_list(m, kb_sv((const char *)in->v, in->count * sizeof(in->v[0])), known,
	                 &m->record.lists[in->list], err);
	kb_arena_fini(&arena);
	return ok;
}

bool kb_making_send_database(struct kb_making *m, struct kb_err *err)
{
	int64_t list = (int64_t)KB_PIECE_BYTES * KB_PIECES_LIST;
	struct pieces *in = kb_xcalloc(1, sizeof(*in));
	struct kb_hasher hasher;
	struct stat st = { 0 };
	char path[KB_TEMP_PATH];
	bool ok;

	snprintf(path, sizeof(path), "%s/docent.db", m->dir);
	in->making = m;
	in->fd = open(path, O_RDONLY | O_CLOEXEC);
	ok = (in->fd >= 0 && fstat(in->fd, &st) == 0) || kb_fail_errno(err, "cannot open %s", path);
	pthread_mutex_init(&in->lock, NULL);
	kb_hasher_init(&hasher);
	if (ok) {
		m->record.bytes = st.st_size;
		m->record.list_count = (size_t)((st.st_size + list - 1) / list);
		m->record.lists = KB_NEW_ARRAY(&m->arena, m->record.list_count, struct kb_sv);
	}
	for (in->list = 0; ok && in->list < m->record.list_count; in->list++)
		ok = send_list(m, in, &hasher, err);
	kb_hasher_hex(&hasher, m->record.hash);
	kb_fd_close(&in->fd);
	pthread_mutex_destroy(&in->lock);
	free(in);
	return ok;
}

/* ---- the blobs ---- */

static int by_text(const void *a, const void *b)
{
	return kb_sv_cmp(*(const struct kb_sv *)a, *(const struct kb_sv *)b);
}

/* The names without those that the base has, which are there. */
static void without_base(struct kb_making *m, struct kb_arena *arena, int list, struct kb_sv *names,
                         size_t *count)
{
	struct kb_listed_blobs known;
	size_t left_count = 0;
	struct kb_err why;

	if (!m->has_base || !kb_backup_names(m->place, arena, &m->base, list, &known, &why))
		return;
	for (size_t i = 0; i < *count; i++)
		if (!bsearch(&names[i], known.v, known.count, sizeof(*known.v), by_text))
			names[left_count++] = names[i];
	*count = left_count;
}

/* What the list will hold: what is there now. */
static size_t without_lost(struct kb_sv *all, size_t count, const struct kb_sv *tried,
                           const bool *lost, size_t tried_count)
{
	size_t kept = 0, t = 0;

	for (size_t i = 0; i < count; i++) {
		while (t < tried_count && kb_sv_cmp(tried[t], all[i]) < 0)
			t++;
		if (t < tried_count && lost[t] && kb_sv_eq(tried[t], all[i]))
			continue;
		all[kept++] = all[i];
	}
	return kept;
}

static bool send_blobs(struct kb_making *m, struct kb_store *copy, int list, struct kb_err *err)
{
	const struct kb_move names_of = { .from = copy };
	struct kb_arena arena = { 0 };
	struct kb_sv *names, *tried;
	size_t count, tried_count;
	bool *lost, ok;

	ok = !kb_cancelled(&m->cancel, err)
	     && kb_move_blob_names(&names_of, &arena, list, &names, &count, err);
	if (!ok || !count) {
		m->record.blob_lists[list] = KB_SV("");
		kb_arena_fini(&arena);
		return ok;
	}
	tried = kb_arena_copy(&arena, names, count * sizeof(*names));
	tried_count = count;
	lost = KB_NEW_ARRAY(&arena, count, bool);
	without_base(m, &arena, list, tried, &tried_count);
	ok = kb_copies_make(&m->copies, tried, tried_count, lost, err);
	count = ok ? without_lost(names, count, tried, lost, tried_count) : 0;
	m->record.blobs += (int64_t)count;
	m->record.blob_lists[list] = KB_SV("");
	if (ok && count)
		ok = put_list(m, kb_blob_list_write(&arena, names, count),
		              m->has_base ? m->base.blob_lists[list] : KB_SV(""),
		              &m->record.blob_lists[list], err);
	kb_arena_fini(&arena);
	return ok;
}

bool kb_making_send_blobs(struct kb_making *m, struct kb_err *err)
{
	struct kb_store *copy = kb_store_open_as(
	        &(struct kb_store_config){ .at = m->dir, .use = KB_STORE_MOVE }, err);
	struct kb_installation of;
	bool ok = copy && kb_store_installation(copy, &of, err);

	if (ok && strcmp(of.mark, m->installation.mark) != 0)
		ok = kb_fail(err, KB_E_IO, "the copy of the database in %s has gone", m->dir);
	m->copies.lost = 0;
	m->record.blobs = 0;
	for (int i = 0; ok && i < KB_BLOB_LISTS; i++)
		ok = send_blobs(m, copy, i, err);
	m->record.missing = m->copies.lost;
	kb_store_close(copy);
	return ok;
}
