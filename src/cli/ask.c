/* docent ask: one question to a running service; the answer as it comes, then its sources. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/json.h"
#include "cli/cli.h"
#include "out/curl.h"

enum { REPLY_MAX = 16 << 20, QUESTION_MAX = 1 << 20 };

struct exchange {
	struct kb_arena arena;
	const char *url, *key, *agent;
	const struct kb_curl *lib;
	CURL *curl;
	struct curl_slist *headers;
	/* a stream: the line in hand, and what the finish event said */
	struct kb_buf line, body;
	bool streamed;
	json_t *finish;
	bool failed;
	bool as_json; /* one object at the end, in place of text as it comes */
};

static void take_event(struct exchange *x, struct kb_sv data)
{
	struct kb_err err;
	json_t *json = kb_json_parse(&x->arena, data, &err);
	struct kb_sv status = kb_json_sv(json, "status", KB_SV(""));

	if (kb_sv_eq_str(status, "progress")) {
		struct kb_sv text = kb_json_sv(json, "message", KB_SV(""));

		fwrite(text.p, 1, text.n, stdout);
		fflush(stdout);
	} else if (kb_sv_eq_str(status, "finish")) {
		x->finish = json;
	} else if (kb_sv_eq_str(status, "error")) {
		struct kb_sv text = kb_json_sv(json, "error", KB_SV("the answer failed"));

		fprintf(stderr, "docent: %.*s\n", KB_SV_ARG(text));
		x->failed = true;
	}
}

/* Bytes of an answer: events are shown at once, anything else is collected. */
static size_t on_bytes(char *bytes, size_t size, size_t count, void *arg)
{
	struct exchange *x = arg;
	char *type = NULL;

	x->lib->easy_getinfo(x->curl, CURLINFO_CONTENT_TYPE, &type);
	x->streamed = type && strncmp(type, "text/event-stream", 17) == 0;
	if (!x->streamed) {
		kb_buf_add(&x->body, bytes, size * count);
		return x->body.failed ? 0 : size * count;
	}
	for (size_t i = 0; i < size * count; i++) {
		struct kb_sv line;

		if (bytes[i] != '\n') {
			kb_buf_byte(&x->line, bytes[i]);
			continue;
		}
		line = kb_buf_view(&x->line);
		if (kb_sv_starts(line, KB_SV("data: ")))
			take_event(x, kb_sv_from(line, 6));
		kb_buf_clear(&x->line);
	}
	return x->line.failed ? 0 : size * count;
}

/* One request; body NULL: a GET. */
static bool call(struct exchange *x, const char *path, const char *body, struct kb_err *err)
{
	struct kb_sv url =
	        kb_arena_printf(&x->arena, "%s/api/v1/projects/%s%s", x->url, x->agent, path);
	CURLcode code;
	long status = 0;

	kb_buf_clear(&x->body);
	x->lib->easy_setopt(x->curl, CURLOPT_URL, url.p);
	if (body)
		x->lib->easy_setopt(x->curl, CURLOPT_POSTFIELDS, body);
	else
		x->lib->easy_setopt(x->curl, CURLOPT_HTTPGET, 1L);
	code = x->lib->easy_perform(x->curl);
	if (code != CURLE_OK)
		return kb_fail(err, KB_E_UPSTREAM, "cannot reach %s: %s", x->url,
		               kb_curl_reason(code));
	x->lib->easy_getinfo(x->curl, CURLINFO_RESPONSE_CODE, &status);
	if (status >= 400) {
		json_t *json = kb_json_parse(&x->arena, kb_buf_view(&x->body), NULL);
		struct kb_sv text =
		        kb_json_sv(kb_json_get(json, "data"), "message", KB_SV("no reason given"));

		return kb_fail(err, KB_E_UPSTREAM, "the service answered %ld: %.*s", status,
		               KB_SV_ARG(text));
	}
	return true;
}

/* Title and address of a citation; of one that was deleted meanwhile its number alone. */
static bool read_source(struct exchange *x, int64_t id, json_t **out, struct kb_err *err)
{
	char path[64];
	json_t *reply;

	snprintf(path, sizeof(path), "/citations/%" PRId64, id);
	if (!call(x, path, NULL, err))
		return false;
	reply = kb_json_parse(&x->arena, kb_buf_view(&x->body), err);
	*out = kb_json_get(reply, "data");
	return reply != NULL;
}

static bool print_sources(struct exchange *x, const json_t *citations, struct kb_err *err)
{
	const json_t *id;
	json_t *data;
	size_t i;

	if (!json_array_size(citations))
		return true;
	printf("\n");
	json_array_foreach(citations, i, id)
	{
		if (!read_source(x, json_integer_value(id), &data, err))
			return false;
		printf("[%zu] %.*s  %.*s\n", i + 1,
		       KB_SV_ARG(kb_json_sv(data, "title", KB_SV("untitled"))),
		       KB_SV_ARG(kb_json_sv(data, "url", KB_SV(""))));
	}
	return true;
}

/* What is near where nothing answers for sure, each with its source; the service knows the words
 * for that in the agent's language, here they are the program's. */
static bool print_closest(struct exchange *x, const json_t *message, struct kb_err *err)
{
	const json_t *list = kb_json_get(message, "closest_passages"), *one;
	json_t *data;
	size_t i;

	if (json_array_size(list))
		printf("\nClosest passages, none of them a sure answer:\n");
	json_array_foreach(list, i, one)
	{
		if (!read_source(x, kb_json_int(one, "page_id", 0), &data, err))
			return false;
		printf("\n%.*s\n  %.*s  %.*s\n", KB_SV_ARG(kb_json_sv(one, "excerpt", KB_SV(""))),
		       KB_SV_ARG(kb_json_sv(data, "title", KB_SV("untitled"))),
		       KB_SV_ARG(kb_json_sv(data, "url", KB_SV(""))));
	}
	return true;
}

/* Where to go on from a question that nothing answers: how much was searched, and what the
 * documents are about. NULL where the service does not tell: the answer stands without. */
static const json_t *read_opening(struct exchange *x)
{
	struct kb_err why;

	if (!call(x, "/opening", NULL, &why))
		return NULL;
	return kb_json_get(kb_json_parse(&x->arena, kb_buf_view(&x->body), NULL), "data");
}

static struct kb_sv topic(const json_t *areas, size_t i)
{
	const json_t *one = json_array_get(areas, i);

	return json_is_string(one) ? kb_sv_str(json_string_value(one)) : KB_SV("");
}

static void print_opening(struct exchange *x)
{
	const json_t *opening = read_opening(x), *areas = kb_json_get(opening, "areas");
	int64_t documents = kb_json_int(opening, "documents", 0);

	if (documents > 0)
		printf("\nDocuments searched: %" PRId64 ". Other words may find more.\n",
		       documents);
	for (size_t i = 0; i < json_array_size(areas); i++)
		printf("%s%.*s", i ? "; " : "Topics: ", KB_SV_ARG(topic(areas, i)));
	if (json_array_size(areas))
		printf("\n");
}

static void write_opening(struct exchange *x, struct kb_jw *jw)
{
	const json_t *opening = read_opening(x), *areas = kb_json_get(opening, "areas");

	kb_jw_key_int(jw, "documents_searched", kb_json_int(opening, "documents", 0));
	kb_jw_key(jw, "topics");
	kb_jw_array(jw);
	for (size_t i = 0; i < json_array_size(areas); i++)
		kb_jw_sv(jw, topic(areas, i));
	kb_jw_end(jw);
}

static bool write_source(struct exchange *x, struct kb_jw *jw, int64_t id, struct kb_err *err)
{
	json_t *data;

	if (!read_source(x, id, &data, err))
		return false;
	kb_jw_key_int(jw, "document_id", id);
	kb_jw_key_sv(jw, "title", kb_json_sv(data, "title", KB_SV("")));
	kb_jw_key_sv(jw, "url", kb_json_sv(data, "url", KB_SV("")));
	return true;
}

/* The documents of a list of the message, whose items are ids or objects with a page_id and an
 * excerpt. */
static bool write_sources(struct exchange *x, struct kb_jw *jw, const char *name,
                          const json_t *list, struct kb_err *err)
{
	const json_t *one;
	size_t i;

	kb_jw_key(jw, name);
	kb_jw_array(jw);
	json_array_foreach(list, i, one)
	{
		bool is_id = json_is_integer(one);

		kb_jw_object(jw);
		if (!write_source(x, jw,
		                  is_id ? json_integer_value(one) : kb_json_int(one, "page_id", 0),
		                  err))
			return false;
		if (!is_id)
			kb_jw_key_sv(jw, "excerpt", kb_json_sv(one, "excerpt", KB_SV("")));
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
	return true;
}

/* What a program needs to go on with. */
static bool print_json(struct exchange *x, const json_t *message, const char *session,
                       struct kb_sv outcome, struct kb_err *err)
{
	bool ok;
	struct kb_buf out;
	struct kb_jw jw;

	kb_buf_init(&out, REPLY_MAX);
	kb_jw_init(&jw, &out);
	kb_jw_object(&jw);
	kb_jw_key_sv(&jw, "answer", kb_json_sv(message, "llm_response", KB_SV("")));
	kb_jw_key_bool(&jw, "answered", kb_sv_eq(outcome, KB_SV("answer")));
	kb_jw_key_sv(&jw, "outcome", outcome);
	ok = write_sources(x, &jw, "sources", kb_json_get(message, "citations"), err)
	     && write_sources(x, &jw, "closest", kb_json_get(message, "closest_passages"), err);
	if (ok && !kb_sv_eq(outcome, KB_SV("answer")))
		write_opening(x, &jw);
	kb_jw_key_str(&jw, "conversation", session);
	kb_jw_key_int(&jw, "message_id", kb_json_int(message, "id", 0));
	kb_jw_end(&jw);
	if (ok)
		printf("%.*s\n", KB_SV_ARG(kb_buf_view(&out)));
	kb_buf_fini(&out);
	return ok;
}

/* The message as it is stored, with what the service knows of it. */
static bool read_stored(struct exchange *x, const char *session, json_t **out, struct kb_err *err)
{
	struct kb_sv path = kb_arena_printf(
	        &x->arena, "/conversations/%s/messages?includeInsights=true&limit=1", session);
	json_t *reply;

	if (!call(x, path.p, NULL, err))
		return false;
	reply = kb_json_parse(&x->arena, kb_buf_view(&x->body), err);
	*out = json_array_get(
	        kb_json_get(kb_json_get(kb_json_get(reply, "data"), "messages"), "data"), 0);
	return *out || (reply && kb_fail(err, KB_E_UPSTREAM, "the answer is not there any more"));
}

/* A service of before there were three knows two. */
static struct kb_sv outcome_of(const json_t *known, bool answered)
{
	return kb_json_sv(known, "outcome", answered ? KB_SV("answer") : KB_SV("nothing"));
}

/* *answered: the documents, or the agent, had something to say. */
static bool ask(struct exchange *x, const char *text, bool stream, bool *answered,
                struct kb_err *err)
{
	struct kb_buf body;
	struct kb_jw jw;
	json_t *data = NULL, *stored, *known;
	char session[37];
	struct kb_sv path;

	kb_random_uuid(session);
	path = kb_arena_printf(&x->arena, "/conversations/%s/messages?stream=%s", session,
	                       stream ? "true" : "false");
	kb_buf_init(&body, 1 << 20);
	kb_jw_init(&jw, &body);
	kb_jw_object(&jw);
	kb_jw_key_str(&jw, "prompt", text);
	kb_jw_end(&jw);
	kb_buf_byte(&body, '\0');
	if (!call(x, path.p, body.p, err)) {
		kb_buf_fini(&body);
		return false;
	}
	kb_buf_fini(&body);
	if (x->failed)
		return kb_fail(err, KB_E_UPSTREAM, "the answer broke off");
	if (x->streamed) {
		if (!x->finish)
			return kb_fail(err, KB_E_UPSTREAM, "the answer broke off before its end");
		data = x->finish;
	} else {
		json_t *reply = kb_json_parse(&x->arena, kb_buf_view(&x->body), err);
		struct kb_sv answer;

		if (!reply)
			return false;
		data = kb_json_get(reply, "data");
		answer = kb_json_sv(data, "llm_response", KB_SV(""));
		if (!x->as_json)
			fwrite(answer.p, 1, answer.n, stdout);
	}
	if (!read_stored(x, session, &stored, err))
		return false;
	known = kb_json_get(stored, "customer_intelligence");
	*answered = kb_json_bool(known, "is_answered", true);
	if (x->as_json)
		return print_json(x, data, session, outcome_of(known, *answered), err);
	printf("\n");
	if (!print_sources(x, kb_json_get(data, "citations"), err) || !print_closest(x, data, err))
		return false;
	if (!*answered)
		print_opening(x);
	return true;
}

/* The question, of standard input. */
static bool read_question(struct exchange *x, const char **out, struct kb_err *err)
{
	char piece[4096];
	struct kb_buf buf;
	struct kb_sv text;
	ssize_t n;

	kb_buf_init(&buf, QUESTION_MAX);
	while ((n = read(STDIN_FILENO, piece, sizeof(piece))) > 0)
		kb_buf_add(&buf, piece, (size_t)n);
	text = kb_sv_trim(kb_buf_view(&buf));
	*out = kb_arena_str(&x->arena, text);
	kb_buf_fini(&buf);
	if (n < 0)
		return kb_fail_errno(err, "standard input");
	return text.n || kb_fail(err, KB_E_INVALID, "standard input holds no question");
}

static const char *flag_or_env(const char *name, const char *value)
{
	return value ? value : getenv(name);
}

/* false: it is wrong usage. */
static bool read_options(struct exchange *x, int argc, char **argv, const char **text)
{
	for (int i = 1; i < argc && argv[i]; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : NULL;

		if (strcmp(argv[i], "--url") == 0 && value)
			x->url = argv[++i];
		else if (strcmp(argv[i], "--key") == 0 && value)
			x->key = argv[++i];
		else if (strcmp(argv[i], "--agent") == 0 && value)
			x->agent = argv[++i];
		else if (strcmp(argv[i], "--json") == 0)
			x->as_json = true;
		else if ((argv[i][0] != '-' || !argv[i][1]) && !*text)
			*text = argv[i];
		else
			return false;
	}
	x->url = flag_or_env("DOCENT_URL", x->url);
	x->key = flag_or_env("DOCENT_API_KEY", x->key);
	x->agent = flag_or_env("DOCENT_AGENT_ID", x->agent);
	return x->url && x->key && x->agent && (*text || !isatty(STDIN_FILENO))
	       && strspn(x->agent, "0123456789") == strlen(x->agent);
}

int kb_cli_ask(int argc, char **argv)
{
	static const char usage[] =
	        "usage: docent ask --url URL --key KEY --agent ID [--json] TEXT\n"
	        "       … the same without TEXT, or with -, and the question on standard input";
	struct exchange x = { 0 };
	const char *text = NULL;
	struct kb_err err = { 0 };
	char header[256];
	bool ok, answered = true;

	if (kb_cli_help(argc, argv, usage))
		return 0;
	if (!read_options(&x, argc, argv, &text))
		return kb_cli_fail(2, "%s", usage);
	if ((!text || !strcmp(text, "-")) && !read_question(&x, &text, &err)) {
		kb_arena_fini(&x.arena);
		return kb_cli_fail(1, "%s", err.msg);
	}
	kb_buf_init(&x.line, REPLY_MAX);
	kb_buf_init(&x.body, REPLY_MAX);
	x.lib = kb_curl_load(&err);
	if (!x.lib)
		return kb_cli_fail(1, "%s", err.msg);
	x.curl = x.lib->easy_init();
	KB_ASSERT(x.curl);
	snprintf(header, sizeof(header), "Authorization: Bearer %.200s", x.key);
	x.headers = x.lib->slist_append(NULL, header);
	x.headers = x.lib->slist_append(x.headers, "Content-Type: application/json");
	x.lib->easy_setopt(x.curl, CURLOPT_HTTPHEADER, x.headers);
	x.lib->easy_setopt(x.curl, CURLOPT_WRITEFUNCTION, on_bytes);
	x.lib->easy_setopt(x.curl, CURLOPT_WRITEDATA, &x);
	x.lib->easy_setopt(x.curl, CURLOPT_PROTOCOLS_STR, "http,https");
	ok = ask(&x, text, isatty(STDOUT_FILENO) && !x.as_json, &answered, &err);
	x.lib->slist_free_all(x.headers);
	x.lib->easy_cleanup(x.curl);
	kb_buf_fini(&x.line);
	kb_buf_fini(&x.body);
	kb_arena_fini(&x.arena);
	if (!ok)
		return kb_cli_fail(1, "%s", err.msg);
	return answered ? 0 : 3;
}
