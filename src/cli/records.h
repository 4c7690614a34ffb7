/*
 * Records of a file, one JSON object a line: passages to be indexed, questions to be asked. The
 * file may be packed by gzip. Errors name the file and the line. One thread.
 */
#ifndef KB_CLI_RECORDS_H
#define KB_CLI_RECORDS_H

#include <zlib.h>

#include "base/arena.h"
#include "base/buf.h"

struct kb_records {
	const char *path; /* the caller's */
	gzFile file;
	struct kb_buf line;
	int64_t number; /* of the line in hand */
	struct kb_arena arena;
	char *chunk;
	size_t at, have;
};
/* Close it even when this fails. */
bool kb_records_open(struct kb_records *records, const char *path, struct kb_err *err);
void kb_records_close(struct kb_records *records);

struct kb_record {
	struct kb_sv id; /* holds no blank */
	struct kb_sv title, text;
};
/* The next record; *more is false after the last. It lives until the next call. */
bool kb_records_next(struct kb_records *records, struct kb_record *out, bool *more,
                     struct kb_err *err);

#endif
