#include "answer/layout.h"

#include "answer/guard.h"
#include "base/buf.h"

enum { INDENT = 4 /* blanks for a list in a list: enough behind a number, and for no code */ };

bool kb_layout_goes_on(const struct kb_answer_part *before, const struct kb_answer_part *part)
{
	return before->candidate == part->candidate && before->end <= part->start;
}

static const struct kb_line_mark *item_at(const struct kb_passage *passage, uint32_t at)
{
	const struct kb_line_mark *mark = kb_passage_mark(passage, at);

	return mark && mark->kind == KB_MARK_ITEM ? mark : NULL;
}

/* "- " or "3. ", as deep as it is within the first. */
static struct kb_sv mark(struct kb_arena *arena, const struct kb_line_mark *item, uint32_t depth)
{
	int blanks = item->depth > depth ? (int)(item->depth - depth) * INDENT : 0;

	return item->number ? kb_arena_printf(arena, "%*s%u. ", blanks, "", item->number)
	                    : kb_arena_printf(arena, "%*s- ", blanks, "");
}

/* Between two sentences of one passage: nothing but a blank where they follow each other in one
 * paragraph; one in any case where they could make a link between them. */
static struct kb_sv within(const struct kb_layout *layout, const struct kb_answer_part *part,
                           struct kb_sv said, bool *line)
{
	struct kb_sv text = layout->candidates[part->candidate].passage.text;

	text = kb_sv_sub(text, layout->before->end, part->start - layout->before->end);
	*line = kb_sv_find_byte(text, '\n') >= 0;
	if (*line)
		return layout->listed ? KB_SV("\n\n") : KB_SV("\n");
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
	bool line = true;

	if (!layout->before || !kb_layout_goes_on(layout->before, part)) {
		gap = layout->before ? KB_SV("\n\n") : gap;
		if (wants_heading(passage, part))
			gap = kb_arena_printf(arena, "%.*s%.*s", KB_SV_ARG(gap),
			                      KB_SV_ARG(heading_line(arena, passage)));
		layout->depth = 0;
	} else if (item) {
		/* Only what begins with one may follow a paragraph's line. */
		gap = layout->listed || item->number <= 1 ? KB_SV("\n") : KB_SV("\n\n");
	} else {
		gap = within(layout, part, said, &line);
	}
	if (item && !layout->depth)
		layout->depth = item->depth;
	layout->listed = item || (layout->listed && !line);
	layout->before = part;
	return item ? kb_arena_printf(arena, "%.*s%.*s", KB_SV_ARG(gap),
	                              KB_SV_ARG(mark(arena, item, layout->depth)))
	            : gap;
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
