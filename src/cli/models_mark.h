/* Which models a service answers with, as one figure: nodes, and starts, compare theirs. */
#ifndef KB_CLI_MODELS_MARK_H
#define KB_CLI_MODELS_MARK_H

#include "cli/options.h"
#include "index/vectorizer.h"
#include "upstream/models.h"

/* Of what answers now, and of what finds and ranks passages for it; without keys. Never 0.
 * encoder NULL: there is none. Any thread. */
int64_t kb_models_mark(const struct kb_options *options, struct kb_models *models,
                       const struct kb_vectorizer *encoder);

#endif
