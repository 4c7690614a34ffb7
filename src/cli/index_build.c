#include "cli/index_build.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "cli/index_dir.h"
#include "cli/records.h"

struct build {
	struct kb_index_draft draft;
	struct kb_segment_writer *writer;
	int64_t total_text, passages;
	size_t memory; /* bytes of the writer that end a part */
	int parts;     /* written */
	struct kb_buf ids;
};

static struct kb_index_path part_path(const struct build *build, int part)
{
	char name[32];

	snprintf(name, sizeof(name), "part-%d", part);
	return kb_index_draft_path(&build->draft, name);
}

static bool flush_part(struct build *build, bool last, struct kb_err *err)
{
	struct kb_index_path path = part_path(build, build->parts);

	if (!last || build->parts > 0) /* it will be merged, and nobody needs it after a crash */
		kb_segment_writer_passing(build->writer);
	if (!kb_segment_writer_finish(build->writer, path.p, NULL, err))
		return false;
	build->parts++;
	return true;
}

static bool add_records(struct build *build, struct kb_records *records, struct kb_err *err)
{
	for (;;) {
		struct kb_record record = { 0 };
		bool more;

		if (!kb_records_next(records, &record, &more, err))
			return false;
		if (!more)
			break;
		kb_segment_writer_add(build->writer, &(struct kb_passage){
		                                             .page_id = build->passages++,
		                                             .lang = kb_lang_of_text(record.text),
		                                             .title = record.title,
		                                             .text = record.text,
		                                     });
		kb_buf_sv(&build->ids, record.id);
		kb_buf_byte(&build->ids, '\n');
		build->total_text += (int64_t)(record.title.n + record.text.n);
		if (kb_segment_writer_memory(build->writer) >= build->memory
		    && !flush_part(build, false, err))
			return false;
	}
	return flush_part(build, true, err);
}

/* Makes the parts one segment. */
static bool unite(struct build *build, const char *target, struct kb_err *err)
{
	struct kb_snapshot_part *parts = kb_xcalloc((size_t)build->parts, sizeof(*parts));
	struct kb_snapshot *snapshot;
	bool ok = true;
	int opened = 0;

	if (build->parts == 1) {
		free(parts);
		if (rename(part_path(build, 0).p, target) != 0)
			return kb_fail_errno(err, "cannot write %s", target);
		return true;
	}
	for (; ok && opened < build->parts; opened += ok) {
		parts[opened].segment = kb_segment_open(part_path(build, opened).p, false, err);
		ok = parts[opened].segment != NULL;
		if (ok)
			kb_segment_passing(parts[opened].segment);
	}
	if (ok) {
		snapshot = kb_snapshot_new(parts, (size_t)build->parts, NULL, 0);
		ok = kb_segment_merge(&(struct kb_part_range){ .snapshot = snapshot,
		                                               .count = (size_t)build->parts },
		                      NULL, target, NULL, err);
		kb_snapshot_release(snapshot);
	}
	for (int i = 0; i < opened; i++) {
		kb_segment_release(parts[i].segment);
		unlink(part_path(build, i).p);
	}
	free(parts);
	return ok;
}

/* Learns a model from the segment and folds it. */
static bool learn(const struct kb_index_draft *draft, struct kb_err *err)
{
	struct kb_index_path model = kb_index_draft_path(draft, "factors");
	struct kb_snapshot_part part = { .version = 1 };
	int64_t start = kb_clock_mono_us(), bytes = 0;
	struct kb_factors *factors = NULL;
	struct kb_factors_info info = { 0 };
	struct kb_snapshot *snapshot;
	bool ok;

	part.segment = kb_segment_open(kb_index_draft_path(draft, "segment").p, false, err);
	if (!part.segment)
		return false;
	snapshot = kb_snapshot_new(&part, 1, NULL, 0);
	ok = kb_factors_train(snapshot, &(struct kb_factors_options){ .seed = 1 }, model.p, &info,
	                      err);
	if (!ok && err->code == KB_E_INVALID) { /* there is too little to learn from */
		printf("no factors: %s\n", err->msg);
		ok = true;
	} else if (ok) {
		factors = kb_factors_open(model.p, err);
		ok = factors
		     && kb_factors_fold(factors, part.segment, NULL,
		                        kb_index_draft_path(draft, "lsi").p, &bytes, err);
		if (ok)
			printf("%u factors of %u words, %.1f MB and %.1f MB, %.2f s\n", info.dims,
			       info.terms, (double)info.bytes / 1e6, (double)bytes / 1e6,
			       (double)(kb_clock_mono_us() - start) / 1e6);
	}
	kb_factors_release(factors);
	kb_snapshot_release(snapshot);
	kb_segment_release(part.segment);
	return ok;
}

static void report(const struct build *build, int64_t start)
{
	int64_t took = KB_MAX(kb_clock_mono_us() - start, INT64_C(1)), spent;
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	spent = KB_MAX(INT64_C(1000000) * usage.ru_utime.tv_sec + usage.ru_utime.tv_usec, 1);
	printf("%" PRId64 " passages, %.1f MB of text, %.2f s, %.1f MB/s; %.2f s of processor, "
	       "%.1f MB/s; %d parts, memory at most %ld MB\n",
	       build->passages, (double)build->total_text / 1e6, (double)took / 1e6,
	       (double)build->total_text / (double)took, (double)spent / 1e6,
	       (double)build->total_text / (double)spent, build->parts, usage.ru_maxrss / 1024);
}

bool kb_index_build(const struct kb_index_build_options *options, struct kb_err *err)
{
	struct build build = { .draft.lock = -1, .memory = options->memory };
	struct kb_records records = { 0 };
	int64_t start = kb_clock_mono_us();
	struct kb_sv ids;
	bool ok;

	kb_buf_init(&build.ids, KB_INDEX_IDS_MAX);
	build.writer = kb_segment_writer_new();
	ok = kb_records_open(&records, options->docs, err)
	     && kb_index_draft_open(&build.draft, options->out, err)
	     && add_records(&build, &records, err) && kb_buf_done(&build.ids, &ids, err)
	     && kb_file_replace(kb_index_draft_path(&build.draft, "ids").p, ids, err)
	     && unite(&build, kb_index_draft_path(&build.draft, "segment").p, err);
	if (ok)
		report(&build, start);
	if (ok && options->factors && build.passages > 0)
		ok = learn(&build.draft, err);
	ok = ok && kb_index_draft_publish(&build.draft, err);
	kb_index_draft_close(&build.draft);
	kb_records_close(&records);
	kb_segment_writer_free(build.writer);
	kb_buf_fini(&build.ids);
	return ok;
}
