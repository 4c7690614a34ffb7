/* Which route a path finds, what it decodes, and what it may do instead. */
#include "http/router.h"

#include "test.h"

static const struct kb_route routes[] = {
	{ .method = "GET", .path = "/" },
	{ .method = "GET", .path = "/api/v1/projects" },
	{ .method = "POST", .path = "/api/v1/projects" },
	{ .method = "GET", .path = "/api/v1/projects/{projectId}" },
	{ .method = "DELETE", .path = "/api/v1/projects/{projectId}" },
	{ .method = "POST", .path = "/api/v1/projects/special" },
	{ .method = "GET", .path = "/api/v1/projects/{projectId}/pages/{pageId}" },
	{ .method = "HEAD", .path = "/with-head" },
	{ .method = "GET", .path = "/with-head" },
	{ .method = "GET", .path = "/assets/{file*}" },
	{ .method = "OPTIONS", .path = "/{any*}" },
};

static const struct {
	const char *name, *method, *path;
	const char *want;   /* the route's path, or NULL */
	const char *params; /* "a,b" */
	enum kb_errc code;
} rows[] = {
	{ "the root", "GET", "/", "/", "", KB_OK },
	{ "a literal path", "GET", "/api/v1/projects", "/api/v1/projects", "", KB_OK },
	{ "a slash at the end", "GET", "/api/v1/projects/", "/api/v1/projects", "", KB_OK },
	{ "a parameter", "GET", "/api/v1/projects/12", "/api/v1/projects/{projectId}", "12",
	  KB_OK },
	{ "two parameters", "GET", "/api/v1/projects/12/pages/7",
	  "/api/v1/projects/{projectId}/pages/{pageId}", "12,7", KB_OK },
	{ "a literal beats a parameter", "POST", "/api/v1/projects/special",
	  "/api/v1/projects/special", "", KB_OK },
	{ "a parameter serves what the literal does not", "GET", "/api/v1/projects/special",
	  "/api/v1/projects/{projectId}", "special", KB_OK },
	{ "escapes are decoded", "GET", "/api/v1/projects/a%20b%2Fc",
	  "/api/v1/projects/{projectId}", "a b/c", KB_OK },
	{ "an escaped literal", "GET", "/api/v%31/projects", "/api/v1/projects", "", KB_OK },
	{ "HEAD falls to GET", "HEAD", "/api/v1/projects", "/api/v1/projects", "", KB_OK },
	{ "the rest of a path", "GET", "/assets/a/b.js", "/assets/{file*}", "a/b.js", KB_OK },
	{ "an empty rest", "GET", "/assets", "/assets/{file*}", "", KB_OK },
	{ "dots are nothing special", "GET", "/assets/../x", "/assets/{file*}", "../x", KB_OK },
	{ "preflight anywhere", "OPTIONS", "/api/v1/projects/12", "/{any*}", "api/v1/projects/12",
	  KB_OK },
	{ "an unknown path, though OPTIONS is served", "GET", "/nothing", NULL, "",
	  KB_E_NOT_FOUND },
	{ "an empty segment is no parameter", "GET", "/api/v1/projects//pages/1", NULL, "",
	  KB_E_NOT_FOUND },
	{ "another method", "PATCH", "/api/v1/projects/12", NULL, "", KB_E_METHOD },
	{ "a malformed escape", "GET", "/api/%zz", NULL, "", KB_E_INVALID },
	{ "NUL", "GET", "/api/%00", NULL, "", KB_E_INVALID },
	{ "no slash at the front", "GET", "api", NULL, "", KB_E_NOT_FOUND },
};

static void test_find(struct kb_test *t)
{
	struct kb_router *router = kb_router_new(routes, KB_COUNTOF(routes));

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };
		struct kb_err err = { 0 };
		struct kb_match match;
		bool found = kb_router_find(router, &arena, kb_sv_str(rows[i].method),
		                            kb_sv_str(rows[i].path), &match, &err);

		t->row = rows[i].name;
		CHECK_INT(t, found, rows[i].want != NULL);
		CHECK_INT(t, err.code, rows[i].code);
		if (found && rows[i].want) {
			struct kb_sv params = KB_SV("");

			for (size_t k = 0; k < match.param_count; k++)
				params = kb_arena_printf(&arena, "%.*s%s%.*s", KB_SV_ARG(params),
				                         k ? "," : "", KB_SV_ARG(match.params[k]));
			CHECK_SV(t, kb_sv_str(match.route->path), rows[i].want);
			CHECK_SV(t, params, rows[i].params);
		}
		kb_arena_fini(&arena);
	}
	kb_router_free(router);
}

static void test_allow(struct kb_test *t)
{
	struct kb_router *router = kb_router_new(routes, KB_COUNTOF(routes) - 1);
	struct kb_arena arena = { 0 };
	struct kb_match match;
	struct kb_err err;

	CHECK(t, !kb_router_find(router, &arena, KB_SV("PUT"), KB_SV("/api/v1/projects/9"), &match,
	                         &err));
	CHECK_INT(t, err.code, KB_E_METHOD);
	CHECK_SV(t, kb_sv_str(match.allow), "GET, DELETE, HEAD");
	CHECK(t, !kb_router_find(router, &arena, KB_SV("PUT"), KB_SV("/with-head"), &match, &err));
	CHECK_SV(t, kb_sv_str(match.allow), "HEAD, GET");
	CHECK(t, !kb_router_find(router, &arena, KB_SV("GET"), KB_SV("/nothing"), &match, &err));
	CHECK_INT(t, err.code, KB_E_NOT_FOUND);
	CHECK(t, !kb_router_find(router, &arena, KB_SV("GET"), KB_SV("/api/v1"), &match, &err));
	CHECK_INT(t, err.code, KB_E_NOT_FOUND);
	CHECK(t, !match.allow);
	kb_arena_fini(&arena);
	kb_router_free(router);
}

static void test_decoded_path(struct kb_test *t)
{
	struct kb_router *router = kb_router_new(routes, KB_COUNTOF(routes));
	struct kb_arena arena = { 0 };
	struct kb_match match;
	struct kb_err err;

	CHECK(t, kb_router_find(router, &arena, KB_SV("GET"), KB_SV("/assets/%c3%af/x%2E/"), &match,
	                        &err));
	CHECK_SV(t, match.path, "/assets/\xc3\xaf/x./");
	CHECK_SV(t, match.params[0], "\xc3\xaf/x./");
	kb_arena_fini(&arena);
	kb_router_free(router);
}

static void test_too_many_segments(struct kb_test *t)
{
	struct kb_router *router = kb_router_new(routes, KB_COUNTOF(routes) - 1);
	struct kb_arena arena = { 0 };
	struct kb_match match;
	struct kb_err err;
	char path[200];

	memset(path, '/', sizeof(path));
	CHECK(t, !kb_router_find(router, &arena, KB_SV("GET"), kb_sv(path, sizeof(path)), &match,
	                         &err));
	CHECK_INT(t, err.code, KB_E_NOT_FOUND);
	kb_arena_fini(&arena);
	kb_router_free(router);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "paths find their routes", test_find },
		{ "a path without the method says what it has", test_allow },
		{ "the path is decoded as a whole", test_decoded_path },
		{ "paths without end are not found", test_too_many_segments },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
