/* ZIP archives of documents: each file in it goes to whoever takes parts, piece by piece, and is
 * read by itself later. Names are handed on as they stand: whoever keeps them cleans them. */
#include "parse/format.h"
#include "parse/zip.h"

#define LOCKED "the archive is locked with a password"

/* What an operating system leaves in archives beside what people put there. */
static bool is_litter(struct kb_sv name)
{
	static const char *const names[] = { "Thumbs.db", "desktop.ini" };
	struct kb_sv rest = name, part = name;

	while (kb_sv_split(&rest, '/', &part))
		if (kb_sv_starts(part, KB_SV("__MACOSX"))
		    || (kb_sv_starts(part, KB_SV(".")) && !kb_sv_eq_str(part, ".")
		        && !kb_sv_eq_str(part, "..")))
			return true;
	for (size_t i = 0; i < KB_COUNTOF(names); i++)
		if (kb_sv_ieq_str(part, names[i]))
			return true;
	return false;
}

static bool is_document(const struct kb_zip_member *member)
{
	return member->is_file && member->size && !is_litter(member->name);
}

/* Before anything is inflated, by what the directory says of itself. */
static bool check_size(const struct kb_zip *zip, struct kb_err *err)
{
	struct kb_zip_member member;
	uint64_t bytes = 0;
	size_t count = 0;

	for (size_t i = 0; kb_zip_member(zip, i, &member); i++) {
		if (!is_document(&member))
			continue;
		count++;
		if (__builtin_add_overflow(bytes, member.size, &bytes))
			bytes = UINT64_MAX;
	}
	if (!count)
		return kb_fail(err, KB_E_INVALID, "there is no file in the archive");
	if (count > KB_PARTS_MAX)
		return kb_fail(err, KB_E_TOO_LARGE,
		               "the archive holds %zu documents, the limit is %d", count,
		               KB_PARTS_MAX);
	if (bytes > KB_PARTS_BYTES_MAX)
		return kb_fail(err, KB_E_TOO_LARGE, "the archive unpacks to more than %zu MB",
		               (size_t)(KB_PARTS_BYTES_MAX >> 20));
	return true;
}

struct taking {
	const struct kb_part_sink *sink;
	struct kb_part_piece piece;
	bool refused;
};

static bool take_piece(void *arg, struct kb_sv bytes)
{
	struct taking *t = arg;

	t->piece.bytes = bytes;
	t->refused = !t->sink->take(t->sink->arg, &t->piece);
	t->piece.first = false;
	return !t->refused;
}

/* False where the rest cannot be had either. */
static bool take_member(struct kb_zip *zip, size_t i, struct kb_sv name, struct kb_doc *doc,
                        struct kb_err *err)
{
	struct taking t = { .sink = doc->sink, .piece = { .path = name, .first = true } };
	struct kb_err problem;
	bool ok = kb_zip_stream(zip, i, take_piece, &t, &problem);

	if (t.refused)
		return kb_fail(err, KB_E_IO, "nobody takes the documents of the archive");
	if (!ok && problem.code == KB_E_TOO_LARGE)
		return kb_fail(err, problem.code, "%s", problem.msg);
	t.piece.last = true;
	t.piece.spoilt = !ok || t.piece.first;
	take_piece(&t, KB_SV(""));
	doc->parts.taken += !t.piece.spoilt;
	doc->parts.damaged += t.piece.spoilt;
	return !t.refused || kb_fail(err, KB_E_IO, "nobody takes the documents of the archive");
}

bool kb_archive_read(const struct kb_parse_input *in, struct kb_doc *doc, struct kb_err *err)
{
	struct kb_zip_member member;
	struct kb_zip *zip;
	bool ok;

	if (in->is_part)
		return kb_fail(err, KB_E_INVALID,
		               "an archive within another document is not opened; upload it by "
		               "itself");
	if (!doc->sink)
		return kb_fail(err, KB_E_INVALID, "the file is an archive; upload the files in it");
	zip = kb_zip_open(in->bytes, err);
	if (!zip)
		return false;
	kb_zip_allow(zip, KB_PARTS_BYTES_MAX);
	ok = check_size(zip, err);
	for (size_t i = 0; ok && kb_zip_member(zip, i, &member); i++) {
		if (!is_document(&member))
			continue;
		if (member.is_locked)
			doc->parts.locked++;
		else
			ok = take_member(zip, i, member.name, doc, err);
	}
	kb_zip_close(zip);
	if (ok && !doc->parts.taken)
		ok = kb_fail(err, KB_E_INVALID, "%s",
		             doc->parts.locked ? LOCKED : "all files in the archive are damaged");
	return ok;
}
