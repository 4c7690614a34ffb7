-- A website of very many addresses: most of its pages wait in the line of their host for hours, and what
-- is asked of the others must not read through them.

-- Those that are to be read stand apart from those that are to be fetched.
DROP INDEX pages_queue;
CREATE INDEX pages_queue ON pages (agent_id, to_fetch, is_slow, due_at, id) WHERE state > 0;

-- How many wait, of an agent or of one of its sources, is counted in the index alone.
DROP INDEX pages_waiting;
CREATE INDEX pages_waiting ON pages (agent_id, source_id, to_fetch, state) WHERE state > 0;

-- The first page of the same text: with its id, so that no other index looks better in order.
DROP INDEX pages_by_hash;
CREATE INDEX pages_by_hash ON pages (agent_id, source_id, text_hash, id) WHERE is_found = 1 AND depth > 0;
