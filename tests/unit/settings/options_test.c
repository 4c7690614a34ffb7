#include "settings/options.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

/* Reads text and says how many lines it made in the log. */
static int read_options(struct kb_arena *arena, const char *text, struct kb_agent_options *out)
{
	FILE *file = tmpfile();
	struct kb_log log;
	int lines = 0, c;

	KB_ASSERT(file);
	kb_log_init(&log, KB_LOG_DEBUG, KB_LOG_TEXT, fileno(file));
	kb_agent_options_read(arena, kb_sv_str(text), &log, out);
	rewind(file);
	while ((c = fgetc(file)) != EOF)
		lines += c == '\n';
	fclose(file);
	return lines;
}

static void test_stored(struct kb_test *t)
{
	static const struct {
		const char *name, *text, *stored;
		int warnings;
	} cases[] = {
		{ "nothing stored is the defaults", "", "{}", 0 },
		{ "so is an empty object", "{}", "{}", 0 },
		{ "what equals its default is not stored", "{\"file_data_retension\":true}", "{}",
		  0 },
		{ "what differs is", "{\"file_data_retension\":false,\"is_ocr_enabled\":2}",
		  "{\"file_data_retension\":false,\"is_ocr_enabled\":2}", 0 },
		{ "a word of its list", "{\"image_extraction_type\":\"sync_from_sitemap\"}",
		  "{\"image_extraction_type\":\"sync_from_sitemap\"}", 0 },
		{ "an unknown member is ignored", "{\"gone\":7,\"is_vision_enabled\":true}",
		  "{\"is_vision_enabled\":true}", 0 },
		{ "no JSON: the defaults, masked", "{\"is_vision_enabled\":tr",
		  "{\"is_anonymized\":true}", 1 },
		{ "no object", "[]", "{\"is_anonymized\":true}", 1 },
		{ "a flag that is none", "{\"is_anonymized\":0,\"use_full_url_crawl\":true}",
		  "{\"is_anonymized\":true,\"use_full_url_crawl\":true}", 1 },
		{ "a number out of range, and a null",
		  "{\"is_ocr_enabled\":3,\"is_anonymized\":null}", "{\"is_anonymized\":true}", 1 },
		{ "a word of no list", "{\"image_extraction_type\":\"all\"}",
		  "{\"is_anonymized\":true}", 1 },
	};
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_agent_options options;

		t->row = cases[i].name;
		CHECK_INT(t, read_options(&arena, cases[i].text, &options), cases[i].warnings);
		CHECK_SV(t, kb_agent_options_text(&arena, &options), cases[i].stored);
	}
	kb_arena_fini(&arena);
}

static void test_members(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_agent_options options;

	CHECK_INT(t, read_options(&arena, "", &options), 0);
	CHECK(t, options.file_data_retension && !options.is_anonymized);
	CHECK_INT(t, options.is_ocr_enabled, 0);
	CHECK_SV(t, options.image_extraction_type, "none");
	CHECK_INT(t,
	          read_options(&arena,
	                       "{\"file_data_retension\":false,\"is_ocr_enabled\":1,"
	                       "\"is_anonymized\":true,\"is_low_performance_mode_enabled\":true,"
	                       "\"allow_extra_timeout\":true}",
	                       &options),
	          0);
	CHECK(t, !options.file_data_retension && options.is_anonymized
	                 && options.is_low_performance_mode_enabled && options.allow_extra_timeout);
	CHECK_INT(t, options.is_ocr_enabled, 1);
	CHECK(t, !options.is_vision_enabled && !options.use_full_url_crawl);
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "what is stored, and what of damage is left", test_stored },
		{ "each option has its member", test_members },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
