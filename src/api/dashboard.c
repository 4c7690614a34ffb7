/* The dashboard's pages and files. A page is an empty shell: what it shows, its script asks for. */
#include "api/routes.h"
#include "web/ui.h"

/* Nothing inline, nothing foreign, in nobody's frame; text never becomes a script. */
#define POLICY                                                                                     \
	"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "            \
	"img-src 'self' data:; font-src 'self'; frame-src 'self'; base-uri 'none'; "               \
	"form-action 'none'; require-trusted-types-for 'script'; frame-ancestors "

bool kb_dashboard_shell(struct kb_call *call, struct kb_err *err)
{
	const struct kb_ui_file *file = kb_ui_find(KB_SV("index.html"));
	struct kb_response response;

	if (!file)
		return kb_fail(err, KB_E_NOT_FOUND, "This build of the service has no dashboard");
	response = kb_ui_response(call->req, file, POLICY "'none'");
	kb_call_respond(call, &response);
	return true;
}

bool kb_dashboard_file(struct kb_call *call, struct kb_err *err)
{
	const struct kb_ui_file *file = kb_ui_find(call->req->params[0]);
	struct kb_response response;

	if (!file)
		return kb_fail(err, KB_E_NOT_FOUND, "There is no such file");
	response = kb_ui_response(call->req, file, NULL);
	kb_call_respond(call, &response);
	return true;
}

bool kb_dashboard_lost(struct kb_call *call, struct kb_response *out)
{
	/* Whoever asks these is a program, whatever it says that it takes. */
	static const char *const programs[] = { "/api/", "/public/", "/mcp", "/web/", "/chat/" };
	const struct kb_ui_file *file = kb_ui_find(KB_SV("lost.html"));
	const struct kb_request *req = call->req;

	if (!file || !kb_sv_eq_str(req->method, "GET")
	    || kb_sv_find(kb_request_field(req, "accept"), KB_SV("text/html")) < 0)
		return false;
	for (size_t i = 0; i < KB_COUNTOF(programs); i++)
		if (kb_sv_starts(req->path, kb_sv_str(programs[i])))
			return false;
	/* In the frame of a site too: its agent may have been closed. */
	*out = kb_ui_lost(file, POLICY "*");
	return true;
}
