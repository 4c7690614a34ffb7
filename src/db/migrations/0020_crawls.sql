-- Whole websites, whose pages are found by links.

-- A row a source that is one, kept between its readings. url: the source's when the reading began.
-- start: where its start page is, if redirects lead elsewhere. state: 0 rests, 1 is being read;
-- seeded: its sitemaps have been. pages: rows that were made for it. bytes: what was fetched of it
-- in this reading. deep, alike, crowded, forbidden: addresses that were left out, and why.
CREATE TABLE crawls (
	agent_id BIGINT NOT NULL REFERENCES agents (id),
	source_id BIGINT NOT NULL,
	url TEXT NOT NULL,
	start TEXT NOT NULL,
	state BIGINT NOT NULL,
	seeded BIGINT NOT NULL,
	began_at BIGINT NOT NULL,
	pages BIGINT NOT NULL,
	bytes BIGINT NOT NULL,
	deep BIGINT NOT NULL,
	alike BIGINT NOT NULL,
	crowded BIGINT NOT NULL,
	forbidden BIGINT NOT NULL,
	PRIMARY KEY (agent_id, source_id)
);

-- Addresses that lead to another page of the agent, or only send readers on.
CREATE TABLE crawl_aliases (
	agent_id BIGINT NOT NULL REFERENCES agents (id),
	url TEXT NOT NULL,
	source_id BIGINT NOT NULL,
	PRIMARY KEY (agent_id, url)
);
CREATE INDEX crawl_aliases_by_source ON crawl_aliases (agent_id, source_id);

-- How many addresses of a shape a source has.
CREATE TABLE crawl_shapes (
	agent_id BIGINT NOT NULL REFERENCES agents (id),
	source_id BIGINT NOT NULL,
	shape TEXT NOT NULL,
	addresses BIGINT NOT NULL,
	PRIMARY KEY (agent_id, source_id, shape)
);

-- depth: links from the start of its website, and one; 0: it was not found by links. robots: what the
-- host said to crawlers beside it: 1 not to be found, 2 not to be followed.
ALTER TABLE pages ADD COLUMN depth BIGINT NOT NULL DEFAULT 0;
ALTER TABLE pages ADD COLUMN robots BIGINT NOT NULL DEFAULT 0;
CREATE INDEX pages_by_hash ON pages (agent_id, source_id, text_hash) WHERE is_found = 1 AND depth > 0;
CREATE INDEX pages_source_waits ON pages (agent_id, source_id) WHERE state > 0;
