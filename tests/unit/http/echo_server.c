/*
 * A server that shows how requests were understood: for tests that speak raw bytes to it.
 *
 *   http_echo_server [cert key]     prints its port, serves until its standard input ends
 *
 * Every path answers with a field that says what was understood; a refusal says why in its body.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/hash.h"
#include "http/server.h"

enum { BODY_MAX = 16 * 1024 };

/* "METHOD target body", the last two in hexadecimal, as a field: the answer has no body, so that
 * nothing in it can be taken for another answer. */
static void on_echo(struct kb_request *req)
{
	char *target = kb_arena_bytes(req->arena, req->target.n * 2 + 1);
	char *body = kb_arena_bytes(req->arena, req->body.n * 2 + 1);
	struct kb_response response = { .status = 200 };

	kb_hex(req->target.p, req->target.n, target);
	kb_hex(req->body.p, req->body.n, body);
	response.fields[0].name = KB_SV("X-Echo");
	response.fields[0].value =
	        kb_arena_printf(req->arena, "%.*s %s %s", KB_SV_ARG(req->method), target, body);
	kb_respond(req, &response);
}

static void on_refusal(struct kb_request *req, const struct kb_err *err)
{
	kb_respond(req, &(struct kb_response){ .status = err->status,
	                                       .content_type = "text/plain",
	                                       .body = kb_sv_str(err->msg) });
}

int main(int argc, char **argv)
{
	static const char *const methods[] = { "GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS" };
	struct kb_route routes[KB_COUNTOF(methods)] = { 0 };
	struct kb_pool *workers;
	struct kb_server_config config;
	struct kb_server *server;
	struct kb_log log;
	struct kb_err err;
	char byte;

	kb_crypto_init();
	kb_log_init(&log, KB_LOG_WARN, KB_LOG_TEXT, 2);
	for (size_t i = 0; i < KB_COUNTOF(methods); i++)
		routes[i] = (struct kb_route){ .method = methods[i],
			                       .path = "/{any*}",
			                       .handle = on_echo,
			                       .body_max = BODY_MAX };
	workers = kb_pool_open("echo", 4, 100);
	kb_server_config_init(&config);
	config.routes = routes;
	config.route_count = KB_COUNTOF(routes);
	config.workers = workers;
	config.log = &log;
	config.loops = 1;
	config.port = 0;
	config.refuse = on_refusal;
	config.header_timeout_ms = 1000;
	if (argc > 2) {
		config.tls_cert = argv[1];
		config.tls_key = argv[2];
	}
	server = kb_server_start(&config, &err);
	if (!server) {
		fprintf(stderr, "%s\n", err.msg);
		return 1;
	}
	printf("%d\n", kb_server_port(server));
	fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
	kb_server_stop(server, 100);
	kb_pool_close(workers);
	return 0;
}
