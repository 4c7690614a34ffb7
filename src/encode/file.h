/*
 * The encoder's file (version 2): a network of BERT's form and its pieces, as the kernels read them
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
 *   ENDS          bits, one a node: a piece ends here. In pieces U+2581 is written as a blank. The
 *   END_RANKS     n-th piece that ends, counted from 0, has number n + KB_PIECES_SPECIAL.
 *   SCORES        f32 a piece: the logarithm of its likelihood.
 *   FINE          bits, one a piece: its embedding has 4 bits a value, any other's has 2. The n-th
 *   FINE_RANKS    such piece is row n of QUADS, the n-th other one is row n of PAIRS.
 *   QUADS         w / 2 bytes a row, in blocks of 32 values: the low halves of 16 bytes, then the
 *                 high ones, each less 8.
 *   PAIRS         w / 4 bytes a row, in blocks of 32 values: the lowest two bits of 8 bytes, then
 *                 those above them, and so on; each twice, less 3.
 *   BLOCK_SCALES  i8 a block of each piece, and
 *   ROW_SCALES    f16 a piece: what the values are multiplied with, both.
 *   POSITIONS     f16, w a position.
 *   EMBEDDING     f32, w each: the two segment types (0 is used), weight and bias of the norm.
 *   LAYERS        a layer after the other: matrices of query, key and value as one of 3 w rows, of
 *                 attention's output, into the inner width and out of it; then weight and bias, f32
 *                 each, of attention's norm and the layer's; then f32, w each, what a token's
 *                 values are multiplied with before the first and before the third matrix. A
 *                 matrix is i8 tiles (product.h), f32 scales, f32 biases and i32 sums, one a row.
 *
 * Bits stand in u64, the lowest first; their ranks are u32 for each u64: how many bits are set
 * before it.
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
	KB_ENC_END_RANKS,
	KB_ENC_SCORES,
	KB_ENC_FINE,
	KB_ENC_FINE_RANKS,
	KB_ENC_QUADS,
	KB_ENC_PAIRS,
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
	KB_ENCODER_VERSION = 2,
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
	float eps;     /* added to a variance */
	uint32_t fine; /* pieces in 4 bits */
	uint32_t zero[6];
};

struct kb_encoder_bits {
	const uint64_t *bits;
	const uint32_t *ranks;
};

static inline bool kb_encoder_bit(const struct kb_encoder_bits *bits, uint32_t i)
{
	return bits->bits[i / 64] >> (i % 64) & 1;
}

/* How many bits are set before the i-th, if the file is sound. */
static inline uint64_t kb_encoder_rank(const struct kb_encoder_bits *bits, uint32_t i)
{
	uint64_t before = bits->bits[i / 64] & ((UINT64_C(1) << (i % 64)) - 1);

	return (uint64_t)bits->ranks[i / 64] + __builtin_popcountll(before);
}

struct kb_encoder_norm {
	const float *weight, *bias;
};

struct kb_encoder_layer {
	struct kb_product_matrix qkv, out, inner, outer;
	struct kb_encoder_norm attention, last;
	/* A factor for each value of a token, which are of about one size then and lose less when
	 * they are rounded. The matrix has the inverse. */
	const float *before_qkv, *before_inner;
};

struct kb_encoder {
	struct kb_container file;
	struct kb_encoder_form form;
	struct kb_sv question, passage, about;
	/* the trie of the pieces */
	const uint8_t *labels;
	const uint32_t *children;
	struct kb_encoder_bits ends;
	const float *scores;
	/* their embeddings */
	struct kb_encoder_bits fine;
	const uint8_t *quads, *pairs;
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
