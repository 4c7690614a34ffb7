-- Conversations that a visitor has shared by a link, and secrets with which sites sign their visitors.

-- hash: of the link's secret. last_id: the message up to which it is shared.
CREATE TABLE talk_links (
	hash TEXT PRIMARY KEY,
	agent_id BIGINT NOT NULL REFERENCES agents (id),
	conversation_id BIGINT NOT NULL,
	last_id BIGINT NOT NULL,
	created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX talk_links_by_conversation ON talk_links (agent_id, conversation_id);

-- secret: as it is, since signatures are made with it.
CREATE TABLE embed_secrets (
	agent_id BIGINT PRIMARY KEY REFERENCES agents (id),
	secret TEXT NOT NULL,
	created_at BIGINT NOT NULL
);
