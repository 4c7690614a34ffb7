/* gzip over zlib: every member, up to the cap. */
#include "parse/gzip.h"

#include <zlib.h>

#include "base/buf.h"

enum { PIECE_BYTES = 65536, WINDOW_AND_GZIP = 15 + 16 };

bool kb_gzip_inflate(struct kb_arena *arena, struct kb_sv bytes, struct kb_sv *out,
                     struct kb_err *err)
{
	z_stream z = { 0 };
	struct kb_buf buf;
	int status = Z_OK;
	bool ok = true;

	kb_buf_init(&buf, KB_GZIP_MAX);
	if (bytes.n > UINT32_MAX || inflateInit2(&z, WINDOW_AND_GZIP) != Z_OK)
		return kb_fail(err, KB_E_INVALID, "the compressed file could not be read");
	z.next_in = (Bytef *)(uintptr_t)bytes.p;
	z.avail_in = (uInt)bytes.n;
	while (ok && status != Z_STREAM_END) {
		char *room = kb_buf_room(&buf, PIECE_BYTES);

		if (!room) {
			ok = kb_fail(err, KB_E_TOO_LARGE, "the file unpacks to more than %zu MB",
			             KB_GZIP_MAX >> 20);
			break;
		}
		z.next_out = (Bytef *)room;
		z.avail_out = PIECE_BYTES;
		status = inflate(&z, Z_NO_FLUSH);
		kb_buf_advance(&buf, PIECE_BYTES - z.avail_out);
		if (status == Z_STREAM_END && z.avail_in && inflateReset(&z) == Z_OK
		    && *z.next_in == 0x1f)
			status = Z_OK; /* another member follows */
		else if (status != Z_OK && status != Z_STREAM_END)
			ok = kb_fail(err, KB_E_INVALID, "the compressed file is damaged");
	}
	inflateEnd(&z);
	if (ok)
		*out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return ok;
}
