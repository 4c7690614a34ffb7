/* A file with a new key in it: for `docent backup key` and `docent secrets key`. */
#ifndef KB_CLI_KEY_FILE_H
#define KB_CLI_KEY_FILE_H

#include "base/err.h"

enum { KB_KEY_FILE_HEX = 64 + 1 }; /* 64 hexadecimal digits, and the end */

/* Makes it, readable for its owner alone; hex: what is in it, which the caller wipes. A file that
 * is there is an error, and stays. */
bool kb_key_file_make(const char *path, char hex[KB_KEY_FILE_HEX],
                      struct kb_err *err) KB_MUST_CHECK;

#endif
