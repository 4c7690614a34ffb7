/* A page of a document as it is looked at: its picture, and its words with the places that are to
 * be marked. */
#include "view/view.h"

#include "api/routes.h"
#include "view/mark.h"

enum { MARKS_MAX = 50 };
#define TEXT_MAX KB_GIB(1)

static bool wish_of(struct kb_call *call, struct kb_page *page, struct kb_view_wish *out,
                    struct kb_err *err)
{
	enum { PAGES_MAX = 1000000 };
	int64_t page_no;

	if (!kb_call_id(call, 2, "Page", &page_no, err) || !kb_call_cited_page(call, page, err))
		return false;
	if (page_no < 1 || page_no > PAGES_MAX)
		return kb_fail(err, KB_E_NOT_FOUND,
		               "Page %" PRId64 " of document %" PRId64
		               " cannot be shown: there is no such page",
		               page_no, page->id);
	*out = (struct kb_view_wish){ .page = page,
		                      .account_id = call->who.account,
		                      .page_no = (uint32_t)page_no };
	return true;
}

bool kb_call_reply_picture(struct kb_call *call, const struct kb_view_wish *wish,
                           struct kb_err *err)
{
	struct kb_response head = {
		.status = 200,
		.content_type = "image/jpeg",
		.fields = {
			/* The document may be read anew under its id. */
			{ KB_SV("cache-control"), KB_SV("private, max-age=600") },
			{ KB_SV("content-security-policy"), KB_SV("default-src 'none'; sandbox") },
		},
	};
	struct kb_picture picture;

	return kb_view_picture(call->api->views, call->arena, wish, &picture, err)
	       && kb_call_respond_blob(call, &head, picture.blob, false, err);
}

bool kb_page_picture_read(struct kb_call *call, struct kb_err *err)
{
	struct kb_view_wish wish = { 0 };
	struct kb_page page = { 0 };

	return wish_of(call, &page, &wish, err) && kb_call_reply_picture(call, &wish, err);
}

/* ---- words */

struct marks {
	struct kb_mark_place v[MARKS_MAX];
	size_t count;
};

/* "120:64,300:20": offset and length of each place. */
static bool read_marks(struct kb_call *call, struct marks *out, struct kb_err *err)
{
	struct kb_sv rest = kb_request_query(call->req, "marks"), part, offset;

	out->count = 0;
	while (rest.n) {
		int64_t from, length;

		kb_sv_split(&rest, ',', &part);
		kb_sv_split(&part, ':', &offset);
		if (out->count == MARKS_MAX || !kb_sv_to_int(offset, 0, UINT32_MAX, &from)
		    || !kb_sv_to_int(part, 1, UINT32_MAX, &length))
			return kb_fail(err, KB_E_INVALID,
			               "marks must be at most %d of offset:length, with commas "
			               "between them",
			               MARKS_MAX);
		out->v[out->count++] = (struct kb_mark_place){ (uint32_t)from, (uint32_t)length };
	}
	return true;
}

static void write_word(struct kb_jw *jw, const struct kb_block *block,
                       const struct kb_word_box *box, size_t line)
{
	kb_jw_object(jw);
	kb_jw_key_sv(jw, "text", kb_sv_sub(block->text, box->at, box->n));
	kb_jw_key_int(jw, "line", (int64_t)line);
	kb_jw_key(jw, "box");
	kb_jw_array(jw);
	kb_jw_int(jw, box->x0);
	kb_jw_int(jw, box->y0);
	kb_jw_int(jw, box->x1);
	kb_jw_int(jw, box->y1);
	kb_jw_end(jw);
	kb_jw_end(jw);
}

/* Of each place the words that are it; none: nothing of it is seen on this page. */
static void write_marks(struct kb_arena *arena, struct kb_jw *jw, const struct marks *marks,
                        const struct kb_parsed *text, const struct kb_parsed *words,
                        uint32_t page_no)
{
	kb_jw_key(jw, "marks");
	kb_jw_array(jw);
	for (size_t i = 0; i < marks->count; i++) {
		size_t count;
		const struct kb_mark_run *runs =
		        kb_mark_find(arena, text, words, page_no, marks->v[i], &count);

		kb_jw_object(jw);
		kb_jw_key_int(jw, "offset", marks->v[i].offset);
		kb_jw_key_int(jw, "length", marks->v[i].length);
		kb_jw_key(jw, "words");
		kb_jw_array(jw);
		for (size_t k = 0; k < count; k++)
			for (size_t word = 0; word < runs[k].count; word++)
				kb_jw_int(jw, (int64_t)(runs[k].first + word));
		kb_jw_end(jw);
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
}

bool kb_call_reply_words(struct kb_call *call, const struct kb_view_wish *wish,
                         const struct kb_parsed *text, struct kb_err *err)
{
	struct kb_parsed words = { 0 };
	struct marks marks = { 0 };
	struct kb_buf buf;
	struct kb_jw jw;

	KB_ASSERT(wish->page);
	if (!read_marks(call, &marks, err)
	    || !kb_view_words(call->api->views, call->arena, wish, text, &words, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key_int(&jw, "page_id", wish->page->id);
	kb_jw_key_int(&jw, "page_no", wish->page_no);
	kb_jw_key_int(&jw, "pages", text->pages);
	kb_jw_key_int(&jw, "units", KB_BOX_UNITS);
	kb_jw_key(&jw, "words");
	kb_jw_array(&jw);
	for (size_t i = 0; i < words.block_count; i++)
		for (size_t k = 0; k < words.blocks[i].box_count; k++)
			write_word(&jw, &words.blocks[i], &words.blocks[i].boxes[k], i);
	kb_jw_end(&jw);
	write_marks(call->arena, &jw, &marks, text, &words, wish->page_no);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

bool kb_page_words_read(struct kb_call *call, struct kb_err *err)
{
	struct kb_view_wish wish = { 0 };
	struct kb_parsed text = { 0 };
	struct kb_page page = { 0 };

	if (!wish_of(call, &page, &wish, err) || !kb_call_page_text(call, &page, &text, err))
		return false;
	if (!kb_view_has_pages(&page, &text))
		return kb_fail(err, KB_E_NOT_FOUND,
		               "Page %u of document %" PRId64 " cannot be shown: %s", wish.page_no,
		               page.id,
		               page.blob.n ? "the file is no PDF: it has no pages to look at"
		                           : "its original is not kept");
	return kb_call_reply_words(call, &wish, &text, err);
}
