/* From scores to a selection. */
#include "answer/select.h"

#include "answer/score.h"
#include "index/sentence.h"

enum {
	SMALL = 100, /* passages */
};

/* Sentences that must not join the answer are so far below the best. */
#define BEHIND 5.0f

/* In an agent of fewer passages than SMALL, a passage that holds less than FLOOR of the question's
 * weight, whole or by the beginnings of its words, does not answer it. The gate is fitted to pools
 * of hundreds; where every word is rare, it alone let a single common word pass. (In the pool of
 * squad the same floor costs half a point of gold answers, so it stays out of large agents.) The
 * gate that knows how near passages are in meaning is fitted to small agents too, and an answer in
 * other words has none of the question's. */
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

/* A line that is no sentence and has no word but the question's: a heading, or a link to one. */
static bool is_echo(const struct kb_candidate *candidates, const struct kb_feature_row *row)
{
	struct kb_sv line = kb_sv_sub(candidates[row->candidate].passage.text, row->start,
	                              row->end - row->start);

	return row->terms && row->f[KB_F_FRESH] <= 0 && !kb_ends_in_stop(line)
	       && !kb_introduces(line);
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
		v[i].z = KB_MIN(v[i].z, v[0].z - BEHIND);
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
	const struct kb_weights *weights =
	        kb_table_weights(kb_table_of(question->lang), evidence->nearness.known);
	const struct kb_gate_weights *w = kb_gate_weights(evidence);
	struct kb_features features;
	float *z, g[KB_GATE_FEATURES];
	uint32_t *order;

	*out = (struct kb_selection){
		.shape = question->shape,
		.asks = kb_asks_of(question->lang, question->type, question->text),
		.lang = question->lang,
	};
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
	kb_gate_features(&features, z, order, g);
	out->gate_z = kb_gate_z(w, g);
	if (gate != KB_GATE_CODE && !evidence->nearness.known && evidence->stats.passages < SMALL
	    && KB_MAX(g[KB_G_DOC_COV], g[KB_G_DOC_SOFT]) < FLOOR)
		out->gate_z = KB_MIN(out->gate_z, -1.0f);
	/* There nothing else is near that would tell it. */
	if (evidence->stats.passages < SMALL && g[KB_G_WANTED_DOC] > 0)
		out->gate_z = KB_MIN(out->gate_z, -1.0f);
	if (lacks_own(&features, &features.passages[features.rows[order[0]].candidate]))
		out->gate_z = KB_MIN(out->gate_z, -1.0f);
	out->answered =
	        gate == KB_GATE_NONE || out->gate_z >= (gate == KB_GATE_STRICT ? w->strict : 0);
}
