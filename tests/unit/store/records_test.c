/* Each column of a record: into its place, back from there, into the cache, and into a copy of the
 * agent. Members are filled by the lists of columns, so that a new one is tested as it comes. */

#include "raw.h"
#include "store/accounts_own.h"
#include "store/agent_new.h"
#include "store/agents_own.h"
#include "store/messages_own.h"
#include "store/pages_own.h"
#include "store/segments_own.h"
#include "store/sources_own.h"
#include "store/store_own.h"

enum { ROUNDS = 3, /* in one of them any two flags of a record differ */ RECORD_MAX = 1024 };

/* A record of any table; `size` of it is what the table's callers see. */
union record {
	char bytes[RECORD_MAX];
	int64_t align;
	struct kb_page_row page;
	struct kb_agent agent;
	struct kb_account account;
	struct kb_source_row source;
	struct kb_conversation conversation;
	struct kb_message message;
	struct kb_segment_row segment;
};

struct world {
	struct fixture f;
	struct kb_agent agent;
	struct kb_source source;
	struct kb_conversation conversation;
};

static const struct kb_sql *statement(const char *name)
{
	for (size_t i = 0; i < kb_sql_table_count; i++)
		for (size_t j = 0; j < kb_sql_tables[i]->count; j++)
			if (strcmp(kb_sql_tables[i]->rows[j].name, name) == 0)
				return &kb_sql_tables[i]->rows[j];
	abort();
}

/* ---- members ---- */

static size_t cell_size(enum kb_cell cell)
{
	static const size_t sizes[] = {
		[KB_CELL_INT] = sizeof(int64_t),           [KB_CELL_BOOL] = sizeof(bool),
		[KB_CELL_ENUM] = sizeof(unsigned),         [KB_CELL_TEXT] = sizeof(struct kb_sv),
		[KB_CELL_NULLABLE] = sizeof(struct kb_sv),
	};

	return sizes[cell];
}

static void set_int(const struct kb_db_columns *columns, void *record, const char *name, int64_t n)
{
	for (size_t i = 0; i < columns->count; i++)
		if (strcmp(columns->v[i].name, name) == 0)
			memcpy((char *)record + columns->v[i].offset, &n, sizeof(n));
}

/* A value that no other member of its kind has; flags do their best. */
static void fill(struct kb_arena *arena, const struct kb_db_columns *columns, int round,
                 void *record)
{
	memset(record, 0, columns->record_size);
	for (size_t i = 0, flags = 0; i < columns->count; i++) {
		const struct kb_db_column *column = &columns->v[i];
		int64_t n = 1000000 * (round + 1) + (int64_t)i;
		bool flag = flags >> round & 1;
		unsigned word = (unsigned)(i + (size_t)round) % 3;
		struct kb_sv text = kb_arena_printf(arena, "%s in round %d", column->name, round);
		const void *const from[] = {
			[KB_CELL_INT] = &n,     [KB_CELL_BOOL] = &flag,     [KB_CELL_ENUM] = &word,
			[KB_CELL_TEXT] = &text, [KB_CELL_NULLABLE] = &text,
		};

		flags += column->cell == KB_CELL_BOOL;
		memcpy((char *)record + column->offset, from[column->cell],
		       cell_size(column->cell));
	}
}

static struct kb_sv shown(struct kb_arena *arena, const struct kb_db_column *column,
                          const void *record)
{
	const void *member = (const char *)record + column->offset;

	switch (column->cell) {
	case KB_CELL_INT:
		return kb_arena_printf(arena, "%" PRId64, *(const int64_t *)member);
	case KB_CELL_BOOL:
		return kb_arena_printf(arena, "%d", *(const bool *)member);
	case KB_CELL_ENUM:
		return kb_arena_printf(arena, "%u", *(const unsigned *)member);
	case KB_CELL_TEXT:
	case KB_CELL_NULLABLE:
		break;
	}
	return *(const struct kb_sv *)member;
}

/* Of the members that lie within the first `size` bytes. */
static void check_same(struct kb_test *t, struct kb_arena *arena,
                       const struct kb_db_columns *columns, size_t size, const void *got,
                       const void *want)
{
	for (size_t i = 0; i < columns->count; i++) {
		const struct kb_db_column *column = &columns->v[i];

		if (column->offset + cell_size(column->cell) > size)
			continue;
		t->row = column->member;
		CHECK_SV(t, shown(arena, column, got), shown(arena, column, want).p);
	}
	t->row = NULL;
}

/* ---- the tables ---- */

static bool get_page(struct world *w, const union record *want, union record *out)
{
	return kb_store_page_get(w->f.store, &w->f.arena, w->agent.id, want->page.page.id,
	                         &out->page.page, &w->f.err);
}

static bool get_source(struct world *w, const union record *want, union record *out)
{
	return kb_store_source_get(w->f.store, &w->f.arena, w->agent.id, want->source.source.id,
	                           &out->source.source, &w->f.err);
}

static bool get_conversation(struct world *w, const union record *want, union record *out)
{
	return kb_store_conversation_get(
	        w->f.store, &w->f.arena,
	        &(struct kb_session){ .agent_id = w->agent.id,
	                              .id = want->conversation.session_id },
	        &out->conversation, &w->f.err);
}

static bool get_message(struct world *w, const union record *want, union record *out)
{
	return kb_store_message_get(
	        w->f.store, &w->f.arena,
	        &(struct kb_session){ .agent_id = w->agent.id, .id = w->conversation.session_id },
	        want->message.id, &out->message, &w->f.err);
}

static bool get_account(struct world *w, const union record *want, union record *out)
{
	return kb_store_account_get(w->f.store, &w->f.arena, want->account.id, &out->account,
	                            &w->f.err);
}

static bool get_segment(struct world *w, const union record *want, union record *out)
{
	struct kb_index_state state;

	if (!kb_store_index_state(w->f.store, &w->f.arena, w->agent.id, &state, &w->f.err))
		return false;
	for (size_t i = 0; i < state.segment_count; i++) {
		out->segment = state.segments[i];
		if (out->segment.id == want->segment.id)
			return true;
	}
	return false;
}

#define MEMBER(type, member)                                                                       \
	{                                                                                          \
		offsetof(type, member), sizeof(((type *)0)->member)                                \
	}
#define OTHERS_MAX 9
/* Members that are no columns: they are made from others, or are only for a call. */
struct other {
	size_t offset, size;
};

static const struct table {
	const char *name, *add;
	const struct kb_db_columns *columns;
	size_t size; /* of what `get` gives, with which the record begins */
	bool (*get)(struct world *w, const union record *want, union record *out);
	struct other others[OTHERS_MAX];
} tables[] = {
	{ "pages",
	  "page_add",
	  &kb_page_columns,
	  sizeof(struct kb_page),
	  get_page,
	  { MEMBER(struct kb_page_row, page.image),
	    MEMBER(struct kb_page_row, page.next_try_at) } },
	{ "sources",
	  "source_add",
	  &kb_source_columns,
	  sizeof(struct kb_source),
	  get_source,
	  { MEMBER(struct kb_source_row, source.label_ids),
	    MEMBER(struct kb_source_row, source.label_count) } },
	{ "conversations",
	  "conversation_add",
	  &kb_conversation_columns,
	  sizeof(struct kb_conversation),
	  get_conversation,
	  { MEMBER(struct kb_conversation, has_own_name), MEMBER(struct kb_conversation, counted),
	    MEMBER(struct kb_conversation, questions), MEMBER(struct kb_conversation, unanswered),
	    MEMBER(struct kb_conversation, disliked), MEMBER(struct kb_conversation, source) } },
	{ "messages",
	  "message_add",
	  &kb_message_columns,
	  sizeof(struct kb_message),
	  get_message,
	  { MEMBER(struct kb_message, citations), MEMBER(struct kb_message, citation_count),
	    MEMBER(struct kb_message, stays_with), MEMBER(struct kb_message, ends_visit),
	    MEMBER(struct kb_message, spent), MEMBER(struct kb_message, running),
	    MEMBER(struct kb_message, writer), MEMBER(struct kb_message, ahead),
	    MEMBER(struct kb_message, gap_why) } },
	{ "segments",
	  "segment_add",
	  &kb_segment_columns,
	  sizeof(struct kb_segment_row),
	  get_segment,
	  { { 0 } } },
	{ "accounts",
	  "account_add",
	  &kb_account_columns,
	  sizeof(struct kb_account),
	  get_account,
	  { MEMBER(struct kb_account, email) } },
	/* Not by `add`: */
	{ "agents",
	  NULL,
	  &kb_agent_columns,
	  sizeof(struct kb_agent),
	  NULL,
	  { MEMBER(struct kb_agent, is_repairing) } },
	{ "api_keys",
	  NULL,
	  &kb_key_columns,
	  sizeof(struct kb_key),
	  NULL,
	  { MEMBER(struct kb_key, agents), MEMBER(struct kb_key, agent_count) } },
};

static void open_world(struct world *w, struct kb_test *t)
{
	*w = (struct world){ 0 };
	fixture_init(&w->f, t);
	w->agent = fixture_agent(&w->f, "a");
	NEED(&w->f,
	     kb_store_source_upload(w->f.store, &w->f.arena, w->agent.id, &w->source, &w->f.err));
	NEED(&w->f, kb_store_conversation_create(
	                    w->f.store, &w->f.arena,
	                    &(struct kb_session){ .agent_id = w->agent.id, .id = KB_SV("s") },
	                    KB_SV(""), &w->conversation, &w->f.err));
}

/* Its rows make no sense together: nobody verifies them. */
static void close_world(struct world *w)
{
	kb_store_close(w->f.store);
	kb_arena_fini(&w->f.arena);
	fixture_remove(&w->f);
}

struct adding {
	const struct table *table;
	const union record *record;
};

static bool add_row(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct adding *in = arg;

	return kb_columns_write(in->table->columns, conn, statement(in->table->add), KB_NO_VALUES,
	                        in->record, err);
}

/* A row with a value of its own in each column, but for what others refer to. */
static void put_row(struct world *w, const struct table *table, int round, union record *out)
{
	struct adding in = { table, out };

	fill(&w->f.arena, table->columns, round, out);
	set_int(table->columns, out, "agent_id", w->agent.id);
	set_int(table->columns, out, "source_id", w->source.id);
	set_int(table->columns, out, "conversation_id", w->conversation.id);
	set_int(table->columns, out, "dead_version", 0);
	set_int(table->columns, out, "damaged_at", 0);
	NEED(&w->f, kb_db_write(w->f.store->db, add_row, &in, &w->f.err));
}

/* What the database has in that column of the row with that id. */
static struct kb_sv stored(struct world *w, const char *table, const char *column, int64_t id)
{
	struct kb_sv query = kb_arena_printf(&w->f.arena, "SELECT %s FROM %s WHERE id = %" PRId64,
	                                     column, table, id);
	struct kb_sv text = raw_text(&w->f, query.p);

	return text.p ? text : KB_SV("no such row");
}

static int64_t id_of(const struct kb_db_columns *columns, const void *record)
{
	for (size_t i = 0; i < columns->count; i++)
		if (strcmp(columns->v[i].name, "id") == 0)
			return *(const int64_t *)(const void *)((const char *)record
			                                        + columns->v[i].offset);
	abort();
}

/* The highest id of the agent: that of the row that was put last, or of its copy. */
static int64_t newest(struct world *w, const char *table, int64_t agent_id)
{
	struct kb_sv query = kb_arena_printf(
	        &w->f.arena, "SELECT max(id) FROM %s WHERE agent_id = %" PRId64, table, agent_id);

	return raw_int(&w->f, query.p);
}

static bool is_in(const char *name, const char *const *names)
{
	while (*names && strcmp(name, *names) != 0)
		names++;
	return *names;
}

/* ---- the tests ---- */

/* A column goes to the member of its name, but for these. */
static const char *const named_otherwise[] = {
	"crawl_status crawl", "index_status index",     "image own_image",
	"to_fetch fetch",     "lease_epoch epoch",      "lease_node node",
	"state is_read",      "visited_at answered_at", "is_file is_ours",
};

static void test_names(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(tables); i++) {
		for (size_t j = 0; j < tables[i].columns->count; j++) {
			const struct kb_db_column *column = &tables[i].columns->v[j];
			const char *dot = strrchr(column->member, '.');
			const char *member = dot ? dot + 1 : column->member;
			bool known = strcmp(column->name, member) == 0;
			char pair[100];

			snprintf(pair, sizeof(pair), "%s %s", column->name, member);
			for (size_t k = 0; k < KB_COUNTOF(named_otherwise); k++)
				known = known || strcmp(named_otherwise[k], pair) == 0;
			t->row = pair;
			CHECK(t, known);
		}
	}
	t->row = NULL;
}

/* Each byte of a record belongs to a column, to one of `others`, or fills up a word. */
static void test_every_member(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(tables); i++) {
		const struct kb_db_columns *columns = tables[i].columns;
		char taken[RECORD_MAX] = { 0 };

		CHECK(t, columns->record_size <= RECORD_MAX);
		for (size_t j = 0; j < columns->count; j++)
			memset(taken + columns->v[j].offset, 1, cell_size(columns->v[j].cell));
		for (size_t j = 0; j < OTHERS_MAX; j++)
			memset(taken + tables[i].others[j].offset, 1, tables[i].others[j].size);
		t->row = tables[i].name;
		for (size_t at = 0, end; at < columns->record_size; at = end + 1) {
			for (end = at; end < columns->record_size && !taken[end];)
				end++;
			CHECK(t, end - at < 8);
			CHECK(t, end == at || end % 4 == 0);
		}
	}
	t->row = NULL;
}

static void test_round_trip(struct kb_test *t)
{
	struct world w;

	open_world(&w, t);
	for (size_t i = 0; i < KB_COUNTOF(tables); i++) {
		const struct table *table = &tables[i];
		const struct kb_db_columns *columns = table->columns;

		for (int round = 0; table->add && round < ROUNDS; round++) {
			union record want, got;

			put_row(&w, table, round, &want);
			for (size_t j = 0; j < columns->count; j++) {
				t->row = columns->v[j].name;
				CHECK_SV(t, stored(&w, table->name, t->row, id_of(columns, &want)),
				         shown(&w.f.arena, &columns->v[j], &want).p);
			}
			t->row = table->name;
			CHECK(t, table->get(&w, &want, &got));
			check_same(t, &w.f.arena, columns, table->size, &got, &want);
		}
	}
	close_world(&w);
}

/* A copy in the cache is whole, and on its own. */
static void test_cache(struct kb_test *t)
{
	static const struct kb_db_columns *const cached[] = { &kb_agent_columns, &kb_key_columns };

	for (size_t i = 0; i < KB_COUNTOF(cached); i++) {
		struct kb_cache *cache = kb_cache_new(cached[i], NULL);
		struct kb_arena arena = { 0 };
		union record want, given;
		void *got;

		fill(&arena, cached[i], 0, &want);
		fill(&arena, cached[i], 0, &given);
		kb_cache_put(cache, 1, kb_cache_mark(cache, 1), &given);
		for (size_t j = 0; j < cached[i]->count; j++) {
			enum kb_cell cell = cached[i]->v[j].cell;
			struct kb_sv *text =
			        (struct kb_sv *)(void *)(given.bytes + cached[i]->v[j].offset);

			if (cell == KB_CELL_TEXT || cell == KB_CELL_NULLABLE)
				memset((char *)(uintptr_t)text->p, '!', text->n);
		}
		got = kb_cache_get(cache, &arena, 1);
		CHECK(t, got);
		check_same(t, &arena, cached[i], cached[i]->record_size, got, &want);
		kb_cache_free(cache);
		kb_arena_fini(&arena);
	}
}

static bool add_agent(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	return kb_agent_insert(conn, arg, 4711, err);
}

static void test_agents(struct kb_test *t)
{
	/* The copy's own, or what is looked after otherwise. */
	static const char *const own[] = { "id",         "name",
		                           "is_shared",  "shareable_slug",
		                           "created_at", "updated_at",
		                           "children",   NULL };
	const struct kb_db_columns *columns = &kb_agent_columns;
	struct world w;

	open_world(&w, t);
	for (int round = 0; round < ROUNDS; round++) {
		struct kb_agent want, got, copy;

		fill(&w.f.arena, columns, round, &want);
		want.account_id = w.f.account.id;
		NEED(&w.f, kb_db_write(w.f.store->db, add_agent, &want, &w.f.err));
		for (int from_cache = 0; from_cache < 2; from_cache++) {
			NEED(&w.f,
			     kb_store_agent_find(w.f.store, &w.f.arena, want.id, &got, &w.f.err));
			check_same(t, &w.f.arena, columns, sizeof(want), &got, &want);
		}
		NEED(&w.f,
		     kb_store_agent_replicate(w.f.store, &w.f.arena,
		                              &(struct kb_agent_copy){ .account_id = w.f.account.id,
		                                                       .id = want.id,
		                                                       .name = KB_SV("The copy") },
		                              &copy, &w.f.err));
		for (size_t i = 0; i < columns->count; i++) {
			t->row = columns->v[i].name;
			CHECK_SV(t, stored(&w, "agents", t->row, want.id),
			         shown(&w.f.arena, &columns->v[i], &want).p);
			if (!is_in(t->row, own))
				CHECK_SV(t, stored(&w, "agents", t->row, copy.id),
				         shown(&w.f.arena, &columns->v[i], &want).p);
		}
		t->row = NULL;
	}
	close_world(&w);
}

/* Each page and source as they are in a copy: in the order of their ids, which keep their distance.
 */
static void test_copies(struct kb_test *t)
{
	static const struct {
		size_t table;
		const char *own[10]; /* the copy's */
	} cases[] = {
		{ 0,
		  { "agent_id", "id", "source_id", "parent_id", "state", "due_at", "attempts",
		    "lease_epoch", "lease_node" } },
		{ 1,
		  { "agent_id", "id", "state", "due_at", "attempts", "asked_at", "lease_node" } },
	};
	struct world w;

	open_world(&w, t);
	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		const struct table *table = &tables[cases[i].table];
		struct kb_agent copy;

		for (int round = 0; round < ROUNDS; round++) {
			union record want;
			int64_t id;

			put_row(&w, table, round, &want);
			NEED(&w.f, kb_store_agent_replicate(
			                   w.f.store, &w.f.arena,
			                   &(struct kb_agent_copy){ .account_id = w.f.account.id,
			                                            .id = w.agent.id,
			                                            .name = KB_SV("The copy") },
			                   &copy, &w.f.err));
			id = newest(&w, table->name, copy.id);
			CHECK(t, id != id_of(table->columns, &want));
			for (size_t j = 0; j < table->columns->count; j++) {
				t->row = table->columns->v[j].name;
				if (!is_in(t->row, cases[i].own))
					CHECK_SV(t, stored(&w, table->name, t->row, id),
					         shown(&w.f.arena, &table->columns->v[j], &want).p);
			}
			t->row = NULL;
		}
	}
	close_world(&w);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a column goes to the member of its name", test_names },
		{ "each member of a record is a column, or known to be none", test_every_member },
		{ "each column comes back as it was written", test_round_trip },
		{ "the cache copies each member, texts and all", test_cache },
		{ "an agent is the same in the database, in the cache and as a copy", test_agents },
		{ "pages and sources are the same in a copy", test_copies },
	};
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
