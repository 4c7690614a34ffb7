/* What a request says of an address to be read: its URL and the settings of its source. */
#ifndef KB_API_SOURCE_INPUT_H
#define KB_API_SOURCE_INPUT_H

#include "api/api.h"
#include "crawl/kinds.h"

/* sitemap_path as one name for one document; left alone when missing, null or empty.
 * KB_E_INVALID when it is no http or https address. */
bool kb_source_input_url(struct kb_call *call, struct kb_sv *url, struct kb_err *err) KB_MUST_CHECK;
/* The settings that are sent, over those given. */
bool kb_source_input_merge(struct kb_call *call, struct kb_source_settings *settings,
                           struct kb_err *err) KB_MUST_CHECK;
/* The same over the defaults. */
bool kb_source_input_settings(struct kb_call *call, struct kb_source_settings *settings,
                              struct kb_err *err) KB_MUST_CHECK;

/* label_ids, where they are sent (*given): what the source's pages need to open. KB_E_FORBIDDEN
 * where the plan has no labels. */
bool kb_source_input_labels(struct kb_call *call, struct kb_source *source, bool *given,
                            struct kb_err *err) KB_MUST_CHECK;
/* KB_E_INVALID where label_ids come with files: those are not the labels of one upload. */
bool kb_source_input_no_labels(struct kb_call *call, struct kb_err *err) KB_MUST_CHECK;

/* The new source of an address, due now where it is a sitemap, with its labels; *page is the page
 * of one that is none. */
bool kb_source_input_new(struct kb_call *call, struct kb_sv url, struct kb_source *source,
                         struct kb_page_new *page, bool *has_page,
                         struct kb_err *err) KB_MUST_CHECK;
/* Makes the agent's source of that address, or puts the one that is there in the queue, with the
 * labels that are sent.
 * KB_E_INVALID where the agent has as many sources as it may. */
bool kb_source_input_take(struct kb_call *call, struct kb_sv url, struct kb_source *out,
                          struct kb_err *err) KB_MUST_CHECK;

#endif
