/*
 * Painted pages to text: scanned pages of a PDF, and pictures, by OCR or by a model that sees.
 *
 * kb_parse() with wants_painted names such pages; here each is read by a child of its own (ocr.c),
 * as many at a time as the parser has places for, and what was read is put between the pages that
 * had text. The models of tesseract follow the language of the document's text, before any is known
 * that of whoever asks; English is always tried beside it. Blocks have the places of their words.
 *
 * Where the caller has somebody who sees (kb_scan.see), each page is shown to him first, some at a
 * time, and OCR reads what he does not.
 *
 * A page takes seconds, so this is not for a thread that others wait for. A call blocks; while it
 * does, it asks its own thread's `cancel` several times a second.
 */
#ifndef KB_PARSE_SCANS_H
#define KB_PARSE_SCANS_H

#include "parse/parse.h"

enum { KB_SCANS_PAGES_MAX = 5000 }; /* of one document */

struct kb_scan {
	struct kb_sv lang;              /* ISO 639 code, likely the document's; may be empty */
	int timeout_ms;                 /* for a page; 0: the default */
	const struct kb_cancel *cancel; /* may be NULL */
	/* Reads request->painted in another way; NULL: nobody does. What it gives lives in the
	 * arena. From several threads at once; asks request->cancel. */
	bool (*see)(void *arg, struct kb_arena *arena, const struct kb_parse_request *request,
	            struct kb_parsed *out, struct kb_err *err);
	void *see_arg;
	struct kb_sv unseen; /* why nobody sees, where somebody should; else empty */
	/* What came of it: empty, or a sentence on pages that could not be read beside those that
	 * could, or that were read by OCR and should have been seen. */
	struct kb_sv note;
};

/* Reads parsed->painted, and puts the text into parsed. KB_E_INVALID where there is no text then,
 * KB_E_UNSUPPORTED where this machine cannot read pictures, KB_E_CANCELLED. */
bool kb_scans_read(struct kb_parser *parser, struct kb_arena *arena,
                   const struct kb_parse_request *request, struct kb_scan *scan,
                   struct kb_parsed *parsed, struct kb_err *err) KB_MUST_CHECK;

/* The models of tesseract for what stands in the document: of its text's language, where that
 * shows, else of `lang`. */
struct kb_sv kb_scan_models(struct kb_arena *arena, const struct kb_parsed *parsed,
                            struct kb_sv lang);

#endif
