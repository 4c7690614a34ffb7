/* kb_analyze() on any bytes, in every language in turn; the first byte chooses where to begin. */
#include "base/utf8.h"
#include "index/analysis.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_sv text = kb_sv((const char *)data, size);
	struct kb_analyzer *an = kb_analyzer_new();
	enum kb_lang langs[] = { KB_LANG_NONE, kb_lang_of_text(text), kb_lang_of_question(text),
		                 size > 0 ? (enum kb_lang)(data[0] % KB_LANG_COUNT) : KB_LANG_EN };

	for (size_t l = 0; l < KB_COUNTOF(langs); l++) {
		struct kb_arena arena = { 0 };
		struct kb_terms terms;

		kb_analyze(an, &arena, langs[l], text, &terms);
		for (size_t i = 0; i < terms.count; i++) {
			const struct kb_term *t = &terms.v[i];

			KB_ASSERT(t->term.n > 0 && t->word.n > 0);
			KB_ASSERT(t->start < t->end && t->end <= size);
			KB_ASSERT(t->position < terms.positions);
			KB_ASSERT(i == 0 || t->position >= terms.v[i - 1].position);
			KB_ASSERT(kb_utf8_valid(t->term) && kb_utf8_valid(t->word));
		}
		kb_arena_fini(&arena);
	}
	kb_analyzer_free(an);
	return 0;
}
