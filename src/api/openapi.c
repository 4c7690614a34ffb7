/* /openapi.json from the route table: OpenAPI 3.1. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "api/api.h"
#include "api/schema.h"

static const struct {
	int status;
	const char *text;
} statuses[] = {
	{ 200, "Done" },
	{ 201, "Created" },
	{ 202, "Noted; there is no answer" },
	{ 204, "Done; there is no body" },
	{ 207, "Partly applied" },
	{ 303, "Go on there" },
	{ 304, "Nothing has changed" },
	{ 400, "Bad argument" },
	{ 401, "The key is missing or invalid" },
	{ 403, "Not allowed" },
	{ 404, "Not found" },
	{ 409, "The name is taken" },
	{ 412, "Somebody else changed it first" },
	{ 413, "The body is too large" },
	{ 414, "The address is too long" },
	{ 416, "The range is outside the file" },
	{ 422, "Bad argument" },
	{ 429, "Resource exhausted" },
	{ 500, "Internal server error" },
	{ 501, "Unsupported arguments" },
	{ 502, "The model failed" },
	{ 503, "Busy, or without its database; try again" },
	{ 504, "The model did not answer in time" },
};

static const char *status_text(int status)
{
	for (size_t i = 0; i < KB_COUNTOF(statuses); i++)
		if (statuses[i].status == status)
			return statuses[i].text;
	kb_panic(__FILE__, __LINE__, "a status without a text");
}

static void write_parameter(struct kb_jw *jw, const char *in, struct kb_sv name, bool required,
                            struct kb_sv type)
{
	kb_jw_object(jw);
	kb_jw_key_sv(jw, "name", name);
	kb_jw_key_str(jw, "in", in);
	kb_jw_key_bool(jw, "required", required);
	kb_jw_key(jw, "schema");
	kb_schema_write_type(jw, type.p, type.n);
	kb_jw_end(jw);
}

static void write_parameters(struct kb_jw *jw, const struct kb_api_route *row)
{
	const char *list = row->query ? row->query : "";
	struct kb_sv name, type;
	bool optional;

	kb_jw_key(jw, "parameters");
	kb_jw_array(jw);
	for (const char *p = strchr(row->path, '{'); p; p = strchr(p + 1, '{')) {
		name = kb_sv(p + 1, strcspn(p + 1, "}"));
		write_parameter(jw, "path", name, true,
		                kb_sv_eq_str(name, "sessionId") || kb_sv_eq_str(name, "secret")
		                                || kb_sv_eq_str(name, "slug")
		                                || kb_sv_eq_str(name, "file")
		                                || kb_sv_eq_str(name, "screen")
		                                || kb_sv_eq_str(name, "model")
		                                || row->role == KB_ROLE_DIRECTORY
		                        ? KB_SV("str")
		                        : KB_SV("int"));
	}
	while (kb_schema_next(&list, &name, &optional, &type))
		write_parameter(jw, "query", name, false, type);
	kb_jw_end(jw);
}

static void write_content(struct kb_jw *jw, const char *media, const char *schema)
{
	kb_jw_key(jw, media);
	kb_jw_object(jw);
	if (schema) {
		kb_jw_key(jw, "schema");
		kb_schema_write_type(jw, schema, strlen(schema));
	}
	kb_jw_end(jw);
}

/* The row's further types have no schema. */
static void write_response(struct kb_jw *jw, const struct kb_api_route *row, int status,
                           const char *schema, const char *media)
{
	const char *main = row->type ? row->type : "application/json";
	struct kb_sv rest = kb_sv_str(media), type;
	char code[8], name[40];

	snprintf(code, sizeof(code), "%d", status);
	kb_jw_key(jw, code);
	kb_jw_object(jw);
	kb_jw_key_str(jw, "description", status_text(status));
	if (status != 304 && status != 204) { /* which have none */
		kb_jw_key(jw, "content");
		kb_jw_object(jw);
		write_content(jw, schema ? main : "*/*", schema);
		while (kb_sv_split(&rest, ' ', &type)) {
			snprintf(name, sizeof(name), "%.*s", KB_SV_ARG(type));
			write_content(jw, name, NULL);
		}
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
}

/* Statuses that follow from the rest of the row: a key may be missing, too eager or meet a failure
 * or a database that is away;
 * a variable of the path may name nothing, and be no id; a body may be wrong. */
static bool is_implied(const struct kb_api_route *row, int status)
{
	bool has_key = row->role != KB_ROLE_NONE /* or a visit */,
	     has_variable = strchr(row->path, '{') != NULL;

	switch (status) {
	case 400:
		return row->body_max || (has_key && has_variable);
	case 401:
	case 429:
	case 500:
	case 503:
		return has_key;
	case 403:
		return row->feature || row->foreign_is_403 || row->role > KB_ROLE_MEMBER;
	case 404:
		return has_variable;
	case 414:
		return has_variable || row->query;
	case 422:
		return row->invalid_is_422;
	default:
		return false;
	}
}

static bool is_named(const struct kb_api_route *row, int status)
{
	for (size_t i = 0; i < KB_COUNTOF(row->also); i++)
		if (row->also[i] == status)
			return true;
	return false;
}

static void write_responses(struct kb_jw *jw, const struct kb_api_route *row)
{
	write_response(jw, row, row->status, row->response, row->media);
	for (size_t i = 0; i < KB_COUNTOF(row->also); i++)
		if (row->also[i])
			(void)status_text(row->also[i]); /* each has one */
	for (size_t i = 0; i < KB_COUNTOF(statuses); i++) {
		int status = statuses[i].status;

		if (is_implied(row, status) || is_named(row, status))
			write_response(jw, row, status,
			               status < 300   ? row->response
			               : row->failure ? row->failure
			                              : "Error",
			               NULL);
	}
}

/* "getProjectsPages": method and path without its variables. */
static void operation_id(const struct kb_api_route *row, char *out, size_t size)
{
	bool upper = false;
	size_t n = 0;

	for (const char *p = row->method; *p && n + 1 < size; p++)
		out[n++] = (char)tolower((unsigned char)*p);
	for (const char *p = row->path; *p && n + 1 < size; p++) {
		if (*p == '-')
			out[n++] = '_'; /* tells chat-completions from chat/completions */
		if (!isalnum((unsigned char)*p)) {
			upper = true;
			if (*p == '{')
				for (const char *by = "By"; *by && n + 1 < size; by++)
					out[n++] = *by;
			continue;
		}
		out[n++] = upper ? (char)toupper((unsigned char)*p) : *p;
		upper = false;
	}
	out[n] = '\0';
}

/* By a bearer token of that scheme. */
static void write_security(struct kb_jw *jw, const char *scheme)
{
	kb_jw_key(jw, "security");
	kb_jw_array(jw);
	kb_jw_object(jw);
	kb_jw_key(jw, scheme);
	kb_jw_array(jw);
	kb_jw_end(jw);
	kb_jw_end(jw);
	kb_jw_end(jw);
}

static void write_scheme(struct kb_jw *jw, const char *scheme)
{
	kb_jw_key(jw, scheme);
	kb_jw_object(jw);
	kb_jw_key_str(jw, "type", "http");
	kb_jw_key_str(jw, "scheme", "bearer");
	kb_jw_end(jw);
}

static void write_operation(struct kb_jw *jw, const struct kb_api_route *row)
{
	char method[8] = "", id[160];

	for (size_t i = 0; i < sizeof(method) - 1 && row->method[i]; i++)
		method[i] = (char)tolower((unsigned char)row->method[i]);
	operation_id(row, id, sizeof(id));
	kb_jw_key(jw, method);
	kb_jw_object(jw);
	kb_jw_key_str(jw, "operationId", id);
	kb_jw_key(jw, "tags");
	kb_jw_array(jw);
	kb_jw_str(jw, row->tag);
	kb_jw_end(jw);
	kb_jw_key_str(jw, "summary", row->summary);
	kb_jw_key_str(jw, "x-docent-role", kb_role_name(row->role));
	write_parameters(jw, row);
	if (row->request) {
		kb_jw_key(jw, "requestBody");
		kb_jw_object(jw);
		kb_jw_key(jw, "content");
		kb_jw_object(jw);
		write_content(jw, row->type ? row->type : "application/json", row->request);
		if (!row->type)
			write_content(jw, "multipart/form-data", row->request);
		kb_jw_end(jw);
		kb_jw_end(jw);
	}
	kb_jw_key(jw, "responses");
	kb_jw_object(jw);
	write_responses(jw, row);
	kb_jw_end(jw);
	if (row->role <= KB_ROLE_VISITOR) {
		kb_jw_key(jw, "security");
		kb_jw_array(jw);
		kb_jw_end(jw);
	} else if (row->role == KB_ROLE_DIRECTORY) {
		write_security(jw, "directory");
	}
	kb_jw_end(jw);
}

static void write_paths(struct kb_jw *jw)
{
	size_t count;
	const struct kb_api_route *rows = kb_api_routes(&count);

	kb_jw_key(jw, "paths");
	kb_jw_object(jw);
	for (size_t i = 0; i < count; i++) {
		bool seen = false;

		for (size_t j = 0; j < i; j++)
			seen = seen || strcmp(rows[j].path, rows[i].path) == 0;
		if (seen)
			continue;
		kb_jw_key(jw, rows[i].path);
		kb_jw_object(jw);
		for (size_t j = i; j < count; j++)
			if (strcmp(rows[j].path, rows[i].path) == 0)
				write_operation(jw, &rows[j]);
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
}

void kb_openapi_write(struct kb_jw *jw)
{
	size_t count;
	const struct kb_schema *schemas = kb_schemas(&count);

	jw->keys_as_they_are = true;
	kb_jw_object(jw);
	kb_jw_key_str(jw, "openapi", "3.1.0");
	kb_jw_key(jw, "info");
	kb_jw_object(jw);
	kb_jw_key_str(jw, "title", "Docent");
	kb_jw_key_str(jw, "summary", "Agents that answer from documents, with citations");
	kb_jw_key_str(jw, "version", DOCENT_VERSION);
	kb_jw_end(jw);
	kb_jw_key(jw, "servers");
	kb_jw_array(jw);
	kb_jw_object(jw);
	kb_jw_key_str(jw, "url", "/");
	kb_jw_end(jw);
	kb_jw_end(jw);
	write_security(jw, "bearer");
	write_paths(jw);
	kb_jw_key(jw, "components");
	kb_jw_object(jw);
	kb_jw_key(jw, "securitySchemes");
	kb_jw_object(jw);
	write_scheme(jw, "bearer");
	write_scheme(jw, "directory");
	kb_jw_end(jw);
	kb_jw_key(jw, "schemas");
	kb_jw_object(jw);
	for (size_t i = 0; i < count; i++) {
		kb_jw_key(jw, schemas[i].name);
		if (schemas[i].write)
			schemas[i].write(jw);
		else
			kb_schema_write(jw, schemas[i].members);
	}
	kb_jw_end(jw);
	kb_jw_end(jw);
	kb_jw_end(jw);
}
