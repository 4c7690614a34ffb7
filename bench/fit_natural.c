#include "fit_natural.h"

#include "base/hash.h"
#include "phrases.h"

static void read_question(struct fit_set *set, const struct n_corpus *corpus,
                          const struct n_question *question)
{
	struct fit_ask *ask = &set->asks[set->ask_count++];

	*ask = (struct fit_ask){
		.id = question->id,
		.text = question->text,
		.source = "natural",
		.impossible = !question->answerable,
		.again = question->pair.n > 0,
		.foreign = question->foreign,
		.group = kb_hash64(corpus->name),
		.answers = KB_NEW_ARRAY(&set->arena, question->phrase_count, struct kb_sv),
		.docs = KB_NEW_ARRAY(&set->arena, question->file_count, const struct fit_doc *),
	};
	for (size_t i = 0; i < question->phrase_count; i++)
		ask->answers[ask->answer_count++] =
		        bench_squeezed(&set->arena, question->phrases[i]);
	for (size_t d = 0; d < set->doc_count; d++)
		if (n_is_right(corpus, question, (int64_t)d + 1))
			ask->docs[ask->doc_count++] = &set->docs[d];
	if (question->after.n) {
		ask->history = KB_NEW(&set->arena, struct kb_sv);
		ask->history[ask->history_count++] = question->after;
	}
}

bool fit_natural_open(struct fit_set *set, struct n_set *all, size_t corpus, struct kb_err *err)
{
	const struct n_corpus *from = &all->corpora[corpus];
	struct kb_segment_writer *writer = kb_segment_writer_new();
	bool ok = n_corpus_write(all, from, NULL, writer, err);

	*set = (struct fit_set){ .squeezed = true };
	set->name = kb_arena_str(&set->arena, from->name);
	set->docs = kb_xcalloc(from->file_count, sizeof(*set->docs));
	set->asks = kb_xcalloc(from->question_count, sizeof(*set->asks));
	while (set->doc_count < from->file_count) {
		set->docs[set->doc_count].id = from->files[set->doc_count];
		set->doc_count++;
	}
	for (size_t i = 0; i < from->question_count; i++)
		read_question(set, from, &from->questions[i]);
	if (ok)
		fit_set_index(set, writer);
	kb_segment_writer_free(writer);
	return ok;
}
