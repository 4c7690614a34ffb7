/* Capped reading of zip members, over libzip. */
#include "parse/zip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zip.h>

enum { PIECE_BYTES = 65536, MIMETYPE_MAX = 200 };

struct kb_zip {
	zip_t *zip;
	size_t count;
	size_t inflated; /* of all members so far */
	size_t total_max;
};

static bool fail_zip(struct kb_err *err, const char *what, int code)
{
	if (code == ZIP_ER_MEMORY)
		errno = ENOMEM;
	if (code == ZIP_ER_NOPASSWD || code == ZIP_ER_WRONGPASSWD)
		return kb_fail(err, KB_E_INVALID, "the document is locked with a password");
	return kb_fail(err, KB_E_INVALID, "%s", what);
}

struct kb_zip *kb_zip_open(struct kb_sv bytes, struct kb_err *err)
{
	zip_error_t error;
	zip_source_t *source;
	zip_t *z;
	zip_int64_t count;
	struct kb_zip *zip;

	zip_error_init(&error);
	source = zip_source_buffer_create(bytes.p, bytes.n, 0, &error);
	z = source ? zip_open_from_source(source, ZIP_RDONLY, &error) : NULL;
	if (!z) {
		zip_source_free(source);
		fail_zip(err, "the file is a damaged zip: its directory cannot be read",
		         zip_error_code_zip(&error));
		zip_error_fini(&error);
		return NULL;
	}
	zip_error_fini(&error);
	count = zip_get_num_entries(z, 0);
	if (count > KB_ZIP_MEMBERS_MAX) {
		kb_fail(err, KB_E_TOO_LARGE, "the file holds %lld members, the limit is %d",
		        (long long)count, KB_ZIP_MEMBERS_MAX);
		zip_discard(z);
		return NULL;
	}
	zip = kb_xcalloc(1, sizeof(*zip));
	zip->zip = z;
	zip->count = count > 0 ? (size_t)count : 0;
	zip->total_max = KB_ZIP_TOTAL_MAX;
	return zip;
}

void kb_zip_close(struct kb_zip *zip)
{
	if (!zip)
		return;
	zip_discard(zip->zip);
	free(zip);
}

static struct kb_sv name_of(const struct kb_zip *zip, size_t index)
{
	return kb_sv_str(zip_get_name(zip->zip, index, ZIP_FL_ENC_GUESS));
}

/* S_IFREG as a member's attributes have it; 0 where a system without such bits packed it. */
static bool is_regular(const struct kb_zip *zip, size_t index)
{
	zip_uint8_t system = ZIP_OPSYS_DOS;
	zip_uint32_t attributes = 0;

	if (zip_file_get_external_attributes(zip->zip, index, 0, &system, &attributes)
	    || system != ZIP_OPSYS_UNIX)
		return true;
	return S_ISREG(attributes >> 16) || !(attributes >> 16 & S_IFMT);
}

bool kb_zip_member(const struct kb_zip *zip, size_t index, struct kb_zip_member *out)
{
	zip_stat_t stat;

	*out = (struct kb_zip_member){ .name = KB_SV("") };
	if (index >= zip->count)
		return false;
	zip_stat_init(&stat);
	out->name = name_of(zip, index);
	/* The size is only told: what counts is what comes out (kb_zip_stream()). */
	if (zip_stat_index(zip->zip, index, 0, &stat))
		return true;
	out->size = stat.valid & ZIP_STAT_SIZE ? stat.size : 0;
	out->is_locked =
	        stat.valid & ZIP_STAT_ENCRYPTION_METHOD && stat.encryption_method != ZIP_EM_NONE;
	out->is_file = !kb_sv_ends(out->name, KB_SV("/")) && is_regular(zip, index);
	return true;
}

void kb_zip_allow(struct kb_zip *zip, size_t total_max)
{
	zip->total_max = total_max;
}

ptrdiff_t kb_zip_find(const struct kb_zip *zip, struct kb_sv name)
{
	for (size_t i = 0; i < zip->count; i++)
		if (kb_sv_eq(name_of(zip, i), name))
			return (ptrdiff_t)i;
	for (size_t i = 0; i < zip->count; i++)
		if (kb_sv_ieq(name_of(zip, i), name))
			return (ptrdiff_t)i;
	return -1;
}

/* Counts what came out against the limits. The ratio is asked of large members only: a short one of
 * blanks packs well, too, and does no harm. */
static bool within_limits(struct kb_zip *zip, size_t inflated, size_t stored, size_t n,
                          struct kb_err *err)
{
	zip->inflated += n;
	if (zip->inflated > zip->total_max)
		return kb_fail(err, KB_E_TOO_LARGE, "the file unpacks to more than %zu MB",
		               zip->total_max >> 20);
	if (inflated > KB_ZIP_RATIO_FROM && inflated / KB_ZIP_RATIO_MAX > stored)
		return kb_fail(err, KB_E_TOO_LARGE,
		               "a part of the file unpacks to more than %d times its size",
		               KB_ZIP_RATIO_MAX);
	return true;
}

bool kb_zip_stream(struct kb_zip *zip, size_t index, bool (*take)(void *arg, struct kb_sv piece),
                   void *arg, struct kb_err *err)
{
	char *piece = kb_xmalloc(PIECE_BYTES);
	zip_stat_t stat;
	zip_file_t *file = NULL;
	zip_int64_t n;
	size_t inflated = 0;
	bool ok = false;

	zip_stat_init(&stat);
	if (zip_stat_index(zip->zip, index, 0, &stat)) {
		fail_zip(err, "a part of the file is damaged",
		         zip_error_code_zip(zip_get_error(zip->zip)));
		goto out;
	}
	file = zip_fopen_index(zip->zip, index, 0);
	if (!file) {
		fail_zip(err, "a part of the file is damaged",
		         zip_error_code_zip(zip_get_error(zip->zip)));
		goto out;
	}
	while ((n = zip_fread(file, piece, PIECE_BYTES)) > 0) {
		inflated += (size_t)n;
		if (!within_limits(zip, inflated, stat.comp_size, (size_t)n, err))
			goto out;
		if (!take(arg, kb_sv(piece, (size_t)n)))
			break;
	}
	ok = true;
	if (n < 0)
		ok = fail_zip(err, "a part of the file is damaged",
		              zip_error_code_zip(zip_file_get_error(file)));
out:
	if (file)
		zip_fclose(file);
	free(piece);
	return ok;
}

static bool take_into_buf(void *arg, struct kb_sv piece)
{
	struct kb_buf *buf = arg;

	kb_buf_sv(buf, piece);
	return !buf->failed;
}

bool kb_zip_read(struct kb_zip *zip, struct kb_arena *arena, size_t index, size_t max,
                 struct kb_sv *out, struct kb_err *err)
{
	struct kb_buf buf;
	bool ok;

	kb_buf_init(&buf, max);
	ok = kb_zip_stream(zip, index, take_into_buf, &buf, err);
	if (ok && buf.failed)
		ok = kb_fail(err, KB_E_TOO_LARGE, "a part of the file is larger than %zu MB",
		             max >> 20);
	if (ok)
		*out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return ok;
}

enum kb_format kb_zip_detect(struct kb_sv bytes)
{
	// clang-format off
	static const struct { const char *part; enum kb_format format; bool office; } parts[] = {
		{ "word/", KB_FORMAT_DOCX, true },
		{ "xl/", KB_FORMAT_XLSX, true },
		{ "ppt/", KB_FORMAT_PPTX, true },
		{ "META-INF/container.xml", KB_FORMAT_EPUB },
		{ "Index/Document.iwa", KB_FORMAT_IWORK },
		{ "Index.zip", KB_FORMAT_IWORK },
	};
	// clang-format on
	struct kb_err err;
	struct kb_zip *zip = kb_zip_open(bytes, &err);
	enum kb_format format = KB_FORMAT_ARCHIVE;
	struct kb_arena arena = { 0 };
	struct kb_sv type = KB_SV("");
	ptrdiff_t at;
	bool office;

	if (!zip)
		return KB_FORMAT_ARCHIVE;
	format = KB_FORMAT_ZIP;
	/* What says itself what it is goes before what its parts are called. */
	at = kb_zip_find(zip, KB_SV("mimetype"));
	if (at >= 0 && kb_zip_read(zip, &arena, (size_t)at, MIMETYPE_MAX, &type, &err)) {
		if (kb_sv_starts(type, KB_SV("application/epub")))
			format = KB_FORMAT_EPUB;
		else if (kb_sv_starts(type, KB_SV("application/vnd.oasis"))
		         || kb_sv_starts(type, KB_SV("application/vnd.sun.xml")))
			format = KB_FORMAT_ODF;
	}
	office = kb_zip_find(zip, KB_SV("[Content_Types].xml")) >= 0;
	for (size_t i = 0; i < zip->count && format == KB_FORMAT_ZIP; i++)
		for (size_t p = 0; p < KB_COUNTOF(parts); p++)
			if ((office || !parts[p].office)
			    && kb_sv_istarts(name_of(zip, i), kb_sv_str(parts[p].part)))
				format = parts[p].format;
	kb_arena_fini(&arena);
	kb_zip_close(zip);
	return format;
}
