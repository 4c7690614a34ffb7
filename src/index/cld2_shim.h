/*
 * The one call of cld2 (Compact Language Detector 2), which is C++ without a C interface. No
 * object, exception or allocation crosses. Private to this folder; pure, any thread.
 */
#ifndef KB_INDEX_CLD2_SHIM_H
#define KB_INDEX_CLD2_SHIM_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The code of the language that most of the text is in ("en", "un" for unknown), a constant. The
 * text is UTF-8. percent: of the text; reliable: as cld2 judges itself. */
const char *kb_cld2_language(const char *text, int n, int *percent, bool *reliable);

#ifdef __cplusplus
}
#endif

#endif
