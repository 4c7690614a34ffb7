/* Asks each model server of the configuration one question: for `docent models check`, and for
 * `docent doctor`. */
#ifndef KB_CLI_MODELS_CHECK_H
#define KB_CLI_MODELS_CHECK_H

#include "cli/options.h"

enum kb_model_state { KB_MODEL_NO_SERVER, KB_MODEL_NOT_ASKED, KB_MODEL_WORKS, KB_MODEL_FAILS };

/* What came of one. note: what was seen, or what went wrong; NULL where nothing was asked. */
struct kb_model_check {
	struct kb_sv id;
	const char *kind, *note;
	enum kb_model_state state;
	int64_t took_ms;
};
typedef void kb_model_seen(void *arg, const struct kb_model_check *found);

/* One after another; each may take half a minute. *good: none failed. False: the options do not
 * fit, or the catalogue cannot be read. */
bool kb_models_check(struct kb_arena *arena, const struct kb_options *options, kb_model_seen *seen,
                     void *arg, bool *good, struct kb_err *err) KB_MUST_CHECK;

#endif
