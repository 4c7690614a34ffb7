/* What embedding and rerank servers may say. */
#include "base/buf.h"
#include "test.h"
#include "upstream/embed.h"
#include "upstream/moderation.h"
#include "upstream/rerank.h"
#include "upstream/transcribe.h"

#define ROW(index, values) "{\"index\":" index ",\"embedding\":[" values "]}"

static const struct {
	const char *name, *answer;
	size_t count;
	uint32_t dims;
	const char *says; /* NULL: read; the first row is then 1, 2 */
} embeddings[] = {
	{ "one", "{\"data\":[" ROW("0", "1,2") "]}", 1, 0, NULL },
	{ "one of known length", "{\"data\":[" ROW("0", "1.0,2e0") "]}", 1, 2, NULL },
	{ "with all that belongs to it",
	  "{\"object\":\"list\",\"data\":[{\"object\":\"embedding\",\"index\":0,\"embedding\":[1,2]"
	  "}],"
	  "\"model\":\"m\",\"usage\":{\"total_tokens\":3}}",
	  1, 0, NULL },
	{ "in another order", "{\"data\":[" ROW("1", "3,4") "," ROW("0", "1,2") "]}", 2, 0, NULL },
	{ "nothing", "", 1, 0, "no JSON" },
	{ "no JSON", "<html>", 1, 0, "no JSON" },
	{ "cut off", "{\"data\":[" ROW("0", "1,2"), 1, 0, "no JSON" },
	{ "more behind it", "{\"data\":[" ROW("0", "1,2") "]} x", 1, 0, "no JSON" },
	{ "no data", "{}", 1, 0, "no list" },
	{ "data of another kind", "{\"data\":{}}", 1, 0, "no list" },
	{ "a list at the top", "[" ROW("0", "1,2") "]", 1, 0, "no list" },
	{ "too few", "{\"data\":[" ROW("0", "1,2") "]}", 2, 0, "1 vectors for 2 texts" },
	{ "too many", "{\"data\":[" ROW("0", "1,2") "," ROW("1", "1,2") "]}", 1, 0,
	  "2 vectors for 1 texts" },
	{ "no vector in it", "{\"data\":[{\"index\":0}]}", 1, 0, "no list of figures" },
	{ "an empty vector", "{\"data\":[" ROW("0", "") "]}", 1, 0, "0 dimensions" },
	{ "another length than before", "{\"data\":[" ROW("0", "1,2,3") "]}", 1, 2,
	  "3 dimensions where its first had 2" },
	{ "two lengths", "{\"data\":[" ROW("0", "1,2") "," ROW("1", "1") "]}", 2, 0,
	  "different lengths" },
	{ "no index", "{\"data\":[{\"embedding\":[1,2]}]}", 1, 0, "index" },
	{ "an index twice", "{\"data\":[" ROW("0", "1,2") "," ROW("0", "1,2") "]}", 2, 0, "index" },
	{ "an index beyond", "{\"data\":[" ROW("1", "1,2") "]}", 1, 0, "index" },
	{ "an index below", "{\"data\":[" ROW("-1", "1,2") "]}", 1, 0, "index" },
	{ "an index that is no number", "{\"data\":[" ROW("\"0\"", "1,2") "]}", 1, 0, "index" },
	{ "a word", "{\"data\":[" ROW("0", "1,\"2\"") "]}", 1, 0, "no number" },
	{ "null", "{\"data\":[" ROW("0", "1,null") "]}", 1, 0, "no number" },
	{ "NaN", "{\"data\":[" ROW("0", "1,NaN") "]}", 1, 0, "no JSON" },
	{ "a double that is no float", "{\"data\":[" ROW("0", "1,1e300") "]}", 1, 0, "too large" },
	{ "more than a double", "{\"data\":[" ROW("0", "1,1e400") "]}", 1, 0, "no JSON" },
	{ "base64", "{\"data\":[{\"index\":0,\"embedding\":\"AACAPw==\"}]}", 1, 0,
	  "no list of figures" },
};

static void test_embeddings(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(embeddings); i++) {
		struct kb_arena arena = { 0 };
		struct kb_err err = { 0 };
		struct kb_embedded made = { 0 };
		bool ok = kb_embed_read(&arena, kb_sv_str(embeddings[i].answer),
		                        embeddings[i].count, embeddings[i].dims, &made, &err);

		t->row = embeddings[i].name;
		CHECK(t, ok == (embeddings[i].says == NULL));
		if (ok) {
			CHECK_INT(t, made.dims, 2);
			CHECK(t, made.rows[0] == 1 && made.rows[1] == 2);
			CHECK(t, embeddings[i].count < 2 || made.rows[3] == 4);
		} else {
			CHECK(t, err.code == KB_E_UPSTREAM && embeddings[i].says
			                 && strstr(err.msg, embeddings[i].says));
		}
		kb_arena_fini(&arena);
	}
}

static void test_long(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_err err;
	struct kb_embedded made;
	struct kb_buf buf;

	for (int n = 4096; n <= 4097; n++) {
		kb_buf_init(&buf, KB_MIB(1));
		kb_buf_str(&buf, "{\"data\":[{\"index\":0,\"embedding\":[1");
		for (int i = 1; i < n; i++)
			kb_buf_str(&buf, ",0");
		kb_buf_str(&buf, "]}]}");
		CHECK(t,
		      kb_embed_read(&arena, kb_buf_view(&buf), 1, 0, &made, &err) == (n == 4096));
		kb_buf_fini(&buf);
	}
	CHECK(t, strstr(err.msg, "4097 dimensions; it must be 1 to 4096"));
	kb_arena_fini(&arena);
}

static const struct {
	const char *name, *answer;
	const char *says; /* NULL: read as .5 and -3 */
} judgements[] = {
	{ "two",
	  "{\"results\":[{\"index\":1,\"relevance_score\":-3},"
	  "{\"index\":0,\"relevance_score\":0.5,\"document\":{\"text\":\"x\"}}],\"id\":\"7\"}",
	  NULL },
	{ "no JSON", "busy", "no JSON" },
	{ "an error", "{\"error\":\"busy\"}", "no list" },
	{ "one of two", "{\"results\":[{\"index\":0,\"relevance_score\":1}]}", "judged 1 of 2" },
	{ "one twice",
	  "{\"results\":[{\"index\":0,\"relevance_score\":1},"
	  "{\"index\":0,\"relevance_score\":1}]}",
	  "index" },
	{ "one that was not sent",
	  "{\"results\":[{\"index\":0,\"relevance_score\":1},"
	  "{\"index\":2,\"relevance_score\":1}]}",
	  "index" },
	{ "no score", "{\"results\":[{\"index\":0,\"relevance_score\":1},{\"index\":1}]}",
	  "no number" },
	{ "a score that is a word",
	  "{\"results\":[{\"index\":0,\"relevance_score\":1},"
	  "{\"index\":1,\"relevance_score\":\"1\"}]}",
	  "no number" },
	{ "a score beyond floats",
	  "{\"results\":[{\"index\":0,\"relevance_score\":1},"
	  "{\"index\":1,\"relevance_score\":1e39}]}",
	  "no number" },
};

static void test_judgements(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(judgements); i++) {
		struct kb_err err = { 0 };
		float scores[2] = { 0 };
		bool ok = kb_rerank_read(kb_sv_str(judgements[i].answer), 2, scores, &err);

		t->row = judgements[i].name;
		CHECK(t, ok == (judgements[i].says == NULL));
		if (ok)
			CHECK(t, scores[0] == .5f && scores[1] == -3);
		else
			CHECK(t, err.code == KB_E_UPSTREAM && judgements[i].says
			                 && strstr(err.msg, judgements[i].says));
	}
}

static const struct {
	const char *answer;
	bool ok, flagged;
} moderations[] = {
	{ "{\"results\":[{\"flagged\":false}]}", true, false },
	{ "{\"results\":[{\"flagged\":true,\"categories\":{}}],\"id\":\"x\"}", true, true },
	{ "{\"results\":[{\"flagged\":false},{\"flagged\":true}]}", true, true },
	{ "{\"results\":[{\"flagged\":\"yes\"}]}", false, false },
	{ "{\"results\":[{\"flagged\":true},{}]}", false, true },
	{ "{\"results\":[]}", false, false },
	{ "{\"results\":{}}", false, false },
	{ "{}", false, false },
	{ "<html>", false, false },
};

static void test_moderations(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(moderations); i++) {
		struct kb_err err = { 0 };
		bool flagged;

		t->row = moderations[i].answer;
		CHECK(t, kb_moderation_read(kb_sv_str(moderations[i].answer), &flagged, &err)
		                 == moderations[i].ok);
		CHECK(t, flagged == moderations[i].flagged);
		CHECK(t, moderations[i].ok || err.code == KB_E_UPSTREAM);
	}
}

static const struct {
	const char *answer;
	const char *want; /* pieces as "second text | …"; NULL: refused */
} speeches[] = {
	{ "{\"text\":\"Hi.\"}", "0 Hi." },
	{ "{\"language\":\"de\",\"segments\":[{\"start\":0,\"text\":\"a\"},{\"start\":83.9,"
	  "\"text\":\"b\"}]}",
	  "0 a | 83 b" },
	{ "{\"text\":\"a\",\"segments\":[]}", "0 a" },
	{ "{\"segments\":[{\"start\":-1,\"text\":\"a\"},{\"start\":1e99,\"text\":\"b\"},{\"text\":"
	  "\"c\"}]}",
	  "0 a | 0 b | 0 c" },
	{ "{\"segments\":[{\"start\":1},{\"start\":2,\"text\":7},7,{\"start\":\"3\",\"text\":\"d\"}"
	  "]}",
	  "0 d" },
	{ "{\"text\":7}", NULL },
	{ "{\"segments\":{}}", NULL },
	{ "[]", NULL },
	{ "WEBVTT", NULL },
	{ "", NULL },
};

static void test_speeches(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(speeches); i++) {
		struct kb_arena arena = { 0 };
		struct kb_err err = { 0 };
		struct kb_speech speech;
		struct kb_sv got = KB_SV("");

		t->row = speeches[i].answer;
		CHECK(t, kb_speech_read(&arena, kb_sv_str(speeches[i].answer), &speech, &err)
		                 == (speeches[i].want != NULL));
		for (size_t k = 0; speeches[i].want && k < speech.count; k++)
			got = kb_arena_printf(&arena, "%.*s%s%u %.*s", KB_SV_ARG(got),
			                      k ? " | " : "", speech.v[k].second,
			                      KB_SV_ARG(speech.v[k].text));
		if (speeches[i].want)
			CHECK_SV(t, got, speeches[i].want);
		else
			CHECK_INT(t, err.code, KB_E_UPSTREAM);
		kb_arena_fini(&arena);
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case tests[] = {
		{ "an answer of embeddings is read or refused with its mistake", test_embeddings },
		{ "a vector has 4,096 dimensions at most", test_long },
		{ "an answer of a reranker is read or refused with its mistake", test_judgements },
		{ "moderations are read or refused", test_moderations },
		{ "what is said is read or refused", test_speeches },
	};

	return kb_test_main(argc, argv, tests, KB_COUNTOF(tests));
}
