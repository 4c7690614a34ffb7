#include "ingest/insets.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/crew.h"
#include "base/file.h"
#include "base/hash.h"
#include "ingest/inset_search.h"
#include "settings/image.h"
#include "upstream/picture.h"

enum {
	AT_ONCE = 4, /* pictures of one document */
	FETCH_TRIES = 20,
	FETCH_NAP_MS = 250, /* while others fetch many */
};

/* What became of a picture. */
struct shown {
	struct kb_arena arena;
	struct kb_parsed parsed; /* what was read of it */
	bool unseen;             /* by the model; OCR may have read it */
	struct kb_err why;       /* it could not be taken out, or was not seen */
	bool failed;
};

struct work {
	struct kb_insets *insets;
	const struct kb_parse_request *request;
	struct kb_inset_search found;
	struct kb_sv models; /* of tesseract */
	struct shown *shown;
	struct kb_crew crew;
	pthread_mutex_t mutex; /* over what follows */
	uint64_t hashes[KB_INSETS_MAX];
	size_t hash_count;
	size_t bytes;
};

bool kb_insets_are_likely(const struct kb_parsed *parsed, bool is_web)
{
	return parsed->inset_count || kb_sv_eq_str(parsed->format, "pdf")
	       || (is_web && parsed->picture_count);
}

/* ---- one picture ---- */

/* A document holds it. */
static bool take_out(const struct work *w, struct kb_arena *arena, const struct kb_inset *inset,
                     struct kb_sv *bytes, struct kb_err *err)
{
	struct kb_cancel cancel = { kb_crew_is_stopped, (void *)(uintptr_t)&w->crew.stop };
	struct kb_parse_request drawing = {
		.filename = w->request->filename,
		.content_type = w->request->content_type,
		.timeout_ms = w->request->timeout_ms,
		.owner = w->request->owner,
		.cancel = &cancel,
		.look = { .page_no = inset->name.n ? 1 : inset->page_no,
		          .side = w->insets->sight->side,
		          .inset = *inset },
	};
	bool ok;

	if (!kb_fd_open_again(w->request->fd, &drawing.fd, err))
		return false;
	ok = kb_parse_draw(w->insets->sight->parser, arena, &drawing, bytes, err);
	kb_fd_close(&drawing.fd);
	return ok;
}

/* A page of the web shows it. One at a time for each document: its host is somebody else's. */
static bool fetch(struct work *w, struct kb_arena *arena, struct kb_sv url, struct kb_sv *bytes,
                  struct kb_err *err)
{
	const struct kb_picture_wish wish = { .agent_id = w->insets->agent_id,
		                              .account_id = w->request->owner,
		                              .url = url };
	struct kb_picture_found found;
	struct kb_image image;
	bool ok = false;

	for (int i = 0; i < FETCH_TRIES && !ok && !kb_crew_is_stopped(&w->crew.stop); i++) {
		pthread_mutex_lock(&w->mutex);
		ok = kb_picture_get(w->insets->pictures, arena, &wish, &found, err);
		pthread_mutex_unlock(&w->mutex);
		if (!ok && err->code != KB_E_BUSY)
			return false;
		if (!ok)
			usleep(FETCH_NAP_MS * 1000); /* nobody says when it is done */
	}
	return ok
	       && kb_blob_read(w->insets->blobs, arena, kb_arena_str(arena, found.blob),
	                       KB_IMAGE_MAX_BYTES, bytes, err)
	       && kb_image_check(*bytes, &image, err)
	       && (KB_MIN(image.width, image.height) >= KB_INSET_SIDE_MIN
	           || kb_fail(err, KB_E_NOT_FOUND, "it is an ornament"));
}

/* False: it was there before, or there are too many. */
static bool is_wanted(struct work *w, struct kb_sv bytes, struct kb_err *err)
{
	uint64_t hash = kb_hash64(bytes);
	bool wanted = true;

	pthread_mutex_lock(&w->mutex);
	for (size_t i = 0; i < w->hash_count; i++)
		wanted &= w->hashes[i] != hash;
	if (!wanted) {
		kb_fail(err, KB_E_NOT_FOUND, "it was there before");
	} else if (w->bytes + bytes.n > KB_INSETS_BYTES_MAX) {
		wanted = kb_fail(err, KB_E_TOO_LARGE,
		                 "a model sees at most %d MB of a document's pictures",
		                 KB_INSETS_BYTES_MAX >> 20);
	} else {
		w->hashes[w->hash_count++] = hash;
		w->bytes += bytes.n;
	}
	pthread_mutex_unlock(&w->mutex);
	return wanted;
}

/* A picture that is being shown, and until when. */
struct showing {
	struct work *w;
	int64_t until_us;
};

static bool is_over(void *arg)
{
	struct showing *s = arg;

	return kb_crew_is_stopped(&s->w->crew.stop) || kb_clock_mono_us() > s->until_us;
}

static bool see(struct work *w, struct kb_arena *scratch, struct kb_sv bytes, struct shown *shown,
                struct kb_err *err)
{
	struct showing showing = {
		.w = w, .until_us = kb_clock_mono_us() + w->insets->timeout_ms * INT64_C(1000)
	};
	struct kb_cancel cancel = { is_over, &showing };
	struct kb_sv address, text;

	/* A child may have been taken over: what it sends is a picture or nothing. */
	if (!kb_picture_address(scratch, bytes, &address, err))
		return false;
	if (kb_sight_look(w->insets->sight, scratch, &address, &cancel, &text, err))
		return kb_sight_read(&shown->arena, 0, text, &shown->parsed)
		       || kb_fail(err, KB_E_UPSTREAM, "the model %.*s saw nothing in it",
		                  KB_SV_ARG(w->insets->sight->model->id));
	if (err->code == KB_E_CANCELLED)
		kb_fail(err, KB_E_TIMEOUT, "the model took longer than %d s",
		        w->insets->timeout_ms / 1000);
	return false;
}

/* By OCR; no words are no failure. */
static void read_words(struct work *w, struct shown *shown, struct kb_sv bytes)
{
	struct kb_cancel cancel = { kb_crew_is_stopped, &w->crew.stop };
	struct kb_parse_request request = { .fd = memfd_create("inset", MFD_CLOEXEC),
		                            .timeout_ms = w->insets->timeout_ms,
		                            .owner = w->request->owner,
		                            .painted = { .page_no = 1 },
		                            .models = w->models,
		                            .cancel = &cancel };
	struct kb_parser *parser = w->insets->sight->parser;
	struct kb_err err;

	shown->parsed = (struct kb_parsed){ 0 };
	if (request.fd >= 0 && kb_fd_write_all(request.fd, bytes, "a picture", &err)
	    && lseek(request.fd, 0, SEEK_SET) == 0 && kb_parser_place_take(parser, &cancel)) {
		if (!kb_parse(parser, &shown->arena, &request, &shown->parsed, &err))
			shown->parsed = (struct kb_parsed){ 0 };
		kb_parser_place_give(parser);
	}
	kb_fd_close(&request.fd);
}

static bool take(struct work *w, struct kb_arena *scratch, const struct kb_inset *inset,
                 struct kb_sv *bytes, struct kb_err *err)
{
	return (w->insets->pictures ? fetch(w, scratch, inset->name, bytes, err)
	                            : take_out(w, scratch, inset, bytes, err))
	       && is_wanted(w, *bytes, err);
}

/* The crew's task. Only what was read outlives it: pictures are large. */
static void show_one(void *arg, size_t i)
{
	struct work *w = arg;
	struct shown *shown = &w->shown[i];
	struct kb_arena scratch = { 0 };
	struct kb_sv bytes;

	if (!take(w, &scratch, &w->found.v[i], &bytes, &shown->why)) {
		/* An ornament, or nothing to see: nobody has to be told. */
		shown->failed = shown->why.code != KB_E_NOT_FOUND;
	} else {
		shown->unseen = !see(w, &scratch, bytes, shown, &shown->why);
		if (shown->unseen && !kb_crew_is_stopped(&w->crew.stop))
			read_words(w, shown, bytes);
	}
	kb_arena_fini(&scratch);
}

/* ---- between the blocks ---- */

static uint16_t within(uint16_t from, uint16_t to, uint16_t share)
{
	return (uint16_t)(from + (to - from) * share / KB_BOX_UNITS);
}

/* Places on the picture become places on its page; without that there are none. */
static void place_boxes(struct kb_arena *arena, const struct kb_inset *inset,
                        struct kb_block *block)
{
	struct kb_word_box *boxes;

	if (!inset->page_no || !inset->x1) {
		block->boxes = NULL;
		block->box_count = 0;
		return;
	}
	boxes = kb_arena_copy(arena, block->boxes, block->box_count * sizeof(*boxes));
	for (size_t i = 0; i < block->box_count; i++) {
		boxes[i].x0 = within(inset->x0, inset->x1, boxes[i].x0);
		boxes[i].x1 = within(inset->x0, inset->x1, boxes[i].x1);
		boxes[i].y0 = within(inset->y0, inset->y1, boxes[i].y0);
		boxes[i].y1 = within(inset->y0, inset->y1, boxes[i].y1);
	}
	block->boxes = boxes;
}

struct whole {
	struct kb_arena *arena;
	struct kb_block *blocks;
	size_t count;
	uint32_t pictures;
};

static void add_inset(struct whole *out, const struct kb_inset *inset, const struct shown *shown)
{
	const struct kb_block *before = out->count ? &out->blocks[out->count - 1] : NULL;
	struct kb_sv path = before ? kb_block_path_after(out->arena, before) : KB_SV("");

	out->pictures += shown->parsed.block_count > 0;
	for (size_t i = 0; i < shown->parsed.block_count; i++) {
		struct kb_block block = shown->parsed.blocks[i];

		/* Headings would change the path of what follows. */
		block.type = block.type == KB_BLOCK_HEADING ? KB_BLOCK_PARAGRAPH : block.type;
		block.text = kb_arena_sv(out->arena, block.text);
		block.heading = path;
		block.page_no = inset->page_no;
		block.picture = out->pictures;
		block.table = 0;
		place_boxes(out->arena, inset, &block);
		out->blocks[out->count++] = block;
	}
}

/* From the list's next-th on: those that stand before the block. */
static size_t add_insets(const struct work *w, struct whole *out, size_t next, size_t block)
{
	while (next < w->found.count && w->found.v[next].block <= block) {
		add_inset(out, &w->found.v[next], &w->shown[next]);
		next++;
	}
	return next;
}

static void merge(const struct work *w, struct kb_arena *arena, struct kb_parsed *parsed)
{
	struct whole out = { .arena = arena };
	size_t most = parsed->block_count, next = 0;
	uint32_t *moved = KB_NEW_ARRAY(arena, parsed->block_count + 1, uint32_t);
	uint64_t offset = 0;

	for (size_t i = 0; i < w->found.count; i++)
		most += w->shown[i].parsed.block_count;
	if (most == parsed->block_count)
		return;
	out.blocks = KB_NEW_ARRAY(arena, most, struct kb_block);
	for (size_t i = 0; i < parsed->block_count; i++) {
		next = add_insets(w, &out, next, i);
		moved[i] = (uint32_t)out.count;
		out.blocks[out.count++] = parsed->blocks[i];
	}
	add_insets(w, &out, next, parsed->block_count);
	moved[parsed->block_count] = (uint32_t)out.count;
	for (size_t i = 0; i < out.count; i++) {
		out.blocks[i].offset = (uint32_t)KB_MIN(offset, (uint64_t)UINT32_MAX);
		offset += out.blocks[i].text.n + 1;
	}
	for (size_t i = 0; i < parsed->picture_count; i++)
		parsed->pictures[i].block = moved[parsed->pictures[i].block];
	parsed->blocks = out.blocks;
	parsed->block_count = out.count;
}

/* By the block that they stand before; a page may name its pictures in any order. */
static void put_in_order(struct work *w)
{
	for (size_t i = 1; i < w->found.count; i++) {
		struct kb_inset inset = w->found.v[i];
		size_t at = i;

		for (; at && w->found.v[at - 1].block > inset.block; at--)
			w->found.v[at] = w->found.v[at - 1];
		w->found.v[at] = inset;
	}
}

static struct kb_sv both(struct kb_arena *arena, struct kb_sv a, struct kb_sv b)
{
	return a.n && b.n ? kb_arena_printf(arena, "%.*s; %.*s", KB_SV_ARG(a), KB_SV_ARG(b))
	                  : (a.n ? a : b);
}

static struct kb_sv note_of(const struct work *w, struct kb_arena *arena)
{
	size_t failed = 0, unseen = 0;
	const char *failure = "", *blindness = "";
	struct kb_sv note = KB_SV(""), blind = KB_SV("");

	for (size_t i = 0; i < w->found.count; i++) {
		const struct shown *shown = &w->shown[i];

		if (shown->failed && !failed++)
			failure = shown->why.msg;
		if (shown->unseen && !unseen++)
			blindness = shown->why.msg;
	}
	if (failed)
		note = kb_arena_printf(arena,
		                       "%zu of %zu pictures in it could not be looked at; the "
		                       "first: %s",
		                       failed, w->found.count, failure);
	if (unseen)
		blind = kb_arena_printf(arena,
		                        "%zu of %zu pictures in it %s left to OCR, not seen by a "
		                        "model: %s",
		                        unseen, w->found.count, unseen == 1 ? "was" : "were",
		                        blindness);
	return both(arena, w->found.lost, both(arena, note, blind));
}

/* Also what a web page's pictures fail for says nothing of the page. */
static bool find_all(struct work *w, struct kb_arena *arena, const struct kb_parsed *parsed,
                     struct kb_err *err)
{
	struct kb_err why;

	if (kb_insets_find(&w->found, arena, parsed, &why))
		return true;
	if (why.code == KB_E_CANCELLED) {
		*err = why;
		return false;
	}
	w->found.lost =
	        kb_arena_printf(arena, "the pictures in it could not be found: %s", why.msg);
	w->found.count = 0;
	return true;
}

bool kb_insets_read(struct kb_insets *insets, struct kb_arena *arena,
                    const struct kb_parse_request *request, struct kb_parsed *parsed,
                    struct kb_err *err)
{
	struct work w = { .insets = insets,
		          .request = request,
		          .found = { .parser = insets->sight->parser,
		                     .cancel = insets->cancel,
		                     .on_web = insets->pictures != NULL,
		                     .request = request,
		                     .lost = KB_SV("") } };
	bool ok;

	if (!find_all(&w, arena, parsed, err))
		return false;
	insets->note = w.found.lost;
	if (!w.found.count)
		return true;
	put_in_order(&w);
	pthread_mutex_init(&w.mutex, NULL);
	w.models = kb_scan_models(arena, parsed, insets->lang);
	w.shown = kb_xcalloc(w.found.count, sizeof(*w.shown));
	w.crew = (struct kb_crew){ .name = "insets",
		                   .threads = AT_ONCE,
		                   .task = show_one,
		                   .arg = &w,
		                   .cancel = insets->cancel };
	ok = kb_crew_run(&w.crew, 0, w.found.count, err);
	if (ok) {
		merge(&w, arena, parsed);
		insets->note = note_of(&w, arena);
	}
	for (size_t i = 0; i < w.found.count; i++)
		kb_arena_fini(&w.shown[i].arena);
	free(w.shown);
	pthread_mutex_destroy(&w.mutex);
	return ok;
}
