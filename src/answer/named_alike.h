/*
 * Whether two words are one name: in another form ("Bernd", "Bernds"), without its marks ("Müller",
 * "Mueller", "Muller"), or with a slip of the pen. Pure; any thread.
 */
#ifndef KB_ANSWER_NAMED_ALIKE_H
#define KB_ANSWER_NAMED_ALIKE_H

#include "base/sv.h"

enum { KB_ALIKE_CHARS = 40 /* of names that are compared */ };

/* Letters without their marks, as far as Latin has them: é is e, ß is ss, ü is u. Gives how many
 * bytes of out they take; what has no room is left out. */
size_t kb_named_bare(struct kb_sv word, char *out, size_t max);

/* Whether the word is the name, which has lost its marks. */
bool kb_named_alike(const char *name, size_t n, struct kb_sv word);

#endif
