/* The process of a rendering: how it is started, watched and ended. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "crawl/browser_impl.h"
#include "crawl/browser_own.h"

enum {
	LOOK_US = 300000, /* between looks at its memory */
	END_US = 2000000, /* for its processes to be gone */
	ARGS_MAX = 48,
};

static const char *const switches[] = {
	"--headless",
	"--remote-debugging-pipe",
	"--proxy-bypass-list=<-loopback>",
	"--disable-quic",
	"--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
	"--dns-prefetch-disable",
	"--disk-cache-dir=/dev/null",
	"--disk-cache-size=1",
	"--disable-dev-shm-usage",
	"--disable-gpu",
	"--disable-breakpad",
	"--disable-crash-reporter",
	"--disable-background-networking",
	"--disable-client-side-phishing-detection",
	"--disable-component-update",
	"--disable-component-extensions-with-background-pages",
	"--disable-default-apps",
	"--disable-domain-reliability",
	"--disable-extensions",
	"--disable-notifications",
	"--disable-sync",
	"--no-default-browser-check",
	"--no-first-run",
	"--no-pings",
	"--mute-audio",
	"--password-store=basic",
	"--renderer-process-limit=2",
	"--js-flags=--max-old-space-size=512",
};

int kb_browser_spawn(pid_t *pid, const posix_spawn_file_actions_t *actions, const char *argv[])
{
	posix_spawnattr_t attr;
	sigset_t none, all;
	int status;

	posix_spawnattr_init(&attr);
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
	                                        | POSIX_SPAWN_SETPGROUP);
	status = posix_spawn(pid, "/proc/self/exe", actions, &attr, (char **)(uintptr_t)argv,
	                     (char *[]){ NULL });
	posix_spawnattr_destroy(&attr);
	return status;
}

static bool spawn_browser(struct kb_render *r, const int fds[2], struct kb_err *err)
{
	const char *argv[ARGS_MAX] = { "docent", KB_BROWSER_COMMAND };
	posix_spawn_file_actions_t actions;
	size_t n = 2;
	int status;
	struct kb_sv agent = kb_fetcher_field(r->browser->fetcher, r->request->plain_browser);

	argv[n++] = kb_arena_printf(r->arena, "%d", kb_gate_port(r->gate)).p;
	argv[n++] = r->browser->program.path;
	for (size_t i = 0; i < KB_COUNTOF(switches); i++)
		argv[n++] = switches[i];
	argv[n++] = kb_arena_printf(r->arena, "--proxy-server=http://127.0.0.1:%d",
	                            kb_gate_port(r->gate))
	                    .p;
	argv[n++] = kb_arena_printf(r->arena, "--user-data-dir=%s", r->profile.path).p;
	argv[n++] = kb_arena_printf(r->arena, "--user-agent=%.*s", KB_SV_ARG(agent)).p;
	argv[n++] = "about:blank";
	static_assert(KB_COUNTOF(switches) + 9 < ARGS_MAX,
	              "the switches have outgrown their array");

	posix_spawn_file_actions_init(&actions);
	for (int fd = 0; fd < 3; fd++)
		posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
	posix_spawn_file_actions_adddup2(&actions, fds[0], KB_BROWSER_IN);
	posix_spawn_file_actions_adddup2(&actions, fds[1], KB_BROWSER_OUT);
	status = kb_browser_spawn(&r->pid, &actions, argv);
	posix_spawn_file_actions_destroy(&actions);
	if (status == 0)
		return true;
	r->pid = 0;
	return kb_fail(err, KB_E_UPSTREAM, "a browser cannot be started: %s", strerror(status));
}

/* Descriptors of ours lie above those that the browser gets: dup2() to itself would close it. */
static bool open_pipe(int fds[2], struct kb_err *err)
{
	int low[2];

	if (pipe2(low, O_CLOEXEC))
		return kb_fail_errno(err, "a pipe to a browser");
	for (int i = 0; i < 2; i++) {
		fds[i] = fcntl(low[i], F_DUPFD_CLOEXEC, KB_BROWSER_FD_MAX + 1);
		close(low[i]);
	}
	return (fds[0] >= 0 && fds[1] >= 0) || kb_fail_errno(err, "a pipe to a browser");
}

bool kb_render_start(struct kb_render *r, struct kb_err *err)
{
	int there[2] = { -1, -1 }, back[2] = { -1, -1 }, ends[2];
	bool ok = open_pipe(there, err) && open_pipe(back, err);

	ends[0] = there[0];
	ends[1] = back[1];
	ok = ok && spawn_browser(r, ends, err);
	kb_fd_close(&there[0]);
	kb_fd_close(&back[1]);
	r->to = there[1];
	r->from = back[0];
	kb_devtools_init(&r->tools, r->to, r->from);
	return ok;
}

/* What its processes hold, in MB: those of its group, wherever they are in the tree. */
static int64_t memory_of(pid_t group)
{
	int64_t pages = 0;
	DIR *list = opendir("/proc");
	struct dirent *entry;

	while (list && (entry = readdir(list))) {
		char path[64], text[1024], *fields;
		long long rss = 0;
		int fd, of = 0;
		ssize_t n;

		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		snprintf(path, sizeof(path), "/proc/%.20s/stat", entry->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
		kb_fd_close(&fd);
		if (n <= 0)
			continue;
		text[n] = '\0';
		/* pid (name) state ppid pgrp … rss is the 24th field */
		fields = strrchr(text, ')');
		if (fields
		    && sscanf(fields,
		              ") %*c %*d %d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
		              "%*d "
		              "%*d %*d %*u %*u %lld",
		              &of, &rss)
		               == 2
		    && of == group)
			pages += rss;
	}
	if (list)
		closedir(list);
	return pages * sysconf(_SC_PAGESIZE) >> 20;
}

bool kb_render_goes_on(void *arg, struct kb_err *err)
{
	struct kb_render *r = arg;
	int64_t now = kb_clock_mono_us();

	if (kb_fetcher_is_cancelled(r->browser->fetcher))
		return kb_fail(err, KB_E_CANCELLED, "the service is stopping");
	if (now > r->deadline_us)
		return kb_fail(err, KB_E_TIMEOUT, "its scripts were not done within %d seconds",
		               r->request->patience.whole);
	if (kb_gate_is_full(r->gate))
		return kb_fail(err, KB_E_TOO_LARGE, "its scripts fetch more than %d MB",
		               KB_BROWSER_BYTES_MAX >> 20);
	if (now - r->looked_us < LOOK_US)
		return true;
	r->looked_us = now;
	return memory_of(r->pid) <= KB_BROWSER_MEMORY_MB
	       || kb_fail(err, KB_E_TOO_LARGE, "its scripts take more than %d MB of memory",
	                  KB_BROWSER_MEMORY_MB);
}

void kb_render_explain_end(struct kb_render *r, int status, struct kb_err *err)
{
	if (err->code != KB_E_UPSTREAM || r->target.n)
		return;
	if (WIFEXITED(status) && WEXITSTATUS(status) == KB_BROWSER_NO_WALLS)
		kb_fail(err, KB_E_UNSUPPORTED,
		        "the system does not let the service put walls around a browser");
	else
		kb_fail(err, KB_E_UNSUPPORTED,
		        "the browser does not start here; it needs user namespaces for its "
		        "sandbox");
}

int kb_render_end(struct kb_render *r)
{
	int64_t until = kb_clock_mono_us() + END_US;
	int status = 0;

	kb_fd_close(&r->to);
	kb_fd_close(&r->from);
	if (r->pid == 0)
		return 0;
	/* One that has ended by itself keeps its own reason. */
	kill(-r->pid, SIGKILL);
	while (waitpid(r->pid, &status, 0) < 0 && errno == EINTR)
		;
	/* Those that it has started are no children of ours: nobody tells us of their end. */
	while (kill(-r->pid, SIGKILL) == 0 && memory_of(r->pid) && kb_clock_mono_us() < until)
		usleep(10000);
	return status;
}
