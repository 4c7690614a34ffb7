/* Starting a helper program, and what stands between posix_spawn and it. */
#include "parse/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "parse/roles.h"
#include "parse/sandbox.h"

enum { PIECE_BYTES = 65536 };

int kb_helper_exec(char **argv)
{
	static const char *const environment[] = { "PATH=/usr/bin", "LC_ALL=C", "HOME=/nonexistent",
		                                   NULL };
	uint32_t layers = 0;
	struct kb_err err;

	if (!argv[0])
		return 2;
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	kb_sandbox_close_from(KB_WORKER_SOCKET);
	/* Where the worker has no filter, the operator allowed that. */
	if (kb_sandbox_is_filtered() && !kb_sandbox_filter(KB_SANDBOX_HELPER, &layers, &err))
		return 126;
	execve(argv[0], argv, (char **)(uintptr_t)environment);
	return errno == ENOENT ? 127 : 126;
}

static bool start(const struct kb_helper_run *run, int out, int complaint, pid_t *pid,
                  struct kb_err *err)
{
	char *argv[KB_HELPER_ARGS_MAX + 5];
	posix_spawn_file_actions_t actions;
	char *const environment[] = { NULL };
	size_t n = 0;
	int status;

	argv[n++] = (char *)(uintptr_t) "docent";
	argv[n++] = (char *)(uintptr_t)KB_WORKER_COMMAND;
	argv[n++] = (char *)(uintptr_t) "--role";
	argv[n++] = (char *)(uintptr_t)KB_WORKER_EXEC;
	for (size_t i = 0; i < KB_HELPER_ARGS_MAX && run->argv[i]; i++)
		argv[n++] = (char *)(uintptr_t)run->argv[i];
	argv[n] = NULL;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, run->input, 0);
	posix_spawn_file_actions_adddup2(&actions, out, 1);
	posix_spawn_file_actions_adddup2(&actions, complaint, 2);
	status = posix_spawn(pid, "/proc/self/exe", &actions, NULL, argv, environment);
	posix_spawn_file_actions_destroy(&actions);
	if (status)
		return kb_fail(err, KB_E_IO, "the helper program %s cannot be started: %s",
		               run->argv[0], strerror(status));
	return true;
}

/* Reads what is there; false at the end of the pipe, or when nobody wants more. */
static bool take_output(struct kb_helper_run *run, int fd)
{
	char piece[PIECE_BYTES];
	ssize_t n = read(fd, piece, sizeof(piece));

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	return n > 0 && run->take(run->arg, kb_sv(piece, (size_t)n));
}

static bool take_complaint(struct kb_helper_run *run, int fd)
{
	char piece[KB_HELPER_COMPLAINT_MAX];
	ssize_t n = read(fd, piece, sizeof(piece));

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	kb_buf_add(run->complaint, piece, (size_t)n); /* what does not fit is not needed */
	return n > 0;
}

static void drain(struct kb_helper_run *run, int out, int complaint)
{
	struct pollfd p[2] = { { .fd = out, .events = POLLIN },
		               { .fd = complaint, .events = POLLIN } };

	while (p[0].fd >= 0) {
		if (poll(p, 2, -1) < 0)
			continue;
		if (p[0].revents && !take_output(run, out))
			p[0].fd = -1;
		if (p[1].revents && !take_complaint(run, complaint))
			p[1].fd = -1;
	}
}

bool kb_helper_run(struct kb_helper_run *run, struct kb_err *err)
{
	int out[2] = { -1, -1 }, complaint[2] = { -1, -1 };
	uint32_t layers = 0;
	pid_t pid;
	bool ok = false;

	if (pipe2(out, O_CLOEXEC) || pipe2(complaint, O_CLOEXEC)) {
		kb_fail_errno(err, "starting %s", run->argv[0]);
		goto out;
	}
	if (!start(run, out[1], complaint[1], &pid, err))
		goto out;
	close(out[1]);
	close(complaint[1]);
	out[1] = complaint[1] = -1;
	if (kb_sandbox_is_filtered() && !kb_sandbox_filter(KB_SANDBOX_PURE, &layers, err))
		goto out;
	drain(run, out[0], complaint[0]);
	/* Closing the pipes ends a helper that still writes. */
	close(out[0]);
	close(complaint[0]);
	out[0] = complaint[0] = -1;
	while (waitpid(pid, &run->status, 0) < 0 && errno == EINTR)
		;
	ok = true;
out:
	for (int i = 0; i < 2; i++) {
		if (out[i] >= 0)
			close(out[i]);
		if (complaint[i] >= 0)
			close(complaint[i]);
	}
	return ok;
}
