#include "api/session.h"

#include <string.h>

#include "answer/mask.h"
#include "api/quota.h"
#include "base/utf8.h"
#include "settings/options.h"
#include "write/claims.h"

enum { LOCK_HOURS = 24, USER_AGENT_CHARS = 500, FRESH_US = 100000 };

bool kb_session_id_check(struct kb_sv id, struct kb_err *err)
{
	static const char safe[] =
	        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
	bool ok = id.n >= 1 && id.n <= 128;

	for (size_t i = 0; ok && i < id.n; i++)
		ok = memchr(safe, id.p[i], sizeof(safe) - 1) != NULL;
	return ok
	       || kb_fail(err, KB_E_INVALID,
	                  "the session id must be 1 to 128 letters, digits and - . _ ~");
}

/* What was read for the question, if the turn is in its session; or NULL. */
static const struct kb_ahead *ahead_of(const struct kb_call *call, const struct kb_turn *turn)
{
	return call->ahead && call->ahead->agent.id == call->agent.id
	                       && kb_sv_eq(call->ahead->session_id, turn->session_id)
	               ? call->ahead
	               : NULL;
}

bool kb_turn_read_ahead(struct kb_call *call, struct kb_sv session_id, struct kb_err *err)
{
	const struct kb_ahead_want want = {
		.agent_id = call->agent.id,
		.knows_agent = true,
		.session_id = session_id,
		.visitor_id = call->who.person,
		.history = KB_HISTORY_TURNS,
		.account_id = kb_limits_queries(call->plan) ? call->who.account : 0,
	};

	if (call->ahead || !kb_store_reads_ahead(call->api->store))
		return true;
	call->ahead = KB_NEW(call->arena, struct kb_ahead);
	if (!kb_store_read_ahead(call->api->store, call->arena, &want, call->ahead, err))
		return false;
	call->ahead->agent = call->agent;
	return true;
}

bool kb_turn_number(struct kb_call *call, struct kb_turn *turn, struct kb_err *err)
{
	if (!call->ahead)
		return kb_store_message_reserve(call->api->store, &turn->message.id, err);
	turn->message.id = call->ahead->message_id;
	return true;
}

void kb_turn_new_session(struct kb_call *call, struct kb_turn *turn)
{
	char *uuid = kb_arena_bytes(call->arena, KB_UUID_CHARS + 1);

	kb_random_uuid(uuid);
	turn->session_id = kb_sv_str(uuid);
	if (call->ahead && !call->ahead->session_id.n)
		call->ahead->session_id = turn->session_id;
}

bool kb_turn_conversation(struct kb_call *call, const struct kb_turn *turn,
                          struct kb_conversation *out, struct kb_err *err)
{
	struct kb_session session = kb_call_session(call, turn->session_id);
	const struct kb_ahead *ahead = ahead_of(call, turn);

	*out = (struct kb_conversation){ 0 };
	if (ahead)
		*out = ahead->conversation;
	return ahead || kb_store_conversation_get(call->api->store, call->arena, &session, out, err)
	       || err->code == KB_E_NOT_FOUND;
}

static bool refuse_locked(struct kb_call *call, const struct kb_turn *turn, struct kb_err *err)
{
	struct kb_conversation conversation;

	if (kb_settings_window(&turn->settings) != KB_WINDOW_LOCKS)
		return true;
	if (!kb_turn_conversation(call, turn, &conversation, err))
		return false;
	if (!conversation.id)
		return true;
	if (kb_clock_now_us(call->api->clock) - conversation.created_at
	    < LOCK_HOURS * INT64_C(3600) * KB_SECOND_US)
		return true;
	return kb_fail(err, KB_E_FORBIDDEN,
	               "This conversation was locked %d hours after it started; start a new one",
	               LOCK_HOURS);
}

/* What judges earlier answers: mostly they are all of one agent. */
struct judge {
	int64_t agent_id; /* 0: none yet */
	bool is_open;
	struct kb_live live;
	struct kb_pass pass;
};

static bool judge_opens(struct kb_call *call, const struct kb_turn *turn, int64_t agent_id,
                        struct judge *judge)
{
	if (judge->agent_id == agent_id)
		return judge->is_open;
	kb_live_release(&judge->live);
	judge->agent_id = agent_id;
	judge->is_open = kb_catalog_get_known(call->api->catalog, agent_id, &call->known,
	                                      &judge->live, NULL);
	if (judge->is_open)
		kb_pass_init(&judge->pass, judge->live.access, call->arena, &turn->labels);
	return judge->is_open;
}

/* Whether an earlier answer may be told to a model now: what this request may not find, an answer
 * that was made of it may not tell either. */
static bool may_be_told(struct kb_call *call, const struct kb_turn *turn,
                        const struct kb_message *message, struct judge *judge)
{
	size_t count;
	const int64_t *pages = kb_claims_pages(call->arena, message, &count);
	bool may = !message->failed;

	if (!may || !count)
		return may;
	may = judge_opens(call, turn, message->child_id ? message->child_id : call->agent.id,
	                  judge);
	for (size_t i = 0; may && i < count; i++)
		may = kb_pass_allows(&judge->pass, pages[i]);
	return may;
}

/* The last messages, those of the window. */
static bool load_history(struct kb_call *call, const struct kb_turn *turn, int64_t since,
                         struct kb_message_list *out, struct kb_err *err)
{
	struct kb_session session = kb_call_session(call, turn->session_id);
	const struct kb_ahead *ahead = ahead_of(call, turn);

	if (!ahead)
		return kb_store_message_history(
		        call->api->store, call->arena, &session,
		        &(struct kb_history_want){ .since = since, .limit = KB_HISTORY_TURNS }, out,
		        err);
	*out = ahead->history;
	while (out->count && out->v[0].created_at < since) {
		out->v++;
		out->count--;
	}
	return true;
}

static bool read_history(struct kb_call *call, struct kb_turn *turn, struct kb_err *err)
{
	int64_t since = kb_settings_window(&turn->settings) == KB_WINDOW_DAY
	                        ? kb_clock_now_us(call->api->clock) - KB_DAY_US
	                        : 0;
	struct kb_message_list messages;
	struct kb_sv *turns, *replies;
	struct judge judge = { 0 };

	if (!load_history(call, turn, since, &messages, err))
		return false;
	turns = KB_NEW_ARRAY(call->arena, messages.count, struct kb_sv);
	replies = KB_NEW_ARRAY(call->arena, messages.count, struct kb_sv);
	for (size_t i = 0; i < messages.count; i++) {
		turns[i] = messages.v[i].query;
		if (may_be_told(call, turn, &messages.v[i], &judge))
			replies[i] = messages.v[i].response;
	}
	kb_live_release(&judge.live);
	turn->turns = turns;
	turn->replies = replies;
	turn->turn_count = messages.count;
	return true;
}

bool kb_agent_anonymises(struct kb_call *call, const struct kb_agent *agent)
{
	struct kb_agent_options options;
	struct kb_arena scratch = { 0 };

	kb_agent_options_read(&scratch, agent->options, &call->req->log, &options);
	kb_arena_fini(&scratch);
	return options.is_anonymized;
}

static const struct kb_sv *mask_all(struct kb_arena *arena, const struct kb_sv *texts, size_t count)
{
	struct kb_sv *out = KB_NEW_ARRAY(arena, count, struct kb_sv);

	for (size_t i = 0; i < count; i++)
		out[i] = texts[i].p ? kb_mask(arena, texts[i]) : texts[i];
	return out;
}

/* An agent that anonymises never sees, keeps or hands on what the mask covers. */
static void mask(struct kb_call *call, struct kb_turn *turn, const struct kb_agent *agent)
{
	if (turn->masked || !kb_agent_anonymises(call, agent))
		return;
	turn->masked = true;
	if (turn->attached)
		turn->attached->masked = true;
	turn->turns = mask_all(call->arena, turn->turns, turn->turn_count);
	if (turn->replies)
		turn->replies = mask_all(call->arena, turn->replies, turn->turn_count);
	turn->prompt = kb_mask(call->arena, turn->prompt);
	if (turn->wishes.n)
		turn->wishes = kb_mask(call->arena, turn->wishes);
}

bool kb_turn_begin(struct kb_call *call, struct kb_turn *turn, bool own_history, struct kb_err *err)
{
	if ((!turn->is_trial && !kb_limit_queries(call, err))
	    || !kb_call_settings(call, &call->agent, &turn->settings, err)
	    || !kb_turn_apply(call, turn, err) || !refuse_locked(call, turn, err)
	    || (!own_history && !read_history(call, turn, err)))
		return false;
	/* Before a child is picked: the master's children see no more than it does. */
	mask(call, turn, &call->agent);
	if (!kb_turn_route(call, turn, err))
		return false;
	/* The child that answers may anonymise where its master does not; and who picks it is told
	 * the question on behalf of all that it may be for. */
	if (turn->agent != &call->agent)
		mask(call, turn, turn->agent);
	for (size_t i = 0; turn->routing && i < turn->routing->count; i++)
		mask(call, turn, turn->routing->v[i].agent);
	return kb_turn_attach(call, turn, err);
}

/* What is known of the message before there is an answer. */
static void begin_message(struct kb_call *call, struct kb_turn *turn)
{
	struct kb_sv agent = kb_request_field(call->req, "user-agent");

	turn->message = (struct kb_message){
		.id = turn->message.id || !ahead_of(call, turn) ? turn->message.id
		                                                : ahead_of(call, turn)->message_id,
		.query = turn->prompt,
		.user_ip = kb_sv_str(call->req->peer),
		.user_agent = kb_utf8_head(kb_utf8_mend(call->arena, agent.p ? agent : KB_SV("")),
		                           USER_AGENT_CHARS),
		.external_id = turn->external_id.p ? turn->external_id : KB_SV(""),
		.source = kb_sv_str(turn->source),
		.user_id = kb_principal_user(&call->who),
	};
}

/* Documents that were deleted while the answer was being made are not cited, unless numbers in the
 * text say which is which. What was read a moment ago is not looked at once more. */
static void cite_no_gone(struct kb_call *call, struct kb_turn *turn)
{
	enum kb_citations mode = kb_settings_citations(&turn->settings);
	struct kb_answer *answer = &turn->answer;
	const struct kb_page_ids ids = { turn->agent->id, answer->citations,
		                         answer->citation_count };
	bool numbered = turn->inline_citations && mode >= KB_CITATIONS_INLINE;
	bool fresh = kb_clock_mono_us() - call->known.read_at < FRESH_US;
	struct kb_page *pages;
	struct kb_err err;

	if (!ids.count || numbered || fresh)
		return;
	pages = KB_NEW_ARRAY(call->arena, ids.count, struct kb_page);
	if (!kb_store_pages_get(call->api->store, call->arena, &ids, pages, &err)) {
		kb_warn(&call->req->log, "cited documents not read error=%s", err.msg);
		return;
	}
	answer->citation_count = 0;
	for (size_t i = 0; i < ids.count; i++)
		if (pages[i].id)
			answer->citations[answer->citation_count++] = pages[i].id;
}

static bool keep(struct kb_call *call, struct kb_turn *turn, struct kb_err *err)
{
	struct kb_session session = kb_call_session(call, turn->session_id);
	const struct kb_answer *answer = &turn->answer;
	struct kb_message *message = &turn->message;

	cite_no_gone(call, turn);
	message->ahead = ahead_of(call, turn);
	message->ends_visit = turn->visitor_id;
	message->response = answer->text;
	message->citations = answer->citations;
	message->citation_count = answer->citation_count;
	message->answered = answer->kind != KB_ANSWER_NONE && answer->kind != KB_ANSWER_MODERATED
	                    && answer->kind != KB_ANSWER_FAILED;
	message->failed = answer->failure != NULL;
	message->closest = kb_answer_outcome(answer) == KB_OUTCOME_CLOSEST;
	message->gap_why = kb_claims_gap(answer);
	message->details = kb_claims_note(call->arena, answer, turn->attached);
	message->spent = (struct kb_model_spent){ answer->model, answer->prompt_tokens,
		                                  answer->completion_tokens, answer->cost_micros };
	if (!kb_store_message_add(call->api->store, call->arena, &session, message,
	                          &turn->conversation, err))
		return false;
	turn->visitor_id = 0;
	return true;
}

struct answering {
	struct kb_call *call;
	struct kb_turn *turn;
	struct kb_turn_sink sink;
	struct kb_answer_request request;
	struct kb_answer_row row;
};

static void take(void *arg, struct kb_sv piece)
{
	struct answering *a = arg;

	a->sink.take(a->sink.arg, piece);
}

static void reading(void *arg, size_t sources)
{
	struct answering *a = arg;

	a->sink.reading(a->sink.arg, sources);
}

static void silent(void *arg)
{
	struct answering *a = arg;

	a->sink.silent(a->sink.arg);
}

/* A reader that goes on elsewhere (follow.h) is none here: its answer may begin later, and no more.
 */
static bool is_heard(void *arg)
{
	struct answering *a = arg;

	return !kb_request_deserted(a->call->req);
}

/* What a client is told of a model that failed: whose fault it was, in the status, and the owner's
 * words. Which server it was, and how it is doing, is the operator's to know: the writer's log says
 * it. */
static void explain_failure(struct kb_turn *turn, struct kb_err *err)
{
	static const struct {
		enum kb_errc code;
		int status;
	} statuses[] = {
		{ KB_E_EXHAUSTED, 429 }, { KB_E_BUSY, 503 },    { KB_E_AWAY, 503 },
		{ KB_E_CANCELLED, 503 }, { KB_E_TIMEOUT, 504 },
	};
	struct kb_sv text =
	        kb_utf8_cut(kb_settings_text_in(&turn->settings, turn->lang, KB_TEXT_SIESTA),
	                    sizeof(err->msg) - 1);
	int status = 502;

	for (size_t i = 0; i < KB_COUNTOF(statuses); i++)
		if (statuses[i].code == err->code)
			status = statuses[i].status;
	kb_fail_for(err, status == 502 ? KB_E_UPSTREAM : err->code, err->retry_after_s, "%.*s",
	            KB_SV_ARG(text));
	err->status = status;
}

static void finish(void *arg, struct kb_err *err)
{
	struct answering *a = arg;
	struct kb_turn *turn = a->turn;

	if (err->code == KB_OK && (turn->is_trial || keep(a->call, turn, err))) {
		if (turn->answer.failure) {
			*err = *turn->answer.failure;
			explain_failure(turn, err);
		}
	}
	a->sink.done(a->call, turn, err, a->sink.arg);
}

/* What of the request and the message follows from who answers. */
static void set_agent(struct answering *a)
{
	struct kb_turn *turn = a->turn;

	if (turn->wants_inline)
		turn->inline_citations = turn->wants_inline(&turn->settings);
	turn->message.child_id = turn->agent->id == a->call->agent.id ? 0 : turn->agent->id;
	turn->message.stays_with = turn->stays_with;
	a->request.agent = turn->agent;
	a->request.inline_citations = turn->inline_citations;
}

static bool choose(void *arg, ptrdiff_t which, struct kb_err *err)
{
	struct answering *a = arg;

	if (!kb_turn_reroute(a->call, a->turn, which, err))
		return false;
	set_agent(a);
	return true;
}

void kb_turn_answer(struct kb_call *call, struct kb_turn *turn, const struct kb_turn_sink *sink)
{
	struct answering *a = KB_NEW(call->arena, struct answering);

	begin_message(call, turn);
	*a = (struct answering){
		.row = { .session = kb_call_session(call, turn->session_id),
		         .message = &turn->message },
		.call = call,
		.turn = turn,
		.sink = *sink,
		.request = { .settings = &turn->settings,
		             .session_id = turn->session_id,
		             .conversation_of = call->agent.id,
		             .prompt = turn->prompt,
		             .lang = turn->lang,
		             .wishes = turn->wishes,
		             .turns = turn->turns,
		             .replies = turn->replies,
		             .turn_count = turn->turn_count,
		             .images = turn->images,
		             .image_count = turn->image_count,
		             .known = &call->known,
		             .labels = turn->labels,
		             .notes = turn->notes,
		             .row = turn->is_trial ? NULL : &a->row,
		             .account_id = kb_principal_user(&call->who),
		             .asker = call->visitor.name,
		             .actions_max = call->plan->max_actions,
		             .attached = turn->attached,
		             .actions_enabled = turn->actions_enabled,
		             .actions_disabled = turn->actions_disabled,
		             .searched = turn->searched,
		             .routing = turn->routing },
	};
	set_agent(a);
	if (turn->routing) {
		turn->routing->choose = choose;
		turn->routing->arg = a;
	}
	kb_write_begin(call->api->writer, call->arena, &a->request,
	               &(struct kb_answer_sink){ .take = sink->take ? take : NULL,
	                                         .reading = sink->reading ? reading : NULL,
	                                         .silent = sink->silent ? silent : NULL,
	                                         .is_heard = is_heard,
	                                         .done = finish,
	                                         .arg = a },
	               &turn->answer);
}

/* A flag of the query or the body; either may be given, also twice. */
static bool read_flag(struct kb_call *call, const char *name, bool *yes, struct kb_err *err)
{
	struct kb_sv text = kb_request_query(call->req, name);

	*yes = false;
	if (!kb_inputs_bool(&call->inputs, name, yes, err))
		return false;
	if (text.n && !kb_text_to_bool(text, yes))
		return kb_fail(err, KB_E_INVALID, "%s must be true or false", name);
	return true;
}

bool kb_wants_stream(struct kb_call *call, bool *yes, struct kb_err *err)
{
	return read_flag(call, "stream", yes, err);
}

bool kb_wants_resumable(struct kb_call *call, bool *yes, struct kb_err *err)
{
	return read_flag(call, "resumable", yes, err);
}
