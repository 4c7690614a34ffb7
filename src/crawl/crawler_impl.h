/* What crawler.c (the threads), errand.c (a page) and sync.c (a source; reading.h) share. */
#ifndef KB_CRAWL_CRAWLER_IMPL_H
#define KB_CRAWL_CRAWLER_IMPL_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/bell.h"
#include "crawl/crawler.h"
#include "crawl/source.h"
#include "out/fetch.h"
#include "store/errands.h"
#include "store/hosts.h"

enum {
	KB_CRAWLER_LEASE_S = 600, /* far more than the longest fetch */
	KB_CRAWLER_TRIES_MAX = 5,
	KB_CRAWLER_OUTAGE_NAP_MS =
	        100, /* between two tries to say what came of something, at first */
	KB_CRAWLER_OUTAGE_WAIT_S = 10, /* until what pages are kept in may be there again */
	KB_CRAWLER_RETRY_FIRST_S = 2,  /* four times that with every attempt: 2, 8, 32, 128 */
	KB_CRAWLER_EXTRA_TIMES = 3,    /* with allow_extra_timeout */
	KB_CRAWLER_PAUSE_MAX_MS =
	        5000, /* the pause is as long as the last answer took, within this */
	KB_CRAWLER_GENTLE_PAUSE_MS = 2000, /* in the low performance mode */
	KB_CRAWLER_GENTLE_PAUSE_MAX_MS = 20000,
	KB_CRAWLER_SEED_DEPTH = 2, /* of pages that a website's sitemap lists */
	KB_CRAWLER_RETRY_AFTER_MAX_S = 3600,
	KB_CRAWLER_GENTLE_RETRY_AFTER_MAX_S = 86400,
};

struct kb_crawler {
	struct kb_crawler_config config;
	struct kb_pool *pool;
	pthread_t dispatcher;
	struct kb_bell bell;
	pthread_mutex_t lock;        /* of the jobs */
	struct kb_crawler_job *jobs; /* in progress */
	_Atomic int64_t
	        follow_until; /* kb_clock_steady_us(): a page may lead to others any moment */
	_Atomic int64_t fetched, unchanged, failed, again, sources_read;
};

/* How an agent wants its hosts to be asked, and the line it has to one of them. */
struct kb_manner {
	int64_t agent_id;
	bool extra_timeout, gentle, whole_host;
	int64_t delay_us;         /* what robots.txt asks for between two requests; 0: nothing */
	struct kb_host_hold hold; /* kb_manner_read() leaves it */
};
void kb_manner_read(struct kb_crawler *crawler, struct kb_arena *arena,
                    const struct kb_agent *agent, struct kb_manner *out);
/*
 * Whether robots.txt of the host, which is taken, allows the address; that is asked before anything
 * else of a host. Where it has to be read first, the host's turn goes to that: *turn_used, and the
 * host is given back. Then true says no more than that it has been read.
 *
 * KB_E_FORBIDDEN: not allowed. KB_E_UPSTREAM or KB_E_TIMEOUT: nobody knows, so nobody asks now.
 */
bool kb_crawler_may_ask(struct kb_crawler *crawler, struct kb_arena *arena,
                        struct kb_manner *manner, struct kb_sv address, bool *turn_used,
                        struct kb_err *err) KB_MUST_CHECK;
/* The same of where a redirect leads; may_follow of kb_crawler_fetch(). */
bool kb_crawler_may_follow(void *crawler, struct kb_arena *arena, const struct kb_url *to,
                           struct kb_err *err) KB_MUST_CHECK;
/* What is asked for, and who asks in our place. */
enum kb_means {
	KB_MEANS_NONE,    /* we do */
	KB_MEANS_BROWSER, /* the page is what its scripts make of it */
	KB_MEANS_FILMS,   /* the page is what is said in its film, in film_lang where it can be */
};
struct kb_crawler_request {
	struct kb_fetch_request fetch; /* patience and plain_browser are the manner's */
	enum kb_means by;
	struct kb_sv film_lang;
};
/* Fetches, and gives the host, which manner holds, back to the others after a pause. */
bool kb_crawler_fetch(struct kb_crawler *crawler, struct kb_arena *arena, struct kb_manner *manner,
                      const struct kb_crawler_request *request, struct kb_fetch_response *out,
                      struct kb_err *err) KB_MUST_CHECK;
/* Whether to say once more what came of something, after a failure. A store that is away is waited
 * for as long as the service runs: what is not said waits for its lease to end. *nap_ms, first
 * KB_CRAWLER_OUTAGE_NAP_MS, grows. */
bool kb_crawler_insists(struct kb_crawler *crawler, int64_t *nap_ms, const struct kb_err *err);
/* Gives the host back, unless that was done. */
void kb_crawler_leave(struct kb_crawler *crawler, struct kb_manner *manner, int64_t pause_us,
                      enum kb_host_outcome outcome);
/* What a status that is no success means; whether the same may go better later, and when. */
struct kb_sv kb_crawler_refusal(struct kb_arena *arena, const struct kb_fetch_response *response,
                                bool *retry);
/* When to try for the next time. retry_after_s: the host's word, or 0. */
int64_t kb_crawler_retry_at(struct kb_crawler *crawler, const struct kb_manner *manner,
                            int64_t attempts, int64_t retry_after_s);

/* A page whose lease we hold, and whose host; gives both back. */
void kb_crawler_errand(struct kb_crawler *crawler, struct kb_arena *arena,
                       const struct kb_errand_lease *lease);
/* A source whose lease we hold. */
void kb_crawler_sync(struct kb_crawler *crawler, struct kb_arena *arena,
                     const struct kb_source_lease *lease);

#endif
