#include "upkeep/sweep_bucket.h"

#include <stdlib.h>

#include "index/index.h"
#include "store/blobs.h"

enum { UPLOADS_S = 86400 }; /* so old, an upload in parts that has not ended never will */
/* A removal that comes to its request later than this after its row leaves it: a put may be about
 * to go over it. */
#define REMOVE_WITHIN_US (KB_BLOB_GOING_US / 3)

/* ---- the ledger ---- */

static bool note(void *arg, const char *name, struct kb_sv bytes, bool *known, struct kb_err *err)
{
	return kb_store_blob_note(
	        arg,
	        &(struct kb_blob_note){
	                .name = kb_sv_str(name),
	                .bytes = (int64_t)bytes.n,
	                .made = bytes.n >= KB_INDEX_HEAD
	                        && kb_index_made(kb_sv_sub(bytes, 0, KB_INDEX_HEAD)) },
	        known, err);
}

void kb_sweep_keep_ledger(struct kb_blobs *blobs, struct kb_store *store)
{
	kb_blobs_set_ledger(blobs, &(struct kb_blob_ledger){ note, store });
}

/* What a listing finds, entered a thousand at a time. */
struct entering {
	struct kb_store *store;
	struct kb_arena arena;
	struct kb_blob_note *notes;
	size_t count, capacity;
	bool ok;
	struct kb_err *err;
};

static bool enter(struct entering *in)
{
	in->ok = kb_store_blobs_enter(in->store, in->notes, in->count, in->err);
	in->count = 0;
	kb_arena_reset(&in->arena);
	return in->ok;
}

static bool enter_one(void *arg, const char *name, int64_t size, int64_t age_s)
{
	enum { AT_ONCE = 1000 };
	struct entering *in = arg;

	(void)age_s;
	KB_GROW(in->notes, in->capacity, in->count + 1);
	in->notes[in->count++] =
	        (struct kb_blob_note){ .name = kb_arena_sv(&in->arena, kb_sv_str(name)),
		                       .bytes = size };
	return in->count < AT_ONCE || enter(in);
}

bool kb_sweep_enter_all(struct kb_blobs *blobs, struct kb_store *store, struct kb_err *err)
{
	struct entering in = { .store = store, .ok = true, .err = err };
	bool ok = kb_blob_each(blobs, enter_one, &in, err) && in.ok && enter(&in);

	free(in.notes);
	kb_arena_fini(&in.arena);
	return ok;
}

/* ---- a page ---- */

struct page {
	struct kb_arena arena;
	struct kb_store *store;
	struct kb_blobs *blobs;
	const struct kb_sweep_limits *limits;
	struct kb_blob_page rows;
	struct kb_blob_step *steps; /* what is to become of rows */
	size_t step_count;
	struct kb_blob_note *unknown; /* named, and without a row */
	size_t unknown_count;
	struct kb_sweep *out;
};

static int64_t patience_us(const struct page *page, const struct kb_blob_row *row)
{
	const struct kb_sweep_limits *limits = page->limits;
	int64_t s = row->made                       ? limits->made_s
	            : row->state == KB_BLOB_LEAVING ? limits->trash_s
	                                            : limits->unnamed_s;

	return row->state == KB_BLOB_GOING ? KB_BLOB_GOING_US : s * KB_SECOND_US;
}

static void plan(struct page *page, const struct kb_blob_row *row, enum kb_blob_state to)
{
	page->steps[page->step_count++] =
	        (struct kb_blob_step){ .from = row, .to = to, .at = page->rows.now };
}

/* A row that no other row's name protects goes one step, when it has been where it is for long
 * enough; no page ends more than its share. */
static void judge_unnamed(struct page *page, const struct kb_blob_row *row, int64_t *left)
{
	page->out->unnamed++;
	page->out->in_trash += row->state == KB_BLOB_LEAVING;
	if (page->rows.now - row->at < patience_us(page, row))
		return;
	if (row->state == KB_BLOB_HERE) {
		plan(page, row, KB_BLOB_LEAVING);
	} else if (*left > 0) {
		--*left;
		plan(page, row, KB_BLOB_GOING);
	} else {
		page->out->left++;
	}
}

/* What is named is here. A removal that may be going on is let be: it began when nothing named the
 * blob, so whoever has named it since has put it, and waited for that. */
static void judge_named(struct page *page, const struct kb_blob_row *row)
{
	if (row->state == KB_BLOB_LEAVING
	    || (row->state == KB_BLOB_GOING && page->rows.now - row->at >= KB_BLOB_GOING_US))
		plan(page, row, KB_BLOB_HERE);
}

/* Goes through rows and names in their order. */
static void judge(struct page *page)
{
	const struct kb_blob_page *rows = &page->rows;
	int64_t left = KB_MAX(page->limits->least, (int64_t)rows->count / page->limits->share);
	size_t i = 0, k = 0;

	page->steps = KB_NEW_ARRAY(&page->arena, rows->count, struct kb_blob_step);
	page->unknown = KB_NEW_ARRAY(&page->arena, rows->named_count, struct kb_blob_note);
	while (i < rows->count || k < rows->named_count) {
		int order = i == rows->count ? 1
		            : k == rows->named_count
		                    ? -1
		                    : kb_sv_cmp(rows->rows[i].name, rows->named[k]);

		if (order < 0) {
			judge_unnamed(page, &rows->rows[i++], &left);
		} else if (order > 0) {
			page->unknown[page->unknown_count++] =
			        (struct kb_blob_note){ .name = rows->named[k++] };
		} else {
			judge_named(page, &rows->rows[i++]);
			k++;
		}
	}
}

/* The row is ours to remove, for as long as nobody may believe us dead. */
static bool remove_one(struct page *page, const struct kb_blob_step *step, int64_t begun_us,
                       struct kb_err *err)
{
	const char *name = kb_arena_str(&page->arena, step->from->name);
	bool removed;

	if (kb_clock_mono_us() - begun_us > REMOVE_WITHIN_US)
		return true;
	if (!kb_blob_remove(page->blobs, name, 0, &removed, err)
	    || !kb_store_blob_gone(page->store, step->from->name, step->at, err))
		return false;
	page->out->removed++;
	return true;
}

/* What a sweep that ends early has not come to is leaving again, as it was: nobody has to wait for
 * a removal that nobody makes. Where this fails, a put goes over them in some minutes. */
static void let_be(struct page *page, size_t from)
{
	struct kb_blob_step *back =
	        KB_NEW_ARRAY(&page->arena, page->step_count, struct kb_blob_step);
	struct kb_blob_row *rows = KB_NEW_ARRAY(&page->arena, page->step_count, struct kb_blob_row);
	size_t count = 0;
	struct kb_err ignored;

	for (size_t i = from; i < page->step_count; i++) {
		const struct kb_blob_step *step = &page->steps[i];

		if (!step->done || step->to != KB_BLOB_GOING)
			continue;
		rows[count] = *step->from;
		rows[count].state = KB_BLOB_GOING;
		rows[count].at = step->at;
		back[count] = (struct kb_blob_step){ .from = &rows[count],
			                             .to = KB_BLOB_LEAVING,
			                             .at = step->from->at };
		count++;
	}
	if (!kb_store_blobs_step(page->store, back, count, &ignored))
		return;
}

static bool remove_all(struct page *page, int64_t begun_us, struct kb_err *err)
{
	for (size_t i = 0; i < page->step_count; i++) {
		const struct kb_blob_step *step = &page->steps[i];

		if (!step->done || step->to != KB_BLOB_GOING)
			continue;
		if (kb_cancelled(page->limits->cancel, err)) {
			let_be(page, i);
			return false;
		}
		if (!remove_one(page, step, begun_us, err)) {
			let_be(page, i + 1); /* the one that failed may still be on its way */
			return false;
		}
	}
	return true;
}

static bool carry_out(struct page *page, struct kb_err *err)
{
	int64_t begun_us = kb_clock_mono_us();

	if (!kb_store_blobs_enter(page->store, page->unknown, page->unknown_count, err)
	    || !kb_store_blobs_step(page->store, page->steps, page->step_count, err))
		return false;
	for (size_t i = 0; i < page->step_count; i++) {
		const struct kb_blob_step *step = &page->steps[i];

		if (!step->done)
			continue;
		page->out->discarded += step->to == KB_BLOB_LEAVING;
		page->out->recalled += step->to == KB_BLOB_HERE;
		page->out->in_trash += step->to == KB_BLOB_LEAVING;
		page->out->in_trash -= step->from->state == KB_BLOB_LEAVING;
	}
	return remove_all(page, begun_us, err);
}

bool kb_sweep_bucket(struct kb_store *store, struct kb_blobs *blobs,
                     const struct kb_sweep_limits *limits, struct kb_sweep *out, bool *more,
                     struct kb_err *err)
{
	struct page page = { .store = store, .blobs = blobs, .limits = limits, .out = out };
	bool ok;

	*out = (struct kb_sweep){ 0 };
	*more = false;
	ok = kb_store_blobs_page(store, &page.arena, (size_t)limits->page, &page.rows, err);
	if (ok && !page.rows.in_flux) {
		out->blobs = (int64_t)page.rows.count;
		*more = page.rows.after.n > 0;
		judge(&page);
		/* The round goes on whatever becomes of what is tidied up at its end. */
		ok = carry_out(&page, err) && kb_store_blobs_turn(store, page.rows.after, err)
		     && (*more
		         || (kb_sweep_views(store, limits, out, err)
		             && kb_blobs_tidy(blobs, UPLOADS_S, err)));
	}
	kb_arena_fini(&page.arena);
	return ok;
}
