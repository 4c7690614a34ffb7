-- What robots.txt of a host says to crawlers, for a day.

-- origin: "https://host" or "http://host:port". text: as it was sent; empty: everything is allowed.
-- read_at: when the host gave it. good_until: until then nobody asks for it again.
CREATE TABLE robots (
	origin TEXT PRIMARY KEY,
	text TEXT NOT NULL,
	read_at BIGINT NOT NULL,
	good_until BIGINT NOT NULL
);
CREATE INDEX robots_by_age ON robots (good_until);
