/*
 * The files of the web part, which the program carries: found by name and answered in the smallest
 * form that the browser takes. What they show is in web/; who may see what is the interface's
 * affair: a page of ours holds no data.
 *
 * Scripts, styles and fonts have a hash of their content in their names and never change. A shell
 * (a page of HTML) is asked for anew each time and is answered with 304 where it is the same.
 * Constant data; any thread, a loop thread too. Without the web part (-Dweb=false) there are none.
 */
#ifndef KB_UI_UI_H
#define KB_UI_UI_H

#include "http/server.h"

struct kb_ui_file {
	const char *name; /* "dashboard-4XKQ2JWZ.js", "index.html" */
	const char *mime;
	const char *etag;          /* of a shell; NULL: the name says what it is */
	struct kb_sv body;         /* as it is */
	struct kb_sv gzip, brotli; /* empty: it would be no smaller, or nothing could make it */
};

extern const struct kb_ui_file kb_ui_files[];
extern const size_t kb_ui_file_count;

/* NULL: there is none. */
const struct kb_ui_file *kb_ui_find(struct kb_sv name);

/* It as an answer to that request. csp: the page's Content-Security-Policy; NULL: it is no page. */
struct kb_response kb_ui_response(struct kb_request *req, const struct kb_ui_file *file,
                                  const char *csp);

/* A page whose places "%name%" are filled, each once, with text that is safe where it stands; csp
 * as above, in the request's arena. It is known by the hash of what it holds. */
struct kb_ui_slot {
	const char *name;
	struct kb_sv text;
};
struct kb_response kb_ui_page(struct kb_request *req, const struct kb_ui_file *file,
                              const struct kb_ui_slot *slots, size_t count, struct kb_sv csp);

/* The same with another status: what a browser is shown in place of a page that it asked for. */
struct kb_response kb_ui_lost(struct kb_request *req, const struct kb_ui_file *file, int status,
                              const struct kb_ui_slot *slots, size_t count, const char *csp);

/* Whether an Accept-Encoding field takes that coding (RFC 9110 12.5.3). */
bool kb_ui_accepts(struct kb_sv accept_encoding, struct kb_sv coding);

#endif
