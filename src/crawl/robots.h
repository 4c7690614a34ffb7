/*
 * robots.txt (RFC 9309): whether a path may be asked for, how fast, and which sitemaps it names.
 *
 * The text is a stranger's and is read as far as it makes sense: lines without a meaning are passed
 * over, an unknown word is no error. Each question is one pass over the text, in time that grows
 * with the text and the path and with nothing else. Pure; any thread.
 */
#ifndef KB_CRAWL_ROBOTS_H
#define KB_CRAWL_ROBOTS_H

#include "base/sv.h"

enum {
	KB_ROBOTS_BYTES_MAX = 500 << 10, /* what stands behind them is not read */
	KB_ROBOTS_DELAY_MAX_S = 60,      /* of Crawl-delay; a longer one counts as this */
	KB_ROBOTS_TOKEN_MAX = 64,        /* bytes of a crawler's name that are compared */
	KB_ROBOTS_PATH_MAX = 8192,       /* of a path; a rule with a longer one is passed over */
};

/* What it says to a crawler. The groups that name it count, all of them together; where there is
 * none, those for "*". Of the rules that fit a path the longest wins, of two as long the allowing
 * one. */
struct kb_robots_word {
	bool allowed;
	int64_t delay_us; /* of Crawl-delay: at least so long between two requests; 0: none */
};
/* crawler: its name as in the User-Agent field; what follows a "/" does not count. path: with its
 * query, percent-encoded, from "/" on. */
struct kb_robots_word kb_robots_ask(struct kb_sv text, struct kb_sv crawler, struct kb_sv path);

/* The next address of a Sitemap line, as it stands there; false at the end. Start with *rest as the
 * whole text. */
bool kb_robots_sitemap(struct kb_sv *rest, struct kb_sv *address);

#endif
