#include "api/shown_pages.h"

#include "api/audit.h"
#include "api/filter.h"
#include "api/routes.h"
#include "base/utf8.h"
#include "store/labels.h"

#define TEXT_MAX KB_GIB(1)

bool kb_page_is_pdf(const struct kb_page *page)
{
	return kb_sv_ieq(page->content_type, KB_SV("application/pdf"))
	       || (page->filename.n > 4
	           && kb_sv_ieq(kb_sv_from(page->filename, page->filename.n - 4), KB_SV(".pdf")));
}

/* ---- which documents ---- */

static bool not_there(int64_t id, struct kb_err *err)
{
	return kb_fail(err, KB_E_NOT_FOUND, "Page with id %" PRId64 " not found", id);
}

bool kb_visitor_labels(struct kb_call *call, struct kb_label_filter *out, struct kb_err *err)
{
	struct kb_api_input input = {
		.name = KB_SV("labels"),
		.kind = KB_INPUT_TEXT,
		.text = call->who.labels,
	};

	*out = (struct kb_label_filter){ 0 };
	return !call->who.labels.n
	       || kb_filter_read(&(struct kb_inputs){ .v = &input, .count = 1 }, call->arena, out,
	                         err);
}

/* Whether each document is open to who calls, whatever its labels. */
static bool opens_all(const struct kb_call *call, int64_t agent_id)
{
	return !call->who.member || kb_principal_is(&call->who, KB_ROLE_EDITOR, agent_id, NULL);
}

static bool names_one(const struct kb_label_filter *filter, struct kb_sv name)
{
	for (size_t i = 0; i < filter->group_count; i++)
		for (size_t k = 0; k < filter->groups[i].count; k++)
			if (kb_sv_eq(filter->groups[i].v[k].name, name))
				return true;
	return false;
}

bool kb_call_has_labels(struct kb_call *call, struct kb_sv names, struct kb_err *err)
{
	struct kb_label_filter own;
	struct kb_sv one;

	if (!names.n || opens_all(call, call->agent.id))
		return true;
	if (!kb_visitor_labels(call, &own, err))
		return false;
	while (names.n && kb_sv_split(&names, '\n', &one))
		if (!names_one(&own, kb_label_fold(call->arena, one)))
			return kb_fail(err, KB_E_FORBIDDEN,
			               "a test is asked with labels of your own alone");
	return true;
}

bool kb_call_labels(struct kb_call *call, const struct kb_inputs *inputs,
                    struct kb_label_filter *out, struct kb_err *err)
{
	if (!kb_filter_read(inputs, call->arena, out, err))
		return false;
	if (!call->who.member)
		return true;
	if (!out->group_count) {
		bool exclusive = out->exclusive, ok = kb_visitor_labels(call, out, err);

		out->exclusive = exclusive;
		return ok;
	}
	return kb_principal_is(&call->who, KB_ROLE_EDITOR, call->agent.id, NULL)
	       || kb_fail(err, KB_E_FORBIDDEN,
	                  "your own labels say which documents you find: a question names none");
}

/* Which documents: citations, or a page for each closest passage. */
static const int64_t *shown_ids(struct kb_call *call, const struct kb_message *message,
                                size_t *count)
{
	struct kb_closest_list closest = { 0 };
	int64_t *ids;

	*count = message->citation_count;
	if (*count || !message->closest)
		return message->citations;
	kb_closest_read(call->arena, message->details, &closest);
	ids = KB_NEW_ARRAY(call->arena, closest.count, int64_t);
	for (; *count < closest.count; ++*count)
		ids[*count] = closest.v[*count].page_id;
	return ids;
}

static bool shows(struct kb_call *call, const struct kb_message *message, int64_t id)
{
	size_t count;
	const int64_t *ids = shown_ids(call, message, &count);

	for (size_t i = 0; i < count; i++)
		if (ids[i] == id)
			return true;
	return false;
}

/* Zeroes those of the pages that no question of the visitor's would find now: labels may have come
 * since. A message cites them, so that whatever is live now knows what keeps them. */
static bool leave_open(struct kb_call *call, int64_t agent_id, struct kb_page *pages, size_t count,
                       struct kb_err *err)
{
	struct kb_label_filter labels;
	struct kb_live live = { 0 };
	struct kb_pass pass;

	if (!kb_visitor_labels(call, &labels, err)
	    || !kb_catalog_get_known(call->api->catalog, agent_id, &call->known, &live, err))
		return false;
	kb_pass_init(&pass, live.access, call->arena, &labels);
	for (size_t i = 0; i < count; i++)
		if (!kb_pass_allows(&pass, pages[i].id))
			pages[i] = (struct kb_page){ 0 };
	kb_live_release(&live);
	return true;
}

bool kb_call_opens(struct kb_call *call, const struct kb_page *page, struct kb_err *err)
{
	struct kb_page seen = *page;

	if (opens_all(call, page->agent_id))
		return kb_call_audit_document(call, page, err);
	return leave_open(call, page->agent_id, &seen, 1, err)
	       && (seen.id || not_there(page->id, err)) && kb_call_audit_document(call, page, err);
}

bool kb_call_hide(struct kb_call *call, int64_t agent_id, struct kb_page *pages, size_t count,
                  struct kb_err *err)
{
	return opens_all(call, agent_id) || leave_open(call, agent_id, pages, count, err);
}

bool kb_visitor_pages(struct kb_call *call, const struct kb_page_ids *ids, struct kb_page *out,
                      struct kb_err *err)
{
	return !ids->count
	       || (kb_store_pages_get(call->api->store, call->arena, ids, out, err)
	           && leave_open(call, ids->agent_id, out, ids->count, err));
}

struct kb_sv kb_visitor_title(const struct kb_settings *settings, const struct kb_page *page)
{
	if (settings->is_pdf_viewer && settings->is_anonymize_pdfs && kb_page_is_pdf(page))
		return KB_SV("");
	if (page->meta_title.n)
		return page->meta_title;
	return page->title.n ? page->title : page->filename.p ? page->filename : KB_SV("");
}

bool kb_shown_page(struct kb_call *call, const struct kb_shown_wish *cited, struct kb_page *out,
                   struct kb_err *err)
{
	int64_t agent_id = cited->message->child_id ? cited->message->child_id : call->agent.id;

	if (!shows(call, cited->message, cited->id)
	    || kb_settings_citations(cited->settings) == KB_CITATIONS_NONE)
		return not_there(cited->id, err);
	if (!kb_store_page_get(call->api->store, call->arena, agent_id, cited->id, out, err))
		return err->code == KB_E_NOT_FOUND && not_there(cited->id, err);
	return leave_open(call, agent_id, out, 1, err) && (out->id || not_there(cited->id, err));
}

/* ---- their rows ---- */

/* Of one message. */
struct kb_shown_rows {
	int64_t message_id;
	struct kb_page *v;
	struct kb_shown_rows *next;
};

static int64_t owner_of(const struct kb_call *call, const struct kb_message *message)
{
	return message->child_id ? message->child_id : call->agent.id;
}

const struct kb_page *kb_shown_pages(struct kb_call *call, const struct kb_message *message)
{
	struct kb_page_ids ids = { .agent_id = owner_of(call, message) };
	struct kb_shown_rows *rows = call->shown;
	struct kb_page *pages;
	struct kb_err err;

	while (rows && rows->message_id != message->id)
		rows = rows->next;
	if (rows)
		return rows->v;
	ids.v = shown_ids(call, message, &ids.count);
	pages = KB_NEW_ARRAY(call->arena, ids.count, struct kb_page);
	rows = KB_NEW(call->arena, struct kb_shown_rows);
	*rows = (struct kb_shown_rows){ message->id, pages, call->shown };
	call->shown = rows;
	if (!ids.count)
		return pages;
	if (!kb_store_pages_get(call->api->store, call->arena, &ids, pages, &err)
	    || !leave_open(call, ids.agent_id, pages, ids.count, &err)) {
		kb_warn(&call->req->log, "cited documents not read error=%s", err.msg);
		rows->v = KB_NEW_ARRAY(call->arena, ids.count, struct kb_page);
	}
	return rows->v;
}

/* ---- on which pages ---- */

/* Where the pages of a document begin in its text. */
struct kb_shown_source {
	int64_t page_id;
	struct start {
		uint32_t offset, page_no;
	} * v;
	size_t count;
	struct kb_shown_source *next;
};

void kb_shown_know(struct kb_call *call, int64_t page_id, const struct kb_parsed *text)
{
	struct kb_shown_source *known = KB_NEW(call->arena, struct kb_shown_source);
	size_t starts = 0;

	for (size_t i = 0; i < text->block_count; i++)
		starts += i == 0 || text->blocks[i].page_no != text->blocks[i - 1].page_no;
	*known = (struct kb_shown_source){ .page_id = page_id,
		                           .v = KB_NEW_ARRAY(call->arena, starts + 1, struct start),
		                           .next = call->texts };
	for (size_t i = 0; i < text->block_count; i++)
		if (i == 0 || text->blocks[i].page_no != text->blocks[i - 1].page_no)
			known->v[known->count++] =
			        (struct start){ text->blocks[i].offset, text->blocks[i].page_no };
	call->texts = known;
}

/* The blob of a cited document's text; empty: it has none. */
static struct kb_sv text_blob_of(struct kb_call *call, const struct kb_message *message,
                                 int64_t page_id)
{
	const struct kb_page *pages = kb_shown_pages(call, message);
	size_t count;

	shown_ids(call, message, &count);
	for (size_t i = 0; i < count; i++)
		if (pages[i].id == page_id)
			return pages[i].text_blob;
	return KB_SV("");
}

/* Its memory is given back at once: of a text only its pages are wanted. */
static void read_text(struct kb_call *call, const struct kb_message *message, int64_t page_id)
{
	struct kb_sv json, blob = text_blob_of(call, message, page_id);
	struct kb_arena arena = { 0 };
	struct kb_parsed text = { 0 };

	if (!blob.n
	    || !kb_blob_read(call->api->blobs, &arena, kb_arena_str(&arena, blob), TEXT_MAX, &json,
	                     NULL)
	    || !kb_parsed_read(&arena, json, &text, NULL))
		text = (struct kb_parsed){ 0 }; /* it is gone: what the note says stands */
	kb_shown_know(call, page_id, &text);
	kb_arena_fini(&arena);
}

static const struct kb_shown_source *text_of(struct kb_call *call, const struct kb_message *message,
                                             int64_t page_id)
{
	for (int tries = 0; tries < 2; tries++) {
		for (const struct kb_shown_source *text = call->texts; text; text = text->next)
			if (text->page_id == page_id)
				return text;
		read_text(call, message, page_id);
	}
	return NULL;
}

const struct kb_claim_place *kb_shown_places(struct kb_call *call, const struct kb_message *message,
                                             size_t *count)
{
	const struct kb_claim_place *noted = kb_claims_places(call->arena, message, count);
	struct kb_claim_place *out = KB_NEW_ARRAY(call->arena, *count + 1, struct kb_claim_place);

	for (size_t i = 0; i < *count; i++) {
		const struct kb_shown_source *text;

		out[i] = noted[i];
		if (!noted[i].page_no) /* of a format without pages */
			continue;
		text = text_of(call, message, noted[i].page_id);
		for (size_t k = 0; text && k < text->count && text->v[k].offset <= noted[i].offset;
		     k++)
			out[i].page_no = text->v[k].page_no;
	}
	return out;
}

/* ---- in which words ---- */

enum {
	WORDS_READ = 40, /* documents a call */
	WORDS_BYTES = 600,
	WORDS_TEXT_MAX = 16 << 20,
};

/* A place may go over several blocks. */
static struct kb_sv words_at(struct kb_arena *arena, const struct kb_parsed *text,
                             const struct kb_claim_place *place)
{
	uint64_t end = (uint64_t)place->offset + KB_MIN(place->length, (uint32_t)WORDS_BYTES);
	struct kb_buf buf;
	struct kb_sv out;

	kb_buf_init(&buf, 2 * WORDS_BYTES);
	for (size_t i = 0; i < text->block_count && text->blocks[i].offset < end; i++) {
		const struct kb_block *block = &text->blocks[i];
		size_t from = place->offset > block->offset ? place->offset - block->offset : 0;
		size_t until = KB_MIN(block->text.n, (size_t)(end - block->offset));

		if (from >= until)
			continue;
		kb_buf_str(&buf, buf.n ? " " : "");
		kb_buf_sv(&buf, kb_sv_sub(block->text, from, until - from));
	}
	out = kb_utf8_mend(arena, kb_utf8_cut(kb_buf_view(&buf), WORDS_BYTES));
	out = kb_arena_sv(arena, kb_sv_trim(out));
	kb_buf_fini(&buf);
	return out;
}

const struct kb_sv *kb_shown_quotes(struct kb_call *call, const struct kb_message *message,
                                    const struct kb_claim_place *places, size_t count)
{
	struct kb_sv *out = KB_NEW_ARRAY(call->arena, count + 1, struct kb_sv);

	for (size_t i = 0; i < count; i++) {
		struct kb_sv json, blob = text_blob_of(call, message, places[i].page_id);
		struct kb_arena arena = { 0 };
		struct kb_parsed text;
		bool done = !blob.n || call->words_read == WORDS_READ;

		for (size_t k = 0; k < i; k++)
			done = done || places[k].page_id == places[i].page_id;
		if (!done && ++call->words_read
		    && kb_blob_read(call->api->blobs, &arena, kb_arena_str(&arena, blob),
		                    WORDS_TEXT_MAX, &json, NULL)
		    && kb_parsed_read(&arena, json, &text, NULL))
			for (size_t k = i; k < count; k++)
				if (places[k].page_id == places[i].page_id)
					out[k] = words_at(call->arena, &text, &places[k]);
		kb_arena_fini(&arena);
	}
	return out;
}
