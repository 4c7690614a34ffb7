-- Answers that a person has checked. Each is a document like others, whose file is made of what
-- stands here; the rows say what it was made of, who checked it and until when.

-- questions: one a line. review_at: 0 is never.
CREATE TABLE verified_answers (
	agent_id BIGINT NOT NULL,
	page_id BIGINT NOT NULL,
	version BIGINT NOT NULL,
	questions TEXT NOT NULL,
	answer TEXT NOT NULL,
	owner TEXT NOT NULL,
	checked_by TEXT NOT NULL,
	checked_at BIGINT NOT NULL,
	review_at BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	PRIMARY KEY (agent_id, page_id),
	FOREIGN KEY (agent_id, page_id) REFERENCES pages (agent_id, id)
);

-- Every text that an answer has had, the present one too.
CREATE TABLE verified_versions (
	agent_id BIGINT NOT NULL,
	page_id BIGINT NOT NULL,
	version BIGINT NOT NULL,
	questions TEXT NOT NULL,
	answer TEXT NOT NULL,
	checked_by TEXT NOT NULL,
	checked_at BIGINT NOT NULL,
	PRIMARY KEY (agent_id, page_id, version),
	FOREIGN KEY (agent_id, page_id) REFERENCES verified_answers (agent_id, page_id)
);

-- The documents that an answer leans on, whose labels keep it too. text_blob: their text when it
-- was checked. gone: the document was deleted since; the answer opens to nobody until it is
-- changed, for nobody knows any more whom that document was for.
CREATE TABLE verified_cites (
	agent_id BIGINT NOT NULL,
	page_id BIGINT NOT NULL,
	cited_id BIGINT NOT NULL,
	text_blob TEXT NOT NULL,
	gone BIGINT NOT NULL,
	PRIMARY KEY (agent_id, page_id, cited_id),
	FOREIGN KEY (agent_id, page_id) REFERENCES verified_answers (agent_id, page_id)
);
CREATE INDEX verified_cited ON verified_cites (agent_id, cited_id);
CREATE INDEX verified_gone ON verified_cites (agent_id, cited_id, page_id) WHERE gone = 1;
