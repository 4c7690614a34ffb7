-- What models were asked for: tokens, and millionths of the currency of the operator's prices. By agent
-- and day for its reports, by account and month for limits; the second stays when an agent goes.
ALTER TABLE account_months ADD COLUMN model_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE account_months ADD COLUMN model_cost BIGINT NOT NULL DEFAULT 0;

-- day: since 1970 (UTC)
CREATE TABLE model_usage (
	agent_id BIGINT NOT NULL REFERENCES agents (id),
	day BIGINT NOT NULL,
	model TEXT NOT NULL,
	answers BIGINT NOT NULL,
	prompt_tokens BIGINT NOT NULL,
	completion_tokens BIGINT NOT NULL,
	cost BIGINT NOT NULL,
	PRIMARY KEY (agent_id, day, model)
);
