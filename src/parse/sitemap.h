/* Lists of addresses: the reader that runs in the child. What it gives is in parse.h. */
#ifndef KB_PARSE_SITEMAP_H
#define KB_PARSE_SITEMAP_H

#include "parse/format.h"

/* Reads as far as it can. KB_E_UNSUPPORTED when the bytes are no list at all. */
bool kb_sitemap_read(const struct kb_parse_input *in, struct kb_arena *arena,
                     struct kb_sitemap *out, struct kb_err *err) KB_MUST_CHECK;

#endif
