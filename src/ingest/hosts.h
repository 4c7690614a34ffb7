/*
 * Courtesy: of each host one thing is asked at a time, with a pause before the next. A host that
 * fails is asked more and more seldom until it answers.
 *
 * Any thread. A host is named as kb_page_host() names it.
 */
#ifndef KB_INGEST_HOSTS_H
#define KB_INGEST_HOSTS_H

#include "base/sv.h"

struct kb_hosts;

struct kb_hosts *kb_hosts_new(void);
/* NULL is fine; nobody may wait or hold a host. */
void kb_hosts_free(struct kb_hosts *hosts);

/* Takes the host if nobody has it and its pause is over; else false, and *wait_us says when to ask
 * again: -1 when it is not known. Those who wait go first. */
bool kb_hosts_try(struct kb_hosts *hosts, struct kb_sv host, int64_t *wait_us);
/* Waits for it. false once the hosts are closed, or when its pause lasts longer than max_us:
 * *pause_us is what is left of it, or 0. */
bool kb_hosts_take(struct kb_hosts *hosts, struct kb_sv host, int64_t max_us, int64_t *pause_us);
/* The pause of one that failed is longer than pause_us, and longer with every time. */
enum kb_host_outcome { KB_HOST_NOT_ASKED, KB_HOST_ANSWERED, KB_HOST_FAILED };
void kb_hosts_give(struct kb_hosts *hosts, struct kb_sv host, int64_t pause_us,
                   enum kb_host_outcome outcome);
/* It did not answer when it was last asked, some minutes ago at most. */
bool kb_hosts_is_failing(struct kb_hosts *hosts, struct kb_sv host);

/* Those who wait get false, and so does everybody after them. */
void kb_hosts_close(struct kb_hosts *hosts);

#endif
