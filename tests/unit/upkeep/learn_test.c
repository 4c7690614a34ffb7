/* What an agent's factors are learned from: the passages that it has, and no others. */
#include "upkeep/learn.h"

#include "../store/fixture.h"
#include "base/buf.h"
#include "index/factors.h"
#include "live/catalog.h"

enum { KEPT = 320, GONE = 40, LETTERS = 18, WORDS_EACH = 12 };

/* Words of a small vocabulary, so that the passages share them; those of what is deleted are its
 * own. */
static struct kb_sv text_of(struct fixture *f, const char *of, uint32_t seed)
{
	struct kb_buf buf;
	struct kb_sv text;

	kb_buf_init(&buf, 4096);
	for (int i = 0; i < WORDS_EACH; i++) {
		seed = seed * 1664525u + 1013904223u;
		kb_buf_printf(&buf, "%s%c%c ", of, 'a' + (int)(seed >> 9) % LETTERS,
		              'a' + (int)(seed >> 20) % LETTERS);
	}
	text = kb_arena_sv(&f->arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return text;
}

/* Indexes two documents, of KEPT and of GONE passages, in one segment. */
static void index_two(struct fixture *f, struct kb_blobs *blobs, const char *dir)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();
	struct kb_page_result results[2];
	struct kb_segment_info info;
	struct kb_blob_name name;
	struct kb_segment_new segment = { 0 };
	struct kb_leases leases;
	char path[128];

	NEED(f, kb_store_pages_lease(
	                f->store, &f->arena,
	                &(struct kb_lease_want){ .max = 2, .lease_us = 60 * KB_SECOND_US }, &leases,
	                &f->err));
	for (size_t i = 0; i < leases.count; i++) {
		int passages = i ? GONE : KEPT;

		for (int k = 0; k < passages; k++)
			kb_segment_writer_add(
			        writer,
			        &(struct kb_passage){
			                .page_id = leases.v[i].page.id,
			                .text = text_of(f, i ? "gone" : "kept", (uint32_t)k + 1) });
		results[i] = fixture_result(&leases.v[i]);
		results[i].passages = passages;
	}
	snprintf(path, sizeof(path), "%s/new", dir);
	NEED(f, kb_segment_writer_finish(writer, path, &info, &f->err)
	                && kb_blob_take(blobs, path, &name, &segment.bytes, &f->err));
	kb_segment_writer_free(writer);
	segment.blob = kb_sv_str(name.hex);
	segment.passages = info.passages;
	segment.pages = 2;
	NEED(f, kb_store_pages_finish(f->store, leases.v[0].page.agent_id, results, leases.count,
	                              &segment, &f->err));
}

/* How many words the agent's factors have learned. */
static int64_t words_of(struct fixture *f, const struct kb_learn *with, int64_t agent_id)
{
	struct kb_index_state state;
	struct kb_factors_info info;
	struct kb_factors *factors = NULL;

	NEED(f,
	     kb_learn_agent(with, agent_id, &f->err)
	             && kb_store_index_state(f->store, &f->arena, agent_id, &state, &f->err)
	             && (factors = kb_catalog_factors(with->catalog, state.factors.blob, &f->err)));
	kb_factors_info(factors, &info);
	kb_factors_release(factors);
	return info.terms;
}

/* The second document of the agent, whose ids are its own. */
static void delete_second(struct fixture *f, int64_t agent_id)
{
	struct kb_page_filter filter = { .list = { .page = 1, .limit = 10, .ascending = true },
		                         .crawl = -1,
		                         .index = -1 };
	struct kb_page_list pages;

	NEED(f, kb_store_page_list(f->store, &f->arena, agent_id, &filter, &pages, &f->err));
	CHECK_INT(f->t, (int64_t)pages.count, 2);
	NEED(f, kb_store_page_delete(f->store, agent_id, pages.v[1].id, &f->err));
}

static void test_deleted(struct kb_test *t)
{
	struct kb_agent agent, copy;
	struct kb_blobs *blobs;
	struct kb_learn with;
	struct fixture f;
	char dir[80], command[128];
	int64_t all, copied;

	fixture_init(&f, t);
	snprintf(dir, sizeof(dir), "%s-blobs", f.dir);
	blobs = kb_blobs_open(dir, &f.err);
	NEED(&f, blobs);
	with = (struct kb_learn){
		.catalog = kb_catalog_open(
		        f.store, blobs,
		        &(struct kb_catalog_limits){ .agents = 8, .heap_bytes = INT64_MAX }, NULL),
		.store = f.store,
		.blobs = blobs,
		.temp_dir = dir
	};
	agent = fixture_agent(&f, "a");
	fixture_pages(&f, agent.id, 2);
	index_two(&f, blobs, dir);
	NEED(&f, kb_store_agent_replicate(f.store, &f.arena,
	                                  &(struct kb_agent_copy){ .account_id = f.account.id,
	                                                           .id = agent.id,
	                                                           .name = KB_SV("copy") },
	                                  &copy, &f.err));

	all = words_of(&f, &with, agent.id);
	delete_second(&f, copy.id);
	copied = words_of(&f, &with, copy.id);
	t->row = "a copy shares the segment, and learns of what it has itself";
	CHECK(t, copied < all);
	CHECK_INT(t, words_of(&f, &with, agent.id), all);
	t->row = "and the agent that was copied the same, without the same document";
	delete_second(&f, agent.id);
	CHECK_INT(t, words_of(&f, &with, agent.id), copied);

	kb_catalog_close(with.catalog);
	kb_blobs_close(blobs);
	fixture_fini(&f);
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	CHECK(t, system(command) == 0);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "factors are not learned from deleted documents, in copies neither",
		  test_deleted },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
