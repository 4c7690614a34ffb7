/* Dates as the web writes them. Pure; any thread. */
#ifndef KB_BASE_DATE_H
#define KB_BASE_DATE_H

#include "base/sv.h"

/* Unix microseconds of "2025-01-31", "2025-01", "2025-01-31T10:00+02:00" and
 * "Fri, 31 Jan 2025 10:00:00 GMT"; 0 for what is no date, and for what is before 1970. */
int64_t kb_date_read(struct kb_sv text);

#endif
