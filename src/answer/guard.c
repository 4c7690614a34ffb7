/*
 * The held bytes always begin with one that may open a construct. After each byte its reader looks
 * at them anew and says: more is needed, it is plain text after all, or it is a construct of so
 * many bytes. That is quadratic in the held bytes, which are few, and a reader is a pure function
 * that can be read from top to bottom.
 */
#include "answer/guard.h"

#include <stdlib.h>
#include <string.h>

#include "answer/leads.h"
#include "answer/marker.h"
#include "base/buf.h"

enum {
	DEPTH_MAX = 3,  /* labels within labels */
	NESTED_MAX = 8, /* brackets within a label */
	SPAN_MAX = 256, /* bytes of code within a line */
	INFO_MAX = 64,  /* bytes behind an opening fence */
	NEWEST = KB_OUTGUARD_TAIL - 1,
};

enum verdict {
	MORE, /* another byte may tell */
	TEXT, /* its first byte is plain */
	TAKE, /* a construct */
};

/* What a construct becomes. */
struct take {
	size_t n;          /* bytes of it */
	struct kb_sv open; /* then `label` as text of its own, then `close` and `target`, `end` */
	struct kb_sv label, close, target, end;
	bool code;    /* the label is code */
	bool address; /* it is a bare one that stays */
	bool text;    /* `open` is as any text */
	size_t fence; /* it opens one of so many bytes */
	char swallow;
};

/* ---- the second layer: output ---- */

static void flush(struct kb_outguard *g)
{
	if (g->out_n && g->emit)
		g->emit(g->arg, kb_sv(g->out, g->out_n));
	g->out_n = 0;
}

static bool is_name(char c)
{
	return kb_is_word(c) || (unsigned char)c >= 0x80;
}

/* What readers that make "//host.name" a link take for a host, or a name before it. */
static bool is_authority(char c)
{
	return is_name(c) || kb_is_one_of(c, "-_@$+=^|~<>`");
}

static void put(struct kb_outguard *g, char c)
{
	char before = g->tail[NEWEST];

	if (g->at_end && is_name(c)) {
		g->at_end = false;
		put(g, ' ');
	}
	if (g->out_n == sizeof(g->out))
		flush(g);
	g->out[g->out_n++] = c;
	if (c == '\n') {
		if (g->out_lead)
			g->bracketed = false;
		g->out_lead = true;
	} else if (!kb_is_one_of(c, KB_LEADS_MARKS)) {
		g->bracketed |= g->out_lead && c == '[';
		g->out_lead = false;
	}
	g->last = c;
	g->seam = false;
	g->at_address = false;
	g->at_end = g->at_end && !kb_is_one_of(c, " \t\n");
	g->run_on = g->run_on && !kb_is_one_of(c, " \t\n");
	/* A reader that takes letters for an address may have taken escapes away before. */
	g->unescaped++;
	if (c == '\\') {
		g->unescaped = 0;
		return;
	}
	g->slashes =
	        is_authority(c) && (g->slashes || (before == '/' && g->tail[NEWEST - 1] == '/'));
	memmove(g->tail, g->tail + 1, sizeof(g->tail) - 1);
	g->tail[NEWEST] = c;
}

/* What is no text leaves no trace behind it. */
static void put_mark(struct kb_outguard *g, char mark)
{
	if (g->out_n == sizeof(g->out))
		flush(g);
	g->out[g->out_n++] = mark;
}

static void put_marks(struct kb_outguard *g)
{
	for (size_t i = 0; i < g->mark_n; i++)
		put_mark(g, g->marks[i]);
	g->mark_n = 0;
}

/* Where something was dropped, what stands around it has not been looked at together. */
static void close_seam(struct kb_outguard *g, char c)
{
	if (g->seam && (g->at_address || kb_is_one_of(g->last, "]<!&/\\"))
	    && !kb_is_one_of(c, " \t\n"))
		put(g, ' ');
}

/* Whether the number of an entity is a letter's or a sign's of an address. */
static bool starts_address(struct kb_sv number)
{
	bool hex = number.n && kb_is_same(number.p[0], 'x');
	unsigned cp = 0;

	for (size_t i = hex; i < number.n && cp < 0x80; i++)
		cp = cp * (hex ? 16 : 10)
		     + (unsigned)(kb_is_digit(number.p[i]) ? number.p[i] - '0'
		                                           : (number.p[i] | 32) - 'a' + 10);
	return cp < 0x80 && (kb_is_word((char)cp) || kb_is_one_of((char)cp, ":/\\."));
}

/* Whether a semicolon here would make an entity that an address may begin with. Readers that look
 * for addresses in what they have read find "&#104;ttps&colon;//". */
static bool ends_entity(const struct kb_outguard *g)
{
	static const char *const names[] = { "colon", "sol", "bsol", "period" };
	struct kb_sv text = kb_sv(g->tail, sizeof(g->tail)), name;
	size_t at = text.n;

	while (at > 0 && (kb_is_word(text.p[at - 1]) || text.p[at - 1] == '#'))
		at--;
	if (at == 0 || text.p[at - 1] != '&')
		return at == 0; /* too long for a name: a number with many noughts */
	name = kb_sv_from(text, at);
	for (size_t i = 0; i < KB_COUNTOF(names); i++)
		if (kb_sv_eq(name, kb_sv_str(names[i])))
			return true;
	return kb_sv_starts(name, KB_SV("#")) && starts_address(kb_sv_from(name, 1));
}

/* Whether this byte would complete an address, so that it goes. */
static bool makes_address(const struct kb_outguard *g, char c)
{
	const char *last = &g->tail[NEWEST];

	if (c == '/')
		return last[0] == '/' && last[-1] == ':';
	return c == '.' && kb_is_same(last[0], 'w') && kb_is_same(last[-1], 'w')
	       && kb_is_same(last[-2], 'w') && (!kb_is_word(last[-3]) || g->unescaped == 3);
}

/* Whether it would complete a link, a definition, a tag or an address, and must stand apart. */
static bool makes_construct(const struct kb_outguard *g, char c)
{
	if (g->last == ']' && (c == '(' || (c == ':' && g->bracketed)))
		return true;
	if (g->last == '<' && (kb_is_letter(c) || kb_is_one_of(c, "/!?")))
		return true;
	if (g->quoted)
		return false;
	if ((c == '.' && g->slashes) || (c == ';' && ends_entity(g)))
		return true;
	/* Readers take other letters for a part of the address; their stops become its dots. */
	return g->at_address && (unsigned char)c >= 0x80;
}

/* A byte of plain text. */
static void put_text(struct kb_outguard *g, char c)
{
	if (!g->quoted && makes_address(g, c)) {
		g->seam = true;
		return;
	}
	close_seam(g, c);
	if (makes_construct(g, c))
		put(g, ' ');
	put(g, c);
}

static void put_known(struct kb_outguard *g, struct kb_sv text)
{
	for (size_t i = 0; i < text.n; i++)
		put(g, text.p[i]);
}

/* ---- the first layer: what the held bytes begin with ---- */

static bool is_full(const struct kb_outguard *g)
{
	return g->n == KB_OUTGUARD_HELD;
}

static struct kb_sv held(const struct kb_outguard *g)
{
	return kb_sv(g->held, g->n);
}

/* Whether an empty line begins at the line end here: no construct goes on behind one. */
static bool is_empty_line(struct kb_sv text, size_t at)
{
	if (text.p[at] != '\n')
		return false;
	for (at++; at < text.n; at++)
		if (text.p[at] == '\n')
			return true;
		else if (text.p[at] != ' ' && text.p[at] != '\t' && text.p[at] != '\r')
			return false;
	return false;
}

static bool has_empty_line(struct kb_sv text)
{
	const char *at = text.p, *end = text.p + text.n;

	while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
		if (is_empty_line(text, (size_t)(at - text.p)))
			return true;
		at++;
	}
	return false;
}

/* Where the bracket opened at `from` is closed; SIZE_MAX: not yet, *never: it will not be. */
static size_t find_close(struct kb_sv text, size_t from, char open, char close, bool *never)
{
	size_t depth = 0;

	*never = false;
	for (size_t i = from; i < text.n; i++) {
		if (text.p[i] == '\\') {
			i++;
		} else if (is_empty_line(text, i)) {
			*never = true;
			return SIZE_MAX;
		} else if (text.p[i] == open) {
			if (++depth > NESTED_MAX) {
				*never = true;
				return SIZE_MAX;
			}
		} else if (text.p[i] == close && --depth == 0) {
			return i;
		}
	}
	return SIZE_MAX;
}

/* What of a link's brackets or a definition is the address. */
static struct kb_sv address_in(struct kb_sv text)
{
	size_t n = 0;

	text = kb_sv_trim(text);
	if (text.n && text.p[0] == '<') {
		ptrdiff_t end = kb_sv_find_byte(text, '>');

		return end < 0 ? kb_sv(NULL, 0) : kb_sv_sub(text, 1, (size_t)end - 1);
	}
	while (n < text.n && !strchr(" \t\r\n", text.p[n]))
		n++;
	return kb_sv_sub(text, 0, n);
}

static bool is_number(struct kb_sv text)
{
	for (size_t i = 0; i < text.n; i++)
		if (!kb_is_digit(text.p[i]))
			return false;
	return text.n > 0;
}

/* Whether a word leads somewhere, more than a word in brackets does. */
static bool is_address(struct kb_sv text)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] && strchr(":/\\.%&<@?#", text.p[i]))
			return true;
	return false;
}

/* "[label](address)" with its label at `from`, its second bracket at `at`. */
static enum verdict read_link(const struct kb_outguard *g, size_t from, size_t at,
                              struct take *take)
{
	bool never, picture = from > 1;
	size_t end = find_close(held(g), at, '(', ')', &never);

	take->label = kb_sv_sub(held(g), from, at - 1 - from);
	if (end == SIZE_MAX) {
		if (never || g->ended)
			return TEXT;
		take->n = g->n;
		take->swallow = ')';
		return is_full(g) ? TAKE : MORE;
	}
	take->n = end + 1;
	take->target = address_in(kb_sv_sub(held(g), at + 1, end - at - 1));
	/* Between angles a bracket may stand that would end the link without them. */
	if (take->target.n && take->target.p[-1] == '<' && kb_sv_find_byte(take->target, ')') >= 0)
		take->target.n = 0;
	if (is_number(take->label) && !picture) {
		if (!is_address(take->target))
			return TEXT;
		take->open = KB_SV("[");
		take->close = KB_SV("]");
		take->target.n = 0;
	} else if (kb_named_allow(g->places, take->target, picture)) {
		take->open = picture ? KB_SV("![") : KB_SV("[");
		take->close = KB_SV("](");
		take->end = KB_SV(")");
	} else {
		take->target.n = 0;
	}
	return TAKE;
}

/* "[label]: address" at a line's beginning, the colon at `at`. One that leads elsewhere goes with
 * its line, and so does one that a citation would become a link by. "[Note]: text" is text. */
static enum verdict read_definition(const struct kb_outguard *g, size_t at, struct take *take)
{
	struct kb_sv text = held(g), label = kb_sv_sub(text, 1, at - 2);
	size_t from = at + 1, end, lines = 0;

	while (from < g->n && lines < 2
	       && kb_is_one_of(text.p[from], lines ? KB_LEADS_MARKS "\n" : " \t\n"))
		lines += text.p[from++] == '\n';
	if (lines > 1)
		return TEXT;
	for (end = from; end < g->n && text.p[end] != '\n'; end++)
		;
	if (end == g->n && !g->ended) {
		take->n = g->n;
		take->swallow = '\n';
		return is_full(g) ? TAKE : MORE;
	}
	take->n = end;
	take->target = address_in(kb_sv_sub(text, from, end - from));
	if (take->target.n && !is_address(take->target) && text.p[from] != '<') {
		take->n = at + 1;
		take->open = KB_SV("[");
		take->label = label;
		take->close = KB_SV("]:");
		take->target.n = 0;
		return TAKE;
	}
	if (is_number(label) || !kb_named_allow(g->places, take->target, true)) {
		take->target.n = 0;
		return TAKE;
	}
	take->open = KB_SV("[");
	take->label = label;
	take->close = KB_SV("]: ");
	return TAKE;
}

static enum verdict read_bracket(const struct kb_outguard *g, struct take *take)
{
	struct kb_sv text = held(g);
	size_t open = text.p[0] == '!', close;
	bool never;

	if (open && g->n == 1)
		return g->ended ? TEXT : MORE;
	if (text.p[open] != '[')
		return TEXT;
	close = find_close(text, open, '[', ']', &never);
	if (close == SIZE_MAX) {
		if (never || g->ended)
			return TEXT;
		take->n = open + 1; /* too long a label: without its bracket it is none */
		return is_full(g) ? TAKE : MORE;
	}
	if (close + 1 == g->n)
		return g->ended || is_full(g) ? TEXT : MORE;
	if (text.p[close + 1] == '(')
		return read_link(g, open + 1, close + 1, take);
	if (text.p[close + 1] == ':' && g->lead && !open)
		return read_definition(g, close + 1, take);
	return TEXT;
}

/* The address of a link in brackets, from `at` on, if it is one that is named. */
static enum verdict read_named(const struct kb_outguard *g, size_t at, struct take *take)
{
	struct kb_sv text = held(g);
	size_t end = at;

	while (end < g->n && !kb_is_one_of(text.p[end], ")\n"))
		end++;
	if (end == g->n)
		return g->ended || is_full(g) ? TEXT : MORE;
	if (!kb_named_allow(g->places, kb_sv_sub(text, at, end - at), true))
		return TEXT;
	take->n = end;
	take->open = kb_sv_sub(text, 0, end);
	return TAKE;
}

/* Whether a citation's number stands before the bracket: it never becomes a link. */
static bool is_citation(const struct kb_outguard *g)
{
	size_t at = sizeof(g->tail);

	while (at > 0 && kb_is_digit(g->tail[at - 1]))
		at--;
	return at < sizeof(g->tail) && at > 1 && g->tail[at - 1] == '['
	       && !is_name(g->tail[at - 2]);
}

/* Whether an address may go on in what stands behind this text: its label's, or the next quote,
 * which completes no word. */
static bool may_go_on(const struct kb_outguard *g)
{
	char last = g->held[g->n - 1];

	return g->depth || (g->quoted && !is_name(last) && last != '.');
}

/* What stands behind a label: in code "](", anywhere "]:". Readers differ in what they take for
 * code and for a definition, so one that leads away is parted from its label, and the rest stays.
 */
static enum verdict read_tail(const struct kb_outguard *g, struct take *take)
{
	struct kb_sv text = held(g);
	bool link, away, code = g->code || g->fence, citation = code && is_citation(g);
	enum kb_leads leads;

	if (g->n == 1)
		return g->ended ? TEXT : MORE;
	link = text.p[1] == '(';
	if (link ? !code : text.p[1] != ':')
		return TEXT;
	leads = kb_leads_away(text, 2);
	if (leads == KB_LEADS_UNSURE && !g->ended && !is_full(g))
		return MORE;
	away = citation || leads == KB_LEADS_AWAY
	       || (leads == KB_LEADS_UNSURE && (!g->ended || may_go_on(g)));
	if (away && link && !citation && g->places) {
		enum verdict named = read_named(g, 2, take);

		if (named != TEXT)
			return named;
	}
	if (!away && !code)
		return TEXT;
	take->n = away ? 1 : 2;
	take->open = away ? KB_SV("] ") : kb_sv_sub(text, 0, 2);
	return TAKE;
}

/* The same in code, where a blank takes the danger from what is not plain. */
static enum verdict read_angle_in_code(const struct kb_outguard *g, struct take *take)
{
	struct kb_sv text = held(g);
	ptrdiff_t end = kb_sv_find_byte(text, '>');

	if (!kb_is_letter(text.p[1])) {
		take->n = 2; /* a closing tag, a comment: nothing to load */
		take->open = kb_sv_sub(text, 0, 2);
		return TAKE;
	}
	if (end < 0 && !g->ended && !is_full(g) && !has_empty_line(text))
		return MORE;
	take->n = 1;
	take->open = KB_SV("< ");
	if (end > 0 && kb_leads_no_tag_in_code(g->places, kb_sv_sub(text, 1, (size_t)end - 1))) {
		take->n = (size_t)end + 1;
		take->open = kb_sv_sub(text, 0, take->n);
	}
	return TAKE;
}

/* "<https://…>", "<a@b>", "<tag>" */
static enum verdict read_angle(const struct kb_outguard *g, struct take *take)
{
	struct kb_sv text = held(g), inside, all;
	ptrdiff_t end;

	if (g->n == 1)
		return g->ended ? TEXT : MORE;
	if (!kb_is_letter(text.p[1]) && !kb_is_one_of(text.p[1], "/!?"))
		return TEXT;
	if (g->code || g->fence)
		return read_angle_in_code(g, take);
	end = kb_sv_find_byte(text, '>');
	if (end < 0 && has_empty_line(text))
		return TEXT;
	if (end < 0) {
		if (g->ended)
			return TEXT;
		take->n = g->n;
		take->swallow = '>';
		return is_full(g) ? TAKE : MORE;
	}
	take->n = (size_t)end + 1;
	inside = kb_sv_sub(text, 1, (size_t)end - 1);
	all = kb_sv_sub(text, 0, take->n);
	if (kb_sv_find_byte(inside, ' ') < 0 && kb_sv_find_byte(inside, ':') < 0
	    && kb_sv_find_byte(inside, '=') < 0 && kb_sv_find_byte(inside, '@') > 0)
		take->label = inside;
	else if (kb_leads_no_tag(inside) || kb_named_allow(g->places, inside, false))
		take->open = all;
	return TAKE;
}

/* Whether one begins within an address, or an entity stands in it: a reader that does not see the
 * whole may see that. */
static bool holds_another(struct kb_sv address)
{
	struct kb_sv rest = kb_sv_from(address, 8);

	return (kb_sv_find_byte(rest, '&') >= 0 && kb_sv_find_byte(rest, ';') >= 0)
	       || kb_address_within(rest);
}

/* Bare addresses. */
static enum verdict read_bare(const struct kb_outguard *g, struct take *take)
{
	static const char *const starts[] = { "http://", "https://", "ftp://", "www.", "data:" };
	struct kb_sv text = held(g);
	size_t n, run;

	for (size_t i = 0; i < KB_COUNTOF(starts); i++) {
		struct kb_sv start = kb_sv_str(starts[i]);

		if (g->n < start.n && kb_sv_istarts(start, text))
			return g->ended ? TEXT : MORE;
	}
	if (!kb_is_same(text.p[0], 'h') && kb_is_word(g->last))
		return TEXT;
	if (kb_sv_istarts(text, KB_SV("data:"))) {
		bool data = false;

		for (run = 5; run < g->n && !strchr(" \t\r\n)<>\"", text.p[run]); run++)
			data |= text.p[run] == ',' || text.p[run] == '/';
		n = data ? run : 0;
		if (!data && (run < g->n || g->ended))
			return TEXT;
	} else {
		n = kb_address_at(text, &run);
		if (!run)
			return TEXT;
	}
	if (run == g->n && !g->ended) {
		take->n = g->n;
		take->swallow = ' ';
		return is_full(g) ? TAKE : MORE;
	}
	take->n = n;
	take->address = kb_named_allow(g->places, kb_sv_sub(text, 0, n), false)
	                && (!g->last || kb_is_one_of(g->last, " \t\n(")
	                    || !holds_another(kb_sv_sub(text, 0, n)));
	if (take->address)
		take->open = kb_sv_sub(text, 0, n);
	return TAKE;
}

/* "//host.name", which some readers make a link of: a blank behind the slashes. */
static enum verdict read_slashes(const struct kb_outguard *g, struct take *take)
{
	struct kb_sv text = held(g);
	size_t end = 2;

	if (g->n == 1)
		return g->ended ? TEXT : MORE;
	if (text.p[1] != '/')
		return TEXT;
	while (end < g->n && is_authority(text.p[end]))
		end++;
	if (end == g->n && !g->ended && !is_full(g))
		return MORE;
	if (end == 2 || end == g->n || text.p[end] != '.')
		return TEXT;
	take->n = 2;
	take->open = KB_SV("// ");
	take->text = true;
	return TAKE;
}

static size_t run_of(struct kb_sv text, size_t from)
{
	size_t n = from;

	while (n < text.n && text.p[n] == text.p[from])
		n++;
	return n - from;
}

/* An opening fence in the first column; its line is taken whole. */
static enum verdict read_fence(const struct kb_outguard *g, size_t run, struct take *take)
{
	struct kb_sv text = held(g), info;
	ptrdiff_t end = kb_sv_find_byte(text, '\n');
	bool plain = true;

	if (end < 0 && !g->ended)
		return is_full(g) ? TEXT : MORE;
	take->n = end < 0 ? g->n : (size_t)end;
	info = kb_sv_sub(text, run, take->n - run);
	if (text.p[0] == '`' && kb_sv_find_byte(info, '`') >= 0)
		return TEXT;
	for (size_t i = 0; i < info.n; i++)
		plain &= kb_is_letter(info.p[i]) || kb_is_digit(info.p[i])
		         || strchr(" \r+#_.-", info.p[i]);
	take->open = kb_sv_sub(text, 0, plain && info.n <= INFO_MAX ? take->n : run);
	take->fence = run;
	return TAKE;
}

/* A fence, or code within a line. A cell of a table may end in the midst of it, so that code with a
 * bar is text. */
static enum verdict read_code(const struct kb_outguard *g, struct take *take)
{
	struct kb_sv text = held(g);
	size_t run = run_of(text, 0);
	enum verdict verdict;

	if (run == g->n && !g->ended && !is_full(g))
		return MORE;
	if (!g->inside_line && run >= 3) {
		verdict = read_fence(g, run, take);
		if (verdict != TEXT)
			return verdict;
	}
	take->n = run;
	take->open = kb_sv_sub(text, 0, run);
	if (text.p[0] != '`' || g->escaped)
		return TAKE;
	for (size_t i = run; i < g->n && text.p[i] != '\n' && text.p[i] != '|';) {
		size_t other = text.p[i] == '`' ? run_of(text, i) : 0;

		if (other && i + other == g->n && !g->ended)
			break;
		if (other == run) {
			take->n = i + run;
			take->label = kb_sv_sub(text, run, i - run);
			take->close = take->open;
			take->code = true;
			return TAKE;
		}
		i += KB_MAX(other, (size_t)1);
		if (i > SPAN_MAX)
			return TAKE;
	}
	if (g->ended || kb_sv_find_byte(text, '\n') >= 0 || kb_sv_find_byte(text, '|') >= 0
	    || g->n > SPAN_MAX)
		return TAKE;
	return MORE;
}

/* Where code is what readers differ in, nothing in it is exempt. */
static const struct {
	const char *bytes;
	enum verdict (*read)(const struct kb_outguard *g, struct take *take);
	bool code, quoted;
} readers[] = {
	// clang-format off
	{ "![",       read_bracket },
	{ "`~",       read_code },
	{ "]",        read_tail,    .code = true, .quoted = true },
	{ "<",        read_angle,   .code = true, .quoted = true },
	{ "/",        read_slashes, .code = true },
	{ "hHfFwWdD", read_bare,    .code = true },
	// clang-format on
};

static enum verdict look(const struct kb_outguard *g, struct take *take)
{
	bool code = g->fence || g->code;

	*take = (struct take){ 0 };
	for (size_t i = 0; i < KB_COUNTOF(readers); i++)
		if (kb_is_one_of(g->held[0], readers[i].bytes) && (readers[i].code || !code)
		    && (readers[i].quoted || !g->quoted))
			return readers[i].read(g, take);
	return TEXT;
}

/* ---- moving on ---- */

/* Keeps account of the input that leaves the held bytes. */
static void pass(struct kb_outguard *g, char c)
{
	if (c == '\n') {
		if (g->fence && g->fence_only && g->fence_run >= g->fence_length)
			g->fence = 0;
		g->inside_line = false;
		g->lead = true;
		g->fence_run = 0;
		g->fence_only = true;
		g->escaped = false;
		return;
	}
	g->inside_line = true;
	if (!kb_is_one_of(c, KB_LEADS_MARKS))
		g->lead = false;
	if (c == g->fence)
		g->fence_run++;
	else if (!kb_is_one_of(c, " \t\r"))
		g->fence_only = false;
	g->escaped = c == '\\' && !g->escaped;
}

static void drop(struct kb_outguard *g, size_t n)
{
	for (size_t i = 0; i < n; i++)
		pass(g, g->held[i]);
	g->n -= n;
	memmove(g->held, g->held + n, g->n);
}

static void relay(void *arg, struct kb_sv text)
{
	struct kb_outguard *g = arg;

	for (size_t i = 0; i < text.n; i++)
		put_text(g, text.p[i]);
}

/* Code has been looked at with all that stands beside it. */
static void relay_code(void *arg, struct kb_sv text)
{
	put_known(arg, text);
}

/* A label's own text: guarded by itself, then by the output of the whole. */
static void put_label(struct kb_outguard *g, struct kb_sv label, bool code)
{
	struct kb_outguard inner;

	if (g->depth == DEPTH_MAX)
		return;
	kb_outguard_init(&inner, g->places, code ? relay_code : relay, g);
	inner.depth = g->depth + 1;
	inner.code = code;
	inner.inside_line = true;
	inner.lead = false;
	kb_outguard_feed(&inner, label);
	kb_outguard_end(&inner);
	kb_outguard_fini(&inner);
}

static bool has_host_alone(struct kb_sv address)
{
	ptrdiff_t slashes = kb_sv_find(address, KB_SV("//"));

	return kb_sv_find_byte(kb_sv_from(address, slashes < 0 ? 0 : (size_t)slashes + 2), '/') < 0;
}

static void apply(struct kb_outguard *g, const struct take *take)
{
	char made_of = g->held[0];

	if (take->text) {
		relay(g, take->open);
	} else if (take->open.n) {
		/* To some readers a link without a blank behind an address is a part of it. */
		if (g->run_on && kb_is_one_of(take->open.p[0], "[!"))
			put(g, ' ');
		close_seam(g, take->open.p[0]);
		put_known(g, take->open);
	}
	if (take->address) {
		g->slashes = false;
		g->at_address = g->run_on = true;
		g->at_end =
		        has_host_alone(take->open) || !kb_named_allow(g->places, take->open, true);
	}
	if (take->label.n) {
		bool was = g->code;

		g->seam |= !take->open.n;
		g->code |= take->code;
		put_label(g, take->label, g->code);
		g->code = was;
	}
	put_known(g, take->close);
	put_known(g, take->target);
	put_known(g, take->end);
	if (take->target.n) {
		g->slashes = false;
		/* Who sees no link in it sees a bare address. */
		g->at_end = !kb_named_allow(g->places, take->target, true);
	}
	g->seam |= !take->close.n && (take->label.n || !take->open.n);
	g->swallow = take->swallow;
	drop(g, take->n);
	if (take->fence) {
		g->fence = made_of;
		g->fence_length = take->fence;
		g->fence_only = false;
	}
}

static void settle(struct kb_outguard *g)
{
	while (g->n) {
		struct take take;

		switch (look(g, &take)) {
		case MORE:
			if (!g->ended)
				return;
			put_text(g, g->held[0]);
			drop(g, 1);
			break;
		case TEXT:
			put_text(g, g->held[0]);
			drop(g, 1);
			break;
		case TAKE:
			apply(g, &take);
			break;
		}
	}
}

/* Whether a byte still belongs to what is dropped. */
static bool is_swallowed(struct kb_outguard *g, char c)
{
	char until = g->swallow;

	if (!until)
		return false;
	if (c == '\n' || (until == ' ' && strchr(" \t\"<>", c))) {
		g->swallow = 0;
		return false;
	}
	if (c == until)
		g->swallow = 0;
	return true;
}

void kb_outguard_init(struct kb_outguard *guard, const struct kb_named *places,
                      void (*emit)(void *arg, struct kb_sv text), void *arg)
{
	*guard = (struct kb_outguard){ .places = places,
		                       .emit = emit,
		                       .arg = arg,
		                       .lead = true,
		                       .fence_only = true,
		                       .unescaped = KB_OUTGUARD_TAIL,
		                       .out_lead = true };
}

/* Mostly nothing is held, or a few bytes. */
static void hold(struct kb_outguard *g, char c)
{
	if (g->n == g->held_max) {
		g->held_max = KB_MAX(2 * g->held_max, (size_t)64);
		g->held = kb_xrealloc(g->held, g->held_max);
	}
	g->held[g->n++] = c;
}

void kb_outguard_fini(struct kb_outguard *guard)
{
	free(guard->held);
	guard->held = NULL;
	guard->n = guard->held_max = 0;
}

void kb_outguard_feed(struct kb_outguard *guard, struct kb_sv text)
{
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (!guard->quoted && (c == KB_CITE_BEGIN || c == KB_CITE_END)) {
			if (guard->n && guard->mark_n < sizeof(guard->marks))
				guard->marks[guard->mark_n++] = c;
			else
				put_mark(guard, c);
			continue;
		}
		/* One kind of line end, as readers know three. */
		if (!guard->quoted && (c == '\r' || (c == '\n' && guard->carriage))) {
			guard->carriage = c == '\r';
			if (c == '\n')
				continue;
			c = '\n';
		} else {
			guard->carriage = false;
		}
		if (is_swallowed(guard, c)) {
			pass(guard, c);
			continue;
		}
		hold(guard, c);
		settle(guard);
		if (!guard->n)
			put_marks(guard);
	}
	flush(guard);
}

void kb_outguard_end(struct kb_outguard *guard)
{
	guard->ended = true;
	settle(guard);
	put_marks(guard);
	flush(guard);
}

static void collect(void *arg, struct kb_sv text)
{
	kb_buf_sv(arg, text);
}

/* Through a guard that begins as `like` is. */
static struct kb_sv guard_text(struct kb_arena *arena, const struct kb_outguard *like,
                               struct kb_sv text)
{
	struct kb_outguard guard = *like;
	struct kb_buf buf;
	struct kb_sv out;

	/* A blank may be put in for a byte or two. */
	kb_buf_init(&buf, 2 * text.n + 1);
	guard.arg = &buf;
	kb_outguard_feed(&guard, text);
	kb_outguard_end(&guard);
	kb_outguard_fini(&guard);
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

struct kb_sv kb_outguard_text(struct kb_arena *arena, const struct kb_named *places,
                              struct kb_sv text)
{
	struct kb_outguard guard;

	kb_outguard_init(&guard, places, collect, NULL);
	return guard_text(arena, &guard, text);
}

struct kb_sv kb_outguard_quote(struct kb_arena *arena, struct kb_sv text)
{
	struct kb_outguard guard;

	kb_outguard_init(&guard, NULL, collect, NULL);
	guard.code = guard.quoted = true;
	return guard_text(arena, &guard, text);
}
