/* What the server and a parser child know of each other before the first message: the child is
 * started as `docent parse-worker --role ROLE`. Internal to parse. */
#ifndef KB_PARSE_ROLES_H
#define KB_PARSE_ROLES_H

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

#endif
