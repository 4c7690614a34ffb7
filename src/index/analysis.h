/*
 * Text to terms: the one analysis that documents and questions share.
 *
 * NFKC and lower case; a word is a run of letters, digits and marks; '.' and ',' between digits
 * stay in ("1,000" joins to 1000, "12.4.1" stays); 's is dropped; Snowball stems by language; words
 * that mix letters and digits also give their pieces; Chinese, Japanese and Korean give single
 * characters and pairs; Thai, Lao, Khmer and Burmese give dictionary words and runs of three. No
 * accent folding. The method and its measurements are in docs/makers/search.md.
 *
 * An analyzer holds stemmers and break iterators: one thread at a time uses one; make one a thread.
 * What a call returns lives in the caller's arena; terms are views into it.
 */
#ifndef KB_INDEX_ANALYSIS_H
#define KB_INDEX_ANALYSIS_H

#include "base/arena.h"
#include "index/langid.h"
#include "index/term.h"

struct kb_analyzer;
struct kb_analyzer *kb_analyzer_new(void);
void kb_analyzer_free(struct kb_analyzer *analyzer);

/* Any bytes are fine: ill-formed UTF-8 separates words. */
void kb_analyze(struct kb_analyzer *analyzer, struct kb_arena *arena, enum kb_lang lang,
                struct kb_sv text, struct kb_terms *out);

/* The same for one text after another: what is returned lives in the analyzer, until its next use,
 * and nothing is copied. KB_WORD_SLACK bytes (bytes.h) behind a term or word may be read. */
void kb_analyze_passing(struct kb_analyzer *analyzer, enum kb_lang lang, struct kb_sv text,
                        struct kb_terms *out);

/* The stem of a normalised word without digits: a view, until the analyzer's next call. */
struct kb_sv kb_stem(struct kb_analyzer *analyzer, enum kb_lang lang, struct kb_sv word);

#endif
