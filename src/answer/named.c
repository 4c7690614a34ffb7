/* From what a question names to the passages that hold it. */
#include "answer/named.h"

#include "answer/named_alike.h"
#include "answer/named_tokens.h"
#include "answer/named_words.h"
#include "answer/numerals.h"

enum {
	YEARS_MAX = 300, /* from the first to the last of a range */
	CENTURY = 100,
	DECADE = 10,
};

/* A passage as it is looked through. */
struct page {
	struct kb_analyzer *analyzer;
	enum kb_lang lang; /* the question's */
	struct kb_tokens t;
};

static const struct kb_token *at(const struct page *p, size_t i)
{
	static const struct kb_token none = { .kind = KB_TOKEN_CHARACTER, .gap = KB_GAP_FAR };

	return i < p->t.count ? &p->t.v[i] : &none;
}

/* ---- numbers ---- */

/* 12 for 12, and 12.4.1 for 12.4; the number may be written as a word or in Roman letters. */
static bool is_number(const struct page *p, const struct kb_token *token, struct kb_sv number)
{
	struct kb_token wanted = { .kind = KB_TOKEN_NUMBER, .text = number };
	int value;

	if (token->kind == KB_TOKEN_NUMBER)
		return kb_sv_eq(token->text, number)
		       || (kb_sv_starts(token->text, number) && kb_sv_find_byte(number, '.') > 0
		           && token->text.p[number.n] == '.');
	value = token->kind == KB_TOKEN_WORD ? kb_token_value(&wanted) : 0;
	return value
	       && (kb_numeral_word(p->lang, token->text) == value
	           || (token->capitals && kb_numeral_roman(token->raw) == value));
}

static bool is_within(const struct kb_token *first, const struct kb_token *last,
                      struct kb_sv number)
{
	struct kb_token token = { .kind = KB_TOKEN_NUMBER, .text = number };
	int value = kb_token_value(&token), from = kb_token_value(first), to = kb_token_value(last);

	return value && from < value && value < to;
}

/* The number behind a noun at i - 1, over "no." and the like; its place, or 0. */
static size_t number_behind(const struct page *p, size_t i)
{
	while (kb_token_is(&p->t, i, KB_TOKEN_WORD) && at(p, i)->gap <= KB_GAP_BLANK
	       && kb_named_word(KB_WORDS_NUMBER, at(p, i)->text))
		i++;
	if (at(p, i)->gap == KB_GAP_LIST || at(p, i)->gap == KB_GAP_FAR)
		return 0;
	return at(p, i)->kind == KB_TOKEN_NUMBER
	                       || (at(p, i)->kind == KB_TOKEN_WORD && at(p, i)->capitals
	                           && kb_numeral_roman(at(p, i)->raw))
	                       || (at(p, i)->kind == KB_TOKEN_WORD
	                           && kb_numeral_word(p->lang, at(p, i)->text))
	               ? i
	               : 0;
}

/* Where the list of numbers goes on behind the one at i ("12, 14 and 16"); 0: nowhere. */
static size_t next_of_list(const struct page *p, size_t i, bool *range)
{
	const struct kb_token *next = at(p, i + 1);

	*range = next->gap == KB_GAP_JOINT
	         || (next->gap == KB_GAP_SIGN && next->mark >= 0x2010 && next->mark <= 0x2014);
	if (next->kind == KB_TOKEN_NUMBER && (*range || next->gap == KB_GAP_LIST))
		return i + 1;
	if (next->gap > KB_GAP_LIST || next->kind == KB_TOKEN_NUMBER
	    || at(p, i + 2)->kind != KB_TOKEN_NUMBER || at(p, i + 2)->gap > KB_GAP_BLANK)
		return 0;
	*range = kb_named_word(KB_WORDS_RANGE, next->text);
	return *range || kb_named_word(KB_WORDS_AND, next->text) ? i + 2 : 0;
}

/* Numbers from place i on, which stand beside the thing's noun. */
static void read_list(const struct page *p, const struct kb_named_thing *thing, size_t i,
                      bool *held, bool *other)
{
	bool range = false;

	for (size_t next; i; i = next) {
		bool same = is_number(p, at(p, i), thing->parts[0]);

		*held |= same;
		*other |= !same;
		next = next_of_list(p, i, &range);
		*held |= next && range && is_within(at(p, i), at(p, next), thing->parts[0]);
	}
}

static bool is_label(const struct page *p, const struct kb_named_thing *thing, size_t i)
{
	const struct kb_token *token = at(p, i);

	if (token->kind == KB_TOKEN_CHARACTER) {
		size_t n = token->text.n;

		return kb_sv_eq(token->text, thing->label)
		       || (i && thing->label.n > n && at(p, i - 1)->text.n + n == thing->label.n
		           && kb_sv_starts(thing->label, at(p, i - 1)->text)
		           && kb_sv_ends(thing->label, token->text));
	}
	return token->kind == KB_TOKEN_WORD
	       && kb_sv_eq(kb_stem(p->analyzer, p->lang, token->text), thing->label);
}

/* Of a numbered thing: beside its noun, or loose where the noun has no number. */
static void find_number(const struct page *p, const struct kb_named_thing *thing, bool *held,
                        bool *loose, bool *other)
{
	for (size_t i = 0; i < p->t.count; i++) {
		size_t number = 0;

		if (is_label(p, thing, i)) {
			if (!thing->before)
				number = number_behind(p, i + 1);
			else if (i && at(p, i)->gap <= KB_GAP_JOINT
			         && at(p, i - 1)->kind == KB_TOKEN_NUMBER)
				number = i - 1;
			/* "9th floor" */
			else if (i > 1 && at(p, i - 1)->gap == KB_GAP_NONE
			         && at(p, i - 2)->kind == KB_TOKEN_NUMBER)
				number = i - 2;
		}
		if (number)
			read_list(p, thing, number, held, other);
		*loose |= is_number(p, at(p, i), thing->parts[0]);
	}
}

/* ---- codes ---- */

static bool is_part(const struct kb_token *token, struct kb_sv part, bool number)
{
	if (number)
		return token->kind == KB_TOKEN_NUMBER
		       && (kb_sv_eq(token->text, part)
		           || (kb_sv_starts(token->text, part) && token->text.p[part.n] == '.'
		               && kb_sv_find_byte(part, '.') > 0));
	return token->kind == KB_TOKEN_WORD && kb_sv_eq(token->text, part);
}

static bool is_digits(struct kb_sv part)
{
	return part.n && part.p[0] >= '0' && part.p[0] <= '9';
}

/* Whether something of the same word stands before the token, so that a code cannot begin there. */
static bool is_inside(const struct page *p, size_t i)
{
	return i && at(p, i)->gap == KB_GAP_NONE && at(p, i - 1)->kind != KB_TOKEN_CHARACTER;
}

/* The whole code from place i on. */
static bool is_code(const struct page *p, const struct kb_named_thing *thing, size_t i, bool *other)
{
	size_t k;
	const struct kb_token *behind;

	*other = false;
	/* A version may follow a letter: v2.1. */
	if (is_inside(p, i) && !(thing->part_count == 1 && at(p, i - 1)->kind == KB_TOKEN_WORD))
		return false;
	for (k = 0; k < thing->part_count; k++) {
		const struct kb_token *token = at(p, i + k);

		if (k && token->gap > KB_GAP_JOINT)
			return false;
		if (!is_part(token, thing->parts[k], is_digits(thing->parts[k]))) {
			*other = k && token->kind == KB_TOKEN_NUMBER;
			return false;
		}
	}
	behind = at(p, i + k);
	if (behind->gap == KB_GAP_NONE && behind->kind != KB_TOKEN_CHARACTER
	    && !(behind->kind == KB_TOKEN_WORD && kb_sv_eq(behind->text, KB_SV("s"))))
		return false;
	return true;
}

static void find_code(const struct page *p, const struct kb_named_thing *thing, bool *held,
                      bool *other)
{
	for (size_t i = 0; i < p->t.count; i++) {
		bool sibling;

		*held |= is_code(p, thing, i, &sibling);
		*other |= sibling;
	}
}

/* ---- years ---- */

/* The last year of the range that begins with the year at i: 1990-1994, 2019/20, 1990s, "2015 to
 * 2020"; itself where it begins none. */
static int range_end(const struct page *p, size_t i)
{
	const struct kb_token *year = at(p, i), *next = at(p, i + 1);
	int from = kb_token_value(year), last;
	size_t end = 0;
	bool range = false;

	if (next->gap == KB_GAP_NONE && kb_sv_eq(next->text, KB_SV("s")))
		return from + (from % CENTURY ? DECADE : CENTURY) - 1;
	end = next_of_list(p, i, &range);
	/* "between 2015 and 2020" */
	if (end && !range && !(i && kb_sv_eq(at(p, i - 1)->text, KB_SV("between"))))
		return from;
	/* 2015年至2020年 */
	if (!end && next->kind == KB_TOKEN_CHARACTER && at(p, i + 2)->gap <= KB_GAP_BLANK
	    && kb_named_word(KB_WORDS_RANGE, at(p, i + 2)->text))
		end = i + 3;
	if (!end || at(p, end)->kind != KB_TOKEN_NUMBER)
		return from;
	last = kb_token_value(at(p, end));
	if (at(p, end)->text.n == 2)
		last += from / CENTURY * CENTURY;
	return last > from && last - from <= YEARS_MAX ? last : from;
}

static void find_year(const struct page *p, const struct kb_named_thing *thing, bool *held,
                      bool *other)
{
	for (size_t i = 0; i < p->t.count; i++) {
		int from = at(p, i)->kind == KB_TOKEN_NUMBER ? kb_token_value(at(p, i)) : 0;
		bool year = from && kb_token_is_year(at(p, i));

		if (!from)
			continue;
		if (from <= thing->last && (year ? range_end(p, i) : from) >= thing->value)
			*held = true;
		else
			*other |= year;
	}
}

/* ---- names ---- */

static bool find_name(const struct page *p, const struct kb_named_thing *thing)
{
	char name[KB_ALIKE_CHARS];
	size_t n = kb_named_bare(thing->parts[0], name, sizeof(name));

	for (size_t i = 0; n && i < p->t.count; i++)
		if (at(p, i)->kind == KB_TOKEN_WORD && kb_named_alike(name, n, at(p, i)->text))
			return true;
	return false;
}

/* ---- passages ---- */

struct kb_named_in kb_named_in(struct kb_analyzer *analyzer, struct kb_arena *arena,
                               const struct kb_named_things *named,
                               const struct kb_passage *passage)
{
	struct page p = { .analyzer = analyzer, .lang = named->lang };
	struct kb_named_in out = { 0 };

	kb_tokens_add(arena, passage->title, &p.t);
	kb_tokens_add(arena, passage->heading, &p.t);
	kb_tokens_add(arena, passage->text, &p.t);
	for (size_t i = 0; i < named->count; i++) {
		const struct kb_named_thing *thing = &named->v[i];
		bool held = false, loose = false, other = false;

		switch (thing->kind) {
		case KB_NAMED_CODE:
			find_code(&p, thing, &held, &other);
			break;
		case KB_NAMED_NUMBER:
			find_number(&p, thing, &held, &loose, &other);
			break;
		case KB_NAMED_YEAR:
			find_year(&p, thing, &held, &other);
			break;
		case KB_NAMED_NAME:
			held = find_name(&p, thing);
			break;
		}
		out.held |= (uint32_t)held << i;
		out.loose |= (uint32_t)loose << i;
		out.other |= (uint32_t)other << i;
	}
	return out;
}

static bool same_document(const struct kb_passage *a, const struct kb_passage *b)
{
	return a->page_id == b->page_id || (a->title.n && kb_sv_eq(a->title, b->title));
}

/* Written in another alphabet than Latin, so that no name is compared with its words. */
static bool is_foreign(const struct kb_passage *passage)
{
	switch (passage->lang) {
	case KB_LANG_ZH:
	case KB_LANG_JA:
	case KB_LANG_KO:
	case KB_LANG_RU:
	case KB_LANG_UK:
	case KB_LANG_SR:
	case KB_LANG_EL:
	case KB_LANG_AR:
	case KB_LANG_FA:
	case KB_LANG_HE:
	case KB_LANG_HI:
	case KB_LANG_NE:
	case KB_LANG_TA:
	case KB_LANG_TH:
	case KB_LANG_LO:
	case KB_LANG_KM:
	case KB_LANG_MY:
	case KB_LANG_HY:
	case KB_LANG_YI:
		return true;
	default:
		return false;
	}
}

/* Sums up what the candidates have; returns the things that decide which of them answer, and in
 * *lacking those that none has. */
static uint32_t weigh(const struct kb_named_things *named, const struct kb_candidate *candidates,
                      struct kb_named_in *in, size_t count, uint32_t *lacking)
{
	uint32_t held = 0, loose = 0, other = 0, certain = 0, names = 0, deciding;
	bool foreign = false;

	for (size_t i = 0; i < count; i++) {
		held |= in[i].held;
		loose |= in[i].loose;
		other |= in[i].other;
		foreign |= is_foreign(&candidates[i].passage);
	}
	for (size_t k = 0; k < named->count; k++) {
		certain |= (uint32_t)named->v[k].certain << k;
		names |= (uint32_t)(named->v[k].kind == KB_NAMED_NAME) << k;
	}
	if (foreign)
		certain &= ~names;
	/* Where the noun has numbers elsewhere, a number that stands anywhere is no number of it.
	 */
	loose &= ~other;
	for (size_t i = 0; i < count; i++)
		in[i].held |= in[i].loose & loose;
	*lacking = (certain | other) & ~(held | loose);
	deciding = (certain | other) & (held | loose) & ~names;
	return deciding;
}

enum kb_named_verdict kb_named_judge(struct kb_analyzer *analyzer, struct kb_arena *arena,
                                     const struct kb_named_things *named,
                                     const struct kb_candidate *candidates, size_t count,
                                     bool *allowed)
{
	struct kb_named_in *in = KB_NEW_ARRAY(arena, count, struct kb_named_in);
	uint32_t deciding, lacking;

	if (!named->count || !count)
		return KB_NAMED_NOTHING;
	for (size_t i = 0; i < count; i++)
		in[i] = kb_named_in(analyzer, arena, named, &candidates[i].passage);
	deciding = weigh(named, candidates, in, count, &lacking);
	if (lacking)
		return KB_NAMED_LACKING;
	if (!deciding)
		return KB_NAMED_NOTHING;
	for (size_t i = 0; i < count; i++) {
		uint32_t has = in[i].held;

		for (size_t k = 0; k < count; k++)
			if (same_document(&candidates[i].passage, &candidates[k].passage))
				has |= in[k].held & ~in[i].other;
		allowed[i] = has & deciding;
	}
	return KB_NAMED_HELD;
}

void kb_named_terms(struct kb_arena *arena, const struct kb_named_things *named, struct kb_sv **out,
                    size_t *count)
{
	*out = KB_NEW_ARRAY(arena, 2 * KB_NAMED_THINGS, struct kb_sv);
	*count = 0;
	for (size_t i = 0; i < named->count; i++) {
		const struct kb_named_thing *thing = &named->v[i];
		struct kb_sv whole = KB_SV("");

		if (thing->kind == KB_NAMED_NAME)
			continue;
		for (size_t k = 0; k < thing->part_count; k++)
			whole = kb_arena_printf(arena, "%.*s%s%.*s", KB_SV_ARG(whole),
			                        k && is_digits(thing->parts[k])
			                                        && is_digits(thing->parts[k - 1])
			                                ? "."
			                                : "",
			                        KB_SV_ARG(thing->parts[k]));
		if (thing->kind == KB_NAMED_CODE)
			(*out)[(*count)++] = kb_arena_printf(arena, "=%.*s", KB_SV_ARG(whole));
		(*out)[(*count)++] = whole;
	}
}
