/*
 * Labels of an agent and the documents that carry them. The rules of store.h hold.
 *
 * A document without labels is everybody's; one with labels is for requests that carry a matching
 * label. Each change that a question must see (a document's labels, a label deleted, brought back
 * or renamed) raises the agent's index version in its own transaction; kb_store_index_state() reads
 * the labels together with the segments of that version.
 *
 * Deleting a label never opens a document: it stays labelled, and no request can carry the deleted
 * label. It opens when its owner replaces its labels, or the label is made again.
 */
#ifndef KB_STORE_LABELS_H
#define KB_STORE_LABELS_H

#include "store/store.h"

enum {
	KB_LABEL_NAME_CHARS = 20,
	KB_LABELS_MAX = 10000, /* living labels of an agent */
	KB_LABEL_USERS_MAX = 1000,
	KB_LABEL_USER_CHARS = 255, /* of one e-mail address */
	KB_PAGE_LABELS_MAX = 50,
};

struct kb_label {
	int64_t agent_id, id;
	struct kb_sv name;
	struct kb_sv *users; /* e-mail addresses, sorted, without case */
	size_t user_count;
	int64_t deleted_at; /* 0: it lives */
	int64_t created_at, updated_at;
};

struct kb_label_list {
	struct kb_label *v;
	size_t count;
	int64_t total; /* of all pages of the list, where it has pages */
};

/* How names are compared: Unicode compatibility case folding, without blanks at the ends. */
struct kb_sv kb_label_fold(struct kb_arena *arena, struct kb_sv name);

/* One label a name, each once, in the names' order: the living one of that name, else the one that
 * was deleted last, brought back with its users and documents, else a new one. KB_E_INVALID for a
 * name that is empty, too long, begins with a digit (it would read as an id) or holds control
 * characters, and beyond KB_LABELS_MAX. */
struct kb_label_names {
	const struct kb_sv *v;
	size_t count;
};
bool kb_store_labels_make(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                          const struct kb_label_names *names, struct kb_label_list *out,
                          struct kb_err *err) KB_MUST_CHECK;
/* Living ones only. */
bool kb_store_labels_list(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                          const struct kb_list *list, struct kb_label_list *out,
                          struct kb_err *err) KB_MUST_CHECK;
/* KB_E_NOT_FOUND for a deleted label too, here and below. */
bool kb_store_label_get(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                        int64_t id, struct kb_label *out, struct kb_err *err) KB_MUST_CHECK;
/* Which label, and what it is called from now on. */
struct kb_label_rename {
	int64_t agent_id, label_id;
	struct kb_sv name;
};
bool kb_store_label_rename(struct kb_store *store, struct kb_arena *arena,
                           const struct kb_label_rename *rename, struct kb_label *out,
                           struct kb_err *err) KB_MUST_CHECK;
bool kb_store_label_delete(struct kb_store *store, int64_t agent_id, int64_t id,
                           struct kb_err *err) KB_MUST_CHECK;

struct kb_label_users {
	int64_t label_id;
	const struct kb_sv *users;
	size_t user_count;
};
struct kb_label_changes {
	const struct kb_label_users *v;
	size_t count;
};
/* All of them or none. Gives the labels as they are then, in the order of the changes. */
bool kb_store_labels_set_users(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                               const struct kb_label_changes *changes, struct kb_label_list *out,
                               struct kb_err *err) KB_MUST_CHECK;
/* Takes these users away; one that is not there is no mistake. */
bool kb_store_labels_remove_users(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                                  const struct kb_label_changes *changes, struct kb_label_list *out,
                                  struct kb_err *err) KB_MUST_CHECK;

/* Deleted labels too: they still close the document. By id. */
bool kb_store_page_labels(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                          int64_t page_id, struct kb_label_list *out,
                          struct kb_err *err) KB_MUST_CHECK;
/* Which document, and the labels it carries from now on. */
struct kb_page_labels {
	int64_t agent_id, page_id;
	const int64_t *ids; /* of labels; one that is given twice counts once */
	size_t count;
};
/* Replaces them. KB_E_INVALID for an id that is neither a living label nor a deleted one that the
 * document carries, and beyond KB_PAGE_LABELS_MAX. */
bool kb_store_page_set_labels(struct kb_store *store, struct kb_arena *arena,
                              const struct kb_page_labels *labels, struct kb_label_list *out,
                              struct kb_err *err) KB_MUST_CHECK;

#endif
