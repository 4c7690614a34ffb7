#include "index/codes.h"

#include <string.h>

/* What a run is made of: parts of letters and digits, each joined to the one before. */
struct run {
	uint32_t start, end;
	struct part {
		uint32_t start, end;
		char joint; /* before it: '-', '_', '.' */
		bool digits, letters, lower;
	} parts[KB_CODE_PARTS];
	size_t count;
	bool too_long;
};

struct list {
	struct kb_arena *arena;
	struct kb_code *v;
	size_t count, capacity;
};

enum { OTHER, LETTER_LOWER, LETTER_UPPER, DIGIT };

static int kind_of(char c)
{
	if (c >= 'a' && c <= 'z')
		return LETTER_LOWER;
	if (c >= 'A' && c <= 'Z')
		return LETTER_UPPER;
	return c >= '0' && c <= '9' ? DIGIT : OTHER;
}

/* The same by a table, for what is looked at byte by byte. */
enum { NEITHER, A_LETTER, A_DIGIT };
// clang-format off
#define TEN(class) class, class, class, class, class, class, class, class, class, class
static const unsigned char classes[256] = {
	['0'] = TEN(A_DIGIT),
	['A'] = TEN(A_LETTER), TEN(A_LETTER), A_LETTER, A_LETTER, A_LETTER, A_LETTER, A_LETTER, A_LETTER,
	['a'] = TEN(A_LETTER), TEN(A_LETTER), A_LETTER, A_LETTER, A_LETTER, A_LETTER, A_LETTER, A_LETTER,
};
// clang-format on

/* The length of a joint at i, and how it is kept; 0: there is none. */
static size_t joint_at(struct kb_sv text, size_t i, char *joint)
{
	const unsigned char *p = (const unsigned char *)text.p + i;

	if (i < text.n && (*p == '-' || *p == '_' || *p == '.')) {
		*joint = (char)*p;
		return 1;
	}
	/* U+2010 hyphen, U+2011 that does not break, U+2012 figure dash, U+2013 en dash */
	if (text.n - i >= 3 && p[0] == 0xe2 && p[1] == 0x80 && p[2] >= 0x90 && p[2] <= 0x93) {
		*joint = '-';
		return 3;
	}
	return 0;
}

static size_t read_part(struct kb_sv text, size_t i, struct part *part)
{
	int kind;

	part->start = (uint32_t)i;
	for (; i < text.n && (kind = kind_of(text.p[i])) != OTHER; i++) {
		part->digits |= kind == DIGIT;
		part->letters |= kind != DIGIT;
		part->lower |= kind == LETTER_LOWER;
	}
	part->end = (uint32_t)i;
	return i;
}

/* Reads the run at i; returns its end. */
static size_t read_run(struct kb_sv text, size_t i, struct run *run)
{
	char joint = 0;

	*run = (struct run){ .start = (uint32_t)i };
	for (;;) {
		struct part part = { .joint = joint };
		size_t n;

		i = read_part(text, i, &part);
		if (run->count < KB_CODE_PARTS)
			run->parts[run->count++] = part;
		else
			run->too_long = true;
		run->end = (uint32_t)i;
		n = joint_at(text, i, &joint);
		if (!n || i + n >= text.n || kind_of(text.p[i + n]) == OTHER)
			break;
		i += n;
	}
	run->too_long |= run->end - run->start > KB_CODE_BYTES;
	return i;
}

static bool is_code(const struct run *run, bool decimals)
{
	bool digits = false, letters = false, lower = false, dotted = true, named = true;

	for (size_t i = 0; i < run->count; i++) {
		const struct part *part = &run->parts[i];

		digits |= part->digits;
		letters |= part->letters;
		lower |= part->lower;
		dotted &= !i || part->joint == '.';
		named &= part->end - part->start > 1;
		if (part->joint == '_')
			return true;
	}
	if (digits && letters)
		return true;
	if (run->count < 2)
		return false;
	if (digits)
		return !dotted || run->count > 2 || decimals;
	return dotted ? named : !lower;
}

/* The one way to write parts `from` to `end` - 1. */
static struct kb_sv write_term(struct kb_arena *arena, struct kb_sv text, const struct run *run,
                               size_t from, size_t end)
{
	char *out = kb_arena_bytes(arena, KB_CODE_BYTES + 2);
	size_t n = 0;

	out[n++] = '=';
	for (size_t i = from; i < end; i++) {
		const struct part *part = &run->parts[i];

		if (i > from && kind_of(out[n - 1]) == DIGIT
		    && kind_of(text.p[part->start]) == DIGIT)
			out[n++] = '.';
		for (uint32_t k = part->start; k < part->end; k++) {
			char c = text.p[k];

			out[n++] = kind_of(c) == LETTER_UPPER ? (char)(c | 0x20) : c;
		}
	}
	return kb_sv(out, n);
}

static void add(struct list *list, struct kb_sv term, const struct run *run, bool part)
{
	if (list->count == list->capacity) {
		size_t more = list->capacity ? 2 * list->capacity : 16;
		struct kb_code *v = KB_NEW_ARRAY(list->arena, more, struct kb_code);

		if (list->count)
			memcpy(v, list->v, list->count * sizeof(*v));
		list->v = v;
		list->capacity = more;
	}
	list->v[list->count++] = (struct kb_code){ term, run->start, run->end, part };
}

/* "=2.0" of v2.0, "=2024.1234" of CVE-2024-1234: numbers joined to one another, behind letters. */
static void add_numbers(struct list *list, struct kb_sv whole, const struct run *run)
{
	for (size_t i = 1; i < whole.n;) {
		size_t from = i;
		bool joined = false;

		while (i < whole.n && (kind_of(whole.p[i]) == DIGIT || whole.p[i] == '.'))
			joined |= whole.p[i++] == '.';
		if (joined && i - from < whole.n - 1) {
			char *out = kb_arena_bytes(list->arena, i - from + 1);

			out[0] = '=';
			memcpy(out + 1, whole.p + from, i - from);
			add(list, kb_sv(out, i - from + 1), run, true);
		}
		i += i == from;
	}
}

static void add_code(struct list *list, struct kb_sv text, const struct run *run)
{
	struct kb_sv whole = write_term(list->arena, text, run, 0, run->count);
	bool digits = false;

	for (size_t i = 0; i < run->count; i++)
		digits |= run->parts[i].digits;
	add(list, whole, run, false);
	for (size_t end = run->count - 1; digits && end >= 2; end--)
		add(list, write_term(list->arena, text, run, 0, end), run, true);
	add_numbers(list, whole, run);
}

/* Whether a code may begin with the letters before i: digits follow them, or a joint and another
 * part. */
static bool goes_on(struct kb_sv text, size_t i)
{
	char joint;
	size_t n;

	if (i < text.n && text.p[i] >= '0' && text.p[i] <= '9')
		return true;
	n = joint_at(text, i, &joint);
	return n && i + n < text.n && classes[(unsigned char)text.p[i + n]] != NEITHER;
}

void kb_codes(struct kb_arena *arena, struct kb_sv text, bool decimals, struct kb_code **out,
              size_t *count)
{
	struct list list = { .arena = arena };

	for (size_t i = 0; i < text.n;) {
		size_t start;
		struct run run;

		while (i < text.n && classes[(unsigned char)text.p[i]] == NEITHER)
			i++;
		for (start = i; i < text.n && classes[(unsigned char)text.p[i]] == A_LETTER; i++)
			;
		if (i == text.n || (i > start && !goes_on(text, i)))
			continue; /* a word, as most runs are */
		i = read_run(text, start, &run);
		if (!run.too_long && is_code(&run, decimals))
			add_code(&list, text, &run);
	}
	*out = list.v;
	*count = list.count;
}
