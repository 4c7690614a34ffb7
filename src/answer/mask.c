/*
 * One pass from left to right. At the start of each word the readers below are tried in order; each
 * looks a bounded way ahead and says how many bytes it takes, 0 for none.
 */
#include "answer/mask.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <string.h>

#include "answer/mask_words.h"
#include "base/buf.h"
#include "base/utf8.h"

enum {
	LOCAL_MAX = 64,   /* RFC 5321 4.5.3.1.1 */
	DOMAIN_MAX = 255, /* RFC 5321 4.5.3.1.2 */
	GROUPS_MAX = 12,  /* groups of digits in one run */
	RUN_DIGITS = 24,  /* a longer run is no number of ours */
	CARD_MIN = 13,    /* ISO/IEC 7812 */
	CARD_MAX = 19,
	PHONE_MIN = 7, /* after a plus; ITU-T E.164 */
	PHONE_MAX = 15,
	NATIONAL_MIN = 9, /* with a leading zero: a date has 8 */
};

static unsigned char at(struct kb_sv text, size_t i)
{
	return i < text.n ? (unsigned char)text.p[i] : 0;
}

static bool is_word(unsigned char c)
{
	return c >= 0x80 || isalnum(c) || c == '_';
}

/* ---- e-mail ---- */

static bool is_local(unsigned char c)
{
	return is_word(c) || c == '.' || c == '+' || c == '-' || c == '%' || c == '\'';
}

static size_t email(struct kb_sv text, size_t start)
{
	size_t i = start, domain, last_dot = 0;

	while (i - start < LOCAL_MAX && is_local(at(text, i)))
		i++;
	if (i == start || at(text, i) != '@')
		return 0;
	domain = ++i;
	for (; i - domain < DOMAIN_MAX; i++) {
		unsigned char c = at(text, i);

		if (c == '.')
			last_dot = i;
		else if (!(is_word(c) && c != '_') && c != '-')
			break;
	}
	/* A full stop after the address is the sentence's. */
	while (i > domain && (at(text, i - 1) == '.' || at(text, i - 1) == '-'))
		i--;
	if (last_dot >= i)
		for (last_dot = i - 1; last_dot > domain && at(text, last_dot) != '.'; last_dot--)
			;
	return last_dot > domain && i - last_dot > 2 ? i - start : 0;
}

/* ---- IP addresses ---- */

static size_t ip4(struct kb_sv text, size_t start)
{
	size_t i = start;

	for (int part = 0; part < 4; part++) {
		size_t first = i;
		int n = 0;

		for (; i - first < 3 && isdigit(at(text, i)); i++)
			n = n * 10 + (at(text, i) - '0');
		if (i == first || n > 255)
			return 0;
		if (part < 3 && at(text, i++) != '.')
			return 0;
	}
	if (is_word(at(text, i)) || (at(text, i) == '.' && isdigit(at(text, i + 1))))
		return 0;
	return i - start;
}

static size_t ip6(struct kb_sv text, size_t start)
{
	char copy[INET6_ADDRSTRLEN] = { 0 };
	unsigned char address[16];
	size_t i = start, colons = 0, digits = 0;

	for (; i - start < sizeof(copy) - 1; i++) {
		unsigned char c = at(text, i);

		if (!isxdigit(c) && c != ':' && c != '.')
			break;
		colons += c == ':';
		digits += isdigit(c) != 0;
		copy[i - start] = (char)c;
	}
	while (i > start
	       && (copy[i - start - 1] == '.'
	           || (copy[i - start - 1] == ':' && colons > 2 && at(text, i - 2) != ':'))) {
		colons -= copy[i - start - 1] == ':';
		i--;
	}
	/* A scope operator of a programming language has no digit. */
	if (colons < 2 || digits == 0 || is_word(at(text, i)))
		return 0;
	copy[i - start] = '\0';
	return inet_pton(AF_INET6, copy, address) == 1 ? i - start : 0;
}

/* ---- bank accounts ---- */

/* Lengths by country: the IBAN registry (SWIFT, release 99). */
static const char iban_lengths[] =
        "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BI27BR29BY28CH21CR22CY28CZ24DE22DJ27DK18DO28EE20EG29"
        "ES24FI18FK18FO18FR27GB22GE22GI23GL18GR27GT28HN28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20"
        "LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19MN20MR27MT31MU30NI28NL18NO15OM23PK24PL28PS29"
        "PT25QA29RO24RS22RU33SA24SC31SD18SE24SI19SK24SM27SO23ST25SV28TL23TN24TR26UA29VA22VG24XK20"
        "YE30";

static size_t iban_length(const char country[2])
{
	for (const char *row = iban_lengths; *row; row += 4)
		if (row[0] == country[0] && row[1] == country[1])
			return (size_t)(row[2] - '0') * 10 + (size_t)(row[3] - '0');
	return 0;
}

/* ISO 7064 MOD 97-10: the first four characters stand last, a letter is its place plus 9. */
static bool iban_is_sound(const char *c, size_t n)
{
	unsigned rest = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned char digit = (unsigned char)c[(i + 4) % n];

		rest = isdigit(digit) ? rest * 10 + (digit - '0') : rest * 100 + (digit - 'A' + 10);
		rest %= 97;
	}
	return rest == 1;
}

static size_t iban(struct kb_sv text, size_t start)
{
	char c[40];
	size_t n = 0, wanted = 0, i = start;

	for (; n < sizeof(c) && (n < 2 || n < wanted); i++) {
		unsigned char next = at(text, i);

		if ((next == ' ' || next == '-') && n >= 4 && isalnum(at(text, i + 1)))
			continue;
		if (next >= 0x80 || !isalnum(next))
			return 0;
		c[n++] = (char)toupper(next);
		if (n == 2)
			wanted = iban_length(c);
		if (n == 2 && (wanted == 0 || !isdigit(at(text, i + 1))))
			return 0;
	}
	return !is_word(at(text, i)) && iban_is_sound(c, n) ? i - start : 0;
}

/* ---- numbers in groups ---- */

struct group {
	size_t start, n;
	char before; /* what stands between it and the group before */
};

/* A run of digits in groups, as numbers are written down. */
struct run {
	struct group groups[GROUPS_MAX];
	size_t count, digits;
	bool plus, parenthesis;
};

static size_t separator(struct kb_sv text, size_t i, char *what)
{
	unsigned char c = at(text, i);

	*what = (char)c;
	if (c == 0xc2 && at(text, i + 1) == 0xa0) { /* a no-break space */
		*what = ' ';
		return 2;
	}
	if ((c == ')' || c == '(') && at(text, i + 1) == ' ')
		return 2;
	if ((c == ' ' || c == '-') && at(text, i + 1) == '(')
		return 2;
	return c == ' ' || c == '-' || c == '.' || c == '/' || c == '(' || c == ')';
}

static void read_run(struct kb_sv text, size_t i, struct run *run)
{
	char before = 0;

	*run = (struct run){ .plus = at(text, i) == '+', .parenthesis = at(text, i) == '(' };
	i += run->plus || run->parenthesis;
	while (run->count < GROUPS_MAX && run->digits < RUN_DIGITS) {
		struct group *group = &run->groups[run->count];

		*group = (struct group){ .start = i, .before = before };
		while (isdigit(at(text, i)) && group->n < RUN_DIGITS) {
			group->n++;
			i++;
		}
		/* Digits that go on as a word are no number: "4th", "12GB". */
		if (group->n == 0 || is_word(at(text, i)))
			return;
		run->count++;
		run->digits += group->n;
		i += separator(text, i, &before);
	}
}

static size_t end_of(const struct run *run, size_t group)
{
	return run->groups[group].start + run->groups[group].n;
}

/* Luhn's check over the groups [first, last]. */
static bool luhn(struct kb_sv text, const struct run *run, size_t first, size_t last)
{
	unsigned sum = 0;
	bool twice = false;

	for (size_t g = last + 1; g-- > first;)
		for (size_t i = end_of(run, g); i-- > run->groups[g].start; twice = !twice) {
			unsigned digit = at(text, i) - '0';

			digit *= 1 + twice;
			sum += digit > 9 ? digit - 9 : digit;
		}
	return sum % 10 == 0;
}

/* The first groups that together are a card number. */
static size_t card(struct kb_sv text, const struct run *run)
{
	size_t digits = 0;

	for (size_t g = 0; g < run->count; g++) {
		char before = run->groups[g].before;

		if (g > 0 && before != ' ' && before != '-')
			return 0;
		digits += run->groups[g].n;
		if (digits >= CARD_MIN && digits <= CARD_MAX
		    && at(text, run->groups[0].start) != '0' && luhn(text, run, 0, g))
			return end_of(run, g) - run->groups[0].start;
	}
	return 0;
}

static bool has_shape(const struct run *run, size_t first, const size_t *lengths, size_t count)
{
	if (run->count < first + count)
		return false;
	for (size_t g = 0; g < count; g++)
		if (run->groups[first + g].n != lengths[g])
			return false;
	return true;
}

static bool is_date(const struct run *run)
{
	static const size_t iso[] = { 4, 2, 2 };

	if (run->count < 3 || run->groups[1].before != run->groups[2].before
	    || run->groups[1].before == ' ')
		return false;
	return has_shape(run, 0, iso, 3)
	       || (run->groups[0].n <= 2 && run->groups[1].n <= 2 && run->groups[2].n == 4);
}

/* The end of the phone number that the run is or begins with; 0: none. */
static size_t phone(struct kb_sv text, const struct run *run)
{
	static const size_t american[] = { 3, 3, 4 };
	unsigned char first = at(text, run->groups[0].start);
	size_t country = run->groups[0].n == 1 && first == '1', digits = 0, last = 0;

	if (has_shape(run, country, american, 3) && at(text, run->groups[country].start) >= '2'
	    && (country || run->parenthesis || run->groups[1].before == run->groups[2].before))
		return end_of(run, country + 2);
	if (!run->plus && !(first == '0' && run->groups[0].n > 1)
	    && !(first == '0' && run->parenthesis))
		return 0;
	for (size_t g = 0; g < run->count && digits + run->groups[g].n <= PHONE_MAX; g++) {
		digits += run->groups[g].n;
		last = g;
	}
	return digits >= (size_t)(run->plus ? PHONE_MIN : NATIONAL_MIN) ? end_of(run, last) : 0;
}

static size_t number(struct kb_sv text, size_t start, const char **label)
{
	static const size_t social[] = { 3, 2, 4 }; /* a United States social security number */
	struct run run;
	size_t n;

	read_run(text, start, &run);
	if (run.count == 0 || is_date(&run))
		return 0;
	if (!run.plus && !run.parenthesis && (n = card(text, &run)) > 0) {
		*label = "[card]";
		return n;
	}
	if (run.count == 3 && has_shape(&run, 0, social, 3) && run.groups[1].before == '-'
	    && run.groups[2].before == '-') {
		*label = "[id]";
		return end_of(&run, 2) - start;
	}
	n = phone(text, &run);
	*label = "[phone]";
	return n ? n - start : 0;
}

/* ---- all of it ---- */

/* A detail that was found: where it begins, at i or behind the word that tells it. */
struct detail {
	size_t start, n;
	const char *label;
};

static bool find(struct kb_sv text, size_t i, struct detail *out)
{
	unsigned char c = at(text, i);

	*out = (struct detail){ .start = i };
	if (is_word(c)
	    && ((out->n = email(text, i)) > 0 || (out->n = kb_mask_spelled(text, i)) > 0)) {
		out->label = "[email]";
		return true;
	}
	if ((isdigit(c) && (out->n = ip4(text, i)) > 0)
	    || ((isxdigit(c) || c == ':') && (out->n = ip6(text, i)) > 0)) {
		out->label = "[ip]";
		return true;
	}
	out->label = "[account]";
	if (isalpha(c) && (out->n = iban(text, i)) > 0)
		return true;
	/* What follows "AB-" or "#" is a part or an order. */
	if (i > 0 && strchr("-./#", at(text, i - 1)))
		return false;
	if (isalnum(c) && (out->n = kb_mask_account(text, i, &out->start)) > 0)
		return true;
	out->n = isdigit(c) || c == '+' || c == '(' ? number(text, i, &out->label) : 0;
	return out->n > 0;
}

/* What takes no detail is passed over as a whole: a word, a number with its points, a date. */
static size_t pass(struct kb_sv text, size_t i)
{
	size_t start = i;

	if (!is_word(at(text, i)))
		return 1;
	while (is_word(at(text, i))
	       || (isdigit(at(text, i + 1))
	           && (at(text, i) == '.' || at(text, i) == ',' || at(text, i) == '-'
	               || at(text, i) == ':' || at(text, i) == '/')
	           && isdigit(at(text, i - 1))))
		i++;
	return i - start;
}

/*
 * The text as it reads: full-width characters as plain ones, and none that nobody sees. With it
 * goes the place of each of its bytes in the original; there is one more, for the end.
 */
struct reading {
	struct kb_sv text;
	const size_t *from; /* NULL: it is the original */
};

/* The plain character that is meant, 0 for one that is not seen, or the character itself. */
static uint32_t plain(uint32_t cp)
{
	if (cp >= 0xff01 && cp <= 0xff5e)
		return cp - 0xff01 + '!';
	if (cp == 0x3002 || cp == 0xff61) /* the full stops of Chinese and Japanese names (IDNA) */
		return '.';
	if (cp == 0xfe6b)
		return '@';
	if (cp == 0x3000)
		return ' ';
	return cp == 0xad || cp == 0x2060 || cp == 0xfeff || (cp >= 0x200b && cp <= 0x200f) ? 0
	                                                                                    : cp;
}

static struct reading read_as_seen(struct kb_arena *arena, struct kb_sv text)
{
	size_t *from, n = 0;
	char *copy;

	for (n = 0; n < text.n && (unsigned char)text.p[n] < 0x80; n++)
		;
	if (n == text.n)
		return (struct reading){ .text = text };
	copy = kb_arena_bytes(arena, text.n);
	from = KB_NEW_ARRAY(arena, text.n + 1, size_t);
	n = 0;
	for (size_t i = 0, bytes; i < text.n; i += bytes) {
		char c[4];
		uint32_t cp, meant;
		size_t length;

		bytes = kb_utf8_decode(kb_sv_from(text, i), &cp);
		meant = cp == KB_UTF8_BAD ? cp : plain(cp);
		length = meant == 0 && cp ? 0 : meant == cp ? bytes : kb_utf8_encode(meant, c);
		for (size_t k = 0; k < length; k++) {
			from[n] = i;
			copy[n++] = meant == cp ? text.p[i + k] : c[k];
		}
	}
	from[n] = text.n;
	return (struct reading){ .text = kb_sv(copy, n), .from = from };
}

static size_t place(const struct reading *reading, size_t i)
{
	return reading->from ? reading->from[i] : i;
}

struct kb_sv kb_mask(struct kb_arena *arena, struct kb_sv text)
{
	struct reading reading = read_as_seen(arena, text);
	struct kb_buf buf;
	struct kb_sv out = text;
	size_t copied = 0;

	/* A mask is up to 9 bytes, what it stands for at least 3. */
	kb_buf_init(&buf, 3 * text.n + 16);
	for (size_t i = 0; i < reading.text.n;) {
		struct detail detail;
		size_t start;

		if (!find(reading.text, i, &detail)) {
			i += pass(reading.text, i);
			continue;
		}
		start = place(&reading, detail.start);
		kb_buf_sv(&buf, kb_sv_sub(text, copied, start - copied));
		kb_buf_str(&buf, detail.label);
		i = detail.start + detail.n;
		copied = place(&reading, i);
	}
	if (copied > 0) {
		kb_buf_sv(&buf, kb_sv_from(text, copied));
		KB_ASSERT(!buf.failed);
		out = kb_arena_sv(arena, kb_buf_view(&buf));
	}
	kb_buf_fini(&buf);
	return out;
}
