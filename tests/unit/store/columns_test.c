/* Rows of vector columns and factor models: with their segments, through merges, what is missing.
 */
#include "fixture.h"
#include "store/vectors.h"

static struct kb_index_state state_of(struct fixture *f, int64_t agent_id)
{
	struct kb_index_state state;

	NEED(f, kb_store_index_state(f->store, &f->arena, agent_id, &state, &f->err));
	return state;
}

static struct kb_vectors_new column(int64_t segment_id, const char *model, const char *blob)
{
	return (struct kb_vectors_new){
		.segment_id = segment_id,
		.name = KB_SV("lsi"),
		.model = kb_sv_str(model),
		.blob = kb_sv_str(blob),
		.bytes = 100,
		.filled = 2,
	};
}

static bool put(struct fixture *f, int64_t agent_id, struct kb_vectors_new new)
{
	return kb_store_vectors_put(f->store, agent_id, &new, &f->err);
}

/* How many segments lack the column; the first of them in *first. */
static size_t missing(struct fixture *f, const char *model, struct kb_vectors_missing *first)
{
	struct kb_vectors_missing *v;
	size_t count;

	NEED(f, kb_store_vectors_missing(f->store, &f->arena,
	                                 &(struct kb_vectors_want){ .name = KB_SV("lsi"),
	                                                            .model = kb_sv_str(model),
	                                                            .limit = 10 },
	                                 &v, &count, &f->err));
	if (count)
		*first = v[0];
	return count;
}

/* An agent with so many segments of two passages. */
static struct kb_agent agent_of(struct fixture *f, int segments, const char *name)
{
	struct kb_agent agent = fixture_agent(f, name);

	fixture_pages(f, agent.id, (size_t)segments);
	for (int i = 0; i < segments; i++)
		fixture_index(f, 1);
	return agent;
}

static void test_put_and_drop(struct kb_test *t)
{
	struct kb_index_state state;
	struct kb_agent agent;
	struct kb_sv *names;
	struct fixture f;
	size_t count;
	int64_t id;

	fixture_init(&f, t);
	agent = agent_of(&f, 2, "a");
	id = state_of(&f, agent.id).segments[0].id;
	CHECK(t, put(&f, agent.id, column(id, "m1", "v1")));
	state = state_of(&f, agent.id);
	CHECK_INT(t, state.version, 3); /* two segments, then the column */
	CHECK_INT(t, state.vectors_count, 1);
	CHECK_INT(t, state.vectors[0].segment_id, id);
	CHECK_SV(t, state.vectors[0].model, "m1");
	CHECK_SV(t, state.vectors[0].blob, "v1");
	CHECK(t, put(&f, agent.id, column(id, "m2", "v2"))); /* replaces it */
	state = state_of(&f, agent.id);
	CHECK_INT(t, state.version, 4);
	CHECK_INT(t, state.vectors_count, 1);
	CHECK_SV(t, state.vectors[0].blob, "v2");
	NEED(&f, kb_store_blob_names(f.store, &f.arena, &names, &count, NULL, &f.err));
	CHECK_SV(t, names[count - 1], "v2");

	CHECK(t, !put(&f, agent.id, column(999, "m", "v")));
	CHECK_INT(t, f.err.code, KB_E_CONFLICT);
	CHECK(t, !put(&f, 999, column(id, "m", "v")));
	CHECK_INT(t, f.err.code, KB_E_CONFLICT);
	CHECK(t,
	      !put(&f, agent.id,
	           (struct kb_vectors_new){ .segment_id = id, .name = KB_SV("lsi"), .filled = 3 }));
	CHECK_INT(t, f.err.code, KB_E_INVALID);
	for (int i = 0; i < KB_SEGMENT_COLUMNS_MAX; i++) {
		struct kb_vectors_new new = column(id, "m", "v");

		new.name = kb_arena_printf(&f.arena, "column %d", i);
		CHECK(t, put(&f, agent.id, new) == (i < KB_SEGMENT_COLUMNS_MAX - 1));
	}
	CHECK_INT(t, f.err.code, KB_E_INVALID);

	/* Only while it is that blob. */
	CHECK(t, kb_store_vectors_drop(f.store, agent.id, id, KB_SV("lsi"), KB_SV("v1"), &f.err));
	CHECK_INT(t, state_of(&f, agent.id).vectors_count, KB_SEGMENT_COLUMNS_MAX);
	CHECK(t, kb_store_vectors_drop(f.store, agent.id, id, KB_SV("lsi"), KB_SV("v2"), &f.err));
	CHECK_INT(t, state_of(&f, agent.id).vectors_count, KB_SEGMENT_COLUMNS_MAX - 1);
	CHECK(t, kb_store_agent_delete(f.store, f.account.id, agent.id, &f.err));
	fixture_fini(&f);
}

/* Columns of models that took each other's place: the segment keeps two of them. */
static void test_family(struct kb_test *t)
{
	static const char *const puts[] = { "e:one",   "e:two", "e:one", "e:three",
		                            "e:three", "other", "e:four" };
	struct kb_index_state state;
	struct kb_agent agent;
	struct fixture f;
	int64_t id;

	fixture_init(&f, t);
	agent = agent_of(&f, 1, "a");
	id = state_of(&f, agent.id).segments[0].id;
	CHECK(t, put(&f, agent.id, column(id, "mark", "v")));
	for (size_t i = 0; i < KB_COUNTOF(puts); i++) {
		struct kb_vectors_new new = column(id, "m", "v");

		new.name = kb_sv_str(puts[i]);
		if (kb_sv_starts(new.name, KB_SV("e:")))
			new.family = KB_SV("e:");
		kb_clock_advance(&f.clock, KB_SECOND_US);
		CHECK(t, put(&f, agent.id, new));
	}
	state = state_of(&f, agent.id);
	CHECK_INT(t, state.vectors_count, 4);
	CHECK_SV(t, state.vectors[0].name, "e:four");
	CHECK_SV(t, state.vectors[1].name, "e:three");
	CHECK_SV(t, state.vectors[2].name, "lsi");
	CHECK_SV(t, state.vectors[3].name, "other");
	fixture_fini(&f);
}

static bool factors_due(struct fixture *f, int64_t least, int64_t after, int64_t *due)
{
	const struct kb_factors_want want = { .after_agent_id = after,
		                              .min_passages = least,
		                              .exact_passages = 5 };

	return kb_store_factors_due(f->store, &want, due, &f->err);
}

static void test_factors(struct kb_test *t)
{
	struct kb_vectors_missing first = { 0 };
	struct kb_index_state state;
	struct kb_agent agent;
	struct fixture f;
	int64_t due, other;

	fixture_init(&f, t);
	agent = agent_of(&f, 2, "a"); /* four passages */
	other = agent_of(&f, 1, "b").id;
	state = state_of(&f, agent.id);
	CHECK_INT(t, missing(&f, "", &first), 0); /* nobody has a model yet */
	CHECK(t, factors_due(&f, 4, 0, &due));
	CHECK_INT(t, due, agent.id);
	CHECK(t, factors_due(&f, 2, agent.id, &due));
	CHECK_INT(t, due, other);
	CHECK(t, factors_due(&f, 5, 0, &due));
	CHECK_INT(t, due, 0);

	/* One column comes with the model, one is of a segment that is gone. */
	{
		struct kb_factors_new model = { KB_SV("mark"), KB_SV("ff"), 9, 4 };
		struct kb_vectors_new with[] = { column(state.segments[0].id, "mark", "v1"),
			                         column(999, "mark", "v2") };

		CHECK(t, kb_store_factors_put(f.store, agent.id, &model, with, 2, &f.err));
		CHECK(t, !kb_store_factors_put(f.store, 999, &model, NULL, 0, &f.err));
		CHECK_INT(t, f.err.code, KB_E_NOT_FOUND);
	}
	state = state_of(&f, agent.id);
	CHECK_INT(t, state.version, 3);
	CHECK_INT(t, state.vectors_count, 1);
	CHECK_SV(t, state.factors.mark, "mark");
	CHECK_SV(t, state.factors.blob, "ff");
	CHECK_INT(t, missing(&f, "", &first), 1);
	CHECK_INT(t, first.segment_id, state.segments[1].id);
	CHECK_SV(t, first.model, "mark");
	CHECK(t, factors_due(&f, 4, 0, &due));
	CHECK_INT(t, due, 0);
	fixture_pages(&f, agent.id, 2); /* eight passages: twice as many */
	fixture_index(&f, 1);
	fixture_index(&f, 1);
	CHECK(t, factors_due(&f, 4, 0, &due));
	CHECK_INT(t, due, agent.id);

	/* Whoever asks for a model by name sees the other agent too: first the one with the least
	 * to do, and of each what came last. */
	CHECK_INT(t, missing(&f, "mark", &first), 4);
	CHECK_INT(t, missing(&f, "e5", &first), 5);
	{
		struct kb_vectors_want want = { .name = KB_SV("lsi"),
			                        .model = KB_SV("e5"),
			                        .limit = 10 };
		struct kb_vectors_missing *v;
		size_t count;

		NEED(&f, kb_store_vectors_missing(f.store, &f.arena, &want, &v, &count, &f.err));
		CHECK_INT(t, count, 5);
		CHECK(t, v[0].agent_id != agent.id);
		for (size_t i = 2; i < count; i++) {
			CHECK_INT(t, v[i].agent_id, agent.id);
			CHECK(t, v[i].segment_id < v[i - 1].segment_id);
		}
		want.agent_id = agent.id;
		NEED(&f, kb_store_vectors_missing(f.store, &f.arena, &want, &v, &count, &f.err));
		CHECK_INT(t, count, 4);
		want.limit = 2;
		NEED(&f, kb_store_vectors_missing(f.store, &f.arena, &want, &v, &count, &f.err));
		CHECK_INT(t, count, 2);
	}

	{
		struct kb_vectors_want want = { .name = KB_SV("lsi"), .model = KB_SV("mark") };
		struct kb_vectors_ready ready;
		struct kb_err err;

		CHECK(t, kb_store_vectors_ready(f.store, agent.id, &want, &ready, &err));
		CHECK_INT(t, ready.passages, 8);
		CHECK(t, ready.ready > 0 && ready.ready < ready.passages);
		want.model = KB_SV("another");
		CHECK(t, kb_store_vectors_ready(f.store, agent.id, &want, &ready, &err));
		CHECK_INT(t, ready.passages, 8);
		CHECK_INT(t, ready.ready, 0);
	}

	CHECK(t, kb_store_factors_drop(f.store, agent.id, KB_SV("another"), &f.err));
	CHECK_SV(t, state_of(&f, agent.id).factors.mark, "mark");
	CHECK(t, kb_store_factors_drop(f.store, agent.id, KB_SV("ff"), &f.err));
	CHECK_SV(t, state_of(&f, agent.id).factors.mark, "");
	fixture_fini(&f);
}

static void test_merge(struct kb_test *t)
{
	static const struct kb_segment_new whole = { KB_SV_INIT("dd"), 10, 4, 2 };
	struct kb_vectors_missing first = { 0 };
	struct kb_vectors_new merged = column(0, "m", "vm");
	struct kb_index_state state;
	struct kb_agent agent;
	struct fixture f;
	int64_t ids[2];

	fixture_init(&f, t);
	agent = agent_of(&f, 2, "a");
	state = state_of(&f, agent.id);
	ids[0] = state.segments[0].id;
	ids[1] = state.segments[1].id;
	CHECK(t, put(&f, agent.id, column(ids[0], "m", "v1")));
	state = state_of(&f, agent.id);
	CHECK(t, put(&f, agent.id, column(ids[1], "m", "v2"))); /* while the merge runs */
	merged.pending = 2;
	CHECK(t, !kb_store_segments_merge(f.store, agent.id,
	                                  &(struct kb_merged){ .version = state.version,
	                                                       .old_ids = ids,
	                                                       .old_count = 2,
	                                                       .segment = whole,
	                                                       .columns = &merged,
	                                                       .column_count = 1 },
	                                  &f.err));
	CHECK_INT(t, f.err.code, KB_E_CONFLICT);
	CHECK_INT(t, state_of(&f, agent.id).vectors_count, 2);
	state = state_of(&f, agent.id);
	CHECK(t, kb_store_segments_merge(f.store, agent.id,
	                                 &(struct kb_merged){ .version = state.version,
	                                                      .old_ids = ids,
	                                                      .old_count = 2,
	                                                      .segment = whole,
	                                                      .columns = &merged,
	                                                      .column_count = 1 },
	                                 &f.err));
	state = state_of(&f, agent.id);
	CHECK_INT(t, state.segment_count, 1);
	CHECK_INT(t, state.vectors_count, 1);
	CHECK_INT(t, state.vectors[0].segment_id, state.segments[0].id);
	CHECK_SV(t, state.vectors[0].blob, "vm");
	CHECK_INT(t, state.vectors[0].pending, 2);

	/* It is not complete, so it is missing; what it has can be used. */
	CHECK_INT(t, missing(&f, "m", &first), 1);
	CHECK_SV(t, first.blob, "vm");
	CHECK_INT(t, missing(&f, "n", &first), 1);
	CHECK_SV(t, first.blob, "");
	CHECK_INT(t, first.passages, 4);
	merged = column(state.segments[0].id, "m", "vc");
	merged.filled = 4;
	CHECK(t, put(&f, agent.id, merged));
	CHECK_INT(t, missing(&f, "m", &first), 0);

	/* Nothing alive: the column goes with the segment. */
	state = state_of(&f, agent.id);
	CHECK(t, kb_store_segments_merge(f.store, agent.id,
	                                 &(struct kb_merged){ .version = state.version,
	                                                      .old_ids = &state.segments[0].id,
	                                                      .old_count = 1 },
	                                 &f.err));
	CHECK_INT(t, state_of(&f, agent.id).vectors_count, 0);
	/* The two pages are still called found. */
	CHECK(t, kb_store_agent_delete(f.store, f.account.id, agent.id, &f.err));
	fixture_fini(&f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a column is its segment's, one a name", test_put_and_drop },
		{ "of a family of columns the newest two stay", test_family },
		{ "a model comes with its columns and says when it is too old", test_factors },
		{ "a merge brings the merged column and takes the others", test_merge },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
