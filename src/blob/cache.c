/*
 * One lock guards a hash table of entries, which also stand in a list by use. An entry that is busy
 * is being fetched or checked by one thread; who wants the same waits for that.
 */
#include "blob/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fault.h"
#include "base/file.h"

enum {
	PLACE = 3 + KB_HASH_HEX, /* "ab/" and the name */
	TEMPORARY = 4 + 32 + 1,  /* "tmp/", 16 random bytes in hexadecimal */
	BUCKETS = 1 << 14,
	CHUNK = 256 << 10,
	COMPLAIN_S = 60, /* a full disk is worth a line a minute */
};

struct entry {
	char name[KB_HASH_HEX];
	int64_t bytes;
	int pins, waiting; /* threads, for `busy` to end */
	bool busy, checked;
	bool gone;         /* out of the table; the last who waits frees it */
	struct kb_err why; /* of a fetch that failed */
	struct entry *next;
	struct entry *newer, *older; /* by use; not of one that is being fetched */
};

struct kb_blob_cache {
	int root; /* descriptor: every path is relative to it */
	int lock_fd;
	int64_t max_bytes;
	const struct kb_log *log;
	pthread_mutex_t lock;
	pthread_cond_t settled; /* an entry is no longer busy */
	struct entry *buckets[BUCKETS];
	struct entry *newest, *oldest;
	struct kb_blob_cache_stats stats;
	int64_t complained_us;
};

static void place_of(const char *name, char place[PLACE])
{
	snprintf(place, PLACE, "%.2s/%.64s", name, name);
}

/* ---- the table; the caller has the lock ---- */

static struct entry **bucket_of(struct kb_blob_cache *cache, const char *name)
{
	char digits[9];

	/* Names are hashes. */
	snprintf(digits, sizeof(digits), "%.8s", name);
	return &cache->buckets[strtoul(digits, NULL, 16) % BUCKETS];
}

static struct entry *find(struct kb_blob_cache *cache, const char *name)
{
	struct entry *entry = *bucket_of(cache, name);

	while (entry && strcmp(entry->name, name) != 0)
		entry = entry->next;
	return entry;
}

static void unlink_use(struct kb_blob_cache *cache, struct entry *entry)
{
	*(entry->newer ? &entry->newer->older : &cache->newest) = entry->older;
	*(entry->older ? &entry->older->newer : &cache->oldest) = entry->newer;
}

static void link_use(struct kb_blob_cache *cache, struct entry *entry)
{
	entry->newer = NULL;
	entry->older = cache->newest;
	*(cache->newest ? &cache->newest->newer : &cache->oldest) = entry;
	cache->newest = entry;
}

/* An empty entry, busy: the caller will fetch. */
static struct entry *add(struct kb_blob_cache *cache, const char *name)
{
	struct entry **bucket = bucket_of(cache, name), *entry = kb_xcalloc(1, sizeof(*entry));

	snprintf(entry->name, sizeof(entry->name), "%s", name);
	entry->busy = true;
	entry->next = *bucket;
	*bucket = entry;
	return entry;
}

static void leave_table(struct kb_blob_cache *cache, struct entry *entry)
{
	struct entry **at = bucket_of(cache, entry->name);

	while (*at != entry)
		at = &(*at)->next;
	*at = entry->next;
	entry->gone = true;
	entry->busy = false;
	pthread_cond_broadcast(&cache->settled);
	if (!entry->waiting)
		free(entry);
}

/* The disk is of no use: one code for whatever it says. */
static bool fail_disk(struct kb_err *err, const char *what)
{
	kb_fail_errno(err, "%s", what);
	if (err)
		err->code = KB_E_FULL;
	return false;
}

/* A file of the cache ends, with its entry. */
static void forget(struct kb_blob_cache *cache, struct entry *entry)
{
	char place[PLACE];

	place_of(entry->name, place);
	unlinkat(cache->root, place, 0);
	unlink_use(cache, entry);
	cache->stats.bytes -= entry->bytes;
	cache->stats.held -= entry->pins;
	cache->stats.blobs--;
	leave_table(cache, entry);
}

static void shrink(struct kb_blob_cache *cache, int64_t to_bytes)
{
	for (struct entry *entry = cache->oldest, *newer; entry && cache->stats.bytes > to_bytes;
	     entry = newer) {
		newer = entry->newer;
		if (entry->pins || entry->busy)
			continue;
		forget(cache, entry);
		cache->stats.evictions++;
	}
}

/* A fetched or put file is in place. */
static void settle(struct kb_blob_cache *cache, struct entry *entry, int64_t bytes, bool checked)
{
	entry->bytes = bytes;
	entry->checked = checked;
	entry->busy = false;
	link_use(cache, entry);
	cache->stats.bytes += bytes;
	cache->stats.blobs++;
	pthread_cond_broadcast(&cache->settled);
}

/* ---- opening ---- */

struct found {
	char name[KB_HASH_HEX];
	int64_t bytes, used_ns;
};
struct finding {
	struct found *v;
	size_t count, capacity;
};

static int by_use(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	return (x->used_ns > y->used_ns) - (x->used_ns < y->used_ns);
}

static bool is_name(const char *name)
{
	return strlen(name) == KB_HASH_HEX - 1
	       && strspn(name, "0123456789abcdef") == KB_HASH_HEX - 1;
}

/* The blobs of one folder; tmp: nothing in it is worth anything. */
static void look_into(const struct kb_blob_cache *cache, const char *path, bool is_tmp,
                      struct finding *out)
{
	int fd = openat(cache->root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	struct stat st;

	if (!stream) {
		kb_fd_close(&fd);
		return;
	}
	while ((entry = readdir(stream))) {
		if (entry->d_name[0] == '.')
			continue;
		if (is_tmp) {
			unlinkat(fd, entry->d_name, 0);
		} else if (is_name(entry->d_name) && strncmp(entry->d_name, path, 2) == 0
		           && fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0
		           && S_ISREG(st.st_mode)) {
			KB_GROW(out->v, out->capacity, out->count + 1);
			out->v[out->count] = (struct found){
				.bytes = st.st_size,
				.used_ns = st.st_mtim.tv_sec * INT64_C(1000000000)
				           + st.st_mtim.tv_nsec,
			};
			snprintf(out->v[out->count++].name, KB_HASH_HEX, "%.64s", entry->d_name);
		}
	}
	closedir(stream);
}

/* What an earlier life has left, not checked yet. */
static void look(struct kb_blob_cache *cache)
{
	struct finding in = { 0 };

	look_into(cache, "tmp", true, &in);
	for (unsigned i = 0; i < 256; i++) {
		char path[3];

		snprintf(path, sizeof(path), "%02x", i);
		look_into(cache, path, false, &in);
	}
	if (in.count)
		qsort(in.v, in.count, sizeof(*in.v), by_use);
	for (size_t i = 0; i < in.count; i++)
		settle(cache, add(cache, in.v[i].name), in.v[i].bytes, false);
	free(in.v);
	shrink(cache, cache->max_bytes);
}

/* Ours alone: what another process put out of the folder we would believe to be there. */
static bool lock_folder(struct kb_blob_cache *cache, const char *dir, struct kb_err *err)
{
	cache->lock_fd = kb_fault() ? -1
	                            : openat(cache->root, "lock",
	                                     O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (cache->lock_fd < 0)
		return kb_fail_errno(err, "cannot open %s/lock", dir);
	if (flock(cache->lock_fd, LOCK_EX | LOCK_NB) == 0)
		return true;
	if (errno == EWOULDBLOCK)
		return kb_fail(err, KB_E_CONFLICT,
		               "the cache %s is used by another server: name another folder with "
		               "--cache",
		               dir);
	return kb_fail_errno(err, "cannot lock %s/lock", dir);
}

struct kb_blob_cache *kb_blob_cache_open(const char *dir, int64_t max_bytes,
                                         const struct kb_log *log, struct kb_err *err)
{
	struct kb_blob_cache *cache;

	if (!kb_dir_make(dir, err))
		return NULL;
	cache = kb_xcalloc(1, sizeof(*cache));
	cache->max_bytes = max_bytes;
	cache->log = log;
	cache->lock_fd = -1;
	pthread_mutex_init(&cache->lock, NULL);
	pthread_cond_init(&cache->settled, NULL);
	cache->root = kb_fault() ? -1 : open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (cache->root < 0 || (mkdirat(cache->root, "tmp", 0700) != 0 && errno != EEXIST)) {
		kb_fail_errno(err, "cannot use the cache %s", dir);
		kb_blob_cache_close(cache);
		return NULL;
	}
	if (!lock_folder(cache, dir, err)) {
		kb_blob_cache_close(cache);
		return NULL;
	}
	look(cache);
	return cache;
}

void kb_blob_cache_close(struct kb_blob_cache *cache)
{
	if (!cache)
		return;
	for (struct entry *entry = cache->newest, *older; entry; entry = older) {
		older = entry->older;
		free(entry);
	}
	kb_fd_close(&cache->lock_fd);
	kb_fd_close(&cache->root);
	pthread_cond_destroy(&cache->settled);
	pthread_mutex_destroy(&cache->lock);
	free(cache);
}

/* ---- files ---- */

static void temporary(char path[TEMPORARY])
{
	unsigned char random[16];

	kb_random(random, sizeof(random));
	memcpy(path, "tmp/", sizeof("tmp/"));
	kb_hex(random, sizeof(random), path + 4);
}

/* Into its place; the folder of its first letters is made when the first comes. */
static bool move_in(const struct kb_blob_cache *cache, int from_dir, const char *from,
                    const char *name, struct kb_err *err)
{
	char place[PLACE], folder[3] = { name[0], name[1], '\0' };

	place_of(name, place);
	if (kb_fault())
		return fail_disk(err, "cannot keep a blob in the cache");
	if (renameat(from_dir, from, cache->root, place) == 0)
		return true;
	if (errno == ENOENT && (mkdirat(cache->root, folder, 0700) == 0 || errno == EEXIST)
	    && renameat(from_dir, from, cache->root, place) == 0)
		return true;
	return fail_disk(err, "cannot keep a blob in the cache");
}

static int open_place(const struct kb_blob_cache *cache, const char *name)
{
	char place[PLACE];

	place_of(name, place);
	return kb_fault() ? -1 : openat(cache->root, place, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
}

/* Whether the file's bytes are those of its name. */
static bool is_whole(const struct kb_blob_cache *cache, const char *name)
{
	int fd = open_place(cache, name);
	char hex[KB_HASH_HEX], *chunk;
	struct kb_hasher hasher;
	ssize_t n;

	if (fd < 0)
		return false;
	chunk = kb_xmalloc(CHUNK);
	kb_hasher_init(&hasher);
	while ((n = kb_fault() ? -1 : read(fd, chunk, CHUNK)) > 0)
		kb_hasher_add(&hasher, chunk, (size_t)n);
	free(chunk);
	kb_fd_close(&fd);
	kb_hasher_hex(&hasher, hex);
	return n == 0 && strcmp(hex, name) == 0;
}

/* Fetches into a temporary file and moves it in. */
static bool bring(struct kb_blob_cache *cache, const char *name,
                  const struct kb_blob_source *source, int64_t *bytes, struct kb_err *err)
{
	char path[TEMPORARY];
	struct stat st;
	bool ok;
	int fd;

	temporary(path);
	fd = kb_fault() ? -1
	                : openat(cache->root, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return fail_disk(err, "cannot write to the cache");
	ok = source->fetch(source->arg, name, fd, err);
	if (ok && (kb_fault() || fstat(fd, &st) != 0))
		ok = fail_disk(err, "cannot write to the cache");
	ok = ok && move_in(cache, cache->root, path, name, err);
	kb_fd_close(&fd);
	if (!ok)
		unlinkat(cache->root, path, 0);
	else
		*bytes = st.st_size;
	return ok;
}

static void complain(struct kb_blob_cache *cache, const struct kb_err *why)
{
	int64_t now = kb_clock_mono_us();

	cache->stats.failures++;
	if (cache->complained_us && now - cache->complained_us < COMPLAIN_S * KB_SECOND_US)
		return;
	cache->complained_us = now;
	kb_warn(cache->log,
	        "blobs are not kept in the cache, they are read from the bucket each "
	        "time error=%s",
	        why->msg);
}

/* ---- getting; the caller has the lock ---- */

/* Waits until nobody works on the entry. False when it has come to nothing, and why. */
static bool wait_for(struct kb_blob_cache *cache, struct entry *entry, struct kb_err *err)
{
	bool ok = true;

	entry->waiting++;
	while (entry->busy)
		pthread_cond_wait(&cache->settled, &cache->lock);
	entry->waiting--;
	if (entry->gone) {
		ok = entry->why.code == KB_OK;
		if (!ok && err)
			*err = entry->why;
		if (!entry->waiting)
			free(entry);
	}
	return ok;
}

/* Checks a file of an earlier life, which is forgotten when it is damaged. */
static void check(struct kb_blob_cache *cache, struct entry *entry)
{
	bool whole;

	entry->busy = true;
	pthread_mutex_unlock(&cache->lock);
	whole = is_whole(cache, entry->name);
	pthread_mutex_lock(&cache->lock);
	entry->busy = false;
	entry->checked = whole;
	pthread_cond_broadcast(&cache->settled);
	if (whole)
		return;
	cache->stats.damaged++;
	kb_warn(cache->log, "a damaged file of the cache is fetched anew blob=%s", entry->name);
	forget(cache, entry);
}

/* Fetches a blob that is not there; others wait. A full disk is given room once. */
static bool fetch(struct kb_blob_cache *cache, const char *name,
                  const struct kb_blob_source *source, struct kb_err *err)
{
	struct entry *entry = add(cache, name);
	struct kb_err why = { 0 };
	int64_t bytes = 0;
	bool ok;

	cache->stats.misses++;
	for (int attempt = 0;; attempt++) {
		pthread_mutex_unlock(&cache->lock);
		ok = bring(cache, name, source, &bytes, &why);
		pthread_mutex_lock(&cache->lock);
		if (ok || why.code != KB_E_FULL || attempt)
			break;
		shrink(cache, cache->stats.bytes / 2);
	}
	if (ok) {
		entry->why.code = KB_OK;
		settle(cache, entry, bytes, true);
		entry->pins++; /* until it is open */
		shrink(cache, cache->max_bytes);
		entry->pins--;
		return true;
	}
	if (why.code == KB_E_FULL)
		complain(cache, &why);
	entry->why = why;
	leave_table(cache, entry);
	if (err)
		*err = why;
	return false;
}

static bool open_entry(struct kb_blob_cache *cache, struct entry *entry, int *fd, int64_t *size)
{
	*fd = open_place(cache, entry->name);
	if (*fd < 0)
		return false;
	*size = entry->bytes;
	futimens(*fd, NULL); /* the order of use, for the next life */
	unlink_use(cache, entry);
	link_use(cache, entry);
	return true;
}

/* One step towards a descriptor, which *fd has in the end; false: it will have none. */
static bool step(struct kb_blob_cache *cache, const char *name, const struct kb_blob_source *source,
                 int *fd, int64_t *size, struct kb_err *err)
{
	struct entry *entry = find(cache, name);

	if (!entry)
		return fetch(cache, name, source, err);
	if (entry->busy)
		return wait_for(cache, entry, err);
	if (!entry->checked) {
		check(cache, entry);
		return true;
	}
	/* Somebody has emptied the folder. */
	if (!open_entry(cache, entry, fd, size))
		forget(cache, entry);
	return true;
}

bool kb_blob_cache_get(struct kb_blob_cache *cache, const char *name,
                       const struct kb_blob_source *source, int *fd, int64_t *size,
                       struct kb_err *err)
{
	enum { STEPS_MAX = 20 };
	bool ok = true;

	*fd = -1;
	pthread_mutex_lock(&cache->lock);
	for (int steps = 0; ok && *fd < 0; steps++) {
		bool is_there = find(cache, name) != NULL;

		cache->stats.hits += steps == 0 && is_there;
		ok = steps < STEPS_MAX
		             ? step(cache, name, source, fd, size, err)
		             : kb_fail(err, KB_E_FULL, "the cache does not keep what it is given");
	}
	pthread_mutex_unlock(&cache->lock);
	return ok;
}

/* ---- putting ---- */

/* Takes a whole file in, if nobody has or is about to. */
static bool take_in(struct kb_blob_cache *cache, const char *name, int from_dir, const char *from,
                    int64_t bytes, struct kb_err *err)
{
	struct entry *entry;
	bool ok;

	pthread_mutex_lock(&cache->lock);
	entry = find(cache, name);
	if (entry) {
		pthread_mutex_unlock(&cache->lock);
		return false;
	}
	ok = move_in(cache, from_dir, from, name, err);
	if (ok) {
		settle(cache, add(cache, name), bytes, true);
		shrink(cache, cache->max_bytes);
	} else {
		complain(cache, err);
	}
	pthread_mutex_unlock(&cache->lock);
	return ok;
}

void kb_blob_cache_put(struct kb_blob_cache *cache, const char *name, struct kb_sv bytes)
{
	char path[TEMPORARY];
	struct kb_err err = { 0 };
	bool ok;
	int fd;

	temporary(path);
	fd = kb_fault() ? -1
	                : openat(cache->root, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	ok = kb_fd_write_all(fd, bytes, "the cache", &err);
	kb_fd_close(&fd);
	if (!ok) {
		pthread_mutex_lock(&cache->lock);
		complain(cache, &err);
		pthread_mutex_unlock(&cache->lock);
	}
	if (!ok || !take_in(cache, name, cache->root, path, (int64_t)bytes.n, &err))
		unlinkat(cache->root, path, 0);
}

bool kb_blob_cache_take(struct kb_blob_cache *cache, const char *name, const char *path)
{
	struct stat st, root;
	struct kb_err err;

	return stat(path, &st) == 0 && fstat(cache->root, &root) == 0 && st.st_dev == root.st_dev
	       && take_in(cache, name, AT_FDCWD, path, st.st_size, &err);
}

void kb_blob_cache_drop(struct kb_blob_cache *cache, const char *name)
{
	struct entry *entry;

	pthread_mutex_lock(&cache->lock);
	entry = find(cache, name);
	if (entry && !entry->busy)
		forget(cache, entry);
	pthread_mutex_unlock(&cache->lock);
}

static void pin(struct kb_blob_cache *cache, const char *name, int more)
{
	struct entry *entry;

	pthread_mutex_lock(&cache->lock);
	entry = find(cache, name);
	/* It may have been forgotten and fetched anew since it was held. */
	if (entry && entry->pins + more >= 0) {
		cache->stats.held += more;
		entry->pins += more;
	}
	if (more < 0)
		shrink(cache, cache->max_bytes);
	pthread_mutex_unlock(&cache->lock);
}

void kb_blob_cache_hold(struct kb_blob_cache *cache, const char *name)
{
	pin(cache, name, 1);
}

void kb_blob_cache_release(struct kb_blob_cache *cache, const char *name)
{
	pin(cache, name, -1);
}

void kb_blob_cache_stats(struct kb_blob_cache *cache, struct kb_blob_cache_stats *out)
{
	pthread_mutex_lock(&cache->lock);
	*out = cache->stats;
	pthread_mutex_unlock(&cache->lock);
}
