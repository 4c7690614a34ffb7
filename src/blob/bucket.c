#include "blob/bucket.h"

#include <string.h>

#include "out/url.h"

enum { NAME_MIN = 3, NAME_MAX_BYTES = 63, PREFIX_MAX = 200, KEY_MAX = 1000, REGION_MAX = 64 };

static const char scheme[] = "s3://";

bool kb_bucket_is_named(const char *where)
{
	return where && strncmp(where, scheme, sizeof(scheme) - 1) == 0;
}

/* The rules of names that every server keeps; a name of them is itself in an address, and in a
 * signature. */
static bool check_name(struct kb_sv name, struct kb_err *err)
{
	bool ok = name.n >= NAME_MIN && name.n <= NAME_MAX_BYTES && name.p[0] != '.'
	          && name.p[0] != '-';

	for (size_t i = 0; ok && i < name.n; i++)
		ok = strchr("abcdefghijklmnopqrstuvwxyz0123456789.-_", name.p[i]) != NULL;
	if (ok)
		return true;
	return kb_fail(err, KB_E_INVALID,
	               "--blob names the bucket %.*s; a bucket's name has %d to %d small letters, "
	               "digits, hyphens and dots",
	               KB_SV_ARG(kb_sv_sub(name, 0, 100)), NAME_MIN, NAME_MAX_BYTES);
}

/* Letters that are the same in a key, an address and a signature. */
static bool check_prefix(struct kb_sv prefix, struct kb_err *err)
{
	struct kb_sv rest = prefix, part;
	bool ok = prefix.n <= PREFIX_MAX;

	for (size_t i = 0; ok && i < prefix.n; i++)
		ok = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_/",
		            prefix.p[i])
		     != NULL;
	while (ok && prefix.n && kb_sv_split(&rest, '/', &part))
		ok = part.n && !kb_sv_eq_str(part, ".") && !kb_sv_eq_str(part, "..");
	if (ok)
		return true;
	return kb_fail(err, KB_E_INVALID,
	               "--blob has the prefix %.*s; it must be at most %d letters, digits, dots, "
	               "hyphens and underscores, in parts with single slashes between",
	               KB_SV_ARG(kb_sv_sub(prefix, 0, 100)), PREFIX_MAX);
}

static bool is_printable(const char *text, size_t max)
{
	size_t n = strlen(text);

	for (size_t i = 0; i < n; i++)
		if ((unsigned char)text[i] <= ' ' || (unsigned char)text[i] >= 0x7f)
			return false;
	return n >= 1 && n <= max;
}

/* The two halves of the key; what they are is not repeated. */
static bool check_key(const struct kb_bucket_options *o, struct kb_err *err)
{
	const struct {
		const char *flag, *value;
	} rows[] = { { "--s3-key-id", o->key_id }, { "--s3-secret", o->secret } };

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		if (!rows[i].value || !*rows[i].value)
			return kb_fail(err, KB_E_INVALID, "--blob %s needs %s", o->where,
			               rows[i].flag);
		if (!is_printable(rows[i].value, KEY_MAX))
			return kb_fail(err, KB_E_INVALID,
			               "%s must be at most %d bytes of ASCII without blanks",
			               rows[i].flag, KEY_MAX);
	}
	return true;
}

static bool check_region(const char *region, struct kb_err *err)
{
	if (is_printable(region, REGION_MAX) && !strpbrk(region, ":/?#@"))
		return true;
	return kb_fail(err, KB_E_INVALID,
	               "--s3-region is %.100s; it must be a region's name, like eu-central-1",
	               region);
}

/* The server's address, of the option or of the region. It may hold a password and is not
 * repeated before that is known. */
static bool read_endpoint(struct kb_arena *arena, const struct kb_bucket_options *o,
                          const char *region, struct kb_url *url, struct kb_err *err)
{
	struct kb_sv text = o->endpoint
	                            ? kb_sv_str(o->endpoint)
	                            : kb_arena_printf(arena, "https://s3.%s.amazonaws.com", region);
	struct kb_err why;

	if (!kb_url_parse(arena, text, NULL, url, &why))
		return kb_fail(err, KB_E_INVALID, "--s3-endpoint: %s", why.msg);
	if (url->username.n || url->password.n)
		return kb_fail(
		        err, KB_E_INVALID,
		        "--s3-endpoint holds a user or password; give them as --s3-key-id and "
		        "--s3-secret");
	if (!kb_url_is_web(url) || url->query.p || url->fragment.p)
		return kb_fail(err, KB_E_INVALID,
		               "--s3-endpoint is %.200s; it must be the server's address, with "
		               "http:// or https:// and no question mark",
		               o->endpoint);
	return true;
}

static bool by_path(const struct kb_bucket_options *o, bool *path, struct kb_err *err)
{
	const char *addressing = o->addressing;

	*path = addressing ? strcmp(addressing, "path") == 0 : o->endpoint != NULL;
	return !addressing || *path || strcmp(addressing, "host") == 0
	       || kb_fail(err, KB_E_INVALID, "--s3-addressing is %.100s; it must be path or host",
	                  addressing);
}

/* The bucket in the path of its server's address, or in front of its name. */
static bool place(struct kb_arena *arena, const struct kb_url *url, bool path,
                  struct kb_bucket *out, struct kb_err *err)
{
	struct kb_sv below = url->path, port = KB_SV("");

	while (kb_sv_ends(below, KB_SV("/")))
		below.n--;
	out->is_address = url->host_kind != KB_HOST_DOMAIN;
	if (!path && out->is_address)
		return kb_fail(
		        err, KB_E_INVALID,
		        "--s3-addressing host needs a name in --s3-endpoint, not the address "
		        "%.*s",
		        KB_SV_ARG(url->host));
	out->port = kb_url_port(url);
	if (url->port >= 0)
		port = kb_arena_printf(arena, ":%d", url->port);
	out->host = path ? kb_arena_sv(arena, url->host)
	                 : kb_arena_printf(arena, "%.*s.%.*s", KB_SV_ARG(out->name),
	                                   KB_SV_ARG(url->host));
	out->base = kb_arena_printf(arena, "%.*s://%.*s%.*s%.*s", KB_SV_ARG(url->scheme),
	                            KB_SV_ARG(out->host), KB_SV_ARG(port), KB_SV_ARG(below));
	if (path)
		out->base = kb_arena_printf(arena, "%.*s/%.*s", KB_SV_ARG(out->base),
		                            KB_SV_ARG(out->name));
	out->shown = kb_arena_printf(arena, "the bucket %.*s at %.*s%.*s", KB_SV_ARG(out->name),
	                             KB_SV_ARG(url->host), KB_SV_ARG(port));
	return true;
}

bool kb_bucket_check(struct kb_arena *arena, const struct kb_bucket_options *o,
                     struct kb_bucket *out, struct kb_err *err)
{
	const char *region = o->region && *o->region ? o->region : "us-east-1";
	struct kb_sv rest = kb_sv_from(kb_sv_str(o->where), sizeof(scheme) - 1), prefix;
	ptrdiff_t slash = kb_sv_find_byte(rest, '/');
	struct kb_url url;
	bool path;

	*out = (struct kb_bucket){ .name = slash < 0 ? rest : kb_sv(rest.p, (size_t)slash) };
	prefix = slash < 0 ? KB_SV("") : kb_sv_from(rest, (size_t)slash + 1);
	if (kb_sv_ends(prefix, KB_SV("/")))
		prefix.n--;
	if (!check_name(out->name, err) || !check_prefix(prefix, err) || !check_key(o, err)
	    || !check_region(region, err) || !by_path(o, &path, err)
	    || !read_endpoint(arena, o, region, &url, err))
		return false;
	out->name = kb_arena_sv(arena, out->name);
	out->prefix = prefix.n ? kb_arena_printf(arena, "%.*s/", KB_SV_ARG(prefix)) : KB_SV("");
	out->region = kb_arena_str(arena, kb_sv_str(region));
	out->key_id = kb_arena_str(arena, kb_sv_str(o->key_id));
	out->secret = kb_arena_str(arena, kb_sv_str(o->secret));
	return place(arena, &url, path, out, err);
}
