/*
 * The network: pieces of some texts, one behind the other, to a vector for each. Private to this
 * folder.
 *
 *   embedding:  norm(piece + position + segment type 0)
 *   layer:      norm(x + attention(x)), then norm(x + outer(gelu(inner(x))))
 *   vector:     the mean of a text's tokens, at length 1
 *
 * Matrices are multiplied with the tokens of all texts at once; only attention knows texts. So
 * short texts are not filled up to the length of long ones.
 */
#ifndef KB_ENCODE_NETWORK_H
#define KB_ENCODE_NETWORK_H

#include "encode/file.h"
#include "encode/lanes.h"

struct kb_encoder_network {
	const struct kb_encoder *encoder;
	const struct kb_product_path *product;
	const struct kb_lanes *lanes;
	/* Floats a token, for as many as there are positions: its state, its query, key and value,
	 * what attention makes of them. What is between a layer's last matrices is made for a part
	 * of the tokens at a time, which stays in the cache. */
	float *state, *qkv, *seen, *inner, *attention;
	void *scratch;
};

/* Texts that are encoded together: in all no more tokens than there are positions. */
struct kb_encoder_network_batch {
	const uint32_t *pieces; /* of all texts */
	const uint32_t *ends;   /* where each text ends in them; none is empty */
	size_t texts;
};

void kb_encoder_network_init(struct kb_encoder_network *network, const struct kb_encoder *encoder);
void kb_encoder_network_fini(struct kb_encoder_network *network);
void kb_encoder_network_run(struct kb_encoder_network *network,
                            const struct kb_encoder_network_batch *batch, float *out);
/* Of the last batch: a vector of the pieces [begin, end) of one of its texts as the whole text left
 * them. There is at least one. */
void kb_encoder_network_part(const struct kb_encoder_network *network, size_t begin, size_t end,
                             float *out);

#endif
