/* Starting a helper program, and what stands between posix_spawn and it. */
#include "parse/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "parse/roles.h"
#include "parse/sandbox.h"

enum { PIECE_BYTES = 65536 };

int kb_helper_exec(char **argv)
{
	/* A thread is a process that the filter does not let it start; a library that draws many
	 * by itself (OpenMP) is asked for one. */
	static const char *const environment[] = { "PATH=/usr/bin", "LC_ALL=C", "HOME=/nonexistent",
		                                   "OMP_THREAD_LIMIT=1", NULL };
	uint32_t layers = 0;
	struct kb_err err;
	int64_t parent;

	if (!argv[0] || !kb_sv_to_int(kb_sv_str(argv[0]), 1, INT_MAX, &parent) || !*++argv)
		return 2;
	/* Dies with its parent; if that happened already, there is nobody to work for. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) || getppid() != parent)
		return 126;
	kb_sandbox_close_from(KB_WORKER_SOCKET);
	/* Where the worker has no filter, the operator allowed that. */
	if (kb_sandbox_is_filtered() && !kb_sandbox_filter(KB_SANDBOX_HELPER, &layers, &err))
		return 126;
	execve(argv[0], argv, (char **)(uintptr_t)environment);
	return errno == ENOENT ? 127 : 126;
}

/* The descriptors of a program. */
struct ends {
	int in, out, complaint;
};

static bool start(const char *const *program, const struct ends *ends, pid_t *pid,
                  struct kb_err *err)
{
	char *argv[KB_HELPER_ARGS_MAX + 6], self[12];
	posix_spawn_file_actions_t actions;
	char *const environment[] = { NULL };
	size_t n = 0;
	int status;

	argv[n++] = (char *)(uintptr_t) "docent";
	argv[n++] = (char *)(uintptr_t)KB_WORKER_COMMAND;
	argv[n++] = (char *)(uintptr_t) "--role";
	argv[n++] = (char *)(uintptr_t)KB_WORKER_EXEC;
	snprintf(self, sizeof(self), "%d", getpid());
	argv[n++] = self;
	for (size_t i = 0; i < KB_HELPER_ARGS_MAX && program[i]; i++)
		argv[n++] = (char *)(uintptr_t)program[i];
	argv[n] = NULL;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends->in, 0);
	posix_spawn_file_actions_adddup2(&actions, ends->out, 1);
	posix_spawn_file_actions_adddup2(&actions, ends->complaint, 2);
	status = posix_spawn(pid, "/proc/self/exe", &actions, NULL, argv, environment);
	posix_spawn_file_actions_destroy(&actions);
	if (status)
		return kb_fail(err, KB_E_IO, "the helper program %s cannot be started: %s",
		               program[0], strerror(status));
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

/* Starts the program and what feeds it; pid[1] is the feeder's, or 0. The ends given to them are
 * closed here. */
static bool start_all(const struct kb_helper_run *run, int *out, int *complaint, pid_t pid[2],
                      struct kb_err *err)
{
	int link[2] = { -1, -1 };
	struct ends last = { run->input, *out, *complaint };
	bool ok = true;

	if (run->feeder && pipe2(link, O_CLOEXEC))
		ok = kb_fail_errno(err, "starting %s", run->feeder[0]);
	if (ok && run->feeder) {
		struct ends first = { run->input, link[1], *complaint };

		last.in = link[0];
		ok = start(run->feeder, &first, &pid[1], err);
	}
	ok = ok && start(run->argv, &last, &pid[0], err);
	kb_fd_close(&link[0]);
	kb_fd_close(&link[1]);
	kb_fd_close(out);
	kb_fd_close(complaint);
	return ok;
}

static int end_of(pid_t pid)
{
	int status = 0;

	while (pid && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

bool kb_helper_run(struct kb_helper_run *run, struct kb_err *err)
{
	int out[2] = { -1, -1 }, complaint[2] = { -1, -1 };
	pid_t pid[2] = { 0 };
	uint32_t layers = 0;
	bool ok;

	if (pipe2(out, O_CLOEXEC) || pipe2(complaint, O_CLOEXEC))
		ok = kb_fail_errno(err, "starting %s", run->argv[0]);
	else
		ok = start_all(run, &out[1], &complaint[1], pid, err);
	if (ok && kb_sandbox_is_filtered())
		ok = kb_sandbox_filter(KB_SANDBOX_PURE, &layers, err);
	if (ok)
		drain(run, out[0], complaint[0]);
	/* Closing the pipes ends a helper that still writes. */
	for (int i = 0; i < 2; i++) {
		kb_fd_close(&out[i]);
		kb_fd_close(&complaint[i]);
	}
	if (!ok)
		return false; /* this child ends, and what it has started with it */
	run->status = end_of(pid[0]);
	run->feeder_status = end_of(pid[1]);
	return true;
}
