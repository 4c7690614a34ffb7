/*
 * A small web site in the test's own process, and a client that speaks raw bytes to it.
 *
 * Handlers are named by what they do in routes[] of site.c; what they observed stands in the site.
 */
#ifndef KB_TEST_SITE_H
#define KB_TEST_SITE_H

#include <stdatomic.h>

#include "http/server.h"

/* What a test waits for comes much sooner; this only ends the wait for a server that hangs. */
int site_hang_ms(void);

struct site {
	struct kb_server_config config; /* to be changed between site_init() and site_start() */
	struct kb_server *server;
	struct kb_pool *workers;
	struct kb_log log;
	char dir[64], temp_dir[80];

	_Atomic int admitted, refuse_admission;
	_Atomic int streams_gone, stream_ended; /* writers that noticed, streams that ended */
	_Atomic int go;                         /* /wait answers when this is set */
	_Atomic int waiting;
	_Atomic int64_t lost; /* the owner who may have no answers any more */
};

void site_init(struct site *site);
/* false with a message on stderr. */
bool site_start(struct site *site);
void site_stop(struct site *site, int grace_ms);
/* Files in the directory for uploads. */
int site_temp_files(const struct site *site);

/* A connection to the site; -1 if refused. */
int site_connect(const struct site *site);
bool site_send(int fd, struct kb_sv bytes);
/* Reads until the peer closes, `until` is there, or timeout_ms have passed; text is terminated.
 * True if the peer has closed. */
bool site_read(int fd, struct kb_buf *text, const char *until, int timeout_ms);
/* Connects, sends, reads until the peer closes, closes. */
struct kb_sv site_ask(struct kb_arena *arena, const struct site *site, struct kb_sv bytes);
/* The status of the first answer that is not 100; 0: none. */
int site_status(struct kb_sv answer);
/* What follows the first head. */
struct kb_sv site_body(struct kb_sv answer);
int site_count(struct kb_sv text, const char *needle);
void site_sleep_ms(int ms);
/* Waits for the value; false: it did not come within site_hang_ms(). */
bool site_wait_for(_Atomic int *value, int wanted);
/* The same for the number of open connections, and of streams among them. */
bool site_wait_open(const struct site *site, int64_t connections, int64_t streams);

#endif
