#include "api/closest_text.h"

enum { TEXT_MAX = 64 << 10 };

/* In one line. */
static void say_words(struct kb_buf *buf, struct kb_sv text)
{
	for (size_t i = 0; i < text.n; i++)
		kb_buf_byte(buf, text.p[i] == '\n' ? ' ' : text.p[i]);
}

static void say_passage(struct kb_call *call, struct kb_buf *buf, const struct kb_closest *one,
                        const struct kb_page *page)
{
	struct kb_sv link = kb_page_link(call, page), title = kb_page_title(page);

	kb_buf_str(buf, buf->n ? "\n- " : "- ");
	say_words(buf, title);
	kb_buf_str(buf, title.n ? ": " : "");
	say_words(buf, one->excerpt);
	kb_buf_str(buf, link.n ? "\n  " : "");
	kb_buf_sv(buf, link);
}

const struct kb_page *kb_closest_pages(struct kb_call *call, const struct kb_turn *turn)
{
	const struct kb_closest_list *list = &turn->answer.closest;
	int64_t *pages = KB_NEW_ARRAY(call->arena, list->count, int64_t);
	struct kb_page *rows = KB_NEW_ARRAY(call->arena, list->count, struct kb_page);
	const struct kb_page_ids ids = { turn->agent->id, pages, list->count };
	struct kb_err err;

	for (size_t i = 0; i < list->count; i++)
		pages[i] = list->v[i].page_id;
	if (!kb_store_pages_get(call->api->store, call->arena, &ids, rows, &err)) {
		kb_warn(&call->req->log, "closest documents not read error=%s", err.msg);
		return KB_NEW_ARRAY(call->arena, list->count, struct kb_page);
	}
	return rows;
}

struct kb_sv kb_closest_text(struct kb_call *call, const struct kb_turn *turn)
{
	const struct kb_closest_list *list = &turn->answer.closest;
	struct kb_sv lead = kb_settings_text_in(&turn->settings, turn->lang, KB_TEXT_CLOSEST), out;
	const struct kb_page *pages;
	struct kb_buf buf;

	if (!turn->message.closest)
		return KB_SV("");
	pages = kb_closest_pages(call, turn);
	kb_buf_init(&buf, TEXT_MAX);
	for (size_t i = 0; i < list->count; i++)
		if (pages[i].id)
			say_passage(call, &buf, &list->v[i], &pages[i]);
	out = kb_buf_view(&buf);
	if (out.n)
		out = kb_arena_printf(call->arena, "%.*s:\n\n%.*s", KB_SV_ARG(lead),
		                      KB_SV_ARG(out));
	kb_buf_fini(&buf);
	return out;
}
