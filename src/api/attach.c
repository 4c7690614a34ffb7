/* Files of a message, and the caller's context: read in the sandbox, searched with the agent's own
 * documents for this one answer, and not kept. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "api/session.h"
#include "api/upload.h"
#include "base/file.h"
#include "parse/filename.h"

enum {
	FILES_MAX = 10,
	TEXT_MAX = 4 << 20, /* bytes of text in all files of one message */
	AT_ONCE = 4,        /* messages whose files are read at the same time */
	TIMEOUT_MS = 15000, /* for one file */
	RETRY_AFTER_S = 1,
};

static void fini(void *arg)
{
	kb_attached_fini(arg);
}

/* A part without a file name has its bytes in memory. */
static bool open_part(const struct kb_input *input, int *fd, struct kb_err *err)
{
	if (input->kind == KB_INPUT_FILE && input->file->path) {
		*fd = open(input->file->path, O_RDONLY | O_CLOEXEC);
		return *fd >= 0 || kb_fail_errno(err, "cannot open a file of the message");
	}
	*fd = memfd_create("attached", MFD_CLOEXEC);
	if (*fd < 0)
		return kb_fail_errno(err, "cannot keep a file of the message in memory");
	if (!kb_fd_write_all(*fd, input->text, "a file of the message", err))
		return false;
	return lseek(*fd, 0, SEEK_SET) == 0
	       || kb_fail_errno(err, "cannot read a file of the message");
}

/* Whatever is wrong with a file is wrong with the request. */
static bool refuse(struct kb_sv name, struct kb_err *err)
{
	struct kb_err why = *err;

	if (why.code != KB_E_INVALID && why.code != KB_E_TOO_LARGE && why.code != KB_E_TIMEOUT)
		return false;
	return kb_fail(err, KB_E_INVALID, "%.*s: %s", KB_SV_ARG(kb_sv_sub(name, 0, 120)), why.msg);
}

static bool read_file(struct kb_call *call, struct kb_attached *attached,
                      const struct kb_input *input, size_t *bytes, struct kb_err *err)
{
	bool file = input->kind == KB_INPUT_FILE;
	struct kb_sv name = file ? kb_filename_clean(call->arena, input->file->filename)
	                         : KB_SV("document.txt");
	struct kb_parsed parsed;
	int fd = -1;
	bool ok = open_part(input, &fd, err)
	          && kb_parse(call->api->parser, call->arena,
	                      &(struct kb_parse_request){
	                              .fd = fd,
	                              .filename = name,
	                              .content_type = file ? input->file->content_type
	                                                   : KB_SV("text/plain"),
	                              .timeout_ms = TIMEOUT_MS,
	                              .owner = call->agent.account_id,
	                      },
	                      &parsed, err);

	kb_fd_close(&fd);
	if (!ok)
		return refuse(name, err);
	for (size_t i = 0; i < parsed.block_count; i++)
		*bytes += parsed.blocks[i].text.n;
	if (*bytes > TEXT_MAX)
		return kb_fail(err, KB_E_INVALID,
		               "the files of the message hold more than %d bytes of text, the "
		               "limit; upload them to the agent instead",
		               TEXT_MAX);
	return kb_attached_add(attached, call->arena, name, &parsed, err) || refuse(name, err);
}

static bool read_files(struct kb_call *call, struct kb_attached *attached,
                       const struct kb_uploads *files, struct kb_err *err)
{
	size_t bytes = 0;
	bool ok = true;

	if (files->count > FILES_MAX)
		return kb_fail(err, KB_E_INVALID, "the message has %zu files, the limit is %d",
		               files->count, FILES_MAX);
	if (atomic_fetch_add(&call->api->attaching, 1) >= AT_ONCE) {
		call->retry_after_s = RETRY_AFTER_S;
		ok = kb_fail(err, KB_E_EXHAUSTED,
		             "Too Many Requests: the files of %d messages are being read", AT_ONCE);
	}
	for (size_t i = 0; ok && i < files->count; i++)
		ok = read_file(call, attached, files->v[i], &bytes, err);
	atomic_fetch_sub(&call->api->attaching, 1);
	return ok;
}

bool kb_turn_attach(struct kb_call *call, struct kb_turn *turn, struct kb_err *err)
{
	struct kb_uploads files = { 0 };

	if (turn->own_settings)
		kb_uploads_find(call, &files);
	if (files.count == 0 && turn->context.n == 0)
		return true;
	turn->attached = KB_NEW(call->arena, struct kb_attached);
	turn->attached->masked = turn->masked;
	kb_arena_on_fini(call->arena, fini, turn->attached);
	if (files.count && !read_files(call, turn->attached, &files, err))
		return false;
	kb_attached_add_text(turn->attached, call->arena, turn->context);
	return kb_attached_done(turn->attached, call->api->temp_dir, err);
}
