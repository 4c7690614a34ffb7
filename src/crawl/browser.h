/*
 * Pages whose text is written by a script: a browser of the system's (Chromium) runs it.
 *
 * Each page gets a browser of its own, which begins and ends with it: its own process group, a
 * profile in a folder that goes with it, no cache. Where the service is root it runs as a user of
 * no rights (base/user.h), within Chromium's own sandbox, and cannot do without: where the system
 * does not let it put that up, no page is rendered. All its requests go through a gate
 * (out/gate.h): beside that it has no network, neither by another proxy nor by UDP. Each address is
 * asked about before it is requested, pictures and films are not fetched, and time, memory and
 * bytes have limits.
 *
 * A call blocks for seconds; any thread.
 */
#ifndef KB_CRAWL_BROWSER_H
#define KB_CRAWL_BROWSER_H

#include "out/fetch.h"

struct kb_browser;

enum {
	KB_BROWSERS_MAX = 2, /* at a time, in one process */
	KB_BROWSER_MEMORY_MB = 1500,
	KB_BROWSER_BYTES_MAX = 50 << 20, /* of all that a page has fetched */
};

/* program: its path; NULL: the first of the usual that is installed; "none": no browser. *out: NULL
 * when there is none. The fetcher outlives it. KB_E_INVALID: the program cannot be run. */
bool kb_browser_new(const char *program, struct kb_fetcher *fetcher, struct kb_browser **out,
                    struct kb_err *err) KB_MUST_CHECK;
/* No page may be in progress. NULL is fine. */
void kb_browser_free(struct kb_browser *browser);
/* The path of its program; NULL where there is none. */
const char *kb_browser_program(const struct kb_browser *browser);

struct kb_browser_request {
	struct kb_sv url;
	struct kb_fetch_patience patience;
	bool plain_browser; /* kb_fetch_request's */
	/* Before anything is requested; false, with *err set: it is not. is_page: it would take the
	 * page's place, and a refusal ends the rendering with that error. */
	bool (*may_ask)(void *arg, struct kb_arena *arena, const struct kb_url *url, bool is_page,
	                struct kb_err *err);
	void *may_ask_arg;
};

/*
 * What the page has become, as kb_fetch() would give it: HTML in out->fd, of UTF-8.
 *
 * KB_E_BUSY: all browsers are taken. KB_E_TIMEOUT: its scripts have no end. KB_E_TOO_LARGE: it
 * wants too much memory or too many bytes. KB_E_UNSUPPORTED: no browser can be run here.
 * KB_E_UPSTREAM: the browser broke. Others are those of may_ask, or KB_E_CANCELLED.
 */
bool kb_browser_render(struct kb_browser *browser, struct kb_arena *arena,
                       const struct kb_browser_request *request, struct kb_fetch_response *out,
                       struct kb_err *err) KB_MUST_CHECK;

/* Of the process that becomes the browser: `docent browser-child PORT PROGRAM …`. */
int kb_browser_child_main(int argc, char **argv);

#endif
