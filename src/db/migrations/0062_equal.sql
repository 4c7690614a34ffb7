-- A partial index whose condition is a range of one of its own columns is read over all of that range by
-- SQLite, which thinks it narrower than one value: all conversations of visitors for those of one of them, all
-- parts of documents for those of one document.
DROP INDEX conversations_by_visitor;
CREATE INDEX conversations_by_visitor ON conversations (agent_id, visitor_id, updated_at) WHERE visitor_id <> 0;
DROP INDEX pages_by_parent;
CREATE INDEX pages_by_parent ON pages (agent_id, parent_id) WHERE parent_id <> 0;
