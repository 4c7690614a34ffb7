/* The parser child: walls up, then documents in, results out. */
#include <errno.h>
#include <libxml/parser.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "parse/charset.h"
#include "parse/format.h"
#include "parse/helper.h"
#include "parse/protocol.h"
#include "parse/roles.h"
#include "parse/sandbox.h"
#include "parse/sitemap.h"
#include "parse/unlock.h"

struct options {
	struct kb_sv role;
	int64_t memory_max, cpu_s, output_max;
	bool unsandboxed;
};

static bool read_options(int argc, char **argv, struct options *o)
{
	*o = (struct options){ .role = KB_SV_INIT(KB_WORKER_PURE) };
	for (int i = 1; i < argc; i++) {
		struct kb_sv name = kb_sv_str(argv[i]);
		struct kb_sv value = kb_sv_str(i + 1 < argc ? argv[i + 1] : NULL);

		if (kb_sv_eq_str(name, "--unsandboxed")) {
			o->unsandboxed = true;
			continue;
		}
		i++;
		if (kb_sv_eq_str(name, "--role"))
			o->role = value;
		else if (kb_sv_eq_str(name, "--memory")) {
			if (!kb_sv_to_int(value, 1, INT64_MAX, &o->memory_max))
				return false;
		} else if (kb_sv_eq_str(name, "--cpu")) {
			if (!kb_sv_to_int(value, 1, INT32_MAX, &o->cpu_s))
				return false;
		} else if (kb_sv_eq_str(name, "--output")) {
			if (!kb_sv_to_int(value, 1, UINT32_MAX, &o->output_max))
				return false;
		} else {
			return false;
		}
	}
	return o->memory_max && o->cpu_s && o->output_max;
}

/* ---- running out of memory: kb_xmalloc() ends the process with abort() and leaves malloc's errno,
 * so that the last word can be the reason. */

static struct kb_buf out_of_memory; /* a whole ERROR message, made beforehand */

static void on_abort(int signal)
{
	(void)signal;
	/* errno is this thread's own, and the process ends here. */
	// NOLINTNEXTLINE(bugprone-signal-handler,cert-sig30-c)
	if (errno == ENOMEM && out_of_memory.n) {
		ssize_t n = write(KB_WORKER_SOCKET, out_of_memory.p, out_of_memory.n);

		(void)n;
	}
	_exit(134);
}

static void prepare_last_word(size_t memory_max)
{
	unsigned char head[KB_MSG_HEAD_BYTES];
	struct kb_buf body;
	struct kb_err problem;

	kb_fail(&problem, KB_E_TOO_LARGE, "the parser ran out of its %zu MB of memory",
	        memory_max >> 20);
	kb_buf_init(&body, KB_MSG_SMALL_MAX);
	kb_msg_put_error(&body, &problem);
	kb_msg_head(head, KB_MSG_ERROR, body.n);
	kb_buf_init(&out_of_memory, KB_MSG_SMALL_MAX);
	kb_buf_add(&out_of_memory, head, sizeof(head));
	kb_buf_sv(&out_of_memory, kb_buf_view(&body));
	kb_buf_fini(&body);
	signal(SIGABRT, on_abort);
}

/* ---- one document */

struct document {
	int fd;
	struct kb_sv bytes;
	void *map; /* NULL: the bytes are in the arena */
};

static bool open_document(struct document *d, struct kb_arena *arena, struct kb_err *err)
{
	struct stat st;
	struct kb_buf buf;
	ssize_t n;

	d->map = NULL;
	if (fstat(d->fd, &st))
		return kb_fail(err, KB_E_IO, "the document could not be opened");
	if (S_ISREG(st.st_mode)) {
		if (!st.st_size) {
			d->bytes = KB_SV("");
			return true;
		}
		d->map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, d->fd, 0);
		if (d->map != MAP_FAILED) {
			d->bytes = kb_sv(d->map, (size_t)st.st_size);
			return true;
		}
		d->map = NULL;
		return kb_fail(err, KB_E_TOO_LARGE,
		               "the document's %lld MB do not fit into the parser's memory",
		               (long long)(st.st_size >> 20));
	}
	kb_buf_init(&buf, SIZE_MAX);
	do {
		char *room = kb_buf_room(&buf, 65536);

		n = read(d->fd, room, 65536);
		if (n > 0)
			kb_buf_advance(&buf, (size_t)n);
	} while (n > 0 || (n < 0 && errno == EINTR));
	d->bytes = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return n == 0 || kb_fail(err, KB_E_IO, "the document could not be read");
}

static bool send_error(const struct kb_err *problem)
{
	struct kb_buf body;
	struct kb_err ignored;
	bool ok;

	kb_buf_init(&body, KB_MSG_SMALL_MAX);
	kb_msg_put_error(&body, problem);
	ok = kb_msg_send(KB_WORKER_SOCKET, KB_MSG_ERROR, kb_buf_view(&body), -1, 0, &ignored);
	kb_buf_fini(&body);
	return ok;
}

static bool send_result(const struct kb_parsed *parsed, size_t output_max)
{
	struct kb_buf body;
	struct kb_err ignored, problem;
	bool ok;

	kb_buf_init(&body, kb_msg_result_max(output_max));
	kb_msg_put_result(&body, parsed);
	if (body.failed) {
		kb_fail(&problem, KB_E_TOO_LARGE,
		        "the document's headings are too many and too long");
		ok = send_error(&problem);
	} else {
		ok = kb_msg_send(KB_WORKER_SOCKET, KB_MSG_RESULT, kb_buf_view(&body), -1, 0,
		                 &ignored);
	}
	kb_buf_fini(&body);
	return ok;
}

static bool send_list(const struct kb_sitemap *list, size_t output_max)
{
	struct kb_buf body;
	struct kb_err problem;
	bool ok;

	kb_buf_init(&body, kb_msg_result_max(output_max));
	kb_msg_put_list(&body, list);
	if (body.failed) {
		kb_fail(&problem, KB_E_TOO_LARGE, "its addresses are too many and too long");
		ok = send_error(&problem);
	} else {
		ok = kb_msg_send(KB_WORKER_SOCKET, KB_MSG_LIST, kb_buf_view(&body), -1, 0,
		                 &problem);
	}
	kb_buf_fini(&body);
	return ok;
}

static bool send_drawing(struct kb_sv jpeg)
{
	struct kb_err ignored;

	return kb_msg_send(KB_WORKER_SOCKET, KB_MSG_DRAWING, jpeg, -1, 0, &ignored);
}

/* A document within the one in hand, to the server. What is larger than a piece goes as several. */
static bool send_part(void *arg, const struct kb_part_piece *piece)
{
	struct kb_part_piece one = *piece;
	struct kb_sv rest = piece->bytes;
	struct kb_err ignored;
	bool ok;

	(void)arg;
	do {
		struct kb_buf body;

		one.bytes = kb_sv_sub(rest, 0, KB_MSG_PIECE_MAX);
		rest = kb_sv_from(rest, one.bytes.n);
		one.last = piece->last && !rest.n;
		one.spoilt = one.last && piece->spoilt;
		kb_buf_init(&body, KB_MSG_PART_MAX);
		kb_msg_put_part(&body, &one);
		ok = kb_msg_send(KB_WORKER_SOCKET, KB_MSG_PART, kb_buf_view(&body), -1, 0,
		                 &ignored);
		kb_buf_fini(&body);
		one.first = false;
	} while (ok && rest.n);
	return ok;
}

static const struct kb_part_sink to_server = { .take = send_part };

/* The file without its password is a document within it, and the only one. */
static bool unlock(const struct kb_msg_request *request, struct kb_sv bytes, struct kb_arena *arena,
                   struct kb_err *err)
{
	struct kb_part_piece piece = { .path = KB_SV("document"), .first = true, .last = true };
	bool ok = kb_unlock(arena, bytes, request->password, &piece.bytes, err);

	/* Ours to write: it lies in the message that came. */
	explicit_bzero((void *)(uintptr_t)request->password.p, request->password.n);
	return ok && (send_part(NULL, &piece) || kb_fail(err, KB_E_IO, "nobody takes the file"));
}

/* Answers one request; false when the server is gone or speaks in tongues. */
static bool serve(const struct options *o, struct kb_arena *arena, bool may_help)
{
	struct kb_msg_request request;
	struct document d = { .fd = -1 };
	struct kb_parsed parsed = { 0 };
	struct kb_links links = { 0 };
	struct kb_sitemap list;
	struct kb_parse_input in;
	struct kb_doc doc;
	struct kb_buf drawing;
	struct kb_err err = { 0 };
	struct kb_msg msg;
	bool needs_helper = false, ok;

	if (!kb_msg_receive(KB_WORKER_SOCKET, arena, &(struct kb_msg_awaited){ .descriptor = true },
	                    &msg, &err)
	    || msg.type != KB_MSG_REQUEST || msg.passed < 0
	    || !kb_msg_get_request(msg.body, &request, &err))
		return false;
	d.fd = msg.passed;
	kb_doc_init(&doc, arena, (size_t)o->output_max);
	kb_buf_init(&drawing, KB_DRAWING_BYTES_MAX);
	doc.wants_insets = request.wants_insets;
	if (request.links)
		doc.links = &links;
	if (request.wants_parts)
		doc.sink = &to_server;
	errno = 0;
	ok = open_document(&d, arena, &err);
	if (ok) {
		in = (struct kb_parse_input){ .bytes = d.bytes,
			                      .filename = request.filename,
			                      .content_type = request.content_type,
			                      .url = request.url,
			                      .fd = d.fd,
			                      .timeout_ms = (int)request.timeout_ms,
			                      .wants_painted = request.wants_painted,
			                      .is_part = request.is_part,
			                      .painted = request.painted,
			                      .models = request.models,
			                      .look = request.look };
		if (request.wants_drawing)
			ok = kb_draw_page(&in, &drawing, may_help, &needs_helper, &err);
		else if (request.is_sitemap)
			ok = kb_sitemap_read(&in, arena, &list, &err);
		else if (request.password.n)
			ok = unlock(&request, d.bytes, arena, &err);
		else
			ok = kb_format_read(&in, &doc, may_help, &needs_helper, &err)
			     && kb_doc_done(&doc, &parsed, &err);
	}
	if (ok && request.wants_drawing)
		ok = send_drawing(kb_buf_view(&drawing));
	else if (ok && request.is_sitemap)
		ok = send_list(&list, (size_t)o->output_max);
	else if (needs_helper)
		ok = kb_msg_send(KB_WORKER_SOCKET, KB_MSG_HELPER, KB_SV(""), -1, 0, &err);
	else
		ok = ok ? send_result(&parsed, (size_t)o->output_max) : send_error(&err);
	kb_doc_fini(&doc);
	kb_buf_fini(&drawing);
	if (d.map)
		munmap(d.map, d.bytes.n);
	close(d.fd);
	return ok;
}

static bool say_hello(uint32_t layers, struct kb_sv problem)
{
	struct kb_msg_hello hello = { .layers = layers, .problem = problem };
	struct kb_buf body;
	struct kb_err ignored;
	bool ok;

	kb_buf_init(&body, KB_MSG_SMALL_MAX);
	kb_msg_put_hello(&body, &hello);
	ok = kb_msg_send(KB_WORKER_SOCKET, KB_MSG_HELLO, kb_buf_view(&body), -1, 0, &ignored);
	kb_buf_fini(&body);
	return ok;
}

/* Loads what libraries load on first use, while files can still be opened. */
static void warm_up(void)
{
	xmlInitParser();
	kb_charset_warm();
}

static bool enter_sandbox(const struct options *o, enum kb_sandbox_profile profile,
                          uint32_t *layers, struct kb_err *err)
{
	struct kb_sandbox_limits limits = { .memory_max = (size_t)o->memory_max,
		                            .cpu_s = (uint32_t)o->cpu_s,
		                            .files = KB_WORKER_FILES };

	return kb_sandbox_enter(profile, &limits, layers, err)
	       && kb_sandbox_filter(profile, layers, err);
}

int kb_parse_worker_main(int argc, char **argv)
{
	struct kb_arena arena = { 0 };
	struct options o;
	struct kb_err err = { 0 };
	uint32_t layers = 0;
	bool helped;

	if (argc > 2 && !strcmp(argv[1], "--role") && !strcmp(argv[2], KB_WORKER_EXEC))
		return kb_helper_exec(argv + 3);
	if (!read_options(argc, argv, &o))
		return 2;
	kb_sandbox_close_from(KB_WORKER_SOCKET + 1);
	helped = kb_sv_eq_str(o.role, KB_WORKER_HELPED);
	warm_up();
	prepare_last_word((size_t)o.memory_max);
	if (!enter_sandbox(&o, helped ? KB_SANDBOX_SPAWN : KB_SANDBOX_PURE, &layers, &err)
	    && !o.unsandboxed) {
		say_hello(layers, kb_sv_str(err.msg));
		return 1;
	}
	if (!say_hello(layers, KB_SV("")))
		return 1;
	while (serve(&o, &arena, helped) && !helped)
		kb_arena_reset(&arena);
	/* Not exit(): there is nothing to flush, and a sanitizer's leak check needs more calls. */
	_exit(0);
}
