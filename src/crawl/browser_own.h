/* What browser.c (a page) and browser_process.c (the browser that renders it) share. */
#ifndef KB_CRAWL_BROWSER_OWN_H
#define KB_CRAWL_BROWSER_OWN_H

#include "crawl/browser.h"
#include "crawl/devtools.h"
#include "crawl/own_folder.h"
#include "crawl/program.h"
#include "out/fetch_head.h"
#include "out/gate.h"

struct kb_browser {
	struct kb_program program; /* there is one */
	struct kb_fetcher *fetcher;
};

/* One rendering. */
struct kb_render {
	struct kb_browser *browser;
	struct kb_arena *arena;
	const struct kb_browser_request *request;
	struct kb_gate *gate;
	struct kb_own_folder profile;
	pid_t pid; /* and process group; 0: none */
	int to, from;
	struct kb_devtools tools;
	int64_t deadline_us, looked_us;

	struct kb_sv target; /* of the page, and its main frame */
	bool loaded, settled, refused;
	struct kb_err refusal;
	struct kb_fetch_head head;
	struct kb_sv mime;
};

bool kb_render_start(struct kb_render *r, struct kb_err *err);
/* Whatever it does, it is over at the end of its time, and of what it may take. */
bool kb_render_goes_on(void *arg, struct kb_err *err);
/* KB_E_UPSTREAM of a browser that has ended: it may never have begun. */
void kb_render_explain_end(struct kb_render *r, int status, struct kb_err *err);
int kb_render_end(struct kb_render *r);

#endif
