/*
 * Where the parts of Markdown and HTML lead, as the most lenient of their readers would see it: for
 * the guard of what goes out (guard.h). What all readers take for harmless is harmless here;
 * whatever is not plain is not.
 *
 * Pure functions; any thread.
 */
#ifndef KB_ANSWER_LEADS_H
#define KB_ANSWER_LEADS_H

#include "answer/places.h"

/* What may stand before a paragraph in its line: blanks, the marks of quotations and lists. */
#define KB_LEADS_MARKS " \t\r>-*+.)0123456789"

enum kb_leads {
	KB_LEADS_NOWHERE, /* or within the reader's own site */
	KB_LEADS_AWAY,
	KB_LEADS_UNSURE, /* more of the text would tell */
};

/* Whether a target begins at `from` that leads elsewhere: a scheme, two slashes of either kind,
 * "www.", with escapes in it or without; an entity may be any of these. Before it stands what
 * readers pass over: blanks, a line end and the marks behind it. */
enum kb_leads kb_leads_away(struct kb_sv text, size_t from);

/* What stands between angles: whether it has no attribute, and loads and changes nothing. */
bool kb_leads_no_tag(struct kb_sv tag);
/* The same of what is probably code: attributes may stand in it that all read in one way and that
 * lead nowhere, or to a site that is named; and more elements, as long as they do nothing alone. */
bool kb_leads_no_tag_in_code(const struct kb_named *places, struct kb_sv tag);

/* ---- bytes ---- */

static inline bool kb_is_one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

static inline bool kb_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool kb_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool kb_is_word(char c)
{
	return kb_is_letter(c) || kb_is_digit(c);
}

static inline bool kb_is_same(char c, char small)
{
	return (c | 32) == small;
}

#endif
