-- People and groups as a directory of the organisation keeps them (SCIM 2.0), and what it asks with.

-- hash: of the token, which is told once.
CREATE TABLE directory_tokens (
	id BIGINT PRIMARY KEY,
	account_id BIGINT NOT NULL,
	name TEXT NOT NULL,
	hash TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	seen_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX directory_tokens_by_hash ON directory_tokens (hash);
CREATE INDEX directory_tokens_by_account ON directory_tokens (account_id, id);

-- person_id: who they are here; 0: nobody just now. The keys are in lower case. issuer, subject: as
-- whom they sign in; empty: they have not yet. gone_at: when the directory deleted them; 0: it has
-- not. What is left of them then keeps them out.
CREATE TABLE directory_users (
	id BIGINT PRIMARY KEY,
	account_id BIGINT NOT NULL,
	person_id BIGINT NOT NULL,
	user_name TEXT NOT NULL,
	user_key TEXT NOT NULL,
	external_id TEXT NOT NULL,
	display_name TEXT NOT NULL,
	given_name TEXT NOT NULL,
	family_name TEXT NOT NULL,
	email TEXT NOT NULL,
	email_key TEXT NOT NULL,
	is_active BIGINT NOT NULL,
	issuer TEXT NOT NULL,
	subject TEXT NOT NULL,
	version BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	gone_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX directory_users_by_name ON directory_users (account_id, user_key) WHERE gone_at = 0;
CREATE UNIQUE INDEX directory_users_by_person ON directory_users (person_id) WHERE person_id > 0;
CREATE INDEX directory_users_by_account ON directory_users (account_id, id);
CREATE INDEX directory_users_by_external ON directory_users (external_id, account_id);
CREATE INDEX directory_users_by_subject ON directory_users (subject, issuer);
CREATE INDEX directory_users_by_user_key ON directory_users (user_key);
CREATE INDEX directory_users_by_email ON directory_users (email_key);

CREATE TABLE directory_groups (
	id BIGINT PRIMARY KEY,
	account_id BIGINT NOT NULL,
	name TEXT NOT NULL,
	external_id TEXT NOT NULL,
	version BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX directory_groups_by_name ON directory_groups (account_id, name);
CREATE INDEX directory_groups_by_account ON directory_groups (account_id, id);
CREATE TABLE directory_members (
	group_id BIGINT NOT NULL,
	user_id BIGINT NOT NULL,
	PRIMARY KEY (group_id, user_id)
);
CREATE INDEX directory_members_by_user ON directory_members (user_id, group_id);

-- is_out: their directory has switched them off. external_id: what that calls them, and address: one
-- that is verified, in lower case, as the provider said with the last sign-in. said_groups: JSON
-- array of the groups that it named.
ALTER TABLE people ADD COLUMN is_out BIGINT NOT NULL DEFAULT 0;
ALTER TABLE people ADD COLUMN external_id TEXT NOT NULL DEFAULT '';
ALTER TABLE people ADD COLUMN address TEXT NOT NULL DEFAULT '';
ALTER TABLE people ADD COLUMN said_groups TEXT NOT NULL DEFAULT '';
CREATE INDEX people_by_external ON people (account_id, external_id) WHERE external_id <> '';
CREATE INDEX people_by_address ON people (account_id, address) WHERE address <> '';
