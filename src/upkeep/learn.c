#include "upkeep/learn.h"

#include <stdio.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/temp.h"
#include "index/factors.h"
#include "store/vectors.h"
#include "store/work.h"

enum {
	FOLD_AT_ONCE = 64, /* segments asked for at a time */
};

/* A segment's column of a model, written beside the other temporary files and taken as a blob. */
static bool write_column(const struct kb_learn *learn, const struct kb_factors *factors,
                         const struct kb_segment *segment, struct kb_arena *arena,
                         struct kb_vectors_new *out, struct kb_err *err)
{
	struct kb_vectors_info column;
	struct kb_factors_info model;
	struct kb_vectors *vectors;
	struct kb_blob_name blob;
	char path[KB_TEMP_PATH];
	bool ok;

	kb_temp_path(path, learn->temp_dir, KB_TEMP_COLUMN);
	ok = kb_factors_fold(factors, segment, learn->cancel, path, &out->bytes, err)
	     && (vectors = kb_vectors_open(path, false, err)) != NULL;
	if (ok) {
		kb_vectors_info(vectors, &column);
		out->filled = column.filled;
		kb_vectors_release(vectors);
		ok = kb_blob_take(learn->blobs, path, &blob, &out->bytes, err);
	}
	if (!ok) {
		unlink(path);
		return false;
	}
	kb_factors_info(factors, &model);
	out->name = KB_FACTORS_COLUMN;
	out->model = kb_arena_sv(arena, model.mark);
	out->blob = kb_arena_sv(arena, kb_sv_str(blob.hex));
	out->pending = 0;
	return true;
}

/* An agent's segments at one version. */
struct agent {
	struct kb_arena arena;
	int64_t id;
	struct kb_index_state state;
	struct kb_snapshot_part *parts;
	size_t opened;
	struct kb_snapshot *snapshot;
};

static bool agent_open(const struct kb_learn *learn, struct agent *agent, int64_t id,
                       struct kb_err *err)
{
	const struct kb_index_state *state = &agent->state;
	struct kb_dead_page *dead;

	*agent = (struct agent){ .id = id };
	if (!kb_store_index_state(learn->store, &agent->arena, id, &agent->state, err))
		return false;
	agent->parts = KB_NEW_ARRAY(&agent->arena, state->segment_count, struct kb_snapshot_part);
	for (size_t i = 0; i < state->segment_count; i++) {
		struct kb_segment *segment =
		        kb_catalog_segment(learn->catalog, state->segments[i].blob, err);

		if (!segment)
			return false;
		agent->parts[agent->opened++] =
		        (struct kb_snapshot_part){ .segment = segment,
			                           .version = state->segments[i].version,
			                           .page_shift = state->segments[i].page_shift };
	}
	dead = KB_NEW_ARRAY(&agent->arena, state->dead_count, struct kb_dead_page);
	for (size_t i = 0; i < state->dead_count; i++)
		dead[i] = (struct kb_dead_page){ state->dead[i].page_id, state->dead[i].version };
	agent->snapshot =
	        kb_snapshot_new(agent->parts, state->segment_count, dead, state->dead_count);
	return true;
}

static void agent_close(struct agent *agent)
{
	kb_snapshot_release(agent->snapshot);
	for (size_t i = 0; i < agent->opened; i++)
		kb_segment_release(agent->parts[i].segment);
	kb_arena_fini(&agent->arena);
}

/* Learns from the agent's passages; the model is a blob then and open. */
static struct kb_factors *train(const struct kb_learn *learn, struct agent *agent,
                                struct kb_factors_new *out, struct kb_err *err)
{
	const struct kb_factors_options options = {
		/* Any will do; the same passages give the same model. */
		.seed = 1,
		.cancel = learn->cancel,
	};
	struct kb_factors *factors = NULL;
	struct kb_factors_info info;
	struct kb_blob_name blob;
	char path[KB_TEMP_PATH];

	kb_debug(learn->log, "learning factors agent=%" PRId64, agent->id);
	kb_temp_path(path, learn->temp_dir, KB_TEMP_FACTORS);
	if (!kb_factors_train(agent->snapshot, &options, path, &info, err)
	    || !(factors = kb_factors_open(path, err))
	    || !kb_blob_take(learn->blobs, path, &blob, &out->bytes, err)) {
		kb_factors_release(factors);
		unlink(path);
		return NULL;
	}
	kb_factors_info(factors, &info);
	out->mark = kb_arena_sv(&agent->arena, info.mark);
	out->blob = kb_arena_sv(&agent->arena, kb_sv_str(blob.hex));
	for (size_t i = 0; i < agent->state.segment_count; i++)
		out->passages += agent->state.segments[i].passages;
	return factors;
}

bool kb_learn_agent(const struct kb_learn *learn, int64_t agent_id, struct kb_err *err)
{
	int64_t started = kb_clock_mono_us();
	struct kb_factors_new model = { 0 };
	struct kb_vectors_new *columns;
	struct kb_factors *factors = NULL;
	struct kb_factors_info info;
	struct agent agent;
	bool ok = agent_open(learn, &agent, agent_id, err)
	          && (factors = train(learn, &agent, &model, err)) != NULL;

	columns = KB_NEW_ARRAY(&agent.arena, agent.opened, struct kb_vectors_new);
	for (size_t i = 0; ok && i < agent.opened; i++) {
		columns[i].segment_id = agent.state.segments[i].id;
		ok = write_column(learn, factors, agent.parts[i].segment, &agent.arena, &columns[i],
		                  err);
	}
	ok = ok && kb_store_factors_put(learn->store, agent_id, &model, columns, agent.opened, err);
	if (ok) {
		kb_factors_info(factors, &info);
		kb_info(learn->log,
		        "factors learned agent=%" PRId64 " passages=%" PRId64
		        " terms=%u bytes=%" PRId64 " took_ms=%" PRId64,
		        agent_id, info.passages, info.terms, info.bytes,
		        (kb_clock_mono_us() - started) / 1000);
	}
	kb_factors_release(factors);
	agent_close(&agent);
	return ok;
}

/* Folds one segment that misses the column. */
static bool fold(const struct kb_learn *learn, const struct kb_vectors_missing *missing,
                 struct kb_arena *arena, struct kb_err *err)
{
	struct kb_vectors_new column = { .segment_id = missing->segment_id };
	struct kb_segment *segment = NULL;
	struct kb_factors *factors = NULL;
	struct kb_index_state state;
	bool ok;

	ok = kb_store_index_state(learn->store, arena, missing->agent_id, &state, err)
	     && (factors = kb_catalog_factors(learn->catalog, state.factors.blob, err)) != NULL
	     && (segment = kb_catalog_segment(learn->catalog, missing->segment_blob, err)) != NULL
	     && write_column(learn, factors, segment, arena, &column, err)
	     && kb_store_vectors_put(learn->store, missing->agent_id, &column, err);
	kb_factors_release(factors);
	kb_segment_release(segment);
	return ok;
}

/* From one agent's lease to the next. */
static bool work_on(const struct kb_learn *learn, struct kb_work *work, int64_t agent_id,
                    bool *taken, struct kb_err *err)
{
	enum { LEASE_S = 1800 };

	if (agent_id == work->agent_id)
		return true;
	if (*taken)
		kb_store_work_done(learn->store, work);
	*taken = false;
	work->agent_id = agent_id;
	return kb_store_work_take(learn->store, work, LEASE_S * KB_SECOND_US, taken, err);
}

bool kb_learn_fold(const struct kb_learn *learn, int64_t *folded, struct kb_err *err)
{
	struct kb_vectors_want want = { .name = KB_FACTORS_COLUMN, .limit = FOLD_AT_ONCE };
	struct kb_work work = { .kind = KB_WORK_FACTORS };
	bool taken = false;
	struct kb_arena arena = { 0 };
	size_t count;
	bool ok;

	*folded = 0;
	do {
		struct kb_vectors_missing *missing;

		ok = kb_store_vectors_missing(learn->store, &arena, &want, &missing, &count, err);
		for (size_t i = 0; ok && i < count && !kb_cancelled(learn->cancel, NULL); i++) {
			struct kb_err why;

			want.after_agent_id = missing[i].agent_id;
			want.after_segment_id = missing[i].segment_id;
			ok = work_on(learn, &work, missing[i].agent_id, &taken, err);
			if (!taken)
				continue;
			if (fold(learn, &missing[i], &arena, &why))
				++*folded;
			/* Merged or deleted meanwhile, or its model was replaced. */
			else if (why.code != KB_E_CONFLICT && why.code != KB_E_NOT_FOUND
			         && why.code != KB_E_CANCELLED)
				kb_warn(learn->log,
				        "segment not folded agent=%" PRId64 " segment=%" PRId64
				        " error=%s",
				        missing[i].agent_id, missing[i].segment_id, why.msg);
		}
		kb_arena_reset(&arena);
	} while (ok && count == FOLD_AT_ONCE && !kb_cancelled(learn->cancel, NULL));
	if (taken)
		kb_store_work_done(learn->store, &work);
	kb_arena_fini(&arena);
	return ok;
}
