#include "index/joined.h"

#include "base/utf8.h"
#include "index/snapshot.h"
#include "index/stopwords.h"

#define JOINED_WEIGHT .5f

enum {
	JOINED_LEAST = 5, /* letters of a word made of two */
	PART_LEAST = 4,   /* letters of a word within another */
	SPLIT_LEAST = 6,  /* letters of a word that is cut */
	WORD_MOST = 40,   /* bytes of a word that is looked at */
	ADDED_MAX = 16,   /* terms */
	LOOK_UPS_MAX = 400,
};

struct joining {
	struct kb_analyzer *analyzer;
	struct kb_arena *arena;
	const struct kb_snapshot *snapshot;
	enum kb_lang lang;
	const struct kb_query *query;
	struct kb_query_term added[ADDED_MAX];
	size_t added_count, look_ups;
};

/* Parts of German verbs that stand at the end of a sentence. */
static const char *const particles[] = {
	"ab",  "an",  "auf",  "aus", "bei", "ein", "fest",   "frei", "her",    "hin",
	"los", "mit", "nach", "um",  "vor", "weg", "weiter", "zu",   "zurück", "zusammen",
};

static bool is_particle(struct kb_sv word)
{
	for (size_t i = 0; i < KB_COUNTOF(particles); i++)
		if (kb_sv_eq_str(word, particles[i]))
			return true;
	return false;
}

/* A word of letters with a place of its own. */
static bool is_word(const struct kb_term *term)
{
	return !(term->flags & (KB_TERM_PIECE | KB_TERM_NUMBER | KB_TERM_CJK))
	       && term->word.n <= WORD_MOST;
}

static bool is_content(const struct kb_term *term)
{
	return is_word(term) && !(term->flags & (KB_TERM_STOP | KB_TERM_FUNCTION));
}

static bool has(const struct kb_query_term *terms, size_t count, struct kb_sv term)
{
	for (size_t i = 0; i < count; i++)
		if (kb_sv_eq(terms[i].term, term))
			return true;
	return false;
}

static float weight_of(const struct kb_query *query, struct kb_sv term)
{
	for (size_t i = 0; i < query->term_count; i++)
		if (kb_sv_eq(query->terms[i].term, term))
			return query->terms[i].weight;
	return 1;
}

/* The word's term where some living passage holds it; empty otherwise. */
static struct kb_sv known(struct joining *j, struct kb_sv word)
{
	struct kb_sv term;

	if (j->look_ups++ >= LOOK_UPS_MAX)
		return KB_SV("");
	term = kb_stem(j->analyzer, j->lang, word);
	return kb_snapshot_df(j->snapshot, term) ? kb_arena_sv(j->arena, term) : KB_SV("");
}

static void add(struct joining *j, struct kb_sv term, float weight)
{
	if (!term.n || j->added_count == ADDED_MAX || has(j->added, j->added_count, term)
	    || has(j->query->terms, j->query->term_count, term))
		return;
	j->added[j->added_count++] = (struct kb_query_term){ term, weight * JOINED_WEIGHT };
}

/* As one word, with the weight of `from`. */
static void join(struct joining *j, const struct kb_term *a, const struct kb_term *b,
                 const struct kb_term *from)
{
	char bytes[2 * WORD_MOST];

	memcpy(bytes, a->word.p, a->word.n);
	memcpy(bytes + a->word.n, b->word.p, b->word.n);
	if (a->word.n + b->word.n >= JOINED_LEAST)
		add(j, known(j, kb_sv(bytes, a->word.n + b->word.n)),
		    weight_of(j->query, from->term));
}

/* A verb and its particle may have the whole sentence between them. */
static void join_particle(struct joining *j, const struct kb_terms *asked, size_t particle)
{
	for (size_t i = 0; i < particle; i++)
		if (is_content(&asked->v[i]))
			join(j, &asked->v[particle], &asked->v[i], &asked->v[i]);
}

static size_t letters_in(struct kb_sv word)
{
	size_t count = 0;

	for (size_t i = 0; i < word.n; i++)
		count += ((unsigned char)word.p[i] & 0xc0) != 0x80;
	return count;
}

/* Whether a word is cut here: both parts known, or the first of them and then up, out, off. */
static bool cut_at(struct joining *j, struct kb_sv word, size_t at, float weight)
{
	struct kb_sv head = kb_sv_sub(word, 0, at), tail = kb_sv_from(word, at), parts[2];
	bool short_tail = letters_in(tail) < PART_LEAST;

	if (letters_in(head) < PART_LEAST
	    || (short_tail && !(kb_stopword_flags(j->lang, tail) & KB_TERM_FUNCTION)))
		return false;
	parts[0] = known(j, head);
	if (!parts[0].n && j->lang == KB_LANG_DE && head.p[head.n - 1] == 's')
		parts[0] = known(j, kb_sv_sub(head, 0, head.n - 1));
	if (!parts[0].n)
		return false;
	parts[1] = short_tail ? KB_SV("") : known(j, tail);
	if (!short_tail && !parts[1].n)
		return false;
	add(j, parts[0], weight);
	add(j, parts[1], weight);
	return true;
}

/* At the place that leaves the longest first word. */
static void split(struct joining *j, const struct kb_term *term)
{
	struct kb_sv word = term->word;
	float weight = weight_of(j->query, term->term);

	if (letters_in(word) < SPLIT_LEAST)
		return;
	for (size_t at = word.n - 1; at > 0; at--)
		if (((unsigned char)word.p[at] & 0xc0) != 0x80 && cut_at(j, word, at, weight))
			return;
}

void kb_query_join(struct kb_analyzer *analyzer, struct kb_arena *arena,
                   const struct kb_snapshot *snapshot, enum kb_lang lang, struct kb_query *query)
{
	struct joining j = { .analyzer = analyzer,
		             .arena = arena,
		             .snapshot = snapshot,
		             .lang = lang,
		             .query = query };
	const struct kb_terms *asked = &query->question;
	const struct kb_term *before = NULL;
	struct kb_query_term *terms;

	for (size_t i = 0; i < asked->count; i++) {
		const struct kb_term *term = &asked->v[i];

		if (term->flags & KB_TERM_PIECE)
			continue;
		if (before && is_content(before) && is_word(term) && !(term->flags & KB_TERM_STOP))
			join(&j, before, term, before);
		if (lang == KB_LANG_DE && is_word(term) && is_particle(term->word))
			join_particle(&j, asked, i);
		if (is_content(term) && !kb_snapshot_df(snapshot, term->term))
			split(&j, term);
		before = term;
	}
	if (!j.added_count)
		return;
	terms = KB_NEW_ARRAY(arena, query->term_count + j.added_count, struct kb_query_term);
	memcpy(terms, query->terms, query->term_count * sizeof(*terms));
	memcpy(terms + query->term_count, j.added, j.added_count * sizeof(*terms));
	query->terms = terms;
	query->term_count += j.added_count;
}
