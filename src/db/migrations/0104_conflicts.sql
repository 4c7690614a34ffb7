-- Documents of an agent that give different figures for the same statements, found in the background
-- when somebody wants to see them.

-- content: JSON (answer/disagree.h); empty: nothing was found out yet. index_version: of the documents
-- that were read. dismissed: pairs of documents that may both be right, one a line. wanted_at: when it
-- may be made anew; 0: nobody wants that.
CREATE TABLE conflicts (
	agent_id BIGINT PRIMARY KEY REFERENCES agents (id),
	content TEXT NOT NULL,
	dismissed TEXT NOT NULL,
	index_version BIGINT NOT NULL,
	made_at BIGINT NOT NULL,
	wanted_at BIGINT NOT NULL
);
CREATE INDEX conflicts_wanted ON conflicts (wanted_at);
