-- What an engine of many shards needs: rows of an agent are found by their agent, and nothing but a
-- table of its own is unique across agents. What each engine would do with it is in
-- docs/decisions/2026-11-25-sharding.md.

-- Whose a handle is: who wants one writes here first.
CREATE TABLE account_handles (
	handle TEXT PRIMARY KEY,
	account_id BIGINT NOT NULL
);
INSERT INTO account_handles (handle, account_id) SELECT handle, id FROM accounts;

-- Where the license with a key is.
CREATE TABLE license_keys (
	key TEXT PRIMARY KEY,
	agent_id BIGINT NOT NULL
);
INSERT INTO license_keys (key, agent_id) SELECT key, agent_id FROM licenses;
DROP INDEX licenses_by_key;
CREATE INDEX licenses_by_key ON licenses (agent_id, key);

-- Which agent's the public address is.
CREATE TABLE agent_slugs (
	slug TEXT PRIMARY KEY,
	agent_id BIGINT NOT NULL
);
INSERT INTO agent_slugs (slug, agent_id)
	SELECT shareable_slug, min(id) FROM agents WHERE shareable_slug IS NOT NULL GROUP BY shareable_slug;
DROP INDEX agents_by_slug;

-- Whose conversation a link shows.
CREATE TABLE talk_link_hashes (
	hash TEXT PRIMARY KEY,
	agent_id BIGINT NOT NULL
);
INSERT INTO talk_link_hashes (hash, agent_id) SELECT hash, agent_id FROM talk_links;
CREATE TABLE talk_links_anew (
	hash TEXT NOT NULL,
	agent_id BIGINT NOT NULL REFERENCES agents (id),
	conversation_id BIGINT NOT NULL,
	last_id BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	PRIMARY KEY (agent_id, conversation_id)
);
INSERT INTO talk_links_anew (hash, agent_id, conversation_id, last_id, created_at)
	SELECT hash, agent_id, conversation_id, last_id, created_at FROM talk_links;
DROP TABLE talk_links;
ALTER TABLE talk_links_anew RENAME TO talk_links;
CREATE INDEX talk_links_by_hash ON talk_links (agent_id, hash);

-- The secret of a visitor is one for its agent.
CREATE TABLE visitors_anew (
	id BIGINT NOT NULL,
	hash TEXT NOT NULL,
	person_id BIGINT NOT NULL,
	agent_id BIGINT NOT NULL REFERENCES agents (id),
	slug TEXT NOT NULL,
	site TEXT NOT NULL,
	surface TEXT NOT NULL,
	address TEXT NOT NULL,
	subject TEXT NOT NULL,
	name TEXT NOT NULL,
	labels TEXT NOT NULL,
	ends_at BIGINT NOT NULL,
	challenge TEXT NOT NULL,
	proven_until BIGINT NOT NULL,
	busy_until BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	seen_at BIGINT NOT NULL,
	PRIMARY KEY (agent_id, id)
);
INSERT INTO visitors_anew (id, hash, person_id, agent_id, slug, site, surface, address, subject, name,
	labels, ends_at, challenge, proven_until, busy_until, created_at, seen_at)
	SELECT id, hash, person_id, agent_id, slug, site, surface, address, subject, name, labels, ends_at,
	challenge, proven_until, busy_until, created_at, seen_at FROM visitors;
DROP TABLE visitors;
ALTER TABLE visitors_anew RENAME TO visitors;
CREATE INDEX visitors_by_hash ON visitors (agent_id, hash);
CREATE INDEX visitors_by_id ON visitors ((id & 15), id);
CREATE INDEX visitors_by_subject ON visitors (agent_id, subject) WHERE subject <> '';
CREATE INDEX visitors_by_age ON visitors ((agent_id & 15), seen_at);
CREATE INDEX visitors_busy ON visitors (address) WHERE busy_until > 0;

-- What an agent's messages count for the month of its account, which is their sum and what
-- account_months keeps: of agents that have gone, and of before this table.
CREATE TABLE agent_months (
	agent_id BIGINT NOT NULL REFERENCES agents (id),
	month BIGINT NOT NULL,
	queries BIGINT NOT NULL,
	model_tokens BIGINT NOT NULL,
	model_cost BIGINT NOT NULL,
	PRIMARY KEY (agent_id, month)
);

-- Queues of all agents: by one of sixteen buckets, and within it by time, so that no index grows at
-- one end alone.
DROP INDEX pages_due;
DROP INDEX pages_by_id;
CREATE INDEX pages_by_id ON pages ((id & 15), id);
DROP INDEX sources_due;
CREATE INDEX sources_due ON sources ((agent_id & 15), due_at) WHERE due_at > 0;
DROP INDEX chores_due;
CREATE INDEX chores_due ON chores ((agent_id & 15), due_at);
DROP INDEX repairs_due;
CREATE INDEX repairs_due ON repairs ((agent_id & 15), due_at);
DROP INDEX answers_by_lease;
CREATE INDEX answers_by_lease ON answers ((agent_id & 15), lease_until);
