/*
 * The dictionary of a segment: terms to their postings. Private to this folder; the form stands in
 * segment.h. A builder belongs to one thread; look-ups may run at any number at once.
 */
#ifndef KB_INDEX_DICT_H
#define KB_INDEX_DICT_H

#include "base/buf.h"
#include "index/segment.h"

struct kb_dict_builder {
	struct kb_buf terms, blocks;
	uint32_t *hashes;
	size_t hash_capacity;
	uint32_t count;
	uint64_t postings; /* bytes so far */
	size_t last_n;
	char last[KB_TERM_MAX];
};

void kb_dict_builder_init(struct kb_dict_builder *builder);
void kb_dict_builder_fini(struct kb_dict_builder *builder);
/* Terms in ascending bytewise order, at most KB_TERM_MAX bytes each. */
void kb_dict_add(struct kb_dict_builder *builder, struct kb_sv term, uint32_t df,
                 size_t list_bytes);
/* Slots of the hash table, to be written as KB_SEC_TERM_HASH. */
void kb_dict_hash(const struct kb_dict_builder *builder, struct kb_buf *out);

struct kb_dict_entry {
	uint32_t number; /* of the term, in order */
	uint32_t df;
	struct kb_sv list; /* within the map */
};

/* The bytes of a term that count. */
static inline struct kb_sv kb_term_key(struct kb_sv term)
{
	return kb_sv(term.p, KB_MIN(term.n, (size_t)KB_TERM_MAX));
}

/* false: no passage of the segment holds the term. */
bool kb_dict_find(const struct kb_segment *segment, struct kb_sv term, struct kb_dict_entry *out);

/* All terms in order. */
struct kb_dict_iter {
	const struct kb_segment *segment;
	uint32_t next; /* number of the next term */
	const uint8_t *p;
	uint64_t postings;
	struct kb_sv term; /* at hand, in text[] */
	struct kb_dict_entry entry;
	char text[KB_TERM_MAX];
};
void kb_dict_iter_init(struct kb_dict_iter *iter, const struct kb_segment *segment);
/* false after the last, or where the dictionary is damaged (*damaged is set then). */
bool kb_dict_iter_next(struct kb_dict_iter *iter, bool *damaged);

#endif
