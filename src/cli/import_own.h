/* What the files of docent import share: both services, the map, and what is told at the end. */
#ifndef KB_CLI_IMPORT_OWN_H
#define KB_CLI_IMPORT_OWN_H

#include "cli/import_map.h"
#include "cli/remote.h"

struct kb_importing {
	struct kb_remote from, to;
	struct kb_import_map map;
	struct kb_buf notes; /* what could not come, a line each */
	char temp[64];       /* the path of a file without a name, for a document on its way */
	int temp_fd;

	/* The agent in hand. */
	int64_t agent, as; /* its id there and here */
	struct kb_sv name;
	int64_t pages, labels, sources, answers, talks; /* that have come, now or before */
};

enum { KB_IMPORT_PATH = 200 };

/* A value as JSON, in the arena. */
struct kb_sv kb_import_raw(struct kb_arena *arena, const json_t *value);
/* One that is refused is told of, and the rest comes; false: asking on would be no use. */
bool kb_import_refused(struct kb_importing *im, const char *what, const struct kb_err *why,
                       struct kb_err *err);
/* The value of a field there, without the service's own address before it, so that it can be
 * compared with one from here. */
struct kb_sv kb_import_path(const struct kb_remote *remote, const json_t *value);
void kb_import_note(struct kb_importing *im, const char *fmt, ...) KB_PRINTF(2, 3);

/* import_documents.c, import_agent.c: the steps of an agent, in this order. Each can be done again.
 */
bool kb_import_labels(struct kb_importing *im, struct kb_err *err) KB_MUST_CHECK;
bool kb_import_settings(struct kb_importing *im, struct kb_err *err) KB_MUST_CHECK;
bool kb_import_documents(struct kb_importing *im, struct kb_err *err) KB_MUST_CHECK;
bool kb_import_sources(struct kb_importing *im, struct kb_err *err) KB_MUST_CHECK;
/* Once documents are read: what differs from what was read of them. */
bool kb_import_metadata(struct kb_importing *im, struct kb_err *err) KB_MUST_CHECK;
bool kb_import_answers(struct kb_importing *im, struct kb_err *err) KB_MUST_CHECK;
bool kb_import_talks(struct kb_importing *im, struct kb_err *err) KB_MUST_CHECK; /* _talks.c */

/* The ids of a list of labels as they are here. */
void kb_import_label_ids(const struct kb_importing *im, struct kb_jw *jw, const json_t *labels);

#endif
