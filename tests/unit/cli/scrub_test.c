/* What leaves the house holds no secret, and of a log only lines of the service's own. */
#include "cli/scrub.h"
#include "test.h"

static const struct kb_sv secrets[] = { KB_SV_INIT("hunter22"), KB_SV_INIT("x"), KB_SV_INIT("") };
static const struct kb_scrub scrub = { secrets, KB_COUNTOF(secrets) };

static void test_text(struct kb_test *t)
{
	static const struct {
		const char *name, *text, *want;
	} rows[] = {
		{ "plain text stays", "model answered took_ms=12", "model answered took_ms=12" },
		{ "a secret goes wherever it stands", "a hunter22,hunter22",
		  "a (removed),(removed)" },
		{ "too short a secret would take letters of words", "xylophone", "xylophone" },
		{ "a key goes, its id stays", "key 1000|abcdefghijklmnopqrstuvwx failed",
		  "key 1000|(removed) failed" },
		{ "a bar between short words is none", "1|two", "1|two" },
		{ "what a bearer shows", "authorization: Bearer abc.def x",
		  "authorization: Bearer (removed) x" },
		{ "name and password of an address", "postgresql://ann:pw@db/x?sslmode=no",
		  "postgresql://(removed)@db/x?(removed)" },
		{ "a query, up to the address's end", "see https://a.example/p?token=1&b=2 now",
		  "see https://a.example/p?(removed) now" },
		{ "within a text of JSON", "\\\"https://a.example/p?t=1\\\" b",
		  "\\\"https://a.example/p?(removed)\\\" b" },
		{ "a fragment", "\"https://a.example/#at\"", "\"https://a.example/#(removed)\"" },
		{ "an at sign in the path is no password", "https://a.example/@ann",
		  "https://a.example/@ann" },
		{ "a question mark elsewhere stays", "who? me", "who? me" },
		{ "an address at the very end", "s3://", "s3://" },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_buf out;

		t->row = rows[i].name;
		kb_buf_init(&out, 4096);
		kb_scrub(&scrub, kb_sv_str(rows[i].text), &out);
		CHECK_SV(t, kb_buf_view(&out), rows[i].want);
		kb_buf_fini(&out);
	}
}

static void test_log(struct kb_test *t)
{
	static const struct {
		const char *name, *text, *want;
	} rows[] = {
		{ "a line of ours stays",
		  "2026-11-27T22:13:27.267658Z info  document indexed id=1\n",
		  "2026-11-27T22:13:27.267658Z info  document indexed id=1\n" },
		{ "what a journal puts before it goes",
		  "Nov 27 host docent[7]: 2026-11-27T22:13:27.267658Z warn  slow\n",
		  "2026-11-27T22:13:27.267658Z warn  slow\n" },
		{ "an object of JSON",
		  "{\"time\":\"2026-11-27T22:13:27.267658Z\",\"level\":\"error\",\"message\":\"m\"}"
		  "\n",
		  "{\"time\":\"2026-11-27T22:13:27.267658Z\",\"level\":\"error\",\"message\":\"m\"}"
		  "\n" },
		{ "why a start failed, in a journal",
		  "Nov 27 host docent[7]: docent: /data is in use\n", "docent: /data is in use\n" },
		{ "words about docent: are none", "ask docent: what is it\n", "" },
		{ "debugging goes, it may hold words",
		  "2026-11-27T22:13:27.267658Z debug asked prompt=how\n", "" },
		{ "so does what others write", "the text of a document\n\n", "" },
		{ "the last line needs no end", "docent: panic at a.c:1: x",
		  "docent: panic at a.c:1: x\n" },
		{ "a mark at the beginning alone begins nothing", "Z info  x\n", "" },
		{ "secrets go from lines too", "2026-11-27T22:13:27.267658Z info  a hunter22 b\n",
		  "2026-11-27T22:13:27.267658Z info  a (removed) b\n" },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_buf out;

		t->row = rows[i].name;
		kb_buf_init(&out, 4096);
		kb_scrub_log(&scrub, kb_sv_str(rows[i].text), &out);
		CHECK_SV(t, kb_buf_view(&out), rows[i].want);
		kb_buf_fini(&out);
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "texts", test_text },
		{ "logs", test_log },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
