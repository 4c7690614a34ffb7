/*
 * What a document is found by beside its text and title: the words of its file's name or its
 * address that the title lacks. Many a program calls all it writes "Document1", and many a site has
 * one title for all its pages; whoever filed them knew better. Pure; any thread.
 */
#ifndef KB_PASSAGES_NAME_H
#define KB_PASSAGES_NAME_H

#include "base/arena.h"

/* The words of a file's name, without its ending, that the title lacks, parted by blanks. */
struct kb_sv kb_name_words(struct kb_arena *arena, struct kb_sv title, struct kb_sv name);
/* The same of the last part of an address' path. */
struct kb_sv kb_address_words(struct kb_arena *arena, struct kb_sv title, struct kb_sv url);

#endif
