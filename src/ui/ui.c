#include "ui/ui.h"

#include <string.h>

#include "base/hash.h"

#define FOREVER KB_SV("public, max-age=31536000, immutable")
#define ASKED   KB_SV("no-cache")

/* Nothing of a page of ours reaches for what it has no use of. */
#define NO_DEVICES                                                                                 \
	KB_SV("accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), "    \
	      "microphone=(), payment=(), usb=()")

const struct kb_ui_file *kb_ui_find(struct kb_sv name)
{
	for (size_t i = 0; i < kb_ui_file_count; i++)
		if (kb_sv_eq_str(name, kb_ui_files[i].name))
			return &kb_ui_files[i];
	return NULL;
}

/* "q=0", "q=0.0": refused. */
static bool is_zero(struct kb_sv params)
{
	ptrdiff_t at = kb_sv_find(params, KB_SV("q="));
	struct kb_sv weight;

	if (at < 0)
		return false;
	weight = kb_sv_trim(kb_sv_from(params, (size_t)at + 2));
	for (size_t i = 0; i < weight.n; i++)
		if (weight.p[i] != '0' && weight.p[i] != '.')
			return false;
	return true;
}

bool kb_ui_accepts(struct kb_sv accept_encoding, struct kb_sv coding)
{
	struct kb_sv rest = accept_encoding;
	bool any = false;

	while (rest.n) {
		ptrdiff_t comma = kb_sv_find_byte(rest, ',');
		struct kb_sv item = comma < 0 ? rest : kb_sv_sub(rest, 0, (size_t)comma);
		ptrdiff_t semicolon = kb_sv_find_byte(item, ';');
		struct kb_sv word =
		        kb_sv_trim(semicolon < 0 ? item : kb_sv_sub(item, 0, (size_t)semicolon));
		bool refused = semicolon >= 0 && is_zero(kb_sv_from(item, (size_t)semicolon + 1));

		if (kb_sv_ieq(word, coding))
			return !refused;
		if (kb_sv_eq_str(word, "*"))
			any = !refused;
		rest = comma < 0 ? KB_SV("") : kb_sv_from(rest, (size_t)comma + 1);
	}
	return any;
}

/* The smallest form that is taken; *coding is empty for the file as it is. */
static struct kb_sv choose(const struct kb_request *req, const struct kb_ui_file *file,
                           struct kb_sv *coding)
{
	struct kb_sv accepted = kb_request_field(req, "accept-encoding");

	*coding = KB_SV("br");
	if (file->brotli.n && kb_ui_accepts(accepted, *coding))
		return file->brotli;
	*coding = KB_SV("gzip");
	if (file->gzip.n && kb_ui_accepts(accepted, *coding))
		return file->gzip;
	*coding = KB_SV("");
	return file->body;
}

/* What goes with every page; the next free field. */
static size_t page_fields(struct kb_http_field *fields, struct kb_sv csp)
{
	fields[0] = (struct kb_http_field){ KB_SV("content-security-policy"), csp };
	fields[1] = (struct kb_http_field){ KB_SV("permissions-policy"), NO_DEVICES };
	fields[2] = (struct kb_http_field){ KB_SV("referrer-policy"), KB_SV("no-referrer") };
	return 3;
}

struct kb_response kb_ui_response(struct kb_request *req, const struct kb_ui_file *file,
                                  const char *csp)
{
	struct kb_response response = { .status = 200, .content_type = file->mime };
	struct kb_sv known = kb_request_field(req, "if-none-match"), coding;
	size_t n = 0;

	response.body = choose(req, file, &coding);
	response.fields[n++] =
	        (struct kb_http_field){ KB_SV("cache-control"), file->etag ? ASKED : FOREVER };
	response.fields[n++] = (struct kb_http_field){ KB_SV("vary"), KB_SV("accept-encoding") };
	if (coding.n)
		response.fields[n++] = (struct kb_http_field){ KB_SV("content-encoding"), coding };
	if (file->etag)
		response.fields[n++] =
		        (struct kb_http_field){ KB_SV("etag"), kb_sv_str(file->etag) };
	if (csp) {
		n += page_fields(response.fields + n, kb_sv_str(csp));
		response.fields[n++] = (struct kb_http_field){ KB_SV("cross-origin-opener-policy"),
			                                       KB_SV("same-origin") };
	}
	if (file->etag && known.n && kb_sv_find(known, kb_sv_str(file->etag)) >= 0) {
		response.status = 304;
		response.body = KB_SV("");
	}
	return response;
}

/* The shell with its places filled: "%" and what follows it, up to the next, where that is a name.
 */
static struct kb_sv fill(struct kb_request *req, struct kb_sv shell, const struct kb_ui_slot *slots,
                         size_t count)
{
	struct kb_buf buf;
	struct kb_sv out;

	kb_buf_init(&buf, KB_MIB(8));
	for (size_t i = 0; i < shell.n;) {
		size_t s = 0, n = 0;

		for (; shell.p[i] == '%' && s < count; s++) {
			n = strlen(slots[s].name);
			if (i + n + 1 < shell.n && memcmp(shell.p + i + 1, slots[s].name, n) == 0
			    && shell.p[i + n + 1] == '%')
				break;
		}
		if (shell.p[i] == '%' && s < count) {
			kb_buf_sv(&buf, slots[s].text);
			i += n + 2;
		} else {
			kb_buf_byte(&buf, shell.p[i++]);
		}
	}
	out = kb_arena_sv(req->arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

struct kb_response kb_ui_lost(struct kb_request *req, const struct kb_ui_file *file, int status,
                              const struct kb_ui_slot *slots, size_t count, const char *csp)
{
	struct kb_response response = {
		.status = status,
		.content_type = file->mime,
		.body = fill(req, file->body, slots, count),
	};
	size_t n = page_fields(response.fields, kb_sv_str(csp));

	response.fields[n++] = (struct kb_http_field){ KB_SV("cache-control"), ASKED };
	response.fields[n++] = (struct kb_http_field){ KB_SV("vary"), KB_SV("accept") };
	return response;
}

struct kb_response kb_ui_page(struct kb_request *req, const struct kb_ui_file *file,
                              const struct kb_ui_slot *slots, size_t count, struct kb_sv csp)
{
	struct kb_sv known = kb_request_field(req, "if-none-match"), etag;
	struct kb_response response = {
		.status = 200,
		.content_type = file->mime,
		.body = fill(req, file->body, slots, count),
	};
	size_t n = page_fields(response.fields, csp);

	etag = kb_arena_printf(req->arena, "\"%016" PRIx64 "\"",
	                       kb_hash64(response.body) ^ kb_hash64(csp));
	response.fields[n++] = (struct kb_http_field){ KB_SV("cache-control"), ASKED };
	/* It says where it stands. */
	response.fields[n++] =
	        (struct kb_http_field){ KB_SV("vary"),
		                        KB_SV("referer, sec-fetch-dest, accept-language") };
	response.fields[n++] = (struct kb_http_field){ KB_SV("etag"), etag };
	if (known.n && kb_sv_find(known, etag) >= 0) {
		response.status = 304;
		response.body = KB_SV("");
	}
	return response;
}
