/* What a model's answer is made of: searching, and keeping what came of it. */
#include "write/writing.h"

void kb_writing_forget(struct kb_writing *w)
{
	if (w->found)
		kb_snapshot_release(w->found->steps.searched);
	kb_arena_fini(&w->scratch);
	w->found = NULL;
}

bool kb_writing_search(struct kb_writing *w, const struct kb_answer_request *request,
                       struct kb_err *err)
{
	struct kb_answer_request *own;

	kb_writing_forget(w);
	w->asked = request;
	own = kb_arena_copy(&w->scratch, request, sizeof(*request));
	own->passages = w->passages;
	w->found = KB_NEW(&w->scratch, struct kb_plain);
	if (!kb_answer_plain(w->writer->answerer, &w->scratch, own, NULL, w->found, err)) {
		kb_writing_forget(w);
		return false;
	}
	kb_live_release(&w->live);
	w->live = w->found->live;
	return true;
}

struct finding {
	struct kb_arena scratch;
	struct kb_plain *found;
	struct kb_live live;
};

static struct finding take(struct kb_writing *w)
{
	struct finding taken = { w->scratch, w->found, w->live };

	w->scratch = (struct kb_arena){ 0 };
	w->found = NULL;
	w->live = (struct kb_live){ 0 };
	return taken;
}

static void drop(struct finding *finding)
{
	if (finding->found)
		kb_snapshot_release(finding->found->steps.searched);
	kb_live_release(&finding->live);
	kb_arena_fini(&finding->scratch);
}

void kb_writing_search_again(struct kb_writing *w, double least)
{
	struct finding before = take(w), now;
	struct kb_err ignored;
	bool ok = kb_writing_search(w, w->again, &ignored) && w->found->steps.count
	          && w->found->answer.confidence >= least;

	if (!ok) {
		now = take(w);
		w->scratch = before.scratch;
		w->found = before.found;
		w->live = before.live;
		w->asked = w->request;
		before = now;
	}
	drop(&before);
}

/* Also where the plain answer asserts something: the model may refuse all the same. */
static void keep_closest(struct kb_writing *w)
{
	struct kb_closest_list found;

	kb_closest_find(&w->scratch, &w->found->steps, w->request->settings, &found);
	kb_closest_copy(w->arena, &found, &w->closest);
}

void kb_writing_keep_plain(struct kb_writing *w)
{
	const struct kb_answer *from = &w->found->answer;
	struct kb_conflict_list conflicts;
	struct kb_answer *to = &w->plain;

	*to = *from;
	to->text = kb_arena_sv(w->arena, from->text);
	to->citations =
	        kb_arena_copy(w->arena, from->citations, from->citation_count * sizeof(int64_t));
	to->quotes = kb_arena_copy(w->arena, from->quotes, from->quote_count * sizeof(*to->quotes));
	for (size_t i = 0; i < to->quote_count; i++) {
		struct kb_quote *quote = &to->quotes[i];

		quote->text = kb_arena_sv(w->arena, quote->text);
		quote->title = kb_arena_sv(w->arena, quote->title);
		quote->heading = kb_arena_sv(w->arena, quote->heading);
	}
	to->checked.by = kb_arena_sv(w->arena, from->checked.by);
	keep_closest(w);
	to->closest = w->closest;
	kb_steps_conflicts(&w->scratch, &w->found->steps, w->request->settings, &conflicts);
	kb_conflicts_copy(w->arena, &conflicts, &w->conflicts);
	kb_answer_conflicts(w->arena, &w->conflicts, to);
}
