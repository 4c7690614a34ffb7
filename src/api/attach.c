/* Files of a message, and the caller's context: read in the sandbox, searched with the agent's own
 * documents for this one answer, and not kept. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "api/session.h"
#include "api/slots.h"
#include "api/upload.h"
#include "base/file.h"
#include "parse/filename.h"
#include "parse/scans.h"
#include "settings/options.h"

enum {
	FILES_MAX = 10,
	TEXT_MAX = 4 << 20, /* bytes of text in all files of one message */
	WAIT_MS = 10000,    /* for a slot */
	TIMEOUT_MS = 15000, /* for one file, and for a page of it that is a picture */
	PAINTED_MAX = 4,    /* such pages of one file */
	RETRY_AFTER_S = 1,
};

static void fini(void *arg)
{
	kb_attached_fini(arg);
}

/* A part without a file name has its bytes in memory. */
static bool open_part(const struct kb_api_input *input, int *fd, struct kb_err *err)
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

/* In a quick slot as long as it goes, then in a long one. */
static bool parse(struct kb_call *call, struct kb_slot_use *use, struct kb_parse_request *request,
                  struct kb_parsed *out, struct kb_err *err)
{
	int64_t left_ms = KB_SLOTS_QUICK_MS - (kb_clock_mono_us() - use->since_us) / INT64_C(1000);

	if (use->slot == KB_SLOT_QUICK && left_ms > 0) {
		request->timeout_ms = (int)left_ms;
		if (kb_parse(call->api->parser, call->arena, request, out, err))
			return true;
		if (err->code != KB_E_TIMEOUT)
			return false;
		if (lseek(request->fd, 0, SEEK_SET) != 0)
			return kb_fail_errno(err, "cannot read a file of the message");
	}
	if (use->slot == KB_SLOT_QUICK && !kb_slots_lengthen(call->api->slots, WAIT_MS, use, err))
		return false;
	request->timeout_ms = TIMEOUT_MS;
	return kb_parse(call->api->parser, call->arena, request, out, err);
}

/* Words in pictures: of a few pages, for whoever asks is waiting. */
static bool read_painted(struct kb_call *call, struct kb_slot_use *use,
                         const struct kb_parse_request *request, struct kb_sv lang,
                         struct kb_parsed *out, struct kb_err *err)
{
	struct kb_scan scan = { .lang = lang, .timeout_ms = TIMEOUT_MS };

	if (out->painted_count > PAINTED_MAX)
		return kb_fail(err, KB_E_INVALID,
		               "it has %zu scanned pages, a file of a message may have %d; upload "
		               "it to the agent instead",
		               out->painted_count, PAINTED_MAX);
	if (out->painted_count && use->slot == KB_SLOT_QUICK
	    && !kb_slots_lengthen(call->api->slots, WAIT_MS, use, err))
		return false;
	return kb_scans_read(call->api->parser, call->arena, request, &scan, out, err);
}

static bool read_file(struct kb_call *call, struct kb_slot_use *use, struct kb_turn *turn,
                      const struct kb_api_input *input, size_t *bytes, struct kb_err *err)
{
	bool file = input->kind == KB_INPUT_FILE;
	struct kb_sv name = file ? kb_filename_clean(call->arena, input->file->filename)
	                         : KB_SV("document.txt");
	struct kb_parse_request request = {
		.fd = -1,
		.filename = name,
		.content_type = file ? input->file->content_type : KB_SV("text/plain"),
		.owner = call->agent.account_id,
	};
	struct kb_agent_options options;
	struct kb_parsed parsed;
	bool ok;

	kb_agent_options_read(call->arena, call->agent.options, &call->req->log, &options);
	request.wants_painted = options.is_ocr_enabled || options.is_vision_enabled;
	ok = open_part(input, &request.fd, err) && parse(call, use, &request, &parsed, err)
	     && read_painted(call, use, &request, turn->settings.chatbot_msg_lang, &parsed, err);

	kb_fd_close(&request.fd);
	if (!ok)
		return refuse(name, err);
	for (size_t i = 0; i < parsed.block_count; i++)
		*bytes += parsed.blocks[i].text.n;
	if (*bytes > TEXT_MAX)
		return kb_fail(err, KB_E_INVALID,
		               "the files of the message hold more than %d bytes of text, the "
		               "limit; upload them to the agent instead",
		               TEXT_MAX);
	return kb_attached_add(turn->attached, call->arena, name, &parsed, err)
	       || refuse(name, err);
}

static bool read_files(struct kb_call *call, struct kb_turn *turn, const struct kb_uploads *files,
                       struct kb_err *err)
{
	struct kb_slot_use use;
	size_t bytes = 0;
	bool ok;

	if (files->count > FILES_MAX)
		return kb_fail(err, KB_E_INVALID, "the message has %zu files, the limit is %d",
		               files->count, FILES_MAX);
	ok = kb_slots_take(call->api->slots, call->agent.account_id, WAIT_MS, &use, err);
	if (ok) {
		for (size_t i = 0; ok && i < files->count; i++)
			ok = read_file(call, &use, turn, files->v[i], &bytes, err);
		kb_slots_give(call->api->slots, &use);
	}
	if (!ok && err->code == KB_E_EXHAUSTED)
		call->retry_after_s = RETRY_AFTER_S;
	return ok;
}

bool kb_turn_attach(struct kb_call *call, struct kb_turn *turn, struct kb_err *err)
{
	struct kb_uploads files = { 0 };

	if (turn->takes_files)
		kb_uploads_find(call, &files);
	if (files.count == 0 && turn->context.n == 0)
		return true;
	turn->attached = KB_NEW(call->arena, struct kb_attached);
	turn->attached->masked = turn->masked;
	kb_arena_on_fini(call->arena, fini, turn->attached);
	if (files.count && !read_files(call, turn, &files, err))
		return false;
	kb_attached_add_text(turn->attached, call->arena, turn->context);
	return kb_attached_done(turn->attached, call->api->temp_dir, err);
}
