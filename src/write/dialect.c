#include "write/dialect.h"

#include <string.h>

#define FULL_BAR "\uff5c" /* of templates that write <｜end▁of▁sentence｜> */

/* ---- tokens of templates ---- */

enum token { NONE, GOES, TURN, OVER };

/* Whole ones, in any case; and names between bars. */
static const struct {
	const char *text;
	enum token token;
} wholes[] = {
	{ "<end_of_turn>", OVER }, { "</s>", OVER },      { "<eos>", OVER },
	{ "<start_of_turn>", TURN }, { "<s>", GOES },     { "<bos>", GOES },
	{ "<pad>", GOES },         { "[INST]", TURN },    { "[/INST]", GOES },
}, names[] = {
	{ "im_end", OVER },        { "end", OVER },       { "eot_id", OVER },
	{ "endoftext", OVER },     { "end_of_text", OVER }, { "eom_id", OVER },
	{ "return", OVER },        { "end\u2581of\u2581sentence", OVER },
	{ "im_start", TURN },      { "start_header_id", TURN }, { "start", TURN },
	{ "user", TURN },          { "system", TURN },
};

/* The name between "<|" and "|>"; what of it has come. */
static bool read_bars(struct kb_sv held, struct kb_sv *name, bool *whole)
{
	static const char *const opens[] = { "<|", "<" FULL_BAR }, *const closes[] = { "|>",
		                                                                       FULL_BAR
		                                                                       ">" };

	for (size_t i = 0; i < KB_COUNTOF(opens); i++) {
		struct kb_sv open = kb_sv_str(opens[i]), close = kb_sv_str(closes[i]);

		if (!kb_sv_starts(held, open))
			continue;
		*name = kb_sv_from(held, open.n);
		*whole = name->n >= close.n && kb_sv_ends(*name, close);
		if (*whole)
			name->n -= close.n;
		return true;
	}
	return false;
}

static enum token token_of(struct kb_sv name)
{
	for (size_t i = 0; i < KB_COUNTOF(names); i++)
		if (kb_sv_ieq_str(name, names[i].text))
			return names[i].token;
	return GOES;
}

/* No name has these. */
static bool is_name(struct kb_sv name)
{
	for (size_t i = 0; i < name.n; i++)
		if (strchr(" \t\r\n<>", name.p[i]))
			return false;
	return true;
}

/* ---- letting out ---- */

static void hand_on(struct kb_dialect *d)
{
	if (d->out_n)
		d->emit(d->arg, kb_sv(d->out, d->out_n));
	d->out_n = 0;
}

static void put(struct kb_dialect *d, const char *p, size_t n)
{
	if (d->out_n + n > sizeof(d->out))
		hand_on(d);
	memcpy(d->out + d->out_n, p, n);
	d->out_n += n;
}

static void count_ticks(struct kb_dialect *d, char c)
{
	if (c == '`') {
		d->ticks++;
		return;
	}
	if (d->ticks >= 3 && !d->line_text)
		d->fence = !d->fence;
	else if (d->ticks % 2)
		d->span = !d->span;
	d->ticks = 0;
}

/* A byte that is text. */
static void say(struct kb_dialect *d, char c)
{
	bool blank = strchr(" \t\r\n", c) != NULL;

	if (blank && !d->any)
		return; /* what tags leave before the text */
	d->any = true;
	put(d, &c, 1);
	count_ticks(d, c);
	if (c == '\n') {
		d->line_text = d->span = false;
		d->fresh = true;
	} else if (!blank && c != '`') {
		d->line_text = true;
	}
	if (blank) {
		d->fresh = d->fresh || d->stopped || !d->line_text;
	} else {
		d->fresh = !d->line_text || strchr("-*(", c);
		d->stopped = strchr(".!?:;)]", c) != NULL;
	}
}

static void say_marker(struct kb_dialect *d, struct kb_sv ids)
{
	put(d, "[", 1);
	put(d, ids.p, ids.n);
	put(d, "]", 1);
	d->any = true;
	d->fresh = false;
	d->stopped = true;
}

/* ---- what is held ---- */

enum verdict { MORE, TEXT, DONE };

static bool may_become(struct kb_sv whole, struct kb_sv held)
{
	return held.n <= whole.n && kb_sv_istarts(whole, held);
}

static bool has_shape(struct kb_sv id)
{
	struct kb_marker_ids none = { .count = 0 };
	struct kb_marker marker;

	return id.n == KB_MARKER_ID && kb_marker_read(&none, id, &marker);
}

static void take_token(struct kb_dialect *d, enum token token)
{
	d->held_n = 0;
	if (token == OVER || (token == TURN && d->any))
		d->over = true;
	d->in_role = token == TURN;
}

/* The value of id in a tag. */
static struct kb_sv id_in(struct kb_sv tag)
{
	ptrdiff_t at = kb_sv_find(tag, KB_SV("id="));
	struct kb_sv value = at < 0 ? KB_SV("") : kb_sv_from(tag, (size_t)at + 3);

	if (value.n && strchr("\"'", value.p[0]))
		value = kb_sv_from(value, 1);
	return kb_sv_sub(value, 0, KB_MARKER_ID);
}

static void close_source(struct kb_dialect *d)
{
	if (!d->source[0])
		return;
	put(d, " ", 1);
	say_marker(d, kb_sv_str(d->source));
	d->source[0] = '\0';
}

/* <source id="k3f" …>, </source>, <k3f>, </k3f> */
static enum verdict look_at_source(struct kb_dialect *d, struct kb_sv held)
{
	bool closes = kb_sv_starts(held, KB_SV("</"));
	struct kb_sv name = kb_sv_from(held, closes ? 2 : 1);
	bool whole = kb_sv_ends(name, KB_SV(">"));
	static const char shape[] = "k3f";

	if (whole)
		name.n--;
	if (kb_sv_istarts(name, KB_SV("source"))) {
		struct kb_sv id = id_in(name);

		if (!whole)
			return MORE;
		d->held_n = 0;
		close_source(d);
		if (!closes && has_shape(id))
			memcpy(d->source, id.p, id.n);
		return DONE;
	}
	if (whole && has_shape(name)) {
		char id[KB_MARKER_ID];

		memcpy(id, name.p, sizeof(id));
		d->held_n = 0;
		if (!closes)
			say_marker(d, kb_sv(id, sizeof(id)));
		return DONE;
	}
	if (!whole && name.n <= KB_MARKER_ID) {
		char id[KB_MARKER_ID];

		memcpy(id, shape, sizeof(id));
		memcpy(id, name.p ? name.p : "", name.n);
		if (has_shape(kb_sv(id, sizeof(id))))
			return MORE;
	}
	return !whole && may_become(KB_SV("source"), name) ? MORE : TEXT;
}

static enum verdict look_at_tag(struct kb_dialect *d, struct kb_sv held)
{
	struct kb_sv name;
	bool whole, more = held.n == 1;

	if (read_bars(held, &name, &whole)) {
		if (!is_name(name))
			return TEXT;
		if (whole)
			take_token(d, token_of(name));
		return whole ? DONE : MORE;
	}
	for (size_t i = 0; i < KB_COUNTOF(wholes); i++) {
		if (kb_sv_ieq_str(held, wholes[i].text)) {
			take_token(d, wholes[i].token);
			return DONE;
		}
		more |= may_become(kb_sv_str(wholes[i].text), held);
	}
	more |= may_become(KB_SV("<" FULL_BAR), held);
	if (more)
		return MORE;
	return held.p[0] == '<' ? look_at_source(d, held) : TEXT;
}

/* How much of what is held is ids with the word before them: up to the last one's end. */
static size_t named(struct kb_sv held)
{
	struct kb_marker_ids none = { .count = 0 };
	struct kb_marker marker;

	for (size_t n = held.n; n > KB_MARKER_ID; n--) {
		char before = held.p[n - KB_MARKER_ID - 1];

		if (n < held.n && strchr(" \t\n,;:.)", held.p[n]) == NULL)
			continue;
		if (strchr(" :#=,", before)
		    && has_shape(kb_sv_sub(held, n - KB_MARKER_ID, KB_MARKER_ID))
		    && kb_marker_read(&none, kb_sv_sub(held, 0, n), &marker))
			return n;
	}
	return 0;
}

static void step(struct kb_dialect *d, char c);

/* What is behind the ids: the colon or the stop that belongs to them goes. */
static void take_named(struct kb_dialect *d, size_t n)
{
	char held[KB_DIALECT_HELD];
	size_t held_n = d->held_n;

	memcpy(held, d->held, held_n);
	d->held_n = 0;
	say_marker(d, kb_sv(held, n));
	if (n < held_n && (held[n] == ':' || held[n] == '.'))
		n++;
	while (n < held_n)
		step(d, held[n++]);
}

static enum verdict look_at_word(struct kb_dialect *d, struct kb_sv held)
{
	struct kb_marker_ids none = { .count = 0 };
	struct kb_marker marker;
	size_t n;

	if (held.p[held.n - 1] != '\n'
	    && (kb_marker_begins(held) || kb_marker_read(&none, held, &marker)))
		return MORE;
	n = named(held);
	if (!n)
		return TEXT;
	take_named(d, n);
	return DONE;
}

/* The first byte held is text, and so is a word to its end; what is behind it comes anew. */
static void let_go(struct kb_dialect *d)
{
	char held[KB_DIALECT_HELD];
	size_t n = d->held_n, i = 0;
	bool tag = strchr("<[", d->held[0]) != NULL;

	memcpy(held, d->held, n);
	d->held_n = 0;
	do
		say(d, held[i++]);
	while (!tag && i + 1 < n);
	while (i < n)
		step(d, held[i++]);
}

static void settle(struct kb_dialect *d)
{
	struct kb_sv held = kb_sv(d->held, d->held_n);
	enum verdict verdict =
	        strchr("<[", held.p[0]) ? look_at_tag(d, held) : look_at_word(d, held);

	if (verdict == TEXT || (verdict == MORE && d->held_n == sizeof(d->held)))
		let_go(d);
}

/* Whether a word may begin here that names a source. */
static bool begins_word(const struct kb_dialect *d, char c)
{
	return (d->fresh || !d->any) && c && strchr("sSiIrRcCqQfF", c);
}

static void step(struct kb_dialect *d, char c)
{
	if (d->over)
		return;
	if (d->held_n) {
		d->held[d->held_n++] = c;
		settle(d);
		return;
	}
	if (d->in_role && c != '<') {
		d->in_role = c != '\n';
		return;
	}
	d->in_role = false;
	if (!d->fence && !d->span && !d->ticks && (c == '<' || c == '[' || begins_word(d, c))) {
		d->held[d->held_n++] = c;
		settle(d);
		return;
	}
	say(d, c);
}

/* ---- the whole ---- */

void kb_dialect_init(struct kb_dialect *dialect, void (*emit)(void *arg, struct kb_sv text),
                     void *arg)
{
	*dialect = (struct kb_dialect){ .emit = emit, .arg = arg };
}

void kb_dialect_feed(struct kb_dialect *dialect, struct kb_sv text)
{
	for (size_t i = 0; i < text.n; i++)
		step(dialect, text.p[i]);
	hand_on(dialect);
}

void kb_dialect_end(struct kb_dialect *dialect)
{
	while (dialect->held_n) {
		struct kb_sv held = kb_sv(dialect->held, dialect->held_n);
		size_t n = strchr("<[", held.p[0]) ? 0 : named(held);

		if (n) {
			take_named(dialect, n);
		} else if (kb_sv_starts(held, KB_SV("<|")) || kb_sv_istarts(held, KB_SV("<sour"))
		           || kb_sv_istarts(held, KB_SV("</s"))
		           || kb_sv_istarts(held, KB_SV("<end_"))) {
			dialect->held_n = 0; /* it was cut off */
		} else {
			let_go(dialect);
		}
	}
	close_source(dialect);
	hand_on(dialect);
}
