/*
 * The one way out: fetching a URL that a person or a page gave us.
 *
 * http and https only. The name is resolved, every address it has is judged (private, loopback,
 * link-local, multicast, reserved and documentation ranges are refused, IPv4 inside IPv6, NAT64 and
 * 6to4 too: base/address.h), and the connection goes to an address that was judged: nobody resolves
 * a second time. Each redirect starts anew. Errors never tell what an inner address answered. An
 * operator may open named networks (DOCENT_FETCH_ALLOW=127.0.0.0/8,fd00::/8).
 *
 * No cookies, no proxy of the environment, no credentials but those of the URL that was asked for,
 * and those only to its own origin. The same holds of fields that a caller adds. What may change
 * something (a method other than GET and HEAD, or a body) is sent once, to the address that was
 * asked for and to no other: a redirect is its answer.
 *
 * A fetch blocks its caller, which is never a loop thread. Any number of threads may fetch at once.
 */
#ifndef KB_OUT_FETCH_H
#define KB_OUT_FETCH_H

#include "out/resolve.h"
#include "out/url.h"

struct kb_fetcher;

enum {
	KB_FETCH_REDIRECTS_MAX = 5,
	KB_FETCH_TIMEOUT_S = 30, /* of a whole fetch */
	KB_FETCH_CONNECT_S = 5,
	KB_FETCH_SLOW_BYTES = 64, /* a second; who sends less for so many seconds is given up */
	KB_FETCH_SLOW_S = 10,
	KB_FETCH_BYTES_MAX = 100 << 20,
};

/* allow: networks as ADDRESS/BITS with commas between, or NULL. With networks named there, ports
 * other than 80 and 443 are open on them; elsewhere only those two. agent_name: of the User-Agent
 * field; NULL: Docent and its version. temp_dir: for bodies, which have no name there. All are
 * copied. KB_E_INVALID names the network that cannot be read. */
struct kb_fetcher *kb_fetcher_new(const char *allow, const char *agent_name, const char *temp_dir,
                                  struct kb_err *err) KB_MUST_CHECK;
/* NULL is fine; no fetch may be in progress. */
void kb_fetcher_free(struct kb_fetcher *fetcher);
/* Fetches in progress end soon with KB_E_CANCELLED (the service stops), and new ones at once. */
void kb_fetcher_cancel(struct kb_fetcher *fetcher);

/* How long a host is waited for, in seconds. */
struct kb_fetch_patience {
	int whole, connect;
	int slow; /* with less than KB_FETCH_SLOW_BYTES a second; so for the first byte too */
};
/* So many times what is usual, each of them. */
struct kb_fetch_patience kb_fetch_patience(int times);

struct kb_fetch_field {
	struct kb_sv name, value;
};

struct kb_fetch_request {
	struct kb_sv url;
	const char *method; /* NULL: GET, or POST where there is a body */
	struct kb_sv body;  /* p: NULL: none. A form, where no field names its Content-Type */
	/* Beside those that a fetch sends by itself, of which none can be given here. */
	const struct kb_fetch_field *fields;
	size_t field_count;
	struct kb_sv accept;               /* empty: anything */
	struct kb_sv etag, last_modified;  /* of what we hold: a conditional request; empty: none */
	int64_t bytes_max;                 /* after decoding; 0: KB_FETCH_BYTES_MAX */
	struct kb_fetch_patience patience; /* zeros: kb_fetch_patience(1) */
	bool plain_browser; /* ordinary browser-like fields, for hosts that block robots */
	bool cut;           /* what is longer than bytes_max is cut there, not refused */
	/* Asked before a redirect is followed; false, with *err set, ends the fetch with that.
	 * NULL: every one is. */
	bool (*may_follow)(void *arg, struct kb_arena *arena, const struct kb_url *to,
	                   struct kb_err *err);
	void *may_follow_arg;
};

struct kb_fetch_response {
	int status;       /* 200, 304, 404, 503, …: a refusal by the host is no error of ours */
	struct kb_sv url; /* where the redirects ended; without fragment, user and password */
	struct kb_sv content_type, etag, last_modified; /* as sent; empty: none */
	struct kb_sv filename;                          /* of Content-Disposition; empty: none */
	int64_t retry_after_s;                          /* 0: none was named */
	bool noindex, nofollow;                         /* the host's word to all crawlers */
	const char *wall; /* who lets no program through, if it says so; NULL: nobody */
	int redirects;
	/* The body, decoded, in a file without a name, at its start. The caller closes it; -1: none
	 * (304, or an answer of another status than 2xx). */
	int fd;
	int64_t bytes;
};

/*
 * false: KB_E_INVALID (no http address, a port or a network that is not open, redirects without an
 * end, a field that cannot be sent), KB_E_UPSTREAM (no such name, refused, TLS), KB_E_TIMEOUT,
 * KB_E_TOO_LARGE, KB_E_CANCELLED, KB_E_UNSUPPORTED (libcurl is not installed). The sentence is fit
 * for a page's reason.
 */
bool kb_fetch(struct kb_fetcher *fetcher, struct kb_arena *arena,
              const struct kb_fetch_request *request, struct kb_fetch_response *out,
              struct kb_err *err) KB_MUST_CHECK;

/* What it calls itself to robots.txt, and in the User-Agent field. */
struct kb_sv kb_fetcher_name(const struct kb_fetcher *fetcher);
struct kb_sv kb_fetcher_field(const struct kb_fetcher *fetcher, bool plain_browser);
bool kb_fetcher_is_cancelled(const struct kb_fetcher *fetcher);

/* Where somebody wants to connect to. The errors name what was asked for. */
struct kb_fetch_target {
	const struct kb_url *url; /* of http or https */
	struct kb_sv asked;       /* a host */
	int64_t deadline_us;      /* of kb_clock_mono_us() */
};
/* The addresses of its host, all of them open at that port: connect to these and look nothing up
 * again. For gate.c; everybody else fetches. */
bool kb_fetcher_judge(struct kb_fetcher *fetcher, const struct kb_fetch_target *target,
                      struct kb_addresses *out, struct kb_err *err) KB_MUST_CHECK;

/* For tests: asks fn instead of the system's resolver. Before the first fetch. */
typedef bool kb_resolve_fn(void *arg, const char *name, struct kb_addresses *out,
                           struct kb_err *err);
void kb_fetcher_set_resolver(struct kb_fetcher *fetcher, kb_resolve_fn *fn, void *arg);

#endif
