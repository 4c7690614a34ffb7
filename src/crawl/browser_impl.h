/* What browser.c, films.c and the children they start (browser_child.c, film_child.c) share. */
#ifndef KB_CRAWL_BROWSER_IMPL_H
#define KB_CRAWL_BROWSER_IMPL_H

#include <spawn.h>
#include <stdbool.h>

#include "base/user.h"

enum {
	KB_BROWSER_IN = 3, /* descriptors of the protocol, as the browser wants them */
	KB_BROWSER_OUT = 4,
	KB_BROWSER_FD_MAX = KB_BROWSER_OUT,
	KB_BROWSER_NO_WALLS = 125, /* exit statuses */
	KB_BROWSER_NO_PROGRAM = 127,
};

#define KB_BROWSER_COMMAND "browser-child"

/* This program anew, as the child that argv names: in a process group of its own, with the signals
 * of a fresh start and without an environment. 0, or why not (errno). */
int kb_browser_spawn(pid_t *pid, const posix_spawn_file_actions_t *actions, const char *argv[]);

/* Walls of a child, which another program is to take the place of (browser_child.c, film_child.c).
 */

/* To that user, where the service is root. */
bool kb_browser_drop_user(enum kb_user user);
/* No datagrams, no look into other processes; and TCP to that port of ours alone, where the kernel
 * can see to that. Ends the process where it is refused halfway. */
bool kb_browser_wall_off(int port);

#endif
