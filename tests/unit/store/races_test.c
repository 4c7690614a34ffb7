/*
 * Calls of two nodes that meet, stepped through (races.h): a table of races with what must hold
 * behind each of them; and every call of another table beside every one, behind which the store is
 * sound.
 */
#include "races.h"

#include <stdarg.h>

#include "store/chores.h"
#include "store/labels.h"
#include "store/licenses.h"
#include "store/nodes_own.h"
#include "store/pages_own.h"
#include "store/personas.h"
#include "store/repairs.h"
#include "store/store_own.h"
#include "store/talklinks.h"
#include "store/vectors.h"
#include "store/visitors.h"
#include "store/work.h"

#define HOUR_US (3600 * KB_SECOND_US)
#define STORE   (w->nodes[side])
#define ARENA   (&w->arenas[side])

/* What ids of a world are. */
enum { AGENT, SECOND, FOUND, LEASED, SOURCE, LABEL, EPOCH, VERSION };

KB_PRINTF(2, 3)
static int64_t one_int(struct race_world *w, const char *query, ...)
{
	char text[600];
	const struct kb_sql sql = { "one_int", "", text };
	struct kb_db_rows rows;
	int64_t n = 0;
	va_list ap;

	va_start(ap, query);
	vsnprintf(text, sizeof(text), query, ap);
	va_end(ap);
	kb_rows_open(&rows, w->raw, &sql, KB_NO_VALUES);
	while (kb_rows_next(&rows))
		n = kb_rows_int(&rows, 0);
	NEED(&w->f, kb_rows_close(&rows, &w->f.err));
	return n;
}

KB_PRINTF(2, 3)
static void run_with(struct race_world *w, const char *statement, ...)
{
	char text[600];
	va_list ap;

	va_start(ap, statement);
	vsnprintf(text, sizeof(text), statement, ap);
	va_end(ap);
	NEED(&w->f, w->raw->driver->script(w->raw, text, &w->f.err));
}

/* ---- what is there ---- */

/* Only what this order makes is there. */
static void forget(struct race_world *w)
{
	static const char all[] =
	        "SET session_replication_role = replica; DO $$ DECLARE name text; BEGIN FOR name "
	        "IN "
	        "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = "
	        "current_schema()::regnamespace AND relname NOT IN ('accounts', 'account_handles', "
	        "'nodes', 'commits', 'schema_migrations') LOOP EXECUTE 'DELETE FROM ' || "
	        "quote_ident(name); END LOOP; END $$; DELETE FROM accounts WHERE id > 1; "
	        "DELETE FROM account_handles WHERE account_id > 1";

	NEED(&w->f, w->raw->driver->script(w->raw, all, &w->f.err));
	kb_arena_reset(&w->f.arena);
}

/* An agent with a page that can be found and one that is leased by the first node. */
static void make_pages(struct race_world *w)
{
	struct kb_leases leases;

	w->ids[AGENT] = fixture_agent(&w->f, "one").id;
	w->ids[FOUND] = fixture_pages(&w->f, w->ids[AGENT], 1);
	CHECK_INT(w->f.t, fixture_index(&w->f, 1), 1);
	w->ids[LEASED] = fixture_pages(&w->f, w->ids[AGENT], 1);
	NEED(&w->f, kb_store_pages_lease(w->f.store, &w->f.arena,
	                                 &(struct kb_lease_want){ .max = 1, .lease_us = HOUR_US },
	                                 &leases, &w->f.err));
	CHECK(w->f.t, leases.count == 1 && leases.v[0].page.id == w->ids[LEASED]);
	w->ids[EPOCH] = leases.v[0].epoch;
	w->own[0] = KB_NEW(&w->f.arena, struct kb_lease);
	*(struct kb_lease *)w->own[0] = leases.v[0];
}

static void with_pages(struct race_world *w)
{
	forget(w);
	make_pages(w);
}

/* Its lease has passed, and nobody has noticed. */
static void with_passed_lease(struct race_world *w)
{
	with_pages(w);
	run_with(w, "UPDATE pages SET due_at = 1 WHERE id = %" PRId64, w->ids[LEASED]);
}

static struct kb_session session_of(const struct race_world *w)
{
	return (struct kb_session){ .agent_id = w->ids[AGENT],
		                    .id = KB_SV("s"),
		                    .account_id = w->f.account.id };
}

/* All that calls below ask for. */
static void with_everything(struct race_world *w)
{
	struct kb_source source = { .url = KB_SV("http://h.example/sitemap.xml"),
		                    .type = KB_SV("sitemap"),
		                    .settings = KB_SV("{}"),
		                    .status = KB_STATUS_QUEUED,
		                    .due_at = 1 };
	const struct kb_page_new page = { .url = KB_SV("http://h.example/a") };
	struct kb_label_list labels;
	struct kb_agent gone;

	with_pages(w);
	w->ids[SECOND] = fixture_agent(&w->f, "two").id;
	source.agent_id = w->ids[AGENT];
	NEED(&w->f, kb_store_source_add(w->f.store, &source, &page, &w->f.err));
	w->ids[SOURCE] = source.id;
	NEED(&w->f,
	     kb_store_labels_make(w->f.store, &w->f.arena, w->ids[AGENT],
	                          &(struct kb_label_names){ (struct kb_sv[]){ KB_SV("L") }, 1 },
	                          &labels, &w->f.err));
	w->ids[LABEL] = labels.v[0].id;
	fixture_say_to(&w->f, w->ids[AGENT], "s", "q");
	gone = fixture_agent(&w->f, "gone");
	fixture_pages(&w->f, gone.id, 2);
	NEED(&w->f, kb_store_agent_delete(w->f.store, w->f.account.id, gone.id, &w->f.err));
	w->ids[VERSION] =
	        one_int(w, "SELECT index_version FROM agents WHERE id = %" PRId64, w->ids[AGENT]);
}

/* ---- calls ---- */

static bool lease_pages(struct race_world *w, int side, struct kb_err *err)
{
	struct kb_leases *leases = KB_NEW(ARENA, struct kb_leases);

	w->own[side] = leases;
	return kb_store_pages_lease(STORE, ARENA,
	                            &(struct kb_lease_want){ .max = 5, .lease_us = HOUR_US },
	                            leases, err);
}

/* As a thread does that reads pages. */
static bool take_turn(struct race_world *w, int side, struct kb_err *err)
{
	return kb_store_turn_settle(STORE, w->f.account.id, 1000, err) && lease_pages(w, side, err);
}

static bool finish_late(struct race_world *w, int side, struct kb_err *err)
{
	const struct kb_page_result result = { .page_id = w->ids[LEASED],
		                               .epoch = w->ids[EPOCH],
		                               .crawl = KB_STATUS_OK,
		                               .index = KB_STATUS_OK,
		                               .text_blob = KB_SV("bb"),
		                               .words = 10,
		                               .passages = 2 };

	return kb_store_pages_finish(STORE, w->ids[AGENT], &result, 1, &fixture_segment, err);
}

static bool hold_page(struct race_world *w, int side, struct kb_err *err)
{
	const struct kb_lease lease = { .page = { .agent_id = w->ids[AGENT], .id = w->ids[LEASED] },
		                        .epoch = w->ids[EPOCH] };
	bool held, ok = kb_store_page_hold(STORE, &lease, HOUR_US, &held, err);

	return ok && (held || kb_fail(err, KB_E_CONFLICT, "not held"));
}

static bool delete_found(struct race_world *w, int side, struct kb_err *err)
{
	return kb_store_page_delete(STORE, w->ids[AGENT], w->ids[FOUND], err);
}

static bool delete_leased(struct race_world *w, int side, struct kb_err *err)
{
	return kb_store_page_delete(STORE, w->ids[AGENT], w->ids[LEASED], err);
}

static bool requeue_found(struct race_world *w, int side, struct kb_err *err)
{
	return kb_store_page_requeue(STORE, w->ids[AGENT], w->ids[FOUND], err);
}

static bool add_pages_to(struct race_world *w, int side, int64_t agent_id, struct kb_err *err)
{
	const struct kb_page_new page = { .filename = KB_SV("new.txt"),
		                          .content_type = KB_SV("text/plain"),
		                          .blob = KB_SV("aa"),
		                          .is_ours = true,
		                          .size = 10 };
	int64_t first;

	return kb_store_pages_add(STORE, agent_id, &page, 1, &first, err);
}

static bool add_page(struct race_world *w, int side, struct kb_err *err)
{
	return add_pages_to(w, side, w->ids[AGENT], err);
}

static bool add_page_to_second(struct race_world *w, int side, struct kb_err *err)
{
	return add_pages_to(w, side, w->ids[SECOND], err);
}

static bool delete_source(struct race_world *w, int side, struct kb_err *err)
{
	return kb_store_source_delete(STORE, w->ids[AGENT], w->ids[SOURCE], err);
}

static bool lease_source(struct race_world *w, int side, struct kb_err *err)
{
	struct kb_source_lease *lease = KB_NEW(ARENA, struct kb_source_lease);
	int64_t due;

	w->own[side] = lease;
	return kb_store_source_lease(STORE, ARENA, HOUR_US, lease, &due, err);
}

static bool lease_visit(struct race_world *w, int side, struct kb_err *err)
{
	struct kb_errand_lease *lease = KB_NEW(ARENA, struct kb_errand_lease);

	w->own[side] = lease;
	return kb_store_errand_lease(STORE, ARENA, KB_SV("h.example"), HOUR_US, lease, err);
}

static bool delete_agent(struct race_world *w, int side, struct kb_err *err)
{
	return kb_store_agent_delete(STORE, w->f.account.id, w->ids[AGENT], err);
}

static bool merge(struct race_world *w, int side, struct kb_err *err)
{
	struct kb_index_state state;
	int64_t ids[8];
	size_t count = 0;

	if (!kb_store_index_state(STORE, ARENA, w->ids[AGENT], &state, err))
		return false;
	for (; count < state.segment_count && count < KB_COUNTOF(ids); count++)
		ids[count] = state.segments[count].id;
	return !count
	       || kb_store_segments_merge(STORE, w->ids[AGENT],
	                                  &(struct kb_merged){ .version = state.version,
	                                                       .old_ids = ids,
	                                                       .old_count = count,
	                                                       .segment = fixture_segment },
	                                  err);
}

/* Its one segment is damaged, leased, and replaced by another. */
static bool repair(struct race_world *w, int side, struct kb_err *err)
{
	struct kb_index_state state;
	struct kb_page_list pages;
	struct kb_repair lease;
	const struct kb_segment_new made = { KB_SV_INIT("ee"), 1000, 2, 1 };

	if (!kb_store_index_state(STORE, ARENA, w->ids[AGENT], &state, err))
		return false;
	if (!state.segment_count)
		return true;
	if (!kb_store_segment_damaged(STORE, w->ids[AGENT], state.segments[0].id,
	                              state.segments[0].blob, err)
	    || !kb_store_repair_lease(STORE, HOUR_US, &lease, err))
		return false;
	return !lease.agent_id
	       || (kb_store_repair_read(STORE, ARENA, lease.agent_id, &state, &pages, err)
	           && (!state.damaged_count
	               || kb_store_repair_finish(
	                       STORE, &lease,
	                       &(struct kb_repaired){ .version = state.version,
	                                              .damaged = &state.damaged[0].id,
	                                              .damaged_count = 1,
	                                              .segments = &made,
	                                              .segment_count = 1 },
	                       err)));
}

static bool set_label(struct race_world *w, int side, struct kb_err *err)
{
	struct kb_label_list list;

	return kb_store_page_set_labels(STORE, ARENA,
	                                &(struct kb_page_labels){ .agent_id = w->ids[AGENT],
	                                                          .page_id = w->ids[FOUND],
	                                                          .ids = &w->ids[LABEL],
	                                                          .count = 1 },
	                                &list, err);
}

static bool delete_label(struct race_world *w, int side, struct kb_err *err)
{
	return kb_store_label_delete(STORE, w->ids[AGENT], w->ids[LABEL], err);
}

static bool say_in(struct race_world *w, int side, const char *session, struct kb_err *err)
{
	struct kb_message message = { .query = KB_SV("what"),
		                      .response = KB_SV("that"),
		                      .answered = true,
		                      .source = KB_SV("api") };
	struct kb_conversation conversation;
	struct kb_session of = session_of(w);

	of.id = kb_sv_str(session);
	return kb_store_message_add(STORE, ARENA, &of, &message, &conversation, err);
}

static bool say(struct race_world *w, int side, struct kb_err *err)
{
	return say_in(w, side, "s", err);
}

static bool say_anew(struct race_world *w, int side, struct kb_err *err)
{
	return say_in(w, side, "new", err);
}

static bool delete_talk(struct race_world *w, int side, struct kb_err *err)
{
	const struct kb_session session = session_of(w);

	return kb_store_conversation_delete(STORE, &session, err);
}

static bool share_talk(struct race_world *w, int side, struct kb_err *err)
{
	const struct kb_session session = session_of(w);
	char secret[KB_TALK_LINK_TEXT];

	return kb_store_talk_share(STORE, &session, secret, err);
}

static bool unshare_talk(struct race_world *w, int side, struct kb_err *err)
{
	const struct kb_session session = session_of(w);

	return kb_store_talk_unshare(STORE, &session, err);
}

static bool copy_agent(struct race_world *w, int side, struct kb_err *err)
{
	struct kb_agent copy;

	return kb_store_agent_replicate(STORE, ARENA,
	                                &(struct kb_agent_copy){ .account_id = w->f.account.id,
	                                                         .id = w->ids[AGENT],
	                                                         .name = KB_SV("copy") },
	                                &copy, err);
}

static bool new_address(void *arg, struct kb_arena *arena, struct kb_agent *agent,
                        struct kb_err *err)
{
	const struct race_world *w = arg;

	(void)err;
	agent->is_shared = true;
	if (!agent->shareable_slug.p)
		agent->shareable_slug = kb_arena_printf(arena, "slug %d", w->order);
	return true;
}

static bool share_agent(struct race_world *w, int side, struct kb_err *err)
{
	struct kb_agent agent;

	return kb_store_agent_update(STORE, ARENA,
	                             &(struct kb_agent_edit){ .account_id = w->f.account.id,
	                                                      .id = w->ids[AGENT],
	                                                      .change = new_address,
	                                                      .arg = w },
	                             &agent, err);
}

static bool add_license(struct race_world *w, int side, struct kb_err *err)
{
	struct kb_license license;

	return kb_store_license_create(STORE, ARENA, w->ids[AGENT], KB_SV("L"), &license, err);
}

static bool remove_some(struct race_world *w, int side, struct kb_err *err)
{
	struct kb_removal removal = { .slice = 50 };

	return kb_store_remove_some(STORE, &removal, err);
}

static bool free_leases(struct race_world *w, int side, struct kb_err *err)
{
	return kb_store_void_leases(STORE, 0, err);
}

static bool put_vectors(struct race_world *w, int side, struct kb_err *err)
{
	struct kb_index_state state;

	return kb_store_index_state(STORE, ARENA, w->ids[AGENT], &state, err)
	       && (!state.segment_count
	           || kb_store_vectors_put(
	                   STORE, w->ids[AGENT],
	                   &(struct kb_vectors_new){ .segment_id = state.segments[0].id,
	                                             .name = KB_SV("lsi"),
	                                             .model = KB_SV("m"),
	                                             .blob = KB_SV("dd"),
	                                             .bytes = 10,
	                                             .filled = 1 },
	                   err));
}

static const struct {
	const char *name;
	bool (*call)(struct race_world *w, int side, struct kb_err *err);
} calls[] = {
	{ "pages are leased", lease_pages },
	{ "a page is finished", finish_late },
	{ "a lease is held", hold_page },
	{ "a found page is deleted", delete_found },
	{ "a leased page is deleted", delete_leased },
	{ "a page is read anew", requeue_found },
	{ "a page is added", add_page },
	{ "a page is added to the other agent", add_page_to_second },
	{ "a source is deleted", delete_source },
	{ "a source is leased", lease_source },
	{ "a visit is leased", lease_visit },
	{ "the agent is deleted", delete_agent },
	{ "segments are merged", merge },
	{ "a segment is repaired", repair },
	{ "a document gets a label", set_label },
	{ "a label is deleted", delete_label },
	{ "a message comes", say },
	{ "a message of a new conversation comes", say_anew },
	{ "the conversation is deleted", delete_talk },
	{ "the conversation is shared", share_talk },
	{ "the conversation is shared no more", unshare_talk },
	{ "the agent is copied", copy_agent },
	{ "the agent becomes public", share_agent },
	{ "a license is made", add_license },
	{ "rows are removed", remove_some },
	{ "leases of nodes that are gone are freed", free_leases },
	{ "vectors are put", put_vectors },
};

/* What a call may be refused for is the other one. */
static void refused_rightly(struct race_world *w)
{
	for (int i = 0; i < 2; i++) {
		enum kb_errc code = w->errs[i].code;

		if (!w->ok[i] && code != KB_E_NOT_FOUND && code != KB_E_CONFLICT
		    && code != KB_E_INVALID)
			kb_test_fail(w->f.t, __FILE__, __LINE__, w->errs[i].msg);
	}
}

/* ---- races with an end of their own ---- */

static bool both_ok(struct race_world *w)
{
	refused_rightly(w);
	return w->ok[0] && w->ok[1];
}

static size_t leased(const struct race_world *w, int side, int64_t page_id)
{
	const struct kb_leases *leases = w->own[side];
	size_t n = 0;

	for (size_t i = 0; i < leases->count; i++)
		n += leases->v[i].page.id == page_id;
	return n;
}

static void leased_once(struct race_world *w)
{
	CHECK(w->f.t, both_ok(w));
	CHECK_INT(w->f.t, leased(w, 0, w->ids[LEASED]) + leased(w, 1, w->ids[LEASED]), 1);
}

/* Held by the one or taken by the other. */
static void held_or_taken(struct race_world *w)
{
	bool taken = leased(w, 0, w->ids[LEASED]) == 1;

	CHECK(w->f.t, w->ok[0]);
	CHECK(w->f.t, w->ok[1] != taken);
}

static void finished_or_taken(struct race_world *w)
{
	int64_t state = one_int(w, "SELECT state FROM pages WHERE id = %" PRId64, w->ids[LEASED]);

	refused_rightly(w);
	CHECK_INT(w->f.t, leased(w, 0, w->ids[LEASED]), state == KB_PAGE_LEASED);
}

static void with_two_agents(struct race_world *w)
{
	with_pages(w);
	w->ids[SECOND] = fixture_agent(&w->f, "two").id;
}

static void source_leased_once(struct race_world *w)
{
	const struct kb_source_lease *one = w->own[0], *two = w->own[1];

	CHECK(w->f.t, both_ok(w));
	CHECK_INT(w->f.t, (one->source.id == w->ids[SOURCE]) + (two->source.id == w->ids[SOURCE]),
	          1);
}

static void visit_leased_once(struct race_world *w)
{
	const struct kb_errand_lease *one = w->own[0], *two = w->own[1];

	CHECK(w->f.t, both_ok(w));
	CHECK_INT(w->f.t, (one->page.page.id != 0) + (two->page.page.id != 0), 1);
}

/* -- a master and its child -- */

static bool become_master(void *arg, struct kb_arena *arena, struct kb_agent *agent,
                          struct kb_err *err)
{
	const struct race_world *w = arg;

	(void)err;
	agent->is_master = true;
	agent->children = kb_agent_children_text(arena, &w->ids[AGENT], 1);
	return true;
}

static bool take_child(struct race_world *w, int side, struct kb_err *err)
{
	struct kb_agent agent;

	return kb_store_agent_update(STORE, ARENA,
	                             &(struct kb_agent_edit){ .account_id = w->f.account.id,
	                                                      .id = w->ids[SECOND],
	                                                      .change = become_master,
	                                                      .arg = w },
	                             &agent, err);
}

static void child_is_there(struct race_world *w)
{
	CHECK(w->f.t, w->ok[1]); /* and the rest is said by what is sound */
	CHECK_INT(w->f.t,
	          one_int(w, "SELECT count(*) FROM agents WHERE children <> '' AND id = %" PRId64,
	                  w->ids[SECOND]),
	          0);
}

/* -- accounts -- */

static bool ensure_account(struct race_world *w, int side, struct kb_err *err)
{
	struct kb_account *account = KB_NEW(ARENA, struct kb_account);

	w->own[side] = account;
	return kb_store_account_ensure(STORE, ARENA, kb_arena_printf(ARENA, "new %d", w->order),
	                               KB_SV(""), account, err);
}

static void one_account(struct race_world *w)
{
	const struct kb_account *one = w->own[0], *two = w->own[1];

	CHECK(w->f.t, both_ok(w) && one->id == two->id);
}

/* -- work -- */

static bool take_work(struct race_world *w, int side, struct kb_err *err)
{
	struct kb_work work = { .kind = KB_WORK_MERGE, .agent_id = w->ids[AGENT] };
	bool *taken = KB_NEW(ARENA, bool);

	w->own[side] = taken;
	return kb_store_work_take(STORE, &work, HOUR_US, taken, err);
}

static void work_taken_once(struct race_world *w)
{
	CHECK(w->f.t, both_ok(w) && *(bool *)w->own[0] != *(bool *)w->own[1]);
}

static void with_chore(struct race_world *w)
{
	with_pages(w);
	run_with(w,
	         "INSERT INTO chores (agent_id, kind, subject, within, due_at, lease_epoch, "
	         "attempts) VALUES (%" PRId64 ", 0, 1, 0, 1, 0, 0)",
	         w->ids[AGENT]);
}

static bool lease_chore(struct race_world *w, int side, struct kb_err *err)
{
	struct kb_chore *chore = KB_NEW(ARENA, struct kb_chore);

	w->own[side] = chore;
	return kb_store_chore_lease(STORE, HOUR_US, chore, err);
}

static void chore_leased_once(struct race_world *w)
{
	const struct kb_chore *one = w->own[0], *two = w->own[1];

	CHECK(w->f.t, both_ok(w));
	CHECK_INT(w->f.t, (one->agent_id != 0) + (two->agent_id != 0), 1);
	run_with(w, "%s", "DELETE FROM chores");
}

/* -- messages -- */

static void said_twice(struct race_world *w)
{
	CHECK(w->f.t, both_ok(w));
	CHECK_INT(w->f.t,
	          one_int(w,
	                  "SELECT count(*) FROM messages m JOIN conversations c ON c.agent_id = "
	                  "m.agent_id AND c.id = m.conversation_id WHERE c.session_id = 'new' "
	                  "AND m.agent_id = %" PRId64,
	                  w->ids[AGENT]),
	          2);
	CHECK_INT(w->f.t,
	          one_int(w, "SELECT sum(queries) FROM agent_months WHERE agent_id = %" PRId64,
	                  w->ids[AGENT]),
	          2);
}

static void link_of_what_is_there(struct race_world *w)
{
	refused_rightly(w);
	CHECK_INT(w->f.t,
	          one_int(w,
	                  "SELECT count(*) FROM talk_links l WHERE l.agent_id = %" PRId64
	                  " AND NOT EXISTS (SELECT 1 FROM conversations c WHERE c.agent_id = "
	                  "l.agent_id AND c.id = l.conversation_id)",
	                  w->ids[AGENT]),
	          0);
}

/* -- visitors: each side has one of its own -- */

static struct kb_visitor visitor_of(const struct race_world *w)
{
	return (struct kb_visitor){ .agent_id = w->ids[AGENT],
		                    .slug = KB_SV("slug"),
		                    .site = KB_SV(""),
		                    .surface = KB_SV("ama"),
		                    .address = KB_SV("192.0.2.1"),
		                    .subject = KB_SV(""),
		                    .name = KB_SV(""),
		                    .labels = KB_SV(""),
		                    .challenge = KB_SV("") };
}

static void with_visitors(struct race_world *w)
{
	with_pages(w);
	run_with(w, "%s", "UPDATE visitors SET busy_until = 0");
	for (int i = 0; i < 2; i++) {
		struct kb_visitor visitor = visitor_of(w);
		char secret[KB_VISITOR_TEXT];

		NEED(&w->f, kb_store_visitor_add(w->f.store, &visitor, NULL, secret, &w->f.err));
		w->ids[SECOND + i] = visitor.id;
	}
}

static bool begin_visit(struct race_world *w, int side, struct kb_err *err)
{
	const struct kb_visitor_turn turn = { .id = w->ids[SECOND + side],
		                              .address = KB_SV("192.0.2.1"),
		                              .most = 1 };
	struct kb_visits none = { 0 };
	bool *yes = KB_NEW(ARENA, bool);

	w->own[side] = yes;
	return kb_store_visitor_begin(STORE, &turn, &none, yes, err);
}

static void one_begins(struct race_world *w)
{
	CHECK(w->f.t, both_ok(w) && *(bool *)w->own[0] != *(bool *)w->own[1]);
}

static bool come_signed(struct race_world *w, int side, struct kb_err *err)
{
	struct kb_visitor *visitor = KB_NEW(ARENA, struct kb_visitor);
	char secret[KB_VISITOR_TEXT];

	*visitor = visitor_of(w);
	visitor->subject = KB_SV("ann");
	visitor->ends_at = INT64_MAX;
	w->own[side] = visitor;
	return kb_store_visitor_add(STORE, visitor, NULL, secret, err);
}

static void one_person(struct race_world *w)
{
	const struct kb_visitor *one = w->own[0], *two = w->own[1];

	CHECK(w->f.t, both_ok(w) && one->person_id == two->person_id);
}

/* The second limit has room for one. */
static bool count_visit(struct race_world *w, int side, struct kb_err *err)
{
	const struct kb_visit_limit limits[] = { { KB_SV("a"), HOUR_US, 9 },
		                                 { KB_SV("b"), HOUR_US, 1 } };
	struct kb_visits *visits = KB_NEW(ARENA, struct kb_visits);
	bool ok;

	*visits = (struct kb_visits){ limits, KB_COUNTOF(limits) };
	w->own[side] = visits;
	ok = kb_store_visit(STORE, visits, err);
	visits->limits = NULL; /* they were this call's */
	return ok;
}

static void counted_once(struct race_world *w)
{
	CHECK(w->f.t, both_ok(w));
	CHECK_INT(w->f.t,
	          (((struct kb_visits *)w->own[0])->over < 0)
	                  + (((struct kb_visits *)w->own[1])->over < 0),
	          1);
	CHECK_INT(w->f.t, one_int(w, "SELECT sum(times) FROM visits"), 2);
}

/* -- repairs -- */

static void with_damage(struct race_world *w)
{
	with_pages(w);
	run_with(w, "UPDATE segments SET damaged_at = 1 WHERE agent_id = %" PRId64, w->ids[AGENT]);
	run_with(w,
	         "INSERT INTO repairs (agent_id, due_at, lease_epoch, attempts, created_at) "
	         "VALUES (%" PRId64 ", 1, 0, 0, 1)",
	         w->ids[AGENT]);
}

static bool lease_repair(struct race_world *w, int side, struct kb_err *err)
{
	struct kb_repair *lease = KB_NEW(ARENA, struct kb_repair);

	w->own[side] = lease;
	return kb_store_repair_lease(STORE, HOUR_US, lease, err);
}

static void repair_leased_once(struct race_world *w)
{
	const struct kb_repair *one = w->own[0], *two = w->own[1];

	CHECK(w->f.t, both_ok(w));
	CHECK_INT(w->f.t, (one->agent_id != 0) + (two->agent_id != 0), 1);
}

/* Removed, to be ready for the next order. */
static void removed(struct race_world *w)
{
	CHECK(w->f.t, both_ok(w));
}

static const struct race races[] = {
	{ "a passed lease is taken by one of two",
	  with_passed_lease,
	  { lease_pages, lease_pages },
	  leased_once },
	{ "a passed lease is held by its owner or taken by another",
	  with_passed_lease,
	  { lease_pages, hold_page },
	  held_or_taken },
	{ "a late result is taken, or its page by another",
	  with_passed_lease,
	  { lease_pages, finish_late },
	  finished_or_taken },
	{ "a turn is taken, another one settled and taken",
	  with_passed_lease,
	  { lease_pages, take_turn },
	  leased_once,
	  .no_circle = true },
	{ "the last page ends while a turn is settled and taken",
	  with_pages,
	  { take_turn, finish_late },
	  refused_rightly,
	  .no_circle = true },
	{ "an account whose one agent ends waits with its other one",
	  with_two_agents,
	  { finish_late, add_page_to_second },
	  removed },
	{ "an account whose one agent is deleted waits with its other one",
	  with_two_agents,
	  { delete_agent, add_page_to_second },
	  removed },
	{ "a source is read by one of two",
	  with_everything,
	  { lease_source, lease_source },
	  source_leased_once },
	{ "a page is visited by one of two",
	  with_everything,
	  { lease_visit, lease_visit },
	  visit_leased_once },
	{ "a master takes a child that is being deleted",
	  with_two_agents,
	  { take_child, delete_agent },
	  child_is_there },
	{ "two that make the same account have one",
	  with_pages,
	  { ensure_account, ensure_account },
	  one_account },
	{ "work is taken by one of two", with_pages, { take_work, take_work }, work_taken_once },
	{ "a chore is leased by one of two",
	  with_chore,
	  { lease_chore, lease_chore },
	  chore_leased_once },
	{ "a repair is leased by one of two",
	  with_damage,
	  { lease_repair, lease_repair },
	  repair_leased_once },
	{ "two first messages of a session are one conversation's",
	  with_pages,
	  { say_anew, say_anew },
	  said_twice },
	{ "a conversation that is deleted leaves no link",
	  with_everything,
	  { share_talk, delete_talk },
	  link_of_what_is_there },
	{ "of an address one visitor begins where one may",
	  with_visitors,
	  { begin_visit, begin_visit },
	  one_begins },
	{ "a subject that comes twice is one person",
	  with_pages,
	  { come_signed, come_signed },
	  one_person },
	{ "what may be done once is counted once, and none else with it",
	  with_pages,
	  { count_visit, count_visit },
	  counted_once },
	{ "repair beside merge", with_pages, { repair, merge }, refused_rightly },
};

/* On SQLite one process writes, which has no races of this kind. */
static struct race_stage *open_stage(struct kb_test *t)
{
	if (fixture_postgres())
		return race_open(t);
	printf("only on PostgreSQL: %s\n", t->name);
	return NULL;
}

static void test_races(struct kb_test *t)
{
	struct race_stage *stage = open_stage(t);

	for (size_t i = 0; stage && i < KB_COUNTOF(races); i++)
		race_run(stage, &races[i], 24);
	if (stage)
		race_close(stage);
}

static void test_pairs(struct kb_test *t)
{
	struct race_stage *stage = open_stage(t);

	for (size_t i = 0; stage && i < KB_COUNTOF(calls); i++)
		for (size_t j = i; j < KB_COUNTOF(calls) && !t->failed; j++) {
			char name[200];
			const struct race race = { .name = name,
				                   .set_up = with_everything,
				                   .calls = { calls[i].call, calls[j].call },
				                   .end = refused_rightly };

			snprintf(name, sizeof(name), "%s, %s", calls[i].name, calls[j].name);
			race_run(stage, &race, 2);
		}
	if (stage)
		race_close(stage);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "what two nodes do at once is as if one had gone first", test_races },
		{ "any call beside any other leaves a sound store", test_pairs },
	};
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
