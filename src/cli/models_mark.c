#include "cli/models_mark.h"

#include "base/hash.h"

int64_t kb_models_mark(const struct kb_options *options, struct kb_models *models,
                       const struct kb_vectorizer *encoder)
{
	const char *const finders[] = { options->embed_url, options->embed_name,
		                        options->rerank_url, options->rerank_name };
	const struct kb_model_set *set = kb_models_hold(models);
	const uint64_t answering = kb_model_set_mark(set);
	struct kb_hash64 *hash = kb_hash64_new();
	struct kb_vector_column column;
	int64_t mark;

	kb_model_set_release(set);
	kb_hash64_add(hash, &answering, sizeof(answering));
	for (size_t i = 0; i < KB_COUNTOF(finders); i++) {
		const char *text = finders[i] ? finders[i] : "";

		kb_hash64_add(hash, text, strlen(text) + 1);
	}
	if (encoder && encoder->known(encoder->arg, &column))
		kb_hash64_add(hash, column.model.p, column.model.n);
	mark = (int64_t)kb_hash64_end(hash);
	kb_hash64_free(hash);
	return mark ? mark : 1;
}
