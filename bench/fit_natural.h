/* The natural questions as sets of their own, a corpus each (natural_data.h). */
#ifndef KB_BENCH_FIT_NATURAL_H
#define KB_BENCH_FIT_NATURAL_H

#include "fit_data.h"
#include "natural_data.h"

/* Makes a set of the corpus. `set` keeps views into `all`, which must outlive it. false with what
 * is wrong. */
bool fit_natural_open(struct fit_set *set, struct n_set *all, size_t corpus, struct kb_err *err);

#endif
