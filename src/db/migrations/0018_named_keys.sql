-- What a key is for, in its maker's words, and when it was last used, to within some minutes.
ALTER TABLE api_keys ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE api_keys ADD COLUMN seen_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX api_keys_by_account ON api_keys (account_id, id);

-- Documents that are being read now, and those that could not be: what a progress shows first.
CREATE INDEX pages_reading ON pages (agent_id, id) WHERE state = 2;
CREATE INDEX pages_failed ON pages (agent_id) WHERE index_status = 2;
