/*
 * The protocol by which a browser is told what to do (the DevTools protocol over two pipes): JSON
 * messages, each with a NUL behind it. What comes back may hold whatever a page wants to; it is
 * read as strictly as any other foreign text. One thread at a time uses one.
 */
#ifndef KB_CRAWL_DEVTOOLS_H
#define KB_CRAWL_DEVTOOLS_H

#include "base/json.h"

enum { KB_DEVTOOLS_MESSAGE_MAX = 64 << 20 };

struct kb_devtools {
	int to, from;     /* the caller's */
	struct kb_buf in; /* read and not yet taken */
	size_t taken;
	int64_t last_id;
	struct kb_sv session; /* of the page; empty: the browser's own */
	/* Asked now and then while we wait: false, with *err set, ends that. */
	bool (*goes_on)(void *arg, struct kb_err *err);
	void *arg;
};

void kb_devtools_init(struct kb_devtools *tools, int to, int from);
void kb_devtools_fini(struct kb_devtools *tools);

/* params: a JSON object; empty: none. The reply has this *id. */
bool kb_devtools_send(struct kb_devtools *tools, const char *method, struct kb_sv params,
                      int64_t *id, struct kb_err *err) KB_MUST_CHECK;
/* Waits for the next message, of which the arena has the tree. KB_E_UPSTREAM: the browser has
 * ended. */
bool kb_devtools_next(struct kb_devtools *tools, struct kb_arena *arena, json_t **message,
                      struct kb_err *err) KB_MUST_CHECK;

/* Escapes of halves of characters and of NUL, which browsers write and JSON readers refuse, become
 * U+FFFD, in place. */
void kb_devtools_mend(char *json, size_t n);

#endif
