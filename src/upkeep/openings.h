/*
 * The thread that makes what visitors are greeted with (answer/opening.h), for the agents whose
 * visitors have wanted it (store/openings.h), one after the other.
 */
#ifndef KB_UPKEEP_OPENINGS_H
#define KB_UPKEEP_OPENINGS_H

#include "upkeep/round.h"

/* NULL where the configuration has nobody who answers. */
struct kb_round *kb_openings_start(const struct kb_upkeep_config *config);

#endif
