/*
 * docent proxy: a small server of its own that holds one key and one agent, so that a browser
 * extension can ask that agent without a credential in the browser.
 *
 *   proxy.c         the command: options, start, end
 *   proxy_routes.c  what the extension calls
 *   proxy_call.c    what the proxy calls: the service at DOCENT_URL
 *
 * It keeps nothing. Each of its calls is one or two calls of the service, made from a worker. The
 * operator names the service himself, so the rules of out/fetch.h about addresses do not apply.
 */
#ifndef KB_CLI_PROXY_H
#define KB_CLI_PROXY_H

#include <stdatomic.h>

#include "base/json.h"
#include "http/server.h"

enum {
	KB_PROXY_CHAT_S = 120, /* for an answer; other calls: */
	KB_PROXY_CALL_S = 30,
	KB_PROXY_CONNECT_S = 10,
	KB_PROXY_REPLY_MAX = 4 << 20,  /* bytes that the service may answer */
	KB_PROXY_BODY_MAX = 256 << 10, /* bytes that the extension may send */
};

struct kb_proxy {
	struct kb_sv base;       /* "https://docs.example.com", without a slash at the end */
	const char *key, *agent; /* NULL: not configured */
	const char *origin;      /* the only one that may call; NULL: any */
	const struct kb_log *log;
	atomic_bool stopping; /* calls in progress end soon */
};

/* What the service said; its error texts in message. */
struct kb_proxy_reply {
	int status;
	const json_t *data; /* of the envelope; NULL: none */
	struct kb_sv message;
};

/* What the service is asked. */
struct kb_proxy_request {
	const char *method;
	struct kb_sv path; /* below /api/v1/projects/{agent} */
	struct kb_sv json; /* empty: no body */
	int timeout_s;
};

/* False (KB_E_UPSTREAM, KB_E_TIMEOUT, KB_E_CANCELLED, KB_E_UNSUPPORTED) when there is no answer to
 * be read; an error that the service reports is an answer. Blocks. */
bool kb_proxy_call(const struct kb_proxy *proxy, struct kb_arena *arena,
                   const struct kb_proxy_request *request, struct kb_proxy_reply *out,
                   struct kb_err *err) KB_MUST_CHECK;

/* The rows, and what the server asks of its application; app is the struct kb_proxy. */
const struct kb_route *kb_proxy_routes(size_t *count);
void kb_proxy_refuse(struct kb_request *req, const struct kb_err *err);
void kb_proxy_decorate(struct kb_request *req, struct kb_buf *head);

#endif
