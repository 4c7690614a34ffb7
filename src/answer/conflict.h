/*
 * Statements of an answer that another document makes with another figure. Both are shown with the
 * days of their documents; the answer says the newer one (fresh.h).
 *
 * They are stored in the message's note (claims.h) as "conflicts", an array of what
 * kb_conflicts_write() writes, and shown in the same form.
 */
#ifndef KB_ANSWER_CONFLICT_H
#define KB_ANSWER_CONFLICT_H

#include "base/arena.h"
#include "base/json.h"

enum { KB_CONFLICTS_MOST = 5 };

/* A statement where it stands. */
struct kb_stated {
	int64_t page_id;
	uint32_t page_no;        /* 0: none */
	uint32_t offset, length; /* in the page's extracted text */
	struct kb_sv title, text;
	int64_t dated_at; /* of its document; 0: nobody knows */
};

struct kb_conflict {
	struct kb_stated said, other; /* said: what the answer says */
};

struct kb_conflict_list {
	struct kb_conflict *v;
	size_t count;
};

/* A place that an answer leans on. */
struct kb_stated_place {
	int64_t page_id;
	uint32_t offset, length;
};
/* Those of `all` of which one side is said at one of the places, that side first; in the arena. */
void kb_conflicts_said(struct kb_arena *arena, const struct kb_conflict_list *all,
                       const struct kb_stated_place *places, size_t count,
                       struct kb_conflict_list *out);
/* With its texts, for who outlives what they were found in. */
void kb_conflicts_copy(struct kb_arena *arena, const struct kb_conflict_list *list,
                       struct kb_conflict_list *out);

/* Writes the array. */
void kb_conflicts_write(struct kb_jw *jw, const struct kb_conflict_list *list);
/* Reads what is stored; the note may be empty or damaged. */
void kb_conflicts_read(struct kb_arena *arena, struct kb_sv note, struct kb_conflict_list *out);

#endif
