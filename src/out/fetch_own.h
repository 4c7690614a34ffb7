/* What fetcher.c and fetch.c share. */
#ifndef KB_OUT_FETCH_OWN_H
#define KB_OUT_FETCH_OWN_H

#include <stdatomic.h>

#include "out/fetch.h"

struct kb_fetcher {
	struct kb_arena arena;
	struct kb_guard guard;
	const char *agent_name, *temp_dir;
	atomic_bool cancelled;
	kb_resolve_fn *resolve;
	void *resolve_arg;
};

/* The refusal of what leads to an address that is closed. */
bool kb_fetcher_refuse(struct kb_sv asked, struct kb_err *err);

#endif
