/*
 * What an import has brought, and as what: a file of JSON lines, one for each thing, appended as
 * soon as it is there.
 *
 *   {"kind":"agent","from":12,"to":3}
 *
 * The first line says from which service to which; another pair is refused. So a run that was ended
 * goes on where it was. What it brought and could not write down any more is found again by who
 * calls: it is in nobody's line, and is called as what is to come. One thread.
 */
#ifndef KB_CLI_IMPORT_MAP_H
#define KB_CLI_IMPORT_MAP_H

#include "base/arena.h"
#include "base/err.h"

enum kb_import_kind {
	KB_IMPORT_PLAN, /* of an agent that is about to be made: the newest one there was */
	KB_IMPORT_AGENT,
	KB_IMPORT_LABEL,
	KB_IMPORT_PAGE,
	KB_IMPORT_TOLD, /* of a page: its metadata has come too */
	KB_IMPORT_SOURCE,
	KB_IMPORT_ANSWER,
	KB_IMPORT_TALK,
	KB_IMPORT_STEP, /* of an agent: how many of its steps are done for good */
	KB_IMPORT_KINDS
};

struct kb_import_row {
	enum kb_import_kind kind;
	int64_t from, to;
};
struct kb_import_map {
	int fd;
	const char *path;
	struct kb_import_row *rows;
	size_t count, capacity;
	size_t *slots; /* of an open table: places in rows, from 1 */
	size_t slot_count;
};

/* KB_E_CONFLICT where the file is of another pair. Close it even when this fails. */
bool kb_import_map_open(struct kb_import_map *map, const char *path, const char *from,
                        const char *to, struct kb_err *err) KB_MUST_CHECK;
void kb_import_map_close(struct kb_import_map *map);

/* 0: it has not come. The newest line counts. */
int64_t kb_import_map_get(const struct kb_import_map *map, enum kb_import_kind kind, int64_t from);
bool kb_import_map_put(struct kb_import_map *map, enum kb_import_kind kind, int64_t from,
                       int64_t to, struct kb_err *err) KB_MUST_CHECK;
/* Whether something of that kind has come as that. */
bool kb_import_map_has(const struct kb_import_map *map, enum kb_import_kind kind, int64_t to);

#endif
