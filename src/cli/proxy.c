/* docent proxy: reads what it is told, serves until it is stopped. See proxy.h. */
#include "cli/proxy.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "out/curl.h"
#include "out/fetch_head.h"
#include "out/url.h"

enum { WORKERS = 32, QUEUED_MAX = 512, GRACE_MS = 20000 };

struct settings {
	const char *url, *key, *agent, *origin, *listen, *log;
};

// clang-format off
static const struct option {
	const char *flag, *env, *arg, *fallback, *doc;
	size_t member;
} options[] = {
	{ "--url", "DOCENT_URL", "URL", "http://127.0.0.1:8080", "Address of the service.", offsetof(struct settings, url) },
	{ "--key", "DOCENT_API_KEY", "KEY", NULL, "The key that the proxy uses; better in the environment, where other users do not see it.", offsetof(struct settings, key) },
	{ "--agent", "DOCENT_AGENT_ID", "ID", NULL, "The agent that answers.", offsetof(struct settings, agent) },
	{ "--origin", "DOCENT_PROXY_ORIGIN", "ORIGIN", NULL, "The one origin that may call, such as chrome-extension://abc; without it, or with *, any.", offsetof(struct settings, origin) },
	{ "--listen", "DOCENT_PROXY_LISTEN", "HOST:PORT", "127.0.0.1:8090", "Address to serve; port 0 picks a free one.", offsetof(struct settings, listen) },
	{ "--log", "DOCENT_LOG", "LEVEL[,json]", "info", "debug, info, warn, error or off; `,json` for JSON lines.", offsetof(struct settings, log) },
};
// clang-format on

static const char **member(struct settings *s, const struct option *option)
{
	return (const char **)(void *)((char *)s + option->member);
}

static void help(bool markdown)
{
	if (markdown)
		printf("| Flag | Environment | Default | What it does |\n"
		       "| --- | --- | --- | --- |\n");
	else
		printf("usage: docent proxy [OPTION]…\n\n");
	for (size_t i = 0; i < KB_COUNTOF(options); i++) {
		const struct option *o = &options[i];

		if (markdown)
			printf("| `%s %s` | `%s` | %s | %s |\n", o->flag, o->arg, o->env,
			       o->fallback ? o->fallback : "", o->doc);
		else
			printf("  %s %-12s %s%s%s%s\n      %s\n", o->flag, o->arg, o->env,
			       o->fallback ? " (default " : "", o->fallback ? o->fallback : "",
			       o->fallback ? ")" : "", o->doc);
	}
}

/* Flag, then environment, then default; an empty value counts as none. */
static bool read_settings(int argc, char **argv, struct settings *out, struct kb_err *err)
{
	for (int i = 1; i < argc; i += 2) {
		const struct option *found = NULL;

		for (size_t k = 0; k < KB_COUNTOF(options); k++)
			if (strcmp(argv[i], options[k].flag) == 0)
				found = &options[k];
		if (!found)
			return kb_fail(err, KB_E_INVALID,
			               "unknown option %s; `docent proxy --help` lists them",
			               argv[i]);
		if (i + 1 == argc)
			return kb_fail(err, KB_E_INVALID, "%s needs a value", argv[i]);
		*member(out, found) = argv[i + 1];
	}
	for (size_t k = 0; k < KB_COUNTOF(options); k++) {
		const char **at = member(out, &options[k]);

		if (!*at)
			*at = getenv(options[k].env);
		if (!*at || !**at)
			*at = options[k].fallback;
	}
	return true;
}

static bool read_url(struct kb_arena *arena, const char *text, struct kb_proxy *out,
                     struct kb_err *err)
{
	struct kb_url url;

	if (!kb_url_parse(arena, kb_sv_str(text), NULL, &url, err))
		return false;
	if (!kb_url_is_web(&url) || url.username.n || url.password.n || url.query.p
	    || url.fragment.p)
		return kb_fail(err, KB_E_INVALID,
		               "--url is %s; it must be an http or https address without user, "
		               "query and fragment",
		               text);
	out->base = url.href;
	while (out->base.n > 0 && out->base.p[out->base.n - 1] == '/')
		out->base.n--;
	return true;
}

static bool check(struct kb_arena *arena, const struct settings *s, struct kb_proxy *out,
                  struct kb_err *err)
{
	int64_t agent;

	if (!read_url(arena, s->url, out, err))
		return false;
	if (s->agent && !kb_sv_to_int(kb_sv_str(s->agent), 1, INT64_MAX, &agent))
		return kb_fail(err, KB_E_INVALID, "--agent is %s; it must be an agent's number",
		               s->agent);
	if (s->key && !kb_fetch_value_ok(kb_sv_str(s->key)))
		return kb_fail(err, KB_E_INVALID, "--key holds a control character");
	if (s->origin && strcmp(s->origin, "*") != 0) {
		if (!strstr(s->origin, "://") || strpbrk(s->origin, " ,\t\r\n\"")
		    || s->origin[strlen(s->origin) - 1] == '/')
			return kb_fail(err, KB_E_INVALID,
			               "--origin is %s; it must be one origin, such as "
			               "chrome-extension://abc or https://www.example.com, "
			               "without a slash at the end",
			               s->origin);
		out->origin = s->origin;
	}
	out->key = s->key;
	out->agent = s->agent;
	return kb_curl_load(err) != NULL;
}

static bool serve(struct kb_proxy *proxy, const char *host, int port, struct kb_err *err)
{
	struct kb_pool *workers = kb_pool_open("proxy", WORKERS, QUEUED_MAX);
	struct kb_server_config net;
	struct kb_server *server;
	sigset_t signals;
	int signal;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	kb_server_config_init(&net);
	net.host = host;
	net.port = port;
	net.loops = 1;
	net.routes = kb_proxy_routes(&net.route_count);
	net.workers = workers;
	net.log = proxy->log;
	net.app = proxy;
	net.refuse = kb_proxy_refuse;
	net.decorate = kb_proxy_decorate;
	server = kb_server_start(&net, err);
	if (!server) {
		kb_pool_close(workers);
		return false;
	}
	fprintf(stderr, "listening on http://%s%s%s:%d\n", strchr(host, ':') ? "[" : "",
	        host[0] ? host : "0.0.0.0", strchr(host, ':') ? "]" : "", kb_server_port(server));
	if (!proxy->key || !proxy->agent)
		kb_warn(proxy->log,
		        "not configured: DOCENT_API_KEY and DOCENT_AGENT_ID are needed");
	while (sigwait(&signals, &signal) != 0)
		;
	kb_info(proxy->log, "stopping");
	atomic_store(&proxy->stopping, true);
	kb_server_stop(server, GRACE_MS);
	kb_pool_close(workers);
	return true;
}

int kb_cli_proxy(int argc, char **argv)
{
	struct kb_arena arena = { 0 };
	struct settings settings = { 0 };
	struct kb_proxy proxy = { 0 };
	enum kb_log_level level;
	enum kb_log_format format;
	struct kb_err err = { 0 };
	struct kb_log log;
	char host[256];
	int64_t port;
	int code = 0;

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "--help=markdown") == 0) {
			help(strcmp(argv[i], "--help") != 0);
			return 0;
		}
	if (!read_settings(argc, argv, &settings, &err)
	    || !kb_option_listen(settings.listen, host, sizeof(host), &port, &err)
	    || !check(&arena, &settings, &proxy, &err)) {
		code = kb_cli_fail(err.code == KB_E_UNSUPPORTED ? 1 : 2, "%s", err.msg);
	} else if (!kb_log_parse(settings.log, &level, &format)) {
		code = kb_cli_fail(2,
		                   "--log is %s; it must be debug, info, warn, error or off, "
		                   "perhaps with ,json",
		                   settings.log);
	} else {
		kb_log_init(&log, level, format, STDERR_FILENO);
		proxy.log = &log;
		if (!serve(&proxy, host, (int)port, &err))
			code = kb_cli_fail(1, "%s", err.msg);
	}
	kb_arena_fini(&arena);
	return code;
}
