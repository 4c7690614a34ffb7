#include "backup/keep.h"

#include <string.h>
#include <time.h>

#include "base/clock.h"

static const struct {
	char letter;
	int64_t us;
} units[] = {
	{ 's', KB_SECOND_US }, { 'm', 60 * KB_SECOND_US }, { 'h', 3600 * KB_SECOND_US },
	{ 'd', KB_DAY_US },    { 'w', 7 * KB_DAY_US },     { 'y', 366 * KB_DAY_US },
};

static const char *const words[] = { "all", "hourly", "daily", "weekly", "monthly", "yearly" };

bool kb_span_read(struct kb_sv text, int64_t *us)
{
	int64_t n;

	for (size_t i = 0; text.n >= 2 && i < KB_COUNTOF(units); i++)
		if (text.p[text.n - 1] == units[i].letter
		    && kb_sv_to_int(kb_sv(text.p, text.n - 1), 1, 100000, &n)) {
			*us = n * units[i].us;
			return true;
		}
	return false;
}

static bool read_part(struct kb_sv part, struct kb_keep *out)
{
	const char *colon = part.n ? memchr(part.p, ':', part.n) : NULL;
	struct kb_sv word;

	if (!colon || out->count == KB_KEEP_MAX
	    || !kb_span_read(kb_sv(part.p, (size_t)(colon - part.p)),
	                     &out->parts[out->count].span_us))
		return false;
	word = kb_sv(colon + 1, part.n - (size_t)(colon + 1 - part.p));
	for (size_t i = 0; i < KB_COUNTOF(words); i++)
		if (kb_sv_eq(word, kb_sv_str(words[i]))) {
			out->parts[out->count++].every = (enum kb_keep_every)i;
			return true;
		}
	return false;
}

bool kb_keep_read(struct kb_sv text, struct kb_keep *out, struct kb_err *err)
{
	struct kb_sv rest = text;

	*out = (struct kb_keep){ 0 };
	while (rest.n) {
		const char *comma = memchr(rest.p, ',', rest.n);
		size_t n = comma ? (size_t)(comma - rest.p) : rest.n;

		if (!read_part(kb_sv(rest.p, n), out) || (comma && n + 1 == rest.n))
			return kb_fail(err, KB_E_INVALID,
			               "\"%.*s\" does not say what to keep: write at most %d parts "
			               "like 24h:all,30d:daily,1y:monthly (s, m, h, d, w, y; all, "
			               "hourly, daily, weekly, monthly, yearly)",
			               KB_SV_ARG(text), KB_KEEP_MAX);
		rest = kb_sv_from(rest, comma ? n + 1 : n);
	}
	return true;
}

/* Which hour, day, … the time is in. */
static int64_t period(enum kb_keep_every every, int64_t at)
{
	enum { MONDAY = 3 }; /* days that the week of 1970-01-01, a Thursday, had begun before */
	time_t seconds = (time_t)(at / KB_SECOND_US);
	int64_t days = at / KB_DAY_US;
	struct tm tm;

	switch (every) {
	case KB_KEEP_ALL:
		return at;
	case KB_KEEP_HOURLY:
		return at / (3600 * KB_SECOND_US);
	case KB_KEEP_DAILY:
		return days;
	case KB_KEEP_WEEKLY:
		return (days + MONDAY) / 7;
	case KB_KEEP_MONTHLY:
	case KB_KEEP_YEARLY:
		gmtime_r(&seconds, &tm);
		return every == KB_KEEP_YEARLY ? tm.tm_year : tm.tm_year * 12 + tm.tm_mon;
	}
	return at;
}

void kb_keep_judge(const struct kb_keep *keep, int64_t now, struct kb_kept *backups, size_t count)
{
	bool whole = false;

	for (size_t i = count; i-- > 0;) {
		backups[i].stays =
		        !keep->count || i + 1 == count || (backups[i].is_whole && !whole);
		whole = whole || backups[i].is_whole;
	}
	for (size_t p = 0; p < keep->count; p++) {
		int64_t last = INT64_MIN;

		for (size_t i = count; i-- > 0 && now - backups[i].at <= keep->parts[p].span_us;) {
			int64_t in = period(keep->parts[p].every, backups[i].at);

			backups[i].stays = backups[i].stays || in != last
			                   || keep->parts[p].every == KB_KEEP_ALL;
			last = in;
		}
	}
}
