/* The kind of a file: magic, members of a zip, shape of the text; then its name and type. */
#include <string.h>

#include "base/utf8.h"
#include "parse/charset.h"
#include "parse/format.h"
#include "parse/zip.h"

enum {
	HEAD_BYTES = 4096,
	PDF_HEAD_BYTES = 1024, /* readers accept %PDF- behind this much junk */
};

// clang-format off
static const struct {
	struct kb_sv magic;
	size_t at;
	enum kb_format format;
} magics[] = {
	{ KB_SV_INIT(KB_ANSWER_MARK), 0, KB_FORMAT_ANSWER },
	{ KB_SV_INIT("{\\rtf"), 0, KB_FORMAT_RTF },
	{ KB_SV_INIT("\x1f\x8b\x08"), 0, KB_FORMAT_GZIP },
	{ KB_SV_INIT("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), 0, KB_FORMAT_OLD_OFFICE },
	{ KB_SV_INIT("\x89PNG\r\n"), 0, KB_FORMAT_IMAGE },
	{ KB_SV_INIT("\xff\xd8\xff"), 0, KB_FORMAT_IMAGE },
	{ KB_SV_INIT("GIF8"), 0, KB_FORMAT_IMAGE },
	{ KB_SV_INIT("II*\0"), 0, KB_FORMAT_IMAGE },
	{ KB_SV_INIT("MM\0*"), 0, KB_FORMAT_IMAGE },
	{ KB_SV_INIT("WEBP"), 8, KB_FORMAT_IMAGE },
	{ KB_SV_INIT("ftypheic"), 4, KB_FORMAT_IMAGE },
	{ KB_SV_INIT("ftypavif"), 4, KB_FORMAT_IMAGE },
	{ KB_SV_INIT("ftyp"), 4, KB_FORMAT_MEDIA },
	{ KB_SV_INIT("ID3"), 0, KB_FORMAT_MEDIA },
	{ KB_SV_INIT("OggS"), 0, KB_FORMAT_MEDIA },
	{ KB_SV_INIT("fLaC"), 0, KB_FORMAT_MEDIA },
	{ KB_SV_INIT("WAVE"), 8, KB_FORMAT_MEDIA },
	{ KB_SV_INIT("AVI "), 8, KB_FORMAT_MEDIA },
	{ KB_SV_INIT("#!AMR"), 0, KB_FORMAT_MEDIA },
	/* MPEG audio without a tag before it. */
	{ KB_SV_INIT("\xff\xfb"), 0, KB_FORMAT_MEDIA },
	{ KB_SV_INIT("\xff\xf3"), 0, KB_FORMAT_MEDIA },
	{ KB_SV_INIT("\xff\xf1"), 0, KB_FORMAT_MEDIA },
	{ KB_SV_INIT("\0\0\x01\xba"), 0, KB_FORMAT_MEDIA },
	{ KB_SV_INIT("\x1a\x45\xdf\xa3"), 0, KB_FORMAT_MEDIA },
	{ KB_SV_INIT("Rar!\x1a\x07"), 0, KB_FORMAT_ARCHIVE },
	{ KB_SV_INIT("7z\xbc\xaf\x27\x1c"), 0, KB_FORMAT_ARCHIVE },
	{ KB_SV_INIT("BZh"), 0, KB_FORMAT_ARCHIVE },
	{ KB_SV_INIT("\xfd" "7zXZ"), 0, KB_FORMAT_ARCHIVE },
	{ KB_SV_INIT("\x28\xb5\x2f\xfd"), 0, KB_FORMAT_ARCHIVE },
	{ KB_SV_INIT("ustar"), 257, KB_FORMAT_ARCHIVE },
	{ KB_SV_INIT("\x7f" "ELF"), 0, KB_FORMAT_UNKNOWN },
};

static bool has_magic(struct kb_sv bytes, size_t i)
{
	return kb_sv_starts(kb_sv_from(bytes, magics[i].at), magics[i].magic);
}

bool kb_is_recording(struct kb_sv head)
{
	for (size_t i = 0; i < KB_COUNTOF(magics); i++)
		if (has_magic(head, i))
			return magics[i].format == KB_FORMAT_MEDIA;
	return false;
}

/* Name endings, each with or without what follows in the type's name. */
static const struct {
	const char *extension, *type;
	enum kb_format format;
} hints[] = {
	{ "md", "text/markdown", KB_FORMAT_MARKDOWN },
	{ "markdown", "text/x-markdown", KB_FORMAT_MARKDOWN },
	{ "mdx", NULL, KB_FORMAT_MARKDOWN },
	{ "html", "text/html", KB_FORMAT_HTML },
	{ "htm", NULL, KB_FORMAT_HTML },
	{ "xhtml", "application/xhtml+xml", KB_FORMAT_HTML },
	{ "csv", "text/csv", KB_FORMAT_CSV },
	{ "tsv", "text/tab-separated-values", KB_FORMAT_CSV },
	{ "tab", NULL, KB_FORMAT_CSV },
	{ "json", "application/json", KB_FORMAT_JSON },
	{ "jsonl", "application/jsonl", KB_FORMAT_JSONL },
	{ "ndjson", "application/x-ndjson", KB_FORMAT_JSONL },
	{ "xml", "application/xml", KB_FORMAT_XML },
	{ NULL, "text/xml", KB_FORMAT_XML },
	{ "eml", "message/rfc822", KB_FORMAT_EMAIL },
	{ "mbox", "application/mbox", KB_FORMAT_EMAIL },
	{ "srt", "application/x-subrip", KB_FORMAT_SUBTITLES },
	{ "vtt", "text/vtt", KB_FORMAT_SUBTITLES },
	{ "txt", "text/plain", KB_FORMAT_TEXT },
	{ "text", NULL, KB_FORMAT_TEXT },
	{ "log", NULL, KB_FORMAT_TEXT },
	{ "rst", "text/x-rst", KB_FORMAT_RST },
	{ "rest", "text/prs.fallenstein.rst", KB_FORMAT_RST },
};
// clang-format on

static enum kb_format hinted(const struct kb_parse_input *in)
{
	ptrdiff_t semicolon = kb_sv_find_byte(in->content_type, ';');
	struct kb_sv type =
	        kb_sv_trim(semicolon < 0 ? in->content_type
	                                 : kb_sv_sub(in->content_type, 0, (size_t)semicolon));
	struct kb_sv extension = in->filename;

	for (ptrdiff_t dot; (dot = kb_sv_find_byte(extension, '.')) >= 0;)
		extension = kb_sv_from(extension, (size_t)dot + 1);
	if (extension.n < in->filename.n)
		for (size_t i = 0; i < KB_COUNTOF(hints); i++)
			if (hints[i].extension && kb_sv_ieq_str(extension, hints[i].extension))
				return hints[i].format;
	for (size_t i = 0; i < KB_COUNTOF(hints); i++)
		if (hints[i].type && kb_sv_ieq_str(type, hints[i].type))
			return hints[i].format;
	return KB_FORMAT_UNKNOWN;
}

/* Bytes that no text has, once its encoding is undone. */
static bool looks_binary(struct kb_sv text)
{
	size_t odd = 0, bad = 0, count = 0;

	while (text.n) {
		uint32_t cp;
		size_t n = kb_utf8_decode(text, &cp);

		count++;
		odd += (cp < 0x20 && !strchr("\t\n\r\f\v\b\x1b", (int)cp)) || cp == 0;
		bad += cp == KB_UTF8_BAD || cp == 0xfffd || (cp >= 0x80 && cp < 0xa0);
		text = kb_sv_from(text, n);
	}
	return odd > count / 50 || bad > count / 4;
}

/* Control bytes are rare in text of any encoding that is not made of 16- or 32-bit units. */
static bool has_control_bytes(struct kb_sv bytes)
{
	size_t odd = 0;

	for (size_t i = 0; i < bytes.n; i++) {
		unsigned char c = (unsigned char)bytes.p[i];

		odd += c < 0x20 && (!c || !strchr("\t\n\r\f\v\b\x0e\x0f\x1a\x1b", c));
	}
	return odd > bytes.n / 64;
}

/* Behind blanks, comments and the XML declaration. */
static struct kb_sv first_markup(struct kb_sv text)
{
	for (;;) {
		ptrdiff_t end;

		text = kb_sv_trim(text);
		if (kb_sv_starts(text, KB_SV("<!--")))
			end = kb_sv_find(text, KB_SV("-->"));
		else if (kb_sv_starts(text, KB_SV("<?")))
			end = kb_sv_find(text, KB_SV("?>"));
		else
			return text;
		if (end < 0)
			return text;
		text = kb_sv_from(text, (size_t)end + 2);
		if (text.n && text.p[0] == '>')
			text = kb_sv_from(text, 1);
	}
}

static bool starts_with_tag(struct kb_sv text, const char *const *names)
{
	for (size_t i = 0; names[i]; i++) {
		size_t n = strlen(names[i]);

		if (kb_sv_istarts(text, kb_sv_str(names[i]))
		    && (text.n == n || strchr(" \t\r\n>/", text.p[n])))
			return true;
	}
	return false;
}

static bool is_header_line(struct kb_sv line)
{
	ptrdiff_t colon = kb_sv_find_byte(line, ':');

	if (colon < 2)
		return false;
	for (ptrdiff_t i = 0; i < colon; i++)
		if (line.p[i] <= ' ' || line.p[i] >= 0x7f)
			return false;
	return true;
}

/* A head of "Name: value" lines, one of which only mail has. */
static bool is_mail(struct kb_sv text)
{
	static const char *const names[] = { "received:",     "return-path:",  "message-id:",
		                             "mime-version:", "delivered-to:", "from:",
		                             "to:",           "x-mailer:" };
	struct kb_sv rest = text, line;
	int seen = 0, lines = 0;

	if (kb_sv_starts(text, KB_SV("From ")) && !kb_sv_split(&rest, '\n', &line))
		return false;
	while (kb_sv_split(&rest, '\n', &line)) {
		if (!kb_sv_trim(line).n)
			break;
		if (line.p[0] == ' ' || line.p[0] == '\t')
			continue;
		if (!is_header_line(line))
			return false;
		lines++;
		for (size_t i = 0; i < KB_COUNTOF(names); i++)
			seen += kb_sv_istarts(line, kb_sv_str(names[i]));
	}
	return lines >= 2 && seen >= 2;
}

static bool is_srt(struct kb_sv text)
{
	struct kb_sv rest = kb_sv_trim(text), line;
	int64_t n;

	return kb_sv_split(&rest, '\n', &line) && kb_sv_to_int(kb_sv_trim(line), 0, 1000000, &n)
	       && kb_sv_split(&rest, '\n', &line) && kb_sv_find(line, KB_SV("-->")) > 0;
}

static enum kb_format detect_text(const struct kb_parse_input *in, struct kb_sv text)
{
	static const char *const html[] = { "<!doctype html", "<html", "<head", "<body", NULL };
	static const char *const html_loose[] = { "<title", "<meta",  "<script",  "<div",
		                                  "<p",     "<table", "<h1",      "<style",
		                                  "<a",     "<br",    "<article", NULL };
	enum kb_format hint = hinted(in);
	struct kb_sv markup = first_markup(text);
	bool declared = kb_sv_starts(kb_sv_trim(text), KB_SV("<?xml"));

	if (kb_sv_starts(kb_sv_trim(text), KB_SV("WEBVTT")) || is_srt(text))
		return KB_FORMAT_SUBTITLES;
	if (hint == KB_FORMAT_MARKDOWN || hint == KB_FORMAT_RST)
		return hint;
	if (starts_with_tag(markup, html))
		return KB_FORMAT_HTML;
	if (declared && hint != KB_FORMAT_HTML)
		return KB_FORMAT_XML;
	if (hint != KB_FORMAT_UNKNOWN && hint != KB_FORMAT_TEXT)
		return hint;
	if (is_mail(text))
		return KB_FORMAT_EMAIL;
	if (hint == KB_FORMAT_TEXT)
		return hint;
	if (starts_with_tag(markup, html_loose))
		return KB_FORMAT_HTML;
	return KB_FORMAT_TEXT;
}

enum kb_format kb_detect(const struct kb_parse_input *in)
{
	struct kb_sv head = kb_sv_sub(in->bytes, 0, HEAD_BYTES), text;
	struct kb_arena arena = { 0 };
	enum kb_format format;
	const char *charset = "";

	if (kb_sv_find(kb_sv_sub(in->bytes, 0, PDF_HEAD_BYTES), KB_SV("%PDF-")) >= 0)
		return KB_FORMAT_PDF;
	if (kb_sv_starts(head, KB_SV("PK\x03\x04")) || kb_sv_starts(head, KB_SV("PK\x05\x06")))
		return kb_zip_detect(in->bytes);
	for (size_t i = 0; i < KB_COUNTOF(magics); i++)
		if (has_magic(head, i))
			return magics[i].format == KB_FORMAT_OLD_OFFICE
			                       && kb_old_office_is_word(in->bytes)
			               ? KB_FORMAT_OLD_WORD
			               : magics[i].format;
	/* A character cut at the end of the head would look like damage. */
	text = kb_charset_to_utf8(&arena, kb_utf8_cut(in->bytes, HEAD_BYTES), in->content_type,
	                          &charset);
	format = looks_binary(text)
	                         || (has_control_bytes(head)
	                             && !kb_sv_starts(kb_sv_str(charset), KB_SV("UTF-")))
	                 ? KB_FORMAT_UNKNOWN
	                 : detect_text(in, text);
	kb_arena_fini(&arena);
	return format;
}
