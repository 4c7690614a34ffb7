-- What came of a question beside an answer: whether passages were shown that come close, and which
-- of their documents its asker said was it.
ALTER TABLE messages ADD COLUMN closest BIGINT NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN found_page_id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN found_at BIGINT NOT NULL DEFAULT 0;
UPDATE messages SET closest = 1 WHERE answered = 0 AND details LIKE '%"closest":[{%';
