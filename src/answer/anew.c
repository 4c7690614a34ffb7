#include "answer/anew.h"

bool kb_anew_ask(const struct kb_anew_with *with, struct kb_arena *arena,
                 const struct kb_agent *agent, const struct kb_anew_asked *asked,
                 struct kb_plain *out, struct kb_err *err)
{
	struct kb_settings *settings = KB_NEW(arena, struct kb_settings);
	struct kb_answer_request *request = KB_NEW(arena, struct kb_answer_request);

	*request = (struct kb_answer_request){ .agent = agent,
		                               .settings = settings,
		                               .session_id = KB_SV(""),
		                               .conversation_of = agent->id,
		                               .prompt = asked->question,
		                               .labels = asked->labels,
		                               .turns = asked->turns,
		                               .turn_count = asked->turn_count };
	return !kb_cancelled(with->cancel, err)
	       && kb_settings_read(arena, agent->settings, settings, err)
	       && kb_answer_plain(with->answerer, arena, request, NULL, out, err);
}

bool kb_anew_question(const struct kb_anew_with *with, struct kb_arena *arena,
                      const struct kb_agent *agent, const struct kb_gap_question *question,
                      struct kb_anew_said *out, struct kb_err *err)
{
	const struct kb_anew_asked asked = { .question = question->question,
		                             .turns = &question->before,
		                             .turn_count = question->before.n > 0 };
	struct kb_plain plain;

	*out = (struct kb_anew_said){ .text = KB_SV("") };
	if (!kb_anew_ask(with, arena, agent, &asked, &plain, err))
		return false;
	out->mended = kb_answer_outcome(&plain.answer) == KB_OUTCOME_ANSWER
	              && (question->why & KB_GAP_UNANSWERED
	                  || !kb_sv_eq(plain.answer.text, question->response));
	out->text = kb_arena_sv(arena, plain.answer.text);
	kb_plain_release(&plain);
	return true;
}

static bool ask(const struct kb_anew_with *with, const struct kb_agent *agent,
                const struct kb_gap_question *question, bool *mended, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_anew_said said;
	bool ok = kb_anew_question(with, &arena, agent, question, &said, err);

	*mended = said.mended;
	kb_arena_fini(&arena);
	return ok;
}

static const struct kb_gap_question *head_of(const struct kb_gap *gap,
                                             const struct kb_gap_questions *questions)
{
	for (size_t i = 0; i < questions->count; i++)
		if (questions->v[i].message_id == gap->message_id)
			return &questions->v[i];
	return questions->count ? &questions->v[questions->count - 1] : NULL;
}

bool kb_anew_gap(const struct kb_anew_with *with, const struct kb_agent *agent,
                 const struct kb_gap *gap, struct kb_gap_tried *out, struct kb_err *err)
{
	const struct kb_gap_question *head;
	struct kb_gap_questions questions;
	struct kb_arena arena = { 0 };
	bool ok, first = false, mended;

	out->answers = 0;
	out->closes = false;
	ok = kb_store_gap_questions(with->store, &arena, gap, KB_ANEW_QUESTIONS, &questions, err);
	head = ok ? head_of(gap, &questions) : NULL;
	out->tried = ok ? (int64_t)questions.count : 0;
	if (head)
		ok = ask(with, agent, head, &first, err);
	out->answers = first;
	for (size_t i = 0; ok && first && i < questions.count; i++) {
		if (&questions.v[i] == head)
			continue;
		ok = ask(with, agent, &questions.v[i], &mended, err);
		out->answers += ok && mended;
	}
	out->closes = first && out->answers * 10 >= out->tried * KB_ANEW_TENTHS;
	kb_arena_fini(&arena);
	return ok;
}

/* ---- why ---- */

const char *kb_anew_why_name(enum kb_anew_why why)
{
	static const char *const names[] = {
		[KB_ANEW_ANSWERED] = "answered", [KB_ANEW_UNFOUND] = "unfound",
		[KB_ANEW_NAMED] = "named",       [KB_ANEW_CLOSEST] = "closest",
		[KB_ANEW_NOTHING] = "nothing",
	};

	return names[why];
}

/* "room 99" and "P 200", folded as they were looked for. */
static struct kb_sv name_of(struct kb_arena *arena, const struct kb_named_thing *thing)
{
	struct kb_buf buf;
	struct kb_sv out;

	kb_buf_init(&buf, SIZE_MAX);
	if (thing->label.n)
		kb_buf_printf(&buf, "%.*s ", KB_SV_ARG(thing->label));
	for (size_t i = 0; i < thing->part_count; i++) {
		kb_buf_str(&buf, i ? " " : "");
		kb_buf_sv(&buf, thing->parts[i]);
	}
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

static void keep_nearest(struct kb_arena *arena, const struct kb_answer_step *step,
                         struct kb_anew_reason *out)
{
	for (size_t i = 0; i < step->candidate_count && i < KB_CLOSEST_MOST; i++) {
		struct kb_candidate *kept = &out->nearest[out->nearest_count++];

		*kept = step->candidates[i];
		kept->passage.title = kb_arena_sv(arena, kept->passage.title);
		kept->passage.heading = kb_arena_sv(arena, kept->passage.heading);
		kept->passage.text = kb_arena_sv(arena, kept->passage.text);
	}
}

static void read_reason(struct kb_arena *arena, const struct kb_plain *plain,
                        struct kb_anew_reason *out)
{
	const struct kb_answer_step *step = &plain->steps.v[0];
	enum kb_outcome outcome = kb_answer_outcome(&plain->answer);

	if (plain->steps.count)
		keep_nearest(arena, step, out);
	if (outcome == KB_OUTCOME_ANSWER) {
		out->why = KB_ANEW_ANSWERED;
	} else if (!out->nearest_count) {
		out->why = KB_ANEW_UNFOUND;
	} else if (step->verdict == KB_NAMED_LACKING) {
		out->why = KB_ANEW_NAMED;
		for (size_t i = 0; i < step->named.count; i++)
			out->named[out->named_count++] = name_of(arena, &step->named.v[i]);
	} else {
		out->why = outcome == KB_OUTCOME_CLOSEST ? KB_ANEW_CLOSEST : KB_ANEW_NOTHING;
	}
}

bool kb_anew_reason(const struct kb_anew_with *with, struct kb_arena *arena,
                    const struct kb_agent *agent, struct kb_sv question, struct kb_anew_reason *out,
                    struct kb_err *err)
{
	const struct kb_anew_asked asked = { .question = question };
	struct kb_plain plain;

	*out = (struct kb_anew_reason){ 0 };
	if (!kb_anew_ask(with, arena, agent, &asked, &plain, err))
		return false;
	read_reason(arena, &plain, out);
	kb_plain_release(&plain);
	return true;
}
