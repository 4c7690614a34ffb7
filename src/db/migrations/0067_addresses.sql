-- A page has an address where its url says so, whoever keeps its bytes: is_file tells only that these are
-- ours, and no host is asked for them again.
DROP INDEX pages_by_url;
CREATE INDEX pages_by_url ON pages (agent_id, url, id) WHERE url <> '';
