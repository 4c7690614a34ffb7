/*
 * One film:
 *
 *   gate ─▶ folder ─▶ process, to its end ─▶ the best of its files ─▶ all of it goes
 *
 * The program is asked for the title, which it writes to its standard output, and for WebVTT in the
 * language that is liked best, in English, and as it was spoken.
 */
#include "crawl/films.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "crawl/browser_impl.h"
#include "crawl/own_folder.h"
#include "crawl/program.h"
#include "out/gate.h"

enum {
	LOOK_US = 20000, /* between looks at whether it has ended */
	ARGS_MAX = 40,
	TITLE_MAX = 300,
	LANG_MAX = 12,
};
#define FOLDER_NAME "docent-film-"
#define CHILD       "film-child"

struct kb_films {
	struct kb_program program;
	char *hosts; /* NULL: no more than are known */
	struct kb_fetcher *fetcher;
};

/* ---- the program, and what it is asked for ---- */

static const char *const usual[] = { "/usr/bin/yt-dlp", "/usr/local/bin/yt-dlp" };

bool kb_films_new(const char *program, const char *hosts, struct kb_fetcher *fetcher,
                  struct kb_films **out, struct kb_err *err)
{
	struct kb_films *films = kb_xcalloc(1, sizeof(*films));

	*out = NULL;
	if (!kb_program_init(&films->program, program, usual, KB_COUNTOF(usual), err)) {
		free(films);
		return false;
	}
	if (films->program.path)
		kb_own_folder_sweep(FOLDER_NAME);
	films->hosts = hosts ? kb_xstrdup(hosts) : NULL;
	films->fetcher = fetcher;
	*out = films;
	return true;
}

void kb_films_free(struct kb_films *films)
{
	if (!films)
		return;
	kb_program_fini(&films->program);
	free(films->hosts);
	free(films);
}

bool kb_films_can_read(const struct kb_films *films)
{
	return films->program.path != NULL;
}

const char *kb_films_program(const struct kb_films *films)
{
	return films->program.path;
}

/* Where films are; '#' in a path is a figure. A site's other pages are read as pages. */
static const struct {
	const char *host, *path;
} sites[] = {
	{ "youtube.com", "/watch" }, { "youtube.com", "/shorts/" },
	{ "youtube.com", "/live/" }, { "youtu.be", "/" },
	{ "vimeo.com", "/#" },       { "dailymotion.com", "/video/" },
	{ "ted.com", "/talks/" },    { "media.ccc.de", "/v/" },
};

static bool is_at(struct kb_sv host, struct kb_sv site)
{
	size_t beside = host.n > site.n ? host.n - site.n : 0;

	return site.n && host.n >= site.n && kb_sv_ieq(kb_sv_from(host, beside), site)
	       && (!beside || host.p[beside - 1] == '.');
}

static bool begins_with(struct kb_sv path, const char *pattern)
{
	size_t n = strlen(pattern);

	for (size_t i = 0; i < n; i++)
		if (i >= path.n
		    || (pattern[i] == '#' ? path.p[i] < '0' || path.p[i] > '9'
		                          : path.p[i] != pattern[i]))
			return false;
	return true;
}

bool kb_films_is_film(const struct kb_films *films, const struct kb_url *url)
{
	struct kb_sv rest = kb_sv_str(films->hosts), host;

	if (!kb_url_is_web(url))
		return false;
	for (size_t i = 0; i < KB_COUNTOF(sites); i++)
		if (is_at(url->host, kb_sv_str(sites[i].host))
		    && begins_with(url->path, sites[i].path))
			return true;
	while (rest.n && kb_sv_split(&rest, ',', &host))
		if (is_at(url->host, kb_sv_trim(host)))
			return true;
	return false;
}

/* ---- one film ---- */

struct film {
	struct kb_films *films;
	struct kb_arena *arena;
	const struct kb_film_request *request;
	struct kb_gate *gate;
	struct kb_own_folder folder;
	struct kb_sv lang; /* of letters alone; "en" where nobody likes one */
	pid_t pid;         /* and process group; 0: none */
	int64_t deadline_us;
};

static const char *const switches[] = {
	"--ignore-config",
	"--no-cache-dir",
	"--no-playlist",
	"--playlist-items",
	"1",
	"--skip-download",
	"--no-simulate",
	"--quiet",
	"--no-warnings",
	"--no-progress",
	"--no-mtime",
	"--no-part",
	"--retries",
	"2",
	"--print",
	"%(title)s",
	"--write-subs",
	"--write-auto-subs",
	"--sub-format",
	"vtt",
	"-o",
	"film.%(ext)s",
};

static struct kb_sv language_of(struct kb_sv lang)
{
	size_t n = 0;

	while (n < lang.n && n < LANG_MAX && (lang.p[n] | 0x20) >= 'a' && (lang.p[n] | 0x20) <= 'z')
		n++;
	return n ? kb_sv_sub(lang, 0, n) : KB_SV("en");
}

static bool spawn_program(struct film *f, struct kb_err *err)
{
	const char *argv[ARGS_MAX] = { "docent", CHILD };
	posix_spawn_file_actions_t actions;
	size_t n = 2;
	int status, port = kb_gate_port(f->gate);

	argv[n++] = kb_arena_printf(f->arena, "%d", port).p;
	argv[n++] = f->folder.path;
	argv[n++] = f->films->program.path;
	for (size_t i = 0; i < KB_COUNTOF(switches); i++)
		argv[n++] = switches[i];
	argv[n++] = "--proxy";
	argv[n++] = kb_arena_printf(f->arena, "http://127.0.0.1:%d", port).p;
	argv[n++] = "--sub-langs";
	argv[n++] = kb_arena_printf(f->arena, "%.*s,en,.*-orig", KB_SV_ARG(f->lang)).p;
	argv[n++] = "--";
	argv[n++] = kb_arena_str(f->arena, f->request->url);
	static_assert(KB_COUNTOF(switches) + 12 < ARGS_MAX,
	              "the switches have outgrown their array");

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 1,
	                                 kb_arena_printf(f->arena, "%s/title", f->folder.path).p,
	                                 O_WRONLY | O_CREAT | O_EXCL, 0600);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	status = kb_browser_spawn(&f->pid, &actions, argv);
	posix_spawn_file_actions_destroy(&actions);
	if (status == 0)
		return true;
	f->pid = 0;
	return kb_fail(err, KB_E_UPSTREAM, "yt-dlp cannot be started: %s", strerror(status));
}

static bool goes_on(const struct film *f, struct kb_err *err)
{
	if (kb_fetcher_is_cancelled(f->films->fetcher))
		return kb_fail(err, KB_E_CANCELLED, "the service is stopping");
	if (kb_clock_mono_us() > f->deadline_us)
		return kb_fail(err, KB_E_TIMEOUT,
		               "yt-dlp was not done with the film within %d seconds",
		               f->request->patience.whole * KB_FILM_TIMES);
	return !kb_gate_is_full(f->gate)
	       || kb_fail(err, KB_E_TOO_LARGE, "yt-dlp fetches more than %d MB for the film",
	                  KB_FILM_BYTES_MAX >> 20);
}

/* To its end; what it has started ends with it. waitpid() knows no time limit, and what may stop it
 * is asked for, so it is looked at. */
static bool wait_for_program(struct film *f, int *status, struct kb_err *err)
{
	bool ok = true;
	pid_t ended;

	do {
		ended = waitpid(f->pid, status, WNOHANG);
		ok = ended != 0 || goes_on(f, err);
		if (ended == 0 && ok)
			usleep(LOOK_US);
	} while (ok && (ended == 0 || (ended < 0 && errno == EINTR)));
	kill(-f->pid, SIGKILL);
	while (!ok && waitpid(f->pid, status, 0) < 0 && errno == EINTR)
		;
	return ok;
}

static bool explain(int status, struct kb_err *err)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return kb_fail(err, KB_E_NOT_FOUND, "the film has no subtitles that yt-dlp finds");
	if (WIFEXITED(status) && WEXITSTATUS(status) == KB_BROWSER_NO_WALLS)
		return kb_fail(err, KB_E_UNSUPPORTED,
		               "the system does not let the service put walls around yt-dlp");
	return kb_fail(err, KB_E_NOT_FOUND,
	               "yt-dlp gets no subtitles of the film: it may be private, gone or not to be "
	               "seen here, or yt-dlp may be too old for the site");
}

/* ---- what it has written ---- */

/* "film.de.vtt": how much it is liked; 0: it is none. */
static int rank(const struct film *f, struct kb_sv name)
{
	static const struct kb_sv begin = KB_SV_INIT("film."), end = KB_SV_INIT(".vtt");
	struct kb_sv lang;

	if (!kb_sv_starts(name, begin) || !kb_sv_ends(name, end) || name.n <= begin.n + end.n)
		return 0;
	lang = kb_sv_sub(name, begin.n, name.n - begin.n - end.n);
	return kb_sv_ieq(lang, f->lang)           ? 4
	       : kb_sv_ends(lang, KB_SV("-orig")) ? 3
	       : kb_sv_ieq_str(lang, "en")        ? 2
	                                          : 1;
}

static const char *best_file(struct film *f)
{
	int fd = dup(f->folder.fd);
	DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
	const char *best = NULL;
	struct dirent *entry;
	int most = 0;

	if (!list)
		kb_fd_close(&fd);
	while (list && (entry = readdir(list))) {
		int liked = rank(f, kb_sv_str(entry->d_name));

		if (liked > most) {
			most = liked;
			best = kb_arena_str(f->arena, kb_sv_str(entry->d_name));
		}
	}
	if (list)
		closedir(list);
	return best;
}

/* A file of the folder, whose name may lead anywhere by now. */
static bool read_file(struct film *f, const char *name, size_t max, struct kb_sv *out)
{
	int fd = openat(f->folder.fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	char *bytes;
	ssize_t n = -1;

	*out = KB_SV("");
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		bytes = kb_arena_bytes(f->arena, KB_MIN((size_t)st.st_size, max) + 1);
		n = pread(fd, bytes, KB_MIN((size_t)st.st_size, max), 0);
		if (n > 0)
			*out = kb_sv(bytes, (size_t)n);
	}
	kb_fd_close(&fd);
	return n > 0;
}

/* The file, with the film's title in its first line, where WebVTT has room for one. */
static bool hand_over(struct film *f, const char *name, struct kb_fetch_response *out,
                      struct kb_err *err)
{
	static const struct kb_sv mark = KB_SV_INIT("WEBVTT");
	struct kb_sv text, title, line, first;
	struct kb_sv all;

	if (!read_file(f, name, (size_t)KB_FILM_TEXT_MB << 20, &text) || !kb_sv_starts(text, mark)
	    || !kb_sv_split(&text, '\n', &line))
		return kb_fail(err, KB_E_UPSTREAM, "yt-dlp wrote no WebVTT for the film");
	(void)read_file(f, "title", TITLE_MAX, &title);
	if (!kb_sv_split(&title, '\n', &first))
		first = KB_SV("");
	all = kb_arena_printf(f->arena, "WEBVTT - %.*s\n%.*s", KB_SV_ARG(kb_sv_trim(first)),
	                      KB_SV_ARG(text));
	out->url = f->request->url;
	out->status = 200;
	out->content_type = KB_SV("text/vtt");
	return kb_program_hand_over(all, "a film's subtitles", out, err);
}

static bool read_film(struct film *f, struct kb_fetch_response *out, struct kb_err *err)
{
	struct kb_gate_limits limits = { KB_FILM_BYTES_MAX, f->request->patience, true };
	const char *name = NULL;
	int status = 0;
	bool ok;

	f->gate = kb_gate_open(f->films->fetcher, &limits, err);
	ok = f->gate && kb_own_folder_make(FOLDER_NAME, KB_USER_FILM, &f->folder, err)
	     && spawn_program(f, err) && wait_for_program(f, &status, err);
	if (ok) {
		name = best_file(f);
		ok = name ? hand_over(f, name, out, err) : explain(status, err);
	}
	kb_own_folder_remove(&f->folder);
	kb_gate_close(f->gate);
	return ok;
}

bool kb_films_read(struct kb_films *films, struct kb_arena *arena,
                   const struct kb_film_request *request, struct kb_fetch_response *out,
                   struct kb_err *err)
{
	struct film f = {
		.films = films,
		.arena = arena,
		.request = request,
		.folder = { .fd = -1 },
		.lang = language_of(request->lang),
		.deadline_us =
		        kb_clock_mono_us() + request->patience.whole * KB_FILM_TIMES * KB_SECOND_US,
	};
	bool ok;

	*out = (struct kb_fetch_response){ .fd = -1 };
	if (!kb_program_enter(&films->program, KB_FILMS_MAX))
		return kb_fail(err, KB_E_BUSY, "all places for films are taken");
	ok = read_film(&f, out, err);
	kb_program_leave(&films->program);
	return ok;
}
