/* What a request says of a file of a mirrored folder. */
#ifndef KB_API_PATHS_H
#define KB_API_PATHS_H

#include "api/api.h"

struct kb_path_input {
	struct kb_sv path;     /* empty: none was sent */
	struct kb_sv filename; /* its last part, cleaned for display */
	struct kb_sv url;      /* p == NULL: none was sent */
};

/* The fields path and url. KB_E_INVALID for what is no path or no address of the web. */
bool kb_path_input(struct kb_call *call, struct kb_path_input *out,
                   struct kb_err *err) KB_MUST_CHECK;

#endif
