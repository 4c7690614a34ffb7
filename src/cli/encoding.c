#include "cli/encoding.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "encode/crew.h"
#include "out/health.h"

#define MODEL "encoder"

enum {
	FORM = 1,         /* of what is kept: another makes all vectors anew */
	LINES = 2,        /* questions, passages */
	BATCH_TEXTS = 32, /* some tenths of a second of a core, and a round's end is no further */
	BATCH_BYTES = 256 << 10,
	TEXT_BYTES = 6000, /* more than the pieces that count, in any language */
	PAUSE_FIRST_MS = 1000,
	PAUSE_MOST_MS = 60 * 1000, /* what is damaged stays so */
	MARK = sizeof("0123456789abcdef-1"),
};

struct kb_encoding {
	struct kb_encoder *encoder; /* NULL: refused, and so are info and crew */
	struct kb_encoder_info info;
	struct kb_encode_crew *crew;
	/* Of the file, and that there are parts. Nodes with different files each keep a column of
	 * their own beside the other's, so the name has it too. */
	char mark[MARK], column[sizeof(KB_EMBED_FAMILY) + MARK];
	struct kb_vectorizer vectorizer;
};

bool kb_installed_file(const char *name, char *path, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", path, size - 1);

	if (n <= 0)
		return false;
	path[n] = '\0';
	n = strrchr(path, '/') - path;
	snprintf(path + n, size - (size_t)n, "/../share/docent/%s", name);
	return access(path, R_OK) == 0;
}

/* ---- the vectorizer ---- */

static struct kb_vector_column column_of(const struct kb_encoding *e)
{
	return (struct kb_vector_column){ .name = kb_sv_str(e->column),
		                          .model = kb_sv_str(e->mark),
		                          .dims = e->info.dims };
}

static bool column(void *arg, struct kb_vector_column *out, struct kb_err *err)
{
	const struct kb_encoding *e = arg;

	*out = column_of(e);
	return kb_encode_crew_verify(e->crew, err);
}

/* Of a damaged file nobody asks anything. Before it was read it is taken to be whole: who
 * encodes looks. */
static bool known(void *arg, struct kb_vector_column *out)
{
	const struct kb_encoding *e = arg;

	*out = column_of(e);
	return !kb_encode_crew_is_unfit(e->crew);
}

static bool embed(void *arg, struct kb_arena *arena, const struct kb_sv *texts, size_t count,
                  const float **rows, struct kb_err *err)
{
	const struct kb_encoding *e = arg;
	float *out = KB_NEW_ARRAY(arena, count * e->info.dims, float);

	*rows = out;
	return kb_encode_crew_passages(e->crew, texts, count, out, err);
}

static bool embed_parts(void *arg, struct kb_arena *arena, const struct kb_vectorizer_text *texts,
                        size_t count, struct kb_vectorized *out, struct kb_err *err)
{
	const struct kb_encoding *e = arg;
	struct kb_encoder_text *v = KB_NEW_ARRAY(arena, count, struct kb_encoder_text);
	float *rows = KB_NEW_ARRAY(arena, count * e->info.dims, float), *parts;
	size_t all = 0;

	for (size_t i = 0; i < count; i++) {
		v[i] = (struct kb_encoder_text){ texts[i].text, texts[i].bounds, texts[i].parts };
		all += texts[i].parts;
	}
	parts = KB_NEW_ARRAY(arena, all * e->info.dims, float);
	*out = (struct kb_vectorized){ rows, parts };
	return kb_encode_crew_parts(e->crew, v, count, rows, parts, err);
}

static bool question(void *arg, struct kb_arena *arena, struct kb_sv text, const float **v,
                     struct kb_err *err)
{
	const struct kb_encoding *e = arg;
	float *out = KB_NEW_ARRAY(arena, e->info.dims, float);

	*v = out;
	return kb_encode_crew_question(e->crew, text, out, err);
}

static void stats(void *arg, struct kb_health_stats *out)
{
	const struct kb_encoding *e = arg;
	struct kb_encode_crew_stats crew;

	kb_encode_crew_stats(e->crew, &crew);
	out[0] = (struct kb_health_stats){ .name = "encode_questions",
		                           .requests = crew.questions,
		                           .took_us = crew.questions_us };
	out[1] = (struct kb_health_stats){ .name = "encode_passages",
		                           .requests = crew.passages,
		                           .failures = crew.failures,
		                           .took_us = crew.passages_us };
}

/* ---- open and close ---- */

static struct kb_encoding *encoding_new(struct kb_encoder *encoder)
{
	struct kb_encoding *e = kb_xcalloc(1, sizeof(*e));

	e->encoder = encoder;
	kb_encoder_info(encoder, &e->info);
	e->crew = kb_encode_crew_new(&(struct kb_encode_crew_config){ .encoder = encoder });
	snprintf(e->mark, sizeof(e->mark), "%016" PRIx64 "-%d", e->info.fingerprint, FORM);
	snprintf(e->column, sizeof(e->column), KB_EMBED_FAMILY "%s", e->mark);
	e->vectorizer = (struct kb_vectorizer){ .known = known,
		                                .column = column,
		                                .embed = embed,
		                                .embed_parts = embed_parts,
		                                .question = question,
		                                .stats = stats,
		                                .arg = e,
		                                .fitted = true,
		                                .model = KB_SV(MODEL),
		                                .lines = LINES,
		                                .batch_texts = BATCH_TEXTS,
		                                .batch_bytes = BATCH_BYTES,
		                                .text_bytes = TEXT_BYTES,
		                                .pause_first_ms = PAUSE_FIRST_MS,
		                                .pause_most_ms = PAUSE_MOST_MS };
	return e;
}

/* False: there is no file to open. */
static bool file_of(const char *named, char *path, size_t size)
{
	if (!named)
		return kb_installed_file("encoder.kbe", path, size);
	snprintf(path, size, "%s", named);
	return strcmp(named, "none") != 0;
}

bool kb_encoding_open(const char *named, const struct kb_log *log, struct kb_encoding **out,
                      struct kb_err *err)
{
	char path[PATH_MAX];
	struct kb_encoder *encoder;

	*out = NULL;
	if (!file_of(named, path, sizeof(path)))
		return true;
	encoder = kb_encoder_open(path, err);
	if (!encoder) {
		if (named && err->code != KB_E_CORRUPT)
			return false;
		*out = kb_xcalloc(1, sizeof(**out));
		kb_error_log(log, "encoder refused, words go on file=%s error=%s", path, err->msg);
		return true;
	}
	*out = encoding_new(encoder);
	kb_info(log, "encoder open dims=%" PRIu32 " pieces=%" PRIu32 " bytes=%" PRId64,
	        (*out)->info.dims, (*out)->info.pieces, (*out)->info.bytes);
	return true;
}

bool kb_encoding_check(const char *named, struct kb_err *err)
{
	char path[PATH_MAX];
	struct kb_encoder *encoder;
	bool ok;

	if (!file_of(named, path, sizeof(path)))
		return true;
	encoder = kb_encoder_open(path, err);
	ok = encoder && kb_encoder_verify(encoder, err);
	kb_encoder_close(encoder);
	return ok;
}

bool kb_encoding_is_refused(const void *encoding)
{
	const struct kb_encoding *e = encoding;

	return e && (!e->encoder || kb_encode_crew_is_unfit(e->crew));
}

void kb_encoding_cancel(struct kb_encoding *e)
{
	if (e && e->encoder)
		kb_encode_crew_cancel(e->crew);
}

void kb_encoding_close(struct kb_encoding *e)
{
	if (!e)
		return;
	kb_encode_crew_free(e->crew);
	kb_encoder_close(e->encoder);
	free(e);
}

const struct kb_vectorizer *kb_encoding_vectorizer(const struct kb_encoding *e)
{
	return e && e->encoder ? &e->vectorizer : NULL;
}
