/* A chat server's answer for a thread that may block. */
#include "base/clock.h"
#include "base/cond.h"
#include "upstream/chat.h"

enum { CANCEL_ASK_MS = 100 };

struct waiting {
	pthread_mutex_t lock;
	pthread_cond_t ended;
	bool done;
	struct kb_buf text;
	struct kb_chat_result result;
};

static void gather(void *arg, struct kb_sv text)
{
	struct waiting *w = arg;

	kb_buf_sv(&w->text, text);
}

static void wake(void *arg, const struct kb_chat_result *result)
{
	struct waiting *w = arg;

	pthread_mutex_lock(&w->lock);
	w->result = *result;
	w->done = true;
	pthread_cond_signal(&w->ended);
	pthread_mutex_unlock(&w->lock);
}

/* Until it has ended, or is cancelled and then has ended. */
static void wait_for_end(struct waiting *w, struct kb_chat_call *call,
                         const struct kb_cancel *cancel)
{
	pthread_mutex_lock(&w->lock);
	while (!w->done) {
		if (!cancel) {
			pthread_cond_wait(&w->ended, &w->lock);
			continue;
		}
		/* Whoever cancels rings no bell. */
		kb_cond_until(&w->ended, &w->lock,
		              kb_clock_mono_us() + CANCEL_ASK_MS * INT64_C(1000));
		if (w->done)
			break;
		pthread_mutex_unlock(&w->lock);
		if (kb_cancelled(cancel, NULL)) {
			kb_chat_cancel(call);
			cancel = NULL;
		}
		pthread_mutex_lock(&w->lock);
	}
	pthread_mutex_unlock(&w->lock);
}

static bool fail_size(struct kb_chat_line *line, size_t max_bytes, struct kb_err *err)
{
	struct kb_chat_line_stats stats;

	kb_chat_line_stats(line, &stats);
	return kb_fail(err, KB_E_UPSTREAM, "the model %s answers with more than %zu bytes",
	               stats.server.name, max_bytes);
}

bool kb_chat_whole(struct kb_chat_line *line, struct kb_arena *arena, const struct kb_chat_ask *ask,
                   size_t max_bytes, struct kb_sv *text, struct kb_chat_result *result)
{
	struct kb_chat_ask own = *ask;
	struct kb_chat_call *call;
	struct waiting w = { 0 };
	bool ok;

	pthread_mutex_init(&w.lock, NULL);
	kb_cond_init(&w.ended);
	kb_buf_init(&w.text, max_bytes);
	own.on_text = gather;
	own.on_end = wake;
	own.arg = &w;
	call = kb_chat_start(line, &own);
	wait_for_end(&w, call, ask->cancel);
	kb_chat_release(call);
	ok = w.result.err.code == KB_OK;
	if (ok && w.text.failed)
		ok = fail_size(line, max_bytes, &w.result.err);
	if (ok)
		*text = kb_arena_sv(arena, kb_buf_view(&w.text));
	*result = w.result;
	kb_buf_fini(&w.text);
	pthread_cond_destroy(&w.ended);
	pthread_mutex_destroy(&w.lock);
	return ok;
}
