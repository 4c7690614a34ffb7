/* Answers that are being written, as their keeper and other processes see them. */
#include "write/underway.h"

#include "../store/fixture.h"

struct world {
	struct fixture f;
	struct kb_store *other; /* of another process */
	struct kb_agent agent;
	struct kb_underway *underway;
};

/* A writer: what it says, and what it was told. */
struct writer {
	struct kb_underway_answer underway;
	struct kb_message message;
	_Atomic(const char *) said;
	atomic_int silences, stops;
};

static bool show(struct kb_underway_answer *answer, struct kb_arena *arena, size_t beyond,
                 struct kb_sv *out)
{
	struct writer *writer = (struct writer *)(void *)answer;
	const char *said = atomic_load(&writer->said);

	if (strlen(said) <= beyond)
		return false;
	*out = kb_arena_sv(arena, kb_sv_str(said));
	return true;
}

static void silent(struct kb_underway_answer *answer)
{
	atomic_fetch_add(&((struct writer *)(void *)answer)->silences, 1);
}

static void stop(struct kb_underway_answer *answer)
{
	atomic_fetch_add(&((struct writer *)(void *)answer)->stops, 1);
}

static struct kb_underway *open_underway(struct world *w)
{
	return kb_underway_open(
	        &(struct kb_underway_config){ .store = w->f.store, .clock = &w->f.clock });
}

static void open_world(struct world *w, struct kb_test *t)
{
	fixture_init(&w->f, t);
	w->other = kb_store_open(w->f.dir, false, &w->f.clock, NULL, &w->f.err);
	NEED(&w->f, w->other);
	w->agent = fixture_agent(&w->f, "a");
	w->underway = open_underway(w);
}

static void close_world(struct world *w)
{
	kb_underway_close(w->underway);
	kb_store_close(w->other);
	fixture_fini(&w->f);
}

static struct kb_session session_of(const struct world *w)
{
	return (struct kb_session){ .agent_id = w->agent.id,
		                    .id = KB_SV("s"),
		                    .account_id = w->f.account.id };
}

static void begin(struct world *w, struct writer *writer)
{
	*writer = (struct writer){ .underway = { .text = show,
		                                 .silent = silent,
		                                 .stop = stop,
		                                 .agent_id = w->agent.id,
		                                 .session_id = KB_SV("s") },
		                   .message = { .query = KB_SV("Who?"), .source = KB_SV("api") },
		                   .said = "" };
	kb_underway_enter(w->underway, &writer->underway);
	NEED(&w->f, kb_underway_begin(w->underway, &writer->underway, &w->f.arena,
	                              &(struct kb_answer_row){ session_of(w), &writer->message,
	                                                       KB_SV("Later.") },
	                              &w->f.err));
}

#define WAIT(w, so)                                                                                \
	do {                                                                                       \
		for (int waited = 0; waited < kb_test_patient(10000) && !(so); waited++)           \
			usleep(1000);                                                              \
		CHECK((w)->f.t, so);                                                               \
	} while (0)
/* Moves the clock on until `so`; each time the keeper has a moment to look. */
#define UNTIL(w, so)                                                                               \
	do {                                                                                       \
		for (int moved = 0; moved < 300 && !(so); moved++) {                               \
			kb_clock_advance(&(w)->f.clock, 250 * INT64_C(1000));                      \
			kb_underway_look((w)->underway);                                           \
			for (int waited = 0; waited < kb_test_patient(30) && !(so); waited++)      \
				usleep(1000);                                                      \
		}                                                                                  \
		CHECK((w)->f.t, so);                                                               \
	} while (0)

/* What another process shows of it; "" where there is none. */
static struct kb_sv shown(struct world *w, const struct writer *writer)
{
	struct kb_session session = session_of(w);
	struct kb_message message = { 0 };

	if (!kb_store_message_get(w->other, &w->f.arena, &session, writer->message.id, &message,
	                          &w->f.err))
		return KB_SV("");
	return message.response;
}

static void test_text(struct kb_test *t)
{
	struct writer writer;
	struct world w;

	open_world(&w, t);
	begin(&w, &writer);
	atomic_store(&writer.said, "Hester");
	UNTIL(&w, kb_sv_eq_str(shown(&w, &writer), "Hester"));
	atomic_store(&writer.said, "Hester Quillby");
	UNTIL(&w, kb_sv_eq_str(shown(&w, &writer), "Hester Quillby"));
	CHECK_INT(t, atomic_load(&writer.stops), 0);
	kb_underway_leave(w.underway, &writer.underway);
	close_world(&w);
}

static int64_t writes(struct world *w)
{
	struct kb_store_stats stats;

	kb_store_stats(w->f.store, &stats);
	return stats.writes;
}

static void test_lease(struct kb_test *t)
{
	struct writer writer;
	struct world w;
	int64_t ended;

	open_world(&w, t);
	begin(&w, &writer);
	/* It says nothing for a minute and is nobody else's. */
	for (int i = 0; i < 10; i++) {
		int64_t before = writes(&w);

		kb_clock_advance(&w.f.clock, 6 * KB_SECOND_US);
		kb_underway_look(w.underway);
		WAIT(&w, writes(&w) > before);
		CHECK(t, kb_store_answers_end_lost(w.other, &ended, &w.f.err) && ended == 0);
	}
	CHECK_INT(t, atomic_load(&writer.stops), 0);
	kb_underway_leave(w.underway, &writer.underway);
	close_world(&w);
}

static void test_silence(struct kb_test *t)
{
	struct writer writer;
	struct world w;

	open_world(&w, t);
	begin(&w, &writer);
	UNTIL(&w, atomic_load(&writer.silences) == 1);
	CHECK(t, kb_clock_now_us(&w.f.clock) - writer.message.created_at
	                 >= KB_UNDERWAY_SILENT_MS * INT64_C(1000));
	UNTIL(&w, atomic_load(&writer.silences) == 2);
	CHECK(t, kb_clock_now_us(&w.f.clock) - writer.message.created_at
	                 >= (KB_UNDERWAY_SILENT_MS + KB_UNDERWAY_AGAIN_MS) * INT64_C(1000));
	kb_underway_leave(w.underway, &writer.underway);
	close_world(&w);
}

static void test_deleted_elsewhere(struct kb_test *t)
{
	struct kb_session session;
	struct writer writer;
	struct world w;

	open_world(&w, t);
	session = session_of(&w);
	begin(&w, &writer);
	CHECK(t, kb_store_conversation_delete(w.other, &session, &w.f.err));
	UNTIL(&w, atomic_load(&writer.stops) > 0);
	kb_underway_leave(w.underway, &writer.underway);
	begin(&w, &writer);
	CHECK(t, kb_store_agent_delete(w.other, w.f.account.id, w.agent.id, &w.f.err));
	UNTIL(&w, atomic_load(&writer.stops) > 0);
	kb_underway_leave(w.underway, &writer.underway);
	close_world(&w);
}

static void test_deleted_here(struct kb_test *t)
{
	struct writer writer;
	struct world w;

	open_world(&w, t);
	begin(&w, &writer);
	kb_underway_stop(w.underway, w.agent.id, KB_SV("another"));
	kb_underway_stop(w.underway, w.agent.id + 1, kb_sv(NULL, 0));
	CHECK_INT(t, atomic_load(&writer.stops), 0);
	kb_underway_stop(w.underway, w.agent.id, KB_SV("s"));
	CHECK_INT(t, atomic_load(&writer.stops), 1);
	kb_underway_stop(w.underway, w.agent.id, kb_sv(NULL, 0));
	CHECK_INT(t, atomic_load(&writer.stops), 2);
	kb_underway_leave(w.underway, &writer.underway);
	close_world(&w);
}

/* The keeper of another process ends what nobody keeps. */
static void test_writer_dies(struct kb_test *t)
{
	struct writer writer;
	struct world w;

	open_world(&w, t);
	begin(&w, &writer);
	kb_underway_leave(w.underway, &writer.underway); /* and no more is heard of it */
	UNTIL(&w, kb_sv_eq_str(shown(&w, &writer), "Later."));
	close_world(&w);
}

/* They come and go while the keeper goes round. */
static void test_many(struct kb_test *t)
{
	static struct writer writers[300];
	struct world w;

	open_world(&w, t);
	for (size_t i = 0; i < KB_COUNTOF(writers); i++) {
		begin(&w, &writers[i]);
		atomic_store(&writers[i].said, "Hester");
	}
	kb_clock_advance(&w.f.clock, KB_SECOND_US);
	kb_underway_look(w.underway);
	for (size_t i = 0; i < KB_COUNTOF(writers); i += 2)
		kb_underway_leave(w.underway, &writers[i].underway);
	for (size_t i = 1; i < KB_COUNTOF(writers); i += 2)
		UNTIL(&w, kb_sv_eq_str(shown(&w, &writers[i]), "Hester"));
	for (size_t i = 1; i < KB_COUNTOF(writers); i += 2) {
		CHECK_INT(t, atomic_load(&writers[i].stops), 0);
		kb_underway_leave(w.underway, &writers[i].underway);
	}
	close_world(&w);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "what is said shows in another process", test_text },
		{ "a silent answer keeps its lease", test_lease },
		{ "four seconds of silence are noticed once", test_silence },
		{ "what another process deletes is not written on", test_deleted_elsewhere },
		{ "what this process deletes is stopped at once", test_deleted_here },
		{ "what nobody writes is ended", test_writer_dies },
		{ "many come and go", test_many },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
