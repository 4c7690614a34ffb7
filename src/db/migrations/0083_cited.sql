-- How often answers cite a document: counted with each answer, so that the list of an agent's documents needs
-- not read its conversations. What was answered before is counted here, once.
CREATE TABLE cited_pages (
	agent_id BIGINT NOT NULL REFERENCES agents (id),
	page_id BIGINT NOT NULL,
	cited BIGINT NOT NULL,
	PRIMARY KEY (agent_id, page_id)
);
INSERT INTO cited_pages (agent_id, page_id, cited)
WITH RECURSIVE ids (agent_id, id, rest) AS (
	SELECT CASE WHEN child_id > 0 THEN child_id ELSE agent_id END, '', citations FROM messages WHERE citations <> ''
	UNION ALL
	SELECT agent_id, substr(rest, 1, length(rest) - length(ltrim(rest, '0123456789'))),
		substr(ltrim(rest, '0123456789'), 2)
	FROM ids WHERE rest <> ''
)
SELECT p.agent_id, p.id, count(*) FROM ids i JOIN pages p ON p.agent_id = i.agent_id AND p.id = CAST(i.id AS BIGINT)
WHERE i.id <> '' GROUP BY p.agent_id, p.id;
