/* Tables of people, as CSV or TSV: a row of column names, then rows. Fields may be quoted and hold
 * line ends. What a call gives lives in its arena. One thread. */
#ifndef KB_CLI_CSV_H
#define KB_CLI_CSV_H

#include "base/arena.h"

struct kb_csv_row {
	struct kb_sv *cells;
	size_t count;
	int64_t line; /* of the file, from 1 */
};
struct kb_csv {
	struct kb_sv *columns; /* as they stand, without blanks around them */
	size_t column_count;
	struct kb_csv_row *rows; /* without empty ones */
	size_t count;
};

/* The separator is the tab, the semicolon or the comma, whichever the first line has. KB_E_INVALID
 * names the file. */
bool kb_csv_read(struct kb_arena *arena, const char *path, struct kb_csv *out,
                 struct kb_err *err) KB_MUST_CHECK;
/* The cell of that column, without blanks around it; empty: there is none. */
struct kb_sv kb_csv_cell(const struct kb_csv *csv, const struct kb_csv_row *row,
                         const char *column);
bool kb_csv_has(const struct kb_csv *csv, const char *column);

#endif
