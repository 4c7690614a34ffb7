#include "encode/pieces.h"

#include "base/utf8.h"

#define NO_NODE UINT32_MAX

enum { LETTER_MAX = 5 }; /* bytes, with a blank before it */

/* ---- the trie ----
 *
 * The file's numbers are checked where they are used: a damaged file leads to other pieces, never
 * outside the map.
 */

static uint32_t child_of(const struct kb_encoder *encoder, uint32_t node, uint8_t label)
{
	uint32_t first = encoder->children[node], end = encoder->children[node + 1];
	const uint8_t *found;

	if (first >= end || end > encoder->form.nodes)
		return NO_NODE;
	found = memchr(encoder->labels + first, label, end - first);
	return found ? (uint32_t)(found - encoder->labels) : NO_NODE;
}

/* The piece that ends at the node, or KB_PIECE_UNKNOWN. */
static uint32_t piece_of(const struct kb_encoder *encoder, uint32_t node)
{
	uint64_t piece;

	if (!kb_encoder_bit(&encoder->ends, node))
		return KB_PIECE_UNKNOWN;
	piece = kb_encoder_rank(&encoder->ends, node) + KB_PIECES_SPECIAL;
	return piece < encoder->form.pieces ? (uint32_t)piece : KB_PIECE_UNKNOWN;
}

/* ---- a word ---- */

static void reach(struct kb_pieces *pieces, size_t from, size_t to, uint32_t piece)
{
	struct kb_pieces_place *place = &pieces->places[to];
	float score = pieces->places[from].score + pieces->encoder->scores[piece];

	if (place->start < to && !(score > place->score))
		return;
	*place = (struct kb_pieces_place){ score, piece, (uint32_t)from };
}

static void reach_from(struct kb_pieces *pieces, size_t from)
{
	struct kb_sv rest = kb_sv(pieces->word + from, pieces->word_bytes - from);
	uint32_t node = 0, cp;
	size_t letter = kb_utf8_decode(rest, &cp);
	bool single = false;

	for (size_t i = 0; i < rest.n; i++) {
		uint32_t piece;

		node = child_of(pieces->encoder, node, (uint8_t)rest.p[i]);
		if (node == NO_NODE)
			break;
		piece = piece_of(pieces->encoder, node);
		if (piece == KB_PIECE_UNKNOWN)
			continue;
		reach(pieces, from, from + i + 1, piece);
		single = single || i + 1 == letter;
	}
	if (!single)
		reach(pieces, from, from + letter, KB_PIECE_UNKNOWN);
}

/* Appends the word's pieces as far as there is room; the word is empty then. */
static uint32_t take_word(struct kb_pieces *pieces, uint32_t count, uint32_t most, uint32_t *out)
{
	size_t n = pieces->word_bytes, bounds = pieces->pending_count;
	uint32_t own = 0, k, piece = KB_PIECE_BEGIN;

	for (size_t i = 0; i <= n; i++)
		pieces->places[i].start = (uint32_t)n; /* not reached */
	pieces->places[0] = (struct kb_pieces_place){ 0 };
	for (size_t i = 0; i < n; i++)
		if (i == 0 || pieces->places[i].start < i)
			reach_from(pieces, i);
	/* Backwards twice: how many there are, then each at its place. */
	for (size_t i = n; i > 0; i = pieces->places[i].start) {
		own += pieces->places[i].piece != KB_PIECE_UNKNOWN || piece != KB_PIECE_UNKNOWN;
		piece = pieces->places[i].piece;
	}
	k = own;
	piece = KB_PIECE_BEGIN;
	for (size_t i = n; i > 0; i = pieces->places[i].start) {
		bool more =
		        pieces->places[i].piece == KB_PIECE_UNKNOWN && piece == KB_PIECE_UNKNOWN;

		piece = pieces->places[i].piece;
		if (!more && count + --k < most)
			out[count + k] = piece;
		/* Backwards, too, the bounds behind its first byte. */
		while (bounds > 0 && pieces->pending[bounds - 1] > pieces->places[i].start)
			pieces->pending[--bounds] = KB_MIN(count + k + 1, most);
	}
	while (bounds > 0)
		pieces->pending[--bounds] = count;
	pieces->pending_count = 0;
	pieces->word_bytes = 0;
	return KB_MIN(count + own, most);
}

/* ---- a text ---- */

/* Goes on with the text; `begins`: a word, and not what goes on after a cut. */
static uint32_t take_stretch(struct kb_pieces *pieces, struct kb_sv text, bool *begins,
                             uint32_t count, uint32_t most, uint32_t *out)
{
	uint32_t cp;

	kb_normal_begin(&pieces->normal, text);
	while (count < most && (cp = kb_normal_next(&pieces->normal)) != KB_NORMAL_END) {
		if (cp == ' ') {
			count = take_word(pieces, count, most, out);
			*begins = true;
			continue;
		}
		if (*begins)
			pieces->word[pieces->word_bytes++] = ' ';
		*begins = false;
		pieces->word_bytes += kb_utf8_encode(cp, pieces->word + pieces->word_bytes);
		if (pieces->word_bytes + LETTER_MAX > KB_PIECES_WORD)
			count = take_word(pieces, count, most, out);
	}
	return count;
}

static uint32_t take_text(struct kb_pieces *pieces, struct kb_sv text,
                          const struct kb_pieces_bounds *bounds, uint32_t count, uint32_t most,
                          uint32_t *out)
{
	bool begins = true;
	size_t at = 0;

	pieces->word_bytes = 0;
	pieces->pending_count = 0;
	for (size_t i = 0; bounds && i < bounds->count; i++) {
		size_t end = bounds->bytes[i];

		count = take_stretch(pieces, kb_sv_sub(text, at, end - at), &begins, count, most,
		                     out);
		if (!pieces->pending_count)
			pieces->pending = &bounds->pieces[i];
		pieces->pending[pieces->pending_count++] = (uint32_t)pieces->word_bytes;
		at = end;
	}
	count = take_stretch(pieces, kb_sv_from(text, at), &begins, count, most, out);
	return take_word(pieces, count, most, out);
}

uint32_t kb_pieces_read(struct kb_pieces *pieces, struct kb_sv prefix, struct kb_sv text,
                        const struct kb_pieces_bounds *bounds, uint32_t longest, uint32_t *out)
{
	uint32_t count = 0, most = longest - 1; /* room for the last mark */

	out[count++] = KB_PIECE_BEGIN;
	count = take_text(pieces, prefix, NULL, count, most, out);
	count = take_text(pieces, text, bounds, count, most, out);
	out[count++] = KB_PIECE_END;
	return count;
}
