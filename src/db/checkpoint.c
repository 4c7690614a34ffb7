#include "db/checkpoint.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/bell.h"
#include "base/pool.h"

enum {
	LOG_PAGES = 1000, /* of 4 KB */
	LOG_PAGES_MAX = 8 * LOG_PAGES,
	LOG_PAGES_END = 14 * LOG_PAGES, /* below the limit of the file, which is cut then */
	LITTLE_PAGES = 200,
};

struct kb_checkpointer {
	char *path;
	/* The writer's. */
	sqlite3 *writer;
	int pages, next; /* in the log after the last commit; when to ask for the next checkpoint */
	bool started;
	/* Shared. */
	pthread_t thread;
	struct kb_bell bell; /* rung when the next one is asked for */
	_Atomic int moved;   /* pages of the log that are in the database */
};

static void *work(void *arg)
{
	struct kb_checkpointer *c = arg;
	sqlite3 *handle = NULL;
	uint64_t heard = 0;
	int moved;

	/* What fails here, the writer does. */
	if (sqlite3_open_v2(c->path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL)
	            != SQLITE_OK
	    /* It finds out about the log with its first reading. */
	    || sqlite3_exec(handle, "SELECT count(*) FROM sqlite_master", NULL, NULL, NULL)
	               != SQLITE_OK) {
		sqlite3_close(handle);
		return NULL;
	}
	while (kb_bell_wait(&c->bell, &heard, INT64_MAX))
		if (sqlite3_wal_checkpoint_v2(handle, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, &moved)
		            == SQLITE_OK
		    && moved > 0)
			atomic_store(&c->moved, moved);
	sqlite3_close(handle);
	return NULL;
}

static void ask(struct kb_checkpointer *c)
{
	if (!c->started)
		c->thread = kb_thread_start("checkpoint", work, c);
	c->started = true;
	kb_bell_ring(&c->bell);
}

/* After each commit, in the writer. */
static int committed(void *arg, sqlite3 *handle, const char *name, int pages)
{
	struct kb_checkpointer *c = arg;

	if (pages < c->pages) { /* it began anew */
		c->next = LOG_PAGES;
		atomic_store(&c->moved, 0);
	}
	c->pages = pages;
	if ((pages >= LOG_PAGES_MAX && pages - atomic_load(&c->moved) <= LITTLE_PAGES)
	    || pages >= LOG_PAGES_END)
		(void)sqlite3_wal_checkpoint_v2(handle, name, SQLITE_CHECKPOINT_PASSIVE, NULL,
		                                NULL);
	else if (pages >= c->next) {
		c->next = pages + (pages < LOG_PAGES_MAX ? LOG_PAGES : LITTLE_PAGES);
		ask(c);
	}
	return SQLITE_OK;
}

struct kb_checkpointer *kb_checkpointer_start(sqlite3 *writer, const char *path)
{
	struct kb_checkpointer *c = kb_xcalloc(1, sizeof(*c));

	c->path = kb_xstrdup(path);
	c->writer = writer;
	c->next = LOG_PAGES;
	kb_bell_init(&c->bell, NULL);
	sqlite3_wal_hook(writer, committed, c);
	return c;
}

void kb_checkpointer_stop(struct kb_checkpointer *c)
{
	if (!c)
		return;
	sqlite3_wal_hook(c->writer, NULL, NULL);
	kb_bell_stop(&c->bell);
	if (c->started)
		pthread_join(c->thread, NULL);
	kb_bell_fini(&c->bell);
	free(c->path);
	free(c);
}
