/* A foreign URL on a foreign base (up to the first line end): what was read reads back as itself,
 * and its parts are its parts. */
#include <string.h>

#include "base/utf8.h"
#include "out/url.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct kb_arena *arena, const struct kb_url *url)
{
	struct kb_url again;
	struct kb_err err;
	struct kb_sv document = kb_url_document(arena, url);

	KB_ASSERT(kb_url_parse(arena, url->href, NULL, &again, &err));
	KB_ASSERT(kb_sv_eq(again.href, url->href) && kb_sv_eq(again.host, url->host)
	          && again.host_kind == url->host_kind && again.port == url->port
	          && kb_sv_eq(again.path, url->path) && kb_url_same_origin(&again, url));
	KB_ASSERT(memcmp(again.address, url->address, sizeof(url->address)) == 0);
	for (size_t i = 0; i < url->href.n; i++)
		KB_ASSERT((unsigned char)url->href.p[i] > 0x1f
		          && (unsigned char)url->href.p[i] < 0x7f);
	KB_ASSERT(!kb_url_is_web(url) || url->host.n > 0);
	KB_ASSERT(kb_sv_starts(url->href, document) || !url->path.n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_sv text = kb_sv((const char *)data, size), base_text;
	ptrdiff_t cut = kb_sv_find_byte(text, '\n');
	struct kb_arena arena = { 0 };
	struct kb_url url, base;
	struct kb_err err;

	base_text = kb_sv_sub(text, 0, cut < 0 ? 0 : (size_t)cut);
	text = kb_sv_from(text, cut < 0 ? 0 : (size_t)cut + 1);
	if (kb_url_parse(&arena, text, NULL, &url, &err))
		check(&arena, &url);
	else
		KB_ASSERT(err.code == KB_E_INVALID && kb_utf8_valid(kb_sv_str(err.msg)));
	if (kb_url_parse(&arena, base_text, NULL, &base, &err)
	    && kb_url_parse(&arena, text, &base, &url, &err))
		check(&arena, &url);
	kb_arena_fini(&arena);
	return 0;
}
