/* Texts are read as pieces and handed to the network in groups. */
#include "encode/encoder.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "encode/network.h"
#include "encode/pieces.h"

struct kb_encoder *kb_encoder_open(const char *path, struct kb_err *err)
{
	struct kb_encoder *encoder = kb_xcalloc(1, sizeof(*encoder));

	if (kb_encoder_read(encoder, path, err))
		return encoder;
	kb_encoder_close(encoder);
	return NULL;
}

void kb_encoder_close(struct kb_encoder *encoder)
{
	if (!encoder)
		return;
	kb_encoder_unread(encoder);
	free(encoder);
}

void kb_encoder_info(const struct kb_encoder *encoder, struct kb_encoder_info *out)
{
	*out = (struct kb_encoder_info){ .dims = encoder->form.width,
		                         .longest = encoder->form.positions,
		                         .pieces = encoder->form.pieces,
		                         .fingerprint = kb_container_fingerprint(&encoder->file),
		                         .bytes = (int64_t)encoder->file.map_bytes,
		                         .about = encoder->about };
}

bool kb_encoder_verify(const struct kb_encoder *encoder, struct kb_err *err)
{
	return kb_container_verify(&encoder->file, err);
}

struct kb_encoder_context {
	const struct kb_encoder *encoder;
	struct kb_encoder_network network;
	struct kb_pieces pieces;
	/* The group in hand, and the text that is read. */
	uint32_t *numbers, *ends, *next;
	size_t texts;
	float *out; /* of the group's first text */
};

struct kb_encoder_context *kb_encoder_context_new(const struct kb_encoder *encoder)
{
	struct kb_encoder_context *context = kb_xcalloc(1, sizeof(*context));
	size_t positions = encoder->form.positions;

	context->encoder = context->pieces.encoder = encoder;
	kb_encoder_network_init(&context->network, encoder);
	context->numbers = kb_xcalloc(positions, sizeof(*context->numbers));
	context->ends = kb_xcalloc(positions, sizeof(*context->ends));
	context->next = kb_xcalloc(positions, sizeof(*context->next));
	return context;
}

void kb_encoder_context_free(struct kb_encoder_context *context)
{
	if (!context)
		return;
	kb_encoder_network_fini(&context->network);
	free(context->numbers);
	free(context->ends);
	free(context->next);
	free(context);
}

static uint32_t read_next(struct kb_encoder_context *context, enum kb_encoder_kind kind,
                          struct kb_sv text)
{
	const struct kb_encoder *encoder = context->encoder;

	return kb_pieces_read(&context->pieces,
	                      kind == KB_ENCODER_QUESTION ? encoder->question : encoder->passage,
	                      text, encoder->form.positions, context->next);
}

uint32_t kb_encoder_count(struct kb_encoder_context *context, enum kb_encoder_kind kind,
                          struct kb_sv text)
{
	return read_next(context, kind, text);
}

static uint32_t in_group(const struct kb_encoder_context *context)
{
	return context->texts ? context->ends[context->texts - 1] : 0;
}

/* Damaged numbers spread: one that is none in a vector makes its length none. */
static bool run_group(struct kb_encoder_context *context, struct kb_err *err)
{
	size_t width = context->encoder->form.width;
	float *out = context->out;

	kb_encoder_network_run(&context->network,
	                       &(struct kb_encoder_network_batch){ .pieces = context->numbers,
	                                                           .ends = context->ends,
	                                                           .texts = context->texts },
	                       out);
	for (size_t i = 0; i < context->texts; i++)
		if (!isfinite(out[i * width]))
			return kb_corrupt(err, "%s: the encoder's numbers lead to no vector",
			                  context->encoder->file.path);
	context->out += context->texts * width;
	context->texts = 0;
	return true;
}

bool kb_encoder_encode(struct kb_encoder_context *context, enum kb_encoder_kind kind,
                       const struct kb_sv *texts, size_t count, float *out, struct kb_err *err)
{
	context->out = out;
	context->texts = 0;
	for (size_t i = 0; i < count; i++) {
		uint32_t n = read_next(context, kind, texts[i]);

		if (in_group(context) + n > context->encoder->form.positions
		    && !run_group(context, err))
			return false;
		memcpy(context->numbers + in_group(context), context->next,
		       n * sizeof(*context->next));
		context->ends[context->texts] = in_group(context) + n;
		context->texts++;
	}
	return run_group(context, err);
}
