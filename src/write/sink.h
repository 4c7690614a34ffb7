/* Who gets an answer while a model writes it. */
#ifndef KB_WRITE_SINK_H
#define KB_WRITE_SINK_H

#include "base/err.h"
#include "base/sv.h"

struct kb_answer_sink {
	/* A piece of the text; must not block. The piece ends with the call. */
	void (*take)(void *arg, struct kb_sv piece);
	/* A model is asked, which has so many sources to read; again where another one is asked.
	 * Must not block. NULL: nobody wants to know. */
	void (*reading)(void *arg, size_t sources);
	/* Nothing has come for KB_UNDERWAY_SILENT_MS, and again every KB_UNDERWAY_AGAIN_MS
	 * (underway.h); must not block. NULL: nobody wants to know. */
	void (*silent)(void *arg);
	/* Whether anybody still listens: others go before an answer that nobody does. Must not
	 * block. NULL: somebody does. */
	bool (*is_heard)(void *arg);
	/* The end, on a thread that may block; err->code is KB_OK, or there is no answer at all.
	 * What the request points to may be gone when it returns. */
	void (*done)(void *arg, struct kb_err *err);
	void *arg;
};

#endif
