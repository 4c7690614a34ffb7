#include "api/timings.h"

#include <inttypes.h>
#include <stdio.h>

static const char calls_name[] = "call_seconds";

void kb_timings_add(struct kb_timings *timings, enum kb_verb verb, int status, int64_t us)
{
	int class = KB_MIN(KB_MAX(status / 100 - 2, 0), KB_STATUS_CLASSES - 1);

	kb_histogram_add(&timings->calls[verb][class], us);
}

void kb_histogram_head(struct kb_buf *buf, const char *name, const char *help)
{
	kb_buf_printf(buf, "# HELP docent_%s %s\n# TYPE docent_%s histogram\n", name, help, name);
}

/* Bounds in seconds, each with all that took no longer. */
void kb_histogram_write(struct kb_buf *buf, const char *name, const char *labels,
                        struct kb_histogram *histogram)
{
	const char *comma = *labels ? "," : "";
	int64_t all = 0;

	for (size_t i = 0; i <= KB_HISTOGRAM_BOUNDS; i++) {
		all += atomic_load_explicit(&histogram->counts[i], memory_order_relaxed);
		if (i < KB_HISTOGRAM_BOUNDS)
			kb_buf_printf(buf, "docent_%s_bucket{%s%sle=\"%g\"} %" PRId64 "\n", name,
			              labels, comma, (double)kb_histogram_bounds_us[i] / 1e6, all);
	}
	kb_buf_printf(buf, "docent_%s_bucket{%s%sle=\"+Inf\"} %" PRId64 "\n", name, labels, comma,
	              all);
	kb_buf_printf(buf, "docent_%s_sum%s%s%s %.6f\n", name, *labels ? "{" : "", labels,
	              *labels ? "}" : "",
	              (double)atomic_load_explicit(&histogram->sum_us, memory_order_relaxed) / 1e6);
	kb_buf_printf(buf, "docent_%s_count%s%s%s %" PRId64 "\n", name, *labels ? "{" : "", labels,
	              *labels ? "}" : "", all);
}

bool kb_histogram_is_empty(struct kb_histogram *histogram)
{
	for (size_t i = 0; i <= KB_HISTOGRAM_BOUNDS; i++)
		if (atomic_load_explicit(&histogram->counts[i], memory_order_relaxed))
			return false;
	return true;
}

void kb_timings_write(struct kb_timings *timings, struct kb_buf *buf)
{
	static const char *const verbs[KB_VERB_COUNT] = { "read", "ask", "write" };

	kb_histogram_head(buf, calls_name,
	                  "Time until the answer of a call begins, by what it does and its status");
	for (int verb = 0; verb < KB_VERB_COUNT; verb++)
		for (int class = 0; class < KB_STATUS_CLASSES; class ++) {
			struct kb_histogram *histogram = &timings->calls[verb][class];
			char labels[64];

			if (kb_histogram_is_empty(histogram))
				continue;
			snprintf(labels, sizeof(labels), "does=\"%s\",status=\"%dxx\"", verbs[verb],
			         class + 2);
			kb_histogram_write(buf, calls_name, labels, histogram);
		}
}
