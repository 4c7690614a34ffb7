#include "crawl/shell.h"

#include <string.h>

enum {
	/* Bytes of text in words of its own, without blanks. */
	ROOT_MAX = 12,    /* in a root that is as good as empty */
	ROOT_WAITS = 160, /* in one that says it waits, or wants JavaScript */
	BESIDE_MAX = 1500,
	ASKED_MAX = 400,    /* of a page that asks for JavaScript */
	EMPTY_MAX = 32,     /* of one without any other mark */
	CONSENT_MAX = 4000, /* of what asks about cookies; more is a page with an odd class */
	HOLES_MIN = 2,      /* of templates */
	SAID_MAX = 400,     /* of a root's text, for its words */
};

/* ---- what stands for what ---- */

/* The elements in which frameworks mount what they write. */
static const char *const root_ids[] = {
	"root",      "app",         "__next",         "__nuxt",        "___gatsby",  "__layout",
	"svelte",    "q-app",       "app-root",       "approot",       "react-root", "reactroot",
	"react-app", "reactapp",    "vue-app",        "vueapp",        "spa",        "main-app",
	"mainapp",   "application", "app-mount",      "app-container", "mount",      "mountpoint",
	"ember-app", "elm-app",     "flutter",        "blazor-app",    "page-root",  "root-app",
	"wix-app",   "app-wrapper", "container-root",
};

/* Words in the id or class of what asks about cookies. */
static const char *const consent_words[] = {
	"cookie",       "consent", "gdpr", "ccpa",  "onetrust", "didomi",
	"usercentrics", "cky-",    "cmp-", "cmplz", "qc-cmp",
};

/* Elements around the content. */
static const char *const frame_tags[] = { "nav", "header", "footer", "aside", "dialog" };
static const char *const frame_roles[] = { "navigation", "banner",      "contentinfo",
	                                   "dialog",     "alertdialog", "search" };

/* What is inside them is no text of the page, up to their end tag. */
static const char *const raw_tags[] = {
	"script", "style",  "template", "svg",    "textarea", "title", "select",
	"button", "iframe", "object",   "canvas", "video",    "audio", "math",
};
static const char *const void_tags[] = {
	"area",  "base", "br",   "col",    "embed", "hr",  "img",
	"input", "link", "meta", "source", "track", "wbr",
};
/* Braces in these are meant to be read. */
static const char *const code_tags[] = { "pre", "code" };

/* Types of scripts that do nothing. */
static const char *const data_types[] = { "json",    "template",  "importmap", "speculationrules",
	                                  "text/x-", "text/html", "text/plain" };

/* What a root says that waits, in the languages we have met. */
static const char *const waiting_words[] = {
	"loading",    "please wait", "javascript", "laden", "lädt", "chargement", "cargando",
	"carregando", "caricamento", "загрузка",   "读取",  "加载", "読み込み",   "로딩",
};

/* Attributes of templates that a script fills in. */
static const char *const template_attributes[] = {
	"ng-app", "data-ng-app", "ng-controller", "ng-repeat", "ng-cloak", "v-cloak",
	"v-if",   "v-for",       "v-text",        "v-html",    "x-cloak",
};

/* Attributes and elements in which a framework puts what belongs to an address. */
static const char *const outlets[] = { "ng-view",      "data-ng-view",  "ui-view",
	                               "data-ui-view", "router-outlet", "router-view" };

static bool is_one_of(struct kb_sv word, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (kb_sv_ieq_str(word, list[i]))
			return true;
	return false;
}

static bool has_word(struct kb_sv text, struct kb_sv word)
{
	for (size_t i = 0; i + word.n <= text.n; i++)
		if (kb_sv_istarts(kb_sv_from(text, i), word))
			return true;
	return false;
}

static bool has_one_of(struct kb_sv text, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (has_word(text, kb_sv_str(list[i])))
			return true;
	return false;
}
#define IS_ONE_OF(word, list)  is_one_of(word, list, KB_COUNTOF(list))
#define HAS_ONE_OF(text, list) has_one_of(text, list, KB_COUNTOF(list))

/* ---- the markup ---- */

struct tag {
	struct kb_sv name, id, class_name, role, type;
	bool closes; /* </x> */
	bool is_hidden, is_template, is_outlet;
};

/* An element that is open until as many of its name have ended as have begun in it. */
struct region {
	struct kb_sv name; /* empty: none is */
	size_t depth;
};

struct page {
	struct kb_sv rest;
	struct region frame, consent, root, code;
	size_t roots;
	size_t in_root, beside, in_consent; /* bytes of text that is no frame's */
	char said[SAID_MAX];                /* in roots */
	size_t said_n;
	size_t holes; /* {{ … }} in the text */
	bool has_script, wants_scripts, has_templates;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The first n bytes of the rest, which begins behind them. */
static struct kb_sv take(struct page *p, size_t n)
{
	struct kb_sv taken = kb_sv_sub(p->rest, 0, n);

	p->rest = kb_sv_from(p->rest, taken.n);
	return taken;
}

static void skip_blanks(struct page *p)
{
	size_t n = 0;

	while (n < p->rest.n && (is_blank(p->rest.p[n]) || p->rest.p[n] == '/'))
		n++;
	take(p, n);
}

static struct kb_sv take_name(struct page *p)
{
	size_t n = 0;

	while (n < p->rest.n && !is_blank(p->rest.p[n]) && p->rest.p[n] != '>'
	       && p->rest.p[n] != '/' && p->rest.p[n] != '=')
		n++;
	return take(p, n);
}

static struct kb_sv take_value(struct page *p)
{
	size_t n = 0;
	char quote;

	take(p, 1); /* = */
	skip_blanks(p);
	quote = p->rest.n ? p->rest.p[0] : '\0';
	if (quote == '"' || quote == '\'') {
		struct kb_sv value;
		ptrdiff_t end;

		take(p, 1);
		end = kb_sv_find_byte(p->rest, quote);
		value = take(p, end < 0 ? p->rest.n : (size_t)end);
		take(p, 1);
		return value;
	}
	while (n < p->rest.n && !is_blank(p->rest.p[n]) && p->rest.p[n] != '>')
		n++;
	return take(p, n);
}

static void take_attribute(struct page *p, struct tag *tag)
{
	const struct {
		const char *name;
		struct kb_sv *value;
	} wanted[] = { { "id", &tag->id },
		       { "class", &tag->class_name },
		       { "role", &tag->role },
		       { "type", &tag->type } };
	struct kb_sv name = take_name(p), value = { 0 };

	skip_blanks(p);
	if (p->rest.n && p->rest.p[0] == '=')
		value = take_value(p);
	else if (name.n == 0)
		take(p, 1); /* whatever it is */
	for (size_t i = 0; i < KB_COUNTOF(wanted); i++)
		if (kb_sv_ieq_str(name, wanted[i].name))
			*wanted[i].value = value;
	tag->is_hidden |= kb_sv_ieq_str(name, "hidden");
	tag->is_template |= IS_ONE_OF(name, template_attributes);
	tag->is_outlet |= IS_ONE_OF(name, outlets);
}

/* The rest begins with '<'. False: that is no tag, and was passed over. */
static bool take_tag(struct page *p, struct tag *tag)
{
	struct kb_sv comment = KB_SV("<!--");
	ptrdiff_t end;

	*tag = (struct tag){ 0 };
	if (kb_sv_starts(p->rest, comment)) {
		end = kb_sv_find(p->rest, KB_SV("-->"));
		take(p, end < 0 ? p->rest.n : (size_t)end + 3);
		return false;
	}
	take(p, 1);
	tag->closes = p->rest.n && p->rest.p[0] == '/';
	if (tag->closes)
		take(p, 1);
	if (p->rest.n == 0
	    || !(is_letter(p->rest.p[0]) || p->rest.p[0] == '!' || p->rest.p[0] == '?'))
		return false;
	tag->name = take_name(p);
	for (skip_blanks(p); p->rest.n && p->rest.p[0] != '>'; skip_blanks(p))
		take_attribute(p, tag);
	take(p, 1);
	return true;
}

/* The text up to the element's end tag. */
static struct kb_sv take_raw(struct page *p, struct kb_sv name)
{
	struct kb_sv at = p->rest;
	ptrdiff_t next;

	while ((next = kb_sv_find(at, KB_SV("</"))) >= 0) {
		at = kb_sv_from(at, (size_t)next + 2);
		if (kb_sv_istarts(at, name))
			break;
	}
	return take(p, next < 0 ? p->rest.n : p->rest.n - at.n - 2);
}

/* ---- what is said where ---- */

static void enter(struct region *region, const struct tag *tag, bool is_such)
{
	if (region->name.n) {
		if (kb_sv_ieq(tag->name, region->name))
			region->depth++;
	} else if (is_such) {
		*region = (struct region){ .name = tag->name, .depth = 1 };
	}
}

static void leave(struct region *region, const struct tag *tag)
{
	if (region->name.n && kb_sv_ieq(tag->name, region->name) && --region->depth == 0)
		region->name = KB_SV("");
}

static bool is_frame(const struct tag *tag)
{
	return tag->is_hidden || IS_ONE_OF(tag->name, frame_tags)
	       || IS_ONE_OF(tag->role, frame_roles);
}

static bool is_consent(const struct tag *tag)
{
	/* The whole page is none, whatever its class says. */
	return !kb_sv_ieq_str(tag->name, "body") && !kb_sv_ieq_str(tag->name, "html")
	       && (HAS_ONE_OF(tag->id, consent_words)
	           || HAS_ONE_OF(tag->class_name, consent_words));
}

/* An element of a name of its own that is an application: <app-root>, <shop-app>. */
static bool is_root(const struct tag *tag)
{
	return tag->is_outlet || IS_ONE_OF(tag->name, outlets) || IS_ONE_OF(tag->id, root_ids)
	       || kb_sv_ieq_str(tag->name, "main") || kb_sv_ieq_str(tag->role, "main")
	       || kb_sv_istarts(tag->name, KB_SV("app-")) || kb_sv_ends(tag->name, KB_SV("-root"))
	       || kb_sv_ends(tag->name, KB_SV("-app"));
}

static void hear_text(struct page *p, struct kb_sv text)
{
	bool in_root = p->root.name.n > 0, in_code = p->code.name.n > 0;
	size_t n = 0;

	if (p->frame.name.n)
		return;
	for (size_t i = 0; i < text.n; i++) {
		n += !is_blank(text.p[i]);
		if (in_root && p->said_n < sizeof(p->said))
			p->said[p->said_n++] = text.p[i];
		p->holes += !in_code && i && text.p[i] == '{' && text.p[i - 1] == '{';
	}
	*(p->consent.name.n ? &p->in_consent : in_root ? &p->in_root : &p->beside) += n;
}

static void hear_tag(struct page *p, const struct tag *tag)
{
	const struct {
		struct region *region;
		bool is_such;
	} regions[] = { { &p->frame, is_frame(tag) },
		        { &p->consent, is_consent(tag) },
		        { &p->root, is_root(tag) },
		        { &p->code, IS_ONE_OF(tag->name, code_tags) } };

	p->has_templates |= tag->is_template;
	if (!tag->closes && kb_sv_ieq_str(tag->name, "script"))
		p->has_script |= !HAS_ONE_OF(tag->type, data_types);
	if (!tag->closes && kb_sv_ieq_str(tag->name, "noscript")) {
		p->wants_scripts |= has_word(take_raw(p, tag->name), KB_SV("javascript"));
		return;
	}
	if (!tag->closes && IS_ONE_OF(tag->name, raw_tags)) {
		take_raw(p, tag->name);
		return;
	}
	if (IS_ONE_OF(tag->name, void_tags))
		return;
	p->roots += !tag->closes && !p->root.name.n && is_root(tag);
	for (size_t i = 0; i < KB_COUNTOF(regions); i++)
		if (tag->closes)
			leave(regions[i].region, tag);
		else
			enter(regions[i].region, tag, regions[i].is_such);
}

static void read_page(struct page *p)
{
	while (p->rest.n) {
		ptrdiff_t next = kb_sv_find_byte(p->rest, '<');
		struct tag tag;

		hear_text(p, take(p, next < 0 ? p->rest.n : (size_t)next));
		if (p->rest.n && take_tag(p, &tag))
			hear_tag(p, &tag);
	}
}

/* ---- the judgement ---- */

/* What stands in its roots is nothing, or says that there will be something. */
static bool has_empty_root(const struct page *p)
{
	return p->roots
	       && (p->in_root <= ROOT_MAX
	           || (p->in_root <= ROOT_WAITS
	               && HAS_ONE_OF(kb_sv(p->said, p->said_n), waiting_words)));
}

bool kb_page_is_shell(struct kb_sv html, bool has_text)
{
	struct page p = { .rest = html };
	size_t text;

	read_page(&p);
	if (p.in_consent > CONSENT_MAX)
		p.beside += p.in_consent;
	text = p.in_root + p.beside;
	if (!p.has_script || !has_text)
		return p.has_script;
	return (has_empty_root(&p) && p.beside <= BESIDE_MAX)
	       || (p.has_templates && p.holes >= HOLES_MIN)
	       || (p.wants_scripts && text <= ASKED_MAX) || text <= EMPTY_MAX;
}
