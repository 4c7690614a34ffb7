/*
 * What is asked, by whom, and how it shall be answered. Plain data: whatever it points to outlives
 * the call that it is given to.
 */
#ifndef KB_ANSWER_REQUEST_H
#define KB_ANSWER_REQUEST_H

#include "answer/attach.h"
#include "live/access.h"
#include "settings/settings.h"
#include "store/agents.h"
#include "store/answers.h"

enum { KB_ASKER_CHARS = 60 }; /* of the name of who asks */

/* A sub-persona's text for one request only, in place of the stored one. */
struct kb_note_override {
	bool given;
	struct kb_sv text; /* p == NULL: the generated text */
};

struct kb_master_route;
struct kb_searched;
struct kb_answer_request {
	const struct kb_agent *agent;
	/* The agent's, with what the request says of its own answer put over them: persona, model,
	 * response source, capability. */
	const struct kb_settings *settings;
	struct kb_sv session_id; /* of its conversation */
	int64_t conversation_of; /* the agent that it is with: a master, or the agent itself */
	struct kb_sv prompt;
	/* A language tag: of small talk and of the texts that the owner has not set; quotes stay in
	 * their document's language. Empty: small talk as the message, texts as the agent. */
	struct kb_sv lang;
	const struct kb_sv *turns; /* the user's earlier prompts, newest last */
	size_t turn_count;
	/* What is known of the agent's index already; NULL: nothing. */
	const struct kb_known_version *known;
	struct kb_label_filter labels; /* what may be found; zeroed: documents without labels */
	/* KB_NOTE_COUNT of them: for the steps that ask a model. */
	const struct kb_note_override *notes;
	/* What the answer will be stored as, but for what it tells, and in which session: while a
	 * model writes it, it has a row (underway.h). NULL: it is not to be stored. */
	const struct kb_answer_row *row;
	int64_t account_id;  /* who asks; 0: nobody that is known by name */
	struct kb_sv asker;  /* the name of who asks without an account; empty: none */
	int64_t actions_max; /* of the plan; 0: none of its own */
	const struct kb_attached *attached; /* documents of the message; NULL: none */
	/* Actions that this request turns on and off, whatever the settings say: kb_action_on(). */
	struct kb_sv_list actions_enabled, actions_disabled;
	/* What the turns were answered, as many; p == NULL: not known, or not for this request's
	 * eyes. For a model alone. NULL: none of them. */
	const struct kb_sv *replies;
	/* What to search for, in place of the parts that the rule makes of the prompt; none: the
	 * rule's. At most KB_PLAN_PARTS_MAX. */
	const struct kb_sv *searches;
	size_t search_count;
	/* What was found already, by whoever picked the agent (searched.h); NULL: nothing. */
	struct kb_searched *searched;
	/* Of a master's turn that a model may give to another agent (route.h); NULL: none. */
	struct kb_master_route *routing;
	struct kb_sv wishes; /* system messages of the program that asks; for a model alone */
	/* Pictures of the question (upstream/picture.h); then a model that sees is asked. */
	const struct kb_sv *images;
	size_t image_count;
	size_t passages;       /* a model may read so many; 0: as many as the search reads anyway */
	bool inline_citations; /* the caller wants [n] in the text; the settings may still say no */
};

/* Whether the request's answer does what the action stands for; `setting` says so where the request
 * names it in neither list. What it turns off stays off. */
#define KB_ACTION_OVERVIEW "knowledge_base_overview" /* enable_agent_knowledge_base_awareness */
#define KB_ACTION_PLANNING "question_planning"       /* use_planner_mode */
#define KB_ACTION_CODES    "code_matching"           /* is_hybrid_search */
bool kb_action_on(const struct kb_answer_request *request, const char *action, bool setting);

/* The name of who asks, as a line; empty: it is not known, or not for the agent. May read the
 * store. */
bool kb_answer_asker(struct kb_store *store, struct kb_arena *arena,
                     const struct kb_answer_request *request, struct kb_sv *name,
                     struct kb_err *err) KB_MUST_CHECK;

#endif
