/* What the service says of itself to a directory: ServiceProviderConfig, ResourceTypes, Schemas. */
#include "api/routes.h"
#include "api/scim.h"

/* ---- texts ---- */

// clang-format off
#define META(kind, path)                                                                           \
	"\"meta\":{\"resourceType\":\"" kind "\",\"location\":\"" KB_SCIM_PATH path "\"}"
#define SUPPORTED(yes) "{\"supported\":" yes "}"

static const char config[] =
        "{\"schemas\":[\"" KB_SCIM_CORE "ServiceProviderConfig\"],"
        "\"patch\":" SUPPORTED("true") ",\"changePassword\":" SUPPORTED("false") ","
        "\"sort\":" SUPPORTED("false") ",\"etag\":" SUPPORTED("true") ","
        "\"bulk\":{\"supported\":false,\"maxOperations\":0,\"maxPayloadSize\":0},"
        "\"filter\":{\"supported\":true,\"maxResults\":200},"
        "\"authenticationSchemes\":[{\"type\":\"oauthbearertoken\",\"name\":\"Bearer token\","
        "\"description\":\"A token that an owner of the account has made for the directory\","
        "\"primary\":true}],"
        META("ServiceProviderConfig", "ServiceProviderConfig") "}";

#define RESOURCE(name, path)                                                                       \
	"{\"schemas\":[\"" KB_SCIM_CORE "ResourceType\"],\"id\":\"" name "\",\"name\":\"" name     \
	"\",\"endpoint\":\"/" path "\",\"schema\":\"" KB_SCIM_CORE name "\","                      \
	META("ResourceType", "ResourceTypes/" name) "}"

/* Members of a schema: text, truth, and what has parts. */
#define PLACE(exact, required, unique, mutability)                                                 \
	"\"multiValued\":false,\"required\":" required ",\"caseExact\":" exact                     \
	",\"mutability\":\"" mutability "\",\"returned\":\"default\",\"uniqueness\":\"" unique "\"}"
#define TEXT(name, exact, required, unique)                                                        \
	"{\"name\":\"" name "\",\"type\":\"string\","                                              \
	PLACE(exact, required, unique, "readWrite")
#define TRUTH(name)                                                                                \
	"{\"name\":\"" name "\",\"type\":\"boolean\","                                             \
	PLACE("false", "false", "none", "readWrite")
#define PARTS(name, many, mutability, parts)                                                       \
	"{\"name\":\"" name "\",\"type\":\"complex\",\"multiValued\":" many                        \
	",\"required\":false,\"mutability\":\"" mutability                                         \
	"\",\"returned\":\"default\",\"uniqueness\":\"none\",\"subAttributes\":[" parts "]}"
#define PLAIN(name) TEXT(name, "false", "false", "none")
#define SCHEMA(name, attributes)                                                                   \
	"{\"schemas\":[\"" KB_SCIM_CORE "Schema\"],\"id\":\"" KB_SCIM_CORE name                    \
	"\",\"name\":\"" name "\",\"attributes\":[" attributes "],"                                \
	META("Schema", "Schemas/" KB_SCIM_CORE name) "}"

static const struct about {
	const char *id, *json;
} resources[] = {
	{ "User", RESOURCE("User", "Users") },
	{ "Group", RESOURCE("Group", "Groups") },
}, schemas[] = {
	{ KB_SCIM_CORE "User",
	  SCHEMA("User",
	         TEXT("userName", "false", "true", "server") ","
	         TEXT("externalId", "true", "false", "none") "," PLAIN("displayName") ","
	         PARTS("name", "false", "readWrite", PLAIN("givenName") "," PLAIN("familyName")) ","
	         PARTS("emails", "true", "readWrite",
	               PLAIN("value") "," PLAIN("type") "," TRUTH("primary")) ","
	         TRUTH("active") ","
	         PARTS("groups", "true", "readOnly", PLAIN("value") "," PLAIN("display"))) },
	{ KB_SCIM_CORE "Group",
	  SCHEMA("Group",
	         TEXT("displayName", "true", "true", "server") ","
	         TEXT("externalId", "true", "false", "none") ","
	         PARTS("members", "true", "readWrite", PLAIN("value") "," PLAIN("type"))) },
};

// clang-format on

/* ---- the routes ---- */

static bool reply(struct kb_call *call, const char *json, struct kb_err *err)
{
	struct kb_response response = {
		.status = 200,
		.content_type = KB_SCIM_TYPE,
		.fields = { { KB_SV("cache-control"), KB_SV("no-store") } },
	};
	struct kb_buf buf;

	kb_buf_init(&buf, KB_KIB(64));
	kb_buf_str(&buf, json);
	return kb_call_respond_buf(call, &response, &buf, err);
}

static bool write_row(struct kb_call *call, struct kb_jw *jw, void *rows, size_t i,
                      struct kb_err *err)
{
	const struct about *const *list = rows;

	(void)call;
	(void)err;
	kb_jw_raw(jw, kb_sv_str((*list)[i].json));
	return true;
}

static bool reply_all(struct kb_call *call, const struct about *rows, size_t count,
                      struct kb_err *err)
{
	return kb_scim_reply_list(
	        call, &(struct kb_scim_list){ .total = count, .write = write_row, .rows = &rows },
	        err);
}

static bool reply_one(struct kb_call *call, const struct about *rows, size_t count,
                      struct kb_err *err)
{
	for (size_t i = 0; i < count; i++)
		if (kb_sv_ieq_str(call->req->params[0], rows[i].id))
			return reply(call, rows[i].json, err);
	return kb_fail(err, KB_E_NOT_FOUND, "there is no such description");
}

bool kb_scim_config(struct kb_call *call, struct kb_err *err)
{
	return reply(call, config, err);
}

bool kb_scim_resource_types(struct kb_call *call, struct kb_err *err)
{
	return reply_all(call, resources, KB_COUNTOF(resources), err);
}

bool kb_scim_resource_type(struct kb_call *call, struct kb_err *err)
{
	return reply_one(call, resources, KB_COUNTOF(resources), err);
}

bool kb_scim_schemas(struct kb_call *call, struct kb_err *err)
{
	return reply_all(call, schemas, KB_COUNTOF(schemas), err);
}

bool kb_scim_schema(struct kb_call *call, struct kb_err *err)
{
	return reply_one(call, schemas, KB_COUNTOF(schemas), err);
}
