/* Lists of addresses: the reader that runs in the child. What it gives is in parse.h. */
#ifndef KB_PARSE_SITEMAP_H
#define KB_PARSE_SITEMAP_H

#include "parse/format.h"

/* Reads as far as it can. KB_E_UNSUPPORTED when the bytes are no list at all. */
bool kb_sitemap_read(const struct kb_parse_input *in, struct kb_arena *arena,
                     struct kb_sitemap *out, struct kb_err *err) KB_MUST_CHECK;

/* "2025-01-31", "2025-01", "2025-01-31T10:00+02:00", "Fri, 31 Jan 2025 10:00:00 GMT"; 0 for what
 * is no date. */
int64_t kb_sitemap_date(struct kb_sv text);

#endif
