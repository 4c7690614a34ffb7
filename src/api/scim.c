/* What the resources of SCIM share: errors, versions, lists. */
#include "api/scim.h"

#include <stdarg.h>
#include <stdio.h>

#define ERROR_SCHEMA "urn:ietf:params:scim:api:messages:2.0:Error"
#define LIST_SCHEMA  "urn:ietf:params:scim:api:messages:2.0:ListResponse"

enum { TRIES = 8, REPLY_MAX = 64 << 20 };

/* ---- errors ---- */

bool kb_scim_fail(struct kb_call *call, struct kb_err *err, enum kb_errc code, const char *word,
                  const char *fmt, ...)
{
	char text[sizeof(err->msg)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	call->error_word = word;
	return kb_fail(err, code, "%s", text);
}

int kb_scim_status(const struct kb_err *err)
{
	return err->code == KB_E_TOO_LARGE ? 413 : kb_err_status(err);
}

void kb_scim_write_refusal(struct kb_call *call, struct kb_jw *jw, int status, const char *message)
{
	const char *word = call->error_word;
	char text[8];

	if (!word && status == 409)
		word = "uniqueness";
	if (!word && status == 400)
		word = call->inputs.json ? "invalidValue" : "invalidSyntax";
	snprintf(text, sizeof(text), "%d", status);
	kb_jw_object(jw);
	kb_jw_key(jw, "schemas");
	kb_jw_array(jw);
	kb_jw_str(jw, ERROR_SCHEMA);
	kb_jw_end(jw);
	kb_jw_key_str(jw, "status", text);
	if (word)
		kb_jw_key_str(jw, "scimType", word);
	kb_jw_key_str(jw, "detail", message);
	kb_jw_end(jw);
}

/* ---- what is asked for ---- */

static bool names(struct kb_sv list, const char *attribute)
{
	struct kb_sv one;

	while (kb_sv_split(&list, ',', &one)) {
		struct kb_sv name = kb_sv_trim(one);
		ptrdiff_t dot = kb_sv_find_byte(name, '.');

		if (kb_sv_ieq_str(dot > 0 ? kb_sv_sub(name, 0, (size_t)dot) : name, attribute))
			return true;
	}
	return false;
}

bool kb_scim_wants(struct kb_call *call, const char *attribute)
{
	struct kb_sv only = kb_request_query(call->req, "attributes");
	struct kb_sv but = kb_request_query(call->req, "excludedAttributes");

	return only.n ? names(only, attribute) : !names(but, attribute);
}

int64_t kb_scim_id(struct kb_call *call)
{
	int64_t id;

	return call->req->param_count && kb_sv_to_int(call->req->params[0], 1, INT64_MAX, &id) ? id
	                                                                                       : 0;
}

/* W/"3", "3" or 3; 0: none of ours. */
static int64_t version_of(struct kb_sv tag)
{
	int64_t version;

	tag = kb_sv_trim(tag);
	if (kb_sv_starts(tag, KB_SV("W/")))
		tag = kb_sv_from(tag, 2);
	if (tag.n > 1 && tag.p[0] == '"' && tag.p[tag.n - 1] == '"')
		tag = kb_sv_sub(tag, 1, tag.n - 2);
	return kb_sv_to_int(tag, 1, INT64_MAX, &version) ? version : 0;
}

bool kb_scim_if_match(struct kb_call *call, int64_t *version, struct kb_err *err)
{
	struct kb_sv tag = kb_sv_trim(kb_request_field(call->req, "if-match"));

	*version = 0;
	if (!tag.n || kb_sv_eq_str(tag, "*"))
		return true;
	*version = version_of(tag);
	if (*version)
		return true;
	kb_fail(err, KB_E_CONFLICT, "If-Match names no version of it");
	err->status = 412;
	return false;
}

bool kb_scim_again(struct kb_call *call, int *tries, const struct kb_err *err)
{
	return err->code == KB_E_CONFLICT && err->status == 412
	       && !kb_request_field(call->req, "if-match").p && ++*tries < TRIES;
}

/* ---- answers ---- */

static struct kb_sv tag_of(struct kb_call *call, int64_t version)
{
	return kb_arena_printf(call->arena, "W/\"%" PRId64 "\"", version);
}

static struct kb_sv place_of(struct kb_call *call, const struct kb_scim_meta *meta)
{
	return kb_arena_printf(call->arena, "%.*s" KB_SCIM_PATH "%s/%" PRId64,
	                       KB_SV_ARG(kb_call_base_url(call)), meta->path, meta->id);
}

void kb_scim_write_meta(struct kb_call *call, struct kb_jw *jw, const struct kb_scim_meta *meta)
{
	kb_jw_key(jw, "meta");
	kb_jw_object(jw);
	kb_jw_key_str(jw, "resourceType", meta->kind);
	kb_jw_key_time(jw, "created", meta->created_at);
	kb_jw_key_time(jw, "lastModified", meta->updated_at);
	kb_jw_key_sv(jw, "location", place_of(call, meta));
	kb_jw_key_sv(jw, "version", tag_of(call, meta->version));
	kb_jw_end(jw);
}

bool kb_scim_reply(struct kb_call *call, int status, const struct kb_scim_meta *meta,
                   struct kb_buf *buf, struct kb_jw *jw, struct kb_err *err)
{
	struct kb_response response = {
		.status = status,
		.content_type = KB_SCIM_TYPE,
		.fields = { { KB_SV("cache-control"), KB_SV("no-store") } },
	};

	kb_jw_end(jw);
	KB_ASSERT(jw->depth == 0);
	if (meta) {
		response.fields[1] =
		        (struct kb_http_field){ KB_SV("etag"), tag_of(call, meta->version) };
		response.fields[2] =
		        (struct kb_http_field){ KB_SV("location"), place_of(call, meta) };
		if (call->row->verb == KB_READ
		    && version_of(kb_request_field(call->req, "if-none-match")) == meta->version) {
			kb_buf_fini(buf);
			response.status = 304;
			response.content_type = NULL;
			kb_call_respond(call, &response);
			return true;
		}
	}
	return kb_call_respond_buf(call, &response, buf, err);
}

bool kb_scim_reply_nothing(struct kb_call *call)
{
	kb_call_respond(call, &(struct kb_response){ .status = 204 });
	return true;
}

static int64_t number_of(struct kb_call *call, const char *name, int64_t otherwise, int64_t least)
{
	struct kb_sv text = kb_sv_trim(kb_request_query(call->req, name));
	int64_t n;

	return text.n && kb_sv_to_int(text, INT64_MIN, INT64_MAX, &n) ? KB_MAX(n, least)
	                                                              : otherwise;
}

bool kb_scim_reply_list(struct kb_call *call, const struct kb_scim_list *list, struct kb_err *err)
{
	int64_t start = number_of(call, "startIndex", 1, 1),
	        count = KB_MIN(number_of(call, "count", KB_SCIM_COUNT, 0),
	                       (int64_t)KB_SCIM_COUNT_MAX),
	        total = (int64_t)list->total,
	        end = start > total ? start - 1 : KB_MIN(start - 1 + count, total);
	struct kb_buf buf;
	struct kb_jw jw;
	bool ok = true;

	kb_buf_init(&buf, REPLY_MAX);
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	kb_jw_key(&jw, "schemas");
	kb_jw_array(&jw);
	kb_jw_str(&jw, LIST_SCHEMA);
	kb_jw_end(&jw);
	kb_jw_key_int(&jw, "totalResults", total);
	kb_jw_key_int(&jw, "startIndex", start);
	kb_jw_key_int(&jw, "itemsPerPage", end - (start - 1));
	kb_jw_key(&jw, "Resources");
	kb_jw_array(&jw);
	for (int64_t i = start - 1; ok && i < end; i++)
		ok = list->write(call, &jw, list->rows, (size_t)i, err);
	kb_jw_end(&jw);
	if (ok)
		return kb_scim_reply(call, 200, NULL, &buf, &jw, err);
	kb_buf_fini(&buf);
	return false;
}

void kb_scim_change(struct kb_jw *jw, const char *name, struct kb_sv before, struct kb_sv after)
{
	if (kb_sv_eq(before, after))
		return;
	kb_jw_key(jw, name);
	kb_jw_array(jw);
	kb_jw_sv(jw, before);
	kb_jw_sv(jw, after);
	kb_jw_end(jw);
}
