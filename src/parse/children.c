/* The children of a parser: how they are started and ended, and the warm ones. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cond.h"
#include "base/file.h"
#include "parse/parser_own.h"
#include "parse/protocol.h"
#include "parse/roles.h"
#include "parse/sandbox.h"

enum {
	START_TIMEOUT_MS = 60000, /* of a machine that is busy with much else */
	FIRST_FREE_FD = 10,       /* our end of a socket stays clear of 0 to 3 */
	NUMBER_TEXT = 24,
	GRACE_STEP_MS = 5,
};

static int start_process(const struct kb_parser *parser, const char *role, int socket, pid_t *pid)
{
	const struct kb_parser_config *c = &parser->config;
	int64_t seconds = c->timeout_ms / 1000 + 1;
	/* The wall clock is the limit on a document; this one ends a child that nobody watches. */
	int64_t cpu_s = KB_MIN(seconds * KB_MAX(c->documents_a_child, 1) * 4, INT64_C(86400));
	char memory[NUMBER_TEXT], cpu[NUMBER_TEXT], output[NUMBER_TEXT];
	const char *argv[] = { "docent",
		               KB_WORKER_COMMAND,
		               "--role",
		               role,
		               "--memory",
		               memory,
		               "--cpu",
		               cpu,
		               "--output",
		               output,
		               c->allow_unsandboxed ? "--unsandboxed" : NULL,
		               NULL };
	char *const environment[] = { (char[]){ "LC_ALL=C" }, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none, all;
	int status;

	snprintf(memory, sizeof(memory), "%zu", c->memory_max);
	snprintf(cpu, sizeof(cpu), "%" PRId64, cpu_s);
	snprintf(output, sizeof(output), "%zu", c->output_max);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	if (!KB_SANDBOX_UNDER_SANITIZER)
		posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, socket, KB_WORKER_SOCKET);
	posix_spawn_file_actions_addclosefrom_np(&actions, KB_WORKER_SOCKET + 1);
	posix_spawnattr_init(&attr);
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setpgroup(&attr, 0); /* its helpers are killed with it */
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
	                                        | POSIX_SPAWN_SETPGROUP);
	status = posix_spawn(pid, parser->program, &actions, &attr, (char **)(uintptr_t)argv,
	                     environment);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return status;
}

int kb_parser_end_child(struct kb_parser_child *child, int grace_ms)
{
	int status = 0;
	pid_t ended = 0;

	close(child->socket);
	for (int waited = 0; waited < grace_ms && !ended; waited += GRACE_STEP_MS) {
		/* waitpid() has no time limit, so it is looked at. */
		ended = waitpid(child->pid, &status, WNOHANG);
		if (!ended)
			usleep(GRACE_STEP_MS * 1000);
	}
	if (!ended) {
		kill(-child->pid, SIGKILL);
		while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	free(child);
	return status;
}

static bool greet(struct kb_parser_child *child, uint32_t *layers, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_msg_hello hello;
	struct kb_msg_awaited awaited = { .deadline_us = kb_clock_mono_us()
		                                         + START_TIMEOUT_MS * INT64_C(1000) };
	struct kb_msg msg;
	bool ok = kb_msg_receive(child->socket, &arena, &awaited, &msg, err);

	if (ok && msg.type != KB_MSG_HELLO)
		ok = kb_fail(err, KB_E_IO, "the parser did not greet");
	ok = ok && kb_msg_get_hello(msg.body, &hello, err);
	if (!ok)
		kb_fail(err, KB_E_UNSUPPORTED, "the parser process did not start");
	else if (hello.problem.n)
		ok = kb_fail(err, KB_E_UNSUPPORTED, "%.*s", KB_SV_ARG(hello.problem));
	else
		*layers = hello.layers;
	kb_arena_fini(&arena);
	return ok;
}

static struct kb_parser_child *start_child(struct kb_parser *parser, const char *role,
                                           struct kb_err *err)
{
	struct kb_parser_child *child = kb_xcalloc(1, sizeof(*child));
	int sockets[2], high, status;
	uint32_t layers = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets)) {
		kb_fail_errno(err, "starting a parser");
		free(child);
		return NULL;
	}
	high = fcntl(sockets[1], F_DUPFD_CLOEXEC, FIRST_FREE_FD);
	close(sockets[1]);
	child->socket = sockets[0];
	status = high < 0 ? errno : start_process(parser, role, high, &child->pid);
	kb_fd_close(&high);
	if (status) {
		close(child->socket);
		free(child);
		kb_fail(err, KB_E_UNSUPPORTED, "the parser process %s cannot be started: %s",
		        parser->program, strerror(status));
		return NULL;
	}
	if (!greet(child, &layers, err)) {
		kb_parser_end_child(child, 0);
		return NULL;
	}
	if (!parser->layers) /* the same for all; readers hold no lock */
		parser->layers = layers;
	return child;
}

void kb_parser_add_idle(struct kb_parser *parser, struct kb_parser_child *child)
{
	child->next = parser->idle;
	parser->idle = child;
	*(child->owned ? &parser->warm : &parser->fresh) += 1;
}

/* Starts a fresh child, once for each that was taken: where none can be started, whoever needs one
 * learns why. Holds the mutex, but for the start. */
static void refill(struct kb_parser *parser)
{
	struct kb_parser_child *child;

	parser->refill = false;
	if (parser->fresh >= parser->config.fresh_children)
		return;
	pthread_mutex_unlock(&parser->mutex);
	child = start_child(parser, KB_WORKER_PURE, NULL);
	pthread_mutex_lock(&parser->mutex);
	if (!child)
		return;
	parser->stats.started++;
	kb_parser_add_idle(parser, child);
}

void *kb_parser_run_starter(void *arg)
{
	struct kb_parser *parser = arg;

	pthread_mutex_lock(&parser->mutex);
	for (;;) {
		struct kb_parser_order *order = parser->orders;
		struct kb_parser_child *child;

		if (!order && parser->closing)
			break;
		if (!order) {
			if (parser->refill)
				refill(parser);
			else
				pthread_cond_wait(&parser->ordered, &parser->mutex);
			continue;
		}
		parser->orders = order->next;
		pthread_mutex_unlock(&parser->mutex);
		child = start_child(parser, order->role, order->err);
		pthread_mutex_lock(&parser->mutex);
		parser->stats.started += child != NULL;
		order->child = child;
		order->done = true;
		pthread_cond_broadcast(&parser->started);
	}
	pthread_mutex_unlock(&parser->mutex);
	return NULL;
}

struct kb_parser_child *kb_parser_order_child(struct kb_parser *parser, const char *role,
                                              struct kb_err *err)
{
	struct kb_parser_order order = { .role = role, .err = err };

	pthread_mutex_lock(&parser->mutex);
	order.next = parser->orders;
	// cppcheck-suppress autoVariables -- taken out again before this function returns
	parser->orders = &order;
	pthread_cond_signal(&parser->ordered);
	while (!order.done)
		pthread_cond_wait(&parser->started, &parser->mutex);
	pthread_mutex_unlock(&parser->mutex);
	return order.child;
}

/* ---- the warm ones */

struct kb_parser_child *kb_parser_take_out(struct kb_parser *parser, struct kb_parser_child **place)
{
	struct kb_parser_child *child;

	KB_ASSERT(place);
	child = *place;
	*place = child->next;
	child->next = NULL;
	*(child->owned ? &parser->warm : &parser->fresh) -= 1;
	return child;
}

struct kb_parser_child *kb_parser_take_idle(struct kb_parser *parser, int64_t owner)
{
	struct kb_parser_child **fresh = NULL, **own = NULL, *child = NULL;

	pthread_mutex_lock(&parser->mutex);
	for (struct kb_parser_child **place = &parser->idle; *place && !own;
	     place = &(*place)->next) {
		if (!(*place)->owned)
			fresh = place;
		else if ((*place)->owner == owner)
			own = place;
	}
	if (own || fresh)
		child = kb_parser_take_out(parser, own ? own : fresh);
	if (!own && fresh) {
		parser->refill = true;
		pthread_cond_signal(&parser->ordered);
	}
	pthread_mutex_unlock(&parser->mutex);
	return child;
}

void kb_parser_put_back(struct kb_parser *parser, struct kb_parser_child *child)
{
	struct kb_parser_child *gone = child, **oldest = NULL;

	child->served++;
	pthread_mutex_lock(&parser->mutex);
	if (child->served < parser->config.documents_a_child && parser->config.warm_children > 0) {
		kb_parser_add_idle(parser, child);
		for (struct kb_parser_child **place = &parser->idle; *place;
		     place = &(*place)->next)
			if ((*place)->owned)
				oldest = place;
		gone = parser->warm > parser->config.warm_children
		               ? kb_parser_take_out(parser, oldest)
		               : NULL;
	}
	pthread_mutex_unlock(&parser->mutex);
	if (gone)
		kb_parser_end_child(gone, 0);
}
