/*
 * An agent's search index: immutable segments, snapshots over them, ranked search.
 *
 * A segment is one file: passages with their stored text, a dictionary, postings, lengths. It is
 * built by a writer, checksummed, never changed, and read through a memory map. A snapshot is a set
 * of segments with the pages deleted since; it is immutable too and shared by reference count, so a
 * query is never blocked by a new version. The library knows nothing of the store or of HTTP; the
 * `docent index` tools use it alone.
 *
 * Writers belong to one thread; segments and snapshots may be read by any number at once. What a
 * query returns lives in the caller's arena.
 */
#ifndef KB_INDEX_INDEX_H
#define KB_INDEX_INDEX_H

#include "index/analysis.h"

/* What a document marks as no paragraph. Its text has no marks, so that nothing is found by them.
 */
enum kb_mark_kind {
	KB_MARK_ITEM,
	KB_MARK_HEADING,
	KB_MARK_CODE,
	KB_MARK_LISTED, /* goes on with an item, or is one whose mark is in the text */
	KB_MARKS
};

struct kb_line_mark {
	uint32_t at; /* bytes of the passage's text, where the line begins */
	enum kb_mark_kind kind;
	/* Of an item: in how many lists it is, from 1, and its number, or 0; of others 0. */
	uint32_t depth, number;
};

/* What a writer takes and a search gives back. The bytes belong to the caller on the way in and to
 * the caller's arena on the way out. */
struct kb_passage {
	int64_t page_id;  /* the document; passages of one page are added one after another */
	uint32_t ordinal; /* of the passage in its page, from 0 */
	uint32_t page_no; /* PDF page from 1; 0: none */
	uint32_t offset;  /* bytes into the page's extracted text */
	enum kb_lang lang;
	struct kb_sv title;   /* of the document */
	struct kb_sv heading; /* path, outermost first, joined by " > " */
	struct kb_sv text;
	const struct kb_line_mark *marks; /* in their order */
	size_t mark_count;
	/* What it is also found by: words that count as the text's but not in its length, and are
	 * not kept. Empty on the way out. */
	struct kb_sv names;
};

/* The mark of the line that begins there, blanks aside; NULL: it has none. */
const struct kb_line_mark *kb_passage_mark(const struct kb_passage *passage, size_t at);

struct kb_segment_writer;
struct kb_vectors;
struct kb_factors;
struct kb_meaning;
struct kb_segment;
struct kb_snapshot;

struct kb_segment_info {
	int64_t bytes, passages, pages, terms, text_bytes;
};

struct kb_segment_writer *kb_segment_writer_new(void);
void kb_segment_writer_free(struct kb_segment_writer *writer);
/* Its next segment is for this process alone: it is written without waiting for the disk. */
void kb_segment_writer_passing(struct kb_segment_writer *writer);
/* For tests: the most bytes of a passage, at most and at first 16 MB. */
void kb_segment_writer_limit(struct kb_segment_writer *writer, size_t passage_max);
void kb_segment_writer_add(struct kb_segment_writer *writer, const struct kb_passage *passage);
/* Bytes that the segment in the making takes; finishing it takes up to a quarter more. */
size_t kb_segment_writer_memory(const struct kb_segment_writer *writer);
/* Writes the file (durable: fsync'd) and empties the writer for the next segment, also when it
 * fails. KB_E_TOO_LARGE: a passage was over the limit. */
bool kb_segment_writer_finish(struct kb_segment_writer *writer, const char *path,
                              struct kb_segment_info *info, struct kb_err *err) KB_MUST_CHECK;

/* Maps the file and checks its form (magic, version, section table and its checksum, bounds); with
 * `verify` every section's checksum too. KB_E_CORRUPT names the section. The count starts at 1. */
struct kb_segment *kb_segment_open(const char *path, bool verify, struct kb_err *err) KB_MUST_CHECK;
struct kb_segment *kb_segment_hold(struct kb_segment *segment);
void kb_segment_release(struct kb_segment *segment);
void kb_segment_info(const struct kb_segment *segment, struct kb_segment_info *info);
/* Before anybody else has it: it will be read once, by a merge, which gives its pages back to the
 * system as it goes. */
void kb_segment_passing(struct kb_segment *segment);
/* Compares every section with its checksum. */
bool kb_segment_verify(const struct kb_segment *segment, struct kb_err *err) KB_MUST_CHECK;

/* Whether a file that begins with these bytes is one that this library made of passages: a segment,
 * a vector column, factors. It can be made again, as an original cannot. */
enum { KB_INDEX_HEAD = 8 };
bool kb_index_made(struct kb_sv head);

struct kb_section_info {
	const char *name;
	int64_t bytes;
};
/* Fills up to max rows; returns how many sections there are. */
size_t kb_segment_sections(const struct kb_segment *segment, struct kb_section_info *out,
                           size_t max);

/* A segment and the index version that it contains everything of. */
struct kb_snapshot_part {
	struct kb_segment *segment;
	int64_t version;
	/* Added to the page ids in the file: two agents may share one segment, each with page ids
	 * of its own. A merge writes the sums into its result. */
	int64_t page_shift;
	/* Its vector columns (vectors.h), which the snapshot holds too. */
	struct kb_vectors *const *vectors;
	size_t vectors_count;
};
/* All passages of the page in parts of a version below this one are gone. */
struct kb_dead_page {
	int64_t page_id, version;
};
/* Holds the segments. The count starts at 1. */
struct kb_snapshot *kb_snapshot_new(const struct kb_snapshot_part *parts, size_t part_count,
                                    const struct kb_dead_page *dead, size_t dead_count);
/* The same snapshot with one more segment, for one question with documents of its own. Its passages
 * have the highest part number. The count starts at 1. */
struct kb_snapshot *kb_snapshot_with(const struct kb_snapshot *base, struct kb_segment *segment);
/* The same snapshot for a reader from whom some pages are hidden: whatever is searched, counted or
 * suggested of it is as if those that `allow` refuses had been deleted. Asks once for each page.
 * The count starts at 1. */
struct kb_snapshot *kb_snapshot_hiding(const struct kb_snapshot *base,
                                       bool (*allow)(void *arg, int64_t page_id), void *arg);
/* The model of the third ranking step (factors.h), before anybody else has the snapshot; held by
 * it. NULL: none. */
void kb_snapshot_set_factors(struct kb_snapshot *snapshot, struct kb_factors *factors);
struct kb_snapshot *kb_snapshot_hold(struct kb_snapshot *snapshot);
void kb_snapshot_release(struct kb_snapshot *snapshot);
int64_t kb_snapshot_passages(const struct kb_snapshot *snapshot); /* alive */
/* The dead too, which lie in the files until a merge. */
int64_t kb_snapshot_counted(const struct kb_snapshot *snapshot);
int64_t kb_snapshot_bytes(const struct kb_snapshot *snapshot); /* memory beyond the maps */

/* An index of fewer passages weighs its words as if it had so many, the others without any of them:
 * where each word stands in one passage of two, how often it does says nothing of how rare it is.
 */
enum { KB_WEIGHED_LEAST = 40 };
/* Living passages that hold the term in any field. */
int64_t kb_snapshot_df(const struct kb_snapshot *snapshot, struct kb_sv term);

struct kb_query_term {
	struct kb_sv term;
	float weight; /* multiplies the term's BM25 part */
};

/* What the second step's weights are fitted for (rerank.h). */
enum kb_purpose {
	KB_FOR_ANSWERS, /* the selection of sentences (src/answer) sees its scores */
	KB_FOR_SEARCH,  /* the order itself is what is wanted */
	KB_PURPOSES
};

/* A known word taken for one of the question's that no passage holds (spell.h). */
struct kb_meant {
	struct kb_sv asked;      /* as the question has it, normalised */
	struct kb_sv word, term; /* of the index: unstemmed, and as the query's term */
};

struct kb_query {
	const struct kb_query_term *terms;
	size_t term_count;
	size_t limit;
	/* Ranks the best so many of the first step anew (rerank.h); 0: none. `question` is the
	 * analysed text; kb_query_build() sets it. */
	size_t rerank;
	struct kb_terms question;
	enum kb_purpose purpose;
	/* What kb_query_spell() has added, the likeliest of each unknown word first. */
	const struct kb_meant *meant;
	size_t meant_count;
	/* Weight of the latent factors in the third step (factors.h), KB_FACTORS_WEIGHT; 0: none.
	 * Does nothing where the snapshot has no model. */
	float factors;
	/* For the fourth step (meaning_rank.h), which needs the second; NULL: there is none. */
	const struct kb_meaning *meaning;
};

struct kb_hit {
	uint32_t part, doc; /* where, for kb_snapshot_passage() */
	float score;
};
/* For qsort() and bsearch(): as they stand in the files, and the best first. */
int kb_hit_by_place(const void *a, const void *b);
int kb_hit_by_score(const void *a, const void *b);

/* The BM25F score of one passage for the terms, as the first step computes it (search.h). */
float kb_score(const struct kb_snapshot *snapshot, uint32_t part, uint32_t doc,
               const struct kb_query_term *terms, size_t term_count);

/* No passage's first-step score for the terms is above this. */
float kb_score_bound(const struct kb_snapshot *snapshot, const struct kb_query_term *terms,
                     size_t term_count);

/* Reads the stored passage. */
bool kb_snapshot_passage(const struct kb_snapshot *snapshot, struct kb_arena *arena, uint32_t part,
                         uint32_t doc, struct kb_passage *out, struct kb_err *err) KB_MUST_CHECK;

/* Moves to the first living passage at that place or behind it, part by part; false: there is none.
 */
bool kb_snapshot_living(const struct kb_snapshot *snapshot, uint32_t *part, uint32_t *doc);
/* The page of a passage, without reading its text; -1: there is no such passage. */
int64_t kb_snapshot_page(const struct kb_snapshot *snapshot, uint32_t part, uint32_t doc);

/* Parts of a snapshot that stand in a row: `count` of them, from number `first` on. */
struct kb_part_range {
	const struct kb_snapshot *snapshot;
	size_t first, count;
};

/* Writes one segment with the living passages of the parts. The deletions of the snapshot are
 * applied, so the new segment stands for the snapshot's version, not for its parts'. info may be
 * NULL. Cancelled, nothing has happened to the path. */
bool kb_segment_merge(const struct kb_part_range *parts, const struct kb_cancel *cancel,
                      const char *path, struct kb_segment_info *info,
                      struct kb_err *err) KB_MUST_CHECK;

#endif
