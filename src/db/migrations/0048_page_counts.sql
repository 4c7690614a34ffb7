-- What waits, has failed or was left out of an agent's documents is counted and listed without its other rows.
DROP INDEX pages_working;
DROP INDEX pages_source_waits;
CREATE INDEX pages_waiting ON pages (agent_id, source_id, to_fetch) WHERE state > 0;
DROP INDEX pages_failed;
CREATE INDEX pages_amiss ON pages (agent_id, index_status, id, source_id) WHERE index_status > 1;
