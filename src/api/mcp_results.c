#include "api/mcp_results.h"

#include "api/session.h"
#include "base/utf8.h"

void kb_mcp_write_text(struct kb_mcp *mcp, struct kb_sv text)
{
	struct kb_jw *jw = &mcp->jw;

	kb_jw_object(jw);
	kb_jw_key_str(jw, "type", "text");
	kb_jw_key_sv(jw, "text", text);
	kb_jw_end(jw);
}

void kb_mcp_begin_content(struct kb_mcp *mcp, struct kb_sv text)
{
	kb_jw_key(&mcp->jw, "content");
	kb_jw_array(&mcp->jw);
	kb_mcp_write_text(mcp, text);
}

bool kb_mcp_refused(struct kb_mcp *mcp, struct kb_err *err)
{
	if (kb_err_info(err->code)->hide)
		return false;
	kb_mcp_begin_content(mcp, kb_arena_sv(mcp->call->arena, kb_sv_str(err->msg)));
	kb_jw_end(&mcp->jw);
	kb_jw_key_bool(&mcp->jw, "isError", true);
	return true;
}

/* ---- arguments ---- */

bool kb_mcp_need_text(const json_t *arguments, const char *name, struct kb_sv *out,
                      struct kb_err *err)
{
	*out = kb_sv_trim(kb_json_sv(arguments, name, KB_SV("")));
	if (!out->n)
		return kb_fail(err, KB_E_INVALID, "%s can't be empty", name);
	if (kb_utf8_count(*out) > KB_PROMPT_CHARS)
		return kb_fail(err, KB_E_INVALID, "%s has %zu characters, the limit is %d", name,
		               kb_utf8_count(*out), KB_PROMPT_CHARS);
	return true;
}

/* Models write numbers as texts, and with a point. */
static bool as_integer(const json_t *value, int64_t *out)
{
	double number = json_real_value(value);

	if (json_is_integer(value))
		*out = json_integer_value(value);
	else if (json_is_real(value) && number >= 0 && number <= INT32_MAX)
		*out = (int64_t)number;
	else
		return json_is_string(value)
		       && kb_sv_to_int(kb_sv_trim(kb_sv(json_string_value(value),
		                                        json_string_length(value))),
		                       INT64_MIN, INT64_MAX, out);
	return !json_is_real(value) || (double)*out == number;
}

bool kb_mcp_read_number(const json_t *arguments, const struct kb_mcp_number *is, int64_t *out,
                        struct kb_err *err)
{
	const json_t *value = kb_json_get(arguments, is->name);

	*out = is->otherwise;
	if ((!value || json_is_null(value)) && is->otherwise >= is->min)
		return true;
	if (value && as_integer(value, out) && *out >= is->min && *out <= is->max)
		return true;
	return kb_fail(err, KB_E_INVALID, "%s must be an integer from %" PRId64 " to %" PRId64,
	               is->name, is->min, is->max);
}
