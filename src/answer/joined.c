#include "answer/joined.h"

#include "answer/blocks.h"
#include "answer/excerpt.h"
#include "answer/layout.h"
#include "index/sentence.h"

enum {
	FACT_MAX = 700, /* letters of a place with what is joined to it */
	SECTION_MAX = 1500,
	LINES_MAX = 24, /* of one side */
	LEAD_MAX = 240, /* bytes of a line that leads to a list */
};

struct join {
	struct kb_arena *arena;
	const struct kb_snapshot *snapshot;
	struct kb_candidate *candidates; /* the step's, and what is joined */
	size_t count;
	struct kb_answer_part *parts; /* what is said so far */
	size_t part_count;
};

static const struct kb_passage *passage_of(const struct join *j, uint32_t candidate)
{
	return &j->candidates[candidate].passage;
}

/* The passage that stands by so many behind it in its document; NULL: none. Passages of a page lie
 * one after another in their segment; a file that was searched alone is not in this snapshot. */
static struct kb_candidate *beside(struct join *j, uint32_t candidate, int by)
{
	struct kb_candidate *from = &j->candidates[candidate], *to = &j->candidates[j->count];
	int64_t doc = (int64_t)from->doc + by, page = from->passage.page_id;

	if (doc < 0 || (by < 0 && from->passage.ordinal == 0)
	    || kb_snapshot_page(j->snapshot, from->part, from->doc) != page
	    || kb_snapshot_page(j->snapshot, from->part, (uint32_t)doc) != page)
		return NULL;
	*to = *from;
	to->doc = (uint32_t)doc;
	if (!kb_snapshot_passage(j->snapshot, j->arena, to->part, to->doc, &to->passage, NULL)
	    || (int64_t)to->passage.ordinal != (int64_t)from->passage.ordinal + by)
		return NULL;
	return to;
}

/* ---- lines ---- */

struct line {
	uint32_t start, end; /* without blanks and debris */
	const struct kb_line_mark *mark;
};

static struct line line_at(const struct kb_passage *passage, size_t from, size_t end)
{
	struct kb_sv text = passage->text, line = kb_sv_trim(kb_sv_sub(text, from, end - from));
	struct line out = { .start = (uint32_t)(line.n ? (size_t)(line.p - text.p) : from) };

	out.mark = kb_passage_mark(passage, out.start);
	if (!out.mark || out.mark->kind != KB_MARK_CODE)
		line = kb_excerpt_trim(line);
	out.end = out.start + (uint32_t)line.n;
	return out;
}

/* The line that ends at `end`, a line's end, or begins at `from`; both empty: there is none. */
static struct line line_before(const struct kb_passage *passage, size_t end)
{
	size_t from;

	while (end > 0 && (passage->text.p[end - 1] == '\n' || passage->text.p[end - 1] == ' '))
		end--;
	for (from = end; from > 0 && passage->text.p[from - 1] != '\n';)
		from--;
	return line_at(passage, from, end);
}

static struct line line_from(const struct kb_passage *passage, size_t from)
{
	size_t end;

	while (from < passage->text.n && passage->text.p[from] == '\n')
		from++;
	for (end = from; end < passage->text.n && passage->text.p[end] != '\n';)
		end++;
	return line_at(passage, from, end);
}

static struct kb_sv text_of(const struct kb_passage *passage, struct line line)
{
	return kb_sv_sub(passage->text, line.start, line.end - line.start);
}

static bool is_listed(struct line line)
{
	return line.end > line.start && line.mark && line.mark->kind != KB_MARK_HEADING;
}

static bool is_item(const struct kb_line_mark *mark)
{
	return mark && mark->kind == KB_MARK_ITEM;
}

/* Leads to the list behind it. */
static bool leads(struct line line)
{
	return line.end > line.start && line.end - line.start <= LEAD_MAX && !is_listed(line);
}

/* Whether the second passage goes on with the section that the first ends in: it has the first
 * one's headings, or those and one that stands in the first one's text. */
static bool is_one_section(const struct kb_passage *first, const struct kb_passage *second)
{
	struct kb_sv own = KB_SV("");

	for (size_t i = 0; i < first->mark_count; i++)
		if (first->marks[i].kind == KB_MARK_HEADING)
			own = text_of(first, line_from(first, first->marks[i].at));
	return own.n ? kb_sv_ends(second->heading, own) : kb_sv_eq(first->heading, second->heading);
}

/* ---- what is said ---- */

static bool is_said(const struct join *j, const struct kb_candidate *in, uint32_t start)
{
	for (size_t i = 0; i < j->part_count; i++) {
		const struct kb_candidate *from = &j->candidates[j->parts[i].candidate];

		if (from->part == in->part && from->doc == in->doc && j->parts[i].start <= start
		    && start < j->parts[i].end)
			return true;
	}
	return false;
}

static void say(struct join *j, uint32_t candidate, uint32_t start, uint32_t end)
{
	if (!is_said(j, &j->candidates[candidate], start))
		j->parts[j->part_count++] = (struct kb_answer_part){ candidate, start, end };
}

/* What the passage before has of the list that the place begins with; nothing unless all of it has
 * room. */
static void join_before(struct join *j, const struct kb_answer_part *first, size_t *letters)
{
	const struct kb_passage *passage = passage_of(j, first->candidate);
	const struct kb_line_mark *mark = kb_passage_mark(passage, first->start);
	struct line lines[LINES_MAX], line;
	struct kb_candidate *from;
	size_t n = 0, more = 0;
	bool whole = false;

	if (!mark || mark != passage->marks || mark->at != 0 || mark->kind == KB_MARK_HEADING)
		return;
	from = beside(j, first->candidate, -1);
	if (!from || !is_one_section(&from->passage, passage))
		return;
	for (size_t end = from->passage.text.n; n < LINES_MAX && !whole; end = line.start) {
		line = line_before(&from->passage, end);
		whole = !is_listed(line);
		if (whole && !leads(line))
			break;
		lines[n++] = line;
		more += kb_line_letters(text_of(&from->passage, line)) + 1;
	}
	/* A paragraph alone is none of it. */
	if (n == 1 && !is_listed(lines[0]) && !kb_introduces(text_of(&from->passage, lines[0])))
		return;
	if (!n || !whole || *letters < more || is_said(j, from, lines[n - 1].start))
		return;
	*letters -= more;
	while (n-- > 0)
		say(j, (uint32_t)j->count, lines[n].start, lines[n].end);
	j->count++;
}

/* What the passage behind has of the list that the place ends with, or leads to at its end. */
static void join_behind(struct join *j, const struct kb_answer_part *last, size_t *letters)
{
	const struct kb_passage *passage = passage_of(j, last->candidate);
	struct line end = line_before(passage, passage->text.n), line;
	struct kb_candidate *from;
	size_t n = 0;

	if (last->end < end.end || !(is_listed(end) || kb_introduces(text_of(passage, end))))
		return;
	from = beside(j, last->candidate, 1);
	if (!from || !is_one_section(passage, &from->passage))
		return;
	for (size_t at = 0; n < LINES_MAX; n++, at = line.end) {
		size_t more;

		line = line_from(&from->passage, at);
		more = kb_line_letters(text_of(&from->passage, line)) + 1;
		/* The next list begins anew. */
		if (!is_listed(line) || more > *letters
		    || (is_item(line.mark) && line.mark->number == 1 && line.mark->depth == 1
		        && is_listed(end)))
			break;
		*letters -= more;
		say(j, (uint32_t)j->count, line.start, line.end);
	}
	j->count += n > 0;
}

/* Whether the line is one more item of a list that stands right behind it, or before it. */
static bool is_more(const struct join *j, const struct kb_candidate *in, struct line line)
{
	return line.end > line.start && is_item(line.mark) && !is_said(j, in, line.start);
}

static bool goes_on_before(struct join *j, const struct kb_answer_part *first)
{
	const struct kb_candidate *in = &j->candidates[first->candidate], *from;
	const struct kb_line_mark *mark = kb_passage_mark(&in->passage, first->start);
	struct line line;

	if (!is_item(mark) || (mark->number == 1 && mark->depth == 1))
		return false;
	line = line_before(&in->passage, first->start);
	if (line.end > line.start)
		return is_more(j, in, line);
	from = beside(j, first->candidate, -1);
	return from && is_one_section(&from->passage, &in->passage)
	       && is_more(j, from, line_before(&from->passage, from->passage.text.n));
}

static bool goes_on_behind(struct join *j, const struct kb_answer_part *last)
{
	const struct kb_candidate *in = &j->candidates[last->candidate], *from;
	struct kb_sv rest = kb_sv_from(in->passage.text, last->end), line_rest;
	struct line line;

	kb_sv_split(&rest, '\n', &line_rest);
	line = line_from(&in->passage, in->passage.text.n - rest.n);
	if (line.end == line.start) {
		from = beside(j, last->candidate, 1);
		if (!from || !is_one_section(&in->passage, &from->passage))
			return false;
		in = from;
		line = line_from(&in->passage, 0);
	}
	return is_more(j, in, line) && !(line.mark->number == 1 && line.mark->depth == 1);
}

/* An item alone says what was asked; of several one would think that they are all. */
static void tell_cut(struct join *j, size_t first)
{
	size_t items = 0;

	for (size_t i = first; i < j->part_count; i++)
		items += is_item(
		        kb_passage_mark(passage_of(j, j->parts[i].candidate), j->parts[i].start));
	if (items < 2)
		return;
	j->parts[first].more_before = goes_on_before(j, &j->parts[first]);
	j->parts[j->part_count - 1].more_behind = goes_on_behind(j, &j->parts[j->part_count - 1]);
}

void kb_answer_join(struct kb_arena *arena, const struct kb_snapshot *snapshot, enum kb_shape shape,
                    struct kb_joined *io)
{
	size_t most = shape == KB_SHAPE_SECTION ? SECTION_MAX : FACT_MAX;
	size_t places = io->part_count;
	struct join j = { arena, snapshot, .count = io->count };

	if (!places)
		return;
	/* One to look at. */
	j.candidates = KB_NEW_ARRAY(arena, j.count + 2 * places + 1, struct kb_candidate);
	for (size_t i = 0; i < j.count; i++)
		j.candidates[i] = io->candidates[i];
	j.parts = KB_NEW_ARRAY(arena, places * (1 + 2 * LINES_MAX), struct kb_answer_part);
	for (size_t i = 0, end; i < io->part_count; i = end) {
		size_t said = 0, room, first = j.part_count;

		for (end = i; end < io->part_count; end++) {
			if (end > i
			    && !kb_layout_goes_on(j.candidates, &io->parts[end - 1],
			                          &io->parts[end]))
				break;
			said += io->parts[end].end - io->parts[end].start;
		}
		room = most > said ? most - said : 0;
		join_before(&j, &io->parts[i], &room);
		for (size_t k = i; k < end; k++)
			say(&j, io->parts[k].candidate, io->parts[k].start, io->parts[k].end);
		join_behind(&j, &io->parts[end - 1], &room);
		tell_cut(&j, first);
	}
	io->joined = j.count - io->count;
	io->candidates = j.candidates;
	io->parts = j.parts;
	io->part_count = j.part_count;
}
