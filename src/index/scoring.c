#include "index/scoring.h"

/* Weight and length normalisation of each field. Body and title are the values measured in
 * docs/makers/search.md. */
static const struct {
	float weight, b;
} fields[KB_FIELDS] = {
	[KB_FIELD_BODY] = { 1.0f, .75f },
	[KB_FIELD_TITLE] = { 3.0f, .5f },
	[KB_FIELD_HEADING] = { 1.5f, .5f },
};

void kb_scoring_init(struct kb_scoring *scoring, const float averages[KB_FIELDS])
{
	uint32_t lengths[256];

	kb_length_table(lengths);
	for (int f = 0; f < KB_FIELDS; f++)
		for (int code = 0; code < 256; code++)
			scoring->per_count[f][code] =
			        fields[f].weight
			        / (1 - fields[f].b
			           + fields[f].b * (float)lengths[code] / averages[f]);
	for (int tf = 0; tf < KB_SATURATION_TF; tf++)
		for (int code = 0; code < 256; code++)
			scoring->saturation[tf][code] =
			        kb_saturate((float)tf * scoring->per_count[KB_FIELD_BODY][code]);
}
