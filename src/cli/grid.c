#include "cli/grid.h"

#include <string.h>

#include "base/buf.h"
#include "base/file.h"

enum { FILE_MAX = 64 << 20 };

struct scan {
	struct kb_arena *arena;
	struct kb_sv text;
	size_t at;
	int64_t line;
	char separator;
};

/* The next field with its quotes undone; *last: its row ends with it. */
static struct kb_sv next_field(struct scan *s, struct kb_buf *buf, bool *last)
{
	bool quoted = s->at < s->text.n && s->text.p[s->at] == '"';

	kb_buf_clear(buf);
	*last = true;
	s->at += quoted;
	while (s->at < s->text.n) {
		char c = s->text.p[s->at++];

		s->line += c == '\n';
		if (quoted && c == '"') {
			quoted = s->at < s->text.n && s->text.p[s->at] == '"';
			if (quoted)
				kb_buf_byte(buf, s->text.p[s->at++]);
		} else if (!quoted && c == s->separator) {
			*last = false;
			break;
		} else if (!quoted && c == '\n') {
			break;
		} else if (c != '\r') {
			kb_buf_byte(buf, c);
		}
	}
	return kb_arena_sv(s->arena, kb_sv_trim(kb_buf_view(buf)));
}

static void next_row(struct scan *s, struct kb_buf *buf, struct kb_grid_row *out)
{
	size_t room = 0;
	bool last = false;

	*out = (struct kb_grid_row){ .line = s->line };
	while (!last) {
		struct kb_sv cell = next_field(s, buf, &last);

		if (out->count == room) {
			struct kb_sv *more =
			        KB_NEW_ARRAY(s->arena, room = 2 * room + 8, struct kb_sv);

			if (out->count)
				memcpy(more, out->cells, out->count * sizeof(*more));
			out->cells = more;
		}
		out->cells[out->count++] = cell;
	}
}

static char separator_of(struct kb_sv text)
{
	static const char marks[] = "\t;,";
	ptrdiff_t end = kb_sv_find_byte(text, '\n');
	struct kb_sv line = kb_sv_sub(text, 0, end < 0 ? text.n : (size_t)end);

	for (size_t i = 0; marks[i]; i++)
		if (kb_sv_find_byte(line, marks[i]) >= 0)
			return marks[i];
	return ',';
}

static bool is_empty(const struct kb_grid_row *row)
{
	for (size_t i = 0; i < row->count; i++)
		if (row->cells[i].n)
			return false;
	return true;
}

bool kb_grid_read(struct kb_arena *arena, const char *path, struct kb_grid *out, struct kb_err *err)
{
	struct scan s = { .arena = arena, .line = 1 };
	struct kb_grid_row head;
	struct kb_buf buf;
	size_t lines = 1;

	*out = (struct kb_grid){ 0 };
	if (!kb_file_read(arena, path, FILE_MAX, &s.text, err))
		return false;
	if (kb_sv_starts(s.text, KB_SV("\xef\xbb\xbf")))
		s.text = kb_sv_from(s.text, 3);
	s.separator = separator_of(s.text);
	for (size_t i = 0; i < s.text.n; i++)
		lines += s.text.p[i] == '\n';
	kb_buf_init(&buf, FILE_MAX);
	next_row(&s, &buf, &head);
	out->columns = head.cells;
	out->column_count = head.count;
	out->rows = KB_NEW_ARRAY(arena, lines, struct kb_grid_row);
	while (s.at < s.text.n) {
		next_row(&s, &buf, &out->rows[out->count]);
		out->count += !is_empty(&out->rows[out->count]);
	}
	kb_buf_fini(&buf);
	return out->count || kb_fail(err, KB_E_INVALID, "%s: there is no row in it", path);
}

struct kb_sv kb_grid_cell(const struct kb_grid *csv, const struct kb_grid_row *row,
                          const char *column)
{
	for (size_t i = 0; i < csv->column_count && i < row->count; i++)
		if (kb_sv_ieq_str(csv->columns[i], column))
			return row->cells[i];
	return KB_SV("");
}

bool kb_grid_has(const struct kb_grid *csv, const char *column)
{
	for (size_t i = 0; i < csv->column_count; i++)
		if (kb_sv_ieq_str(csv->columns[i], column))
			return true;
	return false;
}
