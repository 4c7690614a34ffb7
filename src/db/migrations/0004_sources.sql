-- Documents from addresses: what a source reads and when, and what a page remembers of its visits.

-- url: a sitemap's or a page's; empty for uploads. status: of the last reading, as of pages (3 n/a:
-- never read). state: 0 rests, 1 reads. due_at: the next reading (0: none is planned), or when
-- the lease of the one in progress ends. asked_at: the last instant sync.
ALTER TABLE sources ADD COLUMN url TEXT NOT NULL DEFAULT '';
ALTER TABLE sources ADD COLUMN status BIGINT NOT NULL DEFAULT 3;
ALTER TABLE sources ADD COLUMN reason TEXT NOT NULL DEFAULT '';
ALTER TABLE sources ADD COLUMN state BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sources ADD COLUMN due_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sources ADD COLUMN lease_epoch BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sources ADD COLUMN attempts BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sources ADD COLUMN asked_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sources ADD COLUMN synced_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX sources_due ON sources (due_at) WHERE due_at > 0;

-- to_fetch: 1 while the page waits for its bytes, in the line of its host; then it waits to be read as
-- an upload does. listed_at, listed_image: what a sitemap says of it. seen: the lease_epoch of the
-- reading of its source that found it last.
ALTER TABLE pages ADD COLUMN host TEXT NOT NULL DEFAULT '';
ALTER TABLE pages ADD COLUMN to_fetch BIGINT NOT NULL DEFAULT 0;
ALTER TABLE pages ADD COLUMN etag TEXT NOT NULL DEFAULT '';
ALTER TABLE pages ADD COLUMN last_modified TEXT NOT NULL DEFAULT '';
ALTER TABLE pages ADD COLUMN text_hash TEXT NOT NULL DEFAULT '';
ALTER TABLE pages ADD COLUMN visited_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE pages ADD COLUMN listed_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE pages ADD COLUMN listed_image TEXT NOT NULL DEFAULT '';
ALTER TABLE pages ADD COLUMN seen BIGINT NOT NULL DEFAULT 0;
UPDATE pages SET to_fetch = 1 WHERE url <> '';
DROP INDEX pages_queue;
DROP INDEX pages_due;
CREATE INDEX pages_queue ON pages (agent_id, due_at, id) WHERE state > 0 AND to_fetch = 0;
CREATE INDEX pages_due ON pages (due_at) WHERE state > 0 AND to_fetch = 0;
CREATE INDEX pages_hosts ON pages (host, due_at, id) WHERE state > 0 AND to_fetch = 1;
CREATE INDEX pages_working ON pages (agent_id) WHERE state > 0;
CREATE INDEX pages_by_source ON pages (agent_id, source_id, id);
CREATE INDEX pages_by_url ON pages (agent_id, url, id) WHERE is_file = 0;
