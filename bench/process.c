/* Processes under measurement: see process.h. */
#include "process.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"

void bench_raise_descriptors(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static KB_NORETURN void serve(void (*prepare)(struct kb_server_config *config), int port_fd,
                              int stop_fd)
{
	struct kb_server_config config;
	struct kb_server *server;
	struct kb_log log;
	struct kb_err err;
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	kb_crypto_init();
	kb_log_init(&log, KB_LOG_WARN, KB_LOG_TEXT, 2);
	kb_server_config_init(&config);
	config.port = 0;
	config.log = &log;
	prepare(&config);
	if (!config.workers)
		config.workers = kb_pool_open("worker", 8, 1000);
	server = kb_server_start(&config, &err);
	if (!server) {
		fprintf(stderr, "%s\n", err.msg);
		_exit(1);
	}
	dprintf(port_fd, "%d\n", kb_server_port(server));
	close(port_fd);
	while (read(stop_fd, &byte, 1) > 0)
		;
	_exit(0);
}

/* Reads the port the process prints first. */
static int read_port(int fd)
{
	char text[32];
	size_t n = 0;

	while (n < sizeof(text) - 1 && read(fd, text + n, 1) == 1 && text[n] != '\n')
		n++;
	text[n] = '\0';
	close(fd);
	return (int)strtol(text, NULL, 10);
}

static struct bench_process start(void (*prepare)(struct kb_server_config *config),
                                  const char *mode, const char *argument)
{
	struct bench_process process = { 0 };
	int port[2], stop[2];

	if (pipe2(port, O_CLOEXEC) < 0 || pipe2(stop, O_CLOEXEC) < 0)
		abort();
	process.pid = fork();
	if (process.pid == 0) {
		close(stop[1]);
		close(port[0]);
		bench_raise_descriptors();
		if (prepare)
			serve(prepare, port[1], stop[0]);
		dup2(stop[0], 0);
		dup2(port[1], 1);
		execlp("node", "node", BENCH_DIR "/peer.mjs", mode, argument, (char *)NULL);
		_exit(127);
	}
	close(stop[0]);
	close(port[1]);
	process.stop_fd = stop[1];
	process.port = read_port(port[0]);
	if (!process.port)
		bench_stop(&process);
	return process;
}

struct bench_process bench_start_docent(void (*prepare)(struct kb_server_config *config))
{
	return start(prepare, NULL, NULL);
}

struct bench_process bench_start_node(const char *mode, const char *argument)
{
	return start(NULL, mode, argument);
}

void bench_stop(struct bench_process *process)
{
	if (!process->pid)
		return;
	close(process->stop_fd);
	waitpid(process->pid, NULL, 0);
	*process = (struct bench_process){ 0 };
}

int bench_connect(int port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
		                       .sin_port = htons((uint16_t)port),
		                       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const int on = 1;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)(void *)&address, sizeof(address)) < 0) {
		perror("connect");
		exit(1);
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return fd;
}

/* The text of /proc/PID/NAME. */
static void read_proc(pid_t pid, const char *name, char *text, size_t size)
{
	char path[64];
	ssize_t n = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, size - 1);
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
}

int64_t bench_rss_bytes(pid_t pid)
{
	char text[256];
	const char *blank;

	read_proc(pid, "statm", text, sizeof(text));
	blank = strchr(text, ' ');
	return blank ? strtoll(blank, NULL, 10) * sysconf(_SC_PAGESIZE) : 0;
}

double bench_cpu_s(pid_t pid)
{
	char text[1024];
	char *at;
	double ticks;

	read_proc(pid, "stat", text, sizeof(text));
	at = strrchr(text, ')');
	for (int field = 2; at && field < 14; field++)
		at = strchr(at + 1, ' ');
	if (!at)
		return 0;
	ticks = (double)strtoll(at, &at, 10);
	ticks += (double)strtoll(at, NULL, 10);
	return ticks / (double)sysconf(_SC_CLK_TCK);
}

int bench_compare_int64(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}
