/* What a browser may ask a gate: whatever it is, the host is sent one request, of its own. */
#include "out/gate_head.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_request(struct kb_sv onward)
{
	ptrdiff_t end = kb_sv_find(onward, KB_SV("\r\n\r\n"));
	struct kb_sv head, line;
	size_t closes = 0;

	KB_ASSERT(end > 0);
	head = kb_sv_sub(onward, 0, (size_t)end + 2);
	for (size_t n = 0; kb_sv_split(&head, '\n', &line) && line.n; n++) {
		KB_ASSERT(line.p[line.n - 1] == '\r');
		line = kb_sv_sub(line, 0, line.n - 1);
		KB_ASSERT(kb_sv_find_byte(line, '\r') < 0 && kb_sv_find_byte(line, '\0') < 0);
		KB_ASSERT(n == 0 || kb_sv_find_byte(line, ':') > 0);
		KB_ASSERT(!kb_sv_istarts(line, KB_SV("proxy-")));
		closes += kb_sv_istarts(line, KB_SV("connection:"));
	}
	KB_ASSERT(closes == 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_arena arena = { 0 };
	struct kb_gate_head head;
	struct kb_url again;

	if (kb_gate_head_read(&arena, kb_sv((const char *)data, size), &head)) {
		KB_ASSERT(kb_url_is_web(&head.url) && head.url.host.n);
		KB_ASSERT(kb_url_parse(&arena, head.url.href, NULL, &again, NULL)
		          && kb_sv_eq(kb_gate_origin(&arena, &again),
		                      kb_gate_origin(&arena, &head.url)));
		if (!head.is_tunnel)
			check_request(head.onward);
	}
	kb_arena_fini(&arena);
	return 0;
}
