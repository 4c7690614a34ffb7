#include "api/completions_read.h"

#include <string.h>

#include "base/utf8.h"
#include "write/tokens.h"

enum { MESSAGES_MAX = 1000 };

/* ---- arguments that are not served ---- */

static bool is_other_text(const json_t *value)
{
	return json_is_string(value) && strcmp(json_string_value(value), "text") != 0;
}

static bool has_modality(const json_t *body, bool audio)
{
	const json_t *modalities = kb_json_get(body, "modalities");

	for (size_t i = 0; i < json_array_size(modalities); i++) {
		const json_t *item = json_array_get(modalities, i);

		if (is_other_text(item) && (strcmp(json_string_value(item), "audio") == 0) == audio)
			return true;
	}
	return false;
}

static bool wants_audio(const json_t *body)
{
	return json_is_object(kb_json_get(body, "audio")) || has_modality(body, true);
}

static bool wants_other_modality(const json_t *body)
{
	return has_modality(body, false);
}

/* "required", one tool by its name, or one of several that must be called. That tools are offered
 * demands nothing: "auto" and "none" are answered in words. */
static bool demands_tool(const json_t *body)
{
	const json_t *choice = kb_json_get(body, "tool_choice");
	struct kb_sv type = kb_json_sv(choice, "type", KB_SV(""));

	if (kb_sv_eq_str(type, "allowed_tools"))
		return kb_sv_eq_str(
		        kb_json_sv(kb_json_get(choice, "allowed_tools"), "mode", KB_SV("")),
		        "required");
	if (kb_sv_eq_str(type, "auto") || kb_sv_eq_str(type, "none"))
		return false;
	return json_is_object(choice)
	       || (json_is_string(choice) && strcmp(json_string_value(choice), "required") == 0);
}

static bool demands_function(const json_t *body)
{
	return json_is_object(kb_json_get(body, "function_call"));
}

static bool wants_many(const json_t *body)
{
	return kb_json_int(body, "n", 1) > 1;
}

static bool wants_logprobs(const json_t *body)
{
	return kb_json_bool(body, "logprobs", false);
}

static bool wants_format(const json_t *body)
{
	return is_other_text(kb_json_get(kb_json_get(body, "response_format"), "type"));
}

/* Libraries ask again after any 5xx, so what will never be served is the request's fault (400); the
 * specification names audio for 501. */
static const struct {
	bool (*is_asked)(const json_t *body);
	enum kb_errc code;
	const char *what;
} unserved[] = {
	{ wants_audio, KB_E_UNSUPPORTED, "audio is not yet supported" },
	{ demands_tool, KB_E_INVALID,
	  "a tool_choice that demands a call is not yet supported: no tools are called, and with "
	  "auto or none the answer comes in words" },
	{ demands_function, KB_E_INVALID,
	  "a function_call that demands a call is not yet supported: no functions are called, and "
	  "with auto or none the answer comes in words" },
	{ wants_many, KB_E_INVALID, "n above 1 is not yet supported: a question gets one answer" },
	{ wants_logprobs, KB_E_INVALID, "logprobs is not yet supported" },
	{ wants_format, KB_E_INVALID,
	  "response_format other than text is not yet supported: answers are sentences" },
	{ wants_other_modality, KB_E_INVALID, "modalities other than text is not yet supported" },
};

bool kb_completions_refuse_unserved(const json_t *body, struct kb_err *err)
{
	for (size_t i = 0; i < KB_COUNTOF(unserved); i++)
		if (unserved[i].is_asked(body))
			return kb_fail(err, unserved[i].code, "%s", unserved[i].what);
	return true;
}

/* ---- the messages ---- */

/* One part of a message's content. Pictures are refused where no model sees them. */
static bool read_part(struct kb_call *call, struct kb_turn *turn, const json_t *part,
                      struct kb_buf *text, struct kb_err *err)
{
	struct kb_sv type = kb_json_sv(part, "type", KB_SV("text"));

	if (kb_sv_eq_str(type, "image_url") && kb_turn_may_show(call))
		return kb_turn_add_picture(call, turn, part, err);
	if (!kb_sv_eq_str(type, "text"))
		return kb_fail(err, KB_E_INVALID, "content of type %.*s is not yet supported",
		               KB_SV_ARG(kb_sv_sub(type, 0, 40)));
	kb_buf_sv(text, kb_json_sv(part, "text", KB_SV("")));
	return true;
}

/* A message's content: a string, or parts: texts, which are joined, and pictures, which become the
 * turn's. */
static bool content_of(struct kb_call *call, struct kb_turn *turn, const json_t *message,
                       size_t index, struct kb_sv *out, struct kb_err *err)
{
	const json_t *content = kb_json_get(message, "content"), *part;
	struct kb_buf buf;
	bool ok = true;
	size_t i;

	*out = KB_SV("");
	if (!content || json_is_null(content))
		return true;
	if (json_is_string(content)) {
		*out = kb_sv(json_string_value(content), json_string_length(content));
		return true;
	}
	if (!json_is_array(content))
		return kb_fail(err, KB_E_INVALID, "messages[%zu].content must be a string", index);
	kb_buf_init(&buf, 1 << 20);
	json_array_foreach(content, i, part)
	{
		ok = read_part(call, turn, part, &buf, err);
		if (!ok)
			break;
	}
	*out = kb_arena_sv(call->arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return ok;
}

/* One more system message, wherever it stands. */
static bool add_wishes(struct kb_call *call, struct kb_turn *turn, struct kb_sv text,
                       struct kb_err *err)
{
	text = kb_sv_trim(text);
	if (!text.n)
		return true;
	if (turn->wishes.n)
		text = kb_arena_printf(call->arena, "%.*s\n\n%.*s", KB_SV_ARG(turn->wishes),
		                       KB_SV_ARG(text));
	turn->wishes = text;
	if (kb_utf8_count(text) <= KB_WISHES_CHARS)
		return true;
	return kb_fail(err, KB_E_INVALID,
	               "the system messages have %zu characters, the limit is %d",
	               kb_utf8_count(text), KB_WISHES_CHARS);
}

bool kb_completions_read_messages(struct kb_call *call, struct kb_turn *turn, int64_t *tokens,
                                  struct kb_err *err)
{
	const json_t *messages = kb_json_get(call->inputs.json, "messages"), *message;
	struct kb_sv *turns, *replies;
	size_t i, count = 0, pictures;

	*tokens = 0;
	if (!json_is_array(messages) || json_array_size(messages) == 0)
		return kb_fail(err, KB_E_INVALID,
		               "messages must be an array of at least one message");
	if (json_array_size(messages) > MESSAGES_MAX)
		return kb_fail(err, KB_E_INVALID, "messages holds %zu messages, the limit is %d",
		               json_array_size(messages), MESSAGES_MAX);
	turns = KB_NEW_ARRAY(call->arena, json_array_size(messages), struct kb_sv);
	replies = KB_NEW_ARRAY(call->arena, json_array_size(messages), struct kb_sv);
	json_array_foreach(messages, i, message)
	{
		struct kb_sv role = kb_json_sv(message, "role", KB_SV("")), text;

		/* What tools of the caller's have said is no part of the talk. */
		if (kb_sv_eq_str(role, "tool") || kb_sv_eq_str(role, "function"))
			continue;
		if (!kb_sv_eq_str(role, "user") && !kb_sv_eq_str(role, "assistant")
		    && !kb_sv_eq_str(role, "system") && !kb_sv_eq_str(role, "developer"))
			return kb_fail(err, KB_E_INVALID,
			               "messages[%zu].role must be system, user, assistant or tool",
			               i);
		/* Pictures of the last user message are the prompt's; others are not shown. */
		pictures = kb_sv_eq_str(role, "user") ? 0 : turn->image_count;
		turn->image_count = pictures;
		if (!content_of(call, turn, message, i, &text, err))
			return false;
		if (!kb_sv_eq_str(role, "user"))
			turn->image_count = pictures;
		*tokens += kb_tokens_count(text);
		if (kb_sv_eq_str(role, "user"))
			turns[count++] = text;
		else if (!kb_sv_eq_str(role, "assistant")) {
			if (!add_wishes(call, turn, text, err))
				return false;
		} else if (count && text.n) /* no call of a tool */
			replies[count - 1] = text;
	}
	if (count == 0 || kb_sv_trim(turns[count - 1]).n == 0)
		return kb_fail(err, KB_E_INVALID,
		               "messages must hold a user message that is not empty");
	turn->prompt = turns[--count];
	if (kb_utf8_count(turn->prompt) > KB_PROMPT_CHARS)
		return kb_fail(err, KB_E_INVALID,
		               "the last user message has %zu characters, the limit is %d",
		               kb_utf8_count(turn->prompt), KB_PROMPT_CHARS);
	if (count > KB_HISTORY_TURNS) {
		turns += count - KB_HISTORY_TURNS;
		replies += count - KB_HISTORY_TURNS;
		count = KB_HISTORY_TURNS;
	}
	turn->turns = turns;
	turn->replies = replies;
	turn->turn_count = count;
	return true;
}
