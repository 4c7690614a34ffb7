/*
 * Messages that ask nothing of the documents: greetings, thanks, questions about the assistant.
 *
 * Whole messages against one table of phrases, in time linear in the message; what merely begins
 * with a greeting ("hello, what does it cost?") is a question. Pure; any thread.
 */
#ifndef KB_ANSWER_SMALLTALK_H
#define KB_ANSWER_SMALLTALK_H

#include "index/analysis.h"

enum kb_smalltalk {
	KB_TALK_NONE, /* a question for the documents */
	KB_TALK_GREETING,
	KB_TALK_THANKS,
	KB_TALK_BYE,
	KB_TALK_HOW_ARE_YOU,
	KB_TALK_ACK,    /* ok, I see, great */
	KB_TALK_META,   /* who are you, what can you do, help, do you speak German */
	KB_TALK_TOPICS, /* what do you know about */
	KB_TALK_NAME,   /* what is my name */
	KB_TALK_COUNT
};

/* *lang is the message's language where one is found (lang may be NULL): none for "Hi", which
 * everybody says. likely: the language that is meant where a phrase is of several ("Hallo"). */
enum kb_smalltalk kb_smalltalk(struct kb_sv text, enum kb_lang likely, enum kb_lang *lang);

#endif
