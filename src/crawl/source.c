/* The table of a source's settings, and its calendar. */
#include "crawl/source.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "store/errands.h"

enum { MONTH_DAYS = 30, DAY_MINUTES = 24 * 60 };
#define MINUTE_US (60 * KB_SECOND_US)

static const char *const frequencies[] = {
	"never", "daily", "weekly", "monthly", "advanced", NULL
};
static const char *const refetches[] = { "never", "always", "if_updated", NULL };
static const char *const image_types[] = { "none", "sync_from_sitemap", NULL };

enum kind { FLAG, FREQUENCY, REFETCH, IMAGES, SCHEDULE, NUMBER };
#define AT(member) offsetof(struct kb_source_settings, member)
static const struct field {
	const char *name;
	enum kind kind;
	size_t offset;    /* of a flag or number */
	int64_t min, max; /* of a number */
} fields[] = {
	{ "executive_js", FLAG, AT(executive_js) },
	{ "data_refresh_frequency", FREQUENCY, 0 },
	{ "create_new_pages", FLAG, AT(create_new_pages) },
	{ "remove_unexist_pages", FLAG, AT(remove_unexist_pages) },
	{ "refresh_existing_pages", REFETCH, 0 },
	{ "refresh_schedule", SCHEDULE, 0 },
	{ "image_extraction_type", IMAGES, 0 },
	{ "update_existing_images", FLAG, AT(update_existing_images) },
	{ "sync_all_images", FLAG, AT(sync_all_images) },
	{ "max_pages", NUMBER, AT(max_pages), 1, 1000000 },
	{ "max_depth", NUMBER, AT(max_depth), 0, 1000 },
	{ "max_megabytes", NUMBER, AT(max_megabytes), 1, 1000000 },
	{ "max_minutes", NUMBER, AT(max_minutes), 1, 525600 },
};
static const struct kb_source_settings defaults = { .executive_js = true,
	                                            .create_new_pages = true,
	                                            .max_pages = 100000,
	                                            .max_depth = 64,
	                                            .max_megabytes = 20000,
	                                            .max_minutes = 7 * 24 * 60 };

const char *kb_source_setting_name(size_t i)
{
	return i < KB_COUNTOF(fields) ? fields[i].name : NULL;
}

/* ---- setting ---- */

static bool set_flag(bool *out, const struct field *field, const json_t *value, struct kb_err *err)
{
	struct kb_sv text = kb_sv_str(json_string_value(value));

	if (json_is_boolean(value))
		*out = json_is_true(value);
	else if (json_is_integer(value) && (json_integer_value(value) | 1) == 1)
		*out = json_integer_value(value) == 1;
	else if (kb_sv_ieq_str(text, "true") || kb_sv_eq_str(text, "1"))
		*out = true;
	else if (kb_sv_ieq_str(text, "false") || kb_sv_eq_str(text, "0"))
		*out = false;
	else
		return kb_fail(err, KB_E_INVALID, "%s must be true or false", field->name);
	return true;
}

/* Texts are taken too: forms have nothing else. */
static bool set_number(int64_t *out, const struct field *field, const json_t *value,
                       struct kb_err *err)
{
	int64_t n = json_integer_value(value);

	if ((json_is_string(value)
	     && !kb_sv_to_int(kb_sv_str(json_string_value(value)), INT64_MIN, INT64_MAX, &n))
	    || !(json_is_string(value) || json_is_integer(value)) || n < field->min
	    || n > field->max)
		return kb_fail(err, KB_E_INVALID,
		               "%s must be an integer from %" PRId64 " to %" PRId64, field->name,
		               field->min, field->max);
	*out = n;
	return true;
}

static bool set_word(int *out, const struct field *field, const char *const *words,
                     const json_t *value, struct kb_err *err)
{
	struct kb_sv text = kb_sv_str(json_string_value(value));
	char list[200] = "";

	for (int i = 0; words[i]; i++) {
		if (json_is_string(value) && kb_sv_eq_str(text, words[i])) {
			*out = i;
			return true;
		}
		strncat(list,
		        i == 0         ? ""
		        : words[i + 1] ? ", "
		                       : " or ",
		        sizeof(list) - strlen(list) - 1);
		strncat(list, words[i], sizeof(list) - strlen(list) - 1);
	}
	return kb_fail(err, KB_E_INVALID, "%s must be %s", field->name, list);
}

/* "7:30", "07:30" */
static bool read_hour(const json_t *value, uint16_t *minutes)
{
	struct kb_sv rest = kb_sv_str(json_string_value(value)), hour;
	int64_t h, m;

	if (!json_is_string(value) || !kb_sv_split(&rest, ':', &hour) || hour.n == 0 || hour.n > 2
	    || rest.p == NULL || rest.n != 2 || !kb_sv_to_int(hour, 0, 23, &h)
	    || !kb_sv_to_int(rest, 0, 59, &m))
		return false;
	*minutes = (uint16_t)(h * 60 + m);
	return true;
}

static bool set_rule(struct kb_schedule_rule *rule, const json_t *value, struct kb_err *err)
{
	const json_t *days = kb_json_get(value, "days"), *hours = kb_json_get(value, "hours"),
	             *item;
	size_t i;

	*rule = (struct kb_schedule_rule){ 0 };
	if (!json_is_array(days) || !json_is_array(hours))
		return kb_fail(err, KB_E_INVALID,
		               "refresh_schedule must be a list of "
		               "{\"days\":[0..6],\"hours\":[\"HH:MM\"]}");
	json_array_foreach(days, i, item)
	{
		if (!json_is_integer(item) || json_integer_value(item) < 0
		    || json_integer_value(item) > 6)
			return kb_fail(err, KB_E_INVALID,
			               "a day of refresh_schedule must be from 0 (Sunday) to 6");
		rule->days |= (uint8_t)(1 << json_integer_value(item));
	}
	if (json_array_size(hours) > KB_SCHEDULE_HOURS)
		return kb_fail(err, KB_E_INVALID, "refresh_schedule has %zu hours, the limit is %d",
		               json_array_size(hours), KB_SCHEDULE_HOURS);
	json_array_foreach(hours, i, item)
	{
		if (!read_hour(item, &rule->minutes[rule->hour_count++]))
			return kb_fail(
			        err, KB_E_INVALID,
			        "an hour of refresh_schedule must be HH:MM, from 00:00 to 23:59");
	}
	return true;
}

static bool set_schedule(struct kb_source_settings *settings, const json_t *value,
                         struct kb_err *err)
{
	struct kb_schedule_rule rules[KB_SCHEDULE_RULES];
	size_t count = json_is_object(value) ? 1 : json_array_size(value);

	if (!json_is_object(value) && !json_is_array(value) && !json_is_null(value))
		return kb_fail(err, KB_E_INVALID,
		               "refresh_schedule must be a list of "
		               "{\"days\":[0..6],\"hours\":[\"HH:MM\"]}");
	if (count > KB_SCHEDULE_RULES)
		return kb_fail(err, KB_E_INVALID, "refresh_schedule has %zu items, the limit is %d",
		               count, KB_SCHEDULE_RULES);
	for (size_t i = 0; i < count; i++)
		if (!set_rule(&rules[i], json_is_object(value) ? value : json_array_get(value, i),
		              err))
			return false;
	if (count)
		memcpy(settings->rules, rules, count * sizeof(*rules));
	settings->rule_count = count;
	return true;
}

bool kb_source_settings_set(struct kb_source_settings *settings, const char *name,
                            const json_t *value, struct kb_err *err)
{
	const struct field *field = fields;
	int word = 0;

	while (strcmp(field->name, name) != 0)
		KB_ASSERT(++field < fields + KB_COUNTOF(fields));
	switch (field->kind) {
	case FLAG:
		return set_flag((bool *)((char *)settings + field->offset), field, value, err);
	case FREQUENCY:
		if (!set_word(&word, field, frequencies, value, err))
			return false;
		settings->frequency = (enum kb_frequency)word;
		return true;
	case REFETCH:
		if (!set_word(&word, field, refetches, value, err))
			return false;
		settings->refetch = (enum kb_refetch)word;
		return true;
	case IMAGES:
		if (!set_word(&word, field, image_types, value, err))
			return false;
		settings->images = word != 0;
		return true;
	case NUMBER:
		return set_number((int64_t *)(void *)((char *)settings + field->offset), field,
		                  value, err);
	case SCHEDULE:
		break;
	}
	return set_schedule(settings, value, err);
}

bool kb_source_settings_check(const struct kb_source_settings *settings, struct kb_err *err)
{
	if (settings->frequency == KB_FREQUENCY_ADVANCED && kb_source_next(settings, 0) == 0)
		return kb_fail(
		        err, KB_E_INVALID,
		        "with data_refresh_frequency advanced, refresh_schedule must name a day "
		        "and an hour");
	return true;
}

/* ---- as JSON ---- */

void kb_source_settings_read(struct kb_arena *arena, struct kb_sv json,
                             struct kb_source_settings *out)
{
	json_t *object = json.n ? kb_json_parse(arena, json, NULL) : NULL;

	*out = defaults;
	for (size_t i = 0; i < KB_COUNTOF(fields); i++) {
		const json_t *value = kb_json_get(object, fields[i].name);

		if (value && !kb_source_settings_set(out, fields[i].name, value, NULL))
			continue;
	}
	out->is_list = kb_json_bool(object, "is_list", false);
}

static void write_schedule(const struct kb_source_settings *settings, struct kb_jw *jw)
{
	kb_jw_array(jw);
	for (size_t i = 0; i < settings->rule_count; i++) {
		const struct kb_schedule_rule *rule = &settings->rules[i];

		kb_jw_object(jw);
		kb_jw_key(jw, "days");
		kb_jw_array(jw);
		for (int day = 0; day < 7; day++)
			if (rule->days & 1 << day)
				kb_jw_int(jw, day);
		kb_jw_end(jw);
		kb_jw_key(jw, "hours");
		kb_jw_array(jw);
		for (size_t h = 0; h < rule->hour_count; h++) {
			char text[8];

			snprintf(text, sizeof(text), "%02u:%02u", rule->minutes[h] / 60U % 24,
			         rule->minutes[h] % 60U);
			kb_jw_str(jw, text);
		}
		kb_jw_end(jw);
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
}

void kb_source_settings_write(const struct kb_source_settings *settings, struct kb_jw *jw)
{
	for (size_t i = 0; i < KB_COUNTOF(fields); i++) {
		kb_jw_key(jw, fields[i].name);
		switch (fields[i].kind) {
		case FLAG:
			kb_jw_bool(jw, *(const bool *)((const char *)settings + fields[i].offset));
			break;
		case FREQUENCY:
			kb_jw_str(jw, frequencies[settings->frequency]);
			break;
		case REFETCH:
			kb_jw_str(jw, refetches[settings->refetch]);
			break;
		case IMAGES:
			kb_jw_str(jw, image_types[settings->images]);
			break;
		case SCHEDULE:
			write_schedule(settings, jw);
			break;
		case NUMBER:
			kb_jw_int(jw, *(const int64_t *)(const void *)((const char *)settings
			                                               + fields[i].offset));
			break;
		}
	}
}

struct kb_sv kb_source_settings_text(struct kb_arena *arena,
                                     const struct kb_source_settings *settings)
{
	struct kb_buf buf;
	struct kb_jw jw;
	struct kb_sv text;

	kb_buf_init(&buf, KB_MIB(1));
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	kb_source_settings_write(settings, &jw);
	if (settings->is_list) {
		kb_jw_key(&jw, "is_list");
		kb_jw_bool(&jw, true);
	}
	kb_jw_end(&jw);
	KB_ASSERT(!buf.failed);
	text = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return text;
}

/* ---- the calendar ---- */

static int64_t next_by_rules(const struct kb_source_settings *settings, int64_t after_us)
{
	int64_t today = after_us / KB_DAY_US, best = 0;

	for (int64_t day = today; day <= today + 7 && best == 0; day++) {
		int weekday = (int)((day + 4) % 7); /* 1 January 1970 was a Thursday */

		for (size_t i = 0; i < settings->rule_count; i++) {
			const struct kb_schedule_rule *rule = &settings->rules[i];

			for (size_t h = 0; (rule->days & 1 << weekday) && h < rule->hour_count;
			     h++) {
				int64_t at = day * KB_DAY_US + rule->minutes[h] * MINUTE_US;

				if (at > after_us && (best == 0 || at < best))
					best = at;
			}
		}
	}
	return best;
}

int64_t kb_source_next(const struct kb_source_settings *settings, int64_t after_us)
{
	switch (settings->frequency) {
	case KB_FREQUENCY_NEVER:
		return 0;
	case KB_FREQUENCY_DAILY:
		return after_us + KB_DAY_US;
	case KB_FREQUENCY_WEEKLY:
		return after_us + 7 * KB_DAY_US;
	case KB_FREQUENCY_MONTHLY:
		return after_us + MONTH_DAYS * KB_DAY_US;
	case KB_FREQUENCY_ADVANCED:
		break;
	}
	return next_by_rules(settings, after_us);
}

/* ---- names ---- */

bool kb_source_is_list(struct kb_sv url, bool *certain)
{
	static const char *const endings[] = {
		".xml", ".xml.gz", ".txt", ".txt.gz", ".rss", ".atom"
	};
	static const char *const feeds[] = { "feed", "rss", "atom" };
	struct kb_sv path = url, name;
	bool sitemap;

	for (size_t i = 0; i < path.n; i++)
		if (path.p[i] == '?' || path.p[i] == '#')
			path.n = i;
	while (path.n && path.p[path.n - 1] == '/')
		path.n--;
	name = path;
	for (size_t i = path.n; i-- > 0;)
		if (path.p[i] == '/') {
			name = kb_sv_from(path, i + 1);
			break;
		}
	sitemap = kb_sv_find(name, KB_SV("sitemap")) >= 0;
	*certain = false;
	for (size_t i = 0; i < KB_COUNTOF(endings); i++)
		*certain |= kb_sv_ends(name, kb_sv_str(endings[i]))
		            && (endings[i][1] != 't' || sitemap); /* a text may be just a text */
	for (size_t i = 0; i < KB_COUNTOF(feeds); i++)
		if (kb_sv_eq_str(name, feeds[i]))
			return true;
	return *certain
	       || (sitemap && !kb_sv_ends(name, KB_SV(".html"))
	           && !kb_sv_ends(name, KB_SV(".htm")));
}

/* What stands before the root: a mark of the byte order, white space, <?...?>, <!--...-->,
 * <!DOCTYPE...> without declarations of its own. */
static struct kb_sv skip_prolog(struct kb_sv head)
{
	static const struct {
		const char *begin, *end;
	} parts[] = { { "\xEF\xBB\xBF", "" }, { "<?", "?>" }, { "<!--", "-->" }, { "<!", ">" } };

	for (size_t i = 0; i < KB_COUNTOF(parts);) {
		struct kb_sv end = kb_sv_str(parts[i].end);
		ptrdiff_t at;

		head = kb_sv_trim(head);
		if (!kb_sv_starts(head, kb_sv_str(parts[i].begin))) {
			i++;
			continue;
		}
		head = kb_sv_from(head, strlen(parts[i].begin));
		at = kb_sv_find(head, end);
		if (at < 0)
			return KB_SV("");
		head = kb_sv_from(head, (size_t)at + end.n);
		i = 0;
	}
	return head;
}

bool kb_source_is_list_content(struct kb_sv head)
{
	static const char *const roots[] = { "urlset", "sitemapindex", "rss", "feed", "RDF" };
	struct kb_sv name = skip_prolog(head);
	size_t n = 0;

	if (!kb_sv_starts(name, KB_SV("<")))
		return false;
	name = kb_sv_from(name, 1);
	while (n < name.n && !strchr(" \t\r\n/>", name.p[n])) {
		n++;
		if (name.p[n - 1] == ':') { /* a prefix */
			name = kb_sv_from(name, n);
			n = 0;
		}
	}
	for (size_t i = 0; n < name.n && i < KB_COUNTOF(roots); i++)
		if (kb_sv_eq_str(kb_sv_sub(name, 0, n), roots[i]))
			return true;
	return false;
}
