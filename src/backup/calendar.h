/*
 * Backups that the service makes by itself, and the drill that asks whether they come back.
 *
 * One thread, with a small share of the processors. Whose turn it is says the store: of several
 * nodes one makes each backup, whichever looks first. What fails, a backup or a drill, is tried
 * again when the next one is due.
 */
#ifndef KB_BACKUP_CALENDAR_H
#define KB_BACKUP_CALENDAR_H

#include "backup/take.h"

struct kb_calendar_config {
	struct kb_store *store;
	const char *store_at;
	struct kb_blobs *blobs;
	struct kb_backup_where where;
	const char *temp_dir;
	int64_t every_us;
	int64_t drill_us; /* between two drills; 0: none */
	struct kb_keep keep;
	const struct kb_clock *clock;
	const struct kb_log *log;
};

struct kb_calendar;

/* The configuration's texts outlive it. */
struct kb_calendar *kb_calendar_start(const struct kb_calendar_config *config);
/* Gives up what is in hand. NULL is fine. */
void kb_calendar_stop(struct kb_calendar *calendar);

#endif
