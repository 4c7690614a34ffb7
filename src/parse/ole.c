/*
 * The file begins with a header of 512 bytes; sector n stands behind it at (n + 1) sectors. Which
 * sector follows which says a table of four bytes each, the fat, that lies in sectors itself. Small
 * streams lie in a stream of their own, the mini stream, cut into smaller sectors with a fat of
 * theirs. The folder is a stream of entries of 128 bytes, which are nodes of a tree: a name in
 * UTF-16, its bytes at 40, the kind at 42, left and right at 44 and 48, what is below at 4c, the
 * first sector at 74 and the size at 78 (all hexadecimal; [MS-CFB] 2.6).
 *
 * Every number may lie. A place behind the end gives zeros or an empty piece, and a chain ends when
 * it has given as many bytes as the file or the mini stream has, so that one that bites its tail
 * ends too.
 */
#include "parse/ole.h"

#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "parse/charset.h"

enum {
	HEADER_BYTES = 512,
	ENTRY_BYTES = 128, /* of the folder */
	ENTRY_NAME = 64,
	STREAM = 2,
	ROOT = 5,
	LISTED_IN_HEADER = 109, /* sectors of the table of sectors */
};

static const uint32_t last = 0xfffffffa; /* the first number that is no sector */

uint16_t kb_le16(struct kb_sv bytes, size_t at)
{
	const unsigned char *p = (const unsigned char *)bytes.p + at;

	return at + 2 <= bytes.n ? (uint16_t)(p[0] | (unsigned)p[1] << 8) : 0;
}

uint32_t kb_le32(struct kb_sv bytes, size_t at)
{
	return kb_le16(bytes, at) | (uint32_t)kb_le16(bytes, at + 2) << 16;
}

void kb_ole_text(struct kb_buf *out, struct kb_sv units, bool wide)
{
	size_t step = wide ? 2 : 1;

	for (size_t i = 0; i + step <= units.n; i += step) {
		uint32_t cp = wide ? kb_le16(units, i) : (unsigned char)units.p[i];
		char utf8[4];

		/* A high half and a low one are one character; a half alone is damage. */
		if (cp >= 0xd800 && cp < 0xe000) {
			uint32_t next = wide ? kb_le16(units, i + 2) : 0;

			if (cp < 0xdc00 && next >= 0xdc00 && next < 0xe000) {
				cp = 0x10000 + ((cp - 0xd800) << 10) + (next - 0xdc00);
				i += step;
			} else {
				cp = 0xfffd;
			}
		}
		kb_buf_add(out, utf8, kb_utf8_encode(cp, utf8));
	}
}

static struct kb_sv sector_at(const struct kb_ole *ole, uint32_t n)
{
	return kb_sv_sub(ole->bytes, ((size_t)n + 1) * ole->sector, ole->sector);
}

/* The pieces of a chain one after the other, up to `size`. */
static struct kb_sv chain(const struct kb_ole *ole, uint32_t start, size_t size, bool is_mini)
{
	struct kb_sv table = is_mini ? ole->mini_fat : ole->fat;
	size_t most = KB_MIN(size, is_mini ? ole->mini.n : ole->bytes.n), n = 0;
	char *all = kb_arena_bytes(ole->arena, most + 1);

	while (start < last && n < most) {
		struct kb_sv piece =
		        is_mini ? kb_sv_sub(ole->mini, (size_t)start * ole->mini_sector,
		                            ole->mini_sector)
		                : sector_at(ole, start);

		piece = kb_sv_sub(piece, 0, most - n);
		if (!piece.n || ((size_t)start + 1) * 4 > table.n)
			break;
		memcpy(all + n, piece.p, piece.n);
		n += piece.n;
		start = kb_le32(table, (size_t)start * 4);
	}
	return kb_sv(all, n);
}

/* The table of sectors lies in sectors itself, which the header lists, and a chain of lists. */
static void read_table(struct kb_ole *ole)
{
	size_t sectors = ole->bytes.n / ole->sector, per = ole->sector / 4, n = 0;
	char *all = kb_arena_bytes(ole->arena, ole->bytes.n + 1); /* no table is longer */
	uint32_t list = kb_le32(ole->bytes, 0x44);

	for (size_t i = 0; i < LISTED_IN_HEADER && n + ole->sector <= ole->bytes.n; i++) {
		struct kb_sv piece = sector_at(ole, kb_le32(ole->bytes, 0x4c + i * 4));

		if (kb_le32(ole->bytes, 0x4c + i * 4) >= last || piece.n < ole->sector)
			break;
		memcpy(all + n, piece.p, piece.n);
		n += piece.n;
	}
	/* The last number of each list is where the next one is. */
	for (size_t lists = 0; list < last && lists < sectors; lists++) {
		struct kb_sv names = sector_at(ole, list);

		for (size_t i = 0; i + 1 < per && n + ole->sector <= ole->bytes.n; i++) {
			uint32_t name = kb_le32(names, i * 4);
			struct kb_sv piece = sector_at(ole, name);

			if (name >= last || piece.n < ole->sector)
				break;
			memcpy(all + n, piece.p, piece.n);
			n += piece.n;
		}
		list = names.n < ole->sector ? last : kb_le32(names, (per - 1) * 4);
	}
	ole->fat = kb_sv(all, n);
}

bool kb_ole_open(struct kb_arena *arena, struct kb_sv bytes, struct kb_ole *out)
{
	uint16_t shift = kb_le16(bytes, 0x1e), mini_shift = kb_le16(bytes, 0x20);

	*out = (struct kb_ole){ .arena = arena, .bytes = bytes };
	/* Sectors of 512 and 4,096 bytes are all there are, 64 in the mini stream; these bounds
	 * keep what follows from shifting too far, and from sectors of a byte. */
	if (bytes.n < HEADER_BYTES || shift < 7 || shift > 16 || mini_shift < 4
	    || mini_shift > shift)
		return false;
	out->sector = 1u << shift;
	out->mini_sector = 1u << mini_shift;
	out->mini_below = kb_le32(bytes, 0x38);
	read_table(out);
	out->folder = chain(out, kb_le32(bytes, 0x30), SIZE_MAX, false);
	out->mini_fat = chain(out, kb_le32(bytes, 0x3c), SIZE_MAX, false);
	for (size_t at = 0; at + ENTRY_BYTES <= out->folder.n; at += ENTRY_BYTES)
		if (out->folder.p[at + 0x42] == ROOT) {
			out->mini = chain(out, kb_le32(out->folder, at + 0x74),
			                  kb_le32(out->folder, at + 0x78), false);
			break;
		}
	return out->folder.n >= ENTRY_BYTES;
}

static bool is_named(struct kb_sv entry, const char *name)
{
	size_t n = strlen(name);

	if ((n + 1) * 2 > ENTRY_NAME || kb_le16(entry, ENTRY_NAME) != (n + 1) * 2)
		return false;
	for (size_t i = 0; i < n; i++)
		if (kb_le16(entry, i * 2) != (unsigned char)name[i])
			return false;
	return true;
}

/* What lies in the outermost folder, which is a tree of its own: what it holds may hold streams of
 * the same names. Whatever the tree is, each entry is looked at once. */
static struct kb_sv outer_stream(const struct kb_ole *ole, const char *name)
{
	size_t count = ole->folder.n / ENTRY_BYTES, open_count = 0;
	uint32_t *open = KB_NEW_ARRAY(ole->arena, 2 * count + 1, uint32_t);
	bool *seen = KB_NEW_ARRAY(ole->arena, count, bool);

	memset(seen, 0, count * sizeof(*seen));
	open[open_count++] = kb_le32(ole->folder, 0x4c);
	while (open_count) {
		uint32_t i = open[--open_count];
		struct kb_sv entry = kb_sv_sub(ole->folder, (size_t)i * ENTRY_BYTES, ENTRY_BYTES);

		if (i >= count || seen[i])
			continue;
		seen[i] = true;
		if (entry.p[0x42] == STREAM && is_named(entry, name))
			return entry;
		open[open_count++] = kb_le32(entry, 0x44);
		open[open_count++] = kb_le32(entry, 0x48);
	}
	return KB_SV("");
}

/* The first of that name anywhere, of a file whose tree is damaged. */
static struct kb_sv any_stream(const struct kb_ole *ole, const char *name)
{
	for (size_t at = 0; at + ENTRY_BYTES <= ole->folder.n; at += ENTRY_BYTES) {
		struct kb_sv entry = kb_sv_sub(ole->folder, at, ENTRY_BYTES);

		if (entry.p[0x42] == STREAM && is_named(entry, name))
			return entry;
	}
	return KB_SV("");
}

bool kb_ole_stream(const struct kb_ole *ole, const char *name, struct kb_sv *out)
{
	struct kb_sv entry = outer_stream(ole, name);
	uint32_t size;

	if (!entry.n)
		entry = any_stream(ole, name);
	size = kb_le32(entry, 0x78);
	*out = entry.n ? chain(ole, kb_le32(entry, 0x74), size, size < ole->mini_below) : KB_SV("");
	return entry.n > 0;
}

/* ---- what is said of the file */

enum { SECTION_AT = 44, CODE_PAGE = 1, TITLE = 2, NARROW = 30, WIDE = 31, UTF8 = 65001 };

struct kb_sv kb_ole_code_page(const struct kb_ole *ole, struct kb_sv bytes, uint32_t page)
{
	struct kb_sv type = page == UTF8 ? KB_SV("text/plain; charset=utf-8")
	                    : page == 10000
	                            ? KB_SV("text/plain; charset=macintosh")
	                            : kb_arena_printf(ole->arena, "text/plain; charset=windows-%u",
	                                              page ? page : 1252);

	return kb_charset_to_utf8(ole->arena, bytes, type, NULL);
}

struct kb_sv kb_ole_title(const struct kb_ole *ole)
{
	struct kb_sv all, section, found = KB_SV("");
	uint32_t page = 0, kind = 0;
	struct kb_buf buf;

	if (!kb_ole_stream(ole, "\005SummaryInformation", &all))
		return found;
	/* A section: its size, how many properties, then the name and the place of each. */
	section = kb_sv_from(all, kb_le32(all, SECTION_AT));
	for (size_t at = 8; at + 8 <= section.n && at / 8 <= kb_le32(section, 4); at += 8) {
		struct kb_sv value = kb_sv_from(section, kb_le32(section, at + 4));

		if (kb_le32(section, at) == CODE_PAGE)
			page = kb_le16(value, 4);
		if (kb_le32(section, at) != TITLE)
			continue;
		kind = kb_le32(value, 0);
		found = kb_sv_sub(value, 8, (size_t)kb_le32(value, 4) * (kind == WIDE ? 2 : 1));
	}
	if (kind == NARROW) {
		for (size_t i = 0; i < found.n; i++)
			if (!found.p[i])
				found.n = i;
		return kb_ole_code_page(ole, found, page);
	}
	kb_buf_init(&buf, SIZE_MAX);
	if (kind == WIDE)
		kb_ole_text(&buf, found, true);
	found = kb_arena_sv(ole->arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return found;
}
