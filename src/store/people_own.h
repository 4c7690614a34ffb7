/* People, inside a write: for who makes and ends them on somebody else's word. */
#ifndef KB_STORE_PEOPLE_OWN_H
#define KB_STORE_PEOPLE_OWN_H

#include "db/db.h"
#include "store/people.h"

/* Makes the person (id 0) or changes what they are called and may. strict: KB_E_NOT_FOUND names an
 * agent that the account has not; else such a grant is left out where it is used. */
struct kb_person_change {
	struct kb_arena *arena;
	struct kb_person *person; /* gets its id */
	int64_t now;
	bool strict;
};
bool kb_person_write(struct kb_db_conn *conn, const struct kb_person_change *in,
                     struct kb_err *err) KB_MUST_CHECK;
/* Fills in->person, of which account_id and id are known. KB_E_NOT_FOUND where there is nobody. */
bool kb_person_read(struct kb_db_conn *conn, const struct kb_person_change *in,
                    struct kb_err *err) KB_MUST_CHECK;
/* Switches them on or off: off, their browsers, links and keys end. */
bool kb_person_switch(struct kb_db_conn *conn, const struct kb_person_change *in, bool is_out,
                      struct kb_err *err) KB_MUST_CHECK;
/* As kb_store_person_remove(); person: account_id and id alone. */
bool kb_person_let_go(struct kb_db_conn *conn, const struct kb_person_change *in,
                      struct kb_err *err) KB_MUST_CHECK;

#endif
