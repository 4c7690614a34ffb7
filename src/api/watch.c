#include "api/watch.h"

#include <stdlib.h>

#include "api/events.h"
#include "api/progress_record.h"
#include "base/bell.h"
#include "base/hash.h"
#include "base/pool.h"
#include "http/sse.h"

enum {
	SHARE = 5, /* of the time, one part of so many at most */
	PROGRESS_MAX = 1 << 20,
};
#define LOOK_US    (500 * INT64_C(1000))
#define COMMENT_US (15 * KB_SECOND_US) /* after so long without an event */
#define LASTS_US   (300 * KB_SECOND_US)

/* In its call's arena, as long as its stream is open. */
struct watcher {
	const struct kb_api *api;
	struct kb_stream *stream;
	int64_t agent_id;
	uint64_t told;             /* the hash of what it knows */
	int64_t until_us, sent_us; /* kb_clock_mono_us() */
	struct watcher *next;
};

struct kb_watchers {
	const struct kb_log *log;
	struct kb_bell bell; /* stopped: all streams end */
	pthread_t thread;
	struct watcher *all; /* the thread's own */
	pthread_mutex_t lock;
	struct watcher *come;
};

/* False when its reader has gone. */
static bool tell(struct watcher *watcher, const char *name, struct kb_sv text)
{
	struct kb_buf frame;
	bool there;

	kb_buf_init(&frame, 2 * PROGRESS_MAX);
	if (name)
		kb_sse_event(&frame, name, text);
	else
		kb_buf_str(&frame, ":\n\n");
	there = kb_stream_write(watcher->stream, kb_buf_view(&frame));
	kb_buf_fini(&frame);
	watcher->sent_us = kb_clock_mono_us();
	return there;
}

static bool tell_error(struct watcher *watcher, const struct kb_err *err)
{
	const struct kb_err_info *info = kb_err_info(err->code);
	struct kb_buf json;
	struct kb_jw jw;

	kb_buf_init(&json, PROGRESS_MAX);
	kb_api_jw(watcher->api, &jw, &json);
	kb_jw_object(&jw);
	kb_jw_key_str(&jw, "error", kb_err_shown(err));
	kb_jw_key_int(&jw, "code", info->status);
	kb_jw_end(&jw);
	tell(watcher, "error", kb_buf_view(&json));
	kb_buf_fini(&json);
	return false;
}

/* False when its stream is at its end. */
static bool look(struct kb_watchers *watchers, struct watcher *watcher)
{
	struct kb_arena arena = { 0 };
	struct kb_buf json;
	struct kb_jw jw;
	struct kb_err err;
	int64_t now = kb_clock_mono_us();
	bool goes_on = true;

	kb_buf_init(&json, PROGRESS_MAX);
	kb_api_jw(watcher->api, &jw, &json);
	if (!kb_progress_write(watcher->api, &arena, watcher->agent_id, &jw, &err)) {
		if (err.code == KB_E_NOT_FOUND)
			goes_on = tell_error(watcher, &err);
		else /* the next look may go better */
			kb_warn(watchers->log, "progress not read error=%s", err.msg);
	} else if (kb_hash64(kb_buf_view(&json)) != watcher->told) {
		watcher->told = kb_hash64(kb_buf_view(&json));
		goes_on = tell(watcher, "progress", kb_buf_view(&json));
	} else if (now - watcher->sent_us >= COMMENT_US) {
		goes_on = tell(watcher, NULL, KB_SV(""));
	}
	kb_buf_fini(&json);
	kb_arena_fini(&arena);
	return goes_on && now < watcher->until_us;
}

static void take_come(struct kb_watchers *watchers)
{
	struct watcher *come;

	pthread_mutex_lock(&watchers->lock);
	come = watchers->come;
	watchers->come = NULL;
	pthread_mutex_unlock(&watchers->lock);
	while (come) {
		struct watcher *next = come->next;

		come->next = watchers->all;
		watchers->all = come;
		come = next;
	}
}

static void look_at_all(struct kb_watchers *watchers, bool over)
{
	struct watcher **at = &watchers->all;

	while (*at) {
		struct watcher *watcher = *at;

		if (!over && look(watchers, watcher)) {
			at = &watcher->next;
			continue;
		}
		*at = watcher->next;
		kb_stream_end(watcher->stream); /* the watcher may be gone now */
	}
}

static void *serve(void *arg)
{
	struct kb_watchers *watchers = arg;
	uint64_t heard = 0;
	bool over = false;

	while (!over) {
		int64_t began = kb_clock_mono_us(), pause;

		over = kb_bell_is_stopped(&watchers->bell);
		take_come(watchers);
		look_at_all(watchers, over);
		pause = KB_MAX(LOOK_US, SHARE * (kb_clock_mono_us() - began));
		if (!over)
			kb_bell_wait(&watchers->bell, &heard,
			             kb_clock_steady_us(NULL)
			                     + (watchers->all ? pause : KB_DAY_US));
	}
	return NULL;
}

void kb_watch(struct kb_watchers *watchers, struct kb_call *call)
{
	struct watcher *watcher = KB_NEW(call->arena, struct watcher);
	bool over;

	*watcher = (struct watcher){ .api = call->api,
		                     .agent_id = call->agent.id,
		                     .until_us = kb_clock_mono_us() + LASTS_US };
	watcher->stream = kb_call_stream(call, true);
	pthread_mutex_lock(&watchers->lock);
	over = kb_bell_is_stopped(&watchers->bell);
	if (!over) {
		watcher->next = watchers->come;
		watchers->come = watcher;
	}
	pthread_mutex_unlock(&watchers->lock);
	if (over)
		kb_stream_end(watcher->stream);
	else
		kb_bell_ring(&watchers->bell);
}

struct kb_watchers *kb_watchers_open(const struct kb_log *log)
{
	struct kb_watchers *watchers = kb_xcalloc(1, sizeof(*watchers));

	watchers->log = log;
	kb_bell_init(&watchers->bell, NULL);
	pthread_mutex_init(&watchers->lock, NULL);
	watchers->thread = kb_thread_start("watch", serve, watchers);
	return watchers;
}

void kb_watchers_stop(struct kb_watchers *watchers)
{
	if (!watchers)
		return;
	/* Under the lock: whoever comes later sees it, and whoever came is seen by the thread. */
	pthread_mutex_lock(&watchers->lock);
	kb_bell_stop(&watchers->bell);
	pthread_mutex_unlock(&watchers->lock);
}

void kb_watchers_close(struct kb_watchers *watchers)
{
	if (!watchers)
		return;
	kb_watchers_stop(watchers);
	pthread_join(watchers->thread, NULL);
	kb_bell_fini(&watchers->bell);
	pthread_mutex_destroy(&watchers->lock);
	free(watchers);
}
