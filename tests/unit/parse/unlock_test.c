/* Locked files, each opened by its passwords and by no other: alone, and by a real child. They are
 * those of tests/fixtures/locked, made by qpdf (PDF) and msoffcrypto (Word), and say the same. */
#include "parse/unlock.h"

#include "base/buf.h"
#include "base/file.h"
#include "fixture.h"
#include "test.h"

#define PASSWORD "schlüssel"

// clang-format off
static const struct row {
	const char *name, *file, *owner; /* the owner's password; NULL: there is none */
	const char *text;                /* that stands in what it becomes */
} cases[] = {
	{ "RC4 of 40 bits", "rc4-40.pdf", "owner", "(Goods are taken back within 30 days \\(with receipt\\).)" },
	{ "RC4 of 128 bits", "rc4-128.pdf", "owner", "(Goods are taken back within 30 days \\(with receipt\\).)" },
	{ "AES of 128 bits, streams of objects", "aes-128.pdf", "owner", "(Goods are taken back within 30 days \\(with receipt\\).)" },
	{ "AES of 256 bits, as Acrobat 9 had it", "aes-256-r5.pdf", "owner", "(Goods are taken back within 30 days \\(with receipt\\).)" },
	{ "AES of 256 bits, streams of objects", "aes-256.pdf", "owner", "(Goods are taken back within 30 days \\(with receipt\\).)" },
	{ "AES of 256 bits, one object after the other", "aes-256-flat.pdf", "owner", "(Goods are taken back within 30 days \\(with receipt\\).)" },
	{ "Word of today", "agile.docx", NULL, "word/document.xml" },
	{ "Word of 2007", "standard.docx", NULL, "word/document.xml" },
};
// clang-format on

static struct kb_sv read_locked(struct kb_test *t, struct kb_arena *arena, const char *file)
{
	struct kb_sv bytes = { 0 };
	struct kb_err err = { 0 };
	char path[256];

	snprintf(path, sizeof(path), "tests/fixtures/locked/%s", file);
	CHECK(t, kb_file_read(arena, path, KB_MIB(1), &bytes, &err));
	CHECK_SV(t, kb_sv_str(err.msg), "");
	return bytes;
}

static void check_opens(struct kb_test *t, const struct row *row, struct kb_sv bytes,
                        const char *password)
{
	struct kb_arena arena = { 0 };
	struct kb_err err = { 0 };
	struct kb_sv out = { 0 };

	CHECK(t, kb_unlock(&arena, bytes, kb_sv_str(password), &out, &err));
	CHECK_SV(t, kb_sv_str(err.msg), "");
	CHECK(t, kb_sv_find(out, kb_sv_str(row->text)) >= 0);
	CHECK(t, kb_sv_find(out, KB_SV("/Encrypt ")) < 0);
	if (row->owner)
		CHECK_INT(t, out.n, bytes.n);
	kb_arena_fini(&arena);
}

static void test_passwords(struct kb_test *t)
{
	static const char *const wrong[] = { "Schlüssel", "schlussel", "schlüssel ", "x" };

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_arena arena = { 0 };
		struct kb_sv bytes = read_locked(t, &arena, cases[i].file), out;

		t->row = cases[i].name;
		check_opens(t, &cases[i], bytes, PASSWORD);
		if (cases[i].owner)
			check_opens(t, &cases[i], bytes, cases[i].owner);
		for (size_t j = 0; j < KB_COUNTOF(wrong); j++) {
			struct kb_err err = { 0 };

			CHECK(t, !kb_unlock(&arena, bytes, kb_sv_str(wrong[j]), &out, &err));
			CHECK_INT(t, err.code, KB_E_INVALID);
			CHECK_SV(t, kb_sv_str(err.msg), "that is not the document's password");
		}
		kb_arena_fini(&arena);
	}
}

/* Of an Indexed colour space, a form, a bookmark: words in objects are locked each by itself. */
static void test_strings(struct kb_test *t)
{
	static const char *const files[] = { "rc4-40.pdf", "rc4-128.pdf", "aes-256-flat.pdf" };

	for (size_t i = 0; i < KB_COUNTOF(files); i++) {
		struct kb_arena arena = { 0 };
		struct kb_sv out = { 0 };
		struct kb_err err = { 0 };

		t->row = files[i];
		CHECK(t, kb_unlock(&arena, read_locked(t, &arena, files[i]), KB_SV(PASSWORD), &out,
		                   &err));
		CHECK(t, kb_sv_find(out, KB_SV("(Returns (2026))")) >= 0);
		kb_arena_fini(&arena);
	}
}

static void test_refusals(struct kb_test *t)
{
	// clang-format off
	static const struct {
		const char *name;
		struct kb_sv bytes;
	} rows[] = {
		{ "no file at all", KB_SV_INIT("") },
		{ "a zip, locked or not", KB_SV_INIT("PK\3\4 and so on") },
		{ "an old Office file, locked in its records", KB_SV_INIT("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and so on") },
		{ "a PDF that is not locked", KB_SV_INIT("%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj trailer<</Root 1 0 R>>") },
		{ "a lock that is not there", KB_SV_INIT("%PDF-1.4\ntrailer<</Root 1 0 R/Encrypt 7 0 R>>") },
		{ "a lock of public keys", KB_SV_INIT("%PDF-1.4\ntrailer<</Encrypt<</Filter/Adobe.PubSec/V 2/R 3/P -1>>>>") },
		{ "a filter nobody knows", KB_SV_INIT("%PDF-1.4\ntrailer<</Encrypt<</Filter/Standard/V 4/R 4/P -1/StmF/A/StrF/A/CF<</A<</CFM/B>>>>>>>>") },
		{ "brackets without end", KB_SV_INIT("%PDF-1.4\ntrailer<</Encrypt<</Filter/Standard/O(((((") },
	};
	// clang-format on

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };
		struct kb_err err = { 0 };
		struct kb_sv out;

		t->row = rows[i].name;
		CHECK(t, !kb_unlock(&arena, rows[i].bytes, KB_SV(PASSWORD), &out, &err));
		CHECK_INT(t, err.code, KB_E_INVALID);
		CHECK(t, strstr(err.msg, "cannot be unlocked here") != NULL);
		kb_arena_fini(&arena);
	}
}

/* A dictionary whose words are shorter than they should be opens nothing, and harms nobody. */
static void test_damaged(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_arena arena = { 0 };
		struct kb_sv whole = read_locked(t, &arena, cases[i].file), out;

		t->row = cases[i].name;
		for (size_t n = 0; n < whole.n; n += whole.n / 13) {
			struct kb_err err = { 0 };

			if (!kb_unlock(&arena, kb_sv_sub(whole, 0, n), KB_SV(PASSWORD), &out, &err))
				CHECK_INT(t, err.code, KB_E_INVALID);
		}
		kb_arena_fini(&arena);
	}
}

/* ---- by a child ---- */

static bool take(void *arg, const struct kb_part_piece *piece)
{
	kb_buf_sv(arg, piece->bytes);
	return true;
}

static bool unlock(struct kb_parser *parser, struct kb_sv bytes, struct kb_sv password,
                   struct kb_buf *out, struct kb_err *err)
{
	const struct kb_part_sink sink = { take, out };
	struct kb_arena arena = { 0 };
	struct kb_parse_request request = { .password = password, .parts = &sink };
	bool ok;

	kb_buf_clear(out);
	request.fd = memfd_create("document", MFD_CLOEXEC);
	ok = request.fd >= 0 && write(request.fd, bytes.p, bytes.n) == (ssize_t)bytes.n
	     && lseek(request.fd, 0, SEEK_SET) == 0
	     && kb_parse_unlock(parser, &arena, &request, err);
	close(request.fd);
	kb_arena_fini(&arena);
	return ok;
}

static void test_child(struct kb_test *t)
{
	struct kb_parser *parser = open_parser(t, NULL);
	struct kb_buf out;

	kb_buf_init(&out, KB_MIB(1));
	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_arena arena = { 0 };
		struct kb_sv bytes = read_locked(t, &arena, cases[i].file);
		struct kb_parsed parsed;
		struct kb_err err = { 0 };
		bool ok;

		t->row = cases[i].name;
		CHECK(t, !unlock(parser, bytes, KB_SV("x"), &out, &err));
		CHECK_SV(t, kb_sv_str(err.msg), "that is not the document's password");
		CHECK_INT(t, out.n, 0);
		err = (struct kb_err){ 0 };
		CHECK(t, unlock(parser, bytes, KB_SV(PASSWORD), &out, &err));
		CHECK_SV(t, kb_sv_str(err.msg), "");
		ok = parse_text(parser, &arena, cases[i].file, kb_buf_view(&out), &parsed, &err);
		CHECK(t, ok);
		CHECK_SV(t, kb_sv_str(err.msg), "");
		CHECK_INT(t, parsed.block_count, 2);
		if (ok && parsed.block_count == 2)
			CHECK_SV(t, parsed.blocks[1].text,
			         "Goods are taken back within 30 days (with receipt).");
		kb_arena_fini(&arena);
	}
	kb_buf_fini(&out);
	kb_parser_close(parser);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case tests[] = {
		{ "a file opens by its passwords alone", test_passwords },
		{ "strings in objects are opened in their places", test_strings },
		{ "what cannot be opened is refused with what helps", test_refusals },
		{ "a file that is cut anywhere is refused or opened", test_damaged },
		{ "a child opens it behind its walls, and it is read", test_child },
	};

	fixture_init(argv[0]);
	return kb_test_main(argc, argv, tests, KB_COUNTOF(tests));
}
