-- The move of an installation from one store into another (docent move), as each of the two knows it.

-- One row. state: 1 its rows arrive here, 2 they are all here, 3 they are being read for another store,
-- 4 such a move was given up by opening this store, 5 they have gone. token: the same on both sides;
-- where blobs alone are moved, the mark that they get. place: where from or where to. step, after: what
-- is being written, and the last of it that is.
CREATE TABLE moves (
	id BIGINT PRIMARY KEY,
	state BIGINT NOT NULL,
	token TEXT NOT NULL,
	place TEXT NOT NULL,
	step TEXT NOT NULL,
	after TEXT NOT NULL
);
