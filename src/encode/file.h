/*
 * The encoder's file (version 1): a network of BERT's form and its pieces, as the kernels read them
 * from the map. Private to this folder. tools/encoder/pack.py writes it.
 *
 * The frame is that of every file of sections (base/container.h), its magic "KBENC\r\n\x1a". With w
 * the width, p pieces and t nodes of their trie, the sections are:
 *
 *   FORM          struct kb_encoder_form, 64 bytes.
 *   QUESTION      what a text is preceded by, a question and
 *   PASSAGE       a passage.
 *   ABOUT         origin and licence, for people.
 *   LABELS        u8 a node: the byte that leads to it. Node 0 is the root.
 *   CHILDREN      u32 a node and one more: its first child. Nodes stand level by level, so that the
 *                 children of a node are those from its own number to its neighbour's.
 *   ENDS          a bit a node, in u64: a piece ends here. In pieces U+2581 is written as a blank.
 *   RANKS         u32 for each u64 of ENDS: how many bits are set before it. The n-th piece that
 *                 ends, counted from 0, has number n + KB_PIECES_SPECIAL.
 *   SCORES        f32 a piece: the logarithm of its likelihood.
 *   QUADS         w / 2 bytes a piece: its embedding in 4 bits, in blocks of 32: the low halves of
 *                 16 bytes, then the high ones, each less 8,
 *   BLOCK_SCALES  times i8 a block
 *   ROW_SCALES    times f16 a piece.
 *   POSITIONS     f16, w a position.
 *   EMBEDDING     f32, w each: the two segment types (0 is used), weight and bias of the norm.
 *   LAYERS        a layer after the other: matrices of query, key and value as one of 3 w rows, of
 *                 attention's output, into the inner width and out of it; then weight and bias, f32
 *                 each, of attention's norm and the layer's. A matrix is i8 tiles (product.h), f32
 *                 scales, f32 biases and i32 sums, one a row.
 */
#ifndef KB_ENCODE_FILE_H
#define KB_ENCODE_FILE_H

#include "base/container.h"
#include "encode/product.h"

enum kb_encoder_section {
	KB_ENC_FORM = 1,
	KB_ENC_QUESTION,
	KB_ENC_PASSAGE,
	KB_ENC_ABOUT,
	KB_ENC_LABELS,
	KB_ENC_CHILDREN,
	KB_ENC_ENDS,
	KB_ENC_RANKS,
	KB_ENC_SCORES,
	KB_ENC_QUADS,
	KB_ENC_BLOCK_SCALES,
	KB_ENC_ROW_SCALES,
	KB_ENC_POSITIONS,
	KB_ENC_EMBEDDING,
	KB_ENC_LAYERS,
	KB_ENC_COUNT
};

/* Pieces that no text is written with. */
enum { KB_PIECE_BEGIN, KB_PIECE_END, KB_PIECE_UNKNOWN, KB_PIECES_SPECIAL };

enum {
	KB_ENCODER_BLOCK = 32, /* values of a piece that share a scale */
	KB_ENCODER_LAYERS_MAX = 48,
	KB_ENCODER_WIDTH_MAX = 1024,
	KB_ENCODER_INNER_MAX = 4096,
	KB_ENCODER_HEAD_MAX = 128, /* width of a head */
	KB_ENCODER_POSITIONS_MIN = 16,
	KB_ENCODER_POSITIONS_MAX = 1024,
	KB_ENCODER_PIECES_MAX = 1 << 20,
	KB_ENCODER_NODES_MAX = 1 << 23,
	KB_ENCODER_PREFIX_MAX = 32, /* bytes */
	KB_ENCODER_MEAN = 1,        /* the pooling: the mean of all states */
};

extern const struct kb_form kb_encoder_file_form;

struct kb_encoder_form {
	uint32_t layers, width, heads, inner, positions, pieces, nodes, pooling;
	float eps; /* added to a variance */
	uint32_t zero[7];
};

struct kb_encoder_norm {
	const float *weight, *bias;
};

struct kb_encoder_layer {
	struct kb_product_matrix qkv, out, inner, outer;
	struct kb_encoder_norm attention, last;
};

struct kb_encoder {
	struct kb_container file;
	struct kb_encoder_form form;
	struct kb_sv question, passage, about;
	/* the trie of the pieces */
	const uint8_t *labels;
	const uint32_t *children;
	const uint64_t *ends;
	const uint32_t *ranks;
	const float *scores;
	/* their embeddings */
	const uint8_t *quads;
	const int8_t *block_scales;
	const uint16_t *row_scales, *positions;
	const float *types;
	struct kb_encoder_norm embedding;
	struct kb_encoder_layer *layers;
};

/* Maps the file and checks the bounds of everything, but not what the numbers are: whoever uses one
 * to find a place checks it there. Whatever it returns, unread follows. */
bool kb_encoder_read(struct kb_encoder *encoder, const char *path,
                     struct kb_err *err) KB_MUST_CHECK;
void kb_encoder_unread(struct kb_encoder *encoder); /* a zeroed one is fine */

#endif
