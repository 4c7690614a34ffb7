/*
 * What a visitor of a public agent sees of a document that an answer cites: its pages, its words,
 * its text, its file. Always by way of a message of their own, which says what was cited and where.
 *
 * Nothing is shown unless is_pdf_viewer is on. With is_pdf_page_visibility_limited there is nothing
 * beyond the cited pages and the ones beside them: not as a picture, not as words, not as text, and
 * no file; of a document without pages, what stands around the quote. With is_anonymize_pdfs a PDF
 * has no title and no file.
 */
#include "api/routes.h"
#include "api/shown_pages.h"
#include "out/link.h"
#include "view/view.h"

enum {
	VISIBLE_MAX = 256,
	BESIDE = 2000, /* bytes around a quote, where a document has no pages */
};

struct shown {
	struct kb_settings settings;
	struct kb_message message;
	struct kb_page page;
	struct kb_parsed text;
	const struct kb_claim_place *places; /* of the message, in any document */
	size_t place_count;
	bool limited, anonymous;
};

static bool not_shown(int64_t id, struct kb_err *err)
{
	return kb_fail(err, KB_E_NOT_FOUND, "Page with id %" PRId64 " not found", id);
}

/* The document of the path, where the message cites it and the agent's owner lets it be seen. */
static bool open_shown(struct kb_call *call, struct shown *out, struct kb_err *err)
{
	int64_t id;

	*out = (struct shown){ 0 };
	if (!kb_call_id(call, 3, "Page", &id, err)
	    || !kb_call_settings(call, &call->agent, &out->settings, err)
	    || !kb_call_message(call, &out->message, err))
		return false;
	if (!out->settings.is_pdf_viewer)
		return not_shown(id, err);
	if (!kb_shown_page(call, &(struct kb_shown_wish){ &out->settings, &out->message, id },
	                   &out->page, err)
	    || !kb_call_page_text(call, &out->page, &out->text, err))
		return false;
	kb_shown_know(call, id, &out->text);
	out->places = kb_shown_places(call, &out->message, &out->place_count);
	out->limited = out->settings.is_pdf_page_visibility_limited;
	out->anonymous =
	        out->settings.is_anonymize_pdfs && kb_sv_eq(out->text.format, KB_SV("pdf"));
	return true;
}

/* ---- what is visible */

static bool is_page_visible(const struct shown *shown, uint32_t page_no)
{
	for (size_t i = 0; shown->limited && i < shown->place_count; i++) {
		const struct kb_claim_place *place = &shown->places[i];

		if (place->page_id == shown->page.id && place->page_no && page_no
		    && page_no + 1 >= place->page_no && page_no <= place->page_no + 1)
			return true;
	}
	return !shown->limited;
}

static bool is_block_visible(const struct shown *shown, const struct kb_block *block)
{
	size_t end = (size_t)block->offset + block->text.n;

	if (!shown->limited || block->page_no)
		return is_page_visible(shown, block->page_no);
	for (size_t i = 0; i < shown->place_count; i++) {
		const struct kb_claim_place *place = &shown->places[i];

		if (place->page_id == shown->page.id && end + BESIDE >= place->offset
		    && block->offset <= (size_t)place->offset + place->length + BESIDE)
			return true;
	}
	return false;
}

/* Leaves what is visible of the text, each block at its place. */
static void cut_text(struct shown *shown)
{
	size_t kept = 0;

	for (size_t i = 0; i < shown->text.block_count; i++)
		if (is_block_visible(shown, &shown->text.blocks[i]))
			shown->text.blocks[kept++] = shown->text.blocks[i];
	shown->text.block_count = kept;
}

static void write_visible(struct kb_jw *jw, const struct shown *shown)
{
	size_t count = 0;

	kb_jw_key(jw, "visible");
	if (!shown->limited) {
		kb_jw_null(jw);
		return;
	}
	kb_jw_array(jw);
	for (uint32_t no = 1; no <= shown->text.pages && count < VISIBLE_MAX; no++)
		if (is_page_visible(shown, no)) {
			kb_jw_int(jw, no);
			count++;
		}
	kb_jw_end(jw);
}

/* Where the label of a limited document leads, if its owner has named another address for it. */
static struct kb_sv label_url(struct kb_call *call, const struct shown *shown)
{
	const struct kb_page *page = &shown->page;

	if (!shown->settings.is_pdf_limited_label_linked || !shown->limited || shown->anonymous
	    || !page->meta_url.n || kb_sv_eq(page->meta_url, page->url))
		return (struct kb_sv){ 0 };
	return kb_link_shown(call->arena, page->meta_url);
}

/* ---- routes */

bool kb_shown_text(struct kb_call *call, struct kb_err *err)
{
	struct kb_text_window window;
	struct shown shown = { 0 };
	struct kb_buf buf;
	struct kb_jw jw;
	struct kb_sv title;

	if (!kb_call_text_window(call, &window, err) || !open_shown(call, &shown, err))
		return false;
	title = shown.page.meta_title.n ? shown.page.meta_title
	        : shown.page.title.n    ? shown.page.title
	                                : shown.page.filename;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key_int(&jw, "page_id", shown.page.id);
	if (shown.anonymous || !title.n)
		title = (struct kb_sv){ 0 };
	kb_jw_key_opt(&jw, "title", title);
	kb_jw_key_sv(&jw, "format", shown.text.format);
	kb_jw_key(&jw, "pages");
	if (shown.text.pages && !shown.limited)
		kb_jw_int(&jw, shown.text.pages);
	else
		kb_jw_null(&jw);
	kb_jw_key_bool(&jw, "has_pictures", kb_view_has_pages(&shown.page, &shown.text));
	kb_jw_key_bool(&jw, "has_file",
	               !shown.limited && !shown.anonymous && shown.page.is_ours
	                       && shown.page.blob.n);
	kb_jw_key_opt(&jw, "label_url", label_url(call, &shown));
	write_visible(&jw, &shown);
	cut_text(&shown);
	kb_text_write_blocks(&jw, &shown.text, &window);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

/* The page of the path, where it may be seen; else it is as if the document had no such page. */
static bool open_page(struct kb_call *call, struct shown *shown, struct kb_view_wish *wish,
                      struct kb_err *err)
{
	int64_t no;

	if (!kb_call_id(call, 4, "Page", &no, err) || !open_shown(call, shown, err))
		return false;
	if (no < 1 || no > shown->text.pages || !is_page_visible(shown, (uint32_t)no)
	    || !kb_view_has_pages(&shown->page, &shown->text))
		return kb_fail(err, KB_E_NOT_FOUND, "There is no page %" PRId64 " to look at", no);
	*wish = (struct kb_view_wish){ .page = &shown->page,
		                       .account_id = call->agent.account_id,
		                       .page_no = (uint32_t)no };
	return true;
}

bool kb_shown_picture(struct kb_call *call, struct kb_err *err)
{
	struct kb_view_wish wish = { 0 };
	struct shown shown = { 0 };

	return open_page(call, &shown, &wish, err) && kb_call_reply_picture(call, &wish, err);
}

bool kb_shown_words(struct kb_call *call, struct kb_err *err)
{
	struct kb_view_wish wish = { 0 };
	struct shown shown = { 0 };

	if (!open_page(call, &shown, &wish, err))
		return false;
	cut_text(&shown);
	if (shown.limited)
		shown.text.pages = wish.page_no; /* how many there are is not told */
	return kb_call_reply_words(call, &wish, &shown.text, err);
}

bool kb_shown_file(struct kb_call *call, struct kb_err *err)
{
	struct shown shown = { 0 };

	if (!open_shown(call, &shown, err))
		return false;
	if (shown.limited || shown.anonymous || !shown.page.is_ours || !shown.page.blob.n)
		return not_shown(shown.page.id, err);
	return kb_call_reply_original(call, &shown.page, err);
}
