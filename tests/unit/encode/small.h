/*
 * An encoder's file with a network as small as they come: two layers of width 32, twenty positions,
 * some pieces, every second of them coarse. Its numbers are by chance, but always the same.
 */
#ifndef KB_TEST_SMALL_ENCODER_H
#define KB_TEST_SMALL_ENCODER_H

#include "base/file.h"
#include "base/hash.h"
#include "encode/file.h"

enum {
	SMALL_WIDTH = 32,
	SMALL_INNER = 48,
	SMALL_HEADS = 2,
	SMALL_LAYERS = 2,
	SMALL_POSITIONS = 20
};

/* Sorted by bytes, as the trie wants them. The higher the score the likelier. */
static const struct {
	const char *word;
	float score;
} small_pieces[] = {
	{ " ", -3 }, { " a", -2 },    { " ab", -4 },  { " abc", -9 },  { " q:", -1 },
	{ "a", -3 }, { "ab", -3.5f }, { "b", -3 },    { "bc", -2.5f }, { "c", -3 },
	{ "é", -3 }, { "日", -3 },    { "日本", -2 }, { "本", -3 },
};

enum { SMALL_PIECES = KB_COUNTOF(small_pieces) + KB_PIECES_SPECIAL, SMALL_NODES_MAX = 64 };

struct small {
	struct kb_arena arena;
	void *bytes[KB_ENC_COUNT];
	size_t sizes[KB_ENC_COUNT];
	size_t order[KB_COUNTOF(small_pieces)]; /* of the words as their nodes come */
	uint64_t state;
};

static inline void *small_room(struct small *s, enum kb_encoder_section id, size_t bytes)
{
	s->sizes[id] = bytes;
	s->bytes[id] = kb_arena_alloc(&s->arena, bytes + 1);
	return memset(s->bytes[id], 0, bytes + 1);
}

static inline uint32_t small_any(struct small *s)
{
	s->state = s->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(s->state >> 33);
}

static inline float small_float(struct small *s)
{
	return (float)(small_any(s) % 2001) / 1000 - 1;
}

static inline void small_text(struct small *s, enum kb_encoder_section id, const char *text)
{
	memcpy(small_room(s, id, strlen(text)), text, strlen(text));
}

static inline void small_chance(struct small *s, enum kb_encoder_section id, size_t bytes)
{
	uint8_t *p = small_room(s, id, bytes);

	for (size_t i = 0; i < bytes; i++)
		p[i] = (uint8_t)small_any(s);
}

static inline void small_mark(struct small *s, enum kb_encoder_section bits, uint32_t at)
{
	uint64_t *words = s->bytes[bits];

	words[at / 64] |= UINT64_C(1) << (at % 64);
}

/* The words from `begin` to `end` share their first `depth` bytes and lead to the node. */
struct small_node {
	size_t begin, end, depth;
};

/* Returns how many nodes there are. */
static inline uint32_t small_trie(struct small *s)
{
	struct small_node nodes[SMALL_NODES_MAX] = { { 0, KB_COUNTOF(small_pieces), 0 } };
	uint8_t *labels = small_room(s, KB_ENC_LABELS, SMALL_NODES_MAX);
	uint32_t *children =
	        small_room(s, KB_ENC_CHILDREN, (SMALL_NODES_MAX + 1) * sizeof(*children));
	uint32_t count = 1, ended = 0;

	small_room(s, KB_ENC_ENDS, sizeof(uint64_t));
	small_room(s, KB_ENC_END_RANKS, sizeof(uint32_t));
	for (uint32_t n = 0; n < count; n++) {
		size_t depth = nodes[n].depth, at = nodes[n].begin;

		children[n] = count;
		if (small_pieces[at].word[depth] == '\0') {
			small_mark(s, KB_ENC_ENDS, n);
			s->order[ended++] = at++;
		}
		while (at < nodes[n].end) {
			size_t begin = at;
			char label = small_pieces[at].word[depth];

			while (at < nodes[n].end && small_pieces[at].word[depth] == label)
				at++;
			KB_ASSERT(count < SMALL_NODES_MAX);
			labels[count] = (uint8_t)label;
			nodes[count++] = (struct small_node){ begin, at, depth + 1 };
		}
	}
	children[count] = count;
	s->sizes[KB_ENC_LABELS] = count;
	s->sizes[KB_ENC_CHILDREN] = (count + 1) * sizeof(*children);
	return count;
}

static inline void small_matrix(struct small *s, char **at, uint32_t rows, uint32_t cols)
{
	int8_t *tiles = (void *)*at;
	float *scales = (void *)(*at + (size_t)rows * cols), *bias = scales + rows;
	int32_t *sums = (void *)(bias + rows);

	for (size_t i = 0; i < (size_t)rows * cols; i++) {
		tiles[i] = (int8_t)((int)(small_any(s) % 255) - 127);
		sums[i / ((size_t)cols * KB_PRODUCT_TILE) * KB_PRODUCT_TILE
		     + i / KB_PRODUCT_STEP % KB_PRODUCT_TILE] += tiles[i];
	}
	for (uint32_t r = 0; r < rows; r++) {
		scales[r] = .004f;
		bias[r] = small_float(s) / 4;
	}
	*at = (void *)(sums + rows);
}

/* Floats about 1. */
static inline void small_floats(struct small *s, char **at, size_t count)
{
	float *out = (void *)*at;

	for (size_t i = 0; i < count; i++)
		out[i] = 1 + small_float(s) / 4;
	*at += count * sizeof(*out);
}

static inline void small_layers(struct small *s)
{
	const uint32_t w = SMALL_WIDTH, inner = SMALL_INNER;
	size_t layer = (size_t)4 * w * w + 2 * inner * w + (5 * w + inner) * 3 * sizeof(float)
	               + 6 * w * sizeof(float);
	char *at = small_room(s, KB_ENC_LAYERS, SMALL_LAYERS * layer);

	for (int i = 0; i < SMALL_LAYERS; i++) {
		small_matrix(s, &at, 3 * w, w);
		small_matrix(s, &at, w, w);
		small_matrix(s, &at, inner, w);
		small_matrix(s, &at, w, inner);
		small_floats(s, &at, (size_t)6 * w);
	}
}

static inline void small_table(struct small *s)
{
	float *scores = small_room(s, KB_ENC_SCORES, SMALL_PIECES * sizeof(*scores));
	uint16_t *rows = small_room(s, KB_ENC_ROW_SCALES, SMALL_PIECES * sizeof(*rows));
	uint16_t *positions =
	        small_room(s, KB_ENC_POSITIONS, SMALL_POSITIONS * SMALL_WIDTH * sizeof(*positions));
	uint32_t fine = 0;

	scores[KB_PIECE_UNKNOWN] = -20;
	small_room(s, KB_ENC_FINE, sizeof(uint64_t));
	small_room(s, KB_ENC_FINE_RANKS, sizeof(uint32_t));
	for (uint32_t i = 0; i < SMALL_PIECES; i++) {
		if (i >= KB_PIECES_SPECIAL)
			scores[i] = small_pieces[s->order[i - KB_PIECES_SPECIAL]].score;
		if (i % 2 == 0) {
			small_mark(s, KB_ENC_FINE, i);
			fine++;
		}
		rows[i] = 0x1400; /* about .001 */
	}
	small_chance(s, KB_ENC_QUADS, fine * SMALL_WIDTH / 2);
	small_chance(s, KB_ENC_PAIRS, (SMALL_PIECES - fine) * SMALL_WIDTH / 4);
	small_chance(s, KB_ENC_BLOCK_SCALES, SMALL_PIECES * SMALL_WIDTH / KB_ENCODER_BLOCK);
	for (int i = 0; i < SMALL_POSITIONS * SMALL_WIDTH; i++)
		positions[i] = (uint16_t)(0x2800 + small_any(s) % 0x400); /* up to a sixteenth */
	((struct kb_encoder_form *)s->bytes[KB_ENC_FORM])->fine = fine;
}

static inline void small_make(struct small *s)
{
	struct kb_encoder_form *form;
	char *at;

	*s = (struct small){ .state = 7 };
	form = small_room(s, KB_ENC_FORM, sizeof(*form));
	*form = (struct kb_encoder_form){ .layers = SMALL_LAYERS,
		                          .width = SMALL_WIDTH,
		                          .heads = SMALL_HEADS,
		                          .inner = SMALL_INNER,
		                          .positions = SMALL_POSITIONS,
		                          .pieces = SMALL_PIECES,
		                          .pooling = KB_ENCODER_MEAN,
		                          .eps = 1e-6f };
	small_text(s, KB_ENC_QUESTION, "q: ");
	small_text(s, KB_ENC_PASSAGE, "");
	small_text(s, KB_ENC_ABOUT, "made for tests");
	form->nodes = small_trie(s);
	small_table(s);
	at = small_room(s, KB_ENC_EMBEDDING, 4 * SMALL_WIDTH * sizeof(float));
	small_floats(s, &at, (size_t)4 * SMALL_WIDTH);
	small_layers(s);
}

static inline void small_fini(struct small *s)
{
	kb_arena_fini(&s->arena);
}

/* The frame of base/container.h around the sections. */
static inline struct kb_sv small_file(struct small *s)
{
	size_t head = KB_CONTAINER_HEADER + (KB_ENC_COUNT - 1) * KB_CONTAINER_ROW, at = head;
	uint32_t words[2] = { KB_ENCODER_VERSION, KB_ENC_COUNT - 1 };
	uint64_t ends[2];
	char *out;

	for (uint32_t id = KB_ENC_FORM; id < KB_ENC_COUNT; id++)
		at += s->sizes[id] + KB_CONTAINER_ALIGN;
	out = memset(kb_arena_alloc(&s->arena, at), 0, at);
	at = head;
	for (uint32_t id = KB_ENC_FORM; id < KB_ENC_COUNT; id++) {
		struct kb_sv bytes = kb_sv(s->bytes[id], s->sizes[id]);
		char *row = out + KB_CONTAINER_HEADER + (id - 1) * KB_CONTAINER_ROW;
		uint64_t figures[3];

		at = (at + KB_CONTAINER_ALIGN - 1) / KB_CONTAINER_ALIGN * KB_CONTAINER_ALIGN;
		figures[0] = at;
		figures[1] = bytes.n;
		figures[2] = kb_hash64(bytes);
		memcpy(row, &id, sizeof(id));
		memcpy(row + 8, figures, sizeof(figures));
		memcpy(out + at, bytes.p, bytes.n);
		at += bytes.n;
	}
	ends[0] = at;
	ends[1] = kb_hash64(kb_sv(out + KB_CONTAINER_HEADER, head - KB_CONTAINER_HEADER));
	memcpy(out, kb_encoder_file_form.magic, 8);
	memcpy(out + 8, words, sizeof(words));
	memcpy(out + 16, ends, sizeof(ends));
	return kb_sv(out, at);
}

static inline void small_write(struct small *s, const char *path)
{
	struct kb_err err;

	KB_ASSERT(kb_file_replace(path, small_file(s), &err));
}

#endif
