/*
 * Visitors of public agents: how their browser shows who they are, and how much one may ask.
 *
 * A visit begins with a request of our own page, which gives the browser a cookie that no script
 * can read, one for each agent, partitioned by the site around the page. A foreign page can make a
 * browser send it, so it counts only with the field X-Docent-Visitor, which pages of other origins
 * may not send. A browser that keeps no such cookie (a foreign site without TLS, a strict mode) is
 * given the secret itself, which the page keeps in its memory and sends in that field.
 */
#ifndef KB_API_VISITOR_H
#define KB_API_VISITOR_H

#include "api/api.h"
#include "store/visitors.h"

/* Where a message came from, as a page of ours says it: "ama", "iframe", "livechat", "embed". NULL
 * for any other word. */
const char *kb_visitor_surface(struct kb_sv name);

/* Whether that origin ("https://example.org") may show the agent; an empty list lets every site. */
bool kb_visitor_site_allowed(const struct kb_settings *settings, struct kb_sv origin);
/* The origin of an address; empty: it has none. */
struct kb_sv kb_visitor_origin(struct kb_sv url);

/* Whether all of them were within their limits; else KB_E_EXHAUSTED with retry_after_s. */
bool kb_visits_are_within(const struct kb_visits *visits, struct kb_err *err) KB_MUST_CHECK;
/* KB_E_UNAUTHORIZED where the owner asks for a browser's work and it was not done. */
bool kb_visitor_has_worked(struct kb_call *call, const struct kb_settings *settings,
                           struct kb_err *err) KB_MUST_CHECK;

/* Begins an answer, and counts it; KB_E_EXHAUSTED with retry_after_s where that is one too many, or
 * another one is under way. */
bool kb_visitor_begins(struct kb_call *call, struct kb_err *err) KB_MUST_CHECK;
/* The same before the request's body is taken: kb_visitor_begins() then finds it begun. Where that
 * is not reached, it ends with the request. */
bool kb_visitor_begins_early(struct kb_call *call, struct kb_err *err) KB_MUST_CHECK;

/* The agent and settings behind a shared conversation of the path (talks.c); KB_E_NOT_FOUND. */
bool kb_talks_find_shared(struct kb_call *call, struct kb_settings *settings,
                          struct kb_err *err) KB_MUST_CHECK;

/* Bits of zero that the browser's work has to begin with: as much as a phone can bear, which is
 * little for a program made for it (docs/embedding.md). */
enum { KB_VISITOR_WORK_BITS = 16 };

#endif
