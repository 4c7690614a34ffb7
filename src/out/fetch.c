/*
 * A fetch is a row of hops, each judged from the start:
 *
 *   parse ─▶ resolve ─▶ judge every address ─▶ connect to one of them ─▶ head ─┬▶ body into a file
 *     ▲                                                                        └▶ redirect ─┐
 *     └─────────────────────────────────── at most five times ──────────────────────────────┘
 *
 * libcurl gets the addresses from us, and each socket it opens is compared with them once more:
 * were it to read a URL otherwise than we do, it would connect to nothing.
 */
#include "out/fetch.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fault.h"
#include "base/field.h"
#include "base/file.h"
#include "base/size.h"
#include "base/temp.h"
#include "out/fetch_head.h"
#include "out/fetch_own.h"
#include "out/handle.h"
#include "out/link.h"

/* One kb_fetch(). */
struct fetch {
	struct kb_fetcher *fetcher;
	struct kb_arena *arena;
	const struct kb_fetch_request *request;
	const struct kb_curl *lib;
	int64_t deadline_us, bytes_max;
	struct kb_fetch_patience patience;
	struct kb_url first, url; /* what was asked for; where this hop goes */

	/* this hop */
	CURL *curl;
	struct kb_addresses addresses; /* all of them judged */
	int port;
	struct kb_fetch_head head;
	int fd;
	int64_t bytes;
	bool enough, too_large, strayed, write_failed;
	struct kb_err write_err;
};

/* --- who is connected to --- */

static bool judge(struct fetch *f, struct kb_err *err)
{
	if (!kb_url_is_web(&f->url))
		return kb_fail(err, KB_E_INVALID, "%.*s: only http and https can be fetched",
		               KB_SV_ARG(kb_sv_sub(kb_link_of(f->arena, &f->first), 0, 100)));
	f->port = kb_url_port(&f->url);
	return kb_fetcher_judge(f->fetcher,
	                        &(struct kb_fetch_target){ .url = &f->url,
	                                                   .asked = f->first.host,
	                                                   .deadline_us = f->deadline_us },
	                        &f->addresses, err);
}

static curl_socket_t open_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *to)
{
	struct fetch *f = arg;
	struct kb_address a = { .family = to->family };
	int port = 0;

	(void)purpose;
	if (to->family == AF_INET) {
		const struct sockaddr_in *in = (const struct sockaddr_in *)(void *)&to->addr;

		memcpy(a.bytes, &in->sin_addr, 4);
		port = ntohs(in->sin_port);
	} else if (to->family == AF_INET6) {
		const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)(void *)&to->addr;

		memcpy(a.bytes, &in6->sin6_addr, 16);
		port = ntohs(in6->sin6_port);
	}
	a = kb_address_plain(&a);
	for (size_t i = 0; i < f->addresses.count; i++)
		if (port == f->port && kb_address_eq(&a, &f->addresses.v[i]))
			return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
	f->strayed = true;
	return CURL_SOCKET_BAD;
}

/* --- what comes back --- */

static bool is_success(const struct fetch *f)
{
	return f->head.status >= 200 && f->head.status < 300;
}

static size_t on_head(char *bytes, size_t size, size_t count, void *arg)
{
	struct fetch *f = arg;

	kb_fetch_head_line(&f->head, f->arena, kb_sv(bytes, size * count));
	if (f->head.done && !is_success(f)) {
		f->enough = true; /* nobody reads the body of a refusal or a redirect */
		return 0;
	}
	return size * count;
}

/* The bytes are decoded already, in pieces of 16 KiB: a bomb ends at the limit. */
static size_t on_body(char *bytes, size_t size, size_t count, void *arg)
{
	struct fetch *f = arg;
	size_t n = size * count, room = (size_t)(f->bytes_max - f->bytes);

	if (n > room && f->request->cut) {
		f->enough = true;
		n = room;
	} else if (n > room) {
		f->too_large = true;
		return 0;
	}
	if (!kb_fd_write_all(f->fd, kb_sv(bytes, n), "the file of a fetch", &f->write_err)) {
		f->write_failed = true;
		return 0;
	}
	f->bytes += (int64_t)n;
	return f->enough ? 0 : n;
}

static int on_progress(void *arg, curl_off_t total, curl_off_t now, curl_off_t up_total,
                       curl_off_t up_now)
{
	struct fetch *f = arg;

	(void)total;
	(void)up_total;
	(void)up_now;
	/* Encoded bytes count too: a body may decode to nothing for ever. */
	if (now > f->bytes_max && !f->request->cut)
		f->too_large = true;
	return f->too_large || atomic_load(&f->fetcher->cancelled);
}

static bool open_temp(struct fetch *f, struct kb_err *err)
{
	char path[KB_TEMP_PATH];

	f->fd = kb_fault() ? -1 : open(f->fetcher->temp_dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (f->fd >= 0)
		return true;
	/* Not every file system makes files without names. */
	kb_temp_path(path, f->fetcher->temp_dir, KB_TEMP_FETCH);
	f->fd = kb_fault() ? -1 : open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (f->fd < 0)
		return kb_fail_errno(err, "cannot make a file in %s", f->fetcher->temp_dir);
	unlink(path);
	return true;
}

/* --- one hop --- */

static void add_field(struct fetch *f, struct curl_slist **fields, const char *name,
                      struct kb_sv value)
{
	if (value.n == 0 || !kb_fetch_value_ok(value))
		return;
	kb_handle_field(f->lib, fields,
	                kb_arena_printf(f->arena, "%s: %.*s", name, KB_SV_ARG(value)).p);
}

/* Those that say who is asked, and where the body ends, are libcurl's; the others have members. */
static bool is_ours(struct kb_sv name)
{
	static const char *const names[] = { "Host",       "Content-Length", "Transfer-Encoding",
		                             "Connection", "Expect",         "User-Agent" };

	for (size_t i = 0; i < KB_COUNTOF(names); i++)
		if (kb_sv_ieq_str(name, names[i]))
			return true;
	return false;
}

static bool check_fields(const struct kb_fetch_request *r, struct kb_err *err)
{
	for (size_t i = 0; i < r->field_count; i++) {
		const struct kb_fetch_field *field = &r->fields[i];

		if (!kb_fetch_field_ok(field->name) || is_ours(field->name))
			return kb_fail(err, KB_E_INVALID, "a field %.*s cannot be sent",
			               KB_SV_ARG(kb_sv_sub(field->name, 0, 100)));
		if (!kb_sv_trim(field->value).n || !kb_fetch_value_ok(field->value))
			return kb_fail(err, KB_E_INVALID,
			               "the field %.*s has a value that cannot be sent",
			               KB_SV_ARG(field->name));
	}
	return true;
}

static struct curl_slist *make_fields(struct fetch *f)
{
	const struct kb_fetch_request *r = f->request;
	struct curl_slist *fields = NULL;

	for (size_t i = 0; i < r->field_count && kb_url_same_origin(&f->first, &f->url); i++)
		add_field(f, &fields, kb_arena_str(f->arena, r->fields[i].name),
		          r->fields[i].value);
	if (r->body.p)
		kb_handle_field(f->lib, &fields, "Expect:"); /* no asking before large bodies */

	if (r->plain_browser) {
		add_field(f, &fields, "Accept-Language", KB_SV("en-US,en;q=0.9"));
		add_field(f, &fields, "Upgrade-Insecure-Requests", KB_SV("1"));
	}
	if (r->accept.n)
		add_field(f, &fields, "Accept", r->accept);
	else if (r->plain_browser)
		add_field(f, &fields, "Accept",
		          KB_SV("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"));
	add_field(f, &fields, "If-None-Match", r->etag);
	add_field(f, &fields, "If-Modified-Since", r->last_modified);
	return fields;
}

static const char *unescaped(struct fetch *f, struct kb_sv text)
{
	struct kb_sv out;

	return kb_arena_str(f->arena, kb_percent_decode(f->arena, text, &out) ? out : text);
}

static void set_options(struct fetch *f, struct curl_slist *fields, struct curl_slist *resolved)
{
	const struct kb_curl *lib = f->lib;
	int64_t left_ms = (f->deadline_us - kb_clock_mono_us()) / 1000;

	kb_handle_set(lib, f->curl,
	              &(struct kb_handle_request){
	                      .url = kb_link_of(f->arena, &f->url).p,
	                      .method = f->request->method,
	                      .body = f->request->body,
	                      .agent = kb_fetcher_field(f->fetcher, f->request->plain_browser).p,
	                      .fields = fields,
	                      .resolved = resolved,
	                      .whole_ms = KB_MAX(left_ms, (int64_t)1),
	                      .connect_ms = f->patience.connect * INT64_C(1000),
	                      .on_head = on_head,
	                      .on_body = on_body,
	                      .on_progress = on_progress,
	                      .arg = f,
	              });
	lib->easy_setopt(f->curl, CURLOPT_PATH_AS_IS, 1L);
	lib->easy_setopt(f->curl, CURLOPT_OPENSOCKETFUNCTION, open_socket);
	lib->easy_setopt(f->curl, CURLOPT_OPENSOCKETDATA, f);
	lib->easy_setopt(f->curl, CURLOPT_LOW_SPEED_LIMIT, (long)KB_FETCH_SLOW_BYTES);
	lib->easy_setopt(f->curl, CURLOPT_LOW_SPEED_TIME, (long)f->patience.slow);
	lib->easy_setopt(f->curl, CURLOPT_ACCEPT_ENCODING, ""); /* all that libcurl can decode */
	if ((f->first.username.n || f->first.password.n)
	    && kb_url_same_origin(&f->first, &f->url)) {
		lib->easy_setopt(f->curl, CURLOPT_USERNAME, unescaped(f, f->first.username));
		lib->easy_setopt(f->curl, CURLOPT_PASSWORD, unescaped(f, f->first.password));
	}
}

static bool explain(const struct fetch *f, CURLcode code, struct kb_err *err)
{
	char size[KB_SIZE_TEXT];

	if (f->strayed)
		return kb_fetcher_refuse(f->first.host, err);
	if (f->too_large)
		return kb_fail(err, KB_E_TOO_LARGE, "%.*s sends more than %s",
		               KB_SV_ARG(f->first.host), kb_size_text(size, f->bytes_max));
	if (f->write_failed) {
		*err = f->write_err;
		return false;
	}
	if (atomic_load(&f->fetcher->cancelled))
		return kb_fail(err, KB_E_CANCELLED, "the service is stopping");
	if (code == CURLE_OPERATION_TIMEDOUT && kb_clock_mono_us() < f->deadline_us - 50000)
		return kb_fail(err, KB_E_TIMEOUT,
		               "%.*s does not answer within %d seconds, or sends less than %d "
		               "bytes a second",
		               KB_SV_ARG(f->first.host), f->patience.slow, KB_FETCH_SLOW_BYTES);
	if (code == CURLE_OPERATION_TIMEDOUT)
		return kb_fail(err, KB_E_TIMEOUT, "%.*s was not done within %d seconds",
		               KB_SV_ARG(f->first.host), f->patience.whole);
	return kb_fail(err, KB_E_UPSTREAM, "%.*s cannot be fetched: %s", KB_SV_ARG(f->first.host),
	               kb_curl_reason(code));
}

static bool run_hop(struct fetch *f, struct kb_err *err)
{
	struct curl_slist *fields = NULL, *resolved = NULL;
	CURLcode code;
	bool ok = false;

	f->head = (struct kb_fetch_head){ 0 };
	f->enough = false;
	if (!judge(f, err))
		return false;
	f->curl = kb_fault() ? NULL : f->lib->easy_init();
	if (!f->curl)
		return kb_fail(err, KB_E_UPSTREAM, "libcurl gives no handle");
	fields = make_fields(f);
	if (f->url.host_kind == KB_HOST_DOMAIN)
		resolved = kb_handle_resolved(f->lib, f->url.host, f->port, &f->addresses);
	set_options(f, fields, resolved);
	code = f->lib->easy_perform(f->curl);
	ok = code == CURLE_OK || (f->enough && !atomic_load(&f->fetcher->cancelled));
	if (!ok)
		explain(f, code, err);
	f->lib->easy_cleanup(f->curl);
	f->lib->slist_free_all(fields);
	f->lib->slist_free_all(resolved);
	return ok;
}

/* Nothing that may change something is asked for anywhere but where its caller wanted it. */
static bool may_go_on(const struct kb_fetch_request *r)
{
	return !r->body.p
	       && (!r->method || strcmp(r->method, "GET") == 0 || strcmp(r->method, "HEAD") == 0);
}

static bool is_redirect(const struct fetch *f)
{
	int s = f->head.status;

	return may_go_on(f->request) && (s == 301 || s == 302 || s == 303 || s == 307 || s == 308)
	       && f->head.location.n > 0;
}

static bool run(struct fetch *f, struct kb_fetch_response *out, struct kb_err *err)
{
	for (out->redirects = 0;; out->redirects++) {
		struct kb_url next;

		if (!run_hop(f, err))
			return false;
		if (!is_redirect(f))
			break;
		if (out->redirects == KB_FETCH_REDIRECTS_MAX)
			return kb_fail(err, KB_E_INVALID, "%.*s redirects more than %d times",
			               KB_SV_ARG(f->first.host), KB_FETCH_REDIRECTS_MAX);
		if (!kb_url_parse(f->arena, f->head.location, &f->url, &next, err))
			return kb_fail(err, KB_E_INVALID,
			               "%.*s redirects to something that is no URL",
			               KB_SV_ARG(f->first.host));
		/* A relative one has those of the URL that was asked for. */
		if ((!kb_sv_eq(next.username, f->url.username)
		     || !kb_sv_eq(next.password, f->url.password))
		    && !kb_link_refuse_credentials(&next, "the address it redirects to", err))
			return false;
		if (f->request->may_follow
		    && !f->request->may_follow(f->request->may_follow_arg, f->arena, &next, err))
			return false;
		f->url = next;
	}
	out->status = f->head.status;
	out->url = kb_link_of(f->arena, &f->url);
	out->content_type = f->head.content_type;
	out->etag = f->head.etag;
	out->last_modified = f->head.last_modified;
	out->wall = f->head.wall;
	out->noindex = f->head.noindex;
	out->nofollow = f->head.nofollow;
	out->filename = kb_fetch_filename(f->arena, f->head.disposition);
	out->retry_after_s =
	        kb_fetch_retry_after(f->head.retry_after, kb_clock_now_us(NULL) / KB_SECOND_US);
	if (!is_success(f))
		return true;
	if (lseek(f->fd, 0, SEEK_SET) != 0)
		return kb_fail_errno(err, "the file of a fetch");
	out->bytes = f->bytes;
	out->fd = f->fd;
	f->fd = -1;
	return true;
}

struct kb_fetch_patience kb_fetch_patience(int times)
{
	return (struct kb_fetch_patience){ .whole = KB_FETCH_TIMEOUT_S * times,
		                           .connect = KB_FETCH_CONNECT_S * times,
		                           .slow = KB_FETCH_SLOW_S * times };
}

static struct kb_fetch_patience usual_where_zero(struct kb_fetch_patience asked)
{
	struct kb_fetch_patience usual = kb_fetch_patience(1);

	return (struct kb_fetch_patience){
		.whole = asked.whole ? asked.whole : usual.whole,
		.connect = asked.connect ? asked.connect : usual.connect,
		.slow = asked.slow ? asked.slow : usual.slow,
	};
}

bool kb_fetch(struct kb_fetcher *fetcher, struct kb_arena *arena,
              const struct kb_fetch_request *request, struct kb_fetch_response *out,
              struct kb_err *err)
{
	struct fetch f = { .fetcher = fetcher, .arena = arena, .request = request, .fd = -1 };
	bool ok;

	*out = (struct kb_fetch_response){ .fd = -1 };
	f.patience = usual_where_zero(request->patience);
	f.deadline_us = kb_clock_mono_us() + f.patience.whole * KB_SECOND_US;
	f.bytes_max = request->bytes_max ? request->bytes_max : KB_FETCH_BYTES_MAX;
	if (atomic_load(&fetcher->cancelled))
		return kb_fail(err, KB_E_CANCELLED, "the service is stopping");
	if (!kb_url_parse(arena, request->url, NULL, &f.first, err))
		return false;
	f.url = f.first;
	if (!check_fields(request, err))
		return false;
	f.lib = kb_curl_load(err);
	if (!f.lib || !open_temp(&f, err))
		return false;
	ok = run(&f, out, err);
	kb_fd_close(&f.fd);
	return ok;
}
