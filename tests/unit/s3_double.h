/* The double of an S3 server (tests/api/lib/bucket.mjs) for unit tests: started as a child, gone
 * with it. */
#ifndef KB_TEST_S3_DOUBLE_H
#define KB_TEST_S3_DOUBLE_H

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include "test.h"

extern char **environ;

static struct {
	char url[64];
	int port;
	pid_t pid;
	int in; /* it ends with this */
} kb_double;

static inline void kb_double_path(char *out, size_t size, const char *name)
{
	ssize_t n = readlink("/proc/self/exe", out, size - 1);

	out[KB_MAX(n, 0)] = '\0';
	for (int up = 0; up < 4 && strrchr(out, '/'); up++)
		*strrchr(out, '/') = '\0';
	n = (ssize_t)strlen(out);
	snprintf(out + n, size - (size_t)n, "/%s", name);
}

static inline bool kb_double_start(void)
{
	char path[PATH_MAX], node[] = "node", *argv[] = { node, path, NULL };
	posix_spawn_file_actions_t actions;
	int in[2], out[2];
	ssize_t n;

	kb_double_path(path, sizeof(path), "tests/api/lib/bucket.mjs");
	if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
		abort();
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], 0);
	posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	if (posix_spawnp(&kb_double.pid, "node", &actions, NULL, argv, environ) != 0)
		return false;
	posix_spawn_file_actions_destroy(&actions);
	close(in[0]);
	close(out[1]);
	kb_double.in = in[1];
	n = read(out[0], kb_double.url, sizeof(kb_double.url) - 1);
	close(out[0]);
	if (n <= 0)
		return false;
	kb_double.url[strcspn(kb_double.url, "\n")] = '\0';
	kb_double.port = atoi(strrchr(kb_double.url, ':') + 1);
	return true;
}

static inline void kb_double_stop(void)
{
	if (kb_double.pid <= 0)
		return;
	close(kb_double.in);
	waitpid(kb_double.pid, NULL, 0);
}

#endif
