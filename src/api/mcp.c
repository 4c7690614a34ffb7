/*
 * The Model Context Protocol, so that agents of other programs ask ours: JSON-RPC over "streamable
 * HTTP". Every request is answered by itself with JSON, as the protocol allows; there are no
 * sessions and no stream from our side, so any process of a service may answer any request.
 */
#include "api/mcp.h"

#include <sodium.h>

#include "api/filter.h"
#include "api/mcp_signin.h"
#include "api/routes.h"
#include "base/address.h"

/* Oldest first. Clients of the first ones begin with "initialize", and are offered the newest of
 * these where they ask for one that is not here. Those of stateless ones say in each request what
 * they speak, in the body and in fields of HTTP. */
static const struct version {
	const char *name;
	bool is_stateless;
	bool has_links; /* results may link to resources */
} versions[] = {
	{ "2024-11-05", false, false }, /* of another transport, but some say so over this one */
	{ "2025-03-26", false, false }, { "2025-06-18", false, true },
	{ "2025-11-25", false, true },  { "2026-07-28", true, true },
};
#define NEWEST_WITH_SESSION "2025-11-25"

#define META_VERSION "io.modelcontextprotocol/protocolVersion"
#define META_SERVER  "io.modelcontextprotocol/serverInfo"

static const struct version *find_version(struct kb_sv name)
{
	for (size_t i = 0; i < KB_COUNTOF(versions); i++)
		if (kb_sv_eq_str(name, versions[i].name))
			return &versions[i];
	return NULL;
}

static void write_versions(struct kb_jw *jw)
{
	kb_jw_array(jw);
	for (size_t i = KB_COUNTOF(versions); i > 0; i--)
		kb_jw_str(jw, versions[i - 1].name);
	kb_jw_end(jw);
}

/* ---- what the server says of itself ---- */

static void write_server(struct kb_mcp *mcp)
{
	struct kb_jw *jw = &mcp->jw;

	kb_jw_object(jw);
	kb_jw_key_str(jw, "name", "docent");
	kb_jw_key_sv(jw, "title", mcp->call->agent.name);
	kb_jw_key_str(jw, "version", DOCENT_VERSION);
	kb_jw_end(jw);
}

static void write_abilities(struct kb_mcp *mcp)
{
	struct kb_jw *jw = &mcp->jw;

	kb_jw_key(jw, "capabilities");
	kb_jw_object(jw);
	kb_jw_key(jw, "tools");
	kb_jw_object(jw);
	kb_jw_end(jw);
	kb_jw_key(jw, "resources");
	kb_jw_object(jw);
	kb_jw_end(jw);
	kb_jw_end(jw);
	kb_jw_key_sv(
	        jw, "instructions",
	        kb_arena_printf(mcp->call->arena,
	                        "This is the knowledge base \"%.*s\". Ask it a question to get "
	                        "an answer with its sources, search it for passages, or read its "
	                        "documents.",
	                        KB_SV_ARG(mcp->call->agent.name)));
}

static bool initialize(struct kb_mcp *mcp, struct kb_err *err)
{
	struct kb_sv asked = kb_json_sv(mcp->params, "protocolVersion", KB_SV(""));
	const struct version *version = find_version(asked);

	(void)err;
	kb_jw_key_str(&mcp->jw, "protocolVersion",
	              version && !version->is_stateless ? version->name : NEWEST_WITH_SESSION);
	kb_jw_key(&mcp->jw, "serverInfo");
	write_server(mcp);
	write_abilities(mcp);
	return true;
}

static bool discover(struct kb_mcp *mcp, struct kb_err *err)
{
	(void)err;
	kb_jw_key(&mcp->jw, "supportedVersions");
	write_versions(&mcp->jw);
	write_abilities(mcp);
	return true;
}

static bool ping(struct kb_mcp *mcp, struct kb_err *err)
{
	(void)mcp;
	(void)err;
	return true;
}

static bool list_templates(struct kb_mcp *mcp, struct kb_err *err)
{
	(void)err;
	kb_jw_key(&mcp->jw, "resourceTemplates");
	kb_jw_array(&mcp->jw);
	kb_jw_end(&mcp->jw);
	return true;
}

/* In which versions there is a method. */
enum era { WITH_SESSION = 1, STATELESS = 2, ALWAYS = 3 };

static const struct kb_mcp_method {
	const char *name;
	bool (*run)(struct kb_mcp *mcp, struct kb_err *err);
	enum era era;
	bool may_be_kept;    /* a client may keep the result for a while */
	const char *name_of; /* the parameter that the field Mcp-Name repeats */
} methods[] = {
	{ "initialize", initialize, WITH_SESSION },
	{ "ping", ping, WITH_SESSION },
	{ "server/discover", discover, STATELESS, true },
	{ "tools/list", kb_mcp_list_tools, ALWAYS, true },
	{ "tools/call", kb_mcp_call_tool, ALWAYS, .name_of = "name" },
	{ "resources/list", kb_mcp_list_documents, ALWAYS, true },
	{ "resources/read", kb_mcp_read_document, ALWAYS, true, "uri" },
	{ "resources/templates/list", list_templates, ALWAYS, true },
};

static const struct kb_mcp_method *find_method(struct kb_sv name, bool stateless)
{
	for (size_t i = 0; i < KB_COUNTOF(methods); i++)
		if (kb_sv_eq_str(name, methods[i].name)
		    && methods[i].era & (stateless ? STATELESS : WITH_SESSION))
			return &methods[i];
	return NULL;
}

/* ---- answers ---- */

static void write_id(struct kb_jw *jw, const json_t *id)
{
	kb_jw_key(jw, "id");
	if (json_is_string(id))
		kb_jw_sv(jw, kb_sv(json_string_value(id), json_string_length(id)));
	else if (json_is_integer(id))
		kb_jw_int(jw, json_integer_value(id));
	else
		kb_jw_double(jw, json_number_value(id));
}

static void begin(struct kb_jw *jw, struct kb_buf *buf, const json_t *id)
{
	kb_jw_init(jw, buf);
	kb_jw_object(jw);
	kb_jw_key_str(jw, "jsonrpc", "2.0");
	write_id(jw, id);
}

/* What is wrong with a request whose id is known. */
struct wrong {
	int status; /* of HTTP */
	enum kb_rpc_code code;
	const char *message;
};

static bool reply_error(struct kb_call *call, const json_t *id, struct wrong wrong,
                        struct kb_err *err)
{
	struct kb_buf buf;
	struct kb_jw jw;

	kb_buf_init(&buf, KB_MIB(1));
	begin(&jw, &buf, id);
	kb_mcp_write_error(&jw, wrong.code, wrong.message);
	return kb_call_reply(call, wrong.status, &buf, &jw, err);
}

/* A client that asks in a version that is not served learns those that are. */
static bool reply_version(struct kb_call *call, const json_t *id, struct kb_sv asked,
                          struct kb_err *err)
{
	struct kb_buf buf;
	struct kb_jw jw;

	kb_buf_init(&buf, KB_MIB(1));
	begin(&jw, &buf, id);
	kb_jw_key(&jw, "error");
	kb_jw_object(&jw);
	kb_jw_key_int(&jw, "code", KB_RPC_VERSION);
	kb_jw_key_str(&jw, "message", "Unsupported protocol version");
	kb_jw_key(&jw, "data");
	kb_jw_object(&jw);
	kb_jw_key(&jw, "supported");
	write_versions(&jw);
	kb_jw_key_sv(&jw, "requested", asked);
	kb_jw_end(&jw);
	kb_jw_end(&jw);
	return kb_call_reply(call, 400, &buf, &jw, err);
}

static enum kb_rpc_code code_of(const struct kb_mcp *mcp, const struct kb_err *err)
{
	if (err->code == KB_E_NOT_FOUND && !mcp->is_stateless)
		return KB_RPC_NO_RESOURCE;
	return err->code == KB_E_INVALID || err->code == KB_E_NOT_FOUND ? KB_RPC_BAD_PARAMS
	                                                                : KB_RPC_INTERNAL;
}

/* What each result has in stateless versions. Nothing may be kept: documents come and go, and what
 * is open depends on the key. */
static void write_common(struct kb_mcp *mcp)
{
	struct kb_jw *jw = &mcp->jw;

	if (!mcp->is_stateless)
		return;
	kb_jw_key_str(jw, "resultType", "complete");
	kb_jw_key(jw, "_meta");
	kb_jw_object(jw);
	kb_jw_key(jw, META_SERVER);
	write_server(mcp);
	kb_jw_end(jw);
	if (mcp->method->may_be_kept) {
		kb_jw_key_int(jw, "ttlMs", 0);
		kb_jw_key_str(jw, "cacheScope", "private");
	}
}

static bool reply(struct kb_mcp *mcp, bool ok, struct kb_err *err)
{
	struct kb_call *call = mcp->call;
	struct wrong wrong = { 200, KB_RPC_INTERNAL, "Internal error" };

	if (ok) {
		write_common(mcp);
		kb_jw_end(&mcp->jw);
		return kb_call_reply(call, 200, &mcp->buf, &mcp->jw, err);
	}
	kb_buf_fini(&mcp->buf);
	if (kb_err_info(err->code)->hide) {
		kb_warn(&call->req->log, "request failed method=%s error=%s", mcp->method->name,
		        err->msg);
	} else {
		wrong.code = code_of(mcp, err);
		wrong.message = kb_arena_str(call->arena, kb_sv_str(err->msg));
	}
	return reply_error(call, mcp->id, wrong, err);
}

void kb_mcp_finish(struct kb_mcp *mcp, bool ok, struct kb_err *err)
{
	kb_live_release(&mcp->live);
	if (!reply(mcp, ok, err))
		kb_call_error(mcp->call, err);
}

static void run(struct kb_mcp *mcp, const struct kb_mcp_method *method, struct kb_err *err)
{
	bool ok, later = false;

	mcp->method = method;
	/* Set before the answer is asked for: afterwards `mcp` may be gone. */
	mcp->later = &later; // cppcheck-suppress autoVariables
	kb_buf_init(&mcp->buf, KB_MIB(16));
	begin(&mcp->jw, &mcp->buf, mcp->id);
	kb_jw_key(&mcp->jw, "result");
	kb_jw_object(&mcp->jw);
	ok = method->run(mcp, err);
	if (!later)
		kb_mcp_finish(mcp, ok, err);
}

/* What wants no answer: a notification, or the answer to a question that we never ask. */
static bool accept(struct kb_call *call)
{
	kb_call_respond(call, &(struct kb_response){ .status = 202 });
	return true;
}

/* ---- what must agree ---- */

/* A page of a site whose name was turned to this machine (DNS rebinding) comes under that name, so
 * to whoever says where they come from the service must have its own. Which site it is does not
 * matter: no browser adds a key by itself. */
static bool is_under_own_name(const struct kb_call *call)
{
	struct kb_sv host = call->req->host, own = kb_sv_str(call->api->public_url);
	ptrdiff_t slashes = kb_sv_find(own, KB_SV("://")), colon, end;
	struct kb_address address;

	if (!kb_request_field(call->req, "origin").p)
		return true;
	own = slashes >= 0 ? kb_sv_from(own, (size_t)slashes + 3) : own;
	end = kb_sv_find(own, KB_SV("/"));
	if (own.n && kb_sv_ieq(host, end >= 0 ? kb_sv_sub(own, 0, (size_t)end) : own))
		return true;
	if (kb_sv_starts(host, KB_SV("["))) /* an address of IPv6 */
		return true;
	colon = kb_sv_find(host, KB_SV(":"));
	host = colon >= 0 ? kb_sv_sub(host, 0, (size_t)colon) : host;
	return kb_sv_ieq_str(host, "localhost") || kb_address_read(host, &address);
}

/* "=?base64?…?=" where a field cannot say it plainly. */
static struct kb_sv decode_field(struct kb_call *call, struct kb_sv value)
{
	struct kb_sv head = KB_SV("=?base64?"), tail = KB_SV("?=");
	char *bytes;
	size_t n;

	if (!kb_sv_starts(value, head) || !kb_sv_ends(value, tail) || value.n < head.n + tail.n)
		return value;
	value = kb_sv_sub(value, head.n, value.n - head.n - tail.n);
	bytes = kb_arena_bytes(call->arena, value.n + 1);
	if (sodium_base642bin((unsigned char *)bytes, value.n + 1, value.p, value.n, NULL, &n, NULL,
	                      sodium_base64_VARIANT_ORIGINAL)
	    != 0)
		return KB_SV("");
	return kb_sv(bytes, n);
}

/* Stateless versions repeat in fields of HTTP what the message says, for those on the way that do
 * not read it; a field that says something else is refused. */
static bool fields_agree(struct kb_mcp *mcp, const struct kb_mcp_method *method, struct kb_sv name)
{
	const struct kb_request *req = mcp->call->req;

	if (!kb_sv_eq(kb_request_field(req, "mcp-method"), name))
		return false;
	return !method || !method->name_of
	       || kb_sv_eq(decode_field(mcp->call, kb_request_field(req, "mcp-name")),
	                   kb_json_sv(mcp->params, method->name_of, KB_SV("")));
}

/* Finds out what the client speaks. *answered: it was told that this is not served. */
static bool read_version(struct kb_mcp *mcp, bool *answered, struct kb_err *err)
{
	struct kb_sv field = kb_request_field(mcp->call->req, "mcp-protocol-version");
	struct kb_sv said = kb_json_sv(kb_json_get(mcp->params, "_meta"), META_VERSION, KB_SV(""));
	const struct version *version = find_version(said.n ? said : field);

	*answered = true;
	if (!version && (said.n || field.n))
		return reply_version(mcp->call, mcp->id, said.n ? said : field, err);
	/* Clients of versions before links send no field, so who sends none has no links. */
	mcp->has_links = version && version->has_links;
	mcp->is_stateless = version && version->is_stateless;
	if (mcp->is_stateless && !kb_sv_eq(field, said))
		return reply_error(mcp->call, mcp->id,
		                   (struct wrong){ 400, KB_RPC_HEADER,
		                                   "MCP-Protocol-Version must say what the "
		                                   "message's _meta does" },
		                   err);
	*answered = false;
	return true;
}

static bool answer(struct kb_mcp *mcp, struct kb_sv name, struct kb_err *err)
{
	const struct kb_mcp_method *method;
	struct kb_inputs query;
	bool answered;

	if (mcp->params && !json_is_object(mcp->params))
		return reply_error(
		        mcp->call, mcp->id,
		        (struct wrong){ 200, KB_RPC_BAD_PARAMS, "params must be an object" }, err);
	if (!read_version(mcp, &answered, err) || answered)
		return answered;
	method = find_method(name, mcp->is_stateless);
	if (mcp->is_stateless && !fields_agree(mcp, method, name))
		return reply_error(mcp->call, mcp->id,
		                   (struct wrong){ 400, KB_RPC_HEADER,
		                                   "Mcp-Method and Mcp-Name must say what the "
		                                   "message does" },
		                   err);
	if (!method)
		return reply_error(mcp->call, mcp->id,
		                   (struct wrong){ mcp->is_stateless ? 404 : 200, KB_RPC_NO_METHOD,
		                                   "Method not found" },
		                   err);
	if (!kb_inputs_query(mcp->call->req, &query, err)
	    || !kb_call_labels(mcp->call, &query, &mcp->labels, err)
	    || !kb_inputs_bool(&query, "edit", &mcp->edits, err))
		return false;
	run(mcp, method, err);
	return true;
}

bool kb_mcp_serve(struct kb_call *call, struct kb_err *err)
{
	const json_t *body = call->inputs.json, *id = kb_json_get(body, "id");
	struct kb_sv name = kb_json_sv(body, "method", KB_SV(""));
	struct kb_mcp *mcp = KB_NEW(call->arena, struct kb_mcp);

	if (!is_under_own_name(call))
		return kb_fail(err, KB_E_FORBIDDEN,
		               "to pages of browsers the service answers under its own name alone; "
		               "docent serve --public-url says which that is");
	if (!body || !kb_sv_eq_str(kb_json_sv(body, "jsonrpc", KB_SV("")), "2.0"))
		return kb_fail(err, KB_E_INVALID, "the body must be one JSON-RPC 2.0 message");
	if (!name.n && !kb_json_get(body, "result") && !kb_json_get(body, "error"))
		return kb_fail(err, KB_E_INVALID, "the message has no method");
	if (!name.n || !id)
		return accept(call);
	if (!json_is_string(id) && !json_is_number(id))
		return kb_fail(err, KB_E_INVALID, "id must be a string or a number");
	mcp->call = call;
	mcp->id = id;
	mcp->params = kb_json_get(body, "params");
	return answer(mcp, name, err);
}

/* Clients that know OAuth alone look for a server of it after a 401, find none, and register here
 * at last. What they are told is all that their people see. */
bool kb_mcp_register(struct kb_call *call, struct kb_err *err)
{
	struct kb_buf buf;
	struct kb_jw jw;

	kb_buf_init(&buf, 4096);
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	kb_jw_key_str(&jw, "error", "access_denied");
	kb_jw_key_str(&jw, "error_description",
	              call->api->oidc && kb_mcp_takes_tokens(call)
	                      ? "Clients are registered at the provider that the metadata of the "
	                        "agent's address names (/.well-known/oauth-protected-resource), "
	                        "not here."
	              : kb_mcp_takes_tokens(call)
	                      ? "Clients are not registered here. One that is known by the https "
	                        "address of its description (Client ID Metadata Document) needs no "
	                        "registration; give any other an API key of Docent as the field "
	                        "\"Authorization: Bearer KEY\"."
	                      : "Docent has no OAuth here, as no --public-url says what it is "
	                        "called. Give the client an API key of Docent as the "
	                        "field \"Authorization: Bearer KEY\", or connect it through "
	                        "mcp-remote, which adds that field.");
	return kb_call_reply(call, 403, &buf, &jw, err);
}
