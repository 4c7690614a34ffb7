/*
 * How long questions that were not answered well take to come into groups (upkeep/gaps.h), and how
 * much memory: grouping [QUESTIONS [FORMS]], by itself 100,000 of 20,000 forms. Each form is a
 * question of its own, in the words of a manual, and all are asked as often. It runs on the store
 * of the unit tests (DOCENT_TEST_POSTGRES).
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "answer/answerer.h"
#include "base/log.h"
#include "store/gaps.h"
#include "store/raw.h"
#include "test.h"
#include "upkeep/gaps.h"

enum { PEOPLE = 1000, LOOK_US = 20000 };

static int64_t questions = 100000, forms = 20000;

#define WORD(by)                                                                                   \
	"CASE (id / " by ") % 8 WHEN 0 THEN 'pump' WHEN 1 THEN 'filter' WHEN 2 THEN 'invoice' "    \
	"WHEN 3 THEN 'locker' WHEN 4 THEN 'ticket' WHEN 5 THEN 'parcel' WHEN 6 THEN 'printer' "    \
	"ELSE 'garden' END"

/* So many conversations of one message, each in a row of the queue as if it had got no answer. */
static void ask_many(struct fixture *f, int64_t agent_id)
{
	char text[4000];

	snprintf(text, sizeof(text),
	         "INSERT INTO conversations (agent_id, id, session_id, name, name_key, naming, "
	         "created_by, visitor_id, child_id, created_at, updated_at) "
	         "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %" PRId64
	         ") "
	         "SELECT %" PRId64 ", i, 's' || i, '', '', 0, 0, i %% %d + 1, 0, i, i FROM n",
	         questions, agent_id, PEOPLE);
	raw_run(f, text);
	snprintf(text, sizeof(text),
	         "INSERT INTO messages (agent_id, conversation_id, id, query, response, citations, "
	         "answered, failed, user_ip, user_agent, external_id, source, details, user_id, "
	         "reaction, reaction_user, reaction_created_at, reaction_updated_at, created_at, "
	         "updated_at) WITH w AS (SELECT agent_id AS of_agent, id AS whole, id %% %" PRId64
	         " AS id FROM conversations) SELECT of_agent, whole, whole, 'How do I change the ' "
	         "|| "
	         "%s || ' of unit ' || (id / 8) || ' while the ' || %s || ' is full?', '', '', 0, "
	         "0, "
	         "'', '', '', 'api', '', 0, 0, 0, 0, 0, whole, whole FROM w",
	         forms, WORD("1"), WORD("8"));
	raw_run(f, text);
	raw_run(f, "INSERT INTO gap_queue (agent_id, message_id, conversation_id, why) "
	           "SELECT agent_id, id, conversation_id, 1 FROM messages");
}

static void measure(struct kb_test *t)
{
	struct kb_log log = { 0 };
	struct kb_upkeep_config config;
	struct kb_round *thread;
	struct kb_agent agent;
	struct rusage before, after;
	struct fixture f;
	int64_t begun;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	ask_many(&f, agent.id);
	config = (struct kb_upkeep_config){ .store = f.store,
		                            .log = &log,
		                            .clock = &f.clock,
		                            .answerer = kb_answerer_open(f.store, NULL, &log) };
	getrusage(RUSAGE_SELF, &before);
	begun = kb_clock_mono_us();
	thread = kb_gaps_start(&config);
	while (raw_int(&f, "SELECT count(*) FROM gap_queue"))
		usleep(LOOK_US);
	getrusage(RUSAGE_SELF, &after);
	printf("%" PRId64 " questions of %" PRId64 " forms: %.1f s, %" PRId64
	       " groups, %ld MB more at most\n",
	       questions, forms, (double)(kb_clock_mono_us() - begun) / 1e6,
	       raw_int(&f, "SELECT count(*) FROM gaps"),
	       (after.ru_maxrss - before.ru_maxrss) >> 10);
	kb_round_stop(thread);
	kb_answerer_close(config.answerer);
	fixture_fini(&f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = { { "questions come into groups", measure } };

	if ((argc > 1 && !kb_sv_to_int(kb_sv_str(argv[1]), 1, 10000000, &questions))
	    || (argc > 2 && !kb_sv_to_int(kb_sv_str(argv[2]), 1, 10000000, &forms))) {
		fprintf(stderr, "usage: grouping [QUESTIONS [FORMS]]\n");
		return 2;
	}
	return kb_test_main(1, argv, cases, KB_COUNTOF(cases));
}
