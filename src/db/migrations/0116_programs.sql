-- Programs that somebody has let ask an agent in their name (OAuth): what they were given, as hashes.

-- person_id, key_id: as whom, or with whose key, the browser was signed in that let it in; 0: none.
-- client: the address of the program's own description. code: of the code it began with, which each
-- refresh token begins with too; used_at: when that was exchanged; 0: not yet. challenge, redirect:
-- what the exchange has to fit. access, refresh: of the tokens that count now; empty: none yet.
-- ends_at: when nothing of it counts any more, unless it is renewed.
CREATE TABLE programs (
	id BIGINT PRIMARY KEY,
	account_id BIGINT NOT NULL,
	person_id BIGINT NOT NULL,
	key_id BIGINT NOT NULL,
	agent_id BIGINT NOT NULL,
	client TEXT NOT NULL,
	name TEXT NOT NULL,
	redirect TEXT NOT NULL,
	challenge TEXT NOT NULL,
	code TEXT NOT NULL,
	used_at BIGINT NOT NULL,
	access TEXT NOT NULL,
	access_ends_at BIGINT NOT NULL,
	refresh TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	seen_at BIGINT NOT NULL,
	ends_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX programs_by_code ON programs (code);
CREATE UNIQUE INDEX programs_by_access ON programs (access) WHERE access <> '';
CREATE INDEX programs_by_account ON programs (account_id, person_id, id);
CREATE INDEX programs_by_agent ON programs (agent_id, id);
CREATE INDEX programs_by_end ON programs (ends_at);
