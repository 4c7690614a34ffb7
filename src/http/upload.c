/* Multipart bodies to rows and temporary files: see upload.h. */
#include "http/upload.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fault.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/size.h"
#include "base/temp.h"
#include "http/multipart.h"

enum {
	DISK_CHECK_BYTES = 16 * 1024 * 1024, /* look at the free space this often */
};

struct kb_upload {
	struct kb_multipart parser;
	struct kb_arena *arena;
	struct kb_upload_limits limits;

	struct kb_form_part *parts;
	size_t count, capacity;
	int files;
	int64_t file_bytes;  /* of all files */
	int64_t since_check; /* written since the free space was looked at */
	size_t text_bytes;   /* of all text fields */

	/* The part in hand. */
	struct kb_form_part part;
	struct kb_buf text; /* a text field, or a file field while it is small */
	int fd;             /* of a file; -1: none */
	bool may_be_file;   /* a field called "file" without a filename: a file if it is large */
	bool empty_name;    /* filename="": a file field in which nothing was chosen, or a nameless
	                       file */
};

/* ---- the disk ---- */

bool kb_upload_check_disk(const struct kb_upload_limits *limits, int64_t n, struct kb_err *err)
{
	char wanted[KB_SIZE_TEXT], spare[KB_SIZE_TEXT], reserve[KB_SIZE_TEXT];
	struct statvfs disk;
	int64_t available;

	if (statvfs(limits->temp_dir, &disk) < 0)
		return kb_fail_errno(err, "cannot look at the free space for uploads");
	available = (int64_t)KB_MIN((uint64_t)disk.f_bavail * disk.f_frsize, (uint64_t)INT64_MAX);
	if (n <= available && available - n >= limits->disk_reserve)
		return true;
	return kb_fail(err, KB_E_FULL,
	               "the upload of %s does not fit: the disk has %s left and %s are kept free",
	               kb_size_text(wanted, n), kb_size_text(spare, available),
	               kb_size_text(reserve, limits->disk_reserve));
}

bool kb_upload_clean(const char *temp_dir, struct kb_err *err)
{
	return kb_dir_make(temp_dir, err) && kb_temp_clean(temp_dir, KB_TEMP_UPLOAD, err);
}

/* ---- the part in hand ---- */

static bool open_file(struct kb_upload *upload, struct kb_err *err)
{
	char path[KB_TEMP_PATH];

	if (!upload->limits.files)
		return kb_fail(err, KB_E_INVALID,
		               "the field \"%.*s\" is a file, and this address takes none",
		               (int)KB_MIN(upload->part.name.n, (size_t)80), upload->part.name.p);
	if (upload->files == upload->limits.files_max)
		return kb_fail(err, KB_E_TOO_LARGE,
		               "the request has more than %d files, the limit for one request",
		               upload->limits.files_max);
	kb_temp_path(path, upload->limits.temp_dir, KB_TEMP_UPLOAD);
	upload->part.path = kb_arena_str(upload->arena, kb_sv_str(path));
	upload->fd =
	        kb_fault() ? -1
	                   : open(upload->part.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (upload->fd < 0) {
		upload->part.path = NULL;
		return kb_fail_errno(err, "cannot make a file for the upload");
	}
	upload->files++;
	return true;
}

static bool write_file(struct kb_upload *upload, struct kb_sv bytes, struct kb_err *err)
{
	const struct kb_upload_limits *limits = &upload->limits;
	char figure[KB_SIZE_TEXT];

	upload->part.size += (int64_t)bytes.n;
	upload->file_bytes += (int64_t)bytes.n;
	if (upload->part.size > limits->file_max)
		return kb_fail(err, KB_E_TOO_LARGE, "the file \"%.*s\" is over the limit of %s",
		               (int)KB_MIN(upload->part.filename.n, (size_t)120),
		               upload->part.filename.p, kb_size_text(figure, limits->file_max));
	if (upload->file_bytes > limits->files_total_max)
		return kb_fail(err, KB_E_TOO_LARGE,
		               "the files of the request are over the limit of %s together",
		               kb_size_text(figure, limits->files_total_max));
	upload->since_check += (int64_t)bytes.n;
	if (upload->since_check >= DISK_CHECK_BYTES) {
		upload->since_check = 0;
		if (!kb_upload_check_disk(limits, (int64_t)bytes.n, err))
			return false;
	}
	return kb_fd_write_all(upload->fd, bytes, "the uploaded file", err);
}

/* "file", "files", "file[]", "files[0]", … */
static bool is_file_field(struct kb_sv name)
{
	struct kb_sv rest;

	if (!kb_sv_istarts(name, KB_SV("file")))
		return false;
	rest = kb_sv_from(name, 4);
	if (rest.n && (rest.p[0] == 's' || rest.p[0] == 'S'))
		rest = kb_sv_from(rest, 1);
	if (rest.n == 0)
		return true;
	if (rest.n < 2 || rest.p[0] != '[' || rest.p[rest.n - 1] != ']')
		return false;
	for (size_t i = 1; i + 1 < rest.n; i++)
		if (rest.p[i] < '0' || rest.p[i] > '9')
			return false;
	return true;
}

static bool on_part(void *arg, const struct kb_multipart_part *part, struct kb_err *err)
{
	struct kb_upload *upload = arg;
	bool is_text =
	        part->content_type.n == 0 || kb_sv_istarts(part->content_type, KB_SV("text/"));

	if (!part->name.p)
		return kb_fail(err, KB_E_INVALID, "part %zu of the form has no name",
		               upload->count + 1);
	if (upload->count == KB_FORM_FIELDS_MAX)
		return kb_fail(err, KB_E_TOO_LARGE, "the form has more than %d fields",
		               KB_FORM_FIELDS_MAX);
	upload->part = (struct kb_form_part){
		.name = kb_arena_sv(upload->arena, part->name),
		.content_type = kb_arena_sv(upload->arena, part->content_type),
		.value = { "", 0 },
	};
	kb_buf_clear(&upload->text);
	upload->empty_name = part->filename.p && part->filename.n == 0;
	upload->may_be_file =
	        upload->empty_name || (!part->filename.p && is_file_field(part->name));
	if (part->filename.n) {
		upload->part.filename = kb_arena_sv(upload->arena, part->filename);
		return open_file(upload, err);
	}
	if (upload->may_be_file && !upload->empty_name && !is_text) {
		upload->part.filename = kb_sv("", 0);
		return open_file(upload, err);
	}
	return true;
}

/* A field that turned out to be a file: what was kept in memory goes to disk. */
static bool turn_into_file(struct kb_upload *upload, struct kb_err *err)
{
	upload->part.filename = kb_sv("", 0);
	return open_file(upload, err) && write_file(upload, kb_buf_view(&upload->text), err);
}

static bool on_data(void *arg, struct kb_sv bytes, struct kb_err *err)
{
	struct kb_upload *upload = arg;
	char figure[KB_SIZE_TEXT];

	if (upload->fd >= 0)
		return write_file(upload, bytes, err);
	if (upload->empty_name
	    || (upload->may_be_file && upload->limits.files
	        && upload->text.n + bytes.n > KB_FORM_FIELD_BYTES_MAX))
		return turn_into_file(upload, err) && write_file(upload, bytes, err);
	if (upload->text.n + bytes.n > KB_FORM_FIELD_BYTES_MAX)
		return kb_fail(err, KB_E_TOO_LARGE, "the field \"%.*s\" is over the limit of %s",
		               (int)KB_MIN(upload->part.name.n, (size_t)80), upload->part.name.p,
		               kb_size_text(figure, KB_FORM_FIELD_BYTES_MAX));
	if (upload->text_bytes + upload->text.n + bytes.n > upload->limits.text_max)
		return kb_fail(err, KB_E_TOO_LARGE,
		               "the text fields of the form are over the limit of %s together",
		               kb_size_text(figure, (int64_t)upload->limits.text_max));
	kb_buf_sv(&upload->text, bytes);
	return true;
}

static bool on_part_end(void *arg, struct kb_err *err)
{
	struct kb_upload *upload = arg;

	(void)err;
	if (upload->fd >= 0) {
		kb_fd_close(&upload->fd);
	} else if (upload->empty_name) {
		return true; /* a file field in which nothing was chosen is no field */
	} else {
		upload->part.value = kb_arena_sv(upload->arena, kb_buf_view(&upload->text));
		upload->part.size = (int64_t)upload->text.n;
		upload->text_bytes += upload->text.n;
	}
	KB_GROW(upload->parts, upload->capacity, upload->count + 1);
	upload->parts[upload->count++] = upload->part;
	upload->part.path = NULL;
	return true;
}

/* ---- the whole ---- */

struct kb_upload *kb_upload_new(struct kb_arena *arena, struct kb_sv content_type,
                                const struct kb_upload_limits *limits, struct kb_err *err)
{
	static const struct kb_multipart_events events = { on_part, on_data, on_part_end };
	struct kb_upload *upload = kb_xcalloc(1, sizeof(*upload));

	upload->arena = arena;
	upload->limits = *limits;
	upload->fd = -1;
	kb_buf_init(&upload->text, KB_FORM_FIELD_BYTES_MAX);
	if (!kb_multipart_init(&upload->parser, content_type, &events, upload, err)) {
		kb_upload_free(upload);
		return NULL;
	}
	return upload;
}

bool kb_upload_feed(struct kb_upload *upload, struct kb_sv bytes, struct kb_err *err)
{
	return kb_multipart_feed(&upload->parser, bytes, err);
}

bool kb_upload_finish(struct kb_upload *upload, struct kb_form_part **parts, size_t *count,
                      struct kb_err *err)
{
	if (!kb_multipart_finish(&upload->parser, err))
		return false;
	*parts = KB_NEW_ARRAY(upload->arena, upload->count, struct kb_form_part);
	if (upload->count)
		memcpy(*parts, upload->parts, upload->count * sizeof(**parts));
	*count = upload->count;
	return true;
}

bool kb_upload_has_files(const struct kb_upload *upload)
{
	return upload->files > 0;
}

void kb_upload_free(struct kb_upload *upload)
{
	if (!upload)
		return;
	kb_fd_close(&upload->fd);
	if (upload->part.path)
		unlink(upload->part.path);
	for (size_t i = 0; i < upload->count; i++)
		if (upload->parts[i].path)
			unlink(upload->parts[i].path);
	kb_multipart_fini(&upload->parser);
	kb_buf_fini(&upload->text);
	free(upload->parts);
	free(upload);
}
