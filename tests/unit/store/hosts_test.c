/* Whose turn it is at a host, for several processes on one store. */
#include "store/hosts.h"

#include "fixture.h"
#include "store/robots.h"

static int64_t enter(struct fixture *f, const char *host, const char *holder)
{
	int64_t wait_us;

	NEED(f, kb_store_host_enter(f->store,
	                            &(struct kb_host_hold){ kb_sv_str(host), kb_sv_str(holder) },
	                            60 * KB_SECOND_US, &wait_us, &f->err));
	return wait_us;
}

static void leave(struct fixture *f, const char *host, const char *holder, int64_t pause_us)
{
	NEED(f, kb_store_host_leave(f->store,
	                            &(struct kb_host_hold){ kb_sv_str(host), kb_sv_str(holder) },
	                            pause_us, &f->err));
}

static void test_turns(struct kb_test *t)
{
	struct fixture f;

	fixture_init(&f, t);
	CHECK_INT(t, enter(&f, "a", "one"), 0);
	CHECK(t, enter(&f, "a", "two") > 0);    /* one process at a time */
	CHECK_INT(t, enter(&f, "b", "two"), 0); /* another host, another matter */
	CHECK_INT(t, enter(&f, "a", "one"), 0); /* its second line */
	leave(&f, "a", "one", 5 * KB_SECOND_US);
	CHECK(t, enter(&f, "a", "two") > 0); /* the first is still there */
	leave(&f, "a", "one", KB_SECOND_US);
	/* The longer pause holds, for all. */
	CHECK(t, enter(&f, "a", "two") > 4 * KB_SECOND_US);
	CHECK(t, enter(&f, "a", "one") > 4 * KB_SECOND_US);
	kb_clock_advance(&f.clock, 6 * KB_SECOND_US);
	CHECK_INT(t, enter(&f, "a", "two"), 0);
	leave(&f, "a", "one", KB_SECOND_US); /* who does not hold it gives nothing */
	CHECK(t, enter(&f, "a", "one") > 0);
	/* Who died in it holds it no longer than was said. */
	kb_clock_advance(&f.clock, 61 * KB_SECOND_US);
	CHECK_INT(t, enter(&f, "a", "one"), 0);
	fixture_fini(&f);
}

static void test_restart(struct kb_test *t)
{
	struct fixture f;

	fixture_init(&f, t);
	CHECK_INT(t, enter(&f, "a", "one"), 0);
	CHECK_INT(t, enter(&f, "b", "one"), 0);
	leave(&f, "b", "one", 600 * KB_SECOND_US);
	fixture_reopen(&f);
	/* The store is this process's alone: no hold of an earlier life counts, but each pause. */
	CHECK_INT(t, enter(&f, "a", "two"), 0);
	CHECK(t, enter(&f, "b", "two") > 500 * KB_SECOND_US);
	fixture_fini(&f);
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
		{ "one process at a time, and its pause holds for all", test_turns },
		{ "a pause outlives the process, a hold does not", test_restart },
		{ "robots.txt of a host", test_robots },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
