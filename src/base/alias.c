#include "base/alias.h"

#include <string.h>

const char *kb_alias_second(const struct kb_alias_list *list, struct kb_sv name)
{
	for (size_t i = 0; i < list->count; i++)
		if (kb_sv_eq_str(name, list->v[i].name))
			return list->v[i].second;
	return NULL;
}

const char *kb_alias_name(const struct kb_alias_list *list, struct kb_sv second)
{
	for (size_t i = 0; i < list->count; i++)
		if (kb_sv_eq_str(second, list->v[i].second))
			return list->v[i].name;
	return NULL;
}

static bool is_word(struct kb_sv text)
{
	bool ok = text.n > 0 && text.n <= KB_ALIAS_CHARS;

	for (size_t i = 0; ok && i < text.n; i++) {
		char c = text.p[i], small = (char)(c | 0x20);

		ok = (small >= 'a' && small <= 'z') || (c >= '0' && c <= '9') || c == '_'
		     || c == '-' || c == '.';
	}
	return ok;
}

static bool is_taken(const struct kb_alias_list *list, struct kb_sv word)
{
	return kb_alias_second(list, word) || kb_alias_name(list, word);
}

bool kb_alias_read(struct kb_arena *arena, const char *what, const char *text,
                   struct kb_alias_list *out, struct kb_err *err)
{
	struct kb_sv rest = kb_sv_str(text ? text : ""), pair;

	*out = (struct kb_alias_list){ .v = KB_NEW_ARRAY(arena, KB_ALIASES_MAX, struct kb_alias) };
	while (rest.n > 0 && kb_sv_split(&rest, ',', &pair)) {
		struct kb_sv name, second;
		ptrdiff_t at;

		pair = kb_sv_trim(pair);
		if (pair.n == 0)
			continue;
		at = kb_sv_find_byte(pair, '=');
		name = kb_sv_trim(at < 0 ? pair : kb_sv_sub(pair, 0, (size_t)at));
		second = kb_sv_trim(at < 0 ? KB_SV("") : kb_sv_from(pair, (size_t)at + 1));
		if (!is_word(name) || !is_word(second))
			return kb_fail(err, KB_E_INVALID,
			               "%s: \"%.*s\" is not of the form name=second, each of 1 to "
			               "%d letters, digits, _ - and .",
			               what, KB_SV_ARG(kb_sv_sub(pair, 0, 80)), KB_ALIAS_CHARS);
		if (kb_sv_eq(name, second) || is_taken(out, name) || is_taken(out, second))
			return kb_fail(err, KB_E_INVALID,
			               "%s: \"%.*s\" says a word that has been said already", what,
			               KB_SV_ARG(pair));
		if (out->count == KB_ALIASES_MAX)
			return kb_fail(err, KB_E_INVALID, "%s: more than %d aliases", what,
			               KB_ALIASES_MAX);
		out->v[out->count++] =
		        (struct kb_alias){ kb_arena_str(arena, name), kb_arena_str(arena, second) };
	}
	return true;
}
