/*
 * Courtesy: of each host one thing is asked at a time, with a pause before the next. A host that
 * fails is asked more and more seldom until it answers.
 *
 * And fairness: agents take turns at a host, and pages with readings of sources. A thing that lasts
 * is overtaken by one thing of another agent at a time, on a second line; a host that failed has
 * none. This is the order within a process; among processes store/hosts.h keeps it.
 *
 * Any thread. A host is named as kb_page_host() names it.
 */
#ifndef KB_CRAWL_HOSTS_H
#define KB_CRAWL_HOSTS_H

#include "base/clock.h"

struct kb_hosts;

/* clock: NULL is the real one. stuck_us: what has lasted so long may be overtaken. */
struct kb_hosts *kb_hosts_new(const struct kb_clock *clock, int64_t stuck_us);
/* NULL is fine; nobody may wait or hold a host. */
void kb_hosts_free(struct kb_hosts *hosts);

/* Whose page may be asked for now. */
struct kb_host_turn {
	int64_t after; /* the agent that was served last: the next one in order; 0: any */
	int64_t but;   /* this agent's is lasting: another's; 0: any */
};
/* Takes the host for a page, if it is free and its pause is over; else false, and *wait_us says
 * when to ask again: -1 when it is not known. The caller then finds the page and calls
 * kb_hosts_name(), or gives the host back for agent 0. One thread. */
bool kb_hosts_try(struct kb_hosts *hosts, struct kb_sv host, struct kb_host_turn *turn,
                  int64_t *wait_us);
void kb_hosts_name(struct kb_hosts *hosts, struct kb_sv host, int64_t agent);
/* Waits for it. false once the hosts are closed, or when its pause lasts longer than max_us:
 * *pause_us is what is left of it, or 0. */
bool kb_hosts_take(struct kb_hosts *hosts, struct kb_sv host, int64_t agent, int64_t max_us,
                   int64_t *pause_us);
/* The pause of one that failed is longer than pause_us, and longer with every time. */
enum kb_host_outcome { KB_HOST_NOT_ASKED, KB_HOST_ANSWERED, KB_HOST_FAILED };
void kb_hosts_give(struct kb_hosts *hosts, struct kb_sv host, int64_t agent, int64_t pause_us,
                   enum kb_host_outcome outcome);
/* It did not answer when it was last asked, some minutes ago at most. */
bool kb_hosts_is_failing(struct kb_hosts *hosts, struct kb_sv host);

/* Those who wait get false, and so does everybody after them. */
void kb_hosts_close(struct kb_hosts *hosts);

#endif
