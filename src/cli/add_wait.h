/*
 * What `docent add` adds, and how it waits for what becomes of each: the service's progress says
 * when its lists are worth reading.
 */
#ifndef KB_CLI_ADD_WAIT_H
#define KB_CLI_ADD_WAIT_H

#include "cli/remote.h"
#include "cli/tally.h"

enum {
	KB_ADD_PAGE_ROWS = 100, /* of one list of documents */
	KB_ADD_PATH_BYTES = 128,
};

/* One thing to be added. */
struct kb_add_item {
	struct kb_sv name; /* a path, or an address */
	bool is_address, done, failed, seen;
	int64_t id; /* of its page, or of its source; 0: not sent */
	int missed; /* looks at the list in which it was not */
};

/* A file that the agent has: by name and content. */
struct kb_add_known {
	struct kb_sv name, hash;
};

struct kb_adding {
	struct kb_remote remote;
	struct kb_arena arena;      /* of the items, and of what is known */
	struct kb_add_known *known; /* sorted */
	size_t known_count, known_capacity;
	struct kb_add_item *items;
	size_t count, capacity;
	struct kb_tally tally;
	bool wait;

	/* While it waits: what the service says, and when its lists were, or may be, read. */
	struct kb_tally_pace pace;
	int64_t finished_before; /* documents that were done with when the command began */
	int64_t sources;
	struct kb_add_meaning {
		bool is_said;
		int64_t passages, ready, left_s; /* -1: it cannot be said */
	} meaning;                               /* how far passages are found by it */
	bool changed;
	int64_t looked_us, next_look_us; /* kb_clock_mono_us() */
};

void kb_add_new(struct kb_adding *a, struct kb_sv name, bool is_address);
/* What became of it, as a line. */
void kb_add_finish(struct kb_adding *a, struct kb_add_item *item, const char *state,
                   struct kb_sv reason);
void kb_add_fail(struct kb_adding *a, struct kb_add_item *item, struct kb_sv reason);
/* Before anything is sent: what there is already. */
bool kb_add_begin(struct kb_adding *a, struct kb_err *err);
/* Until all is done, over any number of streams: each lasts some minutes, and the service may be
 * started anew meanwhile. */
bool kb_add_wait(struct kb_adding *a, struct kb_err *err);
void kb_add_take_progress(struct kb_adding *a, const json_t *progress);

#endif
