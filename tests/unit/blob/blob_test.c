/* Blobs in a directory: content under its hash, durable, checked, ended by age. */
#include "blob/blob.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/file.h"
#include "test.h"

struct fixture {
	struct kb_test *t;
	char dir[64], root[80];
	struct kb_blobs *blobs;
	struct kb_arena arena;
	struct kb_err err;
};

static void fixture_init(struct fixture *f, struct kb_test *t)
{
	*f = (struct fixture){ .t = t };
	snprintf(f->dir, sizeof(f->dir), "/tmp/docent-blob-XXXXXX");
	if (!mkdtemp(f->dir))
		abort();
	snprintf(f->root, sizeof(f->root), "%s/a/b", f->dir);
	f->blobs = kb_blobs_open(f->root, &f->err);
	CHECK(t, f->blobs != NULL);
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

static void path_of(struct fixture *f, const char *name, char out[256])
{
	snprintf(out, 256, "%s/%.2s/%.2s/%s", f->root, name, name + 2, name);
}

static void set_age(struct fixture *f, const char *name, int64_t age_s)
{
	struct timespec times[2] = { { .tv_sec = time(NULL) - age_s },
		                     { .tv_sec = time(NULL) - age_s } };
	char path[256];

	path_of(f, name, path);
	/* ENOENT: a sweep in the meantime. */
	if (utimensat(AT_FDCWD, path, times, 0) != 0 && errno != ENOENT)
		abort();
}

static void write_file(const char *path, struct kb_sv bytes)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0 || write(fd, bytes.p, bytes.n) != (ssize_t)bytes.n)
		abort();
	close(fd);
}

static bool there(struct fixture *f, const char *name)
{
	int64_t size;
	int fd;
	bool ok = kb_blob_open(f->blobs, name, &fd, &size, &f->err);

	kb_fd_close(&fd);
	return ok;
}

static bool count_one(void *arg, const char *name, int64_t size, int64_t age_s)
{
	(void)name;
	(void)size;
	(void)age_s;
	++*(int *)arg;
	return true;
}

static int count(struct fixture *f)
{
	int n = 0;

	CHECK(f->t, kb_blob_each(f->blobs, count_one, &n, &f->err));
	return n;
}

/* The name of "abc": RFC 7693's BLAKE2b with 256 bits. */
static const char abc[] = "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319";

static void test_put(struct kb_test *t)
{
	struct kb_blob_name name, again, empty;
	struct fixture f;
	struct kb_sv bytes;
	struct stat st;
	char path[256];
	int64_t size;
	int fd;

	fixture_init(&f, t);
	CHECK(t, kb_blob_put(f.blobs, KB_SV("abc"), &name, &f.err));
	CHECK_SV(t, kb_sv_str(name.hex), abc);
	CHECK(t, kb_blob_put(f.blobs, KB_SV("abc"), &again, &f.err));
	CHECK_SV(t, kb_sv_str(again.hex), abc);
	CHECK_INT(t, count(&f), 1);
	CHECK(t, kb_blob_read(f.blobs, &f.arena, abc, 3, &bytes, &f.err));
	CHECK_SV(t, bytes, "abc");
	CHECK(t, kb_blob_verify(f.blobs, abc, &f.err));
	CHECK(t, kb_blob_open(f.blobs, abc, &fd, &size, &f.err));
	CHECK_INT(t, size, 3);
	CHECK(t, fcntl(fd, F_GETFD) & FD_CLOEXEC);
	kb_fd_close(&fd);
	CHECK(t, !kb_blob_read(f.blobs, &f.arena, abc, 2, &bytes, &f.err));
	CHECK_INT(t, f.err.code, KB_E_TOO_LARGE);
	path_of(&f, abc, path);
	CHECK(t, stat(path, &st) == 0 && (st.st_mode & 0777) == 0600);
	CHECK(t, kb_blob_put(f.blobs, KB_SV(""), &empty, &f.err));
	CHECK(t, kb_blob_read(f.blobs, &f.arena, empty.hex, 0, &bytes, &f.err));
	CHECK_INT(t, bytes.n, 0);
	/* A second opening finds them. */
	kb_blobs_close(f.blobs);
	f.blobs = kb_blobs_open(f.root, &f.err);
	CHECK_INT(t, count(&f), 2);
	CHECK(t, there(&f, abc));
	fixture_fini(&f);
}

static void test_take(struct kb_test *t)
{
	struct kb_blob_name name;
	struct fixture f;
	struct kb_sv bytes;
	char path[128], link[128];
	char *large = kb_xmalloc(KB_KIB(700));
	int64_t size;

	fixture_init(&f, t);
	snprintf(path, sizeof(path), "%s/upload", f.dir);
	write_file(path, KB_SV("abc"));
	CHECK(t, kb_blob_take(f.blobs, path, &name, &size, &f.err));
	CHECK_SV(t, kb_sv_str(name.hex), abc);
	CHECK_INT(t, size, 3);
	CHECK(t, access(path, F_OK) != 0);
	/* The same content again: the file goes, the blob stays. */
	write_file(path, KB_SV("abc"));
	set_age(&f, abc, 1000);
	CHECK(t, kb_blob_take(f.blobs, path, &name, &size, &f.err));
	CHECK(t, access(path, F_OK) != 0);
	CHECK_INT(t, count(&f), 1);
	for (size_t i = 0; i < KB_KIB(700); i++)
		large[i] = (char)(i * 7 / 3);
	write_file(path, kb_sv(large, KB_KIB(700)));
	CHECK(t, kb_blob_take(f.blobs, path, &name, &size, &f.err));
	CHECK_INT(t, size, KB_KIB(700));
	CHECK(t, kb_blob_read(f.blobs, &f.arena, name.hex, KB_MIB(1), &bytes, &f.err));
	CHECK(t, kb_sv_eq(bytes, kb_sv(large, KB_KIB(700))));
	/* No file, and no way through a link. */
	CHECK(t, !kb_blob_take(f.blobs, path, &name, &size, &f.err));
	CHECK_INT(t, f.err.code, KB_E_IO);
	write_file(path, KB_SV("secret"));
	snprintf(link, sizeof(link), "%s/link", f.dir);
	CHECK(t, symlink(path, link) == 0);
	CHECK(t, !kb_blob_take(f.blobs, link, &name, &size, &f.err));
	CHECK(t, access(path, F_OK) == 0);
	free(large);
	fixture_fini(&f);
}

static void test_names(struct kb_test *t)
{
	static const char *const names[] = {
		"",
		"abc",
		"../../../../etc/passwd",
		"/etc/passwd",
		"BDDD813C634239723171EF3FEE98579B94964E3BB1CB3E427262C8C068D52319",
		"bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d5231",
		"bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d523199",
		"bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d5231/",
		"../d813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319a",
		"0000000000000000000000000000000000000000000000000000000000000000",
	};
	struct kb_blob_name name;
	struct kb_sv bytes;
	struct fixture f;
	int64_t size;
	int fd;

	fixture_init(&f, t);
	CHECK(t, kb_blob_put(f.blobs, KB_SV("abc"), &name, &f.err));
	for (size_t i = 0; i < KB_COUNTOF(names); i++) {
		t->row = names[i];
		CHECK(t, !kb_blob_open(f.blobs, names[i], &fd, &size, &f.err));
		CHECK_INT(t, f.err.code, KB_E_NOT_FOUND);
		CHECK_INT(t, fd, -1);
		CHECK(t, !kb_blob_read(f.blobs, &f.arena, names[i], 100, &bytes, &f.err));
		CHECK_INT(t, f.err.code, KB_E_NOT_FOUND);
		CHECK(t, !kb_blob_verify(f.blobs, names[i], &f.err));
		CHECK_INT(t, f.err.code, KB_E_NOT_FOUND);
	}
	t->row = NULL;
	fixture_fini(&f);
}

static void test_damage(struct kb_test *t)
{
	static const struct {
		const char *name, *bytes;
		bool heals; /* by a put of the content */
	} rows[] = {
		{ "another byte", "abd", false },
		{ "cut", "ab", true },
		{ "longer", "abcd", true },
		{ "empty", "", true },
	};
	struct kb_blob_name name;
	struct kb_sv bytes;
	struct fixture f;
	char path[256];

	fixture_init(&f, t);
	CHECK(t, kb_blob_put(f.blobs, KB_SV("abc"), &name, &f.err));
	path_of(&f, abc, path);
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		t->row = rows[i].name;
		write_file(path, kb_sv_str(rows[i].bytes));
		CHECK(t, !kb_blob_read(f.blobs, &f.arena, abc, 100, &bytes, &f.err));
		CHECK_INT(t, f.err.code, KB_E_CORRUPT);
		CHECK(t, !kb_blob_verify(f.blobs, abc, &f.err));
		CHECK_INT(t, f.err.code, KB_E_CORRUPT);
		CHECK(t, kb_blob_put(f.blobs, KB_SV("abc"), &name, &f.err));
		CHECK_INT(t, kb_blob_verify(f.blobs, abc, &f.err), rows[i].heals);
	}
	t->row = "stamped ahead of the clock";
	write_file(path, KB_SV("abd"));
	set_age(&f, abc, -2);
	CHECK(t, kb_blob_drop_damaged(f.blobs, abc, &f.err) && !there(&f, abc));
	CHECK(t, kb_blob_put(f.blobs, KB_SV("abc"), &name, &f.err));
	t->row = NULL;
	CHECK(t, unlink(path) == 0 && symlink("/etc/passwd", path) == 0);
	CHECK(t, !kb_blob_verify(f.blobs, abc, &f.err));
	CHECK(t, unlink(path) == 0 && mkdir(path, 0700) == 0);
	CHECK(t, !kb_blob_verify(f.blobs, abc, &f.err));
	CHECK_INT(t, f.err.code, KB_E_CORRUPT);
	fixture_fini(&f);
}

/* ---- ending ---- */

static bool wants(void *arg, const char *name)
{
	return strcmp(name, arg) == 0;
}

static bool wants_none(void *arg, const char *name)
{
	(void)arg;
	(void)name;
	return false;
}

static void test_remove(struct kb_test *t)
{
	struct kb_blob_name old, young, renewed;
	struct fixture f;
	char stray[128];
	bool done;

	fixture_init(&f, t);
	CHECK(t, kb_blob_put(f.blobs, KB_SV("old"), &old, &f.err));
	CHECK(t, kb_blob_put(f.blobs, KB_SV("young"), &young, &f.err));
	CHECK(t, kb_blob_put(f.blobs, KB_SV("renewed"), &renewed, &f.err));
	set_age(&f, old.hex, 5000);
	set_age(&f, young.hex, 50);
	set_age(&f, renewed.hex, 5000);
	CHECK(t, kb_blob_put(f.blobs, KB_SV("renewed"), &renewed, &f.err));
	CHECK(t, kb_blob_remove(f.blobs, old.hex, 1000, &done, &f.err) && done);
	CHECK(t, kb_blob_remove(f.blobs, young.hex, 1000, &done, &f.err) && !done);
	CHECK(t, kb_blob_discard(f.blobs, renewed.hex, 1000, &done, &f.err) && !done);
	CHECK(t, kb_blob_remove(f.blobs, old.hex, 1000, &done, &f.err) && !done); /* gone */
	CHECK(t, !there(&f, old.hex) && there(&f, young.hex) && there(&f, renewed.hex));
	/* What a put that never ended left behind. */
	snprintf(stray, sizeof(stray), "%s/tmp/00112233445566778899aabbccddeeff", f.root);
	write_file(stray, KB_SV("half"));
	CHECK(t, kb_blobs_tidy(f.blobs, 1000, &f.err) && access(stray, F_OK) == 0);
	CHECK(t, kb_blobs_tidy(f.blobs, 0, &f.err) && access(stray, F_OK) != 0);
	CHECK_INT(t, count(&f), 2);
	fixture_fini(&f);
}

/* Puts it into the trash, whatever its age. */
static void discard(struct fixture *f, const char *name)
{
	bool done;

	CHECK(f->t, kb_blob_discard(f->blobs, name, 0, &done, &f->err) && done);
}

static void age_in_trash(struct fixture *f, const char *name, int64_t age_s)
{
	struct timespec then = { .tv_sec = time(NULL) - age_s };
	char path[256];

	snprintf(path, sizeof(path), "%s/trash/%s", f->root, name);
	CHECK(f->t, utimensat(AT_FDCWD, path, (struct timespec[]){ then, then }, 0) == 0);
}

static void test_trash(struct kb_test *t)
{
	enum { OLD, YOUNG, WANTED, READ, VERIFIED, PUT, BLOBS };
	static const char *const texts[BLOBS] = { "old",  "young",    "wanted",
		                                  "read", "verified", "put" };
	struct kb_blob_name names[BLOBS], again;
	struct kb_trash trash;
	struct fixture f;
	struct kb_sv bytes;

	fixture_init(&f, t);
	for (int i = 0; i < BLOBS; i++) {
		CHECK(t, kb_blob_put(f.blobs, kb_sv_str(texts[i]), &names[i], &f.err));
		set_age(&f, names[i].hex, 5000);
		discard(&f, names[i].hex);
	}
	CHECK_INT(t, count(&f), 0);
	/* Its time there began with the discard. */
	CHECK(t,
	      kb_blobs_empty_trash(f.blobs, &(struct kb_trash_rule){ wants_none, NULL, 1000, NULL },
	                           &trash, &f.err));
	CHECK(t, trash.kept == BLOBS && !trash.removed && !trash.recalled);

	/* Whoever wants one has it. */
	CHECK(t, kb_blob_read(f.blobs, &f.arena, names[READ].hex, 10, &bytes, &f.err));
	CHECK_SV(t, bytes, "read");
	CHECK(t, kb_blob_verify(f.blobs, names[VERIFIED].hex, &f.err));
	CHECK(t, kb_blob_put(f.blobs, KB_SV("put"), &again, &f.err));
	CHECK_INT(t, count(&f), 3);
	/* And it is as young as one that was just put. */
	CHECK(t, kb_blob_discard(f.blobs, names[READ].hex, 1000, &(bool){ false }, &f.err));
	CHECK(t, there(&f, names[READ].hex));

	age_in_trash(&f, names[OLD].hex, 5000);
	age_in_trash(&f, names[WANTED].hex, 5000);
	age_in_trash(&f, names[PUT].hex, 5000);
	CHECK(t, kb_blobs_empty_trash(
	                 f.blobs, &(struct kb_trash_rule){ wants, names[WANTED].hex, 1000, NULL },
	                 &trash, &f.err));
	CHECK(t, trash.kept == 1 && trash.removed == 2 && trash.recalled == 1);
	CHECK(t, there(&f, names[WANTED].hex) && there(&f, names[PUT].hex));
	CHECK(t, !there(&f, names[OLD].hex) && there(&f, names[YOUNG].hex));

	/* One that was put anew is not replaced by the one in the trash. */
	discard(&f, names[PUT].hex);
	CHECK(t, kb_blob_put(f.blobs, KB_SV("put"), &again, &f.err));
	CHECK(t, kb_blobs_empty_trash(f.blobs,
	                              &(struct kb_trash_rule){ wants, names[PUT].hex, 1000, NULL },
	                              &trash, &f.err));
	CHECK(t, trash.recalled == 1 && kb_blob_verify(f.blobs, names[PUT].hex, &f.err));
	fixture_fini(&f);
}

static void test_mark(struct kb_test *t)
{
	static const char first[] = "00112233445566778899aabbccddeeff";
	static const char second[] = "ffeeddccbbaa99887766554433221100";
	static const char *const damaged[] = { "", "\n", "0011",
		                               "00112233445566778899aabbccddeefg\n",
		                               "00112233445566778899aabbccddeeff0\n" };
	char mark[KB_BLOB_MARK], path[128];
	struct fixture f;

	fixture_init(&f, t);
	CHECK(t, kb_blobs_mark(f.blobs, mark, &f.err));
	CHECK_SV(t, kb_sv_str(mark), "");
	CHECK(t, kb_blobs_set_mark(f.blobs, first, &f.err));
	CHECK(t, kb_blobs_set_mark(f.blobs, second, &f.err));
	kb_blobs_close(f.blobs);
	f.blobs = kb_blobs_open(f.root, &f.err);
	CHECK(t, kb_blobs_mark(f.blobs, mark, &f.err));
	CHECK_SV(t, kb_sv_str(mark), second);
	CHECK_INT(t, count(&f), 0);
	snprintf(path, sizeof(path), "%s/installation", f.root);
	for (size_t i = 0; i < KB_COUNTOF(damaged); i++) {
		t->row = damaged[i];
		write_file(path, kb_sv_str(damaged[i]));
		CHECK(t, !kb_blobs_mark(f.blobs, mark, &f.err));
		CHECK_INT(t, f.err.code, KB_E_CORRUPT);
	}
	t->row = NULL;
	CHECK(t, kb_blobs_set_mark(f.blobs, first, &f.err) && kb_blobs_mark(f.blobs, mark, &f.err));
	fixture_fini(&f);
}

struct race {
	struct fixture *f;
	const char *name;
	_Atomic bool stop;
	_Atomic int64_t ended;
};

static void *end_for_ever(void *arg)
{
	struct race *race = arg;
	struct kb_trash trash;
	struct kb_err err;

	while (!race->stop) {
		bool removed, discarded;

		if (!kb_blob_remove(race->f->blobs, race->name, 1000, &removed, &err)
		    || !kb_blob_discard(race->f->blobs, race->name, 1000, &discarded, &err)
		    || !kb_blobs_empty_trash(
		            race->f->blobs, &(struct kb_trash_rule){ wants_none, NULL, 1000, NULL },
		            &trash, &err))
			abort();
		race->ended += removed + discarded;
	}
	return NULL;
}

static void test_race(struct kb_test *t)
{
	struct kb_blob_name name;
	struct race race = { .name = abc };
	pthread_t thread;
	struct fixture f;

	fixture_init(&f, t);
	race.f = &f;
	pthread_create(&thread, NULL, end_for_ever, &race);
	for (int i = 0; i < 300 || race.ended == 0; i++) {
		CHECK(t, kb_blob_put(f.blobs, KB_SV("abc"), &name, &f.err));
		/* A blob that was just put is there, however old it was. */
		CHECK(t, kb_blob_verify(f.blobs, name.hex, &f.err));
		set_age(&f, name.hex, 5000);
	}
	race.stop = true;
	pthread_join(thread, NULL);
	fixture_fini(&f);
}

/* ---- faults ---- */

static void test_faults(struct kb_test *t)
{
	struct fixture f;
	int n;

	for (n = 1;; n++) {
		struct kb_blob_name put, take;
		struct kb_sv bytes;
		char path[128], mark[KB_BLOB_MARK];
		struct kb_trash trash;
		int64_t size;
		bool put_ok, take_ok, ok, fired, done;

		fixture_init(&f, t);
		snprintf(path, sizeof(path), "%s/upload", f.dir);
		write_file(path, KB_SV("a file"));
		kb_fault_arm(n);
		put_ok = kb_blob_put(f.blobs, KB_SV("a text"), &put, &f.err);
		take_ok = kb_blob_take(f.blobs, path, &take, &size, &f.err);
		ok = put_ok && take_ok
		     && kb_blob_read(f.blobs, &f.arena, put.hex, 100, &bytes, &f.err)
		     && kb_blob_discard(f.blobs, put.hex, 0, &done, &f.err)
		     && kb_blob_verify(f.blobs, put.hex, &f.err)
		     && kb_blob_discard(f.blobs, put.hex, 0, &done, &f.err)
		     && kb_blobs_empty_trash(f.blobs,
		                             &(struct kb_trash_rule){ wants, put.hex, 1000, NULL },
		                             &trash, &f.err)
		     && kb_blobs_tidy(f.blobs, 1000, &f.err)
		     && kb_blobs_set_mark(f.blobs, "00112233445566778899aabbccddeeff", &f.err)
		     && kb_blobs_mark(f.blobs, mark, &f.err);
		fired = kb_fault_disarm();
		CHECK(t, ok || fired);
		/* What was acknowledged is there, whole; a file that was not taken is still there.
		 */
		CHECK(t, !put_ok || kb_blob_verify(f.blobs, put.hex, &f.err));
		CHECK(t, !take_ok || kb_blob_verify(f.blobs, take.hex, &f.err));
		CHECK(t, take_ok || access(path, F_OK) == 0 || count(&f) > 0);
		fixture_fini(&f);
		if (!fired)
			break;
	}
	CHECK(t, n > 20);
	for (n = 1;; n++) {
		bool fired;

		fixture_init(&f, t);
		kb_blobs_close(f.blobs);
		kb_fault_arm(n);
		f.blobs = kb_blobs_open(f.root, &f.err);
		fired = kb_fault_disarm();
		CHECK(t, f.blobs || fired);
		fixture_fini(&f);
		if (!fired)
			break;
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "content is kept under its hash", test_put },
		{ "a file is taken over", test_take },
		{ "what is no name finds nothing", test_names },
		{ "damage is seen", test_damage },
		{ "a blob ends by its age", test_remove },
		{ "what is in the trash comes back", test_trash },
		{ "a mark stands beside the blobs", test_mark },
		{ "what was just put never ends", test_race },
		{ "each step may fail", test_faults },
	};
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
