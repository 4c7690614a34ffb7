-- Wrong keys, links and tokens, by where they came from or which key they named: how many in the span
-- of time that began then.
CREATE TABLE guesses (
	who TEXT PRIMARY KEY,
	span_at BIGINT NOT NULL,
	times BIGINT NOT NULL
);
CREATE INDEX guesses_by_span ON guesses (span_at);
