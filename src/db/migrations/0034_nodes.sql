-- The processes that serve one database, and whose a lease is.
-- life: rises with each start under that name; who finds another one here has been replaced.
-- beat_at: when it last said that it is there.

CREATE TABLE nodes (
	id BIGINT PRIMARY KEY,
	name TEXT NOT NULL UNIQUE,
	life BIGINT NOT NULL,
	started_at BIGINT NOT NULL,
	beat_at BIGINT NOT NULL
);
