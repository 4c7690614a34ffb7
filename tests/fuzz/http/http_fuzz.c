/* Foreign bytes as a request: its head, then its body as chunks. The first byte says how the input
 * is cut; the judgement must be the same as for the whole. */
#include <stdlib.h>
#include <string.h>

#include "http/http.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Where the head ends; 0: not, -1: refused. */
static ptrdiff_t find_end(struct kb_sv bytes, size_t step, struct kb_err *why)
{
	struct kb_http_scan scan = { 0 };
	size_t head_n = 0;

	for (size_t have = 0; have < bytes.n;) {
		have = KB_MIN(have + step, bytes.n);
		switch (kb_http_scan_head(&scan, kb_sv_sub(bytes, 0, have), &head_n, why)) {
		case KB_HTTP_BAD:
			return -1;
		case KB_HTTP_DONE:
			return (ptrdiff_t)head_n;
		default:
			break;
		}
	}
	return 0;
}

static bool within(struct kb_sv part, const char *from, size_t n)
{
	return part.n == 0 || (part.p >= from && part.p + part.n <= from + n);
}

static void check_head(struct kb_sv bytes)
{
	static struct kb_http_head head;
	struct kb_err why = { 0 };
	char *copy = kb_xmalloc(bytes.n);

	memcpy(copy, bytes.p, bytes.n);
	if (kb_http_parse_head(copy, bytes.n, &head, &why)) {
		KB_ASSERT(head.field_count <= KB_HTTP_FIELDS_MAX);
		KB_ASSERT(!(head.chunked && head.length >= 0));
		KB_ASSERT(within(head.method, copy, bytes.n) && within(head.target, copy, bytes.n)
		          && within(head.query, copy, bytes.n) && within(head.host, copy, bytes.n));
		for (size_t i = 0; i < head.field_count; i++) {
			KB_ASSERT(kb_http_is_token(head.fields[i].name));
			KB_ASSERT(within(head.fields[i].value, copy, bytes.n));
			KB_ASSERT(!memchr(head.fields[i].value.p, '\n', head.fields[i].value.n));
		}
	} else {
		KB_ASSERT(why.status >= 400 && why.code != KB_OK && why.msg[0]);
	}
	free(copy);
}

/* Reads chunks; what of them came is written to out. */
static enum kb_chunked_result read_chunks(struct kb_sv bytes, size_t step, struct kb_buf *out,
                                          size_t *rest)
{
	enum kb_chunked_result result = KB_CHUNKED_MORE;
	struct kb_chunked chunked = { 0 };
	struct kb_err err;

	while (result == KB_CHUNKED_MORE && bytes.n) {
		struct kb_sv in = kb_sv_sub(bytes, 0, step), data;

		bytes = kb_sv_from(bytes, in.n);
		while ((result = kb_chunked_next(&chunked, &in, step, &data, &err))
		       == KB_CHUNKED_DATA)
			kb_buf_sv(out, data);
		*rest = in.n + bytes.n;
	}
	return result;
}

static void check_chunks(struct kb_sv bytes, size_t step)
{
	size_t whole_rest = 0, cut_rest = 0;
	struct kb_buf whole, cut;
	enum kb_chunked_result result;

	kb_buf_init(&whole, bytes.n + 1);
	kb_buf_init(&cut, bytes.n + 1);
	result = read_chunks(bytes, bytes.n + 1, &whole, &whole_rest);
	KB_ASSERT(read_chunks(bytes, step, &cut, &cut_rest) == result);
	KB_ASSERT(kb_sv_eq(kb_buf_view(&whole), kb_buf_view(&cut)));
	KB_ASSERT(result != KB_CHUNKED_DONE || whole_rest == cut_rest);
	kb_buf_fini(&whole);
	kb_buf_fini(&cut);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_err why;
	struct kb_sv bytes;
	ptrdiff_t end;
	size_t step;

	if (size == 0)
		return 0;
	step = data[0] % 64 + 1;
	bytes = kb_sv((const char *)data + 1, size - 1);
	end = find_end(bytes, bytes.n + 1, &why);
	KB_ASSERT(find_end(bytes, step, &why) == end);
	if (end > 0)
		check_head(kb_sv_sub(bytes, 0, (size_t)end));
	check_chunks(end > 0 ? kb_sv_from(bytes, (size_t)end) : bytes, step);
	return 0;
}
