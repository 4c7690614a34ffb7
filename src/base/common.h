/*
 * Words every file needs: attributes, counts, assertions.
 *
 * KB_ASSERT states what our own code guarantees and stays on in every build. It never judges bytes
 * that came from outside: those get an error (err.h), or kb_corrupt() when our own files are
 * damaged.
 */
#ifndef KB_BASE_COMMON_H
#define KB_BASE_COMMON_H

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KB_MUST_CHECK        __attribute__((warn_unused_result))
#define KB_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define KB_NORETURN          _Noreturn

#define KB_COUNTOF(array) (sizeof(array) / sizeof((array)[0]))
#define KB_MIN(a, b)      ((a) < (b) ? (a) : (b))
#define KB_MAX(a, b)      ((a) > (b) ? (a) : (b))

/* The struct that p points into: p is the address of its member. A p of another type does not
 * compile; what is const stays so. */
// clang-format off
#define KB_OUTER(p, type, member) _Generic((p), \
	__typeof__((type){ 0 }.member) *: (type *)KB_OUTER_AT(p, type, member), \
	const __typeof__((type){ 0 }.member) *: (const type *)KB_OUTER_AT(p, type, member))
#define KB_OUTER_AT(p, type, member) ((uintptr_t)(p) - offsetof(type, member))
// clang-format on

#define KB_KIB(n) ((size_t)(n) << 10)
#define KB_MIB(n) ((size_t)(n) << 20)
#define KB_GIB(n) ((size_t)(n) << 30)

#define KB_ASSERT(condition)                                                                       \
	((condition) ? (void)0 : kb_panic(__FILE__, __LINE__, "assertion failed: " #condition))

/* Prints where, what and the job in hand (kb_job_set) on stderr and aborts. */
KB_NORETURN void kb_panic(const char *file, int line, const char *what);

/* Names the request or job this thread works on, for a panic. The text must outlive the job; NULL
 * clears it. */
void kb_job_set(const char *what);

#endif
