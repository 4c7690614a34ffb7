#include "texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/json.h"
#include "process.h"

void bench_texts_add(struct bench_texts *texts, struct kb_sv text)
{
	KB_GROW(texts->v, texts->capacity, texts->count + 1);
	texts->v[texts->count++] = kb_arena_sv(&texts->arena, text);
	texts->bytes += text.n;
}

bool bench_texts_read(struct bench_texts *texts, const char *path, int64_t first, int64_t max,
                      struct kb_err *err)
{
	struct kb_arena record = { 0 };
	FILE *file = fopen(path, "r");
	size_t capacity = 0;
	char *line = NULL;
	ssize_t n;
	bool ok = true;

	if (!file)
		return kb_fail_errno(err, "cannot open %s", path);
	for (int64_t i = 0; ok && i - first < max && (n = getline(&line, &capacity, file)) > 0;
	     i++) {
		json_t *object;

		if (i < first)
			continue;
		object = kb_json_parse(&record, kb_sv_trim(kb_sv(line, (size_t)n)), err);
		ok = object != NULL;
		if (ok)
			bench_texts_add(texts, kb_json_sv(object, "text", KB_SV("")));
		kb_arena_reset(&record);
	}
	free(line);
	fclose(file);
	kb_arena_fini(&record);
	return ok;
}

void bench_texts_fini(struct bench_texts *texts)
{
	kb_arena_fini(&texts->arena);
	free(texts->v);
	*texts = (struct bench_texts){ 0 };
}

int64_t bench_cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

void bench_print_times(const char *name, const char *clock, int64_t *times_us, size_t count)
{
	qsort(times_us, count, sizeof(*times_us), bench_compare_int64);
	printf("%-28s %-10s p50 %7" PRId64 "  p95 %7" PRId64 "  p99 %7" PRId64 " us\n", name, clock,
	       times_us[count / 2], times_us[count * 95 / 100], times_us[count * 99 / 100]);
}
