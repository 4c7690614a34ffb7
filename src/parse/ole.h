/*
 * The container of old binary Office files (OLE): a small file system of sectors. Nothing in it is
 * trusted: a chain of sectors is followed no further than the file is long. Only in a parser child.
 */
#ifndef KB_PARSE_OLE_H
#define KB_PARSE_OLE_H

#include "base/arena.h"

struct kb_ole {
	struct kb_arena *arena;
	struct kb_sv bytes;
	uint32_t sector, mini_sector; /* bytes of one */
	uint32_t mini_below;          /* shorter streams lie in the mini stream */
	struct kb_sv fat, mini_fat;   /* of each sector the next, four bytes each */
	struct kb_sv folder, mini;
};

/* False: it is none, or damaged. */
bool kb_ole_open(struct kb_arena *arena, struct kb_sv bytes, struct kb_ole *out);
/* The stream of that name, whole, rather of the outermost folder; false where there is none. */
bool kb_ole_stream(const struct kb_ole *ole, const char *name, struct kb_sv *out);

/* The title that it says it has; empty: none. */
struct kb_sv kb_ole_title(const struct kb_ole *ole);
/* Text of a code page of Windows, by its number; 0: the western one. */
struct kb_sv kb_ole_code_page(const struct kb_ole *ole, struct kb_sv bytes, uint32_t page);

/* Numbers as Intel has them; 0 behind the end. */
uint16_t kb_le16(struct kb_sv bytes, size_t at);
uint32_t kb_le32(struct kb_sv bytes, size_t at);
/* UTF-16 to UTF-8, halves of characters as U+FFFD; wide: false: a byte a character (ISO 8859-1). */
struct kb_buf;
void kb_ole_text(struct kb_buf *out, struct kb_sv units, bool wide);

#endif
