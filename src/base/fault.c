#include "base/fault.h"

#include <errno.h>

static _Thread_local int countdown;
static _Thread_local bool fired;

void kb_fault_arm(int n)
{
	countdown = n;
	fired = false;
}

bool kb_fault_disarm(void)
{
	countdown = 0;
	return fired;
}

bool kb_fault(void)
{
	if (!countdown || --countdown)
		return false;
	fired = true;
	errno = EIO;
	return true;
}
