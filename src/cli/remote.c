#include "cli/remote.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/field.h"
#include "base/file.h"
#include "base/hash.h"

enum {
	REPLY_MAX = 64 << 20,
	TRIES = 12,
	ROWS = 100, /* of a list, at once */
	PAUSE_MAX_S = 60,
	OK = 200,
	TOO_MANY = 429,
	UNAVAILABLE = 503,
	HEADER_MAX = 256,
};

bool kb_remote_option(struct kb_remote *remote, int argc, char **argv, int *i)
{
	const struct {
		const char *name;
		const char **value;
	} options[] = {
		{ "--url", &remote->url },
		{ "--key", &remote->key },
		{ "--agent", &remote->agent },
	};

	for (size_t o = 0; o < KB_COUNTOF(options); o++)
		if (strcmp(argv[*i], options[o].name) == 0 && *i + 1 < argc) {
			*options[o].value = argv[++*i];
			return true;
		}
	return false;
}

static size_t on_bytes(char *bytes, size_t size, size_t count, void *arg)
{
	struct kb_remote *r = arg;
	long status = 0;

	if (r->to)
		r->lib->easy_getinfo(r->curl, CURLINFO_RESPONSE_CODE, &status);
	if (status == OK)
		return kb_fd_write_all(*r->to, kb_sv(bytes, size * count), "a document", NULL)
		               ? size * count
		               : 0;
	kb_buf_add(&r->body, bytes, size * count);
	return r->body.failed ? 0 : size * count;
}

static size_t on_header(char *bytes, size_t size, size_t count, void *arg)
{
	struct kb_remote *r = arg;
	struct kb_sv line = kb_sv(bytes, size * count), name = KB_SV("retry-after:");

	if (kb_sv_istarts(line, name)
	    && !kb_sv_to_int(kb_sv_trim(kb_sv_from(line, name.n)), 0, PAUSE_MAX_S,
	                     &r->retry_after_s))
		r->retry_after_s = PAUSE_MAX_S;
	return size * count;
}

static const char *flag_or_env(const char *name, const char *value)
{
	return value ? value : getenv(name);
}

bool kb_remote_open(struct kb_remote *r, struct kb_err *err)
{
	r->url = flag_or_env("DOCENT_URL", r->url);
	r->key = flag_or_env("DOCENT_API_KEY", r->key);
	r->agent = flag_or_env("DOCENT_AGENT_ID", r->agent);
	if (r->is_whole) {
		if (!r->url || !r->key)
			return kb_fail(err, KB_E_INVALID, "an address and a key are needed");
	} else if (!r->url || !r->key || !r->agent
	           || strspn(r->agent, "0123456789") != strlen(r->agent) || !*r->agent)
		return kb_fail(err, KB_E_INVALID,
		               "--url, --key and --agent are needed, or DOCENT_URL, "
		               "DOCENT_API_KEY and DOCENT_AGENT_ID; the agent is a number");
	kb_buf_init(&r->body, REPLY_MAX);
	r->lib = kb_curl_load(err);
	if (!r->lib)
		return false;
	r->curl = r->lib->easy_init();
	KB_ASSERT(r->curl);
	r->lib->easy_setopt(r->curl, CURLOPT_WRITEFUNCTION, on_bytes);
	r->lib->easy_setopt(r->curl, CURLOPT_WRITEDATA, r);
	r->lib->easy_setopt(r->curl, CURLOPT_HEADERFUNCTION, on_header);
	r->lib->easy_setopt(r->curl, CURLOPT_HEADERDATA, r);
	r->lib->easy_setopt(r->curl, CURLOPT_PROTOCOLS_STR, "http,https");
	return true;
}

void kb_remote_close(struct kb_remote *r)
{
	if (r->curl)
		r->lib->easy_cleanup(r->curl);
	kb_buf_fini(&r->body);
}

/* What is sent: nothing, a text, or a file with a head and a foot of its multipart around it. */
struct sent {
	const char *method; /* NULL: POST */
	struct kb_sv head, foot;
	int fd; /* -1: none */
	int64_t size;
	size_t at; /* of head, then of foot */
	int stage;
};

static size_t take_text(struct sent *s, struct kb_sv text, char *to, size_t room)
{
	size_t n = KB_MIN(room, text.n - s->at);

	memcpy(to, text.p + s->at, n);
	s->at += n;
	return n;
}

static size_t on_read(char *to, size_t size, size_t count, void *arg)
{
	struct sent *s = arg;
	size_t room = size * count, n = 0;

	while (s->stage < 3 && n == 0) {
		if (s->stage == 1) {
			ssize_t got = s->fd < 0 ? 0 : read(s->fd, to, room);

			if (got < 0)
				return CURL_READFUNC_ABORT;
			n = (size_t)got;
		} else {
			n = take_text(s, s->stage ? s->foot : s->head, to, room);
		}
		if (n == 0) {
			s->stage++;
			s->at = 0;
		}
	}
	return n;
}

/* Once. *status is the answer's. */
static bool send_once(struct kb_remote *r, const char *url, const char *type, struct sent *sent,
                      long *status, struct kb_err *err)
{
	const struct kb_curl *lib = r->lib;
	struct curl_slist *headers;
	char line[HEADER_MAX];
	CURLcode code;

	snprintf(line, sizeof(line), "Authorization: Bearer %.200s", r->key);
	headers = lib->slist_append(NULL, line);
	headers = lib->slist_append(headers, "Expect:");
	lib->easy_setopt(r->curl, CURLOPT_URL, url);
	if (sent) {
		snprintf(line, sizeof(line), "Content-Type: %.200s", type);
		headers = lib->slist_append(headers, line);
		lib->easy_setopt(r->curl, CURLOPT_POST, 1L);
		lib->easy_setopt(r->curl, CURLOPT_POSTFIELDS, NULL);
		lib->easy_setopt(r->curl, CURLOPT_READFUNCTION, on_read);
		lib->easy_setopt(r->curl, CURLOPT_READDATA, sent);
		lib->easy_setopt(r->curl, CURLOPT_POSTFIELDSIZE_LARGE,
		                 (curl_off_t)((int64_t)(sent->head.n + sent->foot.n) + sent->size));
	} else {
		lib->easy_setopt(r->curl, CURLOPT_HTTPGET, 1L);
	}
	lib->easy_setopt(r->curl, CURLOPT_CUSTOMREQUEST, sent ? sent->method : NULL);
	lib->easy_setopt(r->curl, CURLOPT_HTTPHEADER, headers);
	kb_buf_clear(&r->body);
	r->retry_after_s = 1;
	code = lib->easy_perform(r->curl);
	r->refused = code == CURLE_COULDNT_CONNECT;
	r->reached |= code == CURLE_OK;
	lib->easy_setopt(r->curl, CURLOPT_HTTPHEADER, NULL);
	lib->slist_free_all(headers);
	if (code != CURLE_OK)
		return kb_fail(err, KB_E_UPSTREAM, "cannot reach %s: %s", r->url,
		               kb_curl_reason(code));
	lib->easy_getinfo(r->curl, CURLINFO_RESPONSE_CODE, status);
	return true;
}

static enum kb_errc code_of(long status)
{
	return status == 401   ? KB_E_UNAUTHORIZED
	       : status == 403 ? KB_E_FORBIDDEN
	       : status == 404 ? KB_E_NOT_FOUND
	       : status < 500  ? KB_E_INVALID
	                       : KB_E_UPSTREAM;
}

bool kb_remote_is_final(const struct kb_err *err)
{
	return err->code == KB_E_INVALID || err->code == KB_E_UNAUTHORIZED
	       || err->code == KB_E_FORBIDDEN;
}

const char *kb_remote_address(const struct kb_remote *r, struct kb_arena *arena, const char *path)
{
	if (r->is_whole)
		return kb_arena_printf(arena, "%s/api/v1%s", r->url, path).p;
	return kb_arena_printf(arena, "%s/api/v1/projects/%s%s", r->url, r->agent, path).p;
}

/* A try more begins with the first byte. */
static bool begin_again(const struct kb_remote *r, struct sent *sent, struct kb_err *err)
{
	if (r->to && (ftruncate(*r->to, 0) != 0 || lseek(*r->to, 0, SEEK_SET) != 0))
		return kb_fail_errno(err, "cannot write a document");
	if (!sent)
		return true;
	sent->stage = 0;
	sent->at = 0;
	return sent->fd < 0 || lseek(sent->fd, 0, SEEK_SET) == 0
	       || kb_fail_errno(err, "reading the file again");
}

/* Until it is there and no longer busy: what it answers, below 400. */
static bool reach(struct kb_remote *r, struct kb_arena *arena, const char *path, const char *type,
                  struct sent *sent, struct kb_err *err)
{
	const char *url = kb_remote_address(r, arena, path);
	struct kb_err bad;
	long status = 0;

	for (int i = 0; i < TRIES; i++) {
		if (i)
			sleep((unsigned)KB_MAX(r->retry_after_s, (int64_t)(status ? 1 : i)));
		if (!begin_again(r, sent, err))
			return false;
		status = 0;
		if (!send_once(r, url, type, sent, &status, err)) {
			if (!r->reached || (sent && !r->refused) || i + 1 == TRIES)
				return false;
			continue;
		}
		if (status != TOO_MANY && status != UNAVAILABLE)
			break;
	}
	return status < 400
	       || kb_fail(err, code_of(status), "the service answered %ld: %.*s", status,
	                  KB_SV_ARG(kb_json_sv(
	                          kb_json_get(kb_json_parse(arena, kb_buf_view(&r->body), &bad),
	                                      "data"),
	                          "message", KB_SV("no reason given"))));
}

/* The answer's data. */
static json_t *ask(struct kb_remote *r, struct kb_arena *arena, const char *path, const char *type,
                   struct sent *sent, struct kb_err *err)
{
	json_t *json = reach(r, arena, path, type, sent, err)
	                       ? kb_json_parse(arena, kb_buf_view(&r->body), err)
	                       : NULL;

	return json ? kb_json_get(json, "data") : NULL;
}

bool kb_remote_each(struct kb_remote *remote, const char *path, const char *member,
                    kb_remote_row_fn *fn, void *arg, struct kb_err *err)
{
	bool ok = true, more = true;

	for (int page = 1; ok && more; page++) {
		struct kb_arena arena = { 0 };
		const char *at = kb_arena_printf(&arena, "%s%climit=%d&page=%d", path,
		                                 strchr(path, '?') ? '&' : '?', ROWS, page)
		                         .p;
		const json_t *data = kb_remote_call(remote, &arena, at, NULL, err);
		const json_t *list = member ? kb_json_get(data, member) : data;
		const json_t *rows = kb_json_get(list, "data");

		ok = data != NULL;
		for (size_t i = 0; ok && i < json_array_size(rows); i++)
			ok = fn(arg, json_array_get(rows, i), err);
		more = json_array_size(rows) > 0 && page < kb_json_int(list, "last_page", 0);
		kb_arena_fini(&arena);
	}
	return ok;
}

bool kb_remote_download(struct kb_remote *r, struct kb_arena *arena, const char *path, int fd,
                        struct kb_err *err)
{
	bool ok;

	r->to = &fd;
	ok = reach(r, arena, path, NULL, NULL, err);
	r->to = NULL;
	return ok;
}

json_t *kb_remote_call(struct kb_remote *r, struct kb_arena *arena, const char *path,
                       const char *json, struct kb_err *err)
{
	struct sent sent = { .head = kb_sv_str(json), .fd = -1 };

	return ask(r, arena, path, "application/json", json ? &sent : NULL, err);
}

json_t *kb_remote_send(struct kb_remote *r, struct kb_arena *arena, const char *method,
                       const char *path, const char *json, struct kb_err *err)
{
	struct sent sent = { .method = method, .head = kb_sv_str(json), .fd = -1 };

	return ask(r, arena, path, "application/json", &sent, err);
}

/* A field of a multipart body. */
static struct kb_sv field(struct kb_arena *arena, const char *boundary, const char *name,
                          struct kb_sv value)
{
	return value.n ? kb_arena_printf(
	               arena,
	               "--%s\r\nContent-Disposition: form-data; name=\"%s\"\r\n\r\n"
	               "%.*s\r\n",
	               boundary, name, KB_SV_ARG(value))
	               : value;
}

json_t *kb_remote_upload(struct kb_remote *r, struct kb_arena *arena, const char *file,
                         const struct kb_remote_file *as, struct kb_err *err)
{
	struct sent sent = { .fd = open(file, O_RDONLY | O_CLOEXEC) };
	char boundary[KB_UUID_CHARS + 1];
	const char *type;
	struct stat st;
	json_t *data = NULL;

	if (sent.fd < 0 || fstat(sent.fd, &st)) {
		kb_fail_errno(err, "%s", file);
		goto out;
	}
	kb_random_uuid(boundary);
	type = kb_arena_printf(arena, "multipart/form-data; boundary=%s", boundary).p;
	sent.size = st.st_size;
	sent.head =
	        kb_arena_printf(arena,
	                        "%.*s%.*s--%s\r\nContent-Disposition: form-data; name=\"file\"; "
	                        "filename*=UTF-8''%.*s\r\n\r\n",
	                        KB_SV_ARG(field(arena, boundary, "path", as->path)),
	                        KB_SV_ARG(field(arena, boundary, "url", as->url)), boundary,
	                        KB_SV_ARG(kb_percent_encode(arena, as->name, "")) /* RFC 8187 */);
	sent.foot = kb_arena_printf(arena, "\r\n--%s--\r\n", boundary);
	data = ask(r, arena, as->to ? as->to : "/sources", type, &sent, err);
	if (data) {
		data = json_array_get(kb_json_get(data, "pages"), 0);
		if (!data)
			kb_fail(err, KB_E_UPSTREAM, "the service named no document for %s", file);
	}
out:
	kb_fd_close(&sent.fd);
	return data;
}
