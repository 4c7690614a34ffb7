/* Tables of people, as CSV or TSV: a row of column names, then rows. Fields may be quoted and hold
 * line ends. What a call gives lives in its arena. One thread. */
#ifndef KB_CLI_GRID_H
#define KB_CLI_GRID_H

#include "base/arena.h"

struct kb_grid_row {
	struct kb_sv *cells;
	size_t count;
	int64_t line; /* of the file, from 1 */
};
struct kb_grid {
	struct kb_sv *columns; /* as they stand, without blanks around them */
	size_t column_count;
	struct kb_grid_row *rows; /* without empty ones */
	size_t count;
};

/* The separator is the tab, the semicolon or the comma, whichever the first line has. KB_E_INVALID
 * names the file. */
bool kb_grid_read(struct kb_arena *arena, const char *path, struct kb_grid *out,
                  struct kb_err *err) KB_MUST_CHECK;
/* The cell of that column, without blanks around it; empty: there is none. */
struct kb_sv kb_grid_cell(const struct kb_grid *csv, const struct kb_grid_row *row,
                          const char *column);
bool kb_grid_has(const struct kb_grid *csv, const char *column);

#endif
