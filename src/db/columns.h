/*
 * The columns of a table, each once: a list has a row a column, and whatever has to agree with the
 * columns is made of the list. The store's own.
 *
 *	#define KB_TEAMS(FIRST, NEXT)            letter as in kb_sql.types, column, member
 *		FIRST(i, id,    id)
 *		NEXT (t, title, team.title)
 *
 *	"SELECT " KB_NAMES(KB_TEAMS) " FROM teams WHERE id = $1"
 *	[ADD] = { "team_add", KB_TYPES(KB_TEAMS), KB_INSERT("teams", KB_TEAMS) }
 *
 * Lists are put together from smaller ones, for statements that are about some columns only:
 *
 *	#define KB_ALL(FIRST, NEXT) KB_TEAMS(FIRST, NEXT) KB_MORE(NEXT, NEXT)
 *
 * So a new column is a member, a row, and its migration.
 */
#ifndef KB_DB_COLUMNS_H
#define KB_DB_COLUMNS_H

#include "db/db.h"

/* ---- SQL, made while compiling ---- */

/* "id, title" */
#define KB_NAMES(LIST) LIST(KB_NAME_FIRST, KB_NAME_NEXT)
/* "it" */
#define KB_TYPES(LIST) LIST(KB_LETTER_OF, KB_LETTER_OF)
/* "$1, $2, $3", for three columns and more. */
#define KB_HOLES(LIST) "$1, $2, " KB_HOLES_TO(LIST(KB_ONE_FIRST, KB_ONE_NEXT))
#define KB_INSERT(table, LIST)                                                                     \
	"INSERT INTO " table " (" KB_NAMES(LIST) ") VALUES (" KB_HOLES(LIST) ")"
/* "UPDATE teams SET (title, city) = ($3, $4) ": $1 and $2 are for what follows it. For lists of two
 * columns and more, whose types come after those of $1 and $2. */
#define KB_UPDATE(table, LIST)                                                                     \
	"UPDATE " table                                                                            \
	" SET (" KB_NAMES(LIST) ") = (" KB_HOLES_TO(0, 0, LIST(KB_ONE_FIRST, KB_ONE_NEXT)) ") "

/* An insert that takes the place of the row of that key; REST: the columns that are not of the key.
 * For two of them and more. */
#define KB_UPSERT(table, LIST, key, REST)                                                          \
	KB_INSERT(table, LIST)                                                                     \
	" ON CONFLICT (" key                                                                       \
	") DO UPDATE SET (" KB_NAMES(REST) ") = (" REST(KB_NEW_FIRST, KB_NEW_NEXT) ")"

#define KB_NAME_FIRST(letter, column, member) #column
#define KB_NAME_NEXT(letter, column, member)  ", " #column
#define KB_NEW_FIRST(letter, column, member)  "excluded." #column
#define KB_NEW_NEXT(letter, column, member)   ", excluded." #column
#define KB_LETTER_OF(letter, column, member)  #letter
#define KB_ONE_FIRST(letter, column, member)  0
#define KB_ONE_NEXT(letter, column, member)   , 0

// clang-format off
/* "$3, $4", up to as many as there are arguments: the preprocessor cannot count by itself. */
#define KB_HOLES_TO(...) KB_HOLES_UP_TO(KB_COUNT(__VA_ARGS__))
#define KB_HOLES_UP_TO(n) KB_HOLES_PASTE(n)
#define KB_HOLES_PASTE(n) KB_HOLES_TO_##n
#define KB_COUNT(...) KB_SIXTY_FIFTH(__VA_ARGS__, \
	64, 63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, \
	43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, \
	22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, \
	1)
#define KB_SIXTY_FIFTH( \
	_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, _17, _18, \
	_19, _20, _21, _22, _23, _24, _25, _26, _27, _28, _29, _30, _31, _32, _33, _34, _35, _36, \
	_37, _38, _39, _40, _41, _42, _43, _44, _45, _46, _47, _48, _49, _50, _51, _52, _53, _54, \
	_55, _56, _57, _58, _59, _60, _61, _62, _63, _64, n, ...) n
#define KB_HOLES_TO_3  "$3"
#define KB_HOLES_TO_4  KB_HOLES_TO_3  ", $4"
#define KB_HOLES_TO_5  KB_HOLES_TO_4  ", $5"
#define KB_HOLES_TO_6  KB_HOLES_TO_5  ", $6"
#define KB_HOLES_TO_7  KB_HOLES_TO_6  ", $7"
#define KB_HOLES_TO_8  KB_HOLES_TO_7  ", $8"
#define KB_HOLES_TO_9  KB_HOLES_TO_8  ", $9"
#define KB_HOLES_TO_10 KB_HOLES_TO_9  ", $10"
#define KB_HOLES_TO_11 KB_HOLES_TO_10 ", $11"
#define KB_HOLES_TO_12 KB_HOLES_TO_11 ", $12"
#define KB_HOLES_TO_13 KB_HOLES_TO_12 ", $13"
#define KB_HOLES_TO_14 KB_HOLES_TO_13 ", $14"
#define KB_HOLES_TO_15 KB_HOLES_TO_14 ", $15"
#define KB_HOLES_TO_16 KB_HOLES_TO_15 ", $16"
#define KB_HOLES_TO_17 KB_HOLES_TO_16 ", $17"
#define KB_HOLES_TO_18 KB_HOLES_TO_17 ", $18"
#define KB_HOLES_TO_19 KB_HOLES_TO_18 ", $19"
#define KB_HOLES_TO_20 KB_HOLES_TO_19 ", $20"
#define KB_HOLES_TO_21 KB_HOLES_TO_20 ", $21"
#define KB_HOLES_TO_22 KB_HOLES_TO_21 ", $22"
#define KB_HOLES_TO_23 KB_HOLES_TO_22 ", $23"
#define KB_HOLES_TO_24 KB_HOLES_TO_23 ", $24"
#define KB_HOLES_TO_25 KB_HOLES_TO_24 ", $25"
#define KB_HOLES_TO_26 KB_HOLES_TO_25 ", $26"
#define KB_HOLES_TO_27 KB_HOLES_TO_26 ", $27"
#define KB_HOLES_TO_28 KB_HOLES_TO_27 ", $28"
#define KB_HOLES_TO_29 KB_HOLES_TO_28 ", $29"
#define KB_HOLES_TO_30 KB_HOLES_TO_29 ", $30"
#define KB_HOLES_TO_31 KB_HOLES_TO_30 ", $31"
#define KB_HOLES_TO_32 KB_HOLES_TO_31 ", $32"
#define KB_HOLES_TO_33 KB_HOLES_TO_32 ", $33"
#define KB_HOLES_TO_34 KB_HOLES_TO_33 ", $34"
#define KB_HOLES_TO_35 KB_HOLES_TO_34 ", $35"
#define KB_HOLES_TO_36 KB_HOLES_TO_35 ", $36"
#define KB_HOLES_TO_37 KB_HOLES_TO_36 ", $37"
#define KB_HOLES_TO_38 KB_HOLES_TO_37 ", $38"
#define KB_HOLES_TO_39 KB_HOLES_TO_38 ", $39"
#define KB_HOLES_TO_40 KB_HOLES_TO_39 ", $40"
#define KB_HOLES_TO_41 KB_HOLES_TO_40 ", $41"
#define KB_HOLES_TO_42 KB_HOLES_TO_41 ", $42"
#define KB_HOLES_TO_43 KB_HOLES_TO_42 ", $43"
#define KB_HOLES_TO_44 KB_HOLES_TO_43 ", $44"
#define KB_HOLES_TO_45 KB_HOLES_TO_44 ", $45"
#define KB_HOLES_TO_46 KB_HOLES_TO_45 ", $46"
#define KB_HOLES_TO_47 KB_HOLES_TO_46 ", $47"
#define KB_HOLES_TO_48 KB_HOLES_TO_47 ", $48"
#define KB_HOLES_TO_49 KB_HOLES_TO_48 ", $49"
#define KB_HOLES_TO_50 KB_HOLES_TO_49 ", $50"
#define KB_HOLES_TO_51 KB_HOLES_TO_50 ", $51"
#define KB_HOLES_TO_52 KB_HOLES_TO_51 ", $52"
#define KB_HOLES_TO_53 KB_HOLES_TO_52 ", $53"
#define KB_HOLES_TO_54 KB_HOLES_TO_53 ", $54"
#define KB_HOLES_TO_55 KB_HOLES_TO_54 ", $55"
#define KB_HOLES_TO_56 KB_HOLES_TO_55 ", $56"
#define KB_HOLES_TO_57 KB_HOLES_TO_56 ", $57"
#define KB_HOLES_TO_58 KB_HOLES_TO_57 ", $58"
#define KB_HOLES_TO_59 KB_HOLES_TO_58 ", $59"
#define KB_HOLES_TO_60 KB_HOLES_TO_59 ", $60"
#define KB_HOLES_TO_61 KB_HOLES_TO_60 ", $61"
#define KB_HOLES_TO_62 KB_HOLES_TO_61 ", $62"
#define KB_HOLES_TO_63 KB_HOLES_TO_62 ", $63"
#define KB_HOLES_TO_64 KB_HOLES_TO_63 ", $64"
// clang-format on

/* ---- rows in and out ---- */

enum kb_cell { KB_CELL_INT, KB_CELL_BOOL, KB_CELL_ENUM, KB_CELL_TEXT, KB_CELL_NULLABLE };

/* Where a column is in the record. */
struct kb_db_column {
	const char *name, *member;
	enum kb_cell cell;
	size_t offset;
};

struct kb_db_columns {
	const struct kb_db_column *v;
	size_t count, record_size;
};

/* A row of a list as a struct kb_db_column; a letter that does not fit its member does not compile.
 */
#define KB_COLUMN(record, letter, column, member)                                                  \
	{ #column, #member, KB_CELL_##letter(((record *)0)->member), offsetof(record, member) },
#define KB_CELL_i(m)                                                                               \
	_Generic((m), int64_t : KB_CELL_INT, bool : KB_CELL_BOOL, unsigned : KB_CELL_ENUM)
#define KB_CELL_t(m) _Generic((m), struct kb_sv : KB_CELL_TEXT)
#define KB_CELL_n(m) _Generic((m), struct kb_sv : KB_CELL_NULLABLE)
/* KB_COLUMNS(struct team, KB_TEAMS(ROW, ROW)), ROW being KB_COLUMN() of struct team. */
#define KB_COLUMNS(record, ...)                                                                    \
	{                                                                                          \
		(const struct kb_db_column[]){ __VA_ARGS__ },                                      \
		        sizeof((const struct kb_db_column[]){ __VA_ARGS__ })                       \
		                / sizeof(struct kb_db_column),                                     \
		        sizeof(record)                                                             \
	}

/* The columns from `at` on; members that are no columns become zero. Texts lie in the arena. */
void kb_columns_read(const struct kb_db_columns *columns, struct kb_db_rows *rows, int at,
                     struct kb_arena *arena, void *record);
/* Parameters of a statement: `first` (may be KB_NO_VALUES), then the columns; they lie in `values`.
 */
struct kb_db_values kb_columns_values(const struct kb_db_columns *columns,
                                      struct kb_db_values first, const void *record,
                                      struct kb_db_value values[KB_SQL_PARAMS]);
/* A statement whose parameters are `first` (may be KB_NO_VALUES), then the columns. */
bool kb_columns_write(const struct kb_db_columns *columns, struct kb_db_conn *conn,
                      const struct kb_sql *sql, struct kb_db_values first, const void *record,
                      struct kb_err *err) KB_MUST_CHECK;
/* The same, deferred (db.h). */
bool kb_columns_defer(const struct kb_db_columns *columns, struct kb_db_conn *conn,
                      const struct kb_sql *sql, struct kb_db_values first, const void *record,
                      struct kb_err *err) KB_MUST_CHECK;

#endif
