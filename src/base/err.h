/*
 * Errors that are the world's fault: a peer, a disk, an upstream, bad input.
 *
 * A function that can meet one takes `struct kb_err *err` last and returns false (or NULL) after
 * filling it; nothing it was asked to change has changed, unless its header says otherwise. The
 * message is a sentence for the person who caused it and names the thing, the figure and the limit.
 * What a code means to a client stands in one table, infos[] in err.c.
 */
#ifndef KB_BASE_ERR_H
#define KB_BASE_ERR_H

#include "base/common.h"

enum kb_errc {
	KB_OK,
	KB_E_INVALID,      /* the request is wrong as it stands */
	KB_E_UNAUTHORIZED, /* no valid key */
	KB_E_FORBIDDEN,    /* a valid key that may not do this */
	KB_E_NOT_FOUND,
	KB_E_METHOD,      /* the path exists, the method does not */
	KB_E_CONFLICT,    /* somebody else changed it first */
	KB_E_TOO_LARGE,   /* over a limit the message names */
	KB_E_EXHAUSTED,   /* a rate: better in a moment */
	KB_E_QUOTA,       /* a plan's quota is used up: not better in a moment */
	KB_E_BUSY,        /* a queue is full; try again */
	KB_E_UNSUPPORTED, /* an argument Docent does not serve */
	KB_E_UPSTREAM,    /* a server we depend on failed */
	KB_E_TIMEOUT,
	KB_E_AWAY,      /* the server that keeps our bytes does not do its work just now */
	KB_E_IO,        /* a disk or descriptor failed */
	KB_E_FULL,      /* no space left on the disk */
	KB_E_UNCERTAIN, /* the store went away during the commit: it may have happened */
	KB_E_CORRUPT,   /* our own stored bytes are damaged */
	KB_E_CANCELLED, /* the process is stopping, or the caller gave up */
	KB_ERRC_COUNT
};

struct kb_err {
	enum kb_errc code;
	char msg[400];
	int64_t retry_after_s; /* 0: nobody knows */
	int status;            /* HTTP, where it is not what its code is; 0: it is */
};

struct kb_err_info {
	const char *name; /* for logs and metrics */
	int status;       /* HTTP */
	bool retry;       /* the same call may succeed later */
	bool hide;        /* the client gets the name of the status, the log gets the message */
	bool outage; /* it says nothing of what was asked: the service cannot do its work just now
	              */
};

const struct kb_err_info *kb_err_info(enum kb_errc code);
/* What a client is told. */
const char *kb_err_shown(const struct kb_err *err);
/* What the owner of a document or a source is told, as the reason of its state. */
const char *kb_err_reason(const struct kb_err *err);

/* Fills err (NULL is fine) and returns false, so that failing is one line. */
bool kb_fail(struct kb_err *err, enum kb_errc code, const char *fmt, ...) KB_PRINTF(3, 4);

/* The same where it is known when to come back. */
bool kb_fail_for(struct kb_err *err, enum kb_errc code, int64_t retry_after_s, const char *fmt, ...)
        KB_PRINTF(4, 5);
/* When a client is told to come back, in seconds; 0: it is told nothing. */
int64_t kb_err_retry_after(const struct kb_err *err);
/* What it is in HTTP: its own status, or its code's. */
int kb_err_status(const struct kb_err *err);

/* The same from errno: "what: No such file or directory". ENOSPC and EDQUOT become KB_E_FULL. */
bool kb_fail_errno(struct kb_err *err, const char *fmt, ...) KB_PRINTF(2, 3);

/* How long work learns that nobody wants it any more: `asked` is called now and then, on the thread
 * that works. */
struct kb_cancel {
	bool (*asked)(void *arg);
	void *arg;
};

/* Whether to give up; *err then says KB_E_CANCELLED. NULL never does. */
bool kb_cancelled(const struct kb_cancel *cancel, struct kb_err *err);

/* Our own stored bytes are damaged. One function, for a breakpoint. */
bool kb_corrupt(struct kb_err *err, const char *fmt, ...) KB_PRINTF(2, 3);

#endif
