/* Conversations and their messages. The rules of store.h hold. */
#ifndef KB_STORE_CONVERSATIONS_H
#define KB_STORE_CONVERSATIONS_H

#include "store/store.h"

struct kb_conversation {
	int64_t agent_id, id;
	struct kb_sv session_id, name;
	bool has_own_name;  /* a person gave it; else it is called by its first prompt */
	int64_t created_by; /* account id; 0: a visitor */
	int64_t visitor_id; /* the visitor's person_id (visitors.h), or -id of a person; 0: none */
	int64_t child_id;   /* of a master: the agent it stays with, perhaps itself; 0: none yet */
	int64_t created_at, updated_at;
	/* Of one in a list for its owner (`counted`): its questions, how many of them got no answer
	 * and how many answers were disliked, and where the first came from. */
	bool counted;
	int64_t questions, unanswered, disliked;
	struct kb_sv source;
};

/* Which conversation: clients name it by a session of an agent. */
struct kb_session {
	int64_t agent_id;
	struct kb_sv id;
	int64_t account_id; /* who speaks, or whose agent a visitor speaks to */
	/* A visitor's person_id, or -id of a person of the account (people.h): only their own
	 * conversations are there. 0: who has all of the agent's. */
	int64_t visitor_id;
	int64_t begun_by; /* the same of who begins it, where visitor_id is 0 */
};

/* session->id empty: a new UUID. KB_E_CONFLICT where the agent has that session already. */
bool kb_store_conversation_create(struct kb_store *store, struct kb_arena *arena,
                                  const struct kb_session *session, struct kb_sv name,
                                  struct kb_conversation *out, struct kb_err *err) KB_MUST_CHECK;
/* KB_E_NOT_FOUND where the agent has no such session, here and below. */
bool kb_store_conversation_get(struct kb_store *store, struct kb_arena *arena,
                               const struct kb_session *session, struct kb_conversation *out,
                               struct kb_err *err) KB_MUST_CHECK;
/* Who began a conversation: an account, through its keys, or a visitor who is nobody's user
 * (created_by 0). */
enum kb_creator { KB_BY_ANYBODY, KB_BY_ACCOUNT, KB_BY_MEMBER, KB_BY_VISITOR };

struct kb_conversation_filter {
	struct kb_list list;
	bool by_created_at;
	struct kb_sv name;     /* substring without case */
	struct kb_sv words;    /* likewise, in a question or an answer */
	int64_t updated_after; /* 0: all */
	enum kb_creator by;    /* MEMBER: any account */
	int64_t created_by;    /* of KB_BY_ACCOUNT */
	int64_t visitor_id;    /* only those of this visitor; 0: all */
};
struct kb_conversation_list {
	struct kb_conversation *v;
	size_t count;
	int64_t total; /* of all pages of the list */
};
bool kb_store_conversation_list(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                                const struct kb_conversation_filter *filter,
                                struct kb_conversation_list *out, struct kb_err *err) KB_MUST_CHECK;
bool kb_store_conversation_rename(struct kb_store *store, struct kb_arena *arena,
                                  const struct kb_session *session, struct kb_sv name,
                                  struct kb_conversation *out, struct kb_err *err) KB_MUST_CHECK;
bool kb_store_conversation_delete(struct kb_store *store, const struct kb_session *session,
                                  struct kb_err *err) KB_MUST_CHECK;

enum kb_reaction { KB_REACTION_NONE, KB_REACTION_LIKED, KB_REACTION_DISLIKED, KB_REACTION_NEUTRAL };

/* What a model was paid for one answer. */
struct kb_model_spent {
	struct kb_sv model; /* empty: none was asked */
	int64_t prompt_tokens, completion_tokens;
	int64_t cost; /* millionths of the currency of the operator's prices */
};

struct kb_ahead;
struct kb_message {
	int64_t agent_id, conversation_id, id;
	struct kb_sv query, response;
	const int64_t *citations; /* page ids; count 0: none */
	size_t citation_count;
	bool answered; /* false: the gate closed and the no-answer text was given */
	bool failed;
	bool closest; /* not answered, but passages that come close were shown (answer/closest.h) */
	int64_t gap_why; /* on the way in: bits of why it is a gap (gaps.h); 0: it is none */
	bool running;    /* on the way out: it is being written still (answers.h) */
	struct kb_sv user_ip, user_agent, external_id, source; /* source: "api", … */
	struct kb_sv details; /* JSON object of what the answer stands on (write/claims.h), for
	                         later checks; empty: none */
	struct kb_sv
	        insight;     /* JSON object of what a model says of it (chores.h); empty: nothing */
	int64_t child_id;    /* the agent that answered for a master; 0: the agent itself */
	int64_t stays_with;  /* on the way in: kb_conversation.child_id from now on; 0: as it was */
	struct kb_sv writer; /* on the way in: the owner of its row in answers (answers.h), whose
	                        place it takes; empty: it has none */
	int64_t ends_visit;  /* on the way in: whose answer under way it was (visitors.h); 0:
	                        nobody's */
	struct kb_model_spent spent; /* on the way in: counted (reports.h), not kept with it */
	/* On the way in: what was read when it was asked (ahead.h); NULL: nothing. */
	const struct kb_ahead *ahead;
	int64_t user_id;
	enum kb_reaction reaction;
	int64_t reaction_user, reaction_created_at, reaction_updated_at;
	int64_t found_page_id; /* of the closest passages, the document whose asker said "that was
	                          it"; 0: none */
	int64_t found_at;
	int64_t created_at, updated_at;
};

/* An id for a message that is yet to be stored: a stream names it before its message is whole. Ids
 * that are never used leave gaps. */
bool kb_store_message_reserve(struct kb_store *store, int64_t *id,
                              struct kb_err *err) KB_MUST_CHECK;

/*
 * Stores a finished message: fills id (unless it is a reserved one), conversation_id, created_at,
 * updated_at. In one transaction it finds the session's conversation or makes it, names it after
 * the first prompt (255 characters) unless it has a name, and counts the query of the session's
 * account and agent. KB_E_CANCELLED where message->writer names a row that is gone.
 */
bool kb_store_message_add(struct kb_store *store, struct kb_arena *arena,
                          const struct kb_session *session, struct kb_message *message,
                          struct kb_conversation *conversation, struct kb_err *err) KB_MUST_CHECK;
/* Messages that were answered elsewhere, in their order, and the conversation they become. */
struct kb_brought {
	struct kb_message *v; /* ids are filled */
	size_t count;
	struct kb_conversation conversation; /* filled */
};
/* In one transaction, with their times and reactions, and without a count, a gap or a chore.
 * KB_E_CONFLICT where the agent has that session already. */
bool kb_store_messages_bring(struct kb_store *store, struct kb_arena *arena,
                             const struct kb_session *session, struct kb_brought *brought,
                             struct kb_err *err) KB_MUST_CHECK;
/* Also one that is being written, here and in a list of messages. */
bool kb_store_message_get(struct kb_store *store, struct kb_arena *arena,
                          const struct kb_session *session, int64_t id, struct kb_message *out,
                          struct kb_err *err) KB_MUST_CHECK;

struct kb_message_list {
	struct kb_message *v;
	size_t count;
	int64_t total; /* of all pages of the list, where it has pages */
};
/* The last `limit` messages created at or after `since`. */
struct kb_history_want {
	int64_t since, limit;
};
/* Oldest first. No such session: none. */
bool kb_store_message_history(struct kb_store *store, struct kb_arena *arena,
                              const struct kb_session *session, const struct kb_history_want *want,
                              struct kb_message_list *out, struct kb_err *err) KB_MUST_CHECK;
/* A conversation with a page of its messages. */
struct kb_transcript {
	struct kb_conversation conversation;
	struct kb_message_list messages;
};
bool kb_store_message_list(struct kb_store *store, struct kb_arena *arena,
                           const struct kb_session *session, const struct kb_list *list,
                           struct kb_transcript *out, struct kb_err *err) KB_MUST_CHECK;
/* Replaces what is noted of a message; its times stay. */
bool kb_store_message_set_details(struct kb_store *store, int64_t agent_id, int64_t conversation_id,
                                  int64_t id, struct kb_sv details,
                                  struct kb_err *err) KB_MUST_CHECK;
/* What somebody thinks of a message. */
struct kb_message_reaction {
	int64_t message_id, user_id;
	bool reacts;               /* the reaction is given; else it stays */
	enum kb_reaction reaction; /* KB_REACTION_NONE clears it */
	bool finds;                /* so is found_page_id; 0 clears it */
	int64_t found_page_id;
};
bool kb_store_message_react(struct kb_store *store, struct kb_arena *arena,
                            const struct kb_session *session,
                            const struct kb_message_reaction *given, struct kb_message *out,
                            struct kb_err *err) KB_MUST_CHECK;

/* Removing what was kept long enough. */
struct kb_purge {
	int64_t agent_id;
	int64_t before; /* messages created earlier go; so do conversations that are left empty and
	                   were last changed earlier */
	int64_t messages, conversations; /* removed so far */
	bool done;
};
/* One bounded step, durable when it returns; call it until `done`. */
bool kb_store_conversations_purge(struct kb_store *store, struct kb_purge *purge,
                                  struct kb_err *err) KB_MUST_CHECK;

/* Counts what a model was asked for beside the answers, for the agent and its account. */
bool kb_store_model_spent(struct kb_store *store, int64_t agent_id,
                          const struct kb_model_spent *spent, struct kb_err *err) KB_MUST_CHECK;

/* Of the account in this calendar month (UTC), for the plan's limits. */
struct kb_month_use {
	int64_t queries, model_tokens, model_cost;
};
bool kb_store_used_this_month(struct kb_store *store, int64_t account_id, struct kb_month_use *out,
                              struct kb_err *err) KB_MUST_CHECK;
bool kb_store_queries_this_month(struct kb_store *store, int64_t account_id, int64_t *count,
                                 struct kb_err *err) KB_MUST_CHECK;

#endif
