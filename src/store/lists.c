#include "store/lists.h"

#include <string.h>

int64_t kb_list_limit(const struct kb_list *list)
{
	return KB_MAX(1, KB_MIN(list->limit, KB_LIST_MAX));
}

int64_t kb_list_offset(const struct kb_list *list)
{
	int64_t offset;

	if (__builtin_mul_overflow(KB_MAX(list->page, 1) - 1, kb_list_limit(list), &offset))
		return INT64_MAX;
	return offset;
}

void *kb_rows_room(struct kb_arena *arena, void *array, size_t count, size_t size)
{
	enum { FIRST = 8 };
	void *larger;

	if (array && (count < FIRST || (count & (count - 1)) != 0))
		return array;
	larger = kb_arena_array(arena, count ? 2 * count : FIRST, size);
	if (array)
		memcpy(larger, array, count * size);
	return larger;
}
