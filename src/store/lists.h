/* Arrays of rows that grow, and pages of lists. The store's own. */
#ifndef KB_STORE_LISTS_H
#define KB_STORE_LISTS_H

#include "store/store.h"

/* LIMIT and OFFSET of a page of a list. */
enum { KB_LIST_MAX = 1000 };
int64_t kb_list_limit(const struct kb_list *list);
int64_t kb_list_offset(const struct kb_list *list);

/* Room for one more element after `count` in an array of the arena, which starts as NULL. */
#define KB_ROOM(arena, array, count)                                                               \
	((array) = kb_rows_room((arena), (array), (count), sizeof(*(array))))
void *kb_rows_room(struct kb_arena *arena, void *array, size_t count, size_t size);

#endif
