#include "cli/sync_plan.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/field.h"
#include "base/utf8.h"

enum {
	PAGE_ROWS = 100, /* of one list of documents: the most that the service gives */
};

/* ---- what the service has ---- */

static int by_path(const void *a, const void *b)
{
	const struct kb_sync_doc *one = a, *two = b;

	return kb_sv_cmp(one->path, two->path);
}

static int by_hash(const void *a, const void *b)
{
	const struct kb_sync_doc *const *one = a, *const *two = b;

	return kb_sv_cmp((*one)->hash, (*two)->hash);
}

static bool is_below(const struct kb_syncing *s, struct kb_sv path)
{
	return path.n > s->prefix.n && kb_sv_starts(path, s->prefix);
}

static void take_doc(struct kb_syncing *s, struct kb_arena *arena, const json_t *row)
{
	struct kb_sync_doc doc = {
		.id = kb_json_int(row, "id", 0),
		.path = kb_arena_sv(arena, kb_json_sv(row, "path", KB_SV(""))),
		.hash = kb_arena_sv(arena, kb_json_sv(row, "content_hash", KB_SV(""))),
		.link = kb_arena_sv(arena, kb_json_sv(row, "link_url", KB_SV(""))),
		.status = kb_arena_sv(arena, kb_json_sv(row, "index_status", KB_SV(""))),
		.reason = kb_arena_sv(arena, kb_json_sv(row, "status_reason", KB_SV(""))),
	};

	if (!is_below(s, doc.path) || kb_json_int(row, "parent_id", 0))
		return;
	KB_GROW(s->docs, s->doc_capacity, s->doc_count + 1);
	s->docs[s->doc_count++] = doc;
}

bool kb_sync_list(struct kb_syncing *s, const char *status, struct kb_err *err)
{
	bool more = true;

	s->doc_count = 0;
	kb_arena_reset(&s->list);
	for (int page = 1; more; page++) {
		struct kb_arena arena = { 0 };
		char path[KB_SYNC_QUERY_BYTES];
		const json_t *rows, *row;
		json_t *data;
		size_t i;

		snprintf(path, sizeof(path), "/pages?limit=%d&order=asc&page=%d&index_status=%s",
		         PAGE_ROWS, page, status);
		data = kb_remote_call(&s->remote, &arena, path, NULL, err);
		rows = kb_json_get(kb_json_get(data, "pages"), "data");
		more = page < kb_json_int(kb_json_get(data, "pages"), "last_page", 0);
		for (i = 0; (row = json_array_get(rows, i)); i++)
			take_doc(s, &s->list, row);
		kb_arena_fini(&arena);
		if (!data)
			return false;
	}
	if (s->doc_count)
		qsort(s->docs, s->doc_count, sizeof(*s->docs), by_path);
	return true;
}

struct kb_sync_doc *kb_sync_find(const struct kb_syncing *s, struct kb_sv path)
{
	struct kb_sync_doc wanted = { .path = path };

	return s->doc_count ? bsearch(&wanted, s->docs, s->doc_count, sizeof(wanted), by_path)
	                    : NULL;
}

/* ---- what is to be done ---- */

struct kb_sv kb_sync_path(struct kb_syncing *s, const struct kb_folder_file *file)
{
	return kb_arena_printf(&s->arena, "%.*s%.*s", KB_SV_ARG(s->prefix), KB_SV_ARG(file->path));
}

static struct kb_sv without_extension(struct kb_sv path)
{
	for (size_t i = path.n; i-- > 0 && path.p[i] != '/';)
		if (path.p[i] == '.')
			return i ? kb_sv_sub(path, 0, i) : path;
	return path;
}

struct kb_sv kb_sync_link(struct kb_syncing *s, const struct kb_folder_file *file)
{
	const struct {
		struct kb_sv name, value;
	} holes[] = { { KB_SV("{path}"), file->path },
		      { KB_SV("{stem}"), without_extension(file->path) } };

	if (!s->base.n)
		return KB_SV("");
	for (size_t i = 0; i < KB_COUNTOF(holes); i++) {
		ptrdiff_t at = kb_sv_find(s->base, holes[i].name);

		if (at >= 0)
			return kb_arena_printf(
			        &s->arena, "%.*s%.*s%.*s", (int)at, s->base.p,
			        KB_SV_ARG(kb_percent_encode(&s->arena, holes[i].value, "/")),
			        KB_SV_ARG(kb_sv_from(s->base, (size_t)at + holes[i].name.n)));
	}
	return kb_arena_printf(&s->arena, "%.*s%s%.*s", KB_SV_ARG(s->base),
	                       kb_sv_ends(s->base, KB_SV("/")) ? "" : "/",
	                       KB_SV_ARG(kb_percent_encode(&s->arena, file->path, "/")));
}

bool kb_sync_has_failed(const struct kb_sync_doc *doc)
{
	return kb_sv_eq_str(doc->status, "failed") || kb_sv_eq_str(doc->status, "limited");
}

static enum kb_sync_act act_on(struct kb_syncing *s, const struct kb_folder_file *file,
                               const struct kb_sync_doc *doc)
{
	struct kb_sv link = kb_sync_link(s, file);

	if (!kb_sv_eq_str(doc->hash, file->hash) || kb_sync_has_failed(doc))
		return KB_SYNC_SEND;
	if (link.n && !kb_sv_eq(link, doc->link))
		return KB_SYNC_LINK;
	return kb_sv_eq_str(doc->status, "queued") ? KB_SYNC_AWAIT : KB_SYNC_NOTHING;
}

/* Of those with no file, one with these bytes; each is given away once. */
static struct kb_sync_doc *take_moved(struct kb_syncing *s, const char *hash)
{
	size_t low = 0, high = s->gone_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (kb_sv_cmp(s->gone[middle]->hash, kb_sv_str(hash)) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; *hash && low < s->gone_count && kb_sv_eq_str(s->gone[low]->hash, hash); low++)
		if (!s->gone[low]->stays && !kb_sync_has_failed(s->gone[low])) {
			s->gone[low]->stays = true;
			return s->gone[low];
		}
	return NULL;
}

struct kb_sync_step *kb_sync_plan(struct kb_syncing *s)
{
	struct kb_sync_step *steps =
	        KB_NEW_ARRAY(&s->arena, s->folder.count + 1, struct kb_sync_step);

	for (size_t i = 0; i < s->folder.count; i++) {
		const struct kb_folder_file *file = &s->folder.files[i];
		struct kb_sync_doc *doc = kb_sync_find(s, kb_sync_path(s, file));

		steps[i] = (struct kb_sync_step){ .file = file, .doc = doc, .act = KB_SYNC_SEND };
		if (!doc)
			continue;
		doc->stays = true;
		steps[i].act = act_on(s, file, doc);
	}
	s->gone = KB_NEW_ARRAY(&s->arena, s->doc_count + 1, struct kb_sync_doc *);
	s->gone_count = 0;
	for (size_t i = 0; i < s->doc_count; i++)
		if (!s->docs[i].stays)
			s->gone[s->gone_count++] = &s->docs[i];
	if (s->gone_count)
		qsort(s->gone, s->gone_count, sizeof(struct kb_sync_doc *), by_hash);
	for (size_t i = 0; i < s->folder.count; i++) {
		struct kb_sync_doc *moved =
		        steps[i].doc ? NULL : take_moved(s, steps[i].file->hash);

		if (moved) {
			steps[i].doc = moved;
			steps[i].act = KB_SYNC_MOVE;
		}
	}
	return steps;
}
