#include "cli/eval_draft.h"

#include <stdlib.h>

#include "answer/gold.h"

/* A row that is kept, and what makes two the same question. */
struct draft {
	struct kb_arena arena;
	struct kb_sv *keys; /* sorted */
	size_t key_count, key_capacity;
	struct kb_buf *out;
};

static struct kb_sv key_of(struct kb_arena *arena, struct kb_sv question)
{
	struct kb_gold_tokens tokens;
	struct kb_buf buf;
	struct kb_sv out;

	kb_gold_tokenize(arena, question, &tokens);
	kb_buf_init(&buf, SIZE_MAX);
	for (size_t i = 0; i < tokens.count; i++) {
		kb_buf_byte(&buf, ' ');
		kb_buf_sv(&buf, tokens.v[i]);
	}
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

/* True the first time. */
static bool is_new(struct draft *d, struct kb_sv question)
{
	struct kb_sv key = key_of(&d->arena, question);
	size_t low = 0, high = d->key_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (kb_sv_cmp(d->keys[middle], key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (!key.n || (low < d->key_count && kb_sv_eq(d->keys[low], key)))
		return false;
	KB_GROW(d->keys, d->key_capacity, d->key_count + 1);
	memmove(d->keys + low + 1, d->keys + low, (d->key_count - low) * sizeof(*d->keys));
	d->keys[low] = key;
	d->key_count++;
	return true;
}

/* answer: of what is right; said: of what was not. Both may be empty. */
static void add_row(struct draft *d, struct kb_sv question, struct kb_sv answer, struct kb_sv said,
                    const char *note)
{
	struct kb_jw jw;

	if (!is_new(d, question))
		return;
	kb_jw_init(&jw, d->out);
	kb_jw_object(&jw);
	kb_jw_key_sv(&jw, "question", question);
	if (answer.n) { /* as an array: a text may hold the mark that parts phrases */
		kb_jw_key(&jw, "answer");
		kb_jw_array(&jw);
		kb_jw_sv(&jw, answer);
		kb_jw_end(&jw);
	}
	kb_jw_key_str(&jw, "note", note);
	if (said.n)
		kb_jw_key_sv(&jw, "said", said);
	kb_jw_end(&jw);
	kb_buf_byte(d->out, '\n');
}

static bool add_checked(void *arg, const json_t *row, struct kb_err *err)
{
	const json_t *questions = kb_json_get(row, "questions");

	(void)err;
	for (size_t i = 0; i < json_array_size(questions); i++) {
		const json_t *one = json_array_get(questions, i);

		add_row(arg, kb_sv(json_string_value(one), json_string_length(one)),
		        kb_json_sv(row, "answer", KB_SV("")), KB_SV(""), "checked");
	}
	return true;
}

static bool add_asked(void *arg, const json_t *row, struct kb_err *err)
{
	struct kb_sv question = kb_json_sv(row, "user_query", KB_SV(""));
	struct kb_sv answer = kb_json_sv(row, "ai_response", KB_SV(""));
	struct kb_sv feedback = kb_json_sv(row, "feedback", KB_SV(""));

	(void)err;
	if (kb_sv_eq_str(feedback, "liked"))
		add_row(arg, question, answer, KB_SV(""), "liked");
	else if (kb_sv_eq_str(feedback, "disliked"))
		add_row(arg, question, KB_SV(""), answer, "disliked");
	return true;
}

static bool add_unanswered(void *arg, const json_t *row, struct kb_err *err)
{
	(void)err;
	add_row(arg, kb_json_sv(row, "user_query", KB_SV("")), KB_SV(""), KB_SV(""), "unanswered");
	return true;
}

bool kb_eval_draft(struct kb_remote *remote, struct kb_buf *out, struct kb_err *err)
{
	struct draft d = { .out = out };
	bool ok = kb_remote_each(remote, "/answers", NULL, add_checked, &d, err)
	          && kb_remote_each(remote, "/reports/intelligence", NULL, add_asked, &d, err)
	          && kb_remote_each(remote, "/reports/intelligence?unanswered=true", NULL,
	                            add_unanswered, &d, err);

	free(d.keys);
	kb_arena_fini(&d.arena);
	return ok;
}
