-- Accounts, keys, agents, sources, pages, segments, conversations, messages.
-- Times are microseconds since 1970 (UTC), flags 0 or 1. Every table of an agent has agent_id
-- first in its key. *_key columns are folded for searching without case.

CREATE TABLE accounts (
	id BIGINT PRIMARY KEY,
	name TEXT NOT NULL UNIQUE,
	email TEXT NOT NULL,
	plan TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);

-- month: year * 12 + month from 0
CREATE TABLE account_months (
	account_id BIGINT NOT NULL REFERENCES accounts (id),
	month BIGINT NOT NULL,
	queries BIGINT NOT NULL,
	PRIMARY KEY (account_id, month)
);

-- agents: ids with commas between; empty: all of the account. It is no table of references, so
-- that a key limited to an agent that was deleted is limited to nothing.
CREATE TABLE api_keys (
	id BIGINT PRIMARY KEY,
	account_id BIGINT NOT NULL REFERENCES accounts (id),
	hash TEXT NOT NULL,
	label TEXT NOT NULL,
	agents TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	revoked_at BIGINT NOT NULL
);

CREATE TABLE agents (
	id BIGINT PRIMARY KEY,
	account_id BIGINT NOT NULL REFERENCES accounts (id),
	name TEXT NOT NULL,
	name_key TEXT NOT NULL,
	sitemap_path TEXT,
	type TEXT NOT NULL,
	shareable_slug TEXT,
	is_master BIGINT NOT NULL,
	is_shared BIGINT NOT NULL,
	is_active BIGINT NOT NULL,
	are_licenses_allowed BIGINT NOT NULL,
	options TEXT NOT NULL,
	settings TEXT NOT NULL,
	index_version BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE INDEX agents_by_account ON agents (account_id, id);

-- Sums over pages and messages, kept with every change of them.
CREATE TABLE agent_totals (
	agent_id BIGINT PRIMARY KEY REFERENCES agents (id),
	pages_found BIGINT NOT NULL,
	pages_crawled BIGINT NOT NULL,
	pages_indexed BIGINT NOT NULL,
	words_indexed BIGINT NOT NULL,
	storage_bytes BIGINT NOT NULL,
	crawl_credits BIGINT NOT NULL,
	query_credits BIGINT NOT NULL,
	queries BIGINT NOT NULL
);

-- Agents with pages in the queue, in the order of their turns.
CREATE TABLE turns (
	agent_id BIGINT PRIMARY KEY REFERENCES agents (id),
	turn BIGINT NOT NULL
);
CREATE INDEX turns_by_turn ON turns (turn);

CREATE TABLE sources (
	agent_id BIGINT NOT NULL REFERENCES agents (id),
	id BIGINT NOT NULL,
	type TEXT NOT NULL,
	settings TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	PRIMARY KEY (agent_id, id)
);

-- state: 0 done, 1 queued, 2 leased. due_at: when a queued page may be leased, when a lease ends.
-- is_found: passages of the page are alive in a segment.
CREATE TABLE pages (
	agent_id BIGINT NOT NULL REFERENCES agents (id),
	id BIGINT NOT NULL,
	source_id BIGINT NOT NULL,
	url TEXT NOT NULL,
	url_key TEXT NOT NULL,
	is_file BIGINT NOT NULL,
	is_file_kept BIGINT NOT NULL,
	filename TEXT NOT NULL,
	filename_key TEXT NOT NULL,
	content_type TEXT NOT NULL,
	size BIGINT NOT NULL,
	blob TEXT NOT NULL,
	text_blob TEXT NOT NULL,
	crawl_status BIGINT NOT NULL,
	index_status BIGINT NOT NULL,
	reason TEXT NOT NULL,
	title TEXT NOT NULL,
	description TEXT NOT NULL,
	image TEXT NOT NULL,
	lang TEXT NOT NULL,
	words BIGINT NOT NULL,
	passages BIGINT NOT NULL,
	meta_title TEXT,
	meta_url TEXT,
	meta_description TEXT,
	meta_image TEXT,
	state BIGINT NOT NULL,
	due_at BIGINT NOT NULL,
	attempts BIGINT NOT NULL,
	lease_epoch BIGINT NOT NULL,
	is_found BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	PRIMARY KEY (agent_id, id),
	FOREIGN KEY (agent_id, source_id) REFERENCES sources (agent_id, id)
);
CREATE INDEX pages_by_id ON pages (id);
CREATE INDEX pages_queue ON pages (agent_id, due_at, id) WHERE state > 0;
CREATE INDEX pages_due ON pages (due_at) WHERE state > 0;

CREATE TABLE segments (
	agent_id BIGINT NOT NULL REFERENCES agents (id),
	id BIGINT NOT NULL,
	version BIGINT NOT NULL,
	blob TEXT NOT NULL,
	bytes BIGINT NOT NULL,
	passages BIGINT NOT NULL,
	pages BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	PRIMARY KEY (agent_id, id)
);

-- The page's passages in segments of a lower version are gone. Not a reference: most of these
-- pages are gone too.
CREATE TABLE dead_pages (
	agent_id BIGINT NOT NULL REFERENCES agents (id),
	page_id BIGINT NOT NULL,
	version BIGINT NOT NULL,
	PRIMARY KEY (agent_id, page_id)
);

-- naming: 0 not yet named, 1 by its first prompt, 2 by a person.
CREATE TABLE conversations (
	agent_id BIGINT NOT NULL REFERENCES agents (id),
	id BIGINT NOT NULL,
	session_id TEXT NOT NULL,
	name TEXT NOT NULL,
	name_key TEXT NOT NULL,
	naming BIGINT NOT NULL,
	created_by BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	PRIMARY KEY (agent_id, id),
	UNIQUE (agent_id, session_id)
);

-- citations: page ids with commas between.
CREATE TABLE messages (
	agent_id BIGINT NOT NULL,
	conversation_id BIGINT NOT NULL,
	id BIGINT NOT NULL,
	query TEXT NOT NULL,
	response TEXT NOT NULL,
	citations TEXT NOT NULL,
	answered BIGINT NOT NULL,
	failed BIGINT NOT NULL,
	user_ip TEXT NOT NULL,
	user_agent TEXT NOT NULL,
	external_id TEXT NOT NULL,
	source TEXT NOT NULL,
	details TEXT NOT NULL,
	user_id BIGINT NOT NULL,
	reaction BIGINT NOT NULL,
	reaction_user BIGINT NOT NULL,
	reaction_created_at BIGINT NOT NULL,
	reaction_updated_at BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	PRIMARY KEY (agent_id, conversation_id, id),
	FOREIGN KEY (agent_id, conversation_id) REFERENCES conversations (agent_id, id)
);

-- One row that /readyz writes.
CREATE TABLE probes (
	id BIGINT PRIMARY KEY,
	at BIGINT NOT NULL
);
