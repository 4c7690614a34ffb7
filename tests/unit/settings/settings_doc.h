/* docs/settings.md, printed from the table. */
#ifndef KB_SETTINGS_DOC_H
#define KB_SETTINGS_DOC_H

#include "base/buf.h"

void settings_doc_print(struct kb_buf *out);

#endif
