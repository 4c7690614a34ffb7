/* From the fields of a request to the documents that it may find. */
#include "api/filter.h"

#include "store/labels.h"
#include "test.h"

/* The world of the table: labels 1 hr, 2 legal, 3 staff, and 4 that was deleted; documents 10 to
 * 15 with the labels that stand beside them. */
static struct kb_label_row labels[] = {
	{ 1, KB_SV_INIT("hr") },
	{ 2, KB_SV_INIT("legal") },
	{ 3, KB_SV_INIT("staff") },
};
static struct kb_page_label_row page_labels[] = {
	{ 11, 1 },            /* hr */
	{ 12, 1 }, { 12, 2 }, /* hr, legal */
	{ 13, 3 },            /* staff */
	{ 14, 4 },            /* the deleted one alone */
	{ 15, 2 }, { 15, 4 }, /* legal and the deleted one */
};                            /* 10: none */
static const struct kb_index_state world = {
	.labels = labels,
	.label_count = KB_COUNTOF(labels),
	.page_labels = page_labels,
	.page_label_count = KB_COUNTOF(page_labels),
};

static bool read_filter(struct kb_arena *arena, const char *json, struct kb_label_filter *filter,
                        struct kb_err *err)
{
	struct kb_request req = { .arena = arena, .body = kb_sv_str(json) };
	struct kb_inputs inputs;

	return kb_inputs_read(&req, &inputs, err) && kb_filter_read(&inputs, arena, filter, err);
}

/* "10 11": the documents of the world that pass. */
static struct kb_sv visible(struct kb_arena *arena, const struct kb_label_filter *filter)
{
	struct kb_access *access = kb_access_new(&world);
	struct kb_pass pass;
	struct kb_buf buf;
	struct kb_sv text;

	kb_pass_init(&pass, access, arena, filter);
	kb_buf_init(&buf, 100);
	for (int64_t id = 10; id <= 15; id++)
		if (kb_pass_allows(&pass, id))
			kb_buf_printf(&buf, "%s%" PRId64, buf.n ? " " : "", id);
	text = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	kb_access_release(access);
	return text;
}

static void test_meaning(struct kb_test *t)
{
	static const struct {
		const char *name, *json, *visible;
	} cases[] = {
		{ "without labels: what is everybody's", "{}", "10" },
		{ "null is without labels", "{\"labels\":null}", "10" },
		{ "an empty list is without labels", "{\"labels\":[]}", "10" },
		{ "any of a flat list", "{\"labels\":[\"hr\",\"staff\"]}", "10 11 12 13" },
		{ "ids, as numbers and as text", "{\"labels\":[1,\"3\"]}", "10 11 12 13" },
		{ "names without case and blanks", "{\"labels\":[\" HR \"]}", "10 11 12" },
		{ "all across lists", "{\"labels\":[[\"hr\"],[\"legal\"]]}", "10 12" },
		{ "any within a list, all across",
		  "{\"labels\":[[\"hr\",\"staff\"],[\"legal\",\"staff\"]]}", "10 12 13" },
		{ "one list of lists is a flat list", "{\"labels\":[[\"hr\",\"staff\"]]}",
		  "10 11 12 13" },
		{ "a label beside lists is a list of its own", "{\"labels\":[\"hr\",[\"legal\"]]}",
		  "10 12" },
		{ "exclusive: only labelled ones",
		  "{\"labels\":[\"hr\"],\"labels_exclusive\":true}", "11 12" },
		{ "exclusive without labels: nothing", "{\"labels_exclusive\":\"1\"}", "" },
		{ "exclusive false", "{\"labels\":[\"hr\"],\"labels_exclusive\":\"false\"}",
		  "10 11 12" },
		/* what is ignored never opens */
		{ "an unknown name is ignored", "{\"labels\":[\"nobody\",\"hr\"]}", "10 11 12" },
		{ "only unknown names open nothing", "{\"labels\":[\"nobody\",99]}", "10" },
		{ "an unknown group is a condition that nothing meets",
		  "{\"labels\":[[\"hr\"],[\"nobody\"]]}", "10" },
		{ "an empty group is ignored", "{\"labels\":[[\"hr\"],[]]}", "10 11 12" },
		{ "also beside a label", "{\"labels\":[\"hr\",[]]}", "10 11 12" },
		{ "and what is no list", "{\"labels\":[null,[\"hr\"],{\"x\":1},2.5]}", "10 11 12" },
		{ "and a group of such", "{\"labels\":[[\"hr\"],[null,{},\" \"]]}", "10 11 12" },
		{ "nothing but ignored groups opens nothing", "{\"labels\":[[],[null]]}", "10" },
		{ "nor exclusively", "{\"labels\":[[],[null]],\"labels_exclusive\":true}", "" },
		{ "other types in a list are ignored",
		  "{\"labels\":[true,null,1.0,{},\"\",\"hr\"]}", "10 11 12" },
		{ "lists in lists in lists are ignored", "{\"labels\":[[[\"hr\"]]]}", "10" },
		{ "a text is no list", "{\"labels\":\"hr\"}", "10" },
		{ "an object is no list", "{\"labels\":{\"0\":\"hr\"}}", "10" },
		{ "a number is no list", "{\"labels\":1}", "10" },
		{ "no id is below 1", "{\"labels\":[0,-1,\"0\",\"-1\"]}", "10" },
		{ "a deleted label opens nothing, by its id neither", "{\"labels\":[4]}", "10" },
		{ "a document keeps its other labels", "{\"labels\":[\"legal\"]}", "10 12 15" },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_arena arena = { 0 };
		struct kb_label_filter filter;
		struct kb_err err;

		t->row = cases[i].name;
		CHECK(t, read_filter(&arena, cases[i].json, &filter, &err));
		CHECK_SV(t, visible(&arena, &filter), cases[i].visible);
		kb_arena_fini(&arena);
	}
	t->row = NULL;
}

/* {"labels": <groups> lists of <each> names} or one flat list (groups 0). */
static struct kb_sv many(struct kb_arena *arena, size_t groups, size_t each, size_t chars)
{
	struct kb_buf buf;
	struct kb_sv text;

	kb_buf_init(&buf, KB_MIB(1));
	kb_buf_str(&buf, "{\"labels\":[");
	for (size_t i = 0; i < KB_MAX(groups, 1); i++) {
		kb_buf_str(&buf, i ? "," : "");
		kb_buf_str(&buf, groups ? "[" : "");
		for (size_t j = 0; j < each; j++) {
			kb_buf_str(&buf, j ? ",\"" : "\"");
			for (size_t k = 0; k < chars; k++)
				kb_buf_str(&buf, "\xc3\xa4");
			kb_buf_byte(&buf, '"');
		}
		kb_buf_str(&buf, groups ? "]" : "");
	}
	kb_buf_str(&buf, "]}");
	text = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return text;
}

static void test_limits(struct kb_test *t)
{
	static const struct {
		size_t groups, each, chars;
		const char *error; /* NULL: it fits */
	} cases[] = {
		{ 0, 50, 3, NULL },
		{ 0, 51, 3, "labels holds a group of 51 labels, the limit is 50" },
		{ 20, 25, 3, NULL },
		{ 21, 1, 3, "labels holds 21 groups, the limit is 20" },
		{ 10, 50, 3, NULL },
		{ 1, 51, 3, "labels holds a group of 51 labels, the limit is 50" },
		{ 11, 50, 3, "labels holds 550 labels, the limit is 500" },
		{ 20, 26, 3, "labels holds 520 labels, the limit is 500" },
		{ 0, 1, 100, NULL },
		{ 0, 1, 101, "labels holds a label of 101 characters, the limit is 100" },
		{ 2, 1, 101, "labels holds a label of 101 characters, the limit is 100" },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_arena arena = { 0 };
		struct kb_label_filter filter;
		struct kb_err err;
		char row[80];
		bool ok;

		snprintf(row, sizeof(row), "%zu groups of %zu labels of %zu characters",
		         cases[i].groups, cases[i].each, cases[i].chars);
		t->row = row;
		ok = read_filter(&arena,
		                 many(&arena, cases[i].groups, cases[i].each, cases[i].chars).p,
		                 &filter, &err);
		CHECK(t, ok == !cases[i].error);
		if (!ok)
			CHECK(t, err.code == KB_E_INVALID);
		if (!ok && cases[i].error)
			CHECK_SV(t, kb_sv_str(err.msg), cases[i].error);
		kb_arena_fini(&arena);
	}
	t->row = NULL;
}

static void test_forms(struct kb_test *t)
{
	static const struct {
		const char *name, *fields[4]; /* name, value, … */
		const char *visible;
	} cases[] = {
		{ "JSON text", { "labels", "[[\"hr\"],[\"legal\"]]" }, "10 12" },
		{ "fields of a list", { "labels[]", "hr", "labels[]", "staff" }, "10 11 12 13" },
		{ "numbered fields of a list",
		  { "labels[0]", "hr", "labels[1]", "3" },
		  "10 11 12 13" },
		{ "text that is no JSON is no list", { "labels", "hr" }, "10" },
		{ "exclusive", { "labels", "[\"hr\"]", "labels_exclusive", "1" }, "11 12" },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_arena arena = { 0 };
		struct kb_form_part parts[2] = { 0 };
		struct kb_request req = { .arena = &arena, .parts = parts };
		struct kb_label_filter filter;
		struct kb_inputs inputs;
		struct kb_err err;

		for (size_t j = 0; j < 4 && cases[i].fields[j]; j += 2)
			parts[req.part_count++] =
			        (struct kb_form_part){ .name = kb_sv_str(cases[i].fields[j]),
				                       .value = kb_sv_str(cases[i].fields[j + 1]) };
		t->row = cases[i].name;
		CHECK(t, kb_inputs_read(&req, &inputs, &err));
		CHECK(t, kb_filter_read(&inputs, &arena, &filter, &err));
		CHECK_SV(t, visible(&arena, &filter), cases[i].visible);
		kb_arena_fini(&arena);
	}
	t->row = NULL;
}

static void test_doubtful_exclusive(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_label_filter filter;
	struct kb_err err;

	/* Taken for false it would open what was meant to stay out. */
	CHECK(t, !read_filter(&arena, "{\"labels_exclusive\":\"maybe\"}", &filter, &err));
	CHECK_SV(t, kb_sv_str(err.msg), "labels_exclusive must be true or false");
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "which documents a filter opens", test_meaning },
		{ "the limits name their figures", test_limits },
		{ "a form carries the filter too", test_forms },
		{ "a doubtful labels_exclusive is refused", test_doubtful_exclusive },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
