/*
 * Sub-personas: short texts made from an agent's persona for the steps beside the answer itself.
 *
 *   persona-summary   the persona in its most telling sentences
 *   task-planner      which of the agent's actions fits which question, from its documents' titles
 *                     and its settings
 *
 * Both are made by rule, without a model: what they say stands in the persona, the titles or the
 * settings. The texts are pure functions; the job makes them in the background for every persona
 * version that has none yet, and again when documents have changed.
 */
#ifndef KB_ANSWER_NOTES_H
#define KB_ANSWER_NOTES_H

#include "index/analysis.h"
#include "settings/settings.h"
#include "store/personas.h"

enum kb_agent_note { KB_NOTE_PERSONA_SUMMARY, KB_NOTE_TASK_PLANNER, KB_NOTE_COUNT };

struct kb_note_kind {
	const char *slug, *title;
};
extern const struct kb_note_kind kb_note_kinds[KB_NOTE_COUNT];
/* KB_NOTE_COUNT: no such slug. */
enum kb_agent_note kb_note_of(struct kb_sv slug);

struct kb_notes_input {
	const struct kb_agent *agent;
	const struct kb_settings *settings;
	struct kb_sv persona;       /* of the version; p == NULL: none */
	const struct kb_sv *titles; /* of some of its documents */
	size_t title_count;
	int64_t documents; /* in all */
};

/* Fills documents and titles: of the newest documents that can be found without a label, each title
 * once. What a label hides is in no text that is made for everybody. */
bool kb_notes_titles(struct kb_store *store, struct kb_arena *arena, struct kb_notes_input *input,
                     struct kb_err *err) KB_MUST_CHECK;

struct kb_sv kb_note_summary(struct kb_analyzer *analyzer, struct kb_arena *arena,
                             const struct kb_notes_input *input);
struct kb_sv kb_note_planner(struct kb_arena *arena, const struct kb_notes_input *input);

/* The thread that makes them. What is to be done stands in the store, so a crash loses nothing. */
struct kb_notes_job;
struct kb_notes_job *kb_notes_start(struct kb_store *store, const struct kb_log *log);
/* A persona or documents changed: look now rather than at the next poll. Never blocks; NULL is
 * fine. */
void kb_notes_wake(struct kb_notes_job *job);
void kb_notes_stop(struct kb_notes_job *job);

#endif
