/* Files of the old binary Office format (OLE): Word's by the program catdoc, where it is installed;
 * the others are refused by their name, with what to do instead. */
#include <sys/wait.h>

#include "parse/format.h"
#include "parse/helper.h"

#define CATDOC "/usr/bin/catdoc"

/* A name is filled up with zeros, which text that happens to say the same is not. */
enum { NAME_BYTES = 64, END_BYTES = 4, NOT_FOUND = 127 };

/* The container's folder names its streams in UTF-16; which are there tells what the file is. What
 * comes first counts: a locked file has the streams of what it holds no more, a presentation may
 * hold a sheet. */
static const struct kind {
	const char *stream, *refusal; /* NULL: read */
} kinds[] = {
	{ "EncryptedPackage", "the file is locked with a password" },
	{ "PowerPoint Document", "the file is an old PowerPoint presentation; save it as .pptx" },
	{ "VisioDocument", "the file is a Visio drawing; export it as PDF" },
	{ "Quill", "the file is a Publisher document; export it as PDF" },
	{ "__properties_version1.0", "the file is an Outlook message (.msg); save it as .eml" },
	{ "Workbook", "the file is an old Excel sheet; save it as .xlsx" },
	{ "WordDocument", NULL },
	{ "Book", "the file is an old Excel sheet; save it as .xlsx" },
};

static bool has_stream(struct kb_sv bytes, const char *name)
{
	char wide[2 * NAME_BYTES] = { 0 };
	size_t n = 0;

	for (; *name && n < sizeof(wide) - 2 * END_BYTES; name++) {
		wide[n++] = *name;
		wide[n++] = '\0';
	}
	return kb_sv_find(bytes, kb_sv(wide, n + END_BYTES)) >= 0;
}

/* Lines of the answer are paragraphs. */
struct lines {
	struct kb_doc *doc;
	struct kb_buf pending;
};

static void end_line(struct lines *l)
{
	kb_doc_add(l->doc, KB_BLOCK_PARAGRAPH, kb_buf_view(&l->pending));
	kb_buf_clear(&l->pending);
}

static bool take_piece(void *arg, struct kb_sv piece)
{
	struct lines *l = arg;

	for (size_t i = 0; i < piece.n; i++)
		if (piece.p[i] == '\n')
			end_line(l);
		else
			kb_buf_byte(&l->pending, piece.p[i]);
	return !l->doc->text.failed && !l->pending.failed;
}

static bool read_word(const struct kb_parse_input *in, struct kb_doc *doc, struct kb_err *err)
{
	/* A paragraph on one line, whatever its length. */
	static const char *const argv[] = { CATDOC, "-w", "-d", "utf-8", "-", NULL };
	struct lines lines = { .doc = doc };
	struct kb_buf complaint;
	struct kb_helper_run run = { .argv = argv,
		                     .input = in->fd,
		                     .take = take_piece,
		                     .arg = &lines,
		                     .complaint = &complaint };
	bool ok;

	if (in->fd < 0)
		return kb_fail(err, KB_E_INVALID,
		               "an old Word document inside another file is not read");
	kb_buf_init(&lines.pending, doc->text.max);
	kb_buf_init(&complaint, KB_HELPER_COMPLAINT_MAX);
	ok = kb_helper_run(&run, err);
	if (ok)
		end_line(&lines);
	if (ok && WIFEXITED(run.status) && WEXITSTATUS(run.status) == NOT_FOUND)
		ok = kb_fail(err, KB_E_UNSUPPORTED,
		             "old Word documents cannot be read here: " CATDOC
		             " is missing; install catdoc, or save the file as .docx");
	else if (ok && kb_doc_is_empty(doc))
		ok = kb_fail(err, KB_E_INVALID,
		             "the Word document is damaged, empty or locked with a password; save "
		             "it as .docx");
	kb_buf_fini(&lines.pending);
	kb_buf_fini(&complaint);
	return ok;
}

bool kb_old_office_read(const struct kb_parse_input *in, struct kb_doc *doc, struct kb_err *err)
{
	for (size_t i = 0; i < KB_COUNTOF(kinds); i++)
		if (has_stream(in->bytes, kinds[i].stream))
			return kinds[i].refusal ? kb_fail(err, KB_E_INVALID, "%s", kinds[i].refusal)
			                        : read_word(in, doc, err);
	return kb_fail(err, KB_E_INVALID,
	               "the file is in the old binary Office format; save it as .docx, .xlsx or "
	               ".pptx");
}
