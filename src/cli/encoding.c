#include "cli/encoding.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "encode/crew.h"
#include "out/health.h"

#define COLUMN_NAME KB_EMBED_FAMILY "encoder"

enum {
	LINES = 2,        /* questions, passages */
	BATCH_TEXTS = 32, /* some tenths of a second of a core, and a round's end is no further */
	BATCH_BYTES = 256 << 10,
	TEXT_BYTES = 6000, /* more than the pieces that count, in any language */
	MARK = sizeof("0123456789abcdef-4294967295"),
};

struct kb_encoding {
	struct kb_encoder *encoder;
	struct kb_encoder_info info;
	struct kb_crew *crew;
	char mark[MARK]; /* of the file and its dims */
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

static bool known(void *arg, struct kb_vector_column *out)
{
	const struct kb_encoding *e = arg;

	*out = (struct kb_vector_column){ .name = KB_SV(COLUMN_NAME),
		                          .model = kb_sv_str(e->mark),
		                          .dims = e->info.dims };
	return true;
}

static bool column(void *arg, struct kb_vector_column *out, struct kb_err *err)
{
	(void)err;
	return known(arg, out);
}

static bool embed(void *arg, struct kb_arena *arena, const struct kb_sv *texts, size_t count,
                  const float **rows, struct kb_err *err)
{
	const struct kb_encoding *e = arg;
	float *out = KB_NEW_ARRAY(arena, count * e->info.dims, float);

	*rows = out;
	return kb_crew_passages(e->crew, texts, count, out, err);
}

static bool question(void *arg, struct kb_arena *arena, struct kb_sv text, const float **v,
                     struct kb_err *err)
{
	const struct kb_encoding *e = arg;
	float *out = KB_NEW_ARRAY(arena, e->info.dims, float);

	*v = out;
	return kb_crew_question(e->crew, text, out, err);
}

static void stats(void *arg, struct kb_health_stats *out)
{
	const struct kb_encoding *e = arg;
	struct kb_crew_stats crew;

	kb_crew_stats(e->crew, &crew);
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
	e->crew = kb_crew_new(&(struct kb_crew_config){ .encoder = encoder });
	snprintf(e->mark, sizeof(e->mark), "%016" PRIx64 "-%" PRIu32, e->info.fingerprint,
	         e->info.dims);
	e->vectorizer = (struct kb_vectorizer){ .known = known,
		                                .column = column,
		                                .embed = embed,
		                                .question = question,
		                                .stats = stats,
		                                .arg = e,
		                                .fitted = true,
		                                .lines = LINES,
		                                .batch_texts = BATCH_TEXTS,
		                                .batch_bytes = BATCH_BYTES,
		                                .text_bytes = TEXT_BYTES };
	return e;
}

bool kb_encoding_open(const char *named, const struct kb_log *log, struct kb_encoding **out,
                      struct kb_err *err)
{
	char path[PATH_MAX];
	struct kb_encoder *encoder;

	*out = NULL;
	if (named)
		snprintf(path, sizeof(path), "%s", named);
	if (named ? strcmp(named, "none") == 0
	          : !kb_installed_file("encoder.kbe", path, sizeof(path)))
		return true;
	encoder = kb_encoder_open(path, err);
	if (!encoder) {
		if (err->code != KB_E_CORRUPT)
			return false;
		kb_error_log(log, "encoder refused, words go on file=%s error=%s", path, err->msg);
		return true;
	}
	*out = encoding_new(encoder);
	kb_info(log, "encoder open dims=%" PRIu32 " pieces=%" PRIu32 " bytes=%" PRId64,
	        (*out)->info.dims, (*out)->info.pieces, (*out)->info.bytes);
	return true;
}

void kb_encoding_cancel(struct kb_encoding *e)
{
	if (e)
		kb_crew_cancel(e->crew);
}

void kb_encoding_close(struct kb_encoding *e)
{
	if (!e)
		return;
	kb_crew_free(e->crew);
	kb_encoder_close(e->encoder);
	free(e);
}

const struct kb_vectorizer *kb_encoding_vectorizer(const struct kb_encoding *e)
{
	return e ? &e->vectorizer : NULL;
}
