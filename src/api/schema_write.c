/* Schemas as OpenAPI has them. */
#include <string.h>

#include "api/schema.h"
#include "base/sv.h"

/* Types with a JSON Schema type (and format) of their own. Any other word is the name of another
 * schema, so a new kind of record needs no row here. */
bool kb_schema_next(const char **list, struct kb_sv *name, bool *optional, struct kb_sv *type)
{
	const char *p = *list + strspn(*list, " ");
	const char *colon = strchr(p, ':');
	size_t n;

	if (*p == '\0')
		return false;
	KB_ASSERT(colon);
	n = strcspn(colon + 1, " ");
	*optional = colon[-1] == '~';
	*name = kb_sv(p, (size_t)(colon - p) - *optional);
	*type = kb_sv(colon + 1, n);
	*list = colon + 1 + n;
	return true;
}

static const struct {
	const char *word, *type, *format;
} plain[] = {
	{ "int", "integer", NULL },        { "num", "number", NULL },
	{ "str", "string", NULL },         { "bool", "boolean", NULL },
	{ "time", "string", "date-time" }, { "obj", "object", NULL },
	{ "file", "string", "binary" },
};

static void write_plain(struct kb_jw *jw, const char *type, const char *format, bool nullable)
{
	kb_jw_object(jw);
	kb_jw_key(jw, "type");
	if (nullable) {
		kb_jw_array(jw);
		kb_jw_str(jw, type);
		kb_jw_str(jw, "null");
		kb_jw_end(jw);
	} else {
		kb_jw_str(jw, type);
	}
	if (format)
		kb_jw_key_str(jw, "format", format);
	kb_jw_end(jw);
}

static void write_ref(struct kb_jw *jw, struct kb_sv name)
{
	char path[100] = "#/components/schemas/";

	KB_ASSERT(name.n < 60);
	strncat(path, name.p, name.n);
	kb_jw_object(jw);
	kb_jw_key_str(jw, "$ref", path);
	kb_jw_end(jw);
}

/* That null may stand there is one more type beside the first; a reference has no type to add it
 * to, so there it is the other of two. */
void kb_schema_write_type(struct kb_jw *jw, const char *type, size_t n)
{
	bool nullable = n && type[n - 1] == '?';
	struct kb_sv word = kb_sv(type, n - nullable);

	if (word.p[0] == '[') {
		kb_jw_object(jw);
		kb_jw_key(jw, "type");
		if (nullable) {
			kb_jw_array(jw);
			kb_jw_str(jw, "array");
			kb_jw_str(jw, "null");
			kb_jw_end(jw);
		} else {
			kb_jw_str(jw, "array");
		}
		kb_jw_key(jw, "items");
		kb_schema_write_type(jw, word.p + 1, word.n - 2);
		kb_jw_end(jw);
		return;
	}
	if (kb_sv_eq_str(word, "any")) {
		kb_jw_object(jw);
		kb_jw_end(jw);
		return;
	}
	for (size_t i = 0; i < KB_COUNTOF(plain); i++)
		if (kb_sv_eq_str(word, plain[i].word)) {
			write_plain(jw, plain[i].type, plain[i].format, nullable);
			return;
		}
	if (!nullable) {
		write_ref(jw, word);
		return;
	}
	kb_jw_object(jw);
	kb_jw_key(jw, "anyOf");
	kb_jw_array(jw);
	write_ref(jw, word);
	write_plain(jw, "null", NULL, false);
	kb_jw_end(jw);
	kb_jw_end(jw);
}

void kb_schema_write_name(struct kb_jw *jw, struct kb_sv name)
{
	const char *second = jw->aliases ? kb_alias_second(&jw->aliases->fields, name) : NULL;

	kb_jw_sv(jw, name);
	if (second)
		kb_jw_str(jw, second);
}

void kb_schema_write(struct kb_jw *jw, const char *members)
{
	struct kb_sv name, type;
	const char *list = members;
	bool optional;

	kb_jw_object(jw);
	kb_jw_key_str(jw, "type", "object");
	kb_jw_key(jw, "properties");
	kb_jw_object(jw);
	while (kb_schema_next(&list, &name, &optional, &type)) {
		char key[64] = "";

		KB_ASSERT(name.n < sizeof(key));
		strncat(key, name.p, name.n);
		kb_jw_field(jw, key);
		kb_schema_write_type(jw, type.p, type.n);
	}
	kb_jw_end(jw);
	kb_jw_key(jw, "required");
	kb_jw_array(jw);
	for (list = members; kb_schema_next(&list, &name, &optional, &type);)
		if (!optional)
			kb_schema_write_name(jw, name);
	kb_jw_end(jw);
	kb_jw_end(jw);
}
