/* Many questions become groups in the background, whoever does it and however often it stops. */
#include "../store/raw.h"
#include "answer/answerer.h"
#include "base/log.h"
#include "store/gaps.h"
#include "upkeep/gaps.h"

enum { PEOPLE = 7, FORMS = 300, QUESTIONS = 3000, WAIT_MS = 30000 };

/* So many conversations of one message, each in a row of the queue as if it had got no answer. */
static void ask_many(struct fixture *f, int64_t agent_id)
{
	char text[2000];

	snprintf(text, sizeof(text),
	         "INSERT INTO conversations (agent_id, id, session_id, name, name_key, naming, "
	         "created_by, visitor_id, child_id, created_at, updated_at) "
	         "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) "
	         "SELECT %" PRId64 ", i, 's' || i, '', '', 0, 0, i %% %d + 1, 0, i, i FROM n",
	         QUESTIONS, agent_id, PEOPLE);
	raw_run(f, text);
	snprintf(
	        text, sizeof(text),
	        "INSERT INTO messages (agent_id, conversation_id, id, query, response, citations, "
	        "answered, failed, user_ip, user_agent, external_id, source, details, user_id, "
	        "reaction, reaction_user, reaction_created_at, reaction_updated_at, created_at, "
	        "updated_at) "
	        "SELECT agent_id, id, id, 'Who stores barrel ' || (id %% %d) || ' in the cellar?', "
	        "'', '', 0, 0, '', '', '', 'api', '', 0, 0, 0, 0, 0, id, id FROM conversations",
	        FORMS);
	raw_run(f, text);
	raw_run(f, "INSERT INTO gap_queue (agent_id, message_id, conversation_id, why) "
	           "SELECT agent_id, id, conversation_id, 1 FROM messages");
}

static int64_t waiting(struct fixture *f)
{
	return raw_int(f, "SELECT count(*) FROM gap_queue");
}

/* One thread stops in the middle, and another goes on. */
static void test_many(struct kb_test *t)
{
	struct kb_log log = { 0 };
	struct kb_round *thread;
	struct kb_gap_filter filter = { .list = { .page = 1, .limit = 10 }, .state = -1 };
	struct kb_upkeep_config config;
	struct kb_gap_list gaps;
	struct kb_agent agent;
	struct fixture f;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	ask_many(&f, agent.id);
	config = (struct kb_upkeep_config){ .store = f.store,
		                            .log = &log,
		                            .clock = &f.clock,
		                            .answerer = kb_answerer_open(f.store, NULL, &log) };
	thread = kb_gaps_start(&config);
	while (waiting(&f) == QUESTIONS)
		usleep(1000);
	kb_round_stop(thread);
	thread = kb_gaps_start(&config);
	for (int ms = 0; waiting(&f) && ms < kb_test_patient(WAIT_MS); ms += 10)
		usleep(10000);
	kb_round_stop(thread);
	CHECK_INT(t, waiting(&f), 0);
	CHECK_INT(t, raw_int(&f, "SELECT count(*) FROM gap_questions"), QUESTIONS);
	CHECK_INT(t, raw_int(&f, "SELECT CAST(sum(asked) AS BIGINT) FROM gaps"), QUESTIONS);
	NEED(&f, kb_store_gap_list(f.store, &f.arena, agent.id, &filter, &gaps, &f.err));
	CHECK_INT(t, gaps.total, FORMS);
	for (size_t i = 0; i < gaps.count; i++) {
		CHECK_INT(t, gaps.v[i].asked, QUESTIONS / FORMS);
		CHECK_INT(t, gaps.v[i].people, PEOPLE);
	}
	kb_answerer_close(config.answerer);
	fixture_fini(&f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = { { "many questions", test_many } };

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
