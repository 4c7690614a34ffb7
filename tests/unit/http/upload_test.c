/* Forms with files: over the wire as clients send them, and against their limits and the disk. */
#include "http/upload.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/file.h"
#include "site.h"
#include "test.h"

#define PART(rest) "--b\r\nContent-Disposition: form-data; " rest
#define END        "--b--\r\n"

/* Sends a form; the answer comes when its temporary files are gone again. */
static struct kb_sv send_form(struct kb_arena *arena, struct site *site, const char *target,
                              struct kb_sv body, bool chunked)
{
	struct kb_buf sent;
	struct kb_sv answer;

	kb_buf_init(&sent, KB_MIB(64));
	kb_buf_printf(&sent,
	              "POST %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
	              "Content-Type: multipart/form-data; boundary=b\r\n",
	              target);
	if (chunked)
		kb_buf_printf(&sent, "Transfer-Encoding: chunked\r\n\r\n%zx\r\n%.*s\r\n0\r\n\r\n",
		              body.n, KB_SV_ARG(body));
	else
		kb_buf_printf(&sent, "Content-Length: %zu\r\n\r\n", body.n);
	if (!chunked)
		kb_buf_sv(&sent, body);
	answer = site_ask(arena, site, kb_buf_view(&sent));
	kb_buf_fini(&sent);
	for (int ms = 0, most = site_hang_ms(); ms < most && site_temp_files(site); ms += 5)
		site_sleep_ms(5);
	return answer;
}

static const struct {
	const char *name, *target, *body;
	int status;
	const char *want; /* of on_form() in site.c; hashes are BLAKE2b of the file */
} rows[] = {
	{ "text fields", "/upload", PART("name=a\r\n\r\n1\r\n") PART("name=\"c\"\r\n\r\n2\r\n") END,
	  200, "a=1;c=2;" },
	{ "text fields where no files are taken", "/form", PART("name=a\r\n\r\n1\r\n") END, 200,
	  "a=1;" },
	{ "a text part with a type and no filename", "/upload",
	  PART("name=a\r\nContent-Type: text/plain\r\n\r\n1\r\n") END, 200, "a=1;" },
	{ "a file", "/upload",
	  PART("name=file; filename=x.txt\r\nContent-Type: text/plain\r\n\r\nhello\r\n") END, 200,
	  "file:x.txt:5:324dcf02;" },
	{ "an empty file", "/upload", PART("name=file; filename=x.txt\r\n\r\n\r\n") END, 200,
	  "file:x.txt:0:0e5751c0;" },
	{ "files[] and files[0]", "/upload",
	  PART("name=\"files[]\"; filename=a\r\n\r\nhello\r\n")
	          PART("name=\"files[0]\"; filename=b\r\n\r\nhello\r\n") END,
	  200, "files[]:a:5:324dcf02;files[0]:b:5:324dcf02;" },
	{ "a path in the filename", "/upload",
	  PART("name=file; filename=\"C:\\up\\..\\x.txt\"\r\n\r\nhello\r\n") END, 200,
	  "file:C:\\up\\..\\x.txt:5:324dcf02;" },
	{ "a title as filename, with type text/html", "/upload",
	  PART("name=file; filename=\"About us & more\"\r\nContent-Type: "
	       "text/html\r\n\r\nhello\r\n") END,
	  200, "file:About us & more:5:324dcf02;" },
	{ "no filename, but a type", "/upload",
	  PART("name=\"files[1]\"\r\nContent-Type: application/pdf\r\n\r\nhello\r\n") END, 200,
	  "files[1]::5:324dcf02;" },
	{ "no filename, a small text: a field", "/upload", PART("name=file\r\n\r\nhello\r\n") END,
	  200, "file=hello;" },
	{ "no file was chosen", "/upload",
	  PART("name=file; filename=\"\"\r\n\r\n\r\n") PART("name=a\r\n\r\n1\r\n") END, 200,
	  "a=1;" },
	{ "an empty filename with content", "/upload",
	  PART("name=file; filename=\"\"\r\n\r\nhello\r\n") END, 200, "file::5:324dcf02;" },
	{ "a file where none is taken", "/form",
	  PART("name=doc; filename=x.txt\r\n\r\nhello\r\n") END, 400,
	  "refused: the field \"doc\" is a file, and this address takes none" },
	{ "a part without name", "/upload", "--b\r\nX: y\r\n\r\n1\r\n" END, 400,
	  "refused: part 1 of the form has no name" },
	{ "a form that does not end", "/upload", PART("name=a\r\n\r\n1"), 400,
	  "refused: the form ends before its last boundary" },
};

static void test_forms(struct kb_test *t)
{
	struct site site;

	site_init(&site);
	CHECK(t, site_start(&site));
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		for (int chunked = 0; chunked < 2; chunked++) {
			struct kb_arena arena = { 0 };
			struct kb_sv answer;

			t->row = rows[i].name;
			answer = send_form(&arena, &site, rows[i].target, kb_sv_str(rows[i].body),
			                   chunked);
			CHECK_INT(t, site_status(answer), rows[i].status);
			CHECK_SV(t, site_body(answer), rows[i].want);
			CHECK_INT(t, site_temp_files(&site), 0);
			kb_arena_fini(&arena);
		}
	}
	site_stop(&site, 1000);
}

/* A body of `files` files of n bytes each, and text fields. */
static void add_form(struct kb_buf *buf, int files, size_t n, int texts, size_t text_n,
                     const char *text_name)
{
	for (int i = 0; i < texts; i++) {
		kb_buf_printf(buf, PART("name=%s\r\n\r\n"), text_name);
		for (size_t k = 0; k < text_n; k++)
			kb_buf_byte(buf, 't');
		kb_buf_str(buf, "\r\n");
	}
	for (int i = 0; i < files; i++) {
		kb_buf_printf(buf, PART("name=file; filename=f%d\r\n\r\n"), i);
		for (size_t k = 0; k < n; k++)
			kb_buf_byte(buf, (char)(k * 31 + k / 251));
		kb_buf_str(buf, "\r\n");
	}
	kb_buf_str(buf, END);
}

static void test_limits(struct kb_test *t)
{
	static const struct {
		const char *name;
		int files;
		size_t n;
		int texts;
		size_t text_n;
		const char *text_name;
		int status;
		const char *say; /* stands in the answer */
	} limits[] = {
		{ "as many files as may be", 5, 10, 0, 0, "", 200, "file:f4:10:" },
		{ "one file more", 6, 10, 0, 0, "", 400, "more than 5 files" },
		{ "a file as large as may be", 1, 1000000, 0, 0, "", 200, "file:f0:1000000:" },
		{ "a larger file", 1, 1000001, 0, 0, "", 400,
		  "the file \"f0\" is over the limit of 976.5 KB" },
		{ "all files together", 3, 1000000, 0, 0, "", 200, "file:f2:1000000:" },
		{ "too much together", 4, 1000000, 0, 0, "", 400,
		  "the files of the request are over the limit of 3.3 MB together" },
		{ "a field as large as may be", 0, 0, 1, 1048576, "a", 200, "a=ttt" },
		{ "a larger field", 0, 0, 1, 1048577, "a", 400,
		  "the field \"a\" is over the limit of 1 MB" },
		{ "a larger field called file is one", 0, 0, 1, 1048577, "file", 400,
		  "the file \"\" is over the limit of 976.5 KB" },
		{ "all fields together", 0, 0, 4, 1048576, "a", 200, "a=ttt" },
		{ "too many bytes of fields", 0, 0, 5, 1000000, "a", 400,
		  "the text fields of the form are over the limit of 4 MB together" },
		{ "a thousand fields", 0, 0, 1000, 1, "a", 200, "a=t;" },
		{ "one field more", 0, 0, 1001, 1, "a", 400, "more than 1000 fields" },
	};
	struct site site;

	site_init(&site);
	site.config.upload_files_max = 5;
	site.config.upload_file_max = 1000000;
	site.config.upload_total_max = 3500000;
	CHECK(t, site_start(&site));
	for (size_t i = 0; i < KB_COUNTOF(limits); i++) {
		struct kb_arena arena = { 0 };
		struct kb_sv answer;
		struct kb_buf body;

		t->row = limits[i].name;
		kb_buf_init(&body, KB_MIB(16));
		add_form(&body, limits[i].files, limits[i].n, limits[i].texts, limits[i].text_n,
		         limits[i].text_name);
		answer = send_form(&arena, &site, "/upload", kb_buf_view(&body), false);
		CHECK_INT(t, site_status(answer), limits[i].status);
		CHECK(t, kb_sv_find(answer, kb_sv_str(limits[i].say)) > 0);
		CHECK_INT(t, site_temp_files(&site), 0);
		kb_buf_fini(&body);
		kb_arena_fini(&arena);
	}
	site_stop(&site, 1000);
}

/* What Content-Length tells already is refused before a byte of the body is read. */
static void test_refused_early(struct kb_test *t)
{
	static const struct {
		const char *name, *head;
		int64_t reserve;
		int status;
		const char *say;
	} early[] = {
		{ "over a gigabyte", "Content-Length: 1288490188\r\n", 0, 400,
		  "the request's body of 1.1 GB is too large: the files of one request may have 1 "
		  "GB "
		  "together" },
		{ "no room on the disk", "Content-Length: 1000000\r\n", INT64_C(1) << 60, 500,
		  "the upload of 976.5 KB does not fit: the disk has " },
		{ "no room for chunks either", "Transfer-Encoding: chunked\r\n", INT64_C(1) << 60,
		  500, "does not fit" },
	};

	for (size_t i = 0; i < KB_COUNTOF(early); i++) {
		struct kb_arena arena = { 0 };
		struct kb_sv answer;
		struct site site;

		t->row = early[i].name;
		site_init(&site);
		site.config.disk_reserve = early[i].reserve;
		CHECK(t, site_start(&site));
		answer =
		        site_ask(&arena, &site,
		                 kb_arena_printf(&arena,
		                                 "POST /upload HTTP/1.1\r\nHost: a\r\n"
		                                 "Content-Type: multipart/form-data; boundary=b\r\n"
		                                 "Expect: 100-continue\r\n%s\r\n",
		                                 early[i].head));
		CHECK_INT(t, site_status(answer), early[i].status);
		CHECK(t, kb_sv_find(answer, kb_sv_str(early[i].say)) > 0);
		CHECK_INT(t, site_count(answer, "100 Continue"), 0);
		kb_arena_fini(&arena);
		site_stop(&site, 1000);
	}
}

/* 40 MB in pieces that meet every place of the boundary, compared by hash. */
static void test_large(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_buf body;
	struct site site;
	struct kb_sv answer;
	char hash[KB_HASH_HEX];
	struct kb_buf file;

	site_init(&site);
	CHECK(t, site_start(&site));
	kb_buf_init(&body, KB_MIB(64));
	kb_buf_init(&file, KB_MIB(64));
	for (uint32_t i = 0; file.n < 40000000; i++) {
		kb_buf_u32(&file, i * 2654435761u);
		if (i % 1000 == 0)
			kb_buf_str(&file, "\r\n--a\r\n--\r");
	}
	kb_hash_hex(kb_buf_view(&file), hash);
	kb_buf_str(&body, PART("name=file; filename=big\r\n\r\n"));
	kb_buf_sv(&body, kb_buf_view(&file));
	kb_buf_str(&body, "\r\n" END);
	answer = send_form(&arena, &site, "/upload", kb_buf_view(&body), false);
	CHECK_INT(t, site_status(answer), 200);
	CHECK_SV(t, site_body(answer),
	         kb_arena_printf(&arena, "file:big:%zu:%.8s;", file.n, hash).p);
	CHECK_INT(t, site_temp_files(&site), 0);
	kb_buf_fini(&file);
	kb_buf_fini(&body);
	kb_arena_fini(&arena);
	site_stop(&site, 1000);
}

static void test_stale_files(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_err err;
	struct site site;

	site_init(&site);
	CHECK(t, kb_dir_make(site.temp_dir, &err));
	CHECK(t, kb_file_replace(kb_arena_printf(&arena, "%s/upload-abc", site.temp_dir).p,
	                         KB_SV("x"), &err));
	CHECK(t, kb_file_replace(kb_arena_printf(&arena, "%s/other", site.temp_dir).p, KB_SV("x"),
	                         &err));
	CHECK(t, site_start(&site));
	CHECK_INT(t, site_temp_files(&site), 1);
	kb_arena_fini(&arena);
	site_stop(&site, 1000);
}

/* ---- the disk fails ---- */

static bool feed_files(const char *dir, int64_t reserve, size_t n, struct kb_err *err)
{
	struct kb_upload_limits limits = { .files = true,
		                           .files_max = 10,
		                           .file_max = (int64_t)KB_MIB(100),
		                           .files_total_max = (int64_t)KB_MIB(100),
		                           .text_max = KB_MIB(1),
		                           .temp_dir = dir,
		                           .disk_reserve = reserve };
	struct kb_arena arena = { 0 };
	struct kb_upload *upload;
	struct kb_form_part *parts;
	struct kb_buf body;
	size_t count;
	bool ok;

	kb_buf_init(&body, KB_MIB(16));
	add_form(&body, 2, n, 1, 100, "a");
	upload = kb_upload_new(&arena, KB_SV("x; boundary=b"), &limits, err);
	ok = upload && kb_upload_feed(upload, kb_buf_view(&body), err)
	     && kb_upload_finish(upload, &parts, &count, err);
	kb_upload_free(upload);
	kb_buf_fini(&body);
	kb_arena_fini(&arena);
	return ok;
}

static void test_every_fault(struct kb_test *t)
{
	struct kb_err err;
	struct site site;

	site_init(&site);
	CHECK(t, kb_dir_make(site.temp_dir, &err));
	for (int n = 1;; n += KB_TEST_FAULT_STEP) {
		bool ok, fired;

		kb_fault_arm(n);
		ok = feed_files(site.temp_dir, 0, 1000, &err);
		fired = kb_fault_disarm();
		CHECK(t, ok || fired);
		CHECK_INT(t, site_temp_files(&site), 0);
		if (!fired) {
			CHECK(t, n > 2); /* both files were made to fail once */
			break;
		}
	}
	CHECK(t, site_start(&site));
	site_stop(&site, 100);
}

/* In a child of its own, with a disk of 2 MB: 0 good, 1 bad, 77 no such disk to be had. */
static int fill_small_disk(const char *dir)
{
	struct kb_err err = { 0 };

	if ((unshare(CLONE_NEWNS) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
	    || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0
	    || mount("none", dir, "tmpfs", 0, "size=2m") < 0)
		return 77;
	if (!feed_files(dir, 0, 500000, &err))
		return 1;
	if (feed_files(dir, 0, 3000000, &err) || err.code != KB_E_FULL)
		return 1;
	return feed_files(dir, 0, 500000, &err) ? 0 : 1; /* the failed one has left its room */
}

static void test_full_disk(struct kb_test *t)
{
	struct kb_err err;
	struct site site;
	int status;
	pid_t child;

	site_init(&site);
	CHECK(t, kb_dir_make(site.temp_dir, &err));
	child = fork();
	if (child == 0)
		_exit(fill_small_disk(site.temp_dir));
	CHECK(t, waitpid(child, &status, 0) == child && WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		kb_test_skip(t, "no right to mount a small disk");
	else
		CHECK_INT(t, WEXITSTATUS(status), 0);
	CHECK(t, site_start(&site));
	site_stop(&site, 100);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a full disk is an error, and leaves nothing", test_full_disk },
		{ "every step of storing may fail", test_every_fault },
		{ "forms as clients send them", test_forms },
		{ "limits of files and fields", test_limits },
		{ "what cannot fit is refused before it is sent", test_refused_early },
		{ "a large file arrives unchanged", test_large },
		{ "files of an earlier process are removed at start", test_stale_files },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
