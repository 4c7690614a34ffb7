/*
 * Writing a file of sections (base/container.h), and of a segment's the parts that a writer and a
 * merge share. Private to this folder.
 *
 * A builder writes sections one after another into a temporary file beside the target; finish
 * completes header and table, syncs, renames over the target and syncs the directory. Errors are
 * sticky: appending goes on freely and finish tells. Until finish has succeeded nothing has
 * happened to the target.
 */
#ifndef KB_INDEX_BUILD_H
#define KB_INDEX_BUILD_H

#include "index/dict.h"
#include "index/postings.h"

struct kb_builder;

enum { KB_BUILDER_SECTIONS = 24 }; /* a form may have as many, with the unused id 0 */

struct kb_builder *kb_builder_new(const struct kb_form *form, const char *path);
/* Removes the temporary file if finish has not been reached. */
void kb_builder_free(struct kb_builder *builder);
/* No crash needs to find the file: finish does not sync. */
void kb_builder_passing(struct kb_builder *builder);
void kb_builder_section(struct kb_builder *builder, uint32_t id);
void kb_builder_add(struct kb_builder *builder, const void *p, size_t n);
void kb_builder_put(struct kb_builder *builder, uint32_t id, const void *p, size_t n);
bool kb_builder_finish(struct kb_builder *builder, int64_t *bytes,
                       struct kb_err *err) KB_MUST_CHECK;

/* Writes the dictionary's three sections. */
void kb_dict_put(const struct kb_dict_builder *dict, struct kb_builder *builder);

/* What is known of all passages: columns that grow, and their sections. */
struct kb_columns {
	uint32_t *v[KB_COLS];
	size_t capacity[KB_COLS];
	uint8_t *lengths[KB_FIELDS];
	size_t length_capacity[KB_FIELDS];
	uint32_t passages;
	int64_t *run_pages;
	uint32_t *run_firsts;
	size_t run_page_capacity, run_first_capacity;
	uint32_t runs;
	uint64_t text_bytes, length_sums[KB_FIELDS];
	uint32_t length_table[256];
};
void kb_columns_init(struct kb_columns *columns);
void kb_columns_fini(struct kb_columns *columns);
/* Adds a passage's row; its text fields are not looked at. */
void kb_columns_add(struct kb_columns *columns, const struct kb_passage *passage,
                    const uint8_t codes[KB_FIELDS]);
void kb_columns_put(const struct kb_columns *columns, uint32_t terms, struct kb_builder *builder);

/* Stored text: frames of whole passages. */
struct kb_text_builder {
	struct kb_buf packed, blocks, frame;
	uint64_t packed_bytes;
	struct kb_builder *straight;  /* frames go there as they come; NULL: packed keeps them */
	struct kb_buf title, heading; /* of the passage before, in this frame */
	uint32_t frame_first, passages;
	bool frame_begun, failed;
	void *zstd;
};
void kb_text_builder_init(struct kb_text_builder *text);
void kb_text_builder_fini(struct kb_text_builder *text);
/* Begins the section: frames go into the file as they come, and nothing else until kb_text_put().
 */
void kb_text_straight(struct kb_text_builder *text, struct kb_builder *builder);
void kb_text_add(struct kb_text_builder *text, struct kb_sv title, struct kb_sv heading,
                 struct kb_sv body);
/* Copies a frame of another segment, all of whose `count` passages follow. */
void kb_text_copy(struct kb_text_builder *text, struct kb_sv packed, size_t raw_bytes,
                  uint32_t count);
/* Closes the last frame; false when a passage did not fit or could not be packed. */
bool kb_text_put(struct kb_text_builder *text, struct kb_builder *builder, struct kb_err *err);

#endif
