/*
 * Names of temporary files: by their beginning a later life of the program knows what it may
 * remove.
 *
 * Whoever makes such a file takes its name here, so no kind of them can be left lying for good.
 */
#ifndef KB_BASE_TEMP_H
#define KB_BASE_TEMP_H

#include "base/err.h"

enum kb_temp {
	KB_TEMP_UPLOAD = 1 << 0,
	KB_TEMP_FETCH = 1 << 1,
	KB_TEMP_SEGMENT = 1 << 2,
	KB_TEMP_MERGE = 1 << 3,
	KB_TEMP_COLUMN = 1 << 4,
	KB_TEMP_FACTORS = 1 << 5,
	KB_TEMP_PART = 1 << 6,
	KB_TEMP_ALL = (1 << 7) - 1
};

enum { KB_TEMP_PATH = 4096 };

/* A new name in the directory: the word of one kind and 20 letters by chance. Makes no file. */
void kb_temp_path(char path[KB_TEMP_PATH], const char *dir, enum kb_temp kind);

/* Removes the files of these kinds, and no others; false when one of them stays. Only where nobody
 * is writing one. */
bool kb_temp_clean(const char *dir, unsigned kinds, struct kb_err *err) KB_MUST_CHECK;

#endif
