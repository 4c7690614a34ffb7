#include "cli/import_map.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"

enum { FILE_MAX = 1 << 30 };

static const char *const kinds[KB_IMPORT_KINDS] = {
	[KB_IMPORT_PLAN] = "plan",     [KB_IMPORT_AGENT] = "agent", [KB_IMPORT_LABEL] = "label",
	[KB_IMPORT_PAGE] = "page",     [KB_IMPORT_TOLD] = "told",   [KB_IMPORT_SOURCE] = "source",
	[KB_IMPORT_ANSWER] = "answer", [KB_IMPORT_STEP] = "step",   [KB_IMPORT_TALK] = "talk",
};

/* ---- the table ---- */

static uint64_t hash(enum kb_import_kind kind, int64_t from)
{
	const int64_t key[] = { (int64_t)kind, from };

	return kb_hash64(kb_sv((const char *)key, sizeof(key)));
}

static size_t slot_of(const struct kb_import_map *map, enum kb_import_kind kind, int64_t from)
{
	size_t slot = (size_t)hash(kind, from) & (map->slot_count - 1);

	while (map->slots[slot]) {
		const struct kb_import_row *row = &map->rows[map->slots[slot] - 1];

		if (row->kind == kind && row->from == from)
			break;
		slot = (slot + 1) & (map->slot_count - 1);
	}
	return slot;
}

static void add_one(struct kb_import_map *map, const struct kb_import_row *row)
{
	if (map->count * 2 >= map->slot_count) {
		map->slot_count = KB_MAX(map->slot_count * 2, (size_t)256);
		free(map->slots);
		map->slots = kb_xcalloc(map->slot_count, sizeof(*map->slots));
		for (size_t i = 0; i < map->count; i++)
			map->slots[slot_of(map, map->rows[i].kind, map->rows[i].from)] = i + 1;
	}
	KB_GROW(map->rows, map->capacity, map->count + 1);
	map->rows[map->count++] = *row;
	map->slots[slot_of(map, row->kind, row->from)] = map->count;
}

/* The way back is a row too, of a kind of its own. */
static enum kb_import_kind back(enum kb_import_kind kind)
{
	return (enum kb_import_kind)((int)kind + KB_IMPORT_KINDS);
}

static void add(struct kb_import_map *map, const struct kb_import_row *row)
{
	add_one(map, row);
	add_one(map, &(struct kb_import_row){ back(row->kind), row->to, row->from });
}

int64_t kb_import_map_get(const struct kb_import_map *map, enum kb_import_kind kind, int64_t from)
{
	size_t at = map->slot_count ? map->slots[slot_of(map, kind, from)] : 0;

	return at ? map->rows[at - 1].to : 0;
}

bool kb_import_map_has(const struct kb_import_map *map, enum kb_import_kind kind, int64_t to)
{
	return kb_import_map_get(map, back(kind), to) != 0;
}

/* ---- the file ---- */

static bool read_line(struct kb_import_map *map, struct kb_arena *arena, struct kb_sv line,
                      struct kb_err *err)
{
	const json_t *json = kb_json_parse(arena, line, err);
	struct kb_sv kind = kb_json_sv(json, "kind", KB_SV(""));
	struct kb_import_row row = { .from = kb_json_int(json, "from", 0),
		                     .to = kb_json_int(json, "to", 0) };

	for (int i = 0; i < KB_IMPORT_KINDS; i++)
		if (kb_sv_eq_str(kind, kinds[i])) {
			row.kind = (enum kb_import_kind)i;
			add(map, &row);
			return true;
		}
	return kb_fail(err, KB_E_INVALID, "%s holds a line that is none of an import: %.*s",
	               map->path, (int)KB_MIN(line.n, (size_t)100), line.p);
}

/* A last line without its end is of a run that was ended while it wrote it, and goes. */
static bool read_lines(struct kb_import_map *map, struct kb_sv text, struct kb_sv first,
                       struct kb_err *err)
{
	struct kb_sv line;
	size_t whole = 0;

	for (ptrdiff_t end; (end = kb_sv_find_byte(kb_sv_from(text, whole), '\n')) >= 0;) {
		struct kb_arena arena = { 0 };
		bool ok;

		line = kb_sv_sub(text, whole, (size_t)end);
		if (whole)
			ok = read_line(map, &arena, line, err);
		else
			ok = kb_sv_eq(line, first)
			     || kb_fail(err, KB_E_CONFLICT, "%s is of another import: %.*s",
			                map->path, (int)KB_MIN(line.n, (size_t)200), line.p);
		kb_arena_fini(&arena);
		if (!ok)
			return false;
		whole += (size_t)end + 1;
	}
	return ftruncate(map->fd, (off_t)whole) == 0
	       || kb_fail_errno(err, "cannot write %s", map->path);
}

bool kb_import_map_open(struct kb_import_map *map, const char *path, const char *from,
                        const char *to, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_buf buf;
	struct kb_jw jw;
	struct kb_sv text;
	bool ok;

	*map = (struct kb_import_map){ .path = path };
	map->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (map->fd < 0)
		return kb_fail_errno(err, "cannot open %s", path);
	kb_buf_init(&buf, SIZE_MAX / 2);
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	kb_jw_key_str(&jw, "import", from);
	kb_jw_key_str(&jw, "to", to);
	kb_jw_end(&jw);
	ok = kb_file_read(&arena, path, FILE_MAX, &text, err)
	     && read_lines(map, text, kb_buf_view(&buf), err);
	kb_buf_byte(&buf, '\n');
	if (ok && lseek(map->fd, 0, SEEK_END) == 0)
		ok = kb_fd_write_all(map->fd, kb_buf_view(&buf), path, err);
	kb_buf_fini(&buf);
	kb_arena_fini(&arena);
	return ok;
}

void kb_import_map_close(struct kb_import_map *map)
{
	kb_fd_close(&map->fd);
	free(map->rows);
	free(map->slots);
}

bool kb_import_map_put(struct kb_import_map *map, enum kb_import_kind kind, int64_t from,
                       int64_t to, struct kb_err *err)
{
	const struct kb_import_row row = { kind, from, to };
	char line[160];
	int n = snprintf(line, sizeof(line),
	                 "{\"kind\":\"%s\",\"from\":%" PRId64 ",\"to\":%" PRId64 "}\n", kinds[kind],
	                 from, to);

	add(map, &row);
	return kb_fd_write_all(map->fd, kb_sv(line, (size_t)n), map->path, err);
}
