-- Whose each lease is, where several nodes share the work; 0: of before there were nodes.

ALTER TABLE pages ADD COLUMN lease_node BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sources ADD COLUMN lease_node BIGINT NOT NULL DEFAULT 0;
ALTER TABLE hosts ADD COLUMN lease_node BIGINT NOT NULL DEFAULT 0;
-- of a copy in the making
ALTER TABLE agents ADD COLUMN lease_node BIGINT NOT NULL DEFAULT 0;

-- Work that has no row of its own: an agent's segments to merge, its factors to learn, and so on;
-- agent_id 0: of all agents. Free from lease_until on.
CREATE TABLE work (
	agent_id BIGINT NOT NULL,
	kind TEXT NOT NULL,
	lease_node BIGINT NOT NULL,
	lease_epoch BIGINT NOT NULL,
	lease_until BIGINT NOT NULL,
	PRIMARY KEY (agent_id, kind)
);
