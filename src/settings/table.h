/*
 * What the readers of the field table share: a value of any field, in and out of the struct. The
 * settings' own; nobody else includes it.
 */
#ifndef KB_SETTINGS_TABLE_H
#define KB_SETTINGS_TABLE_H

#include "settings/settings.h"

/* One value of one field; which members count, the field's type says. */
struct kb_setting_value {
	bool is_null;
	bool flag;
	int64_t number;
	struct kb_sv text; /* p == NULL when null */
	struct kb_sv_list list;
};

/* `of` is the struct that the table of the field is about: struct kb_settings, or another
 * (options.h). */
struct kb_setting_value kb_field_load(const struct kb_setting *field, const void *of);
void kb_value_put(const struct kb_setting *field, void *of, const struct kb_setting_value *value);
/* Into the settings. A null flag or number gets the default's v, which is then in force. */
void kb_field_store(const struct kb_setting *field, struct kb_settings *settings,
                    const struct kb_setting_value *value);

/* The default for an agent whose interface speaks that language. */
struct kb_setting_value kb_field_default(const struct kb_setting *field, struct kb_sv lang);

/* One value of the stored form; false when it does not fit the field. Views into the tree. */
bool kb_value_read(struct kb_arena *arena, const struct kb_setting *field, const json_t *json,
                   struct kb_setting_value *value) KB_MUST_CHECK;
void kb_value_write(const struct kb_setting *field, const struct kb_setting_value *value,
                    struct kb_jw *jw);

bool kb_value_eq(const struct kb_setting *field, const struct kb_setting_value *a,
                 const struct kb_setting_value *b);

/* Whether the default is a built-in text, and so follows the language. */
bool kb_field_follows_language(const struct kb_setting *field);

bool kb_field_is_choice(const struct kb_setting *field, struct kb_sv text);

#endif
