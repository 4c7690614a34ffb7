/*
 * A handle of libcurl as each of ours is, and the connections that are kept to a server.
 *
 * One policy of going out: http and https only; no proxy, not even the environment's; no redirect
 * is followed by itself; no signals. Whoever goes out from the service (fetch.h, the clients of
 * model servers, the bucket's) tells the rest in one request. The command line's clients of a
 * service (cli/remote.h, cli/proxy.h) are not among them: they act for a person, and by that
 * person's environment.
 *
 * One thread at a time uses a handle. Any number of threads may take and give back those of a
 * kb_handles.
 */
#ifndef KB_OUT_HANDLE_H
#define KB_OUT_HANDLE_H

#include <pthread.h>

#include "base/arena.h"
#include "out/curl.h"
#include "out/resolve.h"

struct kb_handle_request {
	const char *url;
	const char *method; /* NULL: GET, or POST where there is a body */
	/* Stays where it is until the transfer ends; p: NULL: none. libcurl says that it is a form
	 * where no field says what it is. */
	struct kb_sv body;
	const char *agent;            /* of the User-Agent field; NULL: Docent and its version */
	struct curl_slist *fields;    /* stay until the transfer ends */
	struct curl_slist *resolved;  /* of kb_handle_resolved(); likewise; NULL: libcurl looks */
	int64_t whole_ms, connect_ms; /* 0: no limit to the whole, libcurl's own of connecting */
	/* Each with arg; NULL: the body goes nowhere, head and progress are not told. */
	curl_write_callback on_head, on_body;
	curl_xferinfo_callback on_progress;
	void *arg;
};

/* Makes the handle one of that request, by the policy. What it was told before is forgotten; its
 * connections are kept. */
void kb_handle_set(const struct kb_curl *lib, CURL *curl, const struct kb_handle_request *request);

/* What libcurl takes in place of asking for the addresses of a name. To be freed. */
struct curl_slist *kb_handle_resolved(const struct kb_curl *lib, struct kb_sv host, int port,
                                      const struct kb_addresses *addresses) KB_MUST_CHECK;
/* One field more of a list, which may be NULL. */
void kb_handle_field(const struct kb_curl *lib, struct curl_slist **fields, const char *line);

enum { KB_HANDLES_IDLE_MAX = 16 };

struct kb_handles_server {
	struct kb_sv host; /* stays */
	int port;
	bool is_address; /* the host is no name and needs no look-up */
	size_t idle_max; /* kept, with their connections; KB_HANDLES_IDLE_MAX at most */
};

/* The handles of one server, and its addresses for a minute: libcurl's own look-up would not heed a
 * deadline. */
struct kb_handles {
	const struct kb_curl *lib;
	struct kb_handles_server server;

	pthread_mutex_t lock;
	CURL *idle[KB_HANDLES_IDLE_MAX];
	size_t idle_count;
	struct kb_addresses addresses;
	int64_t resolved_until_us; /* kb_clock_mono_us() */
};
void kb_handles_init(struct kb_handles *handles, const struct kb_curl *lib,
                     const struct kb_handles_server *server);
/* None is taken. One that is all zeros is fine. */
void kb_handles_fini(struct kb_handles *handles);
/* NULL: libcurl has none. */
CURL *kb_handles_take(struct kb_handles *handles);
void kb_handles_give(struct kb_handles *handles, CURL *curl);
/* For a request's `resolved`; NULL where the server's name is an address. As kb_resolve(). */
bool kb_handles_resolve(struct kb_handles *handles, int64_t deadline_us,
                        const atomic_bool *cancelled, struct curl_slist **out,
                        struct kb_err *err) KB_MUST_CHECK;

#endif
