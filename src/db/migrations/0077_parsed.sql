-- What was parsed of a page that waits for a thread with time for the rest of its reading.
ALTER TABLE pages ADD COLUMN parsed_blob TEXT NOT NULL DEFAULT '';
