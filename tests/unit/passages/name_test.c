/* The words of a name or an address that a document is found by. */
#include "passages/name.h"

#include "test.h"

static const struct {
	const char *title, *name, *want;
} names[] = {
	{ "Document1", "holiday-policy-2024.docx", "holiday policy 2024" },
	{ "Holiday Policy", "holiday-policy-2024.docx", "2024" },
	{ "holiday-policy.txt", "holiday-policy.txt", "" },
	{ "Installing Python", "install_python.md", "" },
	{ "Notes", "release 1.2.10.txt", "release 1.2.10" },
	{ "Notes", "release-v1.2", "release v1.2" },
	{ "Menu", "Speisekarte für März.pdf", "Speisekarte für März" },
	{ "Plan", "計画書.pdf", "計画書" },
	{ "Scan", "0f8fad5b-d9cb-469f-a165-70867728950e.pdf", "d9cb 469f a165" },
	{ "Scan", "2024-01-31.pdf", "" },
	{ "Scan", "invoice 2024-01-31.pdf", "invoice 2024 01 31" },
	{ "Scan", "invoice invoice INVOICE.pdf", "invoice" },
	{ "Dump", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.bin", "" },
	{ "T", "a b c d e f g h i j k l m n", "a b c d e f g h i j k l" },
	{ "T", ".htaccess", "htaccess" },
	{ "T", "...", "" },
	{ "T", "", "" },
	{ "", "budget.xlsx", "budget" },
};

static const struct {
	const char *title, *url, *want;
} addresses[] = {
	{ "Acme", "https://acme.example/en/pricing", "pricing" },
	{ "Acme", "https://acme.example/en/pricing/", "pricing" },
	{ "Acme", "https://acme.example/en/pricing/index.html?a=/b#c/d", "pricing" },
	{ "Acme", "https://acme.example/terms-of-use.html", "terms of use" },
	{ "Acme", "https://acme.example/", "" },
	{ "Acme", "https://acme.example", "" },
	{ "Acme", "https://acme.example?q=/x", "" },
	{ "Acme", "https://acme.example/%C3%BCber-uns", "über uns" },
	{ "Acme", "https://acme.example/100%25%zz", "100 25 zz" },
};

static void check(struct kb_test *t, bool address, const char *title, const char *name,
                  const char *want)
{
	struct kb_arena arena = { 0 };
	struct kb_sv a = kb_sv_str(title), b = kb_sv_str(name);

	t->row = name;
	CHECK_SV(t, address ? kb_address_words(&arena, a, b) : kb_name_words(&arena, a, b), want);
	kb_arena_fini(&arena);
}

static void test_names(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(names); i++)
		check(t, false, names[i].title, names[i].name, names[i].want);
}

static void test_addresses(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(addresses); i++)
		check(t, true, addresses[i].title, addresses[i].url, addresses[i].want);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "the words of a file's name that the title lacks", test_names },
		{ "the last part of an address", test_addresses },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
