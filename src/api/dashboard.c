/* The dashboard's pages and files. A page is an empty shell: what it shows, its script asks for. */
#include "api/routes.h"
#include "ui/ui.h"

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

/* Why a browser is shown no page: the word's name in web/words/visitor, and in English for who
 * runs no script. It is the same whether there is an agent at the address or not. */
static const struct lost {
	enum kb_errc code;
	const char *why, *words;
} losts[] = {
	{ KB_E_NOT_FOUND, "nothing",
	  "There is nothing here: the address may be mistyped, or it is no longer public." },
	{ KB_E_EXHAUSTED, "busy", "Too many people are asking just now. Try again in a moment." },
	{ KB_E_BUSY, "busy", "Too many people are asking just now. Try again in a moment." },
};

static const struct lost *lost_of(enum kb_errc code)
{
	for (size_t i = 0; i < KB_COUNTOF(losts); i++)
		if (losts[i].code == code)
			return &losts[i];
	return NULL;
}

bool kb_dashboard_lost(struct kb_call *call, enum kb_errc code, struct kb_response *out)
{
	/* Whoever asks these is a program, whatever it says that it takes. */
	static const char *const programs[] = { "/api/", "/public/", "/mcp", "/web/", "/chat/" };
	const struct kb_ui_file *file = kb_ui_find(KB_SV("lost.html"));
	const struct kb_request *req = call->req;
	const struct lost *lost = lost_of(code);
	struct kb_ui_slot slots[2];

	if (!file || !lost || !kb_sv_eq_str(req->method, "GET")
	    || kb_sv_find(kb_request_field(req, "accept"), KB_SV("text/html")) < 0)
		return false;
	for (size_t i = 0; i < KB_COUNTOF(programs); i++)
		if (kb_sv_starts(req->path, kb_sv_str(programs[i])))
			return false;
	slots[0] = (struct kb_ui_slot){ "why", kb_sv_str(lost->why) };
	slots[1] = (struct kb_ui_slot){ "words", kb_sv_str(lost->words) };
	/* In the frame of a site too: its agent may have been closed. */
	*out = kb_ui_lost(call->req, file, out->status, slots, KB_COUNTOF(slots), POLICY "*");
	return true;
}
