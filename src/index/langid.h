/*
 * Which language a text is in, and the languages' codes. Pure; any thread.
 */
#ifndef KB_INDEX_LANGID_H
#define KB_INDEX_LANGID_H

#include "base/sv.h"
#include "index/lang.h"

const char *kb_lang_code(enum kb_lang lang);       /* "en"; "und" for NONE */
enum kb_lang kb_lang_from_code(struct kb_sv code); /* "pt-BR" is pt */

/* Of a whole document: by its function words or, where these leave a doubt, by statistics. */
enum kb_lang kb_lang_of_text(struct kb_sv text);
/* Of a question: script first, then function words and telling letters; short texts are hard. */
enum kb_lang kb_lang_of_question(struct kb_sv text);

struct kb_lang_guess {
	enum kb_lang lang;
	int points; /* KB_LANG_WORD_POINTS for each function word, twice that for a telling letter
	             */
};
enum { KB_LANG_WORD_POINTS = 4 };
/* The languages of the question's script, the likeliest first: kb_lang_of_question() takes that.
 * Returns how many, 1 or more. */
size_t kb_lang_guesses(struct kb_sv text, struct kb_lang_guess out[KB_LANG_COUNT]);

#endif
