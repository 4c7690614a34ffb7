/* The first ranking: the sentence that covers most of the question's weight. */
#include "answer/select.h"

#include <math.h>

#include "index/sentence.h"

enum { COVER_PERCENT = 45 }; /* of the question's weight, for the gate */

/* What a term is worth: its idf; nothing for function words. */
static float weight(const struct kb_answer_stats *stats, const struct kb_term *term)
{
	double n = (double)stats->passages, df;

	if (term->flags & (KB_TERM_FUNCTION | KB_TERM_STOP | KB_TERM_PIECE))
		return 0;
	df = (double)stats->df(stats->arg, term->term);
	return (float)log(1 + (n - df + .5) / (df + .5));
}

static bool holds(const struct kb_terms *terms, struct kb_sv term)
{
	for (size_t i = 0; i < terms->count; i++)
		if (kb_sv_eq(terms->v[i].term, term))
			return true;
	return false;
}

void kb_select(struct kb_analyzer *analyzer, struct kb_arena *arena,
               const struct kb_question *question, const struct kb_candidate *candidates,
               size_t count, const struct kb_answer_stats *stats, enum kb_gate gate,
               struct kb_selection *out)
{
	float *weights = KB_NEW_ARRAY(arena, question->terms.count, float);
	float total = 0, best = -1;

	*out = (struct kb_selection){ .sentences = KB_NEW(arena, struct kb_scored_sentence) };
	for (size_t i = 0; i < question->terms.count; i++)
		total += weights[i] = weight(stats, &question->terms.v[i]);
	for (size_t c = 0; c < count; c++) {
		struct kb_sv text = candidates[c].passage.text;
		struct kb_sentence *sentences;
		size_t n;

		kb_sentences(arena, text, &sentences, &n);
		for (size_t s = 0; s < n; s++) {
			struct kb_sv sentence = kb_sv_sub(text, sentences[s].start,
			                                  sentences[s].end - sentences[s].start);
			struct kb_terms terms;
			float z = 0;

			kb_analyze(analyzer, arena, question->lang, sentence, &terms);
			for (size_t i = 0; i < question->terms.count; i++)
				z += weights[i] > 0 && holds(&terms, question->terms.v[i].term)
				             ? weights[i]
				             : 0;
			if (z <= best)
				continue;
			best = z;
			out->sentences[0] =
			        (struct kb_scored_sentence){ (uint32_t)c, sentences[s].start,
				                             sentences[s].end, z };
			out->count = 1;
		}
	}
	out->gate_z = total > 0 ? best / total - COVER_PERCENT / 100.F : -1;
	out->answered = out->count && (gate == KB_GATE_NONE || out->gate_z > 0);
}

void kb_select_parts(struct kb_arena *arena, const struct kb_candidate *candidates,
                     const struct kb_question *question, const struct kb_selection *selection,
                     size_t max_parts, struct kb_answer_part **out, size_t *count)
{
	(void)candidates;
	(void)question;
	(void)max_parts;
	*out = KB_NEW(arena, struct kb_answer_part);
	*count = selection->answered;
	if (*count)
		**out = (struct kb_answer_part){ selection->sentences[0].candidate,
			                         selection->sentences[0].start,
			                         selection->sentences[0].end };
}
