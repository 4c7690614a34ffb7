/*
 * The splitter: lines first, because a row of a table or of code is whole, then the stops within a
 * line or a wrapped paragraph.
 */
#include "index/sentence.h"

#include <string.h>

#include "base/utf8.h"
#include "index/stopwords.h"
#include "index/unicode.h"

enum {
	SEA_CHARS = 110,   /* Thai and its like: a blank after so many characters ends a sentence */
	LONGEST = 1200,    /* bytes; a longer one is cut at a blank, if it has one */
	WRAPPED_LINE = 40, /* bytes; a shorter line that does not end in a stop stands by itself */
	WORD_MAX = 24,     /* bytes of the word before a stop that are looked at */
};

/* Words that a stop may follow within a sentence, lower case, without their last stop. */
static const char abbreviations[] =
        " mr mrs ms messrs dr prof sr jr st ste mt ft vs e.g i.e eg ie inc ltd corp co bros dept "
        "est"
        " gen col capt cpt lt sgt maj adm cmdr gov sen rep rev hon pres supt insp vol vols fig figs"
        " eq eqs ref refs ed eds al approx ca cf ch pp ser sec viz resp incl tel ext univ assn div"
        " ave blvd rd hwy ph.d m.d b.a m.a b.c a.d u.s u.k u.n d.c a.m p.m bzw z.b d.h u.a s.o"
        " evtl ggf vgl hrsg geb gest bsp str inkl ehem jh mio mrd sog ing mag p.ej ud uds sra srta"
        " av avda núm pág dña mme mlle m.me env av.j.c т.е т.д т.п т.к т.н н.э г гг в вв им ул руб"
        " коп млн млрд тыс стр см др проф акад гор обл р д напр al.t dl d-na nr str bl mh örn yy"
        " dr.h π.χ μ.χ κ.λπ αρ dhr mw bijv ong evt blz tzv např tj atd tzn ok kl bl.a t.ex s.k "
        "d.v.s"
        " osv sig dott sigg pag tel.n ";

/* Those that are abbreviations only before a number. */
static const char before_numbers[] = " no nos nr art p v n jan feb mar apr jun jul aug sep sept oct"
                                     " nov dec ";

/* Abbreviations that a name follows, whatever it looks like. */
static const char titles[] = " mr mrs ms dr st prof gen col rev sen gov ";

/* After "3." these go on with the date (German and its neighbours write the day so). */
static const char months[] = " januar jänner februar märz april mai juni juli august september"
                             " oktober november dezember jahrhundert jahrhunderts jh ";

static uint32_t char_at(struct kb_sv text, size_t i, size_t *size)
{
	uint32_t cp = 0;

	*size = 0;
	if (i >= text.n)
		return 0;
	*size = kb_utf8_decode(kb_sv_from(text, i), &cp);
	return cp == KB_UTF8_BAD ? 0xfffd : cp;
}

static bool is_blank(uint32_t cp)
{
	return cp == ' ' || cp == '\t' || cp == '\n' || cp == '\r' || cp == 0xa0 || cp == 0x3000
	       || cp == 0x200b || (cp >= 0x2000 && cp <= 0x200a);
}

static bool is_closer(uint32_t cp)
{
	static const uint32_t closers[] = {
		'"',    '\'',   ')',    ']',    0x2019, 0x201d, 0xbb,
		0x300d, 0x300f, 0x3011, 0x300b, 0x3009, 0xff09, 0xff3d
	};

	for (size_t i = 0; i < KB_COUNTOF(closers); i++)
		if (cp == closers[i])
			return true;
	return false;
}

/* A stop that needs a blank after it, and one that does not. */
static bool is_stop(uint32_t cp)
{
	return cp == '.' || cp == '!' || cp == '?' || cp == 0x2026 || cp == 0x203c || cp == 0x2047;
}

static bool is_full_stop(uint32_t cp)
{
	static const uint32_t stops[] = { 0x3002, 0xff01, 0xff1f, 0xff61, 0x0964, 0x0965, 0x061f,
		                          0x06d4, 0x17d4, 0x17d5, 0x104b, 0x0589, 0x055e };

	for (size_t i = 0; i < KB_COUNTOF(stops); i++)
		if (cp == stops[i])
			return true;
	return false;
}

bool kb_ends_in_stop(struct kb_sv text)
{
	size_t at = text.n, size;
	uint32_t cp = 0;

	do {
		while (at > 0 && ((unsigned char)text.p[--at] & 0xc0) == 0x80)
			;
		cp = char_at(text, at, &size);
	} while (at > 0 && (is_closer(cp) || is_blank(cp)));
	return is_stop(cp) || is_full_stop(cp);
}

/* The word that ends at `end`, stops within it kept, folded into out. */
static struct kb_sv word_before(struct kb_sv text, size_t start, size_t end, char out[WORD_MAX])
{
	size_t from = end;

	while (from > start && !is_blank((unsigned char)text.p[from - 1])
	       && !strchr("([{\"'/-", text.p[from - 1]))
		from--;
	if (end - from > WORD_MAX)
		return kb_sv(out, 0);
	return kb_sv(out, kb_fold(kb_sv_sub(text, from, end - from), false, out, WORD_MAX));
}

static struct kb_sv word_after(struct kb_sv text, size_t from, char out[WORD_MAX])
{
	size_t end = from, size;

	while (end < text.n && end - from < WORD_MAX) {
		uint32_t cp = char_at(text, end, &size);

		if (kb_char_kind(cp) == KB_CHAR_BREAK)
			break;
		end += size;
	}
	return kb_sv(out, kb_fold(kb_sv_sub(text, from, end - from), false, out, WORD_MAX));
}

static bool all_digits(struct kb_sv word)
{
	for (size_t i = 0; i < word.n; i++)
		if (word.p[i] < '0' || word.p[i] > '9')
			return false;
	return word.n > 0;
}

/* Whether the full stop at `dot` ends the sentence from `start`, when the next word begins at
 * `next`. */
static bool ends_sentence(struct kb_sv text, size_t start, size_t dot, size_t next)
{
	char before[WORD_MAX], after[WORD_MAX];
	struct kb_sv last = word_before(text, start, dot, before), follows;
	size_t size, letters = kb_utf8_count(last);
	uint32_t cp = char_at(text, next, &size);
	bool digit = cp >= '0' && cp <= '9', short_form;

	if (last.n == 0)
		return true;
	follows = word_after(text, next, after);
	if (all_digits(last)) {
		/* "1." at the start is a list's number. */
		if (dot - start == last.n)
			return false;
		return !(last.n <= 2 && kb_sv_in_list(kb_sv(months, sizeof(months) - 1), follows));
	}
	if (digit && kb_sv_in_list(kb_sv(before_numbers, sizeof(before_numbers) - 1), last))
		return false;
	short_form = letters == 1
	             || kb_sv_in_list(kb_sv(abbreviations, sizeof(abbreviations) - 1), last)
	             || (last.n >= 3 && letters <= 8 && kb_sv_find_byte(last, '.') == 1);
	if (!short_form)
		return true;
	/* "in the U.S. The law": a capital on a word that is not a name. */
	return follows.n > 1 && kb_char_is_capital(cp) && letters <= 4
	       && !kb_sv_in_list(kb_sv(titles, sizeof(titles) - 1), last)
	       && (kb_stopword_flags(KB_LANG_EN, follows) & KB_TERM_FUNCTION) != 0;
}

static bool is_unit_line(struct kb_sv line)
{
	struct kb_sv trimmed = kb_sv_trim(line);
	size_t bars = 0;

	if (trimmed.n == 0)
		return false;
	if (line.p[0] == '\t' || kb_sv_starts(line, KB_SV("    ")))
		return true;
	for (size_t i = 0; i < trimmed.n; i++)
		bars += trimmed.p[i] == '|' || trimmed.p[i] == '\t';
	if (bars >= 2 || kb_sv_find_byte(trimmed, '\t') >= 0)
		return true;
	return strchr("{};", trimmed.p[trimmed.n - 1]) != NULL;
}

/* "case_when() replace_when()" */
static bool begins_with_code(struct kb_sv line)
{
	size_t n = 0;

	while (n < line.n && !is_blank((unsigned char)line.p[n]))
		n++;
	line.n = n;
	return kb_sv_find_byte(line, '_') > 0 || kb_sv_find_byte(line, '(') > 0;
}

/* Whether a line goes on in the next one: broken by its width, not by its author. */
static bool is_wrapped(struct kb_sv line, struct kb_sv next)
{
	size_t size;
	uint32_t cp = char_at(next, 0, &size);

	if (line.n < WRAPPED_LINE || next.n == 0 || is_unit_line(next) || begins_with_code(next))
		return false;
	return kb_char_kind(cp) == KB_CHAR_LETTER && !kb_char_is_capital(cp)
	       && !is_stop((unsigned char)line.p[line.n - 1]);
}

struct split {
	struct kb_arena *arena;
	struct kb_sv text;
	struct kb_sentence *v;
	size_t count, capacity;
};

static void add(struct split *s, size_t start, size_t end)
{
	size_t size;

	while (start < end && is_blank(char_at(s->text, start, &size)))
		start += size;
	for (;;) {
		size_t back = end;

		if (end <= start)
			return;
		do
			back--;
		while (back > start && ((unsigned char)s->text.p[back] & 0xc0) == 0x80);
		if (!is_blank(char_at(s->text, back, &size)))
			break;
		end = back;
	}
	if (s->count == s->capacity) {
		size_t capacity = KB_MAX(s->capacity * 2, (size_t)16);
		struct kb_sentence *grown = KB_NEW_ARRAY(s->arena, capacity, struct kb_sentence);

		if (s->count > 0)
			memcpy(grown, s->v, s->count * sizeof(*grown));
		s->v = grown;
		s->capacity = capacity;
	}
	s->v[s->count++] = (struct kb_sentence){ (uint32_t)start, (uint32_t)end };
}

/* Past what belongs to the stop: more stops, closing quotes and brackets, a note's number. */
static size_t after_stop(struct kb_sv text, size_t i)
{
	for (;;) {
		size_t size;
		uint32_t cp = char_at(text, i, &size);

		if (size == 0)
			return i;
		if (cp == '[') {
			size_t k = i + 1;

			while (k < text.n && text.p[k] >= '0' && text.p[k] <= '9')
				k++;
			if (k == i + 1 || k >= text.n || text.p[k] != ']')
				return i;
			i = k + 1;
			continue;
		}
		if (!is_closer(cp) && !is_stop(cp) && !is_full_stop(cp))
			return i;
		i += size;
	}
}

static size_t skip_blanks(struct kb_sv text, size_t i)
{
	size_t size;

	while (i < text.n && is_blank(char_at(text, i, &size)))
		i += size;
	return i;
}

static bool is_sea_at(struct kb_sv text, size_t i)
{
	size_t size;

	return i < text.n && kb_char_kind(char_at(text, i, &size)) == KB_CHAR_SEA;
}

/* The sentences of text[start, end): running prose. */
static void split_prose(struct split *s, size_t start, size_t end)
{
	struct kb_sv text = kb_sv(s->text.p, end);
	size_t chars = 0;

	for (size_t i = start; i < end;) {
		size_t size, stop, next;
		uint32_t cp = (unsigned char)text.p[i];

		chars++;
		/* Most of a text: nothing that ends a sentence. */
		if (cp < 0x80 && cp != '.' && cp != '!' && cp != '?' && cp != '\n'
		    && (cp != ' ' || (chars <= SEA_CHARS && i - start <= LONGEST))) {
			i++;
			continue;
		}
		cp = char_at(text, i, &size);
		if (is_full_stop(cp)) {
			stop = after_stop(text, i + size);
			cp = char_at(text, stop, &next);
			/* Speech in quotes that its sentence goes on from. */
			if (stop > i + size && cp >= 0x3041 && cp <= 0x3096) {
				i = stop;
				continue;
			}
			add(s, start, stop);
			i = start = stop;
			chars = 0;
			continue;
		}
		if (is_stop(cp)) {
			stop = after_stop(text, i + size);
			next = skip_blanks(text, stop);
			if (next < end && next > stop) {
				size_t width;
				uint32_t first = char_at(text, next, &width);
				if (!kb_char_is_small(first)
				    && (cp != '.' || ends_sentence(text, start, i, next))) {
					add(s, start, stop);
					i = start = next;
					chars = 0;
					continue;
				}
			}
			i = KB_MAX(stop, i + size);
			continue;
		}
		if (is_blank(cp)) {
			next = skip_blanks(text, i);
			if ((chars > SEA_CHARS && is_sea_at(text, next)) || i - start > LONGEST) {
				add(s, start, i);
				i = start = next;
				chars = 0;
				continue;
			}
		}
		i += size;
	}
	add(s, start, end);
}

void kb_sentences(struct kb_arena *arena, struct kb_sv text, struct kb_sentence **out,
                  size_t *count)
{
	struct split s = { .arena = arena, .text = text };
	bool fence = false;

	for (size_t i = 0; i < text.n;) {
		size_t start = i, end;
		struct kb_sv line;

		for (;;) {
			ptrdiff_t n = kb_sv_find_byte(kb_sv_from(text, i), '\n');
			struct kb_sv next;

			end = n < 0 ? text.n : i + (size_t)n;
			line = kb_sv_sub(text, i, end - i);
			i = KB_MIN(end + 1, text.n);
			if (fence || is_unit_line(line))
				break;
			next = kb_sv_from(text, i);
			n = kb_sv_find_byte(next, '\n');
			if (n >= 0)
				next.n = (size_t)n;
			if (!is_wrapped(line, next))
				break;
		}
		if (kb_sv_starts(kb_sv_trim(line), KB_SV("```")))
			fence = !fence;
		else if (fence || is_unit_line(line))
			add(&s, start, end);
		else
			split_prose(&s, start, end);
	}
	*out = s.v;
	*count = s.count;
}

bool kb_introduces(struct kb_sv text)
{
	return kb_sv_ends(text, KB_SV(":")) || kb_sv_ends(text, KB_SV("\uff1a"));
}

bool kb_asks(struct kb_sv text)
{
	text = kb_sv_trim(text);
	return kb_sv_ends(text, KB_SV("?")) || kb_sv_ends(text, KB_SV("\uff1f"))
	       || kb_sv_ends(text, KB_SV("\u061f"));
}

/* Verbs that make a line a sentence. */
static const char verbs[] =
        " is are was were has have had can cannot must may will cost costs opens closes"
        " ist sind war waren hat haben kann können muss müssen darf wird werden kostet kosten"
        " est sont était ont peut peuvent doit doivent coûte coûtent"
        " está tiene puede debe cuesta è sono può deve costa é são tem pode ";
/* What a line begins with that asks or tells how. */
static const char askers[] = " how what why when where who which wie was warum wann wo wer welche"
                             " comment pourquoi quand où qui que quoi cómo qué cuándo dónde quién"
                             " come cosa perché quando dove chi como ";

static bool is_listed(const char *list, struct kb_sv word)
{
	struct kb_sv rest = kb_sv_str(list), one;

	while (kb_sv_split(&rest, ' ', &one))
		if (one.n && kb_sv_ieq(one, word))
			return true;
	return false;
}

bool kb_states(struct kb_sv line)
{
	struct kb_sv rest = kb_sv_trim(line), word;
	size_t words = 0, verb = 0;

	if (kb_sv_ends(rest, KB_SV("?")))
		return false;
	while (kb_sv_split(&rest, ' ', &word)) {
		if (!word.n)
			continue;
		if (words == 0 && is_listed(askers, word))
			return false;
		if (words > 0 && is_listed(verbs, word))
			verb = words;
		words++;
	}
	return verb && words > 3 && verb + 1 < words;
}
