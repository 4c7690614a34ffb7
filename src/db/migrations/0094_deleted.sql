-- What an owner has deleted and may take back until gone_at. A deleted document is no row of pages any
-- more, so nothing finds it; its row stands here as it was, with its labels, and names its blobs.

-- root_id: the document that was deleted, whose parts went with it. cited: by how many answers.
CREATE TABLE deleted_pages (
	agent_id BIGINT NOT NULL,
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
	host TEXT NOT NULL,
	to_fetch BIGINT NOT NULL,
	etag TEXT NOT NULL,
	last_modified TEXT NOT NULL,
	text_hash TEXT NOT NULL,
	visited_at BIGINT NOT NULL,
	listed_at BIGINT NOT NULL,
	listed_image TEXT NOT NULL,
	seen BIGINT NOT NULL,
	is_slow BIGINT NOT NULL,
	depth BIGINT NOT NULL,
	robots BIGINT NOT NULL,
	path TEXT NOT NULL,
	content_hash TEXT NOT NULL,
	parent_id BIGINT NOT NULL,
	likeness BIGINT NOT NULL,
	copy_of TEXT NOT NULL,
	rendering BIGINT NOT NULL,
	lease_node BIGINT NOT NULL,
	parsed_blob TEXT NOT NULL,
	title_key TEXT NOT NULL,
	root_id BIGINT NOT NULL,
	deleted_at BIGINT NOT NULL,
	gone_at BIGINT NOT NULL,
	cited BIGINT NOT NULL,
	PRIMARY KEY (agent_id, id)
);
CREATE INDEX deleted_pages_by_root ON deleted_pages (agent_id, root_id, id);
CREATE INDEX deleted_pages_by_time ON deleted_pages (agent_id, deleted_at, id) WHERE id = root_id;
CREATE INDEX deleted_pages_gone ON deleted_pages (gone_at);
CREATE INDEX deleted_pages_by_blob ON deleted_pages (blob);
CREATE INDEX deleted_pages_by_text ON deleted_pages (text_blob);
CREATE INDEX deleted_pages_by_parsed ON deleted_pages (parsed_blob);

CREATE TABLE deleted_labels (
	agent_id BIGINT NOT NULL,
	page_id BIGINT NOT NULL,
	label_id BIGINT NOT NULL,
	PRIMARY KEY (agent_id, page_id, label_id)
);

-- Of a deleted agent; gone_at 0: its rows go at once.
ALTER TABLE agents ADD COLUMN deleted_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE agents ADD COLUMN gone_at BIGINT NOT NULL DEFAULT 0;
