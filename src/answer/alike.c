#include "answer/alike.h"

#include <stdlib.h>
#include <string.h>

#include "answer/bound.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "index/meaning_sum.h"

enum {
	TEXT_CHARS = 200, /* of a question, that are compared */
	TERMS_MAX = 32,   /* different ones of it */
	FEW_TERMS = 2,    /* of fewer, what was asked before belongs to it */
	RAREST = 4,       /* words by which groups are looked for */
	LOOKED_AT = 64,   /* groups of one word, the newest first */
	NONE = -1,
};

/* The share of words that both have in common, alone and beside how near they are in meaning. On
 * tests/fixtures/verified.json 24 of 51 paraphrases come to their question with the table of
 * meanings and 5 without, none to another; of 108 that only look so 2 and 0. */
#define SHARED_WORDS 0.6f
#define SHARED_MEANT 0.2f
#define NEAR_MEANING 0.5f

/* What is compared of a question. */
struct asked {
	const struct kb_bound_words *words;
	enum kb_lang lang;
	uint64_t whole;            /* hash of all its words in order */
	uint64_t terms[TERMS_MAX]; /* hashes of its content words, each once */
	size_t term_count;
	bool is_known; /* the table of meanings knows a word of it */
	float meaning[KB_MEANING_DIMS];
};

struct group {
	int64_t id;
	struct asked asked;
};

/* Groups that have a word, or its whole words, the newest first. */
struct posting {
	int32_t group, next;
};
struct slot {
	uint64_t key; /* 0: free */
	int32_t first;
	int32_t count;
};

struct kb_alike {
	const struct kb_meaning *meaning; /* NULL: none */
	struct kb_analyzer *analyzer;
	struct kb_arena arena; /* of the groups */
	struct kb_meaning_sum sum;
	struct group **groups;
	size_t count, most;
	struct posting *postings;
	size_t posting_count, posting_capacity;
	struct slot *slots; /* a power of two, at least half of them free */
	size_t slot_count, used;
};

struct kb_alike *kb_alike_new(const struct kb_meaning *meaning, size_t most)
{
	struct kb_alike *alike = kb_xcalloc(1, sizeof(*alike));

	alike->meaning = meaning;
	alike->analyzer = kb_analyzer_new();
	alike->most = most;
	alike->groups = kb_xcalloc(most, sizeof(*alike->groups));
	alike->slot_count = 1024;
	alike->slots = kb_xcalloc(alike->slot_count, sizeof(*alike->slots));
	if (meaning)
		kb_meaning_sum_init(&alike->arena, meaning, &alike->sum);
	return alike;
}

void kb_alike_free(struct kb_alike *alike)
{
	if (!alike)
		return;
	kb_analyzer_free(alike->analyzer);
	free(alike->groups);
	free(alike->postings);
	free(alike->slots);
	kb_arena_fini(&alike->arena);
	free(alike);
}

size_t kb_alike_count(const struct kb_alike *alike)
{
	return alike->count;
}

/* ---- by word ---- */

static struct slot *slot_of(struct slot *slots, size_t count, uint64_t key)
{
	size_t at = (size_t)key & (count - 1);

	while (slots[at].key && slots[at].key != key)
		at = (at + 1) & (count - 1);
	return &slots[at];
}

static void grow(struct kb_alike *alike)
{
	size_t count = 2 * alike->slot_count;
	struct slot *slots = kb_xcalloc(count, sizeof(*slots));

	for (size_t i = 0; i < alike->slot_count; i++)
		if (alike->slots[i].key)
			*slot_of(slots, count, alike->slots[i].key) = alike->slots[i];
	free(alike->slots);
	alike->slots = slots;
	alike->slot_count = count;
}

static void post(struct kb_alike *alike, uint64_t key, int32_t group)
{
	struct slot *slot = slot_of(alike->slots, alike->slot_count, key);

	if (!slot->key) {
		*slot = (struct slot){ .key = key, .first = NONE };
		alike->used++;
	}
	KB_GROW(alike->postings, alike->posting_capacity, alike->posting_count + 1);
	alike->postings[alike->posting_count] = (struct posting){ group, slot->first };
	slot->first = (int32_t)alike->posting_count++;
	slot->count++;
	if (2 * alike->used > alike->slot_count)
		grow(alike);
}

/* ---- a question ---- */

static uint64_t key_of(struct kb_sv text)
{
	uint64_t key = kb_hash64(text);

	return key ? key : 1;
}

static void add_term(struct asked *asked, struct kb_sv term)
{
	uint64_t key = key_of(term);

	for (size_t i = 0; i < asked->term_count; i++)
		if (asked->terms[i] == key)
			return;
	if (asked->term_count < TERMS_MAX)
		asked->terms[asked->term_count++] = key;
}

static void read_terms(const struct kb_terms *terms, struct asked *out)
{
	struct kb_hash64 *whole = kb_hash64_new();

	for (size_t i = 0; i < terms->count; i++) {
		const struct kb_term *term = &terms->v[i];

		kb_hash64_add(whole, term->word.p, term->word.n);
		kb_hash64_add(whole, " ", 1);
		if (!(term->flags & (KB_TERM_FUNCTION | KB_TERM_STOP | KB_TERM_PIECE)))
			add_term(out, term->term);
	}
	/* Of words alone that say nothing by themselves there is still the whole. */
	out->whole = kb_hash64_end(whole) | 1;
	kb_hash64_free(whole);
}

static void read_meaning(struct kb_alike *alike, const struct kb_terms *terms, struct asked *out)
{
	struct kb_meaning_question question;

	out->is_known = alike->meaning
	                && kb_meaning_question(alike->meaning, terms, &alike->sum, &question);
	if (out->is_known)
		memcpy(out->meaning, question.v, sizeof(out->meaning));
}

static void read_asked(struct kb_alike *alike, struct kb_arena *arena, struct kb_sv text,
                       struct asked *out)
{
	*out = (struct asked){ .lang = kb_lang_of_question(text) };
	out->words = kb_bound_read(alike->analyzer, arena, out->lang, text);
	read_terms(kb_bound_terms(out->words), out);
	read_meaning(alike, kb_bound_terms(out->words), out);
}

/* ---- two of them ---- */

static float shared(const struct asked *a, const struct asked *b)
{
	size_t same = 0;

	for (size_t i = 0; i < a->term_count; i++)
		for (size_t k = 0; k < b->term_count; k++)
			same += a->terms[i] == b->terms[k];
	return same ? (float)same / (float)KB_MAX(a->term_count, b->term_count) : 0;
}

static float near_in_meaning(const struct asked *a, const struct asked *b)
{
	float sum = 0;

	for (int i = 0; a->is_known && b->is_known && i < KB_MEANING_DIMS; i++)
		sum += a->meaning[i] * b->meaning[i];
	return sum;
}

/* How much they ask the same; 0: they do not. */
static float likeness(const struct asked *a, const struct asked *b)
{
	float words, near;

	if (a->whole == b->whole)
		return 2;
	if (a->lang != b->lang)
		return 0;
	if (a->term_count < FEW_TERMS || b->term_count < FEW_TERMS)
		return 0;
	words = shared(a, b);
	if (words < SHARED_MEANT)
		return 0;
	near = near_in_meaning(a, b);
	if (words < SHARED_WORDS && near < NEAR_MEANING)
		return 0;
	if (!kb_bound_is(a->words, b->words, NULL, false)
	    || !kb_bound_is(b->words, a->words, NULL, false))
		return 0;
	return KB_MAX(words, near);
}

struct found {
	const struct group *group;
	float likeness;
};

static void look_at(const struct kb_alike *alike, const struct asked *asked,
                    const struct slot *slot, struct found *best)
{
	int32_t at = slot->key ? slot->first : NONE;

	for (int i = 0; at != NONE && i < LOOKED_AT; i++, at = alike->postings[at].next) {
		const struct group *group = alike->groups[alike->postings[at].group];
		float near = likeness(asked, &group->asked);

		if (near > best->likeness)
			*best = (struct found){ group, near };
	}
}

/* By the words of which there are fewest. */
static const struct group *find(const struct kb_alike *alike, const struct asked *asked)
{
	const struct slot *rarest[RAREST];
	struct found best = { 0 };
	size_t count = 0;

	look_at(alike, asked, slot_of(alike->slots, alike->slot_count, asked->whole), &best);
	for (size_t i = 0; !best.group && i < asked->term_count; i++) {
		const struct slot *slot = slot_of(alike->slots, alike->slot_count, asked->terms[i]);
		size_t at = count;

		while (at > 0 && rarest[at - 1]->count > slot->count)
			at--;
		if (!slot->key || at == RAREST)
			continue;
		count += count < RAREST;
		memmove(rarest + at + 1, rarest + at, (count - at - 1) * sizeof(*rarest));
		rarest[at] = slot;
	}
	for (size_t i = 0; i < count; i++)
		look_at(alike, asked, rarest[i], &best);
	return best.group;
}

static void add(struct kb_alike *alike, int64_t id, const struct asked *asked)
{
	struct group *group = KB_NEW(&alike->arena, struct group);
	int32_t number = (int32_t)alike->count;

	*group = (struct group){ id, *asked };
	group->asked.words = kb_bound_copy(&alike->arena, asked->words);
	alike->groups[alike->count++] = group;
	post(alike, group->asked.whole, number);
	for (size_t i = 0; i < group->asked.term_count; i++)
		post(alike, group->asked.terms[i], number);
}

int64_t kb_alike_place(struct kb_alike *alike, int64_t id, struct kb_sv question,
                       struct kb_sv before)
{
	struct kb_arena arena = { 0 };
	struct kb_sv text = kb_utf8_head(question, TEXT_CHARS);
	const struct group *group;
	struct asked asked;
	int64_t found = 0;

	read_asked(alike, &arena, text, &asked);
	if (asked.term_count < FEW_TERMS && before.n) {
		text = kb_arena_printf(&arena, "%.*s\n%.*s", KB_SV_ARG(text),
		                       KB_SV_ARG(kb_utf8_head(before, TEXT_CHARS)));
		read_asked(alike, &arena, text, &asked);
	}
	group = find(alike, &asked);
	if (group) {
		found = group->id;
	} else if (alike->count < alike->most) {
		add(alike, id, &asked);
		found = id;
	}
	kb_arena_fini(&arena);
	return found;
}
