/*
 * Three steps, each on what the one before lets go:
 *
 *   step    characters; what opens with a bracket is held until it is a marker or text
 *   plain   text; blanks are held, code is told from prose
 *   say     text that leaves: before it the markers held are judged and sentences end
 *
 * One character at a time: the cuts of the input cannot matter.
 */
#include "write/cite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "index/sentence.h"
#include "write/statement.h"
#include "write/waiting.h"

enum {
	GAP_MAX = 64,
	HELD_MAX = KB_MARKER_BYTES,
	GROUP_MAX = 16,  /* sources in one run of markers */
	WORDS_LEAST = 2, /* content words that a source can be judged by */
	TARGET_MAX = 16,
	BEFORE_MAX = KB_SUPPORT_SENTENCE / 4,
	SENTENCE_LEAST = 128, /* bytes of room; few sentences need more */
	SENTENCES_FIRST = 4,  /* that there is room for at first */
};

/* How much of a sentence a source holds that is named without being asked. */
#define CLEARLY .7f
/* Of a statement, to count as supported. */
#define SUPPORTED .5f

struct group {
	uint8_t sources[GROUP_MAX];
	uint8_t count;
};
static_assert(KB_SUPPORT_SOURCES <= UINT8_MAX && KB_MARKER_IDS <= UINT8_MAX,
              "a source fits into a byte");

struct kb_cite {
	struct kb_arena *arena;
	struct kb_cite_config config;
	struct kb_analyzer *analyzer; /* during a call */
	struct kb_cite_result result;
	size_t capacity, page_capacity;

	char character[4]; /* cut by the input */
	size_t character_n;
	char held[HELD_MAX + 4];
	size_t held_n;
	bool swallow;            /* the rest of the line */
	char target[TARGET_MAX]; /* behind a marker: an address in brackets, perhaps */
	size_t target_n;
	bool drop_target;

	/* Where it is in its line; see is_code(). */
	size_t column, ticks, tick_column;
	char tick;
	bool blank_line, in_list, line_text;
	bool indented;
	size_t span; /* backticks that opened the code within the line */
	char fence;
	size_t fence_length, fence_run;
	bool fence_only;

	char gap[GAP_MAX]; /* blanks that have not left */
	size_t gap_n;
	bool group_open; /* markers that have not been judged */
	struct group group;
	char group_gap[GAP_MAX]; /* what stood before them */
	size_t group_gap_n;
	bool group_leads;   /* they begin a line */
	char comma;         /* between two of them, perhaps */
	struct group early; /* of the sentence that follows, or is on its way */

	/* The sentence without its markers; what a marker is judged by begins at `clause`. */
	char *sentence;
	size_t sentence_n, sentence_max, clause; /* max: it has room for so many bytes */
	char *before;                            /* the one before; as large as it is */
	size_t before_n;
	struct kb_cite_sentence cited;  /* of the sentence */
	bool any;                       /* something has left */
	struct kb_judgement *judgement; /* the last one, during a call */
	struct kb_waiting waiting;      /* of a strict answer */
};

static void make_room(struct kb_cite *c, size_t max)
{
	c->sentence = kb_xrealloc(c->sentence, max);
	c->sentence_max = max;
}

/* To the sentence; what is beyond its bound is not looked at. */
static void add_words(struct kb_cite *c, struct kb_sv text)
{
	if (c->sentence_n + text.n > KB_SUPPORT_SENTENCE)
		return;
	if (c->sentence_n + text.n > c->sentence_max)
		make_room(c, c->sentence_max * 2);
	memcpy(c->sentence + c->sentence_n, text.p, text.n);
	c->sentence_n += text.n;
}

static void fini(void *arg)
{
	struct kb_cite *c = arg;

	free(c->sentence);
	free(c->before);
	free(c->result.sentences);
	kb_waiting_fini(&c->waiting);
}

struct kb_cite *kb_cite_new(struct kb_arena *arena, const struct kb_cite_config *config)
{
	struct kb_cite *c = KB_NEW(arena, struct kb_cite);

	c->arena = arena;
	c->config = *config;
	c->fence_only = true;
	make_room(c, SENTENCE_LEAST);
	kb_waiting_init(&c->waiting);
	kb_arena_on_fini(arena, fini, c);
	return c;
}

/* ---- leaving ---- */

static void emit(struct kb_cite *c, const char *p, size_t n)
{
	if (n && c->config.strict)
		kb_buf_add(&c->waiting.text, p, n);
	else if (n)
		c->config.emit(c->config.arg, kb_sv(p, n));
}

static struct kb_sv sentence_of(const struct kb_cite *c)
{
	return kb_sv(c->sentence, c->sentence_n);
}

/* Signs of lists and headings are not yet a sentence. */
static bool has_words(struct kb_sv text)
{
	for (size_t i = 0; i < text.n; i++)
		if (!strchr(" \t#>*_+-.)0123456789", text.p[i]))
			return true;
	return false;
}

/* ---- judging ---- */

static size_t number_of(struct kb_cite *c, int64_t page)
{
	struct kb_cite_result *r = &c->result;

	for (size_t i = 0; i < r->page_count; i++)
		if (r->pages[i] == page)
			return i + 1;
	if (r->page_count == c->page_capacity) {
		size_t capacity = KB_MAX(c->page_capacity * 2, (size_t)4);
		int64_t *grown = KB_NEW_ARRAY(c->arena, capacity, int64_t);

		if (r->page_count)
			memcpy(grown, r->pages, r->page_count * sizeof(*grown));
		r->pages = grown;
		c->page_capacity = capacity;
	}
	r->pages[r->page_count++] = page;
	return r->page_count;
}

/* Judges what the markers stand behind: the clause, or the sentence where the clause says too
 * little, or that with the one before. */
static void judge(struct kb_cite *c, struct kb_sv text)
{
	struct kb_judgement *j = c->judgement;

	kb_support_judge(c->config.support, c->analyzer, text, j);
	if (j->words < WORDS_LEAST && text.n < c->sentence_n)
		kb_support_judge(c->config.support, c->analyzer, sentence_of(c), j);
	if (j->words < WORDS_LEAST && c->before_n) {
		char both[KB_SUPPORT_SENTENCE];
		size_t n = c->before_n;

		memcpy(both, c->before, n);
		both[n++] = ' ';
		memcpy(both + n, c->sentence, KB_MIN(c->sentence_n, sizeof(both) - n));
		n += KB_MIN(c->sentence_n, sizeof(both) - n);
		kb_support_judge(c->config.support, c->analyzer, kb_sv(both, n), j);
	}
}

static int64_t page_of(const struct kb_cite *c, size_t source)
{
	return c->config.pages[source];
}

/* The places of the sources that hold, the best first, one a document. */
static size_t choose(const struct kb_cite *c, const struct group *group,
                     struct kb_cite_place out[KB_CITE_SOURCES])
{
	struct kb_cite_place all[GROUP_MAX];
	size_t sources[GROUP_MAX], count = 0, kept = 0;
	bool together;

	if (c->judgement->denied)
		return 0;
	for (size_t i = 0; i < group->count; i++)
		sources[i] = group->sources[i];
	together = kb_support_together(c->config.support, c->judgement, sources, group->count);
	for (size_t i = 0; i < group->count; i++) {
		const struct kb_support_verdict *v = &c->judgement->verdicts[group->sources[i]];
		size_t at = count;

		if (v->lacks && !together)
			continue;
		for (; at > 0 && all[at - 1].share < v->near; at--)
			all[at] = all[at - 1];
		all[at] = (struct kb_cite_place){ .source = group->sources[i],
			                          .start = v->start,
			                          .bytes = v->bytes,
			                          .share = v->near,
			                          .foreign = v->foreign };
		count++;
	}
	for (size_t i = 0; i < count && kept < KB_CITE_SOURCES; i++) {
		bool known = false;

		for (size_t k = 0; k < kept; k++)
			known |= page_of(c, out[k].source) == page_of(c, all[i].source);
		if (!known)
			out[kept++] = all[i];
	}
	return kept;
}

/* Puts the numbers, and remembers the places for the sentence. */
static void name(struct kb_cite *c, const struct kb_cite_place *places, size_t count, bool blank)
{
	for (size_t i = 0; i < count; i++) {
		char text[32];
		size_t n;

		if (c->cited.place_count < KB_CITE_SOURCES)
			c->cited.places[c->cited.place_count++] = places[i];
		if (page_of(c, places[i].source) < 0)
			continue;
		n = number_of(c, page_of(c, places[i].source));
		if (!c->config.numbers)
			continue;
		n = (size_t)snprintf(text, sizeof(text), "%s[%zu]", blank ? " " : "", n);
		emit(c, text, n);
		blank = false;
	}
}

/* ---- sentences ---- */

/* Few words are found in any text: some sentence has to say just that. */
static bool is_too_short(const struct kb_judgement *judgement)
{
	return judgement->words < KB_STATEMENT_WORDS && !judgement->numbers;
}

static bool is_supported(const struct kb_judgement *judgement)
{
	for (size_t i = 0; i < judgement->count; i++) {
		const struct kb_support_verdict *v = &judgement->verdicts[i];

		if (!v->foreign && !(v->lacks & ~(unsigned)KB_LACKS_LEAD) && v->cover >= SUPPORTED
		    && (v->says || !is_too_short(judgement)))
			return true;
	}
	return false;
}

/* All sources are in another language, and none of them has other numbers: nobody can say more. */
static bool is_beyond_us(const struct kb_judgement *judgement)
{
	for (size_t i = 0; i < judgement->count; i++)
		if (!judgement->verdicts[i].foreign || judgement->verdicts[i].lacks)
			return false;
	return judgement->count > 0;
}

/* The source that says it best, `least` of it at least. */
static bool find_missing(const struct kb_judgement *judgement, float least, struct group *out)
{
	float best = least;

	out->count = 0;
	for (size_t i = 0; i < judgement->count; i++) {
		const struct kb_support_verdict *v = &judgement->verdicts[i];

		if (v->lacks || v->foreign || v->near < best || (out->count && v->near <= best))
			continue;
		best = v->near;
		out->sources[0] = (uint8_t)i;
		out->count = 1;
	}
	return out->count > 0;
}

static void push(struct kb_cite *c)
{
	struct kb_cite_result *r = &c->result;

	if (r->count == c->capacity) {
		c->capacity = c->capacity ? c->capacity * 2 : SENTENCES_FIRST;
		r->sentences = kb_xrealloc(r->sentences, c->capacity * sizeof(*r->sentences));
	}
	r->sentences[r->count++] = c->cited;
}

static void keep_before(struct kb_cite *c)
{
	struct kb_sv text = kb_utf8_cut(sentence_of(c), BEFORE_MAX);

	c->before_n = text.n;
	c->before = kb_xrealloc(c->before, text.n);
	memcpy(c->before, text.p, text.n);
}

static void leave(struct kb_cite *c)
{
	kb_waiting_leave(&c->waiting, c->config.emit, c->config.arg);
}

/* Of the lists that count sentences and pages, what is left. */
static void cut_to(struct kb_cite *c, struct kb_waiting_counts left)
{
	c->result.count = left.sentences;
	c->result.page_count = left.pages;
}

/* What becomes of the sentence, which is the last one, in a strict answer: a statement that no
 * source makes is struck, and so is what was said already. */
static void decide(struct kb_cite *c, bool repeated)
{
	struct kb_cite_result *r = &c->result;
	const struct kb_cite_sentence *last = &r->sentences[r->count - 1];

	if (kb_waiting_is_too_long(&c->waiting)
	    || (last->statement && (repeated || !last->supported))) {
		cut_to(c, kb_waiting_strike(&c->waiting));
	} else if (last->statement || last->place_count) {
		kb_waiting_keep(&c->waiting, (struct kb_waiting_counts){ r->count, r->page_count });
		if (c->waiting.open || last->place_count || !c->config.cited)
			leave(c);
	}
}

static void tally(struct kb_cite *c)
{
	struct kb_cite_result *r = &c->result;

	r->statements = r->unsupported = 0;
	for (size_t i = 0; i < r->count; i++) {
		r->statements += r->sentences[i].statement;
		r->unsupported += r->sentences[i].statement && !r->sentences[i].supported;
	}
}

/* Before the first citation of a strict answer any source that supports the sentence will do: one
 * is wanted. */
static float least_of_missing(const struct kb_cite *c)
{
	return c->config.strict && !c->waiting.open ? 0 : CLEARLY;
}

static void judge_sentence(struct kb_cite *c)
{
	const struct kb_judgement *j = c->judgement;
	struct kb_cite_place places[KB_CITE_SOURCES];
	struct group missing;

	kb_support_judge(c->config.support, c->analyzer, sentence_of(c), c->judgement);
	c->cited.statement = kb_is_statement(sentence_of(c), j);
	c->cited.supported = is_supported(j);
	if (c->early.count)
		name(c, places, choose(c, &c->early, places), true);
	if (!c->cited.place_count && c->cited.statement && (c->cited.supported || !is_too_short(j))
	    && find_missing(j, least_of_missing(c), &missing))
		name(c, places, choose(c, &missing, places), true);
	c->cited.supported |= c->cited.place_count > 0 && !is_too_short(j);
	c->cited.supported |= c->config.strict && is_beyond_us(j);
	c->cited.supported &= !j->denied;
}

static void end_sentence(struct kb_cite *c)
{
	const char mark = KB_CITE_END;
	bool repeated;

	if (!c->sentence_n)
		return;
	emit(c, &mark, 1);
	judge_sentence(c);
	repeated = c->cited.statement && !is_too_short(c->judgement)
	           && kb_waiting_repeats(&c->waiting, sentence_of(c));
	push(c);
	if (c->config.strict)
		decide(c, repeated);
	c->cited = (struct kb_cite_sentence){ 0 };
	keep_before(c);
	c->sentence_n = c->clause = 0;
	c->early.count = 0;
}

static bool has_line_end(const char *gap, size_t n)
{
	return n && memchr(gap, '\n', n);
}

/* Whether a sentence ends before this character, the blanks held between them. */
static bool ends_before(struct kb_cite *c, struct kb_sv character)
{
	struct kb_arena scratch = { 0 };
	struct kb_sentence *sentences;
	struct kb_buf buf;
	size_t count;

	if (!c->sentence_n)
		return false;
	if (c->sentence_n + 8 > KB_SUPPORT_SENTENCE)
		return true;
	if (!has_line_end(c->gap, c->gap_n) && !kb_ends_in_stop(sentence_of(c)))
		return false;
	kb_buf_init(&buf, KB_SUPPORT_SENTENCE + GAP_MAX + 8);
	kb_buf_sv(&buf, sentence_of(c));
	kb_buf_add(&buf, c->gap, c->gap_n);
	kb_buf_sv(&buf, character);
	kb_sentences(&scratch, kb_buf_view(&buf), &sentences, &count);
	kb_buf_fini(&buf);
	kb_arena_fini(&scratch);
	return count > 1;
}

/* ---- markers ---- */

static void close_group(struct kb_cite *c, bool at_end)
{
	struct kb_cite_place places[KB_CITE_SOURCES];
	struct kb_sv clause = kb_sv_from(sentence_of(c), c->clause);
	size_t count;

	c->group_open = false;
	/* At a line's beginning, with text behind them in it: of the sentence to come. */
	if ((c->group_leads || !has_words(sentence_of(c))) && !at_end
	    && !has_line_end(c->gap, c->gap_n)) {
		memcpy(c->gap, c->group_gap, c->group_gap_n);
		c->gap_n = c->group_gap_n;
		return; /* c->group is taken over by say() */
	}
	judge(c, clause);
	count = choose(c, &c->group, places);
	name(c, places, count, c->group_gap_n > 0);
	c->clause = c->sentence_n;
	c->group.count = 0;
}

static void add_marker(struct kb_cite *c, const struct kb_marker *marker)
{
	if (!c->group_open) {
		c->group_open = true;
		c->group.count = 0;
		memcpy(c->group_gap, c->gap, c->gap_n);
		c->group_gap_n = c->gap_n;
		c->group_leads = !c->line_text || has_line_end(c->gap, c->gap_n);
	}
	c->gap_n = 0;
	c->comma = 0;
	for (size_t i = 0; i < marker->count; i++) {
		bool known = false;

		for (size_t k = 0; k < c->group.count; k++)
			known |= c->group.sources[k] == marker->sources[i];
		if (!known && c->group.count < GROUP_MAX)
			c->group.sources[c->group.count++] = (uint8_t)marker->sources[i];
	}
}

/* ---- text ---- */

static void say(struct kb_cite *c, struct kb_sv character)
{
	const char mark = KB_CITE_BEGIN;
	bool ended;

	if (c->group_open) {
		char first = character.p[0];
		struct group none = { .count = 0 };

		if ((first == ',' || first == ';') && !c->gap_n && !c->comma) {
			c->comma = first;
			return;
		}
		if (first == ':' && !c->gap_n && c->group_leads && c->any) {
			c->swallow = true; /* a list of the sources */
			c->group_open = false;
			c->group.count = 0;
			return;
		}
		close_group(c, false);
		if (c->comma) {
			char comma = c->comma;

			/* It was no comma between markers. */
			c->comma = 0;
			emit(c, &comma, 1);
			add_words(c, kb_sv(&comma, 1));
		}
		ended = ends_before(c, character);
		if (ended)
			end_sentence(c);
		for (size_t i = 0; i < c->group.count; i++)
			if (c->early.count < GROUP_MAX)
				c->early.sources[c->early.count++] = c->group.sources[i];
		c->group = none;
	} else if (ends_before(c, character)) {
		end_sentence(c);
	}
	emit(c, c->gap, c->gap_n);
	if (!c->sentence_n) {
		emit(c, &mark, 1);
	} else if (c->gap_n) {
		add_words(c, KB_SV(" "));
	}
	c->gap_n = 0;
	emit(c, character.p, character.n);
	c->any = true;
	add_words(c, character);
}

/* In a fence: the sentence before it has ended, and markers are bytes like others. */
static void say_code(struct kb_cite *c, struct kb_sv character)
{
	if (c->group_open)
		close_group(c, true);
	end_sentence(c);
	/* It goes with what stands before it, and is struck with that. */
	if (c->config.strict && c->waiting.struck_last) {
		cut_to(c, kb_waiting_take_back(&c->waiting));
		c->gap[0] = '\n';
		c->gap_n = 1;
		return;
	}
	emit(c, c->gap, c->gap_n);
	c->gap_n = 0;
	emit(c, character.p, character.n);
	if (c->config.strict && c->waiting.open) {
		kb_waiting_keep(&c->waiting, (struct kb_waiting_counts){ c->result.count,
		                                                         c->result.page_count });
		leave(c);
	}
}

/* Backticks and tildes are counted until another character comes. */
static void end_run(struct kb_cite *c)
{
	if (!c->ticks)
		return;
	if (c->ticks >= 3 && !c->line_text && c->tick_column < 4) {
		c->fence = c->tick;
		c->fence_length = c->ticks;
		c->fence_only = false;
		end_sentence(c);
	} else if (c->tick == '`' && !c->indented) {
		c->span = c->span == 0 ? c->ticks : c->span == c->ticks ? 0 : c->span;
	}
	c->ticks = 0;
	c->line_text = true;
}

static void track_line_end(struct kb_cite *c)
{
	if (c->fence && c->fence_only && c->fence_run >= c->fence_length)
		c->fence = 0;
	c->blank_line = !c->line_text && !c->fence_run;
	c->column = c->fence_run = 0;
	c->line_text = c->indented = false;
	c->fence_only = true;
	c->span = 0;
}

/* Indented code stands behind an empty line, and not in a list, whose paragraphs are indented. */
static void track(struct kb_cite *c, char first)
{
	if (first == ' ' || first == '\t') {
		c->column += first == '\t' ? 4 : 1;
		return;
	}
	if (first == '\r')
		return;
	if (!c->line_text && !c->ticks) {
		if (c->column < 4)
			c->in_list = strchr("-*+", first) != NULL || (first >= '0' && first <= '9');
		c->indented = c->column >= 4 && c->blank_line && !c->in_list;
	}
	if (first == c->fence)
		c->fence_run++;
	else
		c->fence_only = false;
	if ((first == '`' || first == '~') && !c->fence && (!c->ticks || c->tick == first)) {
		if (!c->ticks)
			c->tick_column = c->column;
		c->tick = first;
		c->ticks++;
		c->column++;
		return;
	}
	c->column++;
	c->line_text = true;
}

static void plain(struct kb_cite *c, struct kb_sv character);

/* "[k3f](https://…": a marker made a link loses its target. */
static bool hold_target(struct kb_cite *c, struct kb_sv character)
{
	static const char *const starts[] = { "(http://", "(https://", "(ftp://",     "(www.",
		                              "(data:",   "(mailto:",  "(javascript", "(/",
		                              "(#",       "(<" };
	char first = character.p[0], held[TARGET_MAX];
	size_t n;

	if (c->drop_target) {
		c->drop_target = first != ')' && !strchr(" \t\r\n", first);
		return c->drop_target || first == ')';
	}
	if (!c->target_n && !(first == '(' && c->group_open && !c->gap_n && !c->comma && !c->fence))
		return false;
	if (c->target_n + character.n <= sizeof(c->target)) {
		memcpy(c->target + c->target_n, character.p, character.n);
		c->target_n += character.n;
		for (size_t i = 0; i < KB_COUNTOF(starts); i++) {
			struct kb_sv start = kb_sv_str(starts[i]),
			             target = kb_sv(c->target, c->target_n);

			if (kb_sv_istarts(target, start)) {
				c->drop_target = true;
				c->target_n = 0;
				return true;
			}
			if (kb_sv_istarts(start, target))
				return true;
		}
		c->target_n -= character.n;
	}
	/* It was none: text. */
	n = c->target_n;
	c->target_n = 0;
	memcpy(held, c->target, n);
	if (!n)
		return false;
	close_group(c, false);
	for (size_t i = 0; i < n; i++)
		plain(c, kb_sv(held + i, 1));
	return false;
}

static void plain(struct kb_cite *c, struct kb_sv character)
{
	char first = character.p[0];

	if (hold_target(c, character))
		return;
	if (c->ticks && first != c->tick)
		end_run(c);
	if (first == '\n') {
		if (c->swallow) {
			c->swallow = false;
			c->gap_n = 0;
		}
		if (c->fence) {
			say_code(c, character);
			track_line_end(c);
			return;
		}
		track_line_end(c);
	} else {
		if (c->swallow)
			return;
		track(c, first);
		if (c->fence) {
			say_code(c, character);
			return;
		}
	}
	if (strchr(" \t\r\n", first)) {
		if (c->gap_n == sizeof(c->gap)) {
			/* So many blanks: nothing waits for what stands behind them. */
			if (c->group_open)
				close_group(c, true);
			emit(c, c->gap, c->gap_n - 1);
			c->gap[0] = c->gap[c->gap_n - 1];
			c->gap_n = 1;
		}
		c->gap[c->gap_n++] = first;
		return;
	}
	say(c, character);
}

/* ---- brackets ---- */

enum verdict { MORE, TEXT, TAKE };

static const struct bracket {
	const char *open, *close;
	bool known; /* only with ids that were given */
} brackets[] = {
	{ "[[", "]]", false },
	{ "[", "]", false },
	{ "【", "】", false },
	{ "(", ")", true },
};

static bool is_own_number(struct kb_sv inside)
{
	int64_t n;

	return inside.n && inside.n <= 2 && kb_sv_to_int(inside, 1, 99, &n);
}

static enum verdict look(const struct kb_cite *c, struct kb_marker *marker)
{
	struct kb_sv held = kb_sv(c->held, c->held_n);

	for (size_t i = 0; i < KB_COUNTOF(brackets); i++) {
		struct kb_sv open = kb_sv_str(brackets[i].open),
		             close = kb_sv_str(brackets[i].close);
		struct kb_sv inside = kb_sv_from(held, open.n);

		if (!kb_sv_starts(held, open))
			continue;
		if (kb_sv_ends(inside, close)) {
			inside.n -= close.n;
			*marker = (struct kb_marker){ 0 };
			if (open.n == 1 && c->config.numbers && is_own_number(inside))
				return TAKE;
			if (!kb_marker_read(c->config.ids, inside, marker)
			    || (brackets[i].known && (!marker->count || marker->invented)))
				return TEXT;
			return TAKE;
		}
		/* "[[k3f]" may go on; so may the first bytes of a closing sign. */
		while (inside.n && close.n > 1
		       && kb_sv_starts(close, kb_sv_from(inside, inside.n - 1)))
			inside.n--;
		if (open.n == 1 && !brackets[i].known && inside.n && inside.n <= 2
		    && c->config.numbers && is_own_number(inside))
			return MORE;
		if (inside.n == 0 || (held.n < HELD_MAX && kb_marker_begins(inside)))
			return MORE;
		return TEXT;
	}
	return TEXT;
}

static bool opens(struct kb_sv character)
{
	return kb_sv_eq(character, KB_SV("[")) || kb_sv_eq(character, KB_SV("【"))
	       || kb_sv_eq(character, KB_SV("("));
}

static void step(struct kb_cite *c, struct kb_sv character);

/* The first character held is text; what is behind it comes anew. */
static void let_go(struct kb_cite *c)
{
	char held[sizeof(c->held)];
	size_t n = c->held_n, size;
	uint32_t cp;

	memcpy(held, c->held, n);
	c->held_n = 0;
	size = kb_utf8_decode(kb_sv(held, n), &cp);
	plain(c, kb_sv(held, size));
	for (size_t i = size; i < n; i += size) {
		size = kb_utf8_decode(kb_sv(held + i, n - i), &cp);
		step(c, kb_sv(held + i, size));
	}
}

static void settle(struct kb_cite *c)
{
	struct kb_marker marker;

	switch (look(c, &marker)) {
	case MORE:
		return;
	case TAKE:
		if (c->ticks)
			end_run(c);
		if ((c->span || c->indented) && !marker.count) {
			let_go(c);
			return;
		}
		c->held_n = 0;
		if (!c->span && !c->indented) /* in code an id is nothing to show */
			add_marker(c, &marker);
		return;
	case TEXT:
		let_go(c);
	}
}

static void step(struct kb_cite *c, struct kb_sv character)
{
	if (!c->held_n
	    && (c->fence || c->swallow || !opens(character) || (c->ticks >= 3 && !c->line_text))) {
		plain(c, character);
		return;
	}
	memcpy(c->held + c->held_n, character.p, character.n);
	c->held_n += character.n;
	settle(c);
}

/* ---- the whole ---- */

static size_t length_of(unsigned char first)
{
	return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

void kb_cite_feed(struct kb_cite *cite, struct kb_analyzer *analyzer, struct kb_sv text)
{
	struct kb_judgement judgement;

	cite->analyzer = analyzer;
	cite->judgement = &judgement;
	for (size_t i = 0; i < text.n; i++) {
		cite->character[cite->character_n++] = text.p[i];
		if (cite->character_n < length_of((unsigned char)cite->character[0]))
			continue;
		step(cite, kb_sv(cite->character, cite->character_n));
		cite->character_n = 0;
	}
	cite->judgement = NULL;
}

/* What is held at the end: the beginning of a marker goes with its blank; else its first character
 * is text, and the rest is looked at anew. */
static void end_held(struct kb_cite *c)
{
	while (c->held_n) {
		struct kb_sv inside = kb_sv(c->held, c->held_n);

		while (inside.n && (inside.p[0] == '[' || inside.p[0] == '('))
			inside = kb_sv_from(inside, 1);
		if (c->held[0] != '(' && !c->span && !c->indented && kb_marker_begins(inside)) {
			c->held_n = c->gap_n = 0;
			return;
		}
		let_go(c);
	}
}

bool kb_cite_is_lost(const struct kb_cite *cite)
{
	return kb_waiting_is_lost(&cite->waiting);
}

/* What states nothing goes with the last statement, if that has left. */
static void end_waiting(struct kb_cite *c)
{
	struct kb_cite_result *r = &c->result;
	struct kb_waiting_counts all = { r->count, r->page_count };

	if (c->waiting.open && !c->waiting.struck_last && !kb_waiting_is_too_long(&c->waiting)) {
		kb_waiting_keep(&c->waiting, all);
		leave(c);
		return;
	}
	if (!c->waiting.open)
		c->waiting.sure_counts = (struct kb_waiting_counts){ 0 };
	cut_to(c, c->waiting.sure_counts);
}

void kb_cite_end(struct kb_cite *cite, struct kb_analyzer *analyzer, struct kb_cite_result *out)
{
	struct kb_judgement judgement;

	cite->analyzer = analyzer;
	cite->judgement = &judgement;
	end_held(cite);
	for (size_t i = 0, n = cite->target_n; i < n; i++) {
		cite->target_n = 0;
		if (i == 0 && cite->group_open)
			close_group(cite, false);
		plain(cite, kb_sv(cite->target + i, 1));
	}
	if (cite->ticks)
		end_run(cite);
	if (cite->group_open)
		close_group(cite, true);
	if (cite->comma)
		emit(cite, &cite->comma, 1);
	end_sentence(cite);
	emit(cite, cite->gap, cite->gap_n);
	cite->judgement = NULL;
	if (cite->config.strict)
		end_waiting(cite);
	tally(cite);
	*out = cite->result;
}
