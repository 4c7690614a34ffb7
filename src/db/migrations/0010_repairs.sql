-- Segments whose file was found damaged or missing, and the rebuilding of them from stored texts.

-- damaged_at: when it was noticed; 0: it is whole. Nobody searches or merges one that is not.
ALTER TABLE segments ADD COLUMN damaged_at BIGINT NOT NULL DEFAULT 0;

-- Agents with such segments, each repaired by one at a time. due_at: when it may be taken, or when
-- the lease of who has it ends.
CREATE TABLE repairs (
	agent_id BIGINT PRIMARY KEY REFERENCES agents (id),
	due_at BIGINT NOT NULL,
	lease_epoch BIGINT NOT NULL,
	attempts BIGINT NOT NULL,
	created_at BIGINT NOT NULL
);
CREATE INDEX repairs_due ON repairs (due_at);
