#include "write/statement.h"

#include <string.h>

#include "index/sentence.h"

enum { CLAUSE_WORDS = 3 }; /* a subject, a verb, and what is said */

/* What a helpful writer says beside the matter. */
static const struct {
	const char *begins;
	const char *holds; /* NULL: whatever follows */
} courtesies[] = {
	{ "let me know", NULL },
	{ "feel free", NULL },
	{ "i hope", NULL },
	{ "hope this", NULL },
	{ "hope that", NULL },
	{ "please let", NULL },
	{ "happy to", NULL },
	{ "glad to", NULL },
	{ "here is", NULL },
	{ "here are", NULL },
	{ "here's", NULL },
	{ "thank", NULL },
	{ "you're welcome", NULL },
	{ "if you have", "question" },
	{ "if you need", "help" },
	{ "if you need", "assist" },
	{ "if you need", "anything" },
	{ "don't hesitate", NULL },
	{ "please don't hesitate", NULL },
};

static bool holds_word(struct kb_sv text, const char *word)
{
	for (size_t i = 0; i < text.n; i++)
		if (kb_sv_istarts(kb_sv_from(text, i), kb_sv_str(word)))
			return true;
	return false;
}

static bool is_courtesy(struct kb_sv text)
{
	for (size_t i = 0; i < KB_COUNTOF(courtesies); i++)
		if (kb_sv_istarts(text, kb_sv_str(courtesies[i].begins))
		    && (!courtesies[i].holds || holds_word(text, courtesies[i].holds)))
			return true;
	return false;
}

static size_t count_words(struct kb_sv text)
{
	size_t count = 0;
	bool within = false;

	for (size_t i = 0; i < text.n; i++) {
		bool blank = strchr(" \t\r\n", text.p[i]) != NULL;

		count += !blank && !within;
		within = !blank;
	}
	return count;
}

bool kb_is_statement(struct kb_sv text, const struct kb_judgement *judgement)
{
	text = kb_sv_trim(text);
	if (!text.n || text.p[0] == '#' || is_courtesy(text) || kb_introduces(text)
	    || kb_asks(text))
		return false;
	return judgement->words >= KB_STATEMENT_WORDS || judgement->numbers
	       || (judgement->words && count_words(text) >= CLAUSE_WORDS)
	       || (judgement->names && kb_ends_in_stop(text));
}
