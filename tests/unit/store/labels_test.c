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

/* Whose labels a page needs, as "page<keeper" in order of their places from the first one, sources
 * with an s. */
static struct kb_sv keepers_of(struct labels *l, int64_t first)
{
	struct kb_index_state state = state_of(l);
	struct kb_sv text = KB_SV("");

	for (size_t i = 0; i < state.keeper_count; i++) {
		const struct kb_keeper_row *row = &state.keepers[i];

		text = kb_arena_printf(&l->f.arena, "%.*s%s%" PRId64 "<", KB_SV_ARG(text),
		                       i ? " " : "", row->page_id - first);
		text = row->is_source ? kb_arena_printf(&l->f.arena, "%.*ss", KB_SV_ARG(text))
		                      : kb_arena_printf(&l->f.arena, "%.*s%" PRId64,
		                                        KB_SV_ARG(text), row->keeper_id - first);
	}
	return text;
}

/* A page within that one; 0: by itself. */
static int64_t add_part(struct labels *l, int64_t parent, const char *name)
{
	const struct kb_page_new page = { .parent_id = parent,
		                          .filename = kb_sv_str(name),
		                          .path = kb_sv_str(name),
		                          .blob = KB_SV("of the part"),
		                          .is_ours = true };
	int64_t id;

	NEED(&l->f, kb_store_pages_add(l->f.store, l->agent.id, &page, 1, &id, &l->f.err));
	return id;
}

static struct kb_sv unlabelled(struct labels *l, int64_t first)
{
	struct kb_page_filter filter = { .list = { .page = 1, .limit = 20, .ascending = true },
		                         .crawl = -1,
		                         .index = -1,
		                         .unlabelled = true };
	struct kb_sv text = KB_SV("");
	struct kb_page_list list;

	NEED(&l->f,
	     kb_store_page_list(l->f.store, &l->f.arena, l->agent.id, &filter, &list, &l->f.err));
	CHECK_INT(l->f.t, list.total, list.count);
	for (size_t i = 0; i < list.count; i++)
		if (list.v[i].id >= first)
			text = kb_arena_printf(&l->f.arena, "%.*s%s%" PRId64, KB_SV_ARG(text),
			                       text.n ? " " : "", list.v[i].id - first);
	return text;
}

/* A zip (0) with a mail (1) that has a zip (2) with a text (3); another zip (4) with a text (5). */
static void test_containers(struct kb_test *t)
{
	struct kb_label_list list;
	struct kb_label one, two;
	struct labels l;
	int64_t zip, mail, inner, other;

	setup(&l, t);
	one = make(&l, "one");
	two = make(&l, "two");
	zip = add_part(&l, 0, "a.zip");
	mail = add_part(&l, zip, "b.eml");
	inner = add_part(&l, mail, "c.zip");
	add_part(&l, inner, "d.txt");
	other = add_part(&l, 0, "e.zip");
	add_part(&l, other, "f.txt");
	CHECK_SV(t, keepers_of(&l, zip), "");
	CHECK_SV(t, unlabelled(&l, zip), "0 1 2 3 4 5");
	CHECK(t, put(&l, mail, IDS(one.id, two.id), &list));
	CHECK_SV(t, keepers_of(&l, zip), "2<1 3<1");
	CHECK_SV(t, unlabelled(&l, zip), "0 4 5");
	CHECK(t, put(&l, zip, IDS(one.id), &list));
	CHECK(t, put(&l, mail + 2, IDS(two.id), &list)); /* the text itself keeps nothing */
	CHECK_SV(t, keepers_of(&l, zip), "1<0 2<0 2<1 3<0 3<1");
	CHECK_SV(t, unlabelled(&l, zip), "4 5");
	/* A deleted label still keeps; what is taken off does not. */
	CHECK(t, kb_store_label_delete(l.f.store, l.agent.id, one.id, &l.f.err));
	CHECK_SV(t, keepers_of(&l, zip), "1<0 2<0 2<1 3<0 3<1");
	CHECK(t, put(&l, zip, NULL, 0, &list));
	CHECK_SV(t, keepers_of(&l, zip), "2<1 3<1");
	/* All that is in it goes with it. */
	CHECK(t, kb_store_page_delete(l.f.store, l.agent.id, zip, &l.f.err));
	CHECK_SV(t, keepers_of(&l, zip), "");
	CHECK_SV(t, unlabelled(&l, zip), "4 5");
	fixture_sound(&l.f);
	fixture_fini(&l.f);
}

static bool add_labels(void *arg, struct kb_arena *arena, struct kb_source *source,
                       struct kb_err *err)
{
	const struct kb_source *wanted = arg;

	(void)arena;
	(void)err;
	source->label_ids = wanted->label_ids;
	source->label_count = wanted->label_count;
	return true;
}

static bool put_on_source(struct labels *l, int64_t id, const int64_t *ids, size_t count,
                          struct kb_source *out)
{
	struct kb_source wanted = { .label_ids = ids, .label_count = count };

	return kb_store_source_update(
	        l->f.store, &l->f.arena,
	        &(struct kb_source_edit){
	                .agent_id = l->agent.id, .id = id, .change = add_labels, .arg = &wanted },
	        out, &l->f.err);
}

static void test_sources(struct kb_test *t)
{
	struct kb_source site = { .url = KB_SV("https://a.example/"),
		                  .settings = KB_SV("{}"),
		                  .status = KB_STATUS_QUEUED };
	struct kb_source uploads, out;
	struct kb_label one, two;
	struct labels l;
	int64_t before, zip;

	setup(&l, t);
	one = make(&l, "one");
	two = make(&l, "two");
	site.agent_id = l.agent.id;
	site.label_ids = (const int64_t[]){ two.id, one.id, two.id };
	site.label_count = 3;
	NEED(&l.f, kb_store_source_add(l.f.store, &site, &(struct kb_page_new){ .url = site.url },
	                               &l.f.err));
	CHECK_SV(t, keepers_of(&l, l.page), "3<s");
	CHECK(t, kb_store_source_get(l.f.store, &l.f.arena, l.agent.id, site.id, &out, &l.f.err));
	CHECK_INT(t, out.label_count, 2);
	CHECK_INT(t, out.label_ids[0], one.id);
	NEED(&l.f, kb_store_source_upload(l.f.store, &l.f.arena, l.agent.id, &uploads, &l.f.err));
	CHECK_INT(t, uploads.label_count, 0);

	/* Uploads that are there, one that comes, and what is in it. */
	before = version(&l);
	CHECK(t, put_on_source(&l, uploads.id, IDS(one.id), &out));
	CHECK_INT(t, version(&l), before + 1);
	zip = add_part(&l, 0, "a.zip");
	add_part(&l, zip, "b.txt");
	CHECK_SV(t, keepers_of(&l, l.page), "0<s 1<s 2<s 3<s 4<s 5<s");
	CHECK(t, put_on_source(&l, uploads.id, IDS(one.id), &out));
	CHECK_INT(t, version(&l), before + 1); /* the same ones */
	CHECK(t, !put_on_source(&l, uploads.id, IDS(one.id, 999), &out));
	CHECK_INT(t, l.f.err.code, KB_E_INVALID);
	CHECK_INT(t, state_of(&l).source_label_count, 3);

	/* A deleted one stays, and cannot be put on another. */
	CHECK(t, kb_store_label_delete(l.f.store, l.agent.id, two.id, &l.f.err));
	CHECK(t, put_on_source(&l, site.id, IDS(two.id), &out));
	CHECK(t, !put_on_source(&l, uploads.id, IDS(two.id), &out));
	CHECK_INT(t, out.label_count, 1);

	/* What follows the uploads is as closed as they were. */
	CHECK(t, kb_store_source_delete(l.f.store, l.agent.id, uploads.id, &l.f.err));
	zip = add_part(&l, 0, "c.zip");
	NEED(&l.f, kb_store_source_upload(l.f.store, &l.f.arena, l.agent.id, &uploads, &l.f.err));
	CHECK_INT(t, uploads.label_count, 1);
	CHECK(t, kb_store_source_delete(l.f.store, l.agent.id, site.id, &l.f.err));
	for (struct kb_removal removal = { .left = true }; removal.left;)
		NEED(&l.f, kb_store_remove_some(l.f.store, &removal, &l.f.err));
	CHECK_SV(t, keepers_of(&l, zip), "0<s");
	fixture_sound(&l.f);
	CHECK(t, kb_store_agent_delete(l.f.store, l.f.account.id, l.agent.id, &l.f.err));
	for (struct kb_removal removal = { .left = true }; removal.left;)
		NEED(&l.f, kb_store_remove_some(l.f.store, &removal, &l.f.err));
	fixture_sound(&l.f);
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
		{ "what is within a document needs the labels of all that it is in",
		  test_containers },
		{ "a source's documents need its labels, those that come later too", test_sources },
		{ "another agent's labels and documents are out of reach", test_strangers },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
