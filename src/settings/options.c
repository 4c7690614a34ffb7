#include "settings/options.h"

#include "settings/table.h"

static const char *const extractions[] = { "none", "sync_from_sitemap", NULL };

/* As FIELD of fields.c. */
#define OPTION(m)                                                                                  \
	.name = #m, .offset = offsetof(struct kb_agent_options, m),                                \
	.type = _Generic(((struct kb_agent_options *)0)->m, bool                                   \
	                 : KB_FIELD_BOOL, int64_t                                                  \
	                 : KB_FIELD_INT, struct kb_sv                                              \
	                 : KB_FIELD_TEXT)

// clang-format off
static const struct kb_setting fields[] = {
	{ OPTION(file_data_retension), .initial = "true" },
	{ OPTION(is_ocr_enabled), .initial = "0", .max = 2 },
	{ OPTION(is_anonymized), .initial = "false" },
	{ OPTION(is_vision_enabled), .initial = "false" },
	{ OPTION(is_vision_compress_image), .initial = "false" },
	{ OPTION(is_low_performance_mode_enabled), .initial = "false" },
	{ OPTION(allow_extra_timeout), .initial = "false" },
	{ OPTION(use_full_url_crawl), .initial = "false" },
	{ OPTION(image_extraction_type), .initial = "\"none\"",
	  .form = KB_FORM_CHOICE, .choices = extractions },
};
// clang-format on

const struct kb_setting *kb_agent_options_fields(size_t *count)
{
	*count = KB_COUNTOF(fields);
	return fields;
}

void kb_agent_options_read(struct kb_arena *arena, struct kb_sv json, const struct kb_log *log,
                           struct kb_agent_options *out)
{
	struct kb_err err = { .msg = "no JSON object" };
	const json_t *object = json.n ? kb_json_parse(arena, json, &err) : NULL;
	bool damaged = json.n && !json_is_object(object);

	*out = (struct kb_agent_options){ 0 };
	for (size_t i = 0; i < KB_COUNTOF(fields); i++) {
		const json_t *member = kb_json_get(object, fields[i].name);
		struct kb_setting_value value = kb_field_default(&fields[i], KB_SV(""));

		if (member && !kb_value_read(arena, &fields[i], member, &value)) {
			kb_fail(&err, KB_E_CORRUPT, "no valid %s", fields[i].name);
			value = kb_field_default(&fields[i], KB_SV(""));
			damaged = true;
		}
		kb_value_put(&fields[i], out, &value);
	}
	if (damaged) {
		kb_warn(log, "options of an agent are damaged, the defaults hold error=%s",
		        err.msg);
		out->is_anonymized = true;
	}
}

struct kb_sv kb_agent_options_text(struct kb_arena *arena, const struct kb_agent_options *options)
{
	enum { TEXT_MAX = 4096 };
	struct kb_sv text;
	struct kb_buf buf;
	struct kb_jw jw;

	kb_buf_init(&buf, TEXT_MAX);
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	for (size_t i = 0; i < KB_COUNTOF(fields); i++) {
		struct kb_setting_value value = kb_field_load(&fields[i], options);
		struct kb_setting_value initial = kb_field_default(&fields[i], KB_SV(""));

		if (kb_value_eq(&fields[i], &value, &initial))
			continue;
		kb_jw_key(&jw, fields[i].name);
		kb_value_write(&fields[i], &value, &jw);
	}
	kb_jw_end(&jw);
	text = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return text;
}

void kb_agent_options_write(const struct kb_agent_options *options, struct kb_jw *jw)
{
	for (size_t i = 0; i < KB_COUNTOF(fields); i++) {
		struct kb_setting_value value = kb_field_load(&fields[i], options);

		kb_jw_key(jw, fields[i].name);
		kb_value_write(&fields[i], &value, jw);
	}
}
