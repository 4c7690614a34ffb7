/* The operator's catalogue: what is read can be used, and what is not is refused by a sentence. */
#include "upstream/model.h"
#include "upstream/models.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_arena arena = { 0 };
	struct kb_err err = { 0 };
	struct kb_model_entry *entries;
	size_t count;

	if (kb_model_read_file(&arena, kb_sv((const char *)data, size), "models.json", &entries,
	                       &count, &err)) {
		KB_ASSERT(count <= KB_MODELS_MAX);
		for (size_t i = 0; i < count; i++) {
			const struct kb_model *model = &entries[i].model;

			KB_ASSERT(model->id.n && model->name.n && model->url.n);
			KB_ASSERT(model->max_tokens < model->context);
			KB_ASSERT(kb_model_cost(model, 1000, 1000) >= 0);
		}
	} else {
		KB_ASSERT(err.code == KB_E_INVALID && err.msg[0]);
	}
	kb_arena_fini(&arena);
	return 0;
}
