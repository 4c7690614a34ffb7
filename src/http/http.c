/* Request heads: finding their end, taking them apart, refusing what is not well formed. */
#include "http/http.h"

#include <string.h>

/* Character classes, by bit. */
enum {
	TOKEN = 1,  /* tchar, RFC 9110 5.6.2 */
	VALUE = 2,  /* field value: HTAB, SP, VCHAR, obs-text */
	TARGET = 4, /* request target: VCHAR without '#' */
	HOST = 8,   /* uri-host and port, RFC 3986 3.2.2 */
};

#define T TOKEN
#define V VALUE
#define R TARGET
#define H HOST
// clang-format off
static const uint8_t ascii_classes[128] = {
	['\t'] = V, [' '] = V, ['!'] = T|V|R|H, ['"'] = V|R, ['#'] = T|V, ['$'] = T|V|R|H,
	['%'] = T|V|R|H, ['&'] = T|V|R|H, ['\''] = T|V|R|H, ['('] = V|R|H, [')'] = V|R|H,
	['*'] = T|V|R|H, ['+'] = T|V|R|H, [','] = V|R, ['-'] = T|V|R|H, ['.'] = T|V|R|H,
	['/'] = V|R, ['0'] = T|V|R|H, ['1'] = T|V|R|H, ['2'] = T|V|R|H, ['3'] = T|V|R|H,
	['4'] = T|V|R|H, ['5'] = T|V|R|H, ['6'] = T|V|R|H, ['7'] = T|V|R|H, ['8'] = T|V|R|H,
	['9'] = T|V|R|H, [':'] = V|R|H, [';'] = V|R|H, ['<'] = V|R, ['='] = V|R|H, ['>'] = V|R,
	['?'] = V|R, ['@'] = V|R, ['A'] = T|V|R|H, ['B'] = T|V|R|H, ['C'] = T|V|R|H,
	['D'] = T|V|R|H, ['E'] = T|V|R|H, ['F'] = T|V|R|H, ['G'] = T|V|R|H, ['H'] = T|V|R|H,
	['I'] = T|V|R|H, ['J'] = T|V|R|H, ['K'] = T|V|R|H, ['L'] = T|V|R|H, ['M'] = T|V|R|H,
	['N'] = T|V|R|H, ['O'] = T|V|R|H, ['P'] = T|V|R|H, ['Q'] = T|V|R|H, ['R'] = T|V|R|H,
	['S'] = T|V|R|H, ['T'] = T|V|R|H, ['U'] = T|V|R|H, ['V'] = T|V|R|H, ['W'] = T|V|R|H,
	['X'] = T|V|R|H, ['Y'] = T|V|R|H, ['Z'] = T|V|R|H, ['['] = V|R|H, ['\\'] = V|R,
	[']'] = V|R|H, ['^'] = T|V|R, ['_'] = T|V|R|H, ['`'] = T|V|R, ['a'] = T|V|R|H,
	['b'] = T|V|R|H, ['c'] = T|V|R|H, ['d'] = T|V|R|H, ['e'] = T|V|R|H, ['f'] = T|V|R|H,
	['g'] = T|V|R|H, ['h'] = T|V|R|H, ['i'] = T|V|R|H, ['j'] = T|V|R|H, ['k'] = T|V|R|H,
	['l'] = T|V|R|H, ['m'] = T|V|R|H, ['n'] = T|V|R|H, ['o'] = T|V|R|H, ['p'] = T|V|R|H,
	['q'] = T|V|R|H, ['r'] = T|V|R|H, ['s'] = T|V|R|H, ['t'] = T|V|R|H, ['u'] = T|V|R|H,
	['v'] = T|V|R|H, ['w'] = T|V|R|H, ['x'] = T|V|R|H, ['y'] = T|V|R|H, ['z'] = T|V|R|H,
	['{'] = V|R, ['|'] = T|V|R, ['}'] = V|R, ['~'] = T|V|R|H,
};
// clang-format on
#undef T
#undef V
#undef R
#undef H

static bool is(char c, int class)
{
	unsigned char byte = (unsigned char)c;

	return (byte < 0x80 ? ascii_classes[byte] : VALUE) & class;
}

static bool all(struct kb_sv text, int class)
{
	for (size_t i = 0; i < text.n; i++)
		if (!is(text.p[i], class))
			return false;
	return true;
}

bool kb_http_is_token(struct kb_sv text)
{
	return text.n > 0 && all(text, TOKEN);
}

static bool refuse(struct kb_err *why, int status, enum kb_errc code, const char *text)
{
	kb_fail(why, code, "%s", text);
	why->status = status;
	return false;
}

static bool bad(struct kb_err *why, const char *text)
{
	return refuse(why, 400, KB_E_INVALID, text);
}

static void too_large(struct kb_err *why, int status, const char *what, int limit)
{
	kb_fail(why, KB_E_TOO_LARGE, "the %s is over the limit of %d bytes", what, limit);
	why->status = status;
}

enum kb_http_result kb_http_scan_head(struct kb_http_scan *scan, struct kb_sv bytes, size_t *head_n,
                                      struct kb_err *why)
{
	while (scan->at < bytes.n) {
		const char *from = bytes.p + scan->at;
		const char *lf = memchr(from, '\n', bytes.n - scan->at);
		size_t end = lf ? (size_t)(lf - bytes.p) + 1 : bytes.n;
		size_t line_n = end - scan->line;
		bool empty = lf && line_n == 2;

		if (!scan->begun && line_n > KB_HTTP_LINE_MAX + 2) {
			too_large(why, 414, "request line", KB_HTTP_LINE_MAX);
			return KB_HTTP_BAD;
		}
		if (end > KB_HTTP_HEAD_MAX) {
			too_large(why, 431, "request head", KB_HTTP_HEAD_MAX);
			return KB_HTTP_BAD;
		}
		/* Early, so that a peer that speaks another protocol gets no deadline. */
		if (!scan->begun && !is(bytes.p[scan->line], TOKEN)
		    && bytes.p[scan->line] != '\r') {
			bad(why, "the request does not begin with a method");
			return KB_HTTP_BAD;
		}
		scan->at = (uint32_t)end;
		if (!lf)
			break;
		if (line_n < 2 || bytes.p[end - 2] != '\r') {
			bad(why, "a line of the request head ends without CR");
			return KB_HTTP_BAD;
		}
		if (empty && scan->begun) {
			*head_n = end;
			return KB_HTTP_DONE;
		}
		scan->begun =
		        scan->begun || !empty; /* empty lines before a request: RFC 9112 2.2 */
		scan->line = (uint32_t)end;
	}
	return KB_HTTP_MORE;
}

/* ---- request line ---- */

/* Methods with a meaning here; a request with another one gets 501. */
static const struct kb_sv methods[] = {
	KB_SV_INIT("GET"),   KB_SV_INIT("HEAD"),   KB_SV_INIT("POST"),    KB_SV_INIT("PUT"),
	KB_SV_INIT("PATCH"), KB_SV_INIT("DELETE"), KB_SV_INIT("OPTIONS"),
};

static bool known_method(struct kb_sv method)
{
	for (size_t i = 0; i < KB_COUNTOF(methods); i++)
		if (kb_sv_eq(methods[i], method))
			return true;
	return false;
}

/* Splits the target into path and query; for the absolute form, also the authority. */
static bool parse_target(struct kb_http_head *head, struct kb_err *why)
{
	struct kb_sv rest = head->target;
	ptrdiff_t at;

	if (kb_sv_eq_str(rest, "*") && kb_sv_eq_str(head->method, "OPTIONS")) {
		head->path = rest;
		return true;
	}
	if (rest.p[0] != '/') {
		if (kb_sv_istarts(rest, KB_SV("http://")))
			rest = kb_sv_from(rest, 7);
		else if (kb_sv_istarts(rest, KB_SV("https://")))
			rest = kb_sv_from(rest, 8);
		else
			return bad(why, "the request target is no path and no http address");
		for (at = 0; (size_t)at < rest.n && rest.p[at] != '/' && rest.p[at] != '?';)
			at++;
		head->host = kb_sv_sub(rest, 0, (size_t)at);
		if (head->host.n == 0 || !all(head->host, HOST))
			return bad(why, "the request target names no valid host");
		rest = kb_sv_from(rest, (size_t)at);
	}
	at = kb_sv_find_byte(rest, '?');
	head->path = at < 0 ? rest : kb_sv_sub(rest, 0, (size_t)at);
	head->query = at < 0 ? kb_sv("", 0) : kb_sv_from(rest, (size_t)at + 1);
	if (head->path.n == 0)
		head->path = KB_SV("/");
	return true;
}

static bool parse_version(struct kb_sv text, int *minor, struct kb_err *why)
{
	if (text.n != 8 || memcmp(text.p, "HTTP/", 5) != 0 || text.p[6] != '.' || text.p[5] < '0'
	    || text.p[5] > '9' || text.p[7] < '0' || text.p[7] > '9')
		return bad(why, "the request line does not end with an HTTP version");
	if (text.p[5] != '1' || text.p[7] > '1')
		return refuse(why, 505, KB_E_UNSUPPORTED, "only HTTP/1.0 and HTTP/1.1 are served");
	*minor = text.p[7] - '0';
	return true;
}

static bool parse_request_line(struct kb_sv line, struct kb_http_head *head, struct kb_err *why)
{
	ptrdiff_t at = kb_sv_find_byte(line, ' ');
	struct kb_sv rest;

	if (at <= 0)
		return bad(why, "the request line has no method and target");
	head->method = kb_sv_sub(line, 0, (size_t)at);
	rest = kb_sv_from(line, (size_t)at + 1);
	at = kb_sv_find_byte(rest, ' ');
	if (at <= 0)
		return bad(why, "the request line has no target and version");
	head->target = kb_sv_sub(rest, 0, (size_t)at);
	if (!kb_http_is_token(head->method))
		return bad(why, "the method is no token");
	if (!all(head->target, TARGET))
		return bad(why, "the request target holds a character that must be escaped");
	if (!parse_version(kb_sv_from(rest, (size_t)at + 1), &head->minor, why))
		return false;
	if (!known_method(head->method))
		return refuse(why, 501, KB_E_UNSUPPORTED, "this method is not served");
	return parse_target(head, why);
}

/* ---- fields ---- */

/* What the server itself must understand; each at most once. */
enum known { HOST_FIELD, CONTENT_LENGTH, TRANSFER_ENCODING, EXPECT, KNOWN_COUNT };

static const struct {
	struct kb_sv name;
	const char *twice;
} known_fields[KNOWN_COUNT] = {
	[HOST_FIELD] = { KB_SV_INIT("host"), "there are two Host fields" },
	[CONTENT_LENGTH] = { KB_SV_INIT("content-length"), "there are two Content-Length fields" },
	[TRANSFER_ENCODING] = { KB_SV_INIT("transfer-encoding"),
	                        "there are two Transfer-Encoding fields" },
	[EXPECT] = { KB_SV_INIT("expect"), "there are two Expect fields" },
};

static struct kb_sv trim_blanks(struct kb_sv text)
{
	while (text.n && (text.p[0] == ' ' || text.p[0] == '\t'))
		text = kb_sv_from(text, 1);
	while (text.n && (text.p[text.n - 1] == ' ' || text.p[text.n - 1] == '\t'))
		text.n--;
	return text;
}

static void read_connection(struct kb_http_head *head, struct kb_sv value)
{
	struct kb_sv rest = value, part;

	while (kb_sv_split(&rest, ',', &part)) {
		part = trim_blanks(part);
		if (kb_sv_ieq_str(part, "close"))
			head->keep_alive = false;
		else if (head->minor == 0 && kb_sv_ieq_str(part, "keep-alive"))
			head->keep_alive = true;
	}
}

/* One line "name: value" without its line end; the name becomes lower case in place. */
static bool parse_field(char *line, size_t n, struct kb_http_field *field, struct kb_err *why)
{
	size_t colon = 0;

	if (line[0] == ' ' || line[0] == '\t')
		return bad(why, "a field is folded over two lines");
	for (; colon < n && is(line[colon], TOKEN); colon++)
		if (line[colon] >= 'A' && line[colon] <= 'Z')
			line[colon] = (char)(line[colon] | 0x20);
	if (colon == 0 || colon == n || line[colon] != ':')
		return bad(why, "a field's name is no token followed by a colon");
	field->name = kb_sv(line, colon);
	field->value = kb_sv(line + colon + 1, n - colon - 1);
	if (!all(field->value, VALUE))
		return bad(why, "a field's value holds a control character");
	field->value = trim_blanks(field->value);
	return true;
}

static bool parse_fields(char *at, char *end, struct kb_http_head *head,
                         struct kb_http_field *known[], struct kb_err *why)
{
	while (at < end) {
		char *lf = memchr(at, '\n', (size_t)(end - at));
		struct kb_http_field *field;

		KB_ASSERT(lf && lf > at && lf[-1] == '\r'); /* kb_http_scan_head() saw to that */
		if (head->field_count == KB_HTTP_FIELDS_MAX) {
			kb_fail(why, KB_E_TOO_LARGE, "there are more than %d fields",
			        KB_HTTP_FIELDS_MAX);
			why->status = 431;
			return false;
		}
		field = &head->fields[head->field_count++];
		if (!parse_field(at, (size_t)(lf - 1 - at), field, why))
			return false;
		at = lf + 1;
		if (kb_sv_eq_str(field->name, "connection"))
			read_connection(head, field->value);
		for (size_t k = 0; k < KNOWN_COUNT; k++) {
			if (!kb_sv_eq(field->name, known_fields[k].name))
				continue;
			if (known[k])
				return bad(why, known_fields[k].twice);
			known[k] = field;
		}
	}
	return true;
}

static bool check_known(struct kb_http_head *head, struct kb_http_field *known[],
                        struct kb_err *why)
{
	if (!known[HOST_FIELD] && head->minor == 1)
		return bad(why, "the Host field is missing");
	if (known[HOST_FIELD] && !all(known[HOST_FIELD]->value, HOST))
		return bad(why, "the Host field names no valid host");
	if (known[HOST_FIELD] && head->host.n == 0)
		head->host = known[HOST_FIELD]->value;
	if (known[TRANSFER_ENCODING]) {
		if (known[CONTENT_LENGTH])
			return bad(why, "there are both Content-Length and Transfer-Encoding");
		if (head->minor == 0)
			return bad(why, "HTTP/1.0 has no Transfer-Encoding");
		if (!kb_sv_ieq_str(known[TRANSFER_ENCODING]->value, "chunked"))
			return bad(why, "the only Transfer-Encoding served is chunked");
		head->chunked = true;
	}
	if (known[CONTENT_LENGTH]
	    && (known[CONTENT_LENGTH]->value.n == 0 || known[CONTENT_LENGTH]->value.p[0] == '-'
	        || !kb_sv_to_int(known[CONTENT_LENGTH]->value, 0, INT64_MAX, &head->length)))
		return bad(why, "Content-Length is no number of bytes");
	if (known[EXPECT] && head->minor == 1) {
		if (!kb_sv_ieq_str(known[EXPECT]->value, "100-continue"))
			return refuse(why, 417, KB_E_UNSUPPORTED,
			              "the only expectation served is 100-continue");
		head->expect_continue = true;
	}
	return true;
}

bool kb_http_is_host(struct kb_sv text)
{
	return text.n > 0 && text.n <= KB_HTTP_HOST_MAX && all(text, HOST);
}

bool kb_http_parse_head(char *bytes, size_t n, struct kb_http_head *head, struct kb_err *why)
{
	struct kb_http_field *known[KNOWN_COUNT] = { NULL };
	char *end = bytes + n - 2; /* before the empty line */
	char *lf;

	head->method = head->target = head->path = head->query = head->host = kb_sv("", 0);
	head->minor = 1;
	head->keep_alive = head->expect_continue = head->chunked = false;
	head->length = -1;
	head->field_count = 0;
	while (bytes < end && bytes[0] == '\r' && bytes[1] == '\n')
		bytes += 2;
	lf = memchr(bytes, '\n', (size_t)(end - bytes));
	KB_ASSERT(lf && lf > bytes);
	if (!parse_request_line(kb_sv(bytes, (size_t)(lf - 1 - bytes)), head, why))
		return false;
	head->keep_alive = head->minor == 1;
	return parse_fields(lf + 1, end, head, known, why) && check_known(head, known, why);
}

/* ---- values ---- */

enum kb_http_range kb_http_parse_range(struct kb_sv field, int64_t size, int64_t *from, int64_t *n)
{
	struct kb_sv first, last;
	int64_t a = 0, b = size - 1;
	ptrdiff_t dash;

	/* Another unit, several ranges or a malformed one: the field is ignored (RFC 9110 14.2). */
	if (!kb_sv_istarts(field, KB_SV("bytes=")))
		return KB_RANGE_ALL;
	field = kb_sv_trim(kb_sv_from(field, 6));
	dash = kb_sv_find_byte(field, '-');
	if (dash < 0 || kb_sv_find_byte(field, ',') >= 0)
		return KB_RANGE_ALL;
	first = kb_sv_sub(field, 0, (size_t)dash);
	last = kb_sv_from(field, (size_t)dash + 1);
	if (last.n && !kb_sv_to_int(last, 0, INT64_MAX, &b))
		return KB_RANGE_ALL;
	if (first.n == 0) {
		if (last.n == 0)
			return KB_RANGE_ALL;
		if (b == 0 || size == 0)
			return KB_RANGE_UNSATISFIABLE;
		a = size - KB_MIN(b, size);
		b = size - 1;
	} else if (!kb_sv_to_int(first, 0, INT64_MAX, &a) || (last.n && b < a)) {
		return KB_RANGE_ALL;
	}
	if (a >= size)
		return KB_RANGE_UNSATISFIABLE;
	*from = a;
	*n = KB_MIN(b, size - 1) - a + 1;
	return KB_RANGE_PART;
}
