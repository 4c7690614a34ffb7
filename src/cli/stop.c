#include "cli/stop.h"

#include <signal.h>
#include <stdatomic.h>

static atomic_bool stopped;

static void stop(int signal)
{
	(void)signal;
	atomic_store(&stopped, true);
}

static bool is_stopped(void *arg)
{
	(void)arg;
	return atomic_load(&stopped);
}

const struct kb_cancel kb_cli_stop = { is_stopped, NULL };

void kb_cli_stop_on_signals(void)
{
	signal(SIGTERM, stop);
	signal(SIGINT, stop);
}
