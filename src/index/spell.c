#include "index/spell.h"

#include "base/utf8.h"
#include "index/query.h"
#include "index/snapshot.h"
#include "index/stopwords.h"

#define MEANT_WEIGHT .5f

enum {
	LETTERS_LEAST = 4, /* shorter words have neighbours everywhere */
	LETTERS_MOST = 24,
	FEW = 3,             /* words that one may stand for */
	NAME_LEAST = 7,      /* letters of a name that is taken for another spelling */
	PARTS_MAX = 4,       /* of the snapshot that are asked: the largest */
	LOOK_UPS_MAX = 6000, /* a question; each part counts */
	ALPHABET_MAX = 80,
};

/* Letters that may have been meant, by the script of a word's first letter. */
static const struct {
	uint32_t first, last;
	const char *letters;
} scripts[] = {
	{ 'a', 0x024f, "abcdefghijklmnopqrstuvwxyz" },
	{ 0x0370, 0x03ff, "αβγδεζηθικλμνξοπρστυφχψωςάέήίόύώ" },
	{ 0x0400, 0x052f, "абвгдежзийклмнопрстуфхцчшщъыьэюяё" },
	{ 0x0531, 0x058f, "աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆև" },
	{ 0x0590, 0x05ff, "אבגדהוזחטיכלמנסעפצקרשתךםןףץ" },
	{ 0x0600, 0x06ff, "ابتثجحخدذرزسشصضطظعغفقكلمنهويءآأؤإئةى" },
	{ 0x0900, 0x097f, "अआइईउऊएऐओऔकखगघचछजझटठडढणतथदधनपफबभमयरलवशषसहािीुूेैोौंँः़्" },
	{ 0x0b80, 0x0bff, "அஆஇஈஉஊஎஏஐஒஓகஙசஞடணதநனபமயரறலளழவாிீுூெேைொோௌ்" },
};

/* What a language has beyond its script's common letters. */
static const struct {
	enum kb_lang lang;
	const char *letters;
} extras[] = {
	{ KB_LANG_DE, "äöüß" },
	{ KB_LANG_FR, "éèêàâçëîïôûùœ" },
	{ KB_LANG_ES, "áéíóúñü" },
	{ KB_LANG_IT, "àèéìòù" },
	{ KB_LANG_PT, "ãõáâàçéêíóôú" },
	{ KB_LANG_NL, "ëïé" },
	{ KB_LANG_SV, "åäöé" },
	{ KB_LANG_DA, "æøå" },
	{ KB_LANG_NO, "æøå" },
	{ KB_LANG_FI, "äö" },
	{ KB_LANG_HU, "áéíóöőúüű" },
	{ KB_LANG_RO, "ăâîșț" },
	{ KB_LANG_TR, "çğıöşü" },
	{ KB_LANG_PL, "ąćęłńóśźż" },
	{ KB_LANG_CS, "áčďéěíňóřšťúůýž" },
	{ KB_LANG_CA, "àçèéíïòóúü" },
	{ KB_LANG_LT, "ąčęėįšųūž" },
	{ KB_LANG_GA, "áéíóú" },
	{ KB_LANG_EU, "ñ" },
	{ KB_LANG_UK, "іїєґ" },
	{ KB_LANG_SR, "ђјљњћџčćđšž" },
	{ KB_LANG_FA, "پچژگکی" },
};

/* A known word that may be meant. */
struct known {
	struct kb_sv term, word;
	int64_t df;
};

struct spell {
	struct kb_analyzer *analyzer;
	struct kb_arena *arena;
	enum kb_lang lang;
	const struct kb_part *parts[PARTS_MAX];
	size_t part_count, look_ups;

	/* The word in hand, its stem, and what follows the stem in the word. */
	uint32_t word[LETTERS_MOST], stem[LETTERS_MOST];
	size_t word_count, stem_count;
	struct kb_sv ending;
	uint32_t alphabet[ALPHABET_MAX];
	size_t alphabet_count;
	struct known best[FEW]; /* the most widespread first */
	size_t best_count;
};

static int64_t widespread(struct spell *s, struct kb_sv term)
{
	int64_t sum = 0;

	for (size_t i = 0; i < s->part_count; i++) {
		s->look_ups++;
		sum += kb_part_df(s->parts[i], term);
	}
	return sum;
}

static bool is_spent(const struct spell *s)
{
	return s->look_ups >= LOOK_UPS_MAX;
}

/* Offers a term with a word that has it. */
static void offer(struct spell *s, struct kb_sv term, struct kb_sv word)
{
	struct known known;
	size_t at;

	known.df = widespread(s, term);
	if (!known.df)
		return;
	for (at = 0; at < s->best_count; at++)
		if (kb_sv_eq(s->best[at].term, term))
			return;
	if (s->best_count == FEW && s->best[FEW - 1].df >= known.df)
		return;
	known.term = kb_arena_sv(s->arena, term);
	known.word = kb_arena_sv(s->arena, word);
	s->best_count = KB_MIN(s->best_count + 1, (size_t)FEW);
	for (at = s->best_count - 1; at > 0 && s->best[at - 1].df < known.df; at--)
		s->best[at] = s->best[at - 1];
	s->best[at] = known;
}

static struct kb_sv spelled(const uint32_t *letters, size_t count, char *bytes)
{
	struct kb_sv out = { bytes, 0 };

	for (size_t i = 0; i < count; i++)
		out.n += kb_utf8_encode(letters[i], bytes + out.n);
	return out;
}

/* Letters made of the word's. */
static void offer_word(struct spell *s, const uint32_t *letters, size_t count)
{
	char bytes[4 * (LETTERS_MOST + 1)];
	struct kb_sv word = spelled(letters, count, bytes);

	if (!is_spent(s))
		offer(s, kb_stem(s->analyzer, s->lang, word), word);
}

/* Letters made of the stem's. */
static void offer_stem(struct spell *s, const uint32_t *letters, size_t count)
{
	char bytes[4 * (LETTERS_MOST + 1) + KB_WORD_BYTES];
	struct kb_sv term = spelled(letters, count, bytes);

	if (is_spent(s))
		return;
	memcpy(bytes + term.n, s->ending.p, s->ending.n);
	offer(s, term, kb_sv(bytes, term.n + s->ending.n));
}

static void add_letters(struct spell *s, const char *letters)
{
	struct kb_sv rest = kb_sv_str(letters);

	while (rest.n && s->alphabet_count < ALPHABET_MAX)
		rest = kb_sv_from(rest, kb_utf8_decode(rest, &s->alphabet[s->alphabet_count++]));
}

/* Letters of a word; false: too many. */
static bool read_letters(struct kb_sv word, uint32_t letters[LETTERS_MOST], size_t *count)
{
	*count = 0;
	for (size_t i = 0; i < word.n;) {
		if (*count == LETTERS_MOST)
			return false;
		i += kb_utf8_decode(kb_sv_from(word, i), &letters[(*count)++]);
	}
	return true;
}

/* Reads a word's letters and its alphabet; false: it is none that can be corrected. */
static bool take_word(struct spell *s, const struct kb_term *term)
{
	s->alphabet_count = s->best_count = 0;
	if (!read_letters(term->word, s->word, &s->word_count) || s->word_count < LETTERS_LEAST
	    || !read_letters(term->term, s->stem, &s->stem_count))
		return false;
	s->ending = kb_sv_starts(term->word, term->term) ? kb_sv_from(term->word, term->term.n)
	                                                 : KB_SV("");
	for (size_t i = 0; i < KB_COUNTOF(scripts); i++)
		if (s->word[0] >= scripts[i].first && s->word[0] <= scripts[i].last)
			add_letters(s, scripts[i].letters);
	for (size_t i = 0; i < KB_COUNTOF(extras) && s->alphabet_count; i++)
		if (extras[i].lang == s->lang)
			add_letters(s, extras[i].letters);
	return s->alphabet_count > 0;
}

/* All words one slip away. Words with two letters swapped or one too many are stemmed. Those with
 * another letter, fifty times as many, are made from the stem: stemming would cost four times as
 * much as looking up, and an ending seldom hides the slip. */
static void offer_slips(struct spell *s)
{
	uint32_t made[LETTERS_MOST + 1];
	const size_t size = sizeof(*made);

	for (size_t i = 0; i + 1 < s->word_count; i++) {
		if (s->word[i] == s->word[i + 1])
			continue;
		memcpy(made, s->word, s->word_count * size);
		made[i] = s->word[i + 1];
		made[i + 1] = s->word[i];
		offer_word(s, made, s->word_count);
	}
	for (size_t i = 0; i < s->word_count; i++) {
		if (i && s->word[i] == s->word[i - 1])
			continue;
		memcpy(made, s->word, i * size);
		memcpy(made + i, s->word + i + 1, (s->word_count - i - 1) * size);
		offer_word(s, made, s->word_count - 1);
	}
	for (size_t i = 0; i < s->stem_count; i++) {
		memcpy(made, s->stem, s->stem_count * size);
		for (size_t a = 0; a < s->alphabet_count; a++) {
			made[i] = s->alphabet[a];
			if (made[i] != s->stem[i])
				offer_stem(s, made, s->stem_count);
		}
	}
	for (size_t i = 0; i <= s->stem_count; i++) {
		memcpy(made, s->stem, i * size);
		memcpy(made + i + 1, s->stem + i, (s->stem_count - i) * size);
		for (size_t a = 0; a < s->alphabet_count; a++) {
			made[i] = s->alphabet[a];
			if (i == s->stem_count || made[i] != s->stem[i])
				offer_stem(s, made, s->stem_count + 1);
		}
	}
}

static void choose_parts(struct spell *s, const struct kb_snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->part_count; i++) {
		const struct kb_part *part = &snapshot->parts[i];
		size_t at = KB_MIN(s->part_count, (size_t)PARTS_MAX - 1);

		for (; at > 0 && s->parts[at - 1]->alive < part->alive; at--)
			s->parts[at] = s->parts[at - 1];
		if (s->part_count < PARTS_MAX)
			s->part_count++;
		else if (at == PARTS_MAX - 1 && s->parts[at]->alive >= part->alive)
			continue;
		s->parts[at] = part;
	}
}

static bool is_candidate(const struct kb_term *term)
{
	return !(
	        term->flags
	        & (KB_TERM_STOP | KB_TERM_FUNCTION | KB_TERM_PIECE | KB_TERM_NUMBER | KB_TERM_CJK));
}

static const struct kb_query_term *find_term(const struct kb_query_term *terms, size_t count,
                                             struct kb_sv term)
{
	for (size_t i = 0; i < count; i++)
		if (kb_sv_eq(terms[i].term, term))
			return &terms[i];
	return NULL;
}

static bool is_function(const struct spell *s, struct kb_sv word)
{
	return (kb_stopword_flags(s->lang, word) & KB_TERM_FUNCTION) != 0;
}

/* Adds the known words' terms; what the question has anyway keeps its weight. */
static void add_known(struct spell *s, struct kb_query *query, const struct kb_term *unknown)
{
	size_t count = query->term_count, meant_count = query->meant_count;
	struct kb_query_term *terms = KB_NEW_ARRAY(s->arena, count + FEW, struct kb_query_term);
	struct kb_meant *meant = KB_NEW_ARRAY(s->arena, meant_count + FEW, struct kb_meant);
	const struct kb_query_term *instead;

	memcpy(terms, query->terms, count * sizeof(*terms));
	if (meant_count)
		memcpy(meant, query->meant, meant_count * sizeof(*meant));
	instead = find_term(terms, count, unknown->term);
	for (size_t i = 0; instead && i < s->best_count; i++) {
		const struct known *known = &s->best[i];

		meant[meant_count++] = (struct kb_meant){ .asked = unknown->word,
			                                  .word = known->word,
			                                  .term = known->term };
		if (!find_term(terms, count, known->term))
			terms[count++] =
			        (struct kb_query_term){ known->term,
				                        instead->weight
				                                * (is_function(s, known->word)
				                                           ? KB_FUNCTION_WEIGHT
				                                           : MEANT_WEIGHT) };
	}
	query->terms = terms;
	query->term_count = count;
	query->meant = meant;
	query->meant_count = meant_count;
}

/* A short name that is not known may well be another's: it is looked for, but not taken for what
 * was asked. */
static bool may_stand(const struct spell *s, const struct kb_term *unknown, bool first)
{
	return first || s->lang == KB_LANG_DE || !(unknown->flags & KB_TERM_CAPITAL)
	       || s->word_count >= NAME_LEAST;
}

/* Lets the likeliest word stand where the unknown one stood. */
static void put_known(struct spell *s, struct kb_terms *question, const struct kb_term *unknown)
{
	struct kb_term *v =
	        kb_arena_copy(s->arena, question->v, question->count * sizeof(*question->v));

	for (size_t i = 0; i < question->count; i++)
		if (is_candidate(&v[i]) && kb_sv_eq(v[i].term, unknown->term)) {
			v[i].term = s->best[0].term;
			v[i].word = s->best[0].word;
			if (is_function(s, v[i].word))
				v[i].flags |= KB_TERM_FUNCTION;
		}
	question->v = v;
}

void kb_query_spell(struct kb_analyzer *analyzer, struct kb_arena *arena,
                    const struct kb_snapshot *snapshot, enum kb_lang lang, struct kb_query *query)
{
	struct spell s = { .analyzer = analyzer, .arena = arena, .lang = lang };
	struct kb_terms asked = query->question;

	choose_parts(&s, snapshot);
	for (size_t i = 0; i < asked.count && !is_spent(&s); i++) {
		const struct kb_term *term = &asked.v[i];

		if (!is_candidate(term) || kb_snapshot_df(snapshot, term->term)
		    || !take_word(&s, term))
			continue;
		offer_slips(&s);
		if (!s.best_count)
			continue;
		add_known(&s, query, term);
		if (may_stand(&s, term, i == 0))
			put_known(&s, &query->question, term);
	}
}
