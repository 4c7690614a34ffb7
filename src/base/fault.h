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
bool kb_fault(void);

#endif
