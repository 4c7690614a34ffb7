/*
 * How long calls take until their answer begins, by what they do and what came of them, and how
 * that is written for /metrics. Any thread.
 */
#ifndef KB_API_TIMINGS_H
#define KB_API_TIMINGS_H

#include "api/principal.h"
#include "base/buf.h"
#include "base/histogram.h"

enum { KB_STATUS_CLASSES = 4 }; /* 2xx to 5xx */

struct kb_timings {
	/* By verb, and by the class of the status. Of streams: until the first byte can go. */
	struct kb_histogram calls[KB_VERB_COUNT][KB_STATUS_CLASSES];
};

void kb_timings_add(struct kb_timings *timings, enum kb_verb verb, int status, int64_t us);
/* Those that have any, in the text form of Prometheus. */
void kb_timings_write(struct kb_timings *timings, struct kb_buf *buf);
/* One histogram with that name behind "docent_"; labels: "a=\"b\"", or empty. */
void kb_histogram_write(struct kb_buf *buf, const char *name, const char *labels,
                        struct kb_histogram *histogram);
/* Nothing was added to it yet. */
bool kb_histogram_is_empty(struct kb_histogram *histogram);
void kb_histogram_head(struct kb_buf *buf, const char *name, const char *help);

#endif
