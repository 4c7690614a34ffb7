/* Words that deny, by language. Pure; any thread. */
#ifndef KB_WRITE_DENIAL_H
#define KB_WRITE_DENIAL_H

#include "index/lang.h"
#include "index/term.h"

/* Whether this term of an analysis denies what stands beside it. */
bool kb_denies(enum kb_lang lang, const struct kb_term *term);

#endif
