/*
 * A stream of server-sent events of a running service, as long as it lasts: what `docent add` waits
 * by. The calls of remote.h may be made while one is followed.
 */
#ifndef KB_CLI_REMOTE_EVENTS_H
#define KB_CLI_REMOTE_EVENTS_H

#include "cli/remote.h"

struct kb_remote_stream {
	/* data: of one event, a JSON object. */
	void (*event)(void *arg, const json_t *data);
	/* After each event, and once a second or so between them. False ends it: with *err set,
	 * that is the failure of kb_remote_follow(). */
	bool (*tick)(void *arg, struct kb_err *err);
	void *arg;
};

/* path: as of kb_remote_call(). True when the stream has ended, or tick() wanted no more of it.
 * KB_E_UPSTREAM: it broke off, said nothing for a minute, or there is nobody. */
bool kb_remote_follow(struct kb_remote *remote, const char *path,
                      const struct kb_remote_stream *stream, struct kb_err *err) KB_MUST_CHECK;

#endif
