#include "write/route.h"

#include "answer/answerer_impl.h"
#include "answer/given.h"
#include "answer/smalltalk.h"
#include "base/utf8.h"
#include "write/prompt.h"

enum { PLACE_CHARS = 120 };

/* ---- by rule ---- */

static struct kb_sv place_of(struct kb_arena *arena, const struct kb_passage *passage)
{
	struct kb_sv heading = passage->heading;

	return kb_arena_sv(
	        arena, kb_utf8_head(kb_arena_printf(arena, "%.*s%s%.*s", KB_SV_ARG(passage->title),
	                                            passage->title.n && heading.n ? ": " : "",
	                                            KB_SV_ARG(heading)),
	                            PLACE_CHARS));
}

static void note_found(struct kb_arena *arena, const struct kb_answer_step *step,
                       struct kb_route_agent *out)
{
	for (size_t i = 0; i < step->candidate_count && out->found_count < KB_ROUTE_FOUND; i++) {
		struct kb_sv place = place_of(arena, &step->candidates[i].passage);
		bool known = place.n == 0;

		for (size_t k = 0; k < out->found_count; k++)
			known = known || kb_sv_eq(out->found[k], place);
		if (!known)
			out->found[out->found_count++] = place;
	}
}

/* *searched is to be ended, after a failure too. */
static bool try_agent(struct kb_answerer *answerer, struct kb_arena *arena,
                      const struct kb_answer_request *question, struct kb_route_agent *out,
                      struct kb_searched *searched, struct kb_err *err)
{
	struct kb_answer_request request = *question;
	struct kb_analyzer *analyzer = kb_analyzer_borrow(answerer);
	bool ok;

	request.agent = out->agent;
	ok = kb_searched_make(answerer, analyzer, &request, searched, err);
	kb_analyzer_give_back(answerer, analyzer);
	if (!ok) {
		if (err->code != KB_E_NOT_FOUND)
			return false;
		*err = (struct kb_err){ 0 };
		return true;
	}
	for (size_t i = 0; i < searched->steps.count; i++) {
		out->answers = out->answers || searched->steps.v[i].part_count > 0;
		note_found(arena, &searched->steps.v[i], out);
	}
	out->confidence = searched->steps.confidence;
	return true;
}

static void keep(struct kb_master_route *routing, struct kb_searched *searched)
{
	kb_searched_fini(&routing->searched);
	routing->searched = *searched;
	*searched = (struct kb_searched){ 0 };
}

bool kb_route_by_rule(struct kb_answerer *answerer, struct kb_arena *arena,
                      const struct kb_answer_request *request, struct kb_master_route *routing,
                      struct kb_err *err)
{
	enum kb_lang lang;
	double highest = 0;
	bool ok = true;

	routing->best = -1;
	routing->asks = kb_smalltalk(request->prompt, KB_LANG_NONE, &lang) == KB_TALK_NONE;
	if (!routing->asks)
		return true;
	for (size_t i = 0; ok && i < routing->count; i++) {
		struct kb_route_agent *one = &routing->v[i];
		struct kb_searched searched = { 0 };

		ok = try_agent(answerer, arena, request, one, &searched, err);
		if (ok && one->answers && (routing->best < 0 || one->confidence > highest)) {
			routing->best = (ptrdiff_t)i;
			highest = one->confidence;
			keep(routing, &searched);
		} else if (ok && routing->best < 0 && i + 1 == routing->count) {
			keep(routing, &searched);
		}
		kb_searched_fini(&searched);
	}
	return ok;
}

/* ---- by model ---- */

static struct kb_sv about(struct kb_answerer *answerer, struct kb_arena *arena,
                          const struct kb_agent *agent)
{
	struct kb_settings settings;

	if (!kb_settings_read(arena, agent->settings, &settings, NULL))
		return KB_SV("");
	return kb_given_summary(&(struct kb_given_notes){
	        .answerer = answerer, .arena = arena, .agent = agent, .settings = &settings });
}

void kb_route_ask(struct kb_answerer *answerer, struct kb_arena *arena,
                  const struct kb_answer_request *request, const struct kb_prompt_turn *turns,
                  struct kb_chat_ask *out)
{
	const struct kb_master_route *routing = request->routing;
	struct kb_prompt_agent *agents =
	        KB_NEW_ARRAY(arena, routing->count, struct kb_prompt_agent);
	struct kb_chat_message *messages;

	for (size_t i = 0; i < routing->count; i++)
		agents[i] = (struct kb_prompt_agent){ .name = routing->v[i].agent->name,
			                              .about = about(answerer, arena,
			                                             routing->v[i].agent),
			                              .found = routing->v[i].found,
			                              .found_count = routing->v[i].found_count };
	*out = (struct kb_chat_ask){ .max_tokens = KB_ROUTE_TOKENS };
	kb_prompt_route(arena,
	                &(struct kb_prompt_choice){ .agents = agents,
	                                            .agent_count = routing->count,
	                                            .turns = turns,
	                                            .turn_count = request->turn_count,
	                                            .question = request->prompt },
	                &messages, &out->message_count);
	out->messages = messages;
}

ptrdiff_t kb_route_read(const struct kb_master_route *routing, struct kb_sv text)
{
	int64_t number;

	text = kb_sv_trim(text);
	if (kb_sv_ends(text, KB_SV(".")))
		text = kb_sv_sub(text, 0, text.n - 1);
	if (!kb_sv_to_int(text, 1, (int64_t)routing->count, &number))
		return routing->best;
	return (ptrdiff_t)number - 1;
}
