/* Which addresses are films of video sites. */
#include "crawl/films.h"

#include <stdlib.h>

#include "test.h"

static void test_addresses(struct kb_test *t)
{
	// clang-format off
	static const struct {
		const char *name, *url;
		bool is_film;
	} rows[] = {
		{ "a film", "https://www.youtube.com/watch?v=abc", true },
		{ "on the site's own name", "https://youtube.com/watch?v=abc", true },
		{ "its short address", "https://youtu.be/abc", true },
		{ "a short one", "https://m.youtube.com/shorts/abc", true },
		{ "the site's start is a page", "https://www.youtube.com/", false },
		{ "a channel is a page", "https://www.youtube.com/@velmora", false },
		{ "a number", "https://vimeo.com/1234", true },
		{ "a name in place of a number", "https://vimeo.com/about", false },
		{ "a host that only ends alike", "https://notyoutube.com/watch?v=abc", false },
		{ "a host that only begins alike", "https://youtube.com.evil.org/watch?v=abc", false },
		{ "a host of the operator's", "https://films.example.org/a", true },
		{ "a part of it", "https://a.films.example.org/", true },
		{ "another of his", "http://127.0.0.1:8080/a", true },
		{ "what it is a part of", "https://example.org/a", false },
		{ "no page of the web", "ftp://youtu.be/abc", false },
	};
	// clang-format on
	struct kb_arena arena = { 0 };
	struct kb_films *films;
	struct kb_err err;

	CHECK(t, kb_films_new("none", " films.example.org, 127.0.0.1 ,", NULL, &films, &err));
	CHECK(t, !kb_films_can_read(films));
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_url url;

		t->row = rows[i].name;
		CHECK(t, kb_url_parse(&arena, kb_sv_str(rows[i].url), NULL, &url, NULL));
		CHECK_INT(t, kb_films_is_film(films, &url), rows[i].is_film);
	}
	t->row = NULL;
	kb_films_free(films);
	CHECK(t, !kb_films_new("/nowhere/yt-dlp", NULL, NULL, &films, &err));
	CHECK_INT(t, err.code, KB_E_INVALID);
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "films are told by their host and path", test_addresses },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
