#include "answer/given.h"

#include "answer/answerer_impl.h"
#include "answer/notes.h"

static struct kb_sv by_slug(const struct kb_sub_persona_list *notes, const char *slug)
{
	for (size_t i = 0; i < notes->count; i++)
		if (kb_sv_eq_str(notes->v[i].slug, slug))
			return notes->v[i].instructions;
	return kb_sv(NULL, 0);
}

/* What is stored with the agent's persona: the agent's own text, or else the generated one. */
static struct kb_sv stored(const struct kb_given_notes *notes, enum kb_agent_note kind)
{
	const char *slug = kb_note_kinds[kind].slug;
	const struct kb_list newest = { .page = 1, .limit = 1 };
	struct kb_store *store = notes->answerer->store;
	struct kb_sub_personas texts;
	struct kb_persona_list list;
	struct kb_sv own;

	if (!kb_store_persona_list(store, notes->arena, notes->agent->id, &newest, &list, NULL)
	    || !list.count
	    || !kb_sv_eq(list.v[0].instructions, notes->settings->persona_instructions)
	    || !kb_store_sub_personas(store, notes->arena, notes->agent->id, list.v[0].version,
	                              &texts, NULL))
		return kb_sv(NULL, 0);
	own = by_slug(&texts.overrides, slug);
	/* One that is being made anew knows nothing of what has changed. */
	return own.p || texts.is_generating || texts.is_stale ? own
	                                                      : by_slug(&texts.generated, slug);
}

/* p == NULL: it is to be made now. */
static struct kb_sv given(const struct kb_given_notes *notes, enum kb_agent_note kind)
{
	const struct kb_note_override *own = notes->own ? &notes->own[kind] : NULL;

	return own && own->given ? own->text : stored(notes, kind);
}

static struct kb_notes_input input_of(const struct kb_given_notes *notes)
{
	return (struct kb_notes_input){
		.agent = notes->agent,
		.settings = notes->settings,
		.persona = notes->settings->persona_instructions,
	};
}

struct kb_sv kb_given_summary(const struct kb_given_notes *notes)
{
	struct kb_notes_input input = input_of(notes);
	struct kb_sv text = given(notes, KB_NOTE_PERSONA_SUMMARY);
	struct kb_analyzer *analyzer;

	if (text.p || !input.persona.n)
		return text;
	analyzer = kb_analyzer_borrow(notes->answerer);
	text = kb_note_summary(analyzer, notes->arena, &input);
	kb_analyzer_give_back(notes->answerer, analyzer);
	return text;
}

struct kb_sv kb_given_planner(const struct kb_given_notes *notes)
{
	struct kb_notes_input input = input_of(notes);
	struct kb_sv text = given(notes, KB_NOTE_TASK_PLANNER);

	if (text.p || !kb_notes_titles(notes->answerer->store, notes->arena, &input, NULL))
		return text;
	return kb_note_planner(notes->arena, &input);
}
