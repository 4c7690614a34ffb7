/* Sizes as people read them, for sentences: "1.5 GB", "100 MB", "812 bytes". */
#ifndef KB_BASE_SIZE_H
#define KB_BASE_SIZE_H

#include "base/common.h"

enum { KB_SIZE_TEXT = 32 };
/* Returns out. */
const char *kb_size_text(char out[KB_SIZE_TEXT], int64_t bytes);

#endif
