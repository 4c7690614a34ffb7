/* What a browser says through its pipe, which holds whatever a page wants to: each message is a
 * tree, or the end. The first byte says in what pieces it comes. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "crawl/devtools.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PIPE_MAX = 64 << 10 }; /* it takes so much without a reader */

struct source {
	struct kb_sv rest;
	size_t piece;
	int fd;
};

/* A piece comes whenever the reader looks whether it may go on. */
static bool feed(void *arg, struct kb_err *err)
{
	struct source *source = arg;
	struct kb_sv piece = kb_sv_sub(source->rest, 0, source->piece);

	(void)err;
	KB_ASSERT(!piece.n || write(source->fd, piece.p, piece.n) == (ssize_t)piece.n);
	source->rest = kb_sv_from(source->rest, piece.n);
	if (!source->rest.n && source->fd >= 0) {
		close(source->fd);
		source->fd = -1;
	}
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_arena arena = { 0 };
	struct kb_devtools tools;
	struct source source;
	struct kb_err err = { 0 };
	json_t *message;
	size_t messages = 0, ends = 0;
	int fds[2];

	if (size < 2 || size > PIPE_MAX || pipe2(fds, O_CLOEXEC))
		return 0;
	source = (struct source){ kb_sv((const char *)data + 1, size - 1), 1 + data[0] * 7u,
		                  fds[1] };
	for (size_t i = 1; i < size; i++)
		ends += data[i] == 0;
	kb_devtools_init(&tools, -1, fds[0]);
	tools.goes_on = feed;
	tools.arg = &source;
	while (kb_devtools_next(&tools, &arena, &message, &err)) {
		KB_ASSERT(message && ++messages <= ends);
		(void)kb_json_int(message, "id", 0);
		KB_ASSERT(kb_json_sv(message, "method", KB_SV("")).n <= size);
		kb_arena_reset(&arena);
	}
	KB_ASSERT(err.code == KB_E_UPSTREAM);
	kb_devtools_fini(&tools);
	if (source.fd >= 0)
		close(source.fd);
	close(fds[0]);
	kb_arena_fini(&arena);
	return 0;
}
