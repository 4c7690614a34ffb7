-- Nothing refers to accounts, which may be in another shard; `docent check` looks at what the
-- references did.

-- SQLite has no words for taking a reference away, but lets its text be changed in the schema:
-- www.sqlite.org/lang_altertable.html, "making other kinds of table schema changes".
PRAGMA writable_schema = ON;
UPDATE sqlite_master SET sql = replace(sql, ' REFERENCES accounts (id)', '')
	WHERE type = 'table' AND name IN ('account_months', 'api_keys', 'agents');
PRAGMA writable_schema = RESET;

-- That handles are different is for account_handles to say.
CREATE TABLE accounts_anew (
	id BIGINT PRIMARY KEY,
	handle TEXT NOT NULL,
	plan TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	photo TEXT NOT NULL DEFAULT '',
	photo_type TEXT NOT NULL DEFAULT '',
	name TEXT NOT NULL DEFAULT ''
);
INSERT INTO accounts_anew (id, handle, plan, created_at, updated_at, photo, photo_type, name)
	SELECT id, handle, plan, created_at, updated_at, photo, photo_type, name FROM accounts;
DROP TABLE accounts;
ALTER TABLE accounts_anew RENAME TO accounts;
