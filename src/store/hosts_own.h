/* The lines of hosts inside a write, for errands.c. */
#ifndef KB_STORE_HOSTS_OWN_H
#define KB_STORE_HOSTS_OWN_H

#include "store/hosts.h"
#include "store/leases.h"

struct kb_host_line_row {
	int64_t agent, since, until, node; /* free where `until` has passed */
};
/* What is kept of a host; zeros where there is no row. */
struct kb_host_row {
	int64_t free_at, failures, last_agent;
	bool last_was_page;
	int64_t second_at, wanted_by, wanted_until;
	struct kb_host_line_row lines[2];
};
/* Its columns, of hosts as `h`, in the order of kb_host_row_read(). The line of a node that is gone
 * is free. */
#define KB_HOST_NAMES(h, me, since)                                                                \
	h ".free_at, " h ".failures, " h ".last_agent, " h ".last_was_page, " h ".second_at, " h   \
	  ".wanted_by, " h ".wanted_until, " KB_HOST_LINE(h ".one", me, since) ", " KB_HOST_LINE(  \
	          h ".two", me, since)
#define KB_HOST_LINE(line, me, since)                                                              \
	line "_agent, " line "_since, CASE WHEN " line "_node = " me " OR " line                   \
	     "_node IN " KB_NODES_THERE(me, since) " THEN " line "_until ELSE 0 END, " line        \
	                                           "_node"
void kb_host_row_read(struct kb_db_rows *rows, int at, struct kb_host_row *out);

struct kb_host_moment {
	struct kb_sv host;
	int64_t node, now;
};
bool kb_host_is_failing(const struct kb_host_row *row, int64_t now);
/* When somebody's page may be asked for, from now: 0 is now. */
int64_t kb_host_page_in(const struct kb_host_row *row, int64_t now);
/* Whose line is to be overtaken; 0: nobody's. */
int64_t kb_host_held_by(const struct kb_host_row *row, int64_t now);

/* All inside a write. Nobody else changes the row until its end. */
bool kb_host_lock(struct kb_db_conn *conn, const struct kb_host_moment *at, struct kb_host_row *out,
                  struct kb_err *err) KB_MUST_CHECK;
bool kb_host_hold(struct kb_db_conn *conn, const struct kb_host_moment *at, int64_t agent,
                  bool is_page, struct kb_host_row *row, struct kb_err *err) KB_MUST_CHECK;
/* Nobody but who holds the first line has a page: that is not looked for at once again. */
bool kb_host_has_no_other(struct kb_db_conn *conn, const struct kb_host_moment *at,
                          struct kb_host_row *row, struct kb_err *err) KB_MUST_CHECK;

bool kb_hosts_void_lines(struct kb_store *store, int64_t me, struct kb_err *err) KB_MUST_CHECK;

#endif
