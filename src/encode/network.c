#include "encode/network.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"

enum { PART = 64 }; /* tokens whose inner values are there at a time */

static void *room(size_t bytes)
{
	void *p = aligned_alloc(KB_LANES_ALIGN,
	                        (bytes + KB_LANES_ALIGN - 1) / KB_LANES_ALIGN * KB_LANES_ALIGN);

	KB_ASSERT(p);
	return p;
}

static float *floats(size_t count, size_t each)
{
	return room(count * each * sizeof(float));
}

void kb_encoder_network_init(struct kb_encoder_network *network, const struct kb_encoder *encoder)
{
	const struct kb_encoder_form *form = &encoder->form;
	size_t tokens = form->positions;

	*network = (struct kb_encoder_network){ .encoder = encoder,
		                                .product = kb_product_best(),
		                                .lanes = kb_lanes_best() };
	network->state = floats(tokens, form->width);
	network->qkv = floats(tokens, 3 * form->width);
	network->seen = floats(tokens, form->width);
	network->inner = floats(KB_MIN(tokens, (size_t)PART), form->inner);
	network->attention = floats(kb_attention_scratch(tokens, form->width / form->heads), 1);
	network->scratch = room(KB_MAX(kb_product_scratch(form->width, tokens),
	                               kb_product_scratch(form->inner, PART)));
}

void kb_encoder_network_fini(struct kb_encoder_network *network)
{
	free(network->state);
	free(network->qkv);
	free(network->seen);
	free(network->inner);
	free(network->attention);
	free(network->scratch);
}

static void multiply(struct kb_encoder_network *network, const struct kb_product_matrix *m,
                     const float *in, size_t tokens, float *out)
{
	kb_product_run(network->product, m, in, tokens, out, network->scratch);
}

static void norm(struct kb_encoder_network *network, float *x, const float *add, size_t tokens,
                 const struct kb_encoder_norm *by)
{
	size_t width = network->encoder->form.width;

	for (size_t i = 0; i < tokens; i++)
		network->lanes->norm(x + i * width, add ? add + i * width : NULL, by->weight,
		                     by->bias, width, network->encoder->form.eps);
}

/* Tokens times the factors before a matrix; they stand where attention has not begun or is over. */
static const float *evened(struct kb_encoder_network *network, const float *x, const float *by,
                           size_t tokens)
{
	size_t width = network->encoder->form.width;

	for (size_t i = 0; i < tokens; i++)
		network->lanes->times(x + i * width, by, network->seen + i * width, width);
	return network->seen;
}

/* ---- embedding ---- */

/* IEEE's 16 bits, which are no infinity here: the exponent's difference is a factor, which is right
 * for the smallest ones too. */
static float half(uint16_t bits)
{
	uint32_t value = (bits & UINT32_C(0x7fff)) << 13, sign = (bits & UINT32_C(0x8000)) << 16;
	float f;

	memcpy(&f, &value, sizeof(f));
	f *= 0x1p112F;
	return sign ? -f : f;
}

enum { BLOCK = KB_ENCODER_BLOCK, HALF = BLOCK / 2, QUARTER = BLOCK / 4 };

static void read_quads(const uint8_t *bytes, float *out)
{
	for (size_t i = 0; i < HALF; i++) {
		out[i] = (float)((bytes[i] & 15) - 8);
		out[HALF + i] = (float)((bytes[i] >> 4) - 8);
	}
}

static void read_pairs(const uint8_t *bytes, float *out)
{
	for (size_t part = 0; part < BLOCK / QUARTER; part++)
		for (size_t i = 0; i < QUARTER; i++)
			out[part * QUARTER + i] = (float)((bytes[i] >> 2 * part & 3) * 2 - 3);
}

/* A piece's values, before their scales. A damaged file may lead to another piece's, or to none. */
static void piece_values(const struct kb_encoder *encoder, uint32_t piece, float *out)
{
	size_t width = encoder->form.width, fine = encoder->form.fine;
	uint64_t rank = kb_encoder_rank(&encoder->fine, piece), other = piece - rank;

	memset(out, 0, width * sizeof(*out));
	if (kb_encoder_bit(&encoder->fine, piece)) {
		for (size_t i = 0; rank < fine && i < width; i += BLOCK)
			read_quads(encoder->quads + (rank * width + i) / 2, out + i);
	} else {
		for (size_t i = 0; other < encoder->form.pieces - fine && i < width; i += BLOCK)
			read_pairs(encoder->pairs + (other * width + i) / 4, out + i);
	}
}

static void embed(const struct kb_encoder *encoder, uint32_t piece, size_t position, float *out)
{
	size_t width = encoder->form.width;
	const int8_t *scales = encoder->block_scales + piece * (width / BLOCK);
	const uint16_t *at = encoder->positions + position * width;
	float scale = half(encoder->row_scales[piece]);

	piece_values(encoder, piece, out);
	for (size_t b = 0; b < width / BLOCK; b++) {
		float factor = scale * scales[b];

		for (size_t i = b * BLOCK; i < (b + 1) * BLOCK; i++)
			out[i] = out[i] * factor + half(at[i]) + encoder->types[i];
	}
}

/* ---- layers ---- */

static void attend(struct kb_encoder_network *network, size_t begin, size_t end)
{
	const struct kb_encoder_form *form = &network->encoder->form;
	size_t width = form->width, head = width / form->heads;
	const float *qkv = network->qkv + begin * 3 * width;

	for (uint32_t i = 0; i < form->heads; i++)
		network->lanes->attend(&(struct kb_attention){
		        .query = qkv + i * head,
		        .key = qkv + width + i * head,
		        .value = qkv + 2 * width + i * head,
		        .out = network->seen + begin * width + i * head,
		        .tokens = end - begin,
		        .width = head,
		        .stride = 3 * width,
		        .out_stride = width,
		        .scratch = network->attention,
		});
}

static void run_layer(struct kb_encoder_network *network, const struct kb_encoder_layer *layer,
                      const struct kb_encoder_network_batch *batch, size_t tokens)
{
	size_t width = network->encoder->form.width, inner = network->encoder->form.inner;
	float *added = network->qkv; /* once attention has used that */

	multiply(network, &layer->qkv, evened(network, network->state, layer->before_qkv, tokens),
	         tokens, network->qkv);
	for (size_t i = 0; i < batch->texts; i++)
		attend(network, i ? batch->ends[i - 1] : 0, batch->ends[i]);
	multiply(network, &layer->out, network->seen, tokens, added);
	norm(network, network->state, added, tokens, &layer->attention);
	for (size_t at = 0; at < tokens; at += PART) {
		size_t n = KB_MIN(tokens - at, (size_t)PART);
		float *state = network->state + at * width;

		multiply(network, &layer->inner, evened(network, state, layer->before_inner, n), n,
		         network->inner);
		network->lanes->gelu(network->inner, n * inner);
		multiply(network, &layer->outer, network->inner, n, added);
		norm(network, state, added, n, &layer->last);
	}
}

/* ---- vectors ---- */

static void mean(const float *states, size_t tokens, size_t width, float *out)
{
	double square = 0;
	float factor;

	memset(out, 0, width * sizeof(*out));
	for (size_t t = 0; t < tokens; t++)
		for (size_t i = 0; i < width; i++)
			out[i] += states[t * width + i];
	for (size_t i = 0; i < width; i++)
		square += (double)out[i] * (double)out[i];
	factor = (float)(1 / sqrt(square));
	for (size_t i = 0; i < width; i++)
		out[i] *= factor;
}

void kb_encoder_network_run(struct kb_encoder_network *network,
                            const struct kb_encoder_network_batch *batch, float *out)
{
	const struct kb_encoder *encoder = network->encoder;
	size_t width = encoder->form.width,
	       tokens = batch->texts ? batch->ends[batch->texts - 1] : 0;

	for (size_t i = 0, begin = 0; i < batch->texts; begin = batch->ends[i++])
		for (size_t t = begin; t < batch->ends[i]; t++)
			embed(encoder, batch->pieces[t], t - begin, network->state + t * width);
	norm(network, network->state, NULL, tokens, &encoder->embedding);
	for (uint32_t i = 0; i < encoder->form.layers; i++)
		run_layer(network, &encoder->layers[i], batch, tokens);
	for (size_t i = 0, begin = 0; i < batch->texts; begin = batch->ends[i++])
		mean(network->state + begin * width, batch->ends[i] - begin, width,
		     out + i * width);
}

void kb_encoder_network_part(const struct kb_encoder_network *network, size_t begin, size_t end,
                             float *out)
{
	size_t width = network->encoder->form.width;

	mean(network->state + begin * width, end - begin, width, out);
}
