/* What a server is given: where it listens, whom it serves, and its limits. */
#ifndef KB_HTTP_CONFIG_H
#define KB_HTTP_CONFIG_H

#include "base/address.h"
#include "base/pool.h"
#include "http/request.h"

struct kb_server_config {
	const char *host; /* numeric address or name; "" or "*": all */
	int port;         /* 0 picks one */
	int loops;        /* 0: one a core, at most 8 */
	const struct kb_route *routes;
	size_t route_count;
	struct kb_pool *workers;
	const struct kb_log *log;
	void *app;
	const char *temp_dir; /* for uploads; on the same file system as the data */

	/* Writes the answer for a refusal of the server's own, whose status err says; may run on a
	 * loop thread, must not block. */
	void (*refuse)(struct kb_request *req, const struct kb_err *err);
	/* Runs on a worker before a body over `admit_above` bytes (or of unknown length) is read;
	 * returns false after answering (an unauthorized upload is not received). NULL: admit all.
	 */
	bool (*admit)(struct kb_request *req);
	/* Whether answers for that owner may go on; asked about twice a second while one waits for
	 * its reader or is a stream, on a worker. Where not, the connection is closed. NULL:
	 * always.
	 */
	bool (*owner_holds)(void *app, int64_t owner);
	/* The grace of a stop is over: calls off what workers still wait for. NULL: nothing. */
	void (*hurry)(void *app);
	/* Adds fields to every answer (CORS); may be NULL. Runs where the answer is made. */
	void (*decorate)(struct kb_request *req, struct kb_buf *head);

	int64_t upload_file_max;  /* bytes of one file: 100 MB */
	int64_t upload_total_max; /* bytes of one request's files: 1 GB */
	int upload_files_max;     /* 50 */
	int64_t disk_reserve; /* refuse uploads that would leave less than this free in temp_dir */
	size_t admit_above;

	int connections_max, connections_per_address_max; /* the second one 0: no limit */
	bool cap_loopback; /* count this machine's own address too; off: a proxy speaks for many */
	/* Proxies whose X-Forwarded-For is believed; their connections are not counted by address.
	 */
	struct kb_guard proxies;
	int header_timeout_ms, body_idle_timeout_ms, idle_timeout_ms, write_timeout_ms;
	int body_min_rate; /* bytes a second over body_rate_window_ms; slower peers are dropped */
	int body_rate_window_ms; /* ten seconds */
	/* The same for what a peer takes of an answer while more of it waits. A peer that took
	 * nothing for write_timeout_ms is dropped too. What counts is what left the kernel's queue.
	 */
	int write_min_rate, write_rate_window_ms;
	size_t stream_buffer_max; /* unsent bytes of one stream before its peer counts as gone */

	const char *tls_cert, *tls_key; /* PEM files; NULL: plain */
};

#endif
