/* Content: documents as their owner looks through them, what needs the owner, and the same done to
 * all that fit. */
#include <string.h>

#include "api/reasons.h"
#include "api/routes.h"
#include "base/utf8.h"
#include "crawl/source.h"
#include "store/content.h"

enum {
	ROWS = 25,
	AT_ONCE = 100,     /* documents of one step of a change */
	AMISS_READ = 500,  /* documents that need something; beyond, their number is told */
	NEEDS_NAMED = 200, /* of one kind of trouble */
	IDS_MAX = 1000,
	WORD_CHARS = 500,
};

/* ---- what is asked for ---- */

static const struct {
	const char *name;
	const char *endings[KB_CONTENT_ENDINGS];
} kinds[] = {
	{ "pdf", { ".pdf" } },
	{ "text", { ".md", ".txt", ".html", ".rtf" } },
	{ "word", { ".docx", ".doc", ".odt" } },
	{ "table", { ".xlsx", ".xls", ".csv", ".ods" } },
	{ "slides", { ".pptx", ".ppt", ".odp" } },
	{ "mail", { ".eml", ".msg", ".mbox" } },
	{ "picture", { ".png", ".jpg", ".jpeg", ".tif" } },
};

static bool read_word(const struct kb_inputs *inputs, struct kb_arena *arena, const char *name,
                      struct kb_sv *out, struct kb_err *err)
{
	*out = KB_SV("");
	return kb_inputs_text(inputs, arena, name, WORD_CHARS, out, err);
}

static bool read_kind(struct kb_sv word, struct kb_content_filter *out, struct kb_err *err)
{
	out->is_address = kb_sv_eq_str(word, "web");
	if (!word.n || out->is_address)
		return true;
	for (size_t i = 0; i < KB_COUNTOF(kinds); i++) {
		if (!kb_sv_eq_str(word, kinds[i].name))
			continue;
		for (size_t k = 0; k < KB_CONTENT_ENDINGS && kinds[i].endings[k]; k++)
			out->endings[k] = kb_sv_str(kinds[i].endings[k]);
		return true;
	}
	return kb_fail(err, KB_E_INVALID,
	               "kind must be pdf, text, word, table, slides, mail, picture or web");
}

static bool read_choice(struct kb_sv word, const char *const *names, int count, int *out)
{
	*out = 0;
	for (int i = 0; i < count; i++)
		if (kb_sv_eq_str(word, names[i])) {
			*out = i;
			return true;
		}
	return word.n == 0;
}

static bool read_filter(const struct kb_inputs *inputs, struct kb_arena *arena,
                        struct kb_content_filter *out, struct kb_err *err)
{
	static const char *const states[] = {
		"shown", "ready", "waiting", "amiss", "unread", "all"
	};
	static const char *const sorts[] = { "newest", "title", "changed", "cited", "words" };
	struct kb_sv state, sort, kind;
	int chosen;

	static_assert(KB_COUNTOF(states) == KB_CONTENT_STATES
	                      && KB_COUNTOF(sorts) == KB_CONTENT_SORTS,
	              "a state or a sort without a name");
	if (!read_word(inputs, arena, "search", &out->search, err)
	    || !read_word(inputs, arena, "state", &state, err)
	    || !read_word(inputs, arena, "sort", &sort, err)
	    || !read_word(inputs, arena, "kind", &kind, err) || !read_kind(kind, out, err)
	    || !kb_inputs_int(inputs, "source_id", 0, INT64_MAX, &out->source_id, err)
	    || !kb_inputs_bool(inputs, "never_cited", &out->never_cited, err)
	    || !kb_inputs_bool(inputs, "review_due", &out->review_due, err)
	    || !kb_inputs_int(inputs, "after", 0, INT64_MAX, &out->after, err))
		return false;
	if (!read_choice(state, states, KB_CONTENT_STATES, &chosen))
		return kb_fail(err, KB_E_INVALID,
		               "state must be shown, ready, waiting, amiss, unread or all");
	out->state = (enum kb_content_state)chosen;
	if (!read_choice(sort, sorts, KB_CONTENT_SORTS, &chosen))
		return kb_fail(err, KB_E_INVALID,
		               "sort must be newest, title, changed, cited or words");
	out->sort = (enum kb_content_sort)chosen;
	return true;
}

/* ---- the list ---- */

static void content_row(struct kb_call *call, struct kb_jw *jw, const void *rows, size_t i)
{
	const struct kb_content_row *row = (const struct kb_content_row *)rows + i;

	kb_record_content(call, jw, row);
}

bool kb_content_pages(struct kb_call *call, struct kb_err *err)
{
	struct kb_content_filter filter = { .list = kb_call_list(call, ROWS) };
	struct kb_content_list pages;
	struct kb_inputs query;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_inputs_query(call->req, &query, err)
	    || !read_filter(&query, call->arena, &filter, err)
	    || !kb_store_content_list(call->api->store, call->arena, call->agent.id, &filter,
	                              &pages, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_call_paginate(call, &jw,
	                 &(struct kb_paginator){ .list = &filter.list,
	                                         .total = pages.total,
	                                         .count = pages.count,
	                                         .rows = pages.v,
	                                         .row = content_row });
	return kb_call_reply(call, 200, &buf, &jw, err);
}

/* ---- what there is, and what needs the owner ---- */

/* Documents with the same trouble, in the order of the list. */
struct need {
	struct kb_reason reason;
	const struct kb_page *pages[NEEDS_NAMED];
	size_t count, named;
};

static size_t collect(struct kb_call *call, const struct kb_content_list *pages, struct need **out)
{
	struct need *needs = KB_NEW_ARRAY(call->arena, pages->count + 1, struct need);
	size_t count = 0;

	for (size_t i = 0; i < pages->count; i++) {
		const struct kb_page *page = &pages->v[i].page;
		struct kb_reason reason = kb_reason_of_document(page->reason);
		size_t k = 0;

		if (!reason.code)
			reason.code = "unreadable";
		while (k < count && strcmp(needs[k].reason.code, reason.code) != 0)
			k++;
		if (k == count)
			needs[count++] = (struct need){ .reason = reason };
		needs[k].count++;
		if (needs[k].named < NEEDS_NAMED)
			needs[k].pages[needs[k].named++] = page;
	}
	*out = needs;
	return count;
}

static void write_need(struct kb_jw *jw, const struct need *need)
{
	kb_jw_object(jw);
	kb_reason_write(jw, &need->reason);
	kb_jw_key_int(jw, "count", (int64_t)need->count);
	kb_jw_key(jw, "pages");
	kb_jw_array(jw);
	for (size_t i = 0; i < need->named; i++) {
		const struct kb_page *page = need->pages[i];
		const char *wants = kb_parse_wants(page->reason);

		kb_jw_object(jw);
		kb_jw_key_int(jw, "id", page->id);
		kb_jw_key_sv(jw, "title", kb_page_title(page));
		kb_jw_key_int(jw, "source_id", page->source_id);
		if (page->filename.n)
			kb_jw_key_sv(jw, "filename", page->filename);
		if (wants)
			kb_jw_key_str(jw, "status_option", wants);
		kb_jw_key_bool(jw, "is_file", page->is_ours);
		kb_jw_key_bool(jw, "is_refreshable", kb_page_is_refreshable(page));
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
	kb_jw_end(jw);
}

static void write_summary(struct kb_jw *jw, const struct kb_content_summary *summary)
{
	kb_jw_key_int(jw, "total", summary->total);
	kb_jw_key_int(jw, "ready", summary->ready);
	kb_jw_key_int(jw, "never_cited", KB_MAX(summary->ready - summary->cited, INT64_C(0)));
	kb_jw_key_int(jw, "uploads_id", summary->uploads);
	kb_jw_key(jw, "origins");
	kb_jw_array(jw);
	for (size_t i = 0; i < summary->origin_count; i++) {
		const struct kb_content_origin *origin = &summary->origins[i];

		kb_jw_object(jw);
		kb_jw_key_int(jw, "source_id", origin->source_id);
		kb_jw_key_int(jw, "amiss", origin->amiss);
		kb_jw_key_int(jw, "unread", origin->unread);
		kb_jw_key_int(jw, "waiting", origin->waiting);
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
}

bool kb_content_read(struct kb_call *call, struct kb_err *err)
{
	const struct kb_content_filter filter = { .list = { .page = 1, .limit = AMISS_READ },
		                                  .state = KB_CONTENT_AMISS };
	struct kb_store *store = call->api->store;
	struct kb_content_summary summary;
	struct kb_content_list amiss;
	struct need *needs;
	struct kb_buf buf;
	struct kb_jw jw;
	size_t count;

	if (!kb_store_content_summary(store, call->arena, call->agent.id, &summary, err)
	    || !kb_store_content_list(store, call->arena, call->agent.id, &filter, &amiss, err))
		return false;
	count = collect(call, &amiss, &needs);
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	write_summary(&jw, &summary);
	kb_jw_key_int(&jw, "amiss", amiss.total);
	kb_jw_key(&jw, "needs");
	kb_jw_array(&jw);
	for (size_t i = 0; i < count; i++)
		write_need(&jw, &needs[i]);
	kb_jw_end(&jw);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

/* ---- the same done to many ----
 *
 * A step changes at most AT_ONCE documents, in the order of their ids, and says behind which of
 * them the next one goes on. Nothing is kept between steps: what is left over when nobody asks for
 * the next one is as it was.
 */

struct step {
	struct kb_content_filter filter;
	const int64_t *ids; /* of some that are named; else NULL: all that fit the filter */
	size_t id_count;
	struct kb_page *pages;
	size_t count;
	int64_t next;            /* 0: none follows */
	struct kb_page_ids done; /* those that were changed */
};

static bool read_ids(struct kb_call *call, struct step *step, struct kb_err *err)
{
	const json_t *list = kb_inputs_json(&call->inputs, call->arena, "page_ids"), *item;
	int64_t *ids;
	size_t i;

	if (!list)
		return true;
	if (!json_is_array(list) || json_array_size(list) > IDS_MAX)
		return kb_fail(err, KB_E_INVALID, "page_ids must be a list of at most %d ids",
		               IDS_MAX);
	ids = KB_NEW_ARRAY(call->arena, json_array_size(list) + 1, int64_t);
	json_array_foreach(list, i, item)
	{
		if (!json_is_integer(item))
			return kb_fail(err, KB_E_INVALID, "page_ids[%zu] must be an integer", i);
		ids[step->id_count++] = json_integer_value(item);
	}
	step->ids = ids;
	return true;
}

/* The pages of this step. */
static bool take(struct kb_call *call, struct step *step, struct kb_err *err)
{
	struct kb_store *store = call->api->store;
	struct kb_content_list list;
	size_t from = (size_t)step->filter.after;

	if (step->ids) {
		struct kb_page_ids ids = { call->agent.id, step->ids + KB_MIN(from, step->id_count),
			                   0 };

		ids.count = KB_MIN(step->id_count - KB_MIN(from, step->id_count), (size_t)AT_ONCE);
		step->pages = KB_NEW_ARRAY(call->arena, AT_ONCE, struct kb_page);
		step->count = ids.count;
		step->next = from + ids.count < step->id_count ? (int64_t)(from + ids.count) : 0;
		return kb_store_pages_get(store, call->arena, &ids, step->pages, err);
	}
	step->filter.sort = KB_CONTENT_NEWEST;
	step->filter.list = (struct kb_list){ .page = 1, .limit = AT_ONCE, .ascending = true };
	if (!kb_store_content_list(store, call->arena, call->agent.id, &step->filter, &list, err))
		return false;
	step->pages = KB_NEW_ARRAY(call->arena, AT_ONCE, struct kb_page);
	for (; step->count < list.count; step->count++)
		step->pages[step->count] = list.v[step->count].page;
	/* The list's length was counted a moment later: rows come and go between. */
	step->next = list.count == AT_ONCE ? list.v[list.count - 1].page.id : 0;
	return true;
}

static bool has_id(const struct kb_page_ids *ids, int64_t id)
{
	size_t i = 0;

	while (i < ids->count && ids->v[i] != id)
		i++;
	return i < ids->count;
}

/* The ids of those that `may`, each once; others are skipped. */
static struct kb_page_ids ids_of(struct kb_call *call, const struct step *step,
                                 bool (*may)(const struct kb_page *page))
{
	int64_t *ids = KB_NEW_ARRAY(call->arena, AT_ONCE, int64_t);
	struct kb_page_ids out = { call->agent.id, ids, 0 };

	for (size_t i = 0; i < step->count; i++)
		if (step->pages[i].id && may(&step->pages[i]) && !has_id(&out, step->pages[i].id))
			ids[out.count++] = step->pages[i].id;
	return out;
}

static bool is_any(const struct kb_page *page)
{
	return page->id != 0;
}

/* Also one that is well read: it may be read otherwise now. */
static bool may_be_read_again(const struct kb_page *page)
{
	return page->index != KB_STATUS_QUEUED && (!page->is_ours || page->blob.n);
}

static bool run(struct kb_call *call, struct kb_sv action, struct step *step, struct kb_err *err)
{
	struct kb_store *store = call->api->store;

	if (kb_sv_eq_str(action, "delete")) {
		step->done = ids_of(call, step, is_any);
		return kb_store_content_delete(store, &step->done, err);
	}
	step->done = ids_of(call, step, may_be_read_again);
	if (!kb_store_content_requeue(store, &step->done, err))
		return false;
	kb_api_wake(call->api);
	return true;
}

bool kb_content_change(struct kb_call *call, struct kb_err *err)
{
	struct step step = { 0 };
	struct kb_sv action;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!read_word(&call->inputs, call->arena, "action", &action, err)
	    || !read_filter(&call->inputs, call->arena, &step.filter, err)
	    || !read_ids(call, &step, err))
		return false;
	if (!kb_sv_eq_str(action, "delete") && !kb_sv_eq_str(action, "reindex"))
		return kb_fail(err, KB_E_INVALID, "action must be delete or reindex");
	if (!take(call, &step, err) || !run(call, action, &step, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key_int(&jw, "done", (int64_t)step.done.count);
	kb_jw_key_int(&jw, "skipped", (int64_t)(step.count - step.done.count));
	kb_jw_key_int_opt(&jw, "next", step.next);
	kb_jw_key(&jw, "page_ids");
	kb_jw_array(&jw);
	for (size_t i = 0; i < step.done.count; i++)
		kb_jw_int(&jw, step.done.v[i]);
	kb_jw_end(&jw);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}
