/* What is masked in a prompt, and what is not. Example addresses and numbers are the reserved ones
 * (RFC 2606, RFC 5737, RFC 3849, Ofcom's drama numbers, the networks' test cards). */
#include "answer/mask.h"

#include <stdlib.h>
#include <time.h>

#include "test.h"

// clang-format off
static const struct {
	const char *name, *text, *want;
} rows[] = {
	{ "no details", "How long may I return goods?", "How long may I return goods?" },
	{ "empty", "", "" },
	{ "an address", "I am bob@example.com", "I am [email]" },
	{ "an address at a sentence's end", "Write to bob@example.com.", "Write to [email]." },
	{ "an address in brackets", "Bob <b.o-b+x@mail.example.co.uk>!", "Bob <[email]>!" },
	{ "a mailto link", "mailto:bob@example.org?x=1", "mailto:[email]?x=1" },
	{ "two addresses", "a@example.com,b@example.com", "[email],[email]" },
	{ "letters beyond ASCII", "jörg@bücher.example", "[email]" },
	{ "an at sign is no address", "meet @ noon, user@localhost, @name", "meet @ noon, user@localhost, @name" },
	{ "an international number", "call +49 30 1234567 now", "call [phone] now" },
	{ "with a zero in brackets", "+44 (0)20 7946 0958", "[phone]" },
	{ "in one piece", "+12025550143", "[phone]" },
	{ "a national number", "020 7946 0958?", "[phone]?" },
	{ "French groups", "06 12 34 56 78", "[phone]" },
	{ "a German number", "Tel. 030/12345678", "Tel. [phone]" },
	{ "American groups", "(202) 555-0143", "[phone]" },
	{ "American groups with points", "202.555.0143 ok", "[phone] ok" },
	{ "a toll-free number", "1-800-555-0199", "[phone]" },
	{ "a test card", "my card 4111 1111 1111 1111 fails", "my card [card] fails" },
	{ "a card in one piece", "4111111111111111", "[card]" },
	{ "a card with dashes", "5555-5555-5555-4444", "[card]" },
	{ "fifteen digits", "378282246310005", "[card]" },
	{ "a card beside a number", "4111 1111 1111 1111 12/29", "[card] 12/29" },
	{ "a wrong check digit", "4111 1111 1111 1112", "4111 1111 1111 1112" },
	{ "a bank account", "IBAN DE89 3704 0044 0532 0130 00 please", "IBAN [account] please" },
	{ "a bank account in one piece", "GB82WEST12345698765432", "[account]" },
	{ "in small letters", "gb82west12345698765432", "[account]" },
	{ "a wrong bank account", "DE88370400440532013000", "DE88370400440532013000" },
	{ "a social security number", "123-45-6789", "[id]" },
	{ "an IPv4 address", "from 192.0.2.17:8080", "from [ip]:8080" },
	{ "an IPv4 address at a sentence's end", "It is 192.0.2.17.", "It is [ip]." },
	{ "an IPv6 address", "ping 2001:db8::1 fails", "ping [ip] fails" },
	{ "the loopback address", "[::1]:80", "[[ip]]:80" },
	{ "a full IPv6 address", "2001:db8:0:0:0:0:2:1", "[ip]" },
	{ "a scope operator", "std::vector and Abc::def", "std::vector and Abc::def" },
	{ "a time", "at 12:30:45", "at 12:30:45" },
	{ "a version", "release 12.4.1 or v1.2.3.4", "release 12.4.1 or v1.2.3.4" },
	{ "out of range", "256.1.1.1 and 1.2.3.4.5", "256.1.1.1 and 1.2.3.4.5" },
	{ "dates", "2024-01-15, 15.01.2024, 01/15/2024 10:30", "2024-01-15, 15.01.2024, 01/15/2024 10:30" },
	{ "a date before a number", "2024-01-15 020 7946 0958", "2024-01-15 [phone]" },
	{ "an amount", "1,234,567.89 or 0.123456789", "1,234,567.89 or 0.123456789" },
	{ "a part number", "AB-0123-456789 and #0123456789", "AB-0123-456789 and #0123456789" },
	{ "a code", "ERR-4012 in 12.4.1", "ERR-4012 in 12.4.1" },
	{ "ten digits in one piece", "order 2025550143", "order 2025550143" },
	{ "years", "1914 1918 1939 1945", "1914 1918 1939 1945" },
	{ "a full-width sign", "bob\xef\xbc\xa0" "example.com", "[email]" },
	{ "full-width letters, sign and stop", "mail \xef\xbd\x82\xef\xbd\x8f\xef\xbd\x82\xef\xbc\xa0\xef\xbd\x85\xef\xbd\x98\xef\xbc\x8e\xef\xbd\x83\xef\xbd\x8f\xef\xbd\x8d!", "mail [email]!" },
	{ "an ideographic stop", "bob@example\xe3\x80\x82" "com", "[email]" },
	{ "full-width digits", "\xef\xbc\x94" "111 1111 1111 111\xef\xbc\x91 ok", "[card] ok" },
	{ "a zero-width space in an address", "bo\xe2\x80\x8b" "b@exa\xe2\x80\x8bmple.com", "[email]" },
	{ "a zero-width space in a card", "4111\xe2\x80\x8b 1111 1111 1111", "[card]" },
	{ "what is wide and no detail stays as it is", "\xef\xbc\xa1\xef\xbc\xa0\xe2\x80\x8b \xe3\x80\x82", "\xef\xbc\xa1\xef\xbc\xa0\xe2\x80\x8b \xe3\x80\x82" },
	{ "an address spelt out", "write to joe (at) example dot com please", "write to [email] please" },
	{ "without blanks", "joe(at)example(dot)com", "[email]" },
	{ "in other brackets", "joe [AT] mail.example [dot] org.", "[email]." },
	{ "the sign in brackets", "joe(@)example.com", "[email]" },
	{ "a name of two parts", "joe dot smith at example dot co dot uk", "[email]" },
	{ "only the dot is spelt", "joe@example dot com", "[email]" },
	{ "in German", "anna (\xc3\xa4t) beispiel punkt de", "[email]" },
	{ "a word between its neighbours is no sign", "look at the dot matrix printer at home", "look at the dot matrix printer at home" },
	{ "an address of the web is none", "I looked at example.com yesterday", "I looked at example.com yesterday" },
	{ "a price at a shop", "five (at) most, or 3 at once", "five (at) most, or 3 at once" },
	{ "an account and a sort code", "account 12345678, sort code 20-00-00", "account [account], sort code [account]" },
	{ "with words between", "My account number is: 12345678.", "My account number is: [account]." },
	{ "in groups", "account no. 1234 5678 90 is mine", "account no. [account] is mine" },
	{ "with the word behind it", "12345678 is my account number", "[account] is my account number" },
	{ "in German", "Konto 1234567890, BLZ 370 400 44", "Konto [account], BLZ [account]" },
	{ "a long word", "meine Kontonummer lautet 532013000", "meine Kontonummer lautet [account]" },
	{ "in French", "compte num\xc3\xa9ro 00012345678", "compte num\xc3\xa9ro [account]" },
	{ "a routing number", "routing number 021000021", "routing number [account]" },
	{ "a bank account without its letters", "IBAN 370400440532013000", "IBAN [account]" },
	{ "an order", "order 12345678 and invoice 20-00-00", "order 12345678 and invoice 20-00-00" },
	{ "an account of the books", "account 4400", "account 4400" },
	{ "on account of", "on account of 100000 users", "on account of 100000 users" },
	{ "an account's manager", "account manager 12345678", "account manager 12345678" },
	{ "an account's day", "account since 2024-01-15, account 2024-01-15", "account since 2024-01-15, account 2024-01-15" },
	{ "a sort that is no code", "sort 200000 rows by code 200000", "sort 200000 rows by code 200000" },
	{ "a number and a count", "account 12345678 20 times", "account [account] 20 times" },
	{ "bad bytes stay", "\xff\xfe a@example.com \xc2", "\xff\xfe [email] \xc2" },
};
// clang-format on

static void test_rows(struct kb_test *t)
{
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		t->row = rows[i].name;
		CHECK_SV(t, kb_mask(&arena, kb_sv_str(rows[i].text)), rows[i].want);
		/* A mask masks nothing of what an earlier one left. */
		CHECK_SV(t, kb_mask(&arena, kb_sv_str(rows[i].want)), rows[i].want);
	}
	t->row = NULL;
	kb_arena_fini(&arena);
}

/* Any cut of any row, in memory that ends with it. */
static void test_cuts(struct kb_test *t)
{
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(rows); i++)
		for (size_t n = 1; n <= strlen(rows[i].text); n++) {
			char *exact = kb_xmalloc(n);

			memcpy(exact, rows[i].text, n);
			CHECK(t, kb_mask(&arena, kb_sv(exact, n)).n <= 3 * n + 16);
			free(exact);
		}
	kb_arena_fini(&arena);
}

/* Processor time that the first n bytes take. */
static double seconds_for(const char *text, size_t n)
{
	struct kb_arena arena = { 0 };
	struct timespec from, to;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	kb_mask(&arena, kb_sv(text, n));
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	kb_arena_fini(&arena);
	return (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

/* Sixteen times the text may take a hundred times as long; squares would take 256 times. */
static void test_linear(struct kb_test *t)
{
	static const char *const hard[] = { "a.",
		                            "1 ",
		                            "1",
		                            "0-",
		                            "a",
		                            "+",
		                            "(",
		                            "a@",
		                            "1:",
		                            ":",
		                            "DE89 ",
		                            "account no is ",
		                            "a dot ",
		                            "a (at) b dot ",
		                            "\xef\xbc\xa0",
		                            "account 1 ",
		                            "a at b.c" };
	enum { BYTES = 1 << 20, PART = BYTES / 16 };
	char *text;

	if (KB_TEST_UNDER_SANITIZER)
		return; /* its own work, which grows otherwise, is what would be timed */
	text = kb_xmalloc(BYTES);
	for (size_t i = 0; i < KB_COUNTOF(hard); i++) {
		size_t n = strlen(hard[i]);

		t->row = hard[i];
		for (size_t k = 0; k < BYTES; k++)
			text[k] = hard[i][k % n];
		CHECK(t, seconds_for(text, BYTES) < 100 * (seconds_for(text, PART) + .0005));
	}
	free(text);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "details are masked, other numbers stay", test_rows },
		{ "a text may end anywhere", test_cuts },
		{ "the time for a pattern grows with its length", test_linear },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
