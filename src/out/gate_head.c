#include "out/gate_head.h"

#include <string.h>

#include "base/buf.h"

static const struct kb_sv line_end = KB_SV_INIT("\r\n");

struct kb_sv kb_gate_origin(struct kb_arena *arena, const struct kb_url *url)
{
	return kb_arena_printf(arena, "%.*s:%d", KB_SV_ARG(url->host), kb_url_port(url));
}

/* The next line without its end, which is CR LF; neither stands within a line, nor does NUL. */
static bool take_line(struct kb_sv *rest, struct kb_sv *line)
{
	ptrdiff_t end = kb_sv_find(*rest, line_end);

	if (end < 0)
		return false;
	*line = kb_sv_sub(*rest, 0, (size_t)end);
	*rest = kb_sv_from(*rest, (size_t)end + line_end.n);
	return kb_sv_find_byte(*line, '\r') < 0 && kb_sv_find_byte(*line, '\n') < 0
	       && kb_sv_find_byte(*line, '\0') < 0;
}

static bool is_method(struct kb_sv text)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] < 'A' || text.p[i] > 'Z')
			return false;
	return text.n > 0;
}

/* Fields between the two of us, which the host is not to see. */
static bool is_between_us(struct kb_sv line)
{
	static const char *const names[] = { "proxy-", "connection:", "keep-alive:" };

	for (size_t i = 0; i < KB_COUNTOF(names); i++)
		if (kb_sv_istarts(line, kb_sv_str(names[i])))
			return true;
	return false;
}

/* "GET http://host/path HTTP/1.1" and its fields as the host wants them. */
static bool rewrite(struct kb_arena *arena, struct kb_sv method, struct kb_sv rest,
                    struct kb_gate_head *out)
{
	struct kb_sv line;
	struct kb_buf head;
	bool ok;

	kb_buf_init(&head, SIZE_MAX); /* an escaped path is at most three times what was read */
	kb_buf_sv(&head, method);
	kb_buf_byte(&head, ' ');
	kb_buf_sv(&head, out->url.path);
	kb_buf_sv(&head, out->url.query);
	kb_buf_str(&head, " HTTP/1.1\r\n");
	while ((ok = take_line(&rest, &line)) && line.n) {
		ok = kb_sv_find_byte(line, ':') > 0 && line.p[0] != ' ' && line.p[0] != '\t';
		if (!ok)
			break;
		if (!is_between_us(line)) {
			kb_buf_sv(&head, line);
			kb_buf_sv(&head, line_end);
		}
	}
	kb_buf_str(&head, "Connection: close\r\n\r\n");
	kb_buf_sv(&head, rest);
	out->onward = kb_arena_sv(arena, kb_buf_view(&head));
	kb_buf_fini(&head);
	return ok;
}

/* "host:port" and nothing else, which a parser of addresses would be glad to see as one. */
static bool read_tunnel(struct kb_arena *arena, struct kb_sv target, struct kb_sv rest,
                        struct kb_gate_head *out)
{
	static const struct kb_sv end = KB_SV_INIT("\r\n\r\n");
	struct kb_sv whole = kb_arena_printf(arena, "https://%.*s/", KB_SV_ARG(target));
	ptrdiff_t at = kb_sv_find(rest, end);

	if (at >= 0)
		out->onward = kb_sv_from(rest, (size_t)at + end.n);
	else if (kb_sv_starts(rest, line_end))
		out->onward = kb_sv_from(rest, line_end.n);
	else
		return false;
	return kb_url_parse(arena, whole, NULL, &out->url, NULL) && kb_url_is_web(&out->url)
	       && kb_sv_eq_str(out->url.path, "/") && !out->url.query.p && !out->url.fragment.p
	       && !out->url.username.n && !out->url.password.n;
}

bool kb_gate_head_read(struct kb_arena *arena, struct kb_sv all, struct kb_gate_head *out)
{
	struct kb_sv rest = all, line, method, target;

	*out = (struct kb_gate_head){ 0 };
	if (!take_line(&rest, &line) || !kb_sv_split(&line, ' ', &method) || !is_method(method)
	    || !kb_sv_split(&line, ' ', &target) || !kb_sv_starts(line, KB_SV("HTTP/1.")))
		return false;
	out->is_tunnel = kb_sv_eq_str(method, "CONNECT");
	if (out->is_tunnel)
		return read_tunnel(arena, target, rest, out);
	return kb_url_parse(arena, target, NULL, &out->url, NULL)
	       && kb_sv_eq_str(out->url.scheme, "http") && kb_url_is_web(&out->url)
	       && rewrite(arena, method, rest, out);
}
