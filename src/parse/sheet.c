#include "parse/sheet.h"

#include <math.h>
#include <string.h>

bool kb_sheet_is_date_id(int64_t format)
{
	return (format >= 14 && format <= 22) || (format >= 45 && format <= 47);
}

bool kb_sheet_is_date_code(struct kb_sv code)
{
	bool quoted = false;

	for (size_t i = 0; i < code.n; i++) {
		if (code.p[i] == '"' || code.p[i] == '[' || code.p[i] == ']')
			quoted = code.p[i] == '"' ? !quoted : code.p[i] == '[';
		else if (!quoted && strchr("yYdDhH", code.p[i]))
			return true;
	}
	return false;
}

struct kb_sv kb_sheet_date(struct kb_arena *arena, double days_and_time)
{
	int64_t days = (int64_t)floor(days_and_time),
	        seconds = (int64_t)llround((days_and_time - floor(days_and_time)) * 86400);
	/* Days to civil date: H. Hinnant, "chrono-compatible low-level date algorithms". */
	int64_t z = days - (days > 59) - 25568 + 719468, era = z / 146097, day = z - era * 146097;
	int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
	int64_t in_year = day - (365 * year + year / 4 - year / 100), m = (5 * in_year + 2) / 153;
	int64_t month = m < 10 ? m + 3 : m - 9, y = year + era * 400 + (month <= 2);
	int64_t d = in_year - (153 * m + 2) / 5 + 1;

	if (seconds >= 86400)
		seconds = 86399;
	if (!days)
		return kb_arena_printf(arena, "%02d:%02d:%02d", (int)(seconds / 3600),
		                       (int)(seconds / 60 % 60), (int)(seconds % 60));
	if (!seconds)
		return kb_arena_printf(arena, "%04d-%02d-%02d", (int)y, (int)month, (int)d);
	return kb_arena_printf(arena, "%04d-%02d-%02d %02d:%02d", (int)y, (int)month, (int)d,
	                       (int)(seconds / 3600), (int)(seconds / 60 % 60));
}

bool kb_sheet_is_header(const struct kb_sv *cells, size_t count)
{
	double n;

	for (size_t i = 0; i < count; i++) {
		if (!cells[i].n || kb_sv_to_double(cells[i], &n))
			return false;
		for (size_t j = 0; j < i; j++)
			if (kb_sv_eq(cells[i], cells[j]))
				return false;
	}
	return count > 1;
}
