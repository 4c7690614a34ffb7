/* Files of the old binary Office format (OLE): sheets, presentations and messages by readers of our
 * own, Word documents by the program catdoc, where it is installed; the others are refused by their
 * name, with what to do instead. */
#include "parse/old_office.h"

#include <sys/wait.h>

#include "parse/format.h"
#include "parse/helper.h"

#define CATDOC "/usr/bin/catdoc"

/* A name is filled up with zeros, which text that happens to say the same is not. */
enum { NAME_BYTES = 64, END_BYTES = 4, NOT_FOUND = 127 };

typedef bool read_fn(struct kb_doc *doc, const struct kb_ole *ole, struct kb_err *err);

/* The container's folder names its streams in UTF-16; which are there tells what the file is. What
 * comes first counts: a locked file has the streams of what it holds no more, a presentation may
 * hold a sheet. */
static const struct kind {
	const char *stream, *refusal; /* NULL: read */
	read_fn *read;                /* NULL: by catdoc */
} kinds[] = {
	{ "EncryptedPackage", "the file is locked with a password", NULL },
	{ "PowerPoint Document", NULL, kb_ppt_read },
	{ "VisioDocument", "the file is a Visio drawing; export it as PDF", NULL },
	{ "Quill", "the file is a Publisher document; export it as PDF", NULL },
	{ "__properties_version1.0", NULL, kb_outlook_read },
	{ "Workbook", NULL, kb_xls_read },
	{ "WordDocument", NULL, NULL },
	{ "Book", NULL, kb_xls_read },
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

static const struct kind *kind_of(struct kb_sv bytes)
{
	for (size_t i = 0; i < KB_COUNTOF(kinds); i++)
		if (has_stream(bytes, kinds[i].stream))
			return &kinds[i];
	return NULL;
}

bool kb_old_office_is_word(struct kb_sv bytes)
{
	const struct kind *kind = kind_of(bytes);

	return kind && !kind->refusal && !kind->read;
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

bool kb_old_word_read(const struct kb_parse_input *in, struct kb_doc *doc, struct kb_err *err)
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
	const struct kind *kind = kind_of(in->bytes);
	struct kb_ole ole;

	if (!kind || kind->refusal)
		return kb_fail(err, KB_E_INVALID, "%s",
		               kind ? kind->refusal
		                    : "the file is in the old binary Office format; save it as "
		                      ".docx, .xlsx or .pptx");
	if (!kind->read)
		return kb_old_word_read(in, doc, err);
	if (!kb_ole_open(doc->arena, in->bytes, &ole))
		return kb_fail(err, KB_E_INVALID,
		               "the file is damaged: its parts cannot be told apart");
	if (!kind->read(doc, &ole, err))
		return false;
	kb_doc_meta(doc, KB_DOC_TITLE, kb_ole_title(&ole));
	return true;
}
