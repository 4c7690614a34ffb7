/* Texts are read as pieces and handed to the network in groups. */
#include "encode/encoder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* A part of a text of the group: its pieces, and where its vector goes. */
struct span {
	uint32_t begin, end;
	float *out;
};

struct kb_encoder_context {
	const struct kb_encoder *encoder;
	struct kb_encoder_network network;
	struct kb_pieces pieces;
	/* The group in hand, and the text that is read. */
	uint32_t *numbers, *ends, *next;
	size_t texts, span_count;
	struct span *spans;
	uint32_t *bounds; /* of the text that is read, in its pieces */
	float *out;       /* of the group's first text */
	float *parts;     /* of the next text's first part */
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
	context->spans = kb_xcalloc(positions, sizeof(*context->spans));
	context->bounds = kb_xcalloc(positions + 1, sizeof(*context->bounds));
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
	free(context->spans);
	free(context->bounds);
	free(context);
}

static uint32_t read_next(struct kb_encoder_context *context, enum kb_encoder_kind kind,
                          struct kb_sv text, const struct kb_pieces_bounds *bounds)
{
	const struct kb_encoder *encoder = context->encoder;

	return kb_pieces_read(&context->pieces,
	                      kind == KB_ENCODER_QUESTION ? encoder->question : encoder->passage,
	                      text, bounds, encoder->form.positions, context->next);
}

uint32_t kb_encoder_count(struct kb_encoder_context *context, enum kb_encoder_kind kind,
                          struct kb_sv text)
{
	return read_next(context, kind, text, NULL);
}

static uint32_t in_group(const struct kb_encoder_context *context)
{
	return context->texts ? context->ends[context->texts - 1] : 0;
}

/* Damaged numbers spread: one that is none in a vector makes its length none. */
static bool check(const struct kb_encoder_context *context, const float *v, struct kb_err *err)
{
	return isfinite(v[0])
	       || kb_corrupt(err, "%s: the encoder's numbers lead to no vector",
	                     context->encoder->file.path);
}

static bool run_group(struct kb_encoder_context *context, struct kb_err *err)
{
	size_t width = context->encoder->form.width;
	float *out = context->out;
	bool ok = true;

	kb_encoder_network_run(&context->network,
	                       &(struct kb_encoder_network_batch){ .pieces = context->numbers,
	                                                           .ends = context->ends,
	                                                           .texts = context->texts },
	                       out);
	for (size_t i = 0; ok && i < context->texts; i++)
		ok = check(context, out + i * width, err);
	for (size_t i = 0; ok && i < context->span_count; i++) {
		const struct span *span = &context->spans[i];

		kb_encoder_network_part(&context->network, span->begin, span->end, span->out);
		ok = check(context, span->out, err);
	}
	context->out += context->texts * width;
	context->texts = context->span_count = 0;
	return ok;
}

/* Each part that has pieces has one that no other has, so there are no more than positions. */
static void add_spans(struct kb_encoder_context *context, uint32_t before, size_t parts,
                      size_t read)
{
	size_t width = context->encoder->form.width;

	for (size_t i = 0; i < parts; i++, context->parts += width) {
		if (i >= read || context->bounds[i] == context->bounds[i + 1]) {
			memset(context->parts, 0, width * sizeof(*context->parts));
			continue;
		}
		context->spans[context->span_count++] =
		        (struct span){ before + context->bounds[i], before + context->bounds[i + 1],
			               context->parts };
	}
}

static bool add_text(struct kb_encoder_context *context, enum kb_encoder_kind kind,
                     const struct kb_encoder_text *text, struct kb_err *err)
{
	size_t positions = context->encoder->form.positions;
	size_t read = KB_MIN(text->parts, positions);
	const struct kb_pieces_bounds bounds = { .bytes = text->bounds,
		                                 .count = read + 1,
		                                 .pieces = context->bounds };
	uint32_t n = read_next(context, kind, text->text, text->parts ? &bounds : NULL), before;

	if (in_group(context) + n > positions && !run_group(context, err))
		return false;
	before = in_group(context);
	memcpy(context->numbers + before, context->next, n * sizeof(*context->next));
	context->ends[context->texts++] = before + n;
	add_spans(context, before, text->parts, read);
	return true;
}

static void begin(struct kb_encoder_context *context, float *out, float *parts)
{
	context->out = out;
	context->parts = parts;
	context->texts = context->span_count = 0;
}

bool kb_encoder_encode(struct kb_encoder_context *context, enum kb_encoder_kind kind,
                       const struct kb_sv *texts, size_t count, float *out, struct kb_err *err)
{
	begin(context, out, NULL);
	for (size_t i = 0; i < count; i++)
		if (!add_text(context, kind, &(struct kb_encoder_text){ .text = texts[i] }, err))
			return false;
	return run_group(context, err);
}

bool kb_encoder_encode_parts(struct kb_encoder_context *context,
                             const struct kb_encoder_text *texts, size_t count, float *out,
                             float *parts, struct kb_err *err)
{
	begin(context, out, parts);
	for (size_t i = 0; i < count; i++)
		if (!add_text(context, KB_ENCODER_PASSAGE, &texts[i], err))
			return false;
	return run_group(context, err);
}
