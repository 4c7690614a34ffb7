/*
 * Open snapshots by agent: a hash table whose entries also stand in a list by use.
 *
 * One lock guards both; files are opened outside it, so one agent's slow disk does not stop the
 * questions of others. Nothing under the lock grows with the number of open agents.
 */
#include "live/catalog.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "index/factors.h"
#include "store/repairs.h"
#include "store/vectors.h"

enum {
	/* Each open file is a map, and the kernel gives a process 65,530 of them
	 * (vm.max_map_count); what requests still hold and everything else shares them. */
	FILES_MAX = 30000,
	KNOWN_MAX_US = 100000,
	BUCKETS_MAX = 1 << 16,
};

enum kind { SEGMENT, VECTORS, FACTORS };

/* An open blob: one of the three. */
struct file {
	char blob[KB_HASH_HEX];
	struct kb_segment *segment;
	struct kb_vectors *vectors;
	struct kb_factors *factors;
	int64_t bytes;         /* of the map */
	struct kb_blobs *from; /* which holds the blob for it; NULL: it does not */
};

/* One open agent. It owns what is live of it and holds the files, to carry those that stay the same
 * into the next version. */
struct entry {
	int64_t agent_id;
	struct kb_live live;
	struct file *files;
	size_t file_count, file_capacity;
	struct entry *next;          /* in its bucket */
	struct entry *newer, *older; /* by use */
	struct kb_catalog_stats stats;
};

struct kb_catalog {
	struct kb_store *store;
	struct kb_blobs *blobs;
	const struct kb_log *log;
	pthread_mutex_t lock;
	struct entry **buckets;
	struct kb_catalog_limits limits;
	size_t bucket_mask;
	struct entry *newest, *oldest;
	struct kb_catalog_stats stats; /* of all entries */
	struct entry prepared; /* its files: segments that a commit is about to name, a few */
};

struct kb_snapshot *kb_live_opened(const struct kb_live *live, struct kb_arena *arena,
                                   const struct kb_label_filter *filter)
{
	struct kb_pass pass;

	kb_pass_init(&pass, live->access, arena, filter);
	if (pass.all_open)
		return kb_snapshot_hold(live->snapshot);
	return kb_snapshot_hiding(live->snapshot, kb_pass_allows, &pass);
}

void kb_live_release(struct kb_live *live)
{
	kb_snapshot_release(live->snapshot);
	kb_access_release(live->access);
	*live = (struct kb_live){ 0 };
}

static struct kb_live live_hold(const struct kb_live *live)
{
	return (struct kb_live){ kb_snapshot_hold(live->snapshot), kb_access_hold(live->access),
		                 live->version };
}

static void file_hold(struct file *file, struct kb_blobs *from)
{
	file->from = from;
	if (from)
		kb_blob_hold(from, file->blob);
}

static void file_release(struct file *file)
{
	kb_segment_release(file->segment);
	kb_vectors_release(file->vectors);
	kb_factors_release(file->factors);
	if (file->from)
		kb_blob_release(file->from, file->blob);
}

static void files_free(struct entry *entry)
{
	for (size_t i = 0; i < entry->file_count; i++)
		file_release(&entry->files[i]);
	free(entry->files);
}

/* The next file of the entry, empty. */
static struct file *file_add(struct entry *entry, const char *blob)
{
	struct file *file;

	KB_GROW(entry->files, entry->file_capacity, entry->file_count + 1);
	file = &entry->files[entry->file_count++];
	*file = (struct file){ 0 };
	snprintf(file->blob, sizeof(file->blob), "%s", blob);
	return file;
}

/* Holds once more what is open in `from`. */
static struct file *file_copy(struct entry *entry, const struct file *from)
{
	struct file *file = file_add(entry, from->blob);

	file->segment = from->segment ? kb_segment_hold(from->segment) : NULL;
	file->vectors = from->vectors ? kb_vectors_hold(from->vectors) : NULL;
	file->factors = kb_factors_hold(from->factors);
	file->bytes = from->bytes;
	file_hold(file, from->from);
	return file;
}

static void entry_free(struct entry *entry)
{
	if (!entry)
		return;
	kb_live_release(&entry->live);
	files_free(entry);
	free(entry);
}

struct kb_catalog *kb_catalog_open(struct kb_store *store, struct kb_blobs *blobs,
                                   const struct kb_catalog_limits *limits, const struct kb_log *log)
{
	struct kb_catalog *catalog = kb_xcalloc(1, sizeof(*catalog));

	catalog->store = store;
	catalog->blobs = blobs;
	catalog->log = log;
	catalog->limits = *limits;
	while (catalog->bucket_mask + 1 < KB_MIN(limits->agents, (size_t)BUCKETS_MAX))
		catalog->bucket_mask = catalog->bucket_mask * 2 + 1;
	catalog->buckets = kb_xcalloc(catalog->bucket_mask + 1, sizeof(struct entry *));
	pthread_mutex_init(&catalog->lock, NULL);
	return catalog;
}

void kb_catalog_close(struct kb_catalog *catalog)
{
	if (!catalog)
		return;
	for (struct entry *entry = catalog->newest, *older; entry; entry = older) {
		older = entry->older;
		entry_free(entry);
	}
	files_free(&catalog->prepared);
	free(catalog->buckets);
	pthread_mutex_destroy(&catalog->lock);
	free(catalog);
}

/* ---- the table; the caller has the lock ---- */

static struct entry **bucket_of(const struct kb_catalog *catalog, int64_t agent_id)
{
	uint64_t hash =
	        (uint64_t)agent_id * UINT64_C(0x9e3779b97f4a7c15); /* ids follow each other */

	return &catalog->buckets[hash >> 32 & catalog->bucket_mask];
}

static struct entry *find(const struct kb_catalog *catalog, int64_t agent_id)
{
	struct entry *entry = *bucket_of(catalog, agent_id);

	while (entry && entry->agent_id != agent_id)
		entry = entry->next;
	return entry;
}

static void add_stats(struct kb_catalog_stats *to, const struct kb_catalog_stats *more, int sign)
{
	to->agents += sign * more->agents;
	to->files += sign * more->files;
	to->mapped_bytes += sign * more->mapped_bytes;
	to->heap_bytes += sign * more->heap_bytes;
}

static void unlink_use(struct kb_catalog *catalog, struct entry *entry)
{
	*(entry->newer ? &entry->newer->older : &catalog->newest) = entry->older;
	*(entry->older ? &entry->older->newer : &catalog->oldest) = entry->newer;
}

static void link_use(struct kb_catalog *catalog, struct entry *entry)
{
	entry->newer = NULL;
	entry->older = catalog->newest;
	*(catalog->newest ? &catalog->newest->newer : &catalog->oldest) = entry;
	catalog->newest = entry;
}

static void use(struct kb_catalog *catalog, struct entry *entry)
{
	unlink_use(catalog, entry);
	link_use(catalog, entry);
}

static void insert(struct kb_catalog *catalog, struct entry *entry)
{
	struct entry **bucket = bucket_of(catalog, entry->agent_id);

	entry->next = *bucket;
	*bucket = entry;
	link_use(catalog, entry);
	add_stats(&catalog->stats, &entry->stats, 1);
}

static void remove_entry(struct kb_catalog *catalog, struct entry *entry)
{
	struct entry **place = bucket_of(catalog, entry->agent_id);

	while (*place != entry)
		place = &(*place)->next;
	*place = entry->next;
	unlink_use(catalog, entry);
	add_stats(&catalog->stats, &entry->stats, -1);
	entry->next = NULL;
}

/* Frees what remove_entry() took out, outside the lock. */
static void free_all(struct entry *gone)
{
	while (gone) {
		struct entry *next = gone->next;

		entry_free(gone);
		gone = next;
	}
}

/* ---- opening ---- */

/* Opens the blob as what it is wanted for. */
static bool file_open(struct kb_catalog *catalog, struct file *file, enum kind kind,
                      struct kb_err *err)
{
	char path[64];
	int64_t size;
	int fd;

	if (!kb_blob_open(catalog->blobs, file->blob, &fd, &size, err))
		return false;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	file->bytes = size;
	if (kind == SEGMENT)
		file->segment = kb_segment_open(path, true, err);
	else if (kind == VECTORS)
		file->vectors = kb_vectors_open(path, true, err);
	else
		file->factors = kb_factors_open(path, err);
	kb_fd_close(&fd);
	return file->segment || file->vectors || file->factors;
}

struct kb_segment *kb_catalog_segment(struct kb_catalog *catalog, struct kb_sv blob,
                                      struct kb_err *err)
{
	struct file file = { 0 };

	snprintf(file.blob, sizeof(file.blob), "%.*s", KB_SV_ARG(blob));
	return file_open(catalog, &file, SEGMENT, err) ? file.segment : NULL;
}

struct kb_vectors *kb_catalog_vectors(struct kb_catalog *catalog, struct kb_sv blob,
                                      struct kb_err *err)
{
	struct file file = { 0 };

	snprintf(file.blob, sizeof(file.blob), "%.*s", KB_SV_ARG(blob));
	return file_open(catalog, &file, VECTORS, err) ? file.vectors : NULL;
}

struct kb_factors *kb_catalog_factors(struct kb_catalog *catalog, struct kb_sv blob,
                                      struct kb_err *err)
{
	struct file file = { 0 };

	snprintf(file.blob, sizeof(file.blob), "%.*s", KB_SV_ARG(blob));
	return file_open(catalog, &file, FACTORS, err) ? file.factors : NULL;
}

/* One agent on its way to be open. */
struct loading {
	struct kb_catalog *catalog;
	struct kb_arena arena;
	struct kb_index_state state;
	struct entry *entry;
	const struct entry *old; /* the agent's earlier version */
	bool is_first;           /* try: a segment that is not there may have been merged */
};

/* The blob's prepared file, held once more by the entry, or NULL. */
static struct file *take_prepared(struct loading *loading, struct kb_sv blob)
{
	struct kb_catalog *catalog = loading->catalog;
	struct file *file = NULL;

	pthread_mutex_lock(&catalog->lock);
	for (size_t i = 0; i < catalog->prepared.file_count && !file; i++)
		if (kb_sv_eq_str(blob, catalog->prepared.files[i].blob))
			file = file_copy(loading->entry, &catalog->prepared.files[i]);
	pthread_mutex_unlock(&catalog->lock);
	return file;
}

/* The blob's file in the entry: carried over from the earlier version, prepared, or opened; NULL
 * with *err. It is valid until the next one. */
static struct file *take(struct loading *loading, struct kb_sv blob, enum kind kind,
                         struct kb_err *err)
{
	const struct entry *old = loading->old;
	struct file *file;

	for (size_t i = 0; old && i < old->file_count; i++)
		if (kb_sv_eq_str(blob, old->files[i].blob))
			return file_copy(loading->entry, &old->files[i]);
	file = kind == SEGMENT ? take_prepared(loading, blob) : NULL;
	if (file)
		return file;
	file = file_add(loading->entry, kb_arena_str(&loading->arena, blob));
	if (file_open(loading->catalog, file, kind, err)) {
		file_hold(file, loading->catalog->blobs);
		return file;
	}
	loading->entry->file_count--;
	return NULL;
}

/* What can be made again is not made again while its damaged bytes keep the name. */
static void drop_damaged(struct kb_catalog *catalog, struct kb_sv blob)
{
	char name[KB_HASH_HEX];
	struct kb_err err;

	snprintf(name, sizeof(name), "%.*s", KB_SV_ARG(blob));
	if (!kb_blob_drop_damaged(catalog->blobs, name, &err))
		kb_warn(catalog->log, "damaged blob not removed error=%s", err.msg);
}

/* The columns of a segment that can be had. One that is damaged or gone is forgotten, to be made
 * again. */
static void load_columns(struct loading *loading, const struct kb_segment_row *row,
                         struct kb_snapshot_part *part)
{
	struct kb_vectors **columns =
	        KB_NEW_ARRAY(&loading->arena, KB_SEGMENT_COLUMNS_MAX, struct kb_vectors *);

	for (size_t i = 0; i < loading->state.vectors_count; i++) {
		const struct kb_vectors_row *column = &loading->state.vectors[i];
		struct kb_err err, drop_err;
		struct file *file;

		if (column->segment_id != row->id || part->vectors_count >= KB_SEGMENT_COLUMNS_MAX)
			continue;
		file = take(loading, column->blob, VECTORS, &err);
		if (file) {
			columns[part->vectors_count++] = file->vectors;
			continue;
		}
		kb_warn(loading->catalog->log,
		        "vector column not opened agent=%" PRId64 " segment=%" PRId64
		        " name=%.*s error=%s",
		        loading->entry->agent_id, row->id, KB_SV_ARG(column->name), err.msg);
		if (err.code != KB_E_CORRUPT && err.code != KB_E_NOT_FOUND)
			continue;
		drop_damaged(loading->catalog, column->blob);
		if (!kb_store_vectors_drop(loading->catalog->store, loading->entry->agent_id,
		                           row->id, column->name, column->blob, &drop_err))
			kb_warn(loading->catalog->log, "vector column not dropped error=%s",
			        drop_err.msg);
	}
	part->vectors = columns;
}

static void load_factors(struct loading *loading)
{
	const struct kb_factors_row *row = &loading->state.factors;
	int64_t agent_id = loading->entry->agent_id;
	struct kb_err err, drop_err;
	struct file *file;

	if (!row->mark.n)
		return;
	file = take(loading, row->blob, FACTORS, &err);
	if (file) {
		kb_snapshot_set_factors(loading->entry->live.snapshot, file->factors);
		return;
	}
	kb_warn(loading->catalog->log, "factors not opened agent=%" PRId64 " error=%s", agent_id,
	        err.msg);
	if (err.code != KB_E_CORRUPT && err.code != KB_E_NOT_FOUND)
		return;
	drop_damaged(loading->catalog, row->blob);
	if (!kb_store_factors_drop(loading->catalog->store, agent_id, row->blob, &drop_err))
		kb_warn(loading->catalog->log, "factors not dropped error=%s", drop_err.msg);
}

/* A segment that is damaged or gone is made anew (repair.h); the agent goes on without it. */
static bool report(struct loading *loading, const struct kb_segment_row *row,
                   const struct kb_err *why, struct kb_err *err)
{
	int64_t agent_id = loading->entry->agent_id;

	if (why->code != KB_E_CORRUPT && why->code != KB_E_NOT_FOUND)
		return kb_fail(err, why->code, "%s", why->msg);
	kb_warn(loading->catalog->log,
	        "segment is damaged agent=%" PRId64 " segment=%" PRId64 " error=%s", agent_id,
	        row->id, why->msg);
	return kb_store_segment_damaged(loading->catalog->store, agent_id, row->id, row->blob, err);
}

static bool load_parts(struct loading *loading, struct kb_err *err)
{
	const struct kb_index_state *state = &loading->state;
	struct entry *entry = loading->entry;
	struct kb_snapshot_part *parts =
	        KB_NEW_ARRAY(&loading->arena, state->segment_count, struct kb_snapshot_part);
	size_t count = 0;
	struct kb_dead_page *dead =
	        KB_NEW_ARRAY(&loading->arena, state->dead_count, struct kb_dead_page);

	for (size_t i = 0; i < state->segment_count; i++) {
		const struct kb_segment_row *row = &state->segments[i];
		struct kb_err why = { 0 };
		struct file *file = take(loading, row->blob, SEGMENT, &why);

		if (!file && loading->is_first && why.code == KB_E_NOT_FOUND)
			return kb_fail(err, why.code, "%s", why.msg);
		if (!file && !report(loading, row, &why, err))
			return false;
		if (!file)
			continue;
		parts[count] = (struct kb_snapshot_part){ .segment = file->segment,
			                                  .version = row->version,
			                                  .page_shift = row->page_shift };
		load_columns(loading, row, &parts[count++]);
	}
	for (size_t i = 0; i < state->dead_count; i++)
		dead[i] = (struct kb_dead_page){ state->dead[i].page_id, state->dead[i].version };
	entry->live.snapshot = kb_snapshot_new(parts, count, dead, state->dead_count);
	entry->live.access = kb_access_new(state);
	entry->live.version = state->version;
	load_factors(loading);
	entry->stats.agents = 1;
	entry->stats.files = (int64_t)entry->file_count;
	entry->stats.heap_bytes =
	        (int64_t)(sizeof(*entry) + entry->file_capacity * sizeof(*entry->files))
	        + kb_snapshot_bytes(entry->live.snapshot) + kb_access_bytes(entry->live.access);
	for (size_t i = 0; i < entry->file_count; i++)
		entry->stats.mapped_bytes += entry->files[i].bytes;
	return true;
}

static bool is_carried(const struct loading *loading, struct kb_sv blob)
{
	for (size_t i = 0; loading->old && i < loading->old->file_count; i++)
		if (kb_sv_eq_str(blob, loading->old->files[i].blob))
			return true;
	return false;
}

/* All that will be opened and is not open yet, in case it comes from afar. */
static void prefetch(struct loading *loading)
{
	const struct kb_index_state *state = &loading->state;
	size_t most = state->segment_count + state->vectors_count + 1, count = 0;
	const char **names = KB_NEW_ARRAY(&loading->arena, most, const char *);

	for (size_t i = 0; i < most; i++) {
		struct kb_sv blob = i < state->segment_count ? state->segments[i].blob
		                    : i < most - 1 ? state->vectors[i - state->segment_count].blob
		                                   : state->factors.blob;

		if (blob.n && !is_carried(loading, blob))
			names[count++] = kb_arena_str(&loading->arena, blob);
	}
	kb_blobs_prefetch(loading->catalog->blobs, names, count);
}

static struct entry *load(struct kb_catalog *catalog, int64_t agent_id, const struct entry *old,
                          bool is_first, struct kb_err *err)
{
	struct loading loading = { .catalog = catalog, .old = old, .is_first = is_first };

	if (kb_store_index_state(catalog->store, &loading.arena, agent_id, &loading.state, err)) {
		loading.entry = kb_xcalloc(1, sizeof(*loading.entry));
		loading.entry->agent_id = agent_id;
		if (kb_blobs_are_remote(catalog->blobs))
			prefetch(&loading);
		if (!load_parts(&loading, err)) {
			entry_free(loading.entry);
			loading.entry = NULL;
		}
	}
	kb_arena_fini(&loading.arena);
	return loading.entry;
}

/* Puts entry in place of the agent's older one; a newer one that came meanwhile stays. Then closes
 * what was not used for longest until all is within bounds. Returns what is to be freed. */
static struct entry *publish(struct kb_catalog *catalog, struct entry *entry)
{
	struct entry *before = find(catalog, entry->agent_id), *gone = NULL;

	if (before && before->live.version > entry->live.version)
		return entry;
	if (before) {
		remove_entry(catalog, before);
		gone = before;
	}
	insert(catalog, entry);
	while (catalog->oldest != entry
	       && (catalog->stats.agents > (int64_t)catalog->limits.agents
	           || catalog->stats.heap_bytes > catalog->limits.heap_bytes
	           || catalog->stats.files > FILES_MAX)) {
		struct entry *oldest = catalog->oldest;

		remove_entry(catalog, oldest);
		oldest->next = gone;
		gone = oldest;
	}
	return gone;
}

static bool is_known(const struct kb_known_version *known, int64_t agent_id)
{
	return known && known->agent_id == agent_id && known->read_at
	       && kb_clock_mono_us() - known->read_at <= KNOWN_MAX_US;
}

bool kb_catalog_get(struct kb_catalog *catalog, int64_t agent_id, struct kb_live *out,
                    struct kb_err *err)
{
	return kb_catalog_get_known(catalog, agent_id, NULL, out, err);
}

bool kb_catalog_get_known(struct kb_catalog *catalog, int64_t agent_id,
                          const struct kb_known_version *known, struct kb_live *out,
                          struct kb_err *err)
{
	/* A merge may remove a segment's blob between our reading of its row and the open; the next
	 * version has what it held. A blob that is not there at the second try is lost. */
	enum { TRIES = 2 };

	*out = (struct kb_live){ 0 };
	for (int attempt = 0; attempt < TRIES; attempt++) {
		struct entry old = { 0 }, *fresh, *gone;
		struct entry *entry;
		int64_t version;

		if (attempt == 0 && is_known(known, agent_id))
			version = known->version;
		else if (!kb_store_index_version(catalog->store, agent_id, &version, err))
			return false;
		pthread_mutex_lock(&catalog->lock);
		entry = find(catalog, agent_id);
		if (entry) {
			use(catalog, entry);
			if (entry->live.version >= version) {
				*out = live_hold(&entry->live);
			} else {
				/* a copy that holds the files, for use without the lock */
				for (size_t i = 0; i < entry->file_count; i++)
					file_copy(&old, &entry->files[i]);
			}
		}
		pthread_mutex_unlock(&catalog->lock);
		if (out->snapshot)
			return true;
		fresh = load(catalog, agent_id, &old, attempt == 0, err);
		files_free(&old);
		if (!fresh) {
			if (err && err->code == KB_E_NOT_FOUND)
				continue;
			return false;
		}
		*out = live_hold(&fresh->live);
		pthread_mutex_lock(&catalog->lock);
		catalog->stats.loads++;
		gone = publish(catalog, fresh);
		pthread_mutex_unlock(&catalog->lock);
		free_all(gone);
		return true;
	}
	return false; /* the agent was deleted */
}

bool kb_catalog_reopen(struct kb_catalog *catalog, int64_t agent_id, struct kb_live *live,
                       struct kb_err *err)
{
	if (err->code != KB_E_CORRUPT)
		return false;
	kb_warn(catalog->log, "index is opened anew agent=%" PRId64 " error=%s", agent_id,
	        err->msg);
	kb_live_release(live);
	kb_catalog_forget(catalog, agent_id);
	return kb_catalog_get(catalog, agent_id, live, err);
}

static bool is_open(struct kb_catalog *catalog, int64_t agent_id)
{
	bool open;

	pthread_mutex_lock(&catalog->lock);
	open = find(catalog, agent_id) != NULL;
	pthread_mutex_unlock(&catalog->lock);
	return open;
}

void kb_catalog_prepare(struct kb_catalog *catalog, int64_t agent_id, struct kb_sv blob)
{
	struct file file = { 0 };
	struct kb_err err;

	snprintf(file.blob, sizeof(file.blob), "%.*s", KB_SV_ARG(blob));
	if (!is_open(catalog, agent_id) || !file_open(catalog, &file, SEGMENT, &err))
		return;
	file_hold(&file, catalog->blobs);
	pthread_mutex_lock(&catalog->lock);
	*file_add(&catalog->prepared, file.blob) = file;
	pthread_mutex_unlock(&catalog->lock);
}

/* Forgets a prepared segment: it is live by now, or never will be. */
static void drop_prepared(struct kb_catalog *catalog, struct kb_sv blob)
{
	struct entry *prepared = &catalog->prepared;
	struct file gone = { 0 };

	pthread_mutex_lock(&catalog->lock);
	for (size_t i = 0; i < prepared->file_count && !gone.segment; i++) {
		if (!kb_sv_eq_str(blob, prepared->files[i].blob))
			continue;
		gone = prepared->files[i];
		prepared->files[i] = prepared->files[--prepared->file_count];
	}
	pthread_mutex_unlock(&catalog->lock);
	file_release(&gone);
}

void kb_catalog_refresh(struct kb_catalog *catalog, int64_t agent_id, struct kb_sv blob)
{
	struct kb_live live;
	struct kb_err err;

	if (is_open(catalog, agent_id) && kb_catalog_get(catalog, agent_id, &live, &err))
		kb_live_release(&live);
	drop_prepared(catalog, blob);
}

void kb_catalog_forget(struct kb_catalog *catalog, int64_t agent_id)
{
	struct entry *entry;

	pthread_mutex_lock(&catalog->lock);
	entry = find(catalog, agent_id);
	if (entry)
		remove_entry(catalog, entry);
	pthread_mutex_unlock(&catalog->lock);
	entry_free(entry);
}

void kb_catalog_stats(struct kb_catalog *catalog, struct kb_catalog_stats *out)
{
	pthread_mutex_lock(&catalog->lock);
	*out = catalog->stats;
	pthread_mutex_unlock(&catalog->lock);
}

bool kb_catalog_agent_stats(struct kb_catalog *catalog, int64_t agent_id,
                            struct kb_catalog_stats *out)
{
	const struct entry *entry;

	pthread_mutex_lock(&catalog->lock);
	entry = find(catalog, agent_id);
	*out = entry ? entry->stats : (struct kb_catalog_stats){ 0 };
	pthread_mutex_unlock(&catalog->lock);
	return entry != NULL;
}
