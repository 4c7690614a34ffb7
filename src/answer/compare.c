#include "answer/compare.h"

#include <string.h>

enum {
	SIDE_MAX = 80, /* bytes */
	TEXT_MAX = 400,
	SIDE_WORDS = 6, /* a longer one is a clause */
	BARE_WORDS = 4, /* the same where nothing but the joint tells */
};

// clang-format off
/* Phrases between bars, in small letters. What follows a word of `before` are the sides, parted by
 * one of `joins`; `versus` parts them by itself; `behind` stands behind both, in languages that
 * write no blanks or put the word last. `ends` ends the second side, `asks` may stand before the
 * first, and neither is a part of one. */
static const struct {
	enum kb_lang lang;
	const char *before, *joins, *versus, *behind, *ends, *asks;
} words[] = {
	{ KB_LANG_EN, "|difference between |differences between |differ between |compare |comparison of |comparison between |compared: |choose between |",
	  "| and | with | to | or |", "| versus | vs. | vs | compare to | compare with | differ from |", NULL,
	  "| in | on | in terms of | with regard to | when | regarding | for |", "|what is |what's |how does |how do |how is |is |are |which is better, |which is better: |" },
	{ KB_LANG_DE, "|unterschied zwischen |unterschiede zwischen |vergleich zwischen |vergleich von |vergleiche |wahl zwischen |unterscheidet sich |unterscheiden sich |",
	  "| und | mit | oder | von |", "| gegenüber | versus | vs. | vs | im vergleich zu | im vergleich mit | anders als |", NULL,
	  "| bei | hinsichtlich | was | wenn |", "|was ist |wie ist |ist |was ist besser, |was ist besser: |" },
	{ KB_LANG_FR, "|différence entre |différences entre |comparaison entre |comparer |compare |comparez |choisir entre |",
	  "| et | avec | à | ou |", "| versus | vs. | vs | par rapport à | comparé à |", NULL,
	  "| en termes de | quand | pour |", "|qu'est-ce que |quel est |quelle est |" },
	{ KB_LANG_ES, "|diferencia entre |diferencias entre |diferencia hay entre |comparación entre |comparar |compara |compare |elegir entre |",
	  "| y | e | con | o |", "| versus | vs. | vs | frente a | en comparación con |", NULL,
	  "| en cuanto a | cuando | para |", "|qué es |cuál es |" },
	{ KB_LANG_IT, "|differenza tra |differenza fra |differenze tra |differenze fra |confronto tra |confronta |confrontare |scegliere tra |",
	  "| e | ed | con | o |", "| versus | vs. | vs | rispetto a |", NULL, "| quando | per |", "|che cosa è |qual è |" },
	{ KB_LANG_PT, "|diferença entre |diferenças entre |comparação entre |comparar |compare |escolher entre |",
	  "| e | com | ou |", "| versus | vs. | vs | em comparação com |", NULL, "| quando | para |", "|o que é |qual é |" },
	{ KB_LANG_NL, "|verschil tussen |verschillen tussen |vergelijking tussen |vergelijk |kiezen tussen |",
	  "| en | met | of |", "| versus | vs. | vs | in vergelijking met |", NULL, "| als | voor |", "|wat is |" },
	{ KB_LANG_ZH, NULL, "|和|与|跟|同|", "|vs|VS|", "|有什么区别|有什么不同|有何区别|有何不同|的区别|的不同|的差别|区别|哪个更|哪个好|", "|？|?|，|", "|请问|比较|对比|" },
	{ KB_LANG_JA, NULL, "|と|", "|vs|VS|", "|の違い|はどう違|とではどちら|の比較|", "|？|?|、|", "|" },
};
// clang-format on

static bool is_letter(char c)
{
	unsigned char u = (unsigned char)c;

	return u >= 0x80 || (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z')
	       || (u >= '0' && u <= '9');
}

static char small(char c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* Whether the text goes on so at that byte, whatever the case of its Latin letters. */
static bool is_at(struct kb_sv text, size_t at, struct kb_sv phrase)
{
	if (text.n - at < phrase.n)
		return false;
	for (size_t i = 0; i < phrase.n; i++)
		if (small(text.p[at + i]) != phrase.p[i])
			return false;
	return true;
}

/* The first place of any of the phrases from `from` on; *n: its length. SIZE_MAX: none is there.
 * One that begins with a letter begins a word, unless the language puts no blanks. */
static size_t find(struct kb_sv text, size_t from, const char *phrases, size_t *n)
{
	for (size_t at = from; phrases && at < text.n; at++) {
		struct kb_sv rest = kb_sv_str(phrases), phrase;

		while (kb_sv_split(&rest, '|', &phrase)) {
			bool latin = phrase.n && (unsigned char)phrase.p[0] < 0x80
			             && is_letter(phrase.p[0]);

			if (!phrase.n || !is_at(text, at, phrase)
			    || (latin && at > 0 && is_letter(text.p[at - 1])))
				continue;
			*n = phrase.n;
			return at;
		}
	}
	return SIZE_MAX;
}

/* Without marks at its ends. */
static struct kb_sv bare(struct kb_sv side)
{
	static const char *const marks[] = { "？", "。", "，", "「", "」", "“", "”", "„" };
	size_t before;

	do {
		before = side.n;
		side = kb_sv_trim(side);
		while (side.n && strchr("?.,:;!\"'", side.p[side.n - 1]))
			side.n--;
		while (side.n && strchr("\"',:", side.p[0]))
			side = kb_sv_from(side, 1);
		for (size_t i = 0; i < KB_COUNTOF(marks); i++) {
			struct kb_sv mark = kb_sv_str(marks[i]);

			if (kb_sv_ends(side, mark))
				side.n -= mark.n;
			if (kb_sv_starts(side, mark))
				side = kb_sv_from(side, mark.n);
		}
	} while (side.n != before);
	return side;
}

static bool is_side(struct kb_sv text, size_t most)
{
	size_t count = 1;

	for (size_t i = 0; i < text.n; i++)
		count += text.p[i] == ' ';
	return text.n && text.n <= SIDE_MAX && count <= most;
}

/* The text from `from` on as two sides, of at most so many words, that stand around the first
 * joint. */
static bool part(size_t row, struct kb_sv text, size_t from, const char *joints, size_t most,
                 struct kb_sv sides[KB_COMPARE_SIDES])
{
	size_t n = 0, at = find(text, from, joints, &n), ends, ignored;

	if (at == SIZE_MAX || at == from)
		return false;
	ends = find(text, at + n, words[row].ends, &ignored);
	if (ends == SIZE_MAX || ends == at + n)
		ends = text.n;
	sides[0] = bare(kb_sv_sub(text, from, at - from));
	sides[1] = bare(kb_sv_sub(text, at + n, ends - at - n));
	return is_side(sides[0], most) && is_side(sides[1], most) && !kb_sv_eq(sides[0], sides[1]);
}

/* Behind what asks ("what is better, "). */
static size_t after_asking(size_t row, struct kb_sv text)
{
	size_t n = 0, at = find(text, 0, words[row].asks, &n);

	return at == 0 ? n : 0;
}

bool kb_compare_sides(enum kb_lang lang, struct kb_sv text, struct kb_sv sides[KB_COMPARE_SIDES])
{
	size_t row = 0, at, n = 0, from;

	while (row < KB_COUNTOF(words) && words[row].lang != lang)
		row++;
	text = kb_sv_trim(text);
	if (row == KB_COUNTOF(words) || text.n > TEXT_MAX)
		return false;
	from = after_asking(row, text);
	if (part(row, text, from, words[row].versus, BARE_WORDS, sides))
		return true;
	at = find(text, 0, words[row].before, &n);
	if (at != SIZE_MAX)
		return part(row, text, at + n, words[row].joins, SIDE_WORDS, sides);
	at = find(text, from, words[row].behind, &n);
	return at != SIZE_MAX
	       && part(row, kb_sv_sub(text, 0, at), from, words[row].joins, SIDE_WORDS, sides);
}
