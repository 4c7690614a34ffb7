#include "base/fault.h"

#include <errno.h>

static _Thread_local struct kb_fault_state now;

void kb_fault_arm(int n)
{
	now = (struct kb_fault_state){ .countdown = n };
}

bool kb_fault_disarm(void)
{
	now.countdown = 0;
	return now.fired;
}

bool kb_fault(void)
{
	if (!now.countdown || --now.countdown)
		return false;
	now.fired = true;
	errno = EIO;
	return true;
}

struct kb_fault_state kb_fault_swap(struct kb_fault_state state)
{
	struct kb_fault_state before = now;

	now = state;
	return before;
}
