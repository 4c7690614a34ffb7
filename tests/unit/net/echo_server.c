/*
 * A server that shows how requests were understood: for tests that speak raw bytes to it.
 *
 *   net_echo_server [cert key]     prints its port, serves until its standard input ends
 *
 * Every path answers with one line of JSON: the method, the target, the body's length and bytes'
 * hash, what of the form there is. A refusal says "refused" and why.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/json.h"
#include "net/server.h"

enum { BODY_MAX = 1024 * 1024 };

static void answer(struct kb_request *req, int status, struct kb_buf *buf)
{
	kb_respond(req, &(struct kb_response){ .status = status,
	                                       .content_type = "application/json",
	                                       .body = kb_buf_view(buf) });
	kb_buf_fini(buf);
}

static void on_echo(struct kb_request *req)
{
	struct kb_buf buf;
	struct kb_jw jw;

	kb_buf_init(&buf, KB_MIB(16));
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	kb_jw_key_sv(&jw, "method", req->method);
	kb_jw_key_sv(&jw, "target", req->target);
	kb_jw_key_sv(&jw, "host", req->host);
	kb_jw_key_int(&jw, "length", (int64_t)req->body.n);
	kb_jw_key_sv(&jw, "body", req->body);
	kb_jw_key_int(&jw, "parts", (int64_t)req->part_count);
	kb_jw_end(&jw);
	answer(req, 200, &buf);
}

static void on_refusal(struct kb_request *req, const struct kb_err *err)
{
	struct kb_buf buf;
	struct kb_jw jw;

	kb_buf_init(&buf, KB_MIB(1));
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	kb_jw_key_str(&jw, "refused", err->msg);
	kb_jw_end(&jw);
	answer(req, req->status, &buf);
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
