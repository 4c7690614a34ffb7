-- Labels, and which documents carry them. A deleted label keeps its row and its documents: what it
-- hid stays hidden, and making a label of that name again brings it back.

-- users: e-mail addresses, a line each. name_key is folded; deleted_at is 0 for a living label.
CREATE TABLE labels (
	agent_id BIGINT NOT NULL REFERENCES agents (id),
	id BIGINT NOT NULL,
	name TEXT NOT NULL,
	name_key TEXT NOT NULL,
	users TEXT NOT NULL,
	deleted_at BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	PRIMARY KEY (agent_id, id)
);
CREATE UNIQUE INDEX labels_by_name ON labels (agent_id, name_key) WHERE deleted_at = 0;

CREATE TABLE page_labels (
	agent_id BIGINT NOT NULL,
	page_id BIGINT NOT NULL,
	label_id BIGINT NOT NULL,
	PRIMARY KEY (agent_id, page_id, label_id),
	FOREIGN KEY (agent_id, page_id) REFERENCES pages (agent_id, id),
	FOREIGN KEY (agent_id, label_id) REFERENCES labels (agent_id, id)
);
