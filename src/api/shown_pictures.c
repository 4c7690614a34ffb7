/*
 * Pictures of what an answer cites, for visitors of public agents: those of the cited section of a
 * page of the web, the one that such a page has for itself, and the cited page of a PDF.
 *
 * Which of them are shown, and where, the agent's settings say; so the list is made here, and the
 * page draws it. A picture has the hash of its address for a name, and is served only while the
 * list of its document has it: nobody makes us fetch what no cited page names.
 */
#include "api/routes.h"
#include "api/shown_pages.h"
#include "base/hash.h"
#include "out/url.h"

enum {
	SOURCES_MAX = 50,
	OF_SECTION = 3,  /* pictures of one source within its cited section */
	SECTION = 6000,  /* bytes of a section, to either side of the quote */
	BESIDE = 2000,   /* where visibility is limited, as shown.c has it */
	PICTURES_MAX = 8 /* of one source */
};

struct picture {
	struct kb_sv url; /* empty: the page of a PDF */
	struct kb_sv text;
	uint32_t page_no;
	bool of_section, is_inline;
	size_t far; /* bytes from the quote */
};

/* The pictures of one source, in the order in which they are shown. */
struct shelf {
	int64_t page_id;
	struct picture v[PICTURES_MAX];
	size_t count;
};

struct cited {
	struct kb_settings settings;
	struct kb_message message;
	const struct kb_claim_place *places;
	size_t place_count;
	int64_t agent_id; /* whose documents they are */
};

static bool open_cited(struct kb_call *call, struct cited *out, struct kb_err *err)
{
	if (!kb_call_settings(call, &call->agent, &out->settings, err)
	    || !kb_call_message(call, &out->message, err))
		return false;
	out->places = kb_shown_places(call, &out->message, &out->place_count);
	out->agent_id = out->message.child_id ? out->message.child_id : call->agent.id;
	return true;
}

/* ---- which there are */

static void put(struct shelf *shelf, const struct picture *picture)
{
	for (size_t i = 0; i < shelf->count; i++)
		if (picture->url.n && kb_sv_eq(shelf->v[i].url, picture->url))
			return;
	if (shelf->count < PICTURES_MAX)
		shelf->v[shelf->count++] = *picture;
}

static size_t block_at(const struct kb_parsed *text, size_t offset)
{
	size_t i = 0;

	while (i + 1 < text->block_count && text->blocks[i + 1].offset <= offset)
		i++;
	return i;
}

/* From a heading to the next one. */
static void section_of(const struct kb_parsed *text, size_t block, size_t *first, size_t *end)
{
	*first = block;
	while (*first > 0 && text->blocks[*first].type != KB_BLOCK_HEADING)
		--*first;
	*end = block + 1;
	while (*end < text->block_count && text->blocks[*end].type != KB_BLOCK_HEADING)
		++*end;
}

static size_t offset_of(const struct kb_parsed *text, uint32_t block)
{
	const struct kb_block *last;

	if (block < text->block_count)
		return text->blocks[block].offset;
	last = &text->blocks[text->block_count - 1];
	return (size_t)last->offset + last->text.n;
}

/* How far a picture is from the quote; SIZE_MAX: it stands in another section. */
static size_t distance(const struct kb_parsed *text, const struct kb_picture_link *picture,
                       const struct kb_claim_place *place)
{
	size_t at = offset_of(text, picture->block), end = (size_t)place->offset + place->length;
	size_t first, behind;

	section_of(text, block_at(text, place->offset), &first, &behind);
	if (picture->block < first || picture->block > behind
	    || (picture->block == first && text->blocks[first].type == KB_BLOCK_HEADING))
		return SIZE_MAX;
	return at < place->offset ? place->offset - at : at > end ? at - end : 0;
}

/* The nearest ones of the sections that the answer quotes. */
static void put_section(const struct cited *cited, const struct kb_parsed *text,
                        struct shelf *shelf)
{
	size_t reach = cited->settings.is_pdf_page_visibility_limited ? BESIDE : SECTION;
	struct picture best[OF_SECTION];
	size_t count = 0;

	for (size_t i = 0; text->block_count && i < text->picture_count; i++) {
		struct picture picture = { .url = text->pictures[i].url,
			                   .text = text->pictures[i].text,
			                   .of_section = true,
			                   .far = SIZE_MAX };
		size_t at;

		for (size_t k = 0; k < cited->place_count; k++)
			if (cited->places[k].page_id == shelf->page_id)
				picture.far = KB_MIN(picture.far, distance(text, &text->pictures[i],
				                                           &cited->places[k]));
		if (picture.far > reach
		    || (count == OF_SECTION && picture.far >= best[count - 1].far))
			continue;
		at = count == OF_SECTION ? count - 1 : count++;
		for (; at > 0 && best[at - 1].far > picture.far; at--)
			best[at] = best[at - 1];
		best[at] = picture;
	}
	for (size_t i = 0; i < count; i++)
		put(shelf, &best[i]);
}

/* An address that stands beside a document, perhaps as its page has it. */
static void put_address(struct kb_call *call, const struct kb_page *page, struct kb_sv address,
                        struct shelf *shelf)
{
	struct kb_url base, url;
	bool has_base = kb_url_parse(call->arena, page->url, NULL, &base, NULL);

	if (address.n && kb_url_parse(call->arena, address, has_base ? &base : NULL, &url, NULL)
	    && kb_url_is_web(&url))
		put(shelf, &(struct picture){ .url = url.href, .text = KB_SV("") });
}

/* The page of a PDF that is cited first, where the viewer would show it. */
static void put_page(const struct cited *cited, const struct kb_page *page, struct shelf *shelf)
{
	if (!cited->settings.is_pdf_viewer || !page->blob.n)
		return;
	for (size_t i = 0; i < cited->place_count; i++)
		if (cited->places[i].page_id == page->id && cited->places[i].page_no
		    && !kb_is_moment(cited->places[i].page_no)) {
			put(shelf, &(struct picture){ .url = KB_SV(""),
			                              .text = KB_SV(""),
			                              .page_no = cited->places[i].page_no });
			return;
		}
}

/* KB_E_NOT_FOUND: the visitor may not see it, or not any more. */
static bool fill(struct kb_call *call, const struct cited *cited, int64_t page_id,
                 struct shelf *shelf, struct kb_err *err)
{
	struct kb_parsed text = { 0 };
	struct kb_page page;

	*shelf = (struct shelf){ .page_id = page_id };
	if (!kb_shown_page(call,
	                   &(struct kb_shown_wish){ &cited->settings, &cited->message, page_id },
	                   &page, err))
		return false;
	if (kb_page_is_pdf(&page)) {
		if (!cited->settings.is_anonymize_pdfs)
			put_address(call, &page, page.meta_image, shelf);
		put_page(cited, &page, shelf);
		return true;
	}
	put_address(call, &page, page.meta_image, shelf);
	if (page.text_blob.n && !kb_call_page_text(call, &page, &text, err))
		return false;
	put_section(cited, &text, shelf);
	if (cited->settings.use_opengraph_image_citation.v)
		put_address(call, &page, page.own_image, shelf);
	put_address(call, &page, page.listed_image, shelf);
	return true;
}

/* ---- which are shown */

struct shown {
	const struct cited *cited;
	int64_t within; /* the text so far */
	bool any_beside;
};

static bool goes_within(const struct shown *shown, const struct picture *picture, size_t i)
{
	int64_t most = shown->cited->settings.max_inline_images_per_response;

	return i == 0 && picture->of_section
	       && kb_settings_citations(&shown->cited->settings) >= KB_CITATIONS_INLINE
	       && (most == 0 || shown->within < most);
}

static void write_shelf(struct kb_jw *jw, struct shown *shown, const struct shelf *shelf)
{
	bool one = kb_sv_eq_str(shown->cited->settings.image_citation_display, "first_only");

	for (size_t i = 0; i < shelf->count; i++) {
		const struct picture *picture = &shelf->v[i];
		bool within = goes_within(shown, picture, i);
		char hash[KB_SHA256_HEX];

		if (!within && one && shown->any_beside)
			continue;
		shown->within += within;
		shown->any_beside |= !within;
		kb_jw_object(jw);
		kb_jw_key_int(jw, "page_id", shelf->page_id);
		kb_sha256_hex(picture->url, hash);
		kb_jw_key_str(jw, "id", picture->url.n ? hash : NULL);
		kb_jw_key_int_opt(jw, "page_no", picture->page_no);
		kb_jw_key_sv(jw, "text", picture->text);
		kb_jw_key_bool(jw, "is_inline", within);
		kb_jw_end(jw);
	}
}

/* ---- routes */

bool kb_shown_pictures(struct kb_call *call, struct kb_err *err)
{
	struct cited cited = { 0 };
	struct shown shown = { .cited = &cited };
	struct shelf shelf;
	struct kb_buf buf;
	struct kb_jw jw;
	bool ok = true;

	if (!open_cited(call, &cited, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_array(&jw);
	for (size_t i = 0; ok && i < cited.message.citation_count && i < SOURCES_MAX; i++)
		if (fill(call, &cited, cited.message.citations[i], &shelf, err))
			write_shelf(&jw, &shown, &shelf);
		else
			ok = err->code == KB_E_NOT_FOUND;
	kb_jw_end(&jw);
	if (ok)
		return kb_call_reply(call, 200, &buf, &jw, err);
	kb_buf_fini(&buf);
	return false;
}

static bool reply_bytes(struct kb_call *call, const struct cited *cited, struct kb_sv url,
                        struct kb_err *err)
{
	const struct kb_picture_wish wish = { .agent_id = cited->agent_id,
		                              .account_id = call->agent.account_id,
		                              .url = url };
	struct kb_picture_found picture;
	struct kb_response head;

	if (!kb_picture_get(call->api->pictures, call->arena, &wish, &picture, err))
		return false;
	head = (struct kb_response){
		.status = 200,
		.content_type = picture.mime,
		.fields = {
			{ KB_SV("cache-control"), KB_SV("private, max-age=86400") },
			{ KB_SV("content-security-policy"), KB_SV("default-src 'none'; sandbox") },
		},
	};
	return kb_call_respond_blob(call, &head, picture.blob, false, err);
}

bool kb_shown_web_picture(struct kb_call *call, struct kb_err *err)
{
	struct cited cited = { 0 };
	struct shelf shelf;
	int64_t id;

	if (!kb_call_id(call, 3, "Page", &id, err) || !open_cited(call, &cited, err)
	    || !fill(call, &cited, id, &shelf, err))
		return false;
	for (size_t i = 0; i < shelf.count; i++) {
		char hash[KB_SHA256_HEX];

		kb_sha256_hex(shelf.v[i].url, hash);
		if (shelf.v[i].url.n && kb_sv_eq_str(call->req->params[4], hash))
			return reply_bytes(call, &cited, shelf.v[i].url, err);
	}
	return kb_fail(err, KB_E_NOT_FOUND, "There is no picture to show");
}
