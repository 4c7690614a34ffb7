/* The fitted functions applied: internal to the selection and to the tool that fits it. */
#ifndef KB_ANSWER_SCORE_H
#define KB_ANSWER_SCORE_H

#include "answer/weights.h"

/* Which of the tables is for the language. */
enum kb_table { KB_TABLE_ENGLISH, KB_TABLE_WORDS, KB_TABLE_RUNS, KB_TABLES };
enum kb_table kb_table_of(enum kb_lang lang);
const struct kb_weights *kb_table_weights(enum kb_table table, bool near);
/* The gate of what is known of the evidence. */
const struct kb_gate_weights *kb_gate_weights(const struct kb_evidence *evidence);

/* z of every row, and the rows from best to worst (equal ones as they stand). */
void kb_score_rows(struct kb_arena *arena, const struct kb_weights *weights,
                   const struct kb_features *features, float **z, uint32_t **order);

/* The gate's features; order[0] is the best row, of which there is one. */
void kb_gate_features(const struct kb_features *features, const float *z, const uint32_t *order,
                      float out[KB_GATE_FEATURES]);

float kb_gate_z(const struct kb_gate_weights *weights, const float f[KB_GATE_FEATURES]);

#endif
