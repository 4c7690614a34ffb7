/* What the readers of sheets, old and new, share: dates and the names of columns. Only in a parser
 * child. */
#ifndef KB_PARSE_SHEET_H
#define KB_PARSE_SHEET_H

#include "base/arena.h"

enum { KB_SHEET_CELLS_MAX = 256, KB_SHEET_DAYS_MAX = 2958466 };

/* Whether a number with that format is a date: of a built-in one, of one of the workbook's own. */
bool kb_sheet_is_date_id(int64_t format);
bool kb_sheet_is_date_code(struct kb_sv code);
/* Days since the end of 1899 (with the year 1900 a leap year, as Excel has it), from 0 to
 * KB_SHEET_DAYS_MAX, as a date, a time, or both. */
struct kb_sv kb_sheet_date(struct kb_arena *arena, double days);
/* The first row with more than one cell names the columns when it is words, all different. */
bool kb_sheet_is_header(const struct kb_sv *cells, size_t count);

#endif
