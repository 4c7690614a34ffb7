/* Words that deny, that suppose and that decide, by language. Pure; any thread. */
#ifndef KB_WRITE_DENIAL_H
#define KB_WRITE_DENIAL_H

#include "index/lang.h"
#include "index/term.h"

/* Whether this term of an analysis denies what stands beside it. */
bool kb_denies(enum kb_lang lang, const struct kb_term *term);
/* Whether it begins a condition, so that what stands with it is not asserted. */
bool kb_supposes(enum kb_lang lang, const struct kb_term *term);
/* The text behind a "Yes," that it begins with: of the matter itself the word says nothing. */
struct kb_sv kb_behind_verdict(struct kb_sv text);

#endif
