#include "answer/verified.h"

#include <string.h>

#include "answer/attach.h"
#include "answer/bound.h"
#include "parse/doc.h"
#include "parse/protocol.h"
#include "store/verified.h"

enum { RIVALS_MAX = KB_SELECT_CANDIDATES };
static_assert(KB_VERIFIED_QUESTIONS_MAX
                              * (4 * KB_VERIFIED_QUESTION_CHARS + sizeof(KB_DOC_UNDER_NEXT))
                      <= KB_MSG_HEADING_MAX,
              "an answer is found under each of its questions");

/* The cosine of the encoder's vectors of a question and of a checked answer's passage, and
 * LEAD_WEIGHT times what it leads by: questions that are only near to an answer mostly are so to
 * several. Where there are few answers the next one is taken to be as near as any text is. Set on
 * tests/fixtures/verified.json and on questions on thirty manuals, half of which are checked
 * (bench/verified.mjs). */
#define CLEAR_COSINE 0.90f
#define LEAD_WEIGHT  2
#define ANY_COSINE   0.32f
/* So near, one word may stand in another's place; but where more words than these are the same, the
 * cosine comes of them. */
#define SWAPPED_COSINE 0.62f
#define SWAPPED_WORDS  0.7f

/* Without vectors: the share of content words that question and checked question have in common,
 * of both sides, and its lead. */
#define NEAR_WORDS 0.8f
#define LEAD_WORDS 0.1f

/* ---- which of them leads ---- */

/* A checked answer among the candidates. */
struct rival {
	const struct kb_candidate *by; /* its nearest passage */
	float words;                   /* of its best question */
};

struct contest {
	const struct kb_answer_job *job;
	const struct kb_question *question;
	const struct kb_bound_words *asked; /* with the turn before, where it leans on that */
	enum kb_lang lang;
	struct rival v[RIVALS_MAX];
	size_t count;
	bool by_cosine;
};

/* The questions of a passage's path, one after another. */
static bool next_question(struct kb_sv *path, struct kb_sv *out)
{
	struct kb_sv mark = KB_SV(KB_DOC_UNDER_NEXT);
	ptrdiff_t end = kb_sv_find(*path, mark);

	if (!path->n)
		return false;
	*out = kb_sv_trim(kb_sv_sub(*path, 0, end < 0 ? path->n : (size_t)end));
	*path = end < 0 ? KB_SV("") : kb_sv_from(*path, (size_t)end + mark.n);
	return true;
}

static const struct kb_bound_words *words_of(const struct contest *c, struct kb_sv text)
{
	return kb_bound_read(c->job->analyzer, c->job->arena, c->lang, text);
}

static float score(const struct contest *c, const struct rival *rival)
{
	return c->by_cosine ? rival->by->cosine : rival->words;
}

static void add_rival(struct contest *c, const struct kb_candidate *candidate)
{
	struct kb_sv path = candidate->passage.heading, question;
	struct rival rival = { .by = candidate };

	while (next_question(&path, &question)) {
		float words = kb_bound_shared(c->asked, words_of(c, question));

		rival.words = KB_MAX(rival.words, words);
	}
	for (size_t i = 0; i < c->count; i++)
		if (c->v[i].by->passage.page_id == candidate->passage.page_id) {
			if (score(c, &rival) > score(c, &c->v[i]))
				c->v[i] = rival;
			return;
		}
	if (c->count < RIVALS_MAX)
		c->v[c->count++] = rival;
}

static bool is_checked(const struct kb_candidate *candidate)
{
	return kb_doc_is_under(candidate->passage.heading)
	       && !kb_attached_is_page(candidate->passage.page_id);
}

static void gather(struct contest *c, const struct kb_answer_step *step, struct kb_sv asked)
{
	const struct kb_vectorizer *with = c->job->answerer->vectorizer;

	c->by_cosine = with && with->fitted;
	for (size_t i = 0; i < step->candidate_count; i++)
		if (is_checked(&step->candidates[i]))
			c->by_cosine = c->by_cosine && step->candidates[i].cosine != 0;
	for (size_t i = 0; i < step->candidate_count; i++)
		if (is_checked(&step->candidates[i])) {
			if (!c->asked) /* most agents have no such answer */
				c->asked = words_of(c, asked);
			add_rival(c, &step->candidates[i]);
		}
}

/* The one that was asked for word by word; or NULL. */
static const struct rival *asked_for(const struct contest *c, struct kb_sv *question)
{
	for (size_t i = 0; i < c->count && !c->question->follow_up; i++) {
		struct kb_sv path = c->v[i].by->passage.heading;

		while (next_question(&path, question))
			if (kb_bound_same(c->asked, words_of(c, *question)))
				return &c->v[i];
	}
	return NULL;
}

/* Whether one word may stand in another's place. */
static bool is_sure(const struct contest *c, const struct rival *rival)
{
	return c->by_cosine && rival->by->cosine >= SWAPPED_COSINE && rival->words < SWAPPED_WORDS;
}

/* Whether it is near and leads clearly; next: the score of the one behind it. */
static bool is_clear(const struct contest *c, float best, float next)
{
	if (c->by_cosine)
		return best + LEAD_WEIGHT * (best - KB_MAX(next, ANY_COSINE)) >= CLEAR_COSINE;
	return best >= NEAR_WORDS && best - next >= LEAD_WORDS;
}

/* The one that leads and is bound to the same things; or NULL. */
static const struct rival *leader(const struct contest *c, struct kb_sv *question)
{
	const struct rival *best = NULL;
	const struct kb_bound_words *answer;
	struct kb_sv path;
	float next = 0;

	for (size_t i = 0; i < c->count; i++)
		if (!best || score(c, &c->v[i]) > score(c, best))
			best = &c->v[i];
	for (size_t i = 0; i < c->count; i++)
		if (&c->v[i] != best)
			next = KB_MAX(next, score(c, &c->v[i]));
	if (!best || !is_clear(c, score(c, best), next))
		return NULL;
	path = best->by->passage.heading;
	answer = words_of(c, best->by->passage.text);
	while (next_question(&path, question))
		if (kb_bound_is(c->asked, words_of(c, *question), answer, is_sure(c, best)))
			return best;
	return NULL;
}

/* ---- what it says ---- */

/* A quote a line; where each stands in the document follows from how that is made (parse/answer.c).
 */
static void quote_lines(struct kb_arena *arena, const struct kb_verified *won,
                        const struct kb_passage *passage, struct kb_answer *out)
{
	struct kb_sv rest = won->answer, line;
	uint32_t offset = 0;
	size_t lines = 1;

	for (size_t i = 0; i < rest.n; i++)
		lines += rest.p[i] == '\n';
	out->quotes = KB_NEW_ARRAY(arena, lines, struct kb_quote);
	while (kb_sv_split(&rest, '\n', &line)) {
		if (!line.n)
			continue;
		out->quotes[out->quote_count++] = (struct kb_quote){
			.page_id = won->page_id,
			.offset = offset,
			.said = (uint32_t)line.n,
			.at = (size_t)(line.p - won->answer.p),
			.text = line,
			.title = passage->title,
		};
		offset += (uint32_t)line.n + 1;
	}
}

static struct kb_sv hand_over(struct kb_arena *arena, const struct kb_answer_request *request,
                              const struct kb_verified *won, const struct kb_passage *passage,
                              struct kb_answer *out)
{
	enum kb_citations mode = kb_settings_citations(request->settings);

	out->kind = KB_ANSWER_QUOTES;
	out->checked = (struct kb_checked){ .page_id = won->page_id,
		                            .version = won->version,
		                            .at = won->checked_at,
		                            .by = won->checked_by };
	quote_lines(arena, won, passage, out);
	out->citations = KB_NEW_ARRAY(arena, won->cite_count + 1, int64_t);
	if (mode != KB_CITATIONS_NONE) {
		out->citations[out->citation_count++] = won->page_id;
		for (size_t i = 0; i < won->cite_count; i++)
			out->citations[out->citation_count++] = won->cites[i].page_id;
	}
	/* A line that ends a block of code has nothing behind. */
	if (request->inline_citations && (mode == KB_CITATIONS_INLINE || mode == KB_CITATIONS_BOTH))
		return kb_arena_printf(arena, "%.*s%s[1]", KB_SV_ARG(won->answer),
		                       kb_sv_ends(won->answer, KB_SV("```")) ? "\n" : " ");
	return won->answer;
}

/* Whether the row still says what was found, and may win. */
static bool stands(const struct kb_verified *won, struct kb_sv question)
{
	struct kb_sv rest = won->questions, one;

	for (size_t i = 0; i < won->cite_count; i++)
		if (won->cites[i].gone)
			return false;
	while (rest.p && kb_sv_split(&rest, '\n', &one))
		if (kb_sv_eq(one, question))
			return !won->is_due;
	return false;
}

bool kb_verified_answer(const struct kb_answer_job *job, const struct kb_answer_request *request,
                        const struct kb_steps *steps, struct kb_answer *out, struct kb_sv *text,
                        struct kb_err *err)
{
	const struct kb_answer_step *step = &steps->v[0];
	struct contest c = { .job = job, .question = &step->question, .lang = step->question.lang };
	const struct rival *best;
	struct kb_verified won;
	struct kb_sv asked = step->question.text, question;

	*text = KB_SV("");
	if (steps->count != 1 + steps->sides || request->image_count)
		return true;
	if (step->question.follow_up && request->turn_count)
		asked = kb_arena_printf(job->arena, "%.*s\n%.*s",
		                        KB_SV_ARG(request->turns[request->turn_count - 1]),
		                        KB_SV_ARG(asked));
	gather(&c, step, asked);
	best = asked_for(&c, &question);
	if (!best)
		best = leader(&c, &question);
	if (!best)
		return true;
	if (!kb_store_verified_get(job->answerer->store, job->arena, request->agent->id,
	                           best->by->passage.page_id, &won, err)) {
		if (err->code != KB_E_NOT_FOUND)
			return false;
		*err = (struct kb_err){ 0 }; /* a file that only looks like one has no row */
		return true;
	}
	if (stands(&won, question))
		*text = hand_over(job->arena, request, &won, &best->by->passage, out);
	return true;
}
