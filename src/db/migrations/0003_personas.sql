-- Personas: the numbered texts of persona_instructions, what is generated from each, an agent's own
-- texts in place of the generated ones, and the pictures that its settings name.

-- instructions: NULL where the agent has none. is_active: the one in force, the newest.
-- notes: 0 generated, 1 yet to be, 2 generated from documents that have changed since.
CREATE TABLE personas (
	agent_id BIGINT NOT NULL REFERENCES agents (id),
	version BIGINT NOT NULL,
	instructions TEXT,
	is_active BIGINT NOT NULL,
	notes BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	PRIMARY KEY (agent_id, version)
);
CREATE INDEX personas_notes ON personas (notes, agent_id, version) WHERE notes > 0;

CREATE TABLE sub_personas (
	agent_id BIGINT NOT NULL,
	version BIGINT NOT NULL,
	slug TEXT NOT NULL,
	title TEXT NOT NULL,
	instructions TEXT,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	PRIMARY KEY (agent_id, version, slug),
	FOREIGN KEY (agent_id, version) REFERENCES personas (agent_id, version)
);

CREATE TABLE sub_persona_overrides (
	agent_id BIGINT NOT NULL REFERENCES agents (id),
	slug TEXT NOT NULL,
	title TEXT NOT NULL,
	instructions TEXT,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	PRIMARY KEY (agent_id, slug)
);

-- blob: of a picture in the agent's settings, which are JSON.
CREATE TABLE agent_images (
	agent_id BIGINT NOT NULL REFERENCES agents (id),
	blob TEXT NOT NULL,
	PRIMARY KEY (agent_id, blob)
);

-- An agent from before has its first version without a text: none could be set until now.
INSERT INTO personas (agent_id, version, instructions, is_active, notes, created_at, updated_at)
SELECT id, 1, NULL, 1, 1, created_at, updated_at FROM agents;
