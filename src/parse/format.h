/*
 * What a format's reader is given and must do. Runs in the sandboxed child only: readers may use
 * memory and time freely, the child's limits end what goes wrong.
 *
 * A reader writes what it found into the document and returns true; or false with a sentence that
 * names what is wrong with the file, for the person who uploaded it. Bytes are the whole file.
 */
#ifndef KB_PARSE_FORMAT_H
#define KB_PARSE_FORMAT_H

#include "parse/doc.h"

struct kb_parse_input {
	struct kb_sv bytes;
	struct kb_sv filename, content_type, url; /* hints; may be empty */
	int fd;                                   /* the file, for a helper program; -1: none */
	int depth;                                /* of documents within documents */
	int timeout_ms;                           /* for a helper program */
	bool wants_painted;
	bool is_part;                   /* of a document that was read before */
	struct kb_painted_page painted; /* page_no 0: the whole document */
	struct kb_sv models;            /* of tesseract */
	struct kb_page_look look;       /* page_no 0: the whole document */
};

/* The end of every refusal of words that are only painted, where nobody asked for them. It is kept
 * with the document, so it says how it was. */
#define KB_PICTURES_UNREAD  "text in pictures was left alone, because is_ocr_enabled was 0"
#define KB_READING_TOO_LONG "reading the document took longer than"

/* The first line of a checked answer's file; its questions follow, one a line, then an empty line,
 * then the answer. */
#define KB_ANSWER_MARK "%docent-answer 1\n"

enum kb_format {
	KB_FORMAT_UNKNOWN,
	KB_FORMAT_ANSWER, /* a checked answer, made by ourselves (answer.c) */
	KB_FORMAT_TEXT,
	KB_FORMAT_MARKDOWN,
	KB_FORMAT_HTML,
	KB_FORMAT_PDF,
	KB_FORMAT_DOCX,
	KB_FORMAT_CSV,
	KB_FORMAT_JSON,
	KB_FORMAT_JSONL,
	KB_FORMAT_XML,
	KB_FORMAT_RST,
	KB_FORMAT_RTF,
	KB_FORMAT_EPUB,
	KB_FORMAT_ODF,
	KB_FORMAT_XLSX,
	KB_FORMAT_PPTX,
	KB_FORMAT_EMAIL,
	KB_FORMAT_SUBTITLES,
	KB_FORMAT_GZIP,
	KB_FORMAT_OLD_OFFICE,
	KB_FORMAT_OLD_WORD,
	KB_FORMAT_IMAGE,
	KB_FORMAT_IWORK,
	KB_FORMAT_ZIP,
	KB_FORMAT_ARCHIVE,
	KB_FORMAT_MEDIA,
	KB_FORMAT_COUNT
};

typedef bool kb_format_reader(const struct kb_parse_input *in, struct kb_doc *doc,
                              struct kb_err *err);

struct kb_format_info {
	const char *name;       /* in kb_parsed.format */
	kb_format_reader *read; /* NULL: not served, and `refusal` says so */
	bool helper;            /* needs a program of its own, so a child that may start one */
	const char *refusal;
};

/* By content first; name and declared type decide between what content leaves open. */
enum kb_format kb_detect(const struct kb_parse_input *in);

/* Detects and reads. KB_E_INVALID with the format's refusal for what is not served,
 * KB_E_UNSUPPORTED where a helper program is missing. `*needs_helper` is set, with false and
 * nothing read, when the format needs a helper and the child may not start one. */
bool kb_format_read(const struct kb_parse_input *in, struct kb_doc *doc, bool may_help,
                    bool *needs_helper, struct kb_err *err) KB_MUST_CHECK;

/* Whether a file of the old Office format is a Word document (old_office.c). */
bool kb_old_office_is_word(struct kb_sv bytes);

/* The file's text as UTF-8, by BOM, declaration or guess (charset.h). */
struct kb_sv kb_input_text(const struct kb_parse_input *in, struct kb_arena *arena);

kb_format_reader kb_answer_read;
kb_format_reader kb_text_read;
kb_format_reader kb_markdown_read;
kb_format_reader kb_html_read;
kb_format_reader kb_pdf_read;
kb_format_reader kb_docx_read;
kb_format_reader kb_csv_read;
kb_format_reader kb_json_read;
kb_format_reader kb_jsonl_read;
kb_format_reader kb_xml_read;
kb_format_reader kb_rst_read;
kb_format_reader kb_rtf_read;
kb_format_reader kb_epub_read;
kb_format_reader kb_odf_read;
kb_format_reader kb_xlsx_read;
kb_format_reader kb_pptx_read;
kb_format_reader kb_email_read;
kb_format_reader kb_subtitles_read;
kb_format_reader kb_picture_read;
kb_format_reader kb_old_office_read;
kb_format_reader kb_old_word_read;
kb_format_reader kb_archive_read;

/* The painted page that was asked for, by OCR (ocr.c). */
kb_format_reader kb_ocr_read;

/* The page or picture that is looked at, as a JPEG (draw.c). *needs_helper as of kb_format_read().
 */
bool kb_draw_page(const struct kb_parse_input *in, struct kb_buf *jpeg, bool may_help,
                  bool *needs_helper, struct kb_err *err) KB_MUST_CHECK;
/* A picture, or one that the file holds in a part (picture.c); in a child that may start helpers,
 * and as the last thing that it does. */
bool kb_draw_picture(const struct kb_parse_input *in, struct kb_buf *jpeg,
                     struct kb_err *err) KB_MUST_CHECK;
/* Why pdftotext or pdftoppm came to nothing, by how it ended; always false (pdf.c). */
bool kb_pdf_explain(const struct kb_parse_input *in, int status, struct kb_err *err);

#endif
