/*
 * The form of a text that pieces are cut from: NFKC, what is white as one kind of blank, controls
 * left out, as the pieces were made with (SentencePiece's nmt_nfkc). Characters come one by one, so
 * that a text of any length takes the same memory. Private to this folder; pure.
 */
#ifndef KB_ENCODE_NORMAL_H
#define KB_ENCODE_NORMAL_H

#include "base/sv.h"

#define KB_NORMAL_END UINT32_C(0xffffffff)

enum { KB_NORMAL_RUN = 256 };

struct kb_normal {
	struct kb_sv rest;
	int32_t run[KB_NORMAL_RUN]; /* characters that were put into form together */
	size_t count, at;
};

void kb_normal_begin(struct kb_normal *normal, struct kb_sv text);
/* The next character, or KB_NORMAL_END. What is white comes as ' '. Bytes that are no UTF-8 are
 * white. */
uint32_t kb_normal_next(struct kb_normal *normal);

#endif
