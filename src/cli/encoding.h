/*
 * The encoder in the process as whoever makes vectors (index/vectorizer.h): its file, its crew, and
 * the column that it makes. Only `serve` opens one.
 */
#ifndef KB_CLI_ENCODING_H
#define KB_CLI_ENCODING_H

#include "base/log.h"
#include "index/vectorizer.h"

struct kb_encoding;

/* named: the option, a file or "none"; NULL: the file that was installed with the program, or lies
 * beside it in the source tree. *out is NULL for "none", where no file is there and nobody named
 * one. One that is damaged or foreign is refused: a line of the log names it, there is no
 * vectorizer, and words go on. Only a file that somebody named and that is not there is an error.
 * What opening cannot see is found by the first who asks for the column; then it is refused too. */
bool kb_encoding_open(const char *named, const struct kb_log *log, struct kb_encoding **out,
                      struct kb_err *err) KB_MUST_CHECK;
/* For struct kb_api; NULL is not refused. */
bool kb_encoding_is_refused(const void *encoding);
/* Whether that file, if there is to be one, is there and whole; reads all of it. */
bool kb_encoding_check(const char *named, struct kb_err *err) KB_MUST_CHECK;
/* Passages that are being encoded end soon. NULL is fine, below too. */
void kb_encoding_cancel(struct kb_encoding *encoding);
void kb_encoding_close(struct kb_encoding *encoding);

/* Lives as long as the encoding; NULL where there is none, or its file did not open. */
const struct kb_vectorizer *kb_encoding_vectorizer(const struct kb_encoding *encoding);

/* Beside the program's folder or, in a source tree, beside its build: ../share/docent/NAME. False:
 * there is none. */
bool kb_installed_file(const char *name, char *path, size_t size);

#endif
