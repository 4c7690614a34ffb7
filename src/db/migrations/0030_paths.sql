-- Documents that stand for files of a folder somewhere, so that it can be mirrored.

-- path: where the file is there, "manuals/harbour.md"; empty: it is of no folder. content_hash: of an
-- upload's bytes, also when they are not kept; empty: of an address.
ALTER TABLE pages ADD COLUMN path TEXT NOT NULL DEFAULT '';
ALTER TABLE pages ADD COLUMN content_hash TEXT NOT NULL DEFAULT '';
UPDATE pages SET content_hash = blob WHERE is_file = 1 AND blob <> '';
CREATE INDEX pages_by_path ON pages (agent_id, path) WHERE path <> '';
