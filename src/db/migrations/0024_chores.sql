-- What a model does beside the answers: it names conversations, reads messages for the reports,
-- describes documents, and writes what is generated from a persona. A row is work that waits or is
-- leased; it goes when it is done or given up, and what the rule made stays.

-- kind: enum kb_chore_kind. subject: a conversation, a message, a page, or a persona's version.
-- within: the conversation of a message. due_at: when it may be taken, or when the lease of who has it ends.
CREATE TABLE chores (
	agent_id BIGINT NOT NULL REFERENCES agents (id),
	kind BIGINT NOT NULL,
	subject BIGINT NOT NULL,
	within BIGINT NOT NULL,
	due_at BIGINT NOT NULL,
	lease_epoch BIGINT NOT NULL,
	attempts BIGINT NOT NULL,
	PRIMARY KEY (agent_id, kind, subject)
);
CREATE INDEX chores_due ON chores (due_at);

-- What a model says of a message, as a JSON object; empty: nothing.
ALTER TABLE messages ADD COLUMN insight TEXT NOT NULL DEFAULT '';
