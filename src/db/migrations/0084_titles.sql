-- What a document is called, to find and sort it by: folded, as the other keys are.
ALTER TABLE pages ADD COLUMN title_key TEXT NOT NULL DEFAULT '';
UPDATE pages SET title_key = CASE WHEN coalesce(meta_title, '') <> '' THEN lower(meta_title)
	WHEN title <> '' THEN lower(title) WHEN filename <> '' THEN filename_key ELSE url_key END;
