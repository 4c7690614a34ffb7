#include "answer/claims.h"

#include <stdlib.h>

#include "base/json.h"
#include "parse/parse.h"
#include "store/pages.h"

enum { NOTE_MAX = 1 << 20 };
#define SOURCE_MAX KB_GIB(1)

/* ---- the note ---- */

struct kb_sv kb_claims_note(struct kb_arena *arena, const struct kb_answer *answer,
                            const struct kb_attached *attached)
{
	struct kb_buf buf;
	struct kb_jw jw;
	struct kb_sv out = { 0 };

	kb_buf_init(&buf, NOTE_MAX);
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	kb_jw_key_str(&jw, "kind", kb_answer_kind_name(answer->kind));
	kb_jw_key_str(&jw, "lang", kb_lang_code(answer->lang));
	kb_jw_key_str(&jw, "type", kb_question_type_name(answer->type));
	kb_jw_key(&jw, "confidence");
	kb_jw_double(&jw, answer->confidence);
	kb_jw_key(&jw, "quotes");
	kb_jw_array(&jw);
	for (size_t i = 0; i < answer->quote_count; i++) {
		const struct kb_quote *quote = &answer->quotes[i];

		kb_jw_object(&jw);
		kb_jw_key_int(&jw, "at", (int64_t)quote->at);
		kb_jw_key_int(&jw, "bytes", (int64_t)quote->text.n);
		if (kb_attached_is_page(quote->page_id)) {
			kb_jw_key_sv(&jw, "file",
			             attached->names[kb_attached_place(quote->page_id)]);
		} else {
			kb_jw_key_int(&jw, "page_id", quote->page_id);
			kb_jw_key_int(&jw, "page_no", quote->page_no);
			kb_jw_key_int(&jw, "offset", quote->offset);
		}
		kb_jw_end(&jw);
	}
	kb_jw_end(&jw);
	kb_jw_end(&jw);
	if (!buf.failed)
		out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

static json_t *note_of(struct kb_arena *arena, const struct kb_message *message)
{
	json_t *note = message->details.n ? kb_json_parse(arena, message->details, NULL) : NULL;

	return json_is_object(note) ? note : NULL;
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

/* ---- checking ---- */

/* A document as it is now; text.p == NULL: it is gone, or has no text any more. */
struct source {
	int64_t page_id;
	struct kb_sv text;
	bool gone;
};

/* The whole extracted text, as quotes give places in it. */
static bool load(struct kb_blobs *blobs, struct kb_arena *arena, const struct kb_page *page,
                 struct kb_sv *out, struct kb_err *err)
{
	struct kb_parsed parsed;
	struct kb_sv json;
	struct kb_buf buf;
	bool ok;

	if (!kb_blob_read(blobs, arena, kb_arena_str(arena, page->text_blob), SOURCE_MAX, &json,
	                  err)
	    || !kb_parsed_read(arena, json, &parsed, err))
		return false;
	kb_buf_init(&buf, SOURCE_MAX);
	for (size_t i = 0; i < parsed.block_count; i++) {
		if (i)
			kb_buf_byte(&buf, '\n');
		kb_buf_sv(&buf, parsed.blocks[i].text);
	}
	ok = kb_buf_done(&buf, out, err);
	if (ok)
		*out = kb_arena_sv(arena, *out);
	kb_buf_fini(&buf);
	return ok;
}

struct check {
	struct kb_store *store;
	struct kb_blobs *blobs;
	struct kb_arena *arena;
	const struct kb_message *message;
	struct source *sources;
	size_t source_count;
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
	} else if (page.text_blob.n
	           && !load(check->blobs, check->arena, &page, &source->text, err)) {
		return false;
	}
	check->source_count++;
	*out = source;
	return true;
}

static void judge(struct kb_claim *claim, const struct source *source, int64_t offset)
{
	claim->status = KB_CLAIM_UNSUPPORTED;
	if (source->gone) {
		claim->reason = KB_SV("The document was deleted.");
	} else if (claim->text.n && offset >= 0
	           && kb_sv_eq(kb_sv_sub(source->text, (size_t)offset, claim->text.n),
	                       claim->text)) {
		claim->status = KB_CLAIM_SUPPORTED;
		claim->reason = KB_SV("The document says so, word for word.");
	} else if (claim->text.n && kb_sv_find(source->text, claim->text) >= 0) {
		claim->status = KB_CLAIM_SUPPORTED;
		claim->reason = KB_SV("The document has changed and still says so elsewhere.");
	} else {
		claim->reason = KB_SV("The document has changed and does not say so any more.");
	}
}

static bool check_quote(struct check *check, const json_t *quote, struct kb_claim *claim,
                        struct kb_err *err)
{
	int64_t at = kb_json_int(quote, "at", -1), bytes = kb_json_int(quote, "bytes", 0);
	const json_t *file = kb_json_get(quote, "file");
	const struct source *source;

	*claim = (struct kb_claim){ .text = KB_SV("") };
	if (at >= 0 && bytes > 0)
		claim->text = kb_sv_sub(check->message->response, (size_t)at, (size_t)bytes);
	if (file) {
		struct kb_sv name = kb_json_sv(quote, "file", KB_SV(""));

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
	claim->page_id = kb_json_int(quote, "page_id", 0);
	if (!find_source(check, claim->page_id, &source, err))
		return false;
	judge(claim, source, kb_json_int(quote, "offset", -1));
	return true;
}

bool kb_claims_check(struct kb_store *store, struct kb_blobs *blobs, struct kb_arena *arena,
                     const struct kb_message *message, struct kb_claims *out, struct kb_err *err)
{
	const json_t *quotes = kb_json_get(note_of(arena, message), "quotes");
	struct check check = { .store = store, .blobs = blobs, .arena = arena, .message = message };
	size_t count = json_array_size(quotes);

	kb_claims_read(arena, message, out);
	check.sources = KB_NEW_ARRAY(arena, count, struct source);
	out->v = KB_NEW_ARRAY(arena, count, struct kb_claim);
	for (; out->count < count; out->count++) {
		struct kb_claim *claim = &out->v[out->count];

		if (!check_quote(&check, json_array_get(quotes, out->count), claim, err))
			return false;
		out->supported += claim->status == KB_CLAIM_SUPPORTED;
		out->unsupported += claim->status == KB_CLAIM_UNSUPPORTED;
		out->unverifiable += claim->status == KB_CLAIM_UNVERIFIABLE;
	}
	return true;
}
