/* What signs a person in, inside a write, for people.c. */
#ifndef KB_STORE_SIGNINS_OWN_H
#define KB_STORE_SIGNINS_OWN_H

#include "db/db.h"
#include "store/signins.h"

/* Every browser of theirs is signed out, their link is void, and no program asks in their name. */
bool kb_sign_ins_end_of(struct kb_db_conn *conn, int64_t account_id, int64_t person_id,
                        struct kb_err *err) KB_MUST_CHECK;
/* The last part of it (programs.c). */
bool kb_programs_end_of(struct kb_db_conn *conn, int64_t account_id, int64_t person_id,
                        struct kb_err *err) KB_MUST_CHECK;
/* A link of that hash, in place of the one before. */
bool kb_sign_in_invite(struct kb_db_conn *conn, int64_t person_id, const char *hash, int64_t until,
                       struct kb_err *err) KB_MUST_CHECK;

#endif
