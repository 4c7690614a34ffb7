/*
 * What goes along with a thread's writes: another write in the same transaction, run behind the
 * first that succeeds. Who makes a change need not know of it.
 */
#ifndef KB_DB_BESIDE_H
#define KB_DB_BESIDE_H

#include <stdbool.h>
#include <stdint.h>

struct kb_db_conn;
struct kb_err;

struct kb_db_beside {
	/* As kb_write_fn (db.h): it may be run several times. made: the first id that the write
	 * beside it has taken, of what it makes; 0: none. */
	bool (*fn)(struct kb_db_conn *conn, int64_t made, void *arg, struct kb_err *err);
	void *arg;
	bool done; /* it has gone along, and is committed */
};

/* The calling thread's next kb_db_write() takes it along, unless it is done; NULL: nothing goes
 * along any more. It lives until then. */
void kb_db_take_along(struct kb_db_beside *beside);

#endif
