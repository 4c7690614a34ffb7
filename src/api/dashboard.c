/* The dashboard's pages and files. A page is an empty shell: what it shows, its script asks for. */
#include "api/routes.h"
#include "web/ui.h"

/* Nothing inline, nothing foreign, in nobody's frame; text never becomes a script. */
#define POLICY                                                                                     \
	"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "            \
	"img-src 'self' data:; font-src 'self'; frame-src 'self'; base-uri 'none'; "               \
	"form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

bool kb_dashboard_shell(struct kb_call *call, struct kb_err *err)
{
	const struct kb_ui_file *file = kb_ui_find(KB_SV("index.html"));

	if (!file)
		return kb_fail(err, KB_E_NOT_FOUND, "This build of the service has no dashboard");
	kb_ui_respond(call->req, file, POLICY);
	return true;
}

bool kb_dashboard_file(struct kb_call *call, struct kb_err *err)
{
	const struct kb_ui_file *file = kb_ui_find(call->req->params[0]);

	if (!file)
		return kb_fail(err, KB_E_NOT_FOUND, "There is no such file");
	kb_ui_respond(call->req, file, NULL);
	return true;
}
