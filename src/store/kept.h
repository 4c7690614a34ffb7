/*
 * Tests that are kept: questions with the phrases, the documents or the refusal that they have to
 * be answered with. store.h's rules hold.
 *
 * What comes of a test is in its row. An agent's tests are asked again when what they were asked of
 * has changed: its documents, labels and checked answers (its index version) or its settings
 * (updated_at), and all agents' when nodes have other models. They wait until that is quiet, so
 * that a crawl is one change, and not one a page; and whoever has the agent's lease (KB_WORK_KEPT)
 * asks them. Once a day they are asked in any case, for some of what is said ends by itself.
 */
#ifndef KB_STORE_KEPT_H
#define KB_STORE_KEPT_H

#include "store/store.h"

enum {
	KB_KEPT_MAX = 1000, /* of an agent */
	KB_KEPT_QUESTION_CHARS = 1000,
	KB_KEPT_TURNS_MAX = 10,
	KB_KEPT_PHRASES_MAX = 20,
	KB_KEPT_PHRASE_CHARS = 1000,
	KB_KEPT_DOCUMENTS_MAX = 20,
	KB_KEPT_LABELS_MAX = 50,
};

enum kb_kept_state { KB_KEPT_WAITING, KB_KEPT_PASSED, KB_KEPT_FAILED };
#define KB_SQL_KEPT_WAITING 0
#define KB_SQL_KEPT_FAILED  2

/* As docent eval has them (cli/eval_rows.h), but for what cannot be here. */
enum kb_kept_why {
	KB_KEPT_WHY_PASSED,
	KB_KEPT_WHY_NOT_FOUND,
	KB_KEPT_WHY_REFUSED,
	KB_KEPT_WHY_SENTENCE,
	KB_KEPT_WHY_DOCUMENT,
};

struct kb_kept_document {
	int64_t page_id;
	bool gone;    /* it was deleted */
	bool changed; /* its text is another than it was when the test was kept */
};

struct kb_kept_test {
	int64_t agent_id, id;
	struct kb_sv question;
	struct kb_sv turns;   /* earlier questions, one a line, newest last */
	struct kb_sv phrases; /* one a line; one of them has to stand in the answer */
	struct kb_sv labels;  /* one a line: of who asks; empty: of nobody in particular */
	bool refuse;          /* nothing may be answered */
	enum kb_kept_state state;
	enum kb_kept_why why;
	struct kb_sv answer, answer_before; /* what is said; and was before that turned */
	int64_t turned_at, asked_at;        /* 0: never */
	int64_t tried_version, tried_change;
	int64_t created_at, updated_at;
	struct kb_kept_document *documents; /* one of them has to be cited */
	size_t document_count;
};

/* What a test says from now on; it is to be asked. */
struct kb_kept_put {
	int64_t agent_id, id; /* id 0: a new one */
	struct kb_sv question, turns, phrases, labels;
	bool refuse;
	const int64_t *documents;
	size_t document_count;
};
/* KB_E_INVALID for a document that is not the agent's, and where the agent has KB_KEPT_MAX. */
bool kb_store_kept_put(struct kb_store *store, struct kb_arena *arena,
                       const struct kb_kept_put *put, struct kb_kept_test *out,
                       struct kb_err *err) KB_MUST_CHECK;
/* KB_E_NOT_FOUND, as the next one. */
bool kb_store_kept_get(struct kb_store *store, struct kb_arena *arena, int64_t agent_id, int64_t id,
                       struct kb_kept_test *out, struct kb_err *err) KB_MUST_CHECK;
bool kb_store_kept_delete(struct kb_store *store, int64_t agent_id, int64_t id,
                          struct kb_err *err) KB_MUST_CHECK;

struct kb_kept_filter {
	struct kb_list list;
	int64_t state;     /* -1: any */
	bool to_look_at;   /* failed, or one of its documents has changed or gone */
	int64_t turned_at; /* since then; 0: whenever */
};
struct kb_kept_list {
	struct kb_kept_test *v;
	size_t count;
	int64_t total;
};
/* Those that failed first, of them what turned last. */
bool kb_store_kept_list(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                        const struct kb_kept_filter *filter, struct kb_kept_list *out,
                        struct kb_err *err) KB_MUST_CHECK;

/* ---- asking ---- */

/* An agent whose tests are to be asked: what it is now, and was when it was seen last. */
struct kb_kept_stale {
	int64_t agent_id, version, change;
	int64_t seen_version, seen_change, seen_at;
	int64_t since_at; /* since when it has been waiting; 0: it is seen for the first time */
};
/* The next agent behind that one that has changed, or was asked last before `before`; agent_id 0:
 * none. */
bool kb_store_kept_stale(struct kb_store *store, int64_t after, int64_t before,
                         struct kb_kept_stale *out, struct kb_err *err) KB_MUST_CHECK;
/* It was seen as it is now. */
bool kb_store_kept_seen(struct kb_store *store, const struct kb_kept_stale *stale,
                        struct kb_err *err) KB_MUST_CHECK;

/* Its tests that were not asked of that state since then. */
struct kb_kept_due {
	int64_t version, change, before, limit;
};
bool kb_store_kept_due(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                       const struct kb_kept_due *due, struct kb_kept_list *out,
                       struct kb_err *err) KB_MUST_CHECK;

/* What came of a test, as it was read: one that was changed since is left alone. */
struct kb_kept_result {
	const struct kb_kept_test *test;
	enum kb_kept_why why;
	struct kb_sv answer;
	int64_t version, change; /* of the agent */
	int64_t models; /* what asked it, where another's result is nobody's; 0: whatever did */
};
bool kb_store_kept_tried(struct kb_store *store, const struct kb_kept_result *result,
                         struct kb_err *err) KB_MUST_CHECK;
/* All were asked by these models; else nothing happens. */
struct kb_kept_turn {
	int64_t agent_id, version, change, models;
};
bool kb_store_kept_turn(struct kb_store *store, const struct kb_kept_turn *turn,
                        struct kb_err *err) KB_MUST_CHECK;

/* ---- which models ---- */

/* Those of the node that was started last, or whose catalogue was read again last. Nodes with
 * others ask no tests, for what is said would turn with whoever was quicker. What was asked before
 * since_at is asked again. */
struct kb_kept_models {
	int64_t mark;     /* of them; 0: no node was there yet */
	int64_t since_at; /* since when it is this one; 0: it always was */
	int64_t seen_at;  /* when a node with them was there last */
};
bool kb_store_kept_models(struct kb_store *store, struct kb_kept_models *out,
                          struct kb_err *err) KB_MUST_CHECK;
/* A node with these is there: tests are asked of them from now on. */
bool kb_store_kept_models_are(struct kb_store *store, int64_t mark,
                              struct kb_err *err) KB_MUST_CHECK;

#endif
