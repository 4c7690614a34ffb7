#include "api/browser.h"

/* A browser names itself and those that it wants to be taken for: the first row that fits is what
 * it is. Safari names no product of its own but the version. */
static const struct {
	const char *word, *name;
} browsers[] = {
	{ "EdgA/", "Edge" },
	{ "EdgiOS/", "Edge" },
	{ "Edge/", "Edge" },
	{ "Edg/", "Edge" },
	{ "OPR/", "Opera" },
	{ "Opera", "Opera" },
	{ "SamsungBrowser/", "Samsung Internet" },
	{ "YaBrowser/", "Yandex Browser" },
	{ "Vivaldi/", "Vivaldi" },
	{ "DuckDuckGo/", "DuckDuckGo" },
	{ "FxiOS/", "Firefox" },
	{ "Firefox/", "Firefox" },
	{ "CriOS/", "Chrome" },
	{ "HeadlessChrome/", "Chrome" },
	{ "Chromium/", "Chromium" },
	{ "Chrome/", "Chrome" },
	{ "MSIE ", "Internet Explorer" },
	{ "Trident/", "Internet Explorer" },
	{ "Version/", "Safari" },
};

const char *kb_browser_name(struct kb_sv user_agent)
{
	if (!kb_sv_starts(user_agent, KB_SV("Mozilla/"))
	    && !kb_sv_starts(user_agent, KB_SV("Opera/")))
		return NULL;
	for (size_t i = 0; i < KB_COUNTOF(browsers); i++)
		if (kb_sv_find(user_agent, kb_sv_str(browsers[i].word)) >= 0)
			return browsers[i].name;
	return NULL;
}
