/*
 * Any bytes as a text: its form, and its pieces by a small set of them. However many are wanted,
 * those are the first of all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../unit/encode/small.h"
#include "base/utf8.h"
#include "encode/pieces.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct kb_pieces *reader(void)
{
	static struct kb_encoder encoder;
	static struct kb_pieces *pieces;
	struct kb_err err;
	struct small s;
	char path[64];

	if (pieces)
		return pieces;
	snprintf(path, sizeof(path), "/tmp/docent-pieces-fuzz-%d", (int)getpid());
	small_make(&s);
	small_write(&s, path);
	KB_ASSERT(kb_encoder_read(&encoder, path, &err));
	unlink(path);
	small_fini(&s);
	pieces = kb_xcalloc(1, sizeof(*pieces));
	pieces->encoder = &encoder;
	return pieces;
}

static void check_form(struct kb_sv text)
{
	struct kb_normal normal;
	uint32_t cp;
	size_t n = 0;

	kb_normal_begin(&normal, text);
	while ((cp = kb_normal_next(&normal)) != KB_NORMAL_END) {
		KB_ASSERT(cp >= ' ' && cp < 0x110000 && (cp < 0xd800 || cp > 0xdfff));
		n++;
	}
	KB_ASSERT(n <= 18 * text.n); /* U+FDFA becomes so many letters */
}

/* Places that lie before and behind letters, ascending. */
static void check_bounds(struct kb_pieces *pieces, struct kb_sv prefix, struct kb_sv text)
{
	uint32_t most = (uint32_t)text.n * 20 + 8, count, before = 1;
	uint32_t *numbers = kb_xcalloc(most, sizeof(*numbers));
	uint32_t *bytes = kb_xcalloc(text.n + 1, sizeof(*bytes));
	uint32_t *places = kb_xcalloc(text.n + 1, sizeof(*places));
	struct kb_pieces_bounds bounds = { .bytes = bytes, .pieces = places };

	for (uint32_t at = 0; at <= text.n; at += 1 + (at < text.n ? (uint8_t)text.p[at] % 7 : 0))
		bytes[bounds.count++] = at;
	count = kb_pieces_read(pieces, prefix, text, &bounds, most, numbers);
	for (size_t i = 0; i < bounds.count; i++) {
		KB_ASSERT(places[i] >= before && places[i] < count);
		before = places[i];
	}
	free(numbers);
	free(bytes);
	free(places);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_pieces *pieces = reader();
	struct kb_sv text = kb_sv((const char *)data, size), prefix = kb_sv_str("q: ");
	uint32_t most = (uint32_t)size * 20 + 8, count, few;
	uint32_t *all = kb_xcalloc(most, sizeof(*all)), *some = kb_xcalloc(most, sizeof(*some));

	check_form(text);
	check_bounds(pieces, prefix, text);
	count = kb_pieces_read(pieces, prefix, text, NULL, most, all);
	KB_ASSERT(count >= 3 && count < most);
	KB_ASSERT(all[0] == KB_PIECE_BEGIN && all[count - 1] == KB_PIECE_END);
	for (uint32_t i = 1; i + 1 < count; i++)
		KB_ASSERT(all[i] >= KB_PIECE_UNKNOWN && all[i] < SMALL_PIECES);
	few = 2 + (size ? data[0] % count : 0);
	few = kb_pieces_read(pieces, prefix, text, NULL, few, some);
	KB_ASSERT(few <= count && memcmp(all, some, (few - 1) * sizeof(*all)) == 0);
	KB_ASSERT(some[few - 1] == KB_PIECE_END);
	free(all);
	free(some);
	return 0;
}
