#include "answer/opening.h"

#include <string.h>

#include "answer/answer.h"
#include "answer/chore.h"
#include "answer/mask.h"
#include "answer/plain.h"
#include "base/json.h"
#include "base/utf8.h"
#include "parse/parse.h"
#include "store/openings.h"
#include "store/pages.h"

enum {
	DOCUMENTS = 60,    /* the newest, that are looked through */
	OF_A_DOCUMENT = 3, /* questions that one of them gives */
	CANDIDATES = 90,
	ASKED_MOST = 60, /* of them */
	TITLES_MOST = 20,
	TOPIC_CHARS = 48,
	TEXT_MAX = 8 << 20, /* a longer document is no list of questions and answers */
	STORED_MAX = 64 << 10,
};

struct candidate {
	struct kb_sv text;
	int64_t page_id; /* that has to answer it; 0: any */
};

struct making {
	const struct kb_opening_with *with;
	struct kb_arena *arena;
	const struct kb_agent *agent;
	struct kb_settings settings;
	struct candidate candidates[CANDIDATES];
	size_t candidate_count;
	struct kb_opening *out;
};

/* ---- what may be asked ---- */

static void add(struct making *m, struct kb_sv text, int64_t page_id)
{
	text = kb_sv_trim(text);
	if (m->candidate_count == CANDIDATES || !kb_starter_fits(text))
		return;
	for (size_t i = 0; i < m->candidate_count; i++)
		if (kb_sv_ieq(m->candidates[i].text, text))
			return;
	m->candidates[m->candidate_count++] =
	        (struct candidate){ kb_arena_sv(m->arena, text), page_id };
}

/* What others have asked, unless it tells of somebody. */
static bool add_asked(struct making *m, struct kb_err *err)
{
	struct kb_sv asked[KB_OPENING_ASKED];
	size_t count;

	if (!kb_store_opening_asked(m->with->store, m->arena, m->agent->id, asked, &count, err))
		return false;
	for (size_t i = 0; i < count; i++)
		if (kb_sv_eq(kb_mask(m->arena, asked[i]), asked[i]))
			add(m, asked[i], 0);
	return true;
}

static struct kb_sv title_of(const struct kb_page *page)
{
	return page->meta_title.p ? page->meta_title : page->title;
}

/* Headings that ask, and lines that do where something follows. */
static bool add_document(struct making *m, const struct kb_page *page, struct kb_err *err)
{
	size_t before = m->candidate_count;
	struct kb_parsed parsed = { 0 };
	struct kb_arena arena = { 0 };
	struct kb_sv json;
	bool ok = true;

	add(m, title_of(page), page->id);
	/* Read anew meanwhile, too long, or damaged: it gives none. */
	if (page->text_blob.n
	    && (!kb_blob_read(m->with->blobs, &arena, kb_arena_str(&arena, page->text_blob),
	                      TEXT_MAX, &json, err)
	        || !kb_parsed_read(&arena, json, &parsed, err)))
		ok = !kb_err_info(err->code)->outage;
	for (size_t i = 0; ok && i + 1 < parsed.block_count; i++) {
		const struct kb_block *block = &parsed.blocks[i];

		if (m->candidate_count - before == OF_A_DOCUMENT)
			break;
		if (!block->table && !block->picture && block->type != KB_BLOCK_CODE
		    && parsed.blocks[i + 1].type != KB_BLOCK_HEADING)
			add(m, block->text, page->id);
	}
	kb_arena_fini(&arena);
	return ok;
}

/* ---- whether it is answered ---- */

/* True only for an answer of quotes; *page_id: of its first document. */
static bool is_answered(struct making *m, struct kb_sv question, bool *yes, int64_t *page_id,
                        struct kb_err *err)
{
	const struct kb_answer_request request = {
		.agent = m->agent,
		.settings = &m->settings,
		.session_id = KB_SV(""),
		.conversation_of = m->agent->id,
		.prompt = question,
	};
	struct kb_arena arena = { 0 };
	struct kb_plain plain;
	bool ok;

	*yes = false;
	if (kb_cancelled(m->with->cancel, err))
		return false;
	ok = kb_answer_plain(m->with->answerer, &arena, &request, NULL, &plain, err);
	if (ok) {
		*yes = plain.answer.kind == KB_ANSWER_QUOTES && plain.answer.citation_count > 0;
		*page_id = *yes ? plain.answer.citations[0] : 0;
		kb_plain_release(&plain);
	}
	kb_arena_fini(&arena);
	return ok;
}

/* One of each document before a second one of any. */
static bool ask_all(struct making *m, struct kb_err *err)
{
	struct kb_opening *out = m->out;
	size_t asked = 0;

	for (size_t i = 0; i < m->candidate_count && asked < ASKED_MOST
	                   && out->question_count < KB_OPENING_QUESTIONS;
	     i++, asked++) {
		const struct candidate *candidate = &m->candidates[i];
		int64_t page_id;
		bool yes;

		if (!is_answered(m, candidate->text, &yes, &page_id, err))
			return false;
		if (yes && (!candidate->page_id || candidate->page_id == page_id))
			out->questions[out->question_count++] =
			        (struct kb_opening_question){ candidate->text, page_id };
	}
	return true;
}

static bool ask_titles(struct making *m, const struct kb_page_list *pages, struct kb_err *err)
{
	struct kb_opening *out = m->out;

	for (size_t i = 0, asked = 0;
	     i < pages->count && asked < TITLES_MOST && out->topic_count < KB_OPENING_TOPICS; i++) {
		struct kb_sv title = title_of(&pages->v[i]);
		int64_t page_id;
		bool yes;

		/* A file's name is no topic. */
		if (!title.n || kb_utf8_count(title) > TOPIC_CHARS || kb_starter_fits(title)
		    || kb_sv_eq(title, pages->v[i].filename))
			continue;
		if (!is_answered(m, title, &yes, &page_id, err))
			return false;
		if (yes && page_id == pages->v[i].id)
			out->topics[out->topic_count++] = page_id;
		asked++;
	}
	return true;
}

/* Turns are taken: the first question of each document, then the second. */
static void take_turns(struct making *m)
{
	struct candidate *sorted = KB_NEW_ARRAY(m->arena, CANDIDATES, struct candidate);
	size_t count = 0;

	for (size_t turn = 0; count < m->candidate_count; turn++)
		for (size_t i = 0; i < m->candidate_count; i++) {
			size_t before = 0;

			for (size_t k = 0; k < i; k++)
				before += m->candidates[k].page_id == m->candidates[i].page_id;
			if ((m->candidates[i].page_id ? before : 0) == turn)
				sorted[count++] = m->candidates[i];
		}
	memcpy(m->candidates, sorted, count * sizeof(*sorted));
}

bool kb_opening_make(const struct kb_opening_with *with, struct kb_arena *arena,
                     const struct kb_agent *agent, struct kb_opening *out, struct kb_err *err)
{
	const struct kb_page_filter open = { .list = { .page = 1, .limit = DOCUMENTS },
		                             .search = KB_SV(""),
		                             .crawl = -1,
		                             .index = KB_STATUS_OK,
		                             .unlabelled = true };
	struct making *m = KB_NEW(arena, struct making);
	struct kb_page_list pages;

	*out = (struct kb_opening){ 0 };
	m->with = with;
	m->arena = arena;
	m->agent = agent;
	m->out = out;
	if (!kb_settings_read(arena, agent->settings, &m->settings, err) || !add_asked(m, err)
	    || !kb_store_page_list(with->store, arena, agent->id, &open, &pages, err))
		return false;
	out->documents = pages.total;
	for (size_t i = 0; i < pages.count; i++)
		if (!add_document(m, &pages.v[i], err))
			return false;
	take_turns(m);
	return ask_all(m, err) && ask_titles(m, &pages, err);
}

/* ---- as it is stored ---- */

struct kb_sv kb_opening_text(struct kb_arena *arena, const struct kb_opening *opening)
{
	struct kb_buf buf;
	struct kb_sv out;
	struct kb_jw jw;

	kb_buf_init(&buf, STORED_MAX);
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	kb_jw_key_int(&jw, "documents", opening->documents);
	kb_jw_key(&jw, "questions");
	kb_jw_array(&jw);
	for (size_t i = 0; i < opening->question_count; i++) {
		kb_jw_object(&jw);
		kb_jw_key_sv(&jw, "text", opening->questions[i].text);
		kb_jw_key_int(&jw, "page", opening->questions[i].page_id);
		kb_jw_end(&jw);
	}
	kb_jw_end(&jw);
	kb_jw_key(&jw, "topics");
	kb_jw_array(&jw);
	for (size_t i = 0; i < opening->topic_count; i++)
		kb_jw_int(&jw, opening->topics[i]);
	kb_jw_end(&jw);
	kb_jw_end(&jw);
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

void kb_opening_read(struct kb_arena *arena, struct kb_sv stored, struct kb_opening *out)
{
	const json_t *json = stored.n ? kb_json_parse(arena, stored, NULL) : NULL;
	const json_t *questions = json ? kb_json_get(json, "questions") : NULL;
	const json_t *topics = json ? kb_json_get(json, "topics") : NULL;

	*out = (struct kb_opening){ .documents = kb_json_int(json, "documents", 0) };
	for (size_t i = 0; i < KB_MIN(json_array_size(questions), (size_t)KB_OPENING_QUESTIONS);
	     i++) {
		const json_t *question = json_array_get(questions, i);
		struct kb_sv text = kb_json_sv(question, "text", KB_SV(""));

		if (text.n)
			out->questions[out->question_count++] =
			        (struct kb_opening_question){ text,
				                              kb_json_int(question, "page", 0) };
	}
	for (size_t i = 0; i < KB_MIN(json_array_size(topics), (size_t)KB_OPENING_TOPICS); i++)
		out->topics[out->topic_count++] = json_integer_value(json_array_get(topics, i));
}
