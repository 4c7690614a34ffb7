/*
 * The multipart parser.
 *
 *   PREAMBLE -> AFTER -> HEAD -> DATA -> AFTER -> … -> EPILOGUE
 *               AFTER: what follows a delimiter, CR LF (a part) or "--" (the end)
 *
 * The delimiter begins with CR and holds no other, which makes the search simple: a partial match
 * at the end of one piece of input is just a count, and after a mismatch only the byte that did not
 * match can begin a new one.
 */
#include "http/multipart.h"

#include <stdlib.h>
#include <string.h>

#include "base/field.h"
#include "http/http.h"

enum { PREAMBLE, AFTER, AFTER_DASH, AFTER_PADDING, AFTER_CR, HEAD, DATA, EPILOGUE };

static bool boundary_is_valid(struct kb_sv boundary)
{
	if (boundary.n == 0 || boundary.n > KB_BOUNDARY_MAX)
		return false;
	for (size_t i = 0; i < boundary.n; i++)
		if (boundary.p[i] < ' ' || boundary.p[i] > '~')
			return false;
	return boundary.p[boundary.n - 1] != ' ';
}

/* A boundary needs no line end of its own at the very start, nor right behind a part's head. */
static void begin_data(struct kb_multipart *parser, int state)
{
	parser->state = state;
	parser->matched = 2;
	parser->at_start = true;
}

bool kb_multipart_init(struct kb_multipart *parser, struct kb_sv content_type,
                       const struct kb_multipart_events *events, void *arg, struct kb_err *err)
{
	struct kb_sv boundary;

	*parser = (struct kb_multipart){ .events = events, .arg = arg };
	boundary = kb_field_param(&parser->arena, content_type, "boundary");
	if (!boundary_is_valid(boundary)) {
		kb_arena_fini(&parser->arena);
		return kb_fail(err, KB_E_INVALID,
		               "the multipart body's Content-Type names no valid boundary");
	}
	memcpy(parser->delimiter, "\r\n--", 4);
	memcpy(parser->delimiter + 4, boundary.p, boundary.n);
	parser->delimiter_n = boundary.n + 4;
	begin_data(parser, PREAMBLE);
	kb_arena_reset(&parser->arena);
	return true;
}

void kb_multipart_fini(struct kb_multipart *parser)
{
	kb_arena_fini(&parser->arena);
	free(parser->head);
	parser->head = NULL;
}

/* ---- the head of a part ---- */

static bool read_disposition(struct kb_multipart *parser, struct kb_sv value,
                             struct kb_multipart_part *part, struct kb_err *err)
{
	struct kb_sv extended;

	if (!kb_sv_ieq_str(kb_media_type(value), "form-data"))
		return kb_fail(err, KB_E_INVALID,
		               "a part of the form has a Content-Disposition other than form-data");
	part->name = kb_field_param(&parser->arena, value, "name");
	part->filename = kb_field_param(&parser->arena, value, "filename");
	/* RFC 5987, which some libraries send for names beyond ASCII: UTF-8''na%C3%AFve.txt */
	extended = kb_field_param(&parser->arena, value, "filename*");
	if (kb_sv_istarts(extended, KB_SV("UTF-8'"))) {
		ptrdiff_t quote;
		struct kb_sv decoded;

		extended = kb_sv_from(extended, 6);
		quote = kb_sv_find_byte(extended, '\'');
		if (quote >= 0
		    && kb_percent_decode(&parser->arena, kb_sv_from(extended, (size_t)quote + 1),
		                         &decoded))
			part->filename = decoded;
	}
	return true;
}

static bool read_head(struct kb_multipart *parser, struct kb_err *err)
{
	struct kb_multipart_part part = { .content_type = { "", 0 } };
	struct kb_sv rest = kb_sv(parser->head, parser->head_n), line;

	while (rest.n && kb_sv_split(&rest, '\n', &line)) {
		ptrdiff_t colon = kb_sv_find_byte(line, ':');
		struct kb_sv name, value;

		line = kb_sv_trim(line);
		if (line.n == 0)
			continue;
		name = kb_sv_sub(line, 0, colon > 0 ? (size_t)colon : 0);
		if (!kb_http_is_token(name))
			return kb_fail(err, KB_E_INVALID,
			               "a part of the form has a malformed header line");
		value = kb_sv_trim(kb_sv_from(line, (size_t)colon + 1));
		if (kb_sv_ieq_str(name, "content-disposition")) {
			if (!read_disposition(parser, value, &part, err))
				return false;
		} else if (kb_sv_ieq_str(name, "content-type")) {
			part.content_type = value;
		}
	}
	if (memchr(parser->head, '\0', parser->head_n))
		return kb_fail(err, KB_E_INVALID, "a part of the form has a NUL in its head");
	return parser->events->part(parser->arg, &part, err);
}

/* Takes bytes up to the empty line that ends the head. */
static bool take_head(struct kb_multipart *parser, struct kb_sv *in, struct kb_err *err)
{
	while (in->n) {
		const char *lf = memchr(in->p, '\n', in->n);
		size_t n = lf ? (size_t)(lf - in->p) + 1 : in->n;
		size_t end;

		if (n > KB_PART_HEAD_MAX - parser->head_n)
			return kb_fail(
			        err, KB_E_TOO_LARGE,
			        "the head of a part of the form is over the limit of %d bytes",
			        KB_PART_HEAD_MAX);
		memcpy(parser->head + parser->head_n, in->p, n);
		parser->head_n += n;
		*in = kb_sv_from(*in, n);
		if (!lf)
			return true;
		end = parser->head_n;
		if (end < 2 || parser->head[end - 2] != '\r')
			return kb_fail(err, KB_E_INVALID,
			               "a line in the head of a part of the form ends without CR");
		if (end == 2 || parser->head[end - 3] == '\n') {
			begin_data(parser, DATA);
			return read_head(parser, err);
		}
	}
	return true;
}

/* ---- data ---- */

static bool give(struct kb_multipart *parser, struct kb_sv bytes, struct kb_err *err)
{
	if (bytes.n == 0)
		return true;
	if (parser->state == DATA)
		return parser->events->data(parser->arg, bytes, err);
	parser->preamble_n += bytes.n;
	if (parser->preamble_n <= KB_PART_PREAMBLE_MAX)
		return true;
	return kb_fail(err, KB_E_INVALID, "the form has no boundary in its first %d bytes",
	               KB_PART_PREAMBLE_MAX);
}

static bool delimiter_found(struct kb_multipart *parser, struct kb_err *err)
{
	bool in_part = parser->state == DATA;

	parser->matched = 0;
	parser->at_start = false;
	parser->state = AFTER;
	return !in_part || parser->events->part_end(parser->arg, err);
}

/* Goes on with a delimiter that began in earlier input. */
static bool go_on_matching(struct kb_multipart *parser, struct kb_sv *in, struct kb_err *err)
{
	size_t before;

	while (in->n && parser->matched < parser->delimiter_n
	       && in->p[0] == parser->delimiter[parser->matched]) {
		parser->matched++;
		*in = kb_sv_from(*in, 1);
	}
	if (parser->matched == parser->delimiter_n)
		return delimiter_found(parser, err);
	if (in->n == 0)
		return true;
	before = parser->matched;
	parser->matched = 0;
	if (!parser->at_start)
		return give(parser, kb_sv(parser->delimiter, before), err);
	parser->at_start = false;
	return give(parser, kb_sv(parser->delimiter + 2, before - 2), err);
}

/* How many bytes at the end of the text begin a delimiter. */
static size_t begun_at_end(const struct kb_multipart *parser, struct kb_sv text)
{
	struct kb_sv tail = text.n < parser->delimiter_n
	                            ? text
	                            : kb_sv_from(text, text.n - (parser->delimiter_n - 1));
	const char *cr = tail.n ? memrchr(tail.p, '\r', tail.n) : NULL;
	size_t n;

	if (!cr)
		return 0;
	n = (size_t)(tail.p + tail.n - cr);
	return memcmp(cr, parser->delimiter, n) == 0 ? n : 0;
}

static bool take_data(struct kb_multipart *parser, struct kb_sv *in, struct kb_err *err)
{
	const char *found;
	struct kb_sv data;

	if (parser->matched)
		return go_on_matching(parser, in, err);
	found = memmem(in->p, in->n, parser->delimiter, parser->delimiter_n);
	if (found) {
		data = kb_sv(in->p, (size_t)(found - in->p));
		*in = kb_sv_from(*in, data.n + parser->delimiter_n);
		return give(parser, data, err) && delimiter_found(parser, err);
	}
	data = *in;
	parser->matched = begun_at_end(parser, data);
	data.n -= parser->matched;
	*in = kb_sv("", 0);
	return give(parser, data, err);
}

/* ---- between parts ---- */

static bool take_after(struct kb_multipart *parser, struct kb_sv *in, struct kb_err *err)
{
	char c = in->p[0];

	*in = kb_sv_from(*in, 1);
	switch (parser->state) {
	case AFTER:
	case AFTER_PADDING:
		if (c == '-' && parser->state == AFTER) {
			parser->state = AFTER_DASH;
			return true;
		}
		if (c == ' ' || c == '\t') {
			parser->state = AFTER_PADDING;
			return true;
		}
		parser->state = AFTER_CR;
		if (c == '\r')
			return true;
		break;
	case AFTER_DASH:
		parser->state = EPILOGUE;
		if (c == '-')
			return true;
		break;
	default: /* AFTER_CR */
		parser->state = HEAD;
		parser->head_n = 0;
		kb_arena_reset(&parser->arena);
		if (!parser->head)
			parser->head = kb_xmalloc(KB_PART_HEAD_MAX);
		if (c == '\n')
			return true;
	}
	return kb_fail(err, KB_E_INVALID, "a boundary of the form is followed by other bytes");
}

bool kb_multipart_feed(struct kb_multipart *parser, struct kb_sv bytes, struct kb_err *err)
{
	bool ok = true;

	while (ok && bytes.n && parser->state != EPILOGUE) {
		switch (parser->state) {
		case PREAMBLE:
		case DATA:
			ok = take_data(parser, &bytes, err);
			break;
		case HEAD:
			ok = take_head(parser, &bytes, err);
			break;
		default:
			ok = take_after(parser, &bytes, err);
		}
	}
	return ok;
}

bool kb_multipart_finish(struct kb_multipart *parser, struct kb_err *err)
{
	if (parser->state == EPILOGUE)
		return true;
	return kb_fail(err, KB_E_INVALID, "the form ends before its last boundary");
}
