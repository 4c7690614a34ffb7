/* Answers with a known length: their head, memory bodies, files and ranges. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "http/conn.h"
#include "http/head.h"

enum { HEAD_ROOM = 640, READ_AHEAD = 4 * 1024 * 1024 };

static const char *reason(int status)
{
	static const struct {
		int status;
		const char *reason;
	} reasons[] = {
		{ 200, "OK" },
		{ 201, "Created" },
		{ 202, "Accepted" },
		{ 204, "No Content" },
		{ 206, "Partial Content" },
		{ 207, "Multi-Status" },
		{ 301, "Moved Permanently" },
		{ 302, "Found" },
		{ 303, "See Other" },
		{ 304, "Not Modified" },
		{ 307, "Temporary Redirect" },
		{ 308, "Permanent Redirect" },
		{ 400, "Bad Request" },
		{ 401, "Unauthorized" },
		{ 402, "Payment Required" },
		{ 403, "Forbidden" },
		{ 404, "Not Found" },
		{ 405, "Method Not Allowed" },
		{ 408, "Request Timeout" },
		{ 409, "Conflict" },
		{ 410, "Gone" },
		{ 412, "Precondition Failed" },
		{ 413, "Content Too Large" },
		{ 414, "URI Too Long" },
		{ 415, "Unsupported Media Type" },
		{ 416, "Range Not Satisfiable" },
		{ 417, "Expectation Failed" },
		{ 422, "Unprocessable Content" },
		{ 429, "Too Many Requests" },
		{ 431, "Request Header Fields Too Large" },
		{ 500, "Internal Server Error" },
		{ 501, "Not Implemented" },
		{ 502, "Bad Gateway" },
		{ 503, "Service Unavailable" },
		{ 504, "Gateway Timeout" },
		{ 505, "HTTP Version Not Supported" },
	};

	for (size_t i = 0; i < KB_COUNTOF(reasons); i++)
		if (reasons[i].status == status)
			return reasons[i].reason;
	return "Status";
}

/* ---- Date ---- */

static void two_digits(char *out, int n)
{
	out[0] = (char)('0' + n / 10 % 10);
	out[1] = (char)('0' + n % 10);
}

/* "Sun, 06 Nov 1994 08:49:37 GMT", without the locale of strftime(). */
static void write_date(char out[32], time_t t)
{
	static const char days[] = "SunMonTueWedThuFriSat";
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	struct tm tm;

	memcpy(out, "Thu, 01 Jan 1970 00:00:00 GMT", 30);
	if (!gmtime_r(&t, &tm))
		return;
	memcpy(out, days + (ptrdiff_t)3 * tm.tm_wday, 3);
	two_digits(out + 5, tm.tm_mday);
	memcpy(out + 8, months + (ptrdiff_t)3 * tm.tm_mon, 3);
	two_digits(out + 12, (tm.tm_year + 1900) / 100);
	two_digits(out + 14, tm.tm_year % 100);
	two_digits(out + 17, tm.tm_hour);
	two_digits(out + 20, tm.tm_min);
	two_digits(out + 23, tm.tm_sec);
}

/* On the lane's thread formatted once a second, elsewhere each time. */
static void add_date(struct kb_buf *buf, struct kb_lane *lane, bool here)
{
	time_t now = time(NULL);
	char text[32];

	if (!here) {
		write_date(text, now);
		kb_buf_add(buf, text, 29);
		return;
	}
	if (lane->date_s != now) {
		write_date(lane->date, now);
		lane->date_s = now;
	}
	kb_buf_add(buf, lane->date, 29);
}

/* ---- the head ---- */

/* A value may hold bytes from outside (a file name): none of them may end the line. */
static void add_value(struct kb_buf *buf, struct kb_sv value)
{
	char *at = kb_buf_room(buf, value.n);

	if (!at)
		return;
	for (size_t i = 0; i < value.n; i++) {
		bool control = (unsigned char)value.p[i] < ' ' || value.p[i] == 0x7f;

		at[i] = control ? ' ' : value.p[i];
	}
	kb_buf_advance(buf, value.n);
}

static void add_field(struct kb_buf *buf, struct kb_sv name, struct kb_sv value)
{
	kb_buf_sv(buf, name);
	kb_buf_add(buf, ": ", 2);
	add_value(buf, value);
	kb_buf_add(buf, "\r\n", 2);
}

#define ADD(buf, literal) kb_buf_add((buf), "" literal, sizeof(literal) - 1)

bool kb_head_closes(const struct kb_http_exchange *call, const struct kb_response *response)
{
	return response->close || !call->keep_alive || !call->body.done
	       || atomic_load_explicit(&call->lane->server->stopping, memory_order_relaxed);
}

int kb_head_status(const struct kb_response *response)
{
	int status = response->status ? response->status : 200;

	KB_ASSERT(status >= 200 && status <= 599);
	return status;
}

void kb_head_write(struct kb_buf *buf, struct kb_http_exchange *call,
                   const struct kb_response *response, const struct kb_head_facts *facts)
{
	int status = facts->status;

	if (status == 200) {
		ADD(buf, "HTTP/1.1 200 OK\r\nDate: ");
	} else {
		ADD(buf, "HTTP/1.1 ");
		kb_buf_int(buf, status);
		kb_buf_byte(buf, ' ');
		kb_buf_str(buf, reason(status));
		ADD(buf, "\r\nDate: ");
	}
	add_date(buf, call->lane, facts->here);
	ADD(buf, "\r\n");
	if (response->content_type)
		add_field(buf, KB_SV("Content-Type"), kb_sv_str(response->content_type));
	if (facts->chunked) {
		ADD(buf, "Transfer-Encoding: chunked\r\n");
	} else if (facts->length >= 0 && status != 204 && status != 304) {
		ADD(buf, "Content-Length: ");
		kb_buf_int(buf, facts->length);
		ADD(buf, "\r\n");
	}
	for (size_t i = 0; i < KB_COUNTOF(response->fields) && response->fields[i].name.n; i++)
		add_field(buf, response->fields[i].name, response->fields[i].value);
	if (call->allow)
		add_field(buf, KB_SV("Allow"), kb_sv_str(call->allow));
	if (response->retry_after_s)
		kb_buf_printf(buf, "Retry-After: %" PRId64 "\r\n", response->retry_after_s);
	if (facts->close)
		ADD(buf, "Connection: close\r\n");
	else if (call->http10)
		ADD(buf, "Connection: keep-alive\r\n");
	if (call->lane->server->config.decorate)
		call->lane->server->config.decorate(&call->req, buf);
	if (facts->more.n)
		kb_buf_sv(buf, facts->more);
	ADD(buf, "\r\n");
}

/* ---- answering ---- */

/* May the answer be gathered in the lane's buffer? */
static bool is_here(const struct kb_http_exchange *call)
{
	return kb_loop_is_here(call->lane->loop) && call->lane->current == call->req.conn
	       && call->lane->current->call == call;
}

static void claim(struct kb_http_exchange *call)
{
	/* One answer a request: a second one is a mistake of the handler's. */
	KB_ASSERT(!atomic_exchange(&call->answered, true));
	if (call->refused)
		atomic_fetch_add_explicit(&call->lane->refused, 1, memory_order_relaxed);
}

static void answer(struct kb_http_exchange *call, const struct kb_response *response,
                   struct kb_head_facts *facts, struct kb_sv body)
{
	struct kb_lane *lane = call->lane;
	struct kb_http_block *block = NULL;
	struct kb_buf *buf = &lane->out;

	facts->close = kb_head_closes(call, response);
	facts->here = is_here(call);
	if (!facts->here) {
		block = kb_block_new(HEAD_ROOM + body.n);
		buf = &block->bytes;
	}
	kb_head_write(buf, call, response, facts);
	if (!call->head_only && facts->status != 204 && facts->status != 304)
		kb_buf_sv(buf, body);
	if (facts->here) {
		call->done = true;
		call->req.conn->closing = call->req.conn->closing || facts->close;
		return;
	}
	call->answer = block;
	call->answer_close = facts->close;
	kb_exchange_tell(call, KB_NEWS_ANSWER);
}

void kb_respond(struct kb_request *req, const struct kb_response *response)
{
	struct kb_http_exchange *call = kb_exchange_of(req);
	struct kb_head_facts facts = { .status = kb_head_status(response),
		                       .length = (int64_t)response->body.n };

	claim(call);
	answer(call, response, &facts, response->body);
}

void kb_respond_file(struct kb_request *req, const struct kb_response *head, int fd, int64_t size,
                     bool ranges)
{
	struct kb_http_exchange *call = kb_exchange_of(req);
	struct kb_head_facts facts = { .status = kb_head_status(head), .length = size };
	struct kb_sv range = kb_request_field(req, "range");
	int64_t from = 0, n = size;
	char more[96] = "";

	claim(call);
	if (ranges && facts.status == 200) {
		enum kb_http_range kind = KB_RANGE_ALL;

		if (range.p && !kb_request_field(req, "if-range").p
		    && kb_sv_eq_str(req->method, "GET"))
			kind = kb_http_parse_range(range, size, &from, &n);
		if (kind == KB_RANGE_PART) {
			facts.status = 206;
			snprintf(more, sizeof(more),
			         "Accept-Ranges: bytes\r\nContent-Range: bytes %" PRId64 "-%" PRId64
			         "/%" PRId64 "\r\n",
			         from, from + n - 1, size);
		} else if (kind == KB_RANGE_UNSATISFIABLE) {
			facts.status = 416;
			n = 0;
			snprintf(more, sizeof(more), "Content-Range: bytes */%" PRId64 "\r\n",
			         size);
		} else {
			snprintf(more, sizeof(more), "Accept-Ranges: bytes\r\n");
		}
	}
	facts.length = n;
	facts.more = kb_sv_str(more);
	if (call->head_only || n == 0) {
		kb_fd_close(&fd);
	} else {
		/* The loop thread shall find the beginning in memory. */
		posix_fadvise(fd, from, KB_MIN(n, (int64_t)READ_AHEAD), POSIX_FADV_WILLNEED);
		call->file_fd = fd;
		call->file_at = from;
		call->file_left = n;
	}
	answer(call, head, &facts, kb_sv("", 0));
}
