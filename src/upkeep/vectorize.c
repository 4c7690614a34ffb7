#include "upkeep/vectorize.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/bell.h"
#include "base/pool.h"
#include "base/temp.h"
#include "base/utf8.h"
#include "index/vectors.h"
#include "store/vectors.h"
#include "store/work.h"
#include "upkeep/config.h"
#include "upkeep/known_texts.h"

enum {
	LOOK_MS = 500,         /* between looks for segments without the column */
	PART_US = 5 * 1000000, /* of one segment at a time: then it becomes true and the next has
	                          its turn */
	KNOWN_AT_ONCE = 256,   /* texts that are looked up between two looks at the clock */
	TEXT_MIN = 500,        /* bytes; a text that is refused is halved down to this */
	NICE = 10,
	SEGMENTS_AT_ONCE = KB_VECTORS_MISSING_MAX,
	LEASE_S = 1800, /* of an agent, for a turn of some seconds */
};

struct kb_vectorize {
	struct kb_vectorizer with;
	struct kb_catalog *catalog;
	struct kb_store *store;
	struct kb_blobs *blobs;
	const struct kb_log *log;
	const char *temp_dir;
	pthread_t thread;
	pthread_mutex_t merging;
	struct kb_bell bell;
	/* The segment at which the last round failed: the next one begins behind it. */
	int64_t failed_agent_id, failed_segment_id;
	_Atomic int64_t vectors, known, spent_us, refused, failures, waiting;
};

/* One segment's turn. */
struct turn {
	struct kb_vectorize *v;
	const struct kb_vectors_missing *missing;
	const struct kb_vector_column *column;
	struct kb_arena arena;
	struct kb_index_state state;
	const struct kb_segment_row *row;
	struct kb_segment *segment;
	struct kb_snapshot *snapshot; /* of this segment alone */
	struct kb_vectors_writer *writer;
	struct kb_known_texts *known; /* NULL: none are */
	uint32_t *todo;               /* passages without a vector, in order */
	size_t todo_count, done, made;
};

static void rest(struct kb_vectorize *v, int64_t ms)
{
	kb_bell_rest(&v->bell, kb_clock_steady_us(v->bell.clock) + ms * 1000);
}

/* ---- what is to be done of a segment ---- */

static bool open_segment(struct turn *turn, struct kb_err *err)
{
	const struct kb_vectors_missing *missing = turn->missing;
	struct kb_vectorize *v = turn->v;

	if (!kb_store_index_state(v->store, &turn->arena, missing->agent_id, &turn->state, err))
		return false;
	for (size_t i = 0; i < turn->state.segment_count; i++)
		if (turn->state.segments[i].id == missing->segment_id)
			turn->row = &turn->state.segments[i];
	if (!turn->row)
		return kb_fail(err, KB_E_CONFLICT, "segment %" PRId64 " was replaced meanwhile",
		               missing->segment_id);
	turn->segment = kb_catalog_segment(v->catalog, missing->segment_blob, err);
	if (!turn->segment)
		return false;
	turn->snapshot =
	        kb_snapshot_new(&(struct kb_snapshot_part){ .segment = turn->segment,
	                                                    .version = turn->row->version,
	                                                    .page_shift = turn->row->page_shift },
	                        1, NULL, 0);
	return true;
}

/* Takes over the vectors that are there; the living passages without one are to be done, but for
 * the first of them, which the model would not take: the last `pending` are those it was not asked
 * for. */
static void plan(struct turn *turn)
{
	const struct kb_vectors_missing *missing = turn->missing;
	const struct kb_vector_column *column = turn->column;
	uint32_t passages = (uint32_t)missing->passages;
	struct kb_vectors *old = NULL;
	struct kb_vectors_info info;

	/* One that is damaged is made anew. */
	if (missing->blob.n)
		old = kb_catalog_vectors(turn->v->catalog, missing->blob, NULL);
	if (old) {
		kb_vectors_info(old, &info);
		if (info.dims != column->dims || info.passages != passages) {
			kb_vectors_release(old);
			old = NULL;
		}
	}
	turn->writer = kb_vectors_writer_new(column->name, column->model, column->dims, passages);
	turn->todo = KB_NEW_ARRAY(&turn->arena, passages, uint32_t);
	for (uint32_t doc = 0; doc < passages; doc++) {
		if (!(old && kb_vectors_writer_take(turn->writer, doc, old, doc))
		    && !kb_dead_has(&turn->state, turn->row->version,
		                    kb_snapshot_page(turn->snapshot, 0, doc)))
			turn->todo[turn->todo_count++] = doc;
	}
	if (old && turn->todo_count > (size_t)missing->pending) {
		turn->todo += turn->todo_count - (size_t)missing->pending;
		turn->todo_count = (size_t)missing->pending;
	}
	kb_vectors_release(old);
}

/* ---- texts and their vectors ---- */

static bool text_of(const struct turn *turn, struct kb_arena *arena, uint32_t doc,
                    struct kb_vectorizer_text *out, struct kb_err *err)
{
	const struct kb_vectorizer *with = &turn->v->with;
	struct kb_passage p;

	if (!kb_snapshot_passage(turn->snapshot, arena, 0, doc, &p, err))
		return false;
	*out = (struct kb_vectorizer_text){ 0 };
	if (with->embed_parts)
		kb_vectorizer_sentences(arena, &p, with->text_bytes, out);
	else
		out->text = kb_vectorizer_text(arena, &p, with->text_bytes);
	return true;
}

static bool ask_model(const struct turn *turn, struct kb_arena *arena,
                      const struct kb_vectorizer_text *texts, size_t count,
                      struct kb_vectorized *out, struct kb_err *err)
{
	const struct kb_vectorizer *with = &turn->v->with;
	struct kb_sv *whole;

	*out = (struct kb_vectorized){ 0 };
	if (with->embed_parts)
		return with->embed_parts(with->arg, arena, texts, count, out, err);
	whole = KB_NEW_ARRAY(arena, count, struct kb_sv);
	for (size_t i = 0; i < count; i++)
		whole[i] = texts[i].text;
	return with->embed(with->arg, arena, whole, count, &out->rows, err);
}

static bool embed(struct turn *turn, struct kb_arena *arena, const uint32_t *docs,
                  struct kb_vectorizer_text *texts, size_t count, struct kb_err *err)
{
	struct kb_vectorize *v = turn->v;
	uint32_t dims = turn->column->dims;
	struct kb_vectorized made;
	size_t half = count / 2;

	if (ask_model(turn, arena, texts, count, &made, err)) {
		for (size_t i = 0; i < count; i++) {
			kb_vectors_writer_set(turn->writer, docs[i], made.rows + i * dims);
			if (!made.parts)
				continue;
			kb_vectors_writer_parts(turn->writer, docs[i], made.parts,
			                        (uint32_t)texts[i].parts);
			made.parts += texts[i].parts * dims;
		}
		turn->made += count;
		return true;
	}
	if (err->code != KB_E_INVALID)
		return false;
	/* One of them is too much for the model: the others are not. */
	if (count > 1)
		return embed(turn, arena, docs, texts, half, err)
		       && embed(turn, arena, docs + half, texts + half, count - half, err);
	if (texts[0].text.n > TEXT_MIN) {
		/* A server's model, which knows of no parts. */
		texts[0] = (struct kb_vectorizer_text){ .text = kb_utf8_cut(texts[0].text,
			                                                    texts[0].text.n / 2) };
		return embed(turn, arena, docs, texts, 1, err);
	}
	kb_warn(v->log,
	        "passage not embedded agent=%" PRId64 " segment=%" PRId64 " passage=%u error=%s",
	        turn->missing->agent_id, turn->missing->segment_id, docs[0], err->msg);
	atomic_fetch_add(&v->refused, 1);
	return true;
}

/* Takes over the vector of the same text in a document that was replaced. */
static bool is_known(const struct turn *turn, uint32_t doc, struct kb_sv text)
{
	return turn->known && kb_known_texts_take(turn->known, text, turn->writer, doc);
}

/* The next batch. */
static bool take_batch(struct turn *turn, struct kb_err *err)
{
	const struct kb_vectorizer *with = &turn->v->with;
	struct kb_arena arena = { 0 };
	struct kb_vectorizer_text *texts =
	        KB_NEW_ARRAY(&arena, with->batch_texts, struct kb_vectorizer_text);
	uint32_t *docs = KB_NEW_ARRAY(&arena, with->batch_texts, uint32_t);
	size_t count = 0, bytes = 0, next = turn->done, known = 0;
	bool ok = true;

	while (ok && next < turn->todo_count && count < with->batch_texts
	       && known < KNOWN_AT_ONCE) {
		uint32_t doc = turn->todo[next];

		ok = text_of(turn, &arena, doc, &texts[count], err);
		if (!ok || (count && bytes + texts[count].text.n > with->batch_bytes))
			break;
		next++;
		/* Blanks have no meaning, and models refuse them. */
		if (!kb_sv_trim(texts[count].text).n)
			continue;
		if (is_known(turn, doc, texts[count].text)) {
			known++;
			continue;
		}
		bytes += texts[count].text.n;
		docs[count++] = doc;
	}
	ok = ok && (!count || embed(turn, &arena, docs, texts, count, err));
	if (ok) {
		turn->done = next;
		atomic_fetch_add(&turn->v->known, (int64_t)known);
	}
	kb_arena_fini(&arena);
	return ok;
}

/* ---- making it true ---- */

static bool make_true(struct turn *turn, struct kb_err *err)
{
	struct kb_vectorize *v = turn->v;
	struct kb_vectors_new column = {
		.segment_id = turn->missing->segment_id,
		.name = turn->column->name,
		.model = turn->column->model,
		.family = KB_SV(KB_EMBED_FAMILY),
		.pending = (int64_t)(turn->todo_count - turn->done),
	};
	struct kb_vectors *written = NULL;
	struct kb_vectors_info info;
	struct kb_blob_name blob;
	char path[KB_TEMP_PATH];
	bool ok;

	kb_temp_path(path, v->temp_dir, KB_TEMP_COLUMN);
	ok = kb_vectors_writer_finish(turn->writer, path, &column.bytes, err)
	     && (written = kb_vectors_open(path, false, err)) != NULL;
	if (ok) {
		kb_vectors_info(written, &info);
		column.filled = info.filled;
		kb_vectors_release(written);
	}
	if (!ok || !kb_blob_take(v->blobs, path, &blob, &column.bytes, err)) {
		unlink(path);
		return false;
	}
	column.blob = kb_sv_str(blob.hex);
	pthread_mutex_lock(&v->merging);
	ok = kb_store_vectors_put(v->store, turn->missing->agent_id, &column, err);
	pthread_mutex_unlock(&v->merging);
	if (ok)
		kb_catalog_refresh(v->catalog, turn->missing->agent_id, KB_SV(""));
	return ok;
}

static void turn_end(struct turn *turn)
{
	kb_known_texts_free(turn->known);
	kb_vectors_writer_free(turn->writer);
	kb_snapshot_release(turn->snapshot);
	kb_segment_release(turn->segment);
	kb_arena_fini(&turn->arena);
}

/* Brings one segment further. False: the model or the store failed; what was made is true. */
static bool take_turn(struct kb_vectorize *v, const struct kb_vectors_missing *missing,
                      const struct kb_vector_column *column, struct kb_err *err)
{
	struct turn turn = { .v = v, .missing = missing, .column = column };
	int64_t start = kb_clock_mono_us();
	struct kb_err put_err;
	bool ok = open_segment(&turn, err);

	if (ok) {
		plan(&turn);
		if (turn.todo_count)
			turn.known = kb_known_texts_new(v->catalog, &turn.state, column,
			                                v->with.text_bytes);
		while (ok && turn.done < turn.todo_count && !kb_bell_is_stopped(&v->bell)
		       && kb_clock_mono_us() - start < PART_US)
			ok = take_batch(&turn, err);
	}
	if (turn.writer && (turn.done || !turn.todo_count)) {
		if (make_true(&turn, ok ? err : &put_err)) {
			atomic_fetch_add(&v->vectors, (int64_t)turn.made);
			atomic_fetch_add(&v->spent_us, kb_clock_mono_us() - start);
			kb_info(v->log,
			        "passages embedded agent=%" PRId64 " segment=%" PRId64
			        " vectors=%zu waiting=%zu took_ms=%" PRId64,
			        missing->agent_id, missing->segment_id, turn.made,
			        turn.todo_count - turn.done, (kb_clock_mono_us() - start) / 1000);
			if (turn.done == turn.todo_count)
				atomic_fetch_sub(&v->waiting, 1);
		} else {
			ok = false;
		}
	}
	turn_end(&turn);
	return ok;
}

/* Where the list is gone on with: behind the segment at which the last round failed, lest it keep
 * the others waiting. */
static size_t first_of(const struct kb_vectorize *v, const struct kb_vectors_missing *missing,
                       size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (missing[i].agent_id == v->failed_agent_id
		    && missing[i].segment_id == v->failed_segment_id)
			return i + 1 < count ? i + 1 : 0;
	return 0;
}

/* What the segment misses now that the lease is ours: another node may have brought it further
 * since it was listed. *now is NULL where nothing is missing any more. */
static bool look_again(struct kb_vectorize *v, struct kb_arena *arena,
                       const struct kb_vectors_missing *listed,
                       const struct kb_vector_column *column, const struct kb_vectors_missing **now,
                       struct kb_err *err)
{
	const struct kb_vectors_want want = { .name = column->name,
		                              .model = column->model,
		                              .agent_id = listed->agent_id,
		                              .limit = KB_VECTORS_MISSING_MAX };
	struct kb_vectors_missing *all;
	size_t count;

	*now = NULL;
	if (!kb_store_vectors_missing(v->store, arena, &want, &all, &count, err))
		return false;
	for (size_t i = 0; i < count; i++)
		if (all[i].segment_id == listed->segment_id)
			*now = &all[i];
	return true;
}

/* Brings the segment further, unless another node works for its agent. */
static bool go_on_with(struct kb_vectorize *v, const struct kb_vectors_missing *listed,
                       const struct kb_vector_column *column, bool *taken, struct kb_err *err)
{
	struct kb_work work = { .kind = KB_WORK_VECTORS, .agent_id = listed->agent_id };
	bool ok = kb_store_work_take(v->store, &work, LEASE_S * KB_SECOND_US, taken, err);
	const struct kb_vectors_missing *now;
	struct kb_arena arena = { 0 };

	if (!ok || !*taken)
		return ok;
	ok = look_again(v, &arena, listed, column, &now, err)
	     && (!now || take_turn(v, now, column, err));
	kb_store_work_done(v->store, &work);
	kb_arena_fini(&arena);
	/* Merged or deleted meanwhile: what took its place is found the next time. */
	return ok || err->code == KB_E_CONFLICT || err->code == KB_E_NOT_FOUND;
}

/* Goes through the segments that miss the column, agents with the least to do first; after some
 * seconds it ends, for smaller ones may have come. *more: something was done, and there may be
 * more. */
static bool go_round(struct kb_vectorize *v, bool *more, struct kb_err *err)
{
	struct kb_vectors_want want = { .limit = SEGMENTS_AT_ONCE };
	struct kb_vectors_missing *missing;
	struct kb_vector_column column;
	struct kb_arena arena = { 0 };
	size_t count = 0, first;
	int64_t start;
	bool ok = v->with.column(v->with.arg, &column, err);

	if (ok) {
		want.name = column.name;
		want.model = column.model;
		ok = kb_store_vectors_missing(v->store, &arena, &want, &missing, &count, err);
	}
	first = ok ? first_of(v, missing, count) : 0;
	if (ok)
		atomic_store(&v->waiting, (int64_t)count);
	start = kb_clock_mono_us(); /* a long list takes nobody's turn */
	v->failed_agent_id = v->failed_segment_id = 0;
	for (size_t i = first; ok && i < count && kb_clock_mono_us() - start < PART_US; i++) {
		bool taken = false;

		if (kb_bell_is_stopped(&v->bell))
			break;
		ok = go_on_with(v, &missing[i], &column, &taken, err);
		*more |= taken;
		if (!ok) {
			v->failed_agent_id = missing[i].agent_id;
			v->failed_segment_id = missing[i].segment_id;
		}
	}
	kb_arena_fini(&arena);
	return ok;
}

static void *run(void *arg)
{
	struct kb_vectorize *v = arg;
	int64_t pause_ms = 0; /* after the last failure */
	bool failed = false;

	kb_thread_set_nice(NICE);
	while (!kb_bell_is_stopped(&v->bell)) {
		struct kb_err err;
		bool more = false;

		if (go_round(v, &more, &err)) {
			/* Where all that waits is in other hands, nobody knows whether it would go.
			 */
			failed = failed && !more && atomic_load(&v->waiting) > 0;
			rest(v, more ? 1 : LOOK_MS);
			continue;
		}
		if (err.code == KB_E_CANCELLED)
			break;
		atomic_fetch_add(&v->failures, 1);
		/* Of a failure that lasts the metrics tell, and the log of who failed. */
		if (!failed)
			kb_warn(v->log, "passages not embedded, words go on error=%s", err.msg);
		pause_ms = failed ? KB_MIN(pause_ms * 2, v->with.pause_most_ms)
		                  : v->with.pause_first_ms;
		failed = true;
		/* It may have been the store that failed. */
		rest(v, KB_MAX(pause_ms, (int64_t)LOOK_MS));
	}
	return NULL;
}

struct kb_vectorize *kb_vectorize_start(const struct kb_upkeep_config *config)
{
	struct kb_vectorize *v;

	if (!config->vectorizer)
		return NULL;
	v = kb_xcalloc(1, sizeof(*v));
	v->with = *config->vectorizer;
	v->catalog = config->catalog;
	v->store = config->store;
	v->blobs = config->blobs;
	v->log = config->log;
	v->temp_dir = config->temp_dir;
	pthread_mutex_init(&v->merging, NULL);
	kb_bell_init(&v->bell, config->clock);
	v->thread = kb_thread_start("embed", run, v);
	return v;
}

void kb_vectorize_stop(struct kb_vectorize *v)
{
	if (!v)
		return;
	kb_bell_stop(&v->bell);
	pthread_join(v->thread, NULL);
	kb_bell_fini(&v->bell);
	pthread_mutex_destroy(&v->merging);
	free(v);
}

void kb_vectorize_stats(struct kb_vectorize *v, struct kb_vectorize_stats *out)
{
	*out = (struct kb_vectorize_stats){ 0 };
	if (!v)
		return;
	*out = (struct kb_vectorize_stats){ .vectors = atomic_load(&v->vectors),
		                            .spent_us = atomic_load(&v->spent_us),
		                            .known = atomic_load(&v->known),
		                            .refused = atomic_load(&v->refused),
		                            .failures = atomic_load(&v->failures),
		                            .waiting = atomic_load(&v->waiting) };
}

void kb_vectorize_hold(struct kb_vectorize *v)
{
	if (v)
		pthread_mutex_lock(&v->merging);
}

void kb_vectorize_release(struct kb_vectorize *v)
{
	if (v)
		pthread_mutex_unlock(&v->merging);
}
