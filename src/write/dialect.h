/*
 * What models write that is no text of theirs, and in place of the markers that they were asked
 * for.
 *
 *   <|im_end|>, <end_of_turn>, </s>      the turn is over: nothing counts behind it
 *   <|im_start|>assistant, [/INST], <s>  goes; behind a text the first is another turn's beginning
 *   Id k3f: text    Source: k3f          [k3f], where a line or a sentence begins
 *   <k3f>    <source id="k3f">text</source>    [k3f]; behind the text, of the second
 *
 * Text goes in as it comes, in any cut, and comes out as cite.h reads it. What may become one of
 * these waits, at most KB_DIALECT_HELD bytes. In code all of it is text. One thread at a time.
 */
#ifndef KB_WRITE_DIALECT_H
#define KB_WRITE_DIALECT_H

#include "answer/marker.h"

enum { KB_DIALECT_HELD = 256 };

struct kb_dialect {
	void (*emit)(void *arg, struct kb_sv text);
	void *arg;
	char held[KB_DIALECT_HELD];
	size_t held_n;
	char source[KB_MARKER_ID + 1]; /* of the <source> that is open; empty: none */
	bool any;                      /* something was text */
	bool over;
	bool in_role;                   /* what names whose turn it is, until its line ends */
	bool line_text, stopped, fresh; /* where a word may begin that names a source */
	bool fence, span;               /* code */
	size_t ticks;
	char out[KB_DIALECT_HELD]; /* text that has not been handed on */
	size_t out_n;
};

void kb_dialect_init(struct kb_dialect *dialect, void (*emit)(void *arg, struct kb_sv text),
                     void *arg);
void kb_dialect_feed(struct kb_dialect *dialect, struct kb_sv text);
/* Nothing more comes. */
void kb_dialect_end(struct kb_dialect *dialect);

#endif
