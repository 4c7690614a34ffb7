#include "cli/tally.h"

#include <stdio.h>

enum { BAR_CELLS = 30 };

void kb_tally_show(const struct kb_tally *tally)
{
	size_t filled = tally->count ? tally->done * BAR_CELLS / tally->count : 0;

	if (!tally->bar)
		return;
	printf("\r[");
	for (size_t i = 0; i < BAR_CELLS; i++)
		putchar(i < filled ? '#' : '.');
	printf("] %zu of %zu", tally->done, tally->count);
	if (tally->failed)
		printf(", %zu failed", tally->failed);
	printf("\033[K");
	fflush(stdout);
}

void kb_tally_line(struct kb_tally *tally, bool failed, const char *state, struct kb_sv name,
                   struct kb_sv reason)
{
	tally->done++;
	tally->failed += failed;
	if (tally->bar && failed)
		printf("\r\033[K");
	if (!tally->bar || failed)
		printf("%s\t%.*s%s%.*s\n", state, KB_SV_ARG(name), reason.n ? "\t" : "",
		       KB_SV_ARG(reason));
	fflush(stdout);
	kb_tally_show(tally);
}

void kb_tally_end(const struct kb_tally *tally)
{
	if (tally->bar && tally->count)
		printf("\n");
}
