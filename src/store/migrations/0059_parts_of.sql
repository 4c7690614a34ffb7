-- What is in a document is found by its container. A bound such as "> 0" beside "= $2" has SQLite read all
-- behind the bound: to it, two bounds look narrower than one value.
DROP INDEX pages_by_parent;
CREATE INDEX pages_by_parent ON pages (agent_id, parent_id) WHERE parent_id <> 0;
