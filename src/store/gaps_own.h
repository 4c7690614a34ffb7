/* What both files of gaps read. The store's own. */
#ifndef KB_STORE_GAPS_OWN_H
#define KB_STORE_GAPS_OWN_H

// clang-format off
/* What was asked before the message m. */
#define KB_GAP_BEFORE "coalesce((SELECT p.query FROM messages p WHERE p.agent_id = m.agent_id " \
	"AND p.conversation_id = m.conversation_id AND p.id < m.id ORDER BY p.id DESC LIMIT 1), '')"
// clang-format on

#endif
