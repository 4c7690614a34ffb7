/* Labels: what is made, brought back, renamed and deleted, who carries them, and that questions
 * learn of it by the index version. */
#include "store/labels.h"

#include "fixture.h"

struct labels {
	struct fixture f;
	struct kb_agent agent;
	int64_t page; /* the first of three */
};

static void setup(struct labels *l, struct kb_test *t)
{
	fixture_init(&l->f, t);
	l->agent = fixture_agent(&l->f, "labelled");
	l->page = fixture_pages(&l->f, l->agent.id, 3);
	fixture_index(&l->f, 3);
}

static int64_t version(struct labels *l)
{
	int64_t n;

	NEED(&l->f, kb_store_index_version(l->f.store, l->agent.id, &n, &l->f.err));
	return n;
}

static struct kb_label make(struct labels *l, const char *name)
{
	struct kb_sv text = kb_sv_str(name);
	struct kb_label_list list;

	NEED(&l->f, kb_store_labels_make(l->f.store, &l->f.arena, l->agent.id,
	                                 &(struct kb_label_names){ .v = &text, .count = 1 }, &list,
	                                 &l->f.err));
	return list.v[0];
}

static bool put(struct labels *l, int64_t page, const int64_t *ids, size_t count,
                struct kb_label_list *out)
{
	return kb_store_page_set_labels(
	        l->f.store, &l->f.arena,
	        &(struct kb_page_labels){
	                .agent_id = l->agent.id, .page_id = page, .ids = ids, .count = count },
	        out, &l->f.err);
}
#define IDS(...)                                                                                   \
	(const int64_t[]){ __VA_ARGS__ }, sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)

static struct kb_index_state state_of(struct labels *l)
{
	struct kb_index_state state;

	NEED(&l->f, kb_store_index_state(l->f.store, &l->f.arena, l->agent.id, &state, &l->f.err));
	return state;
}

static void test_names(struct kb_test *t)
{
	static const struct {
		const char *name;
		const char *error; /* NULL: it is a name */
	} cases[] = {
		{ "hr", NULL },
		{ "  with blanks around  ", NULL },
		{ "exactly twenty chars", NULL },
		{ "exactly twenty-1 char", "a label's name has 21 characters, the limit is 20" },
		/* 20 characters, 40 bytes */
		{ "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
		  "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3"
		  "\xa4",
		  NULL },
		{ "", "a label's name can't be empty" },
		{ "   ", "a label's name can't be empty" },
		{ "2fast", "a label's name can't start with a digit: 2fast" },
		{ "\xef\xbc\x92",
		  "a label's name can't start with a digit: \xef\xbc\x92" }, /* 2, wide */
		{ "a\tb", "a label's name can't hold control characters" },
	};
	struct labels l;

	setup(&l, t);
	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_sv name = kb_sv_str(cases[i].name);
		struct kb_label_list list;
		bool ok = kb_store_labels_make(l.f.store, &l.f.arena, l.agent.id,
		                               &(struct kb_label_names){ .v = &name, .count = 1 },
		                               &list, &l.f.err);

		t->row = cases[i].name;
		CHECK(t, ok == !cases[i].error);
		if (ok)
			CHECK(t, kb_sv_eq(list.v[0].name, kb_sv_trim(name)));
		else if (cases[i].error)
			CHECK_SV(t, kb_sv_str(l.f.err.msg), cases[i].error);
	}
	t->row = NULL;
	fixture_fini(&l.f);
}

static void test_make(struct kb_test *t)
{
	const struct kb_sv names[] = { KB_SV("One"), KB_SV("two"), KB_SV("ONE"), KB_SV("Two ") };
	struct kb_list page = { .page = 1, .limit = 10, .ascending = true };
	struct kb_label one, again;
	struct kb_label_list list;
	struct labels l;
	int64_t before;

	setup(&l, t);
	CHECK(t, kb_store_labels_make(l.f.store, &l.f.arena, l.agent.id,
	                              &(struct kb_label_names){ .v = names, .count = 4 }, &list,
	                              &l.f.err));
	CHECK_INT(t, list.count, 2); /* without case, each once */
	one = list.v[0];
	CHECK_SV(t, one.name, "One");
	again = make(&l, "one");
	CHECK_INT(t, again.id, one.id);
	CHECK_SV(t, again.name, "One"); /* it lives: its name is its own */
	CHECK(t, kb_store_label_delete(l.f.store, l.agent.id, one.id, &l.f.err));
	CHECK(t, !kb_store_label_get(l.f.store, &l.f.arena, l.agent.id, one.id, &again, &l.f.err));
	CHECK_INT(t, l.f.err.code, KB_E_NOT_FOUND);
	CHECK(t, !kb_store_label_delete(l.f.store, l.agent.id, one.id, &l.f.err));
	CHECK(t, kb_store_labels_list(l.f.store, &l.f.arena, l.agent.id, &page, &list, &l.f.err));
	CHECK_INT(t, list.total, 1);
	CHECK_SV(t, list.v[0].name, "two");
	before = version(&l);
	again = make(&l, "oNe");
	CHECK_INT(t, again.id, one.id); /* brought back */
	CHECK_SV(t, again.name, "oNe");
	CHECK_INT(t, again.deleted_at, 0);
	CHECK_INT(t, version(&l), before + 1);
	fixture_fini(&l.f);
}

static void test_rename(struct kb_test *t)
{
	struct kb_label one, two, out;
	struct labels l;
	int64_t before;

	setup(&l, t);
	one = make(&l, "one");
	two = make(&l, "two");
	before = version(&l);
	CHECK(t, kb_store_label_rename(l.f.store, &l.f.arena,
	                               &(struct kb_label_rename){ .agent_id = l.agent.id,
	                                                          .label_id = one.id,
	                                                          .name = KB_SV("uno") },
	                               &out, &l.f.err));
	CHECK_SV(t, out.name, "uno");
	CHECK_INT(t, version(&l), before + 1);
	CHECK(t, kb_store_label_rename(l.f.store, &l.f.arena,
	                               &(struct kb_label_rename){ .agent_id = l.agent.id,
	                                                          .label_id = one.id,
	                                                          .name = KB_SV("UNO") },
	                               &out, &l.f.err)); /* its own name in another case */
	CHECK(t, !kb_store_label_rename(l.f.store, &l.f.arena,
	                                &(struct kb_label_rename){ .agent_id = l.agent.id,
	                                                           .label_id = two.id,
	                                                           .name = KB_SV("Uno") },
	                                &out, &l.f.err));
	CHECK_INT(t, l.f.err.code, KB_E_INVALID);
	/* The name of a deleted label is free. */
	CHECK(t, kb_store_label_delete(l.f.store, l.agent.id, one.id, &l.f.err));
	CHECK(t, kb_store_label_rename(l.f.store, &l.f.arena,
	                               &(struct kb_label_rename){ .agent_id = l.agent.id,
	                                                          .label_id = two.id,
	                                                          .name = KB_SV("Uno") },
	                               &out, &l.f.err));
	CHECK_INT(t, make(&l, "uno").id, two.id);
	fixture_fini(&l.f);
}

static void test_users(struct kb_test *t)
{
	static const char *const bad[] = { "", "@", "a@", "@b", "a b@c", "a\n@c" };
	const struct kb_sv three[] = { KB_SV("B@x.org"), KB_SV("a@x.org"), KB_SV("b@x.org") };
	const struct kb_sv gone[] = { KB_SV("A@X.org"), KB_SV("nobody@x.org") };
	struct kb_label_users change = { 0, three, 3 };
	struct kb_label_list list;
	struct kb_label label;
	struct labels l;

	setup(&l, t);
	change.label_id = make(&l, "one").id;
	CHECK(t, kb_store_labels_set_users(l.f.store, &l.f.arena, l.agent.id,
	                                   &(struct kb_label_changes){ .v = &change, .count = 1 },
	                                   &list, &l.f.err));
	CHECK_INT(t, list.v[0].user_count, 2);
	CHECK_SV(t, list.v[0].users[0], "a@x.org");
	CHECK_SV(t, list.v[0].users[1], "b@x.org");
	CHECK(t, kb_store_labels_remove_users(
	                 l.f.store, &l.f.arena, l.agent.id,
	                 &(struct kb_label_changes){
	                         .v = &(struct kb_label_users){ change.label_id, gone, 2 },
	                         .count = 1 },
	                 &list, &l.f.err));
	CHECK(t, kb_store_label_get(l.f.store, &l.f.arena, l.agent.id, change.label_id, &label,
	                            &l.f.err));
	CHECK_INT(t, label.user_count, 1);
	CHECK_SV(t, label.users[0], "b@x.org");
	for (size_t i = 0; i < KB_COUNTOF(bad); i++) {
		struct kb_sv user = kb_sv_str(bad[i]);

		t->row = bad[i];
		CHECK(t, !kb_store_labels_set_users(
		                 l.f.store, &l.f.arena, l.agent.id,
		                 &(struct kb_label_changes){
		                         .v = &(struct kb_label_users){ change.label_id, &user, 1 },
		                         .count = 1 },
		                 &list, &l.f.err));
		CHECK_INT(t, l.f.err.code, KB_E_INVALID);
	}
	t->row = NULL;
	/* All of them or none. */
	CHECK(t, !kb_store_labels_set_users(
	                 l.f.store, &l.f.arena, l.agent.id,
	                 &(struct kb_label_changes){
	                         .v = (const struct kb_label_users[]){ { change.label_id, NULL, 0 },
	                                                               { 999, NULL, 0 } },
	                         .count = 2 },
	                 &list, &l.f.err));
	CHECK_INT(t, l.f.err.code, KB_E_NOT_FOUND);
	CHECK(t, kb_store_label_get(l.f.store, &l.f.arena, l.agent.id, change.label_id, &label,
	                            &l.f.err));
	CHECK_INT(t, label.user_count, 1);
	fixture_fini(&l.f);
}

static void test_pages(struct kb_test *t)
{
	int64_t fifty_one[KB_PAGE_LABELS_MAX + 1] = { 0 }, before;
	struct kb_index_state state;
	struct kb_label one, two;
	struct kb_label_list list;
	struct labels l;

	setup(&l, t);
	one = make(&l, "one");
	two = make(&l, "two");
	before = version(&l);
	CHECK(t, put(&l, l.page, IDS(two.id, one.id, two.id), &list));
	CHECK_INT(t, list.count, 2);
	CHECK_INT(t, version(&l), before + 1);
	CHECK(t, put(&l, l.page + 1, IDS(one.id), &list));
	state = state_of(&l);
	CHECK_INT(t, state.label_count, 2);
	CHECK_INT(t, state.page_label_count, 3);
	CHECK_INT(t, state.page_labels[2].page_id, l.page + 1);

	CHECK(t, !put(&l, l.page, IDS(one.id, 999), &list));
	CHECK_INT(t, l.f.err.code, KB_E_INVALID);
	CHECK(t, !put(&l, 999, IDS(one.id), &list));
	CHECK_INT(t, l.f.err.code, KB_E_NOT_FOUND);
	CHECK(t, !put(&l, l.page, fifty_one, KB_COUNTOF(fifty_one), &list));
	CHECK_SV(t, kb_sv_str(l.f.err.msg), "label_ids holds 51 labels, the limit is 50");
	CHECK_INT(t, state_of(&l).page_label_count, 3); /* the refused ones changed nothing */

	/* A deleted label still closes its documents. */
	before = version(&l);
	CHECK(t, kb_store_label_delete(l.f.store, l.agent.id, one.id, &l.f.err));
	CHECK_INT(t, version(&l), before + 1);
	state = state_of(&l);
	CHECK_INT(t, state.label_count, 1);
	CHECK_INT(t, state.page_label_count, 3);
	CHECK(t,
	      kb_store_page_labels(l.f.store, &l.f.arena, l.agent.id, l.page + 1, &list, &l.f.err));
	CHECK_INT(t, list.count, 1);
	CHECK(t, list.v[0].deleted_at != 0);
	CHECK(t, put(&l, l.page + 1, IDS(one.id, two.id), &list)); /* it carries it already */
	CHECK(t, !put(&l, l.page + 2, IDS(one.id), &list));        /* it does not */
	CHECK(t, put(&l, l.page + 1, NULL, 0, &list));
	CHECK_INT(t, state_of(&l).page_label_count, 2);
	CHECK(t, kb_store_page_delete(l.f.store, l.agent.id, l.page, &l.f.err));
	CHECK_INT(t, state_of(&l).page_label_count, 0);
	CHECK(t, put(&l, l.page + 1, IDS(two.id), &list));
	fixture_sound(&l.f);
	CHECK(t, kb_store_agent_delete(l.f.store, l.f.account.id, l.agent.id, &l.f.err));
	fixture_fini(&l.f);
}

static void test_strangers(struct kb_test *t)
{
	struct kb_agent other;
	struct kb_label_list list;
	struct kb_label one, out;
	struct labels l;

	setup(&l, t);
	one = make(&l, "one");
	other = fixture_agent(&l.f, "other");
	CHECK(t, !kb_store_label_get(l.f.store, &l.f.arena, other.id, one.id, &out, &l.f.err));
	CHECK_INT(t, l.f.err.code, KB_E_NOT_FOUND);
	CHECK(t, !kb_store_label_rename(l.f.store, &l.f.arena,
	                                &(struct kb_label_rename){ .agent_id = other.id,
	                                                           .label_id = one.id,
	                                                           .name = KB_SV("x") },
	                                &out, &l.f.err));
	CHECK(t, !kb_store_label_delete(l.f.store, other.id, one.id, &l.f.err));
	CHECK(t, !kb_store_page_labels(l.f.store, &l.f.arena, other.id, l.page, &list, &l.f.err));
	CHECK(t, !kb_store_page_set_labels(
	                 l.f.store, &l.f.arena,
	                 &(struct kb_page_labels){ .agent_id = other.id,
	                                           .page_id = fixture_pages(&l.f, other.id, 1),
	                                           .ids = &one.id,
	                                           .count = 1 },
	                 &list, &l.f.err));
	CHECK_INT(t, l.f.err.code, KB_E_INVALID);
	fixture_fini(&l.f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "what a label may be called", test_names },
		{ "a name is made once, and a deleted one comes back", test_make },
		{ "a label is renamed to a free name", test_rename },
		{ "users are replaced and taken away", test_users },
		{ "a document's labels are replaced, and deleted ones stay closed", test_pages },
		{ "another agent's labels and documents are out of reach", test_strangers },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
