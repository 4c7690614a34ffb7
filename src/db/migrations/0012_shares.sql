-- The time of ingestion is shared between accounts, by what each has used of it.

-- used: microseconds of work, made up to those of the others while the account had nothing to do.
-- waiting: 1 while an agent of the account has a turn. Account 0: where the sharing has come to.
CREATE TABLE shares (
	account_id BIGINT PRIMARY KEY,
	used BIGINT NOT NULL,
	waiting BIGINT NOT NULL
);
CREATE INDEX shares_by_used ON shares (used, account_id) WHERE waiting > 0;

ALTER TABLE turns ADD COLUMN account_id BIGINT NOT NULL DEFAULT 0;
UPDATE turns SET account_id = (SELECT a.account_id FROM agents a WHERE a.id = turns.agent_id);
DROP INDEX turns_by_turn;
CREATE INDEX turns_by_account ON turns (account_id, turn);
INSERT INTO shares (account_id, used, waiting) SELECT DISTINCT account_id, 0, 1 FROM turns;

-- is_slow: its reading took longer than threads for short documents give it.
ALTER TABLE pages ADD COLUMN is_slow BIGINT NOT NULL DEFAULT 0;
DROP INDEX pages_queue;
CREATE INDEX pages_queue ON pages (agent_id, is_slow, due_at, id) WHERE state > 0;
