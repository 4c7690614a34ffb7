-- What visitors of an agent are greeted with, made of its documents in the background: questions
-- that were asked here and answered surely, and topics.

-- content: JSON (answer/opening.h); empty: nothing was made yet. index_version: of the documents
-- that it was made of. wanted_at: when it may be made anew; 0: nobody wants that.
CREATE TABLE openings (
	agent_id BIGINT PRIMARY KEY REFERENCES agents (id),
	content TEXT NOT NULL,
	index_version BIGINT NOT NULL,
	made_at BIGINT NOT NULL,
	wanted_at BIGINT NOT NULL
);
CREATE INDEX openings_wanted ON openings (wanted_at);
