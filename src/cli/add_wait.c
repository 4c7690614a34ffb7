#include "cli/add_wait.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/remote_events.h"

enum {
	SHARE = 4, /* of the time, one part of so many at most goes to reading lists */
	AWAY_PAUSE_S = 2,
	/* Rows move from one page of a list to the next while it is read; what was not there so
	 * often is gone. */
	MISSED_MAX = 5,
};
#define IDLE_US (500 * INT64_C(1000)) /* between looks while nothing is in work */
#define LOOK_US (15 * KB_SECOND_US)   /* at most, whatever the service says */
#define AWAY_US (300 * KB_SECOND_US)  /* it may not be there for so long */

void kb_add_new(struct kb_adding *a, struct kb_sv name, bool is_address)
{
	KB_GROW(a->items, a->capacity, a->count + 1);
	a->items[a->count++] = (struct kb_add_item){ .name = kb_arena_sv(&a->arena, name),
		                                     .is_address = is_address };
}

void kb_add_finish(struct kb_adding *a, struct kb_add_item *item, const char *state,
                   struct kb_sv reason)
{
	item->done = true;
	kb_tally_line(&a->tally, item->failed, state, item->name, reason);
}

void kb_add_fail(struct kb_adding *a, struct kb_add_item *item, struct kb_sv reason)
{
	item->failed = true;
	kb_add_finish(a, item, "failed", reason);
}

/* ---- waiting ---- */

static struct kb_add_item *find(struct kb_adding *a, bool is_address, int64_t id)
{
	for (size_t i = 0; i < a->count; i++)
		if (!a->items[i].done && a->items[i].is_address == is_address
		    && a->items[i].id == id)
			return &a->items[i];
	return NULL;
}

static void judge(struct kb_adding *a, struct kb_add_item *item, struct kb_sv status,
                  struct kb_sv reason)
{
	item->missed = 0;
	if (kb_sv_eq_str(status, "queued"))
		return;
	if (kb_sv_eq_str(status, "ok") && reason.n && !item->seen) {
		item->seen = true; /* parts of it may have come while the list was read */
		return;
	}
	if (kb_sv_eq_str(status, "ok"))
		kb_add_finish(a, item, "ok", reason);
	else
		kb_add_fail(a, item, reason.n ? reason : status);
}

static size_t waiting(const struct kb_adding *a, bool is_address, int64_t *first)
{
	size_t n = 0;

	*first = 0;
	for (size_t i = 0; i < a->count; i++)
		if (!a->items[i].done && a->items[i].is_address == is_address) {
			*first = *first ? KB_MIN(*first, a->items[i].id) : a->items[i].id;
			n++;
		}
	return n;
}

/* Before a look at a list: whatever is not seen in it stays missed. */
static void miss_all(struct kb_adding *a, bool is_address)
{
	for (size_t i = 0; i < a->count; i++) {
		struct kb_add_item *item = &a->items[i];

		if (item->done || item->is_address != is_address)
			continue;
		if (item->missed++ >= MISSED_MAX)
			kb_add_fail(a, item, KB_SV("it was deleted before it was read"));
	}
}

static const struct kb_add_item *find_sent(const struct kb_adding *a, int64_t id)
{
	for (size_t i = 0; i < a->count; i++)
		if (!a->items[i].is_address && a->items[i].id == id)
			return &a->items[i];
	return NULL;
}

/* A document that was found in one of ours is waited for, too. */
static void adopt_part(struct kb_adding *a, const json_t *row)
{
	const struct kb_add_item *parent = find_sent(a, kb_json_int(row, "parent_id", 0));
	int64_t id = kb_json_int(row, "id", 0);

	if (!parent || !parent->id || find_sent(a, id))
		return;
	kb_add_new(a,
	           kb_arena_printf(&a->arena, "%.*s/%.*s", KB_SV_ARG(parent->name),
	                           KB_SV_ARG(kb_json_sv(row, "path", KB_SV("")))),
	           false);
	a->items[a->count - 1].id = id;
	a->tally.count = a->count;
}

/* Newest first, to the oldest that is waited for. */
static bool look_at_pages(struct kb_adding *a, struct kb_err *err)
{
	bool more = true;
	int64_t first;

	miss_all(a, false);
	if (!waiting(a, false, &first))
		return true;
	for (int page = 1; more; page++) {
		struct kb_arena arena = { 0 };
		char path[KB_ADD_PATH_BYTES];
		const json_t *rows, *row;
		json_t *data;
		size_t i;

		snprintf(path, sizeof(path), "/pages?limit=%d&page=%d", KB_ADD_PAGE_ROWS, page);
		data = kb_remote_call(&a->remote, &arena, path, NULL, err);
		rows = kb_json_get(kb_json_get(data, "pages"), "data");
		more = json_array_size(rows) == KB_ADD_PAGE_ROWS;
		json_array_foreach(rows, i, row)
		{
			int64_t id = kb_json_int(row, "id", 0);
			struct kb_add_item *item;

			adopt_part(a, row);
			item = find(a, false, id);

			if (item)
				judge(a, item, kb_json_sv(row, "index_status", KB_SV("")),
				      kb_json_sv(row, "status_reason", KB_SV("")));
			more &= id > first;
		}
		kb_arena_fini(&arena);
		if (!data)
			return false;
	}
	return true;
}

static bool look_at_sources(struct kb_adding *a, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	const json_t *rows, *row;
	json_t *data;
	int64_t first;
	size_t i;

	miss_all(a, true);
	if (!waiting(a, true, &first))
		return true;
	data = kb_remote_call(&a->remote, &arena, "/sources", NULL, err);
	rows = kb_json_get(data, "sitemaps");
	json_array_foreach(rows, i, row)
	{
		struct kb_add_item *item = find(a, true, kb_json_int(row, "id", 0));

		if (item)
			judge(a, item, kb_json_sv(row, "sync_status", KB_SV("")),
			      kb_json_sv(row, "sync_reason", KB_SV("")));
	}
	kb_arena_fini(&arena);
	return data != NULL;
}

/* ---- the service's progress ---- */

void kb_add_take_progress(struct kb_adding *a, const json_t *progress)
{
	const json_t *queued = kb_json_get(progress, "queued");

	if (!json_is_integer(queued))
		return; /* of an error; the next try says which */
	a->pace = (struct kb_tally_pace){
		.finished = kb_json_int(progress, "total", 0) - json_integer_value(queued)
		            - a->finished_before,
		.queued = json_integer_value(queued),
		.per_minute = kb_json_int(progress, "per_minute", -1),
		.left_s = kb_json_int(progress, "seconds_left", -1),
	};
	a->sources = kb_json_int(progress, "sources", 0);
	a->meaning = (struct kb_add_meaning){
		.is_said = kb_json_get(progress, "meaning") != NULL,
		.passages = kb_json_int(kb_json_get(progress, "meaning"), "passages", 0),
		.ready = kb_json_int(kb_json_get(progress, "meaning"), "ready", 0),
		.left_s = kb_json_int(kb_json_get(progress, "meaning"), "seconds_left", -1),
	};
	a->changed = true;
}

static void on_progress(void *arg, const json_t *progress)
{
	struct kb_adding *a = arg;

	kb_add_take_progress(a, progress);
	a->tally.note = NULL;
	kb_tally_show(&a->tally);
}

bool kb_add_begin(struct kb_adding *a, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	json_t *data = kb_remote_call(&a->remote, &arena, "/progress", NULL, err);

	kb_add_take_progress(a, data);
	a->finished_before = a->pace.finished;
	kb_arena_fini(&arena);
	return data != NULL;
}

/* Reads the lists when something has changed, or should have, and seldom enough that a long list
 * costs the service little. */
static bool look(void *arg, struct kb_err *err)
{
	struct kb_adding *a = arg;
	int64_t now = kb_clock_mono_us();
	bool idle = a->pace.queued == 0 && a->sources == 0;

	if (now < a->next_look_us || !(a->changed || idle || now - a->looked_us > LOOK_US))
		return true;
	a->changed = false;
	if (!look_at_pages(a, err) || !look_at_sources(a, err))
		return false;
	a->looked_us = kb_clock_mono_us();
	a->next_look_us = a->looked_us + KB_MAX(IDLE_US, SHARE * (a->looked_us - now));
	return a->tally.done < a->count;
}

bool kb_add_wait(struct kb_adding *a, struct kb_err *err)
{
	const struct kb_remote_stream stream = { .event = on_progress, .tick = look, .arg = a };

	a->tally.pace = &a->pace;
	a->looked_us = kb_clock_mono_us();
	while (a->tally.done < a->count) {
		*err = (struct kb_err){ 0 };
		if (kb_remote_follow(&a->remote, "/progress", &stream, err))
			continue;
		if (err->code != KB_E_UPSTREAM || kb_clock_mono_us() - a->looked_us > AWAY_US)
			return false;
		a->tally.note = "waiting for the service";
		kb_tally_show(&a->tally);
		sleep(AWAY_PAUSE_S);
	}
	return true;
}
