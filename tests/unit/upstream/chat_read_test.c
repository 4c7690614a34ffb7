/* What chat servers say, in the dialects that they speak it, whole and cut at every byte. */
#include "base/buf.h"
#include "test.h"
#include "upstream/chat_read.h"

#define D(json)     "data: " json "\n\n"
#define TEXT(text)  D("{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" text "\"}}]}")
#define STOP        D("{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}")
#define DONE        D("[DONE]")
#define FINISH(why) D("{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"" why "\"}]}")

static const struct {
	const char *name, *body;
	const char *want; /* the text, also of an answer that failed */
	enum kb_errc code;
	enum kb_chat_finish finish;
	int64_t completion_tokens; /* 0: not said */
} cases[] = {
	// clang-format off
	{ "hosted: usage null, then a chunk of usage alone",
	  D("{\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"logprobs\":null,\"finish_reason\":null}],\"usage\":null}")
	  D("{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"},\"logprobs\":null,\"finish_reason\":null}],\"usage\":null}")
	  STOP D("{\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2}}") DONE,
	  "Hi", KB_OK, KB_CHAT_STOP, 2 },
	{ "llama.cpp: role and null, pings, timings",
	  D("{\"choices\":[{\"finish_reason\":null,\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":null}}]}") ":\n\n" TEXT("Hi")
	  STOP D("{\"choices\":[],\"usage\":{\"completion_tokens\":2},\"timings\":{\"predicted_n\":2}}") DONE,
	  "Hi", KB_OK, KB_CHAT_STOP, 2 },
	{ "llama.cpp: an error in the stream, no [DONE]",
	  TEXT("Hi") D("{\"error\":{\"code\":500,\"message\":\"boom\",\"type\":\"server_error\"}}"), "Hi", KB_E_UPSTREAM, KB_CHAT_UNFINISHED, 0 },
	{ "vLLM: the last text carries the reason, thoughts in either field, usage in every chunk",
	  D("{\"choices\":[{\"index\":0,\"delta\":{\"reasoning\":\"hm\"}}],\"usage\":{\"completion_tokens\":1}}")
	  D("{\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"hm\"}}],\"usage\":{\"completion_tokens\":2}}")
	  D("{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\",\"stop_reason\":null}],\"usage\":{\"completion_tokens\":3}}") DONE,
	  "Hi", KB_OK, KB_CHAT_STOP, 3 },
	{ "vLLM: an error, then [DONE]", TEXT("Hi") D("{\"error\":{\"message\":\"x\",\"code\":500}}") DONE, "Hi", KB_E_UPSTREAM, KB_CHAT_UNFINISHED, 0 },
	{ "Ollama: a role in every chunk, an empty reason",
	  D("{\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Hi\"},\"finish_reason\":\"\"}]}") STOP DONE, "Hi", KB_OK, KB_CHAT_STOP, 0 },
	{ "SGLang: too long a prompt is an event after 200",
	  D("{\"error\":{\"message\":\"The input is longer than the model's context length\",\"code\":400}}") DONE, "", KB_E_TOO_LARGE, KB_CHAT_UNFINISHED, 0 },
	{ "SGLang: an empty body", "", "", KB_E_UPSTREAM, KB_CHAT_UNFINISHED, 0 },
	{ "TGI: the error is a text", D("{\"error\":\"overloaded\",\"error_type\":\"overloaded\"}"), "", KB_E_UPSTREAM, KB_CHAT_UNFINISHED, 0 },
	{ "LiteLLM: the words None and 429", D("{\"error\":{\"message\":\"Traceback\",\"type\":\"None\",\"param\":\"None\",\"code\":\"429\"}}"), "", KB_E_EXHAUSTED, KB_CHAT_UNFINISHED, 0 },
	{ "Azure: chunks without choices before and between",
	  D("{\"choices\":[],\"prompt_filter_results\":[{}]}") TEXT("Hi") D("{\"choices\":[]}") FINISH("content_filter") DONE, "Hi", KB_OK, KB_CHAT_FILTERED, 0 },
	{ "OpenRouter: comments, and an error as the reason",
	  ": OPENROUTER PROCESSING\n\n" TEXT("Hi") D("{\"error\":{\"code\":502,\"message\":\"gone\"},\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"},\"finish_reason\":\"error\"}]}"),
	  "Hi", KB_E_UPSTREAM, KB_CHAT_UNFINISHED, 0 },
	{ "the reason error without its object", D("{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"error\"}]}"), "", KB_E_UPSTREAM, KB_CHAT_UNFINISHED, 0 },
	{ "a finish without [DONE]", TEXT("Hi") STOP, "Hi", KB_OK, KB_CHAT_STOP, 0 },
	{ "[DONE] without a finish", TEXT("Hi") DONE, "Hi", KB_OK, KB_CHAT_UNFINISHED, 0 },
	{ "[DONE] without an empty line", TEXT("Hi") "data: [DONE]", "Hi", KB_OK, KB_CHAT_UNFINISHED, 0 },
	{ "neither", TEXT("Hi"), "Hi", KB_E_UPSTREAM, KB_CHAT_UNFINISHED, 0 },
	{ "cut in an event", TEXT("Hi") "data: {\"choices\":[{\"ind", "Hi", KB_E_UPSTREAM, KB_CHAT_UNFINISHED, 0 },
	{ "nothing counts after [DONE]", TEXT("Hi") STOP DONE TEXT(" there") D("{\"error\":{}}") DONE, "Hi", KB_OK, KB_CHAT_STOP, 0 },
	{ "two finishes", TEXT("Hi") FINISH("length") STOP DONE, "Hi", KB_OK, KB_CHAT_LENGTH, 0 },
	{ "a choice of index 1", D("{\"choices\":[{\"index\":1,\"delta\":{\"content\":\"No\"},\"finish_reason\":\"stop\"},{\"index\":0,\"delta\":{\"content\":\"Hi\"}}]}") DONE,
	  "Hi", KB_OK, KB_CHAT_UNFINISHED, 0 },
	{ "tool calls", D("{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]}}]}") TEXT("Hi") FINISH("tool_calls") DONE,
	  "Hi", KB_OK, KB_CHAT_STOP, 0 },
	{ "lines ended by CRLF", "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\r\n\r\ndata: [DONE]\r\n\r\n", "Hi", KB_OK, KB_CHAT_UNFINISHED, 0 },
	{ "lines ended by CR", "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\r\rdata: [DONE]\r\r", "Hi", KB_OK, KB_CHAT_UNFINISHED, 0 },
	{ "no blank after the colon", "data:{\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\ndata:[DONE]\n\n", "Hi", KB_OK, KB_CHAT_UNFINISHED, 0 },
	{ "names, ids, retries, a byte order mark",
	  "\xef\xbb\xbfid: 7\nevent: message\nretry: 10\ndata: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n" DONE, "Hi", KB_OK, KB_CHAT_UNFINISHED, 0 },
	{ "an event in two data lines", "data: {\ndata: \"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n" DONE, "Hi", KB_OK, KB_CHAT_UNFINISHED, 0 },
	{ "an event that is no JSON", TEXT("H") "data: {not json\n\n" TEXT("i") DONE, "Hi", KB_OK, KB_CHAT_UNFINISHED, 0 },
	{ "bytes that are no UTF-8", TEXT("H\xff\xc3(") DONE, "H\xef\xbf\xbd\xef\xbf\xbd(", KB_OK, KB_CHAT_UNFINISHED, 0 },
	{ "lone halves, a pair, and nothing", TEXT("\\ud83da\\ude00\\ud83d\\ude00\\u0000\\\\u0000") DONE,
	  "\xef\xbf\xbd" "a\xef\xbf\xbd\xf0\x9f\x98\x80\xef\xbf\xbd\\u0000", KB_OK, KB_CHAT_UNFINISHED, 0 },
	{ "control characters", TEXT("a\\u0007\\u001b[31m\\nb\\tc\\u007f") DONE, "a[31m\nb\tc", KB_OK, KB_CHAT_UNFINISHED, 0 },
	{ "thoughts as content", TEXT("<thi") TEXT("nk>secret </t") TEXT("hink>\\n\\n") TEXT(" Hi <think>") DONE, "Hi <think>", KB_OK, KB_CHAT_UNFINISHED, 0 },
	{ "a thought that never ends", TEXT("<think>secret <</think") DONE, "", KB_OK, KB_CHAT_UNFINISHED, 0 },
	{ "what only begins like a thought", TEXT("<thin ice") TEXT("</think>") DONE, "<thin ice</think>", KB_OK, KB_CHAT_UNFINISHED, 0 },
	{ "the beginning of a thought is all", TEXT("<th") DONE, "<th", KB_OK, KB_CHAT_UNFINISHED, 0 },
	{ "whole", "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"Hi\",\"reasoning\":\"hm\"},\"finish_reason\":\"stop\"}],\"usage\":{\"completion_tokens\":4}}",
	  "Hi", KB_OK, KB_CHAT_STOP, 4 },
	{ "whole with thoughts", " {\"choices\":[{\"message\":{\"content\":\"<think>a</think>Hi\"},\"finish_reason\":\"length\"}]}", "Hi", KB_OK, KB_CHAT_LENGTH, 0 },
	{ "whole, without choices", "{\"choices\":[]}", "", KB_OK, KB_CHAT_UNFINISHED, 0 },
	{ "whole, an error", "{\"error\":{\"message\":\"engine died\",\"code\":500}}", "", KB_E_UPSTREAM, KB_CHAT_UNFINISHED, 0 },
	{ "whole, something else", "{\"object\":\"list\"}", "", KB_E_UPSTREAM, KB_CHAT_UNFINISHED, 0 },
	{ "whole, cut", "{\"choices\":[{\"message\":{\"content\":\"Hi", "", KB_E_UPSTREAM, KB_CHAT_UNFINISHED, 0 },
	{ "a page", "<html>busy</html>", "", KB_E_UPSTREAM, KB_CHAT_UNFINISHED, 0 },
	// clang-format on
};

static void gather(void *arg, struct kb_sv text)
{
	kb_buf_sv(arg, text);
}

/* Feeds the body in pieces of `piece` bytes. */
static void read_case(struct kb_test *t, size_t i, size_t piece)
{
	struct kb_sv body = kb_sv_str(cases[i].body);
	struct kb_chat_reader reader;
	struct kb_err err = { 0 };
	struct kb_buf text;
	bool ok = true;

	kb_buf_init(&text, KB_MIB(1));
	kb_chat_reader_init(&reader, gather, &text);
	for (size_t at = 0; ok && at < body.n; at += piece)
		ok = kb_chat_reader_feed(&reader, kb_sv_sub(body, at, piece), &err);
	ok = ok && kb_chat_reader_end(&reader, &err);
	CHECK_INT(t, ok ? KB_OK : err.code, cases[i].code);
	CHECK_SV(t, kb_buf_view(&text), cases[i].want);
	CHECK_INT(t, reader.finish, cases[i].finish);
	CHECK_INT(t, KB_MAX(reader.usage.completion_tokens, (int64_t)0),
	          cases[i].completion_tokens);
	kb_chat_reader_fini(&reader);
	kb_buf_fini(&text);
}

static void test_dialects(struct kb_test *t)
{
	static const size_t pieces[] = { 1, 2, 3, 7, 64, 1 << 20 };

	for (size_t i = 0; i < KB_COUNTOF(cases); i++)
		for (size_t k = 0; k < KB_COUNTOF(pieces); k++) {
			t->row = cases[i].name;
			read_case(t, i, pieces[k]);
		}
}

static void test_bounds(struct kb_test *t)
{
	struct kb_chat_reader reader;
	struct kb_err err = { 0 };
	char *line = malloc(KB_CHAT_EVENT_MAX + 100);
	struct kb_buf text;
	bool ok = true;

	KB_ASSERT(line);
	memset(line, 'x', KB_CHAT_EVENT_MAX + 100);
	for (int whole = 0; whole <= 1; whole++) {
		kb_chat_reader_init(&reader, gather, NULL);
		line[0] = whole ? '{' : 'd';
		CHECK(t, !kb_chat_reader_feed(&reader, kb_sv(line, KB_CHAT_EVENT_MAX + 100), &err));
		CHECK_INT(t, err.code, KB_E_UPSTREAM);
		kb_chat_reader_fini(&reader);
	}
	free(line);
	kb_buf_init(&text, 100);
	kb_chat_reader_init(&reader, gather, &text);
	for (int i = 0; ok && i <= KB_CHAT_NOISE_MAX; i++)
		ok = kb_chat_reader_feed(&reader, KB_SV("data: {\n\n"), &err);
	CHECK(t, !ok && reader.noise == KB_CHAT_NOISE_MAX + 1);
	kb_chat_reader_fini(&reader);
	kb_buf_fini(&text);
}

static void test_refusals(struct kb_test *t)
{
	CHECK_INT(t,
	          kb_chat_refusal(KB_SV("{\"error\":{\"code\":400,\"message\":\"request (6027 "
	                                "tokens)\",\"type\":\"exceed_context_size_error\"}}")),
	          KB_E_TOO_LARGE);
	CHECK_INT(t, kb_chat_refusal(KB_SV("{\"error\":{\"code\":\"context_length_exceeded\"}}")),
	          KB_E_TOO_LARGE);
	CHECK_INT(t,
	          kb_chat_refusal(KB_SV("{\"object\":\"error\",\"message\":\"This model's "
	                                "maximum context length is 4096\"}")),
	          KB_E_TOO_LARGE);
	CHECK_INT(t, kb_chat_refusal(KB_SV("{\"error\":{\"message\":\"temperature\"}}")),
	          KB_E_INVALID);
	CHECK_INT(t, kb_chat_refusal(KB_SV("<html>")), KB_E_INVALID);
}

static void ignore(void *arg, struct kb_sv text)
{
	(void)arg;
	(void)text;
}

#define DELTA(json) D("{\"choices\":[{\"index\":0,\"delta\":" json "}]}")

/* What counts as a sign of life within an answer. */
static void test_says(struct kb_test *t)
{
	static const struct {
		const char *name, *body;
		size_t read, said;
	} rows[] = {
		{ "text", TEXT("Hi"), 1, 1 },
		{ "the role alone", DELTA("{\"role\":\"assistant\"}"), 1, 0 },
		{ "empty pieces", TEXT("") TEXT(""), 2, 0 },
		{ "null", DELTA("{\"content\":null}"), 1, 0 },
		{ "no choices", D("{\"choices\":[]}"), 1, 0 },
		{ "comments", ": still there\n\n", 0, 0 },
		{ "thoughts", DELTA("{\"reasoning\":\"hm\"}"), 1, 1 },
		{ "hidden ones", DELTA("{\"content\":\"\",\"reasoning_details\":[{}]}"), 1, 1 },
		{ "the end", STOP, 1, 1 },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_chat_reader reader;
		struct kb_err err;

		t->row = rows[i].name;
		kb_chat_reader_init(&reader, ignore, NULL);
		CHECK(t, kb_chat_reader_feed(&reader, kb_sv_str(rows[i].body), &err));
		CHECK_INT(t, reader.read_count, rows[i].read);
		CHECK_INT(t, reader.said_count, rows[i].said);
		kb_chat_reader_fini(&reader);
	}
}

static void test_foreign_bytes(struct kb_test *t)
{
	struct kb_chat_reader reader;
	struct kb_err err;

	kb_chat_reader_init(&reader, ignore, NULL);
	CHECK(t, !kb_chat_reader_feed(&reader, KB_SV("\x1f"), &err)); /* gzip's first */
	CHECK_INT(t, err.code, KB_E_UPSTREAM);
	kb_chat_reader_fini(&reader);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case tests[] = {
		{ "every dialect is read, however it is cut", test_dialects },
		{ "what never ends is not kept", test_bounds },
		{ "an event says something or nothing", test_says },
		{ "bytes that are no text end it at once", test_foreign_bytes },
		{ "a refusal says whether the prompt was too long", test_refusals },
	};

	return kb_test_main(argc, argv, tests, KB_COUNTOF(tests));
}
