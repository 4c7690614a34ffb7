/*
 * What `docent sync` finds at the service, and what is to be done about each file of the folder.
 *
 * One run reads the list, makes the plan of it, and does that (sync.c); all of it lives in the
 * run's arenas.
 */
#ifndef KB_CLI_SYNC_PLAN_H
#define KB_CLI_SYNC_PLAN_H

#include "cli/remote.h"
#include "cli/sync_folder.h"
#include "cli/tally.h"

enum { KB_SYNC_QUERY_BYTES = 128 }; /* of a path of the interface with its query */

/* A document that the agent has for a file of the folder. */
struct kb_sync_doc {
	int64_t id;
	struct kb_sv path, hash, link; /* path: as the service has it */
	struct kb_sv status, reason;
	bool stays; /* its file is there, or it moves to one */
};

struct kb_syncing {
	struct kb_remote remote;
	struct kb_folder folder;
	struct kb_sv prefix, base; /* as given */
	bool removes, wait;
	struct kb_tally tally;

	/* Of one run. */
	struct kb_arena arena;
	struct kb_arena list;     /* of docs */
	struct kb_sync_doc *docs; /* by path */
	size_t doc_count, doc_capacity;
	struct kb_sync_doc **gone; /* those that have no file, by hash */
	size_t gone_count;
	struct kb_sv
	        *sent; /* paths of files that were sent, until it is known what became of them */
	size_t sent_count, sent_capacity;
};

enum kb_sync_act { KB_SYNC_NOTHING, KB_SYNC_AWAIT, KB_SYNC_LINK, KB_SYNC_MOVE, KB_SYNC_SEND };

struct kb_sync_step {
	const struct kb_folder_file *file;
	struct kb_sync_doc *doc; /* that is there already, perhaps at another path */
	enum kb_sync_act act;
};

/* The documents of a status, or all; those of the folder become s->docs. */
bool kb_sync_list(struct kb_syncing *s, const char *status, struct kb_err *err);
struct kb_sync_doc *kb_sync_find(const struct kb_syncing *s, struct kb_sv path);
struct kb_sv kb_sync_path(struct kb_syncing *s, const struct kb_folder_file *file);
/* The address that readers know the file by; empty where none was asked for. */
struct kb_sv kb_sync_link(struct kb_syncing *s, const struct kb_folder_file *file);
bool kb_sync_has_failed(const struct kb_sync_doc *doc);
/* A step a file. */
struct kb_sync_step *kb_sync_plan(struct kb_syncing *s);

#endif
