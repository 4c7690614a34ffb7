-- What goes, and what is not whole yet, is hidden by one row; its other rows follow in slices.

-- state: 0 there, 1 a copy in the making, 2 deleted.
ALTER TABLE agents ADD COLUMN state BIGINT NOT NULL DEFAULT 0;
CREATE INDEX agents_hidden ON agents (state, id) WHERE state > 0;

-- dead_version: 0 for a living source, else the index version below which all its pages are dead.
ALTER TABLE sources ADD COLUMN dead_version BIGINT NOT NULL DEFAULT 0;
CREATE INDEX sources_dead ON sources (agent_id, id) WHERE dead_version > 0;
