/* What the files of directory.h share, inside a write. */
#ifndef KB_STORE_DIRECTORY_OWN_H
#define KB_STORE_DIRECTORY_OWN_H

#include "store/directory.h"
#include "store/people_own.h"

struct kb_directory_change {
	struct kb_arena *arena;
	const struct kb_directory_roles *roles;
	int64_t now;
};

/* Whether another version is there than is wanted (0: any): KB_E_CONFLICT, which is 412. */
bool kb_directory_is_changed(int64_t there, int64_t wanted, struct kb_err *err) KB_MUST_CHECK;
/* A user is in no group any more. */
bool kb_directory_leave(struct kb_db_conn *conn, int64_t user_id, struct kb_err *err) KB_MUST_CHECK;
/* Names and ids of the groups that a user is in. */
bool kb_directory_names(struct kb_db_conn *conn, struct kb_arena *arena, int64_t user_id,
                        struct kb_sv **out, size_t *count, struct kb_err *err) KB_MUST_CHECK;
/* Their person may what their groups give now; whom no group lets in is signed out. gone: a group
 * that they are not in any more, which their last sign-in may have named; NULL: none. */
bool kb_directory_settle(struct kb_db_conn *conn, const struct kb_directory_change *in,
                         int64_t account_id, int64_t user_id, const struct kb_directory_group *gone,
                         struct kb_err *err) KB_MUST_CHECK;
/* Somebody signs in as that user: the person is theirs from now on. *person_id: who they are here;
 * 0: nobody yet. KB_E_FORBIDDEN where they are off. */
bool kb_directory_enter(struct kb_db_conn *conn, const struct kb_person_change *in, int64_t user_id,
                        int64_t known_as, int64_t *person_id, struct kb_err *err) KB_MUST_CHECK;
/* Their person, who has an id now, is that user. */
bool kb_directory_bind(struct kb_db_conn *conn, const struct kb_person *person, int64_t user_id,
                       struct kb_err *err) KB_MUST_CHECK;

#endif
