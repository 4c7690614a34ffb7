#include "store/agent_new.h"

#include "store/agents_own.h"
#include "store/pages_own.h"
#include "store/personas_own.h"
#include "store/sources_own.h"
#include "store/store_own.h"

bool kb_agent_insert(struct kb_db_conn *conn, struct kb_agent *agent, int64_t now,
                     struct kb_err *err)
{
	agent->index_version = 0;
	return kb_agent_insert_row(conn, agent, now, err)
	       && kb_agent_insert_totals(conn, agent->id, err)
	       && kb_source_insert_upload(conn, agent->id, now, NULL, err)
	       && kb_persona_insert(conn, agent->id, 1, (struct kb_sv){ 0 }, now, err);
}

struct create {
	struct kb_agent *agent;
	struct kb_pages_coming pages;
};

static bool create(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct create *in = arg;

	in->agent->is_active = in->agent->sitemap_path.n == 0 && in->pages.count == 0;
	if (!kb_agent_insert(conn, in->agent, in->pages.now, err))
		return false;
	in->pages.agent_id = in->agent->id;
	return kb_pages_come(conn, &in->pages, err);
}

bool kb_store_agent_create_with_pages(struct kb_store *store, struct kb_agent *agent,
                                      const struct kb_agent_start *start, int64_t *first_id,
                                      struct kb_err *err)
{
	struct create in = { .agent = agent,
		             .pages = { .source = start->source,
		                        .pages = start->pages,
		                        .count = start->page_count,
		                        .now = kb_store_now(store) } };
	bool ok = kb_db_write(store->db, create, &in, err);

	*first_id = ok ? in.pages.first_id : 0;
	kb_arena_fini(&in.pages.arena);
	return ok;
}

bool kb_store_agent_create(struct kb_store *store, struct kb_agent *agent, struct kb_err *err)
{
	int64_t none;

	return kb_store_agent_create_with_pages(store, agent, &(struct kb_agent_start){ 0 }, &none,
	                                        err);
}
