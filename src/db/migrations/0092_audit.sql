-- Who did what: a row for each change, written in its transaction. Rows are added, and
-- nothing takes them away.

-- The last row of each node's chain; node 0: of commands beside a service.
CREATE TABLE audit_heads (
	node BIGINT PRIMARY KEY,
	seq BIGINT NOT NULL,
	hash TEXT NOT NULL
);
-- person_id, key_id, command: who it was, 0 and empty for what it was not. object: what it was done
-- to. outcome: 0 done, 1 refused, 2 failed on its way. changes: JSON, what was sent by name, as
-- [before, after]. hash: of the other members and of the hash before it in its chain.
CREATE TABLE audit (
	node BIGINT NOT NULL,
	seq BIGINT NOT NULL,
	account_id BIGINT NOT NULL,
	at BIGINT NOT NULL,
	person_id BIGINT NOT NULL,
	key_id BIGINT NOT NULL,
	command TEXT NOT NULL,
	action TEXT NOT NULL,
	agent_id BIGINT NOT NULL,
	object TEXT NOT NULL,
	outcome BIGINT NOT NULL,
	address TEXT NOT NULL,
	request TEXT NOT NULL,
	changes TEXT NOT NULL,
	previous TEXT NOT NULL,
	hash TEXT NOT NULL,
	PRIMARY KEY (node, seq)
);
CREATE INDEX audit_by_account ON audit (account_id, at);
