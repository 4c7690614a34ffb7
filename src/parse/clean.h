/*
 * Text as it is kept: what every format's text passes before it becomes a block.
 *
 * The result is valid UTF-8 in NFC without control, zero-width, bidi-control and tag characters and
 * soft hyphens, and without what a terminal obeys (ESC [ 2 J, or a window's title); they carry no
 * words and are what hidden orders are hidden in. Every kind of blank is a plain blank. ZWNJ and
 * ZWJ stay where a script needs them to spell. Nothing else changes: answers quote this text
 * verbatim. Pure.
 */
#ifndef KB_PARSE_CLEAN_H
#define KB_PARSE_CLEAN_H

#include "base/buf.h"

enum kb_clean_mode {
	KB_CLEAN_LINE, /* one line: every run of blanks and line ends is one blank, none at the ends
	                */
	KB_CLEAN_CODE, /* line ends and indentation stay; blanks before a line end go */
};

/* Appends the cleaned text. */
void kb_clean(struct kb_buf *out, struct kb_sv text, enum kb_clean_mode mode);

/* True for text that kb_clean() would leave as it is, except for its composition and its blanks:
 * what a reader of a hostile child's answer asks. `lines` allows '\n'. */
bool kb_clean_is(struct kb_sv text, bool lines);

#endif
