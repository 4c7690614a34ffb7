#include "base/notify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/sv.h"

void kb_notify(const char *lines)
{
	const char *where = getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t n = where ? strlen(where) : 0;
	int fd;

	if (!n || n >= sizeof(address.sun_path) || (*where != '/' && *where != '@'))
		return;
	memcpy(address.sun_path, where, n);
	if (*where == '@')
		address.sun_path[0] = '\0'; /* of the abstract namespace */
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	(void)!sendto(fd, lines, strlen(lines), MSG_NOSIGNAL, (struct sockaddr *)&address,
	              (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
	kb_fd_close(&fd);
}

void kb_notify_reloading(void)
{
	char lines[80];

	snprintf(lines, sizeof(lines), "RELOADING=1\nMONOTONIC_USEC=%" PRId64, kb_clock_mono_us());
	kb_notify(lines);
}

int64_t kb_notify_watchdog_us(void)
{
	int64_t us, pid;
	const char *whom = getenv("WATCHDOG_PID");

	if (!kb_sv_to_int(kb_sv_str(getenv("WATCHDOG_USEC")), 1, INT64_MAX, &us))
		return 0;
	if (whom && (!kb_sv_to_int(kb_sv_str(whom), 1, INT32_MAX, &pid) || pid != getpid()))
		return 0;
	return us;
}
