/* A question and a passage of any bytes, parted by the first line end: sentences must be ranges of
 * the text in order, the selection must come from them, small talk must end. */
#include "answer/parts.h"
#include "answer/smalltalk.h"
#include "index/sentence.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int64_t df(void *arg, struct kb_sv term)
{
	(void)arg;
	return (int64_t)(term.n % 3);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_sv rest = kb_sv((const char *)data, size), text;
	struct kb_arena arena = { 0 };
	struct kb_analyzer *an = kb_analyzer_new();
	struct kb_candidate candidates[2] = { { .score = 2 }, { .score = 1 } };
	struct kb_evidence evidence = { .candidates = candidates,
		                        .count = 2,
		                        .stats = { .passages = 2, .df = df } };
	struct kb_sentence *sentences;
	struct kb_selection selection;
	struct kb_answer_part *parts;
	struct kb_question q;
	size_t count;

	kb_sv_split(&rest, '\n', &text);
	kb_sentences(&arena, rest, &sentences, &count);
	for (size_t i = 0; i < count; i++) {
		KB_ASSERT(sentences[i].start < sentences[i].end && sentences[i].end <= rest.n);
		KB_ASSERT(i == 0 || sentences[i].start >= sentences[i - 1].end);
	}
	kb_smalltalk(text, KB_LANG_NONE, NULL);
	candidates[0].passage = (struct kb_passage){ .page_id = 1, .text = rest };
	candidates[1].passage = (struct kb_passage){ .page_id = 2, .text = text, .title = text };
	kb_question_build(an, &arena,
	                  &(struct kb_utterance){ .text = text, .turns = &rest, .turn_count = 1 },
	                  &q);
	kb_select(an, &arena, &q, &evidence, KB_GATE_NONE, &selection);
	kb_answer_parts(&arena, candidates, &selection, &parts, &count);
	for (size_t i = 0; i < count; i++)
		KB_ASSERT(parts[i].start < parts[i].end
		          && parts[i].end <= candidates[parts[i].candidate].passage.text.n);
	kb_analyzer_free(an);
	kb_arena_fini(&arena);
	return 0;
}
