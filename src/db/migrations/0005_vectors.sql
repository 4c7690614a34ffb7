-- Vector columns of segments, and each agent's factor model. Both can be made again from the
-- segments.

-- version: the index version the column came with. pending: passages without a vector that are
-- still to get one.
CREATE TABLE vectors (
	agent_id BIGINT NOT NULL,
	segment_id BIGINT NOT NULL,
	name TEXT NOT NULL,
	model TEXT NOT NULL,
	blob TEXT NOT NULL,
	bytes BIGINT NOT NULL,
	filled BIGINT NOT NULL,
	pending BIGINT NOT NULL,
	version BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	PRIMARY KEY (agent_id, segment_id, name),
	FOREIGN KEY (agent_id, segment_id) REFERENCES segments (agent_id, id)
);

-- passages: how many the model was trained on.
CREATE TABLE factors (
	agent_id BIGINT NOT NULL REFERENCES agents (id),
	mark TEXT NOT NULL,
	blob TEXT NOT NULL,
	bytes BIGINT NOT NULL,
	passages BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	PRIMARY KEY (agent_id)
);
