/*
 * Reasons and refusals by code: a sentence of the service is English and names what a program needs
 * to know; who shows it to people says the same in their language, by its code and what stands in
 * its holes. The table is matched against sentences, so that those that were stored before have
 * codes too; web/words/dashboard has the words of every code.
 */
#ifndef KB_API_REASONS_H
#define KB_API_REASONS_H

#include "base/json.h"

enum { KB_REASON_ARGUMENTS = 3 };
struct kb_reason {
	const char *code; /* NULL: it has none */
	struct kb_sv arguments[KB_REASON_ARGUMENTS];
	size_t count;
};

/* Why a document is queued, failed, limited or was left out. One that has no code of its own is
 * "unreadable"; an empty sentence has none. */
struct kb_reason kb_reason_of_document(struct kb_sv sentence);
/* Why a request was refused. */
struct kb_reason kb_reason_of_refusal(struct kb_sv sentence);

/* "code argument argument", each argument percent-encoded (RFC 3986 2.1): a field of a refusal,
 * whose body has the members that its clients know. */
struct kb_sv kb_reason_line(struct kb_arena *arena, const struct kb_reason *reason);

/* reason_code and reason_arguments, where there is a code. */
void kb_reason_write(struct kb_jw *jw, const struct kb_reason *reason);

#endif
