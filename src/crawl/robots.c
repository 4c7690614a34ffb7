#include "crawl/robots.h"

#include <ctype.h>
#include <string.h>

#include "base/clock.h"

enum word { WORD_NONE, WORD_AGENT, WORD_ALLOW, WORD_DISALLOW, WORD_DELAY, WORD_SITEMAP };

/* The words of lines, with the spellings that people are known to use. */
static const struct {
	const char *name;
	enum word word;
} words[] = {
	{ "user-agent", WORD_AGENT },  { "useragent", WORD_AGENT },
	{ "user agent", WORD_AGENT },  { "allow", WORD_ALLOW },
	{ "disallow", WORD_DISALLOW }, { "dissallow", WORD_DISALLOW },
	{ "dissalow", WORD_DISALLOW }, { "disalow", WORD_DISALLOW },
	{ "diasllow", WORD_DISALLOW }, { "disallaw", WORD_DISALLOW },
	{ "crawl-delay", WORD_DELAY }, { "crawldelay", WORD_DELAY },
	{ "sitemap", WORD_SITEMAP },   { "site-map", WORD_SITEMAP },
};

/* ---- lines ---- */

/* Lines end with CR, LF or both; an empty one more does no harm. */
static bool next_line(struct kb_sv *rest, struct kb_sv *line)
{
	size_t n = 0;

	if (rest->n == 0)
		return false;
	while (n < rest->n && rest->p[n] != '\n' && rest->p[n] != '\r')
		n++;
	*line = kb_sv_sub(*rest, 0, n);
	*rest = kb_sv_from(*rest, n + 1);
	return true;
}

/* Where the word of a line ends: at its colon, or, where somebody forgot that, at the blank between
 * the two words that are all of the line. -1: it has no word. */
static ptrdiff_t word_end(struct kb_sv line)
{
	ptrdiff_t colon = kb_sv_find_byte(line, ':');
	size_t end = 0, value;

	if (colon >= 0)
		return colon;
	while (end < line.n && line.p[end] != ' ' && line.p[end] != '\t')
		end++;
	value = end;
	while (value < line.n && (line.p[value] == ' ' || line.p[value] == '\t'))
		value++;
	for (size_t i = value; i < line.n; i++)
		if (line.p[i] == ' ' || line.p[i] == '\t')
			return -1;
	return value < line.n ? (ptrdiff_t)end : -1;
}

static enum word read_line(struct kb_sv line, struct kb_sv *value)
{
	ptrdiff_t comment = kb_sv_find_byte(line, '#'), end;
	struct kb_sv name;

	if (comment >= 0)
		line = kb_sv_sub(line, 0, (size_t)comment);
	line = kb_sv_trim(line);
	end = word_end(line);
	if (end < 0)
		return WORD_NONE;
	name = kb_sv_trim(kb_sv_sub(line, 0, (size_t)end));
	*value = kb_sv_trim(kb_sv_from(line, (size_t)end + 1));
	for (size_t i = 0; i < KB_COUNTOF(words); i++)
		if (kb_sv_ieq_str(name, words[i].name))
			return words[i].word;
	return WORD_NONE;
}

static struct kb_sv without_mark(struct kb_sv text)
{
	struct kb_sv mark = KB_SV("\xEF\xBB\xBF");

	text = kb_sv_sub(text, 0, KB_ROBOTS_BYTES_MAX);
	return kb_sv_starts(text, mark) ? kb_sv_from(text, mark.n) : text;
}

/* ---- rules ---- */

/* A path of a rule or an address in the one form they are compared in: bytes beyond ASCII escaped,
 * escapes in capitals. */
struct form {
	char bytes[KB_ROBOTS_PATH_MAX];
	size_t n;
};

static void add_escaped(struct form *form, unsigned char c)
{
	static const char digits[] = "0123456789ABCDEF";

	form->bytes[form->n++] = '%';
	form->bytes[form->n++] = digits[c >> 4];
	form->bytes[form->n++] = digits[c & 15];
}

/* false: it is longer than what is compared. */
static bool form_of(struct kb_sv path, bool escape, struct form *form)
{
	form->n = 0;
	for (size_t i = 0; i < path.n; i++) {
		unsigned char c = (unsigned char)path.p[i];

		if (form->n + 3 > sizeof(form->bytes))
			return false;
		if (c == '%' && i + 2 < path.n && isxdigit((unsigned char)path.p[i + 1])
		    && isxdigit((unsigned char)path.p[i + 2])) {
			form->bytes[form->n++] = '%';
			form->bytes[form->n++] = (char)toupper((unsigned char)path.p[++i]);
			form->bytes[form->n++] = (char)toupper((unsigned char)path.p[++i]);
		} else if (c >= 0x80 && escape) {
			add_escaped(form, c);
		} else {
			form->bytes[form->n++] = (char)c;
		}
	}
	return true;
}

/* Whether the rule's path fits the beginning of `path`. '*' stands for any bytes, a '$' at the very
 * end for the end. Of each piece between stars the first place after the one before is as good as
 * any later one; only the last piece before a '$' has to stand at the end. */
static bool fits(struct kb_sv rule, struct kb_sv path)
{
	bool to_end = kb_sv_ends(rule, KB_SV("$"));
	struct kb_sv rest = kb_sv_sub(rule, 0, rule.n - to_end), piece;

	for (bool first = true; kb_sv_split(&rest, '*', &piece); first = false) {
		bool last = rest.p == NULL;
		ptrdiff_t at =
		        first ? (kb_sv_starts(path, piece) ? 0 : -1) : kb_sv_find(path, piece);

		if (last && to_end)
			return first ? kb_sv_eq(path, piece) : kb_sv_ends(path, piece);
		if (at < 0)
			return false;
		path = kb_sv_from(path, (size_t)at + piece.n);
	}
	return true;
}

/* ---- groups ---- */

/* The name that is compared: of letters, '-' and '_'. */
static struct kb_sv token(struct kb_sv name)
{
	size_t n = 0;

	while (n < name.n && n < KB_ROBOTS_TOKEN_MAX
	       && (isalpha((unsigned char)name.p[n]) || name.p[n] == '-' || name.p[n] == '_'))
		n++;
	return kb_sv_sub(name, 0, n);
}

/* Of "Docent/0.1 (…)" the first word; two words without a '/' are nobody's name. */
static struct kb_sv own_name(struct kb_sv crawler)
{
	ptrdiff_t slash = kb_sv_find_byte(crawler, '/');

	if (slash >= 0)
		crawler = kb_sv_sub(crawler, 0, (size_t)slash);
	return kb_sv_find_byte(crawler, ' ') < 0 ? token(crawler) : KB_SV("");
}

static bool is_everybody(struct kb_sv name)
{
	return name.n && name.p[0] == '*' && (name.n == 1 || isspace((unsigned char)name.p[1]));
}

/* What the groups of one crawler, or those of everybody, have said so far. */
struct voice {
	bool heard;         /* there is a group */
	bool here;          /* the lines in hand are its */
	size_t allow, deny; /* lengths of the longest rules that fit */
	int64_t delay_us;
};

/* "/a/index.html" allows "/a/" too: it is the same page. */
static bool fits_folder(struct kb_sv rule, struct kb_sv path)
{
	ptrdiff_t at = kb_sv_find(rule, KB_SV("/index.htm"));

	return at >= 0 && kb_sv_eq(kb_sv_sub(rule, 0, (size_t)at + 1), path);
}

static void take_rule(struct voice *voice, enum word word, struct kb_sv rule, struct kb_sv path)
{
	size_t *longest = word == WORD_ALLOW ? &voice->allow : &voice->deny;
	struct form form;
	struct kb_sv formed;

	if (!voice->here || rule.n <= *longest || !form_of(rule, true, &form))
		return;
	formed = kb_sv(form.bytes, form.n);
	if (fits(formed, path) || (word == WORD_ALLOW && fits_folder(formed, path)))
		*longest = rule.n;
}

static void take_delay(struct voice *voice, struct kb_sv value)
{
	double seconds;

	if (voice->here && kb_sv_to_double(value, &seconds) && seconds > 0)
		voice->delay_us = (int64_t)(KB_MIN(seconds, (double)KB_ROBOTS_DELAY_MAX_S)
		                            * (double)KB_SECOND_US);
}

struct kb_robots_word kb_robots_ask(struct kb_sv text, struct kb_sv crawler, struct kb_sv path)
{
	struct voice own = { 0 }, all = { 0 };
	struct kb_sv rest = without_mark(text), line, value;
	struct kb_sv name = own_name(crawler);
	const struct voice *said;
	struct form asked;
	bool in_rules = false;

	/* Of an address that is too long the beginning counts. */
	(void)form_of(path, false, &asked);
	path = kb_sv(asked.bytes, asked.n);
	while (next_line(&rest, &line)) {
		enum word word = read_line(line, &value);

		switch (word) {
		case WORD_AGENT:
			if (in_rules)
				own.here = all.here = in_rules = false;
			if (is_everybody(value))
				all.here = all.heard = true;
			else if (name.n && kb_sv_ieq(token(value), name))
				own.here = own.heard = true;
			break;
		case WORD_ALLOW:
		case WORD_DISALLOW:
			in_rules = true;
			take_rule(&own, word, value, path);
			take_rule(&all, word, value, path);
			break;
		case WORD_DELAY:
			take_delay(&own, value);
			take_delay(&all, value);
			break;
		case WORD_SITEMAP:
		case WORD_NONE:
			break;
		}
	}
	said = own.heard ? &own : &all;
	return (struct kb_robots_word){ .allowed = said->allow >= said->deny,
		                        .delay_us = said->delay_us };
}

bool kb_robots_sitemap(struct kb_sv *rest, struct kb_sv *address)
{
	struct kb_sv line;

	*rest = without_mark(*rest);
	while (next_line(rest, &line))
		if (read_line(line, address) == WORD_SITEMAP && address->n)
			return true;
	return false;
}
