/* People whom somebody else knows, a gateway or a provider: they arrive, or are let in no more. */
#include "store/directory_own.h"
#include "store/store_own.h"

enum { BY_SUBJECT, ARRIVED };
// clang-format off
static const struct kb_sql sql[] = {
	[BY_SUBJECT] = { "person_by_subject", "tt",
		"SELECT id, account_id FROM people WHERE issuer = $1 AND issuer <> '' AND subject = $2" },
	[ARRIVED] = { "person_arrived", "iittttt",
		"UPDATE people SET issuer = $3, subject = $4, external_id = $5, address = $6, said_groups = $7 "
		"WHERE id = $1 AND account_id = $2" },
};
// clang-format on
const struct kb_sql_table kb_sql_people_arrive = { "people_arrive", sql, KB_COUNTOF(sql) };

struct change {
	struct kb_arena *arena;
	const struct kb_person *person;
	int64_t directory_id, now;
	struct kb_person made; /* as it is written */
};

/* Where they are known already; a zero id: nowhere. */
static bool find_subject(struct kb_db_conn *conn, const struct kb_person *person,
                         struct kb_person *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct kb_person){ 0 };
	kb_rows_open(&rows, conn, &sql[BY_SUBJECT],
	             KB_VALUES(kb_text(person->issuer), kb_text(person->subject)));
	while (kb_rows_next(&rows)) {
		out->id = kb_rows_int(&rows, 0);
		out->account_id = kb_rows_int(&rows, 1);
	}
	return kb_rows_close(&rows, err);
}

static bool arrive(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct change *in = arg;
	struct kb_person *person = &in->made;
	struct kb_person known;
	struct kb_person_change of = { in->arena, person, in->now, false };

	*person = *in->person;
	if (!find_subject(conn, person, &known, err))
		return false;
	if (known.id && known.account_id != person->account_id) {
		if (!kb_person_let_go(
		            conn, &(struct kb_person_change){ in->arena, &known, in->now, false },
		            err))
			return false;
		known.id = 0;
	}
	person->id = known.id;
	if (in->directory_id
	    && !kb_directory_enter(conn, &of, in->directory_id, known.id, &person->id, err))
		return false;
	return kb_person_write(conn, &of, err)
	       && kb_db_run(conn, &sql[ARRIVED],
	                    KB_VALUES(kb_int(person->id), kb_int(person->account_id),
	                              kb_text(person->issuer), kb_text(person->subject),
	                              kb_text(person->external_id), kb_text(person->address),
	                              kb_text(person->said_groups)),
	                    NULL, err)
	       && (!in->directory_id || kb_directory_bind(conn, person, in->directory_id, err));
}

bool kb_store_person_arrive(struct kb_store *store, struct kb_arena *arena,
                            struct kb_person *person, int64_t directory_id, struct kb_err *err)
{
	struct change in = { .arena = arena,
		             .person = person,
		             .directory_id = directory_id,
		             .now = kb_store_now(store) };

	return kb_db_write(store->db, arrive, &in, err)
	       && kb_store_person_get(store, arena, person->account_id, in.made.id, person, err);
}

static bool depart(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct change *in = arg;

	return find_subject(conn, in->person, &in->made, err)
	       && (!in->made.id
	           || kb_person_let_go(
	                   conn, &(struct kb_person_change){ in->arena, &in->made, in->now, false },
	                   err));
}

bool kb_store_person_depart(struct kb_store *store, struct kb_sv issuer, struct kb_sv subject,
                            struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	const struct kb_person person = { .issuer = issuer, .subject = subject };
	struct change in = { .arena = &arena, .person = &person, .now = kb_store_now(store) };
	bool ok = kb_db_write(store->db, depart, &in, err);

	kb_arena_fini(&arena);
	return ok;
}
