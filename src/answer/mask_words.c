#include "answer/mask_words.h"

#include <ctype.h>
#include <string.h>

enum {
	LOCAL_MAX = 64,
	LABEL_MAX = 63,
	LABELS_MAX = 8,
	FILLERS_MAX = 4, /* words between the word and its number */
	NUMBER_MAX = 18, /* digits */
};

static unsigned char at(struct kb_sv text, size_t i)
{
	return i < text.n ? (unsigned char)text.p[i] : 0;
}

static bool is_word(unsigned char c)
{
	return c >= 0x80 || isalnum(c);
}

static size_t blanks(struct kb_sv text, size_t i)
{
	size_t n = 0;

	while (n < 2 && at(text, i + n) == ' ')
		n++;
	return n;
}

/* The word at i, letters alone; the longest that any table here has is shorter than what is looked
 * at. */
static struct kb_sv word_at(struct kb_sv text, size_t i)
{
	enum { LONGEST = 24 };
	size_t n = 0;

	while (n < LONGEST && is_word(at(text, i + n)))
		n++;
	return kb_sv_sub(text, i, n);
}

static bool is_one_of(struct kb_sv word, const char *const *list)
{
	for (; *list; list++)
		if (kb_sv_ieq_str(word, *list))
			return true;
	return false;
}

/* ---- addresses ---- */

enum spelling { NOT, PLAIN, BRACKETED, BARE };

/* "@", "(at)", " [ at ] ", " at ": how it is written, and *end behind it. */
static enum spelling read_sign(struct kb_sv text, size_t i, char plain, const char *const *words,
                               size_t *end)
{
	static const char open[] = "([{<", close[] = ")]}>";
	size_t before = blanks(text, i), start = i + before;
	const char *bracket = at(text, start) ? strchr(open, at(text, start)) : NULL;
	struct kb_sv word;

	if (at(text, i) == (unsigned char)plain) {
		*end = i + 1;
		return PLAIN;
	}
	if (bracket) {
		start++;
		start += blanks(text, start);
		word = word_at(text, start);
		if (at(text, start) == (unsigned char)plain)
			word = kb_sv_sub(text, start, 1);
		else if (!is_one_of(word, words))
			return NOT;
		start += word.n;
		start += blanks(text, start);
		if (at(text, start) != (unsigned char)close[bracket - open])
			return NOT;
		*end = start + 1 + blanks(text, start + 1);
		return BRACKETED;
	}
	word = word_at(text, start);
	*end = start + word.n + blanks(text, start + word.n);
	return before && is_one_of(word, words) && *end > start + word.n ? BARE : NOT;
}

static enum spelling at_sign(struct kb_sv text, size_t i, size_t *end)
{
	static const char *const words[] = { "at", "\xc3\xa4t", "arroba", "chez", NULL };

	return read_sign(text, i, '@', words, end);
}

static enum spelling dot_sign(struct kb_sv text, size_t i, size_t *end)
{
	static const char *const words[] = { "dot", "punkt", "point", "punto", NULL };

	return read_sign(text, i, '.', words, end);
}

/* Words that follow a "dot" in a sentence are seldom these. */
static bool is_top_domain(struct kb_sv word)
{
	static const char *const known[] = { "com", "org",  "net",     "edu", "gov", "info", "biz",
		                             "eu",  "de",   "at",      "ch",  "uk",  "ie",   "fr",
		                             "be",  "nl",   "lu",      "es",  "pt",  "it",   "dk",
		                             "se",  "no",   "fi",      "pl",  "cz",  "us",   "ca",
		                             "au",  "nz",   "in",      "jp",  "br",  "mx",   "io",
		                             "ai",  "co",   "me",      "app", "dev", "xyz",  "mil",
		                             "int", "test", "example", NULL };

	return is_one_of(word, known);
}

static size_t label_at(struct kb_sv text, size_t i)
{
	size_t n = 0;

	while (n < LABEL_MAX && (is_word(at(text, i + n)) || at(text, i + n) == '-'))
		n++;
	return n;
}

/* example.com, "example dot co dot uk": its end, or 0. After a free standing "at" one dot must be
 * spelt out too; where a dot stands free, the last part must be one that ends such names. */
static size_t domain_end(struct kb_sv text, size_t i, enum spelling sign)
{
	bool loose = sign == BARE, spelt = sign == BRACKETED;
	size_t end = 0, next;

	for (size_t labels = 1; labels <= LABELS_MAX; labels++, i = next) {
		struct kb_sv label = kb_sv_sub(text, i, label_at(text, i));
		enum spelling dot;

		if (label.n == 0)
			break;
		i += label.n;
		if (labels > 1 && label.n >= 2 && spelt && (!loose || is_top_domain(label)))
			end = i;
		dot = dot_sign(text, i, &next);
		if (dot == NOT)
			break;
		loose |= dot == BARE;
		spelt |= dot != PLAIN;
	}
	return end;
}

size_t kb_mask_spelled(struct kb_sv text, size_t start)
{
	size_t i = start, next, end;
	enum spelling how;

	for (;;) {
		size_t part = i;

		while (i - start < LOCAL_MAX
		       && (is_word(at(text, i)) || (at(text, i) && strchr("_.+-", at(text, i)))))
			i++;
		if (i == part)
			return 0;
		how = at_sign(text, i, &next);
		if (how != NOT)
			break;
		if (dot_sign(text, i, &next) == NOT || next - start >= LOCAL_MAX)
			return 0;
		i = next;
	}
	end = domain_end(text, next, how);
	return end ? end - start : 0;
}

/* ---- accounts ---- */

// clang-format off
/* What such a number is called, and how many digits one has. */
static const struct {
	const char *word, *second; /* second: the word that has to follow */
	size_t least, most;
} names[] = {
	{ "account", NULL, 6, NUMBER_MAX },        { "acct", NULL, 6, NUMBER_MAX },
	{ "iban", NULL, 8, NUMBER_MAX },           { "konto", NULL, 6, NUMBER_MAX },
	{ "kontonummer", NULL, 6, NUMBER_MAX },    { "kontonr", NULL, 6, NUMBER_MAX },
	{ "kto", NULL, 6, NUMBER_MAX },            { "bankverbindung", NULL, 6, NUMBER_MAX },
	{ "compte", NULL, 6, NUMBER_MAX },         { "cuenta", NULL, 6, NUMBER_MAX },
	{ "conta", NULL, 6, NUMBER_MAX },          { "conto", NULL, 6, NUMBER_MAX },
	{ "rekening", NULL, 6, NUMBER_MAX },       { "rekeningnummer", NULL, 6, NUMBER_MAX },
	{ "blz", NULL, 8, 8 },                     { "bankleitzahl", NULL, 8, 8 },
	{ "sort", "code", 6, 6 },                  { "sortcode", NULL, 6, 6 },
	{ "routing", NULL, 9, 9 },                 { "aba", NULL, 9, 9 },
};
// clang-format on

// clang-format off
/* Between the word and its number, in either order. */
static const char *const fillers[] = {
	"number", "no", "nr", "num", "nummer", "numero", "num\xc3\xa9ro", "n\xc3\xbamero", "code", "is", "ist", "est", "es", "my", "the",
	"mein", "meine", "die", "das", "bank", "lautet", "bancaire", "bancaria", "transit", NULL
};
// clang-format on

/* Behind the word at i when it names such a number; *name is its row. */
static size_t name_end(struct kb_sv text, size_t i, size_t *name)
{
	struct kb_sv word = word_at(text, i), second = { 0 };
	size_t gap = i + word.n + 1;

	for (size_t k = 0; k < KB_COUNTOF(names); k++) {
		if (!kb_sv_ieq_str(word, names[k].word))
			continue;
		if (names[k].second) {
			second = word_at(text, gap);
			if (!strchr(" -", at(text, gap - 1))
			    || !kb_sv_ieq_str(second, names[k].second))
				continue;
		}
		*name = k;
		return second.n ? gap + second.n : i + word.n;
	}
	return 0;
}

/* Over signs and words that may stand between; what comes then is at the result. */
static size_t skip_fillers(struct kb_sv text, size_t i)
{
	for (int words = 0;;) {
		struct kb_sv word;

		for (int n = 0; n < 4 && at(text, i) && strchr(" :=#.(\"'", at(text, i)); n++)
			i++;
		word = word_at(text, i);
		if (words++ == FILLERS_MAX || !is_one_of(word, fillers))
			return i;
		i += word.n;
	}
}

/* The number at i: digits in groups with blanks, dashes or points between. *digits counts them; 0
 * for a date and for what goes on as a word. */
static size_t number_at(struct kb_sv text, size_t i, size_t *digits)
{
	size_t start = i, end = i, groups = 0, shape[3] = { 0 };

	*digits = 0;
	for (;;) {
		size_t n = 0;

		while (n <= NUMBER_MAX && isdigit(at(text, i + n)))
			n++;
		if (n == 0 || is_word(at(text, i + n)) || *digits + n > NUMBER_MAX)
			break;
		/* After a blank another number may begin: groups are short. */
		if (groups && at(text, i - 1) == ' ' && (n > 4 || *digits >= 5 + 4 * (groups - 1)))
			break;
		if (groups < KB_COUNTOF(shape))
			shape[groups] = n;
		groups++;
		*digits += n;
		end = i += n;
		if (!at(text, i) || !strchr(" -./", at(text, i)))
			break;
		i++;
	}
	if (groups == 3 && at(text, start + shape[0]) != ' '
	    && ((shape[0] == 4 && shape[1] == 2 && shape[2] == 2)
	        || (shape[0] <= 2 && shape[1] <= 2 && shape[2] == 4)))
		return 0;
	return end - start;
}

static bool fits(size_t name, size_t digits)
{
	return digits >= names[name].least && digits <= names[name].most;
}

size_t kb_mask_account(struct kb_sv text, size_t start, size_t *number)
{
	size_t name, digits, n, end;

	if (isdigit(at(text, start))) {
		*number = start;
		n = number_at(text, start, &digits);
		return n && name_end(text, skip_fillers(text, start + n), &name)
		                       && fits(name, digits)
		               ? n
		               : 0;
	}
	end = name_end(text, start, &name);
	if (!end)
		return 0;
	*number = skip_fillers(text, end);
	n = *number > end ? number_at(text, *number, &digits) : 0;
	return n && fits(name, digits) ? n : 0;
}
