/*
 * Chunked bodies (RFC 9112 7.1): sizes, extensions, data, trailers.
 *
 *   SIZE -> (EXT_NAME -> EXT_VALUE | EXT_QUOTED) -> SIZE_LF -> DATA -> DATA_CR -> DATA_LF -> SIZE
 *   SIZE of 0 -> TRAILER_START -> TRAILER_NAME -> TRAILER_VALUE -> TRAILER_LF -> TRAILER_START
 *                TRAILER_START -> END_LF -> ENDED
 *
 * Extensions and trailers are checked and dropped.
 */
#include <string.h>

#include "http/http.h"

#include "base/field.h"

enum {
	SIZE,
	SIZE_LF,
	EXT_NAME,
	EXT_VALUE,
	EXT_QUOTED,
	EXT_ESCAPED,
	EXT_AFTER_QUOTED,
	DATA,
	DATA_CR,
	DATA_LF,
	TRAILER_START,
	TRAILER_NAME,
	TRAILER_VALUE,
	TRAILER_LF,
	END_LF,
	ENDED,
	BROKEN = -1,
};

enum { SIZE_DIGITS_MAX = 15 }; /* 2^60 bytes: sums of sizes cannot overflow */

static bool is_text(char c)
{
	return c == '\t' || ((unsigned char)c >= ' ' && c != 0x7f);
}

static bool is_token(char c)
{
	return kb_http_is_token(kb_sv(&c, 1));
}

static int after_size(const struct kb_chunked *chunked)
{
	return chunked->left ? DATA : TRAILER_START;
}

static int take_size(struct kb_chunked *chunked, char c)
{
	int digit = kb_hex_digit(c);

	if (digit >= 0 && chunked->digits < SIZE_DIGITS_MAX) {
		chunked->left = chunked->left * 16 + (unsigned)digit;
		chunked->digits++;
		return SIZE;
	}
	if (chunked->digits == 0)
		return BROKEN;
	return c == '\r' ? SIZE_LF : c == ';' ? EXT_NAME : BROKEN;
}

static int take_extension(struct kb_chunked *chunked, char c)
{
	bool first = chunked->line++ == 0; /* of this name or value */

	if (++chunked->extensions > KB_CHUNK_EXTENSIONS_MAX)
		return BROKEN;
	switch (chunked->state) {
	case EXT_QUOTED:
		return c == '"'     ? EXT_AFTER_QUOTED
		       : c == '\\'  ? EXT_ESCAPED
		       : is_text(c) ? EXT_QUOTED
		                    : BROKEN;
	case EXT_ESCAPED:
		return is_text(c) ? EXT_QUOTED : BROKEN;
	case EXT_NAME:
	case EXT_VALUE:
		if (is_token(c))
			return chunked->state;
		if (chunked->state == EXT_VALUE && first && c == '"')
			return EXT_QUOTED;
		if (first)
			return BROKEN;
		chunked->line = 0;
		if (chunked->state == EXT_NAME && c == '=')
			return EXT_VALUE;
		break;
	default: /* EXT_AFTER_QUOTED */
		chunked->line = 0;
	}
	return c == ';' ? EXT_NAME : c == '\r' ? SIZE_LF : BROKEN;
}

/* Fields that decide where a message ends must not come after it (RFC 9110 6.5.1). */
static bool is_forbidden(const struct kb_chunked *chunked)
{
	static const char *const names[] = { "content-length", "transfer-encoding", "host" };
	struct kb_sv name = kb_sv(chunked->name, KB_MIN(chunked->line, sizeof(chunked->name)));

	for (size_t i = 0; i < KB_COUNTOF(names); i++)
		if (kb_sv_ieq_str(name, names[i]))
			return true;
	return false;
}

static int take_trailer(struct kb_chunked *chunked, char c)
{
	if (++chunked->trailers > KB_TRAILERS_MAX)
		return BROKEN;
	if (chunked->state == TRAILER_START)
		chunked->line = 0;
	if (chunked->line < sizeof(chunked->name))
		chunked->name[chunked->line] = c;
	chunked->line += c != ':';
	switch (chunked->state) {
	case TRAILER_START:
		return c == '\r' ? END_LF : is_token(c) ? TRAILER_NAME : BROKEN;
	case TRAILER_NAME:
		if (c == ':')
			return is_forbidden(chunked) ? BROKEN : TRAILER_VALUE;
		return is_token(c) ? TRAILER_NAME : BROKEN;
	case TRAILER_VALUE:
		return c == '\r' ? TRAILER_LF : is_text(c) ? TRAILER_VALUE : BROKEN;
	default: /* TRAILER_LF */
		return c == '\n' ? TRAILER_START : BROKEN;
	}
}

/* The state after a byte that is not data; BROKEN: it must not stand here. */
static int take(struct kb_chunked *chunked, char c)
{
	switch (chunked->state) {
	case SIZE:
		return take_size(chunked, c);
	case SIZE_LF:
		return c == '\n' ? after_size(chunked) : BROKEN;
	case EXT_NAME:
	case EXT_VALUE:
	case EXT_QUOTED:
	case EXT_ESCAPED:
	case EXT_AFTER_QUOTED:
		return take_extension(chunked, c);
	case DATA_CR:
		return c == '\r' ? DATA_LF : BROKEN;
	case DATA_LF:
		chunked->digits = 0;
		chunked->left = 0;
		return c == '\n' ? SIZE : BROKEN;
	case END_LF:
		return c == '\n' ? ENDED : BROKEN;
	default:
		return take_trailer(chunked, c);
	}
}

enum kb_chunked_result kb_chunked_next(struct kb_chunked *chunked, struct kb_sv *in, size_t max,
                                       struct kb_sv *data, struct kb_err *err)
{
	while (chunked->state != ENDED && chunked->state != BROKEN) {
		if (in->n == 0)
			return KB_CHUNKED_MORE;
		if (chunked->state == DATA) {
			size_t n = (size_t)KB_MIN(chunked->left, (uint64_t)KB_MIN(in->n, max));

			if (n == 0)
				return KB_CHUNKED_MORE;
			*data = kb_sv(in->p, n);
			*in = kb_sv_from(*in, n);
			chunked->left -= n;
			if (chunked->left == 0)
				chunked->state = DATA_CR;
			return KB_CHUNKED_DATA;
		}
		chunked->state = take(chunked, in->p[0]);
		*in = kb_sv_from(*in, 1);
	}
	if (chunked->state == ENDED)
		return KB_CHUNKED_DONE;
	kb_fail(err, KB_E_INVALID,
	        "the chunked body is malformed, or its extensions and trailers are too large");
	return KB_CHUNKED_BAD;
}
