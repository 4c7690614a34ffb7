/*
 * A PostgreSQL of a test's own, in a temporary directory, without network, as a user without
 * rights. Its socket is in `dir`; the user is docent, without a password.
 */
#ifndef KB_STORE_SERVER_H
#define KB_STORE_SERVER_H

#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "test.h"

struct postgres {
	char bin[256], dir[64];
	const struct passwd *user;
};

/* Runs a program as the server's user in its directory; its output goes to a file there. */
static inline bool postgres_run(const struct postgres *pg, const char *const *argv)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		int fd = open("/dev/null", O_RDONLY);
		char path[128];

		dup2(fd, 0);
		snprintf(path, sizeof(path), "%s/output", pg->dir);
		if (pg->user && (setgid(pg->user->pw_gid) != 0 || setuid(pg->user->pw_uid) != 0))
			_exit(120);
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		dup2(fd, 1);
		dup2(fd, 2);
		if (chdir(pg->dir) != 0)
			_exit(121);
		execv(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status)
	       && WEXITSTATUS(status) == 0;
}

static inline void postgres_show_output(const struct postgres *pg)
{
	struct kb_arena arena = { 0 };
	struct kb_sv text;
	char path[128];

	snprintf(path, sizeof(path), "%s/output", pg->dir);
	if (kb_file_read(&arena, path, KB_MIB(1), &text, NULL))
		fprintf(stderr, "%.*s\n", KB_SV_ARG(text));
	kb_arena_fini(&arena);
}

static inline int postgres_remove_entry(const char *path, const struct stat *st, int type,
                                        struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void postgres_remove(struct postgres *pg)
{
	nftw(pg->dir, postgres_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* The newest PostgreSQL of Debian's places. */
static inline bool postgres_find(struct postgres *pg)
{
	glob_t found;
	bool ok = glob("/usr/lib/postgresql/*/bin", 0, NULL, &found) == 0 && found.gl_pathc > 0;

	if (ok)
		snprintf(pg->bin, sizeof(pg->bin), "%s", found.gl_pathv[found.gl_pathc - 1]);
	globfree(&found);
	return ok;
}

/* False where none is installed, which skips the test, or where it does not start, which fails it.
 */
static inline bool postgres_start(struct kb_test *t, struct postgres *pg)
{
	char initdb[300], pg_ctl[300], data[80], options[256];

	*pg = (struct postgres){ 0 };
	if (!postgres_find(pg)) {
		kb_test_skip(t, "no PostgreSQL is installed (package postgresql)");
		return false;
	}
	snprintf(pg->dir, sizeof(pg->dir), "/tmp/docent-pg-XXXXXX");
	CHECK(t, mkdtemp(pg->dir) != NULL);
	if (getuid() == 0) {
		pg->user = getpwnam("nobody");
		CHECK(t, pg->user && chown(pg->dir, pg->user->pw_uid, pg->user->pw_gid) == 0);
	}
	snprintf(initdb, sizeof(initdb), "%s/initdb", pg->bin);
	snprintf(pg_ctl, sizeof(pg_ctl), "%s/pg_ctl", pg->bin);
	snprintf(data, sizeof(data), "%s/data", pg->dir);
	snprintf(options, sizeof(options), "-c listen_addresses= -c fsync=off -k %s", pg->dir);
	if (postgres_run(pg, (const char *[]){ initdb, "-D", data, "-U", "docent", "-A", "trust",
	                                       "-N", "-E", "UTF8", "--locale=C", NULL })
	    && postgres_run(pg, (const char *[]){ pg_ctl, "-D", data, "-o", options, "-w", "-l",
	                                          "server.log", "start", NULL }))
		return true;
	kb_test_fail(t, __FILE__, __LINE__, "PostgreSQL did not start");
	postgres_show_output(pg);
	postgres_remove(pg);
	return false;
}

static inline void postgres_stop(struct kb_test *t, struct postgres *pg)
{
	char pg_ctl[300], data[80];

	snprintf(pg_ctl, sizeof(pg_ctl), "%s/pg_ctl", pg->bin);
	snprintf(data, sizeof(data), "%s/data", pg->dir);
	CHECK(t, postgres_run(pg, (const char *[]){ pg_ctl, "-D", data, "-m", "immediate", "stop",
	                                            NULL }));
	postgres_remove(pg);
}

#endif
