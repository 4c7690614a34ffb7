#include "upstream/sse_read.h"

#include <string.h>

#include "base/size.h"

static bool too_long(const struct kb_sse_reader *reader, struct kb_err *err)
{
	char size[KB_SIZE_TEXT];

	return kb_fail(err, KB_E_UPSTREAM, "an event of the stream has more than %s",
	               kb_size_text(size, (int64_t)reader->line.max));
}

void kb_sse_reader_init(struct kb_sse_reader *reader, size_t max,
                        bool (*event)(void *arg, struct kb_sv data, struct kb_err *err), void *arg)
{
	*reader = (struct kb_sse_reader){ .event = event, .arg = arg };
	kb_buf_init(&reader->line, max);
	kb_buf_init(&reader->data, max);
}

void kb_sse_reader_fini(struct kb_sse_reader *reader)
{
	kb_buf_fini(&reader->line);
	kb_buf_fini(&reader->data);
}

/* An empty line, or the end. */
static bool dispatch(struct kb_sse_reader *reader, struct kb_err *err)
{
	bool ok;

	if (!reader->has_data)
		return true;
	ok = reader->event(reader->arg, kb_buf_view(&reader->data), err);
	kb_buf_fini(&reader->data); /* most streams wait: they hold nothing meanwhile */
	reader->has_data = false;
	return ok;
}

static bool take_line(struct kb_sse_reader *reader, struct kb_sv line, struct kb_err *err)
{
	struct kb_sv field = KB_SV("data");

	if (line.n == 0)
		return dispatch(reader, err);
	if (!kb_sv_starts(line, field))
		return true;
	line = kb_sv_from(line, field.n);
	if (line.n && line.p[0] != ':')
		return true;
	line = kb_sv_from(line, 1);
	if (line.n && line.p[0] == ' ')
		line = kb_sv_from(line, 1);
	if (reader->has_data)
		kb_buf_byte(&reader->data, '\n');
	kb_buf_sv(&reader->data, line);
	reader->has_data = true;
	return !reader->data.failed || too_long(reader, err);
}

/* The rest of a line is here; what came of it before stands in reader->line. */
static bool finish_line(struct kb_sse_reader *reader, struct kb_sv rest, struct kb_err *err)
{
	static const struct kb_sv mark = KB_SV_INIT("\xef\xbb\xbf");
	struct kb_sv line = rest;
	bool ok;

	if (reader->line.n) {
		kb_buf_sv(&reader->line, rest);
		if (reader->line.failed)
			return too_long(reader, err);
		line = kb_buf_view(&reader->line);
	}
	if (!reader->begun && kb_sv_starts(line, mark))
		line = kb_sv_from(line, mark.n);
	reader->begun = true;
	ok = take_line(reader, line, err);
	kb_buf_clear(&reader->line);
	return ok;
}

bool kb_sse_reader_feed(struct kb_sse_reader *reader, struct kb_sv bytes, struct kb_err *err)
{
	size_t from = 0;

	if (reader->cr && bytes.n) {
		reader->cr = false;
		from = bytes.p[0] == '\n';
	}
	for (size_t i = from; i < bytes.n; i++) {
		char c = bytes.p[i];

		if (c != '\n' && c != '\r')
			continue;
		if (!finish_line(reader, kb_sv_sub(bytes, from, i - from), err))
			return false;
		if (c == '\r' && i + 1 == bytes.n)
			reader->cr = true;
		else if (c == '\r' && bytes.p[i + 1] == '\n')
			i++;
		from = i + 1;
	}
	kb_buf_sv(&reader->line, kb_sv_from(bytes, from));
	return !reader->line.failed || too_long(reader, err);
}

bool kb_sse_reader_end(struct kb_sse_reader *reader, struct kb_err *err)
{
	if (reader->line.n && !finish_line(reader, KB_SV(""), err))
		return false;
	return dispatch(reader, err);
}
