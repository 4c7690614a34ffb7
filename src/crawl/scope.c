#include "crawl/scope.h"

#include "crawl/page_address.h"

bool kb_scope_read(struct kb_arena *arena, struct kb_sv start, struct kb_sv landed, bool whole_host,
                   struct kb_scope *out, struct kb_err *err)
{
	struct kb_url url;

	out->whole_host = whole_host;
	if (!kb_url_parse(arena, start, NULL, &url, err)
	    || !kb_url_parse(arena, kb_page_address(arena, &url), NULL, &out->roots[0], err))
		return false;
	out->roots[1] = out->roots[0];
	return landed.n == 0 || kb_url_parse(arena, landed, NULL, &out->roots[1], err);
}

static struct kb_sv bare(struct kb_sv host)
{
	return kb_sv_starts(host, KB_SV("www.")) ? kb_sv_from(host, 4) : host;
}

/* "/a" holds "/a" and all under "/a/", "/a/" what begins so. */
static bool is_under(struct kb_sv path, struct kb_sv start)
{
	if (kb_sv_eq(path, start))
		return true;
	return kb_sv_starts(path, start)
	       && (kb_sv_ends(start, KB_SV("/")) || path.p[start.n] == '/');
}

static bool is_of(const struct kb_scope *scope, const struct kb_url *root, const struct kb_url *url)
{
	return kb_sv_eq(bare(url->host), bare(root->host)) && url->port == root->port
	       && (url->port < 0 || kb_sv_eq(url->scheme, root->scheme))
	       && (scope->whole_host || is_under(url->path, root->path));
}

/* What a link may lead to that nobody reads: by the ending of its name. */
static bool is_no_document(struct kb_sv path)
{
	static const char *const endings[] = {
		"7z",   "apk",  "avi",  "avif", "bin", "bmp", "bz2",   "css",  "deb",  "dmg",
		"eot",  "exe",  "flac", "flv",  "gif", "gz",  "ico",   "img",  "iso",  "jar",
		"jpeg", "jpg",  "js",   "json", "m4a", "m4v", "map",   "mjs",  "mkv",  "mov",
		"mp3",  "mp4",  "mpeg", "mpg",  "msi", "ogg", "ogv",   "otf",  "png",  "psd",
		"rar",  "rpm",  "svg",  "tar",  "tgz", "tif", "tiff",  "ttf",  "wasm", "wav",
		"webm", "webp", "wmv",  "woff", "xz",  "zip", "woff2", "atom", "rss",  "xml",
	};
	size_t dot = path.n;

	while (dot > 0 && path.p[dot - 1] != '.' && path.p[dot - 1] != '/')
		dot--;
	if (dot == 0 || path.p[dot - 1] != '.')
		return false;
	for (size_t i = 0; i < KB_COUNTOF(endings); i++)
		if (kb_sv_ieq_str(kb_sv_from(path, dot), endings[i]))
			return true;
	return false;
}

bool kb_scope_takes(struct kb_arena *arena, const struct kb_scope *scope, const struct kb_url *url,
                    struct kb_sv *name)
{
	struct kb_url own = *url;

	if (!kb_url_is_web(url) || url->username.n || url->password.n || is_no_document(url->path))
		return false;
	for (size_t i = 0; i < KB_COUNTOF(scope->roots); i++)
		if (is_of(scope, &scope->roots[i], url)) {
			/* http and https are one website: its start says which. */
			own.scheme = scope->roots[i].scheme;
			*name = kb_page_address(arena, &own);
			return true;
		}
	return false;
}
