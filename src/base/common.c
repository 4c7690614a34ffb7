/* Assertions: how the process ends when our own code is wrong. */
#include "base/common.h"

#include <stdio.h>
#include <stdlib.h>

static _Thread_local const char *job;

void kb_job_set(const char *what)
{
	job = what;
}

void kb_panic(const char *file, int line, const char *what)
{
	fprintf(stderr, "docent: panic at %s:%d: %s%s%s\n", file, line, what,
	        job ? ", while at " : "", job ? job : "");
	abort();
}
