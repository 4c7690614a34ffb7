-- told_seq: the last row of the chain that was written as a line to a file or to syslog; -1: none is
-- to be.
ALTER TABLE audit_heads ADD COLUMN told_seq BIGINT NOT NULL DEFAULT -1;
