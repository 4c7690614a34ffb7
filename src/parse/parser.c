/*
 * The server's side: children, their documents, their ends.
 *
 * A child serves one document at a time, so a call takes an idle one (or starts one), talks to it
 * alone and puts it back. With its first document a child becomes its owner's: before that it is
 * fresh. All children are started by one thread that lives as long as the parser: a child dies with
 * the thread that started it, and callers' threads come and go. When a fresh child was taken, that
 * thread starts another in its place.
 */
#include "parse/parse.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cond.h"
#include "base/file.h"
#include "base/pool.h"
#include "parse/format.h"
#include "parse/protocol.h"
#include "parse/roles.h"
#include "parse/sandbox.h"

enum {
	WARM_CHILDREN = 4,
	FRESH_CHILDREN = 1,
	DOCUMENTS_A_CHILD = 200,
	TIMEOUT_MS = 30000,
	START_TIMEOUT_MS = 10000,
	TIMEOUT_MAX_MS = 24 * 3600 * 1000,
	FIRST_FREE_FD = 10, /* our end of a socket stays clear of 0 to 3 */
	NUMBER_TEXT = 24,
	GRACE_MS = 500,
	GRACE_STEP_MS = 5,
};
#define MEMORY_MAX KB_MIB(512)
#define OUTPUT_MAX KB_MIB(64)

struct child {
	struct child *next;
	pid_t pid;
	int socket;
	int served; /* documents */
	bool owned;
	int64_t owner;
};

struct order { /* for the starting thread */
	struct order *next;
	const char *role;
	struct child *child; /* NULL: it failed */
	struct kb_err *err;
	bool done;
};

struct kb_parser {
	struct kb_parser_config config;
	char *program;
	uint32_t layers;
	pthread_t starter;
	pthread_mutex_t mutex; /* of everything below */
	pthread_cond_t ordered, started;
	struct order *orders;
	struct child *idle; /* the last used first; fresh ones anywhere */
	int warm, fresh;    /* of these */
	bool refill;        /* a fresh one was taken */
	bool closing;
	int places; /* free, for OCR */
	pthread_cond_t place_freed;
	struct kb_parser_stats stats;
};

/* ---- starting and ending a child */

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

/* Ends it and returns how it ended, as waitpid() says. One that seems to have ended by itself gets
 * a moment to do so, for its own reason to be seen. */
static int end_child(struct child *child, int grace_ms)
{
	int status = 0;
	pid_t ended = 0;

	close(child->socket);
	for (int waited = 0; waited < grace_ms && !ended; waited += GRACE_STEP_MS) {
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

static bool greet(struct child *child, uint32_t *layers, struct kb_err *err)
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

static struct child *start_child(struct kb_parser *parser, const char *role, struct kb_err *err)
{
	struct child *child = kb_xcalloc(1, sizeof(*child));
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
		end_child(child, 0);
		return NULL;
	}
	if (!parser->layers) /* the same for all; readers hold no lock */
		parser->layers = layers;
	return child;
}

/* Holds the mutex. */
static void add_idle(struct kb_parser *parser, struct child *child)
{
	child->next = parser->idle;
	parser->idle = child;
	*(child->owned ? &parser->warm : &parser->fresh) += 1;
}

/* Starts a fresh child, once for each that was taken: where none can be started, whoever needs one
 * learns why. Holds the mutex, but for the start. */
static void refill(struct kb_parser *parser)
{
	struct child *child;

	parser->refill = false;
	if (parser->fresh >= parser->config.fresh_children)
		return;
	pthread_mutex_unlock(&parser->mutex);
	child = start_child(parser, KB_WORKER_PURE, NULL);
	pthread_mutex_lock(&parser->mutex);
	if (!child)
		return;
	parser->stats.started++;
	add_idle(parser, child);
}

static void *run_starter(void *arg)
{
	struct kb_parser *parser = arg;

	pthread_mutex_lock(&parser->mutex);
	for (;;) {
		struct order *order = parser->orders;
		struct child *child;

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

static struct child *order_child(struct kb_parser *parser, const char *role, struct kb_err *err)
{
	struct order order = { .role = role, .err = err };

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

/* Holds the mutex. */
static struct child *take_out(struct kb_parser *parser, struct child **place)
{
	struct child *child;

	KB_ASSERT(place);
	child = *place;
	*place = child->next;
	child->next = NULL;
	*(child->owned ? &parser->warm : &parser->fresh) -= 1;
	return child;
}

/* The owner's own, or a fresh one, or none. */
static struct child *take_idle(struct kb_parser *parser, int64_t owner)
{
	struct child **fresh = NULL, **own = NULL, *child = NULL;

	pthread_mutex_lock(&parser->mutex);
	for (struct child **place = &parser->idle; *place && !own; place = &(*place)->next) {
		if (!(*place)->owned)
			fresh = place;
		else if ((*place)->owner == owner)
			own = place;
	}
	if (own || fresh)
		child = take_out(parser, own ? own : fresh);
	if (!own && fresh) {
		parser->refill = true;
		pthread_cond_signal(&parser->ordered);
	}
	pthread_mutex_unlock(&parser->mutex);
	return child;
}

static void put_back(struct kb_parser *parser, struct child *child)
{
	struct child *gone = child, **oldest = NULL;

	child->served++;
	pthread_mutex_lock(&parser->mutex);
	if (child->served < parser->config.documents_a_child && parser->config.warm_children > 0) {
		add_idle(parser, child);
		for (struct child **place = &parser->idle; *place; place = &(*place)->next)
			if ((*place)->owned)
				oldest = place;
		gone = parser->warm > parser->config.warm_children ? take_out(parser, oldest)
		                                                   : NULL;
	}
	pthread_mutex_unlock(&parser->mutex);
	if (gone)
		end_child(gone, 0);
}

/* ---- one document */

enum outcome { DONE, FAILED, WANTS_HELPER, CHILD_GONE };

/* What a dead or confused child says about its document. */
static void explain(int status, const struct kb_err *seen, int timeout_ms, size_t memory_max,
                    struct kb_err *err)
{
	int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	if (seen->code == KB_E_TIMEOUT || signal == SIGXCPU)
		kb_fail(err, KB_E_TIMEOUT, KB_READING_TOO_LONG " %d s", (timeout_ms + 999) / 1000);
	else if (signal == SIGSYS)
		kb_fail(err, KB_E_INVALID,
		        "the parser tried something forbidden on this document and was stopped");
	else if (signal == SIGBUS)
		kb_fail(err, KB_E_INVALID, "the document changed or vanished while it was read");
	else if (signal == SIGKILL && seen->code == KB_E_IO)
		kb_fail(err, KB_E_TOO_LARGE,
		        "the parser was stopped while reading this document, perhaps for memory "
		        "(its limit is %zu MB)",
		        memory_max >> 20);
	else
		kb_fail(err, KB_E_INVALID, "the parser crashed on this document");
}

/* A document on its way to a child, and what is wanted of it: its text, the addresses it lists, or
 * a page of it as a picture. */
struct job {
	const struct kb_parse_request *request;
	int64_t deadline_us; /* of kb_clock_mono_us() */
	struct kb_arena *arena;
	struct kb_parsed *text;
	struct kb_sitemap *list;
	struct kb_sv *drawing;
};

/* Whether the message is the answer; then it is taken over. */
static bool take_answer(const struct job *job, const struct kb_msg *msg, struct kb_err *err)
{
	if (job->text)
		return msg->type == KB_MSG_RESULT
		       && kb_msg_get_result(job->arena, msg->body, job->text, err);
	if (job->list)
		return msg->type == KB_MSG_LIST
		       && kb_msg_get_list(job->arena, msg->body, job->list, err);
	*job->drawing = msg->body;
	return msg->type == KB_MSG_DRAWING;
}

/* Receives the answer, and before it what there is of documents within. *any: some came, so that
 * nobody may ask another child for them again. */
static bool receive_answer(struct child *child, const struct job *job,
                           struct kb_msg_awaited *awaited, struct kb_msg *msg, bool *any,
                           struct kb_err *err)
{
	const struct kb_part_sink *sink = job->request->parts;
	int64_t time_us = job->deadline_us - kb_clock_mono_us();
	struct kb_arena pieces = { 0 };
	struct kb_part_piece piece;
	bool ok;

	awaited->pieces = &pieces; // cppcheck-suppress autoVariables
	while ((ok = kb_msg_receive(child->socket, job->arena, awaited, msg, err))
	       && msg->type == KB_MSG_PART) {
		if (!sink || !kb_msg_get_part(msg->body, &piece, err)) {
			ok = false;
			break;
		}
		*any = true;
		if (!sink->take(sink->arg, &piece)) {
			ok = kb_fail(err, KB_E_CANCELLED, "the documents within were not wanted");
			break;
		}
		awaited->deadline_us = kb_clock_mono_us() + time_us;
		kb_arena_reset(&pieces);
	}
	awaited->pieces = NULL;
	kb_arena_fini(&pieces);
	return ok;
}

static enum outcome converse(struct kb_parser *parser, struct child *child, const struct job *job,
                             struct kb_err *err)
{
	const struct kb_parse_request *request = job->request;
	struct kb_msg_awaited awaited = {
		.result_max = kb_msg_result_max(parser->config.output_max),
		.deadline_us = job->deadline_us,
		.cancel = request->cancel,
	};
	struct kb_msg_request hints = { .filename = request->filename,
		                        .content_type = request->content_type,
		                        .url = request->url,
		                        .is_sitemap = job->list != NULL,
		                        .wants_drawing = job->drawing != NULL,
		                        .wants_parts = request->parts != NULL,
		                        .is_part = request->is_part,
		                        .links = request->links,
		                        .wants_painted = request->wants_painted,
		                        .wants_insets = request->wants_insets,
		                        .painted = request->painted,
		                        .models = request->models,
		                        .look = request->look };
	struct kb_err seen = { 0 }, sentence = { 0 };
	struct kb_msg msg = { 0 };
	struct kb_buf buf;
	int64_t left_ms = (job->deadline_us - kb_clock_mono_us()) / 1000;
	bool ok, any = false;

	child->owned = true;
	child->owner = request->owner;
	hints.timeout_ms = (uint32_t)KB_MAX(left_ms, INT64_C(1));
	kb_buf_init(&buf, KB_MSG_SMALL_MAX);
	kb_msg_put_request(&buf, &hints);
	ok = kb_msg_send(child->socket, KB_MSG_REQUEST, kb_buf_view(&buf), request->fd,
	                 job->deadline_us, &seen)
	     && receive_answer(child, job, &awaited, &msg, &any, &seen);
	kb_buf_fini(&buf);
	if (ok && msg.type == KB_MSG_HELPER) {
		put_back(parser, child);
		return WANTS_HELPER;
	}
	if (ok && take_answer(job, &msg, &seen)) {
		put_back(parser, child);
		return DONE;
	}
	if (ok && msg.type == KB_MSG_ERROR && kb_msg_get_error(msg.body, &sentence, &seen)) {
		end_child(child, 0);
		kb_fail(err, sentence.code, "%s", sentence.msg);
		return FAILED;
	}
	if (seen.code == KB_E_CANCELLED) {
		end_child(child, 0);
		*err = seen;
		return FAILED;
	}
	{
		bool used = child->served > 0;
		/* A child that is gone has ended by itself: its status tells why. */
		int status = end_child(child, seen.code == KB_E_IO ? GRACE_MS : 0);
		int timeout_ms =
		        request->timeout_ms ? request->timeout_ms : parser->config.timeout_ms;

		explain(status, &seen, timeout_ms, parser->config.memory_max, err);
		pthread_mutex_lock(&parser->mutex);
		parser->stats.failed++;
		pthread_mutex_unlock(&parser->mutex);
		kb_warn(parser->config.log, "parser child failed status=%d served=%d reason=\"%s\"",
		        status, used, err->msg);
		return used && !any && seen.code == KB_E_IO ? CHILD_GONE : FAILED;
	}
}

static bool ask(struct kb_parser *parser, struct job *job, struct kb_err *err)
{
	const struct kb_parse_request *request = job->request;
	int timeout_ms = request->timeout_ms > 0 ? request->timeout_ms : parser->config.timeout_ms;
	struct child *child = take_idle(parser, request->owner);
	enum outcome outcome = CHILD_GONE;

	job->deadline_us = kb_clock_mono_us() + KB_MIN(timeout_ms, TIMEOUT_MAX_MS) * INT64_C(1000);
	/* A warm child may have been killed while it waited, by the kernel or an operator: that
	 * says nothing of this document, so it gets a new one. */
	if (child)
		outcome = converse(parser, child, job, err);
	if (outcome == CHILD_GONE) {
		child = order_child(parser, KB_WORKER_PURE, err);
		if (!child)
			return false;
		outcome = converse(parser, child, job, err);
	}
	if (outcome == WANTS_HELPER) {
		child = order_child(parser, KB_WORKER_HELPED, err);
		if (!child)
			return false;
		child->served = parser->config.documents_a_child; /* its only one */
		outcome = converse(parser, child, job, err);
	}
	return outcome == DONE;
}

bool kb_parse(struct kb_parser *parser, struct kb_arena *arena,
              const struct kb_parse_request *request, struct kb_parsed *out, struct kb_err *err)
{
	*out = (struct kb_parsed){ 0 };
	return ask(parser, &(struct job){ .request = request, .arena = arena, .text = out }, err);
}

bool kb_parse_sitemap(struct kb_parser *parser, struct kb_arena *arena,
                      const struct kb_parse_request *request, struct kb_sitemap *out,
                      struct kb_err *err)
{
	*out = (struct kb_sitemap){ 0 };
	return ask(parser, &(struct job){ .request = request, .arena = arena, .list = out }, err);
}

bool kb_parse_draw(struct kb_parser *parser, struct kb_arena *arena,
                   const struct kb_parse_request *request, struct kb_sv *jpeg, struct kb_err *err)
{
	*jpeg = KB_SV("");
	return ask(parser, &(struct job){ .request = request, .arena = arena, .drawing = jpeg },
	           err);
}

/* ---- places */

size_t kb_parser_places(const struct kb_parser *parser)
{
	return (size_t)parser->config.places;
}

bool kb_parser_place_take(struct kb_parser *parser, const struct kb_cancel *cancel)
{
	bool wanted = true;

	pthread_mutex_lock(&parser->mutex);
	while (!parser->places && wanted) {
		/* Whoever cancels rings no bell. */
		kb_cond_until(&parser->place_freed, &parser->mutex,
		              kb_clock_mono_us() + KB_SECOND_US);
		wanted = !kb_cancelled(cancel, NULL);
	}
	if (wanted)
		parser->places--;
	pthread_mutex_unlock(&parser->mutex);
	return wanted;
}

void kb_parser_place_give(struct kb_parser *parser)
{
	pthread_mutex_lock(&parser->mutex);
	parser->places++;
	pthread_cond_signal(&parser->place_freed);
	pthread_mutex_unlock(&parser->mutex);
}

/* ---- open and close */

void kb_parser_config_init(struct kb_parser_config *config)
{
	*config = (struct kb_parser_config){ .warm_children = WARM_CHILDREN,
		                             .fresh_children = FRESH_CHILDREN,
		                             .documents_a_child = DOCUMENTS_A_CHILD,
		                             .timeout_ms = TIMEOUT_MS,
		                             .memory_max = MEMORY_MAX,
		                             .output_max = OUTPUT_MAX };
}

struct kb_parser *kb_parser_open(const struct kb_parser_config *config, struct kb_err *err)
{
	struct kb_parser *parser = kb_xcalloc(1, sizeof(*parser));
	struct child *first;

	parser->config = *config;
	parser->program = kb_xstrdup(config->program ? config->program : "/proc/self/exe");
	pthread_mutex_init(&parser->mutex, NULL);
	pthread_cond_init(&parser->ordered, NULL);
	pthread_cond_init(&parser->started, NULL);
	kb_cond_init(&parser->place_freed);
	if (parser->config.places <= 0)
		parser->config.places = (int)KB_MAX(sysconf(_SC_NPROCESSORS_ONLN), 1L);
	parser->places = parser->config.places;
	parser->starter = kb_thread_start("parse-start", run_starter, parser);
	/* The first child proves that the sandbox can be had here. */
	first = order_child(parser, KB_WORKER_PURE, err);
	if (!first) {
		kb_parser_close(parser);
		return NULL;
	}
	if ((parser->layers & (KB_SANDBOX_SECCOMP | KB_SANDBOX_RLIMITS))
	    != (KB_SANDBOX_SECCOMP | KB_SANDBOX_RLIMITS))
		kb_warn(config->log, "documents are parsed without a full sandbox layers=\"%s\"",
		        kb_sandbox_describe(parser->layers));
	pthread_mutex_lock(&parser->mutex);
	add_idle(parser, first);
	pthread_mutex_unlock(&parser->mutex);
	return parser;
}

void kb_parser_close(struct kb_parser *parser)
{
	if (!parser)
		return;
	pthread_mutex_lock(&parser->mutex);
	parser->closing = true;
	parser->refill = false;
	pthread_cond_signal(&parser->ordered);
	pthread_mutex_unlock(&parser->mutex);
	pthread_join(parser->starter, NULL); /* the idle children die with it */
	while (parser->idle)
		end_child(take_out(parser, &parser->idle), 0);
	pthread_cond_destroy(&parser->ordered);
	pthread_cond_destroy(&parser->started);
	pthread_cond_destroy(&parser->place_freed);
	pthread_mutex_destroy(&parser->mutex);
	free(parser->program);
	free(parser);
}

void kb_parser_stats(struct kb_parser *parser, struct kb_parser_stats *out)
{
	pthread_mutex_lock(&parser->mutex);
	*out = parser->stats;
	pthread_mutex_unlock(&parser->mutex);
}

const char *kb_parser_sandbox(const struct kb_parser *parser)
{
	return kb_sandbox_describe(parser->layers);
}
