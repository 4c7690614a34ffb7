/*
 * What systemd is told of the service: that it is ready, reads its configuration again, or stops
 * (sd_notify(3)). One datagram to the socket that NOTIFY_SOCKET names; without one nothing happens,
 * and one that is not taken is no failure of ours. Any thread.
 */
#ifndef KB_BASE_NOTIFY_H
#define KB_BASE_NOTIFY_H

#include "base/common.h"

/* Lines of NAME=value. */
void kb_notify(const char *lines);
/* With the time that systemd wants with it. */
void kb_notify_reloading(void);
/* How often systemd wants to hear WATCHDOG=1 of this process before it ends it, in microseconds; 0:
 * it does not watch. */
int64_t kb_notify_watchdog_us(void);

#endif
