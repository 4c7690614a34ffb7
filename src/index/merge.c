/*
 * Merging the living passages of neighbouring parts into one segment. In memory are the columns,
 * the dictionary and the different words; postings, sequences of words and stored text pass
 * through.
 *
 * The result is what a writer would make of these passages in this order, but for where frames of
 * stored text begin: a frame whose passages all live is copied as it is. So are the lists of the
 * first part, where nothing of it was deleted and its passages keep their numbers: whole ones of
 * terms that it alone holds, and of others the full blocks, which other postings follow. The rest
 * is decoded, renumbered and packed again.
 */
#include <stdlib.h>

#include "index/forward.h"
#include "index/line_marks.h"
#include "index/snapshot.h"

/* A part and where its passages go. */
struct source {
	const struct kb_part *part;
	const struct kb_segment *segment;
	uint32_t base; /* new number of its first living passage */
	uint32_t *map; /* new numbers, KB_DOC_END: dead; NULL: old number + base */
	struct kb_dict_iter terms;
	bool more;          /* terms has one at hand */
	uint32_t *term_map; /* old term numbers to new ones */
	uint32_t words;
	uint32_t *word_map; /* old word numbers to the forward builder's, then to the new ones;
	                       NO_WORD: not met */
};

#define NO_WORD UINT32_MAX

struct merge {
	struct source *sources;
	size_t count;
	struct kb_columns columns;
	struct kb_text_builder text;
	struct kb_line_marks_builder marks;
	struct kb_dict_builder dict;
	struct kb_forward_builder *forward;
	struct kb_builder *builder;
	const struct kb_cancel *cancel;
	uint64_t unforgotten; /* bytes of the sources read since their pages were given back */
	uint64_t unasked;     /* since somebody was asked whether to go on */
};

/* Bytes of sources were read: their pages may be given back (kb_segment_passing()), and the merge
 * may be cancelled. */
static bool has_read(struct merge *merge, size_t n, struct kb_err *err)
{
	enum { FORGET_EVERY = 16 << 20, ASK_EVERY = 256 << 10 };

	merge->unforgotten += n;
	if (merge->unforgotten >= FORGET_EVERY) {
		merge->unforgotten = 0;
		for (size_t i = 0; i < merge->count; i++)
			kb_container_forget(&merge->sources[i].segment->file);
	}
	merge->unasked += n;
	if (merge->unasked < ASK_EVERY)
		return true;
	merge->unasked = 0;
	return !kb_cancelled(merge->cancel, err);
}

static uint32_t new_number(const struct source *source, uint32_t doc)
{
	return source->map ? source->map[doc] : doc + source->base;
}

static void number_passages(struct source *source)
{
	uint32_t next = source->base;

	if (!source->part->dead)
		return;
	source->map = kb_xcalloc(source->segment->passages, sizeof(*source->map));
	for (uint32_t doc = 0; doc < source->segment->passages; doc++)
		source->map[doc] = kb_part_alive(source->part, doc) ? next++ : KB_DOC_END;
}

static void merge_columns(struct merge *merge, const struct source *source)
{
	const struct kb_segment *segment = source->segment;

	for (uint32_t doc = 0; doc < segment->passages; doc++) {
		struct kb_passage passage;
		uint8_t codes[KB_FIELDS];

		if (!kb_part_alive(source->part, doc))
			continue;
		kb_segment_row(segment, doc, &passage);
		passage.page_id = kb_page_shifted(passage.page_id, source->part->page_shift);
		for (int f = 0; f < KB_FIELDS; f++)
			codes[f] = segment->lengths[f][doc];
		kb_line_marks_copy(&merge->marks, merge->columns.passages, segment, doc);
		kb_columns_add(&merge->columns, &passage, codes);
	}
	merge->columns.text_bytes += segment->text_bytes;
}

/* Adds the living passages of a frame one by one. */
static bool merge_frame(struct merge *merge, const struct source *source,
                        const struct kb_text_block *block, struct kb_err *err)
{
	struct kb_sv raw, title = { 0 }, heading = { 0 }, text = { 0 };
	struct kb_arena arena = { 0 };
	const uint8_t *p, *end;
	bool ok = kb_text_unpack(&arena, block, &raw, err);

	p = ok ? (const uint8_t *)raw.p : NULL;
	end = ok ? p + raw.n : NULL;
	for (uint32_t doc = block->first; ok && doc < block->end; doc++) {
		if (!kb_text_next(&p, end, &title, &heading, &text))
			ok = kb_corrupt(err, "section text is damaged at passage %u", doc);
		else if (kb_part_alive(source->part, doc))
			kb_text_add(&merge->text, title, heading, text);
		else
			merge->columns.text_bytes -= title.n + heading.n + text.n;
	}
	kb_arena_fini(&arena);
	return ok;
}

static bool all_live(const struct source *source, const struct kb_text_block *block)
{
	for (uint32_t doc = block->first; doc < block->end && source->part->dead; doc++)
		if (!kb_part_alive(source->part, doc))
			return false;
	return true;
}

static bool merge_text(struct merge *merge, const struct source *source, struct kb_err *err)
{
	for (uint32_t i = 0; i < source->segment->text_blocks; i++) {
		struct kb_text_block block;

		if (!kb_segment_text_block(source->segment, i, &block))
			return kb_corrupt(err, "section text_blocks is damaged at frame %u", i);
		/* Short frames, the last ones of small segments, grow together. */
		if (block.raw_bytes >= KB_TEXT_BLOCK / 2 && all_live(source, &block))
			kb_text_copy(&merge->text, block.packed, block.raw_bytes,
			             block.end - block.first);
		else if (!merge_frame(merge, source, &block, err))
			return false;
		if (!has_read(merge, block.packed.n, err))
			return false;
	}
	return true;
}

static bool next_term(struct source *source, struct kb_err *err)
{
	bool damaged = false;

	source->more = kb_dict_iter_next(&source->terms, &damaged);
	if (damaged)
		return kb_corrupt(err, "section terms is damaged at term %u", source->terms.next);
	return true;
}

/* Appends a source's postings of its term at hand from number `first` on, renumbered, to v. */
static bool take_postings(const struct source *source, uint32_t first, struct kb_posting *v,
                          size_t *count, struct kb_err *err)
{
	const struct kb_dict_entry *entry = &source->terms.entry;
	size_t n = kb_postings_decode(entry->list, entry->df, first, v + *count), kept = *count;
	uint32_t after = 0;

	if (n != entry->df - first)
		return kb_corrupt(err, "section postings is damaged at term %u",
		                  source->terms.next - 1);
	for (size_t i = *count; i < *count + n; i++) {
		struct kb_posting posting = v[i];

		if (posting.doc < after || posting.doc >= source->segment->passages)
			return kb_corrupt(err, "section postings is damaged at term %u",
			                  source->terms.next - 1);
		after = posting.doc + 1;
		posting.doc = new_number(source, posting.doc);
		if (posting.doc != KB_DOC_END)
			v[kept++] = posting;
	}
	*count = kept;
	return true;
}

/* The term that comes first among those at hand; false when none is left. */
static bool first_term(const struct merge *merge, struct kb_sv *term)
{
	bool found = false;

	for (size_t i = 0; i < merge->count; i++) {
		const struct source *source = &merge->sources[i];

		if (source->more && (!found || kb_sv_cmp(source->terms.term, *term) < 0)) {
			*term = source->terms.term;
			found = true;
		}
	}
	return found;
}

/* Whether the sources' lists of the term are that of the first source alone, which stays as it is.
 */
static bool may_copy(const struct merge *merge, struct kb_sv term)
{
	const struct source *first = &merge->sources[0];

	if (!first->more || first->map || !kb_sv_eq(first->terms.term, term))
		return false;
	for (size_t i = 1; i < merge->count; i++)
		if (merge->sources[i].more && kb_sv_eq(merge->sources[i].terms.term, term))
			return false;
	return true;
}

struct scratch {
	struct kb_posting *v;
	size_t capacity;
	struct kb_buf list;
	char term[KB_TERM_MAX];
};

static bool merge_term(struct merge *merge, struct kb_sv term, struct scratch *scratch,
                       struct kb_err *err)
{
	const uint8_t *const lengths[KB_FIELDS] = { merge->columns.lengths[0],
		                                    merge->columns.lengths[1],
		                                    merge->columns.lengths[2] };
	struct kb_dict_entry front = { 0 }; /* its full blocks are taken over as they are */
	size_t count = 0;

	memcpy(scratch->term, term.p, term.n); /* the iterators go on before it is used up */
	term.p = scratch->term;
	if (may_copy(merge, term)) {
		const struct kb_dict_entry *entry = &merge->sources[0].terms.entry;

		kb_builder_add(merge->builder, entry->list.p, entry->list.n);
		if (!has_read(merge, entry->list.n, err))
			return false;
		merge->sources[0].term_map[entry->number] = merge->dict.count;
		kb_dict_add(&merge->dict, term, entry->df, entry->list.n);
		return next_term(&merge->sources[0], err);
	}
	for (size_t i = 0; i < merge->count; i++) {
		struct source *source = &merge->sources[i];
		uint32_t first = 0;

		if (!source->more || !kb_sv_eq(source->terms.term, term))
			continue;
		if (i == 0 && !source->map) {
			front = source->terms.entry;
			first = kb_postings_packed(front.df);
		}
		KB_GROW(scratch->v, scratch->capacity, count + source->terms.entry.df - first);
		source->term_map[source->terms.entry.number] = merge->dict.count;
		if (!has_read(merge, source->terms.entry.list.n, err)
		    || !take_postings(source, first, scratch->v, &count, err)
		    || !next_term(source, err))
			return false;
	}
	if (!count && !kb_postings_packed(front.df))
		return true;
	kb_buf_clear(&scratch->list);
	if (!kb_postings_extend(front.list, front.df, scratch->v, count, lengths, &scratch->list))
		return kb_corrupt(err, "section postings is damaged at term %u", front.number);
	if (scratch->list.failed)
		return kb_fail(err, KB_E_TOO_LARGE,
		               "the postings of one term are larger than %zu bytes",
		               scratch->list.max);
	count += kb_postings_packed(front.df);
	kb_builder_add(merge->builder, scratch->list.p, scratch->list.n);
	kb_dict_add(&merge->dict, term, (uint32_t)count, scratch->list.n);
	return true;
}

static bool merge_terms(struct merge *merge, struct kb_err *err)
{
	struct scratch scratch = { 0 };
	struct kb_sv term;
	bool ok = true;

	kb_buf_init(&scratch.list, KB_GIB(4));
	kb_builder_section(merge->builder, KB_SEC_POSTINGS);
	for (size_t i = 0; ok && i < merge->count; i++) {
		kb_dict_iter_init(&merge->sources[i].terms, merge->sources[i].segment);
		ok = next_term(&merge->sources[i], err);
	}
	while (ok && first_term(merge, &term))
		ok = merge_term(merge, term, &scratch, err);
	free(scratch.v);
	kb_buf_fini(&scratch.list);
	if (ok)
		kb_dict_put(&merge->dict, merge->builder);
	return ok;
}

/* The forward builder's number of a source's word. */
static bool word_of(struct merge *merge, struct source *source, uint64_t word, uint32_t *out)
{
	struct kb_sv text;
	uint32_t term;

	if (word >= kb_forward_words(source->segment))
		return false;
	if (source->word_map[word] == NO_WORD) {
		if (!kb_forward_word_at(source->segment, (uint32_t)word, &text, &term)
		    || term >= source->segment->terms)
			return false;
		source->word_map[word] =
		        kb_forward_word(merge->forward, text, source->term_map[term]);
	}
	*out = source->word_map[word];
	return true;
}

/* First reading: the words and how often they are. */
static bool count_stream(struct merge *merge, struct source *source, struct kb_sv stream)
{
	const uint8_t *p = (const uint8_t *)stream.p, *end = p + stream.n;

	while (p < end) {
		uint64_t value;
		uint32_t word;

		p = kb_get_varint(p, end, &value);
		if (!p)
			return false;
		if (value >= KB_FWD_WORD) {
			if (!word_of(merge, source, value - KB_FWD_WORD, &word))
				return false;
			value = (uint64_t)KB_FWD_WORD + word;
		}
		kb_forward_add(merge->forward, value);
	}
	kb_forward_end_passage(merge->forward);
	return true;
}

/* Second reading: the same elements, which were sound, under the new numbers. */
static void write_stream(struct merge *merge, const struct source *source, struct kb_sv stream)
{
	enum { PART = 512 };
	const uint8_t *p = (const uint8_t *)stream.p, *end = p + stream.n;

	while (p && p < end) {
		uint8_t bytes[PART + KB_VARINT_MAX], *to = bytes;

		while (p && p < end && to < bytes + PART) {
			uint64_t value;

			p = kb_get_varint(p, end, &value);
			if (value >= KB_FWD_WORD && value - KB_FWD_WORD < source->words)
				value = (uint64_t)KB_FWD_WORD
				        + source->word_map[value - KB_FWD_WORD];
			to = kb_put_varint(to, value);
		}
		kb_forward_write(merge->forward, bytes, (size_t)(to - bytes));
	}
	kb_forward_write_end(merge->forward);
}

static bool count_forward(struct merge *merge, struct source *source, struct kb_err *err)
{
	source->words = kb_forward_words(source->segment);
	source->word_map = kb_xmalloc(source->words * sizeof(*source->word_map));
	memset(source->word_map, 0xff, source->words * sizeof(*source->word_map));
	for (uint32_t doc = 0; doc < source->segment->passages; doc++) {
		struct kb_sv stream;

		if (!kb_part_alive(source->part, doc))
			continue;
		stream = kb_forward_stream(source->segment, doc);
		if (!count_stream(merge, source, stream))
			return kb_corrupt(err, "section forward is damaged at passage %u", doc);
		if (!has_read(merge, stream.n, err))
			return false;
	}
	return true;
}

static bool write_forward(struct merge *merge, struct source *source, struct kb_err *err)
{
	for (uint32_t i = 0; i < source->words; i++)
		if (source->word_map[i] != NO_WORD)
			source->word_map[i] =
			        kb_forward_number(merge->forward, source->word_map[i]);
	for (uint32_t doc = 0; doc < source->segment->passages; doc++)
		if (kb_part_alive(source->part, doc)) {
			struct kb_sv stream = kb_forward_stream(source->segment, doc);

			write_stream(merge, source, stream);
			if (!has_read(merge, stream.n, err))
				return false;
		}
	return true;
}

/* The streams are read twice, which is quicker than it is to keep them: their words must be counted
 * before they can be numbered. */
static bool merge_forward(struct merge *merge, struct kb_err *err)
{
	for (size_t i = 0; i < merge->count; i++)
		if (!count_forward(merge, &merge->sources[i], err))
			return false;
	kb_forward_begin(merge->forward, merge->builder);
	for (size_t i = 0; i < merge->count; i++)
		if (!write_forward(merge, &merge->sources[i], err))
			return false;
	kb_forward_end(merge->forward);
	return true;
}

static bool run(struct merge *merge, int64_t *bytes, struct kb_err *err)
{
	uint64_t total = 0;

	for (size_t i = 0; i < merge->count; i++) {
		struct source *source = &merge->sources[i];

		/* Damage must not get a new checksum. */
		if (kb_cancelled(merge->cancel, err) || !kb_segment_verify(source->segment, err))
			return false;
		source->base = (uint32_t)total;
		total += source->part->alive;
		if (total >= KB_PASSAGES_MAX)
			return kb_fail(err, KB_E_TOO_LARGE,
			               "a segment of %" PRIu64 " passages is over the limit of %u",
			               total, KB_PASSAGES_MAX);
		number_passages(source);
		source->term_map = kb_xcalloc(source->segment->terms, sizeof(*source->term_map));
	}
	for (size_t i = 0; i < merge->count; i++)
		merge_columns(merge, &merge->sources[i]);
	if (!merge_terms(merge, err))
		return false;
	if (!merge_forward(merge, err))
		return false;
	kb_text_straight(&merge->text, merge->builder);
	for (size_t i = 0; i < merge->count; i++)
		if (!merge_text(merge, &merge->sources[i], err))
			return false;
	if (!kb_text_put(&merge->text, merge->builder, err)
	    || !kb_line_marks_put(&merge->marks, merge->builder, err))
		return false;
	kb_columns_put(&merge->columns, merge->dict.count, merge->builder);
	return kb_builder_finish(merge->builder, bytes, err);
}

bool kb_segment_merge(const struct kb_part_range *parts, const struct kb_cancel *cancel,
                      const char *path, struct kb_segment_info *info, struct kb_err *err)
{
	const struct kb_snapshot *snapshot = parts->snapshot;
	size_t first = parts->first, count = parts->count;
	struct merge merge = { .count = count, .cancel = cancel };
	int64_t bytes = 0;
	bool ok;

	KB_ASSERT(first <= snapshot->part_count && count <= snapshot->part_count - first);
	merge.sources = kb_xcalloc(count, sizeof(*merge.sources));
	for (size_t i = 0; i < count; i++) {
		merge.sources[i].part = &snapshot->parts[first + i];
		merge.sources[i].segment = snapshot->parts[first + i].segment;
	}
	kb_columns_init(&merge.columns);
	kb_text_builder_init(&merge.text);
	kb_line_marks_init(&merge.marks);
	kb_dict_builder_init(&merge.dict);
	merge.forward = kb_forward_new_counting();
	merge.builder = kb_builder_new(&kb_segment_form, path);
	ok = run(&merge, &bytes, err);
	if (ok && info)
		*info = (struct kb_segment_info){ .bytes = bytes,
			                          .passages = merge.columns.passages,
			                          .pages = merge.columns.runs,
			                          .terms = merge.dict.count,
			                          .text_bytes = (int64_t)merge.columns.text_bytes };
	kb_builder_free(merge.builder);
	kb_columns_fini(&merge.columns);
	kb_text_builder_fini(&merge.text);
	kb_line_marks_fini(&merge.marks);
	kb_dict_builder_fini(&merge.dict);
	kb_forward_free(merge.forward);
	for (size_t i = 0; i < count; i++) {
		free(merge.sources[i].map);
		free(merge.sources[i].term_map);
		free(merge.sources[i].word_map);
	}
	free(merge.sources);
	return ok;
}
