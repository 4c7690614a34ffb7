#include "api/oauth_client.h"

#include "base/file.h"
#include "base/json.h"
#include "base/utf8.h"

enum { WHOLE_S = 5, CONNECT_S = 3 };

/* ---- addresses ---- */

/* What may stand in an address: nothing that is written otherwise than it is read, as a slash too
 * few behind its scheme. */
static bool is_plain(struct kb_sv text)
{
	if (!kb_sv_starts(text, KB_SV("https://")) && !kb_sv_starts(text, KB_SV("http://")))
		return false;
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] <= ' ' || text.p[i] >= 0x7f || text.p[i] == '\\')
			return false;
	return text.n <= KB_OAUTH_ADDRESS_CHARS;
}

/* A parser of addresses takes such a part out, and another one may not. */
static bool has_dots(struct kb_sv id)
{
	return kb_sv_find(id, KB_SV("/.")) >= 0 || kb_sv_find(id, KB_SV("/%2e")) >= 0
	       || kb_sv_find(id, KB_SV("/%2E")) >= 0;
}

static bool read_address(struct kb_arena *arena, struct kb_sv id, struct kb_sv *host,
                         struct kb_err *err)
{
	struct kb_err ignored;
	struct kb_url url;

	if (!is_plain(id) || !kb_url_parse(arena, id, NULL, &url, &ignored)
	    || !kb_sv_eq_str(url.scheme, "https") || !kb_url_is_web(&url))
		return kb_fail(err, KB_E_INVALID,
		               "client_id is not the https address of a program's description");
	if (url.username.n || url.password.n || url.fragment.p || url.path.n < 2 || has_dots(id))
		return kb_fail(err, KB_E_INVALID,
		               "client_id needs a path, and has neither user nor fragment nor "
		               "dots between slashes");
	*host = url.port >= 0 ? kb_arena_printf(arena, "%.*s:%d", KB_SV_ARG(url.host), url.port)
	                      : url.host;
	return true;
}

/* The reader's own machine, by any of its names. */
static bool is_own_machine(const struct kb_url *url)
{
	static const char *const names[] = { "127.0.0.1", "[::1]", "localhost" };

	for (size_t i = 0; i < KB_COUNTOF(names); i++)
		if (kb_sv_eq_str(url->host, names[i]))
			return true;
	return false;
}

/* Where a browser may be sent at all: by TLS, or to a program on its own machine. */
static bool read_redirect(struct kb_arena *arena, struct kb_sv text, struct kb_url *out)
{
	struct kb_err ignored;

	return is_plain(text) && kb_url_parse(arena, text, NULL, out, &ignored)
	       && kb_url_is_web(out) && !out->fragment.p && !out->username.n && !out->password.n
	       && (kb_sv_eq_str(out->scheme, "https") || is_own_machine(out));
}

/* The same but for the port. */
static bool differ_in_port(const struct kb_url *a, const struct kb_url *b)
{
	return kb_sv_eq_str(a->scheme, "http") && kb_sv_eq(a->scheme, b->scheme)
	       && is_own_machine(a) && kb_sv_eq(a->host, b->host) && kb_sv_eq(a->path, b->path)
	       && (a->query.p != NULL) == (b->query.p != NULL) && kb_sv_eq(a->query, b->query);
}

bool kb_oauth_client_takes(struct kb_arena *arena, const struct kb_oauth_client *client,
                           struct kb_sv redirect, struct kb_sv *host, struct kb_err *err)
{
	struct kb_url asked, listed;

	if (!read_redirect(arena, redirect, &asked))
		return kb_fail(err, KB_E_INVALID,
		               "redirect_uri is neither an https address nor one of this machine");
	*host = is_own_machine(&asked) ? KB_SV("") : asked.host;
	for (size_t i = 0; i < client->redirect_count; i++) {
		if (kb_sv_eq(client->redirects[i], redirect))
			return true;
		if (read_redirect(arena, client->redirects[i], &listed)
		    && differ_in_port(&asked, &listed))
			return true;
	}
	return kb_fail(err, KB_E_INVALID,
	               "the browser would be sent back to an address that the program's "
	               "description does not list");
}

/* ---- the document ---- */

static struct kb_sv text_of(const json_t *value)
{
	return json_is_string(value) ? kb_sv(json_string_value(value), json_string_length(value))
	                             : KB_SV("");
}

/* A name without what moves or hides letters beside it. */
static bool is_shown(struct kb_sv name)
{
	static const char *const hidden[] = { "\xe2\x80\xaa", "\xe2\x80\xab", "\xe2\x80\xac",
		                              "\xe2\x80\xad", "\xe2\x80\xae", "\xe2\x81\xa6",
		                              "\xe2\x81\xa7", "\xe2\x81\xa8", "\xe2\x81\xa9",
		                              "\xe2\x80\xa8", "\xe2\x80\xa9" };

	for (size_t i = 0; i < name.n; i++)
		if ((unsigned char)name.p[i] < ' ' || name.p[i] == 0x7f)
			return false;
	for (size_t i = 0; i < KB_COUNTOF(hidden); i++)
		if (kb_sv_find(name, kb_sv_str(hidden[i])) >= 0)
			return false;
	return true;
}

static bool read_redirects(struct kb_arena *arena, const json_t *list, struct kb_oauth_client *out,
                           struct kb_err *err)
{
	size_t count = json_array_size(list);
	struct kb_sv *redirects;

	if (!json_is_array(list) || !count || count > KB_OAUTH_CLIENT_REDIRECTS)
		return kb_fail(err, KB_E_INVALID,
		               "the program's description has no list redirect_uris of 1 to %d",
		               KB_OAUTH_CLIENT_REDIRECTS);
	redirects = KB_NEW_ARRAY(arena, count, struct kb_sv);
	for (size_t i = 0; i < count; i++)
		redirects[i] = kb_arena_sv(arena, text_of(json_array_get(list, i)));
	out->redirects = redirects;
	out->redirect_count = count;
	return true;
}

bool kb_oauth_client_read(struct kb_arena *arena, struct kb_sv id, struct kb_sv json,
                          struct kb_oauth_client *out, struct kb_err *err)
{
	struct kb_err why;
	const json_t *root;
	struct kb_sv name;

	*out = (struct kb_oauth_client){ .id = id };
	if (!read_address(arena, id, &out->host, err))
		return false;
	root = kb_json_parse(arena, json, &why);
	if (!json_is_object(root))
		return kb_fail(err, KB_E_INVALID, "the program's description is no JSON object");
	if (!kb_sv_eq(text_of(kb_json_get(root, "client_id")), id))
		return kb_fail(err, KB_E_INVALID,
		               "the program's description says that it is another one's");
	/* What everybody can read is no secret. */
	if (kb_json_get(root, "client_secret"))
		return kb_fail(err, KB_E_INVALID, "the program's description holds a secret");
	name = kb_utf8_head(kb_sv_trim(text_of(kb_json_get(root, "client_name"))),
	                    KB_OAUTH_CLIENT_NAME);
	out->name = is_shown(name) ? kb_arena_sv(arena, name) : KB_SV("");
	return read_redirects(arena, kb_json_get(root, "redirect_uris"), out, err);
}

/* ---- the way to it ---- */

static bool stays(void *arg, struct kb_arena *arena, const struct kb_url *to, struct kb_err *err)
{
	(void)arg;
	(void)arena;
	(void)to;
	return kb_fail(err, KB_E_INVALID, "it leads elsewhere");
}

static bool ask(struct kb_fetcher *fetcher, struct kb_arena *arena, struct kb_sv id,
                struct kb_sv *out, struct kb_err *err)
{
	const struct kb_fetch_request request = {
		.url = id,
		.accept = KB_SV("application/json"),
		.bytes_max = KB_OAUTH_CLIENT_BYTES,
		.patience = { WHOLE_S, CONNECT_S, WHOLE_S },
		.may_follow = stays,
	};
	struct kb_fetch_response response = { .fd = -1 };
	bool ok;

	if (!kb_fetch(fetcher, arena, &request, &response, err))
		return false;
	ok = response.status == 200 && response.fd >= 0
	             ? kb_fd_read_all(arena, response.fd, KB_OAUTH_CLIENT_BYTES, out, err)
	             : kb_fail(err, KB_E_INVALID, "it answered %d", response.status);
	kb_fd_close(&response.fd);
	return ok;
}

bool kb_oauth_client_fetch(struct kb_fetcher *fetcher, struct kb_arena *arena, struct kb_sv id,
                           struct kb_oauth_client *out, struct kb_err *err)
{
	struct kb_sv host, json = KB_SV("");
	struct kb_err why;

	if (!read_address(arena, id, &host, err))
		return false;
	if (ask(fetcher, arena, id, &json, &why))
		return kb_oauth_client_read(arena, id, json, out, err);
	return kb_fail(err, why.code == KB_E_CANCELLED ? KB_E_CANCELLED : KB_E_INVALID,
	               "the program's description cannot be read: %s", why.msg);
}
