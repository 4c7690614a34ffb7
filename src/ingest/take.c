#include "ingest/taking.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "ingest/insets.h"
#include "ingest/origin.h"
#include "ingest/parts.h"
#include "ingest/put_off.h"
#include "ingest/recording.h"
#include "out/link.h"
#include "passages/document.h"
#include "passages/likeness.h"

enum {
	PARSE_TIMEOUT_MS = 30000,
	EXTRA_TIMES = 3, /* with allow_extra_timeout */
	DESCRIPTION_CHARS = 300,
};

enum kb_take_step kb_take(struct kb_taking *taking)
{
	static enum kb_take_step (*const steps[])(struct kb_taking * taking) = {
#define STEP(place, name) [KB_TAKE_##place] = kb_take_##name,
		KB_TAKE_STEPS(STEP)
	};
	enum kb_take_step step = KB_TAKE_OPEN;

	taking->fd = -1;
	while (step < KB_TAKE_DONE)
		step = steps[step](taking);
	kb_fd_close(&taking->fd);
	return step;
}

static const struct kb_ingest_config *config_of(const struct kb_taking *taking)
{
	return taking->batch->by->config;
}

/* ---- its bytes ---- */

/* The last part of an address, as a hint at its kind. */
static struct kb_sv name_in(struct kb_sv url)
{
	size_t end = 0, start = 0;

	while (end < url.n && url.p[end] != '?' && url.p[end] != '#')
		if (url.p[end++] == '/')
			start = end;
	return kb_sv_sub(url, start, end - start);
}

enum kb_take_step kb_take_open(struct kb_taking *taking)
{
	const struct kb_page *page = &taking->lease->page;
	struct kb_batch *batch = taking->batch;
	struct kb_blobs *blobs = config_of(taking)->blobs;

	/* A page of an address is fetched again when it is wanted. */
	taking->result->drop_original = !page->is_ours || !batch->options.file_data_retension;
	if (page->blob.n == 0) {
		kb_fail(&taking->err, KB_E_INVALID,
		        "the document's original is not kept; upload it again");
		return KB_TAKE_FAILED;
	}
	if (!kb_blob_open(blobs, kb_arena_str(&batch->arena, page->blob), &taking->fd,
	                  &taking->size, &taking->err)) {
		(void)kb_blob_blame(blobs, &taking->err);
		return KB_TAKE_FAILED;
	}
	taking->request = (struct kb_parse_request){
		.fd = taking->fd,
		.filename = page->is_ours ? page->filename : name_in(page->url),
		.content_type = page->content_type,
		.url = kb_link_shown(&batch->arena, page->url),
		.links = page->depth > 0,
		.timeout_ms =
		        batch->options.allow_extra_timeout ? PARSE_TIMEOUT_MS * EXTRA_TIMES : 0,
		.owner = batch->account_id,
		.wants_painted = batch->options.is_ocr_enabled || batch->options.is_vision_enabled,
		.wants_insets = batch->seer != NULL,
		.is_part = page->parent_id != 0,
	};
	return config_of(taking)->transcriber && kb_recording_is(taking->fd) ? KB_TAKE_HEAR
	                                                                     : KB_TAKE_PARSE;
}

/* ---- its text ---- */

/* "its 3 documents are read one by one; locked with a password: 1". */
static struct kb_sv parts_note(struct kb_arena *arena, const struct kb_parts *parts)
{
	struct kb_buf buf;
	struct kb_sv note;

	kb_buf_init(&buf, SIZE_MAX);
	if (parts->taken == 1)
		kb_buf_str(&buf, "the document in it is read by itself");
	else
		kb_buf_printf(&buf, "its %u documents are read one by one", parts->taken);
	if (parts->locked)
		kb_buf_printf(&buf, "; locked with a password: %u", parts->locked);
	if (parts->damaged)
		kb_buf_printf(&buf, "; damaged: %u", parts->damaged);
	note = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return note;
}

/* The documents within it become pages of their own. */
static void take_parts(struct kb_taking *taking, const struct kb_parts_taken *taken)
{
	struct kb_arena *arena = &taking->batch->arena;

	taking->result->parts =
	        kb_arena_copy(arena, taken->pages, taken->count * sizeof(*taken->pages));
	taking->result->part_count = taken->count;
	taking->result->reason = parts_note(arena, &taking->parsed.parts);
}

/* The parser asks that while it waits for a child. */
struct patience {
	struct kb_taking *taking;
	int64_t quick_until_us; /* of kb_clock_mono_us() */
};

static bool is_enough(void *arg)
{
	const struct patience *patience = arg;
	struct kb_taking *taking = patience->taking;

	if (kb_cancelled(taking->batch->by->cancel, NULL))
		return true;
	if (!taking->goes && kb_clock_mono_us() >= patience->quick_until_us) {
		taking->goes = taking->goes_on(taking);
		taking->left = !taking->goes;
	}
	return taking->left;
}

static bool parse(struct kb_taking *taking)
{
	const struct kb_batcher *by = taking->batch->by;
	struct kb_arena *arena = &taking->batch->arena;
	struct kb_parse_request *request = &taking->request;
	struct kb_parts_taken taken = { .config = config_of(taking), .arena = arena, .fd = -1 };
	const struct kb_part_sink sink = { kb_parts_take, &taken };
	struct patience patience = { taking, INT64_MAX };
	const struct kb_cancel cancel = { is_enough, &patience };
	int64_t begun = kb_clock_mono_us();
	bool ok;

	atomic_fetch_add(&by->counts->parsed, 1);
	if (by->quick_ms)
		patience.quick_until_us = kb_clock_mono_us() + by->quick_ms * INT64_C(1000);
	request->cancel = &cancel;
	request->parts = taking->lease->page.is_ours && !request->is_part ? &sink : NULL;
	ok = kb_parse(config_of(taking)->parser, arena, request, &taking->parsed, &taking->err);
	kb_histogram_add(
	        &by->counts->readings[ok ? kb_parse_format_place(taking->parsed.format) : 0],
	        kb_clock_mono_us() - begun);
	request->parts = NULL;
	request->cancel = by->cancel;
	kb_parts_end(&taken);
	if (!ok && taken.err.code != KB_OK)
		taking->err = taken.err;
	if (ok && taken.count)
		take_parts(taking, &taken);
	free(taken.pages);
	return ok;
}

/* It is fetched once more, by a browser. */
static enum kb_take_step wait_for_browser(struct kb_taking *taking)
{
	struct kb_page_result *result = taking->result;

	kb_batch_again(taking->batch, taking->lease, 0, result);
	result->crawl = KB_STATUS_QUEUED;
	result->parsed_blob = KB_SV("");
	result->wants_browser = result->drop_original = true;
	result->reason = KB_SV("its text is written by a script, waiting for a browser");
	return KB_TAKE_DONE;
}

/* What its scripts would say. ok: it was read; else err says why not. False: it has no text, or the
 * world failed. */
static bool ask_for_scripts(struct kb_taking *taking, bool ok, struct kb_scripted *out)
{
	const struct kb_ingest_config *config = config_of(taking);
	const struct kb_page *page = &taking->lease->page;
	const struct kb_read_page read = { page, ok ? &taking->parsed : NULL, taking->fd };
	struct kb_err problem;

	*out = (struct kb_scripted){ 0 };
	if (!config->scripts || !kb_page_has_address(page)
	    || (!ok && taking->err.code != KB_E_INVALID))
		return ok;
	if (!config->scripts(config->scripts_arg, &taking->batch->arena, &read, out, &problem)) {
		taking->err = problem;
		return false;
	}
	if (ok || out->wants_browser)
		return true;
	return out->note.n ? kb_fail(&taking->err, KB_E_INVALID,
	                             "there is no text in the page; %.*s", KB_SV_ARG(out->note))
	                   : false;
}

enum kb_take_step kb_take_parse(struct kb_taking *taking)
{
	struct kb_scripted scripted;
	bool ok = kb_put_off_read(taking) || parse(taking);

	if (!ask_for_scripts(taking, ok, &scripted))
		return KB_TAKE_FAILED;
	if (scripted.wants_browser)
		return wait_for_browser(taking);
	taking->note = scripted.note;
	return taking->parsed.painted_count ? KB_TAKE_SCAN : KB_TAKE_FILM;
}

/* What is said in the film of a page has that page's name. */
enum kb_take_step kb_take_film(struct kb_taking *taking)
{
	const struct kb_page *page = &taking->lease->page;
	struct kb_parsed *parsed = &taking->parsed;
	struct kb_page film;

	if (!kb_page_has_address(page) || !page->parent_id)
		return KB_TAKE_FOLLOW;
	if (!kb_sv_eq_str(parsed->format, "subtitles")) {
		kb_fail(&taking->err, KB_E_INVALID,
		        "the page plays a film with these subtitles, and they are no WebVTT or "
		        "SRT");
		return KB_TAKE_FAILED;
	}
	if (kb_store_page_get(config_of(taking)->store, &taking->batch->arena, page->agent_id,
	                      page->parent_id, &film, &taking->err)) {
		if (!parsed->title.n)
			parsed->title = film.title;
		return KB_TAKE_FOLLOW;
	}
	return taking->err.code == KB_E_NOT_FOUND ? KB_TAKE_FOLLOW : KB_TAKE_FAILED;
}

/* ---- what it leads to ---- */

enum kb_take_step kb_take_follow(struct kb_taking *taking)
{
	const struct kb_ingest_config *config = config_of(taking);
	const struct kb_page *page = &taking->lease->page;
	struct kb_page_result *result = taking->result;
	struct kb_followed followed = { 0 };

	if (page->depth && config->follow
	    && !config->follow(config->follow_arg, &taking->batch->arena, page, &taking->parsed,
	                       &followed, &taking->err))
		return KB_TAKE_FAILED;
	result->found = followed.found;
	if (followed.left_out.n) {
		result->crawl = KB_STATUS_OK;
		result->index = KB_STATUS_LIMITED;
		result->reason = followed.left_out;
	} else if (!result->reason.n) {
		result->reason = taking->note;
	}
	return followed.left_out.n || (result->found && result->found->moved) ? KB_TAKE_DONE
	                                                                      : KB_TAKE_COMPARE;
}

/* ---- whether it says anything new ---- */

static bool has_insets(const struct kb_taking *taking)
{
	bool is_web = kb_page_has_address(&taking->lease->page) && config_of(taking)->pictures;

	return taking->batch->seer && kb_insets_are_likely(&taking->parsed, is_web);
}

/* Which pictures are in it, and who looks at them: a model that says other words of the same
 * picture is no change. */
static void hash_insets(struct kb_hasher *hasher, const struct kb_model *seer,
                        const struct kb_parsed *parsed)
{
	kb_hasher_add(hasher, "\n", 1);
	kb_hasher_add(hasher, seer->id.p, seer->id.n);
	for (size_t i = 0; i < parsed->inset_count; i++)
		kb_hasher_add(hasher, parsed->insets[i].name.p, parsed->insets[i].name.n);
	for (size_t i = 0; i < parsed->picture_count; i++)
		kb_hasher_add(hasher, parsed->pictures[i].url.p, parsed->pictures[i].url.n);
}

/* What a search and an answer would see of it. seer: of its pictures; NULL: nobody looks. */
static struct kb_sv text_hash(struct kb_arena *arena, const struct kb_parsed *parsed,
                              const struct kb_model *seer)
{
	char *hex = kb_arena_bytes(arena, KB_HASH_HEX);
	struct kb_hasher hasher;

	kb_hasher_init(&hasher);
	kb_hasher_add(&hasher, parsed->title.p, parsed->title.n);
	for (size_t i = 0; i < parsed->block_count; i++) {
		const struct kb_block *block = &parsed->blocks[i];

		kb_hasher_add(&hasher, "\n", 1);
		kb_hasher_add(&hasher, block->heading.p, block->heading.n);
		kb_hasher_add(&hasher, "\n", 1);
		kb_hasher_add(&hasher, block->text.p, block->text.n);
	}
	if (seer)
		hash_insets(&hasher, seer, parsed);
	kb_hasher_hex(&hasher, hex);
	return kb_sv_str(hex);
}

enum kb_take_step kb_take_compare(struct kb_taking *taking)
{
	const struct kb_page *page = &taking->lease->page;
	const struct kb_parsed *parsed = &taking->parsed;
	struct kb_page_result *result = taking->result;
	struct kb_batch *batch = taking->batch;
	bool seen = has_insets(taking);

	result->tracks = parsed->tracks;
	result->track_count = kb_page_has_address(page) ? parsed->track_count : 0;
	result->text_hash = text_hash(&batch->arena, parsed, seen ? batch->seer : NULL);
	result->dated_at = parsed->dated_at;
	result->likeness = page->depth ? (int64_t)kb_likeness(parsed) : 0;
	if (!page->is_ours && page->passages && kb_sv_eq(result->text_hash, page->text_hash)) {
		result->crawl = result->index = KB_STATUS_OK;
		result->unchanged = true;
		atomic_fetch_add(&batch->by->counts->unchanged, 1);
		return KB_TAKE_DONE;
	}
	return seen ? KB_TAKE_INSETS : KB_TAKE_INDEX;
}

/* ---- its passages ---- */

/* The first sentences, for metadata that the document does not bring. */
static struct kb_sv first_words(const struct kb_chunks *chunks)
{
	struct kb_sv text = chunks->count ? chunks->v[0].text : KB_SV("");
	ptrdiff_t line_end = kb_sv_find_byte(text, '\n');

	if (line_end > 0)
		text = kb_sv_sub(text, 0, (size_t)line_end);
	return kb_utf8_head(text, DESCRIPTION_CHARS);
}

/* Its text, as a blob. */
static bool keep_text(struct kb_taking *taking, struct kb_blob_name *name)
{
	struct kb_blobs *blobs = config_of(taking)->blobs;
	struct kb_buf json;
	struct kb_jw jw;
	struct kb_sv text;
	bool ok;

	kb_buf_init(&json, KB_GIB(1));
	kb_jw_init(&jw, &json);
	kb_parsed_write(&taking->parsed, &jw);
	ok = kb_buf_done(&json, &text, &taking->err)
	     && (kb_blob_put(blobs, text, name, &taking->err)
	         || kb_blob_blame(blobs, &taking->err));
	kb_buf_fini(&json);
	return ok;
}

static bool add_passages(struct kb_taking *taking)
{
	struct kb_batch *batch = taking->batch;
	struct kb_page_result *result = taking->result;
	const struct kb_page *page = &taking->lease->page;
	const struct kb_parsed *parsed = &taking->parsed;
	struct kb_origin origin = kb_page_origin(&batch->arena, page);
	struct kb_document document;
	struct kb_blob_name name;
	int64_t bytes;

	if (!kb_document_read(&batch->arena, &origin, parsed, &document, &taking->err)
	    || !keep_text(taking, &name))
		return false;
	bytes = kb_document_add(batch->by->writer, page->id, &document);
	batch->text_bytes += bytes;
	batch->all_bytes += bytes;
	batch->passages += (int64_t)document.chunks.count;
	batch->pages++;
	result->crawl = result->index = KB_STATUS_OK;
	result->title = document.title;
	result->text_blob = kb_arena_sv(&batch->arena, kb_sv_str(name.hex));
	result->description =
	        parsed->description.n ? parsed->description : first_words(&document.chunks);
	result->plain_description = parsed->description.n == 0;
	result->image = parsed->image;
	result->lang = kb_sv_str(kb_lang_code(document.lang));
	result->words = document.chunks.words;
	result->passages = (int64_t)document.chunks.count;
	return true;
}

enum kb_take_step kb_take_index(struct kb_taking *taking)
{
	struct kb_page_result *result = taking->result;

	if (add_passages(taking))
		return KB_TAKE_DONE;
	if ((!result->part_count && !result->track_count) || taking->err.code != KB_E_INVALID)
		return KB_TAKE_FAILED;
	/* It has no text of its own, but what is in it has. */
	result->crawl = result->index = KB_STATUS_OK;
	return KB_TAKE_DONE;
}
