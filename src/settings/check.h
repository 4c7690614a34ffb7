/* What was sent for one field, as a value of that field. The settings' own. */
#ifndef KB_SETTINGS_CHECK_H
#define KB_SETTINGS_CHECK_H

#include "settings/table.h"

/* Why a field was refused, a sentence each. What does not fit is left out. */
enum { KB_SENTENCES = 8 };
struct kb_sentences {
	struct kb_sv v[KB_SENTENCES];
	size_t count;
};
void kb_sentence_add(struct kb_sentences *sentences, struct kb_sv sentence);

/* What was sent for a field. */
struct kb_setting_sent {
	const struct kb_setting *field;
	const struct kb_setting_input *const *inputs; /* all under its name, at least one */
	size_t count;
	const struct kb_setting_value *current; /* what the field holds */
};

/* What it makes. */
struct kb_setting_made {
	struct kb_setting_value value;
	struct kb_setting_image image; /* of an IMAGE field with bytes; else its name is NULL */
	struct kb_sentences sentences; /* why it makes no value */
};

/* False with a sentence when the inputs make no value of the field. Looks neither at the plan nor
 * at other fields. */
bool kb_setting_check(struct kb_arena *arena, const struct kb_setting_sent *sent,
                      struct kb_setting_made *out) KB_MUST_CHECK;

/* A site that may show the widget, in lower case and ASCII: "example.org", "*.example.org",
 * "localhost:3000". A scheme and a last slash, as pasted from an address bar, are dropped. */
bool kb_domain_normalise(struct kb_arena *arena, struct kb_sv text,
                         struct kb_sv *out) KB_MUST_CHECK;

#endif
