/* Open snapshots by agent. One lock guards the table; files are opened outside it, so one agent's
 * slow disk does not stop the questions of others. */
#include "ingest/catalog.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

/* One open agent. It owns its view; the segments are held by the snapshot. */
struct entry {
	int64_t agent_id;
	struct kb_view view;
	/* Which blob each part came from, to carry unchanged segments into the next version. */
	char (*blobs)[KB_HASH_HEX];
	struct kb_segment **segments;
	size_t segment_count;
	uint64_t used; /* tick of the last use */
};

/* A segment that a commit is about to name. */
struct prepared {
	char blob[KB_HASH_HEX];
	struct kb_segment *segment;
};

struct kb_catalog {
	struct kb_store *store;
	struct kb_blobs *blobs;
	const struct kb_log *log;
	pthread_mutex_t lock;
	struct entry **entries; /* unordered */
	size_t count, capacity, max;
	struct prepared *prepared; /* a few: one a committing thread */
	size_t prepared_count, prepared_capacity;
	uint64_t tick;
};

void kb_view_release(struct kb_view *view)
{
	kb_snapshot_release(view->snapshot);
	kb_access_release(view->access);
	*view = (struct kb_view){ 0 };
}

static struct kb_view view_hold(const struct kb_view *view)
{
	return (struct kb_view){ kb_snapshot_hold(view->snapshot), kb_access_hold(view->access),
		                 view->version };
}

static void entry_free(struct entry *entry)
{
	if (!entry)
		return;
	kb_view_release(&entry->view);
	for (size_t i = 0; i < entry->segment_count; i++)
		kb_segment_release(entry->segments[i]);
	free(entry->segments);
	free(entry->blobs);
	free(entry);
}

struct kb_catalog *kb_catalog_open(struct kb_store *store, struct kb_blobs *blobs,
                                   size_t agents_max, const struct kb_log *log)
{
	struct kb_catalog *catalog = kb_xcalloc(1, sizeof(*catalog));

	catalog->store = store;
	catalog->blobs = blobs;
	catalog->log = log;
	catalog->max = agents_max;
	pthread_mutex_init(&catalog->lock, NULL);
	return catalog;
}

void kb_catalog_close(struct kb_catalog *catalog)
{
	if (!catalog)
		return;
	for (size_t i = 0; i < catalog->count; i++)
		entry_free(catalog->entries[i]);
	for (size_t i = 0; i < catalog->prepared_count; i++)
		kb_segment_release(catalog->prepared[i].segment);
	free(catalog->prepared);
	free(catalog->entries);
	pthread_mutex_destroy(&catalog->lock);
	free(catalog);
}

static ptrdiff_t find(const struct kb_catalog *catalog, int64_t agent_id)
{
	for (size_t i = 0; i < catalog->count; i++)
		if (catalog->entries[i]->agent_id == agent_id)
			return (ptrdiff_t)i;
	return -1;
}

struct kb_segment *kb_catalog_segment(struct kb_catalog *catalog, struct kb_sv blob,
                                      struct kb_err *err)
{
	char name[KB_HASH_HEX], path[64];
	struct kb_segment *segment;
	int64_t size;
	int fd;

	snprintf(name, sizeof(name), "%.*s", KB_SV_ARG(blob));
	if (!kb_blob_open(catalog->blobs, name, &fd, &size, err))
		return NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	segment = kb_segment_open(path, true, err);
	kb_fd_close(&fd);
	return segment;
}

/* A segment of the agent's earlier version, held once more, or NULL. */
static struct kb_segment *carried(const struct entry *old, struct kb_sv blob)
{
	for (size_t i = 0; old && i < old->segment_count; i++)
		if (kb_sv_eq_str(blob, old->blobs[i]))
			return kb_segment_hold(old->segments[i]);
	return NULL;
}

/* A prepared segment, held once more, or NULL. */
static struct kb_segment *prepared(struct kb_catalog *catalog, struct kb_sv blob)
{
	struct kb_segment *segment = NULL;

	pthread_mutex_lock(&catalog->lock);
	for (size_t i = 0; i < catalog->prepared_count && !segment; i++)
		if (kb_sv_eq_str(blob, catalog->prepared[i].blob))
			segment = kb_segment_hold(catalog->prepared[i].segment);
	pthread_mutex_unlock(&catalog->lock);
	return segment;
}

static struct entry *load(struct kb_catalog *catalog, int64_t agent_id, const struct entry *old,
                          struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_index_state state;
	struct kb_snapshot_part *parts;
	struct kb_dead_page *dead;
	struct entry *entry = NULL;

	if (!kb_store_index_state(catalog->store, &arena, agent_id, &state, err))
		goto out;
	entry = kb_xcalloc(1, sizeof(*entry));
	entry->agent_id = agent_id;
	entry->view.version = state.version;
	entry->blobs = kb_xcalloc(state.segment_count, sizeof(*entry->blobs));
	entry->segments = kb_xcalloc(state.segment_count, sizeof(struct kb_segment *));
	parts = KB_NEW_ARRAY(&arena, state.segment_count, struct kb_snapshot_part);
	dead = KB_NEW_ARRAY(&arena, state.dead_count, struct kb_dead_page);
	for (size_t i = 0; i < state.segment_count; i++) {
		const struct kb_segment_row *row = &state.segments[i];
		struct kb_segment *segment = carried(old, row->blob);

		if (!segment)
			segment = prepared(catalog, row->blob);
		if (!segment)
			segment = kb_catalog_segment(catalog, row->blob, err);
		if (!segment) {
			entry_free(entry);
			entry = NULL;
			goto out;
		}
		entry->segments[entry->segment_count] = segment;
		snprintf(entry->blobs[entry->segment_count++], KB_HASH_HEX, "%.*s",
		         KB_SV_ARG(row->blob));
		parts[i] = (struct kb_snapshot_part){ .segment = segment, .version = row->version };
	}
	for (size_t i = 0; i < state.dead_count; i++)
		dead[i] = (struct kb_dead_page){ state.dead[i].page_id, state.dead[i].version };
	entry->view.snapshot = kb_snapshot_new(parts, state.segment_count, dead, state.dead_count);
	entry->view.access = kb_access_new(&state);
out:
	kb_arena_fini(&arena);
	return entry;
}

/* The one that was not used for longest. */
static size_t stalest(const struct kb_catalog *catalog)
{
	size_t at = 0;

	for (size_t i = 1; i < catalog->count; i++)
		if (catalog->entries[i]->used < catalog->entries[at]->used)
			at = i;
	return at;
}

/* Puts entry in place of the agent's older one; a newer one that came meanwhile stays. Returns what
 * is to be freed outside the lock. */
static struct entry *publish(struct kb_catalog *catalog, struct entry *entry)
{
	ptrdiff_t at = find(catalog, entry->agent_id);
	struct entry *gone = NULL;

	if (at >= 0 && catalog->entries[at]->view.version > entry->view.version)
		return entry;
	entry->used = ++catalog->tick;
	if (at >= 0) {
		gone = catalog->entries[at];
		catalog->entries[at] = entry;
		return gone;
	}
	if (catalog->count >= catalog->max) {
		size_t stale = stalest(catalog);

		gone = catalog->entries[stale];
		catalog->entries[stale] = entry;
		return gone;
	}
	KB_GROW(catalog->entries, catalog->capacity, catalog->count + 1);
	catalog->entries[catalog->count++] = entry;
	return NULL;
}

/* What load() needs of an entry, for use without the lock: its segments, held. */
static struct entry segments_of(const struct entry *entry)
{
	struct entry copy = { .segment_count = entry->segment_count };

	copy.segments = kb_xcalloc(copy.segment_count, sizeof(struct kb_segment *));
	copy.blobs = kb_xcalloc(copy.segment_count, sizeof(*copy.blobs));
	for (size_t i = 0; i < copy.segment_count; i++) {
		copy.segments[i] = kb_segment_hold(entry->segments[i]);
		memcpy(copy.blobs[i], entry->blobs[i], KB_HASH_HEX);
	}
	return copy;
}

static void segments_drop(struct entry *copy)
{
	for (size_t i = 0; i < copy->segment_count; i++)
		kb_segment_release(copy->segments[i]);
	free(copy->segments);
	free(copy->blobs);
}

bool kb_catalog_get(struct kb_catalog *catalog, int64_t agent_id, struct kb_view *out,
                    struct kb_err *err)
{
	/* A merge may remove a segment's blob between our reading of its row and the open; the next
	 * version has what it held. */
	enum { TRIES = 3 };

	*out = (struct kb_view){ 0 };
	for (int attempt = 0; attempt < TRIES; attempt++) {
		struct entry old = { 0 }, *fresh, *gone;
		int64_t version;
		ptrdiff_t at;

		if (!kb_store_index_version(catalog->store, agent_id, &version, err))
			return false;
		pthread_mutex_lock(&catalog->lock);
		at = find(catalog, agent_id);
		if (at >= 0) {
			struct entry *entry = catalog->entries[at];

			entry->used = ++catalog->tick;
			if (entry->view.version >= version)
				*out = view_hold(&entry->view);
			else
				old = segments_of(entry);
		}
		pthread_mutex_unlock(&catalog->lock);
		if (out->snapshot)
			return true;
		fresh = load(catalog, agent_id, &old, err);
		segments_drop(&old);
		if (!fresh) {
			if (err && err->code == KB_E_NOT_FOUND)
				continue;
			return false;
		}
		*out = view_hold(&fresh->view);
		pthread_mutex_lock(&catalog->lock);
		gone = publish(catalog, fresh);
		pthread_mutex_unlock(&catalog->lock);
		entry_free(gone);
		return true;
	}
	return kb_corrupt(err, "agent %" PRId64 " refers to a segment that is missing", agent_id);
}

void kb_catalog_prepare(struct kb_catalog *catalog, int64_t agent_id, struct kb_sv blob)
{
	struct prepared *prepared;
	struct kb_segment *segment;
	struct kb_err err;
	bool open;

	pthread_mutex_lock(&catalog->lock);
	open = find(catalog, agent_id) >= 0;
	pthread_mutex_unlock(&catalog->lock);
	segment = open ? kb_catalog_segment(catalog, blob, &err) : NULL;
	if (!segment)
		return;
	pthread_mutex_lock(&catalog->lock);
	KB_GROW(catalog->prepared, catalog->prepared_capacity, catalog->prepared_count + 1);
	prepared = &catalog->prepared[catalog->prepared_count++];
	prepared->segment = segment;
	snprintf(prepared->blob, sizeof(prepared->blob), "%.*s", KB_SV_ARG(blob));
	pthread_mutex_unlock(&catalog->lock);
}

/* Forgets a prepared segment: it is in the agent's view by now, or never will be. */
static void drop_prepared(struct kb_catalog *catalog, struct kb_sv blob)
{
	struct kb_segment *gone = NULL;

	pthread_mutex_lock(&catalog->lock);
	for (size_t i = 0; i < catalog->prepared_count && !gone; i++) {
		if (!kb_sv_eq_str(blob, catalog->prepared[i].blob))
			continue;
		gone = catalog->prepared[i].segment;
		catalog->prepared[i] = catalog->prepared[--catalog->prepared_count];
	}
	pthread_mutex_unlock(&catalog->lock);
	kb_segment_release(gone);
}

void kb_catalog_refresh(struct kb_catalog *catalog, int64_t agent_id, struct kb_sv blob)
{
	struct kb_view view;
	struct kb_err err;
	bool open;

	pthread_mutex_lock(&catalog->lock);
	open = find(catalog, agent_id) >= 0;
	pthread_mutex_unlock(&catalog->lock);
	if (open && kb_catalog_get(catalog, agent_id, &view, &err))
		kb_view_release(&view);
	drop_prepared(catalog, blob);
}

void kb_catalog_forget(struct kb_catalog *catalog, int64_t agent_id)
{
	struct entry *gone = NULL;
	ptrdiff_t at;

	pthread_mutex_lock(&catalog->lock);
	at = find(catalog, agent_id);
	if (at >= 0) {
		gone = catalog->entries[at];
		catalog->entries[at] = catalog->entries[--catalog->count];
	}
	pthread_mutex_unlock(&catalog->lock);
	entry_free(gone);
}

size_t kb_catalog_agents(struct kb_catalog *catalog)
{
	size_t count;

	pthread_mutex_lock(&catalog->lock);
	count = catalog->count;
	pthread_mutex_unlock(&catalog->lock);
	return count;
}
