/*
 * Visitors of public agents: people who are nobody's users. The rules of store.h hold.
 *
 * A visitor's browser has a secret of 256 bits, the store its hash. It counts for one agent, by the
 * public address under which it was given, as long as that is open, and for KB_VISITOR_IDLE_US
 * after its last use. A site may sign who its visitor is: then it counts until the signature ends,
 * and all browsers of the same subject share their conversations.
 *
 * How often somebody does something is counted here as well, so that every node knows it.
 */
#ifndef KB_STORE_VISITORS_H
#define KB_STORE_VISITORS_H

#include "store/accounts.h"
#include "store/agents.h"

enum { KB_VISITOR_TEXT = 44 }; /* 43 letters and digits, and the end */

#define KB_VISITOR_IDLE_US INT64_C(2592000000000) /* 30 days */
/* An answer is given up after this at the latest: a visitor whose node has died may ask again. */
#define KB_VISITOR_BUSY_US INT64_C(300000000)

struct kb_visitor {
	int64_t id, person_id, agent_id;
	struct kb_sv slug;    /* the public address */
	struct kb_sv site;    /* origin of the page around ours; empty: none */
	struct kb_sv surface; /* request_source of what is asked */
	struct kb_sv address; /* where it was met first */
	struct kb_sv subject, name;
	struct kb_sv labels; /* JSON array of names, as signed; empty: none */
	int64_t ends_at;     /* of the signature; 0: not signed */
	struct kb_sv challenge;
	int64_t proven_until, busy_until;
	int64_t created_at, seen_at;
};

/* The agent that is public at that address; KB_E_NOT_FOUND. */
bool kb_store_agent_by_slug(struct kb_store *store, struct kb_arena *arena, struct kb_sv slug,
                            struct kb_agent *out, struct kb_err *err) KB_MUST_CHECK;

/* Makes the visitor and its secret, which is given once: fills id, person_id and times. A signed
 * one is the person of the first with its subject. `before` is the visit of the same browser whose
 * place this one takes (NULL: none): where that is unsigned and there is no such person yet, its
 * conversations go along. One that was signed, or whose conversations went along, ends here. */
bool kb_store_visitor_add(struct kb_store *store, struct kb_visitor *visitor,
                          const struct kb_visitor *before, char secret[KB_VISITOR_TEXT],
                          struct kb_err *err) KB_MUST_CHECK;
/* Who has that secret at the agent. KB_E_UNAUTHORIZED for what is unknown, over, or of a closed
 * address. */
bool kb_store_visitor_check(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                            struct kb_sv secret, struct kb_visitor *out,
                            struct kb_err *err) KB_MUST_CHECK;
/* The same with the account that pays for the agent, in one trip. */
struct kb_visitor_arrival {
	struct kb_visitor visitor;
	struct kb_account payer;
};
bool kb_store_visitor_arrives(struct kb_store *store, struct kb_arena *arena,
                              const struct kb_agent *agent, struct kb_sv secret,
                              struct kb_visitor_arrival *out, struct kb_err *err) KB_MUST_CHECK;
/* Whether a visitor still counts: for answers that outlast a request's own check. */
bool kb_store_visitor_valid(struct kb_store *store, int64_t id, bool *valid,
                            struct kb_err *err) KB_MUST_CHECK;
/* Its browser has done the work: it counts until then, and the next challenge takes its place. */
bool kb_store_visitor_prove(struct kb_store *store, int64_t id, struct kb_sv challenge,
                            int64_t until, struct kb_err *err) KB_MUST_CHECK;

enum { KB_VISIT_LIMITS_MAX = 8 };

/* One more of what `who` may do `most` times within each span of time. */
struct kb_visit_limit {
	struct kb_sv who;
	int64_t span_us, most;
};
/* All of them are counted, or none. */
struct kb_visits {
	const struct kb_visit_limit *limits;
	size_t count; /* up to KB_VISIT_LIMITS_MAX */
	/* What became of it: the first that is full, or -1; and until when it is. */
	ptrdiff_t over;
	int64_t wait_us;
};
bool kb_store_visit(struct kb_store *store, struct kb_visits *visits,
                    struct kb_err *err) KB_MUST_CHECK;

/* Begins an answer, and counts it: *yes is false where it is over a limit, and while the visitor
 * has one already, or its address so many. */
struct kb_visitor_turn {
	int64_t id;
	struct kb_sv address;
	int64_t most; /* answers under way for the address */
};
bool kb_store_visitor_begin(struct kb_store *store, const struct kb_visitor_turn *turn,
                            struct kb_visits *visits, bool *yes, struct kb_err *err) KB_MUST_CHECK;
/* Ends it. A message that says so (kb_message.ends_visit) does it where it is stored. */
bool kb_store_visitor_end(struct kb_store *store, int64_t id, struct kb_err *err) KB_MUST_CHECK;

#endif
