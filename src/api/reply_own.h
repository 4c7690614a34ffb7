/* What errors.c knows of reply.c besides. */
#ifndef KB_API_REPLY_OWN_H
#define KB_API_REPLY_OWN_H

#include "api/api.h"

#define KB_NO_CACHE                                                                                \
	{                                                                                          \
		KB_SV("cache-control"), KB_SV("no-cache, private")                                 \
	}

/* The end of a call that failed, with that answer; NULL: it is told already, in its stream. */
void kb_call_fail(struct kb_call *call, const struct kb_response *response, int status,
                  const struct kb_err *err);

#endif
