#include "answer/steps.h"

#include <stdlib.h>
#include <string.h>

#include "answer/compare.h"
#include "answer/fresh.h"
#include "answer/joined.h"
#include "answer/retrieve.h"
#include "index/codes.h"
#include "index/explain.h"
#include "index/query.h"
#include "index/rerank.h"

enum {
	STRICT_FROM = 5000, /* passages: above some thousand the gate is the strict one */
	SPELLINGS_MAX = 6,  /* of a code that begins others */
};

/* The gate of a question that names what no passage holds. */
#define LACKING_Z (-1.0f)

/* Of the score of a sentence: so far behind the best it joins no answer. */
#define OTHERS_BEHIND 100.0f

/* How widely an agent_capability searches, beyond what planner mode adds: parts of a question that
 * are looked for one by one, passages that are read closely, passages ranked in all steps, and
 * whether a reranker judges the best, if there is one. */
static const struct effort {
	size_t parts, passages, rerank;
	bool judged;
} efforts[] = {
	[KB_CAPABILITY_FASTEST] = { 1, KB_SELECT_ADVISED, KB_RERANK_DEFAULT, false },
	[KB_CAPABILITY_OPTIMAL] = { 1, KB_SELECT_ADVISED, KB_RERANK_DEFAULT, false },
	[KB_CAPABILITY_ADVANCED] = { 3, 26, 2 * KB_RERANK_DEFAULT, true },
	[KB_CAPABILITY_COMPLEX] = { 6, KB_SELECT_CANDIDATES, 4 * KB_RERANK_DEFAULT, true },
};
static_assert(KB_COUNTOF(efforts) == KB_CAPABILITIES, "a capability without a row");

struct search {
	const struct kb_answer_job *job;
	struct kb_analyzer *analyzer; /* the job's */
	struct kb_arena *arena;       /* the job's */
	const struct kb_answer_request *request;
	/* What the request's labels open of the agent, with the attached documents. */
	struct kb_snapshot *snapshot;
	const struct effort *effort;
	struct kb_steps *out;
};

/* ---- plan ---- */

bool kb_capability_is_judged(enum kb_capability capability)
{
	return efforts[capability].judged;
}

/* Planner mode adds max_actions_per_query searches to the one that every question has. */
bool kb_steps_planned(const struct kb_answer_request *request, size_t *max)
{
	const struct kb_settings *settings = request->settings;
	int64_t actions = settings->max_actions_per_query, limit = request->actions_max;
	bool planned = kb_action_on(request, KB_ACTION_PLANNING, settings->use_planner_mode.v);

	*max = efforts[kb_settings_capability(settings)].parts;
	if (limit > 0)
		actions = KB_MIN(actions, limit);
	if (planned)
		*max = KB_MIN(KB_MAX(*max, (size_t)actions + 1), (size_t)KB_PLAN_PARTS_MAX);
	return planned;
}

static int64_t df(void *arg, struct kb_sv term)
{
	return kb_snapshot_df(arg, term);
}

/* What the step's question names. What others plan to search for says it in their words: there the
 * prompt tells what is named. */
static void read_named(const struct search *s, struct kb_snapshot *snapshot,
                       struct kb_utterance said, struct kb_answer_step *step)
{
	struct kb_answer_stats stats = { kb_snapshot_passages(snapshot), df, snapshot };

	if (s->request->search_count)
		said.text = s->request->prompt;
	kb_named_read(s->analyzer, s->arena, &step->question, &said, &stats, &step->named);
}

/* A part that points back ("how tall is it?") has the part before as its last turn. */
static void understand(struct search *s, struct kb_sv text, struct kb_sv before,
                       struct kb_answer_step *step)
{
	const struct kb_answer_request *request = s->request;
	struct kb_utterance said = { .text = text,
		                     .turns = request->turns,
		                     .turn_count = request->turn_count };
	size_t count = said.turn_count;

	kb_question_read(s->analyzer, s->arena, s->snapshot, &said, &step->question);
	if (before.n && kb_question_leans(step->question.lang, &step->question.terms)) {
		struct kb_sv *more = KB_NEW_ARRAY(s->arena, count + 1, struct kb_sv);

		if (count)
			memcpy(more, said.turns, count * sizeof(*more));
		more[count] = before;
		said.turns = more;
		said.turn_count++;
		kb_question_read(s->analyzer, s->arena, s->snapshot, &said, &step->question);
	}
	read_named(s, s->snapshot, said, step);
}

/* ---- retrieve ---- */

/* Whether a passage holds a whole code of the step's question, or else (whole false) a part. */
static bool holds_code(const struct kb_snapshot *snapshot, const struct kb_hit *hit,
                       const struct kb_code *codes, size_t count, bool whole)
{
	for (size_t i = 0; i < count; i++) {
		struct kb_query_term term = { codes[i].term, 1 };

		if (codes[i].part != whole && kb_score(snapshot, hit->part, hit->doc, &term, 1) > 0)
			return true;
	}
	return false;
}

/* Moves the passages that hold a code of the question to the front, whole codes or where there are
 * none parts; returns how many do. */
static size_t codes_first(const struct search *s, const struct kb_snapshot *snapshot,
                          struct kb_sv text, struct kb_hit *hits, size_t count)
{
	struct kb_hit *others = KB_NEW_ARRAY(s->arena, count, struct kb_hit);
	struct kb_code *codes;
	size_t code_count, front = 0, back;

	kb_codes(s->arena, text, true, &codes, &code_count);
	for (int whole = 1; whole >= 0 && !front; whole--) {
		back = 0;
		for (size_t i = 0; i < count; i++) {
			if (holds_code(snapshot, &hits[i], codes, code_count, whole))
				hits[front++] = hits[i];
			else
				others[back++] = hits[i];
		}
	}
	if (front)
		memcpy(hits + front, others, back * sizeof(*hits));
	return front;
}

/* The code as passages spell it. Of "12.4" those are all that begin so, 12.4.1 as well as 12.4.2:
 * none is more meant than the others. */
static struct kb_sv spellings(const struct search *s, struct kb_sv term,
                              const struct kb_candidate *candidates, size_t count)
{
	struct kb_sv found[SPELLINGS_MAX], out = KB_SV("");
	size_t n = 0;

	for (size_t c = 0; c < count; c++) {
		struct kb_sv text = candidates[c].passage.text;
		struct kb_code *held;
		size_t held_count;

		kb_codes(s->arena, text, true, &held, &held_count);
		for (size_t k = 0; k < held_count && n < SPELLINGS_MAX; k++) {
			struct kb_sv as =
			        kb_sv_sub(text, held[k].start, held[k].end - held[k].start);
			bool known = false;

			for (size_t i = 0; i < n; i++)
				known |= kb_sv_eq(found[i], as);
			if (known || !kb_sv_eq(held[k].term, term))
				continue;
			found[n++] = as;
			out = kb_arena_printf(s->arena, "%.*s%s%.*s", KB_SV_ARG(out),
			                      out.n ? " " : "", KB_SV_ARG(as));
			if (!held[k].part) /* one spelling of a whole code is enough */
				return as;
		}
	}
	return out;
}

/* The text with each code of it in the spelling of the passages, as far as they have it: the
 * selection compares words, and "ERR-4012" is two where "err4012" is one. */
static struct kb_sv respell(const struct search *s, struct kb_sv text,
                            const struct kb_candidate *candidates, size_t count)
{
	struct kb_code *asked;
	size_t asked_count;
	struct kb_sv out = KB_SV("");
	uint32_t at = 0;

	kb_codes(s->arena, text, true, &asked, &asked_count);
	for (size_t i = 0; i < asked_count; i++) {
		struct kb_sv as;

		if (asked[i].part || asked[i].start < at)
			continue;
		as = spellings(s, asked[i].term, candidates, count);
		if (as.n == 0)
			continue;
		out = kb_arena_printf(s->arena, "%.*s%.*s%.*s", KB_SV_ARG(out),
		                      KB_SV_ARG(kb_sv_sub(text, at, asked[i].start - at)),
		                      KB_SV_ARG(as));
		at = asked[i].end;
	}
	return kb_arena_printf(s->arena, "%.*s%.*s", KB_SV_ARG(out),
	                       KB_SV_ARG(kb_sv_from(text, at)));
}

/* The question as a model reads it: one that leans on the turn before comes with it. */
static struct kb_sv whole_question(const struct search *s, const struct kb_answer_step *step)
{
	const struct kb_answer_request *request = s->request;

	if (!step->question.follow_up || !request->turn_count)
		return step->question.text;
	return kb_arena_printf(s->arena, "%.*s\n%.*s",
	                       KB_SV_ARG(request->turns[request->turn_count - 1]),
	                       KB_SV_ARG(step->question.text));
}

/* What a search has found. */
struct pool {
	struct kb_hit *hits;  /* as the selection reads them */
	struct kb_hit *order; /* the same, as the whole search has them */
	size_t count;
	struct kb_retrieved found;
};

/*
 * The candidates' passages. Vectors and the reranker decide which take part; their order and their
 * scores are the words' own, because the selection and its gate are fitted to those: a passage that
 * came by its vector alone is read as if its words had found it.
 */
static void find_passages(const struct search *s, const struct kb_snapshot *snapshot,
                          const struct kb_query *query, const struct kb_answer_step *step,
                          struct pool *out)
{
	struct kb_retrieval retrieval = { .snapshot = snapshot,
		                          .words = query,
		                          .question = whole_question(s, step),
		                          .rerank = s->effort->judged };
	struct kb_retrieved *found = &out->found;

	kb_retrieve(s->job->answerer, s->arena, &retrieval, found);
	out->hits = found->hits;
	out->count = found->count;
	out->order = kb_arena_copy(s->arena, found->hits, found->count * sizeof(*found->hits));
	if (found->vectors != KB_VECTORS_USED && found->reranker != KB_RERANKER_USED)
		return;
	kb_retrieved_word_scores(s->arena, &retrieval, found, out->hits, out->count);
	if (out->count)
		qsort(out->hits, out->count, sizeof(*out->hits), kb_hit_by_score);
}

/* Whoever holds a code of the question comes before the others. */
static uint32_t place_of(const struct pool *pool, size_t i, size_t with_code)
{
	size_t place = 0;

	while (pool->order[place].part != pool->hits[i].part
	       || pool->order[place].doc != pool->hits[i].doc)
		place++;
	return (uint32_t)(i < with_code ? place : place + pool->count);
}

static enum kb_named_verdict judge(const struct search *s, const struct kb_answer_step *step,
                                   bool *allowed)
{
	return kb_named_judge(s->analyzer, s->arena, &step->named, step->candidates,
	                      step->candidate_count, allowed);
}

/* Among many passages those that hold a number of the question may not be among the best: what is
 * named is looked for by itself, and what is found so joins the candidates. */
static bool look_for_named(const struct search *s, const struct kb_snapshot *snapshot,
                           const struct kb_query *query, struct kb_retrieved *found,
                           struct kb_answer_step *step, struct kb_err *err)
{
	enum { HEAVY = 30, WIDE = 100 };
	struct kb_query_term *terms;
	struct kb_query named = *query;
	struct kb_candidate *all;
	struct kb_sv *wanted;
	struct kb_hit *hits;
	size_t wanted_count, count;

	kb_named_terms(s->arena, &step->named, &wanted, &wanted_count);
	terms = KB_NEW_ARRAY(s->arena, query->term_count + wanted_count, struct kb_query_term);
	memcpy(terms, query->terms, query->term_count * sizeof(*terms));
	named.terms = terms;
	for (size_t i = 0; i < wanted_count; i++)
		if (kb_snapshot_df(snapshot, wanted[i]) > 0)
			terms[named.term_count++] = (struct kb_query_term){ wanted[i], HEAVY };
	/* A name may stand there in another spelling. */
	if (named.term_count == query->term_count && !kb_named_has(&step->named, KB_NAMED_NAME))
		return true;
	named.limit = WIDE;
	kb_search(snapshot, s->arena, &named, &hits, &count);
	kb_explain_scores(snapshot, s->arena, query, hits, count);
	all = KB_NEW_ARRAY(s->arena, step->candidate_count + count, struct kb_candidate);
	if (step->candidate_count)
		memcpy(all, step->candidates, step->candidate_count * sizeof(*all));
	step->candidates = all;
	for (size_t i = 0; i < count; i++) {
		struct kb_candidate *one = &all[step->candidate_count];
		bool known = false;

		for (size_t k = 0; k < step->candidate_count; k++)
			known |= all[k].part == hits[i].part && all[k].doc == hits[i].doc;
		if (known)
			continue;
		*one = (struct kb_candidate){ .score = hits[i].score,
			                      .meant = hits[i].score,
			                      .place = (uint32_t)step->candidate_count,
			                      .part = hits[i].part,
			                      .doc = hits[i].doc };
		kb_retrieved_measure(snapshot, s->arena, found, one);
		if (!kb_snapshot_passage(snapshot, s->arena, hits[i].part, hits[i].doc,
		                         &one->passage, err))
			return false;
		step->candidate_count++;
	}
	return true;
}

/* Leaves those candidates that hold what the question names, in their order. */
static bool keep_named(const struct search *s, const struct kb_snapshot *snapshot,
                       const struct kb_query *query, struct kb_retrieved *retrieved,
                       struct kb_answer_step *step, struct kb_err *err)
{
	size_t found = step->candidate_count, kept = 0, with_code = 0;
	bool *allowed = KB_NEW_ARRAY(s->arena, found, bool);

	step->verdict = judge(s, step, allowed);
	if (step->verdict == KB_NAMED_LACKING) {
		if (!look_for_named(s, snapshot, query, retrieved, step, err))
			return false;
		allowed = KB_NEW_ARRAY(s->arena, step->candidate_count, bool);
		if (step->candidate_count > found)
			step->verdict = judge(s, step, allowed);
		if (step->verdict != KB_NAMED_HELD)
			step->candidate_count = found;
	}
	if (step->verdict != KB_NAMED_HELD)
		return true;
	for (size_t i = 0; i < step->candidate_count; i++) {
		if (!allowed[i])
			continue;
		with_code += i < step->with_code;
		step->candidates[kept++] = step->candidates[i];
	}
	step->candidate_count = kept;
	step->with_code = with_code;
	return true;
}

static bool retrieve(struct search *s, const struct kb_snapshot *snapshot,
                     struct kb_answer_step *step, struct kb_err *err)
{
	size_t wanted = KB_MAX(s->effort->passages, s->request->passages);
	struct kb_query query = kb_question_query(&step->question, wanted);
	bool codes =
	        kb_action_on(s->request, KB_ACTION_CODES, s->request->settings->is_hybrid_search.v);
	struct kb_query words = query;
	float scale = 1, *meant;
	struct pool pool;

	query.rerank = words.rerank = s->effort->rerank;
	query.meaning = s->job->answerer->meaning;
	if (codes) {
		/* The selection is fitted to scores without codes: theirs are brought to the
		 * same measure. */
		float plain = kb_score_bound(snapshot, query.terms, query.term_count), all;

		kb_query_codes(s->arena, step->question.text, &query);
		all = kb_score_bound(snapshot, query.terms, query.term_count);
		scale = all > plain && plain > 0 ? plain / all : 1;
	}
	find_passages(s, snapshot, &query, step, &pool);
	step->with_code =
	        codes ? codes_first(s, snapshot, step->question.text, pool.hits, pool.count) : 0;
	meant = kb_search_meant(snapshot, s->arena, &query, pool.hits, pool.count);
	step->candidates = KB_NEW_ARRAY(s->arena, pool.count, struct kb_candidate);
	for (size_t i = 0; i < pool.count; i++) {
		step->candidates[i].score = pool.hits[i].score * scale;
		step->candidates[i].meant = meant[i] * scale;
		step->candidates[i].place = place_of(&pool, i, step->with_code);
		step->candidates[i].part = pool.hits[i].part;
		step->candidates[i].doc = pool.hits[i].doc;
		kb_retrieved_measure(snapshot, s->arena, &pool.found, &step->candidates[i]);
		if (!kb_snapshot_passage(snapshot, s->arena, pool.hits[i].part, pool.hits[i].doc,
		                         &step->candidates[i].passage, err))
			return false;
	}
	step->candidate_count = pool.count;
	if (!keep_named(s, snapshot, &words, &pool.found, step, err))
		return false;
	step->nearness = pool.found.nearness;
	return true;
}

/* ---- rank ---- */

static void select_from(const struct search *s, struct kb_snapshot *snapshot,
                        const struct kb_question *question, size_t count, enum kb_answer_gate gate,
                        struct kb_answer_step *step)
{
	/* As the search weighs its words, whose scores are compared with these. */
	int64_t passages = KB_MAX(kb_snapshot_passages(snapshot), (int64_t)KB_WEIGHED_LEAST);

	kb_select(s->analyzer, s->arena, question,
	          &(struct kb_evidence){
	                  .candidates = step->candidates,
	                  .count = count,
	                  .meaning = s->job->answerer->meaning,
	                  .nearness = step->nearness,
	                  .stats = { .passages = passages, .df = df, .arg = snapshot } },
	          passages >= STRICT_FROM ? KB_GATE_STRICT : gate, &step->selection);
}

/* Sentences of another thing than the one named ("Room 12 seats ..." for room 14) come last, and
 * too far behind to join those before them. */
static void put_others_last(const struct search *s, struct kb_answer_step *step)
{
	struct kb_selection *selection = &step->selection;
	struct kb_scored_sentence *v =
	        KB_NEW_ARRAY(s->arena, selection->count, struct kb_scored_sentence);
	bool *other = KB_NEW_ARRAY(s->arena, selection->count, bool);
	size_t n = 0;
	float best;

	for (size_t i = 0; i < selection->count; i++) {
		const struct kb_scored_sentence *one = &selection->sentences[i];
		const struct kb_passage *from = &step->candidates[one->candidate].passage;
		struct kb_passage alone = {
			.lang = from->lang,
			.text = kb_sv_sub(from->text, one->start, one->end - one->start),
		};
		struct kb_named_in in = kb_named_in(s->analyzer, s->arena, &step->named, &alone);

		other[i] = in.other && !in.held;
	}
	for (size_t i = 0; i < selection->count; i++)
		if (!other[i])
			v[n++] = selection->sentences[i];
	if (!n)
		return;
	best = v[0].z;
	for (size_t i = 0; i < selection->count; i++) {
		if (!other[i])
			continue;
		v[n] = selection->sentences[i];
		v[n].z = KB_MIN(v[n].z, best - OTHERS_BEHIND);
		v[n].other = true;
		n++;
	}
	selection->sentences = v;
}

static void rank(const struct search *s, struct kb_snapshot *snapshot, struct kb_answer_step *step)
{
	size_t holding = step->with_code;

	if (step->verdict == KB_NAMED_HELD && kb_named_has(&step->named, KB_NAMED_CODE))
		holding = step->candidate_count;
	/* Whoever asks for a code is answered from the passages that hold it, if they answer. */
	if (holding) {
		struct kb_utterance said = {
			.text = respell(s, step->question.text, step->candidates, holding),
			.lang = step->question.lang,
			.turns = s->request->turns,
			.turn_count = s->request->turn_count,
		};
		struct kb_question question;

		kb_question_read(s->analyzer, s->arena, snapshot, &said, &question);
		select_from(s, snapshot, &question, KB_MIN(holding, s->effort->passages),
		            KB_GATE_CODE, step);
	}
	/* What only a model may read besides takes no part. */
	if (!step->selection.answered)
		select_from(s, snapshot, &step->question,
		            KB_MIN(step->candidate_count, s->effort->passages), KB_GATE_LENIENT,
		            step);
	if (step->verdict == KB_NAMED_HELD)
		put_others_last(s, step);
	step->selection.bound =
	        step->verdict == KB_NAMED_HELD && kb_named_has(&step->named, KB_NAMED_CODE);
	/* What is near speaks of another; it may be shown beside the refusal. */
	if (step->verdict == KB_NAMED_LACKING) {
		step->selection.answered = false;
		step->selection.gate_z = KB_MIN(step->selection.gate_z, LACKING_Z);
	}
}

/* Words of a question about one file are common in an agent of many: what found no answer among all
 * documents is asked of the attached ones alone. */
static bool ask_attached(struct search *s, struct kb_answer_step *step, struct kb_err *err)
{
	struct kb_segment *segment = s->request->attached ? s->request->attached->segment : NULL;
	struct kb_snapshot *alone;
	bool ok;

	if (step->selection.answered || !segment || step->verdict == KB_NAMED_LACKING)
		return true;
	alone = kb_snapshot_new(&(struct kb_snapshot_part){ .segment = segment }, 1, NULL, 0);
	ok = retrieve(s, alone, step, err);
	if (ok)
		rank(s, alone, step);
	kb_snapshot_release(alone);
	return ok;
}

/* A turn that leans on those before, but finds no answer with their words and says enough itself,
 * is asked as it would be in a conversation of its own. */
static bool ask_alone(struct search *s, struct kb_sv text, struct kb_answer_step *step,
                      struct kb_err *err)
{
	if (step->selection.answered || !step->question.follow_up || !step->question.complete)
		return true;
	kb_question_read(s->analyzer, s->arena, s->snapshot, &(struct kb_utterance){ .text = text },
	                 &step->question);
	read_named(s, s->snapshot, (struct kb_utterance){ .text = text }, step);
	if (!retrieve(s, s->snapshot, step, err))
		return false;
	rank(s, s->snapshot, step);
	return true;
}

/* What stands beside a question may be of another matter: where all of it finds no answer, what is
 * asked is asked without it, unless it points there. */
static bool ask_asking(struct search *s, struct kb_sv text, struct kb_answer_step *step,
                       struct kb_err *err)
{
	struct kb_sv asking = kb_plan_asking(s->arena, text);
	struct kb_answer_step alone = { 0 };

	if (step->selection.answered || !asking.n)
		return true;
	kb_question_read(s->analyzer, s->arena, s->snapshot,
	                 &(struct kb_utterance){ .text = asking }, &alone.question);
	if (kb_question_leans(alone.question.lang, &alone.question.terms))
		return true;
	/* A code that stands beside the question is what it is about. */
	read_named(s, s->snapshot, (struct kb_utterance){ .text = text }, &alone);
	if (!retrieve(s, s->snapshot, &alone, err))
		return false;
	rank(s, s->snapshot, &alone);
	if (alone.selection.answered)
		*step = alone;
	return true;
}

/* What is said where it answers. */
static bool take_parts(const struct search *s, struct kb_answer_step *step, struct kb_err *err)
{
	struct kb_joined said = { .candidates = step->candidates, .count = step->candidate_count };

	if (!step->selection.answered)
		return true;
	if (!kb_fresh_sentences(
	            &(struct kb_fresh){ s->job, s->request->agent->id, &step->question },
	            step->candidates, &step->selection, &step->conflicts, err))
		return false;
	kb_answer_parts(s->arena, step->candidates, &step->selection, &said.parts,
	                &said.part_count);
	kb_answer_join(s->arena, s->snapshot, step->selection.shape, &said);
	step->candidates = said.candidates;
	step->joined_count = said.joined;
	step->parts = said.parts;
	step->part_count = said.part_count;
	return true;
}

static bool take_step(struct search *s, struct kb_sv text, struct kb_sv before, struct kb_err *err)
{
	struct kb_answer_step *step = &s->out->v[s->out->count];
	int64_t start = kb_clock_mono_us(), found;
	double sure;

	understand(s, text, before, step);
	if (!retrieve(s, s->snapshot, step, err))
		return false;
	found = kb_clock_mono_us();
	rank(s, s->snapshot, step);
	if (!ask_alone(s, text, step, err) || !ask_asking(s, text, step, err)
	    || !ask_attached(s, step, err))
		return false;
	if (!take_parts(s, step, err))
		return false;
	sure = (double)step->selection.gate_z;
	s->out->confidence = s->out->count ? KB_MAX(s->out->confidence, sure) : sure;
	s->out->count++;
	s->out->retrieve_us += found - start;
	s->out->rank_us += kb_clock_mono_us() - found;
	return true;
}

/* ---- comparisons ---- */

static bool is_content(const struct kb_term *t)
{
	return !(t->flags & (KB_TERM_FUNCTION | KB_TERM_STOP | KB_TERM_PIECE));
}

/* The rarest word of content; NULL: there is none. */
static const struct kb_term *rarest_of(const struct search *s, const struct kb_question *question)
{
	const struct kb_term *rarest = NULL;
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < question->terms.count; i++) {
		const struct kb_term *t = &question->terms.v[i];
		int64_t held = kb_snapshot_df(s->snapshot, t->term);

		if (is_content(t) && held < least) {
			least = held;
			rarest = t;
		}
	}
	return rarest;
}

/* Whether what the step says speaks of the side, in its rarest word. */
static bool speaks_of(const struct search *s, const struct kb_answer_step *step, struct kb_sv word)
{
	struct kb_query_term term = { word, 1 };

	for (size_t i = 0; i < step->part_count; i++) {
		const struct kb_candidate *from = &step->candidates[step->parts[i].candidate];

		if (kb_score(s->snapshot, from->part, from->doc, &term, 1) > 0)
			return true;
	}
	return false;
}

/* One side by itself: of what speaks of it, whatever is said of the other. */
static bool take_side(struct search *s, struct kb_sv side, struct kb_sv word, struct kb_err *err)
{
	struct kb_answer_step *step = &s->out->v[s->out->count];
	struct kb_query_term term = { word, 1 };
	size_t kept = 0;

	s->out->sides++;
	if (!kb_snapshot_df(s->snapshot, word)) {
		step->missing = side;
		s->out->count++;
		return true;
	}
	understand(s, side, KB_SV(""), step);
	if (!retrieve(s, s->snapshot, step, err))
		return false;
	for (size_t i = 0; i < step->candidate_count; i++)
		if (kb_score(s->snapshot, step->candidates[i].part, step->candidates[i].doc, &term,
		             1)
		    > 0)
			step->candidates[kept++] = step->candidates[i];
	step->candidate_count = kept;
	step->with_code = 0;
	rank(s, s->snapshot, step);
	if (!take_parts(s, step, err))
		return false;
	s->out->confidence = KB_MAX(s->out->confidence, (double)step->selection.gate_z);
	s->out->count++;
	return true;
}

/* What compares two things and is not answered by what speaks of both is looked for side by side;
 * where that finds something, it is said instead. */
static bool take_sides(struct search *s, struct kb_sv text, struct kb_err *err)
{
	struct kb_answer_step *whole = &s->out->v[0];
	struct kb_sv sides[KB_COMPARE_SIDES], words[KB_COMPARE_SIDES];
	bool both = whole->part_count > 0, any = false;

	if (!kb_compare_sides(whole->question.lang, text, sides))
		return true;
	for (size_t i = 0; i < KB_COMPARE_SIDES; i++) {
		struct kb_utterance said = { .text = sides[i], .lang = whole->question.lang };
		struct kb_question question;
		const struct kb_term *rarest;

		kb_question_build(s->analyzer, s->arena, &said, &question);
		rarest = rarest_of(s, &question);
		if (!rarest)
			return true;
		words[i] = rarest->term;
		both = both && speaks_of(s, whole, words[i]);
	}
	for (size_t i = 0; i < KB_COMPARE_SIDES && !both; i++) {
		if (!take_side(s, sides[i], words[i], err))
			return false;
		any = any || s->out->v[s->out->count - 1].part_count;
	}
	if (any)
		whole->part_count = 0;
	return true;
}

/* What somebody else has planned: each is a question by itself. */
static bool take_searches(struct search *s, struct kb_err *err)
{
	for (size_t i = 0; i < s->request->search_count; i++)
		if (!take_step(s, s->request->searches[i], KB_SV(""), err))
			return false;
	return true;
}

static bool take_steps(struct search *s, struct kb_err *err)
{
	struct kb_sv prompt = kb_plan_without_asides(s->arena, s->request->prompt);
	struct kb_sv parts[KB_PLAN_PARTS_MAX];
	size_t max, count = 1, answered = 0;

	kb_steps_planned(s->request, &max);
	parts[0] = prompt;
	if (max > 1)
		count = kb_plan_split(s->analyzer, s->arena, prompt,
		                      kb_query_lang(s->analyzer, s->arena, s->snapshot, prompt),
		                      max, parts);
	for (size_t i = 0; i < count; i++) {
		if (!take_step(s, parts[i], i ? parts[i - 1] : KB_SV(""), err))
			return false;
		answered += s->out->v[i].part_count > 0;
	}
	if (count == 1)
		return take_sides(s, prompt, err);
	/* Where none of several is answered, the question as a whole. */
	return answered || take_step(s, prompt, KB_SV(""), err);
}

bool kb_steps_search(const struct kb_answer_job *job, const struct kb_answer_request *request,
                     struct kb_snapshot *snapshot, struct kb_steps *out, struct kb_err *err)
{
	struct search s = { .job = job,
		            .analyzer = job->analyzer,
		            .arena = job->arena,
		            .request = request,
		            .snapshot = snapshot,
		            .effort = &efforts[kb_settings_capability(request->settings)],
		            .out = out };

	atomic_fetch_add(&job->answerer->searches, 1);
	*out = (struct kb_steps){ 0 };
	return request->search_count ? take_searches(&s, err) : take_steps(&s, err);
}

static bool search_live(const struct kb_answer_job *job, const struct kb_answer_request *request,
                        const struct kb_live *live, struct kb_steps *out, struct kb_err *err)
{
	struct kb_segment *own = request->attached ? request->attached->segment : NULL;
	struct kb_snapshot *opened = kb_live_opened(live, job->arena, &request->labels);
	struct kb_snapshot *all = own ? kb_snapshot_with(opened, own) : kb_snapshot_hold(opened);
	bool ok;

	kb_snapshot_release(opened);
	ok = kb_steps_search(job, request, all, out, err);
	if (ok)
		out->searched = all;
	else
		kb_snapshot_release(all);
	return ok;
}

bool kb_steps_take(const struct kb_answer_job *job, const struct kb_answer_request *request,
                   struct kb_live *live, struct kb_steps *out, struct kb_err *err)
{
	struct kb_catalog *catalog = job->answerer->catalog;
	int64_t agent_id = request->agent->id;

	return kb_catalog_get_known(catalog, agent_id, request->known, live, err)
	       && (search_live(job, request, live, out, err)
	           || (kb_catalog_reopen(catalog, agent_id, live, err)
	               && search_live(job, request, live, out, err)));
}

void kb_steps_conflicts(struct kb_arena *arena, const struct kb_steps *steps,
                        const struct kb_settings *settings, struct kb_conflict_list *out)
{
	size_t count = 0;

	*out = (struct kb_conflict_list){ 0 };
	for (size_t i = 0; i < steps->count; i++)
		count += steps->v[i].conflicts.count;
	if (!count || kb_settings_citations(settings) == KB_CITATIONS_NONE)
		return;
	out->v = KB_NEW_ARRAY(arena, count, struct kb_conflict);
	for (size_t i = 0; i < steps->count; i++)
		for (size_t k = 0; k < steps->v[i].conflicts.count; k++)
			out->v[out->count++] = steps->v[i].conflicts.v[k];
	for (size_t i = 0; i < out->count && settings->hide_sources_from_responses.v; i++)
		out->v[i].said.title = out->v[i].other.title = KB_SV("");
}
