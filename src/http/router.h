/*
 * The route table compiled into a tree of path segments. Literal segments win over parameters; a
 * last segment "{name*}" matches whatever is left, slashes included, or nothing; such a row serves
 * its method everywhere below, and makes no path known (404, not 405) for other methods. One slash
 * at the end of a path makes no difference. HEAD is served by GET where it has no row of its own.
 * Immutable once made; any thread.
 */
#ifndef KB_HTTP_ROUTER_H
#define KB_HTTP_ROUTER_H

#include "http/request.h"

struct kb_router;

/* The routes must outlive the router. Doubled rows and too many parameters are our own mistakes. */
struct kb_router *kb_router_new(const struct kb_route *routes, size_t count);
void kb_router_free(struct kb_router *router);

struct kb_match {
	const struct kb_route *route;
	struct kb_sv path; /* decoded */
	struct kb_sv params[KB_HTTP_PARAMS_MAX];
	size_t param_count;
	const char *allow; /* with KB_E_METHOD: the methods that path has, "GET, HEAD" */
};

/* path is raw. KB_E_INVALID for a malformed escape, KB_E_NOT_FOUND, KB_E_METHOD. */
bool kb_router_find(const struct kb_router *router, struct kb_arena *arena, struct kb_sv method,
                    struct kb_sv path, struct kb_match *match, struct kb_err *err) KB_MUST_CHECK;

#endif
