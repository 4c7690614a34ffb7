#include "upkeep/chores.h"

#include <stdatomic.h>

#include "answer/chore.h"
#include "answer/find.h"
#include "answer/mask.h"
#include "answer/notes.h"
#include "base/utf8.h"
#include "index/langid.h"
#include "parse/parse.h"
#include "settings/options.h"
#include "store/personas.h"
#include "store/starters.h"
#include "write/claims.h"

enum {
	LOOK_MS = 1000,
	LEASE_S = 900, /* longer than any request may take */
	/* While answers are being written. */
	POLITE_MS = 250,
	POLITE_TRIES = 40,
	AGAIN_S = 30, /* after the first failure; four times as long after each further one */
	ATTEMPTS = 5,
	PASSAGES = 6, /* that questions to begin with are made of */
	PASSAGE_CHARS = 700,
	PARTS = 4 + 2 * KB_CHORE_MESSAGES + PASSAGES,
	TEXT_MAX = 64 << 20,
};

struct chores {
	struct kb_round round;
	_Atomic int64_t done, useless, failed;
};

/* One chore in hand. */
struct job {
	struct chores *by;
	struct kb_arena arena;
	struct kb_chore chore;
	struct kb_agent agent;
	struct kb_settings settings;
	bool masks;
	struct kb_chore_part parts[PARTS];
	size_t part_count; /* 0: there is nothing to be done */
	struct kb_chore_end end;
};

/* ---- what goes into the request ---- */

static void add_part(struct job *job, const char *label, struct kb_sv text)
{
	if (job->masks && text.n)
		text = kb_mask(&job->arena, text);
	job->parts[job->part_count++] = (struct kb_chore_part){ label, text };
}

/* Whether everybody may find all these documents of the agent. */
static bool are_open(struct job *job, int64_t agent_id, const int64_t *pages, size_t count)
{
	const struct kb_label_filter nobody = { 0 };
	struct kb_live live = { 0 };
	struct kb_pass pass;
	bool open = true;

	if (!count)
		return true;
	if (!kb_catalog_get(job->by->round.config.catalog, agent_id, &live, NULL))
		return false;
	kb_pass_init(&pass, live.access, &job->arena, &nobody);
	for (size_t i = 0; open && i < count; i++)
		open = kb_pass_allows(&pass, pages[i]);
	kb_live_release(&live);
	return open;
}

/* A question, and its answer unless that was made of documents with labels. */
static void add_message(struct job *job, const struct kb_message *message)
{
	size_t count;
	const int64_t *pages = kb_claims_pages(&job->arena, message, &count);
	int64_t agent_id = message->child_id ? message->child_id : job->agent.id;

	add_part(job, "Person", message->query);
	if (!message->failed && are_open(job, agent_id, pages, count))
		add_part(job, "Assistant", message->response);
}

static bool add_messages(struct job *job, struct kb_err *err)
{
	struct kb_message_list list;

	if (!kb_store_chore_messages(job->by->round.config.store, &job->arena, &job->chore, &list,
	                             err))
		return false;
	for (size_t i = 0; i < list.count; i++)
		add_message(job, &list.v[i]);
	return true;
}

static struct kb_sv text_of(struct job *job, const struct kb_parsed *parsed)
{
	struct kb_buf buf;
	struct kb_sv text;

	kb_buf_init(&buf, TEXT_MAX);
	for (size_t i = 0; i < parsed->block_count && buf.n < 4 * KB_CHORE_PART_CHARS; i++) {
		kb_buf_sv(&buf, parsed->blocks[i].text);
		kb_buf_byte(&buf, '\n');
	}
	text = kb_arena_sv(&job->arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return text;
}

static bool add_document(struct job *job, struct kb_err *err)
{
	const struct kb_upkeep_config *config = &job->by->round.config;
	struct kb_parsed parsed;
	struct kb_page page;
	struct kb_sv json;

	if (!kb_store_page_get(config->store, &job->arena, job->agent.id, job->chore.subject, &page,
	                       err))
		return err->code == KB_E_NOT_FOUND;
	if (!page.text_blob.n || !are_open(job, job->agent.id, &page.id, 1))
		return true;
	if (!kb_blob_read(config->blobs, &job->arena, kb_arena_str(&job->arena, page.text_blob),
	                  TEXT_MAX, &json, err)
	    || !kb_parsed_read(&job->arena, json, &parsed, err))
		return false;
	job->end.of = page.text_blob;
	add_part(job, "Title", page.title.n ? page.title : page.filename);
	add_part(job, "Document", text_of(job, &parsed));
	return true;
}

static bool add_persona(struct job *job, struct kb_err *err)
{
	struct kb_store *store = job->by->round.config.store;
	struct kb_notes_input input = { .agent = &job->agent, .settings = &job->settings };
	struct kb_persona persona;

	if (!kb_store_persona_get(store, &job->arena, job->agent.id, job->chore.subject, &persona,
	                          err))
		return err->code == KB_E_NOT_FOUND;
	if (!persona.is_active || !persona.instructions.n)
		return true;
	input.persona = persona.instructions;
	add_part(job, "Description of the assistant", persona.instructions);
	if (job->chore.kind == KB_CHORE_SUMMARY) {
		job->end.slug = kb_sv_str(kb_note_kinds[KB_NOTE_PERSONA_SUMMARY].slug);
		return true;
	}
	job->end.slug = kb_sv_str(kb_note_kinds[KB_NOTE_TASK_PLANNER].slug);
	if (!kb_notes_titles(store, &job->arena, &input, err))
		return false;
	add_part(job, "Notes", kb_note_planner(&job->arena, &input));
	return true;
}

/* What everybody may find of it; without a page, of the documents' own titles. */
static bool add_passages(struct job *job, struct kb_sv about, struct kb_err *err)
{
	const struct kb_find_request find = { .agent_id = job->agent.id,
		                              .settings = &job->settings,
		                              .text = about,
		                              .limit = PASSAGES,
		                              .words_only = true };
	struct kb_findings found;

	if (!kb_find(job->by->round.config.answerer, &job->arena, &find, &found, err))
		return false;
	for (size_t i = 0; i < found.count; i++) {
		const struct kb_passage *passage = &found.v[i].passage;

		add_part(job, "Document",
		         kb_arena_printf(&job->arena, "%.*s\n%.*s", KB_SV_ARG(passage->heading),
		                         KB_SV_ARG(kb_utf8_head(passage->text, PASSAGE_CHARS))));
	}
	return true;
}

/* The titles of what everybody may find, one a line. */
static bool add_titles(struct job *job, struct kb_sv *all, struct kb_err *err)
{
	struct kb_notes_input input = { .agent = &job->agent };
	struct kb_buf buf;

	if (!kb_notes_titles(job->by->round.config.store, &job->arena, &input, err))
		return false;
	kb_buf_init(&buf, TEXT_MAX);
	for (size_t i = 0; i < input.title_count; i++) {
		kb_buf_sv(&buf, input.titles[i]);
		kb_buf_byte(&buf, '\n');
	}
	*all = kb_arena_sv(&job->arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	add_part(job, "Titles of the documents", *all);
	return true;
}

/* Nothing where the documents have nothing on the page. */
static bool add_page_around(struct job *job, struct kb_err *err)
{
	struct kb_starters_page page;
	struct kb_sv titles;
	size_t before;

	if (!job->by->round.config.answerer)
		return true;
	if (!kb_store_starters_page(job->by->round.config.store, &job->arena, job->agent.id,
	                            job->chore.subject, &page, err))
		return err->code == KB_E_NOT_FOUND;
	/* As the visitors': the documents' own, which most of them read. */
	if (!kb_settings_speak_visitors(&job->settings))
		add_part(job, "Language", job->settings.chatbot_msg_lang);
	add_part(job, "Title of the page", page.title);
	add_part(job, "Address of the page", page.address);
	if (!add_titles(job, &titles, err))
		return false;
	before = job->part_count;
	if (!add_passages(job, page.title.n ? page.title : kb_utf8_head(titles, PASSAGE_CHARS),
	                  err))
		return false;
	if (job->part_count == before)
		job->part_count = 0;
	return true;
}

static bool add_parts(struct job *job, struct kb_err *err)
{
	static bool (*const adding[KB_CHORE_KINDS])(struct job *, struct kb_err *) = {
		[KB_CHORE_NAME] = add_messages,        [KB_CHORE_INSIGHT] = add_messages,
		[KB_CHORE_DESCRIPTION] = add_document, [KB_CHORE_SUMMARY] = add_persona,
		[KB_CHORE_PLANNER] = add_persona,      [KB_CHORE_STARTERS] = add_page_around,
	};

	return (unsigned)job->chore.kind >= KB_CHORE_KINDS || adding[job->chore.kind](job, err);
}

/* ---- asking ---- */

/* Questions that visitors see are in their agent's language, as far as that can be told. */
static bool is_in_language(const struct job *job, struct kb_sv text)
{
	enum kb_lang lang = kb_lang_from_code(job->settings.chatbot_msg_lang);
	struct kb_lang_guess guesses[KB_LANG_COUNT];
	size_t count = kb_lang_guesses(text, guesses), at = 0;

	if (lang == KB_LANG_NONE || job->chore.kind != KB_CHORE_STARTERS)
		return true;
	while (at < count && guesses[at].lang != lang)
		at++;
	return at < count && guesses[at].points + 2 * KB_LANG_WORD_POINTS > guesses[0].points;
}

/* Answers that are being written go first. */
static void be_polite(struct chores *by, struct kb_chat_line *line)
{
	struct kb_chat_line_stats stats;

	for (int i = 0; i < POLITE_TRIES; i++) {
		int64_t until =
		        kb_clock_steady_us(by->round.bell.clock) + POLITE_MS * INT64_C(1000);

		kb_chat_line_stats(line, &stats);
		if (stats.placed + stats.waiting == 0 || !kb_bell_rest(&by->round.bell, until))
			return;
	}
}

static void count_spent(struct job *job, const struct kb_model *model,
                        const struct kb_chat_usage *usage)
{
	job->end.spent = (struct kb_model_spent){
		.model = kb_arena_sv(&job->arena, model->id),
		.prompt_tokens = KB_MAX(usage->prompt_tokens, (int64_t)0),
		.completion_tokens = KB_MAX(usage->completion_tokens, (int64_t)0),
		.cost = kb_model_cost(model, usage->prompt_tokens, usage->completion_tokens),
	};
}

static int64_t pause_us(int64_t attempts)
{
	int64_t seconds = AGAIN_S;

	for (int64_t i = 1; i < attempts; i++)
		seconds *= 4;
	return attempts < ATTEMPTS ? seconds * KB_SECOND_US : 0;
}

/* Nobody waits for a chore: whoever does goes first. */
static bool is_heard(void *arg)
{
	(void)arg;
	return false;
}

static void ask(struct job *job, const struct kb_model *model)
{
	struct chores *by = job->by;
	struct kb_chat_result result;
	struct kb_chat_ask request;
	struct kb_sv text;

	kb_chore_ask(&job->arena, job->chore.kind, job->parts, job->part_count, &request);
	request.account_id = job->agent.account_id;
	request.is_heard = is_heard;
	be_polite(by, model->line);
	if (!kb_chat_whole(model->line, &job->arena, &request, KB_CHORE_TEXT_MAX, &text, &result)) {
		job->end.again_us =
		        result.err.code == KB_E_CANCELLED ? 1 : pause_us(job->chore.attempts);
		atomic_fetch_add(&by->failed, 1);
		kb_info(by->round.config.log, "chore failed agent=%" PRId64 " kind=%d error=%s",
		        job->agent.id, (int)job->chore.kind, result.err.msg);
	} else if (result.finish == KB_CHAT_STOP) {
		job->end.text = kb_chore_read(&job->arena, job->chore.kind, text);
		if (job->end.text.p && !is_in_language(job, job->end.text))
			job->end.text = kb_sv(NULL, 0);
	}
	count_spent(job, model, &result.usage);
	if (result.err.code == KB_OK && !job->end.text.p)
		atomic_fetch_add(&by->useless, 1);
}

static bool may_spend(const struct job *job, bool *may, struct kb_err *err)
{
	const struct kb_upkeep_config *config = &job->by->round.config;

	*may = true;
	return !config->may_spend
	       || config->may_spend(config->may_spend_arg, &job->agent, may, err);
}

/* What the chore needs; false: it is tried again later. */
static bool prepare(struct job *job, struct kb_err *err)
{
	struct chores *by = job->by;
	struct kb_agent_options options;
	bool may;

	if (!kb_store_agent_find(by->round.config.store, &job->arena, job->chore.agent_id,
	                         &job->agent, err))
		return err->code == KB_E_NOT_FOUND;
	if (!kb_settings_read(&job->arena, job->agent.settings, &job->settings, err)
	    || !may_spend(job, &may, err))
		return false;
	kb_agent_options_read(&job->arena, job->agent.options, by->round.config.log, &options);
	job->masks = options.is_anonymized;
	return !may || add_parts(job, err);
}

static void do_chore(struct job *job)
{
	struct chores *by = job->by;
	const struct kb_model_set *set = kb_models_in(by->round.config.models, &job->arena);
	const struct kb_model *choices[KB_MODEL_CHOICES_MAX];
	struct kb_err err = { 0 };
	bool ok;

	if (!prepare(job, &err)) {
		job->end.again_us =
		        pause_us(kb_err_info(err.code)->outage ? 1 : job->chore.attempts);
		kb_warn(by->round.config.log, "chore not begun agent=%" PRId64 " kind=%d error=%s",
		        job->chore.agent_id, (int)job->chore.kind, err.msg);
	} else if (job->part_count
	           && kb_model_choose(set, job->settings.chatbot_model, KB_CAPABILITY_FASTEST,
	                              choices)) {
		ask(job, choices[0]);
	}
	while (!(ok = kb_store_chore_end(by->round.config.store, &job->arena, &job->chore,
	                                 &job->end, &err))
	       && kb_err_info(err.code)->outage
	       && kb_bell_rest(&by->round.bell,
	                       kb_clock_steady_us(by->round.config.clock) + KB_SECOND_US))
		;
	if (ok)
		atomic_fetch_add(&by->done, job->end.text.p != NULL);
	else if (err.code != KB_E_CONFLICT)
		kb_warn(by->round.config.log, "chore not ended agent=%" PRId64 " kind=%d error=%s",
		        job->chore.agent_id, (int)job->chore.kind, err.msg);
}

/* Does what is due. */
static void work(struct chores *by)
{
	bool more = true;

	while (more && !kb_bell_is_stopped(&by->round.bell)) {
		struct job job = { .by = by };
		struct kb_err err;

		more = kb_store_chore_lease(by->round.config.store, LEASE_S * KB_SECOND_US,
		                            &job.chore, &err);
		if (!more)
			kb_warn(by->round.config.log, "no chore leased error=%s", err.msg);
		more = more && job.chore.agent_id;
		if (more)
			do_chore(&job);
		kb_arena_fini(&job.arena);
	}
}

static void go(struct kb_round *round)
{
	work(KB_OUTER(round, struct chores, round));
}

struct kb_round *kb_chores_start(const struct kb_upkeep_config *config)
{
	static const struct kb_round_kind kind = { "chores", LOOK_MS, sizeof(struct chores), go };

	return config->models ? kb_round_start(&kind, config) : NULL;
}

void kb_chores_stats(struct kb_round *round, struct kb_chore_stats *out)
{
	struct chores *by;

	*out = (struct kb_chore_stats){ 0 };
	if (!round)
		return;
	by = KB_OUTER(round, struct chores, round);
	*out = (struct kb_chore_stats){ .done = atomic_load(&by->done),
		                        .useless = atomic_load(&by->useless),
		                        .failed = atomic_load(&by->failed) };
}
