-- Documents within a document: the files of an archive, what is attached to a mail.

-- parent_id: the page it was found in, where path is its place; 0: it came by itself.
ALTER TABLE pages ADD COLUMN parent_id BIGINT NOT NULL DEFAULT 0;
CREATE INDEX pages_by_parent ON pages (agent_id, parent_id) WHERE parent_id > 0;
