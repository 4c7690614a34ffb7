/*
 * Text that leaves the house: without the operator's secrets, without keys, and without what
 * addresses hold behind their path. Pure; any thread.
 */
#ifndef KB_CLI_SCRUB_H
#define KB_CLI_SCRUB_H

#include "base/buf.h"

struct kb_scrub {
	const struct kb_sv *secrets; /* shorter ones than KB_SCRUB_SECRET are not looked for */
	size_t count;
};
enum { KB_SCRUB_SECRET = 4 };

/* Adds text: each secret, each key of this service and whatever follows "Bearer" becomes
 * "(removed)"; of an address, the name and password before its host and all behind a "?". */
void kb_scrub(const struct kb_scrub *scrub, struct kb_sv text, struct kb_buf *out);

/* Adds those lines of a log that are this service's own, from information up, scrubbed: a line of
 * debugging may hold words of visitors, and who else writes to that file is not known. Whatever
 * stands before the line's own beginning (a journal's name and time) is left out. */
void kb_scrub_log(const struct kb_scrub *scrub, struct kb_sv text, struct kb_buf *out);

#endif
