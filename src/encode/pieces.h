/*
 * Texts as pieces: the words and parts of words that an encoder knows, by the numbers of their
 * rows. Private to this folder.
 *
 * Of all the ways to write a word with pieces the likeliest one is taken (Kudo 2018): pieces have a
 * likelihood each, and the best way to each place of the word is found from left to right, through
 * a trie of the pieces that lies in the file. A blank before a word belongs to it. A letter that no
 * piece has is unknown; several in a row are one unknown piece.
 */
#ifndef KB_ENCODE_PIECES_H
#define KB_ENCODE_PIECES_H

#include "encode/file.h"
#include "encode/normal.h"

/* Bytes of a word that are looked at together; a longer one, in scripts without blanks a sentence,
 * is cut there. */
enum { KB_PIECES_WORD = 8192 };

/* The best way to a place in the word. */
struct kb_pieces_place {
	float score;
	uint32_t piece; /* that ends here */
	uint32_t start; /* of that piece; at or behind the place: no way leads here */
};

struct kb_pieces {
	const struct kb_encoder *encoder;
	struct kb_normal normal;
	char word[KB_PIECES_WORD];
	size_t word_bytes;
	struct kb_pieces_place places[KB_PIECES_WORD + 1];
	/* Bounds that lie in the word in hand: its bytes before each, until it is cut. */
	uint32_t *pending;
	size_t pending_count;
};

/* Places of a text, ascending, in bytes; and as many places in its pieces. */
struct kb_pieces_bounds {
	const uint32_t *bytes;
	size_t count;
	uint32_t *pieces;
};

/* Writes the numbers of the text's pieces between those of its marks, at most `longest` in all,
 * which is 2 or more; returns how many. Linear in the text, of which it reads no more than it
 * needs. `bounds` may be NULL: else it says how many of the pieces begin before each of them. What
 * stands on the two sides of a bound does not melt into one character; it may be one piece. */
uint32_t kb_pieces_read(struct kb_pieces *pieces, struct kb_sv prefix, struct kb_sv text,
                        const struct kb_pieces_bounds *bounds, uint32_t longest, uint32_t *out);

#endif
