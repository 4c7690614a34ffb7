/* What stands between us and a program that reads films: it takes our place. */
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/sv.h"
#include "crawl/browser_impl.h"
#include "crawl/films.h"

enum {
	FILES_MAX = 256,
	CPU_S = 120,
	READS = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
	RUNS = READS | LANDLOCK_ACCESS_FS_EXECUTE,
	KNOWN_RIGHTS = (1 << 13) - 1, /* of the first version, which every kernel with it has */
};
static const rlim_t memory_max = (rlim_t)2 << 30;

static bool open_path(int ruleset, const char *path, uint64_t rights)
{
	struct landlock_path_beneath_attr rule = { .allowed_access = rights };
	bool ok;

	rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
	if (rule.parent_fd < 0)
		return errno == ENOENT;
	ok = syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
	close(rule.parent_fd);
	return ok;
}

/* Programs and libraries are read, the folder is written to; nothing else is open. */
static bool keep_to_folder(const char *folder, const char *program)
{
	static const char *const systems[] = { "/usr", "/lib", "/lib64", "/bin" };
	static const char *const files[] = { "/etc/ssl", "/etc/ld.so.cache", "/etc/localtime",
		                             "/etc/python3", "/dev/urandom" };
	struct landlock_ruleset_attr all = { .handled_access_fs = KNOWN_RIGHTS };
	int set = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof(all), 0);
	bool ok = set >= 0;

	if (set < 0)
		return errno == ENOSYS || errno == EOPNOTSUPP; /* a kernel without it */
	for (size_t i = 0; ok && i < KB_COUNTOF(systems); i++)
		ok = open_path(set, systems[i], RUNS);
	for (size_t i = 0; ok && i < KB_COUNTOF(files); i++)
		ok = open_path(set, files[i],
		               i < 1 || i == 3 ? READS : LANDLOCK_ACCESS_FS_READ_FILE);
	ok = ok
	     && open_path(set, "/dev/null",
	                  LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE)
	     && open_path(set, program, LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE)
	     && open_path(set, folder, KNOWN_RIGHTS & ~LANDLOCK_ACCESS_FS_EXECUTE)
	     && syscall(SYS_landlock_restrict_self, set, 0) == 0;
	close(set);
	return ok;
}

static bool set_limits(void)
{
	const struct {
		int which;
		rlim_t most;
	} limits[] = {
		{ RLIMIT_CORE, 0 },
		{ RLIMIT_NOFILE, FILES_MAX },
		{ RLIMIT_CPU, CPU_S },
		{ RLIMIT_AS, memory_max },
		{ RLIMIT_FSIZE, (rlim_t)KB_FILM_TEXT_MB << 20 },
	};

	for (size_t i = 0; i < KB_COUNTOF(limits); i++) {
		struct rlimit limit = { limits[i].most, limits[i].most };

		if (setrlimit((__rlimit_resource_t)limits[i].which, &limit))
			return false;
	}
	return true;
}

/* argv: "film-child", the gate's port, the folder, the program and its arguments. */
int kb_film_child_main(int argc, char **argv)
{
	static const char *const environment[] = { "PATH=/usr/local/bin:/usr/bin:/bin",
		                                   "LC_ALL=C.UTF-8",
		                                   "HOME=/nonexistent",
		                                   "TZ=UTC",
		                                   "PYTHONDONTWRITEBYTECODE=1",
		                                   NULL };
	int64_t port;

	if (argc < 4 || !kb_sv_to_int(kb_sv_str(argv[1]), 1, 65535, &port))
		return KB_BROWSER_NO_WALLS;
	if (!kb_browser_drop_user(KB_USER_FILM) || prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)
	    || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || !set_limits() || chdir(argv[2])
	    || !keep_to_folder(argv[2], argv[3]) || !kb_browser_wall_off((int)port))
		return KB_BROWSER_NO_WALLS;
	syscall(SYS_close_range, 3u, ~0u, 0);
	execve(argv[3], argv + 3, (char **)(uintptr_t)environment);
	return KB_BROWSER_NO_PROGRAM;
}
