/*
 * From a question to an answer with citations, in named steps.
 *
 *   understand -> retrieve -> rank -> generate -> cite -> finish
 *        |                     |
 *        +--> small talk       +--> the gate closes: no_answer_message, and the closest passages
 *                                   where there are any (outcome.h)
 *
 * plan        with planner mode, or an agent_capability that is worth it: the question's parts
 *             (plan.h), each of which is retrieved and ranked by itself; else the question is one
 * understand  language, terms, type; terms carried from earlier turns; greetings and the like
 * retrieve    the best passages of the agent's present index version
 * rank        the sentences that answer, from the best passages; and whether any does (the gate)
 * checked     whether a person has said what is to be answered (verified.h); then that is it
 * generate    the answer's text: verbatim sentences in readable order
 * cite        each sentence's document, first use first; markers in the text where they are wanted
 * finish      figures for the log and the stored message
 *
 * A document that the request's labels do not open takes no part in any step: the search itself
 * passes over it, and how common words are is counted of the others alone.
 *
 * The text is handed out in fragments as it is made, so that it can be streamed; together they are
 * the whole text. A call belongs to a worker: it reads the store and mapped files. Any number of
 * threads may answer at once. What a call gives lives in the caller's arena.
 */
#ifndef KB_ANSWER_ANSWER_H
#define KB_ANSWER_ANSWER_H

#include "answer/answerer.h"
#include "answer/closest.h"
#include "answer/conflict.h"
#include "answer/outcome.h"
#include "answer/question.h"
#include "answer/request.h"
#include "store/agents.h"

/* One sentence of the answer and where it stands. A model's sentence has a row for each place that
 * supports it, one after another, or a single one without a page. */
struct kb_quote {
	int64_t page_id;  /* below 0: of an attached document (attach.h); 0: no source says so */
	uint32_t page_no; /* 0: none */
	uint32_t offset;  /* into the page's extracted text */
	uint32_t
	        length; /* of a model's sentence: bytes of the place that supports it; 0: a quote */
	uint32_t said;  /* bytes of it in its document: of a quote, in which blanks may be put */
	size_t at;      /* where it begins in the answer's text */
	struct kb_sv text, title, heading;
	double score;
};

enum kb_answer_kind {
	KB_ANSWER_QUOTES,    /* sentences of the documents */
	KB_ANSWER_NONE,      /* the gate closed: no_answer_message */
	KB_ANSWER_SMALLTALK, /* a greeting, thanks, … */
	KB_ANSWER_MODERATED, /* the prompt was refused: chatbot_failed_moderation_msg */
	KB_ANSWER_OVERVIEW,  /* what the agent can do, what it knows about */
	KB_ANSWER_WRITTEN,   /* a model's words, checked against the documents (write.h) */
	KB_ANSWER_FAILED,    /* the model failed: chatbot_siesta_msg */
	KB_ANSWER_KINDS
};

/* "quotes", "none", … as stored with the message. */
const char *kb_answer_kind_name(enum kb_answer_kind kind);

/* The checked answer that it is (store/verified.h); page_id 0: it is none. */
struct kb_checked {
	int64_t page_id, version, at;
	struct kb_sv by; /* who checked it; may be empty */
};

/* Of the gate's figure: below it the documents barely speak to the question. */
#define KB_ANSWER_SURE 1.0

struct kb_answer {
	enum kb_answer_kind kind;
	struct kb_sv text;
	int64_t *citations; /* page ids, first use first; [n] in the text is citations[n - 1] */
	size_t citation_count;
	struct kb_quote *quotes; /* in the order of the text */
	size_t quote_count;
	/* KB_ANSWER_NONE: what is near without being sure; not in the text. */
	struct kb_closest_list closest;
	struct kb_conflict_list conflicts; /* what other documents say otherwise; not in the text */
	struct kb_checked checked;
	double confidence; /* of the gate: above 0 it was open; of the surest part */
	size_t steps;      /* searches made */
	enum kb_lang lang; /* of the question */
	enum kb_question_type type;
	int64_t retrieve_us, rank_us;

	/* Where a model was to write it (write.h). */
	const int64_t *given; /* documents that it was given, cited or not */
	size_t given_count;
	size_t statements, unsupported; /* sentences of its text; those that no source supports */
	struct kb_sv model;             /* the id of the one that was asked last; empty: none */
	bool cut; /* it reached the most tokens that it may have, so that its end is missing */
	bool stands_in; /* the model failed, or its text was struck: sentences of the documents */
	const struct kb_err
	        *failure; /* why the answer, which is stored, is not whole; NULL: it is */
	int64_t prompt_tokens, completion_tokens, cost_micros; /* of all its requests */
};

/* Of what was found, the conflicts with what the answer's quotes lean on. */
void kb_answer_conflicts(struct kb_arena *arena, const struct kb_conflict_list *found,
                         struct kb_answer *answer);

/* Where passages are shown, that is the outcome; without any there is nothing. */
enum kb_outcome kb_answer_outcome(const struct kb_answer *answer);

/* Gets the fragments of the text while it is made, on the caller's thread. */
struct kb_answer_listener {
	void (*take)(void *arg, struct kb_sv fragment); /* the fragment ends with the call */
	void *arg;
};

/* The line of a finished answer. */
void kb_answer_log(struct kb_answerer *answerer, const struct kb_answer_request *request,
                   const struct kb_answer *answer);

#endif
