/*
 * Which citations the support check keeps, on statements whose source is known:
 *
 *   bench/citations [--data DIR] [--draw N] [--show] [SET]
 *
 * Statements are sentences of the published answers of clapnq and mtrag, and questions of the other
 * sets with the answer put in the place of the question word. Each is judged beside its own
 * passage, five that a search for its question finds, and one at random. Then one thing in it is
 * changed: a number, a name for one of another document, a name for one of the same passage, a
 * denial put in. The table gives the share of markers kept, of at most --draw statements a set;
 * --show names those that were judged wrongly.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "fit_data.h"
#include "index/sentence.h"
#include "write/reply.h"

enum { NEAR_WRONG = 5, SOURCES_MAX = 24, DRAW = 500, PIECE = 4 };

enum column { TRUE_KEPT, NEAR, FIFTH, RANDOM, NUMBER, FOREIGN_NAME, OWN_NAME, NEGATED, COLUMNS };
static const char *const column_names[COLUMNS] = { "true",   "near",    "fifth",    "random",
	                                           "number", "foreign", "own name", "negated" };

static const struct set_row {
	const char *name;
	bool answers_are_text; /* their sentences are statements */
	bool together;         /* its documents answer only together */
	bool english;
} rows[] = {
	{ "squad", false, false, true },     { "hotpotqa", false, true, true },
	{ "clapnq", true, false, true },     { "mtrag", true, false, true },
	{ "xquad:de", false, false, false }, { "xquad:es", false, false, false },
	{ "xquad:ru", false, false, false }, { "xquad:ar", false, false, false },
	{ "xquad:tr", false, false, false }, { "xquad:zh", false, false, false },
	{ "xquad:hi", false, false, false }, { "xquad:th", false, false, false },
	{ "cmrc2018", false, false, false }, { "drcd", false, false, false },
	{ "jaquad", false, false, false },
};

struct figure {
	size_t kept, count;
};

struct bench {
	struct fit_set *set;
	const struct set_row *row;
	struct kb_analyzer *analyzer;
	struct kb_arena arena; /* of one question */
	struct kb_support *support;
	struct kb_support_source sources[SOURCES_MAX];
	size_t gold, count;
	struct figure figures[COLUMNS];
	int64_t us, judged;
	int64_t reply_us, pieces; /* of answers on their whole way */
	size_t statements;
	bool show, tell; /* what is lost and ought not to be; what is kept and ought not to be */
};

/* ---- statements ---- */

static const char *const asking[] = { "what", "who",   "when", "where", "which",
	                              "whom", "whose", "why",  "how" };

/* "When did the crisis begin?", "in 1973" -> "in 1973 did the crisis begin." */
static struct kb_sv statement_of(struct kb_arena *arena, struct kb_sv question, struct kb_sv answer,
                                 bool english)
{
	struct kb_sv text = kb_sv_trim(question);
	size_t at = 0;

	while (text.n && (text.p[text.n - 1] == '?' || text.p[text.n - 1] == '.'))
		text.n--;
	while (english && at < text.n) {
		size_t end = at;

		while (end < text.n && isalpha((unsigned char)text.p[end]))
			end++;
		for (size_t i = 0; i < KB_COUNTOF(asking); i++)
			if (kb_sv_ieq_str(kb_sv_sub(text, at, end - at), asking[i]))
				return kb_arena_printf(arena, "%.*s%.*s%.*s.", (int)at, text.p,
				                       KB_SV_ARG(answer),
				                       KB_SV_ARG(kb_sv_from(text, end)));
		at = end + 1;
	}
	return kb_arena_printf(arena, "%.*s %.*s", KB_SV_ARG(text), KB_SV_ARG(answer));
}

/* ---- lies ---- */

static bool holds(struct kb_sv text, struct kb_sv part)
{
	return kb_sv_find(text, part) >= 0;
}

static struct kb_sv splice(struct kb_arena *arena, struct kb_sv text, size_t at, size_t n,
                           struct kb_sv with)
{
	return kb_arena_printf(arena, "%.*s%.*s%.*s", (int)at, text.p, KB_SV_ARG(with),
	                       KB_SV_ARG(kb_sv_from(text, at + n)));
}

static bool change_number(struct kb_arena *arena, struct kb_sv text, struct kb_sv passage,
                          struct kb_sv *out)
{
	/* Not that of a list. */
	for (size_t i = 1; i < text.n; i++) {
		size_t n = i;
		struct kb_sv number;

		while (n < text.n && isdigit((unsigned char)text.p[n]))
			n++;
		if (n == i || isdigit((unsigned char)text.p[i - 1]))
			continue;
		for (int add = 7; add < 70; add += 7) {
			number = kb_arena_printf(
			        arena, "%ld",
			        strtol(kb_arena_str(arena,
			                            kb_sv_sub(text, i, KB_MIN(n - i, (size_t)9))),
			               NULL, 10)
			                + add);
			if (!holds(passage, number)) {
				*out = splice(arena, text, i, n - i, number);
				return true;
			}
		}
		i = n;
	}
	return false;
}

/* A capitalised word of four letters or more that does not begin the text or a sentence. */
static struct kb_sv next_name(struct kb_sv text, size_t *at)
{
	while (*at < text.n) {
		size_t start = *at, end;

		while (start < text.n && !isalpha((unsigned char)text.p[start])
		       && (unsigned char)text.p[start] < 0x80)
			start++;
		end = start;
		while (end < text.n
		       && (isalpha((unsigned char)text.p[end])
		           || (unsigned char)text.p[end] >= 0x80))
			end++;
		if (end == start) {
			*at = text.n;
			break;
		}
		*at = end;
		if (end - start >= 4 && isupper((unsigned char)text.p[start]) && start >= 2
		    && text.p[start - 1] == ' ' && !strchr(".!?:\"", text.p[start - 2]))
			return kb_sv_sub(text, start, end - start);
	}
	return kb_sv(NULL, 0);
}

static bool change_name(struct kb_arena *arena, struct kb_sv text, struct kb_sv from,
                        struct kb_sv passage, bool own, struct kb_sv *out)
{
	size_t at = 0, in = 0;
	struct kb_sv name = next_name(text, &at), other;

	if (!name.n)
		return false;
	while ((other = next_name(from, &in)).n)
		if (!holds(text, other) && (own || !holds(passage, other))) {
			*out = splice(arena, text, (size_t)(name.p - text.p), name.n, other);
			return true;
		}
	return false;
}

static bool negate(struct kb_arena *arena, struct kb_sv text, struct kb_sv *out)
{
	static const char *const verbs[] = { " is ",  " are ",  " was ",  " were ",
		                             " can ", " may ",  " must ", " will ",
		                             " has ", " have ", " did ",  " does " };

	for (size_t i = 0; i < KB_COUNTOF(verbs); i++) {
		ptrdiff_t at = kb_sv_find(text, kb_sv_str(verbs[i]));

		if (at < 0)
			continue;
		*out = splice(arena, text, (size_t)at + strlen(verbs[i]), 0, KB_SV("not "));
		return true;
	}
	return false;
}

/* ---- judging ---- */

static bool kept(struct bench *b, struct kb_sv statement, size_t from, size_t to)
{
	struct kb_judgement judgement;
	size_t group[SOURCES_MAX], count = 0;
	bool any = false;

	kb_support_judge(b->support, b->analyzer, statement, &judgement);
	for (size_t i = from; i < to; i++) {
		any |= !judgement.verdicts[i].lacks;
		group[count++] = i;
	}
	if (b->show && from == 0 && !any)
		printf("  lost %x %.2f %.2f: %.*s\n", judgement.verdicts[0].lacks,
		       (double)judgement.verdicts[0].cover, (double)judgement.verdicts[0].near,
		       KB_SV_ARG(statement));
	return any || (count > 1 && kb_support_together(b->support, &judgement, group, count));
}

static void count(struct bench *b, enum column column, struct kb_sv statement, size_t from,
                  size_t to)
{
	bool keeps = kept(b, statement, from, to);

	b->figures[column].count++;
	b->figures[column].kept += keeps;
	if (b->tell && keeps && column != TRUE_KEPT && column != OWN_NAME)
		printf("  %s kept: %.*s\n", column_names[column], KB_SV_ARG(statement));
}

static void judge(struct bench *b, struct kb_sv statement)
{
	struct kb_sv lie, passage = KB_SV("");
	bool show = b->show;
	int64_t from = kb_clock_mono_us();

	for (size_t i = 0; i < b->gold; i++)
		passage = kb_arena_printf(&b->arena, "%.*s %.*s %.*s", KB_SV_ARG(passage),
		                          KB_SV_ARG(b->sources[i].title),
		                          KB_SV_ARG(b->sources[i].text));
	from = kb_clock_mono_us();
	count(b, TRUE_KEPT, statement, 0, b->gold);
	b->us += kb_clock_mono_us() - from;
	b->judged += (int64_t)b->count;
	b->show = false;
	if (b->count > b->gold + 1)
		count(b, NEAR, statement, b->gold, b->gold + 1);
	if (b->count > b->gold + NEAR_WRONG)
		count(b, FIFTH, statement, b->gold + NEAR_WRONG - 1, b->gold + NEAR_WRONG);
	count(b, RANDOM, statement, b->count - 1, b->count);
	if (change_number(&b->arena, statement, passage, &lie))
		count(b, NUMBER, lie, 0, b->gold);
	if (b->row->english) {
		if (change_name(&b->arena, statement, b->sources[b->count - 1].text, passage, false,
		                &lie))
			count(b, FOREIGN_NAME, lie, 0, b->gold);
		if (change_name(&b->arena, statement, passage, passage, true, &lie))
			count(b, OWN_NAME, lie, 0, b->gold);
		if (negate(&b->arena, statement, &lie))
			count(b, NEGATED, lie, 0, b->gold);
	}
	b->show = show;
	b->statements++;
}

static void add_source(struct bench *b, struct kb_sv title, struct kb_sv text)
{
	if (b->count < SOURCES_MAX)
		b->sources[b->count++] = (struct kb_support_source){ .title = title, .text = text };
}

static bool is_right(const struct fit_ask *ask, struct kb_sv text)
{
	for (size_t i = 0; i < ask->doc_count; i++)
		if (kb_sv_eq(text, ask->docs[i]->text))
			return true;
	return false;
}

/* The ask's own passages first, then the best of a search that are not among them, then one. */
static void gather(struct bench *b, const struct fit_ask *ask, size_t random)
{
	struct kb_question q;
	struct kb_evidence found = { 0 };
	struct kb_answer_stats stats = fit_stats(b->set);
	size_t wrong = 0;

	b->count = 0;
	for (size_t i = 0; i < ask->doc_count && i < SOURCES_MAX - NEAR_WRONG - 1; i++)
		add_source(b, ask->docs[i]->title, ask->docs[i]->text);
	b->gold = b->count;
	kb_question_build(b->analyzer, &b->arena,
	                  &(struct kb_utterance){ .text = ask->text,
	                                          .turns = ask->history,
	                                          .turn_count = ask->history_count },
	                  &q);
	fit_search(b->set, &b->arena, &q, SOURCES_MAX, &found);
	for (size_t i = 0; i < found.count && wrong < NEAR_WRONG; i++) {
		if (is_right(ask, found.candidates[i].passage.text))
			continue;
		add_source(b, found.candidates[i].passage.title, found.candidates[i].passage.text);
		wrong++;
	}
	while (is_right(ask, b->set->docs[random].text))
		random = (random + 1) % b->set->doc_count;
	add_source(b, b->set->docs[random].title, b->set->docs[random].text);
	b->support = kb_support_new(&b->arena, b->analyzer, b->sources, b->count, &stats);
}

/* Nowhere: only the time is of interest. */
static void swallow(void *arg, struct kb_sv text)
{
	*(size_t *)arg += text.n;
}

/* The answer as a model would send it, a few bytes a piece. */
static void send(struct bench *b, struct kb_sv answer)
{
	struct kb_marker_ids ids;
	int64_t pages[SOURCES_MAX], from;
	struct kb_cite_result result;
	struct kb_reply *reply;
	size_t bytes = 0;

	kb_marker_draw(&ids, &b->arena, b->count);
	for (size_t i = 0; i < b->count; i++)
		pages[i] = (int64_t)i + 1;
	from = kb_clock_mono_us();
	reply = kb_reply_new(&b->arena, &(struct kb_reply_config){ .ids = &ids,
	                                                           .pages = pages,
	                                                           .support = b->support,
	                                                           .numbers = true,
	                                                           .emit = swallow,
	                                                           .arg = &bytes });
	for (size_t i = 0; i < answer.n; i += PIECE, b->pieces++)
		kb_reply_feed(reply, b->analyzer, kb_sv_sub(answer, i, PIECE));
	kb_reply_end(reply, b->analyzer, &result);
	b->reply_us += kb_clock_mono_us() - from;
}

static void ask_one(struct bench *b, size_t i)
{
	const struct fit_ask *ask = &b->set->asks[i];
	struct kb_sentence *sentences;
	size_t n;

	if (ask->impossible || !ask->doc_count || !ask->answer_count || !ask->answers[0].n)
		return;
	gather(b, ask, (i * 7919 + b->set->doc_count / 2) % b->set->doc_count);
	if (!b->row->answers_are_text) {
		judge(b, statement_of(&b->arena, ask->text, ask->answers[0], b->row->english));
		return;
	}
	send(b, ask->answers[0]);
	kb_sentences(&b->arena, ask->answers[0], &sentences, &n);
	for (size_t s = 0; s < n; s++) {
		struct kb_sv one = kb_sv_sub(ask->answers[0], sentences[s].start,
		                             sentences[s].end - sentences[s].start);

		if (one.n > 30 && one.p[one.n - 1] != '?' && one.p[one.n - 1] != ':')
			judge(b, one);
	}
}

static void print(const char *name, const struct figure *figures)
{
	printf("%-10s", name);
	for (int c = 0; c < COLUMNS; c++)
		if (figures[c].count)
			printf(" %9.3f", (double)figures[c].kept / (double)figures[c].count);
		else
			printf(" %9s", "");
	printf(" %7zu\n", figures[TRUE_KEPT].count);
}

int main(int argc, char **argv)
{
	const char *data = getenv("DOCENT_EVAL_DATA");
	struct figure english[COLUMNS] = { 0 };
	size_t draw = DRAW;
	bool show = false;
	const char *only = NULL;
	int64_t us = 0, judged = 0, reply_us = 0, pieces = 0;

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--data") && i + 1 < argc)
			data = argv[++i];
		else if (!strcmp(argv[i], "--draw") && i + 1 < argc)
			draw = (size_t)strtoul(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--show"))
			show = true;
		else
			only = argv[i];
	if (!data)
		data = "../shared/data";
	printf("%-10s", "");
	for (int c = 0; c < COLUMNS; c++)
		printf(" %9s", column_names[c]);
	printf(" %7s\n", "count");
	for (size_t r = 0; r < KB_COUNTOF(rows); r++) {
		struct fit_set set;
		struct bench b = { .set = &set, .row = &rows[r], .show = show, .tell = show };
		size_t step;

		if (only && strcmp(only, rows[r].name))
			continue;
		if (!fit_set_open(&set, data, rows[r].name)) {
			printf("%s is not in %s\n", rows[r].name, data);
			continue;
		}
		b.analyzer = kb_analyzer_new();
		step = KB_MAX(set.ask_count / draw, (size_t)1);
		for (size_t i = 0; i < set.ask_count && b.statements < draw; i += step) {
			ask_one(&b, i);
			kb_arena_reset(&b.arena);
		}
		print(rows[r].name, b.figures);
		for (int c = 0; rows[r].english && c < COLUMNS; c++) {
			english[c].kept += b.figures[c].kept;
			english[c].count += b.figures[c].count;
		}
		us += b.us;
		judged += b.judged;
		reply_us += b.reply_us;
		pieces += b.pieces;
		kb_arena_fini(&b.arena);
		kb_analyzer_free(b.analyzer);
		fit_set_close(&set);
	}
	print("English", english);
	if (judged)
		printf("%.1f us a sentence and source\n", (double)us / (double)judged);
	if (pieces)
		printf("%.1f us a piece of %d bytes, checks and guard together\n",
		       (double)reply_us / (double)pieces, PIECE);
	return 0;
}
