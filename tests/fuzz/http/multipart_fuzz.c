/* Foreign bytes as a form with the boundary "b". The first two bytes say how it is cut: any way of
 * feeding it must give the same parts. */
#include <string.h>

#include "base/buf.h"
#include "http/multipart.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool on_part(void *arg, const struct kb_multipart_part *part, struct kb_err *err)
{
	struct kb_buf *log = arg;

	(void)err;
	kb_buf_str(log, "[part ");
	kb_buf_sv(log, part->name);
	kb_buf_byte(log, part->filename.p ? '+' : '-');
	kb_buf_sv(log, part->filename);
	kb_buf_byte(log, ' ');
	kb_buf_sv(log, part->content_type);
	kb_buf_byte(log, ']');
	return true;
}

static bool on_data(void *arg, struct kb_sv bytes, struct kb_err *err)
{
	(void)err;
	KB_ASSERT(bytes.n > 0);
	kb_buf_sv(arg, bytes);
	return true;
}

static bool on_part_end(void *arg, struct kb_err *err)
{
	(void)err;
	kb_buf_str(arg, "[end]");
	return true;
}

static bool parse(struct kb_sv body, size_t first, size_t step, struct kb_buf *log)
{
	static const struct kb_multipart_events events = { on_part, on_data, on_part_end };
	struct kb_multipart parser;
	struct kb_err err = { 0 };
	bool ok = kb_multipart_init(&parser, KB_SV("multipart/form-data; boundary=b"), &events, log,
	                            &err);

	KB_ASSERT(ok);
	ok = kb_multipart_feed(&parser, kb_sv_sub(body, 0, first), &err);
	body = kb_sv_from(body, first);
	while (ok && body.n) {
		ok = kb_multipart_feed(&parser, kb_sv_sub(body, 0, step), &err);
		body = kb_sv_from(body, step);
	}
	ok = ok && kb_multipart_finish(&parser, &err);
	KB_ASSERT(ok || err.msg[0]);
	kb_multipart_fini(&parser);
	return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_buf whole, cut;
	struct kb_sv body;
	bool ok;

	if (size < 2)
		return 0;
	body = kb_sv((const char *)data + 2, size - 2);
	kb_buf_init(&whole, KB_MIB(64));
	kb_buf_init(&cut, KB_MIB(64));
	ok = parse(body, body.n, 1, &whole);
	KB_ASSERT(parse(body, data[0], data[1] % 64 + 1, &cut) == ok);
	/* Refused input may have been told of up to another place. */
	KB_ASSERT(!ok || kb_sv_eq(kb_buf_view(&whole), kb_buf_view(&cut)));
	kb_buf_fini(&whole);
	kb_buf_fini(&cut);
	return 0;
}
