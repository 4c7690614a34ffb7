/*
 * Faults for tests: every fallible step of ours asks kb_fault() whether it shall fail this time.
 *
 * kb_fault_arm(n) makes the n-th question of this thread from now on answer yes, with errno = EIO.
 * Unarmed, a question costs one thread-local load.
 */
#ifndef KB_BASE_FAULT_H
#define KB_BASE_FAULT_H

#include "base/common.h"

void kb_fault_arm(int n);
/* True if the fault fired since it was armed. */
bool kb_fault_disarm(void);
/* Each question of this thread from now on calls `step` first, which may wait: for tests that run
 * two calls a step at a time. NULL: no longer. */
void kb_fault_step(void (*step)(void *arg), void *arg);
bool kb_fault(void);

/* A call that another thread carries out takes its caller's fault along: the carrier swaps the
 * caller's state in before it and out again after it. A zeroed state is unarmed. */
struct kb_fault_state {
	int countdown;
	bool fired;
	void (*step)(void *arg);
	void *arg;
};
struct kb_fault_state kb_fault_swap(struct kb_fault_state state);

/* While it is on, each transaction that writes is undone once when it is about to be committed, and
 * run again, as after a clash with another process. For all threads. */
void kb_fault_repeat_writes(bool on);
bool kb_fault_repeats_writes(void);

#endif
