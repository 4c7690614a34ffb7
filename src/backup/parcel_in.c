#include "backup/parcel_in.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backup/names.h"
#include "base/crew.h"
#include "base/file.h"
#include "base/temp.h"
#include "store/accounts.h"

enum {
	HANDS = 6, /* that put small blobs */
	SMALL = 1 << 20,
	SMALL_COUNT = 64,
	SMALL_BYTES = 16 << 20, /* of those that are put together */
	PIECE = 64 << 10,
	BUFFER = 256 << 10,
};
#define HOLD_EVERY_US (30 * KB_SECOND_US)

/* Blobs that have been read and are not put yet. */
struct small {
	struct kb_arena arena;
	struct kb_sv bytes[SMALL_COUNT];
	char names[SMALL_COUNT][KB_HASH_HEX];
	size_t count, total;
};

struct coming {
	const struct kb_parcel_in *task;
	FILE *file;
	struct kb_parcel_reader reader;
	struct kb_arrival *arrival;
	struct kb_names names; /* of all blobs of the file */
	struct small small;
	int64_t held_at;
	_Atomic int64_t new_blobs;
	pthread_mutex_t lock;
	atomic_bool failed;
	struct kb_err err; /* of a hand */
};

static ssize_t read_file(void *arg, void *to, size_t n)
{
	FILE *file = arg;
	size_t got = fread(to, 1, n, file);

	return got || !ferror(file) ? (ssize_t)got : -1;
}

static bool rewind_file(struct coming *c, struct kb_arena *arena, struct kb_parcel_head *head,
                        struct kb_err *err)
{
	rewind(c->file);
	c->reader = (struct kb_parcel_reader){ .read = read_file, .arg = c->file };
	return kb_parcel_read_head(&c->reader, arena, head, err);
}

/* ---- tables and rows, in both readings ---- */

typedef bool rows_fn(struct kb_arrival *arrival, const struct kb_parcel_rows *rows,
                     struct kb_err *err);

/* Until the end; the reader stands on the first table, or on what should be one. */
static bool read_tables(struct coming *c, rows_fn *fn, struct kb_err *err)
{
	struct kb_arena of_table = { 0 }, arena = { 0 };
	struct kb_parcel_table table = { 0 };
	struct kb_parcel_rows rows;
	bool ok = true;

	while (ok && c->reader.frame != KB_PARCEL_FRAME_END) {
		if (c->reader.frame == KB_PARCEL_FRAME_TABLE) {
			kb_arena_reset(&of_table);
			ok = kb_parcel_read_table(&c->reader, &of_table, &table, err)
			     && kb_arrival_table(c->arrival, &table, err);
		} else {
			ok = kb_parcel_read_rows(&c->reader, &arena, &table, &rows, err)
			     && fn(c->arrival, &rows, err);
			kb_arena_reset(&arena);
		}
		ok = ok && !kb_cancelled(c->task->cancel, err)
		     && kb_parcel_read_next(&c->reader, err);
	}
	kb_arena_fini(&arena);
	kb_arena_fini(&of_table);
	return ok && kb_parcel_read_end(&c->reader, err);
}

/* ---- the first reading ---- */

static bool check_blob(struct coming *c, struct kb_err *err)
{
	char piece[PIECE], hex[KB_HASH_HEX];
	struct kb_hasher hasher;
	size_t got = 1;

	kb_hasher_init(&hasher);
	while (got) {
		if (!kb_parcel_read_blob(&c->reader, piece, sizeof(piece), &got, err))
			return false;
		kb_hasher_add(&hasher, piece, got);
	}
	kb_hasher_hex(&hasher, hex);
	if (strcmp(hex, c->reader.blob) != 0)
		return kb_fail(err, KB_E_CORRUPT, "it is damaged");
	kb_names_add(&c->names, kb_sv_str(hex));
	return true;
}

static bool look(struct coming *c, struct kb_arena *arena, struct kb_parcel_head *head,
                 struct kb_err *err)
{
	if (!rewind_file(c, arena, head, err) || !kb_parcel_read_next(&c->reader, err))
		return false;
	while (c->reader.frame == KB_PARCEL_FRAME_BLOB)
		if (kb_cancelled(c->task->cancel, err) || !check_blob(c, err)
		    || !kb_parcel_read_next(&c->reader, err))
			return false;
	return read_tables(c, kb_arrival_look, err);
}

/* What is wrong with a file that has been damaged is that. */
static bool look_whole(struct coming *c, struct kb_arena *arena, struct kb_parcel_head *head,
                       struct kb_err *err)
{
	struct kb_err damage;

	if (look(c, arena, head, err))
		return true;
	if (c->reader.begun && c->reader.frame != KB_PARCEL_FRAME_END
	    && !kb_cancelled(c->task->cancel, NULL) && !kb_parcel_read_over(&c->reader, &damage))
		*err = damage;
	return false;
}

/* ---- blobs ---- */

static bool hold(struct coming *c, struct kb_err *err)
{
	int64_t now = kb_clock_mono_us();

	if (now < c->held_at + HOLD_EVERY_US)
		return true;
	c->held_at = now;
	return kb_arrival_hold(c->arrival, err);
}

static bool is_there(struct coming *c, const char *name, bool *there, struct kb_err *err)
{
	int64_t size;

	*there = kb_blob_stat(c->task->blobs, name, &size, err);
	return *there || err->code == KB_E_NOT_FOUND;
}

static bool same_name(const char *one, const char *other, struct kb_err *err)
{
	return strcmp(one, other) == 0 || kb_fail(err, KB_E_CORRUPT, "it is no longer what it was");
}

static bool put_small(struct coming *c, size_t i, struct kb_err *err)
{
	struct kb_blob_name name;

	if (!kb_blob_put(c->task->blobs, c->small.bytes[i], &name, err)
	    || !same_name(name.hex, c->small.names[i], err))
		return false;
	atomic_fetch_add(&c->new_blobs, 1);
	return true;
}

static void small_task(void *arg, size_t i)
{
	struct coming *c = arg;
	struct kb_err err;

	if (atomic_load(&c->failed) || put_small(c, i, &err))
		return;
	pthread_mutex_lock(&c->lock);
	if (!atomic_exchange(&c->failed, true))
		c->err = err;
	pthread_mutex_unlock(&c->lock);
}

static bool put_all_small(struct coming *c, struct kb_err *err)
{
	struct kb_crew crew = { .name = "blobs",
		                .threads = HANDS,
		                .task = small_task,
		                .arg = c,
		                .cancel = c->task->cancel };
	bool ok = kb_crew_run(&crew, 0, c->small.count, err)
	          && (!atomic_load(&c->failed) || kb_fail(err, c->err.code, "%s", c->err.msg));

	kb_arena_reset(&c->small.arena);
	c->small.count = c->small.total = 0;
	return ok && hold(c, err);
}

static bool take_small(struct coming *c, struct kb_err *err)
{
	struct small *small = &c->small;
	size_t n = (size_t)c->reader.left, got;
	char *bytes = kb_arena_bytes(&small->arena, n + 1);

	if (!kb_parcel_read_blob(&c->reader, bytes, n, &got, err))
		return false;
	small->bytes[small->count] = kb_sv(bytes, n);
	memcpy(small->names[small->count], c->reader.blob, KB_HASH_HEX);
	small->count++;
	small->total += n;
	return (small->count < SMALL_COUNT && small->total < SMALL_BYTES) || put_all_small(c, err);
}

static bool write_large(struct coming *c, const char *path, struct kb_err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	char piece[PIECE];
	size_t got = 1;
	bool ok = fd >= 0 || kb_fail_errno(err, "cannot create %s", path);

	while (ok && got)
		ok = kb_parcel_read_blob(&c->reader, piece, sizeof(piece), &got, err)
		     && kb_fd_write_all(fd, kb_sv(piece, got), path, err) && hold(c, err)
		     && !kb_cancelled(c->task->cancel, err);
	kb_fd_close(&fd);
	return ok;
}

static bool take_large(struct coming *c, struct kb_err *err)
{
	char path[KB_TEMP_PATH];
	struct kb_blob_name name;
	int64_t size;
	bool ok;

	kb_temp_path(path, c->task->temp_dir, KB_TEMP_UPLOAD);
	ok = write_large(c, path, err) && kb_blob_take(c->task->blobs, path, &name, &size, err)
	     && same_name(name.hex, c->reader.blob, err);
	unlink(path);
	atomic_fetch_add(&c->new_blobs, ok);
	return ok;
}

static bool take_blobs(struct coming *c, struct kb_err *err)
{
	while (c->reader.frame == KB_PARCEL_FRAME_BLOB) {
		bool there;

		if (kb_cancelled(c->task->cancel, err) || !is_there(c, c->reader.blob, &there, err)
		    || (!there
		        && !(c->reader.left <= SMALL ? take_small(c, err) : take_large(c, err)))
		    || !kb_parcel_read_next(&c->reader, err))
			return false;
	}
	return put_all_small(c, err);
}

/* ---- the second reading ---- */

static bool come(struct coming *c, struct kb_parcel_came *out, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_parcel_head head;
	struct kb_account account;
	bool ok;

	if (!kb_store_account_ensure(c->task->store, &arena, kb_sv_str(c->task->account),
	                             (struct kb_sv){ 0 }, &account, err)
	    || !kb_arrival_begin(c->arrival, account.id, err)) {
		kb_arena_fini(&arena);
		return false;
	}
	c->held_at = kb_clock_mono_us();
	ok = rewind_file(c, &arena, &head, err) && kb_parcel_read_next(&c->reader, err)
	     && take_blobs(c, err) && read_tables(c, kb_arrival_put, err);
	if (ok)
		c->task->coming(c->task->arg, account.id, kb_arrival_agent(c->arrival));
	ok = ok && kb_arrival_end(c->arrival, &out->arrived, err);
	if (!ok)
		kb_arrival_drop(c->arrival);
	kb_arena_fini(&arena);
	return ok;
}

static bool has_blob(void *arg, struct kb_sv name)
{
	const struct coming *c = arg;

	return kb_names_has(&c->names, name);
}

/* It is read twice, so it is no pipe; and who asks for one does not wait for its other end. */
static bool open_file(struct coming *c, struct kb_err *err)
{
	int fd = open(c->task->from, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return kb_fail(err, errno == ENOENT ? KB_E_NOT_FOUND : KB_E_IO,
		               "it cannot be opened: %s", strerror(errno));
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		kb_fd_close(&fd);
		return kb_fail(err, KB_E_INVALID, "it is no file");
	}
	c->file = fdopen(fd, "r");
	if (!c->file)
		kb_fd_close(&fd);
	return c->file || kb_fail(err, KB_E_IO, "it cannot be opened: no memory");
}

static bool run(struct coming *c, struct kb_arena *arena, struct kb_parcel_came *out,
                struct kb_err *err)
{
	const struct kb_arrival_config config = { c->task->store, has_blob, c };

	if (!open_file(c, err))
		return false;
	setvbuf(c->file, NULL, _IOFBF, BUFFER);
	c->arrival = kb_arrival_new(&config, err);
	if (!c->arrival || !look_whole(c, arena, &out->head, err) || !come(c, out, err))
		return false;
	out->arrived.name = kb_arena_sv(arena, out->arrived.name);
	out->blobs = c->reader.sums.blobs;
	out->new_blobs = atomic_load(&c->new_blobs);
	return true;
}

bool kb_parcel_import(const struct kb_parcel_in *task, struct kb_arena *arena,
                      struct kb_parcel_came *out, struct kb_err *err)
{
	struct coming *c = kb_xcalloc(1, sizeof(*c));
	struct kb_err why = { 0 };
	bool ok;

	*out = (struct kb_parcel_came){ 0 };
	c->task = task;
	pthread_mutex_init(&c->lock, NULL);
	ok = run(c, arena, out, &why);
	if (!ok)
		kb_fail(err, why.code, "%s: %.400s", task->from, why.msg);
	if (c->file)
		fclose(c->file);
	kb_arrival_free(c->arrival);
	kb_names_fini(&c->names);
	kb_arena_fini(&c->small.arena);
	pthread_mutex_destroy(&c->lock);
	free(c);
	return ok;
}
