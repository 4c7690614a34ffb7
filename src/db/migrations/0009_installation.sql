-- Which blobs belong to this store, and the sweep of those that no row names.

-- One row. mark: a random word that stands beside the blobs too; bound: 1 since it does.
CREATE TABLE installation (
	id BIGINT PRIMARY KEY,
	mark TEXT NOT NULL,
	bound BIGINT NOT NULL
);

-- Work for the whole installation, done by one at a time. due_at: when it may be taken, or when the
-- lease of who has it ends.
CREATE TABLE upkeep (
	kind TEXT PRIMARY KEY,
	due_at BIGINT NOT NULL,
	lease_epoch BIGINT NOT NULL
);

-- Blobs that no row names, and since when that is known.
CREATE TABLE strays (
	blob TEXT PRIMARY KEY,
	since BIGINT NOT NULL
);
