/*
 * Addresses that are handed to readers as links: which are taken, and what of a stored one is
 * shown.
 *
 * Whoever cites a document shows its address to people, who open it in their browser. So it leads
 * to the web and nowhere else, needs no mending, and tells nobody's password. Pure but for the
 * arena; any thread.
 */
#ifndef KB_OUT_LINK_H
#define KB_OUT_LINK_H

#include "out/url.h"

/* An absolute http or https address, spelt as one is (a browser would mend a blank or a third
 * slash) and read as one (nothing turns it round), without user name and password. */
bool kb_link_is_plain(struct kb_arena *arena, struct kb_sv text);
/* KB_E_INVALID, with a sentence that begins with what, when the address names a user or holds a
 * password. */
bool kb_link_refuse_credentials(const struct kb_url *url, const char *what,
                                struct kb_err *err) KB_MUST_CHECK;
/* Its one name (kb_url_document) without user name and password. */
struct kb_sv kb_link_of(struct kb_arena *arena, const struct kb_url *url);
/* A stored address for readers: the same text where it is plain, else kb_link_of() it; empty where
 * it leads to no page of the web. */
struct kb_sv kb_link_shown(struct kb_arena *arena, struct kb_sv text);

#endif
