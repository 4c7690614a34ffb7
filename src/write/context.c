#include "write/context.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "write/tokens.h"

enum {
	OVERHEAD = 12, /* tokens of a source's own tag, about */
	BEST = 6,
	SECTION_MAX = 40, /* passages that a section may have beside the one that was found */
	CHOSEN_MAX = 400,
};

struct kb_context_limits kb_context_depth(const struct kb_settings *settings, int64_t custom)
{
	const struct kb_context_limits depths[KB_DEPTHS] = {
		[KB_DEPTH_COMPACT] = { 6, 1500 },   [KB_DEPTH_BALANCED] = { 10, 3000 },
		[KB_DEPTH_EXTENDED] = { 16, 6000 }, [KB_DEPTH_RICH] = { 24, 12000 },
		[KB_DEPTH_MAX] = { 40, 24000 },     [KB_DEPTH_CUSTOM] = { KB_SOURCES_MAX, custom },
	};

	return depths[kb_settings_depth(settings)];
}

/* ---- choosing ---- */

struct chosen {
	const struct kb_passage *passage;
	size_t rank; /* of those found, in the order of their choice; the lower, the better */
	const struct kb_passage *found; /* the same, uncut; NULL: it only stands beside one */
};

struct choosing {
	struct kb_arena *arena;
	const struct kb_context_found *from;
	const struct kb_context_limits *limits;
	struct chosen *v;
	size_t count;
	size_t found, ranks; /* of those found: how many there are, and were */
	int64_t tokens;
};

static int64_t size_of(const struct kb_passage *passage)
{
	return kb_tokens_count(passage->text) + OVERHEAD;
}

static bool holds(const struct kb_passage *a, const struct kb_passage *b)
{
	return a->text.n >= b->text.n && kb_sv_find(a->text, b->text) >= 0;
}

static bool is_known(const struct choosing *c, const struct kb_passage *passage)
{
	for (size_t i = 0; i < c->count; i++)
		if (holds(c->v[i].passage, passage))
			return true;
	return false;
}

/* Drops those that the new one holds. */
static void drop_held(struct choosing *c, const struct kb_passage *passage)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->count; i++) {
		if (holds(passage, c->v[i].passage)) {
			c->tokens -= size_of(c->v[i].passage);
			c->found -= c->v[i].found != NULL;
		} else {
			c->v[kept++] = c->v[i];
		}
	}
	c->count = kept;
}

/* The beginning of a passage that is longer than all there is. */
static const struct kb_passage *cut(struct kb_arena *arena, const struct kb_passage *passage,
                                    int64_t tokens)
{
	struct kb_passage *out = kb_arena_copy(arena, passage, sizeof(*passage));
	size_t low = 0, high = passage->text.n;

	while (low < high) {
		size_t middle = (low + high + 1) / 2;

		if (kb_tokens_count(kb_sv_sub(passage->text, 0, middle)) <= tokens)
			low = middle;
		else
			high = middle - 1;
	}
	out->text = kb_utf8_cut(passage->text, low);
	return out;
}

static void add(struct choosing *c, const struct chosen *one)
{
	c->v[c->count++] = *one;
	c->tokens += size_of(one->passage);
}

static void choose(struct choosing *c, const struct kb_passage *passage)
{
	const struct kb_passage *found = passage;

	if (c->found >= c->limits->passages || c->count >= CHOSEN_MAX || passage->text.n == 0
	    || is_known(c, passage))
		return;
	if (c->count == 0 && size_of(passage) > c->limits->tokens)
		passage = cut(c->arena, passage, c->limits->tokens - OVERHEAD);
	if (passage->text.n == 0 || c->tokens + size_of(passage) > c->limits->tokens)
		return;
	drop_held(c, passage);
	add(c, &(struct chosen){ passage, c->ranks++, found });
	c->found++;
}

/* ---- sections ---- */

static bool is_chosen(const struct choosing *c, const struct kb_passage *passage)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->v[i].passage->page_id == passage->page_id
		    && c->v[i].passage->ordinal == passage->ordinal)
			return true;
	return false;
}

/* What stands beside it under the same heading. */
static const struct kb_passage *in_section(const struct choosing *c,
                                           const struct kb_passage *passage, int by)
{
	const struct kb_passage *other = c->from->beside(c->from->arg, passage, by);

	return other && kb_sv_eq(other->heading, passage->heading) ? other : NULL;
}

/* What is missing of the passage's section, at most so many tokens; false: it is more. */
static bool read_section(const struct choosing *c, const struct kb_passage *passage, int64_t tokens,
                         const struct kb_passage **out, size_t *count)
{
	const struct kb_passage *other;

	*count = 0;
	for (int way = -1; way <= 1; way += 2)
		for (int by = way; (other = in_section(c, passage, by)); by += way) {
			if (is_chosen(c, other))
				continue;
			tokens -= size_of(other);
			if (tokens < 0 || *count == SECTION_MAX)
				return false;
			out[(*count)++] = other;
		}
	return true;
}

/* The passages that alone part it from another one that is chosen. */
static size_t read_gaps(const struct choosing *c, const struct kb_passage *passage, int64_t tokens,
                        const struct kb_passage **out)
{
	size_t count = 0;

	for (int way = -1; way <= 1; way += 2) {
		const struct kb_passage *gap = in_section(c, passage, way);
		const struct kb_passage *beyond = gap ? in_section(c, passage, 2 * way) : NULL;

		if (!beyond || is_chosen(c, gap) || !is_chosen(c, beyond) || size_of(gap) > tokens)
			continue;
		tokens -= size_of(gap);
		out[count++] = gap;
	}
	return count;
}

/* Makes sections whole, those of the best passages first, until so many tokens are in use. */
static void complete(struct choosing *c, int64_t tokens)
{
	const struct kb_passage *missing[SECTION_MAX];
	size_t found = c->count;

	for (size_t i = 0; i < found && c->from->beside; i++) {
		struct chosen of = c->v[i];
		size_t count;

		if (!of.found)
			continue;
		if (!read_section(c, of.found, tokens - c->tokens, missing, &count))
			count = read_gaps(c, of.found, tokens - c->tokens, missing);
		for (size_t k = 0; k < count && c->count < CHOSEN_MAX; k++)
			add(c, &(struct chosen){ missing[k], of.rank, NULL });
	}
}

static void choose_all(struct choosing *c)
{
	bool left = true, whole = false;

	for (size_t i = 0; left; i++) {
		left = false;
		for (size_t k = 0; k < c->from->count; k++) {
			if (i >= c->from->lists[k].count)
				continue;
			left = true;
			if (c->found >= BEST && !whole) {
				complete(c, c->tokens + (c->limits->tokens - c->tokens) / 2);
				whole = true;
			}
			choose(c, c->from->lists[k].v[i]);
		}
	}
	complete(c, c->limits->tokens);
}

/* ---- joining ---- */

static int by_document(const void *a, const void *b)
{
	const struct kb_passage *x = ((const struct chosen *)a)->passage,
	                        *y = ((const struct chosen *)b)->passage;

	if (x->page_id != y->page_id)
		return x->page_id < y->page_id ? -1 : 1;
	return x->ordinal < y->ordinal ? -1 : x->ordinal > y->ordinal;
}

/* Whether b goes on where a ends, or begins within it. */
static bool follows(const struct kb_passage *a, const struct kb_passage *b)
{
	return a->page_id == b->page_id && b->ordinal == a->ordinal + 1 && b->offset >= a->offset
	       && kb_sv_eq(a->heading, b->heading);
}

/* Passages that stand together. */
struct run {
	const struct chosen *v; /* in reading order */
	size_t count;
	size_t rank; /* of the best of them */
};

static int by_rank(const void *a, const void *b)
{
	size_t x = ((const struct run *)a)->rank, y = ((const struct run *)b)->rank;

	return x < y ? -1 : x > y;
}

/* Best first. */
static size_t make_runs(struct choosing *c, struct run *runs)
{
	size_t count = 0;

	if (!c->count)
		return 0;
	qsort(c->v, c->count, sizeof(*c->v), by_document);
	for (size_t i = 0; i < c->count; i++) {
		if (i == 0 || !follows(c->v[i - 1].passage, c->v[i].passage))
			runs[count++] = (struct run){ &c->v[i], 0, c->v[i].rank };
		runs[count - 1].count++;
		runs[count - 1].rank = KB_MIN(runs[count - 1].rank, c->v[i].rank);
	}
	qsort(runs, count, sizeof(*runs), by_rank);
	return count;
}

static void add_piece(struct kb_buf *text, struct kb_excerpt_piece *pieces, size_t *count,
                      const struct kb_passage *passage)
{
	uint32_t end = 0, skip = 0;

	if (*count) {
		const struct kb_excerpt_piece *last = &pieces[*count - 1];

		end = last->offset + last->bytes;
		if (passage->offset < end)
			skip = KB_MIN(end - passage->offset, (uint32_t)passage->text.n);
		/* What stands between two passages is nothing but blanks and line ends. */
		else
			kb_buf_byte(text, '\n');
	}
	if (skip == passage->text.n && *count)
		return;
	pieces[(*count)++] = (struct kb_excerpt_piece){
		.at = (uint32_t)text->n,
		.bytes = (uint32_t)passage->text.n - skip,
		.page_no = passage->page_no,
		.offset = passage->offset + skip,
	};
	kb_buf_sv(text, kb_sv_from(passage->text, skip));
}

static void make_source(struct kb_arena *arena, const struct run *run, struct kb_excerpt *out)
{
	const struct kb_passage *first = run->v[0].passage;
	struct kb_excerpt_piece *pieces = KB_NEW_ARRAY(arena, run->count, struct kb_excerpt_piece);
	struct kb_buf text;

	*out = (struct kb_excerpt){ .page_id = first->page_id,
		                    .lang = first->lang,
		                    .title = first->title,
		                    .heading = first->heading,
		                    .text = first->text,
		                    .pieces = pieces };
	kb_buf_init(&text, KB_MIB(16));
	for (size_t i = 0; i < run->count; i++)
		add_piece(&text, pieces, &out->piece_count, run->v[i].passage);
	if (out->piece_count > 1)
		out->text = kb_arena_sv(arena, kb_buf_view(&text));
	kb_buf_fini(&text);
}

void kb_context_build(struct kb_arena *arena, const struct kb_context_found *found,
                      const struct kb_context_limits *limits, struct kb_excerpt **out,
                      size_t *out_count)
{
	struct kb_context_limits own = { KB_MIN(limits->passages, (size_t)KB_SOURCES_MAX),
		                         limits->tokens };
	struct choosing c = { .arena = arena,
		              .from = found,
		              .limits = &own,
		              .v = KB_NEW_ARRAY(arena, CHOSEN_MAX, struct chosen) };
	struct run *runs = KB_NEW_ARRAY(arena, CHOSEN_MAX, struct run);
	size_t count;

	choose_all(&c);
	count = KB_MIN(make_runs(&c, runs), (size_t)KB_SOURCES_MAX);
	*out = KB_NEW_ARRAY(arena, count, struct kb_excerpt);
	*out_count = count;
	for (size_t i = 0; i < count; i++)
		make_source(arena, &runs[i], &(*out)[i]);
}

/* ---- places ---- */

void kb_excerpt_place(const struct kb_excerpt *source, uint32_t at, uint32_t *page_no,
                      uint32_t *offset)
{
	const struct kb_excerpt_piece *piece = &source->pieces[0];

	for (size_t i = 1; i < source->piece_count && source->pieces[i].at <= at; i++)
		piece = &source->pieces[i];
	*page_no = piece->page_no;
	*offset = piece->offset + KB_MIN(at - piece->at, piece->bytes);
}
