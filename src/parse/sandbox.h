/*
 * The walls of a parser child, put up by the child itself before it sees a document.
 *
 * Layers: rlimits (memory, CPU, file size, descriptors, no core), no_new_privs, Landlock (no file
 * at all, or the few read-only folders a helper program needs), seccomp (an allow-list; anything
 * else kills), a user of no rights (base/user.h) where the service runs as root, not dumpable, dies
 * with its parent. rlimits and seccomp are required; Landlock is used where the kernel has it, the
 * other user where the service may change it. Nothing here can be undone by the process, and a
 * program it starts inherits all of it. Call from the only thread of the process.
 */
#ifndef KB_PARSE_SANDBOX_H
#define KB_PARSE_SANDBOX_H

#include "base/err.h"

enum kb_sandbox_layer {
	KB_SANDBOX_RLIMITS = 1,
	KB_SANDBOX_SECCOMP = 2,
	KB_SANDBOX_LANDLOCK = 4,
	KB_SANDBOX_USER = 8,
};

enum kb_sandbox_profile {
	KB_SANDBOX_PURE,   /* computes on what it was handed: no files, no processes */
	KB_SANDBOX_SPAWN,  /* may start helper programs, which then have HELPER */
	KB_SANDBOX_HELPER, /* becomes a helper program: reads the system's libraries and fonts */
};

struct kb_sandbox_limits {
	size_t memory_max; /* address space */
	uint32_t cpu_s;    /* of the whole process */
	int files;         /* highest descriptor and one */
};

/* Closes every descriptor from `first` on. */
void kb_sandbox_close_from(int first);

/* rlimits, no_new_privs, not dumpable, dies with its parent, Landlock. *layers gets what holds.
 * KB_E_UNSUPPORTED when a required layer cannot be set up. */
bool kb_sandbox_enter(enum kb_sandbox_profile profile, const struct kb_sandbox_limits *limits,
                      uint32_t *layers, struct kb_err *err) KB_MUST_CHECK;

/* seccomp, apart from the rest because a SPAWN child narrows to PURE once its helper runs. */
bool kb_sandbox_filter(enum kb_sandbox_profile profile, uint32_t *layers,
                       struct kb_err *err) KB_MUST_CHECK;

/* Whether a filter holds already, which only a PURE one would not let us ask. */
bool kb_sandbox_is_filtered(void);

/* "seccomp landlock rlimits user" for a set of layers. */
const char *kb_sandbox_describe(uint32_t layers);

/* Sanitizers reserve terabytes of address space and make calls of their own: in such a build the
 * memory limit is left out and their calls are let through. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KB_SANDBOX_UNDER_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)                            \
        || __has_feature(memory_sanitizer)
#define KB_SANDBOX_UNDER_SANITIZER 1
#endif
#endif
#ifndef KB_SANDBOX_UNDER_SANITIZER
#define KB_SANDBOX_UNDER_SANITIZER 0
#endif

#endif
