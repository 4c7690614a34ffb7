/* What stands between us and a browser: walls that it cannot take down, then it takes our place. */
#include <errno.h>
#include <linux/landlock.h>
#include <seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/sv.h"
#include "crawl/browser.h"
#include "crawl/browser_impl.h"

/* Of kernels newer than the headers (Linux 6.7). */
struct net_ruleset {
	uint64_t fs, net;
};
struct net_port {
	uint64_t allowed, port;
} __attribute__((packed));
enum {
	NET_ABI = 4,
	NET_BIND_TCP = 1,
	NET_CONNECT_TCP = 2,
	NET_RULE_PORT = 2, /* LANDLOCK_RULE_NET_PORT */
	FILES_MAX = 4096,
};

/* TCP to the gate's port alone. Older kernels leave that to the browser's own settings. */
static void keep_to_port(int port)
{
	struct net_ruleset set = { .net = NET_BIND_TCP | NET_CONNECT_TCP };
	struct net_port rule = { .allowed = NET_CONNECT_TCP, .port = (uint64_t)port };
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	int fd;

	if (abi < NET_ABI)
		return;
	fd = (int)syscall(SYS_landlock_create_ruleset, &set, sizeof(set), 0);
	if (fd < 0 || syscall(SYS_landlock_add_rule, fd, NET_RULE_PORT, &rule, 0)
	    || syscall(SYS_landlock_restrict_self, fd, 0))
		_exit(KB_BROWSER_NO_WALLS);
	close(fd);
}

/* No datagrams, so no names looked up and nothing said past the gate; nor what could open a socket
 * without this filter seeing it. And no look into other processes, whosever they are. */
static bool forbid_calls(void)
{
	static const int families[] = { AF_INET, AF_INET6 };
	static const int types[] = { SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET };
	static const struct {
		int number, answer;
	} calls[] = {
		{ SCMP_SYS(io_uring_setup), ENOSYS },
		{ SCMP_SYS(ptrace), EPERM },
		{ SCMP_SYS(process_vm_readv), EPERM },
		{ SCMP_SYS(process_vm_writev), EPERM },
		{ SCMP_SYS(process_madvise), EPERM },
		{ SCMP_SYS(pidfd_getfd), EPERM },
		{ SCMP_SYS(kcmp), EPERM },
		{ SCMP_SYS(perf_event_open), EPERM },
	};
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	int failed = !filter;

	for (size_t i = 0; !failed && i < KB_COUNTOF(families); i++)
		for (size_t j = 0; !failed && j < KB_COUNTOF(types); j++)
			failed = seccomp_rule_add(
			        filter, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(socket), 2,
			        SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)families[i]),
			        SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf, (scmp_datum_t)types[j]));
	for (size_t i = 0; !failed && i < KB_COUNTOF(calls); i++)
		failed = seccomp_rule_add(filter, SCMP_ACT_ERRNO((uint32_t)calls[i].answer),
		                          calls[i].number, 0);
	failed = failed || seccomp_load(filter);
	seccomp_release(filter);
	return !failed;
}

bool kb_browser_drop_user(enum kb_user user)
{
	return geteuid() != 0 || kb_user_become(user);
}

bool kb_browser_wall_off(int port)
{
	if (!forbid_calls())
		return false;
	keep_to_port(port);
	return true;
}

/* argv: "browser-child", the gate's port, the program and its arguments. */
int kb_browser_child_main(int argc, char **argv)
{
	static const char *const environment[] = { "PATH=/usr/bin:/bin",
		                                   "LC_ALL=C.UTF-8",
		                                   "HOME=/nonexistent",
		                                   "TZ=UTC",
		                                   "DBUS_SESSION_BUS_ADDRESS=disabled:",
		                                   NULL };
	int64_t port;
	struct rlimit none = { 0, 0 }, files = { FILES_MAX, FILES_MAX };

	if (argc < 3 || !kb_sv_to_int(kb_sv_str(argv[1]), 1, 65535, &port))
		return KB_BROWSER_NO_WALLS;
	if (!kb_browser_drop_user(KB_USER_BROWSER) || prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)
	    || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || setrlimit(RLIMIT_CORE, &none)
	    || setrlimit(RLIMIT_NOFILE, &files) || !kb_browser_wall_off((int)port))
		return KB_BROWSER_NO_WALLS;
	syscall(SYS_close_range, (unsigned)KB_BROWSER_FD_MAX + 1, ~0u, 0);
	execve(argv[2], argv + 2, (char **)(uintptr_t)environment);
	return KB_BROWSER_NO_PROGRAM;
}
