-- Agents take turns in the line of a host: from one agent to the next by the index, however many pages
-- each of them has there.
CREATE INDEX pages_host_agents ON pages (host, agent_id, due_at, id) WHERE state > 0 AND to_fetch = 1;
