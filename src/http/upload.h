/*
 * Form bodies on their way in: files of a multipart body go to disk as they arrive, text fields
 * and urlencoded pairs become kb_form_part rows. All calls block on disk and belong on a worker.
 */
#ifndef KB_HTTP_UPLOAD_H
#define KB_HTTP_UPLOAD_H

#include "http/request.h"

struct kb_upload;

struct kb_upload_limits {
	bool files; /* are files welcome? */
	int files_max;
	int64_t file_max, files_total_max; /* bytes */
	size_t text_max;                   /* bytes of all text fields */
	const char *temp_dir;
	int64_t disk_reserve;
};

/* Parts are made in the arena, which nobody else may use until finish or free. NULL with
 * KB_E_INVALID when content_type names no usable boundary. */
struct kb_upload *kb_upload_new(struct kb_arena *arena, struct kb_sv content_type,
                                const struct kb_upload_limits *limits,
                                struct kb_err *err) KB_MUST_CHECK;
/* The next bytes of the body. KB_E_TOO_LARGE, KB_E_INVALID, KB_E_FULL, KB_E_IO. */
bool kb_upload_feed(struct kb_upload *upload, struct kb_sv bytes, struct kb_err *err) KB_MUST_CHECK;
/* The body is complete. The rows live in the arena, their files until kb_upload_free(). */
bool kb_upload_finish(struct kb_upload *upload, struct kb_form_part **parts, size_t *count,
                      struct kb_err *err) KB_MUST_CHECK;
/* Has it files that free must remove? */
bool kb_upload_has_files(const struct kb_upload *upload);
/* Removes the files that were not renamed away. NULL is fine. */
void kb_upload_free(struct kb_upload *upload);

/* Is there room for n more bytes of uploads beside the reserve? */
bool kb_upload_check_disk(const struct kb_upload_limits *limits, int64_t n,
                          struct kb_err *err) KB_MUST_CHECK;
/* Makes temp_dir if need be, and removes what an earlier process left in it. */
bool kb_upload_clean(const char *temp_dir, struct kb_err *err) KB_MUST_CHECK;

/* The pairs of a urlencoded body as rows. */
bool kb_form_pairs(struct kb_arena *arena, struct kb_sv body, struct kb_form_part **parts,
                   size_t *count, struct kb_err *err) KB_MUST_CHECK;

#endif
