#include "upstream/chat.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/pool.h"
#include "http/loop.h"
#include "out/handle.h"
#include "upstream/turns.h"

enum {
	RETRY_MS = 100, /* the first pause between tries; doubled each time, at least half of it */
	END_MS = 1000,  /* how long a connection may stay open once the answer is whole */
	BODY_MAX = 16 << 20,  /* bytes of a request */
	LOOK_MS = 1000,       /* how often who waits beside other accounts looks for a place */
	REFUSAL_MAX = 4096,   /* bytes of a refusal that are read */
	RECEIVE_BYTES = 1024, /* a piece of an answer is some hundred bytes */
	UPLOAD_BYTES = 16384, /* libcurl's least; it has such a buffer where there is TLS */
};

struct kb_chats {
	const struct kb_log *log;
	const struct kb_curl *lib;
	struct kb_loop *loop;
	pthread_t thread;
	CURLM *multi;
	struct watched *spare;
	struct kb_timer curl_timer;
	struct kb_timer grace;
	struct kb_chat_call *calls; /* all that have not ended */
	struct kb_task stop, quit;
	_Atomic int64_t grace_ms;
	atomic_bool asked_to_stop;
	bool stopped;
};

struct kb_chat_line {
	atomic_int refs;
	struct kb_arena arena;
	struct kb_chats *chats;
	struct kb_chat_line_config config;
	struct curl_slist *fields;
	struct kb_health health;
	struct kb_turns turns;
	bool stepping;
	/* Written on the loop's thread alone. */
	_Atomic int64_t placed, waiting, refused, prompt_tokens, completion_tokens;
};

enum step { WAITS, SENT, PAUSES, ENDED };

struct kb_chat_call {
	atomic_int refs;
	struct kb_chats *chats;
	struct kb_chat_line *line;
	struct kb_chat_call *before, *after; /* in chats->calls */
	struct kb_call_turn turn;
	int64_t account_id;
	enum step step;
	struct kb_buf body;
	void (*on_text)(void *arg, struct kb_sv text);
	void (*on_end)(void *arg, const struct kb_chat_result *result);
	bool (*is_heard)(void *arg);
	void *arg;

	struct kb_task begin, stop;
	atomic_bool cancelled;
	struct kb_timer timer;
	int64_t start_us, sent_us, heard_us; /* heard: the server last said something */
	int64_t whole_us;                    /* when the answer was complete; 0: not yet */
	int64_t again_us;                    /* PAUSES: the next try */
	size_t said;                         /* events that said something, when heard_us was set */
	int64_t first_us;                    /* as in the result */
	int tries;

	CURL *curl;
	struct kb_chat_reader reader;
	struct kb_buf refusal;
	int status;
	struct kb_err *err; /* why a transfer was stopped by ourselves; NULL: it was not */
};

static void step_line(struct kb_chat_line *line);
static void send_call(struct kb_chat_call *call);

/* ---- the loop and libcurl ---- */

struct watched {
	struct kb_loop_fd source;
	struct kb_chats *chats;
	struct watched *spare; /* the next one that is not in use */
};

static void finish_transfer(struct kb_chat_call *call, CURLcode code);

static void drain(struct kb_chats *chats)
{
	CURLMsg *message;
	int left;

	while ((message = chats->lib->multi_info_read(chats->multi, &left))) {
		CURLcode code = message->data.result;
		char *call = NULL;

		if (message->msg != CURLMSG_DONE)
			continue;
		chats->lib->easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &call);
		finish_transfer((struct kb_chat_call *)(void *)call, code);
	}
}

static void act(struct kb_chats *chats, curl_socket_t fd, int what)
{
	int running;

	chats->lib->multi_socket_action(chats->multi, fd, what, &running);
	drain(chats);
}

static void on_ready(struct kb_loop_fd *source, uint32_t events)
{
	struct watched *watched = (struct watched *)(void *)source;
	int what = 0;

	if (events & EPOLLIN)
		what |= CURL_CSELECT_IN;
	if (events & EPOLLOUT)
		what |= CURL_CSELECT_OUT;
	if (events & (EPOLLERR | EPOLLHUP))
		what |= CURL_CSELECT_IN | CURL_CSELECT_ERR;
	act(watched->chats, source->fd, what);
}

/* Freed at the end only: the loop may still hold events of this turn for it, and one event too many
 * does no harm. */
static void unwatch(struct kb_chats *chats, struct watched *watched)
{
	kb_loop_remove(chats->loop, &watched->source);
	watched->spare = chats->spare;
	chats->spare = watched;
}

static struct watched *new_watched(struct kb_chats *chats)
{
	struct watched *watched = chats->spare;

	if (!watched)
		return kb_xcalloc(1, sizeof(*watched));
	chats->spare = watched->spare;
	return watched;
}

static int on_socket(CURL *curl, curl_socket_t fd, int what, void *arg, void *known)
{
	struct kb_chats *chats = arg;
	struct watched *watched = known;
	uint32_t events = 0;
	struct kb_err err;

	(void)curl;
	if (watched)
		unwatch(chats, watched);
	watched = NULL;
	if (what != CURL_POLL_REMOVE) {
		watched = new_watched(chats);
		watched->source = (struct kb_loop_fd){ .fd = fd, .ready = on_ready };
		watched->chats = chats;
		if (what & CURL_POLL_IN)
			events |= EPOLLIN;
		if (what & CURL_POLL_OUT)
			events |= EPOLLOUT;
		if (!kb_loop_add(chats->loop, &watched->source, events, &err)) {
			kb_warn(chats->log, "model connection not watched error=%s", err.msg);
			watched->spare = chats->spare;
			chats->spare = watched;
			return -1;
		}
	}
	chats->lib->multi_assign(chats->multi, fd, watched);
	return 0;
}

static int on_timeout(CURLM *multi, long ms, void *arg)
{
	struct kb_chats *chats = arg;

	(void)multi;
	if (ms < 0)
		kb_timer_clear(chats->loop, &chats->curl_timer);
	else
		kb_timer_set(chats->loop, &chats->curl_timer,
		             kb_clock_mono_us() + (int64_t)ms * 1000);
	return 0;
}

static void on_curl_timer(struct kb_timer *timer)
{
	struct kb_chats *chats = KB_OUTER(timer, struct kb_chats, curl_timer);

	act(chats, CURL_SOCKET_TIMEOUT, 0);
}

/* ---- the end of a call ---- */

static void hold(struct kb_chat_call *call)
{
	atomic_fetch_add_explicit(&call->refs, 1, memory_order_relaxed);
}

void kb_chat_release(struct kb_chat_call *call)
{
	if (atomic_fetch_sub_explicit(&call->refs, 1, memory_order_acq_rel) > 1)
		return;
	kb_chat_line_release(call->line); // NOLINT(clang-analyzer-unix.Malloc): the last one's end
	kb_buf_fini(&call->body);
	free(call->err);
	free(call);
}

static void drop_curl(struct kb_chat_call *call)
{
	if (!call->curl)
		return;
	call->chats->lib->multi_remove_handle(call->chats->multi, call->curl);
	call->chats->lib->easy_cleanup(call->curl);
	call->curl = NULL;
}

/* For whoever asks from another thread. */
static void tell_turns(struct kb_chat_line *line)
{
	atomic_store(&line->placed, (int64_t)line->turns.placed);
	atomic_store(&line->waiting, (int64_t)line->turns.waiting);
}

static void count_request(struct kb_chat_call *call, const struct kb_err *why, int64_t wish_ms)
{
	kb_health_count(&call->line->health, why,
	                &(struct kb_health_request){ .took_us = kb_clock_mono_us() - call->sent_us,
	                                             .wish_ms = wish_ms,
	                                             .whose = call->account_id });
}

static void add_tokens(struct kb_chat_line *line, const struct kb_chat_usage *usage)
{
	atomic_fetch_add(&line->prompt_tokens, KB_MAX(usage->prompt_tokens, (int64_t)0));
	atomic_fetch_add(&line->completion_tokens, KB_MAX(usage->completion_tokens, (int64_t)0));
}

static void end(struct kb_chat_call *call, const struct kb_err *why)
{
	struct kb_chat_line *line = call->line;
	struct kb_chats *chats = call->chats;
	struct kb_chat_result result;

	if (call->step == ENDED)
		return;
	call->step = ENDED;
	kb_turns_leave(&line->turns, &call->turn);
	kb_timer_clear(chats->loop, &call->timer);
	drop_curl(call);
	result = (struct kb_chat_result){ .err = *why,
		                          .finish = call->reader.finish,
		                          .usage = call->reader.usage,
		                          .has_text = call->reader.has_text,
		                          .first_us = call->first_us,
		                          .took_us = kb_clock_mono_us() - call->start_us,
		                          .tries = call->tries };
	add_tokens(line, &result.usage);
	kb_chat_reader_fini(&call->reader);
	kb_buf_fini(&call->refusal);
	*(call->before ? &call->before->after : &chats->calls) = call->after;
	if (call->after)
		call->after->before = call->before;
	call->on_end(call->arg, &result);
	step_line(line);
	kb_chat_release(call);
}

/* ---- deadlines ---- */

static int64_t earliest(int64_t a, int64_t b)
{
	return a == 0 || (b && b < a) ? b : a;
}

/* When the call has to be looked at again. */
static int64_t next_look(const struct kb_chat_call *call)
{
	const struct kb_chat_line_config *config = &call->line->config;
	int64_t at = call->start_us + config->whole_ms * 1000;

	if (call->heard_us)
		at = earliest(at, call->heard_us + config->gap_ms * 1000);
	else
		at = earliest(at, call->start_us + config->first_ms * 1000);
	if (call->whole_us)
		at = earliest(at, call->whole_us + END_MS * 1000);
	if (call->step == PAUSES)
		at = earliest(at, call->again_us);
	/* A reader of another account's answer may have left. */
	if (call->step == WAITS && call->line->turns.account_count > 1)
		at = earliest(at, kb_clock_mono_us() + LOOK_MS * 1000);
	return at;
}

static void watch_time(struct kb_chat_call *call)
{
	kb_timer_set(call->chats->loop, &call->timer, next_look(call));
}

static void too_late(struct kb_chat_call *call, const char *what)
{
	struct kb_err err;

	kb_fail(&err, KB_E_TIMEOUT, "%s %s", call->line->health.what, what);
	if (call->step == SENT)
		count_request(call, &err, 0);
	end(call, &err);
}

static void on_time(struct kb_timer *timer)
{
	struct kb_chat_call *call = KB_OUTER(timer, struct kb_chat_call, timer);
	const struct kb_chat_line_config *config = &call->line->config;
	int64_t now = kb_clock_mono_us();

	hold(call); /* each of what follows may end it */
	if (call->whole_us && now >= call->whole_us + END_MS * 1000) {
		finish_transfer(call, CURLE_OK);
	} else if (now >= call->start_us + config->whole_ms * 1000) {
		too_late(call, "takes too long for its answer");
	} else if (call->heard_us && now >= call->heard_us + config->gap_ms * 1000) {
		too_late(call, "has fallen silent in its answer");
	} else if (!call->heard_us && now >= call->start_us + config->first_ms * 1000) {
		too_late(call, "did not answer in time");
	} else {
		if (call->step == PAUSES && now >= call->again_us)
			send_call(call);
		else if (call->step == WAITS)
			step_line(call->line);
		if (call->step != ENDED) // NOLINT(clang-analyzer-unix.Malloc): it is held
			watch_time(call);
	}
	kb_chat_release(call); // NOLINT(clang-analyzer-unix.Malloc): it is held
}

/* ---- one request ---- */

/* With the first text it is certain that it is not sent again. Nobody needs it while the answer
 * comes, once all of it is out. */
static void forget_prompt(struct kb_chat_call *call)
{
	curl_off_t sent = 0;

	call->chats->lib->easy_getinfo(call->curl, CURLINFO_SIZE_UPLOAD_T, &sent);
	if (sent == (curl_off_t)call->body.n)
		kb_buf_fini(&call->body);
}

static void on_text(void *arg, struct kb_sv text)
{
	struct kb_chat_call *call = arg;

	if (!call->first_us) {
		call->first_us = KB_MAX(kb_clock_mono_us() - call->start_us, (int64_t)1);
		forget_prompt(call);
	}
	if (call->on_text)
		call->on_text(call->arg, text);
}

static void forget_error(struct kb_chat_call *call)
{
	free(call->err);
	call->err = NULL;
}

/* On the heap: most calls need no room for a sentence while they go on. */
static void stopped(struct kb_chat_call *call, const struct kb_err *why)
{
	forget_error(call);
	call->err = kb_xmalloc(sizeof(*call->err));
	*call->err = *why;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *arg)
{
	struct kb_chat_call *call = arg;
	struct kb_sv body = kb_sv(bytes, size * count);
	struct kb_err err;
	long status = 0;

	call->chats->lib->easy_getinfo(call->curl, CURLINFO_RESPONSE_CODE, &status);
	if (status != 200) {
		kb_buf_sv(&call->refusal, kb_sv_sub(body, 0, REFUSAL_MAX - call->refusal.n));
		return body.n;
	}
	if (!kb_chat_reader_feed(&call->reader, body, &err)) {
		stopped(call, &err);
		return 0;
	}
	/* At first it is enough that it is there; then it has to say something. */
	if (call->heard_us ? call->reader.said_count != call->said : call->reader.read_count > 0) {
		bool first = !call->heard_us;

		call->said = call->reader.said_count;
		call->heard_us = kb_clock_mono_us();
		/* From now on silence counts, which may be over before its first word was due. What
		 * it says later only puts that off. */
		if (first)
			watch_time(call);
	}
	if (!call->whole_us && (call->reader.done || call->reader.finish != KB_CHAT_UNFINISHED)) {
		call->whole_us = kb_clock_mono_us();
		watch_time(call);
	}
	return body.n;
}

static void set_options(struct kb_chat_call *call)
{
	const struct kb_curl *lib = call->chats->lib;
	CURL *curl = call->curl;

	kb_handle_set(lib, curl,
	              &(struct kb_handle_request){ .url = call->line->config.url.p,
	                                           .body = kb_buf_view(&call->body),
	                                           .fields = call->line->fields,
	                                           .connect_ms = KB_UPSTREAM_CONNECT_MS,
	                                           .on_body = on_body,
	                                           .arg = call });
	lib->easy_setopt(curl, CURLOPT_PRIVATE, call);
	lib->easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	lib->easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L); /* no waiting for a look-up */
	lib->easy_setopt(curl, CURLOPT_BUFFERSIZE, (long)RECEIVE_BYTES);
	lib->easy_setopt(curl, CURLOPT_UPLOAD_BUFFERSIZE, (long)UPLOAD_BYTES);
}

static void send_call(struct kb_chat_call *call)
{
	struct kb_chats *chats = call->chats;
	struct kb_err err;

	call->step = SENT;
	if (!kb_health_admit(&call->line->health, call->account_id, &err)) {
		end(call, &err);
		return;
	}
	call->tries++;
	call->sent_us = kb_clock_mono_us();
	forget_error(call);
	kb_buf_clear(&call->refusal);
	kb_chat_reader_fini(&call->reader);
	kb_chat_reader_init(&call->reader, on_text, call);
	call->curl = chats->lib->easy_init();
	KB_ASSERT(call->curl != NULL);
	set_options(call);
	chats->lib->multi_add_handle(chats->multi, call->curl);
}

/* ---- how a request went ---- */

/* What a status below or above 200 means. */
static const struct {
	int least;
	enum kb_errc code;
	bool again;
	const char *says;
} statuses[] = {
	// clang-format off
	{ 500, KB_E_UPSTREAM,  true,  "fails" },
	{ 430, KB_E_UPSTREAM,  false, "refuses the request" },
	{ 429, KB_E_EXHAUSTED, true,  "is asked too often" },
	{ 422, KB_E_INVALID,   false, "refuses the request" },
	{ 414, KB_E_UPSTREAM,  false, "refuses the request" },
	{ 413, KB_E_INVALID,   false, "refuses the request" },
	{ 409, KB_E_UPSTREAM,  false, "refuses the request" },
	{ 408, KB_E_TIMEOUT,   true,  "did not answer in time" },
	{ 405, KB_E_UPSTREAM,  false, "refuses the request" },
	{ 404, KB_E_UPSTREAM,  false, "does not know the address or the model" },
	{ 401, KB_E_UPSTREAM,  false, "refuses the key" },
	{ 400, KB_E_INVALID,   false, "refuses the request" },
	{ 0,   KB_E_UPSTREAM,  false, "does not answer as a model's server" },
	// clang-format on
};

static bool judge_status(struct kb_chat_call *call, int status, struct kb_err *err)
{
	const char *what = call->line->health.what;
	size_t i = 0;

	while (status < statuses[i].least)
		i++;
	if (status >= 400 && kb_chat_refusal(kb_buf_view(&call->refusal)) == KB_E_TOO_LARGE) {
		kb_fail(err, KB_E_TOO_LARGE, "%s finds the prompt longer than its context", what);
		return false;
	}
	kb_fail(err, statuses[i].code, "%s %s (%d)", what, statuses[i].says, status);
	return statuses[i].again;
}

/* Fills err (KB_OK: all is well); true: another try may go better. */
static bool judge(struct kb_chat_call *call, CURLcode code, struct kb_err *err)
{
	const char *what = call->line->health.what;
	struct kb_err why = { 0 };
	long status = 0;

	*err = (struct kb_err){ 0 };
	call->chats->lib->easy_getinfo(call->curl, CURLINFO_RESPONSE_CODE, &status);
	if (call->err) {
		kb_fail(err, call->err->code, "%s %s", what, call->err->msg);
		return call->err->code == KB_E_UPSTREAM || call->err->code == KB_E_EXHAUSTED;
	}
	if (call->whole_us && call->reader.form == KB_CHAT_STREAM)
		return false;
	if (status && status != 200)
		return judge_status(call, (int)status, err);
	if (code == CURLE_OK && kb_chat_reader_end(&call->reader, &why))
		return false;
	if (code == CURLE_OK)
		kb_fail(err, why.code, "%s %s", what, why.msg);
	else if (status == 200)
		kb_fail(err, KB_E_UPSTREAM, "%s breaks off in its answer", what);
	else if (code == CURLE_OPERATION_TIMEDOUT)
		kb_fail(err, KB_E_TIMEOUT, "%s does not take a connection in time", what);
	else
		kb_fail(err, KB_E_UPSTREAM, "%s cannot be asked: %s", what, kb_curl_reason(code));
	return err->code != KB_E_TOO_LARGE;
}

/* Nothing has been heard of it. */
static void begin_anew(struct kb_chat_call *call, enum step step)
{
	call->step = step;
	call->heard_us = 0;
	call->said = 0;
	call->whole_us = 0;
}

static bool pause_call(struct kb_chat_call *call, int64_t wish_ms)
{
	int tries = call->tries;
	double ms = (double)((int64_t)RETRY_MS << KB_MIN(tries - 1, 10))
	            * (.5 + .5 * kb_health_chance());
	int64_t at = kb_clock_mono_us() + KB_MAX((int64_t)ms, wish_ms) * 1000;

	if (tries >= KB_CHAT_TRIES || at >= call->start_us + call->line->config.first_ms * 1000)
		return false;
	call->again_us = at;
	begin_anew(call, PAUSES);
	watch_time(call);
	return true;
}

static void finish_transfer(struct kb_chat_call *call, CURLcode code)
{
	curl_off_t wish_s = 0;
	struct kb_err err;
	bool again = judge(call, code, &err);

	if (err.code == KB_E_EXHAUSTED || err.code == KB_E_UPSTREAM)
		call->chats->lib->easy_getinfo(call->curl, CURLINFO_RETRY_AFTER, &wish_s);
	count_request(call, &err, wish_s * 1000);
	drop_curl(call);
	if (again && !call->reader.has_text && pause_call(call, wish_s * 1000))
		return;
	end(call, &err);
}

/* ---- the line ---- */

static struct kb_chat_call *call_of_turn(const struct kb_call_turn *turn)
{
	return (struct kb_chat_call *)KB_OUTER_AT(turn, struct kb_chat_call, turn);
}

static bool is_heard(const struct kb_call_turn *turn)
{
	const struct kb_chat_call *call = call_of_turn(turn);

	return !call->is_heard || call->is_heard(call->arg);
}

static enum kb_turn_hold hold_of(const struct kb_call_turn *turn)
{
	const struct kb_chat_call *call = call_of_turn(turn);

	if (call->step == PAUSES || (!call->reader.has_text && !call->whole_us))
		return KB_TURN_LOOSE;
	if (call->whole_us)
		return KB_TURN_FIRM;
	return is_heard(turn) ? KB_TURN_FIRM : KB_TURN_VAIN;
}

/* Another account has fewer places than its share. What has no text yet begins anew later. */
static void give_way(struct kb_chat_call *call)
{
	bool loose = hold_of(&call->turn) == KB_TURN_LOOSE;
	struct kb_err why;

	kb_fail(&why, KB_E_CANCELLED, "the answer makes room");
	if (call->step == SENT) {
		count_request(call, &why, 0);
		call->tries--;
	}
	if (!loose) {
		kb_fail(&why, KB_E_BUSY,
		        "others wait for the model, and nobody listened to this answer");
		end(call, &why);
		return;
	}
	drop_curl(call);
	begin_anew(call, WAITS);
	kb_turns_back(&call->line->turns, &call->turn);
	watch_time(call);
}

/* One that gave way in a pause goes on with it. */
static void take_place(struct kb_chat_call *call)
{
	if (call->again_us <= kb_clock_mono_us()) {
		send_call(call);
		return;
	}
	call->step = PAUSES;
	watch_time(call);
}

static void refuse_surplus(struct kb_chat_line *line, struct kb_chat_call *call)
{
	struct kb_err err;

	atomic_fetch_add(&line->refused, 1);
	kb_fail(&err, KB_E_BUSY,
	        "%zu answers are being written and %zu wait for the model; try again in a "
	        "moment",
	        line->config.places, line->config.queue_max);
	end(call, &err);
}

/* Lets those go that there is room for, makes room for who has less than others, and sends away who
 * is too many. */
static void step_line(struct kb_chat_line *line)
{
	struct kb_turns *turns = &line->turns;
	struct kb_call_turn *turn;

	if (line->stepping) /* of one that has ended while it was let go */
		return;
	line->stepping = true;
	do {
		while ((turn = kb_turns_next(turns)))
			take_place(call_of_turn(turn));
		turn = kb_turns_yielding(turns);
		if (turn)
			give_way(call_of_turn(turn));
	} while (turn);
	while ((turn = kb_turns_surplus(turns)))
		refuse_surplus(line, call_of_turn(turn));
	line->stepping = false;
	tell_turns(line);
}

static void on_begin(struct kb_task *task)
{
	struct kb_chat_call *call = KB_OUTER(task, struct kb_chat_call, begin);
	struct kb_chat_line *line = call->line;
	struct kb_err err = { 0 };

	call->after = call->chats->calls;
	if (call->after)
		call->after->before = call;
	call->chats->calls = call;
	kb_buf_init(&call->refusal, REFUSAL_MAX);
	kb_chat_reader_init(&call->reader, on_text, call);
	if (call->chats->stopped || atomic_load(&call->cancelled)) {
		kb_fail(&err, KB_E_CANCELLED, "the answer was cancelled");
		end(call, &err);
		return;
	}
	if (call->body.failed) {
		kb_fail(&err, KB_E_TOO_LARGE, "the prompt has more than %d bytes", BODY_MAX);
		end(call, &err);
		return;
	}
	kb_turns_wait(&line->turns, &call->turn, call->account_id);
	hold(call);
	step_line(line);
	if (call->step != ENDED) // NOLINT(clang-analyzer-unix.Malloc): it is held
		watch_time(call);
	kb_chat_release(call);
}

static void cancel(struct kb_chat_call *call)
{
	struct kb_err err;

	kb_fail(&err, KB_E_CANCELLED, "the answer was cancelled");
	if (call->step == SENT)
		count_request(call, &err, 0);
	end(call, &err);
}

static void on_stop_call(struct kb_task *task)
{
	struct kb_chat_call *call = KB_OUTER(task, struct kb_chat_call, stop);

	cancel(call);
	kb_chat_release(call); // NOLINT(clang-analyzer-unix.Malloc): it is held
}

void kb_chat_cancel(struct kb_chat_call *call)
{
	if (!call || atomic_exchange(&call->cancelled, true))
		return;
	hold(call);
	call->stop.run = on_stop_call;
	kb_loop_post(call->chats->loop, &call->stop);
}

/* ---- a request's body ---- */

/* The text alone, or parts: the text and what there is to be seen. */
static void write_content(struct kb_jw *jw, const struct kb_chat_message *message)
{
	kb_jw_key(jw, "content");
	if (!message->image_count) {
		kb_jw_sv(jw, message->text);
		return;
	}
	kb_jw_array(jw);
	kb_jw_object(jw);
	kb_jw_key_str(jw, "type", "text");
	kb_jw_key_sv(jw, "text", message->text);
	kb_jw_end(jw);
	for (size_t i = 0; i < message->image_count; i++) {
		kb_jw_object(jw);
		kb_jw_key_str(jw, "type", "image_url");
		kb_jw_key(jw, "image_url");
		kb_jw_object(jw);
		kb_jw_key_sv(jw, "url", message->images[i]);
		kb_jw_end(jw);
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
}

static void write_body(struct kb_buf *buf, const struct kb_chat_line *line,
                       const struct kb_chat_ask *ask)
{
	struct kb_jw jw;

	kb_jw_init(&jw, buf);
	kb_jw_object(&jw);
	kb_jw_key_sv(&jw, "model", line->config.model);
	kb_jw_key(&jw, "messages");
	kb_jw_array(&jw);
	for (size_t i = 0; i < ask->message_count; i++) {
		kb_jw_object(&jw);
		kb_jw_key_str(&jw, "role", ask->messages[i].role);
		write_content(&jw, &ask->messages[i]);
		kb_jw_end(&jw);
	}
	kb_jw_end(&jw);
	if (ask->max_tokens)
		kb_jw_key_int(&jw, "max_tokens", ask->max_tokens);
	kb_jw_key_bool(&jw, "stream", ask->stream);
	if (ask->stream) {
		kb_jw_key(&jw, "stream_options");
		kb_jw_object(&jw);
		kb_jw_key_bool(&jw, "include_usage", true);
		kb_jw_end(&jw);
	}
	if (line->config.more.n) {
		kb_buf_byte(buf, ',');
		kb_buf_sv(buf, line->config.more);
	}
	kb_jw_end(&jw);
}

struct kb_chat_call *kb_chat_start(struct kb_chat_line *line, const struct kb_chat_ask *ask)
{
	struct kb_chat_call *call = kb_xcalloc(1, sizeof(*call));

	kb_chat_line_hold(line);
	call->refs = 2; /* the caller's, and the loop's until the end */
	call->chats = line->chats;
	call->line = line;
	call->on_text = ask->on_text;
	call->on_end = ask->on_end;
	call->is_heard = ask->is_heard;
	call->account_id = ask->account_id;
	call->arg = ask->arg;
	call->timer.fire = on_time;
	call->begin.run = on_begin;
	call->start_us = kb_clock_mono_us();
	kb_buf_init(&call->body, BODY_MAX);
	write_body(&call->body, line, ask);
	kb_loop_post(line->chats->loop, &call->begin);
	return call;
}

/* ---- open and close ---- */

static void add_field(struct kb_chat_line *line, const char *text)
{
	line->fields = line->chats->lib->slist_append(line->fields, text);
	KB_ASSERT(line->fields != NULL);
}

struct kb_chat_line *kb_chat_line_open(struct kb_chats *chats,
                                       const struct kb_chat_line_config *config)
{
	struct kb_chat_line *line = kb_xcalloc(1, sizeof(*line));

	line->refs = 1;
	line->chats = chats;
	line->config = *config;
	line->turns = (struct kb_turns){ .places = config->places,
		                         .queue_max = config->queue_max,
		                         .is_heard = is_heard,
		                         .hold = hold_of };
	line->config.name = kb_arena_str(&line->arena, kb_sv_str(config->name));
	line->config.url = kb_arena_sv(&line->arena, config->url);
	line->config.model = kb_arena_sv(&line->arena, config->model);
	line->config.more = kb_arena_sv(&line->arena, config->more);
	line->config.key = NULL; /* it stands among the fields */
	kb_health_init(&line->health, line->config.name,
	               kb_arena_printf(&line->arena, "the model %s", line->config.name).p,
	               chats->log);
	add_field(line, "Content-Type: application/json");
	add_field(line, "Accept: text/event-stream, application/json");
	add_field(line, "Expect:"); /* no asking before large bodies */
	if (config->key && *config->key)
		add_field(line,
		          kb_arena_printf(&line->arena, "Authorization: Bearer %s", config->key).p);
	return line;
}

static bool has_key(const struct kb_chat_line *line, const char *key)
{
	struct kb_sv head = KB_SV("Authorization: Bearer ");

	for (const struct curl_slist *field = line->fields; field; field = field->next) {
		struct kb_sv text = kb_sv_str(field->data);

		if (kb_sv_starts(text, head))
			return key && kb_sv_eq_str(kb_sv_from(text, head.n), key);
	}
	return !key || !*key;
}

bool kb_chat_line_is_of(const struct kb_chat_line *line, const struct kb_chat_line_config *config)
{
	const struct kb_chat_line_config *own = &line->config;

	return strcmp(own->name, config->name) == 0 && kb_sv_eq(own->url, config->url)
	       && kb_sv_eq(own->model, config->model) && kb_sv_eq(own->more, config->more)
	       && own->first_ms == config->first_ms && own->gap_ms == config->gap_ms
	       && own->whole_ms == config->whole_ms && own->places == config->places
	       && own->queue_max == config->queue_max && has_key(line, config->key);
}

void kb_chat_line_hold(struct kb_chat_line *line)
{
	atomic_fetch_add_explicit(&line->refs, 1, memory_order_relaxed);
}

void kb_chat_line_release(struct kb_chat_line *line)
{
	if (!line || atomic_fetch_sub_explicit(&line->refs, 1, memory_order_acq_rel) > 1)
		return;
	line->chats->lib->slist_free_all(line->fields);
	kb_health_fini(&line->health);
	kb_arena_fini(&line->arena);
	free(line);
}

void kb_chat_line_stats(struct kb_chat_line *line, struct kb_chat_line_stats *out)
{
	*out = (struct kb_chat_line_stats){
		.placed = atomic_load(&line->placed),
		.waiting = atomic_load(&line->waiting),
		.refused = atomic_load(&line->refused),
		.prompt_tokens = atomic_load(&line->prompt_tokens),
		.completion_tokens = atomic_load(&line->completion_tokens),
	};
	kb_health_stats(&line->health, &out->server);
}

static void cancel_all(struct kb_chats *chats)
{
	chats->stopped = true;
	while (chats->calls)
		cancel(chats->calls); // NOLINT(clang-analyzer-unix.Malloc): its end takes it out
}

static void on_grace_over(struct kb_timer *timer)
{
	cancel_all(KB_OUTER(timer, struct kb_chats, grace));
}

static void on_stop(struct kb_task *task)
{
	struct kb_chats *chats = KB_OUTER(task, struct kb_chats, stop);

	kb_timer_set(chats->loop, &chats->grace,
	             kb_clock_mono_us() + atomic_load(&chats->grace_ms) * 1000);
}

static void on_quit(struct kb_task *task)
{
	struct kb_chats *chats = KB_OUTER(task, struct kb_chats, quit);

	cancel_all(chats);
	kb_loop_quit(chats->loop);
}

static void *run(void *arg)
{
	struct kb_chats *chats = arg;

	kb_loop_run(chats->loop);
	return NULL;
}

struct kb_chats *kb_chats_open(const struct kb_log *log, struct kb_err *err)
{
	const struct kb_curl *lib = kb_curl_load(err);
	struct kb_chats *chats;

	if (!lib)
		return NULL;
	chats = kb_xcalloc(1, sizeof(*chats));
	chats->log = log;
	chats->lib = lib;
	chats->loop = kb_loop_new(err);
	if (!chats->loop) {
		free(chats);
		return NULL;
	}
	chats->curl_timer.fire = on_curl_timer;
	chats->grace.fire = on_grace_over;
	chats->stop.run = on_stop;
	chats->quit.run = on_quit;
	chats->multi = lib->multi_init();
	KB_ASSERT(chats->multi != NULL);
	lib->multi_setopt(chats->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
	lib->multi_setopt(chats->multi, CURLMOPT_SOCKETDATA, chats);
	lib->multi_setopt(chats->multi, CURLMOPT_TIMERFUNCTION, on_timeout);
	lib->multi_setopt(chats->multi, CURLMOPT_TIMERDATA, chats);
	chats->thread = kb_thread_start("chats", run, chats);
	return chats;
}

void kb_chats_cancel(struct kb_chats *chats, int64_t grace_ms)
{
	if (!chats || atomic_exchange(&chats->asked_to_stop, true))
		return;
	atomic_store(&chats->grace_ms, grace_ms);
	kb_loop_post(chats->loop, &chats->stop);
}

void kb_chats_close(struct kb_chats *chats)
{
	if (!chats)
		return;
	kb_loop_post(chats->loop, &chats->quit);
	pthread_join(chats->thread, NULL);
	chats->lib->multi_cleanup(chats->multi);
	while (chats->spare) {
		struct watched *next = chats->spare->spare;

		free(chats->spare);
		chats->spare = next;
	}
	kb_loop_free(chats->loop);
	free(chats);
}
