/*
 * Pages, segments, dead rows and merges against a naive model.
 *
 * The model keeps one fact: which copy of each page's passages can be found. It is changed only by
 * the rules of pages.h and segments.h, in the order of the calls. The store's state, read as a
 * snapshot would read it, must always show exactly these copies, each once.
 */
#include "fixture.h"

enum { AGENTS = 2, PAGES = 24, SEGMENTS = 4000, COPIES = 24, HELD = 12, STEPS = 1500 };

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
	struct fixture f;
	uint64_t random;
	struct kb_agent agents[AGENTS];
	struct model_page pages[PAGES];
	size_t page_count;
	struct segment_content *contents; /* by the number in the segment's blob name */
	int content_count;
	struct batch held[HELD];
	struct merge_in_hand merge;
	int serial;
	int64_t versions[AGENTS];
	int finished, refused, conflicts, merged, merge_conflicts;
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

static void restart(struct model *m)
{
	fixture_reopen(&m->f);
	for (size_t i = 0; i < m->page_count; i++)
		m->pages[i].leased = false;
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

static void run(struct model *m)
{
	static const struct {
		void (*act)(struct model *m);
		unsigned weight;
	} acts[] = {
		{ add_page, 6 },     { lease, 22 },      { finish, 30 },   { delete_page, 2 },
		{ requeue_page, 8 }, { merge_begin, 6 }, { merge_end, 6 }, { restart, 1 },
	};
	unsigned sum = 0;

	for (size_t i = 0; i < KB_COUNTOF(acts); i++)
		sum += acts[i].weight;
	for (int step = 0; step < STEPS && !m->f.t->failed; step++) {
		uint64_t at = pick(m, sum);
		size_t which = 0;

		while (at >= acts[which].weight)
			at -= acts[which++].weight;
		acts[which].act(m);
		if (pick(m, 6) == 0)
			kb_clock_advance(&m->f.clock, 61 * KB_SECOND_US); /* leases run out */
		for (size_t i = 0; i < AGENTS; i++)
			check_agent(m, i);
		if (step % 50 == 0)
			fixture_sound(&m->f);
		kb_arena_reset(&m->f.arena);
	}
}

static void test_model(struct kb_test *t)
{
	int conflicts = 0, refused = 0, merged = 0, merge_conflicts = 0;

	for (uint64_t seed = 1; seed <= 6 && !t->failed; seed++) {
		struct model *m = kb_xcalloc(1, sizeof(*m));
		char row[32];

		snprintf(row, sizeof(row), "seed %d", (int)seed);
		t->row = row;
		m->random = seed * UINT64_C(0x9e3779b97f4a7c15);
		m->contents = kb_xcalloc(SEGMENTS, sizeof(*m->contents));
		fixture_init(&m->f, t);
		for (size_t i = 0; i < AGENTS; i++)
			m->agents[i] = fixture_agent(&m->f, "a");
		run(m);
		CHECK(t, m->finished > 50);
		conflicts += m->conflicts;
		refused += m->refused;
		merged += m->merged;
		merge_conflicts += m->merge_conflicts;
		fixture_fini(&m->f);
		free(m->contents);
		free(m);
		t->row = NULL;
	}
	/* The rare ways were gone too. */
	CHECK(t, conflicts > 5);
	CHECK(t, refused > 50);
	CHECK(t, merged > 50);
	CHECK(t, merge_conflicts > 5);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "what can be found is what the model says, under any order", test_model },
	};
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
