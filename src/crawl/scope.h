/*
 * What belongs to a website: the pages under its start path, or all of its host. Pure but for the
 * arena; any thread.
 */
#ifndef KB_CRAWL_SCOPE_H
#define KB_CRAWL_SCOPE_H

#include "out/url.h"

struct kb_scope {
	struct kb_url roots[2]; /* where it begins, and where that is if redirects lead elsewhere */
	bool whole_host;
};

/* landed: where redirects lead from start; empty: nowhere else. */
bool kb_scope_read(struct kb_arena *arena, struct kb_sv start, struct kb_sv landed, bool whole_host,
                   struct kb_scope *out, struct kb_err *err) KB_MUST_CHECK;

/* Whether a link that leads there is one of its own, and to a document: not to a picture, a film, a
 * program. *name is the address then (page_address.h), with the scheme of the website's start. */
bool kb_scope_takes(struct kb_arena *arena, const struct kb_scope *scope, const struct kb_url *url,
                    struct kb_sv *name);

#endif
