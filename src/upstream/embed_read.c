/* What an embedding server says: foreign bytes. */
#include <math.h>

#include "base/json.h"
#include "index/vectors.h"
#include "upstream/embed.h"

static bool wrong(struct kb_err *err, const char *what)
{
	return kb_fail(err, KB_E_UPSTREAM, "the embedding server's answer %s", what);
}

static bool read_row(const json_t *values, float *row, uint32_t dims, struct kb_err *err)
{
	for (uint32_t i = 0; i < dims; i++) {
		const json_t *value = json_array_get(values, i);
		float x;

		if (!json_is_number(value))
			return wrong(err, "holds a figure that is no number");
		x = (float)json_number_value(value);
		if (!isfinite(x))
			return wrong(err, "holds a figure that is too large");
		row[i] = x;
	}
	return true;
}

static bool read_dims(const json_t *data, uint32_t *dims, struct kb_err *err)
{
	const json_t *first = kb_json_get(json_array_get(data, 0), "embedding");
	size_t n = json_array_size(first);

	if (!json_is_array(first))
		return wrong(err, "holds no list of figures");
	if (*dims && n != *dims)
		return kb_fail(err, KB_E_UPSTREAM,
		               "the embedding server gave a vector of %zu dimensions where its "
		               "first had %u; another model needs another name",
		               n, *dims);
	if (n < 1 || n > KB_VECTOR_DIMS_MAX)
		return kb_fail(err, KB_E_UPSTREAM,
		               "the embedding server gave a vector of %zu dimensions; it must be 1 "
		               "to %d",
		               n, KB_VECTOR_DIMS_MAX);
	*dims = (uint32_t)n;
	return true;
}

bool kb_embed_read(struct kb_arena *arena, struct kb_sv answer, size_t count, uint32_t dims,
                   struct kb_embedded *out, struct kb_err *err)
{
	json_t *root = kb_json_parse(arena, answer, NULL), *data = kb_json_get(root, "data");
	float *rows;
	bool *seen;

	if (!root)
		return wrong(err, "is no JSON");
	if (!json_is_array(data))
		return wrong(err, "has no list \"data\"");
	if (json_array_size(data) != count)
		return kb_fail(err, KB_E_UPSTREAM,
		               "the embedding server gave %zu vectors for %zu texts",
		               json_array_size(data), count);
	if (!read_dims(data, &dims, err))
		return false;
	rows = KB_NEW_ARRAY(arena, count * dims, float);
	seen = KB_NEW_ARRAY(arena, count, bool);
	for (size_t i = 0; i < count; i++) {
		const json_t *item = json_array_get(data, i),
		             *values = kb_json_get(item, "embedding");
		int64_t index = kb_json_int(item, "index", -1);

		if (index < 0 || (uint64_t)index >= count || seen[index])
			return wrong(err, "lacks the index of a vector, or has one twice");
		seen[index] = true;
		if (!json_is_array(values) || json_array_size(values) != dims)
			return wrong(err, "holds vectors of different lengths");
		if (!read_row(values, rows + (size_t)index * dims, dims, err))
			return false;
	}
	*out = (struct kb_embedded){ .rows = rows, .dims = dims };
	return true;
}
