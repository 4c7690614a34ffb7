-- Which models kept tests are asked of: those of the nodes that were started last. One row, once
-- there is such a node.

-- mark: a figure made of their options. since_at: since when it is that one, 0: it always was.
-- seen_at: when a node with it was there last.
CREATE TABLE kept_models (
	id BIGINT PRIMARY KEY,
	mark BIGINT NOT NULL,
	since_at BIGINT NOT NULL,
	seen_at BIGINT NOT NULL
);
