/*
 * What a foreign server says before the body: the few fields that a fetch looks at.
 *
 * Reads one line after the other, as they come; a later head (after 100 or 103) replaces the one
 * before it, and fields behind the body are not looked at. Everything stored is UTF-8 without
 * controls. Pure but for the arena; one thread at a time uses a head.
 */
#ifndef KB_OUT_FETCH_HEAD_H
#define KB_OUT_FETCH_HEAD_H

#include "base/arena.h"

enum {
	KB_FETCH_FIELD_MAX = 4096,     /* bytes of a value that we read; of a longer one nothing */
	KB_FETCH_NAME_MAX = 255,       /* bytes of a file's name */
	KB_FETCH_RETRY_MAX_S = 604800, /* a week; a host that says more means "do not come back" */
};

struct kb_fetch_head {
	int status;
	bool done;              /* the final head has ended */
	bool noindex, nofollow; /* X-Robots-Tag, to all crawlers */
	const char *wall; /* who lets no program through ("Cloudflare"); NULL: nobody says so */
	struct kb_sv content_type, etag, last_modified, location, disposition, retry_after;
};

/* A line with or without its end. */
void kb_fetch_head_line(struct kb_fetch_head *head, struct kb_arena *arena, struct kb_sv line);

/* The last part of the name that a Content-Disposition field gives, filename* before filename;
 * empty: none. */
struct kb_sv kb_fetch_filename(struct kb_arena *arena, struct kb_sv disposition);
/* Seconds from now (Unix seconds): of a number or a date; 0: none, or past. */
int64_t kb_fetch_retry_after(struct kb_sv value, int64_t now_s);

/* Fit to be sent as a field's name: a token. */
bool kb_fetch_field_ok(struct kb_sv name);
/* Fit to be sent as a field's value: no controls. */
bool kb_fetch_value_ok(struct kb_sv value);

#endif
