/* Readers of old binary Office files, of their container (ole.h). Only in a parser child. */
#ifndef KB_PARSE_OLD_OFFICE_H
#define KB_PARSE_OLD_OFFICE_H

#include "parse/doc.h"
#include "parse/ole.h"

/* KB_E_INVALID: damaged, or locked with a password. */
bool kb_xls_read(struct kb_doc *doc, const struct kb_ole *ole, struct kb_err *err) KB_MUST_CHECK;
bool kb_outlook_read(struct kb_doc *doc, const struct kb_ole *ole,
                     struct kb_err *err) KB_MUST_CHECK;
bool kb_ppt_read(struct kb_doc *doc, const struct kb_ole *ole, struct kb_err *err) KB_MUST_CHECK;

#endif
