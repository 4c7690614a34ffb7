#include "answer/fresh.h"

#include <string.h>

#include "answer/attach.h"
#include "answer/guard.h"
#include "answer/statement.h"
#include "index/sentence.h"
#include "store/dates.h"

enum {
	LOOKED_AT = 24,     /* sentences, the best ones */
	PASSAGES = 20,      /* that were found, likewise */
	OF_PASSAGE = 40,    /* sentences of one */
	DOCUMENTS_MOST = 4, /* that say the same; more fill in a form */
};

/* What is not said is so far behind the best. */
#define BEHIND 100.0f

/* ---- what says the same ---- */

/* Something that may say the same as another: a sentence, or a whole passage. */
struct saying {
	const struct kb_passage *passage;
	const struct kb_statement *statements;
	size_t count;
	struct kb_page_dates dates;
};

struct company {
	const struct kb_answer_job *job;
	const struct kb_question *question;
	struct saying *v;
	size_t count;
};

static bool holds(const struct kb_terms *terms, struct kb_sv term)
{
	for (size_t i = 0; i < terms->count; i++)
		if (kb_sv_eq(terms->v[i].term, term))
			return true;
	return false;
}

static void read_names(const struct company *c, const struct kb_passage *passage,
                       struct kb_terms *out)
{
	struct kb_arena *arena = c->job->arena;

	kb_analyze(c->job->analyzer, arena, c->question->lang,
	           kb_arena_printf(arena, "%.*s\n%.*s", KB_SV_ARG(passage->title),
	                           KB_SV_ARG(passage->heading)),
	           out);
}

/* Nothing that is asked for names only one of them. */
static bool is_of_same(const struct company *c, const struct saying *a, const struct saying *b)
{
	const struct kb_terms *asked = &c->question->terms;
	struct kb_terms of_a, of_b;

	if (kb_sv_eq(a->passage->title, b->passage->title)
	    && kb_sv_eq(a->passage->heading, b->passage->heading))
		return true;
	read_names(c, a->passage, &of_a);
	read_names(c, b->passage, &of_b);
	for (size_t i = 0; i < asked->count; i++) {
		const struct kb_term *term = &asked->v[i];

		if (!(term->flags & (KB_TERM_FUNCTION | KB_TERM_STOP))
		    && holds(&of_a, term->term) != holds(&of_b, term->term))
			return false;
	}
	return true;
}

static bool share(const struct saying *a, const struct saying *b)
{
	for (size_t i = 0; i < a->count; i++)
		for (size_t k = 0; k < b->count; k++)
			if (kb_statement_alike(&a->statements[i], &b->statements[k]))
				return true;
	return false;
}

static bool is_same(const struct company *c, size_t a, size_t b)
{
	return c->v[a].passage->page_id != c->v[b].passage->page_id && share(&c->v[a], &c->v[b])
	       && is_of_same(c, &c->v[a], &c->v[b]);
}

/* For each the first that says the same, or itself. Those of a form stand alone. */
static size_t *find_groups(const struct company *c, bool *any)
{
	size_t *group = KB_NEW_ARRAY(c->job->arena, c->count, size_t);

	*any = false;
	for (size_t i = 0; i < c->count; i++) {
		group[i] = i;
		for (size_t k = 0; k < i && group[i] == i; k++)
			if (group[k] == k && is_same(c, i, k))
				group[i] = k;
	}
	for (size_t i = 0; i < c->count; i++) {
		size_t members = 0;

		for (size_t k = i; k < c->count; k++)
			members += group[k] == i;
		for (size_t k = i; members > DOCUMENTS_MOST && k < c->count; k++)
			if (group[k] == i)
				group[k] = k;
		*any = *any || (members > 1 && members <= DOCUMENTS_MOST);
	}
	return group;
}

/* ---- which is believed ---- */

static bool read_dates(const struct company *c, int64_t agent_id, const size_t *group,
                       struct kb_err *err)
{
	struct kb_page_ids ids = { .agent_id = agent_id };
	int64_t *v = KB_NEW_ARRAY(c->job->arena, c->count, int64_t);
	size_t *of = KB_NEW_ARRAY(c->job->arena, c->count, size_t);
	struct kb_page_dates *dates = KB_NEW_ARRAY(c->job->arena, c->count, struct kb_page_dates);

	for (size_t i = 0; i < c->count; i++) {
		bool alone = group[i] == i;

		for (size_t k = i + 1; alone && k < c->count; k++)
			alone = group[k] != i;
		if (alone)
			continue;
		of[ids.count] = i;
		v[ids.count++] = c->v[i].passage->page_id;
	}
	ids.v = v;
	if (!kb_store_page_dates(c->job->answerer->store, c->job->arena, &ids, dates, err))
		return false;
	for (size_t i = 0; i < ids.count; i++)
		c->v[of[i]].dates = dates[i];
	return true;
}

static bool is_fresher(const struct kb_page_dates *a, const struct kb_page_dates *b)
{
	if (a->is_due != b->is_due)
		return b->is_due;
	return a->dated_at && b->dated_at && a->dated_at > b->dated_at;
}

/* The places of each group are its members', the believed ones first: to[i] is who stands at place
 * i. */
static size_t *put_in_order(const struct company *c, const size_t *group)
{
	size_t *to = KB_NEW_ARRAY(c->job->arena, c->count, size_t);

	for (size_t i = 0; i < c->count; i++) {
		size_t at = i;

		to[i] = i;
		for (size_t k = i; k > 0; k--) {
			size_t before = k - 1;

			if (group[before] != group[i])
				continue;
			if (!is_fresher(&c->v[i].dates, &c->v[to[before]].dates))
				break;
			to[at] = to[before];
			to[before] = i;
			at = before;
		}
	}
	return to;
}

/* ---- sentences ---- */

static struct kb_stated stated(const struct company *c, const struct kb_scored_sentence *sentence,
                               const struct saying *saying)
{
	const struct kb_passage *passage = saying->passage;

	return (struct kb_stated){
		.page_id = passage->page_id,
		.page_no = passage->page_no,
		.offset = passage->offset + sentence->start,
		.length = sentence->end - sentence->start,
		.title = passage->title,
		.text = kb_outguard_quote(
		        c->job->arena,
		        kb_sv_sub(passage->text, sentence->start, sentence->end - sentence->start)),
		.dated_at = saying->dates.dated_at,
	};
}

/* Who says otherwise than the first of the group is not said, but told. */
static void settle(const struct company *c, const size_t *group, const size_t *to,
                   struct kb_selection *selection, struct kb_conflict_list *conflicts)
{
	struct kb_scored_sentence *old = selection->sentences, *v;
	size_t n = 0;

	v = KB_NEW_ARRAY(c->job->arena, selection->count, struct kb_scored_sentence);
	memcpy(v, old, selection->count * sizeof(*v));
	conflicts->v = KB_NEW_ARRAY(c->job->arena, c->count, struct kb_conflict);
	for (size_t i = 0; i < c->count; i++) {
		size_t first = group[i];

		v[i] = old[to[i]];
		v[i].z = old[i].z;
		if (first == i
		    || !kb_statement_differs(c->v[to[first]].statements, c->v[to[i]].statements))
			continue;
		conflicts->v[conflicts->count++] =
		        (struct kb_conflict){ stated(c, &v[first], &c->v[to[first]]),
			                      stated(c, &v[i], &c->v[to[i]]) };
		v[i].z = KB_MIN(v[i].z, old[0].z - BEHIND);
		v[i].other = true;
	}
	selection->sentences =
	        KB_NEW_ARRAY(c->job->arena, selection->count, struct kb_scored_sentence);
	for (int last = 0; last < 2; last++)
		for (size_t i = 0; i < selection->count; i++)
			if (v[i].other == (last == 1))
				selection->sentences[n++] = v[i];
}

bool kb_fresh_sentences(const struct kb_fresh *with, const struct kb_candidate *candidates,
                        struct kb_selection *selection, struct kb_conflict_list *conflicts,
                        struct kb_err *err)
{
	const struct kb_answer_job *job = with->job;
	struct company c = { .job = job, .question = with->question };
	struct kb_statement *statements = KB_NEW_ARRAY(job->arena, LOOKED_AT, struct kb_statement);
	size_t *group;
	bool any;

	*conflicts = (struct kb_conflict_list){ 0 };
	c.v = KB_NEW_ARRAY(job->arena, LOOKED_AT, struct saying);
	for (size_t i = 0; i < selection->count && c.count < LOOKED_AT; i++) {
		const struct kb_scored_sentence *one = &selection->sentences[i];
		const struct kb_passage *passage = &candidates[one->candidate].passage;
		struct kb_statement *statement = &statements[c.count];

		if (one->other)
			break; /* they are the last */
		if (!kb_attached_is_page(passage->page_id))
			kb_statement_read(
			        job->analyzer, with->question->lang,
			        kb_sv_sub(passage->text, one->start, one->end - one->start),
			        statement);
		c.v[c.count++] = (struct saying){ passage, statement, 1, { 0 } };
	}
	group = find_groups(&c, &any);
	if (!any)
		return true;
	if (!read_dates(&c, with->agent_id, group, err))
		return false;
	settle(&c, group, put_in_order(&c, group), selection, conflicts);
	return true;
}

/* ---- passages ---- */

static struct saying read_passage(const struct company *c, const struct kb_passage *passage)
{
	struct saying out = { .passage = passage };
	struct kb_statement *v = KB_NEW_ARRAY(c->job->arena, OF_PASSAGE, struct kb_statement);
	struct kb_sentence *sentences;
	size_t count;

	kb_sentences(c->job->arena, passage->text, &sentences, &count);
	for (size_t i = 0; i < count && out.count < OF_PASSAGE; i++) {
		kb_statement_read(c->job->analyzer, c->question->lang,
		                  kb_sv_sub(passage->text, sentences[i].start,
		                            sentences[i].end - sentences[i].start),
		                  &v[out.count]);
		out.count += v[out.count].words != 0;
	}
	out.statements = v;
	return out;
}

bool kb_fresh_order(const struct kb_fresh *with, const struct kb_fresh_passages *passages,
                    size_t **order, size_t *count, struct kb_err *err)
{
	struct company c = { .job = with->job, .question = with->question };
	size_t *group;
	bool any;

	*order = NULL;
	c.v = KB_NEW_ARRAY(with->job->arena, PASSAGES, struct saying);
	for (; c.count < passages->count && c.count < PASSAGES; c.count++)
		c.v[c.count] = read_passage(&c, passages->v[c.count]);
	*count = c.count;
	group = find_groups(&c, &any);
	if (!any)
		return true;
	if (!read_dates(&c, with->agent_id, group, err))
		return false;
	*order = put_in_order(&c, group);
	return true;
}
