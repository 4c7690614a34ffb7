-- Answers that are being written.

-- A row an answer for which a model is asked, from before it is asked until its message is stored; the
-- message gets its id. text: what the reader has, some moments ago; bytes: how long that is. ending:
-- the text of the message if its writer is lost before the first word. owner: one life of one process;
-- nobody else ever writes this answer, so a new owner needs no number. node: that process's. After
-- lease_until anybody may end it. Without its row an answer is not wanted any more.
CREATE TABLE answers (
	agent_id BIGINT NOT NULL REFERENCES agents (id),
	conversation_id BIGINT NOT NULL,
	id BIGINT NOT NULL,
	session_id TEXT NOT NULL,
	account_id BIGINT NOT NULL,
	query TEXT NOT NULL,
	text TEXT NOT NULL,
	bytes BIGINT NOT NULL,
	ending TEXT NOT NULL,
	user_ip TEXT NOT NULL,
	user_agent TEXT NOT NULL,
	external_id TEXT NOT NULL,
	source TEXT NOT NULL,
	user_id BIGINT NOT NULL,
	child_id BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	owner TEXT NOT NULL,
	node BIGINT NOT NULL,
	lease_until BIGINT NOT NULL,
	PRIMARY KEY (agent_id, conversation_id, id)
);
CREATE INDEX answers_by_lease ON answers (lease_until);
