/* Whole answers of embedding and rerank servers, as one has given them: below their source and an
 * empty line (tests/fixtures/models). */
#include "base/file.h"
#include "test.h"
#include "upstream/embed.h"
#include "upstream/rerank.h"

enum { TEXTS = 3 }; /* the first two are near each other, the third is about something else */

static struct kb_sv answer_of(struct kb_test *t, struct kb_arena *arena, const char *name)
{
	struct kb_sv path = kb_arena_printf(arena, FIXTURES "/models/%s.json", name);
	struct kb_sv whole = KB_SV("");
	struct kb_err err;
	ptrdiff_t end;

	t->row = name;
	CHECK(t, kb_file_read(arena, path.p, KB_MIB(1), &whole, &err));
	CHECK(t, kb_sv_starts(whole, KB_SV("source: ")));
	end = kb_sv_find(whole, KB_SV("\n\n"));
	CHECK(t, end > 0);
	return end > 0 ? kb_sv_from(whole, (size_t)end + 2) : KB_SV("");
}

static float product(const struct kb_embedded *made, size_t a, size_t b)
{
	float sum = 0;

	for (uint32_t i = 0; i < made->dims; i++)
		sum += made->rows[a * made->dims + i] * made->rows[b * made->dims + i];
	return sum;
}

static void test_embeddings(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_embedded made = { 0 };
	struct kb_err err = { 0 };

	CHECK(t, kb_embed_read(&arena, answer_of(t, &arena, "llamacpp-embeddings"), TEXTS, 0, &made,
	                       &err));
	CHECK_SV(t, kb_sv_str(err.msg), "");
	CHECK_INT(t, made.dims, 64);
	CHECK(t, made.dims && product(&made, 0, 1) > product(&made, 0, 2));
	CHECK(t, made.dims && product(&made, 0, 1) > product(&made, 1, 2));
	CHECK(t, !kb_embed_read(&arena, answer_of(t, &arena, "llamacpp-embeddings-long"), 1, 0,
	                        &made, &err));
	CHECK_INT(t, err.code, KB_E_UPSTREAM);
	kb_arena_fini(&arena);
}

static void test_rerank(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	float scores[TEXTS] = { 0 };
	struct kb_err err = { 0 };

	CHECK(t, kb_rerank_read(answer_of(t, &arena, "llamacpp-rerank"), TEXTS, scores, &err));
	CHECK_SV(t, kb_sv_str(err.msg), "");
	for (size_t i = 0; i < TEXTS; i++) /* not between 0 and 1, as other servers' are */
		CHECK(t, scores[i] < -.39f && scores[i] > -.40f);
	CHECK(t, !kb_rerank_read(answer_of(t, &arena, "llamacpp-rerank-of-another-model"), TEXTS,
	                         scores, &err));
	CHECK_INT(t, err.code, KB_E_UPSTREAM);
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "vectors of a real server, and its refusal of a long text", test_embeddings },
		{ "a real judge's figures, and what a model says that is none", test_rerank },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
