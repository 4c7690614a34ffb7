/* Pictures of a question, as chat client libraries send them: parts of the type image_url. */
#include <sys/mman.h>
#include <unistd.h>

#include "api/session.h"
#include "api/slots.h"
#include "base/file.h"
#include "ingest/sight.h"
#include "settings/options.h"
#include "upstream/picture.h"

enum {
	PICTURES_MAX = 5, /* of a question */
	WAIT_MS = 10000,  /* for a slot */
	TIMEOUT_MS = 15000,
};

bool kb_turn_may_show(struct kb_call *call)
{
	const struct kb_model *model =
	        kb_model_of_kind(kb_models_in(call->api->models, call->arena), KB_MODEL_VISION);

	return model && model->line;
}

bool kb_turn_add_picture(struct kb_call *call, struct kb_turn *turn, const json_t *part,
                         struct kb_err *err)
{
	struct kb_sv *pictures = KB_NEW_ARRAY(call->arena, PICTURES_MAX, struct kb_sv);
	struct kb_sv given = kb_json_sv(kb_json_get(part, "image_url"), "url", KB_SV("")), bytes;

	if (turn->image_count == PICTURES_MAX)
		return kb_fail(err, KB_E_INVALID, "a message may hold %d pictures", PICTURES_MAX);
	for (size_t i = 0; i < turn->image_count; i++)
		pictures[i] = turn->images[i];
	turn->images = pictures;
	/* Written anew: what is sent on is what was looked at. */
	return kb_picture_bytes(call->arena, given, &bytes, err)
	       && kb_picture_address(call->arena, bytes, &pictures[turn->image_count++], err);
}

static bool shrink(struct kb_call *call, struct kb_sv *address, struct kb_err *err)
{
	struct kb_parse_request request = {
		.fd = memfd_create("picture", MFD_CLOEXEC),
		.timeout_ms = TIMEOUT_MS,
		.owner = call->agent.account_id,
		.look = { .page_no = 1, .side = KB_SIGHT_SIDE_SMALL },
	};
	struct kb_sv bytes;
	bool ok = request.fd >= 0
	          || kb_fail_errno(err, "cannot keep a picture of the message in memory");

	ok = ok && kb_picture_bytes(call->arena, *address, &bytes, err)
	     && kb_fd_write_all(request.fd, bytes, "a picture of the message", err)
	     && kb_sight_draw(call->api->parser, call->arena, &request, address, err);
	kb_fd_close(&request.fd);
	return ok;
}

bool kb_turn_show_pictures(struct kb_call *call, struct kb_turn *turn, struct kb_err *err)
{
	struct kb_sv *pictures =
	        kb_arena_copy(call->arena, turn->images, turn->image_count * sizeof(*pictures));
	struct kb_agent_options options;
	struct kb_slot_use use;
	bool ok;

	if (turn->image_count && turn->masked)
		return kb_fail(err, KB_E_INVALID,
		               "pictures of an agent with is_anonymized are shown to no model: "
		               "what they hold cannot be masked");
	kb_agent_options_read(call->arena, turn->agent->options, &call->req->log, &options);
	if (!turn->image_count || !options.is_vision_compress_image)
		return true;
	ok = kb_slots_take(call->api->slots, call->agent.account_id, WAIT_MS, &use, err);
	if (!ok)
		return false;
	for (size_t i = 0; ok && i < turn->image_count; i++)
		ok = shrink(call, &pictures[i], err);
	kb_slots_give(call->api->slots, &use);
	turn->images = pictures;
	return ok;
}
