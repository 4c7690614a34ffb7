/*
 * The built-in interface texts by language: what an agent says where its owner set nothing.
 *
 * A text that a language lacks is the English one. Pure and constant; any thread.
 */
#ifndef KB_SETTINGS_TEXTS_H
#define KB_SETTINGS_TEXTS_H

#include "base/sv.h"

enum kb_text {
	KB_TEXT_NONE,
	KB_TEXT_DEFAULT_PROMPT,    /* in the empty input field */
	KB_TEXT_NO_ANSWER,         /* the documents hold no answer */
	KB_TEXT_HANG_IN_THERE,     /* an answer takes more than a few seconds */
	KB_TEXT_SIESTA,            /* the agent failed */
	KB_TEXT_OUT_OF_QUERIES,    /* the quota is used up */
	KB_TEXT_FAILED_MODERATION, /* the prompt was refused */
	KB_TEXT_TRY_ASKING,        /* above the example questions */
	KB_TEXT_VIEW_MORE,
	KB_TEXT_VIEW_LESS,
	KB_TEXT_ANSWER_SOURCE, /* label of the source of one answer */
	KB_TEXT_SOURCES,       /* label of the list of sources */
	KB_TEXT_PDF_LIMITED,   /* label of a document of which only some pages are shown */
	KB_TEXT_CLOSEST,       /* above passages that do not answer for sure; no setting */
	KB_TEXT_COUNT
};

/* The text in that language (a code of chatbot_msg_lang), or else in English. Never empty. */
struct kb_sv kb_text_built_in(struct kb_sv lang, enum kb_text text);

/* The table's code for a language tag as callers write it: "zh-TW" is "cmn", "de_AT" is "de", "nb"
 * is "no". "en" where there is none. */
struct kb_sv kb_text_lang(struct kb_sv tag);

/* The same for the first of an Accept-Language field's tags that the table has, as browsers order
 * them; "en" where it has none. */
struct kb_sv kb_text_lang_of(struct kb_sv accepted);

/* For tests: whether the language has a table of its own (or shares that of its written standard).
 */
bool kb_text_has(struct kb_sv lang);

/* For tests: the codes of the languages with a table of their own, at most max; returns how many
 * there are. "en" is the first. */
size_t kb_text_langs(const char **codes, size_t max);

#endif
