-- People of accounts, with their rights, and what signs them in.

-- standing: 0 member, 1 auditor, 2 owner. grants: "agent,rights,agent,rights,..."; agent 0 is each,
-- rights are bits (store/people.h). labels: JSON array of names.
CREATE TABLE people (
	id BIGINT PRIMARY KEY,
	account_id BIGINT NOT NULL,
	name TEXT NOT NULL,
	email TEXT NOT NULL,
	standing BIGINT NOT NULL,
	grants TEXT NOT NULL,
	labels TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	seen_at BIGINT NOT NULL
);
CREATE INDEX people_by_account ON people (account_id, id);

-- Whose own a key is; 0: the account's.
ALTER TABLE api_keys ADD COLUMN person_id BIGINT NOT NULL DEFAULT 0;
CREATE INDEX api_keys_by_person ON api_keys (person_id) WHERE person_id > 0;

-- key_id 0: signed in with none. address, agent: where from, and with which browser.
ALTER TABLE sign_ins ADD COLUMN account_id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sign_ins ADD COLUMN person_id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sign_ins ADD COLUMN address TEXT NOT NULL DEFAULT '';
ALTER TABLE sign_ins ADD COLUMN agent TEXT NOT NULL DEFAULT '';
UPDATE sign_ins SET account_id =
	coalesce((SELECT k.account_id FROM api_keys k WHERE k.id = sign_ins.key_id), 0);
CREATE INDEX sign_ins_by_account ON sign_ins (account_id, person_id);
ALTER TABLE sign_in_links ADD COLUMN person_id BIGINT NOT NULL DEFAULT 0;
CREATE INDEX sign_in_links_by_person ON sign_in_links (person_id) WHERE person_id > 0;
