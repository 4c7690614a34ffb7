/* Answers that are being written: one process writes, any other shows, ends and forbids. */
#include "store/answers.h"

#include "fixture.h"

#define LEASE_US (20 * KB_SECOND_US)

/* Two processes on one store. */
struct world {
	struct fixture f;
	struct kb_store *other;
	struct kb_agent agent;
	struct kb_message message; /* of the answer that is being written */
};

static struct kb_session session_of(const struct world *w, const char *name)
{
	return (struct kb_session){ .agent_id = w->agent.id,
		                    .id = kb_sv_str(name),
		                    .account_id = w->f.account.id };
}

static void begin(struct world *w, const char *session)
{
	w->message = (struct kb_message){ .query = KB_SV("Who built it?"),
		                          .source = KB_SV("api"),
		                          .user_ip = KB_SV("192.0.2.1"),
		                          .external_id = KB_SV("x-1"),
		                          .user_id = w->f.account.id,
		                          .writer = KB_SV("one") };
	NEED(&w->f, kb_store_message_reserve(w->f.store, &w->message.id, &w->f.err));
	NEED(&w->f,
	     kb_store_answer_begin(w->f.store, &w->f.arena,
	                           &(struct kb_answer_row){ session_of(w, session), &w->message,
	                                                    KB_SV("Later, please.") },
	                           LEASE_US, &w->f.err));
}

static void open_world(struct world *w, struct kb_test *t)
{
	fixture_init(&w->f, t);
	w->other = kb_store_open(w->f.at, false, &w->f.clock, NULL, &w->f.err);
	NEED(&w->f, w->other);
	w->agent = fixture_agent(&w->f, "a");
	begin(w, "s");
}

static void close_world(struct world *w)
{
	kb_store_close(w->other);
	fixture_fini(&w->f);
}

/* Its writer's turn; text NULL: as it was. Gives whether the row is still its own. */
static bool renew(struct world *w, const char *text)
{
	struct kb_answer_turn turn = { .agent_id = w->message.agent_id,
		                       .conversation_id = w->message.conversation_id,
		                       .id = w->message.id,
		                       .text = text ? kb_sv_str(text) : kb_sv(NULL, 0) };

	NEED(&w->f,
	     kb_store_answers_renew(w->f.store, KB_SV("one"), LEASE_US, &turn, 1, &w->f.err));
	return !turn.lost;
}

static bool add(struct world *w, const char *session)
{
	struct kb_session of = session_of(w, session);
	struct kb_conversation conversation;

	w->message.response = KB_SV("Hester Quillby.");
	w->message.answered = true;
	return kb_store_message_add(w->f.store, &w->f.arena, &of, &w->message, &conversation,
	                            &w->f.err);
}

static struct kb_message read_as(struct world *w, struct kb_store *store)
{
	struct kb_session session = session_of(w, "s");
	struct kb_message message = { 0 };

	NEED(&w->f, kb_store_message_get(store, &w->f.arena, &session, w->message.id, &message,
	                                 &w->f.err));
	return message;
}

static int64_t end_lost(struct world *w, struct kb_store *store)
{
	int64_t ended;

	NEED(&w->f, kb_store_answers_end_lost(store, &ended, &w->f.err));
	return ended;
}

static void test_shown(struct kb_test *t)
{
	const struct kb_list lists[] = { { .page = 1, .limit = 2 },
		                         { .page = 1, .limit = 2, .ascending = true } };
	struct kb_answer_progress progress;
	struct kb_transcript transcript;
	struct kb_message_list history;
	struct kb_message message;
	struct kb_session session;
	struct world w;

	open_world(&w, t);
	session = session_of(&w, "s");
	CHECK(t, renew(&w, "Hester"));
	message = read_as(&w, w.other);
	CHECK(t, message.running && !message.failed);
	CHECK_SV(t, message.query, "Who built it?");
	CHECK_SV(t, message.response, "Hester");
	CHECK_SV(t, message.external_id, "x-1");
	CHECK_INT(t, message.user_id, w.f.account.id);
	CHECK(t, kb_store_answer_look(w.other, &w.f.arena, &w.message, 2, &progress, &w.f.err));
	CHECK(t, progress.running && progress.bytes == 6);
	CHECK_SV(t, progress.text, "Hester");
	CHECK(t, kb_store_answer_look(w.other, &w.f.arena, &w.message, 6, &progress, &w.f.err));
	CHECK(t, progress.running && !progress.text.p);
	/* In a list it stands among the others, where its id puts it. */
	fixture_say_to(&w.f, w.agent.id, "s", "before or after");
	for (size_t i = 0; i < KB_COUNTOF(lists); i++) {
		CHECK(t, kb_store_message_list(w.other, &w.f.arena, &session, &lists[i],
		                               &transcript, &w.f.err));
		CHECK_INT(t, transcript.messages.total, 2);
		CHECK_INT(t, transcript.messages.count, 2);
		for (size_t k = 0; k < 2; k++)
			CHECK_INT(t, transcript.messages.v[k].running,
			          transcript.messages.v[k].id == w.message.id);
		CHECK(t, (transcript.messages.v[0].id < transcript.messages.v[1].id)
		                 == lists[i].ascending);
	}
	/* What has not been said is no history. */
	CHECK(t, kb_store_message_history(w.f.store, &w.f.arena, &session,
	                                  &(struct kb_history_want){ .limit = 9 }, &history,
	                                  &w.f.err));
	CHECK_INT(t, history.count, 1);
	CHECK(t, add(&w, "s"));
	CHECK(t, !read_as(&w, w.other).running);
	CHECK_SV(t, read_as(&w, w.other).response, "Hester Quillby.");
	CHECK(t, kb_store_answer_look(w.other, &w.f.arena, &w.message, 0, &progress, &w.f.err));
	CHECK(t, !progress.running);
	CHECK(t, !renew(&w, NULL));
	close_world(&w);
}

static void test_writer_dies(struct kb_test *t)
{
	struct world w;

	open_world(&w, t);
	CHECK(t, renew(&w, "Hester"));
	kb_clock_advance(&w.f.clock, LEASE_US / 2);
	CHECK_INT(t, end_lost(&w, w.other), 0);
	CHECK(t, renew(&w, NULL));
	kb_clock_advance(&w.f.clock, LEASE_US / 2);
	CHECK_INT(t, end_lost(&w, w.other), 0); /* each turn is a new lease */
	kb_clock_advance(&w.f.clock, LEASE_US);
	CHECK_INT(t, end_lost(&w, w.other), 1);
	CHECK_INT(t, end_lost(&w, w.f.store), 0);
	CHECK(t, read_as(&w, w.f.store).failed && read_as(&w, w.f.store).answered);
	CHECK_SV(t, read_as(&w, w.f.store).response, "Hester");
	/* Its writer comes back too late. */
	CHECK(t, !renew(&w, "Hester Quillby"));
	CHECK(t, !add(&w, "s"));
	CHECK_INT(t, w.f.err.code, KB_E_CANCELLED);
	CHECK_SV(t, read_as(&w, w.f.store).response, "Hester");
	/* One that was lost before its first word says what it was to say then. */
	begin(&w, "s");
	kb_clock_advance(&w.f.clock, 2 * LEASE_US);
	CHECK_INT(t, end_lost(&w, w.other), 1);
	CHECK_SV(t, read_as(&w, w.f.store).response, "Later, please.");
	CHECK(t, !read_as(&w, w.f.store).answered);
	close_world(&w);
}

static void test_restart(struct kb_test *t)
{
	struct world w;

	open_world(&w, t);
	CHECK(t, renew(&w, "Hester"));
	kb_store_close(w.other);
	fixture_reopen(&w.f);
	w.other = NULL;
	/* The store is this process's alone: what an earlier life wrote is lost at once. */
	CHECK_INT(t, end_lost(&w, w.f.store), 1);
	CHECK(t, read_as(&w, w.f.store).failed);
	fixture_fini(&w.f);
}

static void test_deleted(struct kb_test *t)
{
	struct kb_conversation conversation;
	struct kb_session session;
	struct kb_message message;
	struct world w;

	open_world(&w, t);
	session = session_of(&w, "s");
	CHECK(t, kb_store_conversation_delete(w.other, &session, &w.f.err));
	CHECK(t, !renew(&w, "Hester"));
	CHECK(t, !add(&w, "s"));
	CHECK_INT(t, w.f.err.code, KB_E_CANCELLED);
	/* It stays deleted. */
	CHECK(t,
	      !kb_store_conversation_get(w.f.store, &w.f.arena, &session, &conversation, &w.f.err));
	begin(&w, "s2");
	CHECK(t, renew(&w, "Hester"));
	session = session_of(&w, "s2");
	CHECK(t, kb_store_message_get(w.f.store, &w.f.arena, &session, w.message.id, &message,
	                              &w.f.err));
	CHECK(t, kb_store_agent_delete(w.other, w.f.account.id, w.agent.id, &w.f.err));
	CHECK(t, !renew(&w, "Hester Quillby"));
	CHECK(t, !add(&w, "s2"));
	/* Whoever follows it is not told that it ended well. */
	CHECK(t, !kb_store_message_get(w.f.store, &w.f.arena, &session, w.message.id, &message,
	                               &w.f.err));
	CHECK_INT(t, w.f.err.code, KB_E_NOT_FOUND);
	/* Nobody ends what belongs to nobody; its row goes with the agent's others. */
	kb_clock_advance(&w.f.clock, 2 * LEASE_US);
	CHECK_INT(t, end_lost(&w, w.other), 0);
	fixture_remove_rows(&w.f);
	close_world(&w);
}

static void test_dropped(struct kb_test *t)
{
	struct world w;

	open_world(&w, t);
	CHECK(t, kb_store_answer_drop(w.f.store, &w.message, &w.f.err));
	CHECK(t, !renew(&w, NULL));
	kb_clock_advance(&w.f.clock, 2 * LEASE_US);
	CHECK_INT(t, end_lost(&w, w.other), 0);
	close_world(&w);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "any process shows it, and the message takes its place", test_shown },
		{ "who writes no more loses it, and it ends with what there is", test_writer_dies },
		{ "a restart ends what an earlier life wrote", test_restart },
		{ "a deleted conversation or agent forbids it", test_deleted },
		{ "one that comes to nothing leaves nothing", test_dropped },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
