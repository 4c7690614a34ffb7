#include "view/mark.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "index/unicode.h"

enum {
	FORM_BYTES = 80,  /* of one character's compatibility form */
	AROUND_MAX = 400, /* letters before and behind that are compared */
};

/* A letter or figure, and where it was found: its word and where that stands on the page, or its
 * byte. */
struct letter {
	uint32_t cp, from, y;
	uint16_t x0, x1;
};

struct letters {
	struct letter *v;
	size_t count, capacity;
};

static bool is_content(uint32_t cp)
{
	enum kb_char_kind kind = kb_char_kind(cp);

	return kind != KB_CHAR_BREAK && kind != KB_CHAR_IGNORED;
}

/* Character by character: what the two texts have between their letters differs, and must not
 * change them. */
static void add(struct letters *letters, struct kb_sv character, const struct letter *at)
{
	char form[FORM_BYTES];
	struct kb_sv rest = kb_sv(form, kb_fold(character, false, form, sizeof(form)));

	while (rest.n) {
		uint32_t cp = 0;
		size_t bytes = KB_MAX(kb_utf8_decode(rest, &cp), (size_t)1);

		rest = kb_sv_from(rest, bytes);
		if (!is_content(cp))
			continue;
		KB_GROW(letters->v, letters->capacity, letters->count + 1);
		letters->v[letters->count] = *at;
		letters->v[letters->count++].cp = cp;
	}
}

static size_t character_at(struct kb_sv text, size_t at)
{
	uint32_t cp;

	return KB_MIN(KB_MAX(kb_utf8_decode(kb_sv_from(text, at), &cp), (size_t)1), text.n - at);
}

static void take_words(struct letters *letters, const struct kb_parsed *words)
{
	uint32_t word = 0;

	for (size_t i = 0; i < words->block_count; i++) {
		const struct kb_block *block = &words->blocks[i];

		for (size_t j = 0; j < block->box_count; j++, word++) {
			const struct kb_word_box *box = &block->boxes[j];
			struct kb_sv text = kb_sv_sub(block->text, box->at, box->n);
			const struct letter place = { .from = word,
				                      .y = (uint32_t)(box->y0 + box->y1) / 2,
				                      .x0 = box->x0,
				                      .x1 = box->x1 };

			for (size_t at = 0, n; at < text.n; at += n) {
				n = character_at(text, at);
				add(letters, kb_sv_sub(text, at, n), &place);
			}
		}
	}
}

static void take_text(struct letters *letters, const struct kb_parsed *text, uint32_t page_no)
{
	for (size_t i = 0; i < text->block_count; i++) {
		const struct kb_block *block = &text->blocks[i];

		if (block->page_no != page_no)
			continue;
		for (size_t at = 0, n; at < block->text.n; at += n) {
			n = character_at(block->text, at);
			add(letters, kb_sv_sub(block->text, at, n),
			    &(struct letter){ .from = block->offset + (uint32_t)at });
		}
	}
}

/* ---- finding */

/* Some letters of the text, and what they are looked for in. */
struct wanted {
	const struct letters *text, *page;
	size_t first, count; /* of the text's */
};

static bool stands_at(const struct wanted *w, size_t at)
{
	for (size_t i = 0; i < w->count; i++)
		if (w->page->v[at + i].cp != w->text->v[w->first + i].cp)
			return false;
	return true;
}

/* How many letters before and behind it are those of the text, too. */
static size_t alike_around(const struct wanted *w, size_t at)
{
	size_t before = 0, behind = 0;
	size_t end = at + w->count, text_end = w->first + w->count;

	while (before < AROUND_MAX && before < at && before < w->first
	       && w->page->v[at - before - 1].cp == w->text->v[w->first - before - 1].cp)
		before++;
	while (behind < AROUND_MAX && end + behind < w->page->count
	       && text_end + behind < w->text->count
	       && w->page->v[end + behind].cp == w->text->v[text_end + behind].cp)
		behind++;
	return before + behind;
}

static bool find(const struct wanted *w, size_t *out)
{
	size_t best = 0, off_best = 0;
	bool found = false;

	for (size_t at = 0; at + w->count <= w->page->count; at++) {
		size_t alike, off;

		if (w->page->v[at].cp != w->text->v[w->first].cp || !stands_at(w, at))
			continue;
		alike = alike_around(w, at);
		off = at > w->first ? at - w->first : w->first - at;
		if (!found || alike > best || (alike == best && off < off_best)) {
			*out = at;
			best = alike;
			off_best = off;
			found = true;
		}
	}
	return found;
}

/* The letters of the text from byte `from` to `to`. */
static bool within(const struct letters *text, size_t from, size_t to, struct wanted *w)
{
	size_t end;

	w->first = 0;
	while (w->first < text->count && text->v[w->first].from < from)
		w->first++;
	for (end = w->first; end < text->count && text->v[end].from < to; end++)
		;
	w->count = end - w->first;
	return w->count > 0;
}

/* ---- rows of tables: "name: value; name: value". The values stand beside each other on the page,
 * the names somewhere above; in which order the page's words come says nothing of that. */

enum { ROW_HEIGHT = 300 }; /* of KB_BOX_UNITS: cells further apart are of other rows */

static bool is_whole_words(const struct wanted *w, size_t at)
{
	const struct letter *v = w->page->v;
	size_t end = at + w->count;

	return (!at || v[at - 1].from != v[at].from)
	       && (end == w->page->count || v[end].from != v[end - 1].from);
}

/* The one nearest to a height; *count: how many there are. */
static bool find_at(const struct wanted *w, uint32_t y, size_t *out, size_t *count)
{
	uint32_t best = UINT32_MAX;

	*count = 0;
	for (size_t at = 0; at + w->count <= w->page->count; at++) {
		uint32_t its = w->page->v[at].y, off = its > y ? its - y : y - its;

		if (!stands_at(w, at) || !is_whole_words(w, at))
			continue;
		++*count;
		if (off < best) {
			best = off;
			*out = at;
		}
	}
	return *count > 0;
}

/* Takes the next cell's value as a part of the text. */
static bool next_value(struct kb_sv *rest, size_t *offset, struct wanted *w)
{
	while (rest->n) {
		ptrdiff_t end = kb_sv_find(*rest, KB_SV("; ")), name;
		struct kb_sv cell = end < 0 ? *rest : kb_sv_sub(*rest, 0, (size_t)end);
		size_t skip = 0, from = *offset;

		while ((name = kb_sv_find(kb_sv_from(cell, skip), KB_SV(": "))) >= 0)
			skip += (size_t)name + 2;
		*offset += end < 0 ? rest->n : (size_t)end + 2;
		*rest = end < 0 ? KB_SV("") : kb_sv_from(*rest, (size_t)end + 2);
		if (within(w->text, from + skip, from + cell.n, w))
			return true;
	}
	return false;
}

/* ---- cells of several lines: on the page the lines of the cells beside them stand in between ----
 */

enum {
	LINE = 260,    /* most from one line of a cell to the next */
	SHIFT = 250,   /* so far beyond its other lines one may begin */
	STEPS = 20000, /* words that are looked at for one cell */
	TELLING = 8    /* letters: shorter values stand in many rows */
};

/* A way through the words of a page that has exactly the letters of a cell. */
struct way {
	const struct wanted *w;
	uint32_t x0, x1; /* of its words so far */
	struct kb_mark_run *runs;
	size_t count, steps;
};

static size_t end_of_word(const struct wanted *w, size_t at)
{
	uint32_t word = w->page->v[at].from;

	while (at < w->page->count && w->page->v[at].from == word)
		at++;
	return at;
}

/* How many letters the word at `at` has, where they are the cell's from its `done`th on; 0: they
 * are not. */
static size_t takes_word(const struct wanted *w, size_t at, size_t done)
{
	size_t n = end_of_word(w, at) - at;

	if (n > w->count - done)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (w->page->v[at + i].cp != w->text->v[w->first + done + i].cp)
			return 0;
	return n;
}

static void note(struct way *way, uint32_t word)
{
	struct kb_mark_run *last = way->count ? &way->runs[way->count - 1] : NULL;

	if (last && last->first + last->count == word)
		last->count++;
	else
		way->runs[way->count++] = (struct kb_mark_run){ word, 1 };
}

/* Whether the word at `to` may come after the one at `from`: beside it, or in the line below. */
static bool follows(const struct way *way, size_t from, size_t to)
{
	const struct letter *a = &way->w->page->v[from], *b = &way->w->page->v[to];

	if (b->from == a->from + 1 && b->x0 >= a->x1)
		return true;
	return b->y > a->y + (LINE / 8) && b->y <= a->y + LINE && b->x0 <= way->x1 + SHIFT
	       && (uint32_t)b->x1 + SHIFT >= way->x0;
}

/* Goes on behind the word at `at`; its letters are the cell's up to `done`. */
static bool go_on(struct way *way, size_t at, size_t done)
{
	const struct wanted *w = way->w;

	if (done == w->count)
		return true;
	for (size_t to = 0; to < w->page->count; to = end_of_word(w, to)) {
		const struct way before = *way;
		struct kb_mark_run last = way->runs[way->count - 1];
		size_t n = follows(way, at, to) ? takes_word(w, to, done) : 0;

		if (way->steps++ > STEPS)
			return false;
		if (!n)
			continue;
		way->x0 = KB_MIN(way->x0, (uint32_t)w->page->v[to].x0);
		way->x1 = KB_MAX(way->x1, (uint32_t)w->page->v[to].x1);
		note(way, w->page->v[to].from);
		if (go_on(way, to, done + n))
			return true;
		*way = (struct way){ .w = w,
			             .x0 = before.x0,
			             .x1 = before.x1,
			             .runs = way->runs,
			             .count = before.count,
			             .steps = way->steps };
		way->runs[way->count - 1] = last;
	}
	return false;
}

/* Of the ways that begin within `reach` of the row's height the nearest. Returns how many runs it
 * has; 0: there is none. */
static size_t find_lines(const struct wanted *w, uint32_t y, uint32_t reach,
                         struct kb_mark_run *runs)
{
	struct way way = { .w = w, .runs = runs };

	/* The nearest first: the first that is found is taken. */
	for (uint32_t most = KB_MIN(reach, ROW_HEIGHT / 4U); most <= reach; most *= 2)
		for (size_t at = 0; at < w->page->count; at = end_of_word(w, at)) {
			const struct letter *v = &w->page->v[at];
			uint32_t off = v->y > y ? v->y - y : y - v->y;
			size_t n = off <= most ? takes_word(w, at, 0) : 0;

			if (!n || way.steps > STEPS)
				continue;
			way.x0 = v->x0;
			way.x1 = v->x1;
			way.count = 0;
			note(&way, v->from);
			if (go_on(&way, at, n))
				return way.count;
		}
	return 0;
}

/* The height of the row: that of its longest value that stands on the page, best of one that stands
 * there once. */
static bool find_row(struct wanted *w, struct kb_sv row, size_t offset, uint32_t *y)
{
	size_t best = 0;

	while (next_value(&row, &offset, w)) {
		size_t at, count, weight;

		if (!find_at(w, 0, &at, &count))
			continue;
		weight = w->count + (count == 1 ? w->page->count : 0);
		if (weight > best) {
			best = weight;
			*y = w->page->v[at].y;
		}
	}
	return best > w->page->count; /* else it might be any row */
}

/* The same where every value that could tell the row has several lines. */
static bool find_row_by_lines(struct wanted *w, struct kb_sv row, size_t offset,
                              struct kb_mark_run *runs, uint32_t *y)
{
	size_t best = 0;

	while (next_value(&row, &offset, w)) {
		if (w->count <= best || w->count < TELLING || !find_lines(w, 0, UINT16_MAX, runs))
			continue;
		best = w->count;
		for (size_t at = 0; at < w->page->count; at++)
			if (w->page->v[at].from == runs[0].first)
				*y = w->page->v[at].y;
	}
	return best > 0;
}

static size_t mark_row(struct wanted *w, struct kb_sv row, size_t offset, struct kb_mark_run *runs)
{
	size_t count = 0, at, seen;
	uint32_t y = 0;

	if (!find_row(w, row, offset, &y) && !find_row_by_lines(w, row, offset, runs, &y))
		return 0;
	while (next_value(&row, &offset, w)) {
		const struct letter *v = w->page->v;

		if (!find_at(w, y, &at, &seen)
		    || (v[at].y > y ? v[at].y - y : y - v[at].y) > ROW_HEIGHT) {
			count += find_lines(w, y, 2 * ROW_HEIGHT, runs + count);
			continue;
		}
		runs[count].first = v[at].from;
		runs[count++].count = v[at + w->count - 1].from - v[at].from + 1;
	}
	return count;
}

/* So many runs a place has at most: blocks, or cells of them. */
static size_t most_runs(const struct kb_parsed *text)
{
	size_t most = 1;

	for (size_t i = 0; i < text->block_count; i++)
		most += text->blocks[i].type == KB_BLOCK_TABLE ? text->blocks[i].text.n + 1 : 1;
	return most;
}

const struct kb_mark_run *kb_mark_find(struct kb_arena *arena, const struct kb_parsed *text,
                                       const struct kb_parsed *words, uint32_t page_no,
                                       struct kb_mark_place place, size_t *count)
{
	struct kb_mark_run *runs = KB_NEW_ARRAY(arena, most_runs(text), struct kb_mark_run);
	struct letters page = { 0 }, whole = { 0 };
	struct wanted w = { .text = &whole, .page = &page };
	size_t end = (size_t)place.offset + place.length;

	*count = 0;
	take_words(&page, words);
	take_text(&whole, text, page_no);
	for (size_t i = 0; i < text->block_count; i++) {
		const struct kb_block *block = &text->blocks[i];
		size_t from = KB_MAX((size_t)place.offset, (size_t)block->offset);
		size_t to = KB_MIN(end, (size_t)block->offset + block->text.n), at;

		if (block->page_no != page_no || from >= to || !within(&whole, from, to, &w))
			continue;
		if (!find(&w, &at)) {
			if (block->type == KB_BLOCK_TABLE)
				*count += mark_row(
				        &w, kb_sv_sub(block->text, from - block->offset, to - from),
				        from, runs + *count);
			continue;
		}
		runs[*count].first = page.v[at].from;
		runs[(*count)++].count = page.v[at + w.count - 1].from - page.v[at].from + 1;
	}
	free(page.v);
	free(whole.v);
	return runs;
}
