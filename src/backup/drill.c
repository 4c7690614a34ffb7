#include "backup/drill.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/plain.h"
#include "backup/restore.h"
#include "backup/take.h"
#include "base/crew.h"
#include "base/temp.h"
#include "store/conversations.h"
#include "store/labels.h"
#include "store/move.h"
#include "store/pages.h"
#include "store/repairs.h"
#include "store/segments.h"

enum {
	READERS = 6,
	AGENTS_AT_ONCE = 200,
	TALKS = 5,     /* the newest of an agent, of whose questions one may be asked again */
	MESSAGES = 20, /* of a talk */
	TITLES = 20,   /* of documents */
	TRIES = 8,     /* questions that are asked before it is said that nothing is answered */
	OPEN_BYTES = 64 << 20,
};

struct drilling {
	struct kb_drill *drill;
	struct kb_backup_record *record;
	struct kb_store *store;
	char dir[KB_TEMP_PATH];
	pthread_mutex_t lock;
};

static void find(struct drilling *d, const char *fmt, ...) KB_PRINTF(2, 3);

static void find(struct drilling *d, const char *fmt, ...)
{
	char text[1000];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	pthread_mutex_lock(&d->lock);
	d->drill->findings++;
	d->drill->say(d->drill->arg, text);
	pthread_mutex_unlock(&d->lock);
}

/* ---- blobs ---- */

struct reading {
	struct drilling *d;
	const struct kb_sv *names;
};

static void read_one(void *arg, size_t i)
{
	struct reading *in = arg;
	struct kb_err err;

	if (!kb_blob_verify(in->d->drill->place, in->names[i].p, &err))
		find(in->d, "blob %s: %s", in->names[i].p, err.msg);
}

static int by_text(const void *a, const void *b)
{
	return kb_sv_cmp(*(const struct kb_sv *)a, *(const struct kb_sv *)b);
}

/* What the database names is in the list. */
static bool compare_names(struct drilling *d, struct kb_arena *arena, int list,
                          const struct kb_listed_blobs *listed, struct kb_err *err)
{
	const struct kb_move names_of = { .from = d->store };
	struct kb_sv *names;
	size_t count, missing = 0;

	if (!kb_move_blob_names(&names_of, arena, list, &names, &count, err))
		return false;
	for (size_t i = 0; i < count; i++)
		missing += !listed->count
		           || !bsearch(&names[i], listed->v, listed->count, sizeof(*listed->v),
		                       by_text);
	if (missing)
		find(d, "%zu blobs whose names begin with %02x are named and not in the backup",
		     missing, (unsigned)list);
	return true;
}

static bool check_list(struct drilling *d, int list, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_listed_blobs names;
	struct kb_err bad;
	bool ok = true;

	if (!kb_backup_names(d->drill->place, &arena, d->record, list, &names, &bad)) {
		ok = bad.code == KB_E_CORRUPT || bad.code == KB_E_NOT_FOUND
		     || kb_fail(err, bad.code, "%s", bad.msg);
		if (ok)
			find(d, "the list of blobs %02x: %s", (unsigned)list, bad.msg);
	} else {
		struct reading reading = { d, names.v };
		struct kb_crew crew = { .name = "drill",
			                .threads = READERS,
			                .task = read_one,
			                .arg = &reading,
			                .cancel = d->drill->cancel };

		d->drill->blobs += (int64_t)names.count;
		ok = kb_crew_run(&crew, 0, names.count, err)
		     && compare_names(d, &arena, list, &names, err);
	}
	kb_arena_fini(&arena);
	return ok;
}

/* ---- questions ---- */

struct asking {
	struct drilling *d;
	struct kb_answerer *answerer;
	struct kb_arena *arena;
	const struct kb_agent *agent;
	struct kb_settings settings;
	struct kb_label_filter open; /* all labels, as far as a filter holds them */
	size_t tried;
	bool answered;
};

static bool ask(struct asking *in, struct kb_sv question, struct kb_err *err)
{
	struct kb_answer_request request = { .agent = in->agent,
		                             .settings = &in->settings,
		                             .prompt = question,
		                             .conversation_of = in->agent->id,
		                             .labels = in->open };
	struct kb_plain plain;

	if (!question.n || in->tried == TRIES || in->answered)
		return true;
	in->tried++;
	if (!kb_answer_plain(in->answerer, in->arena, &request, NULL, &plain, err))
		return false;
	in->answered = plain.answer.citation_count > 0 || plain.answer.closest.count > 0;
	kb_plain_release(&plain);
	return true;
}

static bool open_labels(struct asking *in, struct kb_err *err)
{
	struct kb_list list = { .page = 1, .limit = KB_FILTER_GROUP_MAX };
	struct kb_label_group *group = KB_NEW(in->arena, struct kb_label_group);
	struct kb_label_list labels;
	struct kb_label_ref *refs;

	if (!kb_store_labels_list(in->d->store, in->arena, in->agent->id, &list, &labels, err))
		return false;
	if (!labels.count)
		return true;
	refs = KB_NEW_ARRAY(in->arena, labels.count, struct kb_label_ref);
	for (size_t i = 0; i < labels.count; i++)
		refs[i].id = labels.v[i].id;
	*group = (struct kb_label_group){ refs, labels.count };
	in->open = (struct kb_label_filter){ .groups = group, .group_count = 1 };
	return true;
}

/* What people have asked, the newest first. */
static bool ask_again(struct asking *in, struct kb_err *err)
{
	struct kb_conversation_filter newest = { .list = { .page = 1, .limit = TALKS } };
	struct kb_list list = { .page = 1, .limit = MESSAGES };
	struct kb_conversation_list talks;

	if (!kb_store_conversation_list(in->d->store, in->arena, in->agent->id, &newest, &talks,
	                                err))
		return false;
	for (size_t i = 0; i < talks.count; i++) {
		struct kb_session session = { .agent_id = in->agent->id,
			                      .id = talks.v[i].session_id };
		struct kb_transcript transcript;

		if (!kb_store_message_list(in->d->store, in->arena, &session, &list, &transcript,
		                           err))
			return false;
		for (size_t m = 0; m < transcript.messages.count; m++) {
			const struct kb_message *message = &transcript.messages.v[m];

			if (message->answered && message->citation_count && !message->child_id
			    && !ask(in, message->query, err))
				return false;
		}
	}
	return true;
}

static bool ask_titles(struct asking *in, struct kb_err *err)
{
	struct kb_page_filter filter = { .list = { .page = 1, .limit = TITLES },
		                         .crawl = -1,
		                         .index = KB_STATUS_OK };
	struct kb_page_list pages;

	if (!kb_store_page_list(in->d->store, in->arena, in->agent->id, &filter, &pages, err))
		return false;
	for (size_t i = 0; i < pages.count; i++)
		if (!ask(in, pages.v[i].title.n ? pages.v[i].title : pages.v[i].filename, err))
			return false;
	return true;
}

static bool drill_agent(struct asking *in, int64_t passages, struct kb_err *err)
{
	struct kb_err bad = { 0 };
	bool ok = kb_settings_read(in->arena, in->agent->settings, &in->settings, &bad)
	          && open_labels(in, &bad) && ask_again(in, &bad)
	          && (in->answered || ask_titles(in, &bad));

	if (!ok && bad.code != KB_E_CORRUPT && bad.code != KB_E_NOT_FOUND)
		return kb_fail(err, bad.code, "%s", bad.msg);
	in->d->drill->asked += in->tried > 0;
	if (!ok)
		find(in->d, "agent %" PRId64 ": %s", in->agent->id, bad.msg);
	else if (in->tried && !in->answered)
		find(in->d,
		     "agent %" PRId64 " has %" PRId64 " passages and answered none of %zu "
		     "questions",
		     in->agent->id, passages, in->tried);
	return true;
}

/* An agent without passages has nothing to be asked for. */
static bool drill_one(struct drilling *d, struct kb_catalog *catalog, struct kb_answerer *answerer,
                      int64_t id, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct asking in = { .d = d, .answerer = answerer, .arena = &arena };
	struct kb_agent agent;
	struct kb_live live = { 0 };
	int64_t passages;
	bool ok = kb_store_agent_find(d->store, &arena, id, &agent, err)
	          && kb_catalog_get(catalog, id, &live, err);

	in.agent = &agent;
	passages = ok ? kb_snapshot_passages(live.snapshot) : 0;
	kb_live_release(&live);
	ok = ok && (!passages || drill_agent(&in, passages, err));
	d->drill->agents++;
	kb_arena_fini(&arena);
	return ok;
}

static bool drill_agents(struct drilling *d, struct kb_err *err)
{
	struct kb_catalog *catalog = kb_catalog_open(
	        d->store, d->drill->place,
	        &(struct kb_catalog_limits){ .agents = 1, .heap_bytes = OPEN_BYTES },
	        d->drill->log);
	struct kb_answerer *answerer = kb_answerer_open(d->store, catalog, d->drill->log);
	struct kb_agent_ids ids = { .count = 1 };
	int64_t after = 0;
	bool ok = true;

	while (ok && ids.count) {
		struct kb_arena arena = { 0 };

		ok = kb_store_agent_ids(d->store, &arena, after, AGENTS_AT_ONCE, &ids, err);
		for (size_t i = 0; ok && i < ids.count; i++) {
			after = ids.v[i];
			ok = !kb_cancelled(d->drill->cancel, err)
			     && drill_one(d, catalog, answerer, after, err);
		}
		kb_arena_fini(&arena);
	}
	kb_answerer_close(answerer);
	kb_catalog_close(catalog);
	return ok;
}

/* ---- the drill ---- */

static void say_finding(void *arg, const char *finding)
{
	find(arg, "%s", finding);
}

static bool check_segments(struct drilling *d, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_segment_place after = { 0 };
	struct kb_segment_places places = { 0 };
	bool ok;

	do {
		ok = kb_store_segment_places(d->store, &arena, &after, 1000, &places, err);
		for (size_t i = 0; ok && i < places.count; i++) {
			after = places.v[i];
			if (after.is_damaged)
				find(d, "segment %" PRId64 " of agent %" PRId64 " is damaged",
				     after.segment_id, after.agent_id);
		}
	} while (ok && places.count == 1000);
	kb_arena_fini(&arena);
	return ok;
}

static bool drill(struct drilling *d, struct kb_err *err)
{
	int64_t findings = 0; /* find() counts them too */

	if (!kb_backup_scratch(d->dir, err)
	    || !kb_backup_fetch(d->drill->place, d->record, d->dir, d->drill->cancel, err))
		return false;
	d->store = kb_store_open_as(&(struct kb_store_config){ .at = d->dir,
	                                                       .use = KB_STORE_ALONE,
	                                                       .log = d->drill->log },
	                            err);
	if (!d->store || !kb_store_verify(d->store, say_finding, d, &findings, err))
		return false;
	for (int i = 0; i < KB_BLOB_LISTS; i++)
		if (!check_list(d, i, err))
			return false;
	if (d->record->missing)
		find(d, "%" PRId64 " blobs were missing or damaged when it was made",
		     d->record->missing);
	return drill_agents(d, err) && check_segments(d, err);
}

bool kb_drill_run(struct kb_drill *in, struct kb_err *err)
{
	struct kb_backup_record record;
	struct drilling d = { .drill = in, .record = &record };
	struct kb_arena arena = { 0 };
	bool ok;

	in->findings = in->blobs = in->agents = in->asked = 0;
	snprintf(d.dir, sizeof(d.dir), "%s/drill", in->temp_dir);
	pthread_mutex_init(&d.lock, NULL);
	ok = kb_backup_choose(in->place, &arena, in->at, &record, err);
	if (ok) {
		memcpy(in->id, record.id, sizeof(in->id));
		ok = drill(&d, err);
	}
	kb_store_close(d.store);
	kb_backup_scratch_end(d.dir);
	pthread_mutex_destroy(&d.lock);
	kb_arena_fini(&arena);
	return ok;
}
