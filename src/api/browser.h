/* The browser behind a User-Agent field, for reports. Pure. */
#ifndef KB_API_BROWSER_H
#define KB_API_BROWSER_H

#include "base/sv.h"

/* "Chrome", "Firefox", …; NULL where it is none that is known: a program, or nothing was sent. */
const char *kb_browser_name(struct kb_sv user_agent);

#endif
