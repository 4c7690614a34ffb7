-- Browsers that are signed in with a key, and links that sign one in, once.

-- hash: of the cookie's value. seen_at: the last use, to within some minutes.
CREATE TABLE sign_ins (
	hash TEXT PRIMARY KEY,
	key_id BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	seen_at BIGINT NOT NULL
);
CREATE INDEX sign_ins_by_age ON sign_ins (created_at);
CREATE TABLE sign_in_links (
	hash TEXT PRIMARY KEY,
	key_id BIGINT NOT NULL,
	ends_at BIGINT NOT NULL
);
CREATE INDEX sign_in_links_by_end ON sign_in_links (ends_at);
