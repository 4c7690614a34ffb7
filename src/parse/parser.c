/*
 * The server's side: children (children.c), their documents, their ends.
 *
 * A child serves one document at a time, so a call takes an idle one (or starts one), talks to it
 * alone and puts it back. With its first document a child becomes its owner's: before that it is
 * fresh. All children are started by one thread that lives as long as the parser: a child dies with
 * the thread that started it, and callers' threads come and go. When a fresh child was taken, that
 * thread starts another in its place.
 */
#include "parse/parse.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/cond.h"
#include "base/pool.h"
#include "parse/format.h"
#include "parse/parser_own.h"
#include "parse/protocol.h"
#include "parse/roles.h"
#include "parse/sandbox.h"

enum {
	WARM_CHILDREN = 4,
	FRESH_CHILDREN = 1,
	DOCUMENTS_A_CHILD = 200,
	TIMEOUT_MS = 30000,
	TIMEOUT_MAX_MS = 24 * 3600 * 1000,
	GRACE_MS = 500,
};
#define MEMORY_MAX KB_MIB(512)
#define OUTPUT_MAX KB_MIB(64)

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
static bool receive_answer(struct kb_parser_child *child, const struct job *job,
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

static enum outcome converse(struct kb_parser *parser, struct kb_parser_child *child,
                             const struct job *job, struct kb_err *err)
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
		                        .look = request->look,
		                        .password = request->password };
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
	if (request->password.n)
		explicit_bzero(buf.p, buf.n);
	kb_buf_fini(&buf);
	if (ok && msg.type == KB_MSG_HELPER) {
		kb_parser_put_back(parser, child);
		return WANTS_HELPER;
	}
	if (ok && take_answer(job, &msg, &seen)) {
		kb_parser_put_back(parser, child);
		return DONE;
	}
	if (ok && msg.type == KB_MSG_ERROR && kb_msg_get_error(msg.body, &sentence, &seen)) {
		kb_parser_end_child(child, 0);
		kb_fail(err, sentence.code, "%s", sentence.msg);
		return FAILED;
	}
	if (seen.code == KB_E_CANCELLED) {
		kb_parser_end_child(child, 0);
		*err = seen;
		return FAILED;
	}
	{
		bool used = child->served > 0;
		/* A child that is gone has ended by itself: its status tells why. */
		int status = kb_parser_end_child(child, seen.code == KB_E_IO ? GRACE_MS : 0);
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
	struct kb_parser_child *child = kb_parser_take_idle(parser, request->owner);
	enum outcome outcome = CHILD_GONE;

	job->deadline_us = kb_clock_mono_us() + KB_MIN(timeout_ms, TIMEOUT_MAX_MS) * INT64_C(1000);
	/* A warm child may have been killed while it waited, by the kernel or an operator: that
	 * says nothing of this document, so it gets a new one. */
	if (child)
		outcome = converse(parser, child, job, err);
	if (outcome == CHILD_GONE) {
		child = kb_parser_order_child(parser, KB_WORKER_PURE, err);
		if (!child)
			return false;
		outcome = converse(parser, child, job, err);
	}
	if (outcome == WANTS_HELPER) {
		child = kb_parser_order_child(parser, KB_WORKER_HELPED, err);
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

bool kb_parse_unlock(struct kb_parser *parser, struct kb_arena *arena,
                     const struct kb_parse_request *request, struct kb_err *err)
{
	struct kb_parsed nothing;

	KB_ASSERT(request->parts && request->password.n && request->password.n <= KB_PASSWORD_MAX);
	return ask(parser, &(struct job){ .request = request, .arena = arena, .text = &nothing },
	           err);
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
	struct kb_parser_child *first;

	parser->config = *config;
	parser->program = kb_xstrdup(config->program ? config->program : "/proc/self/exe");
	pthread_mutex_init(&parser->mutex, NULL);
	pthread_cond_init(&parser->ordered, NULL);
	pthread_cond_init(&parser->started, NULL);
	kb_cond_init(&parser->place_freed);
	if (parser->config.places <= 0)
		parser->config.places = (int)KB_MAX(sysconf(_SC_NPROCESSORS_ONLN), 1L);
	parser->places = parser->config.places;
	parser->starter = kb_thread_start("parse-start", kb_parser_run_starter, parser);
	/* The first child proves that the sandbox can be had here. */
	first = kb_parser_order_child(parser, KB_WORKER_PURE, err);
	if (!first) {
		kb_parser_close(parser);
		return NULL;
	}
	if ((parser->layers & (KB_SANDBOX_SECCOMP | KB_SANDBOX_RLIMITS))
	    != (KB_SANDBOX_SECCOMP | KB_SANDBOX_RLIMITS))
		kb_warn(config->log, "documents are parsed without a full sandbox layers=\"%s\"",
		        kb_sandbox_describe(parser->layers));
	pthread_mutex_lock(&parser->mutex);
	kb_parser_add_idle(parser, first);
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
		kb_parser_end_child(kb_parser_take_out(parser, &parser->idle), 0);
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
