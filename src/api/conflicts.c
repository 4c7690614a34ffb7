/* Documents of an agent that disagree in figures: seen by who checks answers, who may say that both
 * are right. */
#include "store/conflicts.h"

#include "answer/disagree.h"
#include "api/routes.h"
#include "store/dates.h"

enum { TWO = 2 };

static void write_side(struct kb_jw *jw, const struct kb_page *page, struct kb_sv text)
{
	kb_jw_object(jw);
	kb_jw_key_int(jw, "page_id", page->id);
	kb_jw_key_sv(jw, "title", kb_page_title(page));
	kb_jw_key_sv(jw, "text", text);
	kb_jw_key_time_opt(jw, "dated_at", kb_page_date(page));
	kb_jw_end(jw);
}

static bool is_dismissed(struct kb_sv dismissed, const struct kb_disagreement *of)
{
	char pair[48];
	struct kb_sv one;

	snprintf(pair, sizeof(pair), "%" PRId64 " %" PRId64, of->a, of->b);
	while (dismissed.n && kb_sv_split(&dismissed, '\n', &one))
		if (kb_sv_eq_str(one, pair))
			return true;
	return false;
}

/* Of documents that are there, and may be seen; the newer stands first. */
static void write_pairs(struct kb_jw *jw, const struct kb_disagreements *list,
                        const struct kb_page *pages, struct kb_sv dismissed)
{
	kb_jw_array(jw);
	for (size_t i = 0; i < list->count; i++) {
		const struct kb_disagreement *one = &list->v[i];
		const struct kb_page *a = &pages[TWO * i], *b = a + 1;
		bool turned = kb_page_date(b) > kb_page_date(a);

		if (!a->id || !b->id || is_dismissed(dismissed, one))
			continue;
		kb_jw_object(jw);
		kb_jw_key_int(jw, "id", (int64_t)i + 1);
		kb_jw_key_int(jw, "statements", one->statements);
		kb_jw_key(jw, "sides");
		kb_jw_array(jw);
		write_side(jw, turned ? b : a, turned ? one->text_b : one->text_a);
		write_side(jw, turned ? a : b, turned ? one->text_a : one->text_b);
		kb_jw_end(jw);
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
}

static bool reply(struct kb_call *call, struct kb_err *err)
{
	struct kb_disagreements list;
	struct kb_conflicts_row row;
	struct kb_page_ids ids = { .agent_id = call->agent.id };
	struct kb_page *pages;
	struct kb_buf buf;
	struct kb_jw jw;
	int64_t *v;

	if (!kb_store_conflicts_get(call->api->store, call->arena, &call->agent, &row, err)
	    || (row.wanted && !kb_store_conflicts_want(call->api->store, call->agent.id, err)))
		return false;
	kb_disagree_read(call->arena, row.content, &list);
	v = KB_NEW_ARRAY(call->arena, TWO * list.count, int64_t);
	pages = KB_NEW_ARRAY(call->arena, TWO * list.count, struct kb_page);
	for (size_t i = 0; i < list.count; i++) {
		v[ids.count++] = list.v[i].a;
		v[ids.count++] = list.v[i].b;
	}
	ids.v = v;
	if (ids.count
	    && (!kb_store_pages_get(call->api->store, call->arena, &ids, pages, err)
	        || !kb_call_hide(call, ids.agent_id, pages, ids.count, err)))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key_bool(&jw, "is_coming", row.is_coming || row.wanted);
	kb_jw_key(&jw, "conflicts");
	write_pairs(&jw, &list, pages, row.dismissed);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

bool kb_conflicts_list(struct kb_call *call, struct kb_err *err)
{
	return reply(call, err);
}

bool kb_conflicts_update(struct kb_call *call, struct kb_err *err)
{
	struct kb_input_ids ids = { .name = "page_ids", .max = TWO };
	struct kb_conflict_pair pair = { .agent_id = call->agent.id, .dismissed = true };

	if (!kb_inputs_ids(&call->inputs, call->arena, &ids, err)
	    || !kb_inputs_bool(&call->inputs, "dismissed", &pair.dismissed, err))
		return false;
	if (ids.count != TWO || ids.v[0] == ids.v[1])
		return kb_fail(err, KB_E_INVALID, "page_ids must be those of two documents");
	pair.a = KB_MIN(ids.v[0], ids.v[1]);
	pair.b = KB_MAX(ids.v[0], ids.v[1]);
	return kb_store_conflicts_dismiss(call->api->store, &pair, err) && reply(call, err);
}
