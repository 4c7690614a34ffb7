/* Foreign response heads: what is kept is text without controls, and a file's name is no path. */
#include <string.h>

#include "base/utf8.h"
#include "out/fetch_head.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct kb_sv value, size_t max)
{
	KB_ASSERT(value.n <= max && kb_utf8_valid(value) && kb_fetch_value_ok(value));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_sv rest = kb_sv((const char *)data, size), line, name;
	struct kb_arena arena = { 0 };
	struct kb_fetch_head head = { 0 };
	int64_t retry;

	while (size > 0 && kb_sv_split(&rest, '\n', &line))
		kb_fetch_head_line(&head, &arena, line);
	check(head.content_type, KB_FETCH_FIELD_MAX);
	check(head.etag, KB_FETCH_FIELD_MAX);
	check(head.last_modified, KB_FETCH_FIELD_MAX);
	check(head.location, (size_t)3 * KB_FETCH_FIELD_MAX);
	KB_ASSERT(head.status == 0 || (head.status >= 100 && head.status <= 999));
	name = kb_fetch_filename(&arena, head.disposition);
	check(name, KB_FETCH_NAME_MAX);
	KB_ASSERT(name.n == 0 || (!memchr(name.p, '/', name.n) && !memchr(name.p, '\\', name.n)));
	retry = kb_fetch_retry_after(head.retry_after, 1700000000);
	KB_ASSERT(retry >= 0 && retry <= KB_FETCH_RETRY_MAX_S);
	kb_arena_fini(&arena);
	return 0;
}
