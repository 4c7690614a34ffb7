#include "cli/import_own.h"

#include <stdio.h>
#include <stdlib.h>

struct kb_sv kb_import_raw(struct kb_arena *arena, const json_t *value)
{
	char *text = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
	struct kb_sv out = kb_arena_sv(arena, kb_sv_str(text ? text : "null"));

	free(text);
	return out;
}

struct kb_sv kb_import_path(const struct kb_remote *remote, const json_t *value)
{
	struct kb_sv text = kb_sv(json_string_value(value), json_string_length(value));
	struct kb_sv url = kb_sv_str(remote->url);

	return kb_sv_starts(text, url) ? kb_sv_from(text, url.n) : text;
}

void kb_import_note(struct kb_importing *im, const char *fmt, ...)
{
	char text[600];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	kb_buf_printf(&im->notes, "  agent %" PRId64 ": %s\n", im->agent, text);
}

bool kb_import_refused(struct kb_importing *im, const char *what, const struct kb_err *why,
                       struct kb_err *err)
{
	if (why->code != KB_E_INVALID && why->code != KB_E_NOT_FOUND && why->code != KB_E_FORBIDDEN)
		return kb_fail(err, why->code, "agent %" PRId64 ", %s: %.300s", im->agent, what,
		               why->msg);
	kb_import_note(im, "%s: %.300s", what, why->msg);
	return true;
}
