/* From scores to a selection, and from a selection to an answer that reads well. */
#include "answer/select.h"

#include <stdlib.h>

#include "answer/score.h"
#include "index/sentence.h"

enum {
	BEST_SENTENCES = 3,
	SMALL = 100,
	ANTECEDENT_BYTES = 400, /* a longer sentence before is no help to the reader */
	INTRODUCED = 3,         /* sentences after a colon */
	INTRODUCED_BYTES = 600,
};

/* A second or third sentence belongs to the answer when its z is less than this below the best: in
 * the best one's passage, and in another, which is one more source to be wrong about. */
#define MARGIN       2.5f
#define MARGIN_OTHER 1.0f

/* In an agent of fewer passages than SMALL, a passage that holds less than FLOOR of the question's
 * weight, whole or by the beginnings of its words, does not answer it. The gate is fitted to pools
 * of hundreds; where every word is rare, it alone let a single common word pass. (In the pool of
 * squad the same floor costs half a point of gold answers, so it stays out of large agents.) */
#define FLOOR 0.2f

/* A turn that leans on those before is answered by a passage that holds so much of the weight of
 * its own words: those that it carries help to find it, and prove nothing. */
#define OWN_LEAST 0.3f

/* The candidates by their best sentence; those without a sentence last. */
static void order_candidates(struct kb_arena *arena, struct kb_selection *out, size_t count)
{
	bool *seen = KB_NEW_ARRAY(arena, count, bool);

	out->order = KB_NEW_ARRAY(arena, count, uint32_t);
	for (size_t i = 0; i < out->count; i++) {
		uint32_t c = out->sentences[i].candidate;

		if (!seen[c])
			out->order[out->order_count++] = c;
		seen[c] = true;
	}
	for (size_t c = 0; c < count; c++)
		if (!seen[c])
			out->order[out->order_count++] = (uint32_t)c;
}

/* "To install a version:" says nothing without what follows. */
static bool introduces(struct kb_sv text)
{
	return kb_sv_ends(text, KB_SV(":")) || kb_sv_ends(text, KB_SV("\uff1a"));
}

/* A line that is no sentence and has no word but the question's: a heading, or a link to one. */
static bool is_echo(const struct kb_candidate *candidates, const struct kb_feature_row *row)
{
	struct kb_sv line = kb_sv_sub(candidates[row->candidate].passage.text, row->start,
	                              row->end - row->start);

	return row->terms && row->f[KB_F_FRESH] <= 0 && !kb_ends_in_stop(line) && !introduces(line);
}

/*
 * Where the best sentence is an echo of the question, and a passage under a title or heading of
 * those words says more, that passage's sentences come first, and the others are too far behind to
 * join them: who types a heading wants what stands under it, not the table of contents.
 */
static void put_titled_first(struct kb_arena *arena, const struct kb_candidate *candidates,
                             const struct kb_features *features, const uint32_t *order,
                             struct kb_selection *out)
{
	const struct kb_feature_row *best = &features->rows[order[0]];
	struct kb_scored_sentence *v;
	size_t n = 0, titled = 0;

	if (!is_echo(candidates, best))
		return;
	v = KB_NEW_ARRAY(arena, out->count, struct kb_scored_sentence);
	for (int rest = 0; rest < 2; rest++) {
		for (size_t i = 0; i < out->count; i++) {
			const struct kb_feature_row *row = &features->rows[order[i]];
			uint64_t title = features->passages[row->candidate].title;
			bool first = !(best->terms & ~title) && !is_echo(candidates, row);

			if (first == !rest)
				v[n++] = out->sentences[i];
		}
		if (rest == 0)
			titled = n;
	}
	if (titled == 0)
		return;
	for (size_t i = titled; i < n; i++)
		v[i].z = KB_MIN(v[i].z, v[0].z - 2 * MARGIN);
	out->sentences = v;
}

/* Whether the passage has too little of the question's own words, whatever it has of carried ones.
 */
static bool lacks_own(const struct kb_features *features, const struct kb_gate_passage *passage)
{
	uint64_t own = (features->term_count < 64 ? UINT64_C(1) << features->term_count : 0) - 1;
	float sum;

	own &= ~features->carried;
	sum = kb_features_weight(features, own);
	return features->carried
	       && kb_features_weight(features, own & passage->terms) < OWN_LEAST * sum;
}

void kb_select(struct kb_analyzer *analyzer, struct kb_arena *arena,
               const struct kb_question *question, const struct kb_evidence *evidence,
               enum kb_answer_gate gate, struct kb_selection *out)
{
	const struct kb_weights *weights = kb_table_weights(kb_table_of(question->lang));
	const struct kb_gate_weights *w = &kb_weights_gate;
	struct kb_features features;
	float *z, g[KB_GATE_FEATURES];
	uint32_t *order;

	*out = (struct kb_selection){ 0 };
	kb_features_compute(analyzer, arena, question, evidence, &features);
	kb_score_rows(arena, weights, &features, &z, &order);
	out->count = features.row_count;
	out->sentences = KB_NEW_ARRAY(arena, out->count, struct kb_scored_sentence);
	for (size_t i = 0; i < out->count; i++) {
		const struct kb_feature_row *row = &features.rows[order[i]];

		out->sentences[i] = (struct kb_scored_sentence){ .candidate = row->candidate,
			                                         .start = row->start,
			                                         .end = row->end,
			                                         .z = z[order[i]],
			                                         .leans = row->leans };
	}
	if (out->count)
		put_titled_first(arena, evidence->candidates, &features, order, out);
	order_candidates(arena, out, KB_MIN(evidence->count, (size_t)KB_SELECT_CANDIDATES));
	if (out->count == 0)
		return;
	kb_gate_features(&features, question->lang, z, order, g);
	out->gate_z = w->bias;
	for (int i = 0; i < KB_GATE_FEATURES; i++)
		out->gate_z += w->w[i] * g[i];
	if (gate != KB_GATE_CODE && evidence->stats.passages < SMALL
	    && KB_MAX(g[KB_G_DOC_COV], g[KB_G_DOC_SOFT]) < FLOOR)
		out->gate_z = KB_MIN(out->gate_z, -1.0f);
	if (lacks_own(&features, &features.passages[features.rows[order[0]].candidate]))
		out->gate_z = KB_MIN(out->gate_z, -1.0f);
	out->answered =
	        gate == KB_GATE_NONE || out->gate_z >= (gate == KB_GATE_STRICT ? w->strict : 0);
}

static int by_place(const void *a, const void *b)
{
	const struct kb_answer_part *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static bool overlaps(const struct kb_answer_part *parts, size_t count, uint32_t candidate,
                     uint32_t start, uint32_t end)
{
	for (size_t i = 0; i < count; i++)
		if (parts[i].candidate == candidate && parts[i].start < end && start < parts[i].end)
			return true;
	return false;
}

/* Passages overlap, and documents repeat one another: the same words are said once. */
static bool repeated(const struct kb_candidate *candidates, const struct kb_answer_part *parts,
                     size_t count, const struct kb_scored_sentence *s)
{
	struct kb_sv text =
	        kb_sv_sub(candidates[s->candidate].passage.text, s->start, s->end - s->start);

	for (size_t i = 0; i < count; i++)
		if (kb_sv_eq(text, kb_sv_sub(candidates[parts[i].candidate].passage.text,
		                             parts[i].start, parts[i].end - parts[i].start)))
			return true;
	return false;
}

/* The sentence that ends just before this one in its passage. */
static const struct kb_scored_sentence *sentence_before(const struct kb_selection *selection,
                                                        const struct kb_scored_sentence *s)
{
	const struct kb_scored_sentence *before = NULL;

	for (size_t i = 0; i < selection->count; i++) {
		const struct kb_scored_sentence *o = &selection->sentences[i];

		if (o->candidate == s->candidate && o->end <= s->start
		    && (!before || o->start > before->start))
			before = o;
	}
	return before;
}

/* The sentence that begins first at or behind `place` in the candidate. */
static const struct kb_scored_sentence *sentence_from(const struct kb_selection *selection,
                                                      uint32_t candidate, uint32_t place)
{
	const struct kb_scored_sentence *next = NULL;

	for (size_t i = 0; i < selection->count; i++) {
		const struct kb_scored_sentence *o = &selection->sentences[i];

		if (o->candidate == candidate && o->start >= place
		    && (!next || o->start < next->start))
			next = o;
	}
	return next;
}

/* Adds what a sentence that ends in a colon introduces: lines of code, the first items of a list.
 */
static void add_introduced(const struct kb_candidate *candidates,
                           const struct kb_selection *selection, const struct kb_scored_sentence *s,
                           struct kb_answer_part *parts, size_t *n, size_t limit)
{
	struct kb_sv text = candidates[s->candidate].passage.text;
	const struct kb_scored_sentence *next = s;

	if (!introduces(kb_sv_sub(text, s->start, s->end - s->start)))
		return;
	for (int k = 0; k < INTRODUCED && *n < limit; k++) {
		next = sentence_from(selection, s->candidate, next->end);
		if (!next || next->end - s->end > INTRODUCED_BYTES)
			return;
		if (!overlaps(parts, *n, s->candidate, next->start, next->end))
			parts[(*n)++] =
			        (struct kb_answer_part){ s->candidate, next->start, next->end };
	}
}

void kb_select_parts(struct kb_arena *arena, const struct kb_candidate *candidates,
                     const struct kb_selection *selection, size_t max_parts,
                     struct kb_answer_part **out, size_t *count)
{
	size_t limit = max_parts ? max_parts : (2 + INTRODUCED) * BEST_SENTENCES, chosen = 0, n = 0,
	       done = 0;
	struct kb_answer_part *parts = KB_NEW_ARRAY(arena, limit, struct kb_answer_part);
	struct kb_answer_part *read = KB_NEW_ARRAY(arena, limit, struct kb_answer_part);
	const struct kb_scored_sentence *best = selection->sentences;

	*out = read;
	*count = 0;
	if (!selection->answered)
		return;
	for (size_t i = 0; i < selection->count && chosen < BEST_SENTENCES && n < limit; i++) {
		const struct kb_scored_sentence *s = &selection->sentences[i], *before;

		if (s->z < best->z - (s->candidate == best->candidate ? MARGIN : MARGIN_OTHER)
		    || overlaps(parts, n, s->candidate, s->start, s->end)
		    || repeated(candidates, parts, n, s))
			continue;
		parts[n++] = (struct kb_answer_part){ s->candidate, s->start, s->end };
		chosen++;
		before = s->leans && n < limit ? sentence_before(selection, s) : NULL;
		if (before && before->end - before->start <= ANTECEDENT_BYTES
		    && !overlaps(parts, n, s->candidate, before->start, before->end))
			parts[n++] =
			        (struct kb_answer_part){ s->candidate, before->start, before->end };
		add_introduced(candidates, selection, s, parts, &n, limit);
	}
	/* Passage by passage in the order of their best sentences, each as it reads. */
	for (size_t i = 0; i < n; i++) {
		size_t from = done;

		if (overlaps(read, done, parts[i].candidate, parts[i].start, parts[i].end))
			continue;
		for (size_t k = i; k < n; k++)
			if (parts[k].candidate == parts[i].candidate)
				read[done++] = parts[k];
		qsort(read + from, done - from, sizeof(*read), by_place);
	}
	*count = done;
}
