#include "index/worth.h"

void kb_worth_fill(struct kb_worth *worth, const struct kb_scoring *scoring, struct kb_arena *arena,
                   uint32_t tf_limit)
{
	if (!worth->v)
		worth->v =
		        (uint32_t(*)[256])kb_arena_room(arena, KB_SATURATION_TF, sizeof(*worth->v));
	for (; worth->rows < tf_limit; worth->rows++) {
		const float *parts = scoring->saturation[worth->rows];
		uint32_t *row = worth->v[worth->rows];

		for (int code = 0; code < 256; code++) /* below 2^31: fit for vectors */
			row[code] = (uint32_t)(int32_t)(worth->gain * parts[code] + .5f);
	}
}
