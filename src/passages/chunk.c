#include "passages/chunk.h"

#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "index/sentence.h"
#include "index/unicode.h"

/* A stretch of the document that is not cut any more: a block, a code line, a sentence, or a part
 * of one that was too long. */
struct piece {
	struct kb_sv text;
	struct kb_sv gap; /* what stands between the piece before and this one */
	uint32_t offset, page_no, picture;
	uint32_t depth, number; /* of an item that begins there; depth 0: none */
	enum kb_block_type type;
	int64_t words, letters; /* letters: with its gap */
	struct kb_sv heading;
	bool is_heading;
	bool bare; /* a heading that nothing stands under */
	bool says; /* a heading that is text: a bare one, or a sentence */
};

struct pieces {
	struct piece *v;
	size_t count, capacity;
};

static bool is_dense(uint32_t cp)
{
	return (cp >= 0x0e00 && cp <= 0x0eff) || (cp >= 0x1000 && cp <= 0x109f)
	       || (cp >= 0x1780 && cp <= 0x17ff) || (cp >= 0x3040 && cp <= 0x30ff)
	       || (cp >= 0x3400 && cp <= 0x9fff) || (cp >= 0xac00 && cp <= 0xd7af)
	       || (cp >= 0xf900 && cp <= 0xfaff) || (cp >= 0x20000 && cp <= 0x3ffff);
}

int64_t kb_count_words(struct kb_sv text)
{
	int64_t words = 0, dense = 0;
	bool inside = false;

	for (size_t i = 0; i < text.n;) {
		unsigned char c = (unsigned char)text.p[i];
		uint32_t cp = c;

		i += c < 0x80 ? 1 : kb_utf8_decode(kb_sv_from(text, i), &cp);
		if (cp <= ' ' || cp == 0x3000) {
			inside = false;
		} else if (c >= 0x80 && is_dense(cp)) {
			dense++;
			inside = false;
		} else if (!inside) {
			inside = true;
			words++;
		}
	}
	return words + (dense + 1) / 2;
}

static size_t decode(struct kb_sv text, size_t at, uint32_t *cp)
{
	*cp = (unsigned char)text.p[at];
	return *cp < 0x80 ? 1 : kb_utf8_decode(kb_sv_from(text, at), cp);
}

/* Where a text is cut of which `most` bytes may stand together: at its last blank, or where no two
 * characters belong together, if that leaves at least half; else anywhere between characters. */
static size_t place_of_cut(struct kb_sv text, size_t most)
{
	size_t blank = 0, whole = 0;
	uint32_t cp, before = 0;
	int32_t state = 0;

	for (size_t at = 0; at <= most; before = cp) {
		size_t n = decode(text, at, &cp);

		if (cp == ' ' || cp == '\n' || cp == 0x3000)
			blank = at;
		if (!kb_char_joins(before, cp, &state))
			whole = at;
		at += n;
	}
	return blank > most / 2 ? blank : whole > most / 2 ? whole : most;
}

/* How much of the text may stand in one passage. */
static size_t fitting(struct kb_sv text, int64_t *letters)
{
	*letters = 0;
	for (size_t at = 0; at < text.n;) {
		uint32_t cp;
		size_t n = decode(text, at, &cp);

		*letters += cp >= 0x80 && is_dense(cp) ? KB_CHUNK_DENSE_LETTERS : 1;
		if (*letters > KB_CHUNK_MAX_LETTERS)
			return place_of_cut(text, at);
		at += n;
	}
	return text.n;
}

static struct piece *room(struct pieces *pieces, struct kb_arena *arena)
{
	if (pieces->count == pieces->capacity) {
		size_t more = pieces->capacity ? pieces->capacity * 2 : 64;
		struct piece *v = KB_NEW_ARRAY(arena, more, struct piece);

		if (pieces->count)
			memcpy(v, pieces->v, pieces->count * sizeof(*v));
		pieces->v = v;
		pieces->capacity = more;
	}
	return &pieces->v[pieces->count++];
}

/* from and n: bytes of the block; end: where the piece before it in the block ended, 0: none. */
static void add_piece(struct pieces *pieces, struct kb_arena *arena, const struct kb_block *block,
                      size_t end, size_t from, size_t n)
{
	bool is_heading = block->type == KB_BLOCK_HEADING;
	size_t stop = from + n;

	while (from < stop) {
		int64_t letters;
		struct kb_sv rest = kb_sv_sub(block->text, from, stop - from);
		struct kb_sv text = kb_sv_sub(rest, 0, fitting(rest, &letters));

		*room(pieces, arena) = (struct piece){
			.text = text,
			.gap = end ? kb_sv_sub(block->text, end, from - end) : KB_SV("\n"),
			.offset = block->offset + (uint32_t)from,
			.page_no = block->page_no,
			.picture = block->picture,
			.depth = from ? 0 : block->depth,
			.number = from ? 0 : block->number,
			.heading = block->heading,
			.is_heading = is_heading,
			.type = block->type,
			.words = kb_count_words(text),
			.letters = letters + (int64_t)(end ? from - end : 1),
		};
		end = from += text.n;
		while (from < stop && (block->text.p[from] == ' ' || block->text.p[from] == '\n'))
			from++;
		is_heading = false; /* the path has room for the beginning only */
	}
}

/* Code by lines, a long paragraph by sentences, everything else whole. */
static void add_block(struct pieces *pieces, struct kb_arena *arena, const struct kb_block *block)
{
	if (block->type == KB_BLOCK_CODE) {
		for (size_t at = 0, end = 0; at < block->text.n;) {
			ptrdiff_t line = kb_sv_find_byte(kb_sv_from(block->text, at), '\n');
			size_t n = line < 0 ? block->text.n - at : (size_t)line;

			add_piece(pieces, arena, block, end, at, n);
			end = n ? at + n : end; /* an empty line is part of the gap */
			at += n + 1;
		}
	} else if (block->type == KB_BLOCK_PARAGRAPH
	           && kb_count_words(block->text) > KB_CHUNK_MAX_WORDS) {
		struct kb_sentence *sentences;
		size_t count;

		kb_sentences(arena, block->text, &sentences, &count);
		for (size_t i = 0; i < count; i++)
			add_piece(pieces, arena, block, i ? sentences[i - 1].end : 0,
			          sentences[i].start, sentences[i].end - sentences[i].start);
	} else {
		add_piece(pieces, arena, block, 0, 0, block->text.n);
	}
}

/* Whether the piece stands under a heading of that text. */
static bool is_under(const struct piece *piece, struct kb_sv heading)
{
	enum { CUT = 60 }; /* a path holds the beginning of a long heading */
	struct kb_sv rest = piece->heading;

	while (rest.n) {
		ptrdiff_t end = kb_sv_find(rest, KB_SV(" > "));
		struct kb_sv one = kb_sv_sub(rest, 0, end < 0 ? rest.n : (size_t)end);

		if (kb_sv_eq(one, heading) || (one.n > CUT && kb_sv_starts(heading, one)))
			return true;
		rest = kb_sv_from(rest, one.n + 3);
	}
	return false;
}

/* Headings that are text themselves. */
static void find_saying(struct pieces *pieces)
{
	for (size_t i = 0; i < pieces->count; i++) {
		struct piece *piece = &pieces->v[i];
		const struct piece *next = i + 1 < pieces->count ? piece + 1 : NULL;

		if (!piece->is_heading)
			continue;
		/* What has the heading's own path is the rest of one that was too long. */
		piece->bare =
		        !next
		        || (!is_under(next, kb_sv_trim(piece->text))
		            && (next->is_heading || !kb_sv_eq(next->heading, piece->heading)));
		piece->says = piece->bare || kb_states(piece->text)
		              || (kb_asks(piece->text) && next->words <= KB_CHUNK_FEW_WORDS);
		/* A sentence stands in its own section. */
		if (piece->says && !piece->bare)
			piece->heading = next->heading;
	}
}

static bool asks(const struct piece *piece)
{
	return piece->is_heading && kb_asks(piece->text);
}

/* Stands under a question: question and answer are a passage of their own, however short. */
static bool is_answer(const struct piece *piece)
{
	return kb_asks(piece->is_heading ? piece->text : piece->heading);
}

/* Does the next piece begin a new passage, so much text being in the one at hand? */
static bool starts_passage(const struct piece *first, const struct piece *next, int64_t words,
                           int64_t letters)
{
	if (letters + next->letters > KB_CHUNK_MAX_LETTERS)
		return letters > 0;
	if (words == 0)
		return false;
	/* What a picture shows is a passage of its own, and stands right behind another piece. */
	if (next->picture != next[-1].picture)
		return true;
	if (words + next->words > KB_CHUNK_MAX_WORDS || words >= KB_CHUNK_WORDS)
		return true;
	if ((next->is_heading && !next->bare) || !kb_sv_eq(next->heading, first->heading))
		return words >= KB_CHUNK_MIN_WORDS || asks(next) || is_answer(first);
	return false;
}

/* The pieces as a slice of the whole text: they stand in it one after another, with their gaps. */
static struct kb_sv joined(struct kb_arena *arena, const struct piece *pieces, size_t count)
{
	struct kb_buf buf;
	struct kb_sv text;

	kb_buf_init(&buf, SIZE_MAX / 2);
	for (size_t i = 0; i < count; i++) {
		if (i)
			kb_buf_sv(&buf, pieces[i].gap);
		kb_buf_sv(&buf, pieces[i].text);
	}
	text = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return text;
}

/* What the document marks it as; a heading that is text itself is a line as any other. */
static bool marked_as(const struct piece *piece, enum kb_mark_kind *kind)
{
	if (piece->depth)
		*kind = KB_MARK_ITEM;
	else if (piece->is_heading && !piece->says)
		*kind = KB_MARK_HEADING;
	else if (piece->type == KB_BLOCK_CODE)
		*kind = KB_MARK_CODE;
	else if (piece->type == KB_BLOCK_LIST)
		*kind = KB_MARK_LISTED;
	else
		return false;
	return true;
}

static void add_marks(struct kb_chunk *out, struct kb_arena *arena, const struct piece *pieces,
                      size_t count)
{
	struct kb_line_mark *marks = KB_NEW_ARRAY(arena, count, struct kb_line_mark);

	for (size_t i = 0; i < count; i++) {
		enum kb_mark_kind kind;

		if (marked_as(&pieces[i], &kind))
			marks[out->mark_count++] = (struct kb_line_mark){
				.at = pieces[i].offset - pieces[0].offset,
				.kind = kind,
				.depth = pieces[i].depth,
				.number = pieces[i].number,
			};
	}
	out->marks = marks;
}

static void add_chunk(struct kb_chunks *out, struct kb_arena *arena, const struct piece *pieces,
                      size_t count)
{
	/* A heading at the start is the passage's heading already, or says nothing. */
	while (count && pieces[0].is_heading && !pieces[0].says) {
		pieces++;
		count--;
	}
	if (!count)
		return;
	out->v[out->count++] = (struct kb_chunk){
		.heading = pieces[0].heading,
		.text = joined(arena, pieces, count),
		.page_no = pieces[0].page_no,
		.offset = pieces[0].offset,
	};
	add_marks(&out->v[out->count - 1], arena, pieces, count);
}

void kb_chunk(struct kb_arena *arena, const struct kb_parsed *parsed, struct kb_chunks *out)
{
	struct pieces pieces = { 0 };
	size_t first = 0;
	int64_t words = 0, letters = 0;

	*out = (struct kb_chunks){ 0 };
	for (size_t i = 0; i < parsed->block_count; i++)
		add_block(&pieces, arena, &parsed->blocks[i]);
	find_saying(&pieces);
	out->v = KB_NEW_ARRAY(arena, pieces.count + 1, struct kb_chunk);
	for (size_t i = 0; i < pieces.count; i++) {
		const struct piece *piece = &pieces.v[i];

		out->words += piece->words;
		if (starts_passage(&pieces.v[first], piece, words, letters)) {
			size_t end = i;

			/* A heading goes with what stands under it. */
			while (end > first + 1 && pieces.v[end - 1].is_heading)
				end--;
			add_chunk(out, arena, pieces.v + first, end - first);
			first = end;
			words = letters = 0;
			for (; end < i; end++)
				letters += pieces.v[end].letters;
		}
		if (!piece->is_heading || piece->says || i > first)
			words += piece->words;
		letters += piece->letters;
	}
	if (first < pieces.count)
		add_chunk(out, arena, pieces.v + first, pieces.count - first);
}
