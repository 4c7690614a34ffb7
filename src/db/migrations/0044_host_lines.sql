-- The lines to a host, which were in each process's memory: whose they are, and who is next.

-- failures: one after the other. last_agent: served last; last_was_page: and not a reading of a source.
-- second_at: the second line is tried for no page before. wanted_by, wanted_until: the agent of a reading
-- that waits. one_, two_: an agent's line to the host since then, until then at most, held by that node; free
-- where `until` has passed. holder, lines, held_until and lease_node are of older versions.
ALTER TABLE hosts ADD COLUMN failures BIGINT NOT NULL DEFAULT 0;
ALTER TABLE hosts ADD COLUMN last_agent BIGINT NOT NULL DEFAULT 0;
ALTER TABLE hosts ADD COLUMN last_was_page BIGINT NOT NULL DEFAULT 0;
ALTER TABLE hosts ADD COLUMN second_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE hosts ADD COLUMN wanted_by BIGINT NOT NULL DEFAULT 0;
ALTER TABLE hosts ADD COLUMN wanted_until BIGINT NOT NULL DEFAULT 0;
ALTER TABLE hosts ADD COLUMN one_agent BIGINT NOT NULL DEFAULT 0;
ALTER TABLE hosts ADD COLUMN one_since BIGINT NOT NULL DEFAULT 0;
ALTER TABLE hosts ADD COLUMN one_until BIGINT NOT NULL DEFAULT 0;
ALTER TABLE hosts ADD COLUMN one_node BIGINT NOT NULL DEFAULT 0;
ALTER TABLE hosts ADD COLUMN two_agent BIGINT NOT NULL DEFAULT 0;
ALTER TABLE hosts ADD COLUMN two_since BIGINT NOT NULL DEFAULT 0;
ALTER TABLE hosts ADD COLUMN two_until BIGINT NOT NULL DEFAULT 0;
ALTER TABLE hosts ADD COLUMN two_node BIGINT NOT NULL DEFAULT 0;
