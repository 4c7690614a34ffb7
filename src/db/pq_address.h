/*
 * The address of a PostgreSQL database as an operator writes it: libpq's form (RFC 3986 with its
 *own words), and two words of ours among those behind its '?'.
 *
 *	statements=unnamed  no prepared statement outlives its use: behind a pooler of transactions
 *	silence=SECONDS     after so long without a word somebody looks whether the server is there;
 *	                    1 to 600, 15 by default
 *
 * An address may hold a password, so no sentence about one repeats more of it than a word's name.
 * The PostgreSQL driver's own; any thread.
 */
#ifndef KB_DB_PQ_ADDRESS_H
#define KB_DB_PQ_ADDRESS_H

#include "db/pq.h"

struct kb_pq_address {
	char *text; /* libpq's part, without our words; on the heap */
	bool is_unnamed;
	int quiet_ms;
};

/* KB_E_INVALID, with the reason. Freed by fini in either case. */
bool kb_pq_address_read(const struct kb_pq *pq, const char *where, struct kb_pq_address *out,
                        struct kb_err *err) KB_MUST_CHECK;
/* A zeroed one is fine. */
void kb_pq_address_fini(struct kb_pq_address *address);

#endif
