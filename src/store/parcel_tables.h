/* What the tables of an agent hold, as far as it matters on the way: for parcel.c and arrival.c. */
#ifndef KB_STORE_PARCEL_TABLES_H
#define KB_STORE_PARCEL_TABLES_H

#include "store/store_own.h"

/* What a value is. */
enum kb_parcel_kind {
	KB_PARCEL_PLAIN,   /* it comes as it is */
	KB_PARCEL_AGENT,   /* the id of the agent */
	KB_PARCEL_ACCOUNT, /* who owns it: then who owns it here; or another number, then nobody */
	KB_PARCEL_PAGE,    /* ids of its own */
	KB_PARCEL_SOURCE,
	KB_PARCEL_LABEL,
	KB_PARCEL_SEGMENT,
	KB_PARCEL_TALK,
	KB_PARCEL_MESSAGE,
	KB_PARCEL_TEST,
	KB_PARCEL_SHIFT,   /* of a segment's pages: a number that is added to their ids */
	KB_PARCEL_PAGES,   /* a list of ids of pages, "1,2" */
	KB_PARCEL_DETAILS, /* a message's note: JSON with ids of pages */
	KB_PARCEL_OBJECT,  /* JSON of our own */
	KB_PARCEL_BLOB,    /* a name, or nothing */
	KB_PARCEL_HASH,    /* a name that need not be there */
	KB_PARCEL_ONE_OF,  /* 0 to `most` */
	KB_PARCEL_WAITS,   /* 0: it is done with; else it waits, and begins anew */
	KB_PARCEL_DUE,     /* when what waits may begin */
	KB_PARCEL_TRIES,   /* of what waits */
	KB_PARCEL_ZERO,    /* 0 here, whatever it was there */
	KB_PARCEL_NOTHING, /* likewise NULL, or an empty text */
};
#define KB_PARCEL_FIRST_ID KB_PARCEL_PAGE
enum { KB_PARCEL_IDS = KB_PARCEL_TEST - KB_PARCEL_PAGE + 1 };
/* The counters that they come from, from KB_PARCEL_PAGE on. */
extern const char *const kb_parcel_sequences[KB_PARCEL_IDS];

struct kb_parcel_rule {
	enum kb_parcel_kind kind;
	int64_t most;
};
/* For tests: of how many columns something is said. */
extern const size_t kb_parcel_rule_count;
/* Plain where nothing is said of the column. */
struct kb_parcel_rule kb_parcel_rule(struct kb_sv table, struct kb_sv column);

enum kb_parcel_use {
	KB_PARCEL_STAYS, /* it is left */
	KB_PARCEL_COMES,
	KB_PARCEL_OF_TALKS, /* comes with conversations alone */
	KB_PARCEL_NO_AGENT, /* not of an agent */
};
/* Of each table that the schema has; tests walk them. */
enum kb_parcel_use kb_parcel_use(struct kb_sv table);
/* The column that says which agent a row is of. */
struct kb_sv kb_parcel_agent_column(struct kb_sv table);

#endif
