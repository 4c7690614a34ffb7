/*
 * One answer that a model writes, and the steps it takes. Private to write.c, which runs them,
 * finding.c, asking.c, which makes what a model is asked, and showing.c, which lets its words and
 * the end be seen.
 *
 *   moderate   > begin
 *   begin      > route, search, without
 *   route      > routed > search, without
 *   search     > plan, rewrite, gate, plain
 *   plan       > planned > gate
 *   rewrite    > rewritten > gate
 *   gate       > ask, refuse, plain
 *   ask        > written > finish, ask again
 *   finish     > refuse, plain
 *   fail       > plain
 *
 * Of these route, plan, rewrite and ask leave a request for a model behind; the step that each
 * names as the next one is taken when that has ended, and fail where no model is left. Every step
 * may end it all.
 */
#ifndef KB_WRITE_WRITING_H
#define KB_WRITE_WRITING_H

#include <pthread.h>

#include "answer/answerer_impl.h"
#include "answer/plain.h"
#include "upstream/models.h"
#include "write/prompt.h"
#include "write/reply.h"
#include "write/sink.h"
#include "write/underway.h"

enum { KB_WRITTEN_MAX = 1 << 20 }; /* bytes of an answer */

/* A row a step: its place in the enumeration, and its function. */
// clang-format off
#define KB_WRITE_STEPS(STEP) \
	STEP(MODERATE,  moderate)   /* asks the operator's server; blocks */ \
	STEP(BEGIN,     begin_turn) \
	STEP(WITHOUT,   without)    /* no model is there for it */ \
	STEP(ROUTE,     route)      /* asks which of a master's agents it is for */ \
	STEP(ROUTED,    routed) \
	STEP(SEARCH,    search)     /* and what the answer is without a model */ \
	STEP(PLAN,      plan)       /* asks what is to be searched for */ \
	STEP(PLANNED,   planned) \
	STEP(REWRITE,   rewrite)    /* asks for a follow-up as a question of its own */ \
	STEP(REWRITTEN, rewritten) \
	STEP(GATE,      gate) \
	STEP(ASK,       ask)        /* asks for the answer */ \
	STEP(WRITTEN,   written)    /* it came whole, in part, or not at all */ \
	STEP(FINISH,    finish) \
	STEP(PLAIN,     plain)      /* the answer is the one without a model */ \
	STEP(REFUSE,    refuse) \
	STEP(FAIL,      fail)       /* no model is left */
// clang-format on

#define KB_WRITE_PLACE(place, name) KB_WRITE_##place,
enum kb_write_step { KB_WRITE_STEPS(KB_WRITE_PLACE) KB_WRITE_OVER };

struct kb_writing {
	struct kb_writer *writer;
	struct kb_arena *arena;
	const struct kb_answer_request *request;
	struct kb_answer_request *again; /* with the rewritten question; NULL: there is none */
	const struct kb_answer_request *asked; /* which of the two was searched for last */
	size_t passages;                       /* as many as a model reads */
	struct kb_answer_sink sink;
	struct kb_answer *out;
	struct kb_answer plain;            /* what stands in for the model */
	struct kb_closest_list closest;    /* what is shown where nothing may be asserted */
	struct kb_conflict_list conflicts; /* of all that was found */
	/* What was found, until the model that writes is asked: it is large, and found again if
	 * need be. */
	struct kb_arena scratch;
	struct kb_plain *found;
	struct kb_live live; /* of the search; the check asks it how common words are */
	const struct kb_model_set *set;
	const struct kb_model *choices[KB_MODEL_CHOICES_MAX];
	size_t choice_count, choice;
	struct kb_prompt_turn *turns;
	struct kb_context_limits limits;
	int64_t turn_tokens; /* that the turns may have at most */
	/* Of the last request for an answer. */
	int64_t sent_sources, sent_turns; /* tokens */
	bool halved;
	struct kb_excerpt *sources;
	size_t source_count;
	struct kb_marker_ids ids;
	struct kb_reply *reply; /* of the call that writes */
	struct kb_cite_result cited;
	struct kb_buf text;
	size_t told;       /* bytes of it that the sink has */
	bool strict;       /* it says nothing that the documents do not say */
	bool ended_early;  /* the model was stopped, for nothing more would have come of it */
	struct kb_err err; /* that there is no answer at all, and why */

	enum kb_write_step step;       /* the one that is taken next */
	struct kb_chat_ask ask;        /* what a step leaves behind */
	const struct kb_model *model;  /* whom it is for, until that has ended; NULL: nobody */
	struct kb_chat_result *result; /* of the call that ended last; NULL: none has */

	pthread_mutex_t lock;      /* of the text and what it tells, too */
	struct kb_chat_call *call; /* NULL: none */
	bool cancelled;
	bool unwanted; /* its conversation is gone */
	bool spoke;    /* the sink has something */
	bool entered;
	struct kb_underway_answer underway;
};

struct kb_writer {
	struct kb_answerer *answerer;
	struct kb_models *models;
	struct kb_moderator *moderator; /* NULL: none */
	const struct kb_log *log;
	struct kb_pool *pool;
	struct kb_pool *moderating; /* NULL: nobody moderates */
	struct kb_underway *underway;
	int64_t custom_depth;
};

#define KB_WRITE_TAKES(place, name) enum kb_write_step kb_write_##name(struct kb_writing *w);
KB_WRITE_STEPS(KB_WRITE_TAKES)

/* ---- finding.c ---- */

/* Searches, and makes the plain answer of it: `found`, in `scratch`. */
bool kb_writing_search(struct kb_writing *w, const struct kb_answer_request *request,
                       struct kb_err *err) KB_MUST_CHECK;
/* The same for `again`, in place of what was found; that stays where nothing as sure as `least` is
 * found now. */
void kb_writing_search_again(struct kb_writing *w, double least);
void kb_writing_forget(struct kb_writing *w);
/* What the answer is without a model stays when what it was made of goes. */
void kb_writing_keep_plain(struct kb_writing *w);

/* ---- asking.c ---- */

/* The text of the short request that has ended; empty where there is none that can be used. */
struct kb_sv kb_writing_short(struct kb_writing *w);

/* ---- showing.c ---- */

/* What others do with an answer under way (underway.h). */
struct kb_underway_answer kb_writing_underway(const struct kb_answer_request *request);
/* Checked text, on its way out; `hear` gets it from the model, `keep` from the check. */
void kb_writing_hear(void *w, struct kb_sv text);
void kb_writing_keep(void *w, struct kb_sv text);
bool kb_writing_is_heard(void *w);
/* How much the model that is asked has to read. */
void kb_writing_tell_reading(struct kb_writing *w);
/* A text of ours in one piece. */
void kb_writing_say(struct kb_writing *w, struct kb_sv text);
/* The answer is that something failed. */
enum kb_write_step kb_writing_fails(struct kb_writing *w, const struct kb_err *why);

#endif
