/* What has come of a parcel, and how its values become those of here: for arrival.c. */
#ifndef KB_STORE_ARRIVAL_OWN_H
#define KB_STORE_ARRIVAL_OWN_H

#include "store/move_tables.h"
#include "store/parcel.h"
#include "store/parcel_tables.h"

enum { KB_NO_COLUMN = -1 };

/* One table of the parcel. */
struct kb_coming_table {
	struct kb_parcel_table told;
	struct kb_parcel_rule *rules;
	struct kb_sql *insert; /* known by where it is, which stays */
	int waits;             /* the column that says whether the row waits for something */
	int64_t rows;
};

/* The agent's own row, which is there before all others. */
struct kb_coming_own {
	struct kb_db_value *values;
	bool is_shared, is_master;
	struct kb_sv slug; /* p == NULL: none */
};

struct kb_arrival {
	struct kb_arrival_config config;
	int64_t account_id; /* whose it will be */
	struct kb_arena arena;
	struct kb_move_tables known;
	struct kb_coming_table *tables;
	size_t table_count;
	struct kb_coming_table *table; /* whose rows come now */
	struct kb_coming_own own;

	int64_t from, from_account; /* the agent, and whose it was */
	struct {
		int64_t low, high, shift; /* 0 and 0: no ids */
	} ids[KB_PARCEL_IDS];
	int64_t agent_id; /* here; 0: not yet */
	int64_t slice;
};

/* NULL where it has no such table. */
struct kb_coming_table *kb_coming_find(struct kb_arrival *a, struct kb_sv name);
/* KB_NO_COLUMN where it is not among them. */
int kb_coming_column(const struct kb_sv *names, size_t count, struct kb_sv name);
/* A value of a row of the table in hand, as it will be here. */
struct kb_db_value kb_coming_value(struct kb_arrival *a, struct kb_arena *arena,
                                   const struct kb_db_value *row, size_t column);

#endif
