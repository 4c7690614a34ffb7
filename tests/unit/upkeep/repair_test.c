/* Damaged segments are made anew of the stored texts, by one at a time, and nothing that happened
 * meanwhile is undone. */
#include <fcntl.h>
#include <sys/stat.h>

#include "../store/fixture.h"
#include "base/buf.h"
#include "base/fault.h"
#include "base/file.h"
#include "base/json.h"
#include "ingest/origin.h"
#include "upkeep/repair.h"

struct world {
	struct fixture f;
	char blob_dir[80];
	struct kb_blobs *blobs;
	struct kb_catalog *catalog;
	struct kb_repair_with with;
	struct kb_repair_stats sums;
	struct kb_agent agent;
};

static void world_init(struct world *w, struct kb_test *t)
{
	*w = (struct world){ 0 };
	fixture_init(&w->f, t);
	snprintf(w->blob_dir, sizeof(w->blob_dir), "%s-blobs", w->f.dir);
	w->blobs = kb_blobs_open(w->blob_dir, &w->f.err);
	NEED(&w->f, w->blobs);
	w->catalog = kb_catalog_open(
	        w->f.store, w->blobs,
	        &(struct kb_catalog_limits){ .agents = 10, .heap_bytes = INT64_MAX }, NULL);
	w->with = (struct kb_repair_with){ .store = w->f.store,
		                           .blobs = w->blobs,
		                           .catalog = w->catalog,
		                           .temp_dir = w->blob_dir };
	w->agent = fixture_agent(&w->f, "a");
}

static void world_fini(struct world *w)
{
	char command[128];

	kb_catalog_close(w->catalog);
	kb_blobs_close(w->blobs);
	fixture_fini(&w->f);
	snprintf(command, sizeof(command), "rm -rf '%s'", w->blob_dir);
	CHECK(w->f.t, system(command) == 0);
}

/* ---- filling ---- */

static struct kb_sv put(struct world *w, struct kb_sv bytes)
{
	struct kb_blob_name name;

	NEED(&w->f, kb_blob_put(w->blobs, bytes, &name, &w->f.err));
	return kb_arena_sv(&w->f.arena, kb_sv_str(name.hex));
}

/* A text of one paragraph as it was parsed. */
static struct kb_parsed *parsed_of(struct world *w, const char *text)
{
	struct kb_parsed *parsed = KB_NEW(&w->f.arena, struct kb_parsed);

	parsed->blocks = KB_NEW_ARRAY(&w->f.arena, 1, struct kb_block);
	parsed->blocks[0].type = KB_BLOCK_PARAGRAPH;
	parsed->blocks[0].text = kb_sv_str(text);
	parsed->block_count = 1;
	return parsed;
}

static struct kb_sv text_blob(struct world *w, const struct kb_parsed *parsed)
{
	struct kb_buf buf;
	struct kb_sv json;
	struct kb_jw jw;

	kb_buf_init(&buf, 1 << 20);
	kb_jw_init(&jw, &buf);
	kb_parsed_write(parsed, &jw);
	NEED(&w->f, kb_buf_done(&buf, &json, &w->f.err));
	json = put(w, json);
	kb_buf_fini(&buf);
	return json;
}

/* Leases what waits and indexes it, each page with the text, in one segment. */
static void index_queued(struct world *w, const char *text)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();
	struct kb_parsed *parsed = parsed_of(w, text);
	struct kb_page_result results[8];
	struct kb_segment_info info;
	struct kb_blob_name name;
	struct kb_segment_new segment = { 0 };
	struct kb_leases leases;
	char path[128];

	NEED(&w->f, kb_store_pages_lease(
	                    w->f.store, &w->f.arena,
	                    &(struct kb_lease_want){ .max = 8, .lease_us = 60 * KB_SECOND_US },
	                    &leases, &w->f.err));
	for (size_t i = 0; i < leases.count; i++) {
		struct kb_origin origin = kb_page_origin(&w->f.arena, &leases.v[i].page);
		struct kb_document document;

		NEED(&w->f, kb_document_read(&w->f.arena, &origin, parsed, &document, &w->f.err));
		kb_document_add(writer, leases.v[i].page.id, &document);
		results[i] = fixture_result(&leases.v[i]);
		results[i].text_blob = text_blob(w, parsed);
		results[i].passages = (int64_t)document.chunks.count;
	}
	snprintf(path, sizeof(path), "%s/new", w->blob_dir);
	NEED(&w->f, kb_segment_writer_finish(writer, path, &info, &w->f.err)
	                    && kb_blob_take(w->blobs, path, &name, &segment.bytes, &w->f.err));
	kb_segment_writer_free(writer);
	segment.blob = kb_sv_str(name.hex);
	segment.passages = info.passages;
	segment.pages = (int64_t)leases.count;
	NEED(&w->f, kb_store_pages_finish(w->f.store, leases.v[0].page.agent_id, results,
	                                  leases.count, &segment, &w->f.err));
}

/* A document of that text, in a segment of its own. Gives its id. */
static int64_t add(struct world *w, const char *text, bool keep)
{
	struct kb_page_new page = { .filename = kb_arena_printf(&w->f.arena, "%s.txt", text),
		                    .blob = keep ? put(w, kb_sv_str(text)) : KB_SV(""),
		                    .is_ours = true,
		                    .size = 10 };
	int64_t id;

	NEED(&w->f, kb_store_pages_add(w->f.store, w->agent.id, &page, 1, &id, &w->f.err));
	index_queued(w, text);
	return id;
}

/* ---- damaging ---- */

enum { FLIP, CUT, EMPTY, REMOVE, DAMAGES };

static void damage(struct world *w, struct kb_sv blob, int how)
{
	char path[200], byte;
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/%.2s/%.2s/%.*s", w->blob_dir, blob.p, blob.p + 2,
	         KB_SV_ARG(blob));
	if (how == REMOVE) {
		CHECK(w->f.t, unlink(path) == 0);
		return;
	}
	fd = open(path, O_RDWR);
	CHECK(w->f.t, fd >= 0 && fstat(fd, &st) == 0);
	if (how == FLIP) {
		CHECK(w->f.t, pread(fd, &byte, 1, st.st_size / 2) == 1);
		byte = (char)(byte ^ 1);
		CHECK(w->f.t, pwrite(fd, &byte, 1, st.st_size / 2) == 1);
	} else {
		CHECK(w->f.t, ftruncate(fd, how == CUT ? st.st_size / 2 : 0) == 0);
	}
	kb_fd_close(&fd);
}

static struct kb_index_state state_of(struct world *w, int64_t agent_id)
{
	struct kb_index_state state;

	NEED(&w->f, kb_store_index_state(w->f.store, &w->f.arena, agent_id, &state, &w->f.err));
	return state;
}

/* Damages the agent's i-th segment; it is open nowhere then. */
static void damage_segment(struct world *w, size_t i, int how)
{
	damage(w, state_of(w, w->agent.id).segments[i].blob, how);
	kb_catalog_forget(w->catalog, w->agent.id);
}

static struct kb_page page_of(struct world *w, int64_t id)
{
	struct kb_page page;

	NEED(&w->f, kb_store_page_get(w->f.store, &w->f.arena, w->agent.id, id, &page, &w->f.err));
	return page;
}

/* How many living passages the agent's snapshot has. */
static int64_t found(struct world *w, int64_t agent_id)
{
	struct kb_live live;
	int64_t passages;

	NEED(&w->f, kb_catalog_get(w->catalog, agent_id, &live, &w->f.err));
	passages = kb_snapshot_passages(live.snapshot);
	kb_live_release(&live);
	return passages;
}

static bool repair(struct world *w)
{
	bool worked;

	NEED(&w->f, kb_repair_next(&w->with, &w->sums, &worked, &w->f.err));
	return worked;
}

static bool is_repairing(struct world *w)
{
	struct kb_agent agent;

	NEED(&w->f, kb_store_agent_get(w->f.store, &w->f.arena, w->f.account.id, w->agent.id,
	                               &agent, &w->f.err));
	return agent.is_repairing;
}

/* ---- tests ---- */

static void test_repair(struct kb_test *t)
{
	static const char *const names[DAMAGES] = { "flipped", "cut", "empty", "gone" };

	for (int how = 0; how < DAMAGES; how++) {
		struct kb_index_state state;
		int64_t agents;
		struct world w;

		t->row = names[how];
		world_init(&w, t);
		add(&w, "walrus", true);
		add(&w, "narwhal", true);
		add(&w, "tapir", false);
		CHECK(t, found(&w, w.agent.id) == 3 && !repair(&w) && !is_repairing(&w));
		damage_segment(&w, 1, how);
		/* It goes on with the others, and says so. */
		CHECK_INT(t, found(&w, w.agent.id), 2);
		CHECK(t, is_repairing(&w));
		CHECK(t, kb_store_repair_count(w.f.store, &agents, &w.f.err) && agents == 1);
		state = state_of(&w, w.agent.id);
		CHECK(t, state.segment_count == 2 && state.damaged_count == 1);
		/* And takes new documents. */
		add(&w, "lemur", true);
		CHECK_INT(t, found(&w, w.agent.id), 3);
		CHECK(t, repair(&w) && !repair(&w));
		CHECK_INT(t, found(&w, w.agent.id), 4);
		CHECK(t, w.sums.segments == 1 && w.sums.documents == 1 && w.sums.lost == 0);
		state = state_of(&w, w.agent.id);
		CHECK(t, state.segment_count == 4 && state.damaged_count == 0 && !is_repairing(&w));
		for (size_t i = 0; i < state.segment_count; i++)
			CHECK(t, kb_blob_verify(w.blobs,
			                        kb_arena_str(&w.f.arena, state.segments[i].blob),
			                        &w.f.err));
		world_fini(&w);
	}
	t->row = NULL;
}

static void test_all_damaged(struct kb_test *t)
{
	struct world w;
	int64_t deleted;

	world_init(&w, t);
	add(&w, "walrus", true);
	deleted = add(&w, "narwhal", true);
	add(&w, "tapir", true);
	CHECK(t, kb_store_page_delete(w.f.store, w.agent.id, deleted, &w.f.err));
	for (size_t i = 0; i < 3; i++)
		damage_segment(&w, i, FLIP);
	CHECK_INT(t, found(&w, w.agent.id), 0);
	CHECK(t, repair(&w));
	CHECK_INT(t, found(&w, w.agent.id), 2); /* what was deleted stays so */
	CHECK_INT(t, state_of(&w, w.agent.id).segment_count, 1);
	world_fini(&w);
}

static void test_healed(struct kb_test *t)
{
	struct kb_sv blob;
	char path[200], away[220];
	struct world w;

	world_init(&w, t);
	add(&w, "walrus", true);
	blob = state_of(&w, w.agent.id).segments[0].blob;
	snprintf(path, sizeof(path), "%s/%.2s/%.2s/%.*s", w.blob_dir, blob.p, blob.p + 2,
	         KB_SV_ARG(blob));
	snprintf(away, sizeof(away), "%s.away", path);
	CHECK(t, rename(path, away) == 0);
	CHECK_INT(t, found(&w, w.agent.id), 0);
	CHECK(t, rename(away, path) == 0); /* the volume is back */
	CHECK(t, repair(&w));
	CHECK_INT(t, found(&w, w.agent.id), 1);
	CHECK_SV(t, state_of(&w, w.agent.id).segments[0].blob, blob.p);
	world_fini(&w);
}

static void test_lost_texts(struct kb_test *t)
{
	struct kb_page kept, gone, broken;
	struct world w;
	int64_t ids[4];

	world_init(&w, t);
	ids[0] = add(&w, "walrus", true);
	ids[1] = add(&w, "narwhal", false);
	ids[2] = add(&w, "tapir", true);
	ids[3] = add(&w, "lemur", true);
	damage(&w, page_of(&w, ids[0]).text_blob, FLIP);
	damage(&w, page_of(&w, ids[1]).text_blob, REMOVE);
	damage(&w, page_of(&w, ids[2]).text_blob, CUT);
	damage(&w, page_of(&w, ids[2]).blob, FLIP);
	for (size_t i = 0; i < 4; i++)
		damage_segment(&w, i, REMOVE);
	CHECK_INT(t, found(&w, w.agent.id), 0);
	CHECK(t, repair(&w));
	CHECK_INT(t, w.sums.lost, 3);
	CHECK_INT(t, found(&w, w.agent.id), 1);
	kept = page_of(&w, ids[0]);
	CHECK(t, kept.index == KB_STATUS_QUEUED && kept.text_blob.n == 0 && kept.passages == 0);
	gone = page_of(&w, ids[1]);
	CHECK(t, gone.index == KB_STATUS_FAILED && kb_sv_find(gone.reason, KB_SV("not kept")) > 0);
	broken = page_of(&w, ids[2]);
	CHECK(t, broken.index == KB_STATUS_FAILED
	                 && kb_sv_find(broken.reason, KB_SV("original were damaged")) > 0);
	fixture_sound(&w.f);
	/* Reading it anew gives the same text, whose damaged blob must not be in its way. */
	index_queued(&w, "walrus");
	CHECK_INT(t, found(&w, w.agent.id), 2);
	CHECK(t, kb_blob_verify(w.blobs, kb_arena_str(&w.f.arena, page_of(&w, ids[0]).text_blob),
	                        &w.f.err));
	world_fini(&w);
}

/* Blobs that are all gone are not lost documents: their volume may be. */
static void test_foreign_blobs(struct kb_test *t)
{
	struct world w;
	int64_t id;

	world_init(&w, t);
	id = add(&w, "walrus", false);
	damage(&w, page_of(&w, id).text_blob, REMOVE);
	damage_segment(&w, 0, REMOVE);
	NEED(&w.f, kb_blobs_set_mark(w.blobs, "0123456789abcdef0123456789abcdef", &w.f.err));
	CHECK_INT(t, found(&w, w.agent.id), 0);
	CHECK(t, repair(&w));
	CHECK(t, w.sums.failures == 1 && w.sums.lost == 0);
	CHECK(t, page_of(&w, id).index == KB_STATUS_OK && is_repairing(&w));
	CHECK(t, !repair(&w)); /* put off */
	kb_clock_advance(&w.f.clock, 2 * KB_SECOND_US);
	CHECK(t, repair(&w));
	world_fini(&w);
}

/* What happens between the reading and the commit of a repair. */
static void test_meanwhile(struct kb_test *t)
{
	enum { DELETED, ANEW, STAYS, PAGES };
	struct kb_segment_writer *writer = kb_segment_writer_new();
	struct kb_segment_new segment = { .passages = PAGES, .pages = PAGES };
	struct kb_repaired done = { .segments = &segment,
		                    .segment_count = 1,
		                    .damaged_count = PAGES };
	struct kb_index_state state;
	struct kb_segment_info info;
	struct kb_repair repair_lease;
	struct kb_blob_name name;
	struct kb_page_list pages;
	int64_t ids[PAGES], damaged[PAGES];
	struct world w;
	char path[128];

	world_init(&w, t);
	ids[DELETED] = add(&w, "walrus", true);
	ids[ANEW] = add(&w, "narwhal", true);
	ids[STAYS] = add(&w, "tapir", true);
	for (size_t i = 0; i < PAGES; i++)
		damage_segment(&w, i, FLIP);
	CHECK_INT(t, found(&w, w.agent.id), 0);
	NEED(&w.f, kb_store_repair_lease(w.f.store, KB_SECOND_US, &repair_lease, &w.f.err));
	NEED(&w.f,
	     kb_store_repair_read(w.f.store, &w.f.arena, w.agent.id, &state, &pages, &w.f.err));
	CHECK_INT(t, pages.count, PAGES);
	for (size_t i = 0; i < PAGES; i++) {
		kb_segment_writer_add(writer, &(struct kb_passage){ .page_id = pages.v[i].id,
		                                                    .text = KB_SV("a passage") });
		damaged[i] = state.damaged[i].id;
	}
	snprintf(path, sizeof(path), "%s/new", w.blob_dir);
	NEED(&w.f, kb_segment_writer_finish(writer, path, &info, &w.f.err)
	                   && kb_blob_take(w.blobs, path, &name, &segment.bytes, &w.f.err));
	kb_segment_writer_free(writer);
	segment.blob = kb_sv_str(name.hex);
	done.version = state.version;
	done.damaged = damaged;

	CHECK(t, kb_store_page_delete(w.f.store, w.agent.id, ids[DELETED], &w.f.err));
	CHECK(t, kb_store_page_requeue(w.f.store, w.agent.id, ids[ANEW], &w.f.err));
	index_queued(&w, "narwhal, second edition");
	add(&w, "lemur", true);
	CHECK_INT(t, found(&w, w.agent.id), 2);
	CHECK(t, kb_store_repair_finish(w.f.store, &repair_lease, &done, &w.f.err));
	CHECK_INT(t, found(&w, w.agent.id), 3); /* the second edition, the lemur and the tapir */
	fixture_sound(&w.f);
	/* And the repair is over. */
	CHECK(t, !kb_store_repair_finish(w.f.store, &repair_lease, &done, &w.f.err));
	CHECK_INT(t, w.f.err.code, KB_E_CONFLICT);
	CHECK_INT(t, found(&w, w.agent.id), 3);
	world_fini(&w);
}

static void test_leases(struct kb_test *t)
{
	const struct kb_repaired nothing = { 0 };
	struct kb_repair one, two;
	struct world w;

	world_init(&w, t);
	add(&w, "walrus", true);
	damage_segment(&w, 0, FLIP);
	CHECK_INT(t, found(&w, w.agent.id), 0);
	CHECK(t, kb_store_repair_lease(w.f.store, KB_SECOND_US, &one, &w.f.err));
	CHECK(t, one.agent_id == w.agent.id && one.epoch == 1 && one.attempts == 1);
	CHECK(t, kb_store_repair_lease(w.f.store, KB_SECOND_US, &two, &w.f.err) && !two.agent_id);
	CHECK(t, kb_store_repair_renew(w.f.store, &one, 5 * KB_SECOND_US, &w.f.err));
	kb_clock_advance(&w.f.clock, 2 * KB_SECOND_US);
	CHECK(t, kb_store_repair_lease(w.f.store, KB_SECOND_US, &two, &w.f.err) && !two.agent_id);
	fixture_reopen(&w.f); /* a kill -9: the lease ends by its time */
	w.with.store = w.f.store;
	kb_catalog_close(w.catalog);
	w.with.catalog = w.catalog = kb_catalog_open(
	        w.f.store, w.blobs,
	        &(struct kb_catalog_limits){ .agents = 10, .heap_bytes = INT64_MAX }, NULL);
	kb_clock_advance(&w.f.clock, 5 * KB_SECOND_US);
	CHECK(t, kb_store_repair_lease(w.f.store, KB_SECOND_US, &two, &w.f.err));
	CHECK(t, two.agent_id == w.agent.id && two.epoch == 2);
	/* Who was believed dead comes too late. */
	CHECK(t, !kb_store_repair_renew(w.f.store, &one, KB_SECOND_US, &w.f.err));
	CHECK_INT(t, w.f.err.code, KB_E_CONFLICT);
	CHECK(t, !kb_store_repair_finish(w.f.store, &one, &nothing, &w.f.err));
	CHECK_INT(t, w.f.err.code, KB_E_CONFLICT);
	kb_clock_advance(&w.f.clock, 5 * KB_SECOND_US);
	CHECK(t, repair(&w));
	CHECK_INT(t, found(&w, w.agent.id), 1);
	world_fini(&w);
}

static void test_copies(struct kb_test *t)
{
	struct kb_agent copy;
	struct world w;

	world_init(&w, t);
	add(&w, "walrus", true);
	add(&w, "narwhal", true);
	NEED(&w.f, kb_store_agent_replicate(w.f.store, &w.f.arena,
	                                    &(struct kb_agent_copy){ .account_id = w.f.account.id,
	                                                             .id = w.agent.id,
	                                                             .name = KB_SV("copy") },
	                                    &copy, &w.f.err));
	damage_segment(&w, 0, FLIP);
	kb_catalog_forget(w.catalog, copy.id);
	CHECK(t, found(&w, w.agent.id) == 1 && found(&w, copy.id) == 1);
	CHECK(t, repair(&w) && repair(&w) && !repair(&w));
	CHECK(t, found(&w, w.agent.id) == 2 && found(&w, copy.id) == 2);
	world_fini(&w);
}

static void test_look(struct kb_test *t)
{
	struct kb_segment_place place = { 0 };
	struct world w;
	int64_t bytes;
	int looks = 0;

	world_init(&w, t);
	for (int i = 0; i < 3; i++)
		add(&w, (const char *[]){ "walrus", "narwhal", "tapir" }[i], true);
	CHECK_INT(t, found(&w, w.agent.id), 3);
	damage(&w, state_of(&w, w.agent.id).segments[1].blob, FLIP); /* while it is open */
	do {
		NEED(&w.f, kb_repair_look(&w.with, &place, &bytes, &w.f.err));
		looks++;
	} while (bytes >= 0);
	CHECK(t, looks == 4 && place.segment_id == 0);
	CHECK_INT(t, found(&w, w.agent.id), 2);
	CHECK(t, repair(&w));
	CHECK_INT(t, found(&w, w.agent.id), 3);
	world_fini(&w);
}

static void test_faults(struct kb_test *t)
{
	for (int n = 1;; n += KB_TEST_FAULT_STEP) {
		struct kb_err err;
		struct world w;
		bool worked, fired;

		world_init(&w, t);
		add(&w, "walrus", true);
		add(&w, "narwhal", true);
		damage_segment(&w, 0, FLIP);
		CHECK_INT(t, found(&w, w.agent.id), 1);
		kb_fault_arm(n);
		(void)!kb_repair_next(&w.with, &w.sums, &worked, &err);
		fired = kb_fault_disarm();
		fixture_sound(&w.f);
		/* Whatever failed, it goes better the next time. */
		for (int i = 0; i < 10 && is_repairing(&w); i++) {
			kb_clock_advance(&w.f.clock, 100 * KB_SECOND_US);
			repair(&w);
		}
		kb_catalog_forget(w.catalog, w.agent.id);
		CHECK_INT(t, found(&w, w.agent.id), 2);
		CHECK_INT(t, w.sums.lost, 0);
		world_fini(&w);
		if (!fired || t->failed)
			break;
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a damaged segment is made anew, and the others answer meanwhile", test_repair },
		{ "an agent without a whole segment comes back", test_all_damaged },
		{ "a segment that is whole again is believed", test_healed },
		{ "a page without its text is read anew, or fails with a reason", test_lost_texts },
		{ "nothing is given up where the blobs are somebody else's", test_foreign_blobs },
		{ "what happens meanwhile is not undone", test_meanwhile },
		{ "one at a time repairs, and comes too late when its lease has passed",
		  test_leases },
		{ "a copy and its original are repaired each for itself", test_copies },
		{ "looking through the segments finds damage", test_look },
		{ "each step may fail", test_faults },
	};
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
