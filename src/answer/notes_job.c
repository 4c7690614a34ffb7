/* The background thread that keeps every persona version's sub-personas made. */
#include <stdlib.h>

#include "answer/notes.h"
#include "base/bell.h"
#include "base/pool.h"
#include "out/link.h"
#include "store/pages.h"
#include "store/work.h"

enum {
	POLL_S = 5,
	TITLES = 60,
	PAUSE_AFTER_FAILURE_S = 1,
	LEASE_S = 60,
	CHORES_IN_S = 600, /* documents mostly change several at a time */
};

struct kb_notes_job {
	struct kb_store *store;
	const struct kb_log *log;
	pthread_t thread;
	struct kb_bell bell;
};

bool kb_notes_titles(struct kb_store *store, struct kb_arena *arena, struct kb_notes_input *input,
                     struct kb_err *err)
{
	struct kb_page_filter filter = { .list = { .page = 1, .limit = TITLES },
		                         .crawl = -1,
		                         .index = KB_STATUS_OK,
		                         .unlabelled = true };
	struct kb_page_list pages;
	struct kb_sv *titles;

	if (!kb_store_page_list(store, arena, input->agent->id, &filter, &pages, err))
		return false;
	input->documents = pages.total;
	titles = KB_NEW_ARRAY(arena, pages.count, struct kb_sv);
	for (size_t i = 0; i < pages.count; i++) {
		const struct kb_page *page = &pages.v[i];
		struct kb_sv title = page->meta_title.n ? page->meta_title
		                     : page->title.n    ? page->title
		                     : page->filename.n ? page->filename
		                                        : kb_link_shown(arena, page->url);
		bool seen = false;

		for (size_t j = 0; j < input->title_count; j++)
			seen = seen || kb_sv_eq(titles[j], title);
		if (!seen)
			titles[input->title_count++] = title;
	}
	input->titles = titles;
	return true;
}

static bool make(struct kb_notes_job *job, struct kb_analyzer *analyzer, struct kb_arena *arena,
                 const struct kb_persona *persona, struct kb_err *err)
{
	static const enum kb_chore_kind chores[KB_NOTE_COUNT] = {
		[KB_NOTE_PERSONA_SUMMARY] = KB_CHORE_SUMMARY,
		[KB_NOTE_TASK_PLANNER] = KB_CHORE_PLANNER,
	};
	struct kb_sub_persona notes[KB_NOTE_COUNT] = { 0 };
	struct kb_notes_new put;
	struct kb_settings settings;
	struct kb_agent agent;
	struct kb_notes_input input = { .agent = &agent,
		                        .settings = &settings,
		                        .persona = persona->instructions };

	/* The agent's row comes first: what changes after it was read makes the texts stale. */
	if (!kb_store_agent_find(job->store, arena, persona->agent_id, &agent, err))
		return err->code == KB_E_NOT_FOUND; /* deleted, its personas with it */
	if (!kb_settings_read(arena, agent.settings, &settings, err)) {
		kb_warn(job->log, "sub-personas made without settings agent=%" PRId64 " error=%s",
		        agent.id, err->msg);
		kb_settings_defaults(&settings); /* one damaged row does not stop the others */
	}
	if (!kb_notes_titles(job->store, arena, &input, err))
		return false;
	for (int i = 0; i < KB_NOTE_COUNT; i++) {
		notes[i].slug = kb_sv_str(kb_note_kinds[i].slug);
		notes[i].title = kb_sv_str(kb_note_kinds[i].title);
	}
	notes[KB_NOTE_TASK_PLANNER].instructions = kb_note_planner(arena, &input);
	put = (struct kb_notes_new){ .agent_id = agent.id,
		                     .version = persona->version,
		                     .index_version = agent.index_version,
		                     .v = notes,
		                     .count = KB_NOTE_COUNT };
	/* Documents say nothing of the persona: its summary stays when they change. */
	if (persona->notes == KB_NOTES_STALE) {
		put.v = &notes[KB_NOTE_TASK_PLANNER];
		put.count = 1;
	} else {
		notes[KB_NOTE_PERSONA_SUMMARY].instructions =
		        kb_note_summary(analyzer, arena, &input);
	}
	if (persona->is_active && input.documents && persona->instructions.n) {
		put.chores = &chores[put.v - notes];
		put.chores_in_us =
		        persona->notes == KB_NOTES_STALE ? CHORES_IN_S * KB_SECOND_US : 0;
	}
	return kb_store_notes_put(job->store, &put, err);
}

/* Unless another node makes those of the agent. */
static bool make_alone(struct kb_notes_job *job, struct kb_analyzer *analyzer,
                       struct kb_arena *arena, const struct kb_persona *persona, struct kb_err *err)
{
	struct kb_work work = { .kind = KB_WORK_NOTES, .agent_id = persona->agent_id };
	bool taken, ok;

	if (!kb_store_work_take(job->store, &work, LEASE_S * KB_SECOND_US, &taken, err))
		return false;
	if (!taken)
		return true;
	ok = make(job, analyzer, arena, persona, err);
	kb_store_work_done(job->store, &work);
	return ok;
}

/* Makes all that is to be made. */
static bool work(struct kb_notes_job *job, struct kb_analyzer *analyzer)
{
	bool ok = true, more = true;

	while (ok && more && !kb_bell_is_stopped(&job->bell)) {
		struct kb_arena arena = { 0 };
		struct kb_persona persona;
		struct kb_err err = { 0 };

		ok = kb_store_notes_next(job->store, &arena, &persona, &err);
		more = ok && persona.version > 0;
		if (more)
			ok = make_alone(job, analyzer, &arena, &persona, &err);
		if (!ok)
			kb_warn(job->log, "sub-personas not made error=%s", err.msg);
		kb_arena_fini(&arena);
	}
	return ok;
}

static bool wait_for_work(struct kb_notes_job *job, uint64_t *heard, int seconds)
{
	return kb_bell_wait(&job->bell, heard, kb_clock_steady_us(NULL) + seconds * KB_SECOND_US);
}

static void *run(void *arg)
{
	struct kb_notes_job *job = arg;
	struct kb_analyzer *analyzer = kb_analyzer_new();
	uint64_t heard = 0;

	do {
		while (!work(job, analyzer) && wait_for_work(job, &heard, PAUSE_AFTER_FAILURE_S))
			;
	} while (wait_for_work(job, &heard, POLL_S));
	kb_analyzer_free(analyzer);
	return NULL;
}

struct kb_notes_job *kb_notes_start(struct kb_store *store, const struct kb_log *log)
{
	struct kb_notes_job *job = kb_xcalloc(1, sizeof(*job));

	job->store = store;
	job->log = log;
	kb_bell_init(&job->bell, NULL);
	job->thread = kb_thread_start("notes", run, job);
	return job;
}

void kb_notes_wake(struct kb_notes_job *job)
{
	if (job)
		kb_bell_ring(&job->bell);
}

void kb_notes_stop(struct kb_notes_job *job)
{
	if (!job)
		return;
	kb_bell_stop(&job->bell);
	pthread_join(job->thread, NULL);
	kb_bell_fini(&job->bell);
	free(job);
}
