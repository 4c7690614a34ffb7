/*
 * Phrases as 64-bit hashes of their words in order, in one set. At each word of a prompt the hash
 * of the phrase that begins there grows word by word up to the longest phrase of the list, and is
 * looked up each time. Two phrases share a hash once in 2^64 pairs.
 */
#include "answer/moderate.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "index/unicode.h"

enum {
	WORDS_MAX = 16, /* of a phrase */
	WORD_BYTES = 120,
};
#define FILE_MAX KB_MIB(8)

struct kb_block_list {
	uint64_t *slots; /* open addressing; 0 is empty */
	size_t capacity, count, longest;
	pthread_rwlock_t lock; /* of those above, once others ask */
};

/* ---- words ---- */

struct words {
	struct kb_sv text;
	size_t at;
};

/* The hash of the next word; false at the end. A character of a script without divided words is a
 * word. */
static bool next_word(struct words *words, uint64_t *hash)
{
	char folded[WORD_BYTES];
	size_t start = words->at, end = 0;

	while (words->at < words->text.n) {
		uint32_t cp;
		size_t n = kb_utf8_decode(kb_sv_from(words->text, words->at), &cp);
		enum kb_char_kind kind = cp == KB_UTF8_BAD ? KB_CHAR_BREAK : kb_char_kind(cp);
		bool single = kind == KB_CHAR_CJK || kind == KB_CHAR_SEA;

		if (end > 0 && (kind == KB_CHAR_BREAK || single))
			break;
		words->at += n;
		if (end == 0 && (kind == KB_CHAR_BREAK || kind == KB_CHAR_IGNORED)) {
			start = words->at;
			continue;
		}
		end = words->at;
		if (single)
			break;
	}
	if (end == 0)
		return false;
	*hash = kb_hash64(kb_sv(folded, kb_fold(kb_sv_sub(words->text, start, end - start), false,
	                                        folded, sizeof(folded))));
	return true;
}

static uint64_t join(uint64_t phrase, uint64_t word)
{
	uint64_t both[2] = { phrase, word }, hash;

	hash = kb_hash64(kb_sv((const char *)both, sizeof(both)));
	return hash ? hash : 1;
}

/* ---- the set ---- */

static uint64_t *slot_of(const struct kb_block_list *list, uint64_t hash)
{
	size_t i = hash & (list->capacity - 1);

	while (list->slots[i] != 0 && list->slots[i] != hash)
		i = (i + 1) & (list->capacity - 1);
	return &list->slots[i];
}

static void grow(struct kb_block_list *list)
{
	uint64_t *before = list->slots;
	size_t capacity = list->capacity;

	list->capacity = capacity ? 2 * capacity : 64;
	list->slots = kb_xcalloc(list->capacity, sizeof(*list->slots));
	for (size_t i = 0; i < capacity; i++)
		if (before[i])
			*slot_of(list, before[i]) = before[i];
	free(before);
}

static void add(struct kb_block_list *list, uint64_t hash)
{
	uint64_t *slot;

	if (2 * (list->count + 1) > list->capacity)
		grow(list);
	slot = slot_of(list, hash);
	list->count += *slot == 0;
	*slot = hash;
}

/* ---- reading ---- */

static bool read_line(struct kb_block_list *list, struct kb_sv line, const char *path,
                      int64_t number, struct kb_err *err)
{
	struct words words = { .text = line };
	uint64_t word, phrase = 0;
	size_t count = 0;

	line = kb_sv_trim(line);
	if (line.n == 0 || line.p[0] == '#')
		return true;
	if (!kb_utf8_valid(line))
		return kb_fail(err, KB_E_INVALID, "%s:%" PRId64 ": not valid UTF-8", path, number);
	for (; next_word(&words, &word); count++)
		phrase = join(phrase, word);
	if (count == 0)
		return kb_fail(err, KB_E_INVALID, "%s:%" PRId64 ": no word in the line", path,
		               number);
	if (count > WORDS_MAX)
		return kb_fail(err, KB_E_INVALID,
		               "%s:%" PRId64 ": the phrase has %zu words, the limit is %d", path,
		               number, count, WORDS_MAX);
	add(list, phrase);
	list->longest = KB_MAX(list->longest, count);
	return true;
}

struct kb_block_list *kb_block_list_read(const char *path, struct kb_err *err)
{
	struct kb_block_list *list = kb_xcalloc(1, sizeof(*list));
	struct kb_arena arena = { 0 };
	struct kb_sv text, line;
	int64_t number = 0;
	bool ok = kb_file_read(&arena, path, FILE_MAX, &text, err);

	pthread_rwlock_init(&list->lock, NULL);
	grow(list);
	while (ok && kb_sv_split(&text, '\n', &line))
		ok = read_line(list, line, path, ++number, err);
	kb_arena_fini(&arena);
	if (ok)
		return list;
	kb_block_list_free(list);
	return NULL;
}

void kb_block_list_free(struct kb_block_list *list)
{
	if (!list)
		return;
	pthread_rwlock_destroy(&list->lock);
	free(list->slots);
	free(list);
}

size_t kb_block_list_count(const struct kb_block_list *list)
{
	return list->count;
}

void kb_block_list_take(struct kb_block_list *list, struct kb_block_list *newer)
{
	uint64_t *before = list->slots;

	pthread_rwlock_wrlock(&list->lock);
	list->slots = newer->slots;
	list->capacity = newer->capacity;
	list->count = newer->count;
	list->longest = newer->longest;
	pthread_rwlock_unlock(&list->lock);
	newer->slots = before;
	kb_block_list_free(newer);
}

static bool hits(const struct kb_block_list *list, struct kb_sv text)
{
	/* The phrases that began at the last words, each as far as it has come. */
	uint64_t open[WORDS_MAX] = { 0 }, word;
	struct words words = { .text = text };
	size_t count = 0;

	while (next_word(&words, &word)) {
		if (count == list->longest && count > 0)
			count--;
		memmove(open + 1, open, KB_MIN(count, (size_t)WORDS_MAX - 1) * sizeof(*open));
		open[0] = 0;
		count = KB_MIN(count + 1, (size_t)WORDS_MAX);
		for (size_t i = 0; i < count; i++) {
			open[i] = join(open[i], word);
			if (*slot_of(list, open[i]) != 0)
				return true;
		}
	}
	return false;
}

bool kb_block_list_hits(struct kb_block_list *list, struct kb_sv text)
{
	bool hit;

	pthread_rwlock_rdlock(&list->lock);
	hit = hits(list, text);
	pthread_rwlock_unlock(&list->lock);
	return hit;
}
