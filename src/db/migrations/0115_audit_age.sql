-- gone_seq, gone_hash: the last row of the chain that was taken away for its age, 0 and empty for
-- none; the chain that is kept begins behind it.
ALTER TABLE audit_heads ADD COLUMN gone_seq BIGINT NOT NULL DEFAULT 0;
ALTER TABLE audit_heads ADD COLUMN gone_hash TEXT NOT NULL DEFAULT '';
