-- Questions that are kept as tests, with what has to be said to them.

-- turns, phrases: one a line. state, why: of store/kept.h. answer: what was said last, and
-- answer_before what was said before that turned. tried_version, tried_change: of its agent, as it
-- was asked.
CREATE TABLE kept_tests (
	agent_id BIGINT NOT NULL,
	id BIGINT NOT NULL,
	question TEXT NOT NULL,
	turns TEXT NOT NULL,
	phrases TEXT NOT NULL,
	refuse BIGINT NOT NULL,
	state BIGINT NOT NULL,
	why BIGINT NOT NULL,
	answer TEXT NOT NULL,
	answer_before TEXT NOT NULL,
	turned_at BIGINT NOT NULL,
	asked_at BIGINT NOT NULL,
	tried_version BIGINT NOT NULL,
	tried_change BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	PRIMARY KEY (agent_id, id)
);

-- The documents one of which has to be cited. text_blob: their text when the test was kept; empty:
-- not known yet.
CREATE TABLE kept_documents (
	agent_id BIGINT NOT NULL,
	test_id BIGINT NOT NULL,
	page_id BIGINT NOT NULL,
	text_blob TEXT NOT NULL,
	PRIMARY KEY (agent_id, test_id, page_id),
	FOREIGN KEY (agent_id, test_id) REFERENCES kept_tests (agent_id, id)
);

-- Of which state of its agent all tests were asked last; and which was seen last, since when, and
-- since when one has been waiting. tried_version -1: of none.
CREATE TABLE kept_turns (
	agent_id BIGINT PRIMARY KEY REFERENCES agents (id),
	tried_version BIGINT NOT NULL,
	tried_change BIGINT NOT NULL,
	tried_at BIGINT NOT NULL,
	seen_version BIGINT NOT NULL,
	seen_change BIGINT NOT NULL,
	seen_at BIGINT NOT NULL,
	since_at BIGINT NOT NULL
);
