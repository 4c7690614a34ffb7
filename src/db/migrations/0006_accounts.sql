-- Copies of agents, master agents and their children, licenses, plugins, an account's picture, and
-- what the reports read by time.

-- What is added to the page ids in the blob: a copy of an agent shares its segments under page ids
-- of its own.
ALTER TABLE segments ADD COLUMN page_shift BIGINT NOT NULL DEFAULT 0;

-- children: of a master, agent ids with commas between, in their order.
ALTER TABLE agents ADD COLUMN children TEXT NOT NULL DEFAULT '';

-- child_id: the agent that a master let answer, 0: itself. Of a conversation: the one it stays with.
ALTER TABLE conversations ADD COLUMN child_id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN child_id BIGINT NOT NULL DEFAULT 0;

-- photo: the blob of the account's picture, empty: none.
ALTER TABLE accounts ADD COLUMN photo TEXT NOT NULL DEFAULT '';
ALTER TABLE accounts ADD COLUMN photo_type TEXT NOT NULL DEFAULT '';

-- key: a UUID, of one license in the whole store.
CREATE TABLE licenses (
	agent_id BIGINT NOT NULL REFERENCES agents (id),
	id BIGINT NOT NULL,
	name TEXT NOT NULL,
	key TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	PRIMARY KEY (agent_id, id)
);
CREATE UNIQUE INDEX licenses_by_key ON licenses (key);

-- How an agent presents itself as a tool of other programs.
CREATE TABLE plugins (
	agent_id BIGINT PRIMARY KEY REFERENCES agents (id),
	model_name TEXT NOT NULL,
	human_name TEXT NOT NULL,
	keywords TEXT NOT NULL,
	description TEXT NOT NULL,
	logo TEXT,
	is_active BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);

CREATE INDEX messages_by_time ON messages (agent_id, created_at, id);
CREATE INDEX conversations_by_time ON conversations (agent_id, created_at);
