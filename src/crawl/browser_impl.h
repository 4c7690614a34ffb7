/* What browser.c and the child it starts (browser_child.c) share. */
#ifndef KB_CRAWL_BROWSER_IMPL_H
#define KB_CRAWL_BROWSER_IMPL_H

enum {
	KB_BROWSER_USER = 65534, /* and group: nobody */
	KB_BROWSER_IN = 3,       /* descriptors of the protocol, as the browser wants them */
	KB_BROWSER_OUT = 4,
	KB_BROWSER_FD_MAX = KB_BROWSER_OUT,
	KB_BROWSER_NO_WALLS = 125, /* exit statuses */
	KB_BROWSER_NO_PROGRAM = 127,
};

#define KB_BROWSER_COMMAND "browser-child"

#endif
