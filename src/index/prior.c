#include "index/prior.h"

#include <stdlib.h>

#include "index/forward.h"
#include "index/snapshot.h"

#define NOISE_SHARE .2f /* of the best score; measured with bench/natural_search */

enum {
	TITLE_MOST = 12, /* words of a title that are looked at */
	SHORT_TITLE = 5, /* words of a title that is little more than a version */
};

/* Words that follow one another in titles of such documents, as the index has them: lower case,
 * ideographs one by one, function words left out. */
static const char *const noise[][4] = {
	{ "changelog" },
	{ "changelogs" },
	{ "change", "log" },
	{ "changes", "log" },
	{ "release", "notes" },
	{ "release", "history" },
	{ "version", "history" },
	{ "revision", "history" },
	{ "release", "note" },
	{ "license" },
	{ "licence" },
	{ "licenses" },
	{ "licences" },
	{ "copyright" },
	{ "404" },
	{ "page", "found" },
	{ "genindex" },
	{ "sitemap" },
	{ "versionshinweise" },
	{ "änderungsprotokoll" },
	{ "änderungshistorie" },
	{ "lizenz" },
	{ "lizenzen" },
	{ "notes", "version" },
	{ "journal", "modifications" },
	{ "licence" },
	{ "notas", "versión" },
	{ "registro", "cambios" },
	{ "更", "新", "日", "志" },
	{ "更", "新", "日", "誌" },
	{ "发", "布", "说", "明" },
	{ "变", "更", "日", "志" },
	{ "変", "更", "履", "歴" },
};

/* A question with one of these may ask for them. */
static const char *const lifting[] = {
	"version",  "versions", "release",    "releases", "released", "changelog", "changed",
	"changes",  "new",      "newest",     "latest",   "news",     "update",    "updated",
	"updates",  "upgrade",  "license",    "licence",  "licensed", "copyright", "fixed",
	"added",    "removed",  "deprecated", "neu",      "neue",     "neuen",     "neues",
	"geändert", "änderung", "änderungen", "lizenz",   "nouveau",  "nouvelle",  "nouveautés",
	"changé",   "licencia", "nuevo",      "nueva",    "cambios",  "versión",   "版",
	"新",       "许",
};

struct title {
	struct kb_sv words[TITLE_MOST];
	size_t count;
};

static void read_title(const struct kb_segment *segment, uint32_t doc, struct title *out)
{
	struct kb_sv stream = kb_forward_stream(segment, doc);
	const uint8_t *p = (const uint8_t *)stream.p, *end = stream.n ? p + stream.n : p;

	out->count = 0;
	while (p && p < end && out->count < TITLE_MOST) {
		uint64_t value;
		uint32_t term;

		p = kb_get_varint(p, end, &value);
		if (value == KB_FWD_FIELD)
			return;
		if (value >= KB_FWD_WORD
		    && kb_forward_word_at(segment, (uint32_t)(value - KB_FWD_WORD),
		                          &out->words[out->count], &term))
			out->count++;
	}
}

static bool holds(const struct title *title, const char *const words[4])
{
	for (size_t at = 0; at < title->count; at++) {
		size_t n = 0;

		while (n < 4 && words[n] && at + n < title->count
		       && kb_sv_eq_str(title->words[at + n], words[n]))
			n++;
		if (n == 4 || !words[n])
			return true;
	}
	return false;
}

/* 12.4, 12.4.1; a year or a number of pages is none. */
static bool is_version(struct kb_sv word)
{
	bool dot = false;

	for (size_t i = 0; i < word.n; i++) {
		if (word.p[i] == '.')
			dot = true;
		else if ((word.p[i] < '0' || word.p[i] > '9') && (i || word.p[i] != 'v'))
			return false;
	}
	return dot;
}

static bool is_noise(const struct kb_segment *segment, uint32_t doc)
{
	struct title title;

	read_title(segment, doc, &title);
	for (size_t i = 0; i < KB_COUNTOF(noise); i++)
		if (holds(&title, noise[i]))
			return true;
	for (size_t i = 0; i < title.count && title.count <= SHORT_TITLE; i++)
		if (is_version(title.words[i]))
			return true;
	return false;
}

static bool asks_for_it(const struct kb_terms *question)
{
	for (size_t i = 0; i < question->count; i++) {
		struct kb_sv word = question->v[i].word;

		if (is_version(word))
			return true;
		for (size_t k = 0; k < KB_COUNTOF(lifting); k++)
			if (kb_sv_eq_str(word, lifting[k]))
				return true;
	}
	return false;
}

void kb_prior_rank(const struct kb_snapshot *snapshot, const struct kb_query *query,
                   struct kb_hit *hits, size_t count)
{
	size_t best = KB_MIN(count, (size_t)KB_PRIOR_BEST), changed = 0;
	float share = count ? NOISE_SHARE * hits[0].score : 0;

	if (best < 2 || asks_for_it(&query->question))
		return;
	for (size_t i = 0; i < best; i++)
		if (is_noise(snapshot->parts[hits[i].part].segment, hits[i].doc)) {
			hits[i].score -= share;
			changed++;
		}
	if (changed)
		qsort(hits, count, sizeof(*hits), kb_hit_by_score);
}
