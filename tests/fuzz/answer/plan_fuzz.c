/* A language by the first byte, then a question of any bytes, or a model's plan: parts are views of
 * it in order, codes are ranges of it, highlights are characters of it apart from each other. */
#include "answer/find.h"
#include "answer/planned.h"
#include "base/utf8.h"
#include "index/codes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_codes(struct kb_arena *arena, struct kb_sv text)
{
	struct kb_code *codes;
	size_t count;

	kb_codes(arena, text, true, &codes, &count);
	for (size_t i = 0; i < count; i++) {
		KB_ASSERT(codes[i].start < codes[i].end && codes[i].end <= text.n);
		KB_ASSERT(codes[i].term.n >= 2 && codes[i].term.n <= KB_CODE_BYTES + 2);
		KB_ASSERT(i == 0 || codes[i].start >= codes[i - 1].start);
	}
}

static void check_plan(struct kb_arena *arena, struct kb_sv text)
{
	struct kb_sv searches[KB_PLAN_PARTS_MAX];
	size_t count = kb_planned_read(arena, text, 4, searches);

	KB_ASSERT(count <= 4);
	for (size_t i = 0; i < count; i++)
		KB_ASSERT(searches[i].n && kb_utf8_count(searches[i]) <= KB_SEARCH_CHARS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum kb_lang lang = size ? (enum kb_lang)(data[0] % KB_LANG_COUNT) : KB_LANG_NONE;
	struct kb_sv text = size ? kb_sv((const char *)data + 1, size - 1) : KB_SV("");
	struct kb_sv parts[KB_PLAN_PARTS_MAX];
	struct kb_analyzer *analyzer = kb_analyzer_new();
	struct kb_arena arena = { 0 };
	struct kb_highlight *marks;
	struct kb_find_words words = { .lang = lang };
	size_t count = kb_plan_split(analyzer, &arena, text, lang, KB_PLAN_PARTS_MAX, parts);
	uint32_t end = 0;

	KB_ASSERT(count >= 1 && count <= KB_PLAN_PARTS_MAX);
	for (size_t i = 0; i < count; i++) {
		KB_ASSERT(parts[i].n <= text.n);
		KB_ASSERT(count == 1 || (parts[i].p >= text.p && parts[i].n > 0));
		KB_ASSERT(i == 0 || parts[i].p >= parts[i - 1].p + parts[i - 1].n);
	}
	check_codes(&arena, text);
	check_plan(&arena, text);
	kb_analyze(analyzer, &arena, lang, parts[count - 1], &words.terms);
	kb_find_highlights(analyzer, &arena, &words, text, &marks, &count);
	for (size_t i = 0; i < count; i++) {
		KB_ASSERT(marks[i].length > 0 && (i == 0 || marks[i].start > end));
		end = marks[i].start + marks[i].length;
	}
	KB_ASSERT(end <= kb_utf8_count(text));
	kb_analyzer_free(analyzer);
	kb_arena_fini(&arena);
	return 0;
}
