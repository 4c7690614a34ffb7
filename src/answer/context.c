#include "answer/context.h"

#include <string.h>

#include "answer/tokens.h"
#include "base/utf8.h"

enum { OVERHEAD = 12 }; /* tokens of a source's own tag, about */

struct kb_context_limits kb_context_depth(const struct kb_settings *settings)
{
	static const struct {
		const char *name;
		struct kb_context_limits limits;
	} depths[] = {
		{ "compact", { 6, 1500 } },   { "balanced", { 10, 3000 } },
		{ "extended", { 16, 6000 } }, { "rich", { 24, 12000 } },
		{ "max", { 40, 24000 } },     { "custom", { 16, 6000 } },
	};

	for (size_t i = 0; i < KB_COUNTOF(depths); i++)
		if (kb_sv_eq_str(settings->context_depth, depths[i].name))
			return depths[i].limits;
	return depths[0].limits; /* null */
}

/* ---- choosing ---- */

struct chosen {
	const struct kb_passage *passage;
	size_t group;
};

static bool holds(const struct kb_passage *a, const struct kb_passage *b)
{
	return a->text.n >= b->text.n && kb_sv_find(a->text, b->text) >= 0;
}

struct choosing {
	struct chosen *v;
	size_t count;
	const struct kb_context_limits *limits;
	int64_t tokens;
};

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
		if (holds(passage, c->v[i].passage))
			c->tokens -= kb_tokens_count(c->v[i].passage->text) + OVERHEAD;
		else
			c->v[kept++] = c->v[i];
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

static void choose(struct kb_arena *arena, struct choosing *c, const struct kb_passage *passage)
{
	int64_t tokens = kb_tokens_count(passage->text) + OVERHEAD;

	if (c->count >= c->limits->passages || passage->text.n == 0 || is_known(c, passage))
		return;
	if (c->count == 0 && tokens > c->limits->tokens) {
		passage = cut(arena, passage, c->limits->tokens - OVERHEAD);
		tokens = kb_tokens_count(passage->text) + OVERHEAD;
	}
	if (passage->text.n == 0 || c->tokens + tokens > c->limits->tokens)
		return;
	drop_held(c, passage);
	c->v[c->count++].passage = passage;
	c->tokens += tokens;
}

static void choose_all(struct kb_arena *arena, struct choosing *c,
                       const struct kb_context_list *lists, size_t count)
{
	bool left = true;

	for (size_t i = 0; left; i++) {
		left = false;
		for (size_t k = 0; k < count; k++)
			if (i < lists[k].count) {
				choose(arena, c, lists[k].v[i]);
				left = true;
			}
	}
}

/* ---- joining ---- */

/* Whether b goes on where a ends, or begins within it. */
static bool follows(const struct kb_passage *a, const struct kb_passage *b)
{
	return a->page_id == b->page_id && b->ordinal == a->ordinal + 1 && b->offset >= a->offset
	       && kb_sv_eq(a->heading, b->heading);
}

/* Each passage's group is the place of the best one among those that stand together with it. */
static void group(struct choosing *c)
{
	bool changed = true;

	for (size_t i = 0; i < c->count; i++)
		c->v[i].group = i;
	while (changed) {
		changed = false;
		for (size_t i = 0; i < c->count; i++)
			for (size_t k = 0; k < c->count; k++) {
				size_t least = KB_MIN(c->v[i].group, c->v[k].group);

				if (!follows(c->v[i].passage, c->v[k].passage)
				    || c->v[i].group == c->v[k].group)
					continue;
				c->v[i].group = c->v[k].group = least;
				changed = true;
			}
	}
}

/* The next passage of the group behind `after`, or its first one. */
static const struct kb_passage *next_of(const struct choosing *c, size_t group,
                                        const struct kb_passage *after)
{
	const struct kb_passage *best = NULL;

	for (size_t i = 0; i < c->count; i++) {
		const struct kb_passage *passage = c->v[i].passage;

		if (c->v[i].group != group || (after && passage->ordinal <= after->ordinal))
			continue;
		if (!best || passage->ordinal < best->ordinal)
			best = passage;
	}
	return best;
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

static void make_source(struct kb_arena *arena, const struct choosing *c, size_t group,
                        struct kb_excerpt *out)
{
	const struct kb_passage *first = next_of(c, group, NULL), *passage;
	struct kb_excerpt_piece *pieces = KB_NEW_ARRAY(arena, c->count, struct kb_excerpt_piece);
	struct kb_buf text;

	*out = (struct kb_excerpt){ .page_id = first->page_id,
		                    .lang = first->lang,
		                    .title = first->title,
		                    .heading = first->heading,
		                    .text = first->text,
		                    .pieces = pieces };
	kb_buf_init(&text, KB_MIB(16));
	for (passage = first; passage; passage = next_of(c, group, passage))
		add_piece(&text, pieces, &out->piece_count, passage);
	if (out->piece_count > 1)
		out->text = kb_arena_sv(arena, kb_buf_view(&text));
	kb_buf_fini(&text);
}

void kb_context_build(struct kb_arena *arena, const struct kb_context_list *lists, size_t count,
                      const struct kb_context_limits *limits, struct kb_excerpt **out,
                      size_t *out_count)
{
	struct kb_context_limits own = { KB_MIN(limits->passages, (size_t)KB_SOURCES_MAX),
		                         limits->tokens };
	struct choosing c = { .v = KB_NEW_ARRAY(arena, KB_SOURCES_MAX, struct chosen),
		              .limits = &own };

	*out = KB_NEW_ARRAY(arena, KB_SOURCES_MAX, struct kb_excerpt);
	*out_count = 0;
	choose_all(arena, &c, lists, count);
	group(&c);
	for (size_t i = 0; i < c.count; i++)
		if (c.v[i].group == i)
			make_source(arena, &c, i, &(*out)[(*out_count)++]);
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
