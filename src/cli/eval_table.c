#include "cli/eval_table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/json.h"
#include "cli/grid.h"

enum { FILE_MAX = 256 << 20 };

enum column { ID, QUESTION, ANSWER, DOCUMENT, REFUSE, LABELS, TURNS, COLUMNS };
enum { SPELLINGS = 5 };
/* What a column is called here, and what others call it. */
static const char *const names[COLUMNS][SPELLINGS] = {
	[ID] = { "id", "_id" },
	[QUESTION] = { "question", "user_input", "query", "text" },
	[ANSWER] = { "answer", "answers", "reference", "reference_answer" },
	[DOCUMENT] = { "document", "documents", "doc_id", "doc_ids" },
	[REFUSE] = { "refuse", "is_impossible" },
	[LABELS] = { "labels" },
	[TURNS] = { "turns" },
};

struct list {
	struct kb_sv *v;
	size_t count;
};

static void add(struct kb_arena *arena, struct list *list, struct kb_sv text)
{
	text = kb_sv_trim(text);
	if (!text.n)
		return;
	if ((list->count & (list->count - 1)) == 0) { /* as many as there are again */
		struct kb_sv *more =
		        KB_NEW_ARRAY(arena, list->count ? 2 * list->count : 1, struct kb_sv);

		if (list->count)
			memcpy(more, list->v, list->count * sizeof(*more));
		list->v = more;
	}
	list->v[list->count++] = kb_arena_sv(arena, text);
}

static void add_parts(struct kb_arena *arena, struct list *list, struct kb_sv text)
{
	struct kb_sv one;

	while (text.n && kb_sv_split(&text, '|', &one))
		add(arena, list, one);
}

static bool is_yes(struct kb_sv text)
{
	static const char *const words[] = { "true", "1", "yes", "x" };

	for (size_t i = 0; i < KB_COUNTOF(words); i++)
		if (kb_sv_ieq_str(text, words[i]))
			return true;
	return false;
}

/* All columns of a row, whatever they came from. */
struct cells {
	struct list v[COLUMNS];
	bool refuse;
};

static void make_row(struct kb_arena *arena, const struct cells *cells, int64_t line,
                     struct kb_eval_row *out)
{
	const struct list *documents = &cells->v[DOCUMENT];

	*out = (struct kb_eval_row){
		.question = cells->v[QUESTION].v[0],
		.answers = cells->v[ANSWER].v,
		.answer_count = cells->v[ANSWER].count,
		.documents = KB_NEW_ARRAY(arena, documents->count, struct kb_eval_wanted),
		.document_count = documents->count,
		.labels = cells->v[LABELS].v,
		.label_count = cells->v[LABELS].count,
		.turns = cells->v[TURNS].v,
		.turn_count = cells->v[TURNS].count,
		.refuse = cells->refuse,
		.line = line,
	};
	out->id = cells->v[ID].count ? cells->v[ID].v[0] : out->question;
	for (size_t i = 0; i < documents->count; i++)
		out->documents[i] = (struct kb_eval_wanted){ documents->v[i], 1 };
}

/* ---- rows with separators ---- */

static bool is_list(enum column column)
{
	return column >= ANSWER && column != REFUSE;
}

static bool read_grid(struct kb_arena *arena, const char *path, struct kb_eval_table *out,
                      struct kb_err *err)
{
	struct kb_grid grid;

	if (!kb_grid_read(arena, path, &grid, err))
		return false;
	out->v = KB_NEW_ARRAY(arena, grid.count, struct kb_eval_row);
	for (size_t i = 0; i < grid.count; i++) {
		struct cells cells = { 0 };

		for (int c = 0; c < COLUMNS; c++)
			for (int s = 0; s < SPELLINGS && names[c][s] && !cells.v[c].count; s++) {
				struct kb_sv cell = kb_grid_cell(&grid, &grid.rows[i], names[c][s]);

				if (is_list((enum column)c))
					add_parts(arena, &cells.v[c], cell);
				else
					add(arena, &cells.v[c], cell);
			}
		cells.refuse = cells.v[REFUSE].count && is_yes(cells.v[REFUSE].v[0]);
		if (!cells.v[QUESTION].count)
			return kb_fail(err, KB_E_INVALID, "%s:%" PRId64 ": there is no question",
			               path, grid.rows[i].line);
		make_row(arena, &cells, grid.rows[i].line, &out->v[out->count++]);
	}
	return true;
}

/* ---- lines of JSON ---- */

static void add_json(struct kb_arena *arena, struct list *list, const json_t *value, bool parts)
{
	if (json_is_string(value)) {
		struct kb_sv text = kb_sv(json_string_value(value), json_string_length(value));

		if (parts)
			add_parts(arena, list, text);
		else
			add(arena, list, text);
	} else if (json_is_integer(value)) {
		add(arena, list,
		    kb_arena_printf(arena, "%" JSON_INTEGER_FORMAT, json_integer_value(value)));
	}
	for (size_t i = 0; i < json_array_size(value); i++)
		add_json(arena, list, json_array_get(value, i), false);
}

static bool read_object(struct kb_arena *arena, struct kb_sv line, struct cells *cells,
                        struct kb_err *err)
{
	struct kb_arena scratch = { 0 };
	json_t *json = kb_json_parse(&scratch, line, err);
	bool ok = json_is_object(json) || (json && kb_fail(err, KB_E_INVALID, "no JSON object"));

	for (int c = 0; ok && c < COLUMNS; c++)
		for (int s = 0; s < SPELLINGS && names[c][s] && !cells->v[c].count; s++) {
			const json_t *value = kb_json_get(json, names[c][s]);

			if (c == REFUSE && json_is_boolean(value))
				cells->refuse |= json_is_true(value);
			else
				add_json(arena, &cells->v[c], value, is_list((enum column)c));
		}
	cells->refuse |= cells->v[REFUSE].count && is_yes(cells->v[REFUSE].v[0]);
	kb_arena_fini(&scratch);
	return ok
	       && (cells->v[QUESTION].count || kb_fail(err, KB_E_INVALID, "there is no question"));
}

static bool read_lines(struct kb_arena *arena, const char *path, struct kb_sv text,
                       struct kb_eval_table *out, struct kb_err *err)
{
	size_t lines = 1;
	struct kb_sv line;

	for (size_t i = 0; i < text.n; i++)
		lines += text.p[i] == '\n';
	out->v = KB_NEW_ARRAY(arena, lines, struct kb_eval_row);
	for (int64_t number = 1; text.n && kb_sv_split(&text, '\n', &line); number++) {
		struct cells cells = { 0 };
		struct kb_err why = { 0 };

		line = kb_sv_trim(line);
		if (!line.n)
			continue;
		if (!read_object(arena, line, &cells, &why))
			return kb_fail(err, KB_E_INVALID, "%s:%" PRId64 ": %s", path, number,
			               why.msg);
		make_row(arena, &cells, number, &out->v[out->count++]);
	}
	return out->count || kb_fail(err, KB_E_INVALID, "%s: there is no row in it", path);
}

static bool read_file(struct kb_arena *arena, const char *path, struct kb_eval_table *out,
                      struct kb_err *err)
{
	struct kb_sv text;

	if (!kb_file_read(arena, path, FILE_MAX, &text, err))
		return false;
	if (kb_sv_starts(text, KB_SV("\xef\xbb\xbf")))
		text = kb_sv_from(text, 3);
	return kb_sv_starts(kb_sv_trim(text), KB_SV("{")) ? read_lines(arena, path, text, out, err)
	                                                  : read_grid(arena, path, out, err);
}

bool kb_eval_table_read(struct kb_arena *arena, const char *path, struct kb_eval_table *out,
                        struct kb_err *err)
{
	struct stat st;

	*out = (struct kb_eval_table){ 0 };
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return read_file(arena, kb_arena_printf(arena, "%s/queries.jsonl", path).p, out,
		                 err)
		       && kb_eval_table_judge(arena,
		                              kb_arena_printf(arena, "%s/qrels/test.tsv", path).p,
		                              out, err);
	return read_file(arena, path, out, err);
}

/* ---- judgments ---- */

struct judgment {
	struct kb_sv row;
	struct kb_eval_wanted wanted;
};

/* Three columns, or four with one that says nothing. */
static bool read_judgment(struct kb_sv line, struct judgment *out)
{
	char separator = kb_sv_find_byte(line, '\t') >= 0 ? '\t' : ' ';
	struct kb_sv cells[5], one;
	size_t count = 0;

	while (count < KB_COUNTOF(cells) && line.n && kb_sv_split(&line, separator, &one)) {
		cells[count] = kb_sv_trim(one);
		count += cells[count].n > 0;
	}
	if (count != 3 && count != 4)
		return false;
	*out = (struct judgment){ .row = cells[0], .wanted.name = cells[count - 2] };
	return kb_sv_to_int(cells[count - 1], INT32_MIN, INT32_MAX, &out->wanted.grade);
}

static int by_row(const void *a, const void *b)
{
	return kb_sv_cmp(((const struct judgment *)a)->row, ((const struct judgment *)b)->row);
}

static void judge_row(struct kb_arena *arena, const struct judgment *all, size_t count,
                      struct kb_eval_row *row)
{
	size_t low = 0, high = count, end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (kb_sv_cmp(all[middle].row, row->id) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < count && kb_sv_eq(all[end].row, row->id); end++)
		;
	row->document_count = end - low;
	row->documents = KB_NEW_ARRAY(arena, end - low, struct kb_eval_wanted);
	for (size_t i = low; i < end; i++)
		row->documents[i - low] = all[i].wanted;
}

bool kb_eval_table_judge(struct kb_arena *arena, const char *path, struct kb_eval_table *table,
                         struct kb_err *err)
{
	struct judgment *all;
	size_t lines = 1, count = 0, kept = 0;
	struct kb_sv text, line;

	if (!kb_file_read(arena, path, FILE_MAX, &text, err))
		return false;
	for (size_t i = 0; i < text.n; i++)
		lines += text.p[i] == '\n';
	all = KB_NEW_ARRAY(arena, lines, struct judgment);
	for (int64_t number = 1; text.n && kb_sv_split(&text, '\n', &line); number++) {
		if (!kb_sv_trim(line).n)
			continue;
		if (read_judgment(line, &all[count]))
			count++;
		else if (number > 1) /* the first line may name the columns */
			return kb_fail(err, KB_E_INVALID, "%s:%" PRId64 ": no judgment", path,
			               number);
	}
	qsort(all, count, sizeof(*all), by_row);
	for (size_t i = 0; i < table->count; i++) {
		judge_row(arena, all, count, &table->v[i]);
		if (table->v[i].document_count)
			table->v[kept++] = table->v[i];
	}
	table->count = kept;
	return kept || kb_fail(err, KB_E_INVALID, "%s: it judges no row of the table", path);
}
