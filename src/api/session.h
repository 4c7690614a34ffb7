/*
 * One question in a conversation, whichever way it comes: messages, completions, a visitor's talk,
 * a tool of the protocol for models (mcp_tools.c), a trial.
 *
 * A turn is begun (limits, lock, history, who answers), answered, and kept; it is answered without
 * a worker while a model writes, so what answers the request is called back. Its stored message is
 * the truth: it is written whole before the client is told that the answer is finished, whether or
 * not the client still listens.
 */
#ifndef KB_API_SESSION_H
#define KB_API_SESSION_H

#include "api/api.h"
#include "write/route.h"

enum {
	KB_PROMPT_CHARS = 8000,
	KB_WISHES_CHARS = 12000, /* as a persona */
	KB_HISTORY_TURNS = 10,
	KB_EXTERNAL_ID_CHARS = 128,
};

/* Where a message came from: its request_source. */
#define KB_SOURCE_API         "api"
#define KB_SOURCE_WEB         "web" /* of the dashboard: a browser that is signed in */
#define KB_SOURCE_COMPLETIONS "chat-completions"

struct kb_turn {
	struct kb_settings settings;
	/* Who answers: the call's agent, or the child that a master let answer (masters.c). */
	const struct kb_agent *agent;
	struct kb_agent child;
	int64_t named_child; /* child_project_id of the request; 0: none */
	int64_t stays_with;  /* the conversation stays with this agent from now on; 0: as it was */
	struct kb_sv session_id, prompt, external_id;
	struct kb_sv lang;    /* a language tag; empty: none was given */
	struct kb_sv context; /* custom_context */
	struct kb_sv wishes;  /* system messages; empty: none */
	bool own_settings;    /* the body may put settings of its own over the agent's */
	bool takes_files;     /* the body may bring files */
	bool masked;          /* the agent anonymises */
	bool is_trial;        /* nothing of it is stored, and it is no query of the plan */
	struct kb_sv_list actions_enabled, actions_disabled;
	struct kb_attached *attached; /* files and context; NULL: none */
	const char *source;           /* KB_SOURCE_… */
	const struct kb_sv *turns;    /* the user's earlier prompts, newest last */
	const struct kb_sv *replies;  /* what they were answered; p == NULL: not known */
	size_t turn_count;
	const struct kb_sv *images; /* of the prompt, for a model that sees (upstream/picture.h) */
	size_t image_count;
	struct kb_label_filter labels;
	struct kb_searched *searched;    /* what was found when they were picked; NULL: nothing */
	struct kb_master_route *routing; /* who else may answer, if a model says so; NULL: nobody */
	bool inline_citations;
	/* Says the same of the settings of whoever answers; NULL: the caller has said it. */
	bool (*wants_inline)(const struct kb_settings *settings);
	struct kb_note_override notes[KB_NOTE_COUNT]; /* sub_personas of the request */
	struct kb_answer answer;
	struct kb_message message; /* its id may be reserved before; the rest once it is stored */
	struct kb_conversation conversation;
	int64_t visitor_id; /* whose answer is under way until the message is stored; 0: nobody's */
};

/* Whether what the mask covers (answer/mask.h) is kept from the agent and from its conversations.
 */
bool kb_agent_anonymises(struct kb_call *call, const struct kb_agent *agent);

/* Reads what a question in that session needs into call->ahead, where that is worth it and was not
 * done with the agent. Empty: a new session. */
bool kb_turn_read_ahead(struct kb_call *call, struct kb_sv session_id,
                        struct kb_err *err) KB_MUST_CHECK;
/* Gives its message an id before it is stored. */
bool kb_turn_number(struct kb_call *call, struct kb_turn *turn, struct kb_err *err) KB_MUST_CHECK;
/* Gives the turn a session of its own. */
void kb_turn_new_session(struct kb_call *call, struct kb_turn *turn);
/* The session's, an id of 0 where there is none yet; of what was read for the question, if it was.
 */
bool kb_turn_conversation(struct kb_call *call, const struct kb_turn *turn,
                          struct kb_conversation *out, struct kb_err *err) KB_MUST_CHECK;

/* Session ids of the path: 1 to 128 URL-safe characters. */
bool kb_session_id_check(struct kb_sv id, struct kb_err *err) KB_MUST_CHECK;

/* Asks the plan for one more query, reads the agent's settings with those of the body over them,
 * refuses a locked conversation (403), fetches the history, unless the caller has filled turns
 * itself, masks, picks who answers and reads the files of the message. */
bool kb_turn_begin(struct kb_call *call, struct kb_turn *turn, bool own_history,
                   struct kb_err *err) KB_MUST_CHECK;

/* What becomes of an answer; see struct kb_answer_sink. */
struct kb_turn_sink {
	void (*take)(void *arg, struct kb_sv piece); /* NULL: nobody wants pieces */
	void (*reading)(void *arg, size_t sources);  /* NULL: nobody wants to know */
	void (*silent)(void *arg);                   /* the same */
	/* The last call, on a thread that may block: answers the request or ends its stream.
	 * err->code is KB_OK where the answer is whole and stored. Where a model has failed, what
	 * there is of its answer is stored, and err says why it is not whole. */
	void (*done)(struct kb_call *call, struct kb_turn *turn, struct kb_err *err, void *arg);
	void *arg;
};
/* Answers and stores. The turn lives in the call's arena; neither may be touched after this. */
void kb_turn_answer(struct kb_call *call, struct kb_turn *turn, const struct kb_turn_sink *sink);

/* The same as a stream of named events: start, progress, then finish or error (messages.c). `face`
 * is what a surface adds of its own, each may be NULL: further members of finish, other words for a
 * failure, and what is done when the answer is over. */
struct kb_turn_face {
	void (*finish)(struct kb_call *call, struct kb_jw *jw, struct kb_turn *turn);
	void (*failed)(struct kb_call *call, struct kb_turn *turn, struct kb_err *err);
	void (*over)(struct kb_call *call, struct kb_turn *turn);
	bool numbered; /* as events.h says: the turn's message has its id already */
};
void kb_turn_stream(struct kb_call *call, struct kb_turn *turn, const struct kb_turn_face *face);

/* lang of the body or the query. */
bool kb_turn_read_lang(struct kb_call *call, struct kb_turn *turn,
                       struct kb_err *err) KB_MUST_CHECK;
/* What only the message endpoint takes: custom_context, action_overrides, child_project_id, and
 * that kb_turn_begin() puts custom_persona, chatbot_model, response_source and agent_capability
 * over the settings. KB_E_INVALID names the field. */
bool kb_turn_read_own(struct kb_call *call, struct kb_turn *turn, struct kb_err *err) KB_MUST_CHECK;
/* Parts of kb_turn_begin(): the settings among them (overrides.c), files and context (attach.c). */
bool kb_turn_apply(struct kb_call *call, struct kb_turn *turn, struct kb_err *err) KB_MUST_CHECK;
/* Picks who answers (masters.c): fills agent, and for a child its settings in place of the
 * master's; and routing, where a model may pick another one.
 */
bool kb_turn_route(struct kb_call *call, struct kb_turn *turn, struct kb_err *err) KB_MUST_CHECK;
/* The turn is given to that one of its routing. */
bool kb_turn_reroute(struct kb_call *call, struct kb_turn *turn, ptrdiff_t which,
                     struct kb_err *err) KB_MUST_CHECK;
bool kb_turn_attach(struct kb_call *call, struct kb_turn *turn, struct kb_err *err) KB_MUST_CHECK;

/* Pictures of the prompt (pictures.c). Whether a model sees them. */
bool kb_turn_may_show(struct kb_call *call);
/* One more, of a part {"image_url": {"url": "data:…"}}: nothing is fetched for anybody. */
bool kb_turn_add_picture(struct kb_call *call, struct kb_turn *turn, const json_t *part,
                         struct kb_err *err) KB_MUST_CHECK;
/* After kb_turn_begin(): makes them smaller where the agent says so, and refuses them where it
 * anonymises. */
bool kb_turn_show_pictures(struct kb_call *call, struct kb_turn *turn,
                           struct kb_err *err) KB_MUST_CHECK;

/* sub_personas of the body: an object of string or null by slug; unknown slugs are passed over. */
bool kb_turn_read_notes(struct kb_call *call, struct kb_turn *turn,
                        struct kb_err *err) KB_MUST_CHECK;

/* `stream` and `resumable` of the query or the body; either may be given, also twice. */
bool kb_wants_stream(struct kb_call *call, bool *yes, struct kb_err *err) KB_MUST_CHECK;
bool kb_wants_resumable(struct kb_call *call, bool *yes, struct kb_err *err) KB_MUST_CHECK;

/* "liked", "disliked", "neutral"; false: another word. conversations.c. */
bool kb_reaction_read(struct kb_sv text, enum kb_reaction *out);

#endif
