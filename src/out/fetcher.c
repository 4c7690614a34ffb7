/* Who fetches, under which name, and which addresses are open to it. */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "out/fetch_own.h"

#define BROWSER_AGENT                                                                              \
	"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "                  \
	"Chrome/139.0.0.0 Safari/537.36"

enum { DNS_NAME_MAX = 254 };

struct kb_fetcher *kb_fetcher_new(const char *allow, const char *agent_name, const char *temp_dir,
                                  struct kb_err *err)
{
	struct kb_fetcher *fetcher = kb_xcalloc(1, sizeof(*fetcher));

	if (!kb_guard_read(&fetcher->arena, allow, &fetcher->guard, err)) {
		kb_fetcher_free(fetcher);
		return NULL;
	}
	fetcher->agent_name = kb_arena_str(
	        &fetcher->arena, kb_sv_str(agent_name ? agent_name : "Docent/" DOCENT_VERSION));
	fetcher->temp_dir = kb_arena_str(&fetcher->arena, kb_sv_str(temp_dir));
	return fetcher;
}

void kb_fetcher_free(struct kb_fetcher *fetcher)
{
	if (!fetcher)
		return;
	kb_arena_fini(&fetcher->arena);
	free(fetcher);
}

void kb_fetcher_cancel(struct kb_fetcher *fetcher)
{
	if (fetcher)
		atomic_store(&fetcher->cancelled, true);
}

bool kb_fetcher_is_cancelled(const struct kb_fetcher *fetcher)
{
	return atomic_load(&fetcher->cancelled);
}

void kb_fetcher_set_resolver(struct kb_fetcher *fetcher, kb_resolve_fn *fn, void *arg)
{
	fetcher->resolve = fn;
	fetcher->resolve_arg = arg;
}

struct kb_sv kb_fetcher_name(const struct kb_fetcher *fetcher)
{
	return kb_sv_str(fetcher->agent_name);
}

struct kb_sv kb_fetcher_field(const struct kb_fetcher *fetcher, bool plain_browser)
{
	return plain_browser ? KB_SV(BROWSER_AGENT) : kb_fetcher_name(fetcher);
}

bool kb_fetcher_refuse(struct kb_sv asked, struct kb_err *err)
{
	return kb_fail(err, KB_E_INVALID, "%.*s leads to an address that is not open to fetching",
	               KB_SV_ARG(asked));
}

/* What the DNS may hold; a URL's host may be wider. */
static bool is_dns_name(struct kb_sv host)
{
	for (size_t i = 0; i < host.n; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789-_.", host.p[i]))
			return false;
	return host.n > 0 && host.n <= DNS_NAME_MAX && host.p[0] != '-';
}

static bool find_addresses(struct kb_fetcher *fetcher, const struct kb_url *url,
                           int64_t deadline_us, struct kb_addresses *out, struct kb_err *err)
{
	char name[DNS_NAME_MAX + 1];

	out->count = 0;
	if (url->host_kind == KB_HOST_IPV4 || url->host_kind == KB_HOST_IPV6) {
		struct kb_address *a = &out->v[out->count++];

		a->family = url->host_kind == KB_HOST_IPV4 ? AF_INET : AF_INET6;
		memcpy(a->bytes, url->address, sizeof(a->bytes));
		return true;
	}
	if (!is_dns_name(url->host))
		return kb_fail(err, KB_E_UPSTREAM, "%.*s has no address",
		               KB_SV_ARG(kb_sv_sub(url->host, 0, 100)));
	memcpy(name, url->host.p, url->host.n);
	name[url->host.n] = '\0';
	if (fetcher->resolve)
		return fetcher->resolve(fetcher->resolve_arg, name, out, err);
	return kb_resolve(name, deadline_us, &fetcher->cancelled, out, err);
}

/* One closed address closes the name: which of them is used must not be luck. */
bool kb_fetcher_judge(struct kb_fetcher *fetcher, const struct kb_fetch_target *target,
                      struct kb_addresses *out, struct kb_err *err)
{
	const struct kb_url *url = target->url;
	int port = kb_url_port(url);
	bool named = true;

	if (!find_addresses(fetcher, url, target->deadline_us, out, err))
		return false;
	for (size_t i = 0; i < out->count; i++) {
		enum kb_verdict verdict = kb_guard_judge(&fetcher->guard, &out->v[i]);

		if (verdict == KB_ADDRESS_CLOSED)
			return kb_fetcher_refuse(target->asked, err);
		named = named && verdict == KB_ADDRESS_NAMED;
		out->v[i] = kb_address_plain(&out->v[i]);
	}
	return port == 80 || port == 443 || named
	       || kb_fail(err, KB_E_INVALID,
	                  "%.*s leads to port %d; only 80 and 443 are open to fetching",
	                  KB_SV_ARG(target->asked), port);
}
