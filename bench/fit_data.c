/* Reading the sets, indexing them, and the scorer's comparison of texts. */
#include "fit_data.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utf8proc.h>
#include <zlib.h>

#include "answer/retrieve.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/utf8.h"
#include "index/rank.h"
#include "phrases.h"

enum {
	LINE_MAX_BYTES = 1 << 20,
	LESS_OF = 8, /* parts of the articles, of which one is taken out */
};

/* Calls fn with each line's object. false where there is neither path nor path.gz. */
static bool each_line(struct kb_arena *arena, const char *path,
                      void (*fn)(struct fit_set *set, json_t *line), struct fit_set *set)
{
	gzFile file = gzopen(kb_arena_printf(arena, "%s.gz", path).p, "rb");
	char *line;

	if (!file)
		file = gzopen(path, "rb");
	if (!file)
		return false;
	line = kb_xmalloc(LINE_MAX_BYTES);
	while (gzgets(file, line, LINE_MAX_BYTES)) {
		struct kb_arena scratch = { 0 };
		json_t *object = kb_json_parse(&scratch, kb_sv_str(line), NULL);

		if (object)
			fn(set, object);
		kb_arena_fini(&scratch);
	}
	free(line);
	gzclose(file);
	return true;
}

/* The part of an id before the first `mark`. */
static struct kb_sv before(struct kb_sv id, char mark)
{
	ptrdiff_t at = kb_sv_find_byte(id, mark);

	return at < 0 ? kb_sv(id.p, 0) : kb_sv_sub(id, 0, (size_t)at);
}

/* The article: "de:Super_Bowl_50#3" and "Super_Bowl_50#0" are one; elsewhere the title says. */
static uint64_t group_of(struct kb_sv doc, struct kb_sv title)
{
	ptrdiff_t hash = kb_sv_find_byte(doc, '#');

	if (hash < 0)
		return kb_hash64(title.n > 0 ? title : doc);
	doc.n = (size_t)hash;
	if (doc.n > 3 && doc.p[2] == ':')
		doc = kb_sv_from(doc, 3);
	return kb_hash64(doc);
}

bool fit_is_less(const char *name)
{
	const char *dash = strrchr(name, '-');

	return dash && isdigit((unsigned char)dash[1]) != 0;
}

/* Whether the set's name leaves the id in. Articles are counted as they come. */
static bool wanted_doc(struct fit_set *set, struct kb_sv id, struct kb_sv title)
{
	const char *lang = strchr(set->name, ':'), *article = strchr(set->name, '@');
	const char *less = fit_is_less(set->name) ? strrchr(set->name, '-') : NULL;

	if (lang && !kb_sv_eq_str(before(id, ':'), lang + 1))
		return false;
	if (less)
		return group_of(id, title) % LESS_OF != strtoul(less + 1, NULL, 10);
	if (!article)
		return true;
	if (!kb_sv_eq(before(id, '#'), set->article)) {
		set->article = kb_arena_sv(&set->arena, before(id, '#'));
		set->articles++;
	}
	return set->articles == (size_t)strtoul(article + 1, NULL, 10);
}

static void add_doc(struct fit_set *set, json_t *line)
{
	struct kb_sv id = kb_json_sv(line, "id", KB_SV(""));

	if (!wanted_doc(set, id, kb_json_sv(line, "title", KB_SV(""))))
		return;
	if ((set->doc_count & (set->doc_count - 1)) == 0)
		set->docs = kb_xrealloc(set->docs,
		                        KB_MAX(set->doc_count * 2, (size_t)1) * sizeof(*set->docs));
	set->docs[set->doc_count++] = (struct fit_doc){
		kb_arena_sv(&set->arena, id),
		kb_arena_sv(&set->arena, kb_json_sv(line, "title", KB_SV(""))),
		kb_arena_sv(&set->arena, kb_json_sv(line, "text", KB_SV(""))),
	};
}

static const struct fit_doc *doc_of(const struct fit_set *set, struct kb_sv id)
{
	for (size_t i = 0; i < set->doc_count; i++)
		if (kb_sv_eq(set->docs[i].id, id))
			return &set->docs[i];
	return NULL;
}

static void add_ask(struct fit_set *set, json_t *line)
{
	struct kb_sv id = kb_json_sv(line, "id", KB_SV(""));
	json_t *answers = kb_json_get(line, "answers"), *ids = kb_json_get(line, "doc_ids");
	json_t *turns = kb_json_get(line, "turns");
	struct kb_sv one = kb_json_sv(line, "doc_id", KB_SV(""));
	struct fit_ask *ask;
	size_t n;

	if (strpbrk(set->name, ":@") && !doc_of(set, one))
		return;
	if (fit_is_less(set->name) && (one.n == 0 || doc_of(set, one)))
		return;
	if ((set->ask_count & (set->ask_count - 1)) == 0)
		set->asks = kb_xrealloc(set->asks,
		                        KB_MAX(set->ask_count * 2, (size_t)1) * sizeof(*set->asks));
	ask = &set->asks[set->ask_count++];
	*ask = (struct fit_ask){
		.id = kb_arena_sv(&set->arena, id),
		.text = kb_arena_sv(&set->arena, kb_json_sv(line, "text", KB_SV(""))),
		.source = set->name,
		.impossible = kb_json_bool(line, "is_impossible", false),
	};
	n = json_array_size(answers);
	ask->answers = KB_NEW_ARRAY(&set->arena, n, struct kb_sv);
	for (size_t i = 0; i < n; i++) {
		const char *text = json_string_value(json_array_get(answers, i));

		ask->answers[ask->answer_count++] = kb_arena_sv(&set->arena, kb_sv_str(text));
	}
	n = json_array_size(ids) + 1;
	ask->docs = KB_NEW_ARRAY(&set->arena, n, const struct fit_doc *);
	for (size_t i = 0; i < n; i++) {
		struct kb_sv name =
		        i + 1 < n ? kb_sv_str(json_string_value(json_array_get(ids, i))) : one;
		const struct fit_doc *doc = name.n > 0 ? doc_of(set, name) : NULL;

		if (doc)
			ask->docs[ask->doc_count++] = doc;
	}
	n = json_array_size(turns);
	ask->history = KB_NEW_ARRAY(&set->arena, n, struct kb_sv);
	for (size_t i = 0; i + 1 < n; i++) {
		json_t *turn = json_array_get(turns, i);

		if (kb_sv_eq_str(kb_json_sv(turn, "role", KB_SV("")), "user"))
			ask->history[ask->history_count++] =
			        kb_arena_sv(&set->arena, kb_json_sv(turn, "text", KB_SV("")));
	}
	ask->group = ask->doc_count ? group_of(ask->docs[0]->id, ask->docs[0]->title)
	                            : kb_hash64(ask->id);
}

void fit_set_build(struct fit_set *set)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();

	for (size_t i = 0; i < set->doc_count; i++) {
		const struct fit_doc *doc = &set->docs[i];
		struct kb_passage passage = { .page_id = (int64_t)i + 1,
			                      .lang = kb_lang_of_text(doc->text),
			                      .title = doc->title,
			                      .text = doc->text };

		kb_segment_writer_add(writer, &passage);
	}
	fit_set_index(set, writer);
	kb_segment_writer_free(writer);
}

/* What searches use. */
static const struct kb_meaning *used;
static struct encoded *encoder;

void fit_set_index(struct fit_set *set, struct kb_segment_writer *writer)
{
	char path[] = "/tmp/fit_answers_XXXXXX";
	struct kb_segment_info info;
	struct kb_err err;
	int fd = mkstemp(path);

	kb_segment_writer_passing(writer);
	if (fd < 0 || !kb_segment_writer_finish(writer, path, &info, &err)
	    || !(set->segment = kb_segment_open(path, false, &err))) {
		fprintf(stderr, "%s: %s\n", set->name, err.msg);
		exit(1);
	}
	close(fd);
	unlink(path);
	if (encoder && !encoded_column(encoder, set->segment, path, &set->column, &err)) {
		fprintf(stderr, "%s: %s\n", set->name, err.msg);
		exit(1);
	}
	set->snapshot =
	        kb_snapshot_new(&(struct kb_snapshot_part){ .segment = set->segment,
	                                                    .version = 1,
	                                                    .vectors = &set->column,
	                                                    .vectors_count = set->column != NULL },
	                        1, NULL, 0);
}

bool fit_set_open(struct fit_set *set, const char *root, const char *name)
{
	char folder[64];
	const char *base;
	bool ir = strncmp(name, "ir/", 3) == 0;

	*set = (struct fit_set){ .name = name };
	snprintf(folder, sizeof(folder), "%.*s",
	         fit_is_less(name) ? (int)(strrchr(name, '-') - name) : (int)strcspn(name, ":@"),
	         name);
	base = kb_arena_printf(&set->arena, "%s/%s%s", root, ir ? "" : "qa/", folder).p;
	if (!each_line(&set->arena, kb_arena_printf(&set->arena, "%s/docs.jsonl", base).p, add_doc,
	               set)
	    || !each_line(
	            &set->arena,
	            kb_arena_printf(&set->arena, "%s/%s.jsonl", base, ir ? "queries" : "questions")
	                    .p,
	            add_ask, set)) {
		fit_set_close(set);
		return false;
	}
	fit_set_build(set);
	return true;
}

bool fit_set_small(struct fit_set *set, const struct fit_set *source, size_t from, size_t count)
{
	*set = (struct fit_set){ .name = source->name };
	if (from + count > source->doc_count)
		return false;
	set->docs = kb_xcalloc(count, sizeof(*set->docs));
	set->doc_count = count;
	memcpy(set->docs, source->docs + from, count * sizeof(*set->docs));
	set->asks = kb_xcalloc(source->ask_count + 1, sizeof(*set->asks));
	for (size_t i = 0; i < source->ask_count; i++) {
		struct fit_ask ask = source->asks[i];
		const struct fit_doc *doc = ask.doc_count == 1 ? ask.docs[0] : NULL;

		if (!doc || ask.impossible || !ask.answer_count || doc < source->docs + from
		    || doc >= source->docs + from + count)
			continue;
		ask.docs = KB_NEW(&set->arena, const struct fit_doc *);
		ask.docs[0] = set->docs + (doc - (source->docs + from));
		set->asks[set->ask_count++] = ask;
	}
	fit_set_build(set);
	return true;
}

void fit_set_close(struct fit_set *set)
{
	kb_snapshot_release(set->snapshot);
	kb_vectors_release(set->column);
	kb_segment_release(set->segment);
	free(set->docs);
	free(set->asks);
	kb_arena_fini(&set->arena);
	*set = (struct fit_set){ 0 };
}

static int64_t df(void *arg, struct kb_sv term)
{
	return kb_snapshot_df(arg, term);
}

struct kb_answer_stats fit_stats(struct fit_set *set)
{
	int64_t passages = kb_snapshot_passages(set->snapshot);

	return (struct kb_answer_stats){ .passages = KB_MAX(passages, (int64_t)KB_WEIGHED_LEAST),
		                         .df = df,
		                         .arg = set->snapshot };
}

void fit_use_meaning(const struct kb_meaning *meaning)
{
	used = meaning;
}

void fit_use_encoder(struct encoded *e)
{
	encoder = e;
}

static int by_score(const void *a, const void *b)
{
	const struct kb_candidate *x = a, *y = b;

	return x->score != y->score ? (x->score > y->score ? -1 : 1)
	       : x->part != y->part ? (x->part < y->part ? -1 : 1)
	                            : (x->doc < y->doc ? -1 : x->doc > y->doc);
}

void fit_search(struct fit_set *set, struct kb_arena *arena, const struct kb_question *q,
                size_t top, struct kb_evidence *out)
{
	const struct kb_answerer answerer = { .vectorizer = encoded_vectorizer(encoder) };
	struct kb_query query = kb_question_query(q, top);
	struct kb_retrieval retrieval = { .snapshot = set->snapshot,
		                          .words = &query,
		                          .question = q->text };
	struct kb_retrieved found;
	struct kb_candidate *v;
	const float *meant;

	query.meaning = used;
	kb_retrieve(&answerer, arena, &retrieval, &found);
	v = KB_NEW_ARRAY(arena, found.count, struct kb_candidate);
	for (size_t i = 0; i < found.count; i++)
		v[i].place = (uint32_t)i;
	kb_retrieved_word_scores(arena, &retrieval, &found, found.hits, found.count);
	meant = kb_search_meant(set->snapshot, arena, &query, found.hits, found.count);
	for (size_t i = 0; i < found.count; i++) {
		struct kb_err err;

		v[i].meant = meant[i];
		v[i].score = found.hits[i].score;
		v[i].part = found.hits[i].part;
		v[i].doc = found.hits[i].doc;
		kb_retrieved_measure(set->snapshot, arena, &found, &v[i]);
		if (!kb_snapshot_passage(set->snapshot, arena, v[i].part, v[i].doc, &v[i].passage,
		                         &err)) {
			fprintf(stderr, "%s: %s\n", set->name, err.msg);
			exit(1);
		}
	}
	if (found.count && encoder)
		qsort(v, found.count, sizeof(*v), by_score);
	out->candidates = v;
	out->count = found.count;
	out->meaning = used;
	out->nearness = found.nearness;
}

/* ------------------------------------------------------------------ gold in a text */

struct words {
	struct kb_sv *v;
	size_t count;
};

struct fit_gold {
	struct words *answers;
	size_t count;
	const struct fit_ask *squeezed; /* whose answers are squeezed; NULL: they are words */
};

static bool is_character(uint32_t c)
{
	return (c >= 0x2e80 && c <= 0x303f) || (c >= 0x3040 && c <= 0x30ff)
	       || (c >= 0x3100 && c <= 0x312f) || (c >= 0x3400 && c <= 0x4dbf)
	       || (c >= 0x4e00 && c <= 0x9fff) || (c >= 0xf900 && c <= 0xfaff)
	       || (c >= 0xac00 && c <= 0xd7af) || (c >= 0x20000 && c <= 0x3ffff)
	       || (c >= 0x0e00 && c <= 0x0e7f);
}

static void push(struct kb_arena *arena, struct words *words, const char *p, size_t n)
{
	if (n == 0 || (n == 1 && *p == 'a') || (n == 2 && memcmp(p, "an", 2) == 0)
	    || (n == 3 && memcmp(p, "the", 3) == 0))
		return;
	if ((words->count & (words->count - 1)) == 0) {
		struct kb_sv *grown =
		        KB_NEW_ARRAY(arena, KB_MAX(words->count * 2, (size_t)1), struct kb_sv);

		if (words->count)
			memcpy(grown, words->v, words->count * sizeof(*grown));
		words->v = grown;
	}
	words->v[words->count++] = kb_sv(p, n);
}

static struct words cut(struct kb_arena *arena, struct kb_sv text)
{
	struct words words = { 0 };
	bool characters = false;
	char *out, *word;
	size_t n;

	for (size_t i = 0; i < text.n;) {
		uint32_t cp;

		i += kb_utf8_decode(kb_sv_from(text, i), &cp);
		characters |= is_character(cp);
	}
	if (characters) {
		char *copy = kb_arena_str(arena, text);
		utf8proc_uint8_t *folded = utf8proc_NFKC((utf8proc_uint8_t *)copy);

		if (folded) {
			text = kb_arena_sv(arena, kb_sv_str((char *)folded));
			free(folded);
		}
	}
	out = word = kb_arena_bytes(arena, text.n * 2 + 1);
	for (size_t i = 0; i < text.n;) {
		uint32_t cp;
		size_t size = kb_utf8_decode(kb_sv_from(text, i), &cp);
		utf8proc_category_t category;

		i += size;
		if (cp == KB_UTF8_BAD)
			continue;
		category = utf8proc_category((utf8proc_int32_t)cp);
		if (cp == ' ' || (cp >= 9 && cp <= 13) || cp == 0x85
		    || (category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_ZP)
		    || (characters && category >= UTF8PROC_CATEGORY_PC
		        && category <= UTF8PROC_CATEGORY_PO)) {
			push(arena, &words, word, (size_t)(out - word));
			word = out;
			continue;
		}
		if (cp < 0x80 && strchr("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", (int)cp))
			continue;
		if (is_character(cp) && characters) {
			push(arena, &words, word, (size_t)(out - word));
			word = out;
		}
		n = kb_utf8_encode((uint32_t)utf8proc_tolower((utf8proc_int32_t)cp), out);
		out += n;
		if (is_character(cp) && characters) {
			push(arena, &words, word, (size_t)(out - word));
			word = out;
		}
	}
	push(arena, &words, word, (size_t)(out - word));
	return words;
}

struct fit_gold *fit_gold_new(struct kb_arena *arena, const struct fit_set *set,
                              const struct fit_ask *ask)
{
	struct fit_gold *gold = KB_NEW(arena, struct fit_gold);

	if (set->squeezed) {
		gold->squeezed = ask;
		return gold;
	}

	gold->answers = KB_NEW_ARRAY(arena, ask->answer_count, struct words);
	for (size_t i = 0; i < ask->answer_count; i++)
		gold->answers[gold->count++] = cut(arena, ask->answers[i]);
	return gold;
}

bool fit_gold_in(struct kb_arena *arena, const struct fit_gold *gold, struct kb_sv text)
{
	struct words words;

	if (gold->squeezed) {
		text = bench_squeezed(arena, text);
		for (size_t a = 0; a < gold->squeezed->answer_count; a++)
			if (kb_sv_find(text, gold->squeezed->answers[a]) >= 0)
				return true;
		return false;
	}
	words = cut(arena, text);
	for (size_t a = 0; a < gold->count; a++) {
		const struct words *want = &gold->answers[a];

		for (size_t i = 0; want->count > 0 && i + want->count <= words.count; i++) {
			size_t k = 0;

			while (k < want->count && kb_sv_eq(words.v[i + k], want->v[k]))
				k++;
			if (k == want->count)
				return true;
		}
	}
	return false;
}
