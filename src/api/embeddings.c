/*
 * Vectors of texts, in the form that client libraries speak: a store that has Docent needs no
 * second server for them. The vectors are those that passages and questions of agents get.
 *
 * Arithmetic holds a worker, and agents' own passages want the same threads: two calls are worked
 * on at once, one an account, and each takes so few texts that it is done within seconds.
 */
#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "api/embeddings.h"
#include "api/routes.h"
#include "base/utf8.h"
#include "index/vectorizer.h"
#include "write/tokens.h"

enum {
	TEXTS_MAX = 64,
	AT_ONCE = 2,
	RETRY_S = 1,
	REPLY_MAX = 8 << 20,
	MODEL_CHARS = 255,
	KIND_CHARS = 32,
};

/* ---- who may have one made now ---- */

struct kb_embeddings {
	pthread_mutex_t lock;
	int64_t accounts[AT_ONCE]; /* 0: free */
};

struct kb_embeddings *kb_embeddings_new(void)
{
	struct kb_embeddings *embeddings = kb_xcalloc(1, sizeof(*embeddings));

	pthread_mutex_init(&embeddings->lock, NULL);
	return embeddings;
}

void kb_embeddings_free(struct kb_embeddings *embeddings)
{
	if (!embeddings)
		return;
	pthread_mutex_destroy(&embeddings->lock);
	free(embeddings);
}

static bool take_place(struct kb_embeddings *embeddings, int64_t account, struct kb_err *err)
{
	int64_t *place = NULL;
	bool has_one = false;

	pthread_mutex_lock(&embeddings->lock);
	for (int i = 0; i < AT_ONCE; i++) {
		has_one |= embeddings->accounts[i] == account;
		if (!embeddings->accounts[i])
			place = &embeddings->accounts[i];
	}
	if (place && !has_one)
		*place = account;
	pthread_mutex_unlock(&embeddings->lock);
	return (place && !has_one)
	       || kb_fail_for(err, KB_E_EXHAUSTED, RETRY_S,
	                      has_one ? "Vectors are being made for this account; one call at a "
	                                "time"
	                              : "Vectors are being made for others; try again");
}

static void give_place(struct kb_embeddings *embeddings, int64_t account)
{
	pthread_mutex_lock(&embeddings->lock);
	for (int i = 0; i < AT_ONCE; i++)
		if (embeddings->accounts[i] == account)
			embeddings->accounts[i] = 0;
	pthread_mutex_unlock(&embeddings->lock);
}

/* ---- what is asked for ---- */

struct asked {
	struct kb_vector_column column;
	struct kb_sv model; /* our name for it */
	struct kb_sv texts[TEXTS_MAX];
	bool questions[TEXTS_MAX];
	size_t count;
	int64_t tokens;
	bool base64;
};

static bool take_text(struct asked *asked, struct kb_sv kind, struct kb_sv text, struct kb_err *err)
{
	struct kb_sv query = KB_SV("query: "), passage = KB_SV("passage: ");
	bool is_question = kb_sv_eq(kind, KB_SV("query")) || kb_sv_eq(kind, KB_SV("search_query"));

	if (asked->count == TEXTS_MAX)
		return kb_fail(err, KB_E_INVALID,
		               "input has more than %d texts, which is the limit", TEXTS_MAX);
	if (!kind.n && kb_sv_starts(text, query)) {
		is_question = true;
		text = kb_sv_from(text, query.n);
	} else if (!kind.n && kb_sv_starts(text, passage)) {
		text = kb_sv_from(text, passage.n);
	}
	if (!kb_sv_trim(text).n)
		return kb_fail(err, KB_E_INVALID, "input %zu has no words", asked->count);
	asked->tokens += kb_tokens_count(text);
	asked->questions[asked->count] = is_question;
	asked->texts[asked->count++] = text;
	return true;
}

static bool read_kind(struct kb_call *call, struct kb_sv *kind, struct kb_err *err)
{
	static const char *const kinds[] = { "query", "passage", "document", "search_query",
		                             "search_document" };

	if (!kb_inputs_text(&call->inputs, call->arena, "input_type", KIND_CHARS, kind, err))
		return false;
	for (size_t i = 0; kind->n && i < KB_COUNTOF(kinds); i++)
		if (kb_sv_eq(*kind, kb_sv_str(kinds[i])))
			return true;
	return !kind->n
	       || kb_fail(err, KB_E_INVALID,
	                  "input_type is query or passage (also search_query, document, "
	                  "search_document)");
}

static struct kb_sv text_of(const json_t *text)
{
	return kb_sv(json_string_value(text), json_string_length(text));
}

static bool read_texts(struct kb_call *call, struct asked *asked, struct kb_err *err)
{
	const json_t *input = kb_inputs_json(&call->inputs, call->arena, "input"), *text;
	struct kb_sv kind = { 0 };
	size_t i;

	if (!read_kind(call, &kind, err))
		return false;
	if (json_is_string(input))
		return take_text(asked, kind, text_of(input), err);
	if (!json_is_array(input) || json_array_size(input) == 0)
		return kb_fail(err, KB_E_INVALID, "input must be a text or a list of texts");
	json_array_foreach(input, i, text)
	{
		if (!json_is_string(text))
			return kb_fail(err, KB_E_INVALID,
			               "input %zu is no text; numbers of tokens are not taken", i);
		if (!take_text(asked, kind, text_of(text), err))
			return false;
	}
	return true;
}

/* The rest of the body: which model, how many dimensions, in which form. */
static bool read_form(struct kb_call *call, struct asked *asked, struct kb_err *err)
{
	struct kb_sv model = { 0 }, format = { 0 };
	int64_t dims = asked->column.dims;

	if (!kb_inputs_handle(&call->inputs, call->arena, "model", MODEL_CHARS, &model, err)
	    || !kb_inputs_text(&call->inputs, call->arena, "encoding_format", KIND_CHARS, &format,
	                       err)
	    || !kb_inputs_int(&call->inputs, "dimensions", 1, INT32_MAX, &dims, err))
		return false;
	if (model.n && !kb_sv_eq(model, asked->model))
		return kb_fail(err, KB_E_NOT_FOUND, "The model of this service is %.*s",
		               KB_SV_ARG(asked->model));
	if (dims != asked->column.dims)
		return kb_fail(err, KB_E_INVALID, "dimensions is %" PRId64 ", the model has %u",
		               dims, asked->column.dims);
	asked->base64 = kb_sv_eq(format, KB_SV("base64"));
	return asked->base64 || !format.n || kb_sv_eq(format, KB_SV("float"))
	       || kb_fail(err, KB_E_INVALID, "encoding_format is float or base64");
}

/* ---- vectors ---- */

/* The next passages from *at on, as many as the vectorizer takes at once; *at is then behind them.
 */
static bool make_batch(struct kb_call *call, const struct asked *asked, size_t *at,
                       const float **rows, struct kb_err *err)
{
	const struct kb_vectorizer *with = call->api->vectorizer;
	struct kb_sv texts[TEXTS_MAX];
	size_t places[TEXTS_MAX], count = 0, bytes = 0;
	const float *made;

	for (; *at < asked->count && count < with->batch_texts; ++*at) {
		struct kb_sv text = kb_utf8_cut(asked->texts[*at], with->text_bytes);

		if (asked->questions[*at])
			continue;
		if (count && bytes + text.n > with->batch_bytes)
			break;
		bytes += text.n;
		places[count] = *at;
		texts[count++] = text;
	}
	if (!count)
		return true;
	if (!with->embed(with->arg, call->arena, texts, count, &made, err))
		return false;
	for (size_t i = 0; i < count; i++)
		rows[places[i]] = made + i * asked->column.dims;
	return true;
}

static bool make(struct kb_call *call, const struct asked *asked, const float **rows,
                 struct kb_err *err)
{
	const struct kb_vectorizer *with = call->api->vectorizer;

	for (size_t at = 0; at < asked->count;)
		if (!make_batch(call, asked, &at, rows, err))
			return false;
	for (size_t i = 0; i < asked->count; i++)
		if (asked->questions[i]
		    && !with->question(with->arg, call->arena, asked->texts[i], &rows[i], err))
			return false;
	return true;
}

/* As floats of 32 bits, the lowest byte first, which is how clients read them. */
static struct kb_sv in_base64(struct kb_arena *arena, const float *row, uint32_t dims)
{
	unsigned char *bytes = kb_arena_alloc(arena, dims * sizeof(*row));
	size_t size =
	        sodium_base64_encoded_len(dims * sizeof(*row), sodium_base64_VARIANT_ORIGINAL);
	char *text = kb_arena_alloc(arena, size);

	for (uint32_t i = 0; i < dims; i++) {
		uint32_t bits;

		memcpy(&bits, &row[i], sizeof(bits));
		for (int k = 0; k < 4; k++)
			bytes[i * 4 + (uint32_t)k] = (unsigned char)(bits >> (8 * k));
	}
	sodium_bin2base64(text, size, bytes, dims * sizeof(*row), sodium_base64_VARIANT_ORIGINAL);
	return kb_sv(text, size - 1);
}

static void write_row(struct kb_call *call, struct kb_jw *jw, const struct asked *asked,
                      const float *row)
{
	kb_jw_key(jw, "embedding");
	if (asked->base64) {
		kb_jw_sv(jw, in_base64(call->arena, row, asked->column.dims));
		return;
	}
	kb_jw_array(jw);
	for (uint32_t i = 0; i < asked->column.dims; i++)
		kb_jw_double(jw, (double)row[i]);
	kb_jw_end(jw);
}

static bool reply(struct kb_call *call, const struct asked *asked, const float *const *rows,
                  struct kb_err *err)
{
	struct kb_buf buf;
	struct kb_jw jw;

	kb_buf_init(&buf, REPLY_MAX);
	kb_api_jw(call->api, &jw, &buf);
	kb_jw_object(&jw);
	kb_jw_key_str(&jw, "object", "list");
	kb_jw_key(&jw, "data");
	kb_jw_array(&jw);
	for (size_t i = 0; i < asked->count; i++) {
		kb_jw_object(&jw);
		kb_jw_key_str(&jw, "object", "embedding");
		kb_jw_key_int(&jw, "index", (int64_t)i);
		write_row(call, &jw, asked, rows[i]);
		kb_jw_end(&jw);
	}
	kb_jw_end(&jw);
	kb_jw_key_sv(&jw, "model", asked->model);
	kb_jw_key(&jw, "usage");
	kb_jw_object(&jw);
	kb_jw_key_int(&jw, "prompt_tokens", asked->tokens);
	kb_jw_key_int(&jw, "total_tokens", asked->tokens);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

bool kb_embeddings_create(struct kb_call *call, struct kb_err *err)
{
	const struct kb_vectorizer *with = call->api->vectorizer;
	struct asked *asked = KB_NEW(call->arena, struct asked);
	const float *rows[TEXTS_MAX];
	bool ok;

	if (!read_texts(call, asked, err))
		return false;
	if (!with)
		return kb_fail(err, KB_E_UNSUPPORTED,
		               "This service makes no vectors: it runs without an encoder");
	if (!with->column(with->arg, &asked->column, err))
		return false;
	asked->model = with->model;
	if (!read_form(call, asked, err)
	    || !take_place(call->api->embeddings, call->who.account, err))
		return false;
	ok = make(call, asked, rows, err);
	give_place(call->api->embeddings, call->who.account);
	return ok && reply(call, asked, rows, err);
}
