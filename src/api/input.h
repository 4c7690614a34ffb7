/*
 * The body of a request, whatever its form: JSON, multipart and urlencoded give the same fields.
 *
 * Real clients send JSON to multipart endpoints and the other way round, numbers as strings, flags
 * as true/false/1/0, names as `files`, `files[]` and `files[0]`. A handler asks for a field by name
 * and kind and gets it, or a sentence that says what is wrong with it. Unknown fields are never
 * looked at.
 */
#ifndef KB_API_INPUT_H
#define KB_API_INPUT_H

#include "base/json.h"
#include "http/server.h"
#include "settings/settings.h"

/* The one picture that is no setting: it is bytes even where it comes without a file name. */
#define KB_PROFILE_PHOTO "profile_photo"

struct kb_api_input {
	struct kb_sv name;               /* as sent */
	enum kb_input_kind kind;         /* LIST and OTHER: see json */
	struct kb_sv text;               /* TEXT; FILE when file->path is NULL */
	bool flag;                       /* BOOL */
	int64_t number;                  /* INT */
	const json_t *json;              /* of a JSON body */
	const struct kb_form_part *file; /* FILE */
};

struct kb_inputs {
	struct kb_api_input *v;
	size_t count;
	const json_t *json; /* the whole body where it was a JSON object */
};

/* Reads the request's body. An empty one gives no fields; JSON that is no object, or is malformed,
 * KB_E_INVALID. */
bool kb_inputs_read(struct kb_request *req, struct kb_inputs *out,
                    struct kb_err *err) KB_MUST_CHECK;

/* The same of the request's query string. */
bool kb_inputs_query(struct kb_request *req, struct kb_inputs *out,
                     struct kb_err *err) KB_MUST_CHECK;

/* The last field of that name (a later one overrides), or NULL. */
const struct kb_api_input *kb_inputs_find(const struct kb_inputs *inputs, const char *name);

/*
 * These leave *out alone and return true when the field is missing. null gives a view with p ==
 * NULL. Digits are accepted as a number, a number as a text only where that is a handle: what
 * others call a thing (external_id), which may be a number there. False with KB_E_INVALID names the
 * field.
 */
bool kb_inputs_text(const struct kb_inputs *inputs, struct kb_arena *arena, const char *name,
                    size_t max_chars, struct kb_sv *out, struct kb_err *err) KB_MUST_CHECK;
bool kb_inputs_handle(const struct kb_inputs *inputs, struct kb_arena *arena, const char *name,
                      size_t max_chars, struct kb_sv *out, struct kb_err *err) KB_MUST_CHECK;
bool kb_inputs_bool(const struct kb_inputs *inputs, const char *name, bool *out,
                    struct kb_err *err) KB_MUST_CHECK;
bool kb_inputs_int(const struct kb_inputs *inputs, const char *name, int64_t min, int64_t max,
                   int64_t *out, struct kb_err *err) KB_MUST_CHECK;

/* The field as JSON, or NULL when it is missing: of a JSON body the value itself, of a form its
 * text read as JSON, or as a string where it is none. Fields `name[]` of a form are one array of
 * strings. */
const json_t *kb_inputs_json(const struct kb_inputs *inputs, struct kb_arena *arena,
                             const char *name);

/* Ids of documents: an array of at most so many; null is none, and where the field is left out v
 * and count stay as they are. */
struct kb_input_ids {
	const char *name;
	size_t max;
	const int64_t *v;
	size_t count;
};
bool kb_inputs_ids(const struct kb_inputs *inputs, struct kb_arena *arena, struct kb_input_ids *ids,
                   struct kb_err *err) KB_MUST_CHECK;

/* A date or a time, in microseconds; null and an empty text give 0. *given is whether it is there
 * at all, and may be NULL. */
bool kb_inputs_date(const struct kb_inputs *inputs, struct kb_arena *arena, const char *name,
                    int64_t *out, bool *given, struct kb_err *err) KB_MUST_CHECK;

/* A FILE input's bytes: not read but mapped for the arena's life, since it may have 100 MB of which
 * the check of pictures wants to know the size only. */
bool kb_input_bytes(struct kb_arena *arena, const struct kb_api_input *input, struct kb_sv *out,
                    struct kb_err *err) KB_MUST_CHECK;

/* "true", "false", "1", "0" in any case. */
bool kb_text_to_bool(struct kb_sv text, bool *out) KB_MUST_CHECK;

#endif
