/*
 * Segments whose file is damaged or gone are made anew, of the texts that are stored beside them.
 *
 * Whoever opens a segment and finds it damaged says so in the store (the catalog does); the agent
 * goes on with its other segments, and a row waits for a worker. A thread takes such rows, one
 * agent at a time, under a lease with an epoch: it reads the texts of the pages that can be found
 * and are in no whole segment, writes segments of them, and makes them true in one transaction
 * (store/repairs.h). Killed at any moment, nothing has happened, and the next one begins again.
 *
 * A page whose text is gone as well is read anew from its original or its address; where there is
 * none it fails, with a sentence. A segment that turns out to be whole is only believed again.
 *
 * The same thread looks through all segments in a directory once a day, slowly, so that damage is
 * found before a question meets it. Of a bucket, whose server looks after its bytes, it does not.
 */
#ifndef KB_UPKEEP_REPAIR_H
#define KB_UPKEEP_REPAIR_H

#include "upkeep/rebuild.h"

struct kb_repair_stats {
	int64_t segments;  /* written or believed again since the start */
	int64_t documents; /* put into them */
	int64_t lost;      /* that had no text any more */
	int64_t failures;  /* repairs to be tried again */
};

/* Does the next repair that is due; *worked is false when there is none. What fails is put off, and
 * logged. Adds to the sums. */
bool kb_repair_next(const struct kb_repair_with *with, struct kb_repair_stats *sums, bool *worked,
                    struct kb_err *err) KB_MUST_CHECK;
/* Looks at the segment after `place`, and reports it if it is damaged. *bytes is what was read;
 * after the last segment, place is zeroed and *bytes is -1. */
bool kb_repair_look(const struct kb_repair_with *with, struct kb_segment_place *place,
                    int64_t *bytes, struct kb_err *err) KB_MUST_CHECK;

/* The thread. The configuration's requeued is called when documents wait to be read anew. */
struct kb_upkeep_config;
struct kb_repairer;
struct kb_repairer *kb_repairer_start(const struct kb_upkeep_config *config);
/* Gives up what is in hand. NULL is fine. */
void kb_repairer_stop(struct kb_repairer *repairer);
void kb_repairer_stats(struct kb_repairer *repairer, struct kb_repair_stats *out);

#endif
