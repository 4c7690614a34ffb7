/* A foreign page: where it leads is addresses of the web, and goes through a child's message. */
#include "base/arena.h"
#include "base/utf8.h"
#include "out/url.h"
#include "parse/html.h"
#include "parse/html_tree.h"
#include "parse/protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct kb_arena *arena, struct kb_sv address)
{
	struct kb_url url;
	struct kb_err err;

	KB_ASSERT(address.n <= KB_LINK_BYTES_MAX);
	KB_ASSERT(kb_url_parse(arena, address, NULL, &url, &err) && kb_url_is_web(&url));
	KB_ASSERT(kb_sv_eq(url.href, address));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_arena arena = { 0 };
	struct kb_html_tree tree;
	struct kb_links links = { 0 };
	struct kb_parsed parsed = { 0 };
	struct kb_buf body;
	struct kb_err err;

	kb_html_tree_read(&tree, &arena, kb_utf8_mend(&arena, kb_sv((const char *)data, size)));
	kb_html_links(&arena, &tree, KB_SV("http://x.org/a/b"), &links);
	for (size_t i = 0; i < links.count; i++)
		check(&arena, links.v[i]);
	if (links.canonical.n)
		check(&arena, links.canonical);
	if (links.refresh.n)
		check(&arena, links.refresh);
	KB_ASSERT(!links.nofollow || links.count == 0);
	parsed.links = links;
	kb_buf_init(&body, SIZE_MAX);
	kb_msg_put_result(&body, &parsed);
	KB_ASSERT(kb_msg_get_result(&arena, kb_buf_view(&body), &parsed, &err));
	KB_ASSERT(parsed.links.count == links.count);
	kb_buf_fini(&body);
	kb_html_tree_fini(&tree);
	kb_arena_fini(&arena);
	return 0;
}
