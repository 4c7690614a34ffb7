/*
 * Pages, segments, dead rows and merges against a naive model, with one store and with three nodes
 * on one database, of which any does the next step.
 *
 * The model keeps one fact: which copy of each page's passages can be found. It is changed only by
 * the rules of pages.h and segments.h, in the order of the calls. The store's state, read as a
 * snapshot would read it, must always show exactly these copies, each once.
 */
#include <time.h>

#include "raw.h"
#include "store/nodes_own.h"
#include "store/store_own.h"

enum {
	AGENTS = 2,
	PAGES = 24,
	SEGMENTS = 4000,
	COPIES = 24,
	HELD = 12,
	STEPS = KB_TEST_UNDER_SANITIZER ? 500 : 1500,
	NODES = 3
};

/* A copy of a page's passages, as it stands in a segment. */
struct copy {
	int64_t page_id;
	int serial;
};

struct model_page {
	int64_t id;
	int64_t agent_id;
	bool exists, leased, queued;
	int64_t epoch;
	int node;    /* that leased it */
	int visible; /* serial of the copy that can be found; 0: none */
};

struct segment_content {
	struct copy copies[COPIES];
	size_t count;
};

/* A batch in a worker's hands, perhaps long after its leases ran out. */
struct batch {
	struct kb_lease leases[4];
	size_t count;
};

struct merge_in_hand {
	int64_t agent_id, version;
	int64_t ids[16];
	size_t count;
	struct segment_content content;
	bool busy;
};

struct model {
	struct fixture f; /* its store is that of the node at hand */
	uint64_t random;
	struct kb_store *nodes[NODES];
	int node_count, node;
	struct kb_agent agents[AGENTS];
	struct model_page pages[PAGES];
	size_t page_count;
	struct segment_content *contents; /* by the number in the segment's blob name */
	int content_count;
	struct batch held[HELD];
	struct merge_in_hand merge;
	int serial;
	int64_t versions[AGENTS];
	int finished, refused, conflicts, merged, merge_conflicts, deaths;
};

static uint64_t pick(struct model *m, uint64_t below)
{
	m->random ^= m->random << 13;
	m->random ^= m->random >> 7;
	m->random ^= m->random << 17;
	return m->random % below;
}

static struct model_page *page_of(struct model *m, int64_t id)
{
	for (size_t i = 0; i < m->page_count; i++)
		if (m->pages[i].id == id)
			return &m->pages[i];
	abort();
}

static struct kb_sv content_name(struct model *m, int number)
{
	return kb_arena_printf(&m->f.arena, "%d", number);
}

static const struct segment_content *content_of(struct model *m, struct kb_sv blob)
{
	int64_t number;

	if (!kb_sv_to_int(blob, 0, m->content_count - 1, &number))
		abort();
	return &m->contents[number];
}

static bool alive(const struct kb_index_state *state, int64_t version, int64_t page_id)
{
	for (size_t i = 0; i < state->dead_count; i++)
		if (state->dead[i].page_id == page_id)
			return version >= state->dead[i].version;
	return true;
}

/* ---- what may happen ---- */

static void add_page(struct model *m)
{
	struct model_page *page = &m->pages[m->page_count];

	if (m->page_count == PAGES)
		return;
	page->agent_id = m->agents[pick(m, AGENTS)].id;
	page->id = fixture_pages(&m->f, page->agent_id, 1);
	page->exists = page->queued = true;
	m->page_count++;
}

static void lease(struct model *m)
{
	struct batch *batch = &m->held[pick(m, HELD)];
	struct kb_leases leases;

	NEED(&m->f, kb_store_pages_lease(m->f.store, &m->f.arena,
	                                 &(struct kb_lease_want){ .max = 1 + pick(m, 4),
	                                                          .lease_us = 60 * KB_SECOND_US },
	                                 &leases, &m->f.err));
	batch->count = leases.count;
	for (size_t i = 0; i < batch->count; i++) {
		struct model_page *page = page_of(m, leases.v[i].page.id);

		batch->leases[i] = leases.v[i];
		CHECK(m->f.t, page->exists && page->queued && leases.v[i].epoch > page->epoch);
		page->leased = true;
		page->node = m->node;
		page->epoch = leases.v[i].epoch;
	}
}

/* What a worker made of its pages: kinds of results, and the segment of those that are OK. */
static void finish(struct model *m)
{
	struct batch *batch = &m->held[pick(m, HELD)];
	struct kb_page_result results[4] = { 0 };
	struct segment_content *content = &m->contents[m->content_count];
	struct kb_segment_new segment = { .blob = content_name(m, m->content_count) };
	int serials[4] = { 0 };
	bool conflict = false, ok;

	if (batch->count == 0)
		return;
	*content = (struct segment_content){ 0 };
	for (size_t i = 0; i < batch->count; i++) {
		const struct model_page *page = page_of(m, batch->leases[i].page.id);
		bool mine = page->exists && page->leased && page->epoch == batch->leases[i].epoch;

		results[i] = fixture_result(&batch->leases[i]);
		switch (pick(m, 8)) {
		case 0:
			results[i].index = KB_STATUS_FAILED;
			break;
		case 1:
			results[i].crawl = KB_STATUS_QUEUED;
			results[i].index = KB_STATUS_QUEUED;
			break;
		case 2:
			results[i].passages = 0;
			break;
		default:
			serials[i] = ++m->serial;
			content->copies[content->count++] = (struct copy){ page->id, serials[i] };
			conflict |= !mine && page->exists && page->visible;
			break;
		}
		m->refused += !mine;
	}
	m->content_count++;
	ok = kb_store_pages_finish(m->f.store, batch->leases[0].page.agent_id, results,
	                           batch->count, content->count ? &segment : NULL, &m->f.err);
	CHECK(m->f.t, ok == !conflict);
	if (!ok) {
		CHECK_INT(m->f.t, m->f.err.code, KB_E_CONFLICT);
		m->conflicts++;
		if (pick(m, 2))
			return; /* tries again some time */
	}
	for (size_t i = 0; ok && i < batch->count; i++) {
		struct model_page *page = page_of(m, batch->leases[i].page.id);

		if (!page->exists || !page->leased || page->epoch != batch->leases[i].epoch)
			continue;
		page->leased = false;
		page->queued = results[i].crawl == KB_STATUS_QUEUED;
		if (results[i].index == KB_STATUS_OK)
			page->visible = serials[i];
		m->finished++;
	}
	batch->count = 0;
}

static void delete_page(struct model *m)
{
	struct model_page *page = &m->pages[pick(m, PAGES)];

	if (!page->exists)
		return;
	NEED(&m->f, kb_store_page_delete(m->f.store, page->agent_id, page->id, &m->f.err));
	page->exists = page->leased = page->queued = false;
	page->visible = 0;
	/* Its place is free for a new page once nobody holds the old one. */
}

static void requeue_page(struct model *m)
{
	struct model_page *page = &m->pages[pick(m, PAGES)];

	if (!page->exists)
		return;
	NEED(&m->f, kb_store_page_requeue(m->f.store, page->agent_id, page->id, &m->f.err));
	page->queued = true;
	page->leased = false;
}

/* Reads a state and merges some of its segments; the commit comes later. */
static void merge_begin(struct model *m)
{
	struct kb_index_state state;
	struct merge_in_hand *merge = &m->merge;

	*merge = (struct merge_in_hand){ .agent_id = m->agents[pick(m, AGENTS)].id, .busy = true };
	NEED(&m->f,
	     kb_store_index_state(m->f.store, &m->f.arena, merge->agent_id, &state, &m->f.err));
	merge->version = state.version;
	for (size_t i = 0; i < state.segment_count && merge->count < 16; i++) {
		const struct segment_content *content = content_of(m, state.segments[i].blob);

		if (pick(m, 3) == 0)
			continue;
		merge->ids[merge->count++] = state.segments[i].id;
		for (size_t j = 0; j < content->count; j++)
			if (alive(&state, state.segments[i].version, content->copies[j].page_id))
				merge->content.copies[merge->content.count++] = content->copies[j];
	}
}

static void merge_end(struct model *m)
{
	struct merge_in_hand *merge = &m->merge;
	struct kb_segment_new segment = { 0 };
	bool ok;

	if (!merge->busy || merge->count == 0)
		return;
	if (merge->content.count) {
		segment.blob = content_name(m, m->content_count);
		m->contents[m->content_count++] = merge->content;
	}
	ok = kb_store_segments_merge(m->f.store, merge->agent_id,
	                             &(struct kb_merged){ .version = merge->version,
	                                                  .old_ids = merge->ids,
	                                                  .old_count = merge->count,
	                                                  .segment = segment },
	                             &m->f.err);
	CHECK(m->f.t, ok || m->f.err.code == KB_E_CONFLICT);
	m->merged += ok;
	m->merge_conflicts += !ok;
	if (ok || pick(m, 2))
		merge->busy = false;
	/* A second commit of the same merge meets a conflict. */
	merge->busy |= ok && pick(m, 4) == 0;
}

/* ---- nodes ---- */

static void take_node(struct model *m, int node)
{
	m->node = node;
	m->f.store = m->nodes[node];
}

static void any_node(struct model *m)
{
	take_node(m, (int)pick(m, m->node_count));
}

/* One of several has no thread that says that it is there: here the model says it. */
static void open_node(struct model *m, int node)
{
	if (m->node_count == 1) {
		fixture_open(&m->f);
	} else {
		m->f.store = kb_store_open_as(&(struct kb_store_config){ .at = m->f.at,
		                                                         .use = KB_STORE_TOOL,
		                                                         .clock = &m->f.clock },
		                              &m->f.err);
		NEED(&m->f, m->f.store);
		m->f.store->node = node + 1;
	}
	m->nodes[node] = m->f.store;
	m->node = node;
}

static void say_whether_there(struct model *m, int node, bool there)
{
	struct kb_sv text =
	        kb_arena_printf(&m->f.arena, "UPDATE nodes SET beat_at = %" PRId64 " WHERE id = %d",
	                        there ? INT64_MAX : 0, node + 1);

	raw_run(&m->f, text.p);
}

static void free_leases(struct model *m, int node)
{
	for (size_t i = 0; i < m->page_count; i++)
		m->pages[i].leased &= m->pages[i].node != node;
}

static void restart(struct model *m)
{
	kb_store_close(m->f.store);
	open_node(m, m->node);
	if (m->node_count > 1)
		NEED(&m->f, kb_store_void_leases(m->f.store, m->f.store->node, &m->f.err));
	free_leases(m, m->node);
}

/* Another one takes up what it held. It comes back as it was, from a wire that was cut for long. */
static void falls_silent(struct model *m)
{
	int gone = m->node;

	if (m->node_count == 1)
		return;
	say_whether_there(m, gone, false);
	take_node(m, (gone + 1) % m->node_count);
	NEED(&m->f, kb_store_void_leases(m->f.store, 0, &m->f.err));
	free_leases(m, gone);
	say_whether_there(m, gone, true);
	m->deaths++;
}

/* ---- what must hold ---- */

static void check_agent(struct model *m, size_t which)
{
	struct kb_test *t = m->f.t;
	int64_t agent_id = m->agents[which].id;
	struct kb_index_state state;
	size_t expected = 0, seen = 0;

	NEED(&m->f, kb_store_index_state(m->f.store, &m->f.arena, agent_id, &state, &m->f.err));
	CHECK(t, state.version >= m->versions[which]);
	m->versions[which] = state.version;
	for (size_t i = 0; i < m->page_count; i++)
		expected += m->pages[i].agent_id == agent_id && m->pages[i].visible;
	for (size_t i = 0; i < state.segment_count; i++) {
		const struct segment_content *content = content_of(m, state.segments[i].blob);

		for (size_t j = 0; j < content->count; j++) {
			const struct copy *copy = &content->copies[j];

			if (!alive(&state, state.segments[i].version, copy->page_id))
				continue;
			seen++;
			CHECK_INT(t, copy->serial, page_of(m, copy->page_id)->visible);
		}
	}
	CHECK_INT(t, seen, expected);
	for (size_t i = 0; i < state.dead_count; i++)
		CHECK(t, state.dead[i].version <= state.version);
}

static void run(struct model *m, int steps)
{
	static const struct {
		void (*act)(struct model *m);
		unsigned weight;
	} acts[] = {
		{ add_page, 6 },    { lease, 22 },       { finish, 30 },
		{ delete_page, 2 }, { requeue_page, 8 }, { merge_begin, 6 },
		{ merge_end, 6 },   { restart, 1 },      { falls_silent, 4 },
	};
	unsigned sum = 0;

	for (size_t i = 0; i < KB_COUNTOF(acts); i++)
		sum += acts[i].weight;
	for (int step = 0; step < steps && !m->f.t->failed; step++) {
		uint64_t at = pick(m, sum);
		size_t which = 0;

		while (at >= acts[which].weight)
			at -= acts[which++].weight;
		any_node(m);
		acts[which].act(m);
		if (pick(m, 6) == 0)
			kb_clock_advance(&m->f.clock, 61 * KB_SECOND_US); /* leases run out */
		any_node(m);
		for (size_t i = 0; i < AGENTS; i++)
			check_agent(m, i);
		if (step % 50 == 0)
			fixture_sound(&m->f);
		kb_arena_reset(&m->f.arena);
	}
}

static void open_model(struct model *m, struct kb_test *t, uint64_t seed, int node_count)
{
	m->random = seed * UINT64_C(0x9e3779b97f4a7c15);
	m->node_count = node_count;
	m->contents = kb_xcalloc(SEGMENTS, sizeof(*m->contents));
	fixture_init(&m->f, t);
	for (size_t i = 0; i < AGENTS; i++)
		m->agents[i] = fixture_agent(&m->f, "a");
	m->nodes[0] = m->f.store;
	if (node_count == 1)
		return;
	kb_store_close(m->f.store);
	for (int i = 0; i < node_count; i++) {
		struct kb_sv text = kb_arena_printf(
		        &m->f.arena,
		        "DELETE FROM nodes WHERE name = 'n%d' OR id = %d; INSERT INTO nodes (id, "
		        "name, "
		        "life, started_at, beat_at) VALUES (%d, 'n%d', 1, 0, %" PRId64 ")",
		        i, i + 1, i + 1, i, INT64_MAX);

		raw_run(&m->f, text.p);
		open_node(m, i);
	}
}

static void close_model(struct model *m)
{
	for (int i = 1; i < m->node_count; i++)
		kb_store_close(m->nodes[i]);
	take_node(m, 0);
	fixture_fini(&m->f);
	free(m->contents);
}

/* What rare ways were gone, of all runs. */
struct ways {
	int conflicts, refused, merged, merge_conflicts, deaths;
};

static void run_seed(struct kb_test *t, uint64_t seed, int node_count, int steps, struct ways *ways)
{
	struct model *m = kb_xcalloc(1, sizeof(*m));
	char row[40];

	snprintf(row, sizeof(row), "seed %" PRIu64, seed);
	t->row = row;
	open_model(m, t, seed, node_count);
	run(m, steps);
	CHECK(t, m->finished > steps / 30);
	ways->conflicts += m->conflicts;
	ways->refused += m->refused;
	ways->merged += m->merged;
	ways->merge_conflicts += m->merge_conflicts;
	ways->deaths += m->deaths;
	close_model(m);
	free(m);
	t->row = NULL;
}

static void test_model(struct kb_test *t)
{
	/* Where each step takes its trips to a server, two have to do. */
	uint64_t seeds = fixture_postgres() ? 2 : 6;
	struct ways ways = { 0 };

	for (uint64_t seed = 1; seed <= seeds && !t->failed; seed++)
		run_seed(t, seed, 1, STEPS, &ways);
	CHECK(t, ways.conflicts > 5);
	CHECK(t, ways.refused > 50);
	CHECK(t, ways.merged > 50);
	CHECK(t, ways.merge_conflicts > 5);
}

/* DOCENT_SEED: the first one of the runs that are not always the same. */
static uint64_t chance(void)
{
	const char *said = getenv("DOCENT_SEED");

	return said ? strtoull(said, NULL, 10) : (uint64_t)time(NULL);
}

static void test_nodes(struct kb_test *t)
{
	uint64_t first = chance();
	struct ways ways = { 0 };

	printf("seeds 1 and %" PRIu64 "\n", first);
	run_seed(t, 1, NODES, 500, &ways);
	run_seed(t, first, NODES, 500, &ways);
	CHECK(t, ways.refused > 10);
	CHECK(t, ways.merged > 10);
	CHECK(t, ways.deaths > 2);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "what can be found is what the model says, under any order", test_model },
		{ "and so with three nodes on one database, which restart and fall silent",
		  test_nodes },
	};
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
