/*
 * Films of video sites: what is said in them, by a program of the system's (yt-dlp), which finds
 * the subtitles that a site keeps of a film.
 *
 * Each film gets a process of its own, in a process group, with a folder that goes with it. Where
 * the service is root it runs as a user of no rights (base/user.h). It may read programs and
 * libraries and write to that folder alone (Landlock, where the kernel has it), cannot send
 * datagrams, and has limits on time, memory and what it writes. All its requests go through a gate
 * (out/gate.h): every address is judged as others are, and only public ones are open.
 *
 * A call blocks for seconds; any thread.
 */
#ifndef KB_CRAWL_FILMS_H
#define KB_CRAWL_FILMS_H

#include "out/fetch.h"

struct kb_films;

enum {
	KB_FILMS_MAX = 2,              /* at a time, in one process */
	KB_FILM_TIMES = 3,             /* of the time that a page has */
	KB_FILM_TEXT_MB = 20,          /* of one file of subtitles */
	KB_FILM_BYTES_MAX = 100 << 20, /* of all that one fetches */
};

/* program: its path; NULL: yt-dlp where it mostly is, if it is installed; "none": no program.
 * hosts: of more sites, each with its subdomains, separated by commas; may be NULL. The fetcher
 * outlives it. KB_E_INVALID: the program cannot be run. */
bool kb_films_new(const char *program, const char *hosts, struct kb_fetcher *fetcher,
                  struct kb_films **out, struct kb_err *err) KB_MUST_CHECK;
/* None may be in progress. NULL is fine. */
void kb_films_free(struct kb_films *films);

/* Whether there is a film at that address, as far as its host and path say. */
bool kb_films_is_film(const struct kb_films *films, const struct kb_url *url);
/* Whether there is a program that reads them. */
bool kb_films_can_read(const struct kb_films *films);
/* Its path; NULL: there is none. */
const char *kb_films_program(const struct kb_films *films);

struct kb_film_request {
	struct kb_sv url;
	struct kb_sv lang; /* that is liked best; may be empty */
	struct kb_fetch_patience patience;
};
/* What is said in it, as kb_fetch() would give a file of WebVTT. KB_E_BUSY: as many as may be are
 * being read. KB_E_NOT_FOUND: there are no subtitles, or the program gets none. KB_E_UNSUPPORTED:
 * its walls cannot be put up here. KB_E_UPSTREAM: it does not start, or writes no WebVTT.
 * KB_E_TIMEOUT, KB_E_TOO_LARGE, KB_E_CANCELLED. */
bool kb_films_read(struct kb_films *films, struct kb_arena *arena,
                   const struct kb_film_request *request, struct kb_fetch_response *out,
                   struct kb_err *err) KB_MUST_CHECK;

/* Of the process that becomes the program: `docent film-child PORT FOLDER PROGRAM …`. */
int kb_film_child_main(int argc, char **argv);

#endif
