/* Which of the scored sentences are said. */
#include "answer/parts.h"

#include <math.h>
#include <stdlib.h>

#include "answer/blocks.h"
#include "answer/excerpt.h"
#include "index/sentence.h"

enum {
	PLACES = 3,
	PROSE_MAX = 700, /* letters of a place; of one with a list or a table LIST_MAX */
	LIST_MAX = 1500,
	LEAD_MAX = 240,  /* letters of a paragraph that leads to a list */
	REST_MAX = 300,  /* letters to its end */
	SHORT = 60,      /* letters of an answer that says too little by itself */
	LABEL_MAX = 120, /* bytes of a line that leads to what is not there */
};

/* Of each shape: letters among which the best place is sought, and those of the two further ones;
 * how many a list may have to be said whole; how many are gone back to where a paragraph begins,
 * for a fact comes first, and on to its end, where the next fact may be another thing's; what is
 * too little, so that the next block is taken; and how likely further places must be to hold the
 * answer, against the best. Another passage is one more source to be wrong about. */
static const struct form {
	size_t letters[PLACES];
	size_t list, start, rest, more;
	double likely;
} forms[2][2] = {
	{
	        [KB_SHAPE_FACT] = { { 260, 200, 200 }, PROSE_MAX, 100, 100, SHORT, .15 },
	        [KB_SHAPE_SECTION] = { { 500, 350, 300 },
	                               LIST_MAX,
	                               LEAD_MAX,
	                               REST_MAX,
	                               PROSE_MAX,
	                               .04 },
	},
	/* Of sentences whose vectors are known, which tell better where an answer begins. */
	{
	        [KB_SHAPE_FACT] = { { 260, 200, 200 }, PROSE_MAX, 100, 100, SHORT, .15 },
	        [KB_SHAPE_SECTION] = { { 400, 250, 200 }, LIST_MAX, LEAD_MAX, REST_MAX, 500, .04 },
	},
};

/* Of the best sentence of a place, what one at its ends must be as likely as, and a row of a table
 * beside it. */
#define BESIDE 0.05
#define ROW    0.15

/* And one that tells what is asked for, to be said first in its place. */
#define TELLING 0.5

/* What the search says counts beside what the sentences do, z for the whole of its score, unless
 * they are scored with the cosines of their passages: these tell it better, and it is said once. */
#define SEARCH_Z 4.0

/* Scores that see vectors of sentences are surer of one than its block is of being it all. */
#define SURER 0.8

/* How likely the last place of a section must be where it stands in another document than the
 * first: there most speaks of something else. */
#define ELSEWHERE 0.15

/* How likely a further place must be where a name alone is asked for: most speak of it, few say
 * what it is. */
#define DEFINING 0.5

/* A sentence in its place, or of one that goes over marked lines what is in one of them. */
struct unit {
	const struct kb_scored_sentence *s;
	uint32_t start;    /* in its passage */
	struct kb_sv text; /* without debris at its end; empty: nothing else is there */
	double mass;       /* how likely it answers, against the best */
	size_t letters;
	const struct kb_line_mark *mark; /* of the line that it opens; NULL: none */
	bool first, opens;               /* its passage; a line of it */
	bool said;                       /* or not to be */
};

struct text {
	struct unit *units;
	size_t count;
	size_t *before; /* letters before each of them, and of all */
	struct kb_lines lines;
	const struct form *form;
	bool by_vectors; /* of all that the sentences stand in */
	enum kb_shape shape;
	enum kb_asks asks;
	enum kb_lang lang;
};

/* A run of sentences of one passage. */
struct place {
	size_t first, end, core; /* core: the likeliest */
	double mass;
};

static int in_order(const void *a, const void *b)
{
	const struct unit *x = a, *y = b;

	if (x->s->candidate != y->s->candidate)
		return x->s->candidate < y->s->candidate ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

/* What the search says of a passage. Of a section its words may all be others than the question's;
 * a fact is told in the question's words or not at all. */
static double found(const struct kb_selection *selection, const struct kb_candidate *candidate)
{
	return (double)(selection->shape == KB_SHAPE_SECTION ? candidate->meant : candidate->score);
}

static const struct kb_line *line_of(const struct text *t, size_t unit)
{
	return &t->lines.v[t->lines.of[unit]];
}

static bool is_head(const struct text *t, size_t unit)
{
	return line_of(t, unit)->kind == KB_LINE_HEAD;
}

/* What a heading has for the answer, the sentence under it has. */
static void find_lines(struct kb_arena *arena, struct text *t)
{
	struct kb_line_sentence *all = KB_NEW_ARRAY(arena, t->count, struct kb_line_sentence);

	for (size_t i = 0; i < t->count; i++)
		all[i] = (struct kb_line_sentence){ t->units[i].text, t->units[i].letters,
			                            t->units[i].opens, t->units[i].first,
			                            t->units[i].mark };
	kb_lines_find(arena, all, t->count, &t->lines);
	for (size_t i = 0; i + 1 < t->count; i++)
		if (is_head(t, i)) {
			t->units[i + 1].mass += t->units[i].mass;
			t->units[i].mass = 0;
		}
}

static bool have_vectors(const struct kb_candidate *candidates,
                         const struct kb_selection *selection)
{
	for (size_t i = 0; i < selection->count; i++)
		if (!(candidates[selection->sentences[i].candidate].cosine > 0))
			return false;
	return true;
}

/* Where the sentence's next line begins that its document marks, or that stands behind code, from
 * `from` on; its end: nowhere. Where an introduction is long and its code begins with a small
 * letter, both are one sentence to who scores them, and so is code with what goes on behind it. */
static uint32_t next_line(const struct kb_passage *passage, const struct kb_scored_sentence *s,
                          uint32_t from)
{
	const struct kb_line_mark *at = kb_passage_mark(passage, from);
	uint32_t end = s->end;

	for (size_t i = 0; at && at->kind == KB_MARK_CODE && i < end - from; i++)
		if (passage->text.p[from + i] == '\n')
			end = from + (uint32_t)i + 1;
	for (size_t i = 0; i < passage->mark_count; i++)
		if (passage->marks[i].at > from && passage->marks[i].at < end)
			return passage->marks[i].at;
	return end;
}

static size_t lines_in(const struct kb_passage *passage, const struct kb_scored_sentence *s)
{
	size_t n = 1;

	for (uint32_t at = s->start; (at = next_line(passage, s, at)) < s->end;)
		n++;
	return n;
}

/* One unit of what the sentence has in [start, end). */
static struct unit unit_of(const struct kb_passage *passage, const struct kb_scored_sentence *s,
                           uint32_t start, uint32_t end)
{
	struct unit unit = { .s = s, .start = start, .said = s->other };
	struct kb_sv text;

	while (unit.start < end && passage->text.p[unit.start] <= ' '
	       && passage->text.p[unit.start] > 0)
		unit.start++;
	text = kb_sv_trim(kb_sv_sub(passage->text, unit.start, end - unit.start));
	unit.mark = kb_passage_mark(passage, unit.start);
	unit.opens = unit.mark || unit.start == 0 || passage->text.p[unit.start - 1] == '\n';
	unit.text = unit.mark && unit.mark->kind == KB_MARK_CODE ? text : kb_excerpt_trim(text);
	unit.letters = kb_line_letters(unit.text) + 1;
	return unit;
}

static void read_units(struct kb_arena *arena, const struct kb_candidate *candidates,
                       const struct kb_selection *selection, struct text *t)
{
	double best = (double)selection->sentences[0].z, top = 0;
	struct unit *units;
	size_t count = 0;

	for (size_t i = 0; i < selection->count; i++) {
		const struct kb_scored_sentence *s = &selection->sentences[i];

		top = KB_MAX(top, found(selection, &candidates[s->candidate]));
		count += lines_in(&candidates[s->candidate].passage, s);
	}
	units = KB_NEW_ARRAY(arena, count, struct unit);
	for (size_t i = 0; i < selection->count; i++) {
		const struct kb_scored_sentence *s = &selection->sentences[i];
		const struct kb_candidate *from = &candidates[s->candidate];
		double relative = top > 0 && !t->by_vectors ? found(selection, from) / top - 1 : 0;
		double z = ((double)s->z - best) * (t->by_vectors ? SURER : 1);
		size_t lines = lines_in(&from->passage, s);

		for (uint32_t at = s->start, end; at < s->end; at = end) {
			struct unit *unit = &units[t->count++];

			end = next_line(&from->passage, s, at);
			*unit = unit_of(&from->passage, s, at, end);
			if (unit->text.n)
				unit->mass = exp(z + SEARCH_Z * relative) / (double)lines;
		}
	}
	qsort(units, t->count, sizeof(*units), in_order);
	t->before = KB_NEW_ARRAY(arena, t->count + 1, size_t);
	for (size_t i = 0; i < t->count; i++) {
		units[i].first = i == 0 || units[i - 1].s->candidate != units[i].s->candidate;
		t->before[i + 1] = t->before[i] + units[i].letters;
	}
	t->units = units;
	find_lines(arena, t);
}

/* ---- where the answer is ---- */

/* The likeliest run of sentences of one passage that has room; none of it has been said. */
static struct place best_place(const struct text *t, size_t letters)
{
	const struct unit *units = t->units;
	struct place best = { 0 };

	/* Of two as likely the one that begins later: nothing is said that does not count. */
	for (size_t i = t->count; i-- > 0;) {
		struct place p = { .first = i };
		size_t used = 0;

		for (size_t k = i; k < t->count && (k == i || !units[k].first) && !units[k].said
		                   && !is_head(t, k);
		     k++) {
			used += units[k].letters;
			if (k > i && used > letters)
				break;
			p.mass += units[k].mass;
			p.end = k + 1;
			if (p.mass > best.mass)
				best = p;
		}
	}
	best.core = best.first;
	for (size_t i = best.first; i < best.end; i++)
		if (units[i].mass > units[best.core].mass)
			best.core = i;
	return best;
}

static size_t size_of(const struct text *t, size_t first, size_t end)
{
	return t->before[end] - t->before[first];
}

/* Sentences at either end that do not answer themselves. */
static void trim(const struct text *t, struct place *p)
{
	double least = BESIDE * t->units[p->core].mass;

	while (p->first < p->core && t->units[p->first].mass < least)
		p->first++;
	while (p->end - 1 > p->core && t->units[p->end - 1].mass < least)
		p->end--;
}

static bool tells(const struct text *t, size_t unit)
{
	return kb_asks_told(t->asks, t->lang, t->units[unit].text);
}

/* ---- from there to whole blocks ---- */

static bool is_listed(const struct text *t, size_t unit)
{
	enum kb_line_kind kind = line_of(t, unit)->kind;

	return kind == KB_LINE_ITEM || kind == KB_LINE_CODE || kind == KB_LINE_ROW;
}

/* Whether nothing of it has been said. */
static bool is_new(const struct text *t, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		if (t->units[i].said)
			return false;
	return true;
}

/* Of the line that leads to a list, its last sentence where it is a long one. */
static size_t lead_of(const struct text *t, size_t line)
{
	const struct kb_line *one = &t->lines.v[line];

	return one->letters > LEAD_MAX ? one->end - 1 : one->first;
}

/* The list, table or code that the sentence stands in, from the line that leads to it: whole, or
 * where it has no room as much as has, the sentence in it. */
static void take_list(const struct text *t, struct place *p, size_t unit)
{
	size_t first, end, from, to;

	kb_lines_block(&t->lines, t->lines.of[unit], &first, &end);
	from = t->lines.v[first].first;
	to = t->lines.v[end - 1].end;
	if (!kb_line_needs_others(t->lines.v[first].kind) && end - first > 1
	    && t->lines.v[first].kind != KB_LINE_ROW)
		from = lead_of(t, first);
	while (to > unit + 1 && size_of(t, from, to) > t->form->list)
		to = line_of(t, to - 1)->first;
	to = KB_MAX(to, unit + 1);
	while (from < line_of(t, unit)->first && size_of(t, from, to) > t->form->list)
		from = line_of(t, from)->end;
	while (from < unit && !is_new(t, from, unit))
		from++;
	while (to > unit + 1 && !is_new(t, unit + 1, to))
		to--;
	p->first = KB_MIN(p->first, from);
	p->end = KB_MAX(p->end, to);
}

/* Back to where its paragraph begins, or to the sentence that a pronoun refers to. */
static void take_start(const struct text *t, struct place *p)
{
	size_t start = line_of(t, p->first)->first;
	size_t back = size_of(t, start, p->first);

	if (back <= t->form->start && is_new(t, start, p->first))
		p->first = start;
	else if (t->units[p->first].s->leans && !t->units[p->first - 1].said)
		p->first--;
}

/* The question that a few words answer. */
static void take_question(const struct text *t, struct place *p)
{
	const struct kb_line *line = line_of(t, p->first);

	if (p->first == line->first && !line->starts && line->letters <= SHORT
	    && line_of(t, p->first - 1)->kind == KB_LINE_ASKS && !t->units[p->first - 1].said)
		p->first--;
}

/* On to the end of its paragraph. */
static void take_end(const struct text *t, struct place *p)
{
	size_t end = line_of(t, p->end - 1)->end;

	if (size_of(t, p->end, end) <= t->form->rest && size_of(t, p->first, end) <= PROSE_MAX
	    && is_new(t, p->end, end))
		p->end = end;
}

/* The blocks that follow in the section, each whole, as long as there are too few letters and they
 * are not used up. */
static void take_more(const struct text *t, struct place *p, size_t letters)
{
	while (p->end < t->count && !t->units[p->end].first && !is_head(t, p->end)
	       && line_of(t, p->end)->kind != KB_LINE_ASKS
	       && size_of(t, p->first, p->end) < t->form->more) {
		size_t first, end, to;

		kb_lines_block(&t->lines, t->lines.of[p->end], &first, &end);
		to = t->lines.v[end - 1].end;
		if (size_of(t, p->first, to) > letters || !is_new(t, p->end, to))
			return;
		p->end = to;
	}
}

/* A few words that lead to what is not there: an introduction, a question, a heading, or one that
 * is set into its paragraph ("What is not."). */
static bool is_loose(const struct text *t, const struct place *p)
{
	const struct unit *last = &t->units[p->end - 1];
	const struct kb_line *line = line_of(t, p->end - 1);
	bool short_line = last->opens && last->text.n <= LABEL_MAX;

	if (kb_introduces(last->text))
		return true;
	if (p->end == t->count || t->units[p->end].first)
		return false;
	return (short_line && kb_asks(last->text))
	       || (short_line && p->end < line->end && last->letters <= SHORT)
	       || (short_line && line->kind == KB_LINE_PROSE && !kb_ends_in_stop(last->text));
}

/* Whether the sentence is of the list, table or code that the likeliest is in. */
static bool is_beside(const struct text *t, const struct place *p, size_t unit)
{
	size_t first, end, line = t->lines.of[unit];

	kb_lines_block(&t->lines, t->lines.of[p->core], &first, &end);
	return line >= first && line < end;
}

static void make_whole(const struct text *t, struct place *p)
{
	if (kb_line_needs_others(line_of(t, p->core)->kind)
	    || line_of(t, p->core)->kind == KB_LINE_ROW)
		take_list(t, p, p->core);
	if (!is_listed(t, p->first))
		take_start(t, p);
	else if (!is_beside(t, p, p->first))
		take_list(t, p, p->first);
	take_question(t, p);
	if (!is_listed(t, p->end - 1) && !kb_introduces(t->units[p->end - 1].text))
		take_end(t, p);
	else if (!is_beside(t, p, p->end - 1))
		take_list(t, p, p->end - 1);
	/* Steps and tables end where they end. */
	if (!is_listed(t, p->end - 1))
		take_more(t, p, t->form->letters[0]);
	while (p->end - 1 > p->core && is_loose(t, p))
		p->end--;
}

/* Who asks whether or how many hears it first: the place begins with its first sentence that tells,
 * unless that is behind a likelier one. */
static void begin_with_told(const struct text *t, struct place *p)
{
	size_t told = p->first;

	while (told < p->end && line_of(t, told)->kind == KB_LINE_PROSE && !tells(t, told))
		told++;
	if (told == p->end || line_of(t, told)->kind != KB_LINE_PROSE || t->units[told].s->leans
	    || (told > p->core && t->units[told].mass < TELLING * t->units[p->core].mass))
		return;
	p->first = told;
}

/* ---- all of it ---- */

/* Debris, or a row of a table that has nothing for the answer. */
static bool is_idle(const struct text *t, const struct place *p, size_t unit)
{
	if (!t->units[unit].text.n)
		return true;
	return line_of(t, unit)->kind == KB_LINE_ROW
	       && t->units[unit].mass < ROW * t->units[p->core].mass;
}

/* Questions that nothing answers, or one sentence that leads to what is not there. */
static bool says_nothing(const struct text *t, const struct place *p)
{
	size_t asks = p->first;

	while (asks < p->end && line_of(t, asks)->kind == KB_LINE_ASKS)
		asks++;
	return asks == p->end || (p->end - p->first == 1 && kb_introduces(t->units[p->first].text));
}

static void mark_said(struct text *t, const struct place *p)
{
	for (size_t i = 0; i < t->count; i++) {
		if (i >= p->first && i < p->end)
			t->units[i].said = true;
		for (size_t k = p->first; k < p->end && !t->units[i].said; k++)
			t->units[i].said = kb_sv_eq(t->units[i].text, t->units[k].text);
	}
}

static void say(const struct text *t, const struct place *p, struct kb_answer_part *out,
                size_t *count)
{
	for (size_t i = p->first; i < p->end; i++) {
		const struct unit *unit = &t->units[i];

		if (!is_idle(t, p, i))
			out[(*count)++] = (struct kb_answer_part){
				unit->s->candidate,
				unit->start,
				unit->start + (uint32_t)unit->text.n,
			};
	}
}

/* Of a section, and less likely than that has to be. */
static bool is_elsewhere(const struct text *t, const struct kb_candidate *candidates,
                         const struct place *first, const struct place *p)
{
	const struct kb_passage *from = &candidates[t->units[p->core].s->candidate].passage;
	const struct kb_passage *top = &candidates[t->units[first->core].s->candidate].passage;

	return t->shape == KB_SHAPE_SECTION && p->mass < ELSEWHERE * first->mass
	       && from->page_id != top->page_id;
}

void kb_answer_parts(struct kb_arena *arena, const struct kb_candidate *candidates,
                     const struct kb_selection *selection, struct kb_answer_part **out,
                     size_t *count)
{
	bool by_vectors = have_vectors(candidates, selection);
	struct form form = forms[by_vectors][selection->shape];
	struct text t = { .form = &form,
		          .by_vectors = by_vectors,
		          .shape = selection->shape,
		          .asks = selection->asks,
		          .lang = selection->lang };
	struct place first = { 0 };

	*out = NULL;
	*count = 0;
	if (selection->bound && selection->shape == KB_SHAPE_FACT)
		form.start = form.rest = form.more = 0;
	if (selection->asks == KB_ASKS_WHAT)
		form.likely = DEFINING;
	if (!selection->answered || selection->count == 0)
		return;
	read_units(arena, candidates, selection, &t);
	*out = KB_NEW_ARRAY(arena, t.count, struct kb_answer_part);
	for (size_t n = 0; n < PLACES; n++) {
		struct place p = best_place(&t, t.form->letters[n]);

		if (p.end == 0 || p.mass < t.form->likely * first.mass
		    || (n + 1 == PLACES && is_elsewhere(&t, candidates, &first, &p)))
			break;
		first = n == 0 ? p : first;
		trim(&t, &p);
		make_whole(&t, &p);
		begin_with_told(&t, &p);
		if (!says_nothing(&t, &p))
			say(&t, &p, *out, count);
		mark_said(&t, &p);
	}
}
