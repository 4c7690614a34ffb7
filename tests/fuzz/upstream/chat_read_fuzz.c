/* Answers of chat servers: the same text and the same end however the bytes are cut, and no control
 * characters or broken UTF-8 in it. */
#include "base/utf8.h"
#include "upstream/chat_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void gather(void *arg, struct kb_sv text)
{
	KB_ASSERT(text.n > 0);
	for (size_t i = 0; i < text.n; i++)
		KB_ASSERT((unsigned char)text.p[i] >= ' ' || text.p[i] == '\n'
		          || text.p[i] == '\t');
	kb_buf_sv(arg, text);
}

struct outcome {
	struct kb_buf text;
	enum kb_errc code;
	enum kb_chat_finish finish;
	struct kb_chat_usage usage;
};

static void read_in_pieces(struct kb_sv body, size_t piece, struct outcome *out)
{
	struct kb_chat_reader reader;
	struct kb_err err = { 0 };
	bool ok = true;

	kb_buf_init(&out->text, KB_MIB(8));
	kb_chat_reader_init(&reader, gather, &out->text);
	for (size_t at = 0; ok && at < body.n; at += piece)
		ok = kb_chat_reader_feed(&reader, kb_sv_sub(body, at, piece), &err);
	ok = ok && kb_chat_reader_end(&reader, &err);
	KB_ASSERT(ok || (err.code != KB_OK && err.msg[0]));
	out->code = err.code;
	out->finish = reader.finish;
	out->usage = reader.usage;
	kb_chat_reader_fini(&reader);
}

/* The first byte: how long the pieces are. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct outcome whole, cut;
	struct kb_sv body;

	if (size < 1)
		return 0;
	body = kb_sv((const char *)data + 1, size - 1);
	read_in_pieces(body, SIZE_MAX / 2, &whole);
	read_in_pieces(body, (size_t)data[0] % 16 + 1, &cut);
	KB_ASSERT(kb_sv_eq(kb_buf_view(&whole.text), kb_buf_view(&cut.text)));
	KB_ASSERT(whole.code == cut.code && whole.finish == cut.finish
	          && whole.usage.completion_tokens == cut.usage.completion_tokens);
	KB_ASSERT(kb_utf8_valid(kb_buf_view(&whole.text)));
	kb_chat_refusal(body);
	kb_buf_fini(&whole.text);
	kb_buf_fini(&cut.text);
	return 0;
}
