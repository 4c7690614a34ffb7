/* Fields of CSV (RFC 4180) that a spreadsheet takes for texts. */
#ifndef KB_API_CSV_H
#define KB_API_CSV_H

#include "base/buf.h"

/* Quoted always; what would be taken for a formula is held back by an apostrophe. */
void kb_csv_field(struct kb_buf *buf, struct kb_sv text, const char *after);

#endif
