/*
 * What a source of addresses is told: which pages it makes, when it is read again.
 *
 * The settings are a JSON object in the store; what it leaves out has its default. Pure; any
 * thread. Schedules are in UTC; a week begins with Sunday, day 0.
 */
#ifndef KB_CRAWL_SOURCE_H
#define KB_CRAWL_SOURCE_H

#include "base/json.h"
#include "store/sources.h"

enum {
	KB_SCHEDULE_RULES = 20,
	KB_SCHEDULE_HOURS = 48, /* of one rule */
};

enum kb_frequency {
	KB_FREQUENCY_NEVER,
	KB_FREQUENCY_DAILY,
	KB_FREQUENCY_WEEKLY,
	KB_FREQUENCY_MONTHLY,  /* every 30 days */
	KB_FREQUENCY_ADVANCED, /* by the schedule */
};

struct kb_schedule_rule {
	uint8_t days; /* bit n: day n */
	uint8_t hour_count;
	uint16_t minutes[KB_SCHEDULE_HOURS]; /* of the day */
};

struct kb_source_settings {
	bool executive_js; /* what a script writes is read too, where there is a browser */
	bool create_new_pages, remove_unexist_pages;
	bool update_existing_images, sync_all_images;
	bool images;  /* image_extraction_type is sync_from_sitemap */
	bool is_list; /* found out by its content; none of the settings, but kept with them */
	enum kb_frequency frequency;
	enum kb_refetch refetch; /* refresh_existing_pages */
	struct kb_schedule_rule rules[KB_SCHEDULE_RULES];
	size_t rule_count;
	/* Of a website. */
	int64_t max_pages, max_depth, max_megabytes, max_minutes;
};

/* The defaults, with what the object says over them; what cannot be read keeps its default. */
void kb_source_settings_read(struct kb_arena *arena, struct kb_sv json,
                             struct kb_source_settings *out);
/* The members of an object that is open. */
void kb_source_settings_write(const struct kb_source_settings *settings, struct kb_jw *jw);
/* The object. */
struct kb_sv kb_source_settings_text(struct kb_arena *arena,
                                     const struct kb_source_settings *settings);

/* The names of the settings, by number from 0; NULL after the last. */
const char *kb_source_setting_name(size_t i);
/* Flags may be true, 1 or "true". KB_E_INVALID names the setting and what it may be. */
bool kb_source_settings_set(struct kb_source_settings *settings, const char *name,
                            const json_t *value, struct kb_err *err) KB_MUST_CHECK;
/* What no single setting can tell. */
bool kb_source_settings_check(const struct kb_source_settings *settings,
                              struct kb_err *err) KB_MUST_CHECK;

/* The first reading after that time; 0: none. */
int64_t kb_source_next(const struct kb_source_settings *settings, int64_t after_us);

/* Whether the name of an address is that of a sitemap or feed; `certain`: by its ending. */
bool kb_source_is_list(struct kb_sv url, bool *certain);
/* Whether a file that begins so is an XML sitemap, an index of them, or a feed: by its root. */
bool kb_source_is_list_content(struct kb_sv head);

#endif
