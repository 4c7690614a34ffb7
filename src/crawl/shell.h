/*
 * Whether an HTML page is a shell: its text is still to be written by its scripts.
 *
 * What counts is not how much a page says but what stands where its content should: an empty root
 * of a framework, templates that nobody has filled in, a sentence that asks for JavaScript, or
 * nothing at all beside scripts. Menus, headers, footers and questions about cookies are no
 * content; a short page that says what it has to say is none.
 *
 * Reads the markup once, as it is sent; pure.
 */
#ifndef KB_CRAWL_SHELL_H
#define KB_CRAWL_SHELL_H

#include "base/sv.h"

/* html: the page, or as much of its beginning as there is. has_text: something could be read of it;
 * one of which nothing can be is a shell when it has a script. */
bool kb_page_is_shell(struct kb_sv html, bool has_text);

#endif
