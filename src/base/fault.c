#include "base/fault.h"

#include <errno.h>
#include <stdatomic.h>

static _Thread_local struct kb_fault_state now;
static atomic_bool repeats_writes;

void kb_fault_arm(int n)
{
	now = (struct kb_fault_state){ .countdown = n, .step = now.step, .arg = now.arg };
}

void kb_fault_step(void (*step)(void *arg), void *arg)
{
	now.step = step;
	now.arg = arg;
}

bool kb_fault_disarm(void)
{
	now.countdown = 0;
	return now.fired;
}

bool kb_fault(void)
{
	if (now.step)
		now.step(now.arg);
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

void kb_fault_repeat_writes(bool on)
{
	atomic_store(&repeats_writes, on);
}

bool kb_fault_repeats_writes(void)
{
	return atomic_load_explicit(&repeats_writes, memory_order_relaxed);
}
