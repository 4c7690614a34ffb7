/* Sealed bytes: they come back whole with their key under their name, and not at all otherwise. */
#include "blob/sealed.h"

#include <ftw.h>
#include <sys/stat.h>

#include "base/fault.h"
#include "base/file.h"
#include "test.h"

static const struct kb_seal_key key = { { 1, 2, 3 } }, other_key = { { 1, 2, 4 } };
static const unsigned char salt[KB_SEAL_SALT] = { 7 }, other_salt[KB_SEAL_SALT] = { 8 };

static struct kb_seal_keys keys_of(const struct kb_seal_key *from, const unsigned char *with)
{
	struct kb_seal_keys keys;

	kb_seal_keys(from, with, &keys);
	return keys;
}

static struct kb_sv bytes_of(struct kb_arena *arena, size_t n)
{
	char *bytes = kb_arena_bytes(arena, n + 1);

	for (size_t i = 0; i < n; i++)
		bytes[i] = (char)(i * 31 + i / 251);
	return kb_sv(bytes, n);
}

static void test_round(struct kb_test *t)
{
	static const size_t sizes[] = { 0,
		                        1,
		                        1000,
		                        KB_SEAL_PIECE - 1,
		                        KB_SEAL_PIECE,
		                        KB_SEAL_PIECE + 1,
		                        3 * KB_SEAL_PIECE,
		                        3 * KB_SEAL_PIECE + 5 };
	struct kb_seal_keys keys = keys_of(&key, salt);

	for (size_t i = 0; i < KB_COUNTOF(sizes); i++) {
		struct kb_arena arena = { 0 };
		struct kb_sv plain = bytes_of(&arena, sizes[i]), got = KB_SV("?");
		struct kb_sv sealed = kb_seal(&arena, &keys, KB_SV("a"), plain);
		struct kb_err err;
		int64_t size = -1;

		CHECK_INT(t, sealed.n, kb_sealed_size((int64_t)sizes[i]));
		CHECK(t, kb_sealed_plain((int64_t)sealed.n, &size));
		CHECK_INT(t, size, sizes[i]);
		CHECK(t, kb_unseal(&arena, &keys, KB_SV("a"), sealed, &got, &err));
		CHECK(t, kb_sv_eq(got, plain));
		kb_arena_fini(&arena);
	}
}

static void test_refused(struct kb_test *t)
{
	const struct {
		const char *what, *label;
		const struct kb_seal_key *key;
		const unsigned char *salt;
	} cases[] = {
		{ "another key", "a", &other_key, salt },
		{ "another place", "a", &key, other_salt },
		{ "another name", "b", &key, salt },
	};
	struct kb_seal_keys keys = keys_of(&key, salt);
	struct kb_arena arena = { 0 };
	struct kb_sv sealed = kb_seal(&arena, &keys, KB_SV("a"), KB_SV("some words")), got;
	struct kb_err err;

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_seal_keys with = keys_of(cases[i].key, cases[i].salt);

		t->row = cases[i].what;
		CHECK(t, !kb_unseal(&arena, &with, kb_sv_str(cases[i].label), sealed, &got, &err));
		CHECK_INT(t, err.code, KB_E_CORRUPT);
	}
	t->row = NULL;
	CHECK(t, kb_unseal(&arena, &keys, KB_SV("a"), sealed, &got, &err));
	kb_arena_fini(&arena);
}

/* What a stranger can do to three pieces: none of it is taken for what was sealed. */
static void test_changed(struct kb_test *t)
{
	enum { WHOLE = KB_SEAL_PIECE + KB_SEAL_MORE };
	struct kb_seal_keys keys = keys_of(&key, salt);
	struct kb_arena arena = { 0 };
	struct kb_sv sealed =
	        kb_seal(&arena, &keys, KB_SV("a"), bytes_of(&arena, 3 * KB_SEAL_PIECE));
	struct kb_sv got;
	struct kb_err err;

	for (size_t i = 0; i < sealed.n; i += i < KB_SEAL_HEAD ? 1 : 5003) {
		char *bytes = kb_arena_copy(&arena, sealed.p, sealed.n);

		bytes[i] ^= 16;
		CHECK(t, !kb_unseal(&arena, &keys, KB_SV("a"), kb_sv(bytes, sealed.n), &got, &err));
	}
	for (size_t n = 0; n < sealed.n; n += n < 200 ? 1 : WHOLE / 2)
		CHECK(t, !kb_unseal(&arena, &keys, KB_SV("a"), kb_sv(sealed.p, n), &got, &err));
	for (size_t n = 1; n < 3; n++)
		CHECK(t, !kb_unseal(&arena, &keys, KB_SV("a"),
		                    kb_sv(sealed.p, KB_SEAL_HEAD + n * WHOLE), &got, &err));
	{
		char *bytes = kb_arena_copy(&arena, sealed.p, sealed.n);

		memcpy(bytes + KB_SEAL_HEAD, sealed.p + KB_SEAL_HEAD + WHOLE, WHOLE);
		memcpy(bytes + KB_SEAL_HEAD + WHOLE, sealed.p + KB_SEAL_HEAD, WHOLE);
		CHECK(t, !kb_unseal(&arena, &keys, KB_SV("a"), kb_sv(bytes, sealed.n), &got, &err));
	}
	kb_arena_fini(&arena);
}

static void test_sizes(struct kb_test *t)
{
	int64_t plain;

	for (int64_t sealed = 0; sealed < 2 * KB_SEAL_PIECE + 100; sealed++)
		if (kb_sealed_plain(sealed, &plain))
			CHECK_INT(t, kb_sealed_size(plain), sealed);
		else
			CHECK(t, sealed < KB_SEAL_HEAD + KB_SEAL_MORE
			                 || (sealed - KB_SEAL_HEAD) % (KB_SEAL_PIECE + KB_SEAL_MORE)
			                            <= KB_SEAL_MORE);
}

static void test_key(struct kb_test *t)
{
	const struct {
		const char *text;
		bool is_key;
	} cases[] = {
		{ "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF\n", true },
		{ "00112233445566778899aabbccddeeff00112233445566778899aabbccddeef", false },
		{ "00112233445566778899aabbccddeeff00112233445566778899aabbccddeefg", false },
		{ "0011223344556677 8899aabbccddeeff0011223344556677889aabbccddeeff", false },
		{ "", false },
	};
	char id[KB_SEAL_ID], other[KB_SEAL_ID];
	struct kb_seal_key got;

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		t->row = cases[i].text;
		CHECK(t, kb_seal_key_read(kb_sv_str(cases[i].text), &got) == cases[i].is_key);
	}
	t->row = NULL;
	kb_seal_key_id(&key, id);
	kb_seal_key_id(&other_key, other);
	CHECK_INT(t, strlen(id), KB_SEAL_ID - 1);
	CHECK(t, strcmp(id, other) != 0);
}

/* ---- a place ---- */

struct fixture {
	char dir[64];
	struct kb_blobs *blobs;
	struct kb_arena arena;
	struct kb_err err;
};

static void fixture_init(struct fixture *f, struct kb_test *t)
{
	struct kb_seal_keys keys = keys_of(&key, salt);

	*f = (struct fixture){ 0 };
	snprintf(f->dir, sizeof(f->dir), "/tmp/docent-seal-XXXXXX");
	if (!mkdtemp(f->dir))
		abort();
	f->blobs = kb_blobs_open(f->dir, &f->err);
	CHECK(t, f->blobs != NULL);
	f->blobs = kb_blobs_seal(f->blobs, &keys, f->dir);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void fixture_fini(struct fixture *f)
{
	kb_blobs_close(f->blobs);
	kb_arena_fini(&f->arena);
	nftw(f->dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static bool take_bytes(struct fixture *f, struct kb_sv bytes, struct kb_blob_name *name)
{
	const char *path = kb_arena_printf(&f->arena, "%s/tmp/taken", f->dir).p;
	int64_t size;

	return kb_file_replace(path, bytes, &f->err)
	       && kb_blob_take(f->blobs, path, name, &size, &f->err) && size == (int64_t)bytes.n
	       && access(path, F_OK) != 0;
}

static void test_place(struct kb_test *t)
{
	static const size_t sizes[] = { 0, 10, KB_SEAL_PIECE, 2 * KB_SEAL_PIECE + 3 };
	struct fixture f;

	fixture_init(&f, t);
	for (size_t i = 0; i < KB_COUNTOF(sizes); i++) {
		struct kb_sv plain = bytes_of(&f.arena, sizes[i]), got = KB_SV("?");
		struct kb_blob_name put, taken;
		char kept[KB_HASH_HEX];
		int64_t size = -1;

		CHECK(t, kb_blob_put(f.blobs, plain, &put, &f.err));
		CHECK(t, take_bytes(&f, plain, &taken));
		CHECK_SV(t, kb_sv_str(put.hex), taken.hex);
		CHECK(t, kb_blob_read(f.blobs, &f.arena, put.hex, 1 << 20, &got, &f.err));
		CHECK(t, kb_sv_eq(got, plain));
		CHECK(t, kb_blob_verify(f.blobs, put.hex, &f.err));
		CHECK(t, kb_blob_stat(f.blobs, put.hex, &size, &f.err));
		CHECK_INT(t, size, sizes[i]);
		kb_blob_name_within(f.blobs, put.hex, kept);
		CHECK(t, strcmp(kept, put.hex) != 0);
		CHECK(t, !kb_blob_stat(kb_blobs_within(f.blobs), put.hex, &size, &f.err));
		CHECK(t, kb_blob_stat(kb_blobs_within(f.blobs), kept, &size, &f.err));
		CHECK_INT(t, size, kb_sealed_size((int64_t)sizes[i]));
	}
	fixture_fini(&f);
}

/* One that stands under another's name, and one that lacks its end. */
static void test_place_changed(struct kb_test *t)
{
	struct kb_blob_name a, b;
	char path_a[200], path_b[200], kept[KB_HASH_HEX];
	struct fixture f;
	struct kb_sv got;
	int64_t size;
	int fd;

	fixture_init(&f, t);
	CHECK(t, kb_blob_put(f.blobs, KB_SV("first"), &a, &f.err));
	CHECK(t, kb_blob_put(f.blobs, KB_SV("other"), &b, &f.err));
	kb_blob_name_within(f.blobs, a.hex, kept);
	snprintf(path_a, sizeof(path_a), "%s/%.2s/%.2s/%s", f.dir, kept, kept + 2, kept);
	kb_blob_name_within(f.blobs, b.hex, kept);
	snprintf(path_b, sizeof(path_b), "%s/%.2s/%.2s/%s", f.dir, kept, kept + 2, kept);
	CHECK(t, kb_file_read(&f.arena, path_a, 1000, &got, &f.err));
	CHECK(t, kb_file_replace(path_b, got, &f.err));
	CHECK(t, !kb_blob_open(f.blobs, b.hex, &fd, &size, &f.err));
	CHECK_INT(t, f.err.code, KB_E_CORRUPT);
	CHECK(t, kb_blob_open(f.blobs, a.hex, &fd, &size, &f.err));
	kb_fd_close(&fd);
	CHECK(t, kb_file_replace(path_a, kb_sv(got.p, got.n - 1), &f.err));
	CHECK(t, !kb_blob_verify(f.blobs, a.hex, &f.err));
	CHECK_INT(t, f.err.code, KB_E_CORRUPT);
	CHECK(t, kb_blob_drop_damaged(f.blobs, a.hex, &f.err));
	CHECK(t, !kb_blob_verify(f.blobs, a.hex, &f.err));
	CHECK_INT(t, f.err.code, KB_E_NOT_FOUND);
	fixture_fini(&f);
}

static void test_records(struct kb_test *t)
{
	struct kb_blob_records names;
	struct fixture f;
	struct kb_sv got;

	fixture_init(&f, t);
	CHECK(t, kb_blobs_record_put(f.blobs, "one.json", KB_SV("its words"), &f.err));
	CHECK(t, kb_blobs_record_get(f.blobs, &f.arena, "one.json", &got, &f.err));
	CHECK_SV(t, got, "its words");
	CHECK(t, kb_blobs_record_get(kb_blobs_within(f.blobs), &f.arena, "one.json", &got, &f.err));
	CHECK(t, kb_sv_find(got, KB_SV("words")) < 0);
	CHECK(t, kb_blobs_record_put(kb_blobs_within(f.blobs), "two.json", got, &f.err));
	CHECK(t, !kb_blobs_record_get(f.blobs, &f.arena, "two.json", &got, &f.err));
	CHECK(t, kb_blobs_records(f.blobs, &f.arena, &names, &f.err));
	CHECK_INT(t, names.count, 2);
	fixture_fini(&f);
}

/* Each step fails once: nothing is left half, and nothing is taken for what it is not. */
static void test_faults(struct kb_test *t)
{
	struct fixture f;

	fixture_init(&f, t);
	for (int n = 1;; n += KB_TEST_FAULT_STEP) {
		struct kb_sv plain = bytes_of(&f.arena, (size_t)(KB_SEAL_PIECE + n)), got;
		struct kb_blob_name name;
		bool ok, fired;

		CHECK(t, kb_file_replace(kb_arena_printf(&f.arena, "%s/tmp/taken", f.dir).p, plain,
		                         &f.err));
		kb_fault_arm(n);
		ok = kb_blob_take(f.blobs, kb_arena_printf(&f.arena, "%s/tmp/taken", f.dir).p,
		                  &name, &(int64_t){ 0 }, &f.err)
		     && kb_blob_read(f.blobs, &f.arena, name.hex, 1 << 20, &got, &f.err);
		fired = kb_fault_disarm();
		CHECK(t, ok ? kb_sv_eq(got, plain) : fired);
		if (!fired)
			break;
	}
	CHECK(t, access(kb_arena_printf(&f.arena, "%s/tmp/taken.sealed", f.dir).p, F_OK) != 0);
	fixture_fini(&f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "what is sealed comes back", test_round },
		{ "another key, place or name opens nothing", test_refused },
		{ "no change goes unnoticed", test_changed },
		{ "sizes go both ways", test_sizes },
		{ "a key is 64 digits", test_key },
		{ "a sealed place holds blobs under names of its own", test_place },
		{ "what was changed in the place is damaged", test_place_changed },
		{ "records are sealed and keep their names", test_records },
		{ "each step fails once", test_faults },
	};

	kb_crypto_init();
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
