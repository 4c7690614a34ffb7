-- How often answers cite a document: counted with each answer, so that the list of an agent's documents needs
-- not read its conversations. What was answered before is counted here, once.
CREATE TABLE cited_pages (
	agent_id BIGINT NOT NULL REFERENCES agents (id),
	page_id BIGINT NOT NULL,
	cited BIGINT NOT NULL,
	PRIMARY KEY (agent_id, page_id)
);
INSERT INTO cited_pages (agent_id, page_id, cited)
WITH RECURSIVE ids (agent_id, id, rest, whole) AS (
	SELECT CASE WHEN child_id > 0 THEN child_id ELSE agent_id END, '', citations || ',', 0
	FROM messages WHERE citations <> ''
	UNION ALL
	SELECT agent_id,
		CASE WHEN substr(rest, 1, 1) = ',' THEN id WHEN whole = 1 THEN substr(rest, 1, 1) ELSE id || substr(rest, 1, 1) END,
		substr(rest, 2), CASE WHEN substr(rest, 1, 1) = ',' THEN 1 ELSE 0 END
	FROM ids WHERE rest <> ''
)
SELECT p.agent_id, p.id, count(*) FROM ids i JOIN pages p ON p.agent_id = i.agent_id AND p.id = CAST(i.id AS BIGINT)
WHERE i.whole = 1 GROUP BY p.agent_id, p.id;
