/*
 * Conversations that a visitor has shared by a link, and the secrets with which sites sign their
 * visitors. The rules of store.h hold.
 *
 * A link has a secret of 256 bits, of which the store keeps the hash; a conversation has one link
 * at most, and it goes with the conversation. It shows the conversation as it was when the link was
 * made.
 */
#ifndef KB_STORE_TALKLINKS_H
#define KB_STORE_TALKLINKS_H

#include "store/conversations.h"

enum { KB_TALK_LINK_TEXT = 44, KB_EMBED_SECRET_TEXT = 44 }; /* 43 letters and digits, and the end */

/* Makes the link of that conversation, in place of the one before; its secret is told once. */
bool kb_store_talk_share(struct kb_store *store, const struct kb_session *session,
                         char secret[KB_TALK_LINK_TEXT], struct kb_err *err) KB_MUST_CHECK;
/* Takes it back; none is no mistake. */
bool kb_store_talk_unshare(struct kb_store *store, const struct kb_session *session,
                           struct kb_err *err) KB_MUST_CHECK;
/* What the link shows, oldest first. KB_E_NOT_FOUND where there is none, or the agent has no such
 * one any more. */
struct kb_shared_talk {
	int64_t agent_id;
	struct kb_transcript transcript;
};
bool kb_store_talk_shared(struct kb_store *store, struct kb_arena *arena, struct kb_sv secret,
                          struct kb_shared_talk *out, struct kb_err *err) KB_MUST_CHECK;

/* Makes the agent's secret, in place of the one before; told once. What was signed with that one
 * counts no more: the visits of the agent's signed visitors end, as they do where it is deleted. */
bool kb_store_embed_secret_make(struct kb_store *store, int64_t agent_id,
                                char secret[KB_EMBED_SECRET_TEXT],
                                struct kb_err *err) KB_MUST_CHECK;
bool kb_store_embed_secret_delete(struct kb_store *store, int64_t agent_id,
                                  struct kb_err *err) KB_MUST_CHECK;
/* Empty: it has none. KB_E_IO: it is sealed, and its key is not there. */
bool kb_store_embed_secret(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                           struct kb_sv *secret, struct kb_err *err) KB_MUST_CHECK;

#endif
