#include "index/spell.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "index/dict.h"
#include "index/snapshot.h"

#define MEANT_WEIGHT .5f

enum {
	LETTERS_LEAST = 4, /* shorter words have neighbours everywhere */
	LETTERS_MOST = 24,
	FEW = 3,              /* words that one may stand for */
	PART_LEAST = 3,       /* letters of each part of a split word */
	PARTS_MAX = 4,        /* of the snapshot that are asked: the largest */
	LOOK_UPS_MAX = 6000,  /* a question; each part counts */
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
	{ KB_LANG_DE, "äöüß" },         { KB_LANG_FR, "éèêàâçëîïôûùœ" },
	{ KB_LANG_ES, "áéíóúñü" },      { KB_LANG_IT, "àèéìòù" },
	{ KB_LANG_PT, "ãõáâàçéêíóôú" }, { KB_LANG_NL, "ëïé" },
	{ KB_LANG_SV, "åäöé" },         { KB_LANG_DA, "æøå" },
	{ KB_LANG_NO, "æøå" },          { KB_LANG_FI, "äö" },
	{ KB_LANG_HU, "áéíóöőúüű" },    { KB_LANG_RO, "ăâîșț" },
	{ KB_LANG_TR, "çğıöşü" },       { KB_LANG_PL, "ąćęłńóśźż" },
	{ KB_LANG_CS, "áčďéěíňóřšťúůýž" }, { KB_LANG_CA, "àçèéíïòóúü" },
	{ KB_LANG_LT, "ąčęėįšųūž" },    { KB_LANG_GA, "áéíóú" },
	{ KB_LANG_EU, "ñ" },            { KB_LANG_UK, "іїєґ" },
	{ KB_LANG_SR, "ђјљњћџčćđšž" },  { KB_LANG_FA, "پچژگکی" },
};

/* A known word that may be meant. */
struct meant {
	struct kb_sv term, word;
	int64_t df;
};

struct spell {
	struct kb_analyzer *analyzer;
	struct kb_arena *arena;
	enum kb_lang lang;
	const struct kb_segment *parts[PARTS_MAX];
	size_t part_count, look_ups;

	/* The word in hand. */
	uint32_t letters[LETTERS_MOST + 1]; /* room for one more */
	size_t count;
	uint32_t alphabet[ALPHABET_MAX];
	size_t alphabet_count;
	struct meant best[FEW]; /* the most widespread first */
	size_t best_count;
};

static int64_t widespread(struct spell *s, struct kb_sv term)
{
	int64_t sum = 0;

	for (size_t i = 0; i < s->part_count; i++) {
		struct kb_dict_entry entry;

		s->look_ups++;
		if (kb_dict_find(s->parts[i], term, &entry))
			sum += entry.df;
	}
	return sum;
}

static bool is_spent(const struct spell *s)
{
	return s->look_ups >= LOOK_UPS_MAX;
}

/* Offers letters as a word that may be meant. */
static void offer(struct spell *s, const uint32_t *letters, size_t count)
{
	char bytes[4 * (LETTERS_MOST + 1)];
	struct kb_sv word = { bytes, 0 }, term;
	struct meant meant;
	size_t at;

	if (is_spent(s))
		return;
	for (size_t i = 0; i < count; i++)
		word.n += kb_utf8_encode(letters[i], bytes + word.n);
	term = kb_stem(s->analyzer, s->lang, word);
	meant.df = widespread(s, term);
	if (!meant.df)
		return;
	for (at = 0; at < s->best_count; at++)
		if (kb_sv_eq(s->best[at].term, term))
			return;
	meant.term = kb_arena_sv(s->arena, term);
	meant.word = kb_arena_sv(s->arena, word);
	for (at = KB_MIN(s->best_count, (size_t)FEW - 1); at > 0 && s->best[at - 1].df < meant.df; at--)
		s->best[at] = s->best[at - 1];
	if (s->best_count < FEW)
		s->best_count++;
	else if (at == FEW - 1 && s->best[at].df >= meant.df)
		return;
	s->best[at] = meant;
}

static void add_letters(struct spell *s, const char *letters)
{
	struct kb_sv rest = kb_sv_str(letters);

	while (rest.n && s->alphabet_count < ALPHABET_MAX)
		rest = kb_sv_from(rest, kb_utf8_decode(rest, &s->alphabet[s->alphabet_count++]));
}

/* Reads a word's letters and its alphabet; false: it is none that can be corrected. */
static bool take_word(struct spell *s, struct kb_sv word)
{
	s->count = s->alphabet_count = s->best_count = 0;
	for (size_t i = 0; i < word.n;) {
		if (s->count == LETTERS_MOST)
			return false;
		i += kb_utf8_decode(kb_sv_from(word, i), &s->letters[s->count++]);
	}
	for (size_t i = 0; i < KB_COUNTOF(scripts) && s->count; i++)
		if (s->letters[0] >= scripts[i].first && s->letters[0] <= scripts[i].last)
			add_letters(s, scripts[i].letters);
	for (size_t i = 0; i < KB_COUNTOF(extras) && s->alphabet_count; i++)
		if (extras[i].lang == s->lang)
			add_letters(s, extras[i].letters);
	return s->count >= LETTERS_LEAST && s->alphabet_count;
}

/* All words one slip away. */
static void offer_slips(struct spell *s)
{
	uint32_t made[LETTERS_MOST + 1];
	size_t n = s->count, size = sizeof(*made);

	for (size_t i = 0; i + 1 < n; i++) { /* two swapped */
		if (s->letters[i] == s->letters[i + 1])
			continue;
		memcpy(made, s->letters, n * size);
		made[i] = s->letters[i + 1];
		made[i + 1] = s->letters[i];
		offer(s, made, n);
	}
	for (size_t i = 0; i < n; i++) { /* one too many */
		if (i && s->letters[i] == s->letters[i - 1])
			continue;
		memcpy(made, s->letters, i * size);
		memcpy(made + i, s->letters + i + 1, (n - i - 1) * size);
		offer(s, made, n - 1);
	}
	for (size_t i = 0; i < n; i++) { /* one for another */
		memcpy(made, s->letters, n * size);
		for (size_t a = 0; a < s->alphabet_count; a++) {
			made[i] = s->alphabet[a];
			if (made[i] != s->letters[i])
				offer(s, made, n);
		}
	}
	for (size_t i = 0; i <= n; i++) { /* one too few */
		memcpy(made, s->letters, i * size);
		memcpy(made + i + 1, s->letters + i, (n - i) * size);
		for (size_t a = 0; a < s->alphabet_count; a++) {
			made[i] = s->alphabet[a];
			if (i == n || made[i] != s->letters[i])
				offer(s, made, n + 1);
		}
	}
}

static void choose_parts(struct spell *s, const struct kb_snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->part_count; i++) {
		const struct kb_segment *segment = snapshot->parts[i].segment;
		size_t at = KB_MIN(s->part_count, (size_t)PARTS_MAX - 1);

		for (; at > 0 && s->parts[at - 1]->passages < segment->passages; at--)
			s->parts[at] = s->parts[at - 1];
		if (s->part_count < PARTS_MAX)
			s->part_count++;
		else if (at == PARTS_MAX - 1 && s->parts[at]->passages >= segment->passages)
			continue;
		s->parts[at] = segment;
	}
}

static bool is_candidate(const struct kb_term *term)
{
	return !(term->flags
	         & (KB_TERM_STOP | KB_TERM_FUNCTION | KB_TERM_PIECE | KB_TERM_NUMBER
	            | KB_TERM_CJK));
}

static struct kb_query_term *find_term(struct kb_query_term *terms, size_t count, struct kb_sv term)
{
	for (size_t i = 0; i < count; i++)
		if (kb_sv_eq(terms[i].term, term))
			return &terms[i];
	return NULL;
}

/* Adds the meant words' terms; what the question has anyway keeps its weight. */
static void add_meant(struct spell *s, struct kb_query *query, struct kb_sv unknown)
{
	struct kb_query_term *terms =
	        KB_NEW_ARRAY(s->arena, query->term_count + FEW, struct kb_query_term);
	size_t count = query->term_count;
	struct kb_query_term *instead;

	memcpy(terms, query->terms, count * sizeof(*terms));
	instead = find_term(terms, count, unknown);
	for (size_t i = 0; instead && i < s->best_count; i++)
		if (!find_term(terms, count, s->best[i].term))
			terms[count++] = (struct kb_query_term){ s->best[i].term,
				                                 instead->weight * MEANT_WEIGHT };
	query->terms = terms;
	query->term_count = count;
}

/* Lets the likeliest word stand where the unknown one stood. */
static void put_meant(struct spell *s, struct kb_terms *question, struct kb_sv unknown)
{
	struct kb_term *v =
	        kb_arena_copy(s->arena, question->v, question->count * sizeof(*question->v));

	for (size_t i = 0; i < question->count; i++)
		if (is_candidate(&v[i]) && kb_sv_eq(v[i].term, unknown)) {
			v[i].term = s->best[0].term;
			v[i].word = s->best[0].word;
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
		    || !take_word(&s, term->word))
			continue;
		offer_slips(&s);
		if (!s.best_count)
			continue;
		add_meant(&s, query, term->term);
		put_meant(&s, &query->question, term->term);
	}
}
