-- Visitors of public agents: who is nobody's user, known by a secret that their browser keeps.

-- hash: of the secret. person_id: whose conversations they are: their own id, or that of the first
-- visitor with the same subject. slug: the public address that they came by; a visitor of one that was
-- closed is none any more. site: the origin of the page around ours; empty: none. surface: the request
-- source of what they say. subject, name, labels: what their site has signed; ends_at: until when; 0:
-- they are not signed. challenge: what their browser has to work at; proven_until: it has. busy_until:
-- an answer to them is under way, or was when its process ended.
CREATE TABLE visitors (
	id BIGINT PRIMARY KEY,
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
	seen_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX visitors_by_hash ON visitors (hash);
CREATE INDEX visitors_by_agent ON visitors (agent_id, id);
CREATE INDEX visitors_by_subject ON visitors (agent_id, subject) WHERE subject <> '';
CREATE INDEX visitors_by_age ON visitors (seen_at);
CREATE INDEX visitors_busy ON visitors (address) WHERE busy_until > 0;

-- How often somebody did something in the span of time that began then.
CREATE TABLE visits (
	who TEXT NOT NULL,
	span BIGINT NOT NULL,
	began_at BIGINT NOT NULL,
	times BIGINT NOT NULL,
	PRIMARY KEY (who, span)
);
CREATE INDEX visits_by_age ON visits (began_at);

-- 0: it is no visitor's.
ALTER TABLE conversations ADD COLUMN visitor_id BIGINT NOT NULL DEFAULT 0;
CREATE INDEX conversations_by_visitor ON conversations (agent_id, visitor_id, updated_at) WHERE visitor_id > 0;
CREATE INDEX agents_by_slug ON agents (shareable_slug);
