/*
 * The shapes of bodies, in a few words each, from which /openapi.json is written.
 *
 * A schema is a list of members "name:type". Types: int, num, str, bool, time (an ISO 8601 string),
 * obj (any object), any, file (bytes), Name (another schema), [type] (an array). '?' behind the
 * type: null is possible; '~' behind the name: the member may be missing.
 */
#ifndef KB_API_SCHEMA_H
#define KB_API_SCHEMA_H

#include "base/json.h"

struct kb_schema {
	const char *name, *members;
	void (*write)(struct kb_jw *jw); /* instead of members: a table elsewhere writes it */
};

const struct kb_schema *kb_schemas(size_t *count);
/* For tests. */
bool kb_schema_exists(const char *name);
/* The OpenAPI (JSON Schema 2020-12) object of a member list. */
void kb_schema_write(struct kb_jw *jw, const char *members);
/* A name of the list `required`, with its second spelling. */
void kb_schema_write_name(struct kb_jw *jw, struct kb_sv name);
/* The settings as they are answered, and as they are sent (settings_schema.c). */
void kb_schema_write_settings(struct kb_jw *jw);
void kb_schema_write_settings_fields(struct kb_jw *jw);
/* The object of one type, such as "[Agent]?". */
void kb_schema_write_type(struct kb_jw *jw, const char *type, size_t n);
/* Takes the next "name:type" of a list; false at its end. */
bool kb_schema_next(const char **list, struct kb_sv *name, bool *optional, struct kb_sv *type);

#endif
