-- Labels of a source: its pages open only where they open too, whatever the pages carry themselves.
CREATE TABLE source_labels (
	agent_id BIGINT NOT NULL,
	source_id BIGINT NOT NULL,
	label_id BIGINT NOT NULL,
	PRIMARY KEY (agent_id, source_id, label_id),
	FOREIGN KEY (agent_id, source_id) REFERENCES sources (agent_id, id),
	FOREIGN KEY (agent_id, label_id) REFERENCES labels (agent_id, id)
);
