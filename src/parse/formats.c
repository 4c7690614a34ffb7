/* The table of formats, and the way from bytes to a reader. */
#include "parse/format.h"

#include "parse/charset.h"
#include "parse/gzip.h"

// clang-format off
static const struct kb_format_info infos[KB_FORMAT_COUNT] = {
	[KB_FORMAT_UNKNOWN] = { "unknown",
		.refusal = "the file is of a kind that cannot be read" },
	[KB_FORMAT_ANSWER] = { "answer", kb_answer_read },
	[KB_FORMAT_TEXT] = { "text", kb_text_read },
	[KB_FORMAT_MARKDOWN] = { "markdown", kb_markdown_read },
	[KB_FORMAT_HTML] = { "html", kb_html_read },
	[KB_FORMAT_PDF] = { "pdf", kb_pdf_read, .helper = true },
	[KB_FORMAT_DOCX] = { "docx", kb_docx_read },
	[KB_FORMAT_CSV] = { "csv", kb_csv_read },
	[KB_FORMAT_JSON] = { "json", kb_json_read },
	[KB_FORMAT_JSONL] = { "jsonl", kb_jsonl_read },
	[KB_FORMAT_XML] = { "xml", kb_xml_read },
	[KB_FORMAT_RST] = { "rst", kb_rst_read },
	[KB_FORMAT_RTF] = { "rtf", kb_rtf_read },
	[KB_FORMAT_EPUB] = { "epub", kb_epub_read },
	[KB_FORMAT_ODF] = { "odf", kb_odf_read },
	[KB_FORMAT_XLSX] = { "xlsx", kb_xlsx_read },
	[KB_FORMAT_PPTX] = { "pptx", kb_pptx_read },
	[KB_FORMAT_EMAIL] = { "email", kb_email_read },
	[KB_FORMAT_SUBTITLES] = { "subtitles", kb_subtitles_read },
	[KB_FORMAT_GZIP] = { "gzip",
		.refusal = "the file is compressed more than once" },
	[KB_FORMAT_OLD_OFFICE] = { "office", kb_old_office_read },
	[KB_FORMAT_OLD_WORD] = { "office", kb_old_word_read, .helper = true },
	[KB_FORMAT_IWORK] = { "iwork",
		.refusal = "the file is of Apple Pages, Numbers or Keynote; export it as .docx, .xlsx, "
		           ".pptx or PDF" },
	[KB_FORMAT_IMAGE] = { "image", kb_picture_read },
	[KB_FORMAT_ZIP] = { "zip", kb_archive_read },
	[KB_FORMAT_ARCHIVE] = { "archive",
		.refusal = "the file is damaged, or an archive that is no ZIP; upload the files in it" },
	[KB_FORMAT_MEDIA] = { "media",
		.refusal = "the file is a sound or video recording, and no transcription model is configured" },
};
// clang-format on

struct kb_sv kb_input_text(const struct kb_parse_input *in, struct kb_arena *arena)
{
	return kb_charset_to_utf8(arena, in->bytes, in->content_type, NULL);
}

static bool leads_somewhere(const struct kb_doc *doc)
{
	const struct kb_links *links = doc->links;

	if (doc->track_count)
		return true;
	return links && (links->count || links->canonical.n || links->refresh.n);
}

bool kb_format_read(const struct kb_parse_input *in, struct kb_doc *doc, bool may_help,
                    bool *needs_helper, struct kb_err *err)
{
	struct kb_parse_input inner = *in;
	enum kb_format format;
	const struct kb_format_info *info;

	*needs_helper = false;
	if (!in->bytes.n)
		return kb_fail(err, KB_E_INVALID, "the file is empty");
	format = kb_detect(in);
	if (format == KB_FORMAT_GZIP && !in->depth) {
		inner.depth++;
		inner.fd = -1;
		if (!kb_gzip_inflate(doc->arena, in->bytes, &inner.bytes, err))
			return false;
		if (kb_sv_ends(inner.filename, KB_SV(".gz")))
			inner.filename.n -= 3;
		if (!inner.bytes.n)
			return kb_fail(err, KB_E_INVALID, "the file is empty");
		format = kb_detect(&inner);
	}
	info = &infos[format];
	doc->format = kb_sv_str(info->name);
	if ((in->look.page_no || in->look.insets) && format != KB_FORMAT_PDF)
		return kb_fail(err, KB_E_INVALID, "the file is no PDF: it has no pages to look at");
	if (in->painted.page_no) {
		*needs_helper = !may_help;
		return may_help && kb_ocr_read(&inner, doc, err);
	}
	if (!info->read)
		return kb_fail(err, KB_E_INVALID, "%s", info->refusal);
	if (info->helper && !may_help) {
		*needs_helper = true;
		return false;
	}
	if (!info->read(&inner, doc, err))
		return false;
	if (kb_doc_is_empty(doc) && !in->look.insets && !doc->painted_count && !doc->inset_count
	    && !doc->parts.taken && !doc->text.failed && !leads_somewhere(doc))
		return kb_fail(err, KB_E_INVALID, "there is no text in the file");
	return true;
}

int kb_parse_format_place(struct kb_sv name)
{
	static_assert(KB_PARSE_FORMATS == (int)KB_FORMAT_COUNT, "places are those of the table");

	for (int i = 1; i < KB_FORMAT_COUNT; i++)
		if (kb_sv_eq_str(name, infos[i].name))
			return i;
	return KB_FORMAT_UNKNOWN;
}

const char *kb_parse_format_name(int place)
{
	return infos[place].name;
}

const char *kb_parse_wants(struct kb_sv reason)
{
	static const struct {
		const char *sentence, *option;
	} refusals[] = {
		{ KB_PICTURES_UNREAD, "is_ocr_enabled" },
		/* as it was said, and is still kept */
		{ "text in pictures is read only where is_ocr_enabled is 1", "is_ocr_enabled" },
		{ KB_READING_TOO_LONG, "allow_extra_timeout" },
	};

	for (size_t i = 0; i < KB_COUNTOF(refusals); i++)
		if (kb_sv_find(reason, kb_sv_str(refusals[i].sentence)) >= 0)
			return refusals[i].option;
	return NULL;
}
