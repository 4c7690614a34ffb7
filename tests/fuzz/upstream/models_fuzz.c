/* The operator's catalogue: what is read can be used, and what is not is refused by a sentence. */
#include "upstream/models.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_arena arena = { 0 };
	struct kb_err err = { 0 };
	struct kb_model *models;
	size_t count;

	if (kb_models_parse(&arena, kb_sv((const char *)data, size), "models.json", &models, &count,
	                    &err)) {
		KB_ASSERT(count <= KB_MODELS_MAX);
		for (size_t i = 0; i < count; i++) {
			KB_ASSERT(models[i].id.n && models[i].name.n && models[i].url.n);
			KB_ASSERT(models[i].max_tokens < models[i].context);
			KB_ASSERT(kb_model_cost(&models[i], 1000, 1000) >= 0);
		}
	} else {
		KB_ASSERT(err.code == KB_E_INVALID && err.msg[0]);
	}
	kb_arena_fini(&arena);
	return 0;
}
