-- How fast an agent's documents are read.

-- finished: documents that were done with, ever; last_at: when that was last. mark_, old_: what finished was
-- at the last two marks, some half a minute from each other.
ALTER TABLE agent_totals ADD COLUMN finished BIGINT NOT NULL DEFAULT 0;
ALTER TABLE agent_totals ADD COLUMN last_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE agent_totals ADD COLUMN mark_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE agent_totals ADD COLUMN mark_finished BIGINT NOT NULL DEFAULT 0;
ALTER TABLE agent_totals ADD COLUMN old_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE agent_totals ADD COLUMN old_finished BIGINT NOT NULL DEFAULT 0;
