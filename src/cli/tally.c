#include "cli/tally.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/clock.h"

enum {
	BAR_CELLS = 30,
	DONE_MIN = 5,   /* before that, and before … */
	TOOK_MIN_S = 3, /* … nobody knows how fast it goes */
	MINUTE_S = 60,
	HOUR_S = 3600,
};

/* "about 2 min" with what stands before and behind it. */
static void time_text(const char *before, int64_t left_s, const char *behind,
                      char out[KB_TALLY_LEFT_CHARS])
{
	int64_t unit_s = left_s < 2 * MINUTE_S ? 1 : left_s < 2 * HOUR_S ? MINUTE_S : HOUR_S;

	snprintf(out, KB_TALLY_LEFT_CHARS, "%sabout %" PRId64 " %s%s", before, left_s / unit_s,
	         unit_s == 1          ? "s"
	         : unit_s == MINUTE_S ? "min"
	                              : "h",
	         behind);
}

static void left_text(int64_t left_s, char out[KB_TALLY_LEFT_CHARS])
{
	time_text("", left_s, " left", out);
}

void kb_tally_in(int64_t left_s, char out[KB_TALLY_LEFT_CHARS])
{
	time_text("in ", left_s, "", out);
}

void kb_tally_left(const struct kb_tally *tally, int64_t took_us, char out[KB_TALLY_LEFT_CHARS])
{
	const struct kb_tally_pace *pace = tally->pace;

	out[0] = '\0';
	if (pace) {
		if (pace->queued > 0 && pace->left_s >= 0)
			left_text(pace->left_s, out);
	} else if (tally->done >= DONE_MIN && took_us >= TOOK_MIN_S * KB_SECOND_US
	           && tally->done < tally->count) {
		left_text((int64_t)((double)took_us * (double)(tally->count - tally->done)
		                    / (double)tally->done / (double)KB_SECOND_US)
		                  + 1,
		          out);
	}
}

void kb_tally_bar(const struct kb_tally *tally, int64_t took_us, char out[KB_TALLY_BAR_CHARS])
{
	const struct kb_tally_pace *pace = tally->pace;
	int64_t done = pace ? KB_MAX(pace->finished, INT64_C(0)) : (int64_t)tally->done;
	int64_t count = pace ? done + pace->queued : (int64_t)tally->count;
	int64_t filled;
	char left[KB_TALLY_LEFT_CHARS];
	struct kb_buf bar;

	if (!count) { /* the service has none of it yet */
		pace = NULL;
		done = (int64_t)tally->done;
		count = (int64_t)tally->count;
	}
	filled = count ? done * BAR_CELLS / count : 0;
	kb_tally_left(tally, took_us, left);
	kb_buf_init(&bar, KB_TALLY_BAR_CHARS - 1);
	kb_buf_byte(&bar, '[');
	for (int64_t i = 0; i < BAR_CELLS; i++)
		kb_buf_byte(&bar, i < filled ? '#' : '.');
	kb_buf_printf(&bar, "] %" PRId64 " of %" PRId64 "%s", done, count, pace ? " read" : "");
	if (tally->failed)
		kb_buf_printf(&bar, ", %zu failed", tally->failed);
	if (pace && pace->queued > 0 && pace->per_minute >= 0)
		kb_buf_printf(&bar, ", %" PRId64 " a minute", pace->per_minute);
	if (left[0])
		kb_buf_printf(&bar, ", %s", left);
	if (tally->note)
		kb_buf_printf(&bar, ", %s", tally->note);
	snprintf(out, KB_TALLY_BAR_CHARS, "%.*s", KB_SV_ARG(kb_buf_view(&bar)));
	kb_buf_fini(&bar);
}

void kb_tally_show(struct kb_tally *tally)
{
	char bar[KB_TALLY_BAR_CHARS];

	if (!tally->bar)
		return;
	if (!tally->began_us)
		tally->began_us = kb_clock_mono_us();
	kb_tally_bar(tally, kb_clock_mono_us() - tally->began_us, bar);
	printf("\r%s\033[K", bar);
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
