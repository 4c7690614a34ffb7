/* A set of names of blobs: 32 bytes of memory for each. One thread. */
#ifndef KB_BACKUP_NAMES_H
#define KB_BACKUP_NAMES_H

#include <stddef.h>

#include "base/hash.h"

struct kb_names {
	unsigned char *slots; /* the first half of each name, which is as good as all of it */
	size_t count, size;
};
void kb_names_fini(struct kb_names *names); /* empty again */
/* False: it was there. The name is one of 64 digits. */
bool kb_names_add(struct kb_names *names, struct kb_sv name);
bool kb_names_has(const struct kb_names *names, struct kb_sv name);

#endif
