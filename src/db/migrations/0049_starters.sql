-- Questions to begin with that a model has written, for the pages that agents are embedded on: what
-- all nodes show, and when a page was asked for last.

-- page: a hash of title and address, which stand here to be compared; 0: of no page, the agent's
-- own. questions: one a line; empty: none yet, or none of use. index_version: the documents' when
-- they were wanted last, asked_at.
CREATE TABLE starters (
	agent_id BIGINT NOT NULL REFERENCES agents (id),
	page BIGINT NOT NULL,
	title TEXT NOT NULL,
	address TEXT NOT NULL,
	questions TEXT NOT NULL,
	index_version BIGINT NOT NULL,
	asked_at BIGINT NOT NULL,
	PRIMARY KEY (agent_id, page)
);
CREATE INDEX starters_asked ON starters (agent_id, asked_at);
