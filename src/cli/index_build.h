/*
 * `docent index build`: one pass over a file of records, one passage each, into an index directory
 * (index_dir.h). A part in the making is written when it has taken `memory` bytes; the parts are
 * merged at the end. Prints what it did. One thread, for as long as it takes.
 */
#ifndef KB_CLI_INDEX_BUILD_H
#define KB_CLI_INDEX_BUILD_H

#include "base/common.h"
#include "base/err.h"

struct kb_index_build_options {
	const char *docs, *out;
	size_t memory;
	bool factors; /* learn a model, where there is enough to learn from */
};
bool kb_index_build(const struct kb_index_build_options *options, struct kb_err *err);

#endif
