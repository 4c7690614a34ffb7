#include "passages/name.h"

#include "base/buf.h"
#include "base/field.h"

enum {
	WORDS_MAX = 12,   /* of a name */
	WORD_BYTES = 24,  /* longer ones are no words */
	HASH_BYTES = 8,   /* hexadecimal digits with letters among them: parts of sums and UUIDs */
	ENDING_BYTES = 5, /* "html" */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Letters of other scripts are all taken for such. */
static bool is_word_byte(char c)
{
	return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z') || (unsigned char)c >= 0x80;
}

static bool in_word(struct kb_sv text, size_t i)
{
	return is_word_byte(text.p[i])
	       || (text.p[i] == '.' && i > 0 && i + 1 < text.n && is_digit(text.p[i - 1])
	           && is_digit(text.p[i + 1]));
}

/* A word of the title begins with this one: "install" need not stand beside "Installing". */
static bool has_word(struct kb_sv title, struct kb_sv word)
{
	for (size_t i = 0; i + word.n <= title.n; i++) {
		size_t same = 0;

		if (i > 0 && is_word_byte(title.p[i - 1]))
			continue;
		while (same < word.n && lower(title.p[i + same]) == lower(word.p[same]))
			same++;
		if (same == word.n)
			return true;
	}
	return false;
}

static bool is_hash(struct kb_sv word)
{
	size_t digits = 0;

	for (size_t i = 0; i < word.n; i++) {
		if (kb_hex_digit(word.p[i]) < 0)
			return false;
		digits += is_digit(word.p[i]);
	}
	return word.n >= HASH_BYTES && digits > 0 && digits < word.n;
}

/* A name of figures alone is a number in some list. */
static bool has_letter(struct kb_sv name)
{
	for (size_t i = 0; i < name.n; i++)
		if (is_word_byte(name.p[i]) && !is_digit(name.p[i]))
			return true;
	return false;
}

/* "report.final.pdf": "report.final"; "v1.2" ends in a number. */
static struct kb_sv without_ending(struct kb_sv name)
{
	size_t dot = name.n;

	while (dot > 0 && is_word_byte(name.p[dot - 1]))
		dot--;
	if (dot < 2 || name.p[dot - 1] != '.' || dot == name.n || name.n - dot > ENDING_BYTES
	    || is_digit(name.p[dot]))
		return name;
	return kb_sv_sub(name, 0, dot - 1);
}

struct kb_sv kb_name_words(struct kb_arena *arena, struct kb_sv title, struct kb_sv name)
{
	struct kb_sv all = { 0 };
	struct kb_buf out;
	size_t count = 0;

	name = without_ending(name);
	if (!has_letter(name))
		return all;
	kb_buf_init(&out, SIZE_MAX);
	for (size_t i = 0; i < name.n && count < WORDS_MAX;) {
		struct kb_sv word = kb_sv_from(name, i);
		size_t n = 0;

		while (i + n < name.n && in_word(name, i + n))
			n++;
		word.n = n;
		i += KB_MAX(n, (size_t)1);
		if (!n || n > WORD_BYTES || is_hash(word) || has_word(title, word)
		    || has_word(kb_buf_view(&out), word))
			continue;
		if (count++)
			kb_buf_byte(&out, ' ');
		kb_buf_sv(&out, word);
	}
	all = kb_arena_sv(arena, kb_buf_view(&out));
	kb_buf_fini(&out);
	return all;
}

/* "pricing" of "https://a.example/en/pricing/?x=1"; a page that is the index of its folder is named
 * by that. */
static struct kb_sv last_part(struct kb_sv url)
{
	ptrdiff_t scheme = kb_sv_find(url, KB_SV("://"));
	struct kb_sv path = scheme < 0 ? url : kb_sv_from(url, (size_t)scheme + 3);
	struct kb_sv part = { 0 };
	size_t start = 0, end = 0;

	while (end < path.n && path.p[end] != '?' && path.p[end] != '#')
		end++;
	path.n = end;
	for (end = 0; end <= path.n; end++) {
		struct kb_sv next = kb_sv_sub(path, start, end - start);

		if (end < path.n && path.p[end] != '/')
			continue;
		if (start && next.n && !kb_sv_eq(without_ending(next), KB_SV("index")))
			part = next;
		start = end + 1;
	}
	return part;
}

struct kb_sv kb_address_words(struct kb_arena *arena, struct kb_sv title, struct kb_sv url)
{
	struct kb_sv part = last_part(url), plain;

	return kb_name_words(arena, title, kb_percent_decode(arena, part, &plain) ? plain : part);
}
