/*
 * What a model is told: the one place where prompts are laid out.
 *
 * An answer's request, in this order:
 *
 *   system     who it is (the agent's persona), the rules, what is known of who asks, what the
 *              program that asks wishes, the sources
 *   user, assistant, …   the earlier turns, oldest first; those that do not fit are left out
 *   user       the question, as it was asked
 *
 * A source is delimited and escaped (kb_marker_source()). The persona stands in the system message
 * once, and in no source. The sizes are those of tokens.h.
 *
 * tests/unit/write/prompt_test.c shows whole prompts. Pure but for the arena.
 */
#ifndef KB_WRITE_PROMPT_H
#define KB_WRITE_PROMPT_H

#include "answer/marker.h"
#include "upstream/chat.h"
#include "write/context.h"

struct kb_prompt_turn {
	struct kb_sv question, answer; /* answer.p == NULL: it is not known */
};

struct kb_prompt {
	struct kb_sv name;    /* the agent's */
	struct kb_sv persona; /* empty: none */
	struct kb_sv asker;   /* whom people say they are; empty: not to be known */
	struct kb_sv lang;    /* a language tag; empty: that of the question */
	struct kb_sv wishes;  /* of the program that asks: its system messages; empty: none */
	struct kb_sv no_answer;
	bool own_content; /* from the sources alone */
	bool answers;     /* the search holds that the sources answer the question */
	bool markers;     /* the model names its sources */
	const struct kb_excerpt *sources;
	size_t source_count;
	const struct kb_marker_ids *ids;    /* of the sources */
	const struct kb_prompt_turn *turns; /* oldest first */
	size_t turn_count;
	struct kb_sv question;
};

/* turn_tokens: what the earlier turns may take. */
void kb_prompt_answer(struct kb_arena *arena, const struct kb_prompt *prompt, int64_t turn_tokens,
                      struct kb_chat_message **out, size_t *count);
/* The tokens of everything but sources and turns. */
int64_t kb_prompt_tokens(struct kb_arena *arena, const struct kb_prompt *prompt);

struct kb_prompt_follow_up {
	struct kb_sv about; /* the persona's summary; empty: none */
	const struct kb_prompt_turn *turns;
	size_t turn_count;
	struct kb_sv question;
};
/* Asks for the question as one that stands by itself. */
void kb_prompt_rewrite(struct kb_arena *arena, const struct kb_prompt_follow_up *ask,
                       struct kb_chat_message **out, size_t *count);
enum { KB_REWRITE_TOKENS = 128 }; /* of its answer */

struct kb_prompt_search {
	struct kb_sv planner; /* the agent's task-planner text; empty: none */
	size_t max;           /* searches */
	const struct kb_prompt_turn *turns;
	size_t turn_count;
	struct kb_sv question;
};
/* Asks for the searches that the question needs, as planned.h reads them. */
void kb_prompt_search(struct kb_arena *arena, const struct kb_prompt_search *ask,
                      struct kb_chat_message **out, size_t *count);
enum { KB_SEARCH_TOKENS = 400 }; /* of its answer */

/* One of a master's agents. */
struct kb_prompt_agent {
	struct kb_sv name, about;  /* about: its persona's summary; empty: none */
	const struct kb_sv *found; /* where its documents speak of the question */
	size_t found_count;
};
struct kb_prompt_choice {
	const struct kb_prompt_agent *agents;
	size_t agent_count;
	const struct kb_prompt_turn *turns;
	size_t turn_count;
	struct kb_sv question;
};
/* Asks for the number of the agent, from 1, that the question is for. */
void kb_prompt_route(struct kb_arena *arena, const struct kb_prompt_choice *ask,
                     struct kb_chat_message **out, size_t *count);

/* The markers that an answer shows to people, such as [2], taken out of it. */
struct kb_sv kb_prompt_unmarked(struct kb_arena *arena, struct kb_sv answer);

#endif
