/* Snapshots: which passages live, and the statistics over all parts. */
#include "index/snapshot.h"

#include <stdlib.h>

#include "base/hash.h"
#include "index/column.h"
#include "index/factors.h"
#include "index/line_marks.h"

/* Takes the dead passages' lengths off the part's sums, which were made of the same rounded
 * lengths; of a damaged file no more than is there. */
static void forget_dead(const struct kb_part *part, uint64_t sums[KB_FIELDS])
{
	uint32_t words = (part->segment->passages + 63) / 64;
	uint32_t lengths[256];

	kb_length_table(lengths);
	for (uint32_t word = 0; word < words; word++)
		/* left & (left - 1) takes the lowest bit away. */
		for (uint64_t left = part->dead[word]; left; left &= left - 1) {
			uint32_t doc = word * 64 + (uint32_t)__builtin_ctzll(left);

			for (int f = 0; f < KB_FIELDS; f++)
				sums[f] -= KB_MIN(
				        sums[f], (uint64_t)lengths[part->segment->lengths[f][doc]]);
		}
}

void kb_snapshot_averages(const struct kb_snapshot *snapshot, float averages[KB_FIELDS])
{
	double all[KB_FIELDS] = { 0 };

	for (size_t i = 0; i < snapshot->part_count; i++) {
		const struct kb_part *part = &snapshot->parts[i];
		uint64_t sums[KB_FIELDS];

		memcpy(sums, part->segment->length_sums, sizeof(sums));
		if (part->dead)
			forget_dead(part, sums);
		for (int f = 0; f < KB_FIELDS; f++)
			all[f] += (double)sums[f];
	}
	for (int f = 0; f < KB_FIELDS; f++)
		averages[f] = all[f] > 0 ? (float)(all[f] / (double)snapshot->alive) : 1;
}

static void bury(struct kb_part *part, uint32_t doc)
{
	if (!part->dead)
		part->dead = kb_xcalloc((part->segment->passages + (size_t)63) / 64,
		                        sizeof(*part->dead));
	if (kb_part_alive(part, doc)) {
		part->dead[doc / 64] |= UINT64_C(1) << doc % 64;
		part->alive--;
	}
}

static void bury_page(struct kb_part *part, int64_t page_id)
{
	const struct kb_segment *segment = part->segment;

	for (uint32_t i = kb_segment_find_page(segment, page_id); i < segment->runs; i++) {
		/* Damage that a checksum has not seen yet must lead nowhere outside. */
		uint32_t run =
		        KB_MIN(kb_get32(segment->run_order + (size_t)i * 4), segment->runs - 1);
		uint32_t first, end;

		if ((int64_t)kb_get64(segment->run_pages + (size_t)run * 8) != page_id)
			break;
		kb_segment_run_range(segment, run, &first, &end);
		for (uint32_t doc = first; doc < end; doc++)
			bury(part, doc);
	}
}

/* After the last passage was buried. */
static void make_tables(struct kb_snapshot *snapshot)
{
	float averages[KB_FIELDS];

	kb_snapshot_averages(snapshot, averages);
	kb_scoring_init(&snapshot->scoring, averages);
	for (size_t i = 0; i < snapshot->part_count && !snapshot->dfs; i++)
		if (snapshot->parts[i].dead)
			snapshot->dfs = kb_xcalloc(1, sizeof(*snapshot->dfs));
}

static void hold_vectors(struct kb_part *part, const struct kb_snapshot_part *in)
{
	if (!in->vectors_count)
		return;
	part->vectors = kb_xcalloc(in->vectors_count, sizeof(struct kb_vectors *));
	for (size_t i = 0; i < in->vectors_count; i++) {
		struct kb_vectors_info info;

		kb_vectors_info(in->vectors[i], &info);
		if (info.passages == part->segment->passages) /* else of another segment */
			part->vectors[part->vectors_count++] = kb_vectors_hold(in->vectors[i]);
	}
}

struct kb_snapshot *kb_snapshot_new(const struct kb_snapshot_part *parts, size_t part_count,
                                    const struct kb_dead_page *dead, size_t dead_count)
{
	struct kb_snapshot *snapshot = kb_xcalloc(1, sizeof(*snapshot));

	atomic_init(&snapshot->count, 1);
	snapshot->part_count = part_count;
	snapshot->parts = kb_xcalloc(part_count, sizeof(*snapshot->parts));
	for (size_t i = 0; i < part_count; i++) {
		struct kb_part *part = &snapshot->parts[i];

		part->segment = kb_segment_hold(parts[i].segment);
		part->version = parts[i].version;
		part->page_shift = parts[i].page_shift;
		part->alive = part->segment->passages;
		hold_vectors(part, &parts[i]);
		for (size_t d = 0; d < dead_count; d++)
			if (part->version < dead[d].version)
				bury_page(part,
				          kb_page_shifted(dead[d].page_id, -part->page_shift));
		snapshot->passages += part->segment->passages;
		snapshot->alive += part->alive;
	}
	make_tables(snapshot);
	return snapshot;
}

void kb_snapshot_set_factors(struct kb_snapshot *snapshot, struct kb_factors *factors)
{
	kb_factors_hold(factors);
	kb_factors_release(snapshot->factors);
	snapshot->factors = factors;
}

/* Whatever a part holds is held once more. */
static struct kb_part copy_part(const struct kb_part *part)
{
	struct kb_part copy = *part;

	kb_segment_hold(part->segment);
	if (part->dead) {
		size_t words = (part->segment->passages + (size_t)63) / 64;

		copy.dead = kb_xcalloc(words, sizeof(*copy.dead));
		memcpy(copy.dead, part->dead, words * sizeof(*copy.dead));
	}
	if (part->vectors_count) {
		copy.vectors = kb_xcalloc(part->vectors_count, sizeof(struct kb_vectors *));
		for (size_t i = 0; i < part->vectors_count; i++)
			copy.vectors[i] = kb_vectors_hold(part->vectors[i]);
	}
	return copy;
}

/* All but its tables; with room for `more` parts. */
static struct kb_snapshot *copy(const struct kb_snapshot *base, size_t more)
{
	struct kb_snapshot *snapshot = kb_xcalloc(1, sizeof(*snapshot));

	atomic_init(&snapshot->count, 1);
	snapshot->parts = kb_xcalloc(base->part_count + more, sizeof(*snapshot->parts));
	for (; snapshot->part_count < base->part_count; snapshot->part_count++)
		snapshot->parts[snapshot->part_count] =
		        copy_part(&base->parts[snapshot->part_count]);
	snapshot->passages = base->passages;
	snapshot->alive = base->alive;
	snapshot->factors = kb_factors_hold(base->factors);
	return snapshot;
}

struct kb_snapshot *kb_snapshot_with(const struct kb_snapshot *base, struct kb_segment *segment)
{
	struct kb_snapshot *snapshot = copy(base, 1);

	snapshot->parts[snapshot->part_count++] =
	        (struct kb_part){ .segment = kb_segment_hold(segment), .alive = segment->passages };
	snapshot->passages += segment->passages;
	snapshot->alive += segment->passages;
	make_tables(snapshot);
	return snapshot;
}

/* Buries the pages of a part that are refused. */
static void hide_pages(struct kb_part *part, bool (*allow)(void *arg, int64_t page_id), void *arg)
{
	const struct kb_segment *segment = part->segment;

	for (uint32_t run = 0; run < segment->runs; run++) {
		int64_t page = (int64_t)kb_get64(segment->run_pages + (size_t)run * 8);
		uint32_t first, end;

		if (allow(arg, kb_page_shifted(page, part->page_shift)))
			continue;
		kb_segment_run_range(segment, run, &first, &end);
		for (uint32_t doc = first; doc < end; doc++)
			bury(part, doc);
		part->hides = true;
	}
}

struct kb_snapshot *kb_snapshot_hiding(const struct kb_snapshot *base,
                                       bool (*allow)(void *arg, int64_t page_id), void *arg)
{
	struct kb_snapshot *snapshot = copy(base, 0);

	for (size_t i = 0; i < snapshot->part_count; i++) {
		struct kb_part *part = &snapshot->parts[i];
		uint32_t before = part->alive;

		hide_pages(part, allow, arg);
		snapshot->alive -= before - part->alive;
	}
	make_tables(snapshot);
	return snapshot;
}

struct kb_snapshot *kb_snapshot_hold(struct kb_snapshot *snapshot)
{
	atomic_fetch_add(&snapshot->count, 1);
	return snapshot;
}

void kb_snapshot_release(struct kb_snapshot *snapshot)
{
	if (!snapshot || atomic_fetch_sub(&snapshot->count, 1) > 1)
		return;
	for (size_t i = 0; i < snapshot->part_count; i++) {
		kb_segment_release(snapshot->parts[i].segment);
		free(snapshot->parts[i].dead);
		for (size_t k = 0; k < snapshot->parts[i].vectors_count; k++)
			kb_vectors_release(snapshot->parts[i].vectors[k]);
		free(snapshot->parts[i].vectors);
	}
	kb_factors_release(snapshot->factors);
	free(snapshot->dfs);
	free(snapshot->parts);
	free(snapshot);
}

int64_t kb_snapshot_passages(const struct kb_snapshot *snapshot)
{
	return (int64_t)snapshot->alive;
}

int64_t kb_snapshot_counted(const struct kb_snapshot *snapshot)
{
	return (int64_t)snapshot->passages;
}

int64_t kb_snapshot_bytes(const struct kb_snapshot *snapshot)
{
	size_t bytes = sizeof(*snapshot) + snapshot->part_count * sizeof(*snapshot->parts)
	               + (snapshot->dfs ? sizeof(*snapshot->dfs) : 0);

	for (size_t i = 0; i < snapshot->part_count; i++) {
		/* A segment or column is a struct beside its map. */
		bytes += sizeof(struct kb_segment)
		         + snapshot->parts[i].vectors_count
		                   * (sizeof(struct kb_vectors) + sizeof(struct kb_vectors *));
		if (snapshot->parts[i].dead)
			bytes += (snapshot->parts[i].segment->passages + (size_t)63) / 64 * 8;
	}
	return (int64_t)bytes;
}

static bool is_alive(const struct kb_part *part, uint32_t doc)
{
	/* A damaged list may name any passage. */
	return doc < part->segment->passages && kb_part_alive(part, doc);
}

/* Postings of living passages, one by one. */
static uint32_t count_living(const struct kb_part *part, const struct kb_dict_entry *entry)
{
	struct kb_cursor cursor;
	uint32_t count = 0;

	for (kb_cursor_init(&cursor, entry->list, entry->df); cursor.count;
	     kb_cursor_next_block(&cursor))
		for (uint32_t i = 0; i < cursor.count; i++)
			count += is_alive(part, cursor.docs[i]);
	return count;
}

/* The same by looking the dead up. */
static uint32_t count_less_dead(const struct kb_part *part, const struct kb_dict_entry *entry)
{
	uint32_t words = part->segment->passages / 64 + (part->segment->passages % 64 != 0);
	uint32_t count = entry->df;
	struct kb_cursor cursor;

	kb_cursor_init(&cursor, entry->list, entry->df);
	for (uint32_t word = 0; word < words; word++)
		for (uint64_t left = part->dead[word]; left; left &= left - 1) {
			uint32_t doc = word * 64 + (uint32_t)__builtin_ctzll(left);

			count -= kb_cursor_seek(&cursor, doc) == doc;
		}
	return count;
}

uint32_t kb_part_df(const struct kb_part *part, struct kb_sv term)
{
	enum { SEEK_COST = 32 }; /* of looking one up, in postings counted */
	struct kb_dict_entry entry;
	uint64_t dead = part->segment->passages - part->alive;

	if (!part->alive || !kb_dict_find(part->segment, term, &entry))
		return 0;
	if (!part->dead)
		return entry.df;
	return dead * SEEK_COST < entry.df ? count_less_dead(part, &entry)
	                                   : count_living(part, &entry);
}

int64_t kb_snapshot_df(const struct kb_snapshot *snapshot, struct kb_sv term)
{
	/* A slot holds 32 bits of the hash and the figure, so one store and one load are whole
	 * without a lock. The top bit is set: no hash makes an empty slot's zero. Two terms with
	 * the same bits are taken for one, which hardly ever happens. */
	uint64_t hash = snapshot->dfs ? kb_hash64(term) | UINT64_C(1) << 63 : 0, known;
	_Atomic uint64_t *slot = NULL;
	int64_t df = 0;

	if (snapshot->dfs) {
		slot = &snapshot->dfs->slots[hash % KB_COUNTOF(snapshot->dfs->slots)];
		known = atomic_load_explicit(slot, memory_order_relaxed);
		if (known && known >> 32 == hash >> 32)
			return (int64_t)(known & UINT32_MAX);
	}
	for (size_t i = 0; i < snapshot->part_count; i++)
		df += kb_part_df(&snapshot->parts[i], term);
	if (slot && df <= UINT32_MAX)
		atomic_store_explicit(slot, (hash >> 32 << 32) | (uint64_t)df,
		                      memory_order_relaxed);
	return df;
}

const struct kb_vectors *kb_snapshot_vectors(const struct kb_snapshot *snapshot, uint32_t part,
                                             struct kb_sv name, struct kb_sv model)
{
	if (part >= snapshot->part_count)
		return NULL;
	for (size_t i = 0; i < snapshot->parts[part].vectors_count; i++) {
		const struct kb_vectors *vectors = snapshot->parts[part].vectors[i];

		if (kb_sv_eq(vectors->info.name, name) && kb_sv_eq(vectors->info.model, model))
			return vectors;
	}
	return NULL;
}

size_t kb_snapshot_column_parts(const struct kb_snapshot *snapshot, struct kb_sv name,
                                struct kb_sv model)
{
	size_t count = 0;

	for (uint32_t i = 0; i < snapshot->part_count; i++)
		count += kb_snapshot_vectors(snapshot, i, name, model) != NULL;
	return count;
}

void kb_part_langs(const struct kb_part *part, uint64_t langs[KB_LANG_COUNT])
{
	uint32_t living[KB_LANG_COUNT] = { 0 };
	const uint32_t *held = part->segment->langs;

	if (part->dead) {
		kb_segment_langs(part->segment, part->dead, living);
		held = living;
	}
	for (int l = 0; l < KB_LANG_COUNT; l++)
		langs[l] += held[l];
}

bool kb_snapshot_living(const struct kb_snapshot *snapshot, uint32_t *part, uint32_t *doc)
{
	for (; *part < snapshot->part_count; ++*part, *doc = 0)
		for (; *doc < snapshot->parts[*part].segment->passages; ++*doc)
			if (kb_part_alive(&snapshot->parts[*part], *doc))
				return true;
	return false;
}

int64_t kb_snapshot_page(const struct kb_snapshot *snapshot, uint32_t part, uint32_t doc)
{
	if (part >= snapshot->part_count || doc >= snapshot->parts[part].segment->passages)
		return -1;
	return kb_part_page(&snapshot->parts[part], doc);
}

bool kb_snapshot_passage(const struct kb_snapshot *snapshot, struct kb_arena *arena, uint32_t part,
                         uint32_t doc, struct kb_passage *out, struct kb_err *err)
{
	const struct kb_segment *segment;
	struct kb_text_block block;
	const uint8_t *p, *end;
	struct kb_sv raw;

	if (part >= snapshot->part_count || doc >= snapshot->parts[part].segment->passages)
		return kb_fail(err, KB_E_NOT_FOUND, "the index has no passage %u in part %u", doc,
		               part);
	segment = snapshot->parts[part].segment;
	kb_segment_row(segment, doc, out);
	out->page_id = kb_page_shifted(out->page_id, snapshot->parts[part].page_shift);
	if (!kb_segment_text_block(segment, kb_segment_text_block_of(segment, doc), &block)
	    || doc < block.first || doc >= block.end)
		return kb_corrupt(err, "section text_blocks is damaged at passage %u", doc);
	if (!kb_text_unpack(arena, &block, &raw, err))
		return false;
	p = (const uint8_t *)raw.p;
	end = p + raw.n;
	for (uint32_t i = block.first; i <= doc; i++)
		if (!kb_text_next(&p, end, &out->title, &out->heading, &out->text))
			return kb_corrupt(err, "section text is damaged at passage %u", i);
	kb_line_marks_read(segment, arena, doc, out);
	return true;
}
