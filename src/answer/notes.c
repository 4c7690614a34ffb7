/*
 * The texts. The summary picks sentences of the persona: each is worth the mean weight of its
 * content words (a word's weight grows with its use in the persona), more when it rules something
 * ("never", "always") and when it is the first, less for what the chosen ones say already.
 */
#include "answer/notes.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/utf8.h"
#include "index/sentence.h"

enum {
	SUMMARY_SENTENCES = 6,
	SUMMARY_CHARS = 1200,
	SENTENCE_CHARS = 400,
	SENTENCES_MAX = 400, /* of a persona of 12,000 characters */
	TITLE_CHARS = 120,
	EXAMPLES_SHOWN = 5,
	NOTE_MAX = 64 << 10,
};

#define FIRST_BONUS  1.3
#define RULE_BONUS   1.5
#define SEEN_PENALTY 0.3 /* what is left of a word's weight once it is said */

const struct kb_note_kind kb_note_kinds[KB_NOTE_COUNT] = {
	[KB_NOTE_PERSONA_SUMMARY] = { "persona-summary", "Persona summary" },
	[KB_NOTE_TASK_PLANNER] = { "task-planner", "Task planner" },
};

enum kb_agent_note kb_note_of(struct kb_sv slug)
{
	for (int i = 0; i < KB_NOTE_COUNT; i++)
		if (kb_sv_eq_str(slug, kb_note_kinds[i].slug))
			return (enum kb_agent_note)i;
	return KB_NOTE_COUNT;
}

/* ---- the summary ---- */

/* Words that make a rule of a sentence, in the languages most personas are written in. */
static const char *const rule_words[] = {
	"always", "never",   "must",  "only",  "not",  "don't", "avoid",    "refuse", "immer",
	"nie",    "niemals", "nur",   "nicht", "kein", "keine", "toujours", "jamais", "seulement",
	"pas",    "siempre", "nunca", "solo",  "sólo", "no",    "sempre",   "mai",    "não",
};

static bool is_rule_word(struct kb_sv word)
{
	for (size_t i = 0; i < KB_COUNTOF(rule_words); i++)
		if (kb_sv_eq_str(word, rule_words[i]))
			return true;
	return false;
}

struct summary {
	struct kb_sv text;
	struct kb_terms terms; /* of the whole persona */
	double *weights;       /* one a term */
	struct kb_sentence *sentences;
	size_t count;
};

/* Terms are few (a persona has 12,000 characters at most), so repeats are counted pair by pair
 * through a table of the first term with each hash. */
static void weigh(struct kb_arena *arena, struct summary *s)
{
	size_t slots = 64, *table;
	double *uses = KB_NEW_ARRAY(arena, s->terms.count + 1, double);
	size_t *first = KB_NEW_ARRAY(arena, s->terms.count + 1, size_t);

	while (slots < 2 * s->terms.count)
		slots *= 2;
	table = KB_NEW_ARRAY(arena, slots, size_t); /* index + 1 */
	for (size_t i = 0; i < s->terms.count; i++) {
		size_t at = kb_hash64(s->terms.v[i].term) & (slots - 1);

		while (table[at] && !kb_sv_eq(s->terms.v[table[at] - 1].term, s->terms.v[i].term))
			at = (at + 1) & (slots - 1);
		if (!table[at])
			table[at] = i + 1;
		first[i] = table[at] - 1;
		uses[first[i]]++;
	}
	s->weights = KB_NEW_ARRAY(arena, s->terms.count + 1, double);
	for (size_t i = 0; i < s->terms.count; i++)
		if (!(s->terms.v[i].flags & (KB_TERM_FUNCTION | KB_TERM_STOP | KB_TERM_PIECE)))
			s->weights[i] = 1 + log(uses[first[i]]);
}

static double worth(const struct summary *s, size_t which)
{
	const struct kb_sentence *sentence = &s->sentences[which];
	double sum = 0;
	size_t content = 0;
	bool rules = false;

	for (size_t i = 0; i < s->terms.count; i++) {
		const struct kb_term *term = &s->terms.v[i];

		if (term->start < sentence->start || term->end > sentence->end)
			continue;
		sum += s->weights[i];
		content += s->weights[i] > 0;
		rules = rules || is_rule_word(term->word);
	}
	/* Short sentences say little, long ones are not worth their length. */
	sum = content ? sum / sqrt((double)content + 4) : 0;
	return sum * (rules ? RULE_BONUS : 1) * (which == 0 ? FIRST_BONUS : 1);
}

/* What a chosen sentence says counts for less in the others. */
static void discount(struct summary *s, size_t which)
{
	const struct kb_sentence *sentence = &s->sentences[which];

	for (size_t i = 0; i < s->terms.count; i++) {
		const struct kb_term *said = &s->terms.v[i];

		if (said->start < sentence->start || said->end > sentence->end
		    || s->weights[i] <= 0)
			continue;
		for (size_t j = 0; j < s->terms.count; j++)
			if (s->terms.v[j].start >= sentence->end
			    || s->terms.v[j].end <= sentence->start)
				if (kb_sv_eq(s->terms.v[j].term, said->term))
					s->weights[j] *= SEEN_PENALTY;
	}
}

static void choose(struct kb_arena *arena, struct summary *s, bool *chosen)
{
	bool *tried = KB_NEW_ARRAY(arena, s->count + 1, bool);
	size_t chars = 0, picked = 0;

	while (picked < SUMMARY_SENTENCES) {
		double most = 0;
		size_t best = s->count, length;

		for (size_t i = 0; i < s->count; i++) {
			double value = tried[i] ? 0 : worth(s, i);

			if (value > most) {
				most = value;
				best = i;
			}
		}
		if (best == s->count)
			return;
		tried[best] = true;
		length =
		        kb_utf8_count(kb_sv_sub(s->text, s->sentences[best].start,
		                                s->sentences[best].end - s->sentences[best].start));
		length = KB_MIN(length, (size_t)SENTENCE_CHARS);
		if (chars + length > SUMMARY_CHARS)
			continue;
		chosen[best] = true;
		chars += length;
		picked++;
		discount(s, best);
	}
}

/* One line: what was written by others may not make lines of its own. */
static void add_line(struct kb_buf *buf, struct kb_sv text, size_t chars)
{
	struct kb_sv head = kb_utf8_head(text, chars);

	for (size_t i = 0; i < head.n; i++) {
		unsigned char c = (unsigned char)head.p[i];

		kb_buf_byte(buf, c < 0x20 || c == 0x7f ? ' ' : (char)c);
	}
	if (head.n < text.n)
		kb_buf_str(buf, "…");
}

static struct kb_sv finish(struct kb_arena *arena, struct kb_buf *buf)
{
	struct kb_sv out = kb_arena_sv(arena, kb_sv_trim(kb_buf_view(buf)));

	KB_ASSERT(!buf->failed);
	kb_buf_fini(buf);
	return out;
}

struct kb_sv kb_note_summary(struct kb_analyzer *analyzer, struct kb_arena *arena,
                             const struct kb_notes_input *input)
{
	struct summary s = { .text = input->persona };
	struct kb_buf buf;
	bool *chosen;

	kb_buf_init(&buf, NOTE_MAX);
	kb_buf_str(&buf, "Notes on the persona of \"");
	add_line(&buf, input->agent->name, TITLE_CHARS);
	kb_buf_str(&buf, "\":\n");
	kb_sentences(arena, s.text, &s.sentences, &s.count);
	s.count = KB_MIN(s.count, (size_t)SENTENCES_MAX);
	if (s.count == 0) {
		kb_buf_str(&buf, "- It has no instructions of its own: it answers plainly, from "
		                 "its documents, in the language of the question.\n");
		return finish(arena, &buf);
	}
	kb_analyze(analyzer, arena, kb_lang_of_text(s.text), s.text, &s.terms);
	weigh(arena, &s);
	chosen = KB_NEW_ARRAY(arena, s.count, bool);
	choose(arena, &s, chosen);
	for (size_t i = 0; i < s.count; i++) {
		if (!chosen[i])
			continue;
		kb_buf_str(&buf, "- ");
		add_line(&buf,
		         kb_sv_sub(s.text, s.sentences[i].start,
		                   s.sentences[i].end - s.sentences[i].start),
		         SENTENCE_CHARS);
		kb_buf_byte(&buf, '\n');
	}
	return finish(arena, &buf);
}

/* ---- the routing map ---- */

static void add_titles(struct kb_buf *buf, const struct kb_notes_input *input)
{
	if (input->documents == 0) {
		kb_buf_str(buf, "   There are no documents yet: nothing can be found.\n");
		return;
	}
	kb_buf_printf(buf, "   Documents: %" PRId64 "%s\n", input->documents,
	              (int64_t)input->title_count < input->documents ? "; among them:" : ":");
	for (size_t i = 0; i < input->title_count; i++) {
		kb_buf_str(buf, "   - \"");
		add_line(buf, input->titles[i], TITLE_CHARS);
		kb_buf_str(buf, "\"\n");
	}
}

static void add_examples(struct kb_buf *buf, const struct kb_sv_list *questions)
{
	if (questions->count == 0)
		return;
	kb_buf_str(buf, "   Questions it is meant for:\n");
	for (size_t i = 0; i < questions->count && i < EXAMPLES_SHOWN; i++) {
		kb_buf_str(buf, "   - \"");
		add_line(buf, questions->v[i], TITLE_CHARS);
		kb_buf_str(buf, "\"\n");
	}
}

/* What a master hands over to its agents; NULL: nothing. */
static const char *handed_over(enum kb_routing routing)
{
	switch (routing) {
	case KB_ROUTING_OFF:
		break;
	case KB_ROUTING_START_ONLY:
		return "conversation";
	case KB_ROUTING_EVERY_MESSAGE:
		return "message";
	}
	return NULL;
}

struct kb_sv kb_note_planner(struct kb_arena *arena, const struct kb_notes_input *input)
{
	const struct kb_settings *settings = input->settings;
	const char *handed = handed_over(kb_settings_routing(settings));
	struct kb_buf buf;
	int step = 1;

	kb_buf_init(&buf, NOTE_MAX);
	kb_buf_str(&buf, "Which action fits which message to \"");
	add_line(&buf, input->agent->name, TITLE_CHARS);
	kb_buf_printf(&buf,
	              "\":\n%d. A question about its subjects: search the documents and "
	              "answer from what they say.\n",
	              step++);
	add_titles(&buf, input);
	add_examples(&buf, &settings->example_questions);
	if (settings->use_planner_mode.v)
		kb_buf_printf(&buf,
		              "%d. A question of several parts: search for each part by itself, at "
		              "most %" PRId64 " step%s for one message.\n",
		              step++, settings->max_actions_per_query,
		              settings->max_actions_per_query == 1 ? "" : "s");
	if (settings->is_hybrid_search.v)
		kb_buf_printf(&buf,
		              "%d. A code, part number or version: search for it as it is "
		              "written.\n",
		              step++);
	if (input->agent->is_master && handed)
		kb_buf_printf(&buf,
		              "%d. A subject of one of its agents: hand the %s over to that "
		              "agent.\n",
		              step++, handed);
	kb_buf_printf(&buf, "%d. What it knows about: %s.\n", step++,
	              settings->enable_agent_knowledge_base_awareness
	                      ? "give an overview of the documents"
	                      : "do not tell; give the no-answer text");
	kb_buf_printf(&buf, "%d. A greeting, thanks or goodbye: reply in kind, without a search.\n",
	              step++);
	kb_buf_printf(&buf, "%d. Anything else: %s\"", step,
	              kb_settings_response_source(settings) == KB_RESPONSE_LLM_CONTENT
	                      ? "general knowledge may answer; where that fails, say "
	                      : "say ");
	add_line(&buf, kb_settings_text(settings, KB_TEXT_NO_ANSWER), 1000);
	kb_buf_str(&buf, "\".\n");
	return finish(arena, &buf);
}
