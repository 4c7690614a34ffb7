/*
 * Moves SQLite's log into the database beside the writer, not in it: SQLite itself does it within a
 * commit, and whoever writes then waits for some 15 MB to be written and synced (100 to 200 ms
 * measured on a busy machine, 2026-11-22). The driver's own.
 *
 * A thread with a connection of its own checkpoints when the log has grown by LOG_PAGES; neither
 * the writer nor readers wait for it. The log begins anew once all of it was moved while nobody
 * wrote; where that does not come about, the writer moves the last LITTLE_PAGES when it has
 * LOG_PAGES_MAX, and whatever is left at LOG_PAGES_END: it writes faster than the thread.
 */
#ifndef KB_DB_CHECKPOINT_H
#define KB_DB_CHECKPOINT_H

#include <sqlite3.h>

struct kb_checkpointer;

/* For a connection that writes, from its thread; the database's log must be a WAL. The thread
 * starts with the first checkpoint. */
struct kb_checkpointer *kb_checkpointer_start(sqlite3 *writer, const char *path);
/* Before the connection is closed. NULL is fine. */
void kb_checkpointer_stop(struct kb_checkpointer *checkpointer);

#endif
