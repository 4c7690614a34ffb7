/*
 * What the benches share: the server under test and its peer as processes of their own, sockets to
 * them, and figures of processes.
 */
#ifndef KB_BENCH_PROCESS_H
#define KB_BENCH_PROCESS_H

#include <sys/types.h>

#include "http/server.h"

struct bench_process {
	pid_t pid;
	int port;
	int stop_fd; /* closing it ends the process */
};

/* Forks a process that runs serve(arg), which prepares the routes of a server on a free port. Call
 * it before any thread starts. */
struct bench_process bench_start_docent(void (*prepare)(struct kb_server_config *config));
/* Runs bench/peer.mjs of this source tree with node; pid 0 when there is no node. */
struct bench_process bench_start_node(const char *mode, const char *argument);
void bench_stop(struct bench_process *process);

int bench_connect(int port);
/* Resident memory, and processor time in user and system mode. */
int64_t bench_rss_bytes(pid_t pid);
double bench_cpu_s(pid_t pid);
/* Raises the limit of descriptors to what is allowed. */
void bench_raise_descriptors(void);
int bench_compare_int64(const void *a, const void *b);

#endif
