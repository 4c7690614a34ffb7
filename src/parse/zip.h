/*
 * Members of a zip as streams, with caps counted while inflating: declared sizes lie.
 *
 * Nothing is ever written to disk, so names of members are only compared, never used as paths. A
 * limit that is passed fails the call with KB_E_TOO_LARGE and a sentence. One thread.
 */
#ifndef KB_PARSE_ZIP_H
#define KB_PARSE_ZIP_H

#include "base/arena.h"
#include "parse/format.h"

enum {
	KB_ZIP_MEMBERS_MAX = 20000,
	KB_ZIP_RATIO_MAX = 250, /* inflated to stored, once a member is past KB_ZIP_RATIO_FROM */
};
#define KB_ZIP_RATIO_FROM KB_MIB(4)
#define KB_ZIP_TOTAL_MAX  KB_MIB(256) /* inflated, of all members read */

struct kb_zip;

/* The bytes must outlive it. NULL with a sentence when it is damaged or has too many members. */
struct kb_zip *kb_zip_open(struct kb_sv bytes, struct kb_err *err) KB_MUST_CHECK;
void kb_zip_close(struct kb_zip *zip);

struct kb_zip_member {
	struct kb_sv name; /* UTF-8, with '/' */
	uint64_t size;     /* as declared */
	bool is_file;      /* no folder, no link */
	bool is_locked;    /* with a password */
};
/* The members in their order; false behind the last. What cannot be told of one is left zero. */
bool kb_zip_member(const struct kb_zip *zip, size_t index, struct kb_zip_member *out);
/* How many bytes its members may inflate to together, in the place of KB_ZIP_TOTAL_MAX. */
void kb_zip_allow(struct kb_zip *zip, size_t total_max);

/* Place of the member of that name (case matters first, then does not), or -1. */
ptrdiff_t kb_zip_find(const struct kb_zip *zip, struct kb_sv name);

/* Hands the member's bytes to `take` piece by piece; `take` returns false to stop early. */
bool kb_zip_stream(struct kb_zip *zip, size_t index, bool (*take)(void *arg, struct kb_sv piece),
                   void *arg, struct kb_err *err) KB_MUST_CHECK;
/* The whole member, of at most max bytes, in the arena. */
bool kb_zip_read(struct kb_zip *zip, struct kb_arena *arena, size_t index, size_t max,
                 struct kb_sv *out, struct kb_err *err) KB_MUST_CHECK;

/* Which document format, if any, a zip is. */
enum kb_format kb_zip_detect(struct kb_sv bytes);

#endif
