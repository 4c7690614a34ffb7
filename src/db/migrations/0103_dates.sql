-- dated_at: the day that a document gives itself; 0: none. review_at: when its owner wants to look at it
-- again; 0: never. A source's is that of its documents that have none.
ALTER TABLE pages ADD COLUMN dated_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE pages ADD COLUMN review_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE deleted_pages ADD COLUMN dated_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE deleted_pages ADD COLUMN review_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sources ADD COLUMN review_at BIGINT NOT NULL DEFAULT 0;
-- Those that have one.
CREATE INDEX pages_to_review ON pages (agent_id, review_at) WHERE review_at > 0;
