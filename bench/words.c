/*
 * How search stands up to how people write, language by language:
 *
 *   bench/words [--data DIR] [--draw N] [FOLDER…]
 *
 * Builds an index of each folder (default: the question sets) and asks its questions four ways: as
 * they are; cut to their three rarest words; with a typing error in one word; as they are, but in
 * the language that the set gives them. Prints for each language of the set nDCG@10 and the share
 * of questions whose right passage comes first, after the second ranking step,
 * with and without spelling (spell.h), how often the language was guessed right, and the processor
 * time of building a query without and with spelling.
 *
 * Errors are made by a generator seeded with the question's id: two letters swapped, one dropped,
 * one doubled, or one replaced by its neighbour on the keyboard (any of the word's script beyond
 * ASCII), in a word of five letters or more that is neither a function word nor a number.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "index/query.h"
#include "index/rank.h"
#include "index/rerank.h"
#include "index/snapshot.h"
#include "index/spell.h"
#include "quality_data.h"

enum { TOP = 10, LONGEST = 64, WORD_LEAST = 5, SHORT_WORDS = 3 };

enum way { PLAIN, GIVEN, SHORT, SHORT_GIVEN, WRONG, WRONG_SPELLED, SPELLED, WAYS };
static const char *const way_names[WAYS] = { "as it is", "given language", "3 words", "3, given",
	                                     "error",    "error, spell",   "spell" };

struct scores {
	double ndcg, success, guessed;
	double us;
	size_t count;
};

struct index {
	const struct q_set *set;
	struct kb_segment *segment;
	struct kb_snapshot *snapshot;
	struct kb_analyzer *analyzer;
};

static bool open_index(struct index *index, const struct q_set *set, struct kb_err *err)
{
	struct kb_segment_writer *writer = kb_segment_writer_new();
	struct kb_segment_info info;
	char path[64];
	bool ok;

	*index = (struct index){ .set = set, .analyzer = kb_analyzer_new() };
	snprintf(path, sizeof(path), "/tmp/docent-words-%d", (int)getpid());
	for (size_t i = 0; i < set->doc_count; i++) {
		const struct q_doc *doc = &set->docs[i];

		kb_segment_writer_add(writer,
		                      &(struct kb_passage){ .page_id = (int64_t)i,
		                                            .lang = kb_lang_of_text(doc->text),
		                                            .title = doc->title,
		                                            .text = doc->text });
	}
	ok = kb_segment_writer_finish(writer, path, &info, err)
	     && (index->segment = kb_segment_open(path, false, err)) != NULL;
	unlink(path);
	kb_segment_writer_free(writer);
	if (ok)
		index->snapshot = kb_snapshot_new(
		        &(struct kb_snapshot_part){ .segment = index->segment, .version = 1 }, 1,
		        NULL, 0);
	return ok;
}

static void close_index(struct index *index)
{
	kb_snapshot_release(index->snapshot);
	kb_segment_release(index->segment);
	kb_analyzer_free(index->analyzer);
}

/* ---- other ways to ask ---- */

static uint64_t roll(uint64_t *state)
{
	*state += UINT64_C(0x9e3779b97f4a7c15);
	return kb_hash64(kb_sv((const char *)state, sizeof(*state)));
}

static uint32_t neighbour(uint32_t cp, uint64_t dice)
{
	static const char *const keys[26] = {
		"sqwz",   "vghn", "xdfv", "serfcx", "wsdr", "drtgvc", "ftyhbv", "gyujnb", "ujko",
		"huikmn", "jilm", "kop",  "njk",    "bhjm", "iklp",   "ol",     "wa",     "edft",
		"awedxz", "rfgy", "yhji", "cfgb",   "qase", "zsdc",   "tghu",   "asx",
	};

	if (cp >= 'a' && cp <= 'z')
		return (uint32_t)keys[cp - 'a'][dice % strlen(keys[cp - 'a'])];
	return cp + (dice & 1 ? 1 : -1u);
}

/* The text with an error in one of its words; false: it has no word for it. */
static bool make_error(const struct index *index, struct kb_arena *arena,
                       const struct q_question *question, enum kb_lang lang, struct kb_sv *out)
{
	uint64_t dice = kb_hash64(question->id), kind;
	uint32_t cps[LONGEST];
	size_t able = 0, pick, count = 0, i, place;
	struct kb_terms terms;
	struct kb_sv word = { 0 };
	struct kb_buf buf;

	kb_analyze(index->analyzer, arena, lang, question->text, &terms);
	for (int round = 0; round < 2; round++) {
		pick = able ? roll(&dice) % able : 0;
		if (round && !able)
			return false;
		able = 0;
		for (i = 0; i < terms.count; i++) {
			const struct kb_term *term = &terms.v[i];
			size_t n = kb_utf8_count(term->word);

			if (term->flags
			            & (KB_TERM_FUNCTION | KB_TERM_PIECE | KB_TERM_NUMBER
			               | KB_TERM_CJK)
			    || n < WORD_LEAST || n > LONGEST - 2)
				continue;
			if (round && able == pick) {
				word = term->word;
				break;
			}
			able++;
		}
	}
	for (size_t k = 0; k < word.n;)
		k += kb_utf8_decode(kb_sv_from(word, k), &cps[count++]);
	kind = roll(&dice) % 4;
	place = roll(&dice) % (count - 1); /* a swap has two */
	if (!kind && cps[place] == cps[place + 1])
		kind = 1;
	if (kind == 0) {
		uint32_t t = cps[place];

		cps[place] = cps[place + 1];
		cps[place + 1] = t;
	} else if (kind == 1) {
		memmove(cps + place, cps + place + 1, (--count - place) * sizeof(*cps));
	} else if (kind == 2) {
		memmove(cps + place + 1, cps + place, (count++ - place) * sizeof(*cps));
	} else {
		cps[place] = neighbour(cps[place], roll(&dice));
	}
	kb_buf_init(&buf, KB_MIB(1));
	kb_buf_add(&buf, question->text.p, terms.v[i].start);
	for (size_t k = 0; k < count; k++) {
		char bytes[4];

		kb_buf_add(&buf, bytes, kb_utf8_encode(cps[k], bytes));
	}
	kb_buf_add(&buf, question->text.p + terms.v[i].end, question->text.n - terms.v[i].end);
	*out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return true;
}

/* The three rarest words in their order. */
static struct kb_sv shorten(const struct index *index, struct kb_arena *arena, struct kb_sv text,
                            enum kb_lang lang)
{
	int64_t best[SHORT_WORDS];
	size_t at[SHORT_WORDS], count = 0;
	struct kb_terms terms;
	struct kb_buf buf;
	struct kb_sv out;

	kb_analyze(index->analyzer, arena, lang, text, &terms);
	for (size_t i = 0; i < terms.count; i++) {
		int64_t df = kb_snapshot_df(index->snapshot, terms.v[i].term);
		size_t k = count;

		if (terms.v[i].flags & (KB_TERM_FUNCTION | KB_TERM_STOP | KB_TERM_PIECE) || !df)
			continue;
		if (count == SHORT_WORDS) {
			k = 0;
			for (size_t c = 1; c < count; c++)
				if (best[c] > best[k])
					k = c;
			if (best[k] <= df)
				continue;
			memmove(best + k, best + k + 1, (--count - k) * sizeof(*best));
			memmove(at + k, at + k + 1, (count - k) * sizeof(*at));
		}
		best[count] = df;
		at[count++] = i;
	}
	kb_buf_init(&buf, KB_MIB(1));
	for (size_t k = 0; k < count; k++) {
		const struct kb_term *term = &terms.v[at[k]];

		if (k && !(term->flags & KB_TERM_CJK))
			kb_buf_add(&buf, " ", 1);
		kb_buf_add(&buf, text.p + term->start, term->end - term->start);
	}
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

static double thread_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static bool ask(const struct index *index, struct kb_arena *arena,
                const struct q_question *question, enum way way, struct scores *sum)
{
	struct kb_query query = { .limit = TOP, .rerank = KB_RERANK_DEFAULT };
	struct kb_sv text = question->text;
	ptrdiff_t colon = kb_sv_find_byte(question->id, ':');
	enum kb_lang guess,
	        given = colon == 2 ? kb_lang_from_code(kb_sv(question->id.p, 2)) : KB_LANG_NONE;
	struct kb_hit *hits;
	size_t count;
	double dcg = 0;
	double start;

	if (given == KB_LANG_NONE)
		given = kb_lang_of_question(text);
	if (way == SHORT || way == SHORT_GIVEN)
		text = shorten(index, arena, text, given);
	if ((way == WRONG || way == WRONG_SPELLED)
	    && !make_error(index, arena, question, given, &text))
		return false;
	guess = kb_query_lang(index->analyzer, arena, index->snapshot, text);
	start = thread_us();
	kb_query_build(index->analyzer, arena, text,
	               way == GIVEN || way == SHORT_GIVEN ? given : guess, &query);
	if (way == WRONG_SPELLED || way == SPELLED)
		kb_query_spell(index->analyzer, arena, index->snapshot, guess, &query);
	sum->us += thread_us() - start;
	kb_search(index->snapshot, arena, &query, &hits, &count);
	for (size_t i = 0; i < count; i++) {
		uint32_t doc =
		        (uint32_t)kb_snapshot_page(index->snapshot, hits[i].part, hits[i].doc);

		for (size_t k = 0; k < question->count; k++) {
			if (question->judged[k].doc != doc)
				continue;
			dcg += question->judged[k].grade / log2((double)i + 2);
			sum->success += i == 0;
		}
	}
	{
		double ideal = 0;

		for (size_t k = 0; k < KB_MIN(question->count, (size_t)TOP); k++)
			ideal += question->judged[k].grade / log2((double)k + 2);
		sum->ndcg += dcg / ideal;
	}
	sum->guessed += guess == given;
	sum->count++;
	return true;
}

static void print(const char *name, const struct scores *scores)
{
	printf("| %s | %zu |", name, scores[PLAIN].count);
	for (enum way way = 0; way < WAYS; way++) {
		double n = (double)KB_MAX(scores[way].count, (size_t)1);

		printf(" %.2f %.2f (%.0f%%) |", 100 * scores[way].ndcg / n,
		       100 * scores[way].success / n, 100 * scores[way].guessed / n);
	}
	printf(" %.0f %.0f us |\n",
	       scores[PLAIN].us / (double)KB_MAX(scores[PLAIN].count, (size_t)1),
	       scores[WRONG_SPELLED].us / (double)KB_MAX(scores[WRONG_SPELLED].count, (size_t)1));
	fflush(stdout);
}

static bool run_folder(const char *data, const char *folder, size_t draw, struct kb_err *err)
{
	struct scores by_lang[KB_LANG_COUNT][WAYS] = { 0 }, all[WAYS] = { 0 };
	struct index index;
	struct q_set set;
	struct kb_arena arena = { 0 };
	int langs = 0;

	if (!q_set_read(&set, data, folder, draw, err) || !open_index(&index, &set, err))
		return false;
	for (size_t i = 0; i < set.question_count; i++) {
		const struct q_question *question = &set.questions[i];
		ptrdiff_t colon = kb_sv_find_byte(question->id, ':');
		enum kb_lang lang = colon == 2 ? kb_lang_from_code(kb_sv(question->id.p, 2)) : 0;

		for (enum way way = 0; way < WAYS; way++) {
			ask(&index, &arena, question, way, &by_lang[lang][way]);
			ask(&index, &arena, question, way, &all[way]);
			kb_arena_reset(&arena);
		}
	}
	for (int l = 1; l < KB_LANG_COUNT; l++)
		if (by_lang[l][PLAIN].count) {
			langs++;
			print(kb_lang_code((enum kb_lang)l), by_lang[l]);
		}
	print(folder, all);
	kb_arena_fini(&arena);
	close_index(&index);
	q_set_free(&set);
	return true;
}

int main(int argc, char **argv)
{
	static const char *const folders[] = { "qa/xquad",    "qa/squad",   "qa/clapnq",
		                               "qa/hotpotqa", "ir/scifact", "ir/nq-utd" };
	const char *data = "../shared/data";
	struct kb_err err = { 0 };
	int64_t draw = 0;
	int i = 1;

	kb_crypto_init();
	for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
		if (strcmp(argv[i], "--data") == 0)
			data = argv[i + 1];
		else
			draw = atoi(argv[i + 1]);
	}
	printf("| | questions |");
	for (enum way way = 0; way < WAYS; way++)
		printf(" %s |", way_names[way]);
	printf("\n");
	if (i < argc) {
		for (; i < argc; i++)
			if (!run_folder(data, argv[i], (size_t)draw, &err))
				goto failed;
		return 0;
	}
	for (size_t f = 0; f < KB_COUNTOF(folders); f++)
		if (!run_folder(data, folders[f], (size_t)draw, &err))
			goto failed;
	return 0;
failed:
	fprintf(stderr, "words: %s\n", err.msg);
	return 1;
}
