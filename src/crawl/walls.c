#include "crawl/walls.h"

/* All that is named has to be there. Words that readers see stand beside a mark that no author
 * writes, so that a page about walls is none. */
static const struct {
	const char *who, *marks[3];
} walls[] = {
	{ "Cloudflare", { "<title>Just a moment...</title>", "challenge-platform" } },
	{ "Cloudflare", { "<title>Attention Required! | Cloudflare</title>", "cf-error-details" } },
	{ "Cloudflare", { "id=\"challenge-form\"", "__cf_chl_" } },
	{ "DataDome", { "captcha-delivery.com", "var dd={" } },
	{ "PerimeterX", { "id=\"px-captcha\"", "_pxAppId" } },
	{ "Imperva", { "/_Incapsula_Resource?", "Incapsula incident ID" } },
	{ "Imperva", { "<title>Pardon Our Interruption</title>" } },
	{ "Akamai", { "<TITLE>Access Denied</TITLE>", "Reference&#32;&#35;" } },
	{ "AWS WAF", { "awsWafCookieDomainList", "gokuProps" } },
	{ "Sucuri", { "Sucuri Website Firewall", "sucuri-firewall-block" } },
	{ "DDoS-Guard", { "<title>DDOS-GUARD</title>" } },
	{ "SiteGround", { "/.well-known/sgcaptcha/", "http-equiv=\"refresh\"" } },
	{ "Anubis", { "<title>Making sure you&#39;re not a bot!</title>", "anubis_challenge" } },
	{ "Vercel", { "<title>Vercel Security Checkpoint</title>" } },
};

const char *kb_wall_of_page(struct kb_sv head)
{
	for (size_t i = 0; i < KB_COUNTOF(walls); i++) {
		bool all = true;

		for (size_t j = 0; all && j < KB_COUNTOF(walls[i].marks) && walls[i].marks[j]; j++)
			all = kb_sv_find(head, kb_sv_str(walls[i].marks[j])) >= 0;
		if (all)
			return walls[i].who;
	}
	return NULL;
}
