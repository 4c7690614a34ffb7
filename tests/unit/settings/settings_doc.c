/* Prints docs/settings.md: a table a section, a row a field. */
#include "settings_doc.h"

#include <string.h>

#include "settings/plans.h"
#include "settings/settings.h"

static const char intro[] =
        "# Agent settings\n"
        "\n"
        "For owners of agents and developers of clients.\n"
        "\n"
        "Printed from the table in `src/settings/fields.c` "
        "(`build/tests/unit/settings/settings_doc >\n"
        "docs/settings.md`); a test compares the two.\n"
        "\n"
        "`GET /api/v1/projects/{projectId}/settings` answers all fields, `POST` changes those it "
        "is\n"
        "sent, as multipart, form or JSON. Lengths are characters. Flags are `true`, `false`, `1` "
        "or\n"
        "`0` in any letter case; numbers may be texts. A field that may be null takes JSON "
        "`null`,\n"
        "or an empty text; null means that its default is in force. An image is a PNG, JPEG, WebP "
        "or\n"
        "GIF file of at most 5 MB, 8192 pixels a side and 25 megapixels.\n"
        "\n"
        "An update answers 200 when all was applied, 207 with `updated_fields` and "
        "`failed_fields`\n"
        "when some was, and 400 when nothing was. What a field holds already may be sent back: "
        "the\n"
        "record as it was read is taken as it is, with pictures as their addresses.\n"
        "\n"
        "The texts whose default is written in English follow `chatbot_msg_lang` until they are "
        "set.\n";

static const char *const titles[] = {
	[KB_SECTION_APPEARANCE] = "Appearance",
	[KB_SECTION_TEXTS] = "Texts",
	[KB_SECTION_BEHAVIOUR] = "Behaviour",
	[KB_SECTION_ANSWER] = "Only in the answer",
};

static void print_choices(struct kb_buf *out, const struct kb_setting *field)
{
	for (const char *const *choice = field->choices; *choice; choice++)
		kb_buf_printf(out, "%s`%s`", choice == field->choices ? "" : ", ", *choice);
}

static void print_values(struct kb_buf *out, const struct kb_setting *field)
{
	switch (field->type) {
	case KB_FIELD_BOOL:
	case KB_FIELD_NBOOL:
		kb_buf_str(out, "flag");
		break;
	case KB_FIELD_INT:
	case KB_FIELD_NINT:
		kb_buf_printf(out, "%" PRId64 " to %" PRId64, field->min, field->max);
		if (field->takes_flags)
			kb_buf_printf(out, "; `false` is %" PRId64 ", `true` is %" PRId64,
			              field->when_false, field->when_true);
		break;
	case KB_FIELD_LIST:
		kb_buf_printf(out, "at most %" PRId64 " %s of %" PRId64 " characters",
		              field->max_items,
		              field->form == KB_FORM_DOMAIN ? "host names" : "texts", field->max);
		break;
	case KB_FIELD_TEXT:
		if (field->choices)
			print_choices(out, field);
		else if (field->form == KB_FORM_IMAGE)
			kb_buf_str(out, "image");
		else if (field->form == KB_FORM_COLOR)
			kb_buf_str(out, "`#rgb`, `#rgba`, `#rrggbb`, `#rrggbbaa`");
		else if (field->form == KB_FORM_MODEL)
			kb_buf_str(out, "model of the catalogue");
		else if (field->max > 0)
			kb_buf_printf(out, "text of %" PRId64, field->max);
		else
			kb_buf_str(out, "text");
		break;
	}
	if (kb_field_takes_null(field))
		kb_buf_str(out, "; null");
}

static void print_field(struct kb_buf *out, const struct kb_setting *field)
{
	kb_buf_printf(out, "| `%s`", field->name);
	if (strcmp(kb_field_answer_name(field), field->name) != 0)
		kb_buf_printf(out, " (answered as `%s`)", kb_field_answer_name(field));
	kb_buf_printf(out, " | `%s` | ", field->initial);
	print_values(out, field);
	kb_buf_printf(out, " | %s", field->doc);
	if (field->feature)
		kb_buf_printf(out, " Needs the plan feature `%s`.",
		              kb_feature_name((enum kb_plan_feature)field->feature));
	if (field->requires)
		kb_buf_printf(out, " Requires `%s`.", field->requires);
	if (field->master_only)
		kb_buf_str(out, " Ignored for regular agents.");
	kb_buf_str(out, " |\n");
}

void settings_doc_print(struct kb_buf *out)
{
	size_t count;
	const struct kb_setting *fields = kb_settings_fields(&count);

	kb_buf_str(out, intro);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || fields[i].section != fields[i - 1].section)
			kb_buf_printf(out,
			              "\n## %s\n\n| Field | Default | Values | Meaning |\n"
			              "|---|---|---|---|\n",
			              titles[fields[i].section]);
		print_field(out, &fields[i]);
	}
}
