#include "ingest/parts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/temp.h"
#include "parse/filename.h"

/* "../a\\b//c.txt" is a/b/c.txt: a path within the document, and nothing else. */
static struct kb_sv clean_path(struct kb_arena *arena, struct kb_sv path)
{
	struct kb_sv part, out;
	struct kb_buf buf;

	kb_buf_init(&buf, SIZE_MAX);
	for (size_t from = 0, i = 0; i <= path.n; i++) {
		if (i < path.n && path.p[i] != '/' && path.p[i] != '\\')
			continue;
		part = kb_sv_sub(path, from, i - from);
		from = i + 1;
		if (!part.n || kb_sv_eq_str(part, ".") || kb_sv_eq_str(part, ".."))
			continue;
		if (buf.n)
			kb_buf_byte(&buf, '/');
		kb_buf_sv(&buf, kb_filename_clean(arena, part));
	}
	out = buf.n ? kb_arena_sv(arena, kb_buf_view(&buf)) : KB_SV("document");
	kb_buf_fini(&buf);
	return out;
}

static void let_go(struct kb_parts_taken *parts)
{
	kb_fd_close(&parts->fd);
	if (parts->path)
		unlink(parts->path);
	free(parts->path);
	parts->path = NULL;
}

static bool begin(struct kb_parts_taken *parts, const struct kb_part_piece *piece)
{
	char path[KB_TEMP_PATH];

	let_go(parts);
	if (parts->count >= KB_PARTS_MAX)
		return kb_fail(&parts->err, KB_E_TOO_LARGE, "the file holds more than %d documents",
		               KB_PARTS_MAX);
	kb_temp_path(path, parts->config->temp_dir, KB_TEMP_PART);
	parts->path = kb_xstrdup(path);
	parts->name = clean_path(parts->arena, piece->path);
	parts->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return parts->fd >= 0 || kb_fail_errno(&parts->err, "keeping a document");
}

static bool end(struct kb_parts_taken *parts)
{
	struct kb_page_new *page;
	struct kb_blob_name *blob = KB_NEW(parts->arena, struct kb_blob_name);

	kb_fd_close(&parts->fd);
	KB_GROW(parts->pages, parts->capacity, parts->count + 1);
	page = &parts->pages[parts->count];
	*page = (struct kb_page_new){ .path = parts->name,
		                      .filename = kb_filename_clean(parts->arena, parts->name),
		                      .is_ours = true };
	if (!kb_blob_take(parts->config->blobs, parts->path, blob, &page->size, &parts->err))
		return false;
	page->blob = kb_sv_str(blob->hex);
	parts->count++;
	let_go(parts);
	return true;
}

bool kb_parts_take(void *arg, const struct kb_part_piece *piece)
{
	struct kb_parts_taken *parts = arg;

	if (piece->first && !begin(parts, piece))
		return false;
	if (parts->fd < 0)
		return piece->last && piece->spoilt;
	parts->bytes += (int64_t)piece->bytes.n;
	if (parts->bytes > (int64_t)KB_PARTS_BYTES_MAX)
		return kb_fail(&parts->err, KB_E_TOO_LARGE, "the file unpacks to more than %zu MB",
		               (size_t)(KB_PARTS_BYTES_MAX >> 20));
	if (!kb_fd_write_all(parts->fd, piece->bytes, "a document within another", &parts->err))
		return false;
	if (!piece->last)
		return true;
	if (!piece->spoilt)
		return end(parts);
	let_go(parts);
	return true;
}

/* ---- one path, one document ---- */

static int by_path(const void *a, const void *b)
{
	const struct kb_page_new *one = a, *two = b;

	return kb_sv_cmp(one->path, two->path);
}

/* "a/b.txt" as "a/b (2).txt". */
static struct kb_sv numbered(struct kb_arena *arena, struct kb_sv path, size_t number)
{
	size_t dot = path.n;

	while (dot > 0 && path.p[dot - 1] != '.' && path.p[dot - 1] != '/')
		dot--;
	if (dot == 0 || path.p[dot - 1] != '.')
		dot = path.n + 1;
	return kb_arena_printf(arena, "%.*s (%zu)%.*s", (int)(dot - 1), path.p, number,
	                       KB_SV_ARG(kb_sv_from(path, dot - 1)));
}

void kb_parts_end(struct kb_parts_taken *parts)
{
	struct kb_sv path = { 0 };
	size_t same = 0;

	let_go(parts);
	if (parts->count)
		qsort(parts->pages, parts->count, sizeof(*parts->pages), by_path);
	for (size_t i = 0; i < parts->count; i++) {
		same = i && kb_sv_eq(parts->pages[i].path, path) ? same + 1 : 1;
		path = parts->pages[i].path;
		if (same > 1)
			parts->pages[i].path = numbered(parts->arena, path, same);
	}
}
