/* What visitors of a public agent do in it: ask, read what they have asked before, say what they
 * think of it, take it along or away. Another visitor's conversation is not there for them. */
#include <string.h>

#include "answer/mask.h"
#include "api/quota.h"
#include "api/routes.h"
#include "api/session.h"
#include "api/shown_pages.h"
#include "api/visitor.h"
#include "base/hash.h"
#include "out/link.h"
#include "store/dates.h"
#include "store/talklinks.h"
#include "write/claims.h"

enum { CONTEXT_CHARS = 8000, HISTORY_SHOWN = 100 };

static bool read_settings(struct kb_call *call, struct kb_settings *out, struct kb_err *err)
{
	return kb_call_settings(call, &call->agent, out, err);
}

/* ---- sources ---- */

/* Without the name of a file where the agent's owner wants that. */
static void write_page(struct kb_call *call, struct kb_jw *jw, const struct kb_settings *settings,
                       const struct kb_page *page)
{
	bool anonymous =
	        settings->is_pdf_viewer && settings->is_anonymize_pdfs && kb_page_is_pdf(page);
	struct kb_sv none = { 0 }, title = kb_visitor_title(settings, page);
	struct kb_sv url = kb_link_shown(call->arena, page->url);

	if (page->meta_url.n)
		url = kb_link_shown(call->arena, page->meta_url);
	kb_jw_key_opt(jw, "title", title.n ? title : none);
	kb_jw_key_opt(jw, "url", anonymous || !url.n ? none : url);
	kb_jw_key_bool(jw, "is_pdf", kb_page_is_pdf(page));
	kb_jw_key_time_opt(jw, "dated_at", kb_page_date(page));
}

/* What an answer says of its documents. */
struct told {
	const struct kb_settings *settings;
	const struct kb_message *message;
	const struct kb_claim_place *places;
	const struct kb_sv *words; /* at them; NULL: they are not told */
	size_t place_count;
};

static void write_place(struct kb_jw *jw, const struct told *told, size_t i)
{
	const struct kb_claim_place *place = &told->places[i];

	kb_jw_object(jw);
	kb_page_no_write(jw, place->page_no);
	kb_jw_key_int(jw, "offset", place->offset);
	kb_jw_key_int(jw, "length", place->length);
	kb_jw_key_opt(jw, "words",
	              told->words && told->words[i].n ? told->words[i] : (struct kb_sv){ 0 });
	kb_jw_end(jw);
}

static void write_places(struct kb_jw *jw, const struct told *told, int64_t page_id)
{
	kb_jw_key(jw, "places");
	kb_jw_array(jw);
	for (size_t i = 0; i < told->place_count; i++)
		if (told->places[i].page_id == page_id)
			write_place(jw, told, i);
	kb_jw_end(jw);
}

static void write_sources(struct kb_call *call, struct kb_jw *jw, const struct told *told)
{
	const struct kb_message *message = told->message;
	bool cites = kb_settings_citations(told->settings) != KB_CITATIONS_NONE;
	const struct kb_page *pages = cites ? kb_shown_pages(call, message) : NULL;

	kb_jw_key(jw, "sources");
	kb_jw_array(jw);
	for (size_t i = 0; cites && i < message->citation_count; i++) {
		kb_jw_object(jw);
		kb_jw_key_int(jw, "id", message->citations[i]);
		if (pages[i].id) {
			write_page(call, jw, told->settings, &pages[i]);
		} else { /* deleted since, or closed */
			kb_jw_key_null(jw, "title");
			kb_jw_key_null(jw, "url");
			kb_jw_key_bool(jw, "is_pdf", false);
			kb_jw_key_null(jw, "dated_at");
		}
		write_places(jw, told, message->citations[i]);
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
}

/* Each as a source with its one place, and what it says. */
static void write_closest(struct kb_call *call, struct kb_jw *jw, const struct told *told)
{
	const struct kb_message *message = told->message;
	bool shows = message->closest && !message->citation_count
	             && kb_settings_citations(told->settings) != KB_CITATIONS_NONE;
	const struct kb_page *pages = shows ? kb_shown_pages(call, message) : NULL;
	struct kb_closest_list list = { 0 };

	if (shows)
		kb_closest_read(call->arena, message->details, &list);
	kb_jw_key(jw, "closest");
	kb_jw_array(jw);
	for (size_t i = 0; i < list.count; i++) {
		if (!pages[i].id) /* deleted since, or closed */
			continue;
		kb_jw_object(jw);
		kb_jw_key_int(jw, "id", pages[i].id);
		write_page(call, jw, told->settings, &pages[i]);
		kb_jw_key_sv(jw, "excerpt", list.v[i].excerpt);
		kb_jw_key(jw, "places");
		kb_jw_array(jw);
		if (i < told->place_count && list.v[i].length)
			write_place(jw, told, i);
		kb_jw_end(jw);
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
	kb_jw_key_int_opt(jw, "found", message->found_page_id);
}

/* Those whose documents a question of the visitor's would find now. */
static void write_conflicts(struct kb_call *call, struct kb_jw *jw, const struct told *told)
{
	struct kb_conflict_list list = { 0 };
	int64_t ids[2 * KB_CONFLICTS_MOST];
	struct kb_page pages[2 * KB_CONFLICTS_MOST];
	struct kb_page_ids all = { told->message->child_id ? told->message->child_id
		                                           : call->agent.id,
		                   ids, 0 };
	struct kb_err err;
	size_t open = 0;

	if (kb_settings_citations(told->settings) != KB_CITATIONS_NONE)
		kb_conflicts_read(call->arena, told->message->details, &list);
	list.count = KB_MIN(list.count, (size_t)KB_CONFLICTS_MOST);
	for (size_t i = 0; i < list.count; i++) {
		ids[all.count++] = list.v[i].said.page_id;
		ids[all.count++] = list.v[i].other.page_id;
	}
	if (!list.count || !kb_visitor_pages(call, &all, pages, &err))
		return;
	for (size_t i = 0; i < list.count; i++) {
		if (!pages[2 * i].id || !pages[2 * i + 1].id)
			continue;
		list.v[open] = list.v[i];
		list.v[open].said.title = kb_visitor_title(told->settings, &pages[2 * i]);
		list.v[open].other.title = kb_visitor_title(told->settings, &pages[2 * i + 1]);
		open++;
	}
	list.count = open;
	if (!open)
		return;
	kb_jw_key(jw, "conflicts");
	kb_conflicts_write(jw, &list);
}

/* What is said of an answer beyond its text. */
static void write_answer(struct kb_call *call, struct kb_jw *jw, const struct kb_settings *settings,
                         const struct kb_message *message)
{
	struct kb_claims claims;
	struct kb_agent child;
	struct told told = { .settings = settings, .message = message };

	kb_claims_read(call->arena, message, &claims);
	told.places = kb_shown_places(call, message, &told.place_count);
	/* The closest passages bring theirs. */
	if (message->citation_count && kb_settings_citations(settings) != KB_CITATIONS_NONE)
		told.words = kb_shown_quotes(call, message, told.places, told.place_count);
	kb_jw_key_bool(jw, "is_answered", message->answered && !message->failed);
	kb_jw_key_opt(jw, "kind", claims.kind.n ? claims.kind : (struct kb_sv){ 0 });
	kb_record_outcome(jw, message);
	write_sources(call, jw, &told);
	write_closest(call, jw, &told);
	kb_record_checked(jw, message);
	write_conflicts(call, jw, &told);
	kb_jw_key(jw, "answered_by");
	if (message->child_id
	    && kb_store_agent_get(call->api->store, call->arena, call->agent.account_id,
	                          message->child_id, &child, NULL))
		kb_jw_sv(jw, child.name);
	else
		kb_jw_null(jw);
}

/* ---- asking ---- */

static void add_finish(struct kb_call *call, struct kb_jw *jw, struct kb_turn *turn)
{
	write_answer(call, jw, &turn->settings, &turn->message);
}

/* The owner's words; what went wrong is for the log. */
static void reword(struct kb_call *call, struct kb_turn *turn, struct kb_err *err)
{
	struct kb_sv text = kb_settings_text(
	        &turn->settings, err->code == KB_E_QUOTA ? KB_TEXT_OUT_OF_QUERIES : KB_TEXT_SIESTA);

	(void)call;
	kb_fail(err, err->code, "%.*s", KB_SV_ARG(text));
}

/* Where no message was stored that ended it. */
static void over(struct kb_call *call, struct kb_turn *turn)
{
	struct kb_err err;

	if (turn->visitor_id && !kb_store_visitor_end(call->api->store, turn->visitor_id, &err))
		kb_warn(&call->req->log, "visit not ended id=%" PRId64 " error=%s",
		        call->visitor.id, err.msg);
}

static const struct kb_turn_face face = { add_finish, reword, over, .numbered = true };

/* The visitor's own conversation, or a new one. */
static bool read_session(struct kb_call *call, struct kb_turn *turn, struct kb_err *err)
{
	struct kb_conversation conversation;
	struct kb_sv id = { 0 };

	if (!kb_inputs_handle(&call->inputs, call->arena, "session_id", KB_UUID_CHARS, &id, err)
	    || (id.n && !kb_session_id_check(id, err)) || !kb_turn_read_ahead(call, id, err))
		return false;
	turn->session_id = id;
	if (!id.n) {
		kb_turn_new_session(call, turn);
		return true;
	}
	if (!kb_turn_conversation(call, turn, &conversation, err))
		return false;
	return conversation.id
	       || kb_fail(err, KB_E_NOT_FOUND, "Conversation with session id %.*s not found",
	                  KB_SV_ARG(id));
}

/* What the site around says of the moment, as its script hands it over: material like a file. */
static bool read_context(struct kb_call *call, struct kb_turn *turn, struct kb_err *err)
{
	struct kb_sv context = { 0 };

	if (!kb_inputs_text(&call->inputs, call->arena, "context", CONTEXT_CHARS, &context, err))
		return false;
	if (context.p)
		turn->context = context;
	return true;
}

/* A body that may be large is not taken of whoever may not ask now. */
bool kb_talks_admit(struct kb_call *call, struct kb_err *err)
{
	struct kb_settings settings;

	return read_settings(call, &settings, err) && kb_visitor_has_worked(call, &settings, err)
	       && kb_visitor_begins_early(call, err);
}

static bool wants_inline(const struct kb_settings *settings)
{
	return kb_settings_citations(settings) >= KB_CITATIONS_INLINE;
}

bool kb_talks_ask(struct kb_call *call, struct kb_err *err)
{
	struct kb_turn *turn = KB_NEW(call->arena, struct kb_turn);

	turn->source = kb_visitor_surface(call->visitor.surface);
	KB_ASSERT(turn->source);
	turn->external_id = call->visitor.subject;
	turn->takes_files = true;
	turn->wants_inline = wants_inline;
	if (!read_settings(call, &turn->settings, err)
	    || !kb_inputs_text(&call->inputs, call->arena, "prompt", KB_PROMPT_CHARS, &turn->prompt,
	                       err))
		return false;
	if (kb_sv_trim(turn->prompt.p ? turn->prompt : KB_SV("")).n == 0)
		return kb_fail(err, KB_E_INVALID, "prompt can't be empty");
	if (!kb_inputs_int(&call->inputs, "child_project_id", 1, INT64_MAX, &turn->named_child, err)
	    || !read_session(call, turn, err) || !read_context(call, turn, err)
	    || !kb_visitor_labels(call, &turn->labels, err)
	    || !kb_visitor_has_worked(call, &turn->settings, err) || !kb_visitor_begins(call, err))
		return false;
	turn->visitor_id = call->visitor.id;
	if (!kb_turn_number(call, turn, err) || !kb_turn_begin(call, turn, false, err)) {
		over(call, turn);
		if (err->code == KB_E_QUOTA)
			reword(call, turn, err);
		return false;
	}
	kb_turn_stream(call, turn, &face);
	return true;
}

/* Who has stopped listening may ask again; the answer is stored all the same. */
bool kb_talks_leave(struct kb_call *call, struct kb_err *err)
{
	return kb_store_visitor_end(call->api->store, call->visitor.id, err)
	       && kb_call_reply_flag(call, 200, "stopped", err);
}

/* ---- reading ---- */

static void write_talk(struct kb_jw *jw, const struct kb_conversation *conversation)
{
	kb_jw_key_sv(jw, "session_id", conversation->session_id);
	kb_jw_key_sv(jw, "name", conversation->name);
	kb_jw_key_time(jw, "created_at", conversation->created_at);
	kb_jw_key_time(jw, "updated_at", conversation->updated_at);
}

static const char *reaction_name(enum kb_reaction reaction)
{
	return reaction == KB_REACTION_LIKED      ? "liked"
	       : reaction == KB_REACTION_DISLIKED ? "disliked"
	                                          : NULL;
}

static void write_message(struct kb_call *call, struct kb_jw *jw,
                          const struct kb_settings *settings, const struct kb_message *message)
{
	kb_jw_object(jw);
	kb_jw_key_int(jw, "id", message->id);
	kb_jw_key_sv(jw, "prompt", message->query);
	kb_jw_key_sv(jw, "text", message->response);
	kb_jw_key_time(jw, "created_at", message->created_at);
	kb_jw_key_str(jw, "reaction", reaction_name(message->reaction));
	kb_jw_key_bool(jw, "is_running", message->running);
	write_answer(call, jw, settings, message);
	kb_jw_end(jw);
}

static bool is_locked(struct kb_call *call, const struct kb_settings *settings,
                      const struct kb_conversation *conversation)
{
	return kb_settings_window(settings) == KB_WINDOW_LOCKS
	       && kb_clock_now_us(call->api->clock) - conversation->created_at >= KB_DAY_US;
}

bool kb_talks_read(struct kb_call *call, struct kb_err *err)
{
	struct kb_session session = kb_call_session(call, call->req->params[1]);
	const struct kb_list list = { .page = 1, .limit = HISTORY_SHOWN };
	struct kb_transcript transcript;
	struct kb_settings settings;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!read_settings(call, &settings, err)
	    || !kb_store_message_list(call->api->store, call->arena, &session, &list, &transcript,
	                              err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	write_talk(&jw, &transcript.conversation);
	kb_jw_key_bool(&jw, "is_locked", is_locked(call, &settings, &transcript.conversation));
	kb_jw_key_bool(&jw, "is_coming",
	               call->visitor.busy_until > kb_clock_now_us(call->api->clock));
	kb_jw_key(&jw, "messages");
	kb_jw_array(&jw);
	for (size_t i = transcript.messages.count; i-- > 0;) /* the newest came first */
		write_message(call, &jw, &settings, &transcript.messages.v[i]);
	kb_jw_end(&jw);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

/* ---- the list of them ---- */

/* Whether the visitor sees the list: it may be for nobody, or for those that a site has signed. */
static bool may_list(struct kb_call *call, struct kb_err *err)
{
	struct kb_settings settings;

	if (!read_settings(call, &settings, err))
		return false;
	if (kb_sv_eq_str(settings.conversation_history, "everyone")
	    || (kb_sv_eq_str(settings.conversation_history, "team_members")
	        && call->visitor.subject.n))
		return true;
	return kb_fail(err, KB_E_NOT_FOUND, "This agent keeps no list of conversations");
}

bool kb_talks_list(struct kb_call *call, struct kb_err *err)
{
	const struct kb_conversation_filter filter = {
		.list = { .page = 1, .limit = HISTORY_SHOWN },
		.visitor_id = call->who.person,
	};
	struct kb_conversation_list list;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!may_list(call, err)
	    || !kb_store_conversation_list(call->api->store, call->arena, call->agent.id, &filter,
	                                   &list, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_array(&jw);
	for (size_t i = 0; i < list.count; i++) {
		kb_jw_object(&jw);
		write_talk(&jw, &list.v[i]);
		kb_jw_end(&jw);
	}
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

bool kb_talks_rename(struct kb_call *call, struct kb_err *err)
{
	enum { NAME_CHARS = 255 };
	struct kb_session session = kb_call_session(call, call->req->params[1]);
	struct kb_conversation conversation;
	struct kb_sv name = { 0 };
	struct kb_buf buf;
	struct kb_jw jw;

	if (!may_list(call, err)
	    || !kb_inputs_text(&call->inputs, call->arena, "name", NAME_CHARS, &name, err))
		return false;
	name = name.p ? kb_sv_trim(name) : KB_SV("");
	if (name.n == 0)
		return kb_fail(err, KB_E_INVALID, "name can't be empty");
	if (kb_agent_anonymises(call, &call->agent))
		name = kb_mask(call->arena, name);
	if (!kb_store_conversation_rename(call->api->store, call->arena, &session, name,
	                                  &conversation, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	write_talk(&jw, &conversation);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

bool kb_talks_delete(struct kb_call *call, struct kb_err *err)
{
	return may_list(call, err) && kb_conversations_delete(call, err);
}

/* ---- thumbs ---- */

bool kb_talks_react(struct kb_call *call, struct kb_err *err)
{
	struct kb_settings settings;

	if (!read_settings(call, &settings, err))
		return false;
	if (!settings.enable_feedbacks.v)
		return kb_fail(err, KB_E_NOT_FOUND, "This agent takes no feedback");
	return kb_messages_react(call, err);
}

/* ---- taking it along ---- */

bool kb_talks_export(struct kb_call *call, struct kb_err *err)
{
	struct kb_settings settings;

	if (!read_settings(call, &settings, err))
		return false;
	if (!settings.can_export_conversation.v)
		return kb_fail(err, KB_E_NOT_FOUND, "This agent's conversations are not exported");
	return kb_conversations_export(call, err);
}

/* ---- handing it on ---- */

static bool may_share(struct kb_call *call, struct kb_err *err)
{
	struct kb_settings settings;

	return read_settings(call, &settings, err)
	       && (settings.can_share_conversation.v
	           || kb_fail(err, KB_E_NOT_FOUND, "This agent's conversations are not shared"));
}

bool kb_talks_share(struct kb_call *call, struct kb_err *err)
{
	struct kb_session session = kb_call_session(call, call->req->params[1]);
	char secret[KB_TALK_LINK_TEXT];
	struct kb_buf buf;
	struct kb_jw jw;

	if (!may_share(call, err) || !kb_store_talk_share(call->api->store, &session, secret, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key_sv(&jw, "url",
	             kb_arena_printf(call->arena, "%.*s/c/%s", KB_SV_ARG(kb_call_base_url(call)),
	                             secret));
	kb_jw_end(&jw);
	return kb_call_reply(call, 201, &buf, &jw, err);
}

bool kb_talks_unshare(struct kb_call *call, struct kb_err *err)
{
	struct kb_session session = kb_call_session(call, call->req->params[1]);

	return may_share(call, err) && kb_store_talk_unshare(call->api->store, &session, err)
	       && kb_call_reply_flag(call, 200, "deleted", err);
}

/* Whoever has the link reads it, as long as the agent is public and lets its visitors share. */
static bool find_shared(struct kb_call *call, struct kb_shared_talk *talk,
                        struct kb_settings *settings, struct kb_err *err)
{
	if (!kb_store_talk_shared(call->api->store, call->arena, call->req->params[0], talk, err)
	    || !kb_store_agent_find(call->api->store, call->arena, talk->agent_id, &call->agent,
	                            err)
	    || !read_settings(call, settings, err))
		return false;
	return (call->agent.is_shared && settings->can_share_conversation.v)
	       || kb_fail(err, KB_E_NOT_FOUND, "This conversation is not shared, or no longer");
}

bool kb_talks_shared(struct kb_call *call, struct kb_err *err)
{
	struct kb_settings settings;
	struct kb_shared_talk talk;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!find_shared(call, &talk, &settings, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key_sv(&jw, "name", talk.transcript.conversation.name);
	kb_jw_key(&jw, "messages");
	kb_jw_array(&jw);
	for (size_t i = 0; i < talk.transcript.messages.count; i++)
		write_message(call, &jw, &settings, &talk.transcript.messages.v[i]);
	kb_jw_end(&jw);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

bool kb_talks_find_shared(struct kb_call *call, struct kb_settings *settings, struct kb_err *err)
{
	struct kb_shared_talk talk;

	return find_shared(call, &talk, settings, err);
}

/* ---- the secret of the owner's site ---- */

bool kb_embed_secret_create(struct kb_call *call, struct kb_err *err)
{
	char secret[KB_EMBED_SECRET_TEXT];
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_store_embed_secret_make(call->api->store, call->agent.id, secret, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key_str(&jw, "secret", secret);
	kb_jw_end(&jw);
	return kb_call_reply(call, 201, &buf, &jw, err);
}

bool kb_embed_secret_delete(struct kb_call *call, struct kb_err *err)
{
	return kb_store_embed_secret_delete(call->api->store, call->agent.id, err)
	       && kb_call_reply_flag(call, 200, "deleted", err);
}
