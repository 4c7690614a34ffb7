/* Conversations: sessions of an agent and their names. Messages are in messages.c. */
#include "store/conversations.h"

#include "base/hash.h"
#include "base/utf8.h"
#include "store/answers_own.h"
#include "store/conversations_own.h"
#include "store/gap_groups_own.h"
#include "store/lists.h"
#include "store/publish.h"
#include "store/store_own.h"
#include "store/talklinks_own.h"
#include "store/texts.h"

enum { NAME_LETTERS = 255 };
static const struct kb_sv unnamed = KB_SV_INIT("New conversation");

enum naming { BY_NOBODY, BY_PROMPT, BY_PERSON };

enum {
	ADD,
	BY_SESSION,
	USE,
	TO_USE,
	TOUCH,
	SET_CHILD,
	RENAME,
	HOLD,
	NAME,
	DELETE_MESSAGES,
	DELETE,
	LIST_COUNT,
	VISITOR_COUNT,
	VISITOR_LIST,
	LIST_FIRST, /* + 2 * by_created_at + ascending */
	LIST_LAST = LIST_FIRST + 3,
};
/* As kb_like_pattern() folds, so far as letters of today go. */
#define FOUND_IN(text) "replace(lower(" text "), 'ß', 'ss') LIKE $6 ESCAPE '\\'"
#define LIST_WHERE                                                                                 \
	" FROM conversations WHERE agent_id = $1 AND ($2 = '' OR name_key LIKE $2 ESCAPE '\\') "   \
	"AND updated_at >= $3 AND created_by BETWEEN $4 AND $5 "                                   \
	"AND ($6 = '' OR id IN (SELECT m.conversation_id FROM messages m WHERE m.agent_id = $1 "   \
	"AND (" FOUND_IN("m.query") " OR " FOUND_IN("m.response") ")))"
/* Of one visitor: by an index of theirs. */
#define VISITOR_WHERE                                                                              \
	" FROM conversations WHERE agent_id = $1 AND visitor_id = $2 AND visitor_id <> 0"
// clang-format off
static_assert(KB_REACTION_DISLIKED == KB_SQL_REACTION_DISLIKED, "a reaction is another number in SQL");
/* Of a conversation's messages: how many there are, got no answer, have an answer that is disliked; and whence the
 * first came. */
#define OF_MESSAGES(what) \
	"(SELECT " what " FROM messages m WHERE m.agent_id = c.agent_id AND m.conversation_id = c.id)"
#define HOW_MANY(condition) OF_MESSAGES("coalesce(sum(CASE WHEN " condition " THEN 1 ELSE 0 END), 0)")
#define COUNTED \
	OF_MESSAGES("count(*)") ", " HOW_MANY("m.answered = 0 OR m.failed = 1") ", " \
	HOW_MANY("m.reaction = " KB_SQL(REACTION_DISLIKED)) ", " \
	"coalesce((SELECT m.source FROM messages m WHERE m.agent_id = c.agent_id " \
	"AND m.conversation_id = c.id ORDER BY m.id LIMIT 1), '')"
/* Only those of the page are counted. */
#define LIST(order) \
	"SELECT " KB_NAMES(CONVERSATIONS) ", " COUNTED " FROM (SELECT *" LIST_WHERE \
	" ORDER BY " order " LIMIT $7 OFFSET $8) c ORDER BY " order
/* The columns of conversations (columns.h). */
#define CONVERSATION_BEGUN(FIRST, NEXT) \
	FIRST(i, agent_id,   conversation.agent_id) \
	NEXT (i, id,         conversation.id) \
	NEXT (t, session_id, conversation.session_id) \
	NEXT (i, created_by, conversation.created_by) \
	NEXT (i, visitor_id, conversation.visitor_id) \
	NEXT (i, created_at, conversation.created_at) \
	NEXT (i, child_id,   conversation.child_id)
#define CONVERSATION_NAMED(FIRST, NEXT) \
	FIRST(t, name,       conversation.name) \
	NEXT (i, naming,     naming) \
	NEXT (i, updated_at, conversation.updated_at)
/* Made from the name, to find it by; never read. */
#define CONVERSATION_KEY(FIRST, NEXT) \
	FIRST(t, name_key,   name_key)

#define CONVERSATIONS(FIRST, NEXT) \
	CONVERSATION_BEGUN(FIRST, NEXT) CONVERSATION_NAMED(NEXT, NEXT)
#define CONVERSATIONS_WHOLE(FIRST, NEXT) \
	CONVERSATIONS(FIRST, NEXT) CONVERSATION_KEY(NEXT, NEXT)
#define RENAMED(FIRST, NEXT) \
	CONVERSATION_NAMED(FIRST, NEXT) CONVERSATION_KEY(NEXT, NEXT)

static const struct kb_sql sql[] = {
	[ADD] = { "conversation_add", KB_TYPES(CONVERSATIONS_WHOLE),
		KB_INSERT("conversations", CONVERSATIONS_WHOLE) },
	[BY_SESSION] = { "conversation_by_session", "iti",
		"SELECT " KB_NAMES(CONVERSATIONS) " FROM conversations WHERE agent_id = $1 AND session_id = $2 "
		"AND ($3 = 0 OR visitor_id = $3)" },
	/* The same of an agent that is there, as it is used. */
	[USE] = { "conversation_use", "itii",
		"UPDATE conversations SET updated_at = $4 WHERE agent_id = $1 AND session_id = $2 "
		"AND ($3 = 0 OR visitor_id = $3) AND EXISTS (SELECT 1 FROM agents WHERE id = $1 "
		"AND state = " KB_SQL(AGENT_THERE) ") RETURNING " KB_NAMES(CONVERSATIONS) },
	/* Where that found nothing: is the agent there? Without a conversation its columns are NULL. */
	[TO_USE] = { "conversation_to_use", "iti",
		"SELECT there, " KB_NAMES(CONVERSATIONS) " FROM (SELECT id AS there FROM agents WHERE id = $1 "
		"AND state = " KB_SQL(AGENT_THERE) ") a LEFT JOIN conversations ON agent_id = $1 AND session_id = $2 "
		"AND ($3 = 0 OR visitor_id = $3)" },
	[TOUCH] = { "conversation_touch", "iii",
		"UPDATE conversations SET updated_at = $3 WHERE agent_id = $1 AND id = $2" },
	[SET_CHILD] = { "conversation_set_child", "iii",
		"UPDATE conversations SET child_id = $3 WHERE agent_id = $1 AND id = $2" },
	[RENAME] = { "conversation_rename", "ii" KB_TYPES(RENAMED),
		KB_UPDATE("conversations", RENAMED) "WHERE agent_id = $1 AND id = $2" },
	[HOLD] = { "conversation_hold", "ii",
		"UPDATE conversations SET naming = naming WHERE agent_id = $1 AND id = $2" },
	[NAME] = { "conversation_name", "iitti",
		"UPDATE conversations SET name = $3, name_key = $4 "
		"WHERE agent_id = $1 AND id = $2 AND naming = $5" },
	[DELETE_MESSAGES] = { "conversation_delete_messages", "ii",
		"DELETE FROM messages WHERE agent_id = $1 AND conversation_id = $2" },
	[DELETE] = { "conversation_delete", "ii",
		"DELETE FROM conversations WHERE agent_id = $1 AND id = $2" },
	[LIST_COUNT] = { "conversation_list_count", "itiiit", "SELECT count(*)" LIST_WHERE },
	[VISITOR_COUNT] = { "conversation_visitor_count", "ii", "SELECT count(*)" VISITOR_WHERE },
	[VISITOR_LIST] = { "conversation_visitor_list", "iiii",
		"SELECT " KB_NAMES(CONVERSATIONS) VISITOR_WHERE " ORDER BY updated_at DESC LIMIT $3 OFFSET $4" },
	[LIST_FIRST + 0] = { "conversation_list_id_desc",      "itiiitii", LIST("id DESC") },
	[LIST_FIRST + 1] = { "conversation_list_id_asc",       "itiiitii", LIST("id") },
	[LIST_FIRST + 2] = { "conversation_list_created_desc", "itiiitii", LIST("created_at DESC, id DESC") },
	[LIST_FIRST + 3] = { "conversation_list_created_asc",  "itiiitii", LIST("created_at, id") },
};
// clang-format on
const struct kb_sql_table kb_sql_conversations = { "conversations", sql, KB_COUNTOF(sql) };

struct row {
	struct kb_conversation conversation;
	enum naming naming;
	struct kb_sv name_key;
};
#define ROW(letter, column, member) KB_COLUMN(struct row, letter, column, member)
const struct kb_db_columns kb_conversation_columns =
        KB_COLUMNS(struct row, CONVERSATIONS_WHOLE(ROW, ROW));
static const struct kb_db_columns read_columns = KB_COLUMNS(struct row, CONVERSATIONS(ROW, ROW));
static const struct kb_db_columns renamed = KB_COLUMNS(struct row, RENAMED(ROW, ROW));

static void read_row(struct kb_db_rows *rows, struct kb_arena *arena, struct row *out)
{
	kb_columns_read(&read_columns, rows, 0, arena, out);
	out->conversation.has_own_name = out->naming == BY_PERSON;
}

static struct row row_of(struct kb_arena *arena, const struct kb_conversation *conversation,
                         enum naming naming)
{
	return (struct row){
		.conversation = *conversation,
		.naming = naming,
		.name_key = kb_store_fold(arena, conversation->name),
	};
}

static bool missing(struct kb_err *err, struct kb_sv session_id)
{
	return kb_fail(err, KB_E_NOT_FOUND, "Conversation with session id %.*s not found",
	               KB_SV_ARG(kb_utf8_cut(session_id, 200)));
}

void kb_conversation_read_begin(struct kb_db_conn *conn, const struct kb_session *session,
                                struct kb_db_rows *rows)
{
	kb_rows_open(rows, conn, &sql[BY_SESSION],
	             KB_VALUES(kb_int(session->agent_id), kb_text(session->id),
	                       kb_int(session->visitor_id)));
}

/* The row is zeroed where there is none: it has no id. */
static bool find_end(struct kb_db_rows *rows, struct kb_arena *arena, struct row *out,
                     struct kb_err *err)
{
	*out = (struct row){ 0 };
	while (kb_rows_next(rows))
		read_row(rows, arena, out);
	return kb_rows_close(rows, err);
}

bool kb_conversation_read_end(struct kb_db_rows *rows, struct kb_arena *arena,
                              struct kb_conversation *out, bool *has_name, struct kb_err *err)
{
	struct row row;
	bool ok = find_end(rows, arena, &row, err);

	*out = row.conversation;
	*has_name = row.naming != BY_NOBODY;
	return ok;
}

static bool find(struct kb_db_conn *conn, struct kb_arena *arena, const struct kb_session *session,
                 struct row *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_conversation_read_begin(conn, session, &rows);
	return find_end(&rows, arena, out, err);
}

/* Of an agent that is there. KB_E_NOT_FOUND: it is not. */
static bool find_to_use(struct kb_db_conn *conn, struct kb_arena *arena,
                        const struct kb_session *session, struct row *out, struct kb_err *err)
{
	struct kb_db_rows rows;
	bool there = false;

	*out = (struct row){ 0 };
	kb_rows_open(&rows, conn, &sql[TO_USE],
	             KB_VALUES(kb_int(session->agent_id), kb_text(session->id),
	                       kb_int(session->visitor_id)));
	while (kb_rows_next(&rows)) {
		kb_columns_read(&read_columns, &rows, 1, arena, out);
		out->conversation.has_own_name = out->naming == BY_PERSON;
		there = true;
	}
	return kb_rows_close(&rows, err) && (there || kb_agent_missing(err, session->agent_id));
}

bool kb_conversation_load(struct kb_db_conn *conn, struct kb_arena *arena,
                          const struct kb_session *session, struct kb_conversation *out,
                          struct kb_err *err)
{
	struct row row;

	if (!find(conn, arena, session, &row, err))
		return false;
	*out = row.conversation;
	return out->id || missing(err, session->id);
}

bool kb_conversation_set_child(struct kb_db_conn *conn, int64_t agent_id, int64_t id,
                               int64_t child_id, struct kb_err *err)
{
	return kb_db_run(conn, &sql[SET_CHILD],
	                 KB_VALUES(kb_int(agent_id), kb_int(id), kb_int(child_id)), NULL, err);
}

/* ---- making and naming ---- */

static bool insert(struct kb_db_conn *conn, struct kb_arena *arena, struct kb_conversation *out,
                   enum naming naming, struct kb_err *err)
{
	struct row row;

	if (!kb_db_next_id(conn, "conversation", 1, &out->id, err))
		return false;
	row = row_of(arena, out, naming);
	return kb_columns_write(&kb_conversation_columns, conn, &sql[ADD], KB_NO_VALUES, &row, err);
}

static bool set_name(struct kb_db_conn *conn, struct kb_arena *arena,
                     const struct kb_conversation *named, enum naming naming, struct kb_err *err)
{
	struct row row = row_of(arena, named, naming);

	return kb_columns_write(&renamed, conn, &sql[RENAME],
	                        KB_VALUES(kb_int(named->agent_id), kb_int(named->id)), &row, err);
}

static struct kb_sv name_of(struct kb_arena *arena, struct kb_sv text)
{
	return kb_arena_sv(arena, kb_utf8_head(kb_sv_trim(text), NAME_LETTERS));
}

static struct kb_sv session_of(struct kb_arena *arena, struct kb_sv session_id)
{
	char uuid[37];

	if (session_id.n)
		return kb_arena_sv(arena, session_id);
	kb_random_uuid(uuid);
	return kb_arena_sv(arena, kb_sv_str(uuid));
}

/* As it begins. */
static struct kb_conversation begun(struct kb_arena *arena, const struct kb_session *session,
                                    struct kb_sv name, int64_t now)
{
	return (struct kb_conversation){
		.agent_id = session->agent_id,
		.session_id = session_of(arena, session->id),
		.name = name.n ? name : unnamed,
		.created_by = session->visitor_id > 0 ? 0 : session->account_id,
		.visitor_id = session->visitor_id ? session->visitor_id : session->begun_by,
		.created_at = now,
		.updated_at = now,
	};
}

void kb_conversation_ask(const struct kb_session *session, int64_t now,
                         struct kb_conversation_asking *out)
{
	*out = (struct kb_conversation_asking){
		.values = { kb_int(session->agent_id), kb_text(session->id),
		            kb_int(session->visitor_id), kb_int(now) },
	};
	out->append = (struct kb_db_append){
		.agent_id = session->agent_id,
		.within = session->id,
		.sql = &sql[USE],
		.values = { out->values, KB_COUNTOF(out->values) },
	};
}

/* The session's conversation, marked as used; one without an id where there is none. */
static bool use(struct kb_db_conn *conn, struct kb_arena *arena,
                const struct kb_message_coming *coming, struct row *out, struct kb_err *err)
{
	struct kb_conversation_asking asking;
	struct kb_db_rows *rows = coming->asked ? &coming->asked->rows : &asking.append.rows;

	if (!coming->asked) {
		kb_conversation_ask(coming->session, coming->message->created_at, &asking);
		kb_rows_open(rows, conn, asking.append.sql, asking.append.values);
	}
	return find_end(rows, arena, out, err)
	       && (out->conversation.id || find_to_use(conn, arena, coming->session, out, err));
}

bool kb_conversation_use(struct kb_db_conn *conn, struct kb_arena *arena,
                         const struct kb_message_coming *coming, struct kb_conversation *out,
                         struct kb_err *err)
{
	struct kb_sv name = name_of(arena, coming->message->query);
	int64_t now = coming->message->created_at;
	struct row row;

	if (!use(conn, arena, coming, &row, err))
		return false;
	*out = row.conversation;
	if (!out->id) {
		*out = begun(arena, coming->session, name, now);
		return insert(conn, arena, out, name.n ? BY_PROMPT : BY_NOBODY, err);
	}
	out->updated_at = now;
	if (row.naming != BY_NOBODY || !name.n)
		return true;
	out->name = name;
	return set_name(conn, arena, out, BY_PROMPT, err);
}

bool kb_conversation_begin(struct kb_db_conn *conn, struct kb_arena *arena,
                           const struct kb_message_coming *coming, int64_t id,
                           struct kb_conversation *out, struct kb_err *err)
{
	struct kb_sv name = name_of(arena, coming->message->query);
	struct row row;

	*out = begun(arena, coming->session, name, coming->message->created_at);
	out->id = id;
	row = row_of(arena, out, name.n ? BY_PROMPT : BY_NOBODY);
	return kb_columns_defer(&kb_conversation_columns, conn, &sql[ADD], KB_NO_VALUES, &row, err);
}

bool kb_conversation_touch(struct kb_db_conn *conn, const struct kb_conversation *conversation,
                           struct kb_err *err)
{
	return kb_db_defer(conn, &sql[TOUCH],
	                   KB_VALUES(kb_int(conversation->agent_id), kb_int(conversation->id),
	                             kb_int(conversation->updated_at)),
	                   err);
}

bool kb_conversation_is_named_after(const struct kb_conversation *conversation,
                                    struct kb_arena *arena, struct kb_sv prompt)
{
	return !conversation->has_own_name && kb_sv_eq(conversation->name, name_of(arena, prompt));
}

bool kb_conversation_name(struct kb_db_conn *conn, struct kb_arena *arena,
                          const struct kb_conversation *named, struct kb_err *err)
{
	struct row row = row_of(arena, named, BY_PROMPT);

	return kb_db_run(conn, &sql[NAME],
	                 KB_VALUES(kb_int(named->agent_id), kb_int(named->id), kb_text(named->name),
	                           kb_text(row.name_key), kb_int(BY_PROMPT)),
	                 NULL, err);
}

struct change {
	struct kb_arena *arena;
	const struct kb_session *session;
	int64_t now;
	struct kb_sv name;
	struct kb_conversation *out;
};

static bool create(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct change *in = arg;
	struct kb_sv name = name_of(in->arena, in->name);

	*in->out = begun(in->arena, in->session, name, in->now);
	in->out->has_own_name = name.n > 0;
	return kb_agent_there(conn, in->session->agent_id, err)
	       && insert(conn, in->arena, in->out, name.n ? BY_PERSON : BY_NOBODY, err);
}

bool kb_store_conversation_create(struct kb_store *store, struct kb_arena *arena,
                                  const struct kb_session *session, struct kb_sv name,
                                  struct kb_conversation *out, struct kb_err *err)
{
	struct change in = {
		.arena = arena,
		.session = session,
		.now = kb_store_now(store),
		.name = name,
		.out = out,
	};

	if (kb_db_write(store->db, create, &in, err))
		return true;
	if (err->code == KB_E_CONFLICT)
		kb_fail(err, KB_E_CONFLICT, "Conversation with session id %.*s already exists",
		        KB_SV_ARG(session->id));
	return false;
}

static bool rename_one(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct change *in = arg;

	if (!kb_conversation_load(conn, in->arena, in->session, in->out, err))
		return false;
	in->out->name = name_of(in->arena, in->name);
	in->out->has_own_name = true;
	in->out->updated_at = in->now;
	return set_name(conn, in->arena, in->out, BY_PERSON, err);
}

bool kb_store_conversation_rename(struct kb_store *store, struct kb_arena *arena,
                                  const struct kb_session *session, struct kb_sv name,
                                  struct kb_conversation *out, struct kb_err *err)
{
	struct change in = {
		.arena = arena,
		.session = session,
		.now = kb_store_now(store),
		.name = name,
		.out = out,
	};

	return kb_db_write(store->db, rename_one, &in, err);
}

bool kb_conversation_hold(struct kb_db_conn *conn, int64_t agent_id, int64_t id, bool *held,
                          struct kb_err *err)
{
	int64_t changed = 0;
	bool ok =
	        kb_db_run(conn, &sql[HOLD], KB_VALUES(kb_int(agent_id), kb_int(id)), &changed, err);

	*held = changed > 0;
	return ok;
}

static bool delete_one(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct change *in = arg;
	struct kb_conversation row;
	struct kb_db_values key;
	bool held;

	if (!kb_conversation_load(conn, in->arena, in->session, &row, err))
		return false;
	key = KB_VALUES(kb_int(row.agent_id), kb_int(row.id));
	/* Held, it gets no more messages, and is deleted once. */
	if (!kb_conversation_hold(conn, row.agent_id, row.id, &held, err))
		return false;
	if (!held)
		return kb_conversation_load(conn, in->arena, in->session, &row, err);
	/* The running ones first: one that becomes a message meanwhile goes with the messages. */
	return kb_answers_drop(conn, row.agent_id, row.id, err)
	       && kb_db_run(conn, &sql[DELETE_MESSAGES], key, NULL, err)
	       && kb_gap_forget(conn, row.agent_id, row.id, err)
	       && kb_talk_link_drop(conn, row.agent_id, row.id, err)
	       && kb_db_run(conn, &sql[DELETE], key, NULL, err);
}

bool kb_store_conversation_delete(struct kb_store *store, const struct kb_session *session,
                                  struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct change in = { .arena = &arena, .session = session };
	bool ok = kb_db_write(store->db, delete_one, &in, err);

	kb_arena_fini(&arena);
	return ok;
}

/* ---- reading ---- */

bool kb_store_conversation_get(struct kb_store *store, struct kb_arena *arena,
                               const struct kb_session *session, struct kb_conversation *out,
                               struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, false, err);
	bool ok;

	if (!conn)
		return false;
	ok = kb_conversation_load(conn, arena, session, out, err);
	kb_db_give(store->db, conn);
	return ok;
}

/* The range of created_by that the filter asks for. */
static void creators(const struct kb_conversation_filter *filter, int64_t *from, int64_t *to)
{
	*from = filter->by == KB_BY_ACCOUNT ? filter->created_by : filter->by == KB_BY_MEMBER;
	*to = filter->by == KB_BY_ACCOUNT   ? filter->created_by
	      : filter->by == KB_BY_VISITOR ? 0
	                                    : INT64_MAX;
}

/* The newest first. */
static bool list_of_visitor(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                            const struct kb_conversation_filter *filter,
                            struct kb_conversation_list *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct kb_conversation_list){ 0 };
	kb_rows_take(&rows, store->db, &sql[VISITOR_LIST],
	             KB_VALUES(kb_int(agent_id), kb_int(filter->visitor_id),
	                       kb_int(kb_list_limit(&filter->list)),
	                       kb_int(kb_list_offset(&filter->list))));
	while (kb_rows_next(&rows)) {
		struct row row;

		read_row(&rows, arena, &row);
		KB_ROOM(arena, out->v, out->count)[out->count] = row.conversation;
		out->count++;
	}
	return kb_rows_close(&rows, err)
	       && kb_db_read_int(store->db, &sql[VISITOR_COUNT],
	                         KB_VALUES(kb_int(agent_id), kb_int(filter->visitor_id)), 0,
	                         &out->total, err);
}

static void read_counts(struct kb_db_rows *rows, struct kb_arena *arena,
                        struct kb_conversation *out)
{
	int first = (int)read_columns.count;

	out->counted = true;
	out->questions = kb_rows_int(rows, first);
	out->unanswered = kb_rows_int(rows, first + 1);
	out->disliked = kb_rows_int(rows, first + 2);
	out->source = kb_rows_text(rows, arena, first + 3);
}

bool kb_store_conversation_list(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                                const struct kb_conversation_filter *filter,
                                struct kb_conversation_list *out, struct kb_err *err)
{
	const struct kb_sql *list =
	        &sql[LIST_FIRST + 2 * filter->by_created_at + filter->list.ascending];
	int64_t from, to;
	struct kb_sv pattern, words;
	struct kb_db_conn *conn;
	struct kb_db_rows rows;
	bool ok;

	if (filter->visitor_id)
		return list_of_visitor(store, arena, agent_id, filter, out, err);
	*out = (struct kb_conversation_list){ 0 };
	creators(filter, &from, &to);
	if (!kb_like_pattern(arena, filter->name, false, &pattern, err)
	    || !kb_like_pattern(arena, filter->words, false, &words, err))
		return false;
	conn = kb_db_take(store->db, true, err);
	if (!conn)
		return false;
	kb_rows_open(&rows, conn, list,
	             KB_VALUES(kb_int(agent_id), kb_text(pattern), kb_int(filter->updated_after),
	                       kb_int(from), kb_int(to), kb_text(words),
	                       kb_int(kb_list_limit(&filter->list)),
	                       kb_int(kb_list_offset(&filter->list))));
	while (kb_rows_next(&rows)) {
		struct row row;

		read_row(&rows, arena, &row);
		read_counts(&rows, arena, &row.conversation);
		KB_ROOM(arena, out->v, out->count)[out->count] = row.conversation;
		out->count++;
	}
	ok = kb_rows_close(&rows, err)
	     && kb_db_int(conn, &sql[LIST_COUNT],
	                  KB_VALUES(kb_int(agent_id), kb_text(pattern),
	                            kb_int(filter->updated_after), kb_int(from), kb_int(to),
	                            kb_text(words)),
	                  0, &out->total, err);
	kb_db_give(store->db, conn);
	return ok;
}
