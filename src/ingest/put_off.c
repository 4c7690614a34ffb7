#include "ingest/put_off.h"

#include "base/buf.h"
#include "base/hash.h"

enum { ID_BYTES = KB_HASH_HEX - 1 };

/* Of which bytes it is, and what was asked of the parser: the first bytes of the blob. */
static struct kb_sv id_of(struct kb_taking *taking)
{
	const struct kb_parse_request *request = &taking->request;
	char *hex = kb_arena_bytes(&taking->batch->arena, KB_HASH_HEX);
	struct kb_sv asked = kb_arena_printf(
	        &taking->batch->arena, "%d %d%d%d%d %zu %.*s %zu %.*s %zu %.*s %.*s",
	        KB_PARSED_PACKING, request->links, request->is_part, request->wants_painted,
	        request->wants_insets, request->filename.n, KB_SV_ARG(request->filename),
	        request->content_type.n, KB_SV_ARG(request->content_type), request->url.n,
	        KB_SV_ARG(request->url), KB_SV_ARG(taking->lease->page.blob));

	kb_hash_hex(asked, hex);
	return kb_sv(hex, ID_BYTES);
}

enum kb_take_step kb_put_off(struct kb_taking *taking)
{
	struct kb_blobs *blobs = taking->batch->by->config->blobs;
	struct kb_blob_name name;
	struct kb_buf buf;
	struct kb_sv bytes;
	bool ok;

	if (taking->result->part_count)
		return KB_TAKE_LATER;
	kb_buf_init(&buf, KB_GIB(1));
	kb_buf_sv(&buf, id_of(taking));
	kb_parsed_pack(&taking->parsed, &buf);
	ok = kb_buf_done(&buf, &bytes, &taking->err)
	     && (kb_blob_put(blobs, bytes, &name, &taking->err)
	         || kb_blob_blame(blobs, &taking->err));
	kb_buf_fini(&buf);
	if (!ok)
		return KB_TAKE_FAILED;
	taking->kept = kb_arena_sv(&taking->batch->arena, kb_sv_str(name.hex));
	return KB_TAKE_LATER;
}

bool kb_put_off_read(struct kb_taking *taking)
{
	const struct kb_ingest_config *config = taking->batch->by->config;
	struct kb_arena *arena = &taking->batch->arena;
	struct kb_sv name = taking->lease->page.parsed_blob, bytes;
	struct kb_err err;
	bool ok;

	if (!name.n)
		return false;
	ok = kb_blob_read(config->blobs, arena, kb_arena_str(arena, name), KB_GIB(1), &bytes, &err);
	if (ok && !kb_sv_starts(bytes, id_of(taking)))
		return false;
	if (ok && kb_parsed_unpack(arena, kb_sv_from(bytes, ID_BYTES), &taking->parsed, &err))
		return true;
	kb_warn(config->log, "document is parsed again page=%" PRId64 " error=%s",
	        taking->lease->page.id, err.msg);
	return false;
}
