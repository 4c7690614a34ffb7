/*
 * Texts of an agent that have their vectors already: those of documents that were replaced or
 * deleted, and whose segments still lie there. A site that is read again, or a file that is sent
 * again, is mostly the texts that it was before; these are not embedded a second time.
 *
 * Nothing is kept for this: what is known is read from the segments and columns that merging has
 * not taken away yet, so that the vector of a deleted text ends with the text. Only the agent's own
 * are looked at: no other agent's speed tells what stands in this one's documents.
 *
 * Belongs to one thread; reads files and blocks for nothing else.
 */
#ifndef KB_UPKEEP_KNOWN_TEXTS_H
#define KB_UPKEEP_KNOWN_TEXTS_H

#include "index/vectors.h"
#include "live/catalog.h"
#include "store/index_state.h"

/* Whether passages of the page in a segment of that version are gone. */
bool kb_dead_has(const struct kb_index_state *state, int64_t version, int64_t page_id);

struct kb_known_texts;

/* Of the agent's dead passages at most some ten thousand. NULL: none has a vector. A segment or
 * column that cannot be read is passed over. */
struct kb_known_texts *kb_known_texts_new(struct kb_catalog *catalog,
                                          const struct kb_index_state *state,
                                          const struct kb_vector_column *column, size_t text_bytes);
void kb_known_texts_free(struct kb_known_texts *known);
/* Gives the passage what the text has, a vector and those of its parts; false: it is not known. */
bool kb_known_texts_take(const struct kb_known_texts *known, struct kb_sv text,
                         struct kb_vectors_writer *writer, uint32_t passage);

#endif
