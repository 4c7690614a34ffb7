/* Who may ask a host, and whose turn it is. */
#include "crawl/hosts.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "../test.h"
#include "base/clock.h"

#define HOUR_US (3600 * KB_SECOND_US)

struct guest {
	struct kb_hosts *hosts;
	int *inside, *most;
	int rounds;
	int64_t agent;
};

static void *visit_often(void *arg)
{
	struct guest *guest = arg;

	for (int i = 0; i < guest->rounds; i++) {
		int64_t pause;

		if (!kb_hosts_take(guest->hosts, KB_SV("a"), guest->agent, KB_SECOND_US, &pause))
			break;
		++*guest->inside; /* we have it alone */
		*guest->most = KB_MAX(*guest->most, *guest->inside);
		--*guest->inside;
		kb_hosts_give(guest->hosts, KB_SV("a"), guest->agent, 100, KB_HOST_ANSWERED);
	}
	return NULL;
}

static void test_alone(struct kb_test *t)
{
	struct kb_hosts *hosts = kb_hosts_new(NULL, HOUR_US);
	int inside = 0, most = 0;
	struct guest guests[8];
	pthread_t threads[8];
	struct kb_host_turn turn;
	int64_t wait, pause;

	CHECK(t, kb_hosts_try(hosts, KB_SV("b"), &turn, &wait));
	kb_hosts_name(hosts, KB_SV("b"), 1);
	CHECK(t, !kb_hosts_try(hosts, KB_SV("b"), &turn, &wait));
	CHECK(t, wait > 3590 * KB_SECOND_US);                    /* until it may be overtaken */
	CHECK(t, kb_hosts_try(hosts, KB_SV("c"), &turn, &wait)); /* another host, another matter */
	kb_hosts_give(hosts, KB_SV("b"), 1, HOUR_US, KB_HOST_ANSWERED);
	CHECK(t, !kb_hosts_try(hosts, KB_SV("b"), &turn, &wait));
	CHECK(t, wait > 3590 * KB_SECOND_US);
	CHECK(t, !kb_hosts_take(hosts, KB_SV("b"), 1, KB_SECOND_US, &pause));
	CHECK(t, pause > 3590 * KB_SECOND_US);
	for (size_t i = 0; i < KB_COUNTOF(threads); i++) {
		guests[i] = (struct guest){ hosts, &inside, &most, 50, (int64_t)i % 3 + 1 };
		pthread_create(&threads[i], NULL, visit_often, &guests[i]);
	}
	for (size_t i = 0; i < KB_COUNTOF(threads); i++)
		pthread_join(threads[i], NULL);
	CHECK_INT(t, most, 1);
	kb_hosts_close(hosts);
	CHECK(t, !kb_hosts_take(hosts, KB_SV("d"), 1, KB_SECOND_US, &pause));
	CHECK_INT(t, pause, 0);
	kb_hosts_free(hosts);
}

/* A page of the agent, from the try to the naming. */
static bool page(struct kb_hosts *hosts, int64_t agent, struct kb_host_turn *turn)
{
	int64_t wait;

	if (!kb_hosts_try(hosts, KB_SV("a"), turn, &wait))
		return false;
	kb_hosts_name(hosts, KB_SV("a"), agent);
	return true;
}

static void test_turns(struct kb_test *t)
{
	struct kb_hosts *hosts = kb_hosts_new(NULL, HOUR_US);
	struct kb_host_turn turn;

	CHECK(t, page(hosts, 7, &turn));
	CHECK_INT(t, turn.after, 0);
	kb_hosts_give(hosts, KB_SV("a"), 7, 0, KB_HOST_ANSWERED);
	CHECK(t, page(hosts, 9, &turn));
	CHECK_INT(t, turn.after, 7); /* agents go round, whoever has more pages */
	CHECK_INT(t, turn.but, 0);
	kb_hosts_give(hosts, KB_SV("a"), 9, 0, KB_HOST_ANSWERED);
	CHECK(t, page(hosts, 7, &turn));
	CHECK_INT(t, turn.after, 9);
	kb_hosts_free(hosts);
}

static void test_overtaking(struct kb_test *t)
{
	struct kb_clock clock = { 0 };
	struct kb_hosts *hosts = kb_hosts_new(&clock, HOUR_US);
	struct kb_host_turn turn;
	int64_t wait, pause;

	CHECK(t, page(hosts, 7, &turn));
	CHECK(t, !page(hosts, 8, &turn)); /* it has only begun */
	kb_clock_advance(&clock, HOUR_US);
	CHECK(t, page(hosts, 8, &turn));
	CHECK_INT(t, turn.but, 7); /* another agent's */
	kb_clock_advance(&clock, HOUR_US);
	CHECK(t, !kb_hosts_try(hosts, KB_SV("a"), &turn, &wait)); /* two are all */
	CHECK_INT(t, wait, -1);
	kb_hosts_give(hosts, KB_SV("a"), 8, 0, KB_HOST_ANSWERED);
	CHECK(t,
	      kb_hosts_take(hosts, KB_SV("a"), 9, KB_SECOND_US, &pause)); /* a reading, likewise */
	kb_hosts_give(hosts, KB_SV("a"), 9, 0, KB_HOST_ANSWERED);

	/* Nobody else has a page: that is not asked at once again. */
	CHECK(t, kb_hosts_try(hosts, KB_SV("a"), &turn, &wait));
	kb_hosts_give(hosts, KB_SV("a"), 0, 0, KB_HOST_NOT_ASKED);
	CHECK(t, !kb_hosts_try(hosts, KB_SV("a"), &turn, &wait));
	CHECK(t, wait > 0);

	/* A host that did not answer is not pressed. */
	kb_hosts_give(hosts, KB_SV("a"), 7, 0, KB_HOST_FAILED);
	CHECK(t, kb_hosts_is_failing(hosts, KB_SV("a")));
	kb_clock_advance(&clock, KB_SECOND_US); /* its pause */
	CHECK(t, kb_hosts_take(hosts, KB_SV("a"), 7, 2 * KB_SECOND_US, &pause));
	kb_clock_advance(&clock, HOUR_US);
	CHECK(t, !kb_hosts_try(hosts, KB_SV("a"), &turn, &wait));
	CHECK_INT(t, wait, -1);
	kb_hosts_free(hosts);
}

struct reader {
	struct kb_hosts *hosts;
	int64_t agent;
	int rounds;
	_Atomic int done;
};

static void *read_often(void *arg)
{
	struct reader *reader = arg;

	while (reader->done < reader->rounds) {
		int64_t pause;

		if (!kb_hosts_take(reader->hosts, KB_SV("a"), reader->agent, KB_SECOND_US, &pause))
			break;
		usleep(1000);
		reader->done++;
		kb_hosts_give(reader->hosts, KB_SV("a"), reader->agent, 0, KB_HOST_ANSWERED);
	}
	return NULL;
}

/* Readings of sources stand in line all the time; pages get every other turn. */
static void test_pages_among_readings(struct kb_test *t)
{
	struct kb_hosts *hosts = kb_hosts_new(NULL, HOUR_US);
	struct reader readers[4];
	pthread_t threads[4];
	struct kb_host_turn turn;
	int pages = 0, read = 0;

	for (size_t i = 0; i < KB_COUNTOF(threads); i++) {
		readers[i] = (struct reader){ .hosts = hosts, .agent = 1, .rounds = 25 };
		pthread_create(&threads[i], NULL, read_often, &readers[i]);
	}
	while (pages < 20) {
		if (page(hosts, 2, &turn)) {
			pages++;
			kb_hosts_give(hosts, KB_SV("a"), 2, 0, KB_HOST_ANSWERED);
		}
		usleep(200);
	}
	for (size_t i = 0; i < KB_COUNTOF(threads); i++)
		read += readers[i].done;
	CHECK(t, read <= 2 * pages);
	for (size_t i = 0; i < KB_COUNTOF(threads); i++)
		pthread_join(threads[i], NULL);
	kb_hosts_free(hosts);
}

/* Of those who wait the other agent goes first. */
static void test_readers(struct kb_test *t)
{
	struct kb_hosts *hosts = kb_hosts_new(NULL, HOUR_US);
	struct reader many[3], one = { .hosts = hosts, .agent = 2, .rounds = 10 };
	pthread_t threads[3], single;
	int read = 0;

	for (size_t i = 0; i < KB_COUNTOF(threads); i++) {
		many[i] = (struct reader){ .hosts = hosts, .agent = 1, .rounds = 60 };
		pthread_create(&threads[i], NULL, read_often, &many[i]);
	}
	pthread_create(&single, NULL, read_often, &one);
	pthread_join(single, NULL);
	for (size_t i = 0; i < KB_COUNTOF(threads); i++)
		read += many[i].done;
	CHECK_INT(t, one.done, 10);
	CHECK(t, read < 60); /* not three for each of its own */
	for (size_t i = 0; i < KB_COUNTOF(threads); i++)
		pthread_join(threads[i], NULL);
	kb_hosts_free(hosts);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a host is asked one thing at a time", test_alone },
		{ "agents take turns", test_turns },
		{ "what lasts is overtaken by one of another agent", test_overtaking },
		{ "pages and readings take turns", test_pages_among_readings },
		{ "so do the agents of readings", test_readers },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
