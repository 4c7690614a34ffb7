#include "answer/layout.h"

#include "answer/guard.h"
#include "base/buf.h"

enum {
	INDENT = 4, /* blanks for a list in a list: enough behind a number, and for no code */
	FENCE = 3,  /* bytes at least */
};

/* Of a list, more than is said. */
#define MORE "…"

/* Nothing but blanks is in [from, end). */
static bool is_blank(struct kb_sv text, size_t from, size_t end)
{
	return kb_sv_trim(kb_sv_sub(text, from, end - from)).n == 0;
}

bool kb_layout_goes_on(const struct kb_candidate *candidates, const struct kb_answer_part *before,
                       const struct kb_answer_part *part)
{
	const struct kb_passage *from = &candidates[before->candidate].passage;
	const struct kb_passage *to = &candidates[part->candidate].passage;

	if (before->candidate == part->candidate)
		return before->end <= part->start;
	return from->page_id == to->page_id && from->ordinal + 1 == to->ordinal
	       && is_blank(from->text, before->end, from->text.n)
	       && is_blank(to->text, 0, part->start);
}

static const struct kb_line_mark *item_at(const struct kb_passage *passage, uint32_t at)
{
	const struct kb_line_mark *mark = kb_passage_mark(passage, at);

	return mark && mark->kind == KB_MARK_ITEM ? mark : NULL;
}

static uint32_t depth_in(const struct kb_line_mark *item, uint32_t depth)
{
	return item->depth > depth ? item->depth - depth : 0;
}

/* "- " or "3. ", as deep as it is within the first. */
static struct kb_sv mark(struct kb_arena *arena, const struct kb_line_mark *item, uint32_t depth)
{
	int blanks = (int)depth_in(item, depth) * INDENT;

	return item->number ? kb_arena_printf(arena, "%*s%u. ", blanks, "", item->number)
	                    : kb_arena_printf(arena, "%*s- ", blanks, "");
}

/* Whether its line is one of code: what is said may be the second sentence in it. */
static bool is_code(const struct kb_passage *passage, size_t at)
{
	const struct kb_line_mark *mark;
	size_t from = at;

	while (from > 0 && passage->text.p[from - 1] != '\n')
		from--;
	while (from < at && (passage->text.p[from] == ' ' || passage->text.p[from] == '\t'))
		from++;
	mark = kb_passage_mark(passage, from);
	return mark && mark->kind == KB_MARK_CODE;
}

/* ---- code ---- */

/* Longer than any run of its bytes in the passage, so that nothing in it ends it. */
static struct kb_sv fence_for(struct kb_arena *arena, struct kb_sv text)
{
	struct kb_buf buf;
	struct kb_sv out;
	size_t run = 0, longest = FENCE - 1;

	for (size_t i = 0; i < text.n; i++) {
		run = text.p[i] == '`' ? run + 1 : 0;
		longest = KB_MAX(longest, run);
	}
	kb_buf_init(&buf, SIZE_MAX / 2);
	for (size_t i = 0; i <= longest; i++)
		kb_buf_byte(&buf, '`');
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

/* The blanks that its line begins with: sentences have none. */
static struct kb_sv indent_of(struct kb_sv text, size_t at)
{
	size_t from = at;

	while (from > 0 && (text.p[from - 1] == ' ' || text.p[from - 1] == '\t'))
		from--;
	return from == 0 || text.p[from - 1] == '\n' ? kb_sv_sub(text, from, at - from) : KB_SV("");
}

/* As deep as the item that the code belongs to. */
static int deep(const struct kb_layout *layout)
{
	return (int)layout->inside * INDENT;
}

/* Between code and more of it: the empty lines are the code's, and so is what parts two sentences
 * of one line. */
static struct kb_sv next_line(const struct kb_layout *layout, struct kb_arena *arena,
                              const struct kb_answer_part *part)
{
	struct kb_sv text = layout->candidates[part->candidate].passage.text;
	struct kb_sv between, line;
	bool apart = false;

	if (layout->before->candidate == part->candidate) {
		between = kb_sv_sub(text, layout->before->end, part->start - layout->before->end);
		if (kb_sv_find_byte(between, '\n') < 0)
			return between;
		kb_sv_split(&between, '\n', &line);
		apart = kb_sv_find_byte(between, '\n') >= 0;
	}
	return kb_arena_printf(arena, "%s%*s%.*s", apart ? "\n\n" : "\n", deep(layout), "",
	                       KB_SV_ARG(indent_of(text, part->start)));
}

/* The line that opens it, and the blanks of its first. */
static struct kb_sv open_code(struct kb_layout *layout, struct kb_arena *arena, struct kb_sv gap,
                              const struct kb_answer_part *part)
{
	struct kb_sv text = layout->candidates[part->candidate].passage.text;
	struct kb_sv indent = indent_of(text, part->start);

	layout->fence = fence_for(arena, text);
	return kb_arena_printf(arena, "%.*s%*s%.*s\n%*s%.*s", KB_SV_ARG(gap), deep(layout), "",
	                       KB_SV_ARG(layout->fence), deep(layout), "", KB_SV_ARG(indent));
}

struct kb_sv kb_layout_close(struct kb_layout *layout, struct kb_arena *arena,
                             const struct kb_answer_part *next)
{
	struct kb_sv fence = layout->fence;

	if (!fence.n
	    || (next && kb_layout_goes_on(layout->candidates, layout->before, next)
	        && is_code(&layout->candidates[next->candidate].passage, next->start)))
		return KB_SV("");
	layout->fence = KB_SV("");
	return kb_arena_printf(arena, "\n%*s%.*s", deep(layout), "", KB_SV_ARG(fence));
}

/* ---- what stands between ---- */

/* Between two sentences of one passage: nothing but a blank where they follow each other in one
 * paragraph; one in any case where they could make a link between them. */
static struct kb_sv within(const struct kb_layout *layout, const struct kb_answer_part *part,
                           struct kb_sv said, bool code, bool *line)
{
	struct kb_sv text = layout->candidates[part->candidate].passage.text;

	*line = layout->before->candidate != part->candidate;
	if (!*line) {
		text = kb_sv_sub(text, layout->before->end, part->start - layout->before->end);
		*line = kb_sv_find_byte(text, '\n') >= 0;
	}
	if (*line || code)
		return layout->listed && !code ? KB_SV("\n\n") : KB_SV("\n");
	return text.n == 0 && !kb_sv_ends(said, KB_SV("]")) ? text : KB_SV(" ");
}

/* The innermost heading that the passage stands under, on a line of its own; empty: it has none. */
static struct kb_sv heading_line(struct kb_arena *arena, const struct kb_passage *passage)
{
	struct kb_sv heading = passage->heading;
	ptrdiff_t at;

	while ((at = kb_sv_find(heading, KB_SV(" > "))) >= 0)
		heading = kb_sv_from(heading, (size_t)at + 3);
	heading = kb_outguard_quote(arena, kb_sv_trim(heading));
	return heading.n ? kb_arena_printf(arena, "%.*s\n\n", KB_SV_ARG(heading)) : heading;
}

/* Whether a place begins there with a line of a list or of code, at its passage's beginning. */
static bool wants_heading(const struct kb_passage *passage, const struct kb_answer_part *part)
{
	const struct kb_line_mark *mark = kb_passage_mark(passage, part->start);

	return mark && mark == passage->marks && mark->at == 0
	       && (mark->kind == KB_MARK_ITEM || mark->kind == KB_MARK_CODE);
}

struct kb_sv kb_layout_gap(struct kb_layout *layout, struct kb_arena *arena,
                           const struct kb_answer_part *part, struct kb_sv said)
{
	const struct kb_passage *passage = &layout->candidates[part->candidate].passage;
	const struct kb_line_mark *item = item_at(passage, part->start);
	struct kb_sv gap = KB_SV("");
	bool line = true, code = is_code(passage, part->start);

	if (!layout->before || !kb_layout_goes_on(layout->candidates, layout->before, part)) {
		gap = layout->before ? KB_SV("\n\n") : gap;
		if (wants_heading(passage, part))
			gap = kb_arena_printf(arena, "%.*s%.*s", KB_SV_ARG(gap),
			                      KB_SV_ARG(heading_line(arena, passage)));
		if (part->more_before)
			gap = kb_arena_printf(arena, "%.*s" MORE "\n\n", KB_SV_ARG(gap));
		layout->depth = layout->inside = 0;
	} else if (layout->fence.n) {
		gap = next_line(layout, arena, part);
	} else if (item) {
		/* Only what begins with one may follow a paragraph's line. */
		gap = layout->listed || item->number <= 1 ? KB_SV("\n") : KB_SV("\n\n");
	} else {
		gap = within(layout, part, said, code, &line);
	}
	if (code && !layout->fence.n)
		gap = open_code(layout, arena, gap, part);
	if (item && !layout->depth)
		layout->depth = item->depth;
	layout->listed = item || (layout->listed && (!line || code));
	layout->inside = item             ? depth_in(item, layout->depth) + 1
	                 : layout->listed ? layout->inside
	                                  : 0;
	layout->before = part;
	return item ? kb_arena_printf(arena, "%.*s%.*s", KB_SV_ARG(gap),
	                              KB_SV_ARG(mark(arena, item, layout->depth)))
	            : gap;
}

struct kb_sv kb_layout_more(const struct kb_answer_part *last)
{
	return last->more_behind ? KB_SV("\n\n" MORE) : KB_SV("");
}

struct kb_sv kb_layout_marked(struct kb_arena *arena, const struct kb_passage *passage, size_t *at)
{
	size_t place = *at, done = 0;
	struct kb_buf buf;
	struct kb_sv out;

	if (!passage->mark_count)
		return passage->text;
	kb_buf_init(&buf, SIZE_MAX / 2);
	for (size_t i = 0; i < passage->mark_count; i++) {
		const struct kb_line_mark *item = &passage->marks[i];
		struct kb_sv before;

		if (item->kind != KB_MARK_ITEM)
			continue;
		before = mark(arena, item, 1);
		kb_buf_sv(&buf, kb_sv_sub(passage->text, done, item->at - done));
		kb_buf_sv(&buf, before);
		done = item->at;
		/* A sentence that begins an item begins with its mark. */
		if (item->at < place)
			*at += before.n;
	}
	kb_buf_sv(&buf, kb_sv_from(passage->text, done));
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}
