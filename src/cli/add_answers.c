#include "cli/add_answers.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/grid.h"

enum { PATH_BYTES = 128, LOOK_US = 200000 };

/* What the agent has, by the first question. */
struct known {
	struct kb_sv question, answer, questions; /* questions: one a line */
	int64_t id;
};

struct adding {
	struct kb_remote *remote;
	struct kb_arena arena;
	struct kb_grid table;
	struct known *known;
	size_t known_count, known_capacity;
};

static bool take_known(void *arg, const json_t *row, struct kb_err *err)
{
	struct adding *a = arg;
	const json_t *questions = kb_json_get(row, "questions"), *one;
	struct known known = {
		.answer = kb_arena_sv(&a->arena, kb_json_sv(row, "answer", KB_SV(""))),
		.questions = KB_SV(""),
		.id = kb_json_int(row, "id", 0),
	};
	size_t i;

	(void)err;
	json_array_foreach(questions, i, one)
	{
		struct kb_sv text = kb_sv(json_string_value(one), json_string_length(one));

		if (i == 0)
			known.question = kb_arena_sv(&a->arena, text);
		known.questions =
		        kb_arena_printf(&a->arena, "%.*s%s%.*s", KB_SV_ARG(known.questions),
		                        i ? "\n" : "", KB_SV_ARG(text));
	}
	KB_GROW(a->known, a->known_capacity, a->known_count + 1);
	a->known[a->known_count++] = known;
	return true;
}

static const struct known *find(const struct adding *a, struct kb_sv question)
{
	for (size_t i = 0; i < a->known_count; i++)
		if (kb_sv_ieq(a->known[i].question, question))
			return &a->known[i];
	return NULL;
}

/* The parts of a cell between '|', as an array of texts or of numbers. */
static void write_list(struct kb_jw *jw, const char *key, struct kb_sv cell, bool numbers)
{
	struct kb_sv one;
	int64_t n;

	kb_jw_key(jw, key);
	kb_jw_array(jw);
	while (cell.n && kb_sv_split(&cell, '|', &one)) {
		one = kb_sv_trim(one);
		if (one.n && numbers && kb_sv_to_int(one, 0, INT64_MAX, &n))
			kb_jw_int(jw, n);
		else if (one.n)
			kb_jw_sv(jw, one);
	}
	kb_jw_end(jw);
}

/* Ids of the labels that a cell names; labels that are new are made. */
static bool label_ids(struct adding *a, struct kb_arena *arena, struct kb_sv cell, struct kb_jw *jw,
                      struct kb_err *err)
{
	const json_t *one;
	struct kb_buf body;
	struct kb_jw names;
	json_t *data;
	size_t i;

	kb_buf_init(&body, SIZE_MAX);
	kb_jw_init(&names, &body);
	kb_jw_object(&names);
	write_list(&names, "names", cell, false);
	kb_jw_end(&names);
	kb_buf_byte(&body, '\0');
	data = kb_remote_call(a->remote, arena, "/labels", body.p, err);
	kb_buf_fini(&body);
	if (!data)
		return false;
	kb_jw_key(jw, "label_ids");
	kb_jw_array(jw);
	json_array_foreach(data, i, one)
	{
		kb_jw_int(jw, kb_json_int(one, "id", 0));
	}
	kb_jw_end(jw);
	return true;
}

static bool write_row(struct adding *a, struct kb_arena *arena, const struct kb_grid_row *row,
                      struct kb_buf *body, struct kb_err *err)
{
	static const char *const texts[] = { "answer", "owner", "checked_by", "review_at" };
	struct kb_sv labels = kb_grid_cell(&a->table, row, "labels");
	struct kb_jw jw;

	kb_jw_init(&jw, body);
	kb_jw_object(&jw);
	write_list(&jw, "questions", kb_grid_cell(&a->table, row, "question"), false);
	for (size_t i = 0; i < KB_COUNTOF(texts); i++)
		if (kb_grid_cell(&a->table, row, texts[i]).n)
			kb_jw_key_sv(&jw, texts[i], kb_grid_cell(&a->table, row, texts[i]));
	if (kb_grid_has(&a->table, "citations"))
		write_list(&jw, "citations", kb_grid_cell(&a->table, row, "citations"), true);
	if (labels.n && !label_ids(a, arena, labels, &jw, err))
		return false;
	kb_jw_end(&jw);
	kb_buf_byte(body, '\0');
	return true;
}

/* Text and questions are what they are; a table that says more is sent again. */
static bool is_same(const struct adding *a, const struct known *known,
                    const struct kb_grid_row *row)
{
	struct kb_sv cell = kb_grid_cell(&a->table, row, "question"), rest = known->questions, x, y;

	if (kb_grid_has(&a->table, "labels") || kb_grid_has(&a->table, "citations")
	    || kb_grid_has(&a->table, "owner") || kb_grid_has(&a->table, "review_at")
	    || !kb_sv_eq(known->answer, kb_grid_cell(&a->table, row, "answer")))
		return false;
	while (cell.p && kb_sv_split(&cell, '|', &x))
		if (!rest.p || !kb_sv_split(&rest, '\n', &y) || !kb_sv_eq(kb_sv_trim(x), y))
			return false;
	return !rest.p || !rest.n;
}

/* *state: what became of it. */
static bool send_row(struct adding *a, const struct kb_grid_row *row, const struct known *known,
                     const char **state, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	char path[PATH_BYTES] = "/answers";
	json_t *data = NULL;
	struct kb_buf body;

	*state = known ? "changed" : "made";
	if (known)
		snprintf(path, sizeof(path), "/answers/%" PRId64, known->id);
	kb_buf_init(&body, SIZE_MAX);
	if (write_row(a, &arena, row, &body, err))
		data = kb_remote_send(a->remote, &arena, known ? "PUT" : "POST", path, body.p, err);
	kb_buf_fini(&body);
	kb_arena_fini(&arena);
	return data != NULL;
}

static struct kb_sv first_question(const struct adding *a, const struct kb_grid_row *row)
{
	struct kb_sv cell = kb_grid_cell(&a->table, row, "question"), one = KB_SV("");

	(void)kb_sv_split(&cell, '|', &one);
	return kb_sv_trim(one);
}

static bool send_all(struct adding *a, struct kb_tally *tally, struct kb_err *err)
{
	tally->count = a->table.count;
	kb_tally_show(tally);
	for (size_t i = 0; i < a->table.count; i++) {
		const struct kb_grid_row *row = &a->table.rows[i];
		struct kb_sv question = first_question(a, row);
		const struct known *known = find(a, question);
		const char *state = "known";
		struct kb_err why = { 0 };

		if ((known && is_same(a, known, row)) || send_row(a, row, known, &state, &why)) {
			kb_tally_line(tally, false, state, question, KB_SV(""));
		} else if (why.code == KB_E_INVALID || why.code == KB_E_NOT_FOUND) {
			kb_tally_line(tally, true, "failed", question,
			              kb_arena_printf(&a->arena, "line %" PRId64 ": %s", row->line,
			                              why.msg));
		} else { /* the next one would fare no better */
			*err = why;
			return false;
		}
	}
	return true;
}

/* Until all of it can be found. */
static bool wait_for_all(struct adding *a, struct kb_err *err)
{
	for (;;) {
		struct kb_arena arena = { 0 };
		json_t *data = kb_remote_call(a->remote, &arena, "/progress", NULL, err);
		int64_t queued = kb_json_int(data, "queued", 0);

		kb_arena_fini(&arena);
		if (!data || !queued)
			return data != NULL;
		usleep(LOOK_US);
	}
}

bool kb_cli_add_answers(struct kb_remote *remote, const char *file, struct kb_tally *tally,
                        struct kb_err *err)
{
	struct adding a = { .remote = remote };
	bool ok = kb_grid_read(&a.arena, file, &a.table, err);

	if (ok && (!kb_grid_has(&a.table, "question") || !kb_grid_has(&a.table, "answer")))
		ok = kb_fail(err, KB_E_INVALID,
		             "%s: its first row names no columns question and answer", file);
	ok = ok && kb_remote_each(a.remote, "/answers?order=asc", NULL, take_known, &a, err)
	     && send_all(&a, tally, err) && wait_for_all(&a, err);
	free(a.known);
	kb_arena_fini(&a.arena);
	return ok;
}
