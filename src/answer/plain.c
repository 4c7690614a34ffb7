/* The steps of one answer. What is searched for and found is steps.c, what ranks sentences
 * select.c, what builds the query question.c. */
#include "answer/plain.h"

#include <string.h>

#include "answer/answerer_impl.h"
#include "answer/guard.h"
#include "answer/layout.h"
#include "answer/notes.h"
#include "answer/persona.h"
#include "answer/phrases.h"
#include "answer/searched.h"
#include "answer/smalltalk.h"
#include "answer/verified.h"
#include "base/utf8.h"
#include "index/outline.h"
#include "store/pages.h"
#include "store/sources.h"

enum {
	TOPICS_SHOWN = 8,  /* document titles in an overview */
	TOPICS_READ = 50,  /* documents looked at in one step */
	TOPICS_READS = 40, /* steps: labels may hide many */
	TOPICS_TRIES = 5,
	SECTIONS_SHOWN = 6, /* of each document in an overview */
	FIRST_CHARS = 80,   /* of a document that has no title of its own */
	EXAMPLES_SHOWN = 3,
};

/* One answer on its way. */
struct run {
	struct kb_answerer *answerer;
	struct kb_arena *arena;
	const struct kb_answer_request *request;
	const struct kb_answer_listener *listener; /* NULL: none */
	struct kb_analyzer *analyzer;
	struct kb_live *live;
	enum kb_smalltalk talk;
	enum kb_lang talk_lang;
	struct kb_steps *steps;
	struct kb_candidate *candidates; /* of all steps that answered */
	struct kb_buf text;
	struct kb_answer *out;
};

/* Appends to the answer's text and hands it on. */
static void say(struct run *run, struct kb_sv fragment)
{
	kb_buf_sv(&run->text, fragment);
	if (run->listener && fragment.n)
		run->listener->take(run->listener->arg, fragment);
}

/* ---- generate and cite ---- */

/* The number of a page among the citations, from 1; a page that is new to them goes to their end.
 */
static size_t cite(struct kb_answer *out, int64_t page_id)
{
	for (size_t i = 0; i < out->citation_count; i++)
		if (out->citations[i] == page_id)
			return i + 1;
	out->citations[out->citation_count++] = page_id;
	return out->citation_count;
}

static void quote(struct run *run, const struct kb_answer_part *parts, size_t count)
{
	enum kb_citations mode = kb_settings_citations(run->request->settings);
	bool markers = run->request->inline_citations
	               && (mode == KB_CITATIONS_INLINE || mode == KB_CITATIONS_BOTH);
	struct kb_layout layout = { .candidates = run->candidates };
	struct kb_answer *out = run->out;

	out->kind = KB_ANSWER_QUOTES;
	out->quotes = KB_NEW_ARRAY(run->arena, count, struct kb_quote);
	out->citations = KB_NEW_ARRAY(run->arena, count, int64_t);
	for (size_t i = 0; i < count; i++) {
		const struct kb_answer_part *part = &parts[i];
		const struct kb_passage *passage = &run->candidates[part->candidate].passage;
		struct kb_sv sentence = kb_outguard_quote(
		        run->arena, kb_sv_sub(passage->text, part->start, part->end - part->start));
		struct kb_sv gap = kb_layout_gap(&layout, run->arena, part,
		                                 i ? out->quotes[i - 1].text : KB_SV(""));
		bool foreign = kb_attached_is_page(passage->page_id);
		size_t number = foreign ? 0 : cite(out, passage->page_id);
		bool last = i + 1 == count || !kb_layout_goes_on(run->candidates, part, part + 1);
		struct kb_sv close = kb_layout_close(&layout, run->arena, last ? NULL : part + 1);
		struct kb_sv more = last ? kb_layout_more(part) : KB_SV("");
		struct kb_sv fragment =
		        kb_arena_printf(run->arena, "%.*s%.*s%.*s%.*s", KB_SV_ARG(gap),
		                        KB_SV_ARG(sentence), KB_SV_ARG(close), KB_SV_ARG(more));

		/* One marker closes the sentences that stand together; code it stands behind. */
		if (markers && last && !foreign)
			fragment = kb_arena_printf(run->arena, "%.*s%s[%zu]", KB_SV_ARG(fragment),
			                           close.n && !more.n ? "\n\n" : " ", number);
		out->quotes[out->quote_count++] = (struct kb_quote){
			.at = run->text.n + gap.n,
			.page_id = passage->page_id,
			.page_no = passage->page_no,
			.offset = passage->offset + part->start,
			.said = part->end - part->start,
			.text = sentence,
			.title = passage->title,
			.heading = passage->heading,
		};
		say(run, fragment);
	}
	if (mode == KB_CITATIONS_NONE)
		out->citation_count = 0;
}

static void refuse(struct run *run)
{
	run->out->kind = KB_ANSWER_NONE;
	say(run,
	    kb_settings_text_in(run->request->settings, run->request->lang, KB_TEXT_NO_ANSWER));
}

/* Whether an earlier step says the same words of the same document. */
static bool is_said(const struct run *run, const struct kb_answer_part *parts, size_t count,
                    const struct kb_passage *passage, const struct kb_answer_part *part)
{
	for (size_t i = 0; i < count; i++) {
		const struct kb_passage *other = &run->candidates[parts[i].candidate].passage;

		if (kb_sv_eq(kb_sv_sub(other->text, parts[i].start, parts[i].end - parts[i].start),
		             kb_sv_sub(passage->text, part->start, part->end - part->start)))
			return true;
	}
	return false;
}

/* The sentences of all steps, in the order of the question's parts, each once. */
static void gather(struct run *run, struct kb_answer_part **out, size_t *count)
{
	size_t candidates = 0, parts = 0, from = 0;

	for (size_t i = 0; i < run->steps->count; i++) {
		candidates += run->steps->v[i].candidate_count + run->steps->v[i].joined_count;
		parts += run->steps->v[i].part_count;
	}
	run->candidates = KB_NEW_ARRAY(run->arena, candidates, struct kb_candidate);
	*out = KB_NEW_ARRAY(run->arena, parts, struct kb_answer_part);
	*count = 0;
	for (size_t i = 0; i < run->steps->count; i++) {
		const struct kb_answer_step *step = &run->steps->v[i];
		size_t earlier = *count; /* within a step a line of code may come again */

		for (size_t k = 0; k < step->candidate_count + step->joined_count; k++)
			run->candidates[from + k] = step->candidates[k];
		for (size_t k = 0; k < step->part_count; k++) {
			struct kb_answer_part part = step->parts[k];

			if (is_said(run, *out, earlier, &step->candidates[part.candidate].passage,
			            &part))
				continue;
			part.candidate += (uint32_t)from;
			(*out)[(*count)++] = part;
		}
		from += step->candidate_count + step->joined_count;
	}
}

/* Which of the sides that are compared the documents do not have. */
static void say_missing(struct run *run)
{
	enum kb_lang lang = kb_lang_from_code(run->request->lang);

	if (lang == KB_LANG_NONE)
		lang = run->steps->v[0].question.lang;
	for (size_t i = 0; i < run->steps->count; i++) {
		struct kb_sv side = kb_outguard_quote(run->arena, run->steps->v[i].missing);

		if (side.n)
			say(run, kb_arena_printf(
			                 run->arena, "\n\n%.*s",
			                 KB_SV_ARG(kb_phrase_with(run->arena, lang,
			                                          KB_PHRASE_MISSING, &side, 1))));
	}
}

static void generate(struct run *run)
{
	struct kb_conflict_list found;
	struct kb_answer_part *parts;
	size_t count;

	gather(run, &parts, &count);
	if (count) {
		quote(run, parts, count);
		say_missing(run);
		kb_steps_conflicts(run->arena, run->steps, run->request->settings, &found);
		kb_answer_conflicts(run->arena, &found, run->out);
		return;
	}
	refuse(run);
	kb_closest_find(run->arena, run->steps, run->request->settings, &run->out->closest);
}

/* ---- small talk and the agent itself ---- */

static void say_list(struct run *run, enum kb_phrase intro, const struct kb_sv *items, size_t count)
{
	if (count == 0)
		return;
	say(run,
	    kb_arena_printf(run->arena, "\n\n%.*s", KB_SV_ARG(kb_phrase(run->talk_lang, intro))));
	for (size_t i = 0; i < count; i++)
		say(run, kb_arena_printf(run->arena, "\n- %.*s", KB_SV_ARG(items[i])));
}

/* Has the access that knows the labels of what is read next, or of what was read before: until
 * nothing was published in between. */
static bool hold(struct run *run, struct kb_err *err)
{
	kb_live_release(run->live);
	return kb_catalog_get(run->answerer->catalog, run->request->agent->id, run->live, err);
}

static bool held(struct run *run, bool *ok, struct kb_err *err)
{
	int64_t version;

	if (!kb_store_index_version(run->answerer->store, run->request->agent->id, &version, err))
		return false;
	*ok = version == run->live->version;
	return true;
}

/* Reads a step of the documents together with the access that knows their labels. Where something
 * is published all the time, it gives no documents. */
static bool read_pages(struct run *run, const struct kb_page_filter *filter,
                       struct kb_page_list *pages, struct kb_err *err)
{
	bool ok = false;

	for (int i = 0; i < TOPICS_TRIES && !ok; i++)
		if (!hold(run, err)
		    || !kb_store_page_list(run->answerer->store, run->arena,
		                           run->request->agent->id, filter, pages, err)
		    || !held(run, &ok, err))
			return false;
	if (!ok)
		*pages = (struct kb_page_list){ 0 };
	return true;
}

/* The same of the newest documents of uploads, and of each of the newest websites. */
static bool read_sources(struct run *run, struct kb_page_list **lists, size_t *count,
                         struct kb_err *err)
{
	struct kb_store *store = run->answerer->store;
	struct kb_source_list sources;
	bool ok = false;

	*lists = KB_NEW_ARRAY(run->arena, TOPICS_SHOWN, struct kb_page_list);
	for (int i = 0; i < TOPICS_TRIES && !ok; i++) {
		*count = 0;
		if (!hold(run, err)
		    || !kb_store_source_list(store, run->arena, run->request->agent->id, &sources,
		                             err))
			return false;
		/* The first is that of uploads, which are there from the beginning. */
		for (size_t j = 0; j < sources.count && *count < TOPICS_SHOWN; j++)
			if (!kb_store_source_pages(store, run->arena,
			                           &sources.v[j ? sources.count - j : 0],
			                           TOPICS_READ, &(*lists)[(*count)++], err))
				return false;
		if (!held(run, &ok, err))
			return false;
	}
	if (!ok)
		*count = 0;
	return true;
}

/* The last heading of a path. */
static struct kb_sv section_name(struct kb_sv path)
{
	struct kb_sv mark = KB_SV(" > ");
	ptrdiff_t at;

	while ((at = kb_sv_find(path, mark)) >= 0)
		path = kb_sv_from(path, (size_t)at + mark.n);
	return path;
}

/* "Title (Section, Section, ...)"; a heading that repeats the title is no section. */
static bool describe(struct run *run, const struct kb_page *page, struct kb_sv title,
                     struct kb_sv *out, struct kb_err *err)
{
	struct kb_sv list = KB_SV("");
	struct kb_sections sections;
	size_t named = 0;

	if (!kb_snapshot_sections(run->live->snapshot, run->arena, page->id, SECTIONS_SHOWN,
	                          &sections, err))
		return false;
	for (size_t i = 0; i < sections.count; i++) {
		struct kb_sv name = section_name(sections.v[i]);

		if (kb_sv_eq(name, title) || kb_sv_eq(name, page->title))
			continue;
		list = kb_arena_printf(run->arena, "%.*s%s%.*s", KB_SV_ARG(list),
		                       named++ ? ", " : "", KB_SV_ARG(name));
	}
	*out = title;
	if (named)
		*out = kb_arena_printf(run->arena, "%.*s (%.*s%s)", KB_SV_ARG(title),
		                       KB_SV_ARG(list), sections.more ? ", …" : "");
	return true;
}

/* A document without a title has its file's name or its address in the title's place. */
static bool names_source(const struct kb_page *page, struct kb_sv title)
{
	return kb_sv_eq(title, page->filename) || kb_sv_eq(title, page->url);
}

/* What a document is called; empty: nothing that may be said. Where sources are hidden, one without
 * a title is known by its first words. */
static struct kb_sv title_of(const struct run *run, const struct kb_page *page)
{
	struct kb_sv title = page->meta_title.n ? page->meta_title
	                     : page->title.n    ? page->title
	                                        : page->filename;
	struct kb_sv words = page->meta_description.n ? page->meta_description : page->description;

	if (!run->request->settings->hide_sources_from_responses.v || !names_source(page, title))
		return title;
	title = kb_utf8_head(words, FIRST_CHARS);
	return title.n == words.n
	               ? title
	               : kb_arena_printf(run->arena, "%.*s…", KB_SV_ARG(kb_sv_trim(title)));
}

/* Counts of what the request may find: a hidden document is in no figure. */
static void say_counts(struct run *run, struct kb_pass *pass)
{
	struct kb_snapshot_size size;
	struct kb_sv values[2];

	kb_snapshot_size(run->live->snapshot, pass->all_open ? NULL : kb_pass_allows, pass, &size);
	if (!size.pages)
		return;
	values[0] = kb_arena_printf(run->arena, "%" PRId64, size.pages);
	values[1] = kb_arena_printf(run->arena, "%" PRId64, size.passages);
	say(run, kb_arena_printf(run->arena, "\n\n%.*s",
	                         KB_SV_ARG(kb_phrase_with(run->arena, run->talk_lang,
	                                                  KB_PHRASE_COUNTS, values, 2))));
}

/* What an overview has come to. */
struct topics {
	struct kb_pass pass;
	struct kb_sv titles[TOPICS_SHOWN], lines[TOPICS_SHOWN];
	size_t shown;
};

/* Whether the overview names the page: one that may be found, and has a title of its own. */
static bool take_topic(struct run *run, struct topics *topics, const struct kb_page *page,
                       bool *took, struct kb_err *err)
{
	struct kb_sv title = title_of(run, page), *line = &topics->lines[topics->shown];

	*took = false;
	if (title.n == 0 || page->index != KB_STATUS_OK || !kb_pass_allows(&topics->pass, page->id))
		return true;
	for (size_t i = 0; i < topics->shown; i++)
		if (kb_sv_eq(topics->titles[i], title))
			return true;
	if (!describe(run, page, title, line, err))
		return false;
	*line = kb_outguard_quote(run->arena, *line);
	topics->titles[topics->shown++] = title;
	*took = true;
	return true;
}

/* Of each source in turn its newest: a website that was read last hides no file. */
static bool take_in_turns(struct run *run, struct topics *topics, const struct kb_page_list *lists,
                          size_t count, struct kb_err *err)
{
	size_t *next = KB_NEW_ARRAY(run->arena, count, size_t);
	bool any = true;

	while (any && topics->shown < TOPICS_SHOWN) {
		any = false;
		for (size_t i = 0; i < count && topics->shown < TOPICS_SHOWN; i++) {
			bool took = false;

			while (!took && next[i] < lists[i].count)
				if (!take_topic(run, topics, &lists[i].v[next[i]++], &took, err))
					return false;
			any = any || took;
		}
	}
	return true;
}

/* Titles and sections of documents that the request may find, each once; and counts. */
static bool say_topics(struct run *run, struct kb_err *err)
{
	struct kb_page_filter filter = { .list = { .page = 1, .limit = TOPICS_READ },
		                         .crawl = -1,
		                         .index = KB_STATUS_OK };
	struct topics topics = { .shown = 0 };
	struct kb_page_list pages, *lists;
	size_t count;

	if (!read_sources(run, &lists, &count, err))
		return false;
	kb_pass_init(&topics.pass, run->live->access, run->arena, &run->request->labels);
	if (!take_in_turns(run, &topics, lists, count, err))
		return false;
	/* Where labels hide the newest of them, what is behind those. */
	while (topics.shown < TOPICS_SHOWN && filter.list.page <= TOPICS_READS) {
		bool took;

		if (!read_pages(run, &filter, &pages, err))
			return false;
		kb_pass_init(&topics.pass, run->live->access, run->arena, &run->request->labels);
		for (size_t i = 0; i < pages.count && topics.shown < TOPICS_SHOWN; i++)
			if (!take_topic(run, &topics, &pages.v[i], &took, err))
				return false;
		if (!pages.count)
			break;
		filter.list.page++;
	}
	say_list(run, KB_PHRASE_TOPICS, topics.lines, topics.shown);
	if (topics.shown)
		say_counts(run, &topics.pass);
	return true;
}

static bool say_name(struct run *run, bool *said, struct kb_err *err)
{
	struct kb_sv name;

	*said = false;
	if (!kb_answer_asker(run->answerer->store, run->arena, run->request, &name, err))
		return false;
	if (!name.n)
		return true;
	run->out->kind = KB_ANSWER_SMALLTALK;
	say(run, kb_phrase_with(run->arena, run->talk_lang, KB_PHRASE_NAME, &name, 1));
	*said = true;
	return true;
}

/* In the words of the persona, or of the summary that the message gives of it. */
static struct kb_sv introduction(const struct run *run, bool purpose)
{
	const struct kb_note_override *notes = run->request->notes;
	struct kb_sv persona = run->request->settings->persona_instructions, intro = KB_SV("");
	enum kb_lang lang = run->talk_lang == KB_LANG_NONE ? KB_LANG_EN : run->talk_lang;

	if (notes && notes[KB_NOTE_PERSONA_SUMMARY].given)
		intro = kb_persona_intro(run->arena, notes[KB_NOTE_PERSONA_SUMMARY].text, lang,
		                         purpose);
	return intro.n ? intro : kb_persona_intro(run->arena, persona, lang, purpose);
}

/* Bytes of the phrase's first exclamation ("Hello!"), with the blank behind it. */
static size_t exclamation(struct kb_sv phrase)
{
	static const char *const marks[] = { "! ", "！" };

	for (size_t i = 0; i < KB_COUNTOF(marks); i++) {
		ptrdiff_t at = kb_sv_find(phrase, kb_sv_str(marks[i]));

		if (at >= 0)
			return (size_t)at + strlen(marks[i]);
	}
	return 0;
}

/* "Hello! I am Gustav. What would you like to know?" */
static void greet(struct run *run)
{
	struct kb_sv phrase = kb_phrase(run->talk_lang, KB_PHRASE_GREETING);
	struct kb_sv intro = introduction(run, false);
	size_t at = intro.n ? exclamation(phrase) : 0;

	if (intro.n)
		phrase = kb_arena_printf(run->arena, "%.*s%.*s%s%.*s",
		                         KB_SV_ARG(kb_sv_sub(phrase, 0, at)), KB_SV_ARG(intro),
		                         run->talk_lang == KB_LANG_ZH ? "" : " ",
		                         KB_SV_ARG(kb_sv_from(phrase, at)));
	say(run, phrase);
}

/* Who it is, what it does, and how. */
static void say_itself(struct run *run)
{
	struct kb_sv intro = introduction(run, true);

	say(run, intro);
	if (intro.n && run->talk_lang != KB_LANG_ZH)
		say(run, KB_SV(" "));
	say(run, kb_phrase(run->talk_lang, KB_PHRASE_ABILITY));
}

static bool talk(struct run *run, struct kb_err *err)
{
	static const enum kb_phrase phrases[KB_TALK_COUNT] = {
		[KB_TALK_GREETING] = KB_PHRASE_GREETING,
		[KB_TALK_THANKS] = KB_PHRASE_THANKS,
		[KB_TALK_BYE] = KB_PHRASE_BYE,
		[KB_TALK_HOW_ARE_YOU] = KB_PHRASE_HOW_ARE_YOU,
		[KB_TALK_ACK] = KB_PHRASE_ACK,
		[KB_TALK_META] = KB_PHRASE_ABILITY,
		[KB_TALK_TOPICS] = KB_PHRASE_ABILITY,
	};
	const struct kb_settings *settings = run->request->settings;
	bool about_itself = run->talk == KB_TALK_META || run->talk == KB_TALK_TOPICS;
	struct kb_sv examples[EXAMPLES_SHOWN];
	size_t count = 0;
	bool aware = kb_action_on(run->request, KB_ACTION_OVERVIEW,
	                          settings->enable_agent_knowledge_base_awareness);

	if (run->talk == KB_TALK_TOPICS && !aware) {
		refuse(run);
		return true;
	}
	run->out->kind = about_itself ? KB_ANSWER_OVERVIEW : KB_ANSWER_SMALLTALK;
	if (run->talk == KB_TALK_BYE && settings->ending_message.n)
		say(run, settings->ending_message);
	else if (run->talk == KB_TALK_GREETING)
		greet(run);
	else if (run->talk == KB_TALK_META)
		say_itself(run);
	else
		say(run, kb_phrase(run->talk_lang, phrases[run->talk]));
	if (!about_itself)
		return true;
	if (aware && !say_topics(run, err))
		return false;
	for (; count < settings->example_questions.count && count < EXAMPLES_SHOWN; count++)
		examples[count] = settings->example_questions.v[count];
	say_list(run, KB_PHRASE_EXAMPLES, examples, count);
	return true;
}

/* ---- all of it ---- */

static bool answer_from_documents(struct run *run, struct kb_err *err)
{
	struct kb_answer_job job = { run->answerer, run->analyzer, run->arena };
	struct kb_steps *steps = run->steps;
	struct kb_sv checked;

	if (!kb_searched_take(run->request, run->live, steps)
	    && !kb_steps_take(&job, run->request, run->live, steps, err))
		return false;
	run->out->confidence = steps->confidence;
	run->out->retrieve_us = steps->retrieve_us;
	run->out->rank_us = steps->rank_us;
	run->out->steps = steps->count;
	run->out->lang = steps->v[0].question.lang;
	run->out->type = steps->v[0].question.type;
	if (!kb_verified_answer(&job, run->request, steps, run->out, &checked, err))
		return false;
	if (checked.n)
		say(run, checked);
	else
		generate(run);
	return true;
}

/* What is said without looking anything up, or else the documents' answer. */
static bool answer_prompt(struct run *run, struct kb_err *err)
{
	enum kb_lang own =
	        kb_lang_from_code(run->request->lang.n ? run->request->lang
	                                               : run->request->settings->chatbot_msg_lang);
	bool said;

	run->talk = kb_smalltalk(run->request->prompt, own, &run->talk_lang);
	run->out->lang = run->talk_lang;
	if (run->request->lang.n || run->talk_lang == KB_LANG_NONE)
		run->talk_lang = own;
	if (run->talk == KB_TALK_NAME) {
		if (!say_name(run, &said, err))
			return false;
		return said || answer_from_documents(run, err);
	}
	return run->talk == KB_TALK_NONE ? answer_from_documents(run, err) : talk(run, err);
}

/* Whether the operator's list holds the prompt; the answer is then the refusal. */
static bool moderate(struct run *run)
{
	struct kb_block_list *list = run->answerer->blocked;

	if (!list || !kb_block_list_hits(list, run->request->prompt))
		return false;
	run->out->kind = KB_ANSWER_MODERATED;
	say(run, kb_settings_text_in(run->request->settings, run->request->lang,
	                             KB_TEXT_FAILED_MODERATION));
	return true;
}

bool kb_answer_plain(struct kb_answerer *answerer, struct kb_arena *arena,
                     const struct kb_answer_request *request,
                     const struct kb_answer_listener *listener, struct kb_plain *out,
                     struct kb_err *err)
{
	enum { ANSWER_MAX = 4 << 20 };
	struct run run = { .answerer = answerer,
		           .arena = arena,
		           .request = request,
		           .listener = listener,
		           .live = &out->live,
		           .steps = &out->steps,
		           .out = &out->answer };
	struct kb_sv text;
	bool ok;

	*out = (struct kb_plain){ 0 };
	kb_buf_init(&run.text, ANSWER_MAX);
	run.analyzer = kb_analyzer_borrow(answerer);
	ok = moderate(&run) || answer_prompt(&run, err);
	kb_analyzer_give_back(answerer, run.analyzer);
	/* The next question opens it with every check. */
	if (!ok && err->code == KB_E_CORRUPT)
		kb_catalog_forget(answerer->catalog, request->agent->id);
	ok = ok && kb_buf_done(&run.text, &text, err);
	if (ok)
		out->answer.text = kb_arena_sv(arena, text);
	else
		kb_plain_release(out);
	kb_buf_fini(&run.text);
	return ok;
}

void kb_plain_release(struct kb_plain *plain)
{
	kb_snapshot_release(plain->steps.searched);
	plain->steps.searched = NULL;
	kb_live_release(&plain->live);
	plain->live = (struct kb_live){ 0 };
}
