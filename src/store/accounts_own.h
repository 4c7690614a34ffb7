/* Accounts and keys as they are read in one trip with other things: begun here, ended in the same
 * order. */
#ifndef KB_STORE_ACCOUNTS_OWN_H
#define KB_STORE_ACCOUNTS_OWN_H

#include "db/columns.h"
#include "store/accounts.h"
#include "store/cache.h"

// clang-format off
/* The columns of accounts (columns.h). */
#define KB_ACCOUNTS(FIRST, NEXT) \
	FIRST(i, id,         id) \
	NEXT (t, handle,     handle) \
	NEXT (t, name,       name) \
	NEXT (t, plan,       plan) \
	NEXT (i, created_at, created_at) \
	NEXT (i, updated_at, updated_at) \
	NEXT (t, photo,      photo) \
	NEXT (t, photo_type, photo_type)
// clang-format on
extern const struct kb_db_columns kb_account_columns, kb_key_columns;

struct kb_key_reading {
	int64_t id; /* 0: nothing is read */
	struct kb_cache_mark mark;
	struct kb_db_rows rows;
};
/* Into the cache. */
void kb_key_read_begin(struct kb_store *store, struct kb_db_conn *conn, struct kb_sv text,
                       struct kb_key_reading *reading);
bool kb_key_read_end(struct kb_store *store, struct kb_arena *arena, struct kb_key_reading *reading,
                     struct kb_err *err) KB_MUST_CHECK;

/* All keys that are a person's own, inside a write. */
bool kb_keys_revoke_of(struct kb_db_conn *conn, struct kb_arena *arena, int64_t person_id,
                       int64_t now, struct kb_err *err) KB_MUST_CHECK;

/* From column `at` on. */
void kb_account_read_row(struct kb_db_rows *rows, struct kb_arena *arena, int at,
                         struct kb_account *out);
void kb_account_read_begin(struct kb_db_conn *conn, int64_t id, struct kb_db_rows *rows);
bool kb_account_read_end(struct kb_db_rows *rows, struct kb_arena *arena, struct kb_account *out,
                         struct kb_err *err) KB_MUST_CHECK;

#endif
