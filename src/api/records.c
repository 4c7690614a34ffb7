/* The records of the interface, each in the one form all its endpoints print. */
#include <string.h>

#include "answer/closest.h"
#include "api/api.h"
#include "api/ready.h"
#include "api/reasons.h"
#include "base/hash.h"
#include "out/link.h"
#include "parse/parse.h"
#include "store/content.h"
#include "store/dates.h"
#include "write/claims.h"

void kb_html_text(struct kb_buf *buf, struct kb_sv text)
{
	static const struct {
		char c;
		const char *written;
	} escapes[] = { { '"', "&quot;" }, { '<', "&lt;" }, { '>', "&gt;" }, { '&', "&amp;" } };

	for (size_t i = 0; i < text.n; i++) {
		size_t e = 0;

		while (e < KB_COUNTOF(escapes) && escapes[e].c != text.p[i])
			e++;
		if (e < KB_COUNTOF(escapes))
			kb_buf_str(buf, escapes[e].written);
		else
			kb_buf_byte(buf, text.p[i]);
	}
}

/* A value for an HTML attribute inside the embed code. */
static struct kb_sv attribute(struct kb_arena *arena, struct kb_sv text)
{
	struct kb_buf buf;
	struct kb_sv out;

	kb_buf_init(&buf, 64 << 10);
	kb_html_text(&buf, text);
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

static struct kb_sv size_parameter(struct kb_call *call, const char *name, const char *otherwise)
{
	struct kb_sv text = kb_request_query(call->req, name);

	return attribute(call->arena, text.n && text.n <= 32 ? text : kb_sv_str(otherwise));
}

static void sharing(struct kb_call *call, struct kb_jw *jw, const struct kb_agent *agent)
{
	struct kb_sv base = kb_call_base_url(call), link, height;

	kb_jw_key_opt(jw, "shareable_slug", agent->shareable_slug);
	if (!agent->is_shared || !agent->shareable_slug.n) {
		kb_jw_key_null(jw, "shareable_link");
		kb_jw_key_null(jw, "embed_code");
		kb_jw_key_null(jw, "live_chat_code");
		return;
	}
	link = kb_arena_printf(call->arena,
	                       "%.*s/projects/%" PRId64 "/ask-me-anything?shareable_slug=%.*s",
	                       KB_SV_ARG(base), agent->id, KB_SV_ARG(agent->shareable_slug));
	kb_jw_key_sv(jw, "shareable_link", link);
	height = size_parameter(call, "height", "auto");
	/* A frame has no height of its own: browsers take "auto" for 150 px. */
	kb_jw_key_sv(
	        jw, "embed_code",
	        kb_arena_printf(call->arena,
	                        "<iframe src=\"%.*s\" width=\"%.*s\" height=\"%.*s\" "
	                        "style=\"border:0%s\" frameborder=\"0\" title=\"%.*s\" "
	                        "allow=\"clipboard-write\" referrerpolicy=\"origin\"></iframe>",
	                        KB_SV_ARG(attribute(call->arena, link)),
	                        KB_SV_ARG(size_parameter(call, "width", "100%")), KB_SV_ARG(height),
	                        kb_sv_eq_str(height, "auto") ? ";height:min(720px,85vh)" : "",
	                        KB_SV_ARG(attribute(call->arena, agent->name))));
	kb_jw_key_sv(jw, "live_chat_code",
	             kb_arena_printf(
	                     call->arena,
	                     "<script src=\"%.*s/widget.js\" data-agent=\"%.*s\" defer></script>",
	                     KB_SV_ARG(attribute(call->arena, base)),
	                     KB_SV_ARG(agent->shareable_slug)));
}

static struct kb_sv set_or_none(struct kb_sv text)
{
	return text.n ? text : (struct kb_sv){ 0 };
}

void kb_record_agent(struct kb_call *call, struct kb_jw *jw, const struct kb_agent *agent,
                     const struct kb_ready *ready)
{
	kb_jw_object(jw);
	kb_jw_key_int(jw, "id", agent->id);
	kb_jw_key_sv(jw, "project_name", agent->name);
	kb_jw_key_opt(jw, "sitemap_path",
	              set_or_none(kb_link_shown(call->arena, agent->sitemap_path)));
	kb_jw_key_bool(jw, "is_chat_active", agent->is_active);
	/* Ours. */
	kb_jw_key_str(jw, "index_state", agent->is_repairing ? "repairing" : "ok");
	kb_jw_key_bool(jw, "is_master", agent->is_master);
	kb_jw_key_int(jw, "user_id", agent->account_id);
	kb_jw_key_int(jw, "team_id", agent->account_id);
	kb_jw_key_time(jw, "created_at", agent->created_at);
	kb_jw_key_time(jw, "updated_at", agent->updated_at);
	kb_jw_key_null(jw, "deleted_at");
	kb_jw_key_sv(jw, "type", agent->type);
	kb_jw_key_bool(jw, "is_shared", agent->is_shared);
	sharing(call, jw, agent);
	kb_jw_key_bool(jw, "are_licenses_allowed", agent->are_licenses_allowed);
	kb_jw_key_null(jw, "subdomain_slug");
	kb_agent_write_options(call, jw, agent);
	if (agent->is_master) {
		size_t count;
		const int64_t *children = kb_agent_children(call->arena, agent, &count);

		kb_jw_key(jw, "child_project_ids");
		kb_jw_array(jw);
		for (size_t i = 0; i < count; i++)
			kb_jw_int(jw, children[i]);
		kb_jw_end(jw);
	}
	if (ready)
		kb_ready_write(jw, ready);
	kb_jw_end(jw);
}

/* Uploads have no address of their own: their preview stands for it. */
static struct kb_sv page_url(struct kb_call *call, const struct kb_page *page)
{
	if (kb_page_has_address(page))
		return kb_link_shown(call->arena, page->url);
	return kb_arena_printf(call->arena, "%.*s/api/v1/preview/%" PRId64,
	                       KB_SV_ARG(kb_call_base_url(call)), page->id);
}

bool kb_page_is_refreshable(const struct kb_page *page)
{
	return !page->is_ours
	       || (page->blob.n
	           && (page->index == KB_STATUS_FAILED || page->index == KB_STATUS_LIMITED));
}

struct kb_sv kb_page_link(struct kb_call *call, const struct kb_page *page)
{
	struct kb_sv own = kb_link_shown(call->arena, page->meta_url);

	if (!own.n && kb_page_has_address(page))
		own = kb_link_shown(call->arena, page->url);
	if (own.n)
		return own;
	return kb_arena_printf(call->arena, "%.*s/agents/%" PRId64 "/documents?document=%" PRId64,
	                       KB_SV_ARG(kb_call_base_url(call)), page->agent_id, page->id);
}

/* The members that every list of pages has. */
static void write_page(struct kb_call *call, struct kb_jw *jw, const struct kb_page *page)
{
	struct kb_reason reason = kb_reason_of_document(page->reason);
	struct kb_sv url = page_url(call, page);
	const char *wants = kb_parse_wants(page->reason);
	char hash[KB_MD5_HEX];

	kb_md5_hex(url, hash);
	kb_jw_key_int(jw, "id", page->id);
	kb_jw_key_sv(jw, "page_url", url);
	kb_jw_key_str(jw, "page_url_hash", hash);
	kb_jw_key_int(jw, "project_id", page->agent_id);
	kb_jw_key_str(jw, "crawl_status", kb_status_name(page->crawl));
	kb_jw_key_str(jw, "index_status", kb_status_name(page->index));
	/* Ours: why the document is queued, failed or limited. Clients ignore keys they do not
	 * know. */
	kb_jw_key_opt(jw, "status_reason", page->reason.n ? page->reason : (struct kb_sv){ 0 });
	kb_reason_write(jw, &reason);
	kb_jw_key_bool(jw, "is_file", page->is_ours);
	if (wants)
		kb_jw_key_str(jw, "status_option", wants); /* Ours: with it, it may be read. */
	kb_jw_key_bool(jw, "is_refreshable", kb_page_is_refreshable(page));
	kb_jw_key_time(jw, "created_at", page->created_at);
	kb_jw_key_time(jw, "updated_at", page->updated_at);
	kb_jw_key_null(jw, "deleted_at");
	/* Ours: the document it was found in, or whose film says this. */
	if (page->parent_id)
		kb_jw_key_int(jw, "parent_id", page->parent_id);
	if (page->is_ours) {
		kb_jw_key_sv(jw, "s3_path",
		             kb_arena_printf(call->arena,
		                             "project-%" PRId64 "/page-%" PRId64 "/%.*s",
		                             page->agent_id, page->id, KB_SV_ARG(page->filename)));
		kb_jw_key_bool(jw, "is_file_kept", page->is_file_kept);
		kb_jw_key_sv(jw, "filename", page->filename);
		kb_jw_key_int(jw, "filesize", page->size);
		/* Ours: what those who mirror a folder compare (docent sync). */
		kb_jw_key_opt(jw, "content_hash", set_or_none(page->content_hash));
		if (page->path.n)
			kb_jw_key_sv(jw, "path", page->path);
		if (page->meta_url.n)
			kb_jw_key_sv(jw, "link_url", page->meta_url);
	}
}

void kb_record_page(struct kb_call *call, struct kb_jw *jw, const struct kb_page *page)
{
	kb_jw_object(jw);
	write_page(call, jw, page);
	kb_jw_end(jw);
}

void kb_record_content(struct kb_call *call, struct kb_jw *jw, const struct kb_content_row *row)
{
	const struct kb_page *page = &row->page;

	kb_jw_object(jw);
	write_page(call, jw, page);
	kb_jw_key_sv(jw, "title", kb_page_title(page));
	kb_jw_key_int(jw, "source_id", page->source_id);
	kb_jw_key_int(jw, "words", page->words);
	kb_jw_key_int(jw, "cited", row->cited);
	kb_jw_key_time_opt(jw, "dated_at", kb_page_date(page));
	kb_jw_key_time_opt(jw, "review_at", row->review_at);
	kb_jw_key_bool(jw, "is_review_due", row->is_due);
	kb_jw_end(jw);
}

static struct kb_sv first_set(struct kb_sv a, struct kb_sv b)
{
	return a.p ? a : set_or_none(b);
}

/* An owner's word that is no address of the web (older services took any) does not count. */
static struct kb_sv first_link(struct kb_call *call, struct kb_sv a, struct kb_sv b)
{
	return first_set(set_or_none(kb_link_shown(call->arena, a)), kb_link_shown(call->arena, b));
}

void kb_record_metadata(struct kb_call *call, struct kb_jw *jw, const struct kb_page *page)
{
	struct kb_sv title = page->title.n ? page->title : page->filename;

	kb_jw_object(jw);
	kb_jw_key_int(jw, "id", page->id);
	kb_jw_key_int(jw, "page_id", page->id);
	kb_jw_key_opt(jw, "url", first_link(call, page->meta_url, page_url(call, page)));
	kb_jw_key_opt(jw, "title", first_set(page->meta_title, title));
	kb_jw_key_opt(jw, "description", first_set(page->meta_description, page->description));
	kb_jw_key_opt(jw, "image", first_link(call, page->meta_image, page->image));
	kb_jw_key(jw, "word_count");
	if (page->text_blob.n)
		kb_jw_int(jw, page->words);
	else
		kb_jw_null(jw);
	kb_jw_key(jw, "custom_fields");
	kb_jw_object(jw);
	kb_jw_end(jw);
	kb_jw_key_time(jw, "created_at", page->created_at);
	kb_jw_key_time(jw, "updated_at", page->updated_at);
	kb_jw_key_null(jw, "deleted_at");
	/* Ours. */
	kb_jw_key_time_opt(jw, "dated_at", kb_page_date(page));
	kb_jw_key_time_opt(jw, "review_at", page->review_at);
	kb_jw_end(jw);
}

void kb_record_conversation(struct kb_jw *jw, const struct kb_conversation *conversation)
{
	kb_jw_object(jw);
	kb_jw_key_int(jw, "id", conversation->id);
	kb_jw_key_sv(jw, "session_id", conversation->session_id);
	kb_jw_key_sv(jw, "name", conversation->name);
	kb_jw_key_int(jw, "project_id", conversation->agent_id);
	kb_jw_key_int(jw, "created_by", conversation->created_by);
	kb_jw_key_time(jw, "created_at", conversation->created_at);
	kb_jw_key_time(jw, "updated_at", conversation->updated_at);
	kb_jw_key_null(jw, "deleted_at");
	if (conversation->counted) { /* ours */
		kb_jw_key_int(jw, "questions", conversation->questions);
		kb_jw_key_int(jw, "unanswered", conversation->unanswered);
		kb_jw_key_int(jw, "disliked", conversation->disliked);
		kb_jw_key(jw, "request_source");
		kb_jw_choice(jw, conversation->source);
	}
	kb_jw_end(jw);
}

static const char *const reactions[] = { NULL, "liked", "disliked", "neutral" };

static void feedback(struct kb_jw *jw, const struct kb_message *message)
{
	kb_jw_key(jw, "response_feedback");
	if (message->reaction == KB_REACTION_NONE) {
		kb_jw_null(jw);
		return;
	}
	kb_jw_object(jw);
	kb_jw_key_time(jw, "created_at", message->reaction_created_at);
	kb_jw_key_time(jw, "updated_at", message->reaction_updated_at);
	kb_jw_key_int_opt(jw, "user_id", message->reaction_user);
	kb_jw_key_str(jw, "reaction", reactions[message->reaction]);
	kb_jw_end(jw);
}

/* What came of the question, of a message that is not written any more; one that broke off is no
 * answer. */
static enum kb_outcome outcome_of(const struct kb_message *message)
{
	if (message->answered && !message->failed)
		return KB_OUTCOME_ANSWER;
	return message->closest ? KB_OUTCOME_CLOSEST : KB_OUTCOME_NOTHING;
}

void kb_record_outcome(struct kb_jw *jw, const struct kb_message *message)
{
	kb_jw_key_str(jw, "outcome", kb_outcome_name(outcome_of(message)));
}

/* Ours: what was near where nothing answered. Most messages have none, and their notes are not
 * read. */
void kb_record_closest(struct kb_jw *jw, const struct kb_message *message)
{
	struct kb_arena arena = { 0 };
	struct kb_closest_list list;

	if (message->answered || kb_sv_find(message->details, KB_SV("\"closest\"")) < 0)
		return;
	kb_closest_read(&arena, message->details, &list);
	kb_jw_key(jw, "closest_passages");
	kb_closest_write(jw, &list);
	kb_arena_fini(&arena);
}

/* Ours: who has checked the answer, and when. */
void kb_record_checked(struct kb_jw *jw, const struct kb_message *message)
{
	struct kb_arena arena = { 0 };
	struct kb_checked checked;

	if (kb_claims_checked(&arena, message, &checked)) {
		kb_jw_key(jw, "verified");
		kb_jw_object(jw);
		kb_jw_key_int(jw, "answer_id", checked.page_id);
		kb_jw_key_int(jw, "version", checked.version);
		kb_jw_key_opt(jw, "by", set_or_none(checked.by));
		kb_jw_key_time(jw, "at", checked.at);
		kb_jw_end(jw);
	}
	kb_arena_fini(&arena);
}

/* Ours: what other documents say otherwise. */
void kb_record_conflicts(struct kb_jw *jw, const struct kb_message *message)
{
	struct kb_conflict_list list;
	struct kb_arena arena = { 0 };

	if (kb_sv_find(message->details, KB_SV("\"conflicts\":[")) < 0)
		return;
	kb_conflicts_read(&arena, message->details, &list);
	kb_jw_key(jw, "conflicts");
	kb_conflicts_write(jw, &list);
	kb_arena_fini(&arena);
}

void kb_record_citations(struct kb_jw *jw, const struct kb_message *message)
{
	if (message->citation_count == 0) {
		kb_jw_null(jw);
		return;
	}
	kb_jw_array(jw);
	for (size_t i = 0; i < message->citation_count; i++)
		kb_jw_int(jw, message->citations[i]);
	kb_jw_end(jw);
}

void kb_message_for_visitor(struct kb_message *message)
{
	message->user_ip = message->user_agent = message->external_id = message->details =
	        KB_SV("");
}

static void message_members(struct kb_jw *jw, const struct kb_message *message)
{
	kb_jw_key_int(jw, "id", message->id);
	kb_jw_key_int(jw, "conversation_id", message->conversation_id);
	kb_jw_key_int(jw, "user_id", message->user_id);
	kb_jw_key_sv(jw, "user_query", message->query);
	kb_jw_key_sv(jw, "llm_response", message->response);
	kb_jw_key(jw, "citations");
	kb_record_citations(jw, message);
	kb_jw_key(jw, "metadata");
	kb_jw_object(jw);
	kb_jw_key_sv(jw, "user_ip", message->user_ip);
	kb_jw_key_sv(jw, "user_agent", message->user_agent);
	kb_jw_key_sv(jw, "external_id", message->external_id);
	kb_jw_key(jw, "request_source");
	kb_jw_choice(jw, message->source);
	kb_jw_end(jw);
	feedback(jw, message);
	/* Clients compare the members of an answer with those that they know. */
	if (message->closest)
		kb_record_outcome(jw, message);
	kb_record_closest(jw, message);
	kb_record_checked(jw, message);
	kb_record_conflicts(jw, message);
	if (message->found_page_id) /* ours: which of them was it */
		kb_jw_key_int(jw, "found_page_id", message->found_page_id);
	if (message->running) /* ours: llm_response is as far as it has come */
		kb_jw_key_bool(jw, "is_running", true);
	if (message->child_id) /* ours: who answered for a master */
		kb_jw_key_int(jw, "child_project_id", message->child_id);
	kb_jw_key(jw, "tools");
	kb_jw_array(jw);
	kb_jw_end(jw);
	kb_jw_key_time(jw, "created_at", message->created_at);
	kb_jw_key_time(jw, "updated_at", message->updated_at);
}

void kb_record_message(struct kb_jw *jw, const struct kb_message *message)
{
	kb_jw_object(jw);
	message_members(jw, message);
	kb_jw_end(jw);
}

void kb_record_message_insights(struct kb_call *call, struct kb_jw *jw,
                                const struct kb_message *message)
{
	struct kb_sv none = { 0 }, lang;
	struct kb_claims note;

	/* What the answer noted, or, of an older message, what its words tell. */
	kb_claims_read(call->arena, message, &note);
	lang = note.lang.n ? note.lang
	                   : kb_sv_str(kb_lang_code(kb_lang_of_question(message->query)));
	kb_jw_object(jw);
	message_members(jw, message);
	kb_jw_key(jw, "customer_intelligence");
	kb_jw_object(jw);
	kb_jw_key_opt(jw, "language", kb_sv_eq_str(lang, "und") ? none : lang);
	kb_jw_key_opt(jw, "question_kind", note.type.n ? note.type : none);
	kb_jw_key_opt(jw, "answer_kind", note.kind.n ? note.kind : none);
	kb_jw_key_bool(jw, "is_answered", message->answered);
	kb_jw_key_str(jw, "feedback", reactions[message->reaction]);
	kb_jw_key(jw, "request_source");
	kb_jw_choice(jw, message->source);
	kb_record_outcome(jw, message);
	kb_jw_end(jw);
	kb_jw_end(jw);
}
