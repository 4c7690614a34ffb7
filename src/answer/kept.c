#include "answer/kept.h"

#include "answer/gold.h"
#include "store/labels.h"

const char *kb_kept_why_name(enum kb_kept_why why)
{
	static const char *const names[] = {
		[KB_KEPT_WHY_PASSED] = "passed",
		[KB_KEPT_WHY_NOT_FOUND] = "not found",
		[KB_KEPT_WHY_REFUSED] = "found but refused",
		[KB_KEPT_WHY_SENTENCE] = "wrong sentence",
		[KB_KEPT_WHY_DOCUMENT] = "wrong document",
	};

	return names[why];
}

/* ---- what is wanted ---- */

static bool holds_phrase(struct kb_arena *arena, const struct kb_kept_test *test, struct kb_sv text)
{
	struct kb_sv rest = test->phrases, phrase;
	struct kb_gold_tokens said, gold;

	kb_gold_tokenize(arena, text, &said);
	while (rest.p && kb_sv_split(&rest, '\n', &phrase)) {
		kb_gold_tokenize(arena, phrase, &gold);
		if (kb_gold_contains(&said, &gold))
			return true;
	}
	return false;
}

static bool is_wanted(const struct kb_kept_test *test, int64_t page_id)
{
	for (size_t i = 0; i < test->document_count; i++)
		if (test->documents[i].page_id == page_id)
			return true;
	return false;
}

/* An agent that shows no citations quotes all the same. */
static bool cites_wanted(const struct kb_kept_test *test, const struct kb_answer *answer)
{
	for (size_t i = 0; i < answer->citation_count; i++)
		if (is_wanted(test, answer->citations[i]))
			return true;
	for (size_t i = 0; i < answer->quote_count; i++)
		if (is_wanted(test, answer->quotes[i].page_id))
			return true;
	return false;
}

/* Whether a passage has what answers. */
static bool is_found(struct kb_arena *arena, const struct kb_kept_test *test,
                     const struct kb_plain *plain)
{
	for (size_t i = 0; i < plain->steps.count; i++) {
		const struct kb_answer_step *step = &plain->steps.v[i];

		for (size_t k = 0; k < step->candidate_count; k++) {
			const struct kb_passage *passage = &step->candidates[k].passage;

			if (test->phrases.n        ? holds_phrase(arena, test, passage->text)
			    : test->document_count ? is_wanted(test, passage->page_id)
			                           : true)
				return true;
		}
	}
	return false;
}

static enum kb_kept_why judge(struct kb_arena *arena, const struct kb_kept_test *test,
                              const struct kb_plain *plain)
{
	bool answered = kb_answer_outcome(&plain->answer) == KB_OUTCOME_ANSWER;

	if (test->refuse)
		return answered ? KB_KEPT_WHY_SENTENCE : KB_KEPT_WHY_PASSED;
	if (!answered)
		return is_found(arena, test, plain) ? KB_KEPT_WHY_REFUSED : KB_KEPT_WHY_NOT_FOUND;
	if (test->phrases.n && !holds_phrase(arena, test, plain->answer.text))
		return is_found(arena, test, plain) ? KB_KEPT_WHY_SENTENCE : KB_KEPT_WHY_NOT_FOUND;
	if (test->document_count && !cites_wanted(test, &plain->answer))
		return KB_KEPT_WHY_DOCUMENT;
	return KB_KEPT_WHY_PASSED;
}

/* What somebody may find who has any of the test's labels. */
static struct kb_label_filter opened(struct kb_arena *arena, const struct kb_kept_test *test)
{
	struct kb_label_group *group = KB_NEW(arena, struct kb_label_group);
	struct kb_label_ref *refs = KB_NEW_ARRAY(arena, KB_KEPT_LABELS_MAX, struct kb_label_ref);
	struct kb_sv rest = test->labels, one;

	group->v = refs;
	while (rest.n && group->count < KB_KEPT_LABELS_MAX && kb_sv_split(&rest, '\n', &one))
		refs[group->count++].name = kb_label_fold(arena, one);
	return (struct kb_label_filter){ .groups = group, .group_count = group->count > 0 };
}

bool kb_kept_ask(const struct kb_anew_with *with, struct kb_arena *arena,
                 const struct kb_agent *agent, const struct kb_kept_test *test,
                 struct kb_kept_result *out, struct kb_err *err)
{
	struct kb_sv turns[KB_KEPT_TURNS_MAX], rest = test->turns, one;
	struct kb_anew_asked asked = { .question = test->question,
		                       .turns = turns,
		                       .labels = opened(arena, test) };
	struct kb_plain plain;

	while (rest.n && asked.turn_count < KB_KEPT_TURNS_MAX && kb_sv_split(&rest, '\n', &one))
		turns[asked.turn_count++] = one;
	if (!kb_anew_ask(with, arena, agent, &asked, &plain, err))
		return false;
	*out = (struct kb_kept_result){ .test = test,
		                        .why = judge(arena, test, &plain),
		                        .answer = kb_arena_sv(arena, plain.answer.text),
		                        .version = agent->index_version,
		                        .change = agent->updated_at };
	kb_plain_release(&plain);
	return true;
}
