/*
 * Second spellings of names and values on the wire: "llm_response=x_response,message=text".
 *
 * A table is read once, at the start, and is never changed; it lives in the reader's arena. The
 * JSON writer emits a field under both names and a choice in its second spelling (json.h); who
 * reads requests takes both.
 */
#ifndef KB_BASE_ALIAS_H
#define KB_BASE_ALIAS_H

#include "base/arena.h"

enum { KB_ALIASES_MAX = 100, KB_ALIAS_CHARS = 60 };

struct kb_alias {
	const char *name, *second;
};
struct kb_alias_list {
	struct kb_alias *v;
	size_t count;
};
struct kb_aliases {
	struct kb_alias_list fields, values;
};

/* text: "name=second,…" of letters, digits, '_', '-' and '.'; NULL: none. Each name and each second
 * once. what: the option's name, for the error. */
bool kb_alias_read(struct kb_arena *arena, const char *what, const char *text,
                   struct kb_alias_list *out, struct kb_err *err) KB_MUST_CHECK;

/* The second spelling of a name, or the name of a second spelling; NULL: there is none. */
const char *kb_alias_second(const struct kb_alias_list *list, struct kb_sv name);
const char *kb_alias_name(const struct kb_alias_list *list, struct kb_sv second);

#endif
