/*
 * How fast texts become vectors, by one or several threads:
 *
 *   bench/encode FILE TEXTS OUT THREADS    a line of JSON; what was encoded goes to OUT, for the
 * peers
 *
 * A passage is made of TEXTS (tests/fixtures/encode/texts.jsonl) until it has as many pieces as one
 * is told to have, a question likewise. Passages are counted over some seconds, in groups; a
 * question goes alone, and its time is a clock's. Memory is what the process has of its own (the
 * file is mapped and shared).
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/json.h"
#include "encode/encoder.h"

enum { PASSAGES = 16, PASSAGE = 230, QUESTION = 16, QUESTIONS = 200, GROUP = 4, THREADS_MAX = 64 };
enum { FILE_MAX = 1 << 20 };

static const double seconds = 6;

struct world {
	struct kb_arena arena;
	struct kb_encoder *encoder;
	struct kb_encoder_context *context; /* of the main thread */
	struct kb_sv words;                 /* all texts, a blank between two */
	struct kb_sv passages[PASSAGES], question;
};

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void read_words(struct world *w, const char *path)
{
	struct kb_sv lines, line;
	struct kb_buf buf;
	struct kb_err err;

	KB_ASSERT(kb_file_read(&w->arena, path, FILE_MAX, &lines, &err));
	kb_buf_init(&buf, FILE_MAX);
	while (kb_sv_split(&lines, '\n', &line) && line.n) {
		json_t *row = kb_json_parse(&w->arena, line, &err);
		struct kb_sv text = kb_json_sv(row, "text", kb_sv_str(""));

		kb_buf_add(&buf, text.p, text.n);
		kb_buf_add(&buf, " ", 1);
	}
	KB_ASSERT(kb_buf_done(&buf, &line, &err));
	w->words = kb_arena_sv(&w->arena, line);
	kb_buf_fini(&buf);
}

/* As many words from a place on as make so many pieces; a letter at a time, so that it comes out.
 */
static struct kb_sv cut(const struct world *w, enum kb_encoder_kind kind, size_t from,
                        uint32_t pieces)
{
	struct kb_sv text = kb_sv_from(w->words, from);

	while ((text.p[0] & 0xc0) == 0x80)
		text = kb_sv_from(text, 1);
	for (size_t n = 1; n < text.n; n++)
		if ((text.p[n] & 0xc0) != 0x80
		    && kb_encoder_count(w->context, kind, kb_sv(text.p, n)) == pieces)
			return kb_sv(text.p, n);
	fprintf(stderr, "there are too few texts\n");
	exit(1);
}

static void make_texts(struct world *w, const char *out)
{
	struct kb_buf buf;
	struct kb_jw jw;
	struct kb_sv json;
	struct kb_err err;

	kb_buf_init(&buf, FILE_MAX);
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	w->question = cut(w, KB_ENCODER_QUESTION, 0, QUESTION);
	kb_jw_key_sv(&jw, "question", w->question);
	kb_jw_key(&jw, "passages");
	kb_jw_array(&jw);
	for (size_t i = 0; i < PASSAGES; i++) {
		w->passages[i] =
		        cut(w, KB_ENCODER_PASSAGE, i * w->words.n / (2 * PASSAGES), PASSAGE);
		kb_jw_sv(&jw, w->passages[i]);
	}
	kb_jw_end(&jw);
	kb_jw_end(&jw);
	KB_ASSERT(kb_buf_done(&buf, &json, &err) && kb_file_replace(out, json, &err));
	kb_buf_fini(&buf);
}

struct job {
	const struct world *world;
	double until;
	size_t done;
};

static void *encode_passages(void *arg)
{
	struct job *job = arg;
	const struct world *w = job->world;
	struct kb_encoder_context *context = kb_encoder_context_new(w->encoder);
	static _Thread_local float out[GROUP * 1024];
	struct kb_err err;

	while (now_s() < job->until) {
		KB_ASSERT(kb_encoder_encode(context, KB_ENCODER_PASSAGE,
		                            w->passages + job->done % PASSAGES, GROUP, out, &err));
		job->done += GROUP;
	}
	kb_encoder_context_free(context);
	return NULL;
}

static double passages_a_second(const struct world *w, int threads)
{
	struct job jobs[THREADS_MAX];
	pthread_t ids[THREADS_MAX];
	double began = now_s(), done = 0;

	for (int i = 0; i < threads; i++) {
		jobs[i] = (struct job){ w, began + seconds, 0 };
		KB_ASSERT(pthread_create(&ids[i], NULL, encode_passages, &jobs[i]) == 0);
	}
	for (int i = 0; i < threads; i++) {
		pthread_join(ids[i], NULL);
		done += (double)jobs[i].done;
	}
	return done / (now_s() - began);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double question_ms(const struct world *w)
{
	static float out[GROUP * 1024];
	double took[QUESTIONS];
	struct kb_err err;

	/* The context has all its memory, and the pages of the file are there. */
	KB_ASSERT(kb_encoder_encode(w->context, KB_ENCODER_PASSAGE, w->passages, GROUP, out, &err));
	for (int i = 0; i < QUESTIONS; i++) {
		double began = now_s();

		KB_ASSERT(kb_encoder_encode(w->context, KB_ENCODER_QUESTION, &w->question, 1, out,
		                            &err));
		took[i] = (now_s() - began) * 1e3;
	}
	qsort(took, QUESTIONS, sizeof(*took), by_size);
	return took[QUESTIONS / 2];
}

/* Of /proc/self/status, in MB. */
static double memory(const char *name)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[256];
	double kb = 0;

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, name, strlen(name)) == 0)
			kb = strtod(line + strlen(name), NULL);
	if (file)
		fclose(file);
	return kb / 1024;
}

int main(int argc, char **argv)
{
	struct world w = { 0 };
	double opened, passages, question;
	struct kb_err err = { 0 };
	int threads = argc == 5 ? (int)strtol(argv[4], NULL, 10) : 0;

	if (threads < 1 || threads > THREADS_MAX) {
		fprintf(stderr, "usage: bench/encode FILE TEXTS OUT THREADS\n");
		return 1;
	}
	opened = now_s();
	w.encoder = kb_encoder_open(argv[1], &err);
	if (!w.encoder) {
		fprintf(stderr, "%s\n", err.msg);
		return 1;
	}
	w.context = kb_encoder_context_new(w.encoder);
	opened = (now_s() - opened) * 1e3;
	read_words(&w, argv[2]);
	make_texts(&w, argv[3]);
	question = question_ms(&w);
	passages = passages_a_second(&w, threads);
	printf("{\"start_ms\": %.2f, \"passages\": %.1f, \"question_ms\": %.2f, \"resident_mb\": "
	       "%.0f, "
	       "\"own_mb\": %.0f}\n",
	       opened, passages, question, memory("VmRSS:"), memory("RssAnon:"));
	kb_encoder_context_free(w.context);
	kb_encoder_close(w.encoder);
	kb_arena_fini(&w.arena);
	return 0;
}
