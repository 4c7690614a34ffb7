/*
 * The natural questions as the fitting tool sees them: a set for each corpus, whose documents are
 * files, and whose answers are phrases compared without case, blanks and marks of emphasis.
 */
#ifndef BENCH_FIT_NATURAL_H
#define BENCH_FIT_NATURAL_H

#include "fit_data.h"

extern const char *const fit_corpora[]; /* up to NULL */

/* false where the data are not to be had. */
bool fit_natural_open(struct fit_set *set, const char *root, const char *corpus);

#endif
