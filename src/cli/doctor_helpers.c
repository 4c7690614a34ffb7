/* docent doctor, what lies beside the program: helper programs and their versions, the browser,
 * fonts, tables. */
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "cli/doctor.h"
#include "cli/encoding.h"
#include "crawl/browser.h"
#include "crawl/films.h"
#include "index/meaning.h"
#include "out/curl.h"

/* ---- what a program says of itself ---- */

enum { VERSION_MS = 10000, SAID = 400 };

/* What it writes in that time, at most `size` bytes; then it is ended. */
static void listen_to(pid_t pid, int fd, char *said, size_t size)
{
	int64_t until = kb_clock_mono_us() + VERSION_MS * INT64_C(1000), left;
	size_t n = 0;
	int status;

	while (n + 1 < size && (left = until - kb_clock_mono_us()) > 0) {
		struct pollfd pollfd = { .fd = fd, .events = POLLIN };
		ssize_t got;

		if (poll(&pollfd, 1, (int)(left / 1000) + 1) <= 0)
			continue;
		got = read(fd, said + n, size - 1 - n);
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	said[n] = '\0';
	kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
}

/* The first word that begins with a digit: "22.12.0" of "pdftotext version 22.12.0". */
static const char *first_number(const char *said, size_t *n)
{
	for (const char *at = said; *at; at++)
		if (isdigit((unsigned char)*at) && (at == said || strchr(" \tv\n", at[-1]))) {
			*n = strcspn(at, " \t\r\n,;)");
			return at;
		}
	*n = 0;
	return said;
}

/* Empty where it cannot be run, or says no number. */
static struct kb_sv version_of(struct kb_doctor *doctor, const char *program, const char *flag)
{
	char *argv[] = { (char *)(uintptr_t)program, (char *)(uintptr_t)flag, NULL };
	static const char *const environment[] = { "PATH=/usr/bin:/bin", "HOME=/nonexistent",
		                                   NULL };
	posix_spawn_file_actions_t actions;
	char said[SAID] = "";
	const char *number;
	int ends[2];
	pid_t pid;
	size_t n;
	bool ok;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return KB_SV("");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
	ok = posix_spawn(&pid, program, &actions, NULL, argv, (char **)(uintptr_t)environment) == 0;
	posix_spawn_file_actions_destroy(&actions);
	kb_fd_close(&ends[1]);
	if (ok)
		listen_to(pid, ends[0], said, sizeof(said));
	kb_fd_close(&ends[0]);
	number = first_number(said, &n);
	return kb_arena_sv(doctor->arena, kb_sv(number, n));
}

/* ---- helpers ---- */

// clang-format off
static const struct helper {
	const char *path, *flag, *without, *remedy;
} helpers[] = {
	{ "/usr/bin/pdftotext", "-v", "PDF documents cannot be read", "install poppler-utils" },
	{ "/usr/bin/pdftoppm", "-v", "pages of PDF documents cannot be looked at", "install poppler-utils" },
	{ "/usr/bin/pdfimages", "-v", "pictures within PDF documents are not read", "install poppler-utils" },
	{ "/usr/bin/pdftocairo", "-v", "drawings within PDF documents are not read", "install poppler-utils" },
	{ "/usr/bin/tesseract", "--version", "text in pictures and scanned pages cannot be read", "install tesseract-ocr" },
	{ "/usr/bin/catdoc", "-V", "Word documents from before 2007 cannot be read", "install catdoc" },
};
// clang-format on

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Of tesseract: what each of its files reads. */
static void look_at_languages(struct kb_doctor *doctor)
{
	static const char *const folders[] = { "/usr/share/tesseract-ocr/5/tessdata",
		                               "/usr/share/tesseract-ocr/4.00/tessdata",
		                               "/usr/share/tessdata" };
	static const char end[] = ".traineddata";
	struct kb_buf list;
	bool english = false;

	kb_buf_init(&list, 1000);
	for (size_t i = 0; i < KB_COUNTOF(folders); i++) {
		DIR *dir = opendir(folders[i]);
		const struct dirent *entry;

		while (dir && (entry = readdir(dir))) {
			struct kb_sv name = kb_sv_str(entry->d_name);

			if (!kb_sv_ends(name, kb_sv_str(end)))
				continue;
			name = kb_sv_sub(name, 0, name.n - strlen(end));
			if (kb_sv_eq_str(name, "osd"))
				continue;
			english |= kb_sv_eq_str(name, "eng");
			kb_buf_printf(&list, " %.*s", KB_SV_ARG(name));
		}
		if (dir)
			closedir(dir);
	}
	if (!english)
		kb_doctor_warn(doctor, "helpers", "install tesseract-ocr-eng",
		               "tesseract has no English, which is always tried (it has%.*s)",
		               list.n ? (int)list.n : 8, list.n ? list.p : " nothing");
	else
		kb_doctor_ok(doctor, "helpers", "tesseract reads%.*s",
		             KB_SV_ARG(kb_buf_view(&list)));
	kb_buf_fini(&list);
}

/* Libraries that are loaded when they are needed. */
static void look_at_libraries(struct kb_doctor *doctor)
{
	void *pictures = dlopen("liblept.so.5", RTLD_NOW | RTLD_LOCAL);
	struct kb_err err;

	if (pictures)
		dlclose(pictures);
	else
		kb_doctor_warn(doctor, "helpers", "install tesseract-ocr, which brings leptonica",
		               "pictures are not shown nor read: leptonica is missing");
	if (!kb_curl_load(&err))
		kb_doctor_warn(doctor, "helpers", "install libcurl4",
		               "websites, buckets and model servers cannot be asked: %s", err.msg);
}

void kb_doctor_helpers(struct kb_doctor *doctor)
{
	for (size_t i = 0; i < KB_COUNTOF(helpers); i++) {
		const struct helper *helper = &helpers[i];
		struct kb_sv version;

		if (access(helper->path, X_OK) != 0) {
			kb_doctor_warn(doctor, "helpers", helper->remedy, "%s is missing: %s",
			               base_name(helper->path), helper->without);
			continue;
		}
		version = version_of(doctor, helper->path, helper->flag);
		if (version.n)
			kb_doctor_ok(doctor, "helpers", "%s %.*s", base_name(helper->path),
			             KB_SV_ARG(version));
		else
			kb_doctor_warn(doctor, "helpers", "install its package anew",
			               "%s does not say its version; %s", helper->path,
			               helper->without);
	}
	if (access("/usr/bin/tesseract", X_OK) == 0)
		look_at_languages(doctor);
	look_at_libraries(doctor);
}

/* ---- the browser and the reader of films ---- */

/* Whether a process like this one may make a user namespace, which Chromium's sandbox stands on. */
static bool may_make_namespace(void)
{
	int status = 1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(unshare(CLONE_NEWUSER) == 0 ? 0 : 1);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && status == 0;
}

/* Or a helper that is root for it. */
static bool has_sandbox_helper(const char *program)
{
	char path[4096];
	struct stat st;
	int n = snprintf(path, sizeof(path), "%.*schrome-sandbox",
	                 (int)(base_name(program) - program), program);

	return n > 0 && (size_t)n < sizeof(path) && stat(path, &st) == 0 && st.st_uid == 0
	       && st.st_mode & S_ISUID;
}

static void look_at_browser(struct kb_doctor *doctor, const struct kb_browser *browser)
{
	const char *program = kb_browser_program(browser);
	struct kb_sv version;

	if (!program) {
		kb_doctor_ok(doctor, "browser",
		             "none: pages whose text is written by scripts stay empty (install "
		             "chromium for them)");
		return;
	}
	version = version_of(doctor, program, "--version");
	if (!version.n)
		kb_doctor_warn(doctor, "browser", "run it by hand, or say --chromium none",
		               "%s does not say its version", program);
	else if (!may_make_namespace() && !has_sandbox_helper(program))
		kb_doctor_warn(
		        doctor, "browser",
		        "allow user namespaces (kernel.unprivileged_userns_clone, AppArmor, "
		        "RestrictNamespaces), install chromium-sandbox, or say --chromium none",
		        "%s %.*s cannot put up its sandbox here, so pages of scripts stay "
		        "empty",
		        program, KB_SV_ARG(version));
	else
		kb_doctor_ok(doctor, "browser", "%s %.*s", program, KB_SV_ARG(version));
}

static void look_at_films(struct kb_doctor *doctor, const struct kb_films *films)
{
	const char *program = kb_films_program(films);
	struct kb_sv version;

	if (!program) {
		kb_doctor_ok(doctor, "films",
		             "none: what is said in films of video sites is not read "
		             "(install yt-dlp for it)");
		return;
	}
	version = version_of(doctor, program, "--version");
	if (version.n)
		kb_doctor_ok(doctor, "films", "%s %.*s", program, KB_SV_ARG(version));
	else
		kb_doctor_warn(doctor, "films", "run it by hand, or say --yt-dlp none",
		               "%s does not say its version", program);
}

void kb_doctor_browser(struct kb_doctor *doctor)
{
	const struct kb_options *o = &doctor->options;
	struct kb_fetcher *fetcher = kb_fetcher_new(NULL, NULL, doctor->places.temp, NULL);
	struct kb_browser *browser = NULL;
	struct kb_films *films = NULL;
	struct kb_err err;

	/* Those that are named and cannot be run are told of as options. */
	if (fetcher && kb_browser_new(o->chromium, fetcher, &browser, &err))
		look_at_browser(doctor, browser);
	if (fetcher && kb_films_new(o->yt_dlp, o->video_hosts, fetcher, &films, &err))
		look_at_films(doctor, films);
	kb_films_free(films);
	kb_browser_free(browser);
	kb_fetcher_free(fetcher);
}

/* ---- fonts ---- */

static bool is_font(const char *name)
{
	static const char *const ends[] = { ".ttf", ".otf", ".ttc", ".pfb", ".t1" };

	for (size_t i = 0; i < KB_COUNTOF(ends); i++)
		if (kb_sv_ends(kb_sv_str(name), kb_sv_str(ends[i])))
			return true;
	return false;
}

static int stop_at_font(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)ftw;
	return (kind == FTW_F || kind == FTW_SL) && is_font(path);
}

void kb_doctor_fonts(struct kb_doctor *doctor)
{
	enum { FOLDERS = 16 };

	if (nftw("/usr/share/fonts", stop_at_font, FOLDERS, FTW_PHYS) == 1
	    || nftw("/usr/local/share/fonts", stop_at_font, FOLDERS, FTW_PHYS) == 1)
		kb_doctor_ok(doctor, "fonts", "there are some for pages that bring none");
	else
		kb_doctor_warn(doctor, "fonts", "install fonts-dejavu-core, or fonts-noto",
		               "none is installed: words of PDF documents that bring no fonts are "
		               "missing where their pages are shown");
	if (access("/usr/share/poppler/cMap", R_OK) != 0)
		kb_doctor_warn(doctor, "fonts", "install poppler-data",
		               "texts of some Chinese, Japanese and Korean PDF documents cannot be "
		               "read");
}

/* ---- tables of the search ---- */

void kb_doctor_tables(struct kb_doctor *doctor)
{
	static const char remedy[] =
	        "install docent-data, or share/docent of the release beside the "
	        "program's folder";
	static const char by_words[] = "is missing: passages are found by their words alone";
	const struct kb_options *o = &doctor->options;
	char path[4096];
	struct kb_err err;

	if (!o->meaning && !kb_installed_file("meaning.kbm", path, sizeof(path)))
		kb_doctor_warn(doctor, "tables", remedy, "meaning.kbm %s", by_words);
	else
		kb_doctor_ok(doctor, "tables", "meanings: %s", o->meaning ? o->meaning : path);
	if (o->embed_url)
		kb_doctor_ok(doctor, "tables", "no encoder is wanted: a server has its place");
	else if (!o->encoder && !kb_installed_file("encoder.kbe", path, sizeof(path)))
		kb_doctor_warn(doctor, "tables", remedy, "encoder.kbe %s", by_words);
	else if (!kb_encoding_check(o->encoder, &err))
		kb_doctor_warn(doctor, "tables", remedy, "encoder: %s", err.msg);
	else
		kb_doctor_ok(doctor, "tables", "encoder: %s", o->encoder ? o->encoder : path);
}
