/*
 * The label filter of a question, as messages and chat/completions take it.
 *
 * `labels` is a list of ids and names (any of them), or a list of such lists (any within one, all
 * across them); beside lists a single label is a list of its own. What is neither a number nor a
 * text that is not empty is ignored, and so is a list of which nothing is left. A label that the
 * agent does not have is ignored as a way in, never as a condition: a list of such alone opens no
 * labelled document. Over the limits is KB_E_INVALID with figure and limit.
 */
#ifndef KB_API_FILTER_H
#define KB_API_FILTER_H

#include "api/input.h"
#include "live/access.h"

/* Without the fields: documents without labels. */
bool kb_filter_read(const struct kb_inputs *inputs, struct kb_arena *arena,
                    struct kb_label_filter *out, struct kb_err *err) KB_MUST_CHECK;

#endif
