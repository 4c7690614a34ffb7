/* Any bytes as a model's answer, with markers of known ids in them where the bytes say so: however
 * they are cut, the same comes out, in UTF-8, its sentences lie in it, and outside of code no known
 * id is left in brackets. */
#include "base/utf8.h"
#include "write/reply.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct kb_marker_ids ids = {
	.v = (char[][KB_MARKER_ID + 1]){ "k3f", "p9z", "t4w" },
	.count = 3,
};
static const int64_t pages[] = { 1, 2, -1 };

static void collect(void *arg, struct kb_sv text)
{
	kb_buf_sv(arg, text);
}

static struct kb_sv answer(struct kb_arena *arena, struct kb_analyzer *analyzer, struct kb_sv text,
                           size_t cut, struct kb_cite_result *result)
{
	const struct kb_support_source sources[] = {
		{ .text = KB_SV("You may return goods within 30 days."), .lang = KB_LANG_EN },
		{ .text = text },
		{ .title = text, .text = KB_SV("退货30天。"), .lang = KB_LANG_ZH },
	};
	struct kb_reply *reply;
	struct kb_buf buf;
	struct kb_sv out;

	kb_buf_init(&buf, 8 * text.n + 64);
	reply = kb_reply_new(arena,
	                     &(struct kb_reply_config){
	                             .ids = &ids,
	                             .pages = pages,
	                             .support = kb_support_new(arena, analyzer, sources, 3, NULL),
	                             .numbers = cut & 1,
	                             .strict = text.n & 1,
	                             .cited = text.n & 2,
	                             .emit = collect,
	                             .arg = &buf });
	cut >>= 1;
	for (size_t i = 0; i < text.n; i += cut)
		kb_reply_feed(reply, analyzer, kb_sv_sub(text, i, cut));
	kb_reply_end(reply, analyzer, result);
	KB_ASSERT(!buf.failed);
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

/* '{' and '}' stand for whole markers: they are rare otherwise. */
static struct kb_sv with_markers(struct kb_arena *arena, struct kb_sv bytes)
{
	static const char *const markers[] = { "[k3f]", "[p9z", "【t4w】", "[zz9]", "(k3f)" };
	struct kb_buf buf;
	struct kb_sv out;

	kb_buf_init(&buf, 16 * bytes.n + 1);
	for (size_t i = 0; i < bytes.n; i++)
		if (bytes.p[i] == '{' || bytes.p[i] == '}')
			kb_buf_str(&buf, markers[(i + bytes.n) % KB_COUNTOF(markers)]);
		else
			kb_buf_byte(&buf, bytes.p[i]);
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct kb_analyzer *analyzer;
	struct kb_arena arena = { 0 };
	struct kb_cite_result result, again;
	struct kb_sv text, whole, parts;
	size_t numbers;

	if (size < 2)
		return 0;
	if (!analyzer)
		analyzer = kb_analyzer_new();
	numbers = data[0] & 1;
	text = with_markers(&arena, kb_sv((const char *)data + 1, size - 1));
	whole = answer(&arena, analyzer, text, 2 * text.n + 2 + numbers, &result);
	parts = answer(&arena, analyzer, text, 2 + 2 * (data[0] >> 4) + numbers, &again);
	KB_ASSERT(kb_sv_eq(whole, parts));
	KB_ASSERT(result.count == again.count && result.page_count == again.page_count);
	KB_ASSERT(kb_utf8_valid(whole));
	for (size_t i = 0; i < result.count; i++)
		KB_ASSERT(result.sentences[i].at + result.sentences[i].bytes <= whole.n);
	if (kb_sv_find_byte(text, '`') < 0 && kb_sv_find_byte(text, '~') < 0)
		KB_ASSERT(kb_sv_find(whole, KB_SV("[k3f]")) < 0);
	kb_arena_fini(&arena);
	return 0;
}
