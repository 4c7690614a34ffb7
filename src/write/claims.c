#include "write/claims.h"

#include <stdlib.h>

#include "answer/guard.h"
#include "base/json.h"
#include "parse/parse.h"
#include "store/pages.h"
#include "write/support.h"

enum {
	/* Bytes before and behind a place that count as beside it, as the passage does that it was
	 * found in. */
	BESIDE = 2048,
	/* Of a document that is searched for a sentence that its place does not support any more.
	 */
	ANYWHERE = 1 << 20,
};
#define SOURCE_MAX KB_GIB(1)

/* ---- the note ---- */

static json_t *note_of(struct kb_arena *arena, const struct kb_message *message)
{
	json_t *note = message->details.n ? kb_json_parse(arena, message->details, NULL) : NULL;

	return json_is_object(note) ? note : NULL;
}

bool kb_claims_checked(struct kb_arena *arena, const struct kb_message *message,
                       struct kb_checked *out)
{
	const json_t *checked;

	/* Most messages have none, and their notes are not read. */
	if (kb_sv_find(message->details, KB_SV("\"checked\":{")) < 0)
		return false;
	checked = kb_json_get(note_of(arena, message), "checked");
	*out = (struct kb_checked){ .page_id = kb_json_int(checked, "page_id", 0),
		                    .version = kb_json_int(checked, "version", 0),
		                    .at = kb_json_int(checked, "at", 0),
		                    .by = kb_json_sv(checked, "by", KB_SV("")) };
	return out->page_id != 0;
}

struct kb_sv kb_claims_verified(struct kb_arena *arena, const struct kb_message *message,
                                const struct kb_verification *verification)
{
	json_t *note = note_of(arena, message), *own = note ? NULL : json_object();
	json_t *root = note ? note : own;
	char *text;
	struct kb_sv out;

	json_object_set_new(root, "verified",
	                    json_pack("{s:I,s:I,s:I}", "at", (json_int_t)verification->at, "claims",
	                              (json_int_t)verification->claims, "supported",
	                              (json_int_t)verification->supported));
	text = json_dumps(root, JSON_COMPACT);
	json_decref(own);
	if (!text)
		kb_panic(__FILE__, __LINE__, "out of memory");
	out = kb_arena_sv(arena, kb_sv_str(text));
	free(text);
	return out;
}

/* ---- reading it ---- */

const char *kb_claim_status_name(enum kb_claim_status status)
{
	static const char *const names[] = {
		[KB_CLAIM_SUPPORTED] = "supported",
		[KB_CLAIM_UNSUPPORTED] = "unsupported",
		[KB_CLAIM_UNVERIFIABLE] = "unverifiable",
	};

	return names[status];
}

void kb_claims_read(struct kb_arena *arena, const struct kb_message *message, struct kb_claims *out)
{
	const json_t *note = note_of(arena, message), *verified = kb_json_get(note, "verified");
	const json_t *confidence = kb_json_get(note, "confidence");

	*out = (struct kb_claims){
		.kind = kb_json_sv(note, "kind", KB_SV("")),
		.lang = kb_json_sv(note, "lang", KB_SV("")),
		.type = kb_json_sv(note, "type", KB_SV("")),
		.confidence = json_is_number(confidence) ? json_number_value(confidence) : 0,
		.verified = { .at = kb_json_int(verified, "at", 0),
		              .claims = kb_json_int(verified, "claims", 0),
		              .supported = kb_json_int(verified, "supported", 0) },
	};
}

static uint32_t small(const json_t *quote, const char *key)
{
	int64_t n = kb_json_int(quote, key, 0);

	return n < 0 || n > INT32_MAX ? INT32_MAX : (uint32_t)n;
}

/* Bytes of the document that a row leans on: those that support a model's sentence; of a quote the
 * sentence, without the blanks that were put in. */
static uint32_t length_of(const json_t *quote)
{
	return small(quote, kb_json_get(quote, "length") ? "length"
	                    : kb_json_get(quote, "said") ? "said"
	                                                 : "bytes");
}

const int64_t *kb_claims_pages(struct kb_arena *arena, const struct kb_message *message,
                               size_t *count)
{
	const json_t *note = note_of(arena, message), *given = kb_json_get(note, "given"),
	             *quotes = kb_json_get(note, "quotes");
	size_t n = json_array_size(given), k = json_array_size(quotes);
	int64_t *out = KB_NEW_ARRAY(arena, n + k, int64_t);

	for (size_t i = 0; i < n; i++)
		out[i] = (int64_t)json_integer_value(json_array_get(given, i));
	*count = n;
	for (size_t i = 0; i < k; i++) {
		int64_t id = kb_json_int(json_array_get(quotes, i), "page_id", 0);

		if (id)
			out[(*count)++] = id;
	}
	return out;
}

const struct kb_claim_place *kb_claims_places(struct kb_arena *arena,
                                              const struct kb_message *message, size_t *count)
{
	const json_t *quotes = kb_json_get(note_of(arena, message), "quotes");
	size_t n = json_array_size(quotes);
	struct kb_closest_list closest;
	struct kb_claim_place *out;

	kb_closest_read(arena, message->details, &closest);
	out = KB_NEW_ARRAY(arena, n + closest.count, struct kb_claim_place);
	*count = 0;
	for (size_t i = 0; i < n; i++) {
		const json_t *quote = json_array_get(quotes, i);
		struct kb_claim_place place = {
			.page_id = kb_json_int(quote, "page_id", 0),
			.page_no = (uint32_t)kb_json_int(quote, "page_no", 0),
			.offset = (uint32_t)kb_json_int(quote, "offset", 0),
			.length = length_of(quote),
		};

		if (place.page_id > 0)
			out[(*count)++] = place;
	}
	for (size_t i = 0; i < closest.count; i++)
		out[(*count)++] =
		        (struct kb_claim_place){ closest.v[i].page_id, closest.v[i].page_no,
			                         closest.v[i].offset, closest.v[i].length };
	return out;
}

/* ---- checking ---- */

/* A document as it is now; text.p == NULL: it is gone, or has no text any more. */
struct source {
	int64_t page_id;
	struct kb_sv title, text;
	struct kb_parsed parsed;
	bool gone;
};

/* The whole extracted text, as quotes give places in it. */
static bool load(struct kb_blobs *blobs, struct kb_arena *arena, const struct kb_page *page,
                 struct source *source, struct kb_err *err)
{
	struct kb_parsed *parsed = &source->parsed;
	struct kb_sv json;
	struct kb_buf buf;
	bool ok;

	if (!kb_blob_read(blobs, arena, kb_arena_str(arena, page->text_blob), SOURCE_MAX, &json,
	                  err)
	    || !kb_parsed_read(arena, json, parsed, err))
		return false;
	kb_buf_init(&buf, SOURCE_MAX);
	for (size_t i = 0; i < parsed->block_count; i++) {
		if (i)
			kb_buf_byte(&buf, '\n');
		kb_buf_sv(&buf, parsed->blocks[i].text);
	}
	ok = kb_buf_done(&buf, &source->text, err);
	if (ok)
		source->text = kb_arena_sv(arena, source->text);
	kb_buf_fini(&buf);
	source->title = kb_arena_sv(arena, page->title);
	return ok;
}

/* The page of a place, or its moment: a passage may go over several, and the note knows its first.
 */
static uint32_t page_at(const struct source *source, size_t offset)
{
	uint32_t page_no = 0;

	for (size_t i = 0, at = 0; i < source->parsed.block_count && at <= offset; i++) {
		page_no = source->parsed.blocks[i].page_no;
		at += source->parsed.blocks[i].text.n + 1;
	}
	return page_no;
}

struct check {
	struct kb_store *store;
	struct kb_blobs *blobs;
	struct kb_arena *arena;
	const struct kb_message *message;
	struct source *sources;
	size_t source_count;
	struct kb_analyzer *analyzer; /* made when the first sentence of a model is looked at */
};

static bool find_source(struct check *check, int64_t page_id, const struct source **out,
                        struct kb_err *err)
{
	struct source *source = &check->sources[check->source_count];
	struct kb_page page;

	for (size_t i = 0; i < check->source_count; i++)
		if (check->sources[i].page_id == page_id) {
			*out = &check->sources[i];
			return true;
		}
	*source = (struct source){ .page_id = page_id };
	if (!kb_store_page_get(check->store, check->arena,
	                       check->message->child_id ? check->message->child_id
	                                                : check->message->agent_id,
	                       page_id, &page, err)) {
		if (err->code != KB_E_NOT_FOUND)
			return false;
		source->gone = true;
	} else if (page.text_blob.n && !load(check->blobs, check->arena, &page, source, err)) {
		return false;
	}
	check->source_count++;
	*out = source;
	return true;
}

/* Whether what stands here supports the sentence; *place becomes the place within it. */
static bool is_supported(struct check *check, const struct kb_claim *claim,
                         const struct source *source, size_t from, size_t bytes,
                         struct kb_claim_place *place)
{
	const struct kb_support_source one = {
		.title = source->title,
		.text = kb_sv_sub(source->text, from, bytes),
	};
	struct kb_arena scratch = { 0 };
	struct kb_judgement judgement;
	struct kb_support *support;

	if (!check->analyzer)
		check->analyzer = kb_analyzer_new();
	support = kb_support_new(&scratch, check->analyzer, &one, 1, NULL);
	kb_support_judge(support, check->analyzer, claim->text, &judgement);
	kb_arena_fini(&scratch);
	if (judgement.verdicts[0].lacks)
		return false;
	place->offset = (uint32_t)from + judgement.verdicts[0].start;
	place->length = judgement.verdicts[0].bytes;
	place->page_no = page_at(source, place->offset);
	return true;
}

/* Bytes of the text, from `at` on, that a quote says: it is shown with blanks where its words could
 * lead away (guard.h). 0: these are other words. */
static size_t match_quote(struct kb_sv quote, struct kb_sv text, size_t at)
{
	size_t i = at;

	for (size_t k = 0; k < quote.n; k++)
		if (i < text.n && text.p[i] == quote.p[k])
			i++;
		else if (quote.p[k] != ' ')
			return 0;
	return i - at;
}

/* Whether it stands at `at`. */
static bool is_quote(struct check *check, struct kb_sv quote, const struct source *source,
                     size_t at, struct kb_claim_place *place)
{
	size_t n = match_quote(quote, source->text, at);

	if (!n || !kb_sv_eq(quote, kb_outguard_quote(check->arena, kb_sv_sub(source->text, at, n))))
		return false;
	place->offset = (uint32_t)at;
	place->length = (uint32_t)n;
	return true;
}

/* Finds where it stands now: at its place, or elsewhere. */
static bool find_quote(struct check *check, struct kb_sv quote, const struct source *source,
                       struct kb_claim_place *place)
{
	if (is_quote(check, quote, source, place->offset, place))
		return true;
	for (size_t at = 0; at < source->text.n; at++)
		if (is_quote(check, quote, source, at, place))
			return true;
	return false;
}

/* Whether the document says it now: where the note says, or elsewhere. */
static bool is_said(struct check *check, const struct kb_claim *claim, const struct source *source,
                    struct kb_claim_place *place, bool quote, bool *elsewhere)
{
	size_t from = place->offset > BESIDE ? place->offset - BESIDE : 0;
	uint32_t before = place->offset;
	struct kb_claim_place found = *place;

	*elsewhere = false;
	place->page_no = page_at(source, place->offset);
	if (!quote) {
		if (is_supported(check, claim, source, from,
		                 place->offset - from + place->length + BESIDE, &found))
			return true;
		*elsewhere = is_supported(check, claim, source, 0, ANYWHERE, place);
		return *elsewhere;
	}
	if (!find_quote(check, claim->text, source, place))
		return false;
	*elsewhere = place->offset != before;
	place->page_no = page_at(source, place->offset);
	return true;
}

static void judge(struct check *check, struct kb_claim *claim, const struct source *source,
                  struct kb_claim_place *place, bool quote)
{
	bool elsewhere;

	if (source->gone) {
		claim->reason = KB_SV("The document was deleted.");
	} else if (!is_said(check, claim, source, place, quote, &elsewhere)) {
		claim->reason = KB_SV("The document has changed and does not say so any more.");
	} else {
		claim->status = KB_CLAIM_SUPPORTED;
		claim->reason =
		        elsewhere ? KB_SV("The document has changed and still says so elsewhere.")
		        : quote   ? KB_SV("The document says so, word for word.")
		                  : KB_SV("The document says so, in other words.");
	}
}

static void begin_claim(const struct check *check, const json_t *quote, struct kb_claim *claim)
{
	int64_t at = kb_json_int(quote, "at", -1), bytes = kb_json_int(quote, "bytes", 0);

	*claim = (struct kb_claim){ .text = KB_SV(""),
		                    .status = KB_CLAIM_UNSUPPORTED,
		                    .reason = KB_SV(
		                            "No document that the answer was given says so.") };
	if (at >= 0 && bytes > 0)
		claim->text = kb_sv_sub(check->message->response, (size_t)at, (size_t)bytes);
}

/* One row of the note; a claim is supported when one of its rows says so. */
static bool check_quote(struct check *check, const json_t *quote, struct kb_claim *claim,
                        struct kb_err *err)
{
	struct kb_claim_place *place = &claim->places[claim->place_count];
	const struct kb_claim before = *claim;
	const struct source *source;

	if (kb_json_get(quote, "file")) {
		struct kb_sv name = kb_json_sv(quote, "file", KB_SV(""));

		if (claim->status == KB_CLAIM_SUPPORTED)
			return true;
		claim->status = KB_CLAIM_UNVERIFIABLE;
		claim->reason =
		        name.n ? kb_arena_printf(check->arena,
		                                 "It is from the file %.*s of the message, which "
		                                 "is not kept.",
		                                 KB_SV_ARG(name))
		               : KB_SV("It is from the context that the caller gave, which is not "
		                       "kept.");
		return true;
	}
	if (!kb_json_int(quote, "page_id", 0) || claim->place_count == KB_CLAIM_PLACES)
		return true;
	*place = (struct kb_claim_place){ .page_id = kb_json_int(quote, "page_id", 0),
		                          .page_no = small(quote, "page_no"),
		                          .offset = small(quote, "offset"),
		                          .length = length_of(quote) };
	claim->place_count++;
	if (!find_source(check, place->page_id, &source, err))
		return false;
	judge(check, claim, source, place, !kb_json_get(quote, "length"));
	if (before.status == KB_CLAIM_SUPPORTED) {
		claim->status = before.status;
		claim->reason = before.reason;
	}
	return true;
}

static bool check_all(struct check *check, const json_t *quotes, struct kb_claims *out,
                      struct kb_err *err)
{
	int64_t last = -1;
	const json_t *quote;
	size_t i;

	json_array_foreach(quotes, i, quote)
	{
		int64_t at = kb_json_int(quote, "at", -1);

		if (at != last || at < 0 || !out->count)
			begin_claim(check, quote, &out->v[out->count++]);
		last = at;
		if (!check_quote(check, quote, &out->v[out->count - 1], err))
			return false;
	}
	for (i = 0; i < out->count; i++) {
		out->supported += out->v[i].status == KB_CLAIM_SUPPORTED;
		out->unsupported += out->v[i].status == KB_CLAIM_UNSUPPORTED;
		out->unverifiable += out->v[i].status == KB_CLAIM_UNVERIFIABLE;
	}
	return true;
}

bool kb_claims_check(struct kb_store *store, struct kb_blobs *blobs, struct kb_arena *arena,
                     const struct kb_message *message, struct kb_claims *out, struct kb_err *err)
{
	const json_t *quotes = kb_json_get(note_of(arena, message), "quotes");
	struct check check = { .store = store, .blobs = blobs, .arena = arena, .message = message };
	size_t count = json_array_size(quotes);
	bool ok;

	kb_claims_read(arena, message, out);
	check.sources = KB_NEW_ARRAY(arena, count, struct source);
	out->v = KB_NEW_ARRAY(arena, count, struct kb_claim);
	ok = check_all(&check, quotes, out, err);
	kb_analyzer_free(check.analyzer);
	return ok;
}
