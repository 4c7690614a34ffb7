/* Files that the program carries; the table is made from this folder's files by embed.c. */
#ifndef KB_API_BUILTIN_H
#define KB_API_BUILTIN_H

#include <stddef.h>

struct kb_builtin {
	const char *name;
	const unsigned char *bytes;
	size_t n;
};
extern const struct kb_builtin kb_builtins[];
extern const size_t kb_builtin_count;

#endif
