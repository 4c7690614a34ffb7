/* A sentence and two sources of any bytes, parted by line ends: a verdict is about them. */
#include "write/support.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct kb_analyzer *analyzer;
	struct kb_sv rest = kb_sv((const char *)data, size), sentence, first;
	struct kb_arena arena = { 0 };
	struct kb_judgement judgement;
	struct kb_support *support;

	if (!size)
		return 0;
	if (!analyzer)
		analyzer = kb_analyzer_new();
	kb_sv_split(&rest, '\n', &sentence);
	if (!rest.p || !kb_sv_split(&rest, '\n', &first))
		first = sentence;
	support = kb_support_new(&arena, analyzer,
	                         (struct kb_support_source[]){ { .text = first, .title = sentence },
	                                                       { .text = kb_sv(rest.p, rest.n) } },
	                         2, NULL);
	kb_support_judge(support, analyzer, sentence, &judgement);
	KB_ASSERT(judgement.count == 2);
	for (size_t i = 0; i < 2; i++) {
		const struct kb_support_verdict *v = &judgement.verdicts[i];

		KB_ASSERT(v->cover >= 0 && v->cover <= 1.001f && v->near <= v->cover + .001f);
		KB_ASSERT((size_t)v->start + v->bytes <= (i ? rest.n : first.n));
	}
	kb_support_together(support, &judgement, (size_t[]){ 0, 1 }, 2);
	kb_arena_fini(&arena);
	return 0;
}
