#include "cli/eval_score.h"

#include <stdlib.h>
#include <string.h>

static const char *const whys[KB_EVAL_WHYS] = {
	[KB_EVAL_PASSED] = "passed",
	[KB_EVAL_NOT_FOUND] = "not found",
	[KB_EVAL_REFUSED] = "found but refused",
	[KB_EVAL_WRONG_SENTENCE] = "wrong sentence",
	[KB_EVAL_WRONG_DOCUMENT] = "wrong document",
	[KB_EVAL_LABEL] = "label",
	[KB_EVAL_CUT] = "cut",
	[KB_EVAL_MODEL] = "model",
	[KB_EVAL_ERROR] = "error",
};

const char *kb_eval_why_name(enum kb_eval_why why)
{
	return whys[why];
}

// clang-format off
static const struct {
	const char *name, *doc;
} figures[KB_EVAL_FIGURES] = {
	[KB_EVAL_F_PASSED]      = { "passed", "rows that came out as they should" },
	[KB_EVAL_F_ANSWERED]    = { "answered", "answered, where there is an answer" },
	[KB_EVAL_F_REFUSED]     = { "refused", "not answered, where there is none" },
	[KB_EVAL_F_PHRASE]      = { "phrase", "a gold phrase stands in the answer" },
	[KB_EVAL_F_FIRST]       = { "first_document", "the document cited first is right" },
	[KB_EVAL_F_DOCUMENT]    = { "document", "one of the cited documents is right" },
	[KB_EVAL_F_SUPPORTED]   = { "supported", "of an answer's statements, those that a source supports" },
	[KB_EVAL_F_PLACE]       = { "place", "one divided by the place of the passage that answers" },
	[KB_EVAL_F_EXACT]       = { "exact", "the answer is a gold phrase" },
	[KB_EVAL_F_F1]          = { "f1", "words that answer and gold phrase share" },
	[KB_EVAL_F_CONTAINED_1] = { "contained@1", "the first passage holds a gold phrase" },
	[KB_EVAL_F_CONTAINED_5] = { "contained@5", "one of five passages holds one" },
	[KB_EVAL_F_HIT_1]       = { "hit@1", "the first passage is of the right document" },
	[KB_EVAL_F_HIT_5]       = { "hit@5", "one of five passages is" },
	[KB_EVAL_F_PRECISION]   = { "citation_precision", "of the cited documents, those that are right" },
	[KB_EVAL_F_RECALL]      = { "citation_recall", "of the right documents, those that are cited" },
	[KB_EVAL_F_EXACT_ALL]   = { "exact_all", "exact, where refusing rightly counts as exact" },
	[KB_EVAL_F_F1_ALL]      = { "f1_all", "the same of f1" },
	[KB_EVAL_F_RANKING + KB_EVAL_NDCG_10]    = { "ndcg@10", "gain of the first ten documents" },
	[KB_EVAL_F_RANKING + KB_EVAL_RECALL_100] = { "recall@100", "of the right documents, those among a hundred" },
	[KB_EVAL_F_RANKING + KB_EVAL_MAP]        = { "map", "mean precision at the right documents" },
	[KB_EVAL_F_RANKING + KB_EVAL_MRR_10]     = { "mrr@10", "one divided by the place of the first right document" },
	[KB_EVAL_F_RANKING + KB_EVAL_P_5]        = { "p@5", "of five documents, those that are right" },
	[KB_EVAL_F_RANKING + KB_EVAL_SUCCESS_1]  = { "success@1", "the first document is right" },
	[KB_EVAL_F_MS_50]       = { "ms_p50", "milliseconds of a trial, the median" },
	[KB_EVAL_F_MS_95]       = { "ms_p95", "and what one of twenty takes longer than" },
};
// clang-format on

const char *kb_eval_figure_name(enum kb_eval_figure figure)
{
	return figures[figure].name;
}

const char *kb_eval_figure_doc(enum kb_eval_figure figure)
{
	return figures[figure].doc;
}

/* ---- documents ---- */

static struct kb_sv without_extension(struct kb_sv name)
{
	for (size_t i = name.n; i > 1; i--)
		if (name.p[i - 1] == '.')
			return kb_sv_sub(name, 0, i - 1);
	return name;
}

bool kb_eval_is_document(const struct kb_eval_document *document, struct kb_sv name)
{
	int64_t id;

	if (!name.n)
		return false;
	return (kb_sv_to_int(name, 1, INT64_MAX, &id) && id == document->id)
	       || kb_sv_eq(name, document->filename) || kb_sv_eq(name, document->title)
	       || kb_sv_eq(name, document->url)
	       || kb_sv_eq(name, without_extension(document->filename));
}

struct kb_sv kb_eval_document_name(struct kb_arena *arena, const struct kb_eval_row *row,
                                   const struct kb_eval_document *document)
{
	for (size_t i = 0; i < row->document_count; i++)
		if (kb_eval_is_document(document, row->documents[i].name))
			return row->documents[i].name;
	if (document->filename.n)
		return without_extension(document->filename);
	return kb_arena_printf(arena, "%" PRId64, document->id);
}

size_t kb_eval_documents(struct kb_arena *arena, const struct kb_eval_row *row,
                         const struct kb_eval_reply *reply, struct kb_eval_ranked **out)
{
	struct kb_eval_ranked *v = KB_NEW_ARRAY(arena, reply->passage_count, struct kb_eval_ranked);
	size_t count = 0;

	for (size_t i = 0; i < reply->passage_count; i++) {
		struct kb_sv name = kb_eval_document_name(arena, row, &reply->passages[i].document);
		size_t known = 0;

		while (known < count && !kb_sv_eq(v[known].id, name))
			known++;
		if (known < count)
			continue;
		/* The order is the search's: its places count, not the scores of two steps. */
		v[count].score = -(double)(count + 1);
		v[count++].id = name;
	}
	*out = v;
	return count;
}

static bool is_right(const struct kb_eval_row *row, const struct kb_eval_document *document)
{
	for (size_t i = 0; i < row->document_count; i++)
		if (row->documents[i].grade > 0
		    && kb_eval_is_document(document, row->documents[i].name))
			return true;
	return false;
}

/* ---- a row ---- */

struct judging {
	struct kb_arena *arena;
	const struct kb_eval_row *row;
	const struct kb_eval_reply *reply;
	struct kb_gold_tokens *gold;
	struct kb_gold_tokens said; /* nothing, where nothing is answered */
	struct kb_eval_verdict *out;
};

static bool holds_gold(const struct judging *j, const struct kb_gold_tokens *text)
{
	for (size_t i = 0; i < j->row->answer_count; i++)
		if (kb_gold_contains(text, &j->gold[i]))
			return true;
	return false;
}

static void judge_answer(struct judging *j)
{
	const struct kb_eval_row *row = j->row;

	j->gold = KB_NEW_ARRAY(j->arena, row->answer_count, struct kb_gold_tokens);
	kb_gold_tokenize(j->arena, j->reply->answered ? j->reply->answer : KB_SV(""), &j->said);
	for (size_t i = 0; i < row->answer_count; i++) {
		double f1;

		kb_gold_tokenize(j->arena, row->answers[i], &j->gold[i]);
		f1 = kb_gold_f1(&j->said, &j->gold[i]);
		if (kb_gold_exact(&j->said, &j->gold[i]))
			j->out->exact = 1;
		j->out->f1 = KB_MAX(j->out->f1, f1);
	}
	j->out->phrase = holds_gold(j, &j->said);
}

static void judge_passages(struct judging *j)
{
	struct kb_eval_verdict *out = j->out;

	for (size_t i = 0; i < j->reply->passage_count; i++) {
		const struct kb_eval_passage *passage = &j->reply->passages[i];
		struct kb_arena arena = { 0 };
		struct kb_gold_tokens text;
		bool has, right = is_right(j->row, &passage->document);

		kb_gold_tokenize(&arena, passage->text, &text);
		has = holds_gold(j, &text);
		kb_arena_fini(&arena);
		if (!out->place && (j->row->answer_count ? has : right))
			out->place = i + 1;
		out->contained_1 |= has && i == 0;
		out->contained_5 |= has && i < KB_EVAL_DEEP;
		out->hit_1 |= right && i == 0;
		out->hit_5 |= right && i < KB_EVAL_DEEP;
	}
}

static void judge_citations(struct judging *j)
{
	const struct kb_eval_reply *reply = j->reply;
	size_t right = 0, cited = 0, wanted = 0;

	for (size_t i = 0; i < j->row->document_count; i++)
		wanted += j->row->documents[i].grade > 0;
	for (size_t i = 0; i < reply->cited_count; i++) {
		bool before = false, is = is_right(j->row, &reply->cited[i]);

		for (size_t k = 0; k < i; k++)
			before |= reply->cited[k].id == reply->cited[i].id;
		cited += !before;
		right += !before && is;
		j->out->first |= is && i == 0;
		j->out->any |= is;
	}
	j->out->precision = cited ? (double)right / (double)cited : 0;
	j->out->recall = wanted ? (double)right / (double)wanted : 0;
}

/* Whether the text ends with half of a phrase or more, whose rest is missing. */
static bool breaks_off(const struct judging *j)
{
	for (size_t i = 0; i < j->row->answer_count; i++) {
		struct kb_gold_tokens begin = j->gold[i];
		const size_t whole = begin.count;

		for (begin.count = (whole + 1) / 2;
		     begin.count < whole && begin.count <= j->said.count; begin.count++) {
			const struct kb_gold_tokens end = { j->said.v + j->said.count - begin.count,
				                            begin.count };

			if (kb_gold_exact(&end, &begin))
				return true;
		}
	}
	return false;
}

static enum kb_eval_why why_not_refused(const struct judging *j)
{
	if (j->row->label_count)
		return KB_EVAL_LABEL;
	return j->reply->model.n ? KB_EVAL_MODEL : KB_EVAL_WRONG_SENTENCE;
}

/* Where there is nothing to look for, whatever was found may be it. */
static bool is_found(const struct judging *j)
{
	if (j->row->answer_count || j->row->document_count)
		return j->out->place > 0;
	return j->reply->passage_count > 0;
}

static enum kb_eval_why why_of(const struct judging *j)
{
	const struct kb_eval_row *row = j->row;
	const struct kb_eval_reply *reply = j->reply;
	bool phrase = j->out->phrase || !row->answer_count;
	bool document = j->out->any || !row->document_count;

	if (reply->error.n)
		return KB_EVAL_ERROR;
	if (reply->failed)
		return KB_EVAL_MODEL;
	if (row->refuse)
		return reply->answered ? why_not_refused(j) : KB_EVAL_PASSED;
	if (reply->answered && phrase && document)
		return KB_EVAL_PASSED;
	if (!(reply->answered && j->out->phrase) && !is_found(j))
		return reply->opened ? KB_EVAL_LABEL : KB_EVAL_NOT_FOUND;
	if (!reply->answered)
		return KB_EVAL_REFUSED;
	if (!phrase && (reply->cut || breaks_off(j)))
		return KB_EVAL_CUT;
	if (!document)
		return KB_EVAL_WRONG_DOCUMENT;
	return reply->model.n ? KB_EVAL_MODEL : KB_EVAL_WRONG_SENTENCE;
}

void kb_eval_judge(struct kb_arena *arena, const struct kb_eval_row *row,
                   const struct kb_eval_reply *reply, struct kb_eval_verdict *out)
{
	struct judging j = { .arena = arena, .row = row, .reply = reply, .out = out };
	struct kb_eval_ranked *ranked;
	size_t count;

	*out = (struct kb_eval_verdict){ 0 };
	judge_answer(&j);
	judge_passages(&j);
	judge_citations(&j);
	count = kb_eval_documents(arena, row, reply, &ranked);
	out->is_ranked = kb_eval_judge_ranking(ranked, count, row->documents, row->document_count,
	                                       out->ranking);
	out->why = why_of(&j);
}

/* ---- all of them ---- */

static void add(struct kb_eval_sums *sums, enum kb_eval_figure figure, double value)
{
	sums->value[figure] += value;
	sums->of[figure]++;
}

static void add_documents(struct kb_eval_sums *sums, const struct kb_eval_reply *reply,
                          const struct kb_eval_verdict *verdict)
{
	add(sums, KB_EVAL_F_FIRST, verdict->first);
	add(sums, KB_EVAL_F_DOCUMENT, verdict->any);
	add(sums, KB_EVAL_F_HIT_1, verdict->hit_1);
	add(sums, KB_EVAL_F_HIT_5, verdict->hit_5);
	if (reply->cited_count)
		add(sums, KB_EVAL_F_PRECISION, verdict->precision);
	add(sums, KB_EVAL_F_RECALL, verdict->recall);
	for (int i = 0; verdict->is_ranked && i < KB_EVAL_RANK_FIGURES; i++)
		add(sums, (enum kb_eval_figure)(KB_EVAL_F_RANKING + i), verdict->ranking[i]);
}

static void add_phrases(struct kb_eval_sums *sums, const struct kb_eval_verdict *verdict)
{
	add(sums, KB_EVAL_F_PHRASE, verdict->phrase);
	add(sums, KB_EVAL_F_EXACT, verdict->exact);
	add(sums, KB_EVAL_F_F1, verdict->f1);
	add(sums, KB_EVAL_F_CONTAINED_1, verdict->contained_1);
	add(sums, KB_EVAL_F_CONTAINED_5, verdict->contained_5);
	add(sums, KB_EVAL_F_EXACT_ALL, verdict->exact);
	add(sums, KB_EVAL_F_F1_ALL, verdict->f1);
}

static void add_row(struct kb_eval_sums *sums, const struct kb_eval_row *row,
                    const struct kb_eval_reply *reply, const struct kb_eval_verdict *verdict)
{
	bool refused = !reply->answered && !reply->error.n;

	sums->why[verdict->why]++;
	add(sums, KB_EVAL_F_PASSED, verdict->why == KB_EVAL_PASSED);
	if (row->refuse) {
		add(sums, KB_EVAL_F_REFUSED, refused);
		add(sums, KB_EVAL_F_EXACT_ALL, refused);
		add(sums, KB_EVAL_F_F1_ALL, refused);
		return;
	}
	add(sums, KB_EVAL_F_ANSWERED, reply->answered);
	if (row->answer_count)
		add_phrases(sums, verdict);
	if (row->document_count)
		add_documents(sums, reply, verdict);
	if (row->answer_count || row->document_count)
		add(sums, KB_EVAL_F_PLACE, verdict->place ? 1 / (double)verdict->place : 0);
}

static int by_time(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void add_times(struct kb_arena *arena, const struct kb_eval_table *table,
                      const struct kb_eval_reply *replies, struct kb_eval_sums *sums)
{
	int64_t *times = KB_NEW_ARRAY(arena, table->count, int64_t);
	size_t count = 0, half, most;

	for (size_t i = 0; i < table->count; i++)
		if (!replies[i].error.n)
			times[count++] = replies[i].took_us;
	qsort(times, count, sizeof(*times), by_time);
	sums->of[KB_EVAL_F_MS_50] = sums->of[KB_EVAL_F_MS_95] = count;
	if (!count)
		return;
	half = (count - 1) / 2;
	most = (count - 1) * 95 / 100;
	sums->value[KB_EVAL_F_MS_50] = (double)times[half] / 1000;
	sums->value[KB_EVAL_F_MS_95] = (double)times[most] / 1000;
}

void kb_eval_sum(struct kb_arena *arena, const struct kb_eval_table *table,
                 const struct kb_eval_reply *replies, const struct kb_eval_verdict *verdicts,
                 struct kb_eval_sums *out)
{
	*out = (struct kb_eval_sums){ .rows = table->count };
	for (size_t i = 0; i < table->count; i++) {
		add_row(out, &table->v[i], &replies[i], &verdicts[i]);
		out->value[KB_EVAL_F_SUPPORTED] += (double)replies[i].supported;
		out->of[KB_EVAL_F_SUPPORTED] += (size_t)replies[i].statements;
	}
	for (int i = 0; i < KB_EVAL_F_MS_50; i++)
		out->value[i] = out->of[i] ? out->value[i] / (double)out->of[i] : 0;
	add_times(arena, table, replies, out);
}
