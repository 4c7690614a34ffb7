/*
 * The question's terms as a query, and the rule for follow-ups: terms of the user's earlier turns
 * come along at a fraction of their weight, halved with each turn further back, and only when the
 * turn leans on what went before.
 */
#include "answer/question.h"

#include <string.h>

#include "index/joined.h"
#include "index/query.h"
#include "index/rerank.h"
#include "index/spell.h"

enum {
	QUERY_MAX = 200, /* distinct terms of a query; more of a long text are left out */
	HISTORY_MAX = 6, /* turns back that are looked at */
	FEW_TERMS = 2,   /* content terms or fewer: without a question word it says too little */
};

#define CARRY 0.4f /* of the last turn's words */

/* Words that point back. */
static const struct {
	enum kb_lang lang;
	const char *anywhere, *start; /* words; words a turn begins with */
	const char *empty;            /* polite words that are no content */
} leaning[] = {
	{ KB_LANG_EN, " they this these he she one ones such it him her his their its them those ",
	  " and or but so also then what_about how_about tell_me_more more why because ok ",
	  " please thanks thank hello hi hey okay ok yes yeah sure cool great sorry " },
	{ KB_LANG_DE,
	  " er sie es dies diese dieser dieses diesem davon dazu damit dort deren dessen ",
	  " und oder aber auch dann was_ist_mit wie_ist mehr warum ",
	  " bitte danke hallo ja nein " },
	{ KB_LANG_FR, " il elle ils elles cela ça ce celui celle y en ceux ",
	  " et ou mais aussi alors qu_en pourquoi ", " merci bonjour plait oui non " },
	{ KB_LANG_ES, " él ella ellos ellas esto eso este ese lo la ",
	  " y e o pero también entonces qué_hay por_qué ", " gracias hola favor sí no " },
	{ KB_LANG_IT, " lui lei loro esso essa questo quello ne ci ",
	  " e o ma anche allora perché ", " grazie ciao favore sì no " },
	{ KB_LANG_PT, " ele ela eles elas isto isso este esse ", " e ou mas também então por_que ",
	  " obrigado obrigada olá favor sim não " },
	{ KB_LANG_NL, " hij zij ze het dit deze die dat er ", " en of maar ook dan hoe_zit waarom ",
	  " bedankt dank hallo ja nee alsjeblieft " },
	{ KB_LANG_RU, " он она оно они это этот эта эти его её их там такой ",
	  " и а или но также тогда почему ", " спасибо привет пожалуйста да нет " },
	{ KB_LANG_TR, " o bu şu onlar bunlar onun bunun ", " ve veya peki ya ama neden ",
	  " teşekkürler merhaba lütfen evet hayır " },
	{ KB_LANG_PL, " on ona ono oni to ten ta te jego jej ich ", " a i lub ale też dlaczego ",
	  " dziękuję cześć proszę tak nie " },
};

static bool is_content(enum kb_lang lang, const struct kb_term *term)
{
	if (term->flags & (KB_TERM_FUNCTION | KB_TERM_STOP | KB_TERM_PIECE))
		return false;
	for (size_t i = 0; i < KB_COUNTOF(leaning); i++)
		if (leaning[i].lang == lang
		    && (kb_sv_in_list(kb_sv_str(leaning[i].empty), term->word)
		        || kb_sv_in_list(kb_sv_str(leaning[i].anywhere), term->word)))
			return false;
	return true;
}

/* Whether the turn begins with one of the words or of the pairs ("what_about") of the list. */
static bool begins(const char *list, const struct kb_terms *terms)
{
	char joined[80];
	size_t n = 0;

	for (size_t i = 0; i < terms->count && i < 3; i++) {
		struct kb_sv word = terms->v[i].word;

		if (n + word.n + 1 >= sizeof(joined))
			return false;
		if (n > 0)
			joined[n++] = '_';
		memcpy(joined + n, word.p, word.n);
		n += word.n;
		if (kb_sv_in_list(kb_sv_str(list), kb_sv(joined, n)))
			return true;
	}
	return false;
}

bool kb_question_leans(enum kb_lang lang, const struct kb_terms *terms)
{
	for (size_t l = 0; l < KB_COUNTOF(leaning); l++)
		for (size_t i = 0; leaning[l].lang == lang && i < terms->count; i++)
			if (kb_sv_in_list(kb_sv_str(leaning[l].anywhere), terms->v[i].word))
				return true;
	return false;
}

/* A question word, or another by which a turn of few words is a question of its own. */
static bool asks(const struct kb_question *question)
{
	if (question->type != KB_Q_OTHER)
		return true;
	for (size_t i = 0; i < question->terms.count; i++) {
		int flags = question->terms.v[i].flags;

		if (flags & KB_TERM_FUNCTION && !(flags & KB_TERM_STOP))
			return true;
	}
	return false;
}

static size_t content_count(const struct kb_question *question)
{
	const struct kb_terms *terms = &question->terms;
	size_t count = 0;

	for (size_t i = 0; i < terms->count; i++)
		count += is_content(question->lang, &terms->v[i]);
	/* Pairs of characters count double. */
	if (count > 0 && terms->v[0].flags & KB_TERM_CJK)
		count = (count + 1) / 2;
	return count;
}

/* Whether the turn is to be understood from those before: it points back, goes on, or is a few
 * words that ask nothing by themselves ("The price?"). A question that is complete stands alone,
 * however short: what was asked before is another matter. */
static bool leans_back(const struct kb_question *question)
{
	const struct kb_terms *terms = &question->terms;
	enum kb_lang lang = question->lang;
	size_t content = content_count(question);

	if (kb_question_leans(lang, terms))
		return true;
	for (size_t l = 0; l < KB_COUNTOF(leaning); l++)
		if (leaning[l].lang == lang && begins(leaning[l].start, terms))
			return true;
	return content == 0 || (content <= FEW_TERMS && !asks(question));
}

/* Adds the term or raises what is there. Linear: a question has a dozen terms. */
static void put(struct kb_query_term *query, size_t *count, struct kb_sv term, float weight)
{
	for (size_t i = 0; i < *count; i++)
		if (kb_sv_eq(query[i].term, term)) {
			query[i].weight = KB_MAX(query[i].weight, weight);
			return;
		}
	if (*count < QUERY_MAX)
		query[(*count)++] = (struct kb_query_term){ term, weight };
}

void kb_question_build(struct kb_analyzer *analyzer, struct kb_arena *arena,
                       const struct kb_utterance *said, struct kb_question *out)
{
	enum kb_lang lang =
	        said->lang == KB_LANG_NONE ? kb_lang_of_question(said->text) : said->lang;
	struct kb_sv text = said->text;
	struct kb_query query = { 0 };
	float weight;
	size_t own;

	*out = (struct kb_question){ .text = text, .lang = lang };
	kb_analyze(analyzer, arena, lang, text, &out->terms);
	out->type = kb_question_type(arena, lang, text, &out->terms);
	out->shape = kb_question_shape(lang, out->type, out->text, &out->terms);
	kb_query_build(analyzer, arena, text, lang, &query);
	own = KB_MIN(query.term_count, (size_t)QUERY_MAX);
	out->query = KB_NEW_ARRAY(arena, QUERY_MAX, struct kb_query_term);
	memcpy(out->query, query.terms, own * sizeof(*out->query));
	out->query_count = own;
	weight = said->turn_count > 0 && leans_back(out) ? CARRY : 0;
	out->follow_up = weight > 0;
	out->complete = content_count(out) > FEW_TERMS;
	for (size_t back = 0; weight > 0 && back < KB_MIN(said->turn_count, (size_t)HISTORY_MAX);
	     back++, weight /= 2) {
		struct kb_terms terms;

		kb_analyze(analyzer, arena, lang, said->turns[said->turn_count - 1 - back], &terms);
		for (size_t i = 0; i < terms.count; i++)
			if (is_content(lang, &terms.v[i]))
				put(out->query, &out->query_count, terms.v[i].term, weight);
	}
	out->carried = out->query + own;
	out->carried_count = out->query_count - own;
}

static void spell(struct kb_analyzer *analyzer, struct kb_arena *arena,
                  const struct kb_snapshot *snapshot, struct kb_question *question)
{
	size_t own = question->query_count - question->carried_count;
	struct kb_query query = { .terms = question->query,
		                  .term_count = own,
		                  .question = question->terms };
	struct kb_query_term *terms;

	kb_query_spell(analyzer, arena, snapshot, question->lang, &query);
	kb_query_join(analyzer, arena, snapshot, question->lang, &query);
	if (query.terms == question->query)
		return;
	question->terms = query.question;
	question->meant = query.meant;
	question->meant_count = query.meant_count;
	own = query.term_count;
	terms = KB_NEW_ARRAY(arena, own + question->carried_count, struct kb_query_term);
	memcpy(terms, query.terms, own * sizeof(*terms));
	if (question->carried_count)
		memcpy(terms + own, question->carried, question->carried_count * sizeof(*terms));
	question->query = terms;
	question->query_count = own + question->carried_count;
	question->carried = terms + own;
}

void kb_question_read(struct kb_analyzer *analyzer, struct kb_arena *arena,
                      const struct kb_snapshot *snapshot, const struct kb_utterance *said,
                      struct kb_question *out)
{
	struct kb_utterance in = *said;

	if (in.lang == KB_LANG_NONE)
		in.lang = kb_query_lang(analyzer, arena, snapshot, in.text);
	kb_question_build(analyzer, arena, &in, out);
	spell(analyzer, arena, snapshot, out);
}

struct kb_query kb_question_query(const struct kb_question *question, size_t limit)
{
	return (struct kb_query){ .terms = question->query,
		                  .term_count = question->query_count,
		                  .limit = limit,
		                  .rerank = KB_RERANK_DEFAULT,
		                  .question = question->terms,
		                  .meant = question->meant,
		                  .meant_count = question->meant_count };
}
