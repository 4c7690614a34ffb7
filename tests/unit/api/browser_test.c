/* Which browser a User-Agent field names. */
#include "api/browser.h"
#include "test.h"

static const struct {
	const char *name, *agent, *want;
} cases[] = {
	{ "nothing", "", NULL },
	{ "a program", "curl/7.88.1", NULL },
	{ "a program that names a browser", "bot (like Chrome/126.0)", NULL },
	{ "Firefox", "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0",
	  "Firefox" },
	{ "Chrome, which calls itself Safari too",
	  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
	  "Chrome/126.0.0.0 Safari/537.36",
	  "Chrome" },
	{ "Edge, which calls itself Chrome too",
	  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
	  "Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0",
	  "Edge" },
	{ "Safari",
	  "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 (KHTML, like Gecko) "
	  "Version/17.5 Safari/605.1.15",
	  "Safari" },
	{ "Chrome on a telephone without Chrome's engine",
	  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, "
	  "like "
	  "Gecko) CriOS/126.0.0.0 Mobile/15E148 Safari/604.1",
	  "Chrome" },
	{ "the first Edge", "Mozilla/5.0 (Windows NT 10.0) Chrome/64.0 Safari/537.36 Edge/17.17134",
	  "Edge" },
	{ "an old one", "Mozilla/5.0 (Windows NT 6.1; Trident/7.0; rv:11.0) like Gecko",
	  "Internet Explorer" },
	{ "no browser we know", "Mozilla/5.0 (compatible; SomeBot/2.1)", NULL },
};

static void test_names(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		const char *got = kb_browser_name(kb_sv_str(cases[i].agent));

		t->row = cases[i].name;
		CHECK_SV(t, kb_sv_str(got ? got : "none"), cases[i].want ? cases[i].want : "none");
	}
	t->row = NULL;
}

int main(int argc, char **argv)
{
	static const struct kb_test_case tests[] = {
		{ "a browser is what it names first of those it pretends to be", test_names },
	};

	return kb_test_main(argc, argv, tests, KB_COUNTOF(tests));
}
