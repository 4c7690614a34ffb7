/* Vectors by a model in the process, which no server stands behind: passages get them in the
 * background and questions are found by them, through the same functions. */
#include "upkeep/vectorize.h"

#include <stdatomic.h>
#include <string.h>

#include "../store/fixture.h"
#include "answer/answerer.h"
#include "answer/find.h"
#include "index/vectors.h"
#include "out/health.h"
#include "upkeep/config.h"

enum { DIMS = 384 };

/* It knows what some words are about, and nothing else. */
struct encoder {
	atomic_int left_to_fail, asked, questions;
};

static const struct {
	const char *word;
	uint32_t about;
} known_words[] = {
	{ "cat", 1 }, { "feline", 1 }, { "lamp", 2 }, { "lantern", 2 }, { "boat", 3 },
};

static bool known(void *arg, struct kb_vector_column *out)
{
	(void)arg;
	*out = (struct kb_vector_column){ .name = KB_SV(KB_EMBED_FAMILY "in-process"),
		                          .model = KB_SV("in-process:384"),
		                          .dims = DIMS };
	return true;
}

static bool column(void *arg, struct kb_vector_column *out, struct kb_err *err)
{
	(void)err;
	return known(arg, out);
}

static void encode(struct kb_sv text, float *v)
{
	bool knows = false;

	for (size_t i = 0; i < KB_COUNTOF(known_words); i++)
		if (memmem(text.p, text.n, known_words[i].word, strlen(known_words[i].word))) {
			v[known_words[i].about] = 1;
			knows = true;
		}
	if (!knows)
		v[0] = 1;
}

static bool embed(void *arg, struct kb_arena *arena, const struct kb_sv *texts, size_t count,
                  const float **rows, struct kb_err *err)
{
	struct encoder *encoder = arg;
	float *out = KB_NEW_ARRAY(arena, count * DIMS, float);

	atomic_fetch_add(&encoder->asked, 1);
	if (atomic_load(&encoder->left_to_fail) > 0) {
		atomic_fetch_sub(&encoder->left_to_fail, 1);
		return kb_fail(err, KB_E_UPSTREAM, "no core was free");
	}
	for (size_t i = 0; i < count; i++)
		encode(texts[i], out + i * DIMS);
	*rows = out;
	return true;
}

/* Of each part what is said in it. */
static bool embed_parts(void *arg, struct kb_arena *arena, const struct kb_vectorizer_text *texts,
                        size_t count, struct kb_vectorized *made, struct kb_err *err)
{
	struct kb_sv *whole = KB_NEW_ARRAY(arena, count, struct kb_sv);
	size_t all = 0;
	float *out;

	for (size_t i = 0; i < count; i++) {
		whole[i] = texts[i].text;
		all += texts[i].parts;
	}
	made->parts = out = KB_NEW_ARRAY(arena, all * DIMS, float);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < texts[i].parts; k++, out += DIMS)
			encode(kb_sv_sub(texts[i].text, texts[i].bounds[k],
			                 texts[i].bounds[k + 1] - texts[i].bounds[k]),
			       out);
	return embed(arg, arena, whole, count, &made->rows, err);
}

static bool question(void *arg, struct kb_arena *arena, struct kb_sv text, const float **v,
                     struct kb_err *err)
{
	struct encoder *encoder = arg;
	float *out = KB_NEW_ARRAY(arena, DIMS, float);

	(void)err;
	atomic_fetch_add(&encoder->questions, 1);
	encode(text, out);
	*v = out;
	return true;
}

static void stats(void *arg, struct kb_health_stats *out)
{
	struct encoder *encoder = arg;

	*out = (struct kb_health_stats){ .name = "encoder",
		                         .requests = atomic_load(&encoder->questions) };
}

static struct kb_vectorizer vectorizer_of(struct encoder *encoder)
{
	return (struct kb_vectorizer){ .known = known,
		                       .column = column,
		                       .embed = embed,
		                       .question = question,
		                       .stats = stats,
		                       .arg = encoder,
		                       .lines = 1,
		                       .batch_texts = 2,
		                       .batch_bytes = 1000,
		                       .text_bytes = 1000 };
}

struct world {
	struct fixture f;
	char blob_dir[80], temp[112];
	struct kb_blobs *blobs;
	struct kb_catalog *catalog;
	int64_t agent_id;
};

static const char *const passages[] = { "The cat sleeps by day.", "A lamp stands in the hall.",
	                                "The boat leaves at nine. A cat is aboard." };

/* An agent of one page with these passages. */
static void world_init(struct world *w, struct kb_test *t)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();
	struct kb_segment_new segment = { .passages = KB_COUNTOF(passages), .pages = 1 };
	struct kb_segment_info info;
	struct kb_page_result result;
	struct kb_blob_name name;
	struct kb_leases leases;

	fixture_init(&w->f, t);
	snprintf(w->blob_dir, sizeof(w->blob_dir), "%s-blobs", w->f.dir);
	snprintf(w->temp, sizeof(w->temp), "%s/new", w->blob_dir);
	w->blobs = kb_blobs_open(w->blob_dir, &w->f.err);
	NEED(&w->f, w->blobs);
	w->catalog = kb_catalog_open(
	        w->f.store, w->blobs,
	        &(struct kb_catalog_limits){ .agents = 8, .heap_bytes = INT64_MAX }, NULL);
	w->agent_id = fixture_agent(&w->f, "a").id;
	fixture_pages(&w->f, w->agent_id, 1);
	NEED(&w->f, kb_store_pages_lease(w->f.store, &w->f.arena,
	                                 &(struct kb_lease_want){ .max = 1, .lease_us = KB_DAY_US },
	                                 &leases, &w->f.err));
	for (uint32_t i = 0; i < KB_COUNTOF(passages); i++)
		kb_segment_writer_add(writer,
		                      &(struct kb_passage){ .page_id = leases.v[0].page.id,
		                                            .ordinal = i,
		                                            .text = kb_sv_str(passages[i]) });
	NEED(&w->f, kb_segment_writer_finish(writer, w->temp, &info, &w->f.err));
	kb_segment_writer_free(writer);
	NEED(&w->f, kb_blob_take(w->blobs, w->temp, &name, &segment.bytes, &w->f.err));
	segment.blob = kb_sv_str(name.hex);
	result = fixture_result(&leases.v[0]);
	NEED(&w->f,
	     kb_store_pages_finish(w->f.store, w->agent_id, &result, 1, &segment, &w->f.err));
}

static void world_fini(struct world *w)
{
	char command[128];

	kb_catalog_close(w->catalog);
	kb_blobs_close(w->blobs);
	fixture_fini(&w->f);
	snprintf(command, sizeof(command), "rm -rf '%s'", w->blob_dir);
	CHECK(w->f.t, system(command) == 0);
}

static struct kb_vectorize *start(struct world *w, const struct kb_vectorizer *with)
{
	return kb_vectorize_start(&(struct kb_upkeep_config){ .store = w->f.store,
	                                                      .blobs = w->blobs,
	                                                      .catalog = w->catalog,
	                                                      .clock = &w->f.clock,
	                                                      .temp_dir = w->blob_dir,
	                                                      .vectorizer = with });
}

/* A round that never comes is the runner's to end. */
static struct kb_vectorize_stats stats_at(struct kb_vectorize *v, int64_t vectors, int64_t failures)
{
	struct kb_vectorize_stats out;

	do {
		usleep(200);
		kb_vectorize_stats(v, &out);
	} while (out.vectors < vectors || out.failures < failures);
	return out;
}

static struct kb_findings find(struct world *w, const struct kb_vectorizer *with, const char *text)
{
	struct kb_answerer *answerer = kb_answerer_open(w->f.store, w->catalog, NULL);
	struct kb_settings settings;
	struct kb_findings found;

	NEED(&w->f, kb_settings_read(&w->f.arena, KB_SV("{}"), &settings, &w->f.err));
	kb_answerer_models(answerer, with, NULL);
	NEED(&w->f, kb_find(answerer, &w->f.arena,
	                    &(struct kb_find_request){ .agent_id = w->agent_id,
	                                               .settings = &settings,
	                                               .text = kb_sv_str(text),
	                                               .limit = 3 },
	                    &found, &w->f.err));
	kb_answerer_close(answerer);
	return found;
}

static void test_finds(struct kb_test *t)
{
	struct encoder encoder = { 0 };
	struct kb_vectorizer with = vectorizer_of(&encoder);
	struct kb_health_stats line;
	struct kb_findings found;
	struct kb_vectorize *v;
	struct world w;

	world_init(&w, t);
	t->row = "before anything has a vector, the question needs none";
	found = find(&w, &with, "feline");
	CHECK_INT(t, found.vectors, KB_VECTORS_NONE);
	CHECK_INT(t, found.count, 0);
	CHECK_INT(t, atomic_load(&encoder.questions), 0);

	t->row = "all passages get theirs, two at a time";
	v = start(&w, &with);
	stats_at(v, KB_COUNTOF(passages), 0);
	kb_vectorize_stop(v);
	CHECK_INT(t, atomic_load(&encoder.asked), 2);

	t->row = "a word that no passage holds finds by meaning";
	found = find(&w, &with, "feline");
	CHECK_INT(t, found.vectors, KB_VECTORS_USED);
	CHECK(t, found.count > 0);
	if (found.count)
		CHECK_SV(t, found.v[0].passage.text, passages[0]);
	found = find(&w, &with, "lantern");
	CHECK(t, found.count > 0);
	if (found.count)
		CHECK_SV(t, found.v[0].passage.text, passages[1]);

	t->row = "its own figures";
	with.stats(with.arg, &line);
	CHECK_INT(t, line.requests, 2);
	world_fini(&w);
}

/* The cosine of each sentence of a passage with the text, of the one segment. */
static const float *of_sentences(struct world *w, uint32_t passage, const char *text, size_t *count)
{
	struct kb_index_state state;
	struct kb_vectors *vectors;
	float v[DIMS] = { 0 };
	const float *out;

	encode(kb_sv_str(text), v);
	NEED(&w->f, kb_store_index_state(w->f.store, &w->f.arena, w->agent_id, &state, &w->f.err));
	CHECK_INT(w->f.t, state.vectors_count, 1);
	vectors = kb_catalog_vectors(w->catalog, state.vectors[0].blob, &w->f.err);
	NEED(&w->f, vectors);
	out = kb_vectors_part_cosines(vectors, &w->f.arena, passage,
	                              kb_vector_new(&w->f.arena, v, DIMS), count);
	kb_vectors_release(vectors);
	return out;
}

static void test_sentences(struct kb_test *t)
{
	struct encoder encoder = { 0 };
	struct kb_vectorizer with = vectorizer_of(&encoder);
	struct kb_vectorize *v;
	const float *cosines;
	struct world w;
	size_t count;

	with.embed_parts = embed_parts;
	world_init(&w, t);
	v = start(&w, &with);
	stats_at(v, KB_COUNTOF(passages), 0);
	kb_vectorize_stop(v);
	t->row = "a passage of one";
	cosines = of_sentences(&w, 0, "feline", &count);
	CHECK_INT(t, count, 1);
	CHECK(t, cosines[0] > .9F);
	t->row = "a passage of two";
	cosines = of_sentences(&w, 2, "feline", &count);
	CHECK_INT(t, count, 2);
	CHECK(t, cosines[0] < .2F);
	CHECK(t, cosines[1] > .6F);
	world_fini(&w);
}

static void test_pauses(struct kb_test *t)
{
	struct encoder encoder = { .left_to_fail = 2 };
	struct kb_vectorizer with = vectorizer_of(&encoder);
	struct kb_vectorize_stats figures;
	struct kb_vectorize *v;
	int64_t begun;
	struct world w;

	world_init(&w, t);
	t->row = "one that asks for a long pause is left alone";
	with.pause_first_ms = with.pause_most_ms = INT64_C(3600) * 1000;
	v = start(&w, &with);
	stats_at(v, 0, 1);
	usleep(700000); /* longer than between two looks for work */
	kb_vectorize_stats(v, &figures);
	kb_vectorize_stop(v);
	CHECK_INT(t, figures.failures, 1);
	CHECK_INT(t, atomic_load(&encoder.asked), 1);

	t->row = "each further failure is waited out twice as long, of a single segment too";
	atomic_store(&encoder.left_to_fail, 100);
	with.pause_first_ms = 600; /* so at 0, .6 and 1.8 s; load makes it later, never earlier */
	begun = kb_clock_mono_us();
	v = start(&w, &with);
	stats_at(v, 0, 3);
	kb_vectorize_stop(v);
	CHECK(t, kb_clock_mono_us() - begun >= 1800000);
	atomic_store(&encoder.left_to_fail, 1);

	t->row = "one that asks for none is asked again at the next look";
	with.pause_first_ms = with.pause_most_ms = 0;
	v = start(&w, &with);
	figures = stats_at(v, KB_COUNTOF(passages), 1);
	kb_vectorize_stop(v);
	CHECK_INT(t, figures.failures, 1);
	world_fini(&w);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "passages and questions get vectors from a model in the process", test_finds },
		{ "sentences get theirs, where the model tells of them", test_sentences },
		{ "how long a failure is waited out is the model's to say", test_pauses },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
