/* A plain analysis for the index's own tests: words of ASCII letters and digits, lower case. */
#include <ctype.h>
#include <stdlib.h>

#include "index/analysis.h"

struct kb_analyzer {
	int unused;
};

struct kb_analyzer *kb_analyzer_new(void)
{
	return kb_xcalloc(1, sizeof(struct kb_analyzer));
}

void kb_analyzer_free(struct kb_analyzer *analyzer)
{
	free(analyzer);
}

void kb_analyze(struct kb_analyzer *analyzer, struct kb_arena *arena, enum kb_lang lang,
                struct kb_sv text, struct kb_terms *out)
{
	char *copy = kb_arena_str(arena, text);

	(void)analyzer;
	(void)lang;
	*out = (struct kb_terms){ .v = KB_NEW_ARRAY(arena, text.n / 2 + 1, struct kb_term) };
	for (size_t i = 0; i < text.n;) {
		size_t start = i;

		while (i < text.n && isalnum((unsigned char)copy[i])) {
			copy[i] = (char)tolower((unsigned char)copy[i]);
			i++;
		}
		if (i == start) {
			i++;
			continue;
		}
		out->v[out->count++] = (struct kb_term){ .term = kb_sv(copy + start, i - start),
			                                 .word = kb_sv(copy + start, i - start),
			                                 .start = (uint32_t)start,
			                                 .end = (uint32_t)i,
			                                 .position = out->positions++ };
	}
}
