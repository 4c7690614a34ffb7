-- Whose turn it is at a host, for all processes that visit pages.

-- host: as of pages. free_at: nobody asks it for anything before. holder: the process that asks it now,
-- for `lines` things, until held_until at most; empty: none.
CREATE TABLE hosts (
	host TEXT PRIMARY KEY,
	free_at BIGINT NOT NULL,
	holder TEXT NOT NULL,
	lines BIGINT NOT NULL,
	held_until BIGINT NOT NULL
);
CREATE INDEX hosts_by_age ON hosts (free_at);
