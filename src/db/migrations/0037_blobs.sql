-- The blobs of a bucket: a row before the bytes, so that nodes know of each other's puts.
-- state: 0 here, 1 leaving (named by no row, still readable), 2 being removed right now.
-- at: of the last put while it is here; else since when it is in its state.
-- made: 1 for what the index made and can make again.
-- Blobs in a directory have no rows.
CREATE TABLE blobs (
	name TEXT PRIMARY KEY,
	state BIGINT NOT NULL,
	at BIGINT NOT NULL,
	bytes BIGINT NOT NULL,
	made BIGINT NOT NULL
);

-- One row: the name up to which the sweep has come in its round.
CREATE TABLE blob_sweep (
	id BIGINT PRIMARY KEY,
	after TEXT NOT NULL
);
