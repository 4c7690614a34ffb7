-- Browsers that are at a provider of sign-ins, and will be back: any node takes them.

-- state, browser: hashes of secrets. address: where it asks from.
CREATE TABLE sign_in_attempts (
	state TEXT PRIMARY KEY,
	browser TEXT NOT NULL,
	nonce TEXT NOT NULL,
	verifier TEXT NOT NULL,
	address TEXT NOT NULL,
	ends_at BIGINT NOT NULL
);
CREATE INDEX sign_in_attempts_by_address ON sign_in_attempts (address);
CREATE INDEX sign_in_attempts_by_end ON sign_in_attempts (ends_at);
-- The provider's session that a browser is part of; empty: none that is known.
ALTER TABLE sign_ins ADD COLUMN sid TEXT NOT NULL DEFAULT '';
CREATE INDEX sign_ins_by_sid ON sign_ins (sid) WHERE sid <> '';
