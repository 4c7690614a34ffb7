/*
 * What a public agent shows to everybody: its page, the frame that stands within other sites, and
 * the script that puts it there.
 *
 * A page holds what visitors may know of the settings as JSON, which no policy takes for a script;
 * the rest its script asks for (talks.c). It may stand in frames of the sites that the agent lists.
 */
#include <stdio.h>
#include <string.h>

#include "answer/persona.h"
#include "api/routes.h"
#include "api/visitor.h"
#include "base/hash.h"
#include "store/pages.h"
#include "ui/ui.h"

enum { PAGE_MAX = 1 << 20 };

#define POLICY                                                                                     \
	"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "            \
	"img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; "             \
	"require-trusted-types-for 'script'; frame-ancestors "

/* ---- who may show it ---- */

static struct kb_sv policy(struct kb_call *call, const struct kb_settings *settings)
{
	const struct kb_sv_list *sites = &settings->allowed_domains_for_embedding;
	struct kb_buf buf;
	struct kb_sv out;

	if (sites->count == 0)
		return kb_arena_printf(call->arena, "%s*", POLICY);
	kb_buf_init(&buf, PAGE_MAX);
	kb_buf_str(&buf, POLICY "'self'");
	for (size_t i = 0; i < sites->count; i++)
		kb_buf_printf(&buf, " %.*s%s", KB_SV_ARG(sites->v[i]),
		              kb_sv_find_byte(sites->v[i], ':') < 0 ? ":*" : "");
	out = kb_arena_sv(call->arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

static bool is_framed(const struct kb_call *call)
{
	struct kb_sv dest = kb_request_field(call->req, "sec-fetch-dest");

	return kb_sv_eq_str(dest, "iframe") || kb_sv_eq_str(dest, "frame");
}

/* The site around the frame, as its browser names it when the frame is loaded. */
static struct kb_sv site_around(struct kb_call *call)
{
	struct kb_sv referer = kb_request_field(call->req, "referer");

	return is_framed(call) && referer.n ? kb_visitor_origin(referer) : KB_SV("");
}

static bool is_welcome(struct kb_call *call, const struct kb_settings *settings)
{
	struct kb_sv site = site_around(call);

	return !is_framed(call) || kb_visitor_site_allowed(settings, site)
	       || kb_sv_eq(site, kb_call_base_url(call));
}

/* ---- the settings in the page ---- */

static struct kb_sv image_url(void *arg, const char *field, struct kb_sv image)
{
	struct kb_call *call = arg;

	(void)field;
	return kb_asset_url(call->arena, KB_SV(""), call->agent.id, image);
}

/* The agents that a visitor of a master may choose among. */
static bool write_children(struct kb_call *call, struct kb_jw *jw,
                           const struct kb_settings *settings, struct kb_err *err)
{
	size_t count = 0;
	const int64_t *ids = NULL;

	if (call->agent.is_master && settings->master_project_user_agent_switching_enabled)
		ids = kb_agent_children(call->arena, &call->agent, &count);
	kb_jw_key(jw, "children");
	kb_jw_array(jw);
	for (size_t i = 0; i < count; i++) {
		struct kb_settings own;
		struct kb_agent child;

		if (!kb_store_agent_get(call->api->store, call->arena, call->agent.account_id,
		                        ids[i], &child, err)) {
			if (err->code == KB_E_NOT_FOUND) /* deleted meanwhile */
				continue;
			return false;
		}
		if (!kb_settings_read(call->arena, child.settings, &own, err))
			return false;
		kb_jw_object(jw);
		kb_jw_key_int(jw, "id", child.id);
		kb_jw_key_sv(jw, "name", child.name);
		kb_jw_key_opt(jw, "avatar",
		              own.chat_bot_avatar.n ? kb_asset_url(call->arena, KB_SV(""), child.id,
		                                                   own.chat_bot_avatar)
		                                    : (struct kb_sv){ 0 });
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
	return true;
}

/* What a page is about: where it stands and which of its faces is wanted. */
struct page {
	const char *surface; /* NULL: it is a stored talk */
	struct kb_sv site, share;
};

static bool write_settings(struct kb_call *call, struct kb_jw *jw, const struct page *page,
                           const struct kb_settings *settings, struct kb_err *err)
{
	struct kb_sv persona;

	kb_jw_object(jw);
	kb_jw_key_sv(jw, "slug", call->agent.shareable_slug);
	kb_jw_key_sv(jw, "name", call->agent.name);
	kb_jw_key_str(jw, "surface", page->surface);
	kb_jw_key_sv(jw, "site", page->site);
	kb_jw_key_opt(jw, "share", page->share.n ? page->share : (struct kb_sv){ 0 });
	kb_jw_key_sv(jw, "lang", kb_text_lang(settings->chatbot_msg_lang));
	persona = kb_persona_name(call->arena, settings->persona_instructions.p
	                                               ? settings->persona_instructions
	                                               : KB_SV(""));
	kb_jw_key_opt(jw, "persona", persona.n ? persona : (struct kb_sv){ 0 });
	kb_jw_key_int(jw, "keep_days", kb_settings_keep_days(settings));
	kb_jw_key(jw, "look");
	kb_jw_object(jw);
	kb_settings_write_visible(settings,
	                          &(struct kb_image_urls){ .url = image_url, .arg = call }, jw);
	kb_jw_end(jw);
	if (!write_children(call, jw, settings, err))
		return false;
	kb_jw_end(jw);
	return true;
}

/* JSON that stands in a page: nothing in it ends the element around it. */
static struct kb_sv within_html(struct kb_arena *arena, struct kb_sv json)
{
	struct kb_buf buf;
	struct kb_sv out;

	kb_buf_init(&buf, 2 * PAGE_MAX);
	for (size_t i = 0; i < json.n; i++)
		if (json.p[i] == '<')
			kb_buf_str(&buf, "\\u003c");
		else
			kb_buf_byte(&buf, json.p[i]);
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

static struct kb_sv escaped(struct kb_arena *arena, struct kb_sv text)
{
	struct kb_buf buf;
	struct kb_sv out;

	kb_buf_init(&buf, PAGE_MAX);
	kb_html_text(&buf, text);
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

/* Languages whose lines run from right to left. */
static bool is_rtl(struct kb_sv lang)
{
	static const char *const codes[] = { "ar", "he", "fa", "ur", "ps", "sd", "ks" };

	for (size_t i = 0; i < KB_COUNTOF(codes); i++)
		if (kb_sv_eq_str(lang, codes[i]))
			return true;
	return false;
}

/* The tag that browsers know: of the code "cmn" it is "zh". */
static struct kb_sv html_lang(struct kb_sv code)
{
	if (kb_sv_eq_str(code, "cmn"))
		return KB_SV("zh");
	return code;
}

static bool respond_page(struct kb_call *call, const struct page *page,
                         const struct kb_settings *settings, struct kb_err *err)
{
	const struct kb_ui_file *file = kb_ui_find(KB_SV("visitor.html"));
	struct kb_sv title = settings->chatbot_title.n ? settings->chatbot_title : call->agent.name;
	struct kb_ui_slot slots[4];
	struct kb_response response;
	struct kb_buf buf;
	struct kb_jw jw;
	bool ok;

	if (!file)
		return kb_fail(err, KB_E_NOT_FOUND, "This build of the service has no pages");
	kb_buf_init(&buf, PAGE_MAX);
	kb_api_jw(call->api, &jw, &buf);
	jw.keys_as_they_are = true;
	ok = write_settings(call, &jw, page, settings, err);
	slots[0] = (struct kb_ui_slot){ "settings", within_html(call->arena, kb_buf_view(&buf)) };
	slots[1] = (struct kb_ui_slot){ "title", escaped(call->arena, title) };
	slots[2] = (struct kb_ui_slot){ "lang", html_lang(settings->chatbot_msg_lang) };
	slots[3] = (struct kb_ui_slot){ "dir", is_rtl(settings->chatbot_msg_lang) ? KB_SV("rtl")
		                                                                  : KB_SV("ltr") };
	kb_buf_fini(&buf);
	if (!ok)
		return false;
	response = kb_ui_page(call->req, file, slots, KB_COUNTOF(slots), policy(call, settings));
	kb_call_respond(call, &response);
	return true;
}

/* ---- pages ---- */

static bool closed(struct kb_err *err)
{
	return kb_fail(err, KB_E_NOT_FOUND, "There is no public agent at this address");
}

static bool show(struct kb_call *call, const char *surface, struct kb_err *err)
{
	struct kb_settings settings;

	if (!kb_call_settings(call, &call->agent, &settings, err))
		return false;
	if (!is_welcome(call, &settings))
		return closed(err); /* whether it is there is not that site's affair */
	return respond_page(call, &(struct page){ .surface = surface, .site = site_around(call) },
	                    &settings, err);
}

/* /projects/{projectId}/ask-me-anything?shareable_slug=… */
bool kb_public_page(struct kb_call *call, struct kb_err *err)
{
	struct kb_sv slug = kb_request_query(call->req, "shareable_slug");
	int64_t id;

	if (!kb_sv_to_int(call->req->params[0], 1, INT64_MAX, &id))
		return closed(err);
	if (!kb_store_agent_by_slug(call->api->store, call->arena, slug.p ? slug : KB_SV(""),
	                            &call->agent, err))
		return false;
	return call->agent.id == id ? show(call, is_framed(call) ? "iframe" : "ama", err)
	                            : closed(err);
}

/* /embed/{slug}?mode=float|inline|copilot, in a frame that widget.js makes. */
bool kb_public_frame(struct kb_call *call, struct kb_err *err)
{
	static const struct {
		const char *mode, *surface;
	} modes[] = { { "float", "livechat" }, { "inline", "iframe" }, { "copilot", "embed" } };
	struct kb_sv mode = kb_request_query(call->req, "mode");
	const char *surface = "livechat";

	for (size_t i = 0; i < KB_COUNTOF(modes); i++)
		if (kb_sv_eq_str(mode, modes[i].mode))
			surface = modes[i].surface;
	return kb_call_public_agent(call, err) && show(call, surface, err);
}

/* /c/{secret}: a talk that a visitor has shared, to be read. */
bool kb_public_shared(struct kb_call *call, struct kb_err *err)
{
	struct kb_settings settings;

	return kb_talks_find_shared(call, &settings, err)
	       && respond_page(call,
	                       &(struct page){ .site = KB_SV(""), .share = call->req->params[0] },
	                       &settings, err);
}

/* Ink for letters on that colour, as web/lib/colour.ts chooses it: by luminance. */
static const char *ink_on(struct kb_sv color)
{
	unsigned r = 0, g = 0, b = 0;
	bool is_short = color.n == 4 || color.n == 5;
	char text[10] = "";

	memcpy(text, color.p, KB_MIN(color.n, sizeof(text) - 1));
	if (is_short ? sscanf(text, "#%1x%1x%1x", &r, &g, &b) != 3
	             : sscanf(text, "#%2x%2x%2x", &r, &g, &b) != 3)
		return "#ffffff";
	/* Weights of the eye; the middle of what can be read in either ink. */
	return (2126 * r + 7152 * g + 722 * b) * (is_short ? 17 : 1) > 140 * 10000 ? "#171b19"
	                                                                           : "#ffffff";
}

static void write_launcher(struct kb_call *call, struct kb_jw *jw,
                           const struct kb_settings *settings)
{
	struct kb_sv color = settings->chatbot_color;
	struct kb_sv name = settings->chatbot_title.n ? settings->chatbot_title : call->agent.name;

	kb_jw_object(jw);
	kb_jw_key_sv(jw, "name", name);
	kb_jw_key_sv(jw, "color", color);
	kb_jw_key_str(jw, "ink", ink_on(color));
	kb_jw_key_sv(jw, "radius", settings->radius_styling);
	kb_jw_key_opt(jw, "avatar",
	              settings->chat_bot_avatar.n
	                      ? kb_asset_url(call->arena, kb_call_base_url(call), call->agent.id,
	                                     settings->chat_bot_avatar)
	                      : (struct kb_sv){ 0 });
	kb_jw_end(jw);
}

/* What the button on a foreign page looks like, as a script: a strict page may ask for nothing else
 * of ours. A site that may not show the agent gets a script that shows nothing, and tells the
 * site's maker why in the browser's console. */
bool kb_public_launcher(struct kb_call *call, struct kb_err *err)
{
	struct kb_sv site = kb_visitor_origin(kb_request_field(call->req, "referer"));
	struct kb_response response = {
		.status = 200,
		.content_type = "text/javascript; charset=utf-8",
		.fields = { { KB_SV("cache-control"), KB_SV("no-cache") },
		            { KB_SV("vary"), KB_SV("referer, accept-language") },
		            { KB_SV("cross-origin-resource-policy"), KB_SV("cross-origin") } },
	};
	struct kb_settings settings;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_call_public_agent(call, err)
	    || !kb_call_settings(call, &call->agent, &settings, err))
		return false;
	kb_buf_init(&buf, PAGE_MAX);
	if (kb_visitor_site_allowed(&settings, site)) {
		kb_buf_printf(&buf, "Docent.all[\"%.*s\"].dress(",
		              KB_SV_ARG(call->agent.shareable_slug));
		kb_jw_init(&jw, &buf);
		write_launcher(call, &jw, &settings);
		kb_buf_str(&buf, ");\n");
	} else {
		kb_buf_str(&buf, "console.warn(\"Docent: \" + ");
		kb_jw_init(&jw, &buf);
		kb_jw_sv(&jw, site.n ? site : KB_SV("a page without an address"));
		kb_buf_str(&buf,
		           " + \" is not among the sites that may show this agent: its owner lists"
		           " them at Share & embed\");\n");
	}
	return kb_call_respond_buf(call, &response, &buf, err);
}

bool kb_public_script(struct kb_call *call, struct kb_err *err)
{
	const struct kb_ui_file *file = kb_ui_find(KB_SV("widget.js"));
	struct kb_response response;

	if (!file)
		return kb_fail(err, KB_E_NOT_FOUND, "This build of the service has no widget");
	response = kb_ui_response(call->req, file, NULL);
	kb_call_respond(call, &response);
	return true;
}
