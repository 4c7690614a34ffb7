/* A document that is locked with a password: opened once, kept without it, and read. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "api/reasons.h"
#include "api/routes.h"
#include "base/file.h"
#include "base/temp.h"
#include "parse/parse.h"

enum { PASSWORD_CHARS = KB_PASSWORD_MAX / 4 };

/* The file that is being opened, as a child sends it. */
struct opened {
	char path[KB_TEMP_PATH];
	int fd;
	int64_t size;
	struct kb_err err;
};

static bool take(void *arg, const struct kb_part_piece *piece)
{
	struct opened *opened = arg;

	opened->size += (int64_t)piece->bytes.n;
	if (opened->size > (int64_t)KB_PARTS_BYTES_MAX)
		return kb_fail(&opened->err, KB_E_TOO_LARGE,
		               "the document has more than %zu MB without its password",
		               (size_t)(KB_PARTS_BYTES_MAX >> 20));
	return kb_fd_write_all(opened->fd, piece->bytes, "a document without its password",
	                       &opened->err);
}

static bool open_with(struct kb_call *call, const struct kb_page *page, struct kb_sv password,
                      struct opened *opened, struct kb_err *err)
{
	const struct kb_part_sink sink = { take, opened };
	struct kb_parse_request request = { .filename = page->filename,
		                            .content_type = page->content_type,
		                            .owner = call->agent.account_id,
		                            .password = password,
		                            .parts = &sink };
	int64_t size;
	bool ok;

	if (!kb_blob_open(call->api->blobs, kb_arena_str(call->arena, page->blob), &request.fd,
	                  &size, err))
		return false;
	ok = kb_parse_unlock(call->api->parser, call->arena, &request, err);
	kb_fd_close(&request.fd);
	if (!ok && opened->err.code != KB_OK)
		*err = opened->err;
	return ok;
}

/* The file without its password as a blob. */
static bool unlock(struct kb_call *call, const struct kb_page *page, struct kb_sv password,
                   struct kb_blob_name *blob, struct kb_err *err)
{
	struct opened opened = { .fd = -1 };
	int64_t size;
	bool ok;

	kb_temp_path(opened.path, call->api->temp_dir, KB_TEMP_PART);
	opened.fd = open(opened.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (opened.fd < 0)
		return kb_fail_errno(err, "keeping a document");
	ok = open_with(call, page, password, &opened, err);
	kb_fd_close(&opened.fd);
	ok = ok && kb_blob_take(call->api->blobs, opened.path, blob, &size, err)
	     && kb_store_page_swap(call->api->store,
	                           &(struct kb_page_swap){ .agent_id = call->agent.id,
	                                                   .id = page->id,
	                                                   .was = page->blob,
	                                                   .blob = kb_sv_str(blob->hex),
	                                                   .size = size },
	                           err);
	unlink(opened.path);
	return ok;
}

static bool is_locked(const struct kb_page *page)
{
	const char *code = kb_reason_of_document(page->reason).code;

	return page->is_ours && page->blob.n && page->index == KB_STATUS_FAILED && code
	       && strcmp(code, "locked") == 0;
}

bool kb_page_unlock(struct kb_call *call, struct kb_err *err)
{
	struct kb_sv password = KB_SV("");
	struct kb_blob_name blob;
	struct kb_page page;
	int64_t id;

	if (!kb_call_id(call, 1, "Page", &id, err)
	    || !kb_inputs_text(&call->inputs, call->arena, "password", PASSWORD_CHARS, &password,
	                       err))
		return false;
	if (!kb_store_page_get(call->api->store, call->arena, call->agent.id, id, &page, err))
		return false;
	if (!password.n)
		return kb_fail(err, KB_E_INVALID, "password can't be empty");
	if (!is_locked(&page))
		return kb_fail(err, KB_E_INVALID,
		               "the document is not locked with a password, or not kept");
	if (!unlock(call, &page, password, &blob, err))
		return false;
	kb_api_wake(call->api);
	return kb_call_reply_flag(call, 200, "updated", err);
}
