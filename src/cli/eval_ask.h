/* docent eval: the rows of a table, asked of a running service as trials. */
#ifndef KB_CLI_EVAL_ASK_H
#define KB_CLI_EVAL_ASK_H

#include "cli/eval_rows.h"
#include "cli/remote.h"

struct kb_eval_asking {
	struct kb_remote *remote;
	struct kb_arena *arena;     /* what is given lives in it */
	int64_t passages;           /* how many of each are wanted */
	const struct kb_sv *labels; /* all of the agent, once somebody has wanted them */
	size_t label_count;
	bool knows_labels;
};

/* One row. What the service says of the row alone is in out->error; false where the next one would
 * fare no better. */
bool kb_eval_ask(struct kb_eval_asking *asking, const struct kb_eval_row *row,
                 struct kb_eval_reply *out, struct kb_err *err) KB_MUST_CHECK;
/* Whether what answers is found where every label is open; for a row where it was not. */
bool kb_eval_ask_opened(struct kb_eval_asking *asking, const struct kb_eval_row *row, bool *opened,
                        struct kb_err *err) KB_MUST_CHECK;

#endif
