/*
 * JSON in (thin over jansson, the strictest reader we measured) and out (a streaming writer).
 *
 * Reading refuses trailing bytes, invalid UTF-8, lone surrogates, \u0000, numbers out of range and
 * double keys. The tree lives in the caller's arena and is given back with it. Strings are views
 * into the tree. One thread at a time uses a tree or a writer.
 */
#ifndef KB_BASE_JSON_H
#define KB_BASE_JSON_H

#include <jansson.h>

#include "base/alias.h"
#include "base/arena.h"
#include "base/buf.h"

/* NULL with KB_E_INVALID and the place of the mistake. Any value is accepted at the top. */
json_t *kb_json_parse(struct kb_arena *arena, struct kb_sv text, struct kb_err *err) KB_MUST_CHECK;

/* The member of an object, or NULL (also when `object` is NULL or no object). */
json_t *kb_json_get(const json_t *object, const char *name);
/* The string member as a view; `otherwise` when it is missing, null or of another type. */
struct kb_sv kb_json_sv(const json_t *object, const char *name, struct kb_sv otherwise);
/* Integer member; `otherwise` when it is missing or of another type. */
int64_t kb_json_int(const json_t *object, const char *name, int64_t otherwise);
bool kb_json_bool(const json_t *object, const char *name, bool otherwise);

/*
 * The writer appends to a buffer whose limit and sticky error are the buffer's. Commas and the
 * nesting are its business; the caller opens and closes in order. Text that is not UTF-8 is mended
 * with U+FFFD. `<`, `>`, `&`, U+2028 and U+2029 are escaped, so that the text may stand in a page.
 */
enum { KB_JW_DEPTH = 32 };

struct kb_jw {
	struct kb_buf *buf;
	int depth;
	bool comma;              /* a value stands before the next one */
	char close[KB_JW_DEPTH]; /* '}' or ']' a level */
	/* Set after init where the reader may know second spellings: each field of the table is
	 * then written a second time, under its second name, right after its value. NULL: none. */
	const struct kb_aliases *aliases;
	bool keys_as_they_are; /* keys are no fields: only kb_jw_field() is written twice */
	struct {
		const char *second;
		size_t value;     /* where the value begins in the buffer */
	} again[KB_JW_DEPTH + 1]; /* the field at hand on each level */
};

void kb_jw_init(struct kb_jw *jw, struct kb_buf *buf);
void kb_jw_object(struct kb_jw *jw);
void kb_jw_array(struct kb_jw *jw);
void kb_jw_end(struct kb_jw *jw); /* the innermost object or array */
void kb_jw_key(struct kb_jw *jw, const char *name);
void kb_jw_field(struct kb_jw *jw, const char *name); /* a key that is a field in any case */

void kb_jw_sv(struct kb_jw *jw, struct kb_sv text);
void kb_jw_str(struct kb_jw *jw, const char *text); /* NULL writes null */
/* One of a fixed set of values: in its second spelling, if it has one. */
void kb_jw_choice(struct kb_jw *jw, struct kb_sv text);
void kb_jw_int(struct kb_jw *jw, int64_t n);
void kb_jw_double(struct kb_jw *jw, double n); /* shortest form that reads back; NaN writes null */
void kb_jw_bool(struct kb_jw *jw, bool b);
void kb_jw_null(struct kb_jw *jw);
void kb_jw_time(struct kb_jw *jw, int64_t us);
void kb_jw_raw(struct kb_jw *jw, struct kb_sv json); /* a value that is JSON already */

void kb_jw_key_sv(struct kb_jw *jw, const char *name, struct kb_sv text);
void kb_jw_key_str(struct kb_jw *jw, const char *name, const char *text);
void kb_jw_key_int(struct kb_jw *jw, const char *name, int64_t n);
void kb_jw_key_int_opt(struct kb_jw *jw, const char *name, int64_t n); /* 0: null */
void kb_jw_key_bool(struct kb_jw *jw, const char *name, bool b);
void kb_jw_key_null(struct kb_jw *jw, const char *name);
void kb_jw_key_time(struct kb_jw *jw, const char *name, int64_t us);
void kb_jw_key_time_opt(struct kb_jw *jw, const char *name, int64_t us); /* 0: null */
/* null for a view whose p is NULL. */
void kb_jw_key_opt(struct kb_jw *jw, const char *name, struct kb_sv text);

#endif
