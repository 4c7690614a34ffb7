/* What an agent's index version consists of: segments and their columns, dead pages, labels. Each
 * part is read by its own family (kb_store_index_state()). */
#ifndef KB_STORE_INDEX_STATE_H
#define KB_STORE_INDEX_STATE_H

#include "base/sv.h"

struct kb_segment_row {
	int64_t id, version;
	struct kb_sv blob;
	int64_t bytes, passages;
	int64_t page_shift; /* added to the page ids in the blob: it is shared with another agent */
};
struct kb_dead_row {
	int64_t page_id, version;
};
/* A living label, under its folded name. */
struct kb_label_row {
	int64_t id;
	struct kb_sv key;
};
/* The label may be one that was deleted. */
struct kb_page_label_row {
	int64_t page_id, label_id;
};
struct kb_source_label_row {
	int64_t source_id, label_id;
};
/* What keeps a page besides its own labels: a page that it is a part of, however deep, or its
 * source. Only those that carry labels. */
struct kb_keeper_row {
	int64_t page_id, keeper_id;
	bool is_source; /* the keeper */
};
/* A vector column of one of the segments (vectors.h). */
struct kb_vectors_row {
	int64_t segment_id;
	struct kb_sv name, model, blob;
	int64_t bytes, filled, pending;
};
/* The agent's factor model; an empty mark: none. */
struct kb_factors_row {
	struct kb_sv mark, blob;
	int64_t bytes, passages;
};
/* All of one index version, read in one transaction. */
struct kb_index_state {
	int64_t version;
	struct kb_segment_row *segments; /* by id */
	size_t segment_count;
	/* Those that are known to be damaged (repairs.h), and not among the segments above. */
	struct kb_segment_row *damaged;
	size_t damaged_count;
	struct kb_dead_row *dead; /* by page, each once */
	size_t dead_count;
	struct kb_label_row *labels; /* by id */
	size_t label_count;
	struct kb_page_label_row *page_labels; /* by page, then label */
	size_t page_label_count;
	struct kb_source_label_row *source_labels; /* by source, then label */
	size_t source_label_count;
	struct kb_keeper_row *keepers; /* by page */
	size_t keeper_count;
	struct kb_vectors_row *vectors; /* by segment, then name */
	size_t vectors_count;
	struct kb_factors_row factors;
};

#endif
