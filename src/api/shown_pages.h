/*
 * The documents that a message shows, as a visitor of a public agent may know them: those that its
 * answer cites, or, where there is none, those of the passages that come closest.
 */
#ifndef KB_API_SHOWN_PAGES_H
#define KB_API_SHOWN_PAGES_H

#include "api/api.h"
#include "write/claims.h"

/* By what is declared of it, before anybody has read it. */
bool kb_page_is_pdf(const struct kb_page *page);

/* What a signed visitor may find beside what everybody finds. */
bool kb_visitor_labels(struct kb_call *call, struct kb_label_filter *out,
                       struct kb_err *err) KB_MUST_CHECK;

struct kb_shown_wish {
	const struct kb_settings *settings;
	const struct kb_message *message;
	int64_t id;
};
/* The document `id`, where the visitor's message shows it, the agent tells its citations and the
 * visitor may find it now; else KB_E_NOT_FOUND. */
bool kb_shown_page(struct kb_call *call, const struct kb_shown_wish *cited, struct kb_page *out,
                   struct kb_err *err) KB_MUST_CHECK;

/* Of documents that the agent names by itself: those rows of `out`, in the order of the ids, that
 * the visitor may find; others have an id of 0. */
bool kb_visitor_pages(struct kb_call *call, const struct kb_page_ids *ids, struct kb_page *out,
                      struct kb_err *err) KB_MUST_CHECK;
/* What a visitor reads as its title; empty where the owner names no files. */
struct kb_sv kb_visitor_title(const struct kb_settings *settings, const struct kb_page *page);

/* Their rows, in the same order, read once a call; an id of 0: it has gone, or the visitor may not
 * find it now. */
const struct kb_page *kb_shown_pages(struct kb_call *call, const struct kb_message *message);

/* Where the documents say what is shown of them, each place with the page on which it stands: the
 * note of a message knows the page on which its passage begins, and a passage may go over several.
 */
const struct kb_claim_place *kb_shown_places(struct kb_call *call, const struct kb_message *message,
                                             size_t *count);
/* The documents' own words at those places, as one line each; empty: they cannot be had, or the
 * call has read enough documents. */
const struct kb_sv *kb_shown_quotes(struct kb_call *call, const struct kb_message *message,
                                    const struct kb_claim_place *places, size_t count);
/* That is the document's text, for kb_shown_places(), which reads it else. */
void kb_shown_know(struct kb_call *call, int64_t page_id, const struct kb_parsed *text);

#endif
