#include "base/date.h"

#include "base/clock.h"

/* Days since 1970 of a date of the Gregorian calendar. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
	int64_t y = year - (month <= 2), era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
	int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* Takes 1 to max_digits digits. */
static bool take_number(struct kb_sv *rest, size_t max_digits, int64_t max, int64_t *n)
{
	size_t digits = 0;

	while (digits < rest->n && digits < max_digits && rest->p[digits] >= '0'
	       && rest->p[digits] <= '9')
		digits++;
	if (!kb_sv_to_int(kb_sv_sub(*rest, 0, digits), 0, max, n))
		return false;
	*rest = kb_sv_from(*rest, digits);
	return true;
}

static bool take_byte(struct kb_sv *rest, char byte)
{
	if (rest->n == 0 || rest->p[0] != byte)
		return false;
	*rest = kb_sv_from(*rest, 1);
	return true;
}

/* "10:00", "10:00:30.5"; the seconds of the day. */
static bool take_time(struct kb_sv *rest, int64_t *seconds)
{
	int64_t h, m, s = 0, ignored;

	if (!take_number(rest, 2, 23, &h) || !take_byte(rest, ':') || !take_number(rest, 2, 59, &m))
		return false;
	if (take_byte(rest, ':') && !take_number(rest, 2, 60, &s))
		return false;
	while (take_byte(rest, '.') && take_number(rest, 9, INT64_MAX, &ignored))
		;
	*seconds = h * 3600 + m * 60 + s;
	return true;
}

/* "+02:00", "-0500"; Z, GMT and what is not known count as UTC. */
static int64_t take_zone(struct kb_sv rest)
{
	bool minus = take_byte(&rest, '-');
	int64_t h, m = 0;

	if ((!minus && !take_byte(&rest, '+')) || !take_number(&rest, 2, 14, &h))
		return 0;
	take_byte(&rest, ':');
	if (!take_number(&rest, 2, 59, &m))
		m = 0;
	return (h * 3600 + m * 60) * (minus ? -1 : 1);
}

int64_t kb_date_read(struct kb_sv text)
{
	static const char months[] = "janfebmaraprmayjunjulaugsepoctnovdec";
	struct kb_sv rest = kb_sv_trim(text);
	int64_t year = 0, month = 1, day = 1, seconds = 0, us;
	ptrdiff_t comma = kb_sv_find_byte(rest, ',');

	if (comma >= 0 && comma <= 9) { /* the day of the week */
		rest = kb_sv_trim(kb_sv_from(rest, (size_t)comma + 1));
		if (!take_number(&rest, 2, 31, &day))
			return 0;
		rest = kb_sv_trim(rest);
		for (month = 1; month <= 12; month++)
			if (kb_sv_istarts(rest, kb_sv(months + 3 * (month - 1), 3)))
				break;
		rest = kb_sv_trim(kb_sv_from(rest, 3));
		if (month > 12 || !take_number(&rest, 4, 9999, &year))
			return 0;
		rest = kb_sv_trim(rest);
	} else {
		if (!take_number(&rest, 4, 9999, &year))
			return 0;
		if (take_byte(&rest, '-') && !take_number(&rest, 2, 12, &month))
			return 0;
		if (take_byte(&rest, '-') && !take_number(&rest, 2, 31, &day))
			return 0;
		if (!take_byte(&rest, 'T'))
			rest = kb_sv_trim(rest);
	}
	if (year < 1970 || month < 1 || day < 1)
		return 0;
	if (take_time(&rest, &seconds))
		seconds -= take_zone(kb_sv_trim(rest));
	us = (days_of(year, month, day) * 86400 + seconds) * KB_SECOND_US;
	return KB_MAX(us, INT64_C(0));
}
