/* gzip over zlib: every member, up to the cap. */
#include "parse/gzip.h"

#include <zlib.h>

#include "base/buf.h"

enum { PIECE_BYTES = 65536, WINDOW_AND_GZIP = 15 + 16 };

/* Appends what can be inflated; buf->failed when that is too much. */
static bool inflate_all(struct kb_sv bytes, struct kb_buf *buf)
{
	z_stream z = { 0 };
	int status = Z_OK;
	bool ok = true;

	if (bytes.n > UINT32_MAX || inflateInit2(&z, WINDOW_AND_GZIP) != Z_OK)
		return false;
	z.next_in = (Bytef *)(uintptr_t)bytes.p;
	z.avail_in = (uInt)bytes.n;
	while (ok && status != Z_STREAM_END) {
		char *room = kb_buf_room(buf, PIECE_BYTES);

		if (!room) {
			ok = false;
			break;
		}
		z.next_out = (Bytef *)room;
		z.avail_out = PIECE_BYTES;
		status = inflate(&z, Z_NO_FLUSH);
		kb_buf_advance(buf, PIECE_BYTES - z.avail_out);
		if (status == Z_STREAM_END && z.avail_in && inflateReset(&z) == Z_OK
		    && *z.next_in == 0x1f)
			status = Z_OK; /* another member follows */
		else if (status != Z_OK && status != Z_STREAM_END)
			ok = false;
	}
	inflateEnd(&z);
	return ok;
}

bool kb_gzip_inflate(struct kb_arena *arena, struct kb_sv bytes, struct kb_sv *out,
                     struct kb_err *err)
{
	struct kb_buf buf;
	bool ok;

	kb_buf_init(&buf, KB_GZIP_MAX);
	ok = inflate_all(bytes, &buf);
	if (buf.failed)
		kb_fail(err, KB_E_TOO_LARGE, "the file unpacks to more than %zu MB",
		        KB_GZIP_MAX >> 20);
	else if (!ok)
		kb_fail(err, KB_E_INVALID, "the compressed file is damaged");
	else
		*out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return ok;
}

void kb_gzip_inflate_some(struct kb_arena *arena, struct kb_sv bytes, size_t max, struct kb_sv *out,
                          bool *whole)
{
	struct kb_buf buf;

	kb_buf_init(&buf, max);
	*whole = inflate_all(bytes, &buf);
	*out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
}
