/* From a question to weighted terms. What is built lives in the arena. */
#ifndef KB_INDEX_QUERY_H
#define KB_INDEX_QUERY_H

#include "index/index.h"

#define KB_FUNCTION_WEIGHT .15f /* of function and question words */

/*
 * The language that a question is best read in, to find what this snapshot holds. Short questions
 * say little about theirs ("Versand Kosten"): where the text alone leaves it open, it is read in
 * each likely language that the snapshot has passages in, and the one wins in which the snapshot
 * knows the words best.
 */
enum kb_lang kb_query_lang(struct kb_analyzer *analyzer, struct kb_arena *arena,
                           const struct kb_snapshot *snapshot, struct kb_sv text);

/* Sets terms, term_count and question, and leaves the rest alone. Each different term appears once:
 * a term that the question repeats weighs more, with saturation (k3 = 8); function and question
 * words weigh little, but not nothing, so that a question of only such words finds something. */
void kb_query_build(struct kb_analyzer *analyzer, struct kb_arena *arena, struct kb_sv text,
                    enum kb_lang lang, struct kb_query *query);

/*
 * Matches the text's codes (codes.h) closely: adds each as a whole, heavy enough that a passage
 * with it comes before those that share only the other words, and its parts; numbers weigh more.
 * With a code, the second step ranks as for answers, the factors weigh half and the fourth step
 * does nothing.
 * Makes a new array of terms; a text without codes and numbers leaves the query as it is.
 */
void kb_query_codes(struct kb_arena *arena, struct kb_sv text, struct kb_query *query);

#endif
