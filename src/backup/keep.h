/*
 * How long backups are kept: "24h:all,30d:daily,1y:monthly".
 *
 * Each part is a span of time and what is kept within it: all backups, or the newest of each hour,
 * day, week (from Monday), month or year, in UTC. A backup is kept where any part wants it. The
 * newest one, and the newest that is whole, stay whatever is said; without parts all do.
 * Pure; any thread.
 */
#ifndef KB_BACKUP_KEEP_H
#define KB_BACKUP_KEEP_H

#include "base/err.h"
#include "base/sv.h"

enum { KB_KEEP_MAX = 8 };
enum kb_keep_every {
	KB_KEEP_ALL,
	KB_KEEP_HOURLY,
	KB_KEEP_DAILY,
	KB_KEEP_WEEKLY,
	KB_KEEP_MONTHLY,
	KB_KEEP_YEARLY
};

struct kb_keep {
	struct {
		int64_t span_us;
		enum kb_keep_every every;
	} parts[KB_KEEP_MAX];
	size_t count;
};

/* KB_E_INVALID says what is wrong with the text; an empty one keeps all. */
bool kb_keep_read(struct kb_sv text, struct kb_keep *out, struct kb_err *err) KB_MUST_CHECK;
/* "15m", "24h", "30d", "2w", "1y"; at least a second. */
bool kb_span_read(struct kb_sv text, int64_t *us);

struct kb_kept {
	int64_t at;
	bool is_whole;
	bool stays; /* the verdict */
};
/* Of all backups, oldest first. */
void kb_keep_judge(const struct kb_keep *keep, int64_t now, struct kb_kept *backups, size_t count);

#endif
