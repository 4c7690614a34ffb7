/* The child's side: what the server starts as `docent parse-worker`. Internal to parse. */
#ifndef KB_PARSE_WORKER_H
#define KB_PARSE_WORKER_H

#include "base/common.h"

enum {
	KB_WORKER_SOCKET = 3, /* the descriptor the messages come on */
	KB_WORKER_FILES = 16, /* descriptors a child may have */
};

/* The hidden subcommand and the values of --role. */
#define KB_WORKER_COMMAND "parse-worker"
#define KB_WORKER_PURE    "pure"   /* many documents, no helper program */
#define KB_WORKER_HELPED  "helped" /* one document, may start a helper */
#define KB_WORKER_EXEC    "exec"   /* narrows the filter and becomes the helper program */

/* Becomes a helper program; returns only when that failed. argv[0] is the program's path. */
int kb_worker_exec(char **argv);

#endif
