-- The last transaction of each connection that writes, where several processes do: whoever hears nothing of
-- a commit finds here whether it was made.

-- writer: by chance, of one connection's life. number: rises with its transactions.
CREATE TABLE commits (
	writer BIGINT PRIMARY KEY,
	number BIGINT NOT NULL,
	at BIGINT NOT NULL
);
