#include "db/pq_address.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/sv.h"

enum { QUIET_S = 15, QUIET_MAX_S = 600, WORD_CHARS = 32 };

/* Takes a word of ours out: the value of `name=`, as much as there is room for. False: it is not
 * there. */
static bool take_own(char *address, const char *name, char out[WORD_CHARS])
{
	char *query = strchr(address, '?'), *at = query;
	size_t n = strlen(name), length;

	while (at && strncmp(at + 1, name, n) != 0)
		at = strchr(at + 1, '&');
	if (!at)
		return false;
	length = strcspn(at + 1, "&");
	snprintf(out, WORD_CHARS, "%.*s", (int)(length - n), at + 1 + n);
	if (at[1 + length] == '\0')
		*at = '\0';
	else
		memmove(at + 1, at + length + 2, strlen(at + length + 2) + 1);
	return true;
}

static bool take_ours(struct kb_pq_address *address, struct kb_err *err)
{
	char word[WORD_CHARS];
	int64_t seconds = QUIET_S;

	if (take_own(address->text, "statements=", word)) {
		address->is_unnamed = strcmp(word, "unnamed") == 0;
		if (!address->is_unnamed)
			return kb_fail(err, KB_E_INVALID,
			               "the database's address says statements=%s; the only word "
			               "for it is unnamed",
			               word);
	}
	if (take_own(address->text, "silence=", word)
	    && !kb_sv_to_int(kb_sv_str(word), 1, QUIET_MAX_S, &seconds))
		return kb_fail(err, KB_E_INVALID,
		               "the database's address says silence=%s; it must be a number of "
		               "seconds from 1 to %d",
		               word, QUIET_MAX_S);
	address->quiet_ms = (int)seconds * 1000;
	return true;
}

/* A name or password that was not encoded ends at its own '@', and the rest would be looked up as a
 * host's name, and told. */
static bool is_unambiguous(const char *address, struct kb_err *err)
{
	const char *start = strstr(address, "://"), *at;
	size_t length = start ? strcspn(start + 3, "/?#") : 0;

	at = start ? memchr(start + 3, '@', length) : NULL;
	return !at || !memchr(at + 1, '@', length - (size_t)(at + 1 - (start + 3)))
	       || kb_fail(err, KB_E_INVALID,
	                  "the database's address has two @ before its host's path: one of a name "
	                  "or password is written %%40");
}

/* Where the host is missing, what is a password stands in the place of its port. */
static bool has_ports(const PQconninfoOption *options, struct kb_err *err)
{
	while (options->keyword && strcmp(options->keyword, "port") != 0)
		options++;
	return !options->keyword || !options->val
	       || options->val[strspn(options->val, "0123456789,")] == '\0'
	       || kb_fail(err, KB_E_INVALID,
	                  "the database's address has a port that is not a number: before a host "
	                  "stands NAME:PASSWORD@");
}

/* libpq says what is wrong, and behind that the address, or a piece of it in which the password may
 * be. */
static bool is_libpqs(const struct kb_pq *pq, const char *address, struct kb_err *err)
{
	static const char word[] = "invalid URI query parameter"; /* its name alone */
	char *why = NULL;
	PQconninfoOption *options = pq->PQconninfoParse(address, &why);
	const char *end = why ? strstr(why, ": \"") : NULL;
	size_t length = why ? strcspn(why, "\n") : 0;
	bool ok;

	if (why && end && strncmp(why, word, strlen(word)) != 0)
		length = (size_t)(end - why);
	ok = options ? has_ports(options, err)
	             : kb_fail(err, KB_E_INVALID, "the database's address is not one: %.*s",
	                       (int)length, why ? why : "");
	pq->PQfreemem(why);
	if (options)
		pq->PQconninfoFree(options);
	return ok;
}

bool kb_pq_address_read(const struct kb_pq *pq, const char *where, struct kb_pq_address *out,
                        struct kb_err *err)
{
	*out = (struct kb_pq_address){ .text = kb_xstrdup(where) };
	return take_ours(out, err) && is_unambiguous(out->text, err)
	       && is_libpqs(pq, out->text, err);
}

void kb_pq_address_fini(struct kb_pq_address *address)
{
	free(address->text);
	*address = (struct kb_pq_address){ 0 };
}
