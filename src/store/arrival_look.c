/* The rows of a parcel: looked at, and as they will be here. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/json.h"
#include "store/arrival_own.h"
#include "store/leases.h"
#include "store/lists.h"
#include "store/texts.h"

#define ID_MOST (INT64_C(1) << 53) /* what JSON readers take without loss */

/* ---- tables ---- */

struct kb_coming_table *kb_coming_find(struct kb_arrival *a, struct kb_sv name)
{
	for (size_t i = 0; i < a->table_count; i++)
		if (kb_sv_eq(a->tables[i].told.name, name))
			return &a->tables[i];
	return NULL;
}

static const struct kb_move_table *known(const struct kb_arrival *a, struct kb_sv name)
{
	enum kb_parcel_use use = kb_parcel_use(name);

	for (size_t i = 0; i < a->known.count; i++)
		if (kb_sv_eq(a->known.v[i].name, name)
		    && (use == KB_PARCEL_COMES || use == KB_PARCEL_OF_TALKS))
			return &a->known.v[i];
	return NULL;
}

int kb_coming_column(const struct kb_sv *names, size_t count, struct kb_sv name)
{
	for (size_t i = 0; i < count; i++)
		if (kb_sv_eq(names[i], name))
			return (int)i;
	return KB_NO_COLUMN;
}

static bool check_columns(const struct kb_move_table *here, const struct kb_parcel_table *told,
                          struct kb_err *err)
{
	struct kb_sv agent = kb_parcel_agent_column(told->name);

	for (size_t i = 0; i < told->count; i++) {
		int at = kb_coming_column(here->names, here->columns, told->columns[i]);

		if (at == KB_NO_COLUMN)
			return kb_fail(err, KB_E_UNSUPPORTED,
			               "it has a column %.*s of %.*s, which this program does not "
			               "know: use a newer one",
			               KB_SV_ARG(told->columns[i]), KB_SV_ARG(told->name));
		if (here->letters[at] != told->letters[i]
		    || kb_coming_column(told->columns, i, told->columns[i]) != KB_NO_COLUMN)
			return kb_fail(err, KB_E_CORRUPT,
			               "its column %.*s of %.*s is not what it should be",
			               KB_SV_ARG(told->columns[i]), KB_SV_ARG(told->name));
	}
	return kb_coming_column(told->columns, told->count, agent) != KB_NO_COLUMN
	       || kb_fail(err, KB_E_CORRUPT, "its rows of %.*s do not say whose they are",
	                  KB_SV_ARG(told->name));
}

/* All of it lives as long as the store's statements. */
static void add_table(struct kb_arrival *a, const struct kb_parcel_table *told)
{
	struct kb_arena *arena = &a->config.store->move_statements;
	struct kb_sv *columns = KB_NEW_ARRAY(arena, told->count, struct kb_sv);
	struct kb_coming_table *table =
	        &KB_ROOM(&a->arena, a->tables, a->table_count)[a->table_count];

	a->table_count++;
	*table = (struct kb_coming_table){ .told = *told, .waits = KB_NO_COLUMN };
	table->rules = KB_NEW_ARRAY(&a->arena, told->count, struct kb_parcel_rule);
	for (size_t i = 0; i < told->count; i++) {
		columns[i] = kb_arena_sv(arena, told->columns[i]);
		table->rules[i] = kb_parcel_rule(told->name, told->columns[i]);
		if (table->rules[i].kind == KB_PARCEL_WAITS)
			table->waits = (int)i;
	}
	table->told.name = kb_arena_sv(arena, told->name);
	table->told.columns = columns;
	table->told.letters = kb_arena_str(arena, kb_sv_str(told->letters));
	table->insert = KB_NEW(arena, struct kb_sql);
	*table->insert =
	        (struct kb_sql){ "arrival_insert", table->told.letters,
		                 kb_move_insert(arena, table->told.name, columns, told->count) };
	a->table = table;
}

bool kb_arrival_table(struct kb_arrival *a, const struct kb_parcel_table *told, struct kb_err *err)
{
	const struct kb_move_table *here = known(a, told->name);
	struct kb_coming_table *before = kb_coming_find(a, told->name);

	if (a->agent_id) {
		a->table = before;
		return before || kb_fail(err, KB_E_CORRUPT, "it is no longer what it was");
	}
	if (!here)
		return kb_fail(err, KB_E_UNSUPPORTED,
		               "it has a table %.*s, which this program does not know: use a "
		               "newer one",
		               KB_SV_ARG(told->name));
	if (before)
		return kb_fail(err, KB_E_CORRUPT, "it has the table %.*s twice",
		               KB_SV_ARG(told->name));
	if (!a->table_count && !kb_sv_eq(told->name, KB_SV("agents")))
		return kb_fail(err, KB_E_CORRUPT, "it does not begin with its agent");
	if (!check_columns(here, told, err))
		return false;
	add_table(a, told);
	return true;
}

/* ---- notes of messages: the ids of pages in them ---- */

typedef void page_fn(struct kb_arrival *a, json_t *id);

static void each_page(struct kb_arrival *a, json_t *value, bool is_page, page_fn *fn)
{
	const char *name;
	json_t *member;
	size_t i;

	if (json_is_integer(value) && is_page)
		fn(a, value);
	json_array_foreach(value, i, member)
	{
		each_page(a, member, is_page, fn);
	}
	json_object_foreach(value, name, member)
	{
		bool names_one = strcmp(name, "page_id") == 0 || strcmp(name, "given") == 0;

		each_page(a, member, names_one, fn);
	}
}

static bool is_id(int64_t n)
{
	return n >= 0 && n <= ID_MOST;
}

static void widen(struct kb_arrival *a, enum kb_parcel_kind kind, int64_t id)
{
	size_t i = kind - KB_PARCEL_FIRST_ID;

	if (id <= 0)
		return;
	a->ids[i].low = a->ids[i].high ? KB_MIN(a->ids[i].low, id) : id;
	a->ids[i].high = KB_MAX(a->ids[i].high, id);
}

static int64_t shifted(const struct kb_arrival *a, enum kb_parcel_kind kind, int64_t id)
{
	return id > 0 ? id + a->ids[kind - KB_PARCEL_FIRST_ID].shift : id;
}

/* One that is no id is left as it is: a note is only read. */
static void widen_page(struct kb_arrival *a, json_t *id)
{
	if (is_id(json_integer_value(id)))
		widen(a, KB_PARCEL_PAGE, json_integer_value(id));
}

static void shift_page(struct kb_arrival *a, json_t *id)
{
	if (is_id(json_integer_value(id)))
		json_integer_set(id, shifted(a, KB_PARCEL_PAGE, json_integer_value(id)));
}

static struct kb_sv shift_details(struct kb_arrival *a, struct kb_arena *arena, struct kb_sv text)
{
	struct kb_err err;
	json_t *note = text.n ? kb_json_parse(arena, text, &err) : NULL;
	struct kb_sv out = text;
	char *dumped;

	if (!note || !a->ids[0].shift)
		return text;
	each_page(a, note, false, shift_page);
	dumped = json_dumps(note, JSON_COMPACT | JSON_ENCODE_ANY);
	if (dumped)
		out = kb_arena_sv(arena, kb_sv_str(dumped));
	free(dumped);
	return out;
}

static struct kb_sv shift_pages(struct kb_arrival *a, struct kb_arena *arena, struct kb_sv text)
{
	size_t count;
	const int64_t *ids = kb_ids_parse(arena, text, &count);
	int64_t *there = KB_NEW_ARRAY(arena, count + 1, int64_t);

	for (size_t i = 0; i < count; i++)
		there[i] = shifted(a, KB_PARCEL_PAGE, ids[i]);
	return text.n ? kb_ids_text(arena, there, count) : text;
}

/* ---- looking ---- */

static bool wrong(struct kb_err *err, const struct kb_coming_table *table, size_t column)
{
	return kb_fail(err, KB_E_CORRUPT, "a row of %.*s has a %.*s that cannot be",
	               KB_SV_ARG(table->told.name), KB_SV_ARG(table->told.columns[column]));
}

static bool is_name(struct kb_sv text)
{
	for (size_t i = 0; i < text.n; i++)
		if (!(text.p[i] >= '0' && text.p[i] <= '9')
		    && !(text.p[i] >= 'a' && text.p[i] <= 'f'))
			return false;
	return text.n == KB_HASH_HEX - 1;
}

static bool look_pages(struct kb_arrival *a, struct kb_arena *arena, struct kb_sv text)
{
	size_t count;
	const int64_t *ids = kb_ids_parse(arena, text, &count);

	for (size_t i = 0; i < count; i++) {
		if (!is_id(ids[i]))
			return false;
		widen(a, KB_PARCEL_PAGE, ids[i]);
	}
	return true;
}

static bool look_json(struct kb_arrival *a, struct kb_arena *arena, struct kb_sv text, bool is_note)
{
	struct kb_err err;
	json_t *value = text.n ? kb_json_parse(arena, text, &err) : NULL;

	if (text.n && !json_is_object(value))
		return false;
	if (is_note && value)
		each_page(a, value, false, widen_page);
	return true;
}

static bool look_value(struct kb_arrival *a, struct kb_arena *arena, size_t column,
                       const struct kb_db_value *value)
{
	struct kb_parcel_rule rule = a->table->rules[column];
	bool is_number = a->table->told.letters[column] == 'i';

	if ((value->type == 'i') != is_number)
		return false;
	switch (rule.kind) {
	case KB_PARCEL_AGENT:
		return value->n == a->from;
	case KB_PARCEL_PAGE:
	case KB_PARCEL_SOURCE:
	case KB_PARCEL_LABEL:
	case KB_PARCEL_SEGMENT:
	case KB_PARCEL_TALK:
	case KB_PARCEL_MESSAGE:
	case KB_PARCEL_TEST:
		widen(a, rule.kind, value->n);
		return is_id(value->n);
	case KB_PARCEL_SHIFT:
		return value->n >= -ID_MOST && value->n <= ID_MOST;
	case KB_PARCEL_PAGES:
		return look_pages(a, arena, value->text);
	case KB_PARCEL_DETAILS:
	case KB_PARCEL_OBJECT:
		return look_json(a, arena, value->text, rule.kind == KB_PARCEL_DETAILS);
	case KB_PARCEL_BLOB:
		return !value->text.n
		       || (is_name(value->text) && a->config.has_blob(a->config.arg, value->text));
	case KB_PARCEL_HASH:
		return !value->text.n || is_name(value->text);
	case KB_PARCEL_ONE_OF:
		return value->n >= 0 && value->n <= rule.most;
	default:
		return true;
	}
}

static int64_t number(const struct kb_coming_table *table, const struct kb_db_value *row,
                      const char *column)
{
	int at = kb_coming_column(table->told.columns, table->told.count, kb_sv_str(column));

	return at == KB_NO_COLUMN ? 0 : row[at].n;
}

/* Its own row says which agent and whose it was. */
static bool look_own(struct kb_arrival *a, const struct kb_parcel_rows *rows, struct kb_err *err)
{
	const struct kb_db_value *row = rows->values;
	const struct kb_coming_table *table = a->table;
	size_t count = table->told.count;
	int slug = kb_coming_column(table->told.columns, count, KB_SV("shareable_slug"));

	if (rows->count != 1 || a->own.values)
		return kb_fail(err, KB_E_CORRUPT, "it has more than one agent");
	a->from = number(table, row, "id");
	a->from_account = number(table, row, "account_id");
	if (a->from <= 0 || !is_id(a->from))
		return kb_fail(err, KB_E_CORRUPT, "its agent has no id");
	a->own.values = kb_arena_copy(&a->arena, row, count * sizeof(*row));
	for (size_t i = 0; i < count; i++)
		if (row[i].text.p)
			a->own.values[i].text = kb_arena_sv(&a->arena, row[i].text);
	a->own.is_shared = number(table, row, "is_shared") != 0;
	a->own.is_master = number(table, row, "is_master") != 0;
	if (slug != KB_NO_COLUMN && row[slug].text.n)
		a->own.slug = kb_arena_sv(&a->arena, row[slug].text);
	return true;
}

bool kb_arrival_look(struct kb_arrival *a, const struct kb_parcel_rows *rows, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	size_t columns = a->table->told.count;
	bool ok = a->table != &a->tables[0] || look_own(a, rows, err);

	for (size_t i = 0; ok && i < rows->count * columns; i++)
		ok = look_value(a, &arena, i % columns, &rows->values[i])
		     || wrong(err, a->table, i % columns);
	kb_arena_fini(&arena);
	return ok;
}

/* ---- rows as they will be here ---- */

struct kb_db_value kb_coming_value(struct kb_arrival *a, struct kb_arena *arena,
                                   const struct kb_db_value *row, size_t column)
{
	const struct kb_coming_table *table = a->table;
	struct kb_db_value value = row[column];
	bool waits = table->waits != KB_NO_COLUMN && row[table->waits].n > 0;
	enum kb_parcel_kind kind = table->rules[column].kind;

	switch (kind) {
	case KB_PARCEL_AGENT:
		return kb_int(a->agent_id);
	case KB_PARCEL_ACCOUNT:
		return kb_int(value.n && value.n == a->from_account ? a->account_id : 0);
	case KB_PARCEL_PAGE:
	case KB_PARCEL_SOURCE:
	case KB_PARCEL_LABEL:
	case KB_PARCEL_SEGMENT:
	case KB_PARCEL_TALK:
	case KB_PARCEL_MESSAGE:
	case KB_PARCEL_TEST:
		return kb_int(shifted(a, kind, value.n));
	case KB_PARCEL_SHIFT:
		return kb_int(value.n + a->ids[0].shift);
	case KB_PARCEL_PAGES:
		return kb_nullable(shift_pages(a, arena, value.text));
	case KB_PARCEL_DETAILS:
		return kb_nullable(shift_details(a, arena, value.text));
	case KB_PARCEL_WAITS:
		return kb_int(waits);
	case KB_PARCEL_DUE:
		return kb_int(waits ? KB_DUE_NEVER : value.n);
	case KB_PARCEL_TRIES:
		return kb_int(waits ? 0 : value.n);
	case KB_PARCEL_ZERO:
		return kb_int(0);
	case KB_PARCEL_NOTHING:
		return kb_nullable(KB_SV(""));
	default:
		return value.type == 'i' ? value : kb_nullable(kb_db_text(arena, value.text));
	}
}
