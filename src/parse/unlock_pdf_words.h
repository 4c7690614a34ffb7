/*
 * Words of a PDF (ISO 32000-2, 7.2 and 7.3): what stands at a place of the file, where it ends, and
 * what a string stands for. Every place may be asked for, and behind the end is KB_PDF_END. Pure.
 */
#ifndef KB_PARSE_UNLOCK_PDF_WORDS_H
#define KB_PARSE_UNLOCK_PDF_WORDS_H

#include "base/buf.h"

enum kb_pdf_kind {
	KB_PDF_END,
	KB_PDF_NUMBER,
	KB_PDF_NAME,    /* "/Type" */
	KB_PDF_LITERAL, /* "(…)" */
	KB_PDF_HEX,     /* "<…>" */
	KB_PDF_OPEN_DICT,
	KB_PDF_CLOSE_DICT,
	KB_PDF_OPEN_ARRAY,
	KB_PDF_CLOSE_ARRAY,
	KB_PDF_WORD,
};

struct kb_pdf_token {
	enum kb_pdf_kind kind;
	size_t start, end;
};

/* The next one, from `at` on; comments are none. */
struct kb_pdf_token kb_pdf_next(struct kb_sv bytes, size_t at);
struct kb_sv kb_pdf_text(struct kb_sv bytes, struct kb_pdf_token t);
bool kb_pdf_is(struct kb_sv bytes, struct kb_pdf_token t, const char *text);
bool kb_pdf_number(struct kb_sv bytes, struct kb_pdf_token t, int64_t *n);
bool kb_pdf_is_white(char c);

/* Behind the value that begins there: a word, what is between brackets, or "12 0 R". */
size_t kb_pdf_skip(struct kb_sv bytes, size_t at);

/* A member of the dictionary that begins at `at`, by its name with the stroke. */
struct kb_pdf_member {
	size_t key, start, end; /* end of its value */
};
bool kb_pdf_find(struct kb_sv bytes, size_t at, const char *name, struct kb_pdf_member *out);
bool kb_pdf_find_number(struct kb_sv bytes, size_t at, const char *name, int64_t *n);
struct kb_sv kb_pdf_find_text(struct kb_sv bytes, size_t at, const char *name); /* empty: none */

/* What a string stands for; nothing of what is none. */
void kb_pdf_decode(struct kb_buf *out, struct kb_sv text);
/* Writes it as a string of `room` bytes, at least 2, filled up with blanks; what has no room is
 * left out. */
void kb_pdf_encode(struct kb_sv text, char *out, size_t room);

#endif
