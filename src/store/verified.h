/*
 * Checked answers: what a person has approved as the answer to some questions. store.h's rules
 * hold.
 *
 * An answer is a document like any other: a page, whose file is made of its questions and its text
 * (parse/answer.c). So it is found, labelled, cited, copied and moved as documents are, and its id
 * is its page's. The rows here say what it was made of, who checked it, until when, and on which
 * documents it leans. It opens only where these open too (KB_PAGE_KEEPERS of labels_own.h); one of
 * them deleted, it opens to nobody until it is changed.
 *
 * Each change of its text, questions or documents is a check by somebody and makes a version.
 */
#ifndef KB_STORE_VERIFIED_H
#define KB_STORE_VERIFIED_H

#include "store/pages.h"

enum {
	KB_VERIFIED_QUESTIONS_MAX = 50,
	KB_VERIFIED_QUESTION_CHARS = 300,
	KB_VERIFIED_ANSWER_CHARS = 8000,
	KB_VERIFIED_CITES_MAX = 20,
	KB_VERIFIED_NAME_CHARS = 100, /* of an owner, and of who checked */
};

struct kb_verified_cite {
	int64_t page_id;
	bool gone;    /* the document was deleted since the check */
	bool changed; /* its text is another than it was then */
};

struct kb_verified {
	int64_t agent_id, page_id, version;
	struct kb_sv questions; /* one a line, the first of them its title */
	struct kb_sv answer, owner, checked_by;
	int64_t checked_at, review_at; /* review_at 0: never */
	bool is_due;                   /* that is over */
	int64_t created_at, updated_at;
	struct kb_verified_cite *cites; /* by document */
	size_t cite_count;
};

/* What an answer says from now on. */
struct kb_verified_put {
	int64_t agent_id, page_id; /* page_id 0: a new one */
	int64_t version;           /* that was changed, else KB_E_CONFLICT; of a new one 0 */
	struct kb_sv questions, answer, owner, checked_by;
	int64_t review_at;
	const int64_t *cited;
	size_t cited_count;
	const int64_t *label_ids; /* NULL: its labels stay */
	size_t label_count;
	struct kb_page_new page; /* its file */
};
/* KB_E_INVALID for a document that is not the agent's, has not been read, or is such an answer. */
bool kb_store_verified_put(struct kb_store *store, struct kb_arena *arena,
                           const struct kb_verified_put *put, struct kb_verified *out,
                           struct kb_err *err) KB_MUST_CHECK;
/* KB_E_NOT_FOUND. */
bool kb_store_verified_get(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                           int64_t page_id, struct kb_verified *out,
                           struct kb_err *err) KB_MUST_CHECK;

struct kb_verified_list {
	struct kb_verified *v;
	size_t count;
	int64_t total;
};
struct kb_verified_filter {
	struct kb_list list;
	bool to_look_at; /* their review is due, or a document has changed or was deleted */
};
bool kb_store_verified_list(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                            const struct kb_verified_filter *filter, struct kb_verified_list *out,
                            struct kb_err *err) KB_MUST_CHECK;
/* All texts that it has had, newest first; of them version, questions, answer, checked_by and
 * checked_at are known. */
bool kb_store_verified_versions(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                                int64_t page_id, struct kb_verified_list *out,
                                struct kb_err *err) KB_MUST_CHECK;

#endif
