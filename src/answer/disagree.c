#include "answer/disagree.h"

#include <stdlib.h>

#include "answer/guard.h"
#include "answer/statement.h"
#include "base/container.h"
#include "base/utf8.h"
#include "index/sentence.h"

enum { LOOK_EVERY = 64, PAIRS_MAX = 100000, TEXT_MAX_BYTES = 1 << 20 };

/* A statement with a figure, and where it stands. */
struct said {
	uint64_t words, figures;
	int64_t page_id;
	uint32_t part, doc, start, end;
};

/* Two documents that disagree in one. */
struct clash {
	int64_t a, b;
	size_t of_a, of_b; /* among what is said */
};

struct reading {
	const struct kb_snapshot *snapshot;
	struct kb_analyzer *analyzer;
	struct said *v;
	size_t count, capacity;
	struct clash *clashes;
	size_t clash_count, clash_capacity;
};

/* ---- what is said ---- */

static void read_passage(struct reading *r, struct kb_arena *arena, const struct said *where,
                         const struct kb_passage *passage)
{
	struct kb_sentence *sentences;
	size_t count;

	kb_sentences(arena, passage->text, &sentences, &count);
	for (size_t i = 0; i < count && r->count < KB_DISAGREE_STATEMENTS; i++) {
		struct kb_statement statement;

		kb_statement_read(r->analyzer, passage->lang,
		                  kb_sv_sub(passage->text, sentences[i].start,
		                            sentences[i].end - sentences[i].start),
		                  &statement);
		if (!statement.words || !statement.figures)
			continue;
		KB_GROW(r->v, r->capacity, r->count + 1);
		r->v[r->count] = *where;
		r->v[r->count].words = statement.words;
		r->v[r->count].figures = statement.figures;
		r->v[r->count].page_id = passage->page_id;
		r->v[r->count].start = sentences[i].start;
		r->v[r->count].end = sentences[i].end;
		r->count++;
	}
}

static bool read_all(struct reading *r, const struct kb_cancel *cancel, struct kb_err *err)
{
	struct said at = { 0 };

	for (size_t n = 0; r->count < KB_DISAGREE_STATEMENTS
	                   && kb_snapshot_living(r->snapshot, &at.part, &at.doc);
	     n++, at.doc++) {
		struct kb_arena arena = { 0 };
		struct kb_passage passage;
		bool ok =
		        (n % LOOK_EVERY || !kb_cancelled(cancel, err))
		        && kb_snapshot_passage(r->snapshot, &arena, at.part, at.doc, &passage, err);

		if (ok)
			read_passage(r, &arena, &at, &passage);
		kb_arena_fini(&arena);
		if (!ok)
			return false;
	}
	return true;
}

/* ---- who disagrees ---- */

static int by_words(const void *a, const void *b)
{
	const struct said *x = a, *y = b;

	if (x->words != y->words)
		return x->words < y->words ? -1 : 1;
	if (x->page_id != y->page_id)
		return x->page_id < y->page_id ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

/* Those from `from` to before `to` have the same words: the first of each document counts. */
static void compare(struct reading *r, size_t from, size_t to)
{
	size_t firsts[KB_DISAGREE_DOCUMENTS], count = 0;

	for (size_t i = from; i < to; i++) {
		if (count && r->v[firsts[count - 1]].page_id == r->v[i].page_id)
			continue;
		if (count == KB_DISAGREE_DOCUMENTS)
			return;
		firsts[count++] = i;
	}
	for (size_t i = 0; i < count; i++)
		for (size_t k = i + 1; k < count && r->clash_count < PAIRS_MAX; k++) {
			const struct said *a = &r->v[firsts[i]], *b = &r->v[firsts[k]];

			if (a->figures == b->figures)
				continue;
			KB_GROW(r->clashes, r->clash_capacity, r->clash_count + 1);
			r->clashes[r->clash_count++] =
			        (struct clash){ a->page_id, b->page_id, firsts[i], firsts[k] };
		}
}

static int by_pair(const void *a, const void *b)
{
	const struct clash *x = a, *y = b;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	if (x->b != y->b)
		return x->b < y->b ? -1 : 1;
	return x->of_a < y->of_a ? -1 : x->of_a > y->of_a;
}

/* Two documents and the first of their clashes. */
struct pair {
	struct kb_disagreement found;
	const struct clash *first;
};

/* Those that disagree in most first. */
static int by_statements(const void *a, const void *b)
{
	const struct kb_disagreement *x = &((const struct pair *)a)->found;
	const struct kb_disagreement *y = &((const struct pair *)b)->found;

	if (x->statements != y->statements)
		return x->statements > y->statements ? -1 : 1;
	return x->a != y->a ? (x->a < y->a ? -1 : 1) : x->b < y->b ? -1 : x->b > y->b;
}

static bool text_of(const struct reading *r, struct kb_arena *arena, size_t which,
                    struct kb_sv *out, struct kb_err *err)
{
	const struct said *said = &r->v[which];
	struct kb_arena scratch = { 0 };
	struct kb_passage passage;
	bool ok = kb_snapshot_passage(r->snapshot, &scratch, said->part, said->doc, &passage, err);

	if (ok)
		*out = kb_arena_sv(
		        arena, kb_utf8_head(kb_outguard_quote(&scratch,
		                                              kb_sv_sub(passage.text, said->start,
		                                                        said->end - said->start)),
		                            KB_DISAGREE_CHARS));
	kb_arena_fini(&scratch);
	return ok;
}

static bool gather(struct reading *r, struct kb_arena *arena, struct kb_disagreements *out,
                   struct kb_err *err)
{
	struct pair *pairs = KB_NEW_ARRAY(arena, r->clash_count, struct pair), *last = NULL;
	size_t count = 0;

	for (size_t i = 0; i < r->clash_count; i++) {
		const struct clash *clash = &r->clashes[i];

		if (!last || last->found.a != clash->a || last->found.b != clash->b) {
			last = &pairs[count++];
			*last = (struct pair){ { .a = clash->a, .b = clash->b }, clash };
		}
		last->found.statements++;
	}
	if (count)
		qsort(pairs, count, sizeof(*pairs), by_statements);
	count = KB_MIN(count, (size_t)KB_DISAGREE_PAIRS);
	*out = (struct kb_disagreements){ KB_NEW_ARRAY(arena, count, struct kb_disagreement),
		                          count };
	for (size_t i = 0; i < count; i++) {
		struct kb_disagreement *to = &out->v[i];

		*to = pairs[i].found;
		if (!text_of(r, arena, pairs[i].first->of_a, &to->text_a, err)
		    || !text_of(r, arena, pairs[i].first->of_b, &to->text_b, err))
			return false;
	}
	return true;
}

bool kb_disagree_find(const struct kb_snapshot *snapshot, const struct kb_cancel *cancel,
                      struct kb_arena *arena, struct kb_disagreements *out, struct kb_err *err)
{
	struct reading r = { .snapshot = snapshot, .analyzer = kb_analyzer_new() };
	bool ok = read_all(&r, cancel, err);

	*out = (struct kb_disagreements){ 0 };
	if (ok && r.count)
		qsort(r.v, r.count, sizeof(*r.v), by_words);
	for (size_t from = 0, to; ok && from < r.count; from = to) {
		for (to = from + 1; to < r.count && r.v[to].words == r.v[from].words;)
			to++;
		compare(&r, from, to);
	}
	if (ok && r.clash_count) {
		qsort(r.clashes, r.clash_count, sizeof(*r.clashes), by_pair);
		ok = gather(&r, arena, out, err);
	}
	kb_analyzer_free(r.analyzer);
	free(r.v);
	free(r.clashes);
	return ok;
}

/* ---- stored ---- */

struct kb_sv kb_disagree_text(struct kb_arena *arena, const struct kb_disagreements *list)
{
	struct kb_sv out = KB_SV("");
	struct kb_buf buf;
	struct kb_jw jw;

	kb_buf_init(&buf, TEXT_MAX_BYTES);
	kb_jw_init(&jw, &buf);
	kb_jw_array(&jw);
	for (size_t i = 0; i < list->count; i++) {
		kb_jw_object(&jw);
		kb_jw_key_int(&jw, "a", list->v[i].a);
		kb_jw_key_int(&jw, "b", list->v[i].b);
		kb_jw_key_int(&jw, "statements", list->v[i].statements);
		kb_jw_key_sv(&jw, "text_a", list->v[i].text_a);
		kb_jw_key_sv(&jw, "text_b", list->v[i].text_b);
		kb_jw_end(&jw);
	}
	kb_jw_end(&jw);
	if (!buf.failed)
		out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

void kb_disagree_read(struct kb_arena *arena, struct kb_sv text, struct kb_disagreements *out)
{
	const json_t *root = text.n ? kb_json_parse(arena, text, NULL) : NULL;

	*out = (struct kb_disagreements){ .v = KB_NEW_ARRAY(arena, json_array_size(root),
		                                            struct kb_disagreement) };
	for (size_t i = 0; i < json_array_size(root); i++) {
		const json_t *one = json_array_get(root, i);

		out->v[out->count++] = (struct kb_disagreement){
			.a = kb_json_int(one, "a", 0),
			.b = kb_json_int(one, "b", 0),
			.statements = kb_json_int(one, "statements", 0),
			.text_a = kb_json_sv(one, "text_a", KB_SV("")),
			.text_b = kb_json_sv(one, "text_b", KB_SV("")),
		};
	}
}
