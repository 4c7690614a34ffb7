/* Files of a message, and the caller's context: read in the sandbox, searched with the agent's own
 * documents for this one answer, and not kept. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "api/session.h"
#include "api/slots.h"
#include "api/upload.h"
#include "base/file.h"
#include "ingest/sight.h"
#include "parse/filename.h"
#include "parse/scans.h"
#include "settings/options.h"

enum {
	FILES_MAX = 10,
	TEXT_MAX = 4 << 20, /* bytes of text in all files of one message */
	WAIT_MS = 10000,    /* for a slot */
	TIMEOUT_MS = 15000, /* for one file, and for a page of it that is a picture */
	PAINTED_MAX = 4,    /* such pages of one file */
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

/* The files of one message in the making. */
struct reading {
	struct kb_call *call;
	struct kb_turn *turn;
	struct kb_slot_use use;
	struct kb_agent_options options;
	size_t bytes; /* of text, so far */
};

/* In a quick slot as long as it goes, then in a long one. */
static bool parse(struct reading *r, struct kb_parse_request *request, struct kb_parsed *out,
                  struct kb_err *err)
{
	struct kb_call *call = r->call;
	int64_t left_ms =
	        KB_SLOTS_QUICK_MS - (kb_clock_mono_us() - r->use.since_us) / INT64_C(1000);

	if (r->use.slot == KB_SLOT_QUICK && left_ms > 0) {
		request->timeout_ms = (int)left_ms;
		if (kb_parse(call->api->parser, call->arena, request, out, err))
			return true;
		if (err->code != KB_E_TIMEOUT)
			return false;
		if (lseek(request->fd, 0, SEEK_SET) != 0)
			return kb_fail_errno(err, "cannot read a file of the message");
	}
	if (r->use.slot == KB_SLOT_QUICK
	    && !kb_slots_lengthen(call->api->slots, WAIT_MS, &r->use, err))
		return false;
	request->timeout_ms = TIMEOUT_MS;
	return kb_parse(call->api->parser, call->arena, request, out, err);
}

/* As the agent's own pictures are read: by a model that sees, or by OCR. */
static bool scan(struct reading *r, const struct kb_parse_request *request, struct kb_parsed *out,
                 struct kb_err *err)
{
	struct kb_call *call = r->call;
	struct kb_scan scan = { .lang = r->turn->settings.chatbot_msg_lang,
		                .timeout_ms = TIMEOUT_MS };
	struct kb_sight sight;
	struct kb_err problem;
	bool ok;

	if (!kb_sight_is_wanted(&r->options))
		return kb_scans_read(call->api->parser, call->arena, request, &scan, out, err);
	kb_sight_init(&sight, &scan, call->api->parser,
	              kb_models_in(call->api->models, call->arena), &r->options, true);
	ok = kb_scans_read(call->api->parser, call->arena, request, &scan, out, err);
	if (sight.spent.model.n
	    && !kb_store_model_spent(call->api->store, call->agent.id, &sight.spent, &problem))
		kb_warn(&call->req->log, "a model's use is not counted agent=%" PRId64 " error=%s",
		        call->agent.id, problem.msg);
	kb_sight_fini(&sight);
	return ok;
}

/* What is painted: of a few pages, for whoever asks is waiting. */
static bool read_painted(struct reading *r, const struct kb_parse_request *request,
                         struct kb_parsed *out, struct kb_err *err)
{
	if (!out->painted_count)
		return true;
	if (out->painted_count > PAINTED_MAX)
		return kb_fail(err, KB_E_INVALID,
		               "it has %zu scanned pages, a file of a message may have %d; upload "
		               "it to the agent instead",
		               out->painted_count, PAINTED_MAX);
	if (r->use.slot == KB_SLOT_QUICK
	    && !kb_slots_lengthen(r->call->api->slots, WAIT_MS, &r->use, err))
		return false;
	return scan(r, request, out, err);
}

static bool read_file(struct reading *r, const struct kb_api_input *input, struct kb_err *err)
{
	struct kb_call *call = r->call;
	bool file = input->kind == KB_INPUT_FILE;
	struct kb_sv name = file ? kb_filename_clean(call->arena, input->file->filename)
	                         : KB_SV("document.txt");
	struct kb_parse_request request = {
		.fd = -1,
		.filename = name,
		.content_type = file ? input->file->content_type : KB_SV("text/plain"),
		.owner = call->agent.account_id,
		.wants_painted = r->options.is_ocr_enabled || r->options.is_vision_enabled,
	};
	struct kb_parsed parsed;
	bool ok = open_part(input, &request.fd, err) && parse(r, &request, &parsed, err)
	          && read_painted(r, &request, &parsed, err);

	kb_fd_close(&request.fd);
	if (!ok)
		return refuse(name, err);
	for (size_t i = 0; i < parsed.block_count; i++)
		r->bytes += parsed.blocks[i].text.n;
	if (r->bytes > TEXT_MAX)
		return kb_fail(err, KB_E_INVALID,
		               "the files of the message hold more than %d bytes of text, the "
		               "limit; upload them to the agent instead",
		               TEXT_MAX);
	return kb_attached_add(r->turn->attached, call->arena, name, &parsed, err)
	       || refuse(name, err);
}

static bool read_files(struct kb_call *call, struct kb_turn *turn, const struct kb_uploads *files,
                       struct kb_err *err)
{
	struct reading r = { .call = call, .turn = turn };
	bool ok;

	if (files->count > FILES_MAX)
		return kb_fail(err, KB_E_INVALID, "the message has %zu files, the limit is %d",
		               files->count, FILES_MAX);
	kb_agent_options_read(call->arena, call->agent.options, &call->req->log, &r.options);
	r.options.is_anonymized |= turn->masked; /* the child that answers may anonymise */
	ok = kb_slots_take(call->api->slots, call->agent.account_id, WAIT_MS, &r.use, err);
	if (ok) {
		for (size_t i = 0; ok && i < files->count; i++)
			ok = read_file(&r, files->v[i], err);
		kb_slots_give(call->api->slots, &r.use);
	}
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
