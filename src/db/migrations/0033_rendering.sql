-- Pages whose text is written by a script.

-- 0 nobody asked for a browser, 1 its next visit is by one, 2 what was fetched is what one made of it; others:
-- why none did (store/pages.h: enum kb_rendering).
ALTER TABLE pages ADD COLUMN rendering BIGINT NOT NULL DEFAULT 0;
