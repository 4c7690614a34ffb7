/*
 * The audit log as lines of JSON, to a file or to syslog (--audit-log). Private to this folder, but
 * for the form of a row.
 *
 * The rows of the store are what counts. A thread of each node reads what its own chain has got
 * since, and that of commands, writes it, and notes in the store how far it came: what could not be
 * written waits there, and a full disk or a syslog that is away delays nothing and loses nothing.
 * Whoever is killed between the two writes some lines again: a row is known by its node and number.
 */
#ifndef KB_UPKEEP_AUDIT_LINES_H
#define KB_UPKEEP_AUDIT_LINES_H

#include "base/json.h"
#include "store/audit.h"
#include "upkeep/config.h"

struct kb_round; /* round.h */

#define KB_AUDIT_SYSLOG "syslog" /* or "syslog:/a/socket" */

/* Members of an object that the writer is in. */
void kb_audit_row_write(struct kb_jw *jw, const struct kb_audit_row *row);

struct kb_audit_lines_stats {
	int64_t written; /* lines */
	int64_t waiting; /* rows that are not written yet, as far as was seen */
	int64_t failed;  /* tries that came to nothing */
};

/* Where the configuration names a place; else NULL. */
struct kb_round *kb_audit_lines_start(const struct kb_upkeep_config *config);
/* NULL: zeros. */
void kb_audit_lines_stats(struct kb_round *round, struct kb_audit_lines_stats *out);

#endif
