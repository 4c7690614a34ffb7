#include "cli/records.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/json_flat.h"

enum { READ_BUFFER = 1 << 17 };
#define LINE_MAX_BYTES KB_MIB(64)

bool kb_records_open(struct kb_records *records, const char *path, struct kb_err *err)
{
	*records = (struct kb_records){ .path = path, .file = gzopen(path, "rb") };
	kb_buf_init(&records->line, LINE_MAX_BYTES);
	if (!records->file)
		return kb_fail_errno(err, "cannot open %s", path);
	gzbuffer(records->file, READ_BUFFER);
	records->chunk = kb_xmalloc(READ_BUFFER);
	return true;
}

void kb_records_close(struct kb_records *records)
{
	if (records->file)
		gzclose(records->file);
	free(records->chunk);
	kb_buf_fini(&records->line);
	kb_arena_fini(&records->arena);
}

static bool refill(struct kb_records *records, struct kb_err *err)
{
	int code, n = gzread(records->file, records->chunk, READ_BUFFER);

	if (n < 0)
		return kb_fail(err, KB_E_IO, "cannot read %s: %s", records->path,
		               gzerror(records->file, &code));
	records->at = 0;
	records->have = (size_t)n;
	return true;
}

/* The next line that is not blank; an empty one at the end of the file. */
static bool next_line(struct kb_records *records, struct kb_sv *line, struct kb_err *err)
{
	for (;;) {
		bool whole = false, at_end = false;

		kb_buf_clear(&records->line);
		records->number++;
		while (!whole && !at_end) {
			char *start, *feed;
			size_t n;

			if (records->at == records->have && !refill(records, err))
				return false;
			start = records->chunk + records->at;
			n = records->have - records->at;
			feed = memchr(start, '\n', n);
			whole = feed != NULL;
			at_end = n == 0;
			n = feed ? (size_t)(feed - start) : n;
			kb_buf_add(&records->line, start, n);
			records->at += n + whole;
		}
		if (records->line.failed)
			return kb_fail(err, KB_E_TOO_LARGE,
			               "%s, line %" PRId64 ": longer than %zu bytes", records->path,
			               records->number, LINE_MAX_BYTES);
		*line = kb_sv_trim(kb_buf_view(&records->line));
		if (line->n || at_end)
			return true;
	}
}

/* Ids go into lines of columns, so they hold no blank. */
static bool check_id(const struct kb_records *records, const struct kb_sv *id, struct kb_err *err)
{
	if (!id->n)
		return kb_fail(err, KB_E_INVALID, "%s, line %" PRId64 ": the record has no id",
		               records->path, records->number);
	for (size_t i = 0; i < id->n; i++)
		if ((unsigned char)id->p[i] <= ' ')
			return kb_fail(err, KB_E_INVALID,
			               "%s, line %" PRId64 ": the id \"%.*s\" holds a blank",
			               records->path, records->number, KB_SV_ARG(*id));
	return true;
}

/* A line of any shape. An id may be a string or a number. */
static bool read_tree(struct kb_records *records, struct kb_sv line, struct kb_record *out,
                      struct kb_err *err)
{
	struct kb_err inner;
	json_t *object = kb_json_parse(&records->arena, line, &inner);
	const json_t *id;

	if (!object)
		return kb_fail(err, KB_E_INVALID, "%s, line %" PRId64 ": %s", records->path,
		               records->number, inner.msg);
	if (!json_is_object(object))
		return kb_fail(err, KB_E_INVALID, "%s, line %" PRId64 ": no JSON object",
		               records->path, records->number);
	out->title = kb_json_sv(object, "title", KB_SV(""));
	out->text = kb_json_sv(object, "text", KB_SV(""));
	id = kb_json_get(object, "id");
	if (json_is_integer(id))
		out->id = kb_arena_printf(&records->arena, "%" JSON_INTEGER_FORMAT,
		                          json_integer_value(id));
	else
		out->id = kb_json_sv(object, "id", kb_sv(NULL, 0));
	return true;
}

/* A line as most are: strings and whole numbers side by side. */
static bool read_flat(struct kb_records *records, struct kb_sv line, struct kb_record *out)
{
	struct kb_json_member members[] = { { "id" }, { "title" }, { "text" } };

	if (!kb_json_flat(&records->arena, line, members, KB_COUNTOF(members)))
		return false;
	out->id = members[0].value;
	for (int i = 1; i < 3; i++)
		if (!members[i].found || members[i].number)
			members[i].value = KB_SV("");
	out->title = members[1].value;
	out->text = members[2].value;
	return true;
}

bool kb_records_next(struct kb_records *records, struct kb_record *out, bool *more,
                     struct kb_err *err)
{
	struct kb_sv line = { 0 };

	kb_arena_reset(&records->arena);
	if (!next_line(records, &line, err))
		return false;
	*more = line.n > 0;
	if (!*more)
		return true;
	if (!read_flat(records, line, out) && !read_tree(records, line, out, err))
		return false;
	return check_id(records, &out->id, err);
}
