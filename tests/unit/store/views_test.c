/* Which blob holds a page as it is looked at, and which a picture of the web. */
#include "store/views.h"

#include "fixture.h"
#include "store/pictures.h"

static struct kb_view_row row_of(const char *source, int64_t page_no)
{
	return (struct kb_view_row){ .source = kb_sv_str(source),
		                     .page_no = page_no,
		                     .kind = KB_VIEW_PICTURE };
}

static void put(struct fixture *f, const char *source, int64_t page_no, const char *blob)
{
	struct kb_view_row row = row_of(source, page_no);

	row.blob = kb_sv_str(blob);
	row.width = 990;
	row.height = 1400;
	NEED(f, kb_store_view_put(f->store, &row, &f->err));
}

/* The blob's name; "-": there is none. */
static const char *find(struct fixture *f, const char *source, int64_t page_no)
{
	struct kb_view_row row = row_of(source, page_no);

	if (kb_store_view_find(f->store, &f->arena, &row, &f->err))
		return kb_arena_str(&f->arena, row.blob);
	CHECK_INT(f->t, f->err.code, KB_E_NOT_FOUND);
	return "-";
}

static int64_t forget(struct fixture *f)
{
	int64_t gone;

	NEED(f, kb_store_views_forget(f->store, 30, &gone, &f->err));
	return gone;
}

/* A document whose original is that blob. */
static void add_document(struct fixture *f, struct kb_agent *agent, const char *blob)
{
	struct kb_page_new page = { .filename = KB_SV("a.pdf"),
		                    .is_ours = true,
		                    .blob = kb_sv_str(blob) };
	int64_t id;

	NEED(f, kb_store_pages_add(f->store, agent->id, &page, 1, &id, &f->err));
}

static void test_views(struct kb_test *t)
{
	struct kb_view_row words = row_of("one", 1);
	struct kb_agent agent;
	struct fixture f;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	add_document(&f, &agent, "one");
	add_document(&f, &agent, "two");

	CHECK_SV(t, kb_sv_str(find(&f, "one", 1)), "-");
	put(&f, "one", 1, "p1");
	put(&f, "one", 2, "p2");
	put(&f, "two", 1, "p3");
	CHECK_SV(t, kb_sv_str(find(&f, "one", 1)), "p1");
	CHECK_SV(t, kb_sv_str(find(&f, "two", 2)), "-");
	words.kind = KB_VIEW_WORDS; /* another part of the same page */
	CHECK(t, !kb_store_view_find(f.store, &f.arena, &words, &f.err));
	put(&f, "one", 1, "p9"); /* made twice: the later one stands */
	CHECK_SV(t, kb_sv_str(find(&f, "one", 1)), "p9");

	t->row = "what is used stays, what is not goes";
	CHECK_INT(t, forget(&f), 0);
	kb_clock_advance(&f.clock, 20 * KB_DAY_US);
	CHECK_SV(t, kb_sv_str(find(&f, "one", 1)), "p9");
	kb_clock_advance(&f.clock, 20 * KB_DAY_US);
	CHECK_INT(t, forget(&f), 2);
	CHECK_SV(t, kb_sv_str(find(&f, "one", 1)), "p9");
	CHECK_SV(t, kb_sv_str(find(&f, "two", 1)), "-");

	t->row = "and so does what no document has";
	put(&f, "three", 1, "p4");
	CHECK_INT(t, forget(&f), 1);
	CHECK_SV(t, kb_sv_str(find(&f, "three", 1)), "-");
	fixture_fini(&f);
}

/* The blob that the address gave; "-": nobody has asked. */
static const char *picture(struct fixture *f, int64_t agent_id, const char *hash)
{
	struct kb_picture_row row = { .agent_id = agent_id, .hash = kb_sv_str(hash) };

	if (kb_store_picture_find(f->store, &f->arena, &row, &f->err))
		return kb_arena_str(&f->arena, row.blob);
	CHECK_INT(f->t, f->err.code, KB_E_NOT_FOUND);
	return "-";
}

static void put_picture(struct fixture *f, int64_t agent_id, const char *hash, const char *blob)
{
	struct kb_picture_row row = { .agent_id = agent_id,
		                      .hash = kb_sv_str(hash),
		                      .blob = kb_sv_str(blob),
		                      .type = KB_SV("png") };

	NEED(f, kb_store_picture_put(f->store, &row, &f->err));
}

static void test_pictures(struct kb_test *t)
{
	struct kb_picture_row row = { .hash = KB_SV("a") };
	struct kb_agent one, two;
	struct fixture f;
	int64_t gone;

	fixture_init(&f, t);
	one = fixture_agent(&f, "a");
	two = fixture_agent(&f, "b");
	CHECK_SV(t, kb_sv_str(picture(&f, one.id, "a")), "-");
	put_picture(&f, one.id, "a", "p1");
	put_picture(&f, two.id, "b", "");
	CHECK_SV(t, kb_sv_str(picture(&f, one.id, "a")), "p1");
	CHECK_SV(t, kb_sv_str(picture(&f, two.id, "a")), "-");
	CHECK_SV(t, kb_sv_str(picture(&f, two.id, "b")), ""); /* there is none to show */
	kb_clock_advance(&f.clock, KB_DAY_US);
	put_picture(&f, one.id, "a", "p2"); /* asked for anew: the later one stands */
	row.agent_id = one.id;
	NEED(&f, kb_store_picture_find(f.store, &f.arena, &row, &f.err));
	CHECK_SV(t, row.blob, "p2");
	CHECK_SV(t, row.type, "png");
	CHECK(t, kb_clock_now_us(&f.clock) - row.fetched_at < KB_SECOND_US);

	t->row = "what is used stays, what is not goes";
	kb_clock_advance(&f.clock, 29 * KB_DAY_US);
	CHECK_SV(t, kb_sv_str(picture(&f, one.id, "a")), "p2");
	kb_clock_advance(&f.clock, 2 * KB_DAY_US);
	NEED(&f, kb_store_pictures_forget(f.store, 30, &gone, &f.err));
	CHECK_INT(t, gone, 1);
	CHECK_SV(t, kb_sv_str(picture(&f, one.id, "a")), "p2");
	CHECK_SV(t, kb_sv_str(picture(&f, two.id, "b")), "-");
	fixture_fini(&f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "pages that were looked at are kept while they are used", test_views },
		{ "pictures of the web are kept while they are used", test_pictures },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
