/*
 * Helper programs of a parser child: pdftotext and the like, behind the same walls as the child and
 * with a filter of their own that cannot start anything further. Only in a child of role "helped",
 * once.
 */
#ifndef KB_PARSE_HELPER_H
#define KB_PARSE_HELPER_H

#include "base/buf.h"

enum { KB_HELPER_ARGS_MAX = 32, KB_HELPER_COMPLAINT_MAX = 4096 };

struct kb_helper_run {
	const char *const *argv; /* program's path first, NULL last */
	/* Another one that reads the document, and whose output this one reads; NULL: none. */
	const char *const *feeder;
	int input; /* the document, on the standard input of the first of them */
	/* Takes what it writes, piece by piece; false ends it. */
	bool (*take)(void *arg, struct kb_sv piece);
	void *arg;
	struct kb_buf *complaint;  /* the beginning of what they said on standard error */
	int status, feeder_status; /* as waitpid() gives it */
};

/* Runs them to their end. When they have started, the child itself gives up all it no longer needs.
 */
bool kb_helper_run(struct kb_helper_run *run, struct kb_err *err) KB_MUST_CHECK;

/* What a child of role "exec" does: it becomes a helper program. argv: its parent's process, the
 * program's path, and its arguments. Returns the process's exit status, only when that failed. */
int kb_helper_exec(char **argv);

#endif
