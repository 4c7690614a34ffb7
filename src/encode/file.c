/* Opening an encoder's file: the bounds of everything in its sections. */
#include "encode/file.h"

#include <stdlib.h>

#include "base/arena.h"

static_assert(sizeof(struct kb_encoder_form) == 64, "as the file has it");

static const char *const section_names[KB_ENC_COUNT] = {
	[KB_ENC_FORM] = "form",
	[KB_ENC_QUESTION] = "question",
	[KB_ENC_PASSAGE] = "passage",
	[KB_ENC_ABOUT] = "about",
	[KB_ENC_LABELS] = "labels",
	[KB_ENC_CHILDREN] = "children",
	[KB_ENC_ENDS] = "ends",
	[KB_ENC_END_RANKS] = "end ranks",
	[KB_ENC_SCORES] = "scores",
	[KB_ENC_FINE] = "fine",
	[KB_ENC_FINE_RANKS] = "fine ranks",
	[KB_ENC_QUADS] = "quads",
	[KB_ENC_PAIRS] = "pairs",
	[KB_ENC_BLOCK_SCALES] = "block scales",
	[KB_ENC_ROW_SCALES] = "row scales",
	[KB_ENC_POSITIONS] = "positions",
	[KB_ENC_EMBEDDING] = "embedding",
	[KB_ENC_LAYERS] = "layers",
};

const struct kb_form kb_encoder_file_form = {
	.magic = "KBENC\r\n\x1a",
	.what = "encoder",
	.version = KB_ENCODER_VERSION,
	.sections = KB_ENC_COUNT,
	.names = section_names,
};

/* A figure of the form and what it may be. */
struct bound {
	const char *name;
	uint32_t value, least, most, multiple;
};

static bool check_form(const struct kb_encoder *encoder, struct kb_err *err)
{
	const struct kb_encoder_form *f = &encoder->form;
	const struct bound bounds[] = {
		{ "layers", f->layers, 1, KB_ENCODER_LAYERS_MAX, 1 },
		{ "width", f->width, KB_ENCODER_BLOCK, KB_ENCODER_WIDTH_MAX, KB_ENCODER_BLOCK },
		{ "heads", f->heads, 1, f->width, 1 },
		{ "inner", f->inner, KB_PRODUCT_TILE, KB_ENCODER_INNER_MAX, KB_PRODUCT_TILE },
		{ "positions", f->positions, KB_ENCODER_POSITIONS_MIN, KB_ENCODER_POSITIONS_MAX,
		  1 },
		{ "pieces", f->pieces, KB_PIECES_SPECIAL + 1, KB_ENCODER_PIECES_MAX, 1 },
		{ "nodes", f->nodes, 2, KB_ENCODER_NODES_MAX, 1 },
		{ "pooling", f->pooling, KB_ENCODER_MEAN, KB_ENCODER_MEAN, 1 },
		{ "fine", f->fine, 0, f->pieces, 1 },
	};

	for (size_t i = 0; i < KB_COUNTOF(bounds); i++)
		if (bounds[i].value < bounds[i].least || bounds[i].value > bounds[i].most
		    || bounds[i].value % bounds[i].multiple)
			return kb_corrupt(err,
			                  "%s: the form is damaged: %s is %u, known are %u to %u, "
			                  "multiples of %u",
			                  encoder->file.path, bounds[i].name, bounds[i].value,
			                  bounds[i].least, bounds[i].most, bounds[i].multiple);
	if (f->width % f->heads || f->width / f->heads % KB_PRODUCT_TILE
	    || f->width / f->heads > KB_ENCODER_HEAD_MAX)
		return kb_corrupt(err,
		                  "%s: the form is damaged: %u heads do not share a width of %u",
		                  encoder->file.path, f->heads, f->width);
	if (!(f->eps > 0 && f->eps < 1))
		return kb_corrupt(err, "%s: the form is damaged: eps is no small number",
		                  encoder->file.path);
	return true;
}

static size_t matrix_bytes(size_t rows, size_t cols)
{
	return rows * cols + rows * (2 * sizeof(float) + sizeof(int32_t));
}

static size_t layer_bytes(const struct kb_encoder_form *form)
{
	size_t w = form->width, inner = form->inner;

	return matrix_bytes(3 * w, w) + matrix_bytes(w, w) + matrix_bytes(inner, w)
	       + matrix_bytes(w, inner) + 6 * w * sizeof(float);
}

/* What each section's size has to be; 0: any. */
static void expected_sizes(const struct kb_encoder_form *form, size_t sizes[KB_ENC_COUNT])
{
	size_t w = form->width, pieces = form->pieces, nodes = form->nodes;
	size_t node_words = (nodes + 63) / 64, piece_words = (pieces + 63) / 64;

	memset(sizes, 0, KB_ENC_COUNT * sizeof(*sizes));
	sizes[KB_ENC_FORM] = sizeof(*form);
	sizes[KB_ENC_LABELS] = nodes;
	sizes[KB_ENC_CHILDREN] = (nodes + 1) * sizeof(uint32_t);
	sizes[KB_ENC_ENDS] = node_words * sizeof(uint64_t);
	sizes[KB_ENC_END_RANKS] = node_words * sizeof(uint32_t);
	sizes[KB_ENC_SCORES] = pieces * sizeof(float);
	sizes[KB_ENC_FINE] = piece_words * sizeof(uint64_t);
	sizes[KB_ENC_FINE_RANKS] = piece_words * sizeof(uint32_t);
	sizes[KB_ENC_QUADS] = form->fine * (w / 2);
	sizes[KB_ENC_PAIRS] = (pieces - form->fine) * (w / 4);
	sizes[KB_ENC_BLOCK_SCALES] = pieces * (w / KB_ENCODER_BLOCK);
	sizes[KB_ENC_ROW_SCALES] = pieces * sizeof(uint16_t);
	sizes[KB_ENC_POSITIONS] = form->positions * w * sizeof(uint16_t);
	sizes[KB_ENC_EMBEDDING] = 4 * w * sizeof(float);
	sizes[KB_ENC_LAYERS] = form->layers * layer_bytes(form);
}

/* Walks through the section of the layers, whose size is checked. */
struct cursor {
	const char *at;
};

static const void *take(struct cursor *from, size_t bytes)
{
	const void *p = from->at;

	from->at += bytes;
	return p;
}

static struct kb_product_matrix take_matrix(struct cursor *from, uint32_t rows, uint32_t cols)
{
	struct kb_product_matrix m = { .rows = rows, .cols = cols };

	m.tiles = take(from, (size_t)rows * cols);
	m.scales = take(from, rows * sizeof(float));
	m.bias = take(from, rows * sizeof(float));
	m.row_sums = take(from, rows * sizeof(int32_t));
	return m;
}

static struct kb_encoder_norm take_norm(struct cursor *from, uint32_t width)
{
	struct kb_encoder_norm norm;

	norm.weight = take(from, width * sizeof(float));
	norm.bias = take(from, width * sizeof(float));
	return norm;
}

static void take_layers(struct kb_encoder *encoder, struct kb_sv section)
{
	const struct kb_encoder_form *form = &encoder->form;
	struct cursor from = { section.p };

	encoder->layers = kb_xcalloc(form->layers, sizeof(*encoder->layers));
	for (uint32_t i = 0; i < form->layers; i++) {
		struct kb_encoder_layer *layer = &encoder->layers[i];

		layer->qkv = take_matrix(&from, 3 * form->width, form->width);
		layer->out = take_matrix(&from, form->width, form->width);
		layer->inner = take_matrix(&from, form->inner, form->width);
		layer->outer = take_matrix(&from, form->width, form->inner);
		layer->attention = take_norm(&from, form->width);
		layer->last = take_norm(&from, form->width);
		layer->before_qkv = take(&from, form->width * sizeof(float));
		layer->before_inner = take(&from, form->width * sizeof(float));
	}
}

/* Everything that is read by its type lies at a multiple of 64. */
static bool check_sections(const struct kb_encoder *encoder, const struct kb_sv *sections,
                           struct kb_err *err)
{
	size_t sizes[KB_ENC_COUNT];

	expected_sizes(&encoder->form, sizes);
	for (uint32_t id = KB_ENC_FORM; id < KB_ENC_COUNT; id++) {
		if (sizes[id] && sections[id].n != sizes[id])
			return kb_container_damaged(&encoder->file, id, err);
		if ((uintptr_t)sections[id].p % KB_CONTAINER_ALIGN && sections[id].n)
			return kb_corrupt(err, "%s: section %s does not begin at a multiple of %d",
			                  encoder->file.path, section_names[id],
			                  KB_CONTAINER_ALIGN);
	}
	for (uint32_t id = KB_ENC_QUESTION; id <= KB_ENC_PASSAGE; id++)
		if (sections[id].n > KB_ENCODER_PREFIX_MAX)
			return kb_container_damaged(&encoder->file, id, err);
	return true;
}

static const void *at(const struct kb_sv *sections, enum kb_encoder_section id)
{
	return sections[id].p;
}

static struct kb_encoder_bits bits_at(const struct kb_sv *sections, enum kb_encoder_section bits,
                                      enum kb_encoder_section ranks)
{
	return (struct kb_encoder_bits){ at(sections, bits), at(sections, ranks) };
}

static bool take_sections(struct kb_encoder *encoder, const struct kb_sv *sections,
                          struct kb_err *err)
{
	struct cursor embedding;

	if (sections[KB_ENC_FORM].n != sizeof(encoder->form))
		return kb_container_damaged(&encoder->file, KB_ENC_FORM, err);
	memcpy(&encoder->form, sections[KB_ENC_FORM].p, sizeof(encoder->form));
	if (!check_form(encoder, err) || !check_sections(encoder, sections, err))
		return false;
	encoder->question = sections[KB_ENC_QUESTION];
	encoder->passage = sections[KB_ENC_PASSAGE];
	encoder->about = sections[KB_ENC_ABOUT];
	encoder->labels = at(sections, KB_ENC_LABELS);
	encoder->children = at(sections, KB_ENC_CHILDREN);
	encoder->ends = bits_at(sections, KB_ENC_ENDS, KB_ENC_END_RANKS);
	encoder->scores = at(sections, KB_ENC_SCORES);
	encoder->fine = bits_at(sections, KB_ENC_FINE, KB_ENC_FINE_RANKS);
	encoder->quads = at(sections, KB_ENC_QUADS);
	encoder->pairs = at(sections, KB_ENC_PAIRS);
	encoder->block_scales = at(sections, KB_ENC_BLOCK_SCALES);
	encoder->row_scales = at(sections, KB_ENC_ROW_SCALES);
	encoder->positions = at(sections, KB_ENC_POSITIONS);
	embedding.at = sections[KB_ENC_EMBEDDING].p;
	encoder->types = take(&embedding, 2 * encoder->form.width * sizeof(float));
	encoder->embedding = take_norm(&embedding, encoder->form.width);
	take_layers(encoder, sections[KB_ENC_LAYERS]);
	return true;
}

bool kb_encoder_read(struct kb_encoder *encoder, const char *path, struct kb_err *err)
{
	struct kb_sv sections[KB_ENC_COUNT];

	if (!kb_container_open(&encoder->file, &kb_encoder_file_form, path, false, sections, err))
		return false;
	if (encoder->file.version != KB_ENCODER_VERSION)
		return kb_fail(err, KB_E_CORRUPT, "%s: the header names version %u, known is %d",
		               path, encoder->file.version, KB_ENCODER_VERSION);
	return take_sections(encoder, sections, err);
}

void kb_encoder_unread(struct kb_encoder *encoder)
{
	kb_container_close(&encoder->file);
	free(encoder->layers);
}
