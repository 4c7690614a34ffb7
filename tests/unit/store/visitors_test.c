/* Visitors: how long a visit counts, whose conversations they are, and how often something is done.
 */
#include "fixture.h"
#include "store/agent_new.h"
#include "store/talklinks.h"
#include "store/visitors.h"

#define HOUR_US   (INT64_C(3600) * KB_SECOND_US)
#define MINUTE_US (INT64_C(60) * KB_SECOND_US)

static bool share(void *arg, struct kb_arena *arena, struct kb_agent *agent, struct kb_err *err)
{
	(void)arena, (void)err;
	agent->is_shared = arg != NULL;
	if (arg)
		agent->shareable_slug = kb_sv_str(arg);
	return true;
}

static void set_slug(struct fixture *f, int64_t id, const char *slug)
{
	struct kb_agent agent;

	NEED(f, kb_store_agent_update(f->store, &f->arena,
	                              &(struct kb_agent_edit){ .account_id = f->account.id,
	                                                       .id = id,
	                                                       .change = share,
	                                                       .arg = (void *)(uintptr_t)slug },
	                              &agent, &f->err));
}

static int64_t make_public(struct fixture *f, const char *slug)
{
	struct kb_agent agent = { .account_id = f->account.id,
		                  .name = KB_SV("One"),
		                  .type = KB_SV("SITEMAP"),
		                  .options = KB_SV("{}"),
		                  .settings = KB_SV("{}") };

	NEED(f, kb_store_agent_create(f->store, &agent, &f->err));
	set_slug(f, agent.id, slug);
	return agent.id;
}

static struct kb_visitor come(struct fixture *f, struct kb_visitor visitor,
                              const struct kb_visitor *before, char secret[KB_VISITOR_TEXT])
{
	struct kb_visitor made = visitor;
	struct kb_sv *texts[] = { &made.site, &made.surface, &made.address,  &made.subject,
		                  &made.name, &made.labels,  &made.challenge };

	for (size_t i = 0; i < KB_COUNTOF(texts); i++)
		if (!texts[i]->p)
			*texts[i] = KB_SV("");
	NEED(f, kb_store_visitor_add(f->store, &made, before, secret, &f->err));
	return made;
}

static bool counts(struct fixture *f, int64_t agent_id, const char *secret)
{
	struct kb_visitor visitor;
	bool valid = false, known = kb_store_visitor_check(f->store, &f->arena, agent_id,
	                                                   kb_sv_str(secret), &visitor, &f->err);

	if (known)
		CHECK(f->t, kb_store_visitor_valid(f->store, visitor.id, &valid, &f->err));
	CHECK(f->t, !known || valid);
	return known;
}

static void test_ends(struct kb_test *t)
{
	char idle[KB_VISITOR_TEXT], used[KB_VISITOR_TEXT], brief[KB_VISITOR_TEXT];
	struct kb_visitor visitor = { .slug = KB_SV("first") };
	struct kb_visitor signed_one;
	struct fixture f;

	fixture_init(&f, t);
	visitor.agent_id = make_public(&f, "first");
	come(&f, visitor, NULL, idle);
	come(&f, visitor, NULL, used);
	signed_one = visitor;
	signed_one.subject = KB_SV("ann");
	signed_one.ends_at = kb_clock_now_us(&f.clock) + HOUR_US;
	come(&f, signed_one, NULL, brief);
	CHECK(t, counts(&f, visitor.agent_id, idle) && counts(&f, visitor.agent_id, used)
	                 && counts(&f, visitor.agent_id, brief));
	CHECK(t, !counts(&f, visitor.agent_id, "") && !counts(&f, visitor.agent_id, "wrong"));
	kb_clock_advance(&f.clock, HOUR_US + 1);
	CHECK(t, !counts(&f, visitor.agent_id + 1, used)); /* of another agent */
	CHECK(t, !counts(&f, visitor.agent_id, brief));    /* its signature is over */
	kb_clock_advance(&f.clock, 20 * KB_DAY_US);
	CHECK(t, counts(&f, visitor.agent_id, used));
	kb_clock_advance(&f.clock, 11 * KB_DAY_US);
	CHECK(t, counts(&f, visitor.agent_id, used) && !counts(&f, visitor.agent_id, idle));
	/* Closing the agent ends all visits, and so they stay when it is opened elsewhere. */
	set_slug(&f, visitor.agent_id, NULL);
	CHECK(t, !counts(&f, visitor.agent_id, used));
	CHECK_INT(t, f.err.code, KB_E_UNAUTHORIZED);
	set_slug(&f, visitor.agent_id, "second");
	CHECK(t, !counts(&f, visitor.agent_id, used));
	fixture_fini(&f);
}

static void test_person(struct kb_test *t)
{
	char secret[KB_VISITOR_TEXT];
	struct kb_visitor plain = { .slug = KB_SV("first") }, ann, first, second, other, named;
	struct fixture f;

	fixture_init(&f, t);
	plain.agent_id = make_public(&f, "first");
	ann = plain;
	ann.subject = KB_SV("ann");
	ann.ends_at = INT64_MAX;
	first = come(&f, plain, NULL, secret);
	CHECK_INT(t, first.person_id, first.id);
	named = come(&f, ann, &first, secret);
	CHECK_INT(t, named.person_id, first.id); /* what was said before is theirs */
	second = come(&f, ann, NULL, secret);
	CHECK_INT(t, second.person_id, first.id); /* on another device */
	other = come(&f, plain, NULL, secret);
	CHECK(t, other.person_id == other.id && other.id != first.id);
	second = come(&f, ann, &other, secret);
	CHECK_INT(t, second.person_id, first.id); /* there is such a person already */
	fixture_fini(&f);
}

static void test_takes_place(struct kb_test *t)
{
	char was[KB_VISITOR_TEXT], is[KB_VISITOR_TEXT], at_home[KB_VISITOR_TEXT];
	char secret[KB_EMBED_SECRET_TEXT];
	struct kb_visitor plain = { .slug = KB_SV("first") }, ann, first, named, other;
	struct fixture f;

	fixture_init(&f, t);
	plain.agent_id = make_public(&f, "first");
	ann = plain;
	ann.subject = KB_SV("ann");
	ann.ends_at = INT64_MAX;
	first = come(&f, plain, NULL, was);
	named = come(&f, ann, &first, is);
	CHECK(t, !counts(&f, plain.agent_id, was)); /* its conversations are Ann's now */
	other = come(&f, plain, &named, was);
	CHECK(t, !counts(&f, plain.agent_id, is)); /* she has signed out */
	CHECK(t, other.person_id == other.id);
	come(&f, ann, &other, is);
	CHECK(t, counts(&f, plain.agent_id, was)); /* what it said is not hers */
	named = come(&f, ann, NULL, at_home);
	CHECK_INT(t, named.person_id, first.id); /* her ended visits still say who she is */
	NEED(&f, kb_store_embed_secret_make(f.store, plain.agent_id, secret, &f.err));
	CHECK(t, !counts(&f, plain.agent_id, is) && !counts(&f, plain.agent_id, at_home));
	CHECK(t, counts(&f, plain.agent_id, was));
	come(&f, ann, NULL, is);
	NEED(&f, kb_store_embed_secret_delete(f.store, plain.agent_id, &f.err));
	CHECK(t, !counts(&f, plain.agent_id, is) && counts(&f, plain.agent_id, was));
	fixture_fini(&f);
}

static bool may_begin(struct fixture *f, int64_t id, const char *address)
{
	const struct kb_visitor_turn turn = { .id = id, .address = kb_sv_str(address), .most = 2 };
	struct kb_visits none = { 0 };
	bool yes = false;

	CHECK(f->t, kb_store_visitor_begin(f->store, &turn, &none, &yes, &f->err));
	return yes;
}

static void test_answers(struct kb_test *t)
{
	char secret[KB_VISITOR_TEXT];
	struct kb_visitor plain = { .slug = KB_SV("first"), .address = KB_SV("192.0.2.1") }, v[3];
	struct fixture f;

	fixture_init(&f, t);
	plain.agent_id = make_public(&f, "first");
	for (size_t i = 0; i < KB_COUNTOF(v); i++)
		v[i] = come(&f, plain, NULL, secret);
	CHECK(t, may_begin(&f, v[0].id, "192.0.2.1"));
	CHECK(t, !may_begin(&f, v[0].id, "192.0.2.1")); /* one at a time */
	CHECK(t, may_begin(&f, v[1].id, "192.0.2.1"));
	CHECK(t, !may_begin(&f, v[2].id, "192.0.2.1")); /* two of that address */
	CHECK(t, kb_store_visitor_end(f.store, v[0].id, &f.err));
	CHECK(t, may_begin(&f, v[2].id, "192.0.2.1"));
	/* After a minute an answer has a row; what has none is over, though nobody has said so. */
	CHECK(t, !may_begin(&f, v[2].id, "192.0.2.1"));
	kb_clock_advance(&f.clock, 61 * KB_SECOND_US);
	CHECK(t, may_begin(&f, v[2].id, "192.0.2.1"));
	/* Who began it has died without ending it. */
	kb_clock_advance(&f.clock, KB_VISITOR_BUSY_US + 1);
	CHECK(t, may_begin(&f, v[1].id, "192.0.2.1"));
	fixture_fini(&f);
}

static ptrdiff_t over(struct fixture *f, const struct kb_visit_limit *limits, size_t count)
{
	struct kb_visits visits = { limits, count, .over = -2 };

	CHECK(f->t, kb_store_visit(f->store, &visits, &f->err));
	CHECK(f->t,
	      visits.over < 0
	              || (visits.wait_us > 0 && visits.wait_us <= limits[visits.over].span_us));
	return visits.over;
}

static void test_counts(struct kb_test *t)
{
	const struct kb_visit_limit a = { KB_SV("a"), MINUTE_US, 2 },
	                            hour = { KB_SV("a"), HOUR_US, 3 },
	                            b = { KB_SV("b"), MINUTE_US, 1 };
	struct fixture f;

	fixture_init(&f, t);
	/* The first moment of an hour. */
	kb_clock_advance(&f.clock, HOUR_US - kb_clock_now_us(&f.clock) % HOUR_US);
	CHECK_INT(t, over(&f, (const struct kb_visit_limit[]){ a, hour }, 2), -1);
	CHECK_INT(t, over(&f, &b, 1), -1);
	CHECK_INT(t, over(&f, (const struct kb_visit_limit[]){ a, b }, 2), 1); /* and counts none */
	CHECK_INT(t, over(&f, (const struct kb_visit_limit[]){ a, hour }, 2), -1);
	CHECK_INT(t, over(&f, (const struct kb_visit_limit[]){ a, hour }, 2), 0);
	kb_clock_advance(&f.clock, MINUTE_US);
	CHECK_INT(t, over(&f, (const struct kb_visit_limit[]){ a, hour }, 2), -1);
	CHECK_INT(t, over(&f, (const struct kb_visit_limit[]){ a, hour }, 2), 1);
	kb_clock_advance(&f.clock, HOUR_US);
	CHECK_INT(t, over(&f, (const struct kb_visit_limit[]){ a, hour }, 2), -1);
	fixture_fini(&f);
}

/* What is asked is counted once it begins. */
static void test_counted_answers(struct kb_test *t)
{
	char secret[KB_VISITOR_TEXT];
	struct kb_visitor plain = { .slug = KB_SV("first"), .address = KB_SV("192.0.2.1") }, one;
	const struct kb_visit_limit two = { KB_SV("asks"), HOUR_US, 2 };
	struct kb_visits visits = { &two, 1 };
	struct kb_visitor_turn turn = { .address = KB_SV("192.0.2.1"), .most = 2 };
	struct fixture f;
	static const struct {
		bool ends_before, begins;
		ptrdiff_t over;
	} rows[] = {
		{ false, true, -1 },
		{ false, false, -1 }, /* one is under way: not counted */
		{ true, true, -1 },
		{ true, false, 0 }, /* the third */
	};

	fixture_init(&f, t);
	kb_clock_advance(&f.clock, HOUR_US - kb_clock_now_us(&f.clock) % HOUR_US);
	plain.agent_id = make_public(&f, "first");
	one = come(&f, plain, NULL, secret);
	turn.id = one.id;
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		bool yes;

		if (rows[i].ends_before)
			CHECK(t, kb_store_visitor_end(f.store, one.id, &f.err));
		CHECK(t, kb_store_visitor_begin(f.store, &turn, &visits, &yes, &f.err));
		CHECK(t, yes == rows[i].begins);
		CHECK_INT(t, visits.over, rows[i].over);
	}
	CHECK(t, visits.wait_us > 0 && visits.wait_us <= HOUR_US);
	fixture_fini(&f);
}

/* A message that is stored ends the answer of its visitor; one that is not leaves it. */
static void test_message_ends(struct kb_test *t)
{
	char secret[KB_VISITOR_TEXT];
	struct kb_visitor plain = { .slug = KB_SV("first"), .address = KB_SV("192.0.2.1") }, one;
	struct kb_conversation conversation;
	struct kb_session session;
	struct kb_message message;
	struct fixture f;

	fixture_init(&f, t);
	plain.agent_id = make_public(&f, "first");
	one = come(&f, plain, NULL, secret);
	session = (struct kb_session){ plain.agent_id, KB_SV("s"), f.account.id, one.person_id };
	message = (struct kb_message){ .query = KB_SV("q"),
		                       .response = KB_SV("a"),
		                       .ends_visit = one.id };
	CHECK(t, may_begin(&f, one.id, "192.0.2.1"));
	message.writer = KB_SV("somebody whose row has gone");
	CHECK(t,
	      !kb_store_message_add(f.store, &f.arena, &session, &message, &conversation, &f.err));
	CHECK(t, !may_begin(&f, one.id, "192.0.2.1"));
	message.writer = KB_SV("");
	CHECK(t,
	      kb_store_message_add(f.store, &f.arena, &session, &message, &conversation, &f.err));
	CHECK(t, may_begin(&f, one.id, "192.0.2.1"));
	fixture_fini(&f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a visit ends when it is not used, with its signature, and with the public "
		  "address",
		  test_ends },
		{ "all browsers of a signed subject are one person, who keeps what was said before",
		  test_person },
		{ "a visit that takes another's place ends it where its person is not the same, "
		  "and a "
		  "secret that goes ends what it has signed",
		  test_takes_place },
		{ "a visitor has one answer at a time, an address some", test_answers },
		{ "an answer is counted when it begins, and not one that does not",
		  test_counted_answers },
		{ "a message that is stored ends its visitor's answer", test_message_ends },
		{ "what is done is counted in each span of time, or not at all", test_counts },
	};
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
