/*
 * A file of checksummed sections: what segments, vector columns and models have in common.
 *
 *   +--------+---------------+-----------+-----------+-----
 *   | header | section table | section 1 | section 2 | ...      each section starts at a
 *   +--------+---------------+-----------+-----------+-----     multiple of 64 bytes
 *
 * Everything is little-endian. The header is 40 bytes: magic of eight bytes, u32 version, u32
 * number of sections, u64 length of the file, u64 XXH3 of the section table, u64 zero. A row of the
 * table is 32 bytes: u32 id, u32 zero, u64 offset, u64 length, u64 XXH3 of the section. A reader
 * skips ids it does not know, so that later writers may add sections without a new version; the
 * version changes when a reader of the old one would be wrong, and readers go on taking the older
 * ones. index/build.h writes such files.
 *
 * An open container is a map that nobody changes: any thread may read it.
 */
#ifndef KB_BASE_CONTAINER_H
#define KB_BASE_CONTAINER_H

#include <string.h>

#include "base/err.h"
#include "base/sv.h"

enum {
	KB_CONTAINER_HEADER = 40,
	KB_CONTAINER_ROW = 32,
	KB_CONTAINER_ALIGN = 64,
	KB_CONTAINER_SECTIONS_MAX = 256,
};

/* One kind of file. */
struct kb_form {
	const char *magic; /* eight bytes */
	const char *what;  /* "segment", for messages */
	uint32_t version;  /* the newest; older ones from 1 on are read too */
	uint32_t sections; /* known ids are 1 to sections - 1 */
	const char *const *names;
};

struct kb_container {
	const struct kb_form *form;
	char *path; /* for messages */
	const uint8_t *map;
	size_t map_bytes;
	uint32_t version;
	bool passing; /* read once, from front to back: forget gives pages back */
};

/* Maps the file and checks header, table and bounds; with `verify` the sections' checksums too.
 * Fills sections[id] for the known ids, empty where there is none. KB_E_CORRUPT names the section.
 * Whatever it returns, close follows. */
bool kb_container_open(struct kb_container *container, const struct kb_form *form, const char *path,
                       bool verify, struct kb_sv *sections, struct kb_err *err) KB_MUST_CHECK;
/* A zeroed one is fine. */
void kb_container_close(struct kb_container *container);
/* Compares every section with its checksum. */
bool kb_container_verify(const struct kb_container *container, struct kb_err *err) KB_MUST_CHECK;
/* Where the file is read but once: takes what was read out of this process' memory. It can be read
 * again, from the page cache or the disk. */
void kb_container_forget(const struct kb_container *container);
/* XXH3 of the section table, which holds the sections' checksums: it tells one content from
 * another. */
uint64_t kb_container_fingerprint(const struct kb_container *container);
/* For a size that does not fit the others: sets the error, returns false. */
bool kb_container_damaged(const struct kb_container *container, uint32_t id, struct kb_err *err);
const char *kb_form_section(const struct kb_form *form, uint32_t id);

struct kb_container_section {
	const char *name;
	uint64_t bytes;
};
/* Fills up to max rows; returns how many sections there are. */
size_t kb_container_sections(const struct kb_container *container, struct kb_container_section *out,
                             size_t max);

static inline uint32_t kb_get32(const void *p)
{
	uint32_t n;

	memcpy(&n, p, sizeof(n));
	return n;
}

static inline uint64_t kb_get64(const void *p)
{
	uint64_t n;

	memcpy(&n, p, sizeof(n));
	return n;
}

#endif
