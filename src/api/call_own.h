/* What dispatch.c knows of call.c besides: how the row's path is read, and what is read ahead. */
#ifndef KB_API_CALL_OWN_H
#define KB_API_CALL_OWN_H

#include "api/api.h"

/* The index of the path parameter of that name, or -1. */
int kb_call_param(const char *path, const char *name);

/* Whether the route's question is worth a trip of its own, which has not been made. */
bool kb_call_reads_ahead(const struct kb_call *call);
/* Reads all that the route's question needs, with the key where the cache lacks it. Whose it is is
 * judged by who uses it. */
bool kb_call_read_ahead(struct kb_call *call, struct kb_sv key, struct kb_err *err) KB_MUST_CHECK;

#endif
