/* Whole streams as servers send them, each with its source in its first line (tests/fixtures/chat),
 * fed whole and in pieces of every length. */
#include "base/buf.h"
#include "base/file.h"
#include "test.h"
#include "upstream/chat_read.h"

static const struct {
	const char *file, *want;
	enum kb_errc code;
	enum kb_chat_finish finish;
	int64_t completion_tokens; /* -1: not said */
} rows[] = {
	{ "openai", "Within 30 days [k3f].", KB_OK, KB_CHAT_STOP, 5 },
	{ "llamacpp", "Within 30 days [k3f].", KB_OK, KB_CHAT_STOP, 5 },
	{ "llamacpp-recorded",
	  "You may return goods within 30 days of delivery [k3f]. 退货 👍 [k3f][p9z].", KB_OK,
	  KB_CHAT_STOP, 47 },
	{ "llamacpp-length-recorded", "You may return", KB_OK, KB_CHAT_LENGTH, -1 },
	{ "llamacpp-error", "Within", KB_E_UPSTREAM, KB_CHAT_UNFINISHED, -1 },
	{ "vllm", "Within 30 days [k3f].", KB_OK, KB_CHAT_STOP, 5 },
	{ "vllm-error", "Within", KB_E_UPSTREAM, KB_CHAT_UNFINISHED, -1 },
	{ "ollama", "Within 30 days [k3f].", KB_OK, KB_CHAT_STOP, 5 },
	{ "sglang-context", "", KB_E_TOO_LARGE, KB_CHAT_UNFINISHED, -1 },
	{ "tgi-error", "", KB_E_UPSTREAM, KB_CHAT_UNFINISHED, -1 },
	{ "litellm-error", "Within", KB_E_UPSTREAM, KB_CHAT_UNFINISHED, -1 },
	{ "azure", "Within 30 days [k3f].", KB_OK, KB_CHAT_STOP, -1 },
	{ "openrouter", "Within 30 days [k3f].", KB_OK, KB_CHAT_STOP, 5 },
	{ "openrouter-error", "Within", KB_E_UPSTREAM, KB_CHAT_UNFINISHED, -1 },
};

static void keep(void *arg, struct kb_sv text)
{
	kb_buf_sv(arg, text);
}

static void read_in_pieces(struct kb_test *t, size_t row, struct kb_sv body, size_t length)
{
	struct kb_chat_reader reader;
	struct kb_err err = { 0 };
	struct kb_buf text;
	bool ok = true;

	kb_buf_init(&text, 1 << 16);
	kb_chat_reader_init(&reader, keep, &text);
	for (size_t at = 0; ok && at < body.n; at += length)
		ok = kb_chat_reader_feed(&reader, kb_sv_sub(body, at, length), &err);
	ok = ok && kb_chat_reader_end(&reader, &err);
	CHECK_INT(t, ok, rows[row].code == KB_OK);
	CHECK_INT(t, err.code, rows[row].code);
	CHECK_SV(t, kb_buf_view(&text), rows[row].want);
	CHECK_INT(t, reader.finish, rows[row].finish);
	CHECK_INT(t, reader.usage.completion_tokens, rows[row].completion_tokens);
	kb_chat_reader_fini(&reader);
	kb_buf_fini(&text);
}

static void test_streams(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };
		struct kb_err err = { 0 };
		struct kb_sv body;
		char path[200];

		t->row = rows[i].file;
		snprintf(path, sizeof(path), "%s/chat/%s.sse", FIXTURES, rows[i].file);
		CHECK(t, kb_file_read(&arena, path, 1 << 20, &body, &err));
		CHECK_SV(t, kb_sv_str(err.msg), "");
		CHECK(t, kb_sv_starts(body, KB_SV(": source: ")));
		for (size_t length = 1; length < 40; length++)
			read_in_pieces(t, i, body, length);
		read_in_pieces(t, i, body, body.n);
		kb_arena_fini(&arena);
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case tests[] = {
		{ "the streams of known servers are read", test_streams },
	};

	return kb_test_main(argc, argv, tests, KB_COUNTOF(tests));
}
