/*
 * How one server of the operator's is doing: its breaker, its figures, and one log line whenever it
 * is left alone or answers again. What every client of a model server shares.
 *
 * Any thread; a call takes a lock for a moment and blocks for nothing else.
 */
#ifndef KB_OUT_HEALTH_H
#define KB_OUT_HEALTH_H

#include <pthread.h>

#include "base/err.h"
#include "base/log.h"
#include "out/breaker.h"

struct kb_health_stats {
	const char *name;
	enum kb_breaker_state state;
	int64_t requests;  /* sent */
	int64_t failures;  /* of these */
	int64_t kept_back; /* calls that were not sent, the server being left alone */
	int64_t took_us;   /* of all requests together */
};

struct kb_health {
	const char *what; /* "the embedding server", in sentences */
	const struct kb_log *log;
	pthread_mutex_t lock;
	struct kb_breaker breaker;
	struct kb_health_stats stats;
};

/* name: in the log and in the metrics. Nothing is copied. */
void kb_health_init(struct kb_health *health, const char *name, const char *what,
                    const struct kb_log *log);
void kb_health_fini(struct kb_health *health);

/* Whether a request may go out now. Who got true says with kb_health_count() how it went. False
 * with KB_E_UPSTREAM. whose: the account that asks; 0: none in particular (breaker.h). */
bool kb_health_admit(struct kb_health *health, int64_t whose, struct kb_err *err) KB_MUST_CHECK;
/* why: KB_OK, or a refusal of this very request (KB_E_INVALID, KB_E_TOO_LARGE), for a server that
 * does its work; KB_E_CANCELLED says nothing of it; anything else is a failure. wish_ms: how long
 * it asked to be left alone. */
struct kb_health_request {
	int64_t took_us, wish_ms, whose;
};
void kb_health_count(struct kb_health *health, const struct kb_err *why,
                     const struct kb_health_request *request);
void kb_health_stats(struct kb_health *health, struct kb_health_stats *out);

/* 0 to 1, for pauses that spread. */
double kb_health_chance(void);

#endif
