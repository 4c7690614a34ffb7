/* Which of the scored sentences are said. */
#include "answer/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "index/sentence.h"

enum {
	WINDOWS = 3,
	WINDOW_MAX = 700, /* letters of one with what belongs to it */
	LEAD_MAX = 300,   /* letters that are gone back for its beginning */
	HEADING_MAX = 120,
	LABEL_MAX = 80, /* bytes of a heading between sections */
	WIDE = 2,       /* letters that a character of a script without blanks is worth */
};

/* Of each shape: letters of the best window, the second and the third; and how likely the others
 * must be to hold the answer, against the best. Another passage is one more source to be wrong
 * about. */
static const struct form {
	size_t letters[WINDOWS];
	double likely;
} forms[] = {
	[KB_SHAPE_FACT] = { { 260, 200, 200 }, .3 },
	[KB_SHAPE_SECTION] = { { 500, 350, 300 }, .03 },
};

/* Of the best sentence of a fact's window, what one at its end must be as likely as. */
#define BESIDE 0.05

/* What the search says counts beside what the sentences do: z for the whole of its score. */
#define SEARCH_Z 4.0

/* A sentence in its place. */
struct unit {
	const struct kb_scored_sentence *s;
	struct kb_sv text;
	double mass; /* how likely it answers, against the best */
	size_t letters;
	bool first, line; /* of its passage; a whole line of it */
	bool heading;     /* of what follows */
	bool said;
};

struct window {
	size_t first, end; /* units */
	double mass;
};

static int in_order(const void *a, const void *b)
{
	const struct unit *x = a, *y = b;

	if (x->s->candidate != y->s->candidate)
		return x->s->candidate < y->s->candidate ? -1 : 1;
	return x->s->start < y->s->start ? -1 : x->s->start > y->s->start;
}

static size_t letters_of(struct kb_sv text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.n;) {
		uint32_t cp;

		i += kb_utf8_decode(kb_sv_from(text, i), &cp);
		count += cp >= 0x2e80 ? WIDE : 1;
	}
	return count;
}

static bool is_line(struct kb_sv text, uint32_t start, uint32_t end)
{
	return (start == 0 || text.p[start - 1] == '\n') && (end == text.n || text.p[end] == '\n');
}

/* What the search says of a passage. Of a section its words may all be others than the question's;
 * a fact is told in the question's words or not at all. */
static double found(const struct kb_selection *selection, const struct kb_candidate *candidate)
{
	return (double)(selection->shape == KB_SHAPE_SECTION ? candidate->meant : candidate->score);
}

/* A line that ends in no stop: a heading, an item, a row, code. */
static bool is_open_line(const struct unit *unit)
{
	return unit->line && !kb_ends_in_stop(unit->text) && !kb_introduces(unit->text);
}

/* A few words that may be a heading, and no item, row or code: no signs, and no digits but those of
 * one word at the end ("Chapter 12", "ERR-4012"). */
static bool is_label(struct kb_sv text)
{
	struct kb_sv last = text;
	ptrdiff_t blank;

	if (text.n > LABEL_MAX || kb_states(text))
		return false;
	while ((blank = kb_sv_find_byte(last, ' ')) >= 0)
		last = kb_sv_from(last, (size_t)blank + 1);
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if ((c && strchr(":;|=<>{}[]()*`$#@/\\+", c)) || (i == 0 && c == '-'))
			return false;
		if (c >= '0' && c <= '9' && text.p + i < last.p)
			return false;
	}
	return true;
}

/* Lines between two whole sentences, of which the first ends what was said: a heading stands alone,
 * items and rows in a row. What it has for the answer, the sentence under it has. */
static void find_headings(struct unit *units, size_t count)
{
	for (size_t i = 1; i + 1 < count; i++) {
		struct unit *unit = &units[i], *next = unit + 1;
		const struct unit *before = unit - 1;

		if (unit->first || next->first || !is_open_line(unit) || !is_label(unit->text)
		    || !kb_ends_in_stop(before->text) || !kb_ends_in_stop(next->text))
			continue;
		unit->heading = true;
		next->mass += unit->mass;
		unit->mass = 0;
	}
}

static struct unit *units_of(struct kb_arena *arena, const struct kb_candidate *candidates,
                             const struct kb_selection *selection)
{
	struct unit *units = KB_NEW_ARRAY(arena, selection->count, struct unit);
	double best = (double)selection->sentences[0].z;
	double top = 0;

	for (size_t i = 0; i < selection->count; i++)
		top = KB_MAX(top, found(selection, &candidates[selection->sentences[i].candidate]));
	for (size_t i = 0; i < selection->count; i++) {
		const struct kb_scored_sentence *s = &selection->sentences[i];
		const struct kb_candidate *from = &candidates[s->candidate];
		double relative = top > 0 ? found(selection, from) / top - 1 : 0;

		units[i] = (struct unit){
			.s = s,
			.text = kb_sv_sub(from->passage.text, s->start, s->end - s->start),
			.mass = exp((double)s->z - best + SEARCH_Z * relative),
			.line = is_line(from->passage.text, s->start, s->end),
		};
		units[i].letters = letters_of(units[i].text) + 1;
	}
	qsort(units, selection->count, sizeof(*units), in_order);
	for (size_t i = 0; i < selection->count; i++)
		units[i].first = i == 0 || units[i - 1].s->candidate != units[i].s->candidate;
	find_headings(units, selection->count);
	return units;
}

/* The likeliest run of sentences of one passage that has room; none of it has been said. */
static struct window best_window(const struct unit *units, size_t count, size_t letters)
{
	struct window best = { 0 };

	/* Of two as likely the one that begins later: nothing is said that does not count. */
	for (size_t i = count; i-- > 0;) {
		struct window w = { .first = i };
		size_t used = 0;

		for (size_t k = i; k < count && (k == i || !units[k].first) && !units[k].said
		                   && !units[k].heading;
		     k++) {
			used += units[k].letters;
			if (k > i && used > letters)
				break;
			w.mass += units[k].mass;
			w.end = k + 1;
			if (w.mass > best.mass)
				best = w;
		}
	}
	return best;
}

static size_t window_size(const struct unit *units, const struct window *w)
{
	size_t sum = 0;

	for (size_t i = w->first; i < w->end; i++)
		sum += units[i].letters;
	return sum;
}

/* Back to the beginning of a list, or to the sentence that introduces it or that a pronoun refers
 * to; never over a heading. */
static void take_lead(const struct unit *units, struct window *w)
{
	size_t first = w->first, room = window_size(units, w), lead = 0;

	while (!units[first].first && !units[first - 1].said && !units[first - 1].heading) {
		const struct unit *unit = &units[first], *before = unit - 1;

		lead += before->letters;
		if (lead > LEAD_MAX || room + lead > WINDOW_MAX)
			return;
		if (kb_introduces(before->text) || unit->s->leans) {
			w->first = first - 1;
			return;
		}
		if (!is_open_line(before)) {
			/* What stands before code or items belongs to them. */
			if (is_open_line(unit))
				w->first = first - 1;
			return;
		}
		w->first = --first;
	}
}

/* Sentences at either end of a fact's window that do not answer themselves. A line that is no
 * sentence says little without those beside it. */
static void keep_facts(const struct unit *units, struct window *w)
{
	const struct unit *best = &units[w->first];

	for (size_t i = w->first; i < w->end; i++)
		if (units[i].mass > best->mass)
			best = &units[i];
	if (is_open_line(best))
		return;
	while (units[w->first].mass < BESIDE * best->mass)
		w->first++;
	while (units[w->end - 1].mass < BESIDE * best->mass)
		w->end--;
}

/* The rest of a list or of code, and what a colon promises. */
static void take_rest(const struct unit *units, size_t count, struct window *w)
{
	size_t used = window_size(units, w);

	while (w->end < count && !units[w->end].first && !units[w->end].said
	       && !units[w->end].heading) {
		const struct unit *last = &units[w->end - 1], *next = last + 1;
		bool goes_on =
		        kb_introduces(last->text)
		        || (is_open_line(last) && is_open_line(next) && w->end - w->first > 1);

		used += next->letters;
		if (!goes_on || used > WINDOW_MAX)
			break;
		w->end++;
	}
}

/* A heading, question or introduction at the end, whose text is not there. */
static void drop_loose_end(const struct unit *units, size_t count, struct window *w)
{
	while (w->end - w->first > 1 && w->end < count && !units[w->end].first) {
		const struct unit *last = &units[w->end - 1], *before = last - 1;
		bool asks = last->line && last->text.n <= HEADING_MAX
		            && kb_sv_ends(last->text, KB_SV("?"));

		if (!kb_introduces(last->text) && !asks
		    && !(is_open_line(last) && last->text.n <= HEADING_MAX
		         && !is_open_line(before)))
			return;
		w->end--;
	}
}

/* Whether an earlier part says the same words. */
static bool is_repeated(const struct unit *units, const struct unit *unit,
                        const struct window *windows, size_t count)
{
	for (size_t w = 0; w < count; w++)
		for (size_t i = windows[w].first; i < windows[w].end; i++)
			if (kb_sv_eq(units[i].text, unit->text))
				return true;
	return false;
}

void kb_answer_parts(struct kb_arena *arena, const struct kb_candidate *candidates,
                     const struct kb_selection *selection, struct kb_answer_part **out,
                     size_t *count)
{
	struct unit *units;
	struct window windows[WINDOWS];
	const struct form *form = &forms[selection->shape];
	size_t n = selection->count, parts = 0, found = 0;

	*out = NULL;
	*count = 0;
	if (!selection->answered || n == 0)
		return;
	units = units_of(arena, candidates, selection);
	for (; found < WINDOWS; found++) {
		struct window *w = &windows[found];

		*w = best_window(units, n, form->letters[found]);
		if (w->end == 0 || w->mass < form->likely * windows[0].mass)
			break;
		if (selection->shape == KB_SHAPE_FACT)
			keep_facts(units, w);
		take_lead(units, w);
		take_rest(units, n, w);
		drop_loose_end(units, n, w);
		parts += w->end - w->first;
		for (size_t i = 0; i < n; i++)
			units[i].said = units[i].said || (i >= w->first && i < w->end)
			                || is_repeated(units, &units[i], w, 1);
	}
	*out = KB_NEW_ARRAY(arena, parts, struct kb_answer_part);
	for (size_t w = 0; w < found; w++)
		for (size_t i = windows[w].first; i < windows[w].end; i++)
			(*out)[(*count)++] =
			        (struct kb_answer_part){ units[i].s->candidate, units[i].s->start,
				                         units[i].s->end };
}
