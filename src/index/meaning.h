/*
 * A table of word vectors: what words mean in the language at large, as far as texts that belong
 * together tell (a heading and its section, a word and its gloss). "Fired" lies near "terminated"
 * in it, where an agent's own documents cannot tell.
 *
 * The table is one optional file, made by tools/meaning_train.c and mapped by whoever opens it.
 * Words and parts of words have a row each; a text's vector is the sum of the rows of its words,
 * each counted once, and the cosine of two such vectors says how near the texts are. The length of
 * a row is the word's weight, so no other weighting is needed.
 *
 * A table never changes: any thread may read it. It must outlive the queries that name it.
 */
#ifndef KB_INDEX_MEANING_H
#define KB_INDEX_MEANING_H

#include "base/err.h"
#include "base/sv.h"

enum { KB_MEANING_DIMS = 128 };

struct kb_meaning;

/* Maps the file and checks its form, sizes and checksums. KB_E_CORRUPT, KB_E_IO. */
struct kb_meaning *kb_meaning_open(const char *path, struct kb_err *err) KB_MUST_CHECK;
void kb_meaning_close(struct kb_meaning *meaning);

struct kb_meaning_info {
	uint32_t words, groups;
	int64_t bytes;
};
void kb_meaning_info(const struct kb_meaning *meaning, struct kb_meaning_info *out);

#endif
