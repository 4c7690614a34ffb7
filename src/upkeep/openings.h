/*
 * The thread that makes what visitors are greeted with (answer/opening.h), for the agents whose
 * visitors have wanted it (store/openings.h), one after the other.
 */
#ifndef KB_UPKEEP_OPENINGS_H
#define KB_UPKEEP_OPENINGS_H

#include "upkeep/config.h"

struct kb_opener;

/* NULL where the configuration has nobody who answers. */
struct kb_opener *kb_opener_start(const struct kb_upkeep_config *config);
/* Gives up what is in hand. NULL is fine. */
void kb_opener_stop(struct kb_opener *opener);

#endif
