/* From a question to what it names. */
#include "answer/named.h"

#include "answer/named_tokens.h"
#include "answer/named_words.h"
#include "answer/numerals.h"
#include "base/utf8.h"
#include "index/stopwords.h"

enum {
	CAPS_MAX = 4,     /* letters of a code's word before a blank and its number */
	LONG_NAME = 6,    /* bytes, from which a known word one slip away is what was meant */
	NAME_MIN = 3,     /* bytes */
	CODE_DIGITS = 5,  /* that numbers joined by hyphens have, to be a code */
	YEAR_SURE = 1500, /* beside a noun: below it rather a number */
	DECADE = 10,
	CENTURY = 100,
	TURNS_BACK = 3,
	TEXT_MAX = 8192, /* bytes of a turn that are read; what follows is no question */
};

struct reader {
	struct kb_analyzer *analyzer;
	struct kb_arena *arena;
	const struct kb_question *question;
	const struct kb_answer_stats *stats;
	struct kb_sv text;
	struct kb_tokens t;
	struct kb_named_things *out;
	enum kb_lang lang;
	bool own;      /* the asker speaks of himself */
	bool titled;   /* capitals say nothing: every word has one */
	bool shouting; /* or every letter is one */
	bool asks;     /* a sentence ends in a question mark */
};

static const struct kb_token none = { .kind = KB_TOKEN_CHARACTER, .gap = KB_GAP_FAR };

static const struct kb_token *at(const struct reader *r, size_t i)
{
	return i < r->t.count ? &r->t.v[i] : &none;
}

static bool is_function(const struct reader *r, const struct kb_token *token)
{
	return kb_stopword_flags(r->lang, token->text) != 0;
}

static struct kb_sv after(const struct reader *r, const struct kb_token *token)
{
	return kb_sv_from(r->text, (size_t)(token->raw.p - r->text.p) + token->raw.n);
}

/* The stretch between blanks that the token stands in is an address of the web or of mail. */
static bool in_address(const struct reader *r, const struct kb_token *token)
{
	size_t from = (size_t)(token->raw.p - r->text.p), end = from;
	struct kb_sv word;

	while (from > 0 && (unsigned char)r->text.p[from - 1] > ' ')
		from--;
	while (end < r->text.n && (unsigned char)r->text.p[end] > ' ')
		end++;
	word = kb_sv_sub(r->text, from, end - from);
	return kb_sv_find(word, KB_SV("://")) >= 0 || kb_sv_find_byte(word, '@') > 0
	       || kb_sv_istarts(word, KB_SV("www."));
}

/* Per cent, degrees or a currency, before or after the number. */
static bool has_unit_sign(const struct reader *r, const struct kb_token *number)
{
	static const char *const signs[] = { "%", "€", "$", "£", "¥", "°", "％", "￥" };
	struct kb_sv rest = kb_sv_trim(after(r, number));
	char mark[4];
	size_t n = number->mark ? kb_utf8_encode(number->mark, mark) : 0;

	for (size_t i = 0; i < KB_COUNTOF(signs); i++)
		if (kb_sv_starts(rest, kb_sv_str(signs[i]))
		    || kb_sv_eq_str(kb_sv(mark, n), signs[i]))
			return true;
	return false;
}

/* A sentence begins with the token: behind a stop, unless that belongs to an abbreviation. */
static bool begins(const struct reader *r, size_t i)
{
	const struct kb_token *token = at(r, i);

	return i == 0 || token->gap == KB_GAP_FAR
	       || (token->gap == KB_GAP_SIGN
	           && (token->mark == ':' || token->mark == '"' || token->mark == 0x201e
	               || (token->mark == '.' && at(r, i - 1)->text.n > 3)));
}

static struct kb_named_thing *add(struct reader *r, enum kb_named_kind kind, struct kb_sv first)
{
	struct kb_named_thing *thing;

	if (r->out->count == KB_NAMED_THINGS)
		return NULL;
	thing = &r->out->v[r->out->count++];
	*thing = (struct kb_named_thing){ .kind = kind, .parts = { first }, .part_count = 1 };
	thing->certain = kind != KB_NAMED_NUMBER;
	return thing;
}

static void add_year(struct reader *r, const struct kb_token *token, int last)
{
	struct kb_named_thing *thing = add(r, KB_NAMED_YEAR, token->text);

	if (!thing)
		return;
	thing->value = kb_token_value(token);
	thing->last = KB_MAX(last, thing->value);
}

/* The stem of a noun that numbers stand beside. */
static void add_numbered(struct reader *r, const struct kb_token *number,
                         const struct kb_token *noun, bool before, bool certain)
{
	struct kb_named_thing *thing = add(r, KB_NAMED_NUMBER, number->text);

	if (!thing)
		return;
	thing->label = kb_arena_sv(r->arena, kb_stem(r->analyzer, r->lang, noun->text));
	thing->before = before;
	thing->certain = certain;
}

/* ---- codes ---- */

/* Whether the word before the number begins a code with it: P200, ERR-4012, ISO 9001. */
static bool begins_code(const struct reader *r, size_t number)
{
	const struct kb_token *word = at(r, number - 1), *token = at(r, number);
	bool caps = word->capitals && !r->shouting;

	if (number == 0 || word->kind != KB_TOKEN_WORD)
		return false;
	switch (token->gap) {
	case KB_GAP_NONE:
		return true;
	case KB_GAP_JOINT:
		return caps;
	case KB_GAP_BLANK:
		return caps && word->raw.n <= CAPS_MAX && !is_function(r, word)
		       && !kb_named_word(KB_WORDS_UNIT, word->text)
		       && !kb_named_word(KB_WORDS_UNIT, at(r, number + 1)->text);
	default:
		return false;
	}
}

/* The code whose first number stands at i; returns the token behind it. */
static size_t read_code(struct reader *r, size_t i)
{
	const struct kb_token *word = at(r, i - 1);
	bool version = kb_sv_eq(word->text, KB_SV("v")) && at(r, i + 1)->gap != KB_GAP_NONE;
	struct kb_named_thing *thing = add(r, KB_NAMED_CODE, version ? at(r, i)->text : word->text);
	size_t next = version ? i + 1 : i;

	for (; next < r->t.count; next++) {
		const struct kb_token *token = at(r, next);
		bool word_part = token->kind == KB_TOKEN_WORD;

		if (next > i && token->gap != KB_GAP_NONE && token->gap != KB_GAP_JOINT)
			break;
		if (token->kind == KB_TOKEN_CHARACTER || (next > i && token->mark == '/'))
			break;
		/* "P200s", "P200-based" */
		if (word_part
		    && (token->gap == KB_GAP_NONE ? kb_sv_eq(token->text, KB_SV("s"))
		                                  : !token->capitals || r->shouting))
			break;
		if (thing && thing->part_count < KB_NAMED_PARTS)
			thing->parts[thing->part_count++] = token->text;
	}
	return next;
}

/* ---- numbers ---- */

/* Numbers joined to each other: years, a part number, or a date, a time, a score. Returns the token
 * behind them. */
static size_t read_joined(struct reader *r, size_t i)
{
	const struct kb_token *first = at(r, i);
	size_t end = i + 1, digits = first->text.n;
	struct kb_named_thing *thing;
	bool hyphens = true;

	for (; kb_token_is(&r->t, end, KB_TOKEN_NUMBER)
	       && (at(r, end)->gap == KB_GAP_JOINT
	           || (at(r, end)->gap == KB_GAP_SIGN && at(r, end)->mark == ':'));
	     end++) {
		digits += at(r, end)->text.n;
		hyphens &= at(r, end)->gap == KB_GAP_JOINT && at(r, end)->mark != '/';
	}
	/* 1973-1974: what holds the first year speaks of the time. */
	if (end == i + 2 && kb_token_is_year(first)) {
		add_year(r, first, 0);
	} else if (end == i + 2 && hyphens && digits >= CODE_DIGITS) {
		thing = add(r, KB_NAMED_CODE, first->text);
		if (thing)
			thing->parts[thing->part_count++] = at(r, i + 1)->text;
	}
	return end;
}

/* The noun before the number, or none. */
static const struct kb_token *noun_before(const struct reader *r, size_t number)
{
	size_t i = number;

	while (i > 0) {
		const struct kb_token *token = at(r, i), *word = at(r, i - 1);

		if (word->kind != KB_TOKEN_WORD
		    || (token->gap != KB_GAP_BLANK && token->gap != KB_GAP_JOINT
		        && !(token->gap == KB_GAP_SIGN
		             && (token->mark == '#' || token->mark == 0xb0 || token->mark == 0x2116
		                 || i < number))
		        && !(token->gap == KB_GAP_SIGN && token->mark == '.'
		             && kb_named_word(KB_WORDS_NUMBER, word->text))))
			return NULL;
		if (!kb_named_word(KB_WORDS_NUMBER, word->text))
			break;
		i--;
	}
	if (i == 0 || is_function(r, at(r, i - 1))
	    || kb_named_word(KB_WORDS_AMOUNT, at(r, i - 1)->text)
	    || kb_named_word(KB_WORDS_UNIT, at(r, i - 1)->text)
	    || kb_named_word(KB_WORDS_CALENDAR, at(r, i - 1)->text))
		return NULL;
	return at(r, i - 1);
}

/* A word behind an ordinal: "9th floor". */
static const struct kb_token *noun_after(const struct reader *r, size_t word)
{
	const struct kb_token *token = at(r, word);

	return token->kind == KB_TOKEN_WORD && token->gap != KB_GAP_FAR && !is_function(r, token)
	                       && !kb_named_word(KB_WORDS_UNIT, token->text)
	                       && !kb_named_word(KB_WORDS_CALENDAR, token->text)
	               ? token
	               : NULL;
}

/* A character that stands behind the number of a thing. */
static bool is_numbering(const struct kb_token *token)
{
	return token->kind == KB_TOKEN_CHARACTER && token->gap <= KB_GAP_BLANK
	       && kb_named_word(KB_WORDS_CHINESE, token->text);
}

/* Letters right behind the number: 9th, 1990s, 5kg, 3D, 12a. */
static void read_ending(struct reader *r, size_t i)
{
	const struct kb_token *number = at(r, i), *ending = at(r, i + 1), *noun = noun_before(r, i);
	bool unit = kb_named_word(KB_WORDS_UNIT, ending->text);
	struct kb_named_thing *thing;

	if (kb_sv_eq(ending->text, KB_SV("s")) && kb_token_is_year(number)) {
		int value = kb_token_value(number);

		add_year(r, number, value + (value % CENTURY ? DECADE : CENTURY) - 1);
	} else if (kb_named_word(KB_WORDS_ORDINAL, ending->text)) {
		noun = noun_after(r, i + 2);
		if (noun)
			add_numbered(r, number, noun, true, false);
	} else if ((ending->capitals && !r->shouting
	            && (!unit || (ending->text.n == 1 && !noun && ending->text.p[0] == 'g')))
	           || (noun && ending->text.n == 1) || is_numbering(at(r, i + 2))) {
		thing = add(r, KB_NAMED_CODE, number->text);
		if (thing)
			thing->parts[thing->part_count++] = ending->text;
	}
}

static bool is_year_sign(const struct kb_token *token)
{
	return token->kind == KB_TOKEN_CHARACTER
	       && (kb_sv_eq(token->text, KB_SV("年")) || kb_sv_eq(token->text, KB_SV("년")));
}

/* In scripts without blanks: 99号, and 房间99. */
static void read_among_characters(struct reader *r, size_t i)
{
	const struct kb_token *number = at(r, i), *next = at(r, i + 1);
	bool digits = number->raw.p[0] < '\x7f' && number->raw.p[0] >= '0';
	bool ordinal = i && kb_sv_eq(at(r, i - 1)->text, KB_SV("第"));

	/* A numeral in words is often none: 哪一级. */
	if (!digits && !ordinal && kb_numeral_chinese(number->raw, &(int){ 0 }))
		return;
	if (is_numbering(next) || (ordinal && next->kind == KB_TOKEN_CHARACTER)) {
		add_numbered(r, number, next, true, false);
	} else if (i >= 2 && number->gap <= KB_GAP_BLANK
	           && kb_token_is(&r->t, i - 1, KB_TOKEN_CHARACTER)
	           && kb_token_is(&r->t, i - 2, KB_TOKEN_CHARACTER)
	           && at(r, i - 1)->gap == KB_GAP_NONE
	           && !(next->kind == KB_TOKEN_CHARACTER
	                && kb_named_word(KB_WORDS_CHINESE_UNIT, next->text))) {
		struct kb_named_thing *thing = add(r, KB_NAMED_NUMBER, number->text);

		if (thing)
			thing->label =
			        kb_arena_printf(r->arena, "%.*s%.*s", KB_SV_ARG(at(r, i - 2)->text),
			                        KB_SV_ARG(at(r, i - 1)->text));
	}
}

static bool is_version(const struct kb_token *token)
{
	size_t dots = 0;

	for (size_t i = 0; i < token->text.n; i++)
		dots += token->text.p[i] == '.';
	return dots >= 2;
}

/* 24.12.2026 */
static bool is_date(const struct kb_token *token)
{
	struct kb_sv rest = token->text, part;
	size_t n = 0;
	bool ok = true;

	while (kb_sv_split(&rest, '.', &part)) {
		n++;
		ok = ok && (n < 3 ? part.n <= 2 : part.n == 2 || part.n == 4);
	}
	return ok && n == 3 && token->raw.n >= 8;
}

/* A number that stands by itself. */
static void read_alone(struct reader *r, size_t i)
{
	const struct kb_token *number = at(r, i), *next = at(r, i + 1);
	const struct kb_token *noun = noun_before(r, i);
	bool unit = next->kind == KB_TOKEN_WORD && next->gap == KB_GAP_BLANK
	            && kb_named_word(KB_WORDS_UNIT, next->text)
	            && !(r->lang == KB_LANG_DE && kb_sv_eq(next->text, KB_SV("am")));

	if (is_year_sign(next)) {
		if (kb_token_is_year(number))
			add_year(r, number, 0);
		return;
	}
	if (is_version(number) && !is_date(number)) {
		add(r, KB_NAMED_CODE, number->text);
		return;
	}
	/* "our town has 2000 inhabitants" */
	if (unit || is_date(number)
	    || (r->own && next->kind == KB_TOKEN_WORD && next->gap == KB_GAP_BLANK && !next->capital
	        && !is_function(r, next) && i && !kb_named_word(KB_WORDS_TIME, at(r, i - 1)->text)
	        && !noun))
		return;
	if (kb_token_is_year(number) && (!noun || kb_token_value(number) >= YEAR_SURE))
		add_year(r, number, 0);
	else if (noun)
		add_numbered(r, number, noun, false,
		             noun->capital && r->lang != KB_LANG_DE && !r->titled
		                     && !begins(r, (size_t)(noun - r->t.v)));
	else if (r->lang == KB_LANG_DE && next->mark == '.' && next->capital
	         && noun_after(r, i + 1))
		add_numbered(r, number, next, true, false);
	else
		read_among_characters(r, i);
}

/* The number at i; returns the token behind what it is part of. */
static size_t read_number(struct reader *r, size_t i)
{
	const struct kb_token *number = at(r, i), *next = at(r, i + 1);

	if (in_address(r, number) || has_unit_sign(r, number))
		return i + 1;
	if (begins_code(r, i))
		return read_code(r, i);
	/* "1. What ...": the number of the question itself. */
	if (number->gap == KB_GAP_FAR && next->gap == KB_GAP_SIGN
	    && (next->mark == '.' || next->mark == ')') && r->lang != KB_LANG_DE)
		return i + 1;
	if (next->kind == KB_TOKEN_NUMBER
	    && (next->gap == KB_GAP_JOINT || (next->gap == KB_GAP_SIGN && next->mark == ':')))
		return read_joined(r, i);
	if (next->kind == KB_TOKEN_WORD && next->gap == KB_GAP_NONE) {
		read_ending(r, i);
		return i + 2;
	}
	/* "the 3-day ticket"; "my 5-year-old" is the asker's */
	if (next->kind == KB_TOKEN_WORD && next->gap == KB_GAP_JOINT && !kb_token_is_year(number)) {
		if (!r->own)
			add_numbered(r, number, next, true, false);
		return i + 2;
	}
	read_alone(r, i);
	return i + 1;
}

/* ---- names ---- */

/* Whether the sentence around the token ends in a question mark. */
static bool is_asked(const struct reader *r, const struct kb_token *token)
{
	struct kb_sv rest = after(r, token);

	for (size_t i = 0; i < rest.n;) {
		uint32_t cp;

		i += kb_utf8_decode(kb_sv_from(rest, i), &cp);
		if (cp == '?' || cp == 0xff1f || cp == 0x61f)
			return true;
		if (cp == '\n' || cp == 0x3002
		    || ((cp == '.' || cp == '!') && (i == rest.n || rest.p[i] == ' ')))
			return false;
	}
	return false;
}

/* Whether a passage of the agent has the word, in a form of one of the languages. */
static bool is_known(const struct reader *r, struct kb_sv word)
{
	static const enum kb_lang langs[] = { KB_LANG_NONE, KB_LANG_EN, KB_LANG_DE,
		                              KB_LANG_FR,   KB_LANG_ES, KB_LANG_IT,
		                              KB_LANG_PT,   KB_LANG_NL, KB_LANG_RU };

	for (int form = 0; form < 2; form++) {
		struct kb_sv stem = kb_stem(r->analyzer, r->lang, word);

		if (r->stats->df(r->stats->arg, stem) > 0)
			return true;
		for (size_t i = 0; i < KB_COUNTOF(langs); i++) {
			stem = langs[i] ? kb_stem(r->analyzer, langs[i], word) : word;
			if (r->stats->df(r->stats->arg, stem) > 0)
				return true;
		}
		if (!kb_sv_ends(word, KB_SV("s"))) /* "Bernds" */
			break;
		word.n--;
	}
	return false;
}

static bool is_slip(const struct reader *r, struct kb_sv word)
{
	for (size_t i = 0; i < r->question->meant_count; i++)
		if (kb_sv_eq(r->question->meant[i].asked, word))
			return word.n >= LONG_NAME;
	return false;
}

static bool is_capital_word(const struct reader *r, size_t i)
{
	const struct kb_token *token = at(r, i);

	return token->kind == KB_TOKEN_WORD && token->capital && !is_function(r, token);
}

/* Whether the capital letter makes it a name, in this language. */
static bool is_marked(const struct reader *r, size_t i)
{
	if (at(r, i)->capitals || r->titled)
		return false;
	if (r->lang != KB_LANG_DE)
		return true;
	if (i > 0 && kb_named_word(KB_WORDS_TITLE, at(r, i - 1)->text))
		return true;
	return (at(r, i)->gap == KB_GAP_BLANK && is_capital_word(r, i - 1) && !begins(r, i - 1))
	       || (at(r, i + 1)->gap == KB_GAP_BLANK && is_capital_word(r, i + 1));
}

static void read_name(struct reader *r, size_t i)
{
	const struct kb_token *word = at(r, i), *next = at(r, i + 1);

	if (!word->capital || word->text.n < NAME_MIN || begins(r, i) || is_function(r, word)
	    || !is_marked(r, i)
	    || (next->kind == KB_TOKEN_NUMBER && next->gap <= KB_GAP_JOINT && begins_code(r, i + 1))
	    || kb_named_word(KB_WORDS_CALENDAR, word->text)
	    || kb_named_word(KB_WORDS_PEOPLE, word->text)
	    || kb_named_word(KB_WORDS_TITLE, word->text) || in_address(r, word)
	    || (r->asks && !is_asked(r, word)))
		return;
	/* Where the asker lives or goes: "to France" of "how long does it take". */
	if (i > 0
	    && ((r->own && kb_named_word(KB_WORDS_PLACE, at(r, i - 1)->text))
	        || (r->question->type == KB_Q_NUM
	            && kb_named_word(KB_WORDS_WAY, at(r, i - 1)->text))))
		return;
	if (!is_known(r, word->text) && !is_slip(r, word->text))
		add(r, KB_NAMED_NAME, word->text);
}

/* ---- all of it ---- */

/* What capitals mean in this text, and who speaks. */
static void look_over(struct reader *r)
{
	size_t small = 0, capitals = 0;

	r->titled = false;
	r->own = r->asks = false;
	for (size_t i = 0; i < r->t.count; i++) {
		const struct kb_token *token = at(r, i);

		if (token->kind != KB_TOKEN_WORD)
			continue;
		small += !token->capital;
		capitals += token->capitals && token->text.n > 1;
		r->own |= kb_named_word(KB_WORDS_OWN, token->text);
		/* "How Do I Reset The Router" */
		r->titled |= !begins(r, i) && token->capital && token->text.n > 1
		             && !token->capitals && is_function(r, token) && r->lang != KB_LANG_DE;
	}
	r->shouting = small == 0 && capitals > 1;
	r->titled |= r->shouting;
	for (size_t i = 0; i < r->text.n; i++) {
		struct kb_sv rest = kb_sv_from(r->text, i);

		r->asks |= rest.p[0] == '?' || kb_sv_starts(rest, KB_SV("？"))
		           || kb_sv_starts(rest, KB_SV("؟"));
	}
}

static void read_text(struct reader *r, struct kb_sv text)
{
	r->text = text = kb_utf8_cut(text, TEXT_MAX);
	r->t = (struct kb_tokens){ 0 };
	kb_tokens_add(r->arena, text, &r->t);
	look_over(r);
	for (size_t i = 0; i < r->t.count;) {
		if (at(r, i)->kind == KB_TOKEN_NUMBER) {
			i = read_number(r, i);
			continue;
		}
		if (at(r, i)->kind == KB_TOKEN_WORD)
			read_name(r, i);
		i++;
	}
}

static unsigned kinds_of(const struct kb_named_things *named)
{
	unsigned kinds = 0;

	for (size_t i = 0; i < named->count; i++)
		kinds |= named->v[i].kind;
	return kinds;
}

void kb_named_read(struct kb_analyzer *analyzer, struct kb_arena *arena,
                   const struct kb_question *question, const struct kb_utterance *said,
                   const struct kb_answer_stats *stats, struct kb_named_things *out)
{
	struct reader r = { .analyzer = analyzer,
		            .arena = arena,
		            .question = question,
		            .stats = stats,
		            .out = out,
		            .lang = question->lang };
	unsigned own;

	*out = (struct kb_named_things){ .lang = question->lang };
	read_text(&r, said->text);
	own = kinds_of(out);
	for (size_t back = 1;
	     question->follow_up && back <= KB_MIN(said->turn_count, (size_t)TURNS_BACK); back++) {
		struct kb_named_things turn = { .lang = question->lang };

		r.out = &turn;
		read_text(&r, said->turns[said->turn_count - back]);
		for (size_t i = 0; i < turn.count && out->count < KB_NAMED_THINGS; i++)
			if (!(turn.v[i].kind & own))
				out->v[out->count++] = turn.v[i];
		if (turn.count)
			break;
	}
}
