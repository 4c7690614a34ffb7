/*
 * The HTTP interface: the route table and what every handler shares.
 *
 * A request comes from the server (http), finds its row in routes.c, passes the one dispatch
 * (dispatch.c), which makes out who calls (principal.h), finds the agent the path names, asks
 * whether they have the row's role there and reads the body, and reaches its handler, which
 * answers. Handlers run on workers and may block; a row's `fast` handler runs on a loop thread and
 * may not. Everything of one request lives in its arena. Nothing here holds SQL or ranks text.
 */
#ifndef KB_API_API_H
#define KB_API_API_H

#include <stdatomic.h>

#include "answer/answer.h"
#include "answer/notes.h"
#include "api/input.h"
#include "api/limits.h"
#include "api/principal.h"
#include "api/roles.h"
#include "base/json.h"
#include "blob/blob.h"
#include "crawl/crawler.h"
#include "http/server.h"
#include "ingest/ingest.h"
#include "oidc/provider.h"
#include "settings/plans.h"
#include "store/accounts.h"
#include "store/agents.h"
#include "store/ahead.h"
#include "store/audit.h"
#include "store/conversations.h"
#include "store/pages.h"
#include "store/sources.h"
#include "store/visitors.h"
#include "upkeep/upkeep.h"
#include "upstream/models.h"
#include "view/pictures.h"
#include "view/view.h"
#include "write/write.h"

/* What main() wires together. */
struct kb_api {
	struct kb_store *store;
	struct kb_blobs *blobs;
	struct kb_catalog *catalog;
	struct kb_ingest *ingest;
	struct kb_crawler *crawler;
	struct kb_upkeep *upkeep;
	struct kb_answerer *answerer;
	struct kb_writer *writer;
	struct kb_followers *followers;
	struct kb_watchers *watchers;
	struct kb_notes_job *notes;
	const struct kb_vectorizer *vectorizer; /* NULL: nobody makes vectors */
	/* Whether the encoder's file is damaged or foreign: then nobody makes vectors because of
	 * that. Never blocks. NULL: there is to be no encoder. */
	bool (*encoder_is_refused)(const void *arg);
	const void *encoder;
	const struct kb_reranker *reranker; /* NULL: nobody judges passages */
	struct kb_moderator *moderator;     /* NULL: no such server is configured */
	struct kb_transcriber *transcriber; /* the same */
	struct kb_parser *parser;           /* of files in messages */
	struct kb_views *views;             /* pages that are looked at */
	struct kb_pictures *pictures;       /* of pages of the web */
	const char *temp_dir;               /* of segments in the making */
	struct kb_slots *slots;             /* of messages whose files are read */
	_Atomic(int) trials;                /* that go on now (trials.c) */
	struct kb_pool *workers;
	/* Set once it has started: the first requests may come a moment before. */
	_Atomic(struct kb_server *) server;
	struct kb_plans plans;
	struct kb_models *models; /* the operator's catalogue */
	struct kb_aliases aliases;
	struct kb_fetcher *fetcher; /* the one way out, for what a caller names */
	struct kb_rates *rates;
	struct kb_guesses *guesses;       /* wrong keys, by where they come from (guesses.h) */
	struct kb_embeddings *embeddings; /* whose turn it is to have vectors made (embeddings.h) */
	struct kb_readies *readies;       /* what of agents can be found by meaning (ready.h) */
	struct kb_clock *clock;
	const struct kb_log *log;
	enum kb_audit_reads audit_reads; /* which reads leave a row in the audit log */
	int64_t public_daily;   /* questions that an agent's visitors may ask a day; 0: no limit */
	int64_t public_address; /* and a minute, those who visit from one address */
	const char *public_url; /* without a slash at its end; NULL: from each request's Host */
	const char *metrics_token;  /* NULL: /metrics answers loopback only */
	struct kb_gateway gateway;  /* who signs people in before us */
	struct kb_oidc *oidc;       /* the provider that signs people in; NULL: there is none */
	const char *data;           /* the data directory, as the operator named it */
	int64_t started_us;         /* kb_clock_mono_us() */
	struct kb_timings *timings; /* of calls; NULL: nobody asks for them */
	struct kb_sv openapi;       /* made once from the route table */
};

/* Documents or sources came, or something was deleted: the background looks now rather than at its
 * next poll. Never blocks. */
void kb_api_wake(struct kb_api *api);

struct kb_call;

/* The rows, and that who calls may do what a row is for, and then its handler; where it is true,
 * the answer is in `within`. */
struct kb_calls_within {
	const struct kb_api_route *rows;
	size_t count;
	bool (*run)(struct kb_call *call, struct kb_err *err);
};

/* One request on its way through its handler; in the request's arena, so a handler may return and
 * leave the answer to others. */
struct kb_call {
	struct kb_api *api;
	struct kb_request *req;
	struct kb_arena *arena;
	const struct kb_api_route *row;
	int64_t began_us; /* kb_clock_mono_us() */
	/* KB_ROLE_NONE where the row asks for nobody; of a public agent with the account that
	 * answers and pays all the same. */
	struct kb_principal who;
	const struct kb_plan *plan; /* of its account */
	struct kb_agent agent;      /* paths with {projectId}, and those of public agents */
	/* Its index version, where other nodes change agents; a read_at of 0: not known. */
	struct kb_known_version known;
	struct kb_ahead *ahead;    /* what was read for the route's question; or NULL */
	struct kb_visitor visitor; /* the visit behind KB_ROLE_VISITOR */
	struct kb_inputs inputs;
	const char *error_word; /* its protocol's own for its error (scim.h, oauth.h); NULL: none */
	struct kb_audit *audit; /* what is kept of it (audit.h); NULL: nothing */
	bool streaming;         /* kb_call_stream(): errors go into the stream */
	/* How calls within this one are made (together.c). */
	const struct kb_calls_within *calls;
	/* Of a call within another one: its answer stays here, in the call's arena. NULL: it goes
	 * to its client. */
	struct kb_response *within;
	struct kb_shown_rows
	        *shown; /* what is known of the documents that a message shows (shown_pages.c) */
	struct kb_shown_source *texts;
	size_t words_read; /* documents */
};

/* What is kept of a request besides its call, which there is one of before a large body is taken,
 * and another behind it. */
struct kb_request_kept {
	int64_t rate_limit, rate_left;  /* of the key's plan; 0: it has no rate */
	struct kb_visitor_early *early; /* a visitor's turn (visitor.c) */
};
struct kb_request_kept *kb_request_kept(struct kb_request *req);

struct kb_api_route {
	const char *method, *path;
	/* Answers, or returns false with *err set for dispatch to answer. Every row has one: `fast`
	 * is not asked when the request has a body. */
	bool (*handle)(struct kb_call *call, struct kb_err *err);
	/* Who it is for, and what it does. Where the path names an agent, it is for who reaches
	 * that and has the role there. A question (KB_ASK) of an agent's path is in the session
	 * that the path names, or in a new one. */
	enum kb_role role;
	enum kb_verb verb;
	bool (*fast)(struct kb_request *req);
	/* What is kept of it in the audit log; 0: nothing. Of what reads only where --audit-reads
	 * says so. */
	enum kb_audit_action action;
	enum kb_plan_feature feature; /* of the plan, that the route needs; 0: none */
	/* An agent of another account: 403 instead of 404. The contract's rule where the agent
	 * itself is changed or deleted; what lies below it, settings too, is not found. */
	bool foreign_is_403;
	/* It may be read together with others (together.c): its handler answers with JSON, by
	 * kb_call_respond(), before it returns. */
	bool together;
	bool is_unrated;     /* takes nothing of the key's rate: the handler bounds it */
	bool invalid_is_422; /* a bad argument: 422 instead of 400 (the contract's rule) */
	size_t body_max;
	bool upload;
	int64_t upload_max; /* bytes of one request's files, where the server's limit is too much */
	/* Before a large body is taken, behind key and agent: what the handler would refuse
	 * whatever it holds. NULL: nothing. */
	bool (*admit)(struct kb_call *call, struct kb_err *err);
	/* For /openapi.json and for the tests that check each answer. */
	const char *tag, *summary;
	const char *query;    /* "page:int limit:int search:str", api/schema.h's words */
	const char *request;  /* name of the body's schema, or NULL */
	const char *response; /* name of the answer's schema, or NULL: not JSON */
	const char *failure;  /* of an error's; NULL: "Error" */
	const char *type;     /* of bodies of those schemas; NULL: application/json */
	const char *media;    /* further types of it, "text/csv text/html"; NULL: none */
	int status;           /* of success */
	int also[6];          /* further ones that nothing else in the row says (openapi.c) */
};

const struct kb_api_route *kb_api_routes(size_t *count);

/* The same rows as the server wants them, in the arena. */
struct kb_route *kb_api_net_routes(struct kb_arena *arena, size_t *count);

/* the server's callbacks; `app` of the server's configuration is the struct kb_api. */
void kb_api_refuse(struct kb_request *req, const struct kb_err *err);
bool kb_api_admit(struct kb_request *req);
void kb_api_decorate(struct kb_request *req, struct kb_buf *head);
bool kb_api_owner_holds(void *app, int64_t owner);
void kb_api_hurry(void *app);

/* ---- how a call ends (reply.c) ----
 *
 * A handler answers by one of these, once, or returns false with *err set and dispatch does. All of
 * them leave by one place, which knows who called, what for and what came of it; nothing else in
 * this folder answers a request (but the server's own threads, where there is no call yet: `fast`).
 * Behind them the call may be gone with its memory.
 */
void kb_call_respond(struct kb_call *call, const struct kb_response *response);
/* With what buf holds as the body, and buf freed; false where it ran over: nothing is answered. */
bool kb_call_respond_buf(struct kb_call *call, struct kb_response *head, struct kb_buf *buf,
                         struct kb_err *err) KB_MUST_CHECK;
/* With that blob as the body; ranges: a part of it may be asked for. */
bool kb_call_respond_blob(struct kb_call *call, const struct kb_response *head, struct kb_sv blob,
                          bool ranges, struct kb_err *err) KB_MUST_CHECK;
/* With a stream of events, which somebody ends. What fails from then on is said in it. closes: the
 * connection ends with it. */
struct kb_stream *kb_call_stream(struct kb_call *call, bool closes);

/* A writer of what a client reads: with the operator's second spellings. */
void kb_api_jw(const struct kb_api *api, struct kb_jw *jw, struct kb_buf *buf);
/* Starts `{"status":"success","data":` in buf; kb_call_reply() closes it and answers. */
void kb_call_begin(struct kb_call *call, struct kb_buf *buf, struct kb_jw *jw);
/* The same with another name than "data", where the contract wants one. */
void kb_call_begin_as(struct kb_call *call, struct kb_buf *buf, struct kb_jw *jw, const char *name);
bool kb_call_reply(struct kb_call *call, int status, struct kb_buf *buf, struct kb_jw *jw,
                   struct kb_err *err);
/* {"status":"success","data":{"<name>":true}} */
bool kb_call_reply_flag(struct kb_call *call, int status, const char *name, struct kb_err *err);

/* The error body of the contract, with the member that chat client libraries read (errors.c). */
void kb_call_error(struct kb_call *call, const struct kb_err *err);

/* ---- for handlers (call.c) ---- */

/* The credential of "Authorization: Bearer …"; empty: none was sent. */
struct kb_sv kb_request_bearer(const struct kb_request *req);

/* What the cookie of a signed-in browser holds, where the request comes from a page of ours and so
 * from its user (signin.c); empty otherwise: then there is no cookie, whatever was sent. */
struct kb_sv kb_call_sign_in(struct kb_call *call);

/* Whether the request may come from a page of ours: no foreign origin says otherwise (signin.c). */
bool kb_call_is_from_us(const struct kb_call *call);
/* Whether browsers reach us by TLS. */
bool kb_call_is_secure(const struct kb_call *call);
/* Empty: it was not sent. */
struct kb_sv kb_call_cookie(struct kb_call *call, const char *name);

/* That key's holder becomes who calls, with their plan: the account, or the person whose own it is;
 * a key without an id is none (signins.h). KB_E_UNAUTHORIZED where that person has gone. */
bool kb_call_by_key(struct kb_call *call, const struct kb_key *key,
                    struct kb_err *err) KB_MUST_CHECK;
/* The labels that a question of theirs has: those that it names, for who holds a key or manages the
 * agent's content; a person's own in any other case, where naming some is KB_E_FORBIDDEN
 * (shown_pages.c). */
struct kb_label_filter;
bool kb_call_labels(struct kb_call *call, const struct kb_inputs *inputs,
                    struct kb_label_filter *out, struct kb_err *err) KB_MUST_CHECK;
/* Whether who calls may ask as somebody with these labels, names of one a line: they hold a key,
 * manage the content, or have each of them. KB_E_FORBIDDEN; err may be NULL (shown_pages.c). */
bool kb_call_has_labels(struct kb_call *call, struct kb_sv names, struct kb_err *err);
/* Whether who calls may see that document of an agent they reach: their labels open it, or they
 * manage the content. KB_E_NOT_FOUND where not (shown_pages.c). */
bool kb_call_opens(struct kb_call *call, const struct kb_page *page,
                   struct kb_err *err) KB_MUST_CHECK;

/* The same of several documents of one agent: those that they may not see are zeroed. */
bool kb_call_hide(struct kb_call *call, int64_t agent_id, struct kb_page *pages, size_t count,
                  struct kb_err *err) KB_MUST_CHECK;

/* The public agent of the path's {slug}, and who pays for it (visitor.c). */
bool kb_call_public_agent(struct kb_call *call, struct kb_err *err) KB_MUST_CHECK;
/* The settings that an agent has for who asks: in their browser's language where it speaks that of
 * its visitors. Not to be stored. */
bool kb_call_settings(struct kb_call *call, const struct kb_agent *agent, struct kb_settings *out,
                      struct kb_err *err) KB_MUST_CHECK;
/* And who visits it: KB_E_UNAUTHORIZED where that is nobody. */
bool kb_call_visit(struct kb_call *call, struct kb_err *err) KB_MUST_CHECK;

/* Who is counted for a request: the address, of IPv6 the network of 64 bits. */
struct kb_sv kb_call_address(struct kb_call *call);
/* "http://host:8080", without a slash at the end. */
struct kb_sv kb_call_base_url(struct kb_call *call);

/* Path parameter i as an id: KB_E_INVALID "<what> id must be integer". */
bool kb_call_id(struct kb_call *call, size_t i, const char *what, int64_t *id, struct kb_err *err);

/* That agent becomes the call's. Foreign, missing and out of the caller's reach look alike
 * (KB_E_NOT_FOUND), except where the contract says 403. */
bool kb_call_agent(struct kb_call *call, int64_t id, struct kb_err *err) KB_MUST_CHECK;

/* That session of the agent, for who calls (conversations.c). */
struct kb_session kb_call_session(const struct kb_call *call, struct kb_sv id);
/* The message of the path {sessionId}/…/{messageId} (conversations.c). */
bool kb_call_message(struct kb_call *call, struct kb_message *out,
                     struct kb_err *err) KB_MUST_CHECK;

/* The document of the path {projectId}/…/{pageId}, also a child's where the agent is a master: what
 * its answers cite (pages.c). */
bool kb_call_cited_page(struct kb_call *call, struct kb_page *out,
                        struct kb_err *err) KB_MUST_CHECK;

/* What was read of a document (page_text.c); nothing where nothing was. */
struct kb_parsed;
bool kb_call_page_text(struct kb_call *call, const struct kb_page *page, struct kb_parsed *parsed,
                       struct kb_err *err) KB_MUST_CHECK;

/* Which part of a text is asked for: `length` bytes from `from` on, and the blocks that reach into
 * them. */
struct kb_text_window {
	int64_t from, length;
};
bool kb_call_text_window(struct kb_call *call, struct kb_text_window *out,
                         struct kb_err *err) KB_MUST_CHECK;
/* The members "blocks" and "next_from". */
void kb_text_write_blocks(struct kb_jw *jw, const struct kb_parsed *parsed,
                          const struct kb_text_window *window);
/* A page as it is looked at (views.c), and the bytes of an upload (preview.c), to whom may see
 * them: that was asked before. */
struct kb_view_wish;
bool kb_call_reply_picture(struct kb_call *call, const struct kb_view_wish *wish,
                           struct kb_err *err) KB_MUST_CHECK;
bool kb_call_reply_words(struct kb_call *call, const struct kb_view_wish *wish,
                         const struct kb_parsed *text, struct kb_err *err) KB_MUST_CHECK;
bool kb_call_reply_original(struct kb_call *call, const struct kb_page *page,
                            struct kb_err *err) KB_MUST_CHECK;

/* page, limit or per_page, order of the query; `limit` is the default, at most 100. */
struct kb_list kb_call_list(struct kb_call *call, int64_t limit);
/* start_date and end_date of the query, in microseconds: from 0 and to INT64_MAX where they are not
 * given. An end that is a day is the end of that day. */
bool kb_call_dates(struct kb_call *call, int64_t *from, int64_t *until,
                   struct kb_err *err) KB_MUST_CHECK;
/* A page of a list as it is answered. */
struct kb_paginator {
	const struct kb_list *list; /* which page was asked for */
	int64_t total;              /* rows of all pages */
	size_t count;               /* of this one */
	const void *rows;
	/* Writes rows[i]; called for i below count. */
	void (*row)(struct kb_call *call, struct kb_jw *jw, const void *rows, size_t i);
};
/* Writes it as an object; or its members alone, for an object that has more. */
void kb_call_paginate(struct kb_call *call, struct kb_jw *jw, const struct kb_paginator *page);
void kb_call_paginate_members(struct kb_call *call, struct kb_jw *jw,
                              const struct kb_paginator *page);

/* The address of a picture that the settings name (assets.c). */
struct kb_sv kb_asset_url(struct kb_arena *arena, struct kb_sv base, int64_t agent_id,
                          struct kb_sv image);
/* Of the account's picture; p == NULL: it has none. */
struct kb_sv kb_photo_url(struct kb_call *call, const struct kb_account *account);
/* Makes the text of that version the active persona again, as a new version (settings.c). */
bool kb_settings_activate_persona(struct kb_call *call, int64_t version,
                                  struct kb_err *err) KB_MUST_CHECK;

/* ---- records (records.c), as the contract prints them ---- */
void kb_record_user(struct kb_call *call, struct kb_jw *jw, const struct kb_account *account);
struct kb_ready;
/* ready: what of it can be found by meaning (ready.h); NULL: it is not said. */
void kb_record_agent(struct kb_call *call, struct kb_jw *jw, const struct kb_agent *agent,
                     const struct kb_ready *ready);
void kb_record_page(struct kb_call *call, struct kb_jw *jw, const struct kb_page *page);
/* The same with what its owner looks for: its title, where it is from, how often it is cited. */
struct kb_content_row; /* store/content.h */
void kb_record_content(struct kb_call *call, struct kb_jw *jw, const struct kb_content_row *row);
/* Whether a document can be read again: what is at its address; or an upload's bytes, where they
 * are still there and gave nothing. */
bool kb_page_is_refreshable(const struct kb_page *page);
void kb_record_metadata(struct kb_call *call, struct kb_jw *jw, const struct kb_page *page);
void kb_record_conversation(struct kb_jw *jw, const struct kb_conversation *conversation);
void kb_record_message(struct kb_jw *jw, const struct kb_message *message);
/* What a document is called among sources, and an address of it that a browser opens: the owner's
 * word, its own, or of an upload its place in the dashboard. */
struct kb_sv kb_page_link(struct kb_call *call, const struct kb_page *page);
/* Takes off what a visitor is not told of their own message: how it came, and its note. */
void kb_message_for_visitor(struct kb_message *message);
/* Parts of it: what `citations` is, the member `outcome`, and closest_passages where there are
 * some. */
void kb_record_citations(struct kb_jw *jw, const struct kb_message *message);
void kb_record_outcome(struct kb_jw *jw, const struct kb_message *message);
void kb_record_closest(struct kb_jw *jw, const struct kb_message *message);
/* The member `verified`, of a checked answer. */
void kb_record_checked(struct kb_jw *jw, const struct kb_message *message);
/* The member `conflicts`, of an answer that another document contradicts. */
void kb_record_conflicts(struct kb_jw *jw, const struct kb_message *message);
/* The same with customer_intelligence. */
void kb_record_message_insights(struct kb_call *call, struct kb_jw *jw,
                                const struct kb_message *message);

/* Text in HTML, also within an attribute in double quotes: the one place that escapes markup. */
void kb_html_text(struct kb_buf *buf, struct kb_sv text);

/* ---- an agent's options (agents.c) ---- */
/* The agent's options (JSON) with the ingestion flags of the request over them. */
bool kb_agent_read_options(struct kb_call *call, struct kb_arena *arena, struct kb_sv *stored,
                           struct kb_err *err) KB_MUST_CHECK;
/* Their members of the agent's record; what was never sent has its default. */
void kb_agent_write_options(struct kb_call *call, struct kb_jw *jw, const struct kb_agent *agent);

/* openapi.c: the description of the whole table, OpenAPI 3.1. A writer with aliases describes
 * fields under both names. */
void kb_openapi_write(struct kb_jw *jw);

/* aliases.c: reads --field-alias and --value-alias; either may be NULL. KB_E_INVALID for a name
 * that no request and no answer has, and for a second spelling that is in use, or that readers of
 * event streams take for something else. */
bool kb_api_aliases(struct kb_arena *arena, const char *fields, const char *values,
                    struct kb_aliases *out, struct kb_err *err) KB_MUST_CHECK;
/* The body's second spellings become the first ones. */
void kb_inputs_unalias(struct kb_inputs *inputs, struct kb_arena *arena,
                       const struct kb_aliases *aliases);

#endif
