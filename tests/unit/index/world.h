/*
 * A small random world for the index's tests: a generator that repeats itself, texts of made-up
 * words (few frequent, many rare), and the naive index that the real one is compared with.
 */
#ifndef KB_TEST_WORLD_H
#define KB_TEST_WORLD_H

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "index/query.h"
#include "index/rank.h"
#include "index/search.h"

struct dice {
	uint64_t state;
};

static inline uint32_t roll(struct dice *dice, uint32_t below)
{
	dice->state = dice->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((dice->state >> 33) % below);
}

/* The n-th made-up word: letters only, so that it is one term, and no stem of another. */
static inline struct kb_sv made_word(struct kb_arena *arena, uint32_t n)
{
	static const char syllables[][3] = { "ba", "ko", "mu", "ri", "ta", "ve", "zo", "lu" };
	char word[32];
	size_t at = 0;

	do {
		memcpy(word + at, syllables[n % 8], 2);
		at += 2;
		n /= 8;
	} while (n);
	word[at++] = 'k';
	return kb_arena_sv(arena, kb_sv(word, at));
}

/* Squaring the die makes low numbers frequent. */
static inline uint32_t word_number(struct dice *dice, uint32_t vocabulary)
{
	uint64_t a = roll(dice, vocabulary), b = roll(dice, vocabulary);

	return (uint32_t)(a * b / vocabulary);
}

static inline struct kb_sv made_text(struct kb_arena *arena, struct dice *dice, uint32_t words,
                                     uint32_t vocabulary)
{
	struct kb_buf buf;
	struct kb_sv text;

	kb_buf_init(&buf, KB_MIB(1));
	for (uint32_t i = 0; i < words; i++) {
		if (i)
			kb_buf_str(&buf, i % 7 ? " " : ". ");
		kb_buf_sv(&buf, made_word(arena, word_number(dice, vocabulary)));
	}
	text = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return text;
}

/* A path of this process's own. Eight may be in use at a time. */
static inline const char *world_path(const char *name, int number)
{
	static char paths[8][96];
	static int next;
	char *path = paths[next++ % 8];

	snprintf(path, sizeof(paths[0]), "/tmp/docent-index-%d-%s-%d", (int)getpid(), name, number);
	return path;
}

#endif
