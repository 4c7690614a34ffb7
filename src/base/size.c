#include "base/size.h"

#include <stdio.h>

const char *kb_size_text(char out[KB_SIZE_TEXT], int64_t bytes)
{
	static const struct {
		int64_t unit;
		const char *name;
	} units[] = { { INT64_C(1) << 30, "GB" }, { INT64_C(1) << 20, "MB" }, { 1 << 10, "KB" } };

	for (size_t i = 0; i < KB_COUNTOF(units); i++) {
		int64_t whole = bytes / units[i].unit, rest = bytes % units[i].unit;

		if (bytes < units[i].unit)
			continue;
		if (rest == 0)
			snprintf(out, KB_SIZE_TEXT, "%" PRId64 " %s", whole, units[i].name);
		else
			snprintf(out, KB_SIZE_TEXT, "%" PRId64 ".%d %s", whole,
			         (int)(rest * 10 / units[i].unit), units[i].name);
		return out;
	}
	snprintf(out, KB_SIZE_TEXT, "%" PRId64 " bytes", bytes);
	return out;
}
