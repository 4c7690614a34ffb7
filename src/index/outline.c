#include "index/outline.h"

#include "index/snapshot.h"

static uint32_t living(const struct kb_part *part, uint32_t first, uint32_t end)
{
	uint32_t count = 0;

	for (uint32_t doc = first; doc < end; doc++)
		count += kb_part_alive(part, doc);
	return count;
}

void kb_snapshot_size(const struct kb_snapshot *snapshot, bool (*allow)(void *arg, int64_t page_id),
                      void *arg, struct kb_snapshot_size *out)
{
	*out = (struct kb_snapshot_size){ 0 };
	for (size_t i = 0; i < snapshot->part_count; i++) {
		const struct kb_part *part = &snapshot->parts[i];

		for (uint32_t run = 0; run < part->segment->runs; run++) {
			int64_t page = kb_page_shifted(
			        (int64_t)kb_get64(part->segment->run_pages + (size_t)run * 8),
			        part->page_shift);
			uint32_t first, end, alive;

			kb_segment_run_range(part->segment, run, &first, &end);
			alive = part->dead ? living(part, first, end) : end - first;
			if (!alive || (allow && !allow(arg, page)))
				continue;
			out->pages++;
			out->passages += alive;
		}
	}
}

/* One call of kb_snapshot_sections(). */
struct outline {
	const struct kb_snapshot *snapshot;
	struct kb_arena *arena;
	size_t max, read;
	struct kb_sections *out;
};

static void take(struct outline *outline, struct kb_sv heading)
{
	struct kb_sections *out = outline->out;

	if (!heading.n)
		return;
	for (size_t i = 0; i < out->count; i++)
		if (kb_sv_eq(out->v[i], heading))
			return;
	if (out->count < outline->max)
		out->v[out->count++] = heading;
	else
		out->more = true;
}

static bool read_run(struct outline *outline, uint32_t number, uint32_t run, struct kb_err *err)
{
	const struct kb_part *part = &outline->snapshot->parts[number];
	uint32_t first, end;

	kb_segment_run_range(part->segment, run, &first, &end);
	for (uint32_t doc = first; doc < end && !outline->out->more; doc++) {
		struct kb_arena scratch = { 0 };
		struct kb_passage passage;
		bool ok;

		if (!kb_part_alive(part, doc))
			continue;
		if (outline->read++ == KB_OUTLINE_PASSAGES) {
			outline->out->more = true;
			break;
		}
		ok = kb_snapshot_passage(outline->snapshot, &scratch, number, doc, &passage, err);
		if (ok)
			take(outline, kb_arena_sv(outline->arena, passage.heading));
		kb_arena_fini(&scratch);
		if (!ok)
			return false;
	}
	return true;
}

bool kb_snapshot_sections(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                          int64_t page_id, size_t max, struct kb_sections *out, struct kb_err *err)
{
	struct outline outline = { .snapshot = snapshot, .arena = arena, .max = max, .out = out };

	*out = (struct kb_sections){ .v = KB_NEW_ARRAY(arena, max, struct kb_sv) };
	for (uint32_t i = 0; i < snapshot->part_count; i++) {
		const struct kb_segment *segment = snapshot->parts[i].segment;
		int64_t id = kb_page_shifted(page_id, -snapshot->parts[i].page_shift);

		for (uint32_t at = kb_segment_find_page(segment, id); at < segment->runs; at++) {
			uint32_t run = KB_MIN(kb_get32(segment->run_order + (size_t)at * 4),
			                      segment->runs - 1);

			if ((int64_t)kb_get64(segment->run_pages + (size_t)run * 8) != id)
				break;
			if (!read_run(&outline, i, run, err))
				return false;
		}
	}
	return true;
}
