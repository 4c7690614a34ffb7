/* Whose turn it is at a host. */
#include "store/hosts.h"

#include "fixture.h"
#include "store/robots.h"

#define SECONDS(n) ((n)*KB_SECOND_US)

struct world {
	struct fixture f;
	int64_t agents[3]; /* A, B, C */
	int pages;
};

static void open_world(struct world *w, struct kb_test *t)
{
	*w = (struct world){ 0 };
	fixture_init(&w->f, t);
	for (size_t i = 0; i < KB_COUNTOF(w->agents); i++)
		w->agents[i] = fixture_agent(&w->f, (const char *[]){ "A", "B", "C" }[i]).id;
}

/* The clock goes on by itself, too. */
static int64_t in_s(int64_t us)
{
	return (us + KB_SECOND_US - 1) / KB_SECOND_US;
}

static void pass(struct world *w, int64_t us)
{
	kb_clock_advance(&w->f.clock, us);
}

/* Another page of the host for the agent. */
static void add(struct world *w, const char *host, int agent)
{
	struct kb_page_new page = { .url = kb_arena_printf(&w->f.arena, "http://%s/%d", host,
		                                           w->pages++) };
	int64_t first;

	NEED(&w->f, kb_store_pages_add(w->f.store, w->agents[agent], &page, 1, &first, &w->f.err));
}

/* Whose page it is; 0: nobody's. */
static char page(struct world *w, const char *host, struct kb_host_hold *hold)
{
	struct kb_errand_lease lease;

	NEED(&w->f, kb_store_errand_lease(w->f.store, &w->f.arena, kb_sv_str(host), SECONDS(60),
	                                  &lease, &w->f.err));
	*hold = lease.hold;
	for (size_t i = 0; i < KB_COUNTOF(w->agents); i++)
		if (lease.page.page.id && lease.page.page.agent_id == w->agents[i])
			return (char)('A' + (int)i);
	return 0;
}

/* 0: it has its line; else when to ask again. */
static int64_t reading(struct world *w, const char *host, int agent, struct kb_host_hold *hold)
{
	struct kb_host_turn turn;

	NEED(&w->f,
	     kb_store_host_enter(w->f.store, kb_sv_str(host), w->agents[agent], &turn, &w->f.err));
	*hold = turn.hold;
	CHECK(w->f.t, (turn.wait_us == 0) == (turn.hold.since != 0));
	return turn.wait_us;
}

static void leave(struct world *w, const struct kb_host_hold *hold, int64_t pause_us,
                  enum kb_host_outcome outcome)
{
	NEED(&w->f, kb_store_host_leave(w->f.store, hold, pause_us, outcome, &w->f.err));
}

static struct kb_host_line line(struct world *w)
{
	struct kb_host_line *lines;
	size_t count;

	NEED(&w->f, kb_store_host_lines(w->f.store, &w->f.arena, 10, &lines, &count, &w->f.err));
	return count ? lines[0] : (struct kb_host_line){ 0 };
}

static void test_alone(struct kb_test *t)
{
	struct kb_host_hold one, two;
	struct world w;

	open_world(&w, t);
	add(&w, "a", 0);
	add(&w, "a", 1);
	add(&w, "b", 1);
	CHECK_INT(t, line(&w).wait_us, 0);
	CHECK_INT(t, page(&w, "a", &one), 'A');
	CHECK_INT(t, page(&w, "a", &two), 0);
	CHECK(t, reading(&w, "a", 2, &two) > 0);
	CHECK_INT(t, page(&w, "b", &two), 'B'); /* another host, another matter */
	leave(&w, &one, SECONDS(5), KB_HOST_ANSWERED);
	CHECK_INT(t, in_s(line(&w).wait_us), 5);
	leave(&w, &one, SECONDS(1), KB_HOST_ANSWERED);
	CHECK_INT(t, in_s(line(&w).wait_us), 5); /* the longer pause holds */
	CHECK_INT(t, page(&w, "a", &two), 0);
	CHECK_INT(t, in_s(reading(&w, "a", 2, &two)), 5);
	pass(&w, SECONDS(5));
	CHECK_INT(t, reading(&w, "a", 2, &two), 0);
	fixture_fini(&w.f);
}

/* Agents go round, whoever has more pages. */
static void test_turns(struct kb_test *t)
{
	char order[8] = "";
	struct world w;

	open_world(&w, t);
	for (int i = 0; i < 4; i++)
		add(&w, "a", 0);
	add(&w, "a", 1);
	add(&w, "a", 2);
	add(&w, "a", 2);
	for (size_t i = 0; i < 7; i++) {
		struct kb_host_hold hold;

		order[i] = page(&w, "a", &hold);
		leave(&w, &hold, 0, KB_HOST_ANSWERED);
	}
	CHECK_SV(t, kb_sv_str(order), "ABCACAA");
	fixture_fini(&w.f);
}

static void test_overtaking(struct kb_test *t)
{
	struct kb_host_hold slow, quick, none;
	struct world w;

	open_world(&w, t);
	for (int i = 0; i < 3; i++) {
		add(&w, "a", 0);
		add(&w, "a", 1);
	}
	CHECK_INT(t, page(&w, "a", &slow), 'A');
	pass(&w, KB_HOST_STUCK_US / 2);
	CHECK_INT(t, page(&w, "a", &none), 0); /* it has only begun */
	pass(&w, KB_HOST_STUCK_US / 2);
	CHECK_INT(t, page(&w, "a", &quick), 'B'); /* another agent's */
	pass(&w, KB_HOST_STUCK_US);
	CHECK_INT(t, page(&w, "a", &none), 0); /* two are all */
	CHECK(t, reading(&w, "a", 2, &none) > 0);
	leave(&w, &quick, 0, KB_HOST_ANSWERED);
	CHECK(t, reading(&w, "a", 0, &none) > 0);     /* A has its line */
	CHECK_INT(t, reading(&w, "a", 2, &quick), 0); /* a reading, likewise */
	leave(&w, &quick, 0, KB_HOST_ANSWERED);
	CHECK_INT(t, page(&w, "a", &quick), 'B');
	leave(&w, &quick, SECONDS(1), KB_HOST_ANSWERED);
	CHECK_INT(t, page(&w, "a", &none), 0); /* its pause holds for this one too */
	pass(&w, SECONDS(1));
	CHECK_INT(t, page(&w, "a", &quick), 'B');
	leave(&w, &quick, 0, KB_HOST_ANSWERED);
	/* Nobody else has a page: that is not looked for at once again. */
	CHECK_INT(t, page(&w, "a", &none), 0);
	add(&w, "a", 2);
	CHECK_INT(t, page(&w, "a", &none), 0);
	pass(&w, SECONDS(1));
	CHECK_INT(t, page(&w, "a", &quick), 'C');
	fixture_fini(&w.f);
}

/* A host that did not answer is not pressed, whoever asks. */
static void test_failing(struct kb_test *t)
{
	static const int64_t pauses[] = { 1, 2, 4, 8, 16, 32, 64, 64 };
	struct kb_host_hold hold, none;
	struct world w;

	open_world(&w, t);
	add(&w, "a", 0);
	add(&w, "a", 1);
	for (size_t i = 0; i < KB_COUNTOF(pauses); i++) {
		CHECK_INT(t, reading(&w, "a", 0, &hold), 0);
		leave(&w, &hold, 0, KB_HOST_FAILED);
		CHECK(t, line(&w).is_failing);
		CHECK_INT(t, in_s(line(&w).wait_us), pauses[i]);
		pass(&w, SECONDS(pauses[i]));
		pass(&w, SECONDS(2)); /* the page that is due goes first for so long */
	}
	/* It has one line. */
	CHECK_INT(t, page(&w, "a", &hold), 'B');
	pass(&w, 2 * KB_HOST_STUCK_US);
	CHECK_INT(t, page(&w, "a", &none), 0);
	/* As after a restart; what is out of date is forgotten, too. */
	fixture_reopen(&w.f);
	CHECK(t, line(&w).is_failing);
	pass(&w, SECONDS(300));
	CHECK(t, !line(&w).is_failing);
	CHECK_INT(t, reading(&w, "a", 0, &hold), 0);
	leave(&w, &hold, 0, KB_HOST_FAILED);
	CHECK_INT(t, in_s(line(&w).wait_us), 1);
	pass(&w, SECONDS(3));
	CHECK_INT(t, reading(&w, "a", 0, &hold), 0);
	leave(&w, &hold, 0, KB_HOST_ANSWERED);
	CHECK(t, !line(&w).is_failing);
	fixture_fini(&w.f);
}

/* Readings of sources stand in line all the time; pages get every other turn, and so do the agents
 * of the readings. */
static void test_readings(struct kb_test *t)
{
	char order[13] = "";
	struct world w;

	open_world(&w, t);
	for (int i = 0; i < 20; i++)
		add(&w, "a", 2);
	for (size_t i = 0; i < 12; i++) {
		struct kb_host_hold hold, none;

		/* All of them ask, A twice. */
		order[i] = page(&w, "a", &hold);
		if (order[i]) {
			reading(&w, "a", 0, &none);
			reading(&w, "a", 1, &none);
		} else if (reading(&w, "a", 0, &hold) == 0) {
			order[i] = 'a';
			reading(&w, "a", 0, &none);
			reading(&w, "a", 1, &none);
		} else if (reading(&w, "a", 1, &hold) == 0) {
			order[i] = 'b';
			reading(&w, "a", 0, &none);
		}
		leave(&w, &hold, 0, KB_HOST_ANSWERED);
	}
	CHECK_SV(t, kb_sv_str(order), "CaCbCaCbCaCb");
	fixture_fini(&w.f);
}

static void test_restart(struct kb_test *t)
{
	struct kb_host_hold hold, other;
	struct world w;

	open_world(&w, t);
	CHECK_INT(t, reading(&w, "a", 0, &hold), 0);
	CHECK_INT(t, reading(&w, "b", 0, &other), 0);
	leave(&w, &other, SECONDS(600), KB_HOST_ANSWERED);
	fixture_reopen(&w.f);
	/* The store is this process's alone: no line of an earlier life counts, but each pause. */
	CHECK_INT(t, reading(&w, "a", 1, &other), 0);
	CHECK_INT(t, in_s(reading(&w, "b", 0, &hold)), 600);
	/* Who has lost it gives nothing back. */
	hold = other;
	hold.agent_id = w.agents[0];
	leave(&w, &hold, 0, KB_HOST_ANSWERED);
	CHECK(t, reading(&w, "a", 2, &hold) > 0);
	/* Who hangs in it holds it no longer than was said. */
	pass(&w, KB_HOST_LINE_US);
	CHECK_INT(t, reading(&w, "a", 1, &hold), 0);
	fixture_fini(&w.f);
}

static void test_robots(struct kb_test *t)
{
	struct kb_robots_file file;
	int64_t now;
	struct fixture f;
	bool found;

	fixture_init(&f, t);
	now = kb_clock_now_us(&f.clock);
	file = (struct kb_robots_file){ .text = KB_SV("User-agent: *"),
		                        .read_at = now,
		                        .good_until = now + KB_DAY_US };
	NEED(&f, kb_store_robots_get(f.store, &f.arena, KB_SV("http://a"), &file, &found, &f.err));
	CHECK(t, !found);
	NEED(&f, kb_store_robots_put(f.store, KB_SV("http://a"), &file, &f.err));
	file.text = KB_SV("");
	NEED(&f, kb_store_robots_get(f.store, &f.arena, KB_SV("http://a"), &file, &found, &f.err));
	CHECK(t, found && file.read_at == now && file.good_until == now + KB_DAY_US);
	CHECK_SV(t, file.text, "User-agent: *");
	/* One that nobody needs any more goes when another comes. */
	kb_clock_advance(&f.clock, 70 * KB_DAY_US);
	NEED(&f, kb_store_robots_put(f.store, KB_SV("http://b"), &file, &f.err));
	NEED(&f, kb_store_robots_get(f.store, &f.arena, KB_SV("http://a"), &file, &found, &f.err));
	CHECK(t, !found);
	fixture_fini(&f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a host is asked one thing at a time, with its pause", test_alone },
		{ "agents take turns", test_turns },
		{ "what lasts is overtaken by one of another agent", test_overtaking },
		{ "a host that fails is asked more and more seldom", test_failing },
		{ "pages and readings take turns, and the agents of readings", test_readings },
		{ "a pause outlives the process, a line does not", test_restart },
		{ "robots.txt of a host", test_robots },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
