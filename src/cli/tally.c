#include "cli/tally.h"

#include <stdio.h>

#include "base/clock.h"

enum {
	BAR_CELLS = 30,
	DONE_MIN = 5,   /* before that, and before … */
	TOOK_MIN_S = 3, /* … nobody knows how fast it goes */
	MINUTE_S = 60,
	HOUR_S = 3600,
};

void kb_tally_left(const struct kb_tally *tally, int64_t took_us, char out[KB_TALLY_LEFT_CHARS])
{
	int64_t left_s;

	out[0] = '\0';
	if (tally->done < DONE_MIN || took_us < TOOK_MIN_S * KB_SECOND_US
	    || tally->done >= tally->count)
		return;
	left_s = (int64_t)((double)took_us * (double)(tally->count - tally->done)
	                   / (double)tally->done / (double)KB_SECOND_US)
	         + 1;
	if (left_s < 2 * MINUTE_S)
		snprintf(out, KB_TALLY_LEFT_CHARS, "about %" PRId64 " s left", left_s);
	else if (left_s < 2 * HOUR_S)
		snprintf(out, KB_TALLY_LEFT_CHARS, "about %" PRId64 " min left", left_s / MINUTE_S);
	else
		snprintf(out, KB_TALLY_LEFT_CHARS, "about %" PRId64 " h left", left_s / HOUR_S);
}

void kb_tally_show(struct kb_tally *tally)
{
	char left[KB_TALLY_LEFT_CHARS];
	size_t filled = tally->count ? tally->done * BAR_CELLS / tally->count : 0;

	if (!tally->bar)
		return;
	if (!tally->began_us)
		tally->began_us = kb_clock_mono_us();
	kb_tally_left(tally, kb_clock_mono_us() - tally->began_us, left);
	printf("\r[");
	for (size_t i = 0; i < BAR_CELLS; i++)
		putchar(i < filled ? '#' : '.');
	printf("] %zu of %zu", tally->done, tally->count);
	if (tally->failed)
		printf(", %zu failed", tally->failed);
	if (left[0])
		printf(", %s", left);
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
