#include "fit_asked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/json.h"
#include "phrases.h"

enum { LINE_BYTES = 1 << 20, BESIDE = 6 };

struct asked_passage {
	int64_t set;
	struct kb_sv file, title, heading, text;
};

struct asked_question {
	int64_t set;
	struct kb_sv text, corpus;
	struct kb_sv *files, *phrases;
	size_t file_count, phrase_count;
	bool answerable, foreign;
};

struct fit_asked {
	struct kb_arena arena;
	struct asked_passage *passages; /* those of a file stand together */
	struct asked_question *questions;
	size_t passage_count, passage_capacity, question_count, question_capacity;
};

static struct kb_sv *texts_of(struct kb_arena *arena, const json_t *list, size_t *count)
{
	struct kb_sv *v = KB_NEW_ARRAY(arena, json_array_size(list), struct kb_sv);

	for (*count = 0; *count < json_array_size(list); ++*count)
		v[*count] = kb_arena_sv(arena,
		                        kb_sv_str(json_string_value(json_array_get(list, *count))));
	return v;
}

static struct kb_sv text_of(struct kb_arena *arena, json_t *line, const char *name)
{
	return kb_arena_sv(arena, kb_json_sv(line, name, KB_SV("")));
}

static void add_passage(struct fit_asked *all, json_t *line)
{
	KB_GROW(all->passages, all->passage_capacity, all->passage_count + 1);
	all->passages[all->passage_count++] = (struct asked_passage){
		.set = kb_json_int(line, "set", 0),
		.file = text_of(&all->arena, line, "file"),
		.title = text_of(&all->arena, line, "title"),
		.heading = text_of(&all->arena, line, "heading"),
		.text = text_of(&all->arena, line, "text"),
	};
}

static void add_question(struct fit_asked *all, json_t *line)
{
	struct asked_question *q;

	KB_GROW(all->questions, all->question_capacity, all->question_count + 1);
	q = &all->questions[all->question_count++];
	*q = (struct asked_question){
		.set = kb_json_int(line, "set", 0),
		.text = text_of(&all->arena, line, "question"),
		.corpus = text_of(&all->arena, line, "corpus"),
		.answerable = kb_json_bool(line, "answerable", false),
		.foreign = kb_sv_eq_str(kb_json_sv(line, "kind", KB_SV("")), "foreign"),
	};
	q->files = texts_of(&all->arena, kb_json_get(line, "files"), &q->file_count);
	q->phrases = texts_of(&all->arena, kb_json_get(line, "phrases"), &q->phrase_count);
}

static bool each_line(struct fit_asked *all, const char *path,
                      void (*add)(struct fit_asked *all, json_t *line))
{
	FILE *file = popen(kb_arena_printf(&all->arena, "xz -dc '%s' 2>/dev/null", path).p, "r");
	char *line;
	bool any = false;

	if (!file)
		return false;
	line = kb_xmalloc(LINE_BYTES);
	while (fgets(line, LINE_BYTES, file)) {
		struct kb_arena scratch = { 0 };
		json_t *object = kb_json_parse(&scratch, kb_sv_str(line), NULL);

		any = true;
		if (object)
			add(all, object);
		kb_arena_fini(&scratch);
	}
	free(line);
	return pclose(file) == 0 && any;
}

struct fit_asked *fit_asked_read(const char *root)
{
	struct fit_asked *all = kb_xcalloc(1, sizeof(*all));
	const char *folder = kb_arena_printf(&all->arena, "%s/asked", root).p;

	if (each_line(all, kb_arena_printf(&all->arena, "%s/passages.jsonl.xz", folder).p,
	              add_passage)
	    && each_line(all, kb_arena_printf(&all->arena, "%s/questions.jsonl.xz", folder).p,
	                 add_question))
		return all;
	fit_asked_free(all);
	return NULL;
}

void fit_asked_free(struct fit_asked *all)
{
	if (!all)
		return;
	free(all->passages);
	free(all->questions);
	kb_arena_fini(&all->arena);
	free(all);
}

size_t fit_asked_count(const struct fit_asked *all)
{
	return all->question_count;
}

static bool same_file(const struct asked_passage *a, const struct asked_passage *b)
{
	return a->set == b->set && kb_sv_eq(a->file, b->file);
}

/* The agent's documents: so many files from the passage on. */
static bool take_documents(struct fit_set *set, const struct fit_asked *all, size_t first,
                           size_t documents)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();

	for (size_t i = first; i < all->passage_count; i++) {
		const struct asked_passage *p = &all->passages[i];

		if (p->set != all->passages[first].set)
			break;
		if (i == first || !same_file(p, p - 1)) {
			if (set->doc_count == documents)
				break;
			set->docs[set->doc_count].title = p->title;
			set->docs[set->doc_count++].id = p->file;
		}
		kb_segment_writer_add(writer,
		                      &(struct kb_passage){ .page_id = (int64_t)set->doc_count,
		                                            .lang = kb_lang_of_text(p->text),
		                                            .title = p->title,
		                                            .heading = p->heading,
		                                            .text = p->text });
	}
	if (set->doc_count == documents)
		fit_set_index(set, writer);
	kb_segment_writer_free(writer);
	return set->doc_count == documents;
}

static void add_ask(struct fit_set *set, const struct asked_question *q)
{
	struct fit_ask *ask = &set->asks[set->ask_count];

	*ask = (struct fit_ask){
		.id = q->text,
		.text = q->text,
		.source = "asked",
		.group = kb_hash64(kb_arena_printf(&set->arena, "asked %d", (int)q->set)),
		.answers = KB_NEW_ARRAY(&set->arena, q->phrase_count, struct kb_sv),
		.docs = KB_NEW_ARRAY(&set->arena, q->file_count, const struct fit_doc *),
	};
	for (size_t f = 0; f < q->file_count; f++)
		for (size_t d = 0; d < set->doc_count; d++)
			if (kb_sv_eq(set->docs[d].id, q->files[f]))
				ask->docs[ask->doc_count++] = &set->docs[d];
	for (size_t i = 0; i < q->phrase_count; i++)
		ask->answers[ask->answer_count++] = bench_squeezed(&set->arena, q->phrases[i]);
	ask->impossible = !q->answerable || ask->doc_count == 0;
	set->ask_count++;
}

bool fit_asked_open(struct fit_set *set, struct fit_asked *all, size_t nth, size_t documents)
{
	const struct asked_question *about = &all->questions[nth % all->question_count];
	size_t first = 0, beside = 0;

	*set = (struct fit_set){ .name = "asked", .squeezed = true };
	if (!about->answerable || about->file_count == 0)
		return false;
	while (first < all->passage_count
	       && !(all->passages[first].set == about->set
	            && kb_sv_eq(all->passages[first].file, about->files[0])))
		first++;
	set->docs = kb_xcalloc(documents, sizeof(*set->docs));
	set->asks = kb_xcalloc(all->question_count, sizeof(*set->asks));
	if (first == all->passage_count || !take_documents(set, all, first, documents))
		return false;
	/* Those that it answers and near misses of its files, then a few of others. */
	for (int rest = 0; rest < 2; rest++)
		for (size_t i = 0; i < all->question_count; i++) {
			const struct asked_question *q = &all->questions[i];

			if (q->set != about->set || q->foreign
			    || !kb_sv_eq(q->corpus, about->corpus))
				continue;
			add_ask(set, q);
			if ((set->asks[set->ask_count - 1].doc_count == 0) != (rest == 1)
			    || (rest && (!q->answerable || beside++ >= BESIDE)))
				set->ask_count--;
		}
	return set->ask_count > 0;
}
