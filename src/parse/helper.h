/*
 * Helper programs of a parser child: pdftotext and the like, behind the same walls as the child and
 * with a filter of their own that cannot start anything further. Only in a child of role "helped",
 * once.
 */
#ifndef KB_PARSE_HELPER_H
#define KB_PARSE_HELPER_H

#include "base/buf.h"

enum { KB_HELPER_ARGS_MAX = 16, KB_HELPER_COMPLAINT_MAX = 4096 };

struct kb_helper_run {
	const char *const *argv;  /* program's path first, NULL last */
	int input;                /* the document, on its standard input */
	struct kb_buf *output;    /* what it wrote */
	struct kb_buf *complaint; /* the beginning of what it said on standard error */
	int status;               /* as waitpid() gives it */
};

/* Runs it to its end. When it has started, the child itself gives up all it no longer needs. Output
 * over the buffer's limit ends it, with the buffer failed. */
bool kb_helper_run(struct kb_helper_run *run, struct kb_err *err) KB_MUST_CHECK;

#endif
