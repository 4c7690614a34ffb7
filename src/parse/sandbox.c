/* rlimits, Landlock and seccomp. */
#include "parse/sandbox.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/user.h"

/* ---- rlimits */

static bool limit(int what, const char *name, rlim_t most, struct kb_err *err)
{
	struct rlimit r = { most, most };

	if (setrlimit((__rlimit_resource_t)what, &r))
		return kb_fail(err, KB_E_UNSUPPORTED, "the parser's limit on %s cannot be set: %s",
		               name, strerror(errno));
	return true;
}

static bool set_limits(const struct kb_sandbox_limits *limits, struct kb_err *err)
{
	/* A sanitizer takes memory, and writes to what may be a file. */
	if (!KB_SANDBOX_UNDER_SANITIZER
	    && (!limit(RLIMIT_AS, "memory", limits->memory_max, err)
	        || !limit(RLIMIT_FSIZE, "file size", 0, err)))
		return false;
	return limit(RLIMIT_CPU, "CPU time", limits->cpu_s, err)
	       && limit(RLIMIT_NOFILE, "descriptors", (rlim_t)limits->files, err)
	       && limit(RLIMIT_CORE, "core dumps", 0, err)
	       && limit(RLIMIT_MEMLOCK, "locked memory", 0, err)
	       && limit(RLIMIT_MSGQUEUE, "message queues", 0, err);
}

/* ---- Landlock: three system calls without a library */

/* What a dynamically linked program that draws text reads. */
static const struct {
	const char *path;
	bool execute;
} helper_paths[] = {
	{ "/lib", true },
	{ "/lib64", true },
	{ "/usr/lib", true },
	{ "/usr/lib64", true },
	{ "/usr/bin/pdftotext", true },
	{ "/usr/bin/pdfimages", true },
	{ "/usr/bin/pdftocairo", true },
	{ "/usr/bin/pdftoppm", true },
	{ "/usr/bin/tesseract", true },
	{ "/usr/bin/catdoc", true },
	{ "/usr/share", false },
	{ "/etc/fonts", false },
	{ "/etc/ld.so.cache", false },
	{ "/var/cache/fontconfig", false },
	{ "/etc/xpdf", false },
};

static uint64_t rights_known_to(long abi)
{
	uint64_t rights = (UINT64_C(1) << 13) - 1; /* execute … make_sym: the first version's */

	if (abi >= 2)
		rights |= UINT64_C(1) << 13; /* refer */
	if (abi >= 3)
		rights |= UINT64_C(1) << 14; /* truncate */
	if (abi >= 5)
		rights |= UINT64_C(1) << 15; /* ioctl on devices */
	return rights;
}

static bool allow_path(int ruleset, const char *path, bool execute)
{
	struct landlock_path_beneath_attr rule = { .allowed_access = LANDLOCK_ACCESS_FS_READ_FILE };
	int fd = open(path, O_PATH | O_CLOEXEC);
	struct stat st;
	bool ok;

	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR;
	/* Reading a folder is no right of a file. */
	if (!fstat(fd, &st) && S_ISDIR(st.st_mode))
		rule.allowed_access |= LANDLOCK_ACCESS_FS_READ_DIR;
	if (execute)
		rule.allowed_access |= LANDLOCK_ACCESS_FS_EXECUTE;
	rule.parent_fd = fd;
	ok = !syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	close(fd);
	return ok;
}

/* A sanitizer's build shares its library, which the program that starts a helper loads. */
static bool allow_library(int ruleset)
{
	Dl_info library;

	return !KB_SANDBOX_UNDER_SANITIZER || !dladdr(helper_paths, &library)
	       || allow_path(ruleset, library.dli_fname, false);
}

/* False where the kernel has no Landlock, or refuses it. */
static bool enter_landlock(enum kb_sandbox_profile profile)
{
	/* The kernel's newer attributes, beyond what the build's header knows: network (ABI 4) and
	 * signals and abstract sockets (ABI 6). */
	struct {
		uint64_t fs, net, scoped;
	} attr = { 0 };
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	size_t size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
	int ruleset;
	bool ok = true;

	if (abi < 1)
		return false;
	attr.fs = rights_known_to(abi);
	attr.net = 3;    /* bind, connect */
	attr.scoped = 3; /* abstract sockets, signals */
	ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, size, 0);
	if (ruleset < 0)
		return false;
	if (profile != KB_SANDBOX_PURE) {
		for (size_t i = 0; i < KB_COUNTOF(helper_paths); i++)
			ok &= allow_path(ruleset, helper_paths[i].path, helper_paths[i].execute);
		ok &= allow_path(ruleset, "/proc/self/exe", true) && allow_library(ruleset);
	}
	ok &= !syscall(SYS_landlock_restrict_self, ruleset, 0);
	close(ruleset);
	return ok;
}

/* ---- seccomp */

enum { P = 1 << KB_SANDBOX_PURE, S = 1 << KB_SANDBOX_SPAWN, H = 1 << KB_SANDBOX_HELPER };
enum { ALL = P | S | H };

// clang-format off
/* What each profile may call. A SPAWN child has all of a helper's calls, because a filter can only
 * be narrowed and its helper inherits it. */
static const struct { int number; int profiles; } allowed[] = {
	{ SCMP_SYS(read), ALL }, { SCMP_SYS(readv), ALL }, { SCMP_SYS(pread64), ALL },
	{ SCMP_SYS(write), ALL }, { SCMP_SYS(writev), ALL }, { SCMP_SYS(lseek), ALL },
	{ SCMP_SYS(close), ALL }, { SCMP_SYS(fstat), ALL }, { SCMP_SYS(newfstatat), ALL },
	{ SCMP_SYS(recvmsg), ALL }, { SCMP_SYS(sendmsg), ALL }, { SCMP_SYS(poll), ALL },
	{ SCMP_SYS(ppoll), ALL },
	{ SCMP_SYS(brk), ALL }, { SCMP_SYS(munmap), ALL }, { SCMP_SYS(mremap), ALL },
	{ SCMP_SYS(madvise), ALL }, { SCMP_SYS(futex), ALL }, { SCMP_SYS(sched_yield), ALL },
	{ SCMP_SYS(rt_sigaction), ALL }, { SCMP_SYS(rt_sigprocmask), ALL },
	{ SCMP_SYS(rt_sigreturn), ALL }, { SCMP_SYS(sigaltstack), ALL },
	{ SCMP_SYS(exit), ALL }, { SCMP_SYS(exit_group), ALL },
	{ SCMP_SYS(clock_gettime), ALL }, { SCMP_SYS(clock_getres), ALL },
	{ SCMP_SYS(gettimeofday), ALL }, { SCMP_SYS(time), ALL }, { SCMP_SYS(getrandom), ALL },
	{ SCMP_SYS(getpid), ALL }, { SCMP_SYS(gettid), ALL }, { SCMP_SYS(getrusage), ALL },
	{ SCMP_SYS(times), ALL }, { SCMP_SYS(wait4), P | S },
	{ SCMP_SYS(seccomp), S | H }, { SCMP_SYS(prctl), S | H }, { SCMP_SYS(execve), S | H },
	{ SCMP_SYS(openat), S | H }, { SCMP_SYS(open), S | H }, { SCMP_SYS(stat), S | H },
	{ SCMP_SYS(lstat), S | H }, { SCMP_SYS(statx), S | H }, { SCMP_SYS(access), S | H },
	{ SCMP_SYS(faccessat), S | H }, { SCMP_SYS(faccessat2), S | H },
	{ SCMP_SYS(readlink), S | H }, { SCMP_SYS(readlinkat), S | H },
	{ SCMP_SYS(getdents64), S | H }, { SCMP_SYS(statfs), S | H }, { SCMP_SYS(fstatfs), S | H },
	{ SCMP_SYS(getcwd), S | H }, { SCMP_SYS(fcntl), S | H }, { SCMP_SYS(dup), S | H },
	{ SCMP_SYS(dup2), S | H }, { SCMP_SYS(dup3), S | H }, { SCMP_SYS(pipe2), S },
	{ SCMP_SYS(close_range), S | H }, { SCMP_SYS(arch_prctl), S | H },
	{ SCMP_SYS(set_tid_address), S | H }, { SCMP_SYS(set_robust_list), S | H },
	{ SCMP_SYS(rseq), S | H }, { SCMP_SYS(prlimit64), S | H }, { SCMP_SYS(getrlimit), S | H },
	{ SCMP_SYS(setrlimit), S | H }, { SCMP_SYS(uname), S | H }, { SCMP_SYS(sysinfo), S | H },
	{ SCMP_SYS(getuid), S | H }, { SCMP_SYS(geteuid), S | H }, { SCMP_SYS(getgid), S | H },
	{ SCMP_SYS(getegid), S | H }, { SCMP_SYS(getppid), S | H }, { SCMP_SYS(fadvise64), S | H },
	{ SCMP_SYS(sched_getaffinity), S | H },
	{ SCMP_SYS(landlock_create_ruleset), S | H }, { SCMP_SYS(landlock_add_rule), S | H },
	{ SCMP_SYS(landlock_restrict_self), S | H },
};

/* Asked by libraries in passing; a refusal is answer enough. */
static const struct { int number; int profiles; int answer; } refused[] = {
	{ SCMP_SYS(openat), P, EACCES }, { SCMP_SYS(open), P, EACCES },
	{ SCMP_SYS(access), P, EACCES }, { SCMP_SYS(readlink), P, EACCES },
	{ SCMP_SYS(stat), P, EACCES }, { SCMP_SYS(ioctl), ALL, ENOTTY },
	{ SCMP_SYS(prctl), P, EPERM }, { SCMP_SYS(prlimit64), P, EPERM },
	{ SCMP_SYS(sysinfo), P, EPERM }, { SCMP_SYS(sched_getaffinity), P, EPERM },
	{ SCMP_SYS(fcntl), P, EPERM },
	{ SCMP_SYS(clone3), S, ENOSYS }, /* its flags cannot be read here; glibc falls back to clone */
};
// clang-format on

/* Memory that can be both written and run is what an exploit needs first. A helper's libraries are
 * mapped executable, as they stand in their files, and not made so afterwards; a pure child maps
 * none. */
static int add_memory_rules(scmp_filter_ctx filter, enum kb_sandbox_profile profile)
{
	int failed;

	if (KB_SANDBOX_UNDER_SANITIZER)
		return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 0)
		       | seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 0);
	failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1,
	                          SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0))
	         | seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1,
	                            SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	if (profile != KB_SANDBOX_PURE)
		failed |= seccomp_rule_add(
		        filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 2,
		        SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC | PROT_WRITE, PROT_EXEC),
		        SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_ANONYMOUS, 0));
	return failed;
}

static int add_rules(scmp_filter_ctx filter, enum kb_sandbox_profile profile)
{
	int bit = 1 << profile, failed = 0;
	/* posix_spawn's way to start a program, the only one. */
	const uint64_t spawn_flags = CLONE_VM | CLONE_VFORK | SIGCHLD;

	for (size_t i = 0; i < KB_COUNTOF(allowed); i++)
		if (allowed[i].profiles & bit)
			failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i].number, 0);
	for (size_t i = 0; i < KB_COUNTOF(refused); i++)
		if (refused[i].profiles & bit)
			failed |= seccomp_rule_add(filter,
			                           SCMP_ACT_ERRNO((uint32_t)refused[i].answer),
			                           refused[i].number, 0);
	failed |= add_memory_rules(filter, profile);
	if (profile == KB_SANDBOX_SPAWN)
		failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
		                           SCMP_A0(SCMP_CMP_EQ, spawn_flags));
	/* Its own threads only, so that abort() works. A filter that a program to be executed
	 * inherits cannot name the pid. */
	if (profile == KB_SANDBOX_PURE)
		failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
		                           SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid()));
	return failed;
}

bool kb_sandbox_is_filtered(void)
{
	return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == SECCOMP_MODE_FILTER;
}

bool kb_sandbox_filter(enum kb_sandbox_profile profile, uint32_t *layers, struct kb_err *err)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
	int failed = 1;

	if (filter && !add_rules(filter, profile))
		failed = seccomp_load(filter);
	seccomp_release(filter);
	if (failed)
		return kb_fail(err, KB_E_UNSUPPORTED,
		               "the parser's system-call filter (seccomp) cannot be set up here");
	*layers |= KB_SANDBOX_SECCOMP;
	return true;
}

void kb_sandbox_close_from(int first)
{
	syscall(SYS_close_range, (unsigned)first, ~0u, 0);
}

/* ---- another user */

/* Whether such a user may run this program: a helper is started through it. */
static bool is_open_to_all(void)
{
	struct stat st;

	return !stat("/proc/self/exe", &st) && (st.st_mode & S_IXOTH);
}

/* From root to a user of no rights, without a way back. False where that is not to be had: the user
 * is no root, or a container keeps it from changing. */
static bool drop_user(enum kb_sandbox_profile profile)
{
	if (geteuid() != 0 || (profile != KB_SANDBOX_PURE && !is_open_to_all()))
		return false;
	return kb_user_become(KB_USER_PARSER);
}

bool kb_sandbox_enter(enum kb_sandbox_profile profile, const struct kb_sandbox_limits *limits,
                      uint32_t *layers, struct kb_err *err)
{
	if (drop_user(profile))
		*layers |= KB_SANDBOX_USER;
	/* Dies with its parent (a change of the user would undo it); if that happened already,
	 * there is nobody to work for. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return kb_fail(err, KB_E_UNSUPPORTED,
		               "the parser cannot give up its privileges: %s", strerror(errno));
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	if (!set_limits(limits, err))
		return false;
	*layers |= KB_SANDBOX_RLIMITS;
	if (enter_landlock(profile))
		*layers |= KB_SANDBOX_LANDLOCK;
	return true;
}

const char *kb_sandbox_describe(uint32_t layers)
{
	// clang-format off
	static const char *const names[16] = {
		"none",          "rlimits",               "seccomp",               "seccomp rlimits",
		"landlock",      "landlock rlimits",      "seccomp landlock",      "seccomp landlock rlimits",
		"user",          "rlimits user",          "seccomp user",          "seccomp rlimits user",
		"landlock user", "landlock rlimits user", "seccomp landlock user",
		"seccomp landlock rlimits user",
	};
	// clang-format on

	return names[layers & 15];
}
