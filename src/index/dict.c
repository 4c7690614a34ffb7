#include "index/dict.h"

#include <stdlib.h>

#include "base/hash.h"

enum { BLOCK_ROW = 16 };

void kb_dict_builder_init(struct kb_dict_builder *builder)
{
	*builder = (struct kb_dict_builder){ 0 };
	kb_buf_init(&builder->terms, KB_GIB(64));
	kb_buf_init(&builder->blocks, KB_GIB(64));
}

void kb_dict_builder_fini(struct kb_dict_builder *builder)
{
	kb_buf_fini(&builder->terms);
	kb_buf_fini(&builder->blocks);
	free(builder->hashes);
}

static uint32_t hash_of(struct kb_sv term)
{
	return (uint32_t)kb_hash64(term);
}

void kb_dict_add(struct kb_dict_builder *builder, struct kb_sv term, uint32_t df, size_t list_bytes)
{
	size_t shared = 0;

	KB_ASSERT(term.n <= KB_TERM_MAX);
	/* The first term of a block stands whole, so that a block is read without those before. */
	if (builder->count % KB_DICT_BLOCK == 0) {
		kb_buf_u64(&builder->blocks, builder->terms.n);
		kb_buf_u64(&builder->blocks, builder->postings);
	} else {
		while (shared < builder->last_n && shared < term.n
		       && builder->last[shared] == term.p[shared])
			shared++;
	}
	kb_buf_byte(&builder->terms, (char)shared);
	kb_buf_byte(&builder->terms, (char)(term.n - shared));
	kb_buf_add(&builder->terms, term.p + shared, term.n - shared);
	kb_buf_varint(&builder->terms, df);
	kb_buf_varint(&builder->terms, list_bytes);
	memcpy(builder->last, term.p, term.n);
	builder->last_n = term.n;
	builder->postings += list_bytes;
	KB_GROW(builder->hashes, builder->hash_capacity, builder->count + (size_t)1);
	builder->hashes[builder->count++] = hash_of(term);
}

/* Open addressing, at most two thirds full, with the term's number and one in a slot, 0 for none.
 * The hash itself is not kept: a slot leads to a block that has to be read anyway. */
void kb_dict_hash(const struct kb_dict_builder *builder, struct kb_buf *out)
{
	size_t slots = 4;
	uint32_t *table;

	while (slots < builder->count + (size_t)builder->count / 2)
		slots *= 2;
	table = kb_xcalloc(slots, sizeof(*table));
	for (uint32_t i = 0; i < builder->count; i++) {
		size_t slot = builder->hashes[i] & (slots - 1);

		while (table[slot])
			slot = (slot + 1) & (slots - 1);
		table[slot] = i + 1;
	}
	kb_buf_add(out, table, slots * sizeof(*table));
	free(table);
}

/* Goes to the start of a block of the dictionary. */
static bool enter_block(struct kb_dict_iter *iter, uint32_t block)
{
	struct kb_sv terms = iter->segment->sections[KB_SEC_TERMS];
	const char *row = iter->segment->sections[KB_SEC_TERM_BLOCKS].p + (size_t)block * BLOCK_ROW;
	uint64_t place = kb_get64(row);

	if (place > terms.n)
		return false;
	iter->p = (const uint8_t *)terms.p + place;
	iter->postings = kb_get64(row + 8);
	iter->term = kb_sv(iter->text, 0);
	return true;
}

/* Reads the entry at p; false where it does not fit the sections. */
static bool read_entry(struct kb_dict_iter *iter)
{
	struct kb_sv terms = iter->segment->sections[KB_SEC_TERMS];
	struct kb_sv postings = iter->segment->sections[KB_SEC_POSTINGS];
	const uint8_t *p = iter->p, *end = (const uint8_t *)terms.p + terms.n;
	uint64_t df, bytes;
	size_t shared, more;

	if (end - p < 2)
		return false;
	shared = p[0];
	more = p[1];
	p += 2;
	if (shared > iter->term.n || shared + more > KB_TERM_MAX || more > (size_t)(end - p))
		return false;
	memcpy(iter->text + shared, p, more);
	iter->term.n = shared + more;
	if (!(p = kb_get_varint(p + more, end, &df)) || !(p = kb_get_varint(p, end, &bytes)))
		return false;
	if (df > iter->segment->passages || iter->postings > postings.n
	    || bytes > postings.n - iter->postings)
		return false;
	iter->p = p;
	iter->entry.df = (uint32_t)df;
	iter->entry.list = kb_sv(postings.p + iter->postings, bytes);
	iter->postings += bytes;
	return true;
}

/* Goes to entry `skip` of the block at hand and compares it with the term, without writing it out:
 * of each entry only what it shares with the term is kept. Entries ascend, so one that shares less
 * than the one before did is past the term. Most look-ups of words that are not there end early. */
static bool is_entry(struct kb_dict_iter *iter, uint32_t skip, struct kb_sv term)
{
	struct kb_sv terms = iter->segment->sections[KB_SEC_TERMS];
	const uint8_t *p = iter->p, *end = (const uint8_t *)terms.p + terms.n;
	size_t same = 0; /* leading bytes of the entry before that are the term's */

	for (uint32_t i = 0;; i++) {
		size_t shared, more, at = 0;
		uint64_t n;

		if (end - p < 2)
			return false;
		shared = p[0];
		more = p[1];
		if (more > (size_t)(end - p - 2) || shared < same)
			return false;
		if (shared == same) {
			while (at < more && same < term.n && p[2 + at] == (uint8_t)term.p[same]) {
				at++;
				same++;
			}
			if (at < more && (same == term.n || p[2 + at] > (uint8_t)term.p[same]))
				return false;
		}
		if (i == skip)
			return same == term.n && shared + more == term.n;
		p = kb_get_varint(p + 2 + more, end, &n);
		if (!p || !(p = kb_get_varint(p, end, &n)))
			return false;
	}
}

bool kb_dict_find(const struct kb_segment *segment, struct kb_sv term, struct kb_dict_entry *out)
{
	const char *slots = segment->sections[KB_SEC_TERM_HASH].p;
	struct kb_dict_iter iter = { .segment = segment };
	uint32_t hash, tries = 0;

	if (!segment->terms)
		return false;
	term = kb_term_key(term);
	hash = hash_of(term);
	/* A damaged table may have no free slot: it is gone round once. */
	for (uint32_t slot = hash & segment->hash_mask; tries <= segment->hash_mask;
	     slot = (slot + 1) & segment->hash_mask, tries++) {
		uint32_t number = kb_get32(slots + (size_t)slot * sizeof(uint32_t));

		if (!number)
			return false;
		number--;
		if (number >= segment->terms || !enter_block(&iter, number / KB_DICT_BLOCK))
			return false;
		if (!is_entry(&iter, number % KB_DICT_BLOCK, term))
			continue;
		for (uint32_t i = 0; i <= number % KB_DICT_BLOCK; i++)
			if (!read_entry(&iter))
				return false;
		if (kb_sv_eq(iter.term, term)) {
			*out = iter.entry;
			out->number = number;
			return true;
		}
	}
	return false;
}

void kb_dict_iter_init(struct kb_dict_iter *iter, const struct kb_segment *segment)
{
	iter->segment = segment;
	iter->next = 0;
}

bool kb_dict_iter_next(struct kb_dict_iter *iter, bool *damaged)
{
	if (iter->next >= iter->segment->terms)
		return false;
	if ((iter->next % KB_DICT_BLOCK == 0 && !enter_block(iter, iter->next / KB_DICT_BLOCK))
	    || !read_entry(iter)) {
		*damaged = true;
		return false;
	}
	iter->entry.number = iter->next++;
	return true;
}
