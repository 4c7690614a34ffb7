#include "cli/eval_against.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/json.h"

enum { FILE_MAX = 256 << 20 };

struct old {
	struct kb_sv id, answer;
	bool passed, met;
};

static int by_id(const void *a, const void *b)
{
	return kb_sv_cmp(((const struct old *)a)->id, ((const struct old *)b)->id);
}

static bool read_old(struct kb_arena *arena, const char *path, struct old **out, size_t *count,
                     struct kb_err *err)
{
	size_t lines = 1;
	struct kb_sv text, line;

	*count = 0;
	if (!kb_file_read(arena, path, FILE_MAX, &text, err))
		return false;
	for (size_t i = 0; i < text.n; i++)
		lines += text.p[i] == '\n';
	*out = KB_NEW_ARRAY(arena, lines, struct old);
	for (int64_t number = 1; text.n && kb_sv_split(&text, '\n', &line); number++) {
		json_t *json;

		if (!kb_sv_trim(line).n)
			continue;
		json = kb_json_parse(arena, line, NULL);
		if (!kb_json_get(json, "id") || !kb_json_get(json, "passed"))
			return kb_fail(err, KB_E_INVALID, "%s:%" PRId64 ": no row of an evaluation",
			               path, number);
		(*out)[(*count)++] = (struct old){ .id = kb_json_sv(json, "id", KB_SV("")),
			                           .answer = kb_json_sv(json, "answer", KB_SV("")),
			                           .passed = kb_json_bool(json, "passed", false) };
	}
	qsort(*out, *count, sizeof(**out), by_id);
	return true;
}

static void compare_row(struct old *old, bool passed, struct kb_eval_against *out,
                        struct kb_eval_before *before)
{
	before->answer = KB_SV("");
	if (!old) {
		before->turn = KB_EVAL_NEW;
		out->added++;
		return;
	}
	old->met = true;
	before->answer = old->answer;
	before->turn = passed == old->passed ? KB_EVAL_SAME
	               : passed              ? KB_EVAL_BETTER
	                                     : KB_EVAL_WORSE;
	out->same += before->turn == KB_EVAL_SAME;
	out->better += before->turn == KB_EVAL_BETTER;
	out->worse += before->turn == KB_EVAL_WORSE;
}

bool kb_eval_compare(struct kb_arena *arena, const char *path, const struct kb_eval_table *table,
                     const struct kb_eval_verdict *verdicts, struct kb_eval_against *out,
                     struct kb_err *err)
{
	struct old *olds;
	size_t count;

	*out = (struct kb_eval_against){ 0 };
	if (!read_old(arena, path, &olds, &count, err))
		return false;
	out->v = KB_NEW_ARRAY(arena, table->count, struct kb_eval_before);
	for (size_t i = 0; i < table->count; i++) {
		const struct old key = { .id = table->v[i].id };

		compare_row(count ? bsearch(&key, olds, count, sizeof(*olds), by_id) : NULL,
		            verdicts[i].why == KB_EVAL_PASSED, out, &out->v[i]);
	}
	for (size_t i = 0; i < count; i++)
		out->gone += !olds[i].met;
	return true;
}
