/*
 * Who may find which document: labels, as one index version has them.
 *
 * A request carries a filter of labels. A document without labels passes unless the filter is
 * exclusive; one with labels passes when it carries a label of each group (or within a group, and
 * across groups). A filter without groups passes no labelled document, and neither does a group of
 * which no label is known: what cannot be understood never opens anything.
 *
 * What a document was found in keeps it as well: a part passes where its own labels pass and those
 * of its container do, all the way up, and those of its source. Where none of these carries a label
 * it is a document without labels. Who keeps whom is said by the store (KB_PAGE_KEEPERS of
 * labels_own.h), in the transaction that says what carries which labels.
 *
 * The access table is immutable and counted, one an index version, made by the catalog. Documents
 * share few combinations of labels, so a query judges each combination once and then asks for a
 * document with one look into a hash table: of 10,000 labelled documents each costs about 4 ns
 * (bench/access.c).
 */
#ifndef KB_LIVE_ACCESS_H
#define KB_LIVE_ACCESS_H

#include "store/segments.h"

enum {
	KB_FILTER_GROUPS_MAX = 20,
	KB_FILTER_GROUP_MAX = 50, /* labels of one group */
	KB_FILTER_MAX = 500,      /* labels in all */
	KB_FILTER_CHARS = 100,    /* of one label */
};

/* One label as a request names it; neither an id nor a name: nothing that can match. */
struct kb_label_ref {
	int64_t id;        /* 0: by name */
	struct kb_sv name; /* folded by kb_label_fold() */
};
struct kb_label_group {
	const struct kb_label_ref *v;
	size_t count;
};
/* At most KB_FILTER_GROUPS_MAX groups. Zeroed: documents without labels, and only those. */
struct kb_label_filter {
	const struct kb_label_group *groups;
	size_t group_count;
	bool exclusive; /* documents without labels stay out */
};

struct kb_access;

/* The count starts at 1. */
struct kb_access *kb_access_new(const struct kb_index_state *state);
struct kb_access *kb_access_hold(struct kb_access *access);
void kb_access_release(struct kb_access *access);
int64_t kb_access_bytes(const struct kb_access *access);

/* A filter judged for one access table; lives in the caller's arena and no longer than the table.
 */
struct kb_pass {
	const struct kb_access *access;
	bool *open;    /* by what has to open; [0]: nothing */
	bool all_open; /* every document passes: nobody needs to ask */
};
void kb_pass_init(struct kb_pass *pass, const struct kb_access *access, struct kb_arena *arena,
                  const struct kb_label_filter *filter);
/* In the form that kb_snapshot_hiding() asks; arg is the struct kb_pass. */
bool kb_pass_allows(void *pass, int64_t page_id);

#endif
