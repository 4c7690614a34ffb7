-- Pages of a website that say what another one says already.

-- likeness: of the text (passages/likeness.h); 0: none. Near ones have one of its four blocks in common.
-- copy_of: the address of the page that is found in its place; empty: none.
ALTER TABLE pages ADD COLUMN likeness BIGINT NOT NULL DEFAULT 0;
ALTER TABLE pages ADD COLUMN copy_of TEXT NOT NULL DEFAULT '';
CREATE INDEX pages_like_0 ON pages (agent_id, source_id, (likeness & 65535), id)
	WHERE is_found = 1 AND depth > 0 AND likeness <> 0;
CREATE INDEX pages_like_1 ON pages (agent_id, source_id, ((likeness >> 16) & 65535), id)
	WHERE is_found = 1 AND depth > 0 AND likeness <> 0;
CREATE INDEX pages_like_2 ON pages (agent_id, source_id, ((likeness >> 32) & 65535), id)
	WHERE is_found = 1 AND depth > 0 AND likeness <> 0;
CREATE INDEX pages_like_3 ON pages (agent_id, source_id, ((likeness >> 48) & 65535), id)
	WHERE is_found = 1 AND depth > 0 AND likeness <> 0;
CREATE INDEX pages_by_original ON pages (agent_id, copy_of) WHERE copy_of <> '';
