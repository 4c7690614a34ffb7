-- Queues of all agents, and rows that are found by their id alone, have plain indexes again: buckets of
-- agents served engines of many shards, of which no test runs one (docs/decisions/2026-11-25-sharding.md).
-- A program of before, that still runs beside a newer one, is served by these too.
DROP INDEX pages_by_id;
CREATE INDEX pages_by_id ON pages (id);
DROP INDEX visitors_by_id;
CREATE INDEX visitors_by_id ON visitors (id);
DROP INDEX visitors_by_age;
CREATE INDEX visitors_by_age ON visitors (seen_at);
DROP INDEX sources_due;
CREATE INDEX sources_due ON sources (due_at) WHERE due_at > 0;
DROP INDEX chores_due;
CREATE INDEX chores_due ON chores (due_at);
DROP INDEX repairs_due;
CREATE INDEX repairs_due ON repairs (due_at);
DROP INDEX answers_by_lease;
CREATE INDEX answers_by_lease ON answers (lease_until);
