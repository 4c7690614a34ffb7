#include "answer/places.h"

#include <string.h>

#include "out/url.h"

struct place {
	struct kb_sv host; /* with its port; of a mail address the whole */
	struct kb_sv rest; /* path and query; exact: the fragment too */
	bool exact;
};

struct kb_named {
	struct kb_arena *arena;
	struct place *v;
	size_t count, capacity; /* most answers have a few, and many wait at once */
};

struct kb_named *kb_named_new(struct kb_arena *arena)
{
	struct kb_named *places = KB_NEW(arena, struct kb_named);

	places->arena = arena;
	return places;
}

/* ---- addresses in text ---- */

/* What addresses are made of, by the standard; anything else ends one in running text. */
static bool is_address_byte(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
	       || (c && strchr("-._~:/?#@!$&'()*+,;=%", c));
}

bool kb_address_within(struct kb_sv text)
{
	for (size_t i = 0; i < text.n; i++) {
		struct kb_sv rest = kb_sv_from(text, i);

		if (kb_sv_starts(rest, KB_SV("//")) || kb_sv_istarts(rest, KB_SV("www.")))
			return true;
	}
	return false;
}

/* Where the bracket at `at` is closed; 0: nowhere, or it holds an address, which readers that end
 * the outer one before the bracket would find. */
static size_t bracket_end(struct kb_sv text, size_t at)
{
	size_t depth = 0;

	for (size_t i = at; i < text.n; i++) {
		depth += text.p[i] == '(';
		if (text.p[i] == ')' && --depth == 0)
			return kb_address_within(kb_sv_sub(text, at, i - at)) ? 0 : i;
	}
	return 0;
}

/* Where an address ends for its brackets, at the latest at the text's end. */
static size_t bracketed_end(struct kb_sv text)
{
	size_t at = 0;

	for (; at < text.n && text.p[at] != ')'; at++) {
		size_t closed = text.p[at] == '(' ? bracket_end(text, at) : at;

		if (text.p[at] == '(' && !closed)
			break;
		at = closed;
	}
	return at;
}

size_t kb_address_at(struct kb_sv text, size_t *run)
{
	static const char *const starts[] = { "http://", "https://", "ftp://", "www." };
	size_t start = 0, end;

	for (size_t i = 0; i < KB_COUNTOF(starts); i++)
		if (kb_sv_istarts(text, kb_sv_str(starts[i])))
			start = strlen(starts[i]);
	*run = 0;
	if (!start)
		return 0;
	for (end = start; end < text.n && is_address_byte(text.p[end]); end++)
		;
	*run = end;
	end = bracketed_end(kb_sv_sub(text, 0, end));
	while (end > start && strchr(".,;:!?'*_~&", text.p[end - 1]))
		end--;
	return end;
}

/* ---- reading an address ---- */

/* Characters that readers of Markdown and of addresses understand in different ways. */
static bool is_plain(struct kb_sv address)
{
	for (size_t i = 0; i < address.n; i++)
		if (!is_address_byte(address.p[i]))
			return false;
	return address.n > 0 && address.n <= KB_PLACE_BYTES;
}

/* Whether the host stands in the address as browsers read it: other readers end it sooner, or know
 * no other form of it. */
static bool is_host_plain(struct kb_sv address, struct kb_sv host)
{
	ptrdiff_t slashes = kb_sv_find(address, KB_SV("://"));
	struct kb_sv rest = kb_sv_from(address, slashes < 0 ? address.n : (size_t)slashes + 3);

	if (!kb_sv_istarts(rest, host))
		return false;
	rest = kb_sv_from(rest, host.n);
	return rest.n == 0 || strchr("/?#", rest.p[0])
	       || (rest.n > 1 && rest.p[0] == ':' && rest.p[1] >= '0' && rest.p[1] <= '9');
}

static bool read_place(struct kb_arena *arena, struct kb_sv address, struct place *out)
{
	struct kb_url url;
	struct kb_err err;

	if (!is_plain(address) || bracketed_end(address) < address.n)
		return false;
	if (kb_sv_istarts(address, KB_SV("mailto:"))) {
		*out = (struct place){ .host = kb_sv_from(address, 7), .exact = true };
		return true;
	}
	if (kb_sv_istarts(address, KB_SV("www.")))
		address = kb_arena_printf(arena, "https://%.*s", KB_SV_ARG(address));
	if (!kb_url_parse(arena, address, NULL, &url, &err) || !kb_url_is_web(&url)
	    || url.username.n || url.password.n || !is_host_plain(address, url.host))
		return false;
	out->host = url.port < 0 ? url.host
	                         : kb_arena_printf(arena, "%.*s:%d", KB_SV_ARG(url.host), url.port);
	out->rest = kb_arena_printf(arena, "%.*s%.*s%.*s", KB_SV_ARG(url.path),
	                            KB_SV_ARG(url.query), KB_SV_ARG(url.fragment));
	out->exact = false;
	return true;
}

static struct kb_sv without_fragment(struct kb_sv rest)
{
	ptrdiff_t at = kb_sv_find_byte(rest, '#');

	return at < 0 ? rest : kb_sv_sub(rest, 0, (size_t)at);
}

static void grow(struct kb_named *places)
{
	size_t capacity = KB_MAX(places->capacity * 2, (size_t)4);
	struct place *grown = KB_NEW_ARRAY(places->arena, capacity, struct place);

	if (places->count)
		memcpy(grown, places->v, places->count * sizeof(*grown));
	places->v = grown;
	places->capacity = capacity;
}

static void add(struct kb_named *places, struct kb_sv address, bool exact)
{
	struct place place;

	if (places->count == KB_NAMED_MAX || !read_place(places->arena, address, &place))
		return;
	if (places->count == places->capacity)
		grow(places);
	place.host = kb_arena_sv(places->arena, place.host);
	if (exact)
		place.exact = true;
	else
		place.rest = without_fragment(place.rest);
	places->v[places->count++] = place;
}

void kb_named_add_site(struct kb_named *places, struct kb_sv address)
{
	add(places, address, false);
}

/* ---- texts ---- */

static bool is_word_byte(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_mail_byte(char c)
{
	return is_word_byte(c) || (c && strchr("._%+-", c));
}

static void add_mail(struct kb_named *places, struct kb_sv text, size_t sign)
{
	size_t from = sign, to = sign + 1;

	while (from > 0 && is_mail_byte(text.p[from - 1]))
		from--;
	while (to < text.n && is_mail_byte(text.p[to]))
		to++;
	while (to > sign && text.p[to - 1] == '.')
		to--;
	if (from < sign && to > sign + 1)
		add(places,
		    kb_arena_printf(places->arena, "mailto:%.*s",
		                    KB_SV_ARG(kb_sv_sub(text, from, to - from))),
		    true);
}

/* Whether what stands before an address makes it a target: "](", "](<", "]: ", "=", "=\"". */
static bool is_target(struct kb_sv text, size_t at)
{
	while (at > 0 && strchr(" \t\"'<", text.p[at - 1]))
		at--;
	if (at == 0)
		return false;
	return text.p[at - 1] == '='
	       || (at > 1 && text.p[at - 2] == ']'
	           && (text.p[at - 1] == '(' || text.p[at - 1] == ':'));
}

static void add_text(struct kb_named *places, struct kb_sv text, bool owner)
{
	for (size_t i = 0; i < text.n && places->count < KB_NAMED_MAX; i++) {
		size_t n, run;

		if (text.p[i] == '@') {
			add_mail(places, text, i);
			continue;
		}
		if (!strchr("hHfFwW", text.p[i]) || (i > 0 && is_word_byte(text.p[i - 1])))
			continue;
		n = kb_address_at(kb_sv_from(text, i), &run);
		if (!n)
			continue;
		if (owner || !is_target(text, i))
			add(places, kb_sv_sub(text, i, n), !owner);
		i += run - 1;
	}
}

void kb_named_add_owner(struct kb_named *places, struct kb_sv text)
{
	add_text(places, text, true);
}

void kb_named_add_source(struct kb_named *places, struct kb_sv text)
{
	add_text(places, text, false);
}

/* ---- asking ---- */

/* The path itself, what lies below it, or a query of it. */
static bool is_below(struct kb_sv rest, struct kb_sv site)
{
	rest = without_fragment(rest);
	if (kb_sv_find_byte(site, '?') >= 0 || !kb_sv_starts(rest, site))
		return kb_sv_eq(rest, site);
	return rest.n == site.n || kb_sv_ends(site, KB_SV("/")) || rest.p[site.n] == '/'
	       || rest.p[site.n] == '?';
}

bool kb_named_allow(const struct kb_named *places, struct kb_sv address, bool picture)
{
	struct kb_arena arena = { 0 };
	struct place asked;
	bool allowed = false;

	if (places && read_place(&arena, address, &asked))
		for (size_t i = 0; i < places->count && !allowed; i++) {
			const struct place *place = &places->v[i];

			allowed = kb_sv_eq(asked.host, place->host)
			          && (place->exact ? !picture && kb_sv_eq(asked.rest, place->rest)
			                           : is_below(asked.rest, place->rest));
		}
	kb_arena_fini(&arena);
	return allowed;
}
