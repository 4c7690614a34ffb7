/*
 * How fast documents go through the sandboxed parser.
 *
 *   bench/parse_speed ROUNDS THREADS FILE…
 *
 * Every file is parsed ROUNDS times by THREADS threads; prints documents, MB and pages a second and
 * the quartiles of one document's time. The first round is not counted: it fills the page cache.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "parse/parse.h"

struct bench {
	struct kb_parser *parser;
	char **files;
	int count, total;
	_Atomic int next, failed;
	_Atomic int64_t bytes, pages;
	int64_t *times; /* of each document, in microseconds */
};

static void parse_one(struct bench *b, int i)
{
	const char *path = b->files[i % b->count];
	struct kb_parse_request request = { .filename = kb_sv_str(path) };
	struct kb_arena arena = { 0 };
	struct kb_parsed parsed;
	struct kb_err err;
	struct stat st;
	int64_t start;

	request.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (request.fd < 0 || fstat(request.fd, &st)) {
		perror(path);
		exit(1);
	}
	start = kb_clock_mono_us();
	if (kb_parse(b->parser, &arena, &request, &parsed, &err))
		atomic_fetch_add(&b->pages, parsed.pages);
	else
		atomic_fetch_add(&b->failed, 1);
	b->times[i] = kb_clock_mono_us() - start;
	atomic_fetch_add(&b->bytes, st.st_size);
	close(request.fd);
	kb_arena_fini(&arena);
}

static void *run(void *arg)
{
	struct bench *b = arg;

	for (int i; (i = atomic_fetch_add(&b->next, 1)) < b->total;)
		parse_one(b, i);
	return NULL;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static double measure(struct bench *b, int threads, int total)
{
	pthread_t ids[64];
	int64_t start = kb_clock_mono_us();

	atomic_store(&b->next, 0);
	atomic_store(&b->failed, 0);
	atomic_store(&b->bytes, 0);
	atomic_store(&b->pages, 0);
	b->total = total;
	for (int i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, run, b);
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	return (double)(kb_clock_mono_us() - start) / 1e6;
}

int main(int argc, char **argv)
{
	struct kb_parser_config config;
	struct bench b = { 0 };
	int64_t rounds, threads;
	struct kb_err err;
	double seconds;

	if (argc > 1 && !strcmp(argv[1], "parse-worker"))
		return kb_parse_worker_main(argc - 1, argv + 1);
	if (argc < 4 || !kb_sv_to_int(kb_sv_str(argv[1]), 1, 1000000, &rounds)
	    || !kb_sv_to_int(kb_sv_str(argv[2]), 1, 64, &threads)) {
		fprintf(stderr, "usage: parse_speed ROUNDS THREADS FILE...\n");
		return 2;
	}
	kb_parser_config_init(&config);
	config.warm_children = (int)threads;
	b.parser = kb_parser_open(&config, &err);
	if (!b.parser) {
		fprintf(stderr, "parse_speed: %s\n", err.msg);
		return 1;
	}
	b.files = argv + 3;
	b.count = argc - 3;
	b.times = calloc((size_t)(b.count * rounds), sizeof(*b.times));
	measure(&b, (int)threads, b.count);
	seconds = measure(&b, (int)threads, (int)(b.count * rounds));
	qsort(b.times, (size_t)b.total, sizeof(*b.times), by_value);
	printf("%d documents, %d refused, %.1f s: %.0f documents/s, %.1f MB/s, %.0f pages/s; "
	       "us a document p25 %" PRId64 " p50 %" PRId64 " p99 %" PRId64 " (%s)\n",
	       b.total, b.failed, seconds, b.total / seconds, (double)b.bytes / seconds / 1e6,
	       (double)b.pages / seconds, b.times[b.total / 4], b.times[b.total / 2],
	       b.times[(int64_t)b.total * 99 / 100], kb_parser_sandbox(b.parser));
	kb_parser_close(b.parser);
	free(b.times);
	return 0;
}
