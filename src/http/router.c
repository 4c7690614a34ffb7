/* The tree of path segments: see router.h. */
#include "http/router.h"

#include <stdlib.h>
#include <string.h>

#include "base/field.h"

enum { SEGMENTS_MAX = 32, METHODS_MAX = 8, ALLOW_MAX = 96 };

struct node {
	struct kb_sv segment; /* literal; empty for a parameter */
	struct node **literals;
	size_t literal_count, literal_capacity;
	struct node *param;    /* "{name}" */
	struct node *the_rest; /* "{name*}" */
	const struct kb_route *routes[METHODS_MAX];
	size_t route_count;
	char allow[ALLOW_MAX];
};

struct kb_router {
	struct node *root;
};

/* A lookup in hand. */
struct search {
	struct kb_sv method;
	struct kb_sv segments[SEGMENTS_MAX]; /* decoded */
	size_t count;
	struct kb_sv rest_from[SEGMENTS_MAX + 1]; /* the decoded path from that segment on */
	struct kb_match *match;
	const char *allow; /* of the first place that has the path but not the method */
};

static struct node *new_node(struct kb_sv segment)
{
	struct node *node = kb_xcalloc(1, sizeof(*node));

	node->segment = segment;
	return node;
}

static struct node *literal_child(const struct node *node, struct kb_sv segment)
{
	for (size_t i = 0; i < node->literal_count; i++)
		if (kb_sv_eq(node->literals[i]->segment, segment))
			return node->literals[i];
	return NULL;
}

static struct node *grow_path(struct node *node, struct kb_sv segment, size_t *params)
{
	struct node *child;

	if (segment.n && segment.p[0] == '{') {
		bool the_rest = kb_sv_ends(segment, KB_SV("*}"));
		struct node **slot = the_rest ? &node->the_rest : &node->param;

		KB_ASSERT(kb_sv_ends(segment, KB_SV("}")) && ++*params <= KB_HTTP_PARAMS_MAX);
		if (!*slot)
			*slot = new_node(kb_sv("", 0));
		return *slot;
	}
	child = literal_child(node, segment);
	if (!child) {
		child = new_node(segment);
		KB_GROW(node->literals, node->literal_capacity, node->literal_count + 1);
		node->literals[node->literal_count++] = child;
	}
	return child;
}

static void add_allowed(struct node *node, const char *method)
{
	size_t n = strlen(node->allow);

	KB_ASSERT(n + strlen(method) + 3 < sizeof(node->allow));
	if (n) {
		memcpy(node->allow + n, ", ", 2);
		n += 2;
	}
	memcpy(node->allow + n, method, strlen(method) + 1);
}

static void add_route(struct kb_router *router, const struct kb_route *route)
{
	struct node *node = router->root;
	struct kb_sv rest = kb_sv_str(route->path), segment;
	size_t params = 0;

	KB_ASSERT(rest.n && rest.p[0] == '/');
	rest = kb_sv_from(rest, 1);
	while (rest.n && kb_sv_split(&rest, '/', &segment))
		node = grow_path(node, segment, &params);
	for (size_t i = 0; i < node->route_count; i++)
		KB_ASSERT(strcmp(node->routes[i]->method, route->method) != 0);
	KB_ASSERT(node->route_count < METHODS_MAX);
	node->routes[node->route_count++] = route;
}

/* "GET, HEAD, …" for each node, once all rows are in. */
static void write_allow(struct node *node)
{
	bool get = false, head = false;

	for (size_t i = 0; i < node->route_count; i++) {
		const char *method = node->routes[i]->method;

		add_allowed(node, method);
		get = get || strcmp(method, "GET") == 0;
		head = head || strcmp(method, "HEAD") == 0;
	}
	if (get && !head)
		add_allowed(node, "HEAD");
	for (size_t i = 0; i < node->literal_count; i++)
		write_allow(node->literals[i]);
	if (node->param)
		write_allow(node->param);
	if (node->the_rest)
		write_allow(node->the_rest);
}

struct kb_router *kb_router_new(const struct kb_route *routes, size_t count)
{
	struct kb_router *router = kb_xcalloc(1, sizeof(*router));

	router->root = new_node(kb_sv("", 0));
	for (size_t i = 0; i < count; i++)
		add_route(router, &routes[i]);
	write_allow(router->root);
	return router;
}

static void free_node(struct node *node)
{
	if (!node)
		return;
	for (size_t i = 0; i < node->literal_count; i++)
		free_node(node->literals[i]);
	free(node->literals);
	free_node(node->param);
	free_node(node->the_rest);
	free(node);
}

void kb_router_free(struct kb_router *router)
{
	if (!router)
		return;
	free_node(router->root);
	free(router);
}

static const struct kb_route *route_for(const struct node *node, struct kb_sv method)
{
	for (size_t i = 0; i < node->route_count; i++)
		if (kb_sv_eq_str(method, node->routes[i]->method))
			return node->routes[i];
	return kb_sv_eq_str(method, "HEAD") ? route_for(node, KB_SV("GET")) : NULL;
}

static bool choose(struct search *search, const struct node *node, size_t params)
{
	const struct kb_route *route = route_for(node, search->method);

	if (!route)
		return false;
	search->match->route = route;
	search->match->param_count = params;
	return true;
}

/* Goes down from a node that has matched all segments before `at`. The tree has as many levels as
 * the longest route has segments, so the recursion is as shallow as the route table. */
static bool descend(struct search *search, const struct node *node, size_t at, size_t params)
{
	const struct node *child;

	if (at == search->count) {
		if (choose(search, node, params))
			return true;
		if (node->route_count && !search->allow)
			search->allow = node->allow;
	} else {
		child = literal_child(node, search->segments[at]);
		if (child && descend(search, child, at + 1, params))
			return true;
		if (node->param && search->segments[at].n) {
			search->match->params[params] = search->segments[at];
			if (descend(search, node->param, at + 1, params + 1))
				return true;
		}
	}
	if (!node->the_rest)
		return false;
	search->match->params[params] = search->rest_from[at];
	return choose(search, node->the_rest, params + 1);
}

/* Cuts the raw path at its slashes, decodes the segments, and puts the decoded path together where
 * it differs from the raw one. */
static bool cut(struct search *search, struct kb_arena *arena, struct kb_sv path,
                struct kb_err *err)
{
	bool escaped = kb_sv_find_byte(path, '%') >= 0;
	char *copy = escaped ? kb_arena_bytes(arena, path.n + 1) : NULL;
	size_t copied = 0;
	struct kb_sv rest = kb_sv_from(path, 1), raw;

	search->match->path = path;
	if (escaped)
		copy[copied++] = '/';
	while (rest.n && kb_sv_split(&rest, '/', &raw)) {
		struct kb_sv *segment = &search->segments[search->count];

		if (search->count == SEGMENTS_MAX)
			return kb_fail(err, KB_E_NOT_FOUND, "no route has more than %d segments",
			               SEGMENTS_MAX);
		if (!kb_percent_decode(arena, raw, segment))
			return kb_fail(err, KB_E_INVALID, "the path holds a malformed escape");
		if (escaped) {
			memcpy(copy + copied, segment->p, segment->n);
			*segment = kb_sv(copy + copied, segment->n);
			copied += segment->n;
			copy[copied++] = '/';
		}
		search->count++;
	}
	if (escaped) {
		if (path.p[path.n - 1] != '/')
			copied--;
		search->match->path = kb_sv(copy, copied);
	}
	for (size_t i = 0; i < search->count; i++)
		search->rest_from[i] =
		        kb_sv_from(search->match->path,
		                   (size_t)(search->segments[i].p - search->match->path.p));
	search->rest_from[search->count] = kb_sv("", 0);
	return true;
}

bool kb_router_find(const struct kb_router *router, struct kb_arena *arena, struct kb_sv method,
                    struct kb_sv path, struct kb_match *match, struct kb_err *err)
{
	struct search search;

	search.method = method;
	search.count = 0;
	search.allow = NULL;
	search.match = match;
	match->route = NULL;
	match->param_count = 0;
	match->allow = NULL;
	match->path = path;
	if (path.n == 0 || path.p[0] != '/')
		return kb_fail(err, KB_E_NOT_FOUND, "there is nothing at this address");
	if (!cut(&search, arena, path, err))
		return false;
	if (descend(&search, router->root, 0, 0))
		return true;
	if (!search.allow)
		return kb_fail(err, KB_E_NOT_FOUND, "there is nothing at this address");
	match->allow = search.allow;
	return kb_fail(err, KB_E_METHOD, "the method %.*s is not served here, only %s",
	               KB_SV_ARG(method), search.allow);
}
