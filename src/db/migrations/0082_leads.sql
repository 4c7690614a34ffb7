-- Visitors whose question no document answered, and who left an address for a person to answer it.

-- session_id, message_id: of the question; empty and 0 where it was asked in no conversation.
CREATE TABLE leads (
	agent_id BIGINT NOT NULL REFERENCES agents (id),
	id TEXT NOT NULL,
	session_id TEXT NOT NULL,
	message_id BIGINT NOT NULL,
	name TEXT NOT NULL,
	email TEXT NOT NULL,
	question TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	PRIMARY KEY (agent_id, id)
);
CREATE INDEX leads_by_time ON leads (agent_id, created_at);
