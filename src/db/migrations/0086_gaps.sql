-- Questions that were not answered well, in groups of those that ask the same.

-- Messages that have not been looked at yet. why: bits of store/gaps.h.
CREATE TABLE gap_queue (
	agent_id BIGINT NOT NULL,
	message_id BIGINT NOT NULL,
	conversation_id BIGINT NOT NULL,
	why BIGINT NOT NULL,
	PRIMARY KEY (agent_id, message_id)
);
CREATE INDEX gap_queue_in ON gap_queue (agent_id, conversation_id);

-- id: of the message that opened it. conversation_id, message_id: the question that it is shown by,
-- whose text is the message's alone. answer_id: the document of the checked answer that was given.
-- answers of tried: what came of asking its questions anew, of the documents of tried_version.
CREATE TABLE gaps (
	agent_id BIGINT NOT NULL,
	id BIGINT NOT NULL,
	conversation_id BIGINT NOT NULL,
	message_id BIGINT NOT NULL,
	state BIGINT NOT NULL,
	owner TEXT NOT NULL,
	answer_id BIGINT NOT NULL,
	asked BIGINT NOT NULL,
	people BIGINT NOT NULL,
	unanswered BIGINT NOT NULL,
	disliked BIGINT NOT NULL,
	shaky BIGINT NOT NULL,
	first_at BIGINT NOT NULL,
	last_at BIGINT NOT NULL,
	answers BIGINT NOT NULL,
	tried BIGINT NOT NULL,
	tried_version BIGINT NOT NULL,
	tried_at BIGINT NOT NULL,
	by_itself BIGINT NOT NULL,
	closed_at BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	PRIMARY KEY (agent_id, id)
);

-- person: a hash; one visitor has one.
CREATE TABLE gap_questions (
	agent_id BIGINT NOT NULL,
	message_id BIGINT NOT NULL,
	conversation_id BIGINT NOT NULL,
	gap_id BIGINT NOT NULL,
	why BIGINT NOT NULL,
	person BIGINT NOT NULL,
	asked_at BIGINT NOT NULL,
	PRIMARY KEY (agent_id, message_id),
	FOREIGN KEY (agent_id, gap_id) REFERENCES gaps (agent_id, id)
);
CREATE INDEX gap_questions_of ON gap_questions (agent_id, gap_id, person);
CREATE INDEX gap_questions_in ON gap_questions (agent_id, conversation_id);

-- Which documents the gaps of an agent were asked of last.
CREATE TABLE gap_turns (
	agent_id BIGINT PRIMARY KEY REFERENCES agents (id),
	tried_version BIGINT NOT NULL,
	tried_at BIGINT NOT NULL
);

INSERT INTO gap_queue (agent_id, message_id, conversation_id, why)
	SELECT agent_id, id, conversation_id, CASE WHEN answered = 0 THEN 1 ELSE 8 END FROM messages
	WHERE failed = 0 AND ((answered = 0 AND details LIKE '%"kind":"none"%') OR reaction = 2);
